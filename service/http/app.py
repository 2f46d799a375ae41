"""The HTTP side, put together from its parts; nothing is made at import."""

from __future__ import annotations

from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles

from service import __version__
from service.access.access import Access
from service.access.gate import Gate
from service.access.needs import declared, open_paths, routes_of
from service.access.roles import MAY, Role
from service.http import errors
from service.http.api_examples import add_examples
from service.http.deps import Parts
from service.http.limits import BodyLimit
from service.http.routes import access as access_routes
from service.http.routes import events, health, house_way, read, results, schema, settlement, tables, tiles_set
from service.http.routes import metrics as metrics_route
from service.judge.house_way_choice import house_way_of
from service.monitor.alarms import Alarms
from service.monitor.calibrating import Calibrating
from service.notify.notices import NoticeFeed, NoticeReader
from service.notify.notifier import Notifier
from service.ops.logs import RequestLog
from service.ops.metrics import Metrics
from service.ops.systemd import supervised
from service.record.feed import Feed
from service.record.ledger import Ledger, open_record
from service.record.store.entries import RecordUnavailableError
from service.table.live_state import Desk
from service.table.source import open_table
from service.table.worker import Worker
from service.web.routes import live as page
from service.web.templating import problem_page

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from calibration.files.calibration_file import TableCalibration
    from service.config.settings import Config
    from service.monitor.camera_watch import CameraWatch
    from service.monitor.set_watch import SetWatch
    from service.monitor.watches import Watch
    from service.record.store.record import Record
    from vision.capture.sources import FrameSource
    from vision.reading import PictureReader

_HEADERS = {
    b"content-security-policy": b"default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
    b"form-action 'self'; frame-ancestors 'none'",
    b"x-content-type-options": b"nosniff",
    # With "no-referrer", browsers would hide the origin of our own forms from the gate as well.
    b"referrer-policy": b"same-origin",
}


def create_app(
    config: Config,
    *,
    reader: PictureReader,
    watcher: PictureReader | None = None,
    calibration: TableCalibration | None = None,
    watch: bool = True,
    watches: Callable[[Config, Record], tuple[Watch, ...]] = lambda _config, _record: (),
    camera: CameraWatch | None = None,
    tiles: SetWatch | None = None,
    open_frames: Callable[[Config], FrameSource] = open_table,
) -> FastAPI:
    """The table service.

    Args:
        config: the table's settings.
        reader: what reads a picture that somebody sends.
        watcher: what reads the table's pictures, one after the other; the same if left out.
        calibration: the calibration of the table's camera.
        watch: read the table's source from a thread of its own while the application runs.
        watches: makes what else every verified result needs; :func:`service.monitor.watches.watches_of` in the
            running service.
        camera: inspects the table's pictures; None where there is nothing to compare them with.
        tiles: follows the table's set; None without a calibration.
        open_frames: opens the table's source.

    Raises:
        UnknownRulebookError: there is no rulebook or House Way of the configured name, or the rulebook prints none and
            none is named.
        DatabaseError: the record's URL is none.
        ConfigError: a secret that the settings name cannot be read.
    """
    way = house_way_of(config.table.rulebook, config.table.house_way)
    desk = Desk(config.rounds.keep, stale_after_s=10 + 5 * config.source.interval_s)
    ledger = Ledger(open_record(config), config.table.name, way)
    with suppress(RecordUnavailableError):  # its state says so, and is shown
        desk.record(*ledger.rounds(config.rounds.keep))
    metrics = Metrics()
    metrics.watch(desk)
    ledger.record.appended = metrics.record_seconds.observe
    watching = watches(config, ledger.record)
    for each in watching:
        desk.check(each())
    worker = Worker(
        config, desk, watcher or reader, way, ledger, calibration, metrics, watching, camera, tiles, open_frames
    )
    notices = NoticeReader(ledger.record)
    notifier = Notifier(config, desk, ledger.record, notices)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with notifier.running(watch=watch):
            if watch:
                worker.start()
            async with supervised(worker.stalled if watch else lambda: None):
                yield
            worker.stop()
        ledger.record.close()

    app = FastAPI(
        title="Houseway table service",
        version=__version__,
        summary="What lies on a Pai Gow table, and whether the House hand lies the House Way",
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        # The interactive pages load scripts from elsewhere. The description is a route of our own, which needs what the
        # others need.
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    access = Access(ledger.record, config.limits, config.server.session_hours)
    alarms = Alarms(desk, ledger.record, config.table.name)
    calibrating = Calibrating(
        config.table.calibration, calibration, ledger.record, config.table.name, desk.pictures, worker.recalibrate
    )
    feed, noticed = Feed(ledger.record), NoticeFeed(notices)
    app.state.parts = Parts(
        config, desk, reader, way, ledger, feed, alarms, calibrating, access, metrics, noticed, tiles
    )
    errors.install(app, problem_page)
    for routes in (
        health,
        metrics_route,
        tables,
        events,
        tiles_set,
        results,
        read,
        house_way,
        settlement,
        schema,
        page,
        access_routes,
    ):
        app.include_router(routes.router)
    app.mount("/static", StaticFiles(directory=page.WEB / "static"), name="static")
    local_only = config.server.local_only and not config.server.trusted_proxies
    cookie = access_routes.cookie_of(config)
    app.add_middleware(BodyLimit, max_bytes=config.server.max_upload_mb * 1_000_000, max_s=config.server.max_upload_s)
    app.add_middleware(
        Gate,
        access=access,
        cookie=cookie,
        open_paths=open_paths(app),
        local_only=local_only,
        page=problem_page,
    )
    app.add_middleware(_SafeHeaders)
    app.add_middleware(RequestLog, metrics=metrics)
    _describe(app, cookie, local_only=local_only)
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


def _describe(app: FastAPI, cookie: str, *, local_only: bool) -> None:
    """Put the shape of problems, and who may do what, into the OpenAPI description."""
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
            components["securitySchemes"] = {
                "key": {"type": "http", "scheme": "bearer", "description": "a machine's key"},
                "session": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": cookie,
                    "description": "a person signed in on the page; changes also need the header X-CSRF-Token",
                },
            }
            refusals = (401, 403, 429, *((421,) if local_only else ()), 503)
            refused = {str(status): told for status, told in errors.problems(*refusals).items()}
            for context in routes_of(app):
                need = declared(context)
                for method in context.methods or ():
                    operation = schema["paths"].get(context.path_format, {}).get(method.lower())
                    if operation is None or need is None:
                        continue
                    if need.permission is None:
                        operation["security"] = []
                        continue
                    # OpenAPI 3.1 has roles named here for schemes that know no scopes.
                    roles = [role.value for role in Role if need.permission in MAY[role]]
                    operation["security"] = [{"key": roles}, {"session": roles}]
                    operation["responses"].update(refused)
            add_examples(schema)
        return app.openapi_schema or {}

    app.openapi = described  # type: ignore[method-assign]
