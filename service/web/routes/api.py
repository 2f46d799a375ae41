"""The API for people who write programs, made from the OpenAPI document."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, RedirectResponse

from service.access.roles import Permission
from service.api.permissions import requires
from service.api.problems import PROBLEMS
from service.web.templating import PageDep

_REFERENCE = "#/components/schemas/"


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter, or a field of a body.

    Attributes:
        kind: its type in words, such as ``list of text``.
        links: names of the schemas that it consists of.
        text: what it means.
        required: whether it must be sent; of an answer, whether it is always there.
    """

    name: str
    kind: str
    links: tuple[str, ...]
    text: str
    required: bool


@dataclass(frozen=True, slots=True)
class Body:
    """What is sent or answered.

    Attributes:
        media_type: how it is encoded.
        kind: its type in words.
        links: names of the schemas that it consists of.
        example: a real one, as text; empty without one.
    """

    media_type: str
    kind: str
    links: tuple[str, ...]
    example: str


@dataclass(frozen=True, slots=True)
class Operation:
    """One request that can be made.

    Attributes:
        name: its ``operationId``.
        roles: that are allowed to make it; empty if everybody is.
        problems: HTTP statuses with which it is refused.
    """

    name: str
    method: str
    path: str
    summary: str
    text: str
    roles: tuple[str, ...]
    parameters: tuple[Field, ...]
    sent: tuple[Body, ...]
    answered: tuple[Body, ...]
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Operations about one thing."""

    name: str
    text: str
    operations: tuple[Operation, ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """A schema with its fields."""

    name: str
    text: str
    fields: tuple[Field, ...]


def groups_of(document: Mapping[str, Any]) -> tuple[Group, ...]:
    """The operations of an OpenAPI document by tag."""
    found: dict[str, list[Operation]] = {tag["name"]: [] for tag in document["tags"]}
    for path, methods in document["paths"].items():
        for method, described in methods.items():
            found[described["tags"][0]].append(_operation(method.upper(), path, described))
    return tuple(Group(tag["name"], tag["description"], tuple(found[tag["name"]])) for tag in document["tags"])


def shapes_of(document: Mapping[str, Any]) -> tuple[Shape, ...]:
    """The schemas of an OpenAPI document by name."""
    return tuple(
        Shape(name, schema.get("description", ""), tuple(_fields(schema)))
        for name, schema in sorted(document["components"]["schemas"].items())
    )


def _operation(method: str, path: str, described: Mapping[str, Any]) -> Operation:
    answers = described["responses"]
    return Operation(
        name=described["operationId"],
        method=method,
        path=path,
        summary=described["summary"],
        text=described.get("description", ""),
        roles=tuple(described["security"][0]["key"]) if described.get("security") else (),
        parameters=tuple(
            _field(each["name"], each["schema"] | {"description": each["description"]}, required=each.get("required"))
            for each in described.get("parameters", ())
        ),
        sent=tuple(_bodies(described.get("requestBody", {}))),
        answered=tuple(_bodies(next(answer for status, answer in answers.items() if status.startswith("2")))),
        problems=tuple(status for status in answers if int(status) >= 400),
    )


def _bodies(described: Mapping[str, Any]) -> Iterator[Body]:
    for media_type, body in described.get("content", {}).items():
        example = body.get("example", "")
        text = example if isinstance(example, str) else json.dumps(example, indent=2, ensure_ascii=False)
        schema = body.get("schema", {})
        yield Body(media_type, kind_of(schema), tuple(_links(schema)), text)


def _fields(schema: Mapping[str, Any]) -> Iterator[Field]:
    for name, field in schema.get("properties", {}).items():
        yield _field(name, field, required=name in schema.get("required", ()))


def _field(name: str, schema: Mapping[str, Any], *, required: bool | None) -> Field:
    links = tuple(dict.fromkeys(_links(schema)))
    return Field(name, kind_of(schema), links, schema.get("description", ""), bool(required))


def kind_of(schema: Mapping[str, Any]) -> str:
    """The type of a JSON Schema in a few words.

    >>> kind_of({"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]})
    'list of string, or null'
    """
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(_REFERENCE)
    if several := schema.get("anyOf") or schema.get("oneOf"):
        kinds = list(dict.fromkeys(kind_of(one) for one in several))
        return ", or ".join(kinds)
    if "const" in schema or "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema.get("enum", [schema.get("const")]))
    kind = str(schema.get("format") or schema.get("type", "anything"))
    if kind == "array":
        return f"list of {kind_of(schema['items'])}" if "items" in schema else "list"
    return kind


def _links(schema: object) -> Iterator[str]:
    """Names of the schemas that a schema refers to."""
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield str(schema["$ref"]).removeprefix(_REFERENCE)
        for each in schema.values():
            yield from _links(each)
    elif isinstance(schema, list):
        for each in schema:
            yield from _links(each)


router = APIRouter(include_in_schema=False)


@router.get("/docs", dependencies=[requires(Permission.WATCH)])
@router.get("/redoc", dependencies=[requires(Permission.WATCH)])
def find_api() -> RedirectResponse:
    """Where FastAPI has its interactive pages by default, the way to ours."""
    return RedirectResponse("/api", status_code=307)


@router.get("/api", dependencies=[requires(Permission.WATCH)])
def read_api(page: PageDep) -> HTMLResponse:
    """The description of the API, from the document that programs get."""
    document = page.request.app.openapi()
    return page.answer("api.html", groups=groups_of(document), shapes=shapes_of(document), codes=PROBLEMS)
