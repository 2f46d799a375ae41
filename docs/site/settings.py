"""The page of all settings, from their JSON Schema."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from docs.site.markdown import anchor, code, plain, table
from service.config.config_schema import config_schema
from service.config.settings import SECRETS

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEAD = """\
# Settings

Every key of a settings file, by its section. `docs/configuration.md` explains how they are read and checked;
`config/example.toml` has all of them with their defaults. `houseway config check FILE` checks a file, and
`houseway config schema` prints the JSON Schema that this page is made from.
"""
_BOUNDS: Final = {
    "minimum": "from {}",
    "exclusiveMinimum": "above {}",
    "maximum": "to {}",
    "exclusiveMaximum": "below {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {}",
    "maxItems": "at most {}",
    "pattern": "like `{}`",
}


def settings_page() -> Iterator[str]:
    """Yield the lines of the page: every section with every key, its type, default, range and meaning."""
    yield _HEAD
    schema = config_schema()
    yield from _sections(schema, schema, "")


def _sections(schema: dict[str, Any], kind: dict[str, Any], above: str) -> Iterator[str]:
    for name, told in kind["properties"].items():
        section, many = _section(schema, told)
        if section is None:
            continue
        path = f"{above}{name}"
        heading = f"[[{path}]]" if many else f"[{path}]"
        yield from (anchor(f"setting {path}"), f"## {code(heading)}\n", plain(section["description"]), "")
        wanted = section.get("required", ())
        rows = [
            (code(key), _type(schema, each), _default(each, required=key in wanted), plain(each["description"]))
            for key, each in section["properties"].items()
        ]
        yield from table(("key", "value", "default", "meaning"), rows)
        for key in section["properties"]:
            if (variable := SECRETS.get((path, key))) is not None:
                yield f"`{path}.{key}` may also come from the environment variable `{variable}`.\n"
        yield from _sections(schema, section, f"{path}.")


def _section(schema: dict[str, Any], told: dict[str, Any]) -> tuple[dict[str, Any] | None, bool]:
    """The section that a key stands for, if it is one, and whether it may come more than once."""
    for one in (told, *told.get("anyOf", ())):
        if "$ref" in one:
            kind = _resolved(schema, one)
            return (kind, False) if "properties" in kind else (None, False)
        if one.get("type") == "array" and "$ref" in one.get("items", {}):
            kind = _resolved(schema, one["items"])
            return (kind, True) if "properties" in kind else (None, False)
    return None, False


def _resolved(schema: dict[str, Any], told: dict[str, Any]) -> dict[str, Any]:
    kind: dict[str, Any] = schema["$defs"][told["$ref"].rpartition("/")[2]] if "$ref" in told else told
    return kind


def _type(schema: dict[str, Any], told: dict[str, Any]) -> str:
    """The type of a value in words, with what it may be."""
    told = _resolved(schema, told)
    if "anyOf" in told:
        return " or ".join(_type(schema, one) for one in told["anyOf"] if one.get("type") != "null")
    if "const" in told:
        return code(json.dumps(told["const"]))
    if "enum" in told:
        return ", ".join(code(json.dumps(one)) for one in told["enum"])
    bounds = ", ".join(words.format(told[name]) for name, words in _BOUNDS.items() if name in told)
    if told.get("type") == "array":
        items = told.get("prefixItems") or [told.get("items", {})]
        of = "table" if "$ref" in items[0] and "properties" in _resolved(schema, items[0]) else _type(schema, items[0])
        many = f"{len(items)} times " if "prefixItems" in told else ""
        return f"list of {many}{of}" + ("" if many or not bounds else f" ({bounds})")
    name = {"path": "path", "time": "time of day"}.get(told.get("format", ""), told.get("type", "table"))
    words = {"string": "text", "integer": "whole number", "boolean": "true or false", "object": "table"}.get(name, name)
    return f"{words} {bounds}".rstrip() if told.get("type") in {"integer", "number"} else _with(words, bounds)


def _with(words: str, bounds: str) -> str:
    return f"{words} ({bounds})" if bounds else words


def _default(told: dict[str, Any], *, required: bool) -> str:
    if required:
        return "must be given"
    value = told.get("default")
    return "none" if value is None else code(json.dumps(value))
