"""The API's description (OpenAPI): FastAPI's own, with problems, permissions, examples and field descriptions.

The examples come from a real service (``api_examples.json``). A field is described under ``Attributes:`` of its class,
or in `EVERYWHERE` if its name means the same in every class.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from service.access.roles import MAY, UserRole
from service.api.permissions import declared, routes_of
from service.api.problems import Problem, problems
from service.rounds import served

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastapi import FastAPI

FILE: Final = Path(__file__).with_name("api_examples.json")

TAGS: Final = {
    "tables": "The current state of tables: checks, round, picture, bank, set of tiles, and events.",
    "record": "The record: results in order, search of rounds, revisions, reviews, pictures, checkpoints.",
    "alarms": "Alarms: wrong House hands, rounds that need review, departures from procedure, failing checks.",
    "reading": "Reading of an uploaded picture.",
    "house way": "The House Way of four tiles.",
    "settlement": "Settlement of wagers.",
    "audit": "The measured rate of silent errors.",
    "health": "Health, equipment and metrics, for monitors.",
    "schemas": "Descriptions for programs.",
}
"""Groups of operations, in the order of the description."""

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
    "state": "open",
    "kind": "house_hand_wrong",
    "wait": 60,
    "revision": 1,
    "witnessed": False,
    "month": "2026-01",
    "rulebook": "crown-6.1",
    "house_way": "crown-6.1",
    "if-none-match": '"5d41402abc4b2a76b9719d911017c592"',
    "last-event-id": "MS4zLjhmMDM3ZTJiOWM0ZDVhNjE.2",
}


EVERYWHERE: Final[dict[str, str]] = {
    "action": "`confirm` the reading, `correct` it, or report an `outcome`",
    "angle_deg": "rotation on the table, degrees",
    "at": "time, UTC",
    "balances": "total won or lost by account, in the smallest unit",
    "bet": "the wager: `main`, `bonus`, `tie`, `big` or `small`",
    "box": "number of the box on the felt",
    "by": "the person or key; null if there was none",
    "center": "centre in the picture, x and y in pixels",
    "center_mm": "centre on the table, x and y in millimetres; null without a calibration",
    "commission": "commission taken, in the smallest unit",
    "confidence": "confidence of the networks, 0 to 1",
    "dice": "the dice in order of detection",
    "doubts": "the `reasons` as codes with values, in the same order",
    "explanation": "the decision in English",
    "findings": "further observations",
    "hands": "the hands, by place",
    "high": "faces of the two tiles of the high hand",
    "house_way": "id of the House Way that hands are judged by",
    "low": "faces of the two tiles of the low hand",
    "message": "the same in English, for people",
    "ok": "whether there is no fault",
    "option": "id of the pay table in the rulebook",
    "place": "place: `house`, `box1` to `box8`, or `hand1` and on without a calibration; null if not known",
    "player": "name of the player",
    "players": "names of the players in the bank; empty if the House banks",
    "polygon": "corners of the outline in the picture, x and y in pixels",
    "postings": "movements of chips, each with both sides",
    "read": "the earlier reading; null if there was none",
    "reason": "why",
    "reasons": "the doubts or reasons in English, for people; programs use the codes",
    "returned": "amount returned, in the smallest unit",
    "round": "id of the round",
    "rule": "citation of the rule; null if no rule applies",
    "rulebook": "id of the rulebook",
    "rulebook_version": "version of the rulebook in force when the round opened",
    "size": "width and height in pixels",
    "source": "`camera` if it was seen, `http` if a person entered it",
    "status": "`verified`, `confirmed` by a person, or `uncertain`",
    "table": "name of the table",
    "versions": "versions of models, libraries, settings, calibration and rulebook",
}
"""Descriptions of fields by name, for classes that have none of their own."""

_LISTED: Final = re.compile(r"^(?P<indent> *)(?P<name>\w+): (?P<text>.*(?:\n(?P=indent) +\S.*)*)", re.MULTILINE)


def describe(app: FastAPI, cookie: str, *, local_only: bool, examples: Path | None = FILE) -> None:
    """Add problems, permissions and examples to the description of an application with all its routes.

    `cookie` is the name of the session cookie; `local_only` adds the refusal of requests not addressed to this machine;
    `examples` is the file of examples.
    """
    plain = app.openapi

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            schema = plain()
            _add_components(schema.setdefault("components", {}), cookie)
            _add_field_descriptions(schema["components"]["schemas"])
            _add_names_and_permissions(schema, app, local_only=local_only)
            _add_examples(schema, {} if examples is None else json.loads(examples.read_text(encoding="utf-8")))
            _tidy(schema)
        return app.openapi_schema or {}

    app.openapi = described  # type: ignore[method-assign]


def _add_components(components: dict[str, Any], cookie: str) -> None:
    schemas = components.setdefault("schemas", {})
    problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
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


def _add_names_and_permissions(schema: dict[str, Any], app: FastAPI, *, local_only: bool) -> None:
    refusals = problems(401, 403, 429, *((421,) if local_only else ()), 503)
    refused = {str(status): response for status, response in refusals.items()}
    for context in routes_of(app):
        requirement = declared(context)
        for method in context.methods or ():
            operation = schema["paths"].get(context.path_format, {}).get(method.lower())
            if operation is None:
                continue
            operation["operationId"] = context.name
            if requirement is None:
                continue
            if requirement.permission is None:
                operation["security"] = []
                continue
            # OpenAPI 3.1 has roles named here for schemes that know no scopes.
            roles = [role.value for role in UserRole if requirement.permission in MAY[role]]
            operation["security"] = [{"key": roles}, {"session": roles}]
            operation["responses"].update(refused)


def _add_examples(schema: dict[str, Any], examples: dict[str, Any]) -> None:
    """Put an example into every parameter, JSON request and JSON answer."""
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            known = examples.get(f"{method.upper()} {path}", {})
            for parameter in operation.get("parameters", ()):
                if parameter["name"] in _PARAMETERS and "examples" not in parameter.get("schema", {}):
                    parameter.setdefault("example", _PARAMETERS[parameter["name"]])
            sent = operation.get("requestBody", {}).get("content", {}).get("application/json")
            if sent is not None and "request" in known:
                sent["example"] = known["request"]
            content = operation["responses"].get("200", {}).get("content", {})
            if "application/json" in content and "response" in known:
                content["application/json"]["example"] = known["response"]
            if "text/event-stream" in content:
                # FastAPI describes each event as OpenAPI 3.2 would; in 3.1 a stream is a text.
                content["text/event-stream"] = {"schema": {"type": "string"}, "example": _STREAM}


def _tidy(schema: dict[str, Any]) -> None:
    """Split each docstring into summary and description, and list only groups in use."""
    operations = [operation for methods in schema["paths"].values() for operation in methods.values()]
    for operation in operations:
        first, _, rest = operation.get("description", "").partition("\n\n")
        operation["summary"] = " ".join(first.split())
        if rest:
            operation["description"] = rest
        else:
            operation.pop("description", None)
    used = {tag for operation in operations for tag in operation.get("tags", ())}
    schema["tags"] = [tag for tag in schema["tags"] if tag["name"] in used]


def _add_field_descriptions(schemas: dict[str, dict[str, Any]]) -> None:
    """Move the descriptions of fields from the schemas' texts to the fields."""
    for title, schema in schemas.items():
        text, _, listed = schema.get("description", "").partition("Attributes:")
        described = {
            found["name"]: " ".join(found["text"].split())
            for each in (*_inherited(title), listed)
            for found in _LISTED.finditer(each)
        }
        if text:
            schema["description"] = _plain(text.strip())
        for name, field in schema.get("properties", {}).items():
            known = field.get("description") or described.get(name) or EVERYWHERE.get(name)
            if known is not None:
                field["description"] = _plain(known)


def _inherited(title: str) -> Iterator[str]:
    """The descriptions in the base classes of a served model, the most general first."""
    for base in reversed(getattr(served, title, object).__mro__[1:]):
        yield (base.__doc__ or "").partition("Attributes:")[2]


def _plain(text: str) -> str:
    """Docstrings write code in two back quotes, Markdown in one."""
    return text.replace("``", "`")
