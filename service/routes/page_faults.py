"""Faults as pages: who clicked is told in words, with a way on, where a program gets a problem."""

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, cast

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from fastapi.routing import APIRoute

from service.ledger import UnknownRoundError
from service.page.templates import answer
from service.store.protocols import RecordUnavailableError

if TYPE_CHECKING:
    from service.deps import Parts


class PageRoute(APIRoute):
    """A route whose faults are shown to a person."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The route, with its faults caught."""
        handle = super().get_route_handler()

        async def told(request: Request) -> Response:
            parts = cast("Parts", request.app.state.parts)
            try:
                return await handle(request)
            except UnknownRoundError as error:
                return answer(request, parts, "fault.html", {"code": "unknown_round", "detail": str(error)}, status=404)
            except RecordUnavailableError as error:
                return answer(request, parts, "fault.html", {"code": "no_record", "detail": str(error)}, status=503)
            except RequestValidationError as error:
                detail = "; ".join(f"{fault['loc'][-1]}: {fault['msg']}" for fault in error.errors())
                return answer(request, parts, "fault.html", {"code": "not_valid", "detail": detail}, status=422)

        return told
