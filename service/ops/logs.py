"""Logs to standard error: lines of text, or one JSON object a line; never a secret.

Each request has an id, which its response carries as ``X-Request-Id`` and every log line of it as ``request``; lines of
the reading thread carry the ``round`` they are about.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import threading
import time
import uuid
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from starlette.datastructures import Headers, MutableHeaders

if TYPE_CHECKING:
    from collections.abc import Collection

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from service.config.service_settings import LogConfig
    from service.ops.metrics import ServerMetrics

REQUEST_ID_HEADER: Final = "X-Request-Id"
request_id: ContextVar[str | None] = ContextVar("request_id", default=None)
round_id: ContextVar[str | None] = ContextVar("round_id", default=None)

_GIVEN_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_QUIET = frozenset({"/healthz", "/metrics", "/static"})
_PLAIN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
_PASSWORD = re.compile(r"(?<=://)[^/\s:@]*:[^/\s@]+(?=@)")

_OURS: Final = ("engine", "calibration", "vision", "datasets", "rereading", "service")

_log = logging.getLogger(__name__)


class _Hiding(logging.Formatter):
    """Removes secrets from all output, tracebacks included."""

    def __init__(self, secrets: Collection[str]) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._secrets = tuple(sorted((secret for secret in secrets if secret), key=len, reverse=True))

    def hidden(self, text: str) -> str:
        """Return the text without secrets and without passwords in URLs."""
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return _PASSWORD.sub("***", text)


class TextFormatter(_Hiding):
    """Formats a line of text, followed by its ids."""

    def format(self, record: logging.LogRecord) -> str:
        about = "".join(f" [{name} {value}]" for name, value in _about().items())
        return self.hidden(super().format(record) + about)


class JsonFormatter(_Hiding):
    """Formats one JSON object a line: time, level, logger, message, ids, and everything in ``extra``."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **_about(),
            **{name: value for name, value in vars(record).items() if name not in _PLAIN},
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(self._hidden_in(json.loads(json.dumps(line, default=str))))

    def _hidden_in(self, value: Any) -> Any:  # noqa: ANN401  any JSON value
        if isinstance(value, dict):
            return {self.hidden(name): self._hidden_in(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [self._hidden_in(inner) for inner in value]
        return self.hidden(value) if isinstance(value, str) else value


def _about() -> dict[str, str]:
    ids = {"request": request_id.get(), "round": round_id.get()}
    return {name: value for name, value in ids.items() if value is not None}


def configure_logging(settings: LogConfig, secrets: Collection[str] = ()) -> None:
    """Make all loggers write to standard error, without these secrets."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter((JsonFormatter if settings.format == "json" else TextFormatter)(secrets))
    level = logging.getLevelNamesMapping()[settings.level.upper()]
    # Libraries log their arguments, such as addresses with keys: only their warnings and errors are written.
    logging.basicConfig(level=max(level, logging.WARNING), handlers=[handler], force=True)
    for ours in _OURS:
        logging.getLogger(ours).setLevel(level)
    logging.captureWarnings(capture=True)
    threading.excepthook = _log_thread_exception


def _log_thread_exception(ended: threading.ExceptHookArgs) -> None:
    """Log an exception that ended a thread, instead of Python's own text on standard error."""
    if ended.exc_type is not SystemExit:
        name = "" if ended.thread is None else ended.thread.name
        _log.error("thread %s ended", name, exc_info=ended.exc_value)


class RequestLog:
    """ASGI middleware that gives each request an id, counts its response and logs one line.

    The line names the route template, since the path may contain a secret, such as a sign-in link.
    """

    def __init__(self, app: ASGIApp, metrics: ServerMetrics) -> None:
        self.app = app
        self.metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Use the client's request id if it is valid, or make one."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        given = Headers(scope=scope).get(REQUEST_ID_HEADER, "")
        current = given if _GIVEN_ID.fullmatch(given) else uuid.uuid4().hex
        reset = request_id.set(current)
        started, status = time.perf_counter(), 500

        async def with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[REQUEST_ID_HEADER] = current
            await send(message)

        try:
            await self.app(scope, receive, with_id)
        finally:
            route = _route_of(scope)
            self.metrics.requests.labels(_method_of(scope), route, status).inc()
            spent_ms = round((time.perf_counter() - started) * 1e3, 1)
            line = {"method": _method_of(scope), "route": route, "status": status, "spent_ms": spent_ms}
            level = logging.DEBUG if route in _QUIET else logging.INFO
            _log.log(level, "%s %s %s in %s ms", *line.values(), extra=line)
            request_id.reset(reset)


def _method_of(scope: Scope) -> str:
    """Return the method, or ``other``: clients may send any word, which must not become a label."""
    method = str(scope["method"])
    return method if method in {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} else "other"


def _route_of(scope: Scope) -> str:
    if scope["path"].startswith("/static/"):
        return "/static"
    return str(getattr(scope.get("route"), "path", None) or "none")
