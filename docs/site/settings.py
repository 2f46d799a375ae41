"""The page of all settings, from their JSON Schema."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from docs.site.markdown import anchor, code, plain, table
from service.system.settings import SECRETS, config_schema

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEAD = """\
# Settings

Every key of a settings file, by its section. `docs/configuration.md` explains how they are read and checked;
`config/example.toml` has all of them with their defaults. `houseway config check FILE` checks a file, and
`GET /v1/schema/config` gives the JSON Schema that this page is made from.
"""


_NAMES: Final = {
    "string": "text",
    "integer": "whole number",
    "boolean": "true or false",
    "object": "table",
    "path": "path",
    "time": "time of day",
}


def settings_page() -> Iterator[str]:
    """Yield the lines of the page: every section with every key, its type, default, range and meaning."""
    yield _HEAD
    schema = config_schema()
    yield from _sections(schema, schema, "")


def _sections(schema: dict[str, Any], kind: dict[str, Any], above: str) -> Iterator[str]:
    for name, told in kind["properties"].items():
        path = f"{above}{name}"
        for place, (section, many) in enumerate(_kinds(schema, told)):
            heading = f"[[{path}]]" if many else f"[{path}]"
            wanted = section.get("required", ())
            # Of several kinds of one section, all but the first are named by what they need.
            apart = f" with {wanted[-1]}" if place else ""
            yield from (
                anchor(f"setting {path}{apart}"),
                f"## {code(heading + apart)}\n",
                plain(section["description"]),
                "",
            )
            rows = [
                (code(key), _type(schema, each), _default(each, required=key in wanted), plain(each["description"]))
                for key, each in section["properties"].items()
            ]
            yield from table(("key", "value", "default", "meaning"), rows)
            for key in section["properties"]:
                if not place and (variable := SECRETS.get((*path.split("."), key))) is not None:
                    yield f"`{path}.{key}` may also come from the environment variable `{variable}`.\n"
            yield from _sections(schema, section, f"{path}.")


def _kinds(schema: dict[str, Any], told: dict[str, Any]) -> Iterator[tuple[dict[str, Any], bool]]:
    """The kinds of section that a key stands for, none if it is no section; each with whether it may come often."""
    for one in (told, *told.get("anyOf", ())):
        each = one.get("items", {}) if (many := one.get("type") == "array") else one
        for kind in (each, *each.get("oneOf", ())):
            if "$ref" in kind and "properties" in (section := _resolved(schema, kind)):
                yield section, many


def _resolved(schema: dict[str, Any], told: dict[str, Any]) -> dict[str, Any]:
    kind: dict[str, Any] = schema["$defs"][told["$ref"].rpartition("/")[2]] if "$ref" in told else told
    return kind


def _type(schema: dict[str, Any], told: dict[str, Any]) -> str:
    """The type of a value in words, with what it may be.

    >>> _type({}, {"type": "integer", "minimum": 0, "maximum": 63})
    'whole number, 0 to 63'
    >>> _type({}, {"type": "array", "items": {"type": "string"}, "maxItems": 5})
    'list of text, at most 5'
    """
    told = _resolved(schema, told)
    if "anyOf" in told:
        return " or ".join(_type(schema, one) for one in told["anyOf"] if one.get("type") != "null")
    if "enum" in told or "const" in told:
        return ", ".join(code(json.dumps(one)) for one in told.get("enum", [told.get("const")]))
    if told.get("type") == "array":
        fixed = [_type(schema, one) for one in told.get("prefixItems", ())]
        if fixed:
            return f"list of {len(fixed)}: {' / '.join(dict.fromkeys(fixed))}"
        return ", ".join(filter(None, (f"list of {_type(schema, told['items'])}", _length(told, "Items", ""))))
    if "properties" in told:
        return "table"
    name = _NAMES.get(told.get("format", ""), _NAMES.get(told["type"], told["type"]))
    return ", ".join(filter(None, (name, _length(told, "Length", " characters"), _range(told))))


def _range(told: dict[str, Any]) -> str:
    """The range of a number, such as ``0 to 63`` or ``above 0``."""
    least, most = told.get("minimum"), told.get("maximum")
    above, below = told.get("exclusiveMinimum"), told.get("exclusiveMaximum")
    if least is not None and most is not None:
        return f"{_number(least)} to {_number(most)}"
    words = (("at least", least), ("above", above), ("at most", most), ("below", below))
    return ", ".join(f"{word} {_number(number)}" for word, number in words if number is not None)


def _number(number: float) -> str:
    return f"{int(number):,}" if number == int(number) else f"{number:g}"


def _length(told: dict[str, Any], of: str, unit: str) -> str:
    least, most = told.get(f"min{of}"), told.get(f"max{of}")
    if "prefixItems" in told or (least is None and most is None):
        return ""
    if least is not None and most is not None:
        return f"{least} to {most}{unit}"
    return f"at most {most}{unit}" if least is None else f"at least {least}{unit}"


def _default(told: dict[str, Any], *, required: bool) -> str:
    if required:
        return "must be given"
    value = told.get("default")
    if isinstance(value, dict):
        return "its own defaults"
    return "none" if value is None else code(json.dumps(value))
