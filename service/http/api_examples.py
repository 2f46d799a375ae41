"""Examples for every route of the API description, as a real service answered them (``api_examples.json``)."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

FILE: Final = Path(__file__).with_suffix(".json")

_STREAM: Final = (
    ": Houseway\nretry: 2000\n\n"
    'event: change\ndata: {"table":"test","picture":17,"round":"r1.1","healthy":true}\n\n'
    "event: alarm\nid: MS4zLjhmMDM3ZTJiOWM0ZDVhNjE.2\n"
    'data: {"specversion":"1.0","type":"houseway.alarm.needs_review"}\n\n'
    'event: heartbeat\ndata: {"at":"2026-01-31T23:59:59Z"}\n\n'
)
_PARAMETERS: Final[dict[str, Any]] = {
    "table": "test",
    "round_id": "r1",
    "since": "MS4yLjNiMWY5YzBhN2U1ZDQ4MjY",
    "limit": 50,
    "wait": 60,
    "revision": 1,
    "rulebook": "crown-6.1",
    "house_way": "crown-6.1",
    "if-none-match": '"5d41402abc4b2a76b9719d911017c592"',
    "last-event-id": "MS4zLjhmMDM3ZTJiOWM0ZDVhNjE.2",
}


@cache
def _examples() -> dict[str, dict[str, Any]]:
    read: dict[str, dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return read


def add_examples(schema: dict[str, Any]) -> None:
    """Put an example into every parameter, JSON request and JSON answer of a description, in place."""
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            known = _examples().get(f"{method.upper()} {path}", {})
            for parameter in operation.get("parameters", ()):
                if parameter["name"] in _PARAMETERS:
                    parameter.setdefault("example", _PARAMETERS[parameter["name"]])
            sent = operation.get("requestBody", {}).get("content", {}).get("application/json")
            if sent is not None and "request" in known:
                sent["example"] = known["request"]
            content = operation["responses"].get("200", {}).get("content", {})
            if "application/json" in content and "response" in known:
                content["application/json"]["example"] = known["response"]
            if "text/event-stream" in content:
                content["text/event-stream"]["example"] = _STREAM
