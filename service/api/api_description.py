"""The API's description (OpenAPI): FastAPI's own, with problems, permissions and examples.

The examples of requests and answers are those of a real service (``api_examples.json``).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from service.access.roles import MAY, UserRole
from service.api.errors import problems
from service.api.field_descriptions import add_field_descriptions
from service.api.permissions import declared, routes_of
from service.api.problem import Problem

if TYPE_CHECKING:
    from fastapi import FastAPI

FILE: Final = Path(__file__).with_name("api_examples.json")

TAGS: Final = {
    "tables": "The table as it is now: state, current round, picture, bank, set of tiles, and news as they come.",
    "record": "Everything recorded: results in order, rounds by day and verdict, revisions, decisions, pictures.",
    "alarms": "What needs a person.",
    "reading": "Reading a picture that you send.",
    "house way": "How a rulebook sets four tiles.",
    "settlement": "What wagers win and lose.",
    "audit": "The measured rate of silent errors.",
    "accounts": "Who may sign in, as the floor says.",
    "health": "Whether the service runs, for monitors.",
    "schemas": "Descriptions for programs.",
}
"""Groups of operations, in the order in which they are shown."""

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


def describe(app: FastAPI, cookie: str, *, local_only: bool, examples: Path | None = FILE) -> None:
    """Put problems, permissions and examples into the description of an application with all its routes.

    `cookie` is the page's; `local_only` says that requests not addressed to this machine are refused; `examples` is the
    file of those that there are.
    """
    plain = app.openapi

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            schema = plain()
            _add_components(schema.setdefault("components", {}), cookie)
            add_field_descriptions(schema["components"]["schemas"])
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
    """Say each operation's summary and description from its docstring once, and list only the groups that there are."""
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
