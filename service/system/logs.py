"""Logs to standard error: lines of text, or one JSON object a line; never a secret.

Each request has an id, which its response carries as ``X-Request-Id`` and every log line of it as ``request``; lines of
the reading thread carry the ``round`` they are about.
"""

from __future__ import annotations

import json
import logging
import math
import re
import sys
import threading
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, TextIO

if TYPE_CHECKING:
    from collections.abc import Collection

    from service.system.service_settings import LogConfig

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)
round_id: ContextVar[str | None] = ContextVar("round_id", default=None)

_PLAIN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
_PASSWORD = re.compile(r"(?<=://)[^/\s:@]*:[^/\s@]+(?=@)")

_OURS: Final = ("engine", "calibration", "vision", "datasets", "rereading", "service")

REQUESTS: Final = "service.requests"
"""The logger of a line for each request."""
FOLDED_S: Final = 10.0
"""A message that comes again within this time after it was written is counted."""

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


@dataclass(slots=True)
class _Repeated:
    """A message that was written, and how often it came again since."""

    since_s: float
    count: int = 0
    last: logging.LogRecord | None = None


class FoldingHandler(logging.StreamHandler[TextIO]):
    """Writes to standard error; what repeats within ``FOLDED_S`` is one line with a count."""

    def __init__(self) -> None:
        super().__init__(sys.stderr)
        self._repeated: dict[tuple[str, int, str], _Repeated] = {}

    def emit(self, record: logging.LogRecord) -> None:
        self._write_counts(record.created)
        key = (record.name, record.levelno, record.getMessage())
        known = self._repeated.get(key)
        if known is None:
            self._repeated[key] = _Repeated(record.created)
            super().emit(record)
        else:
            known.count, known.last = known.count + 1, record

    def close(self) -> None:
        """Write the counts that are left."""
        self._write_counts(math.inf)
        super().close()

    def _write_counts(self, now_s: float) -> None:
        """Write how often messages were repeated whose time is over."""
        while self._repeated:
            oldest = next(iter(self._repeated))
            if 0 <= now_s - self._repeated[oldest].since_s < FOLDED_S:
                break
            one = self._repeated.pop(oldest)
            if one.last is not None:
                again = copy(one.last)
                again.msg, again.args = f"{one.last.getMessage()} (repeated: {one.count})", ()
                again.exc_info = again.exc_text = None
                again.repeated = one.count
                super().emit(again)


def _about() -> dict[str, str]:
    ids = {"request": request_id.get(), "round": round_id.get()}
    return {name: value for name, value in ids.items() if value is not None}


def configure_logging(settings: LogConfig, secrets: Collection[str] = ()) -> None:
    """Make all loggers write to standard error, without these secrets."""
    handler = FoldingHandler()
    handler.setFormatter((JsonFormatter if settings.format == "json" else TextFormatter)(secrets))
    level = logging.getLevelNamesMapping()[settings.level.upper()]
    # Libraries log their arguments, such as addresses with keys: only their warnings and errors are written.
    logging.basicConfig(level=max(level, logging.WARNING), handlers=[handler], force=True)
    for ours in _OURS:
        logging.getLogger(ours).setLevel(level)
    # People at a terminal look for what is unusual; programs that read JSON count requests.
    people = settings.format == "text" and level > logging.DEBUG
    logging.getLogger(REQUESTS).setLevel(max(level, logging.WARNING) if people else level)
    logging.captureWarnings(capture=True)
    threading.excepthook = _log_thread_exception


def _log_thread_exception(ended: threading.ExceptHookArgs) -> None:
    """Log an exception that ended a thread, instead of Python's own text on standard error."""
    if ended.exc_type is not SystemExit:
        name = "" if ended.thread is None else ended.thread.name
        _log.error("thread %s ended", name, exc_info=ended.exc_value)
