"""The HTTP side, put together from its parts; nothing is made at import."""

from __future__ import annotations

from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles

from service import __version__, errors
from service.alarms import Alarms
from service.deps import Parts
from service.desk import Desk
from service.feed import Feed
from service.ledger import Ledger, open_record
from service.limits import BodyLimit
from service.routes import health, house_way, page, read, results, settlement, tables
from service.rulebooks import house_way_of
from service.security import Gate
from service.store.protocols import RecordUnavailableError
from service.worker import Worker

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from calibration.store import TableCalibration
    from service.config import Config
    from service.deps import PictureReader

_HEADERS = {
    b"content-security-policy": b"default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
    b"form-action 'self'; frame-ancestors 'none'",
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
}


def create_app(
    config: Config,
    *,
    reader: PictureReader,
    watcher: PictureReader | None = None,
    calibration: TableCalibration | None = None,
    watch: bool = True,
) -> FastAPI:
    """The table service.

    Args:
        config: the table's settings.
        reader: what reads a picture that somebody sends.
        watcher: what reads the table's pictures, one after the other; the same if left out.
        calibration: the calibration of the table's camera.
        watch: read the table's source from a thread of its own while the application runs.

    Raises:
        UnknownRulebookError: there is no rulebook or House Way of the configured name, or the rulebook prints none and
            none is named.
        DatabaseError: the record's URL is none.
    """
    way = house_way_of(config.table.rulebook, config.table.house_way)
    desk = Desk(config.rounds.keep, stale_after_s=10 + 5 * config.source.interval_s)
    ledger = Ledger(open_record(config), config.table.name, way)
    with suppress(RecordUnavailableError):  # its state says so, and is shown
        desk.record(*ledger.rounds(config.rounds.keep))
    worker = Worker(config, desk, watcher or reader, way, ledger, calibration)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        if watch:
            worker.start()
        yield
        worker.stop()
        ledger.record.close()

    app = FastAPI(
        title="Houseway table service",
        version=__version__,
        summary="What lies on a Pai Gow table, and whether the House hand lies the House Way",
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        # The interactive pages load scripts from elsewhere; the description itself is at /openapi.json.
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.parts = Parts(
        config, desk, reader, way, ledger, Feed(ledger.record), Alarms(desk, ledger.record, config.table.name)
    )
    errors.install(app)
    for routes in (health, tables, results, read, house_way, settlement, page):
        app.include_router(routes.router)
    app.mount("/static", StaticFiles(directory=page.WEB / "static"), name="static")
    token = config.server.token
    app.add_middleware(BodyLimit, max_bytes=config.server.max_upload_mb * 1_000_000)
    app.add_middleware(Gate, token=None if token is None else token.get_secret_value())
    app.add_middleware(_SafeHeaders)
    _describe_problems(app, with_token=token is not None)
    return app


class _SafeHeaders:
    """ASGI middleware that adds the headers a browser needs to keep the page to itself."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *_HEADERS.items()]}
            await send(message)

        await self.app(scope, receive, with_headers)


def _describe_problems(app: FastAPI, *, with_token: bool) -> None:
    """Put the shape of problems, and the token if one is needed, into the OpenAPI description."""
    plain = app.openapi

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            schema = plain()
            components = schema.setdefault("components", {})
            schemas = components.setdefault("schemas", {})
            template = "#/components/schemas/{model}"
            problem = errors.Problem.model_json_schema(ref_template=template)
            schemas.update({**problem.pop("$defs", {}), "Problem": problem})
            # FastAPI's own shape of a validation fault is never sent.
            for unused in ("HTTPValidationError", "ValidationError"):
                schemas.pop(unused, None)
            refused = {str(status): told for status, told in errors.problems(401 if with_token else 421).items()}
            for path, methods in schema["paths"].items():
                for operation in methods.values():
                    if path == "/healthz":
                        operation["security"] = []
                    else:
                        operation["responses"].update(refused)
            if with_token:
                components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
                schema["security"] = [{"token": []}]
        return app.openapi_schema or {}

    app.openapi = described  # type: ignore[method-assign]
