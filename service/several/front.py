"""The page of all tables of one computer, with what is wrong first; each table's own page is its own service's.

It keeps no accounts and reads no record: each table's service is asked with what the browser or program sent, and says
what it says to them. Who is not signed in is led to the first table that runs, whose sign-in holds at all.
"""

from __future__ import annotations

import json
import math
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, cast

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from service import __version__
from service.access.rate_limits import RateLimiter, client_network
from service.http.conditional import hashed_response
from service.http.middleware import BodyLimit, OneHost, SecurityHeaders
from service.http.problem import problem_response
from service.ops.metrics import ServerMetrics
from service.ops.systemd import supervised
from service.several.asking import Asking, host_name
from service.several.labelled import labelled
from service.several.table_process import ProcessState
from service.web.looks import RANK_HEADER, THEME_COOKIE, THEMES, WEB, remembered, templates_in
from service.words import languages

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from jinja2 import Environment
    from starlette.requests import Request

    from service.config.tables_file import Tables
    from service.several.asking import Answer
    from service.several.supervisor import Supervisor
    from service.several.table_process import TableProcess

_NOT_RUNNING: Final = -1
"""Before every rank that a table gives itself."""
_LARGEST_REQUEST: Final = 10_000


@dataclass(slots=True)
class Front:
    """Answers for all tables.

    Attributes:
        tables: their settings.
        supervisor: runs them.
    """

    tables: Tables
    supervisor: Supervisor
    asking: Asking = field(init=False)
    _counted: RateLimiter = field(init=False)

    def __post_init__(self) -> None:
        """Count who asks."""
        limits = self.tables.config.limits
        self.asking = Asking(self.tables.config.server)
        self._counted = RateLimiter(limits.requests_per_minute / 60, limits.burst)

    def app(self) -> Starlette:
        """The application."""
        made = Starlette(
            routes=[
                Route("/", self._limited(self._page)),
                Route("/tables/{table}", self._limited(self._table)),
                Route("/v1/tables", self._limited(self._list)),
                Route("/metrics", self._limited(self._metrics)),
                Route("/healthz", self._health),
                Route("/theme/{choice}", self._limited(self._theme)),
                Route("/language/{choice}", self._limited(self._language)),
                Mount("/static", StaticFiles(directory=WEB / "static")),
            ],
            middleware=[
                Middleware(SecurityHeaders),
                Middleware(OneHost),
                Middleware(BodyLimit, max_bytes=_LARGEST_REQUEST, max_s=self.tables.config.server.max_upload_s),
            ],
            lifespan=self._lifespan,
        )
        # What a table's server needs of its application.
        made.state.parts = SimpleNamespace(
            config=self.tables.config, metrics=ServerMetrics(), handles=0, stop_waiting=lambda: None
        )
        return made

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        async with self.supervisor.running(), supervised(lambda: None):
            yield
        await self.asking.close()

    def _limited(self, answer: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
        async def limited(request: Request) -> Response:
            client = client_network(request.client.host if request.client else "")
            if wait_s := self._counted.take(client):
                return problem_response(
                    429,
                    f"Too many requests. Try again in {math.ceil(wait_s)} s.",
                    request.url.path,
                    code="too_many_requests",
                    headers={"Retry-After": str(math.ceil(wait_s))},
                )
            return await answer(request)

        return limited

    @property
    def _all(self) -> list[TableProcess]:
        return list(self.supervisor.tables)

    async def _page(self, request: Request) -> Response:
        """Each table in short, with what is wrong first."""
        answers = await self.asking.all(self._all, "/page/summary", request)
        if (elsewhere := self._first_elsewhere(answers, request)) is not None:
            return elsewhere
        tiles = sorted(map(self._tile, self._all, answers), key=lambda tile: cast("int", tile["rank"]))
        return hashed_response(self._render(request, tiles), "text/html", request.headers.get("if-none-match"))

    def _first_elsewhere(self, answers: list[Answer], request: Request) -> Response | None:
        """Where a person goes who is not signed in, or has to do something first."""
        if any(answer.status == 200 for answer in answers):
            return None
        for table, answer in zip(self._all, answers, strict=True):
            if answer.status == 401:
                return RedirectResponse(f"{self._url(table, request)}sign-in?next=/tables", status_code=303)
            if answer.status == 403:
                return RedirectResponse(f"{self._url(table, request)}account", status_code=303)
        if any(answer.status == 421 for answer in answers):
            said = "This service answers only its own machine: open http://localhost."
            return problem_response(421, said, request.url.path, code="unknown_host")
        return None

    def _tile(self, table: TableProcess, answer: Answer) -> dict[str, object]:
        if answer.status == 200:
            return {"html": answer.text, "rank": int(answer.headers.get(RANK_HEADER, "0"))}
        state = "silent" if table.state is ProcessState.RUNNING else table.state.value
        title = table.table.config.table.title if answer.status is None else table.table.name
        return {"name": table.table.name, "title": title, "state": state, "rank": _NOT_RUNNING}

    def _render(self, request: Request, tiles: list[dict[str, object]]) -> str:
        theme = request.cookies.get(THEME_COOKIE, "")
        language = languages.chosen(
            request.cookies.get(languages.COOKIE),
            request.headers.get("accept-language", ""),
            self.tables.config.page.language,
        )
        # Before anybody is known nothing is said of a table but that it does not run.
        template = _environment(language).get_template("tables.html")
        return template.render(
            tiles=tiles, theme=theme if theme in THEMES else "", language=language, languages=languages.LANGUAGES
        )

    async def _table(self, request: Request) -> Response:
        """Lead to a table's own page."""
        named = request.path_params["table"]
        found = next((table for table in self._all if table.table.name == named), None)
        if found is None:
            return problem_response(404, "There is no table of this name here.", request.url.path, code="unknown_table")
        return RedirectResponse(self._url(found, request), status_code=303)

    def _url(self, table: TableProcess, request: Request) -> str:
        return f"{request.url.scheme}://{host_name(request)}:{table.listening.getsockname()[1]}/"

    async def _list(self, request: Request) -> Response:
        """Every table of this computer, as its own service tells, and where that is."""
        told: list[dict[str, Any]] = []
        for table, answer in zip(self._all, await self.asking.all(self._all, "/v1/tables", request), strict=True):
            if answer.status in {401, 403, 421, 429}:
                return _as_answered(answer)
            known = json.loads(answer.text)["tables"][0] if answer.status == 200 else None
            told.append(
                {
                    "name": table.table.name,
                    "url": self._url(table, request),
                    "process": table.state.value,
                    "starts": table.starts,
                    "table": known,
                }
            )
        return JSONResponse({"tables": told})

    async def _metrics(self, request: Request) -> Response:
        """The figures of all tables for Prometheus, each labelled with its table."""
        answers = await self.asking.all(self._all, "/metrics", request)
        refused = next((answer for answer in answers if answer.status not in {None, 200}), None)
        if refused is not None:
            return _as_answered(refused)
        named = [(table.table.name, answer.text) for table, answer in zip(self._all, answers, strict=True)]
        processes = [(table.table.name, table.state is ProcessState.RUNNING, table.starts) for table in self._all]
        return PlainTextResponse(labelled(named, processes), media_type=CONTENT_TYPE_LATEST)

    async def _health(self, _: Request) -> Response:
        return JSONResponse({"status": "ok", "version": __version__})

    async def _theme(self, request: Request) -> Response:
        choice = request.path_params["choice"]
        return remembered(request, THEME_COOKIE, choice if choice in (*THEMES, "device") else None, "/")

    async def _language(self, request: Request) -> Response:
        choice = request.path_params["choice"]
        return remembered(request, languages.COOKIE, choice if choice in languages.LANGUAGES else None, "/")


@cache
def _environment(language: str) -> Environment:
    """The few templates of this page in a language; those of a table's pages know all that a table is."""
    return templates_in(language)


def _as_answered(answer: Answer) -> Response:
    """A table's refusal, handed on."""
    handed = {name: answer.headers[name] for name in ("www-authenticate", "retry-after") if name in answer.headers}
    kind = answer.headers.get("content-type", "application/problem+json")
    return Response(answer.text, status_code=answer.status or 503, headers=handed, media_type=kind)
