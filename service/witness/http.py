"""The witness's two requests: ``POST /add-checkpoint`` as C2SP ``tlog-witness`` has it, and what it signed for last."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from service.witness.book import Refusal, WitnessError
from service.witness.submission import MOST_BYTES, Submission, SubmissionError

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from service.witness.book import WitnessBook

_log = logging.getLogger(__name__)

_SIZE: Final = "text/x.tlog.size"


def witness_app(book: WitnessBook) -> Starlette:
    """The application of a witness. A request needs no key: the checkpoint's own signature is what counts."""

    async def add(request: Request) -> Response:
        body = bytearray()
        async for part in request.stream():
            body += part
            if len(body) > MOST_BYTES:
                return PlainTextResponse(f"at most {MOST_BYTES} bytes\n", 413)
        return await run_in_threadpool(_answer, book, bytes(body))

    def checkpoint(request: Request) -> Response:
        try:
            known = book.known_of(str(request.path_params["record"]))
        except WitnessError:
            known = None
        if known is None:
            return PlainTextResponse("nothing is known of this record\n", 404)
        return PlainTextResponse(known.note.text)

    return Starlette(
        routes=[
            Route("/add-checkpoint", add, methods=["POST"]),
            Route("/checkpoint/{record}", checkpoint, methods=["GET"]),
        ]
    )


def _answer(book: WitnessBook, body: bytes) -> Response:
    try:
        return PlainTextResponse(f"{book.add(_read(body))}\n")
    except (SubmissionError, WitnessError) as error:
        return PlainTextResponse(f"{error}\n", 400)
    except Refusal as refusal:
        _log.warning("not signed: %s", refusal.detail)
        if refusal.size is not None:
            return PlainTextResponse(f"{refusal.size}\n", refusal.status, media_type=_SIZE)
        return PlainTextResponse(f"{refusal.detail}\n", refusal.status)
    except OSError as error:
        _log.exception("what was signed for cannot be kept")
        return PlainTextResponse(f"what is signed for cannot be kept: {error.strerror}\n", 503)


def _read(body: bytes) -> Submission:
    try:
        return Submission.of_text(body.decode())
    except UnicodeDecodeError:
        raise SubmissionError("this is no text") from None
