"""The page of all HTTP requests, from the OpenAPI description that the service serves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from docs.site.markdown import anchor, code, plain, slug, table

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEAD = """\
# HTTP requests

Every request that a program may send. `docs/integrators.md` says how to start, `docs/accounts.md` what each role may
do. The page is made from the OpenAPI description that the service serves at `/openapi.json`, which also has an example
of every request and answer.
"""
_METHODS: Final = ("get", "post", "put", "patch", "delete")


def requests_page(described: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of the page: requests with parameters, bodies and answers, problem codes, then all objects."""
    yield _HEAD
    yield "## Requests\n"
    for path, operations in described["paths"].items():
        for method in _METHODS:
            if method in operations:
                yield from _request(f"{method.upper()} {path}", operations[method])
    schemas = described["components"]["schemas"]
    yield from _problem_codes(schemas)
    yield "## Objects\n"
    for name, schema in sorted(schemas.items()):
        yield from _object(name, schema)


def _request(name: str, operation: dict[str, Any]) -> Iterator[str]:
    yield from (anchor(f"request {name}"), f"### {code(name)}\n")
    yield from (operation.get("description") or operation["summary"], "")
    roles = dict.fromkeys(role for way in operation.get("security", ()) for each in way.values() for role in each)
    yield f"Roles that may send it: {', '.join(map(code, roles)) if roles else 'none is needed'}.\n"
    parameters = operation.get("parameters", ())
    if parameters:
        rows = [
            (code(each["name"]), each["in"], _type(each["schema"]), plain(_meaning(each) or _meaning(each["schema"])))
            for each in parameters
        ]
        yield from table(("parameter", "in", "type", "meaning"), rows)
    for media, body in operation.get("requestBody", {}).get("content", {}).items():
        yield f"Body {code(media)}: {_type(body.get('schema', {}))}\n"
        yield from _fields(body.get("schema", {}))
    answers = [
        (code(status), ", ".join(_answer(media, one) for media, one in told.get("content", {}).items()), _words(told))
        for status, told in operation["responses"].items()
    ]
    yield from table(("status", "answer", "meaning"), answers)


def _answer(media: str, told: dict[str, Any]) -> str:
    return _type(told["schema"]) if told.get("schema") else code(media)


def _words(told: dict[str, Any]) -> str:
    return plain(told.get("description", ""))


def _problem_codes(schemas: dict[str, Any]) -> Iterator[str]:
    """The codes of problems, if the description lists them."""
    told = schemas.get("Problem", {}).get("properties", {}).get("code", {})
    if "$ref" in told:
        told = schemas[told["$ref"].rpartition("/")[2]]
    if "enum" in told:
        yield from ("(problem-codes)=", "## Problem codes\n")
        yield from table(("code",), [(code(one),) for one in told["enum"]])


def _object(name: str, schema: dict[str, Any]) -> Iterator[str]:
    yield from (anchor(f"object {name}"), f"### {code(_short(name))}\n")
    if words := schema.get("description"):
        yield from (words, "")
    if "enum" in schema:
        yield from (f"One of {', '.join(code(str(one)) for one in schema['enum'])}.", "")
    yield from _fields(schema)


def _fields(schema: dict[str, Any]) -> Iterator[str]:
    if "properties" in schema:
        rows = [(code(field), _type(told), plain(_meaning(told))) for field, told in schema["properties"].items()]
        yield from table(("field", "type", "meaning"), rows)


def _short(name: str) -> str:
    """The name of an object without the module that tells it from another one of that name."""
    return name.rpartition("__")[2]


def _meaning(told: dict[str, Any]) -> str:
    return str(told.get("description", ""))


def _type(schema: dict[str, Any]) -> str:  # noqa: PLR0911  one for each way in which a schema says it
    """A type in words, with a link to the object that it is."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{_short(name)}](#{slug(f'object {name}')})"
    for many in ("anyOf", "oneOf"):
        if many in schema:
            return " or ".join(dict.fromkeys(_type(one) for one in schema[many]))
    if "allOf" in schema:
        return " and ".join(_type(one) for one in schema["allOf"])
    if "const" in schema:
        return code(str(schema["const"]))
    if "enum" in schema:
        return ", ".join(code(str(one)) for one in schema["enum"])
    kind = schema.get("type", "anything")
    if kind == "array":
        items = schema.get("prefixItems") or [schema["items"]] if schema.get("prefixItems") or "items" in schema else []
        return f"list of {' and '.join(dict.fromkeys(map(_type, items)))}" if items else "list"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {_type(schema['additionalProperties'])} by name"
    return f"{kind} ({schema['format']})" if "format" in schema else str(kind)
