"""Build the application: its middleware, routes, static files and error pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles

from service import __version__
from service.api import error_handlers
from service.api.api_description import TAGS, describe
from service.api.authentication import Authentication
from service.api.middleware import BodyLimit, HeadAsGet, OneHost, RequestLog, SecurityHeaders, UnderPath
from service.api.permissions import public_paths
from service.web.rendering import WEB
from service.web.templating import problem_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path
    from types import ModuleType
    from typing import Any

    from service.api.parts import Parts


def new_application(
    title: str, summary: str, lifespan: Callable[[FastAPI], AbstractAsyncContextManager[None]]
) -> FastAPI:
    """An application without a route."""
    return FastAPI(
        title=title,
        version=__version__,
        summary=summary,
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        # The interactive pages load scripts from elsewhere. The description is a route of our own, which needs what the
        # others need.
        openapi_url=None,
        openapi_tags=[{"name": name, "description": text} for name, text in TAGS.items()],
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )


def put_together(
    app: FastAPI,
    parts: Parts,
    modules: Iterable[ModuleType],
    around: Callable[[Any], dict[str, object]],
    examples: Path | None,
) -> None:
    """Give an application its parts, routes and middleware.

    Args:
        app: the application.
        parts: its parts, which routes are handed.
        modules: each with a router.
        around: returns the values that the frame of every page needs for a signed-in person.
        examples: file of the examples of requests and answers; None without examples.
    """
    app.state.parts, app.state.around = parts, around
    error_handlers.install(app, problem_page)
    for routes in modules:
        # Not include_router, which builds each route again for this application.
        app.router.routes.extend(routes.router.routes)
    app.mount("/static", StaticFiles(directory=WEB / "static"), name="static")
    server, cookie = parts.config.server, parts.cookie
    local_only = server.local_only and not server.trusted_proxies
    app.add_middleware(BodyLimit, max_bytes=server.max_upload_mb * 1_000_000, max_s=server.max_upload_s)
    app.add_middleware(
        Authentication,
        access=parts.access,
        cookie=cookie,
        public_paths=public_paths(app),
        local_only=local_only,
        page=problem_page,
    )
    app.add_middleware(OneHost)
    app.add_middleware(SecurityHeaders)
    app.add_middleware(RequestLog, metrics=parts.metrics)
    app.add_middleware(HeadAsGet)
    if server.path:
        app.add_middleware(UnderPath, path=server.path)
    describe(app, cookie, local_only=local_only, examples=examples)
