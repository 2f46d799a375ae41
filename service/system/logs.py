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
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Collection

    from service.system.service_settings import LogConfig

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)
round_id: ContextVar[str | None] = ContextVar("round_id", default=None)

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
