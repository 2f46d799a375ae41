"""The JSON Schema of a table's settings, for editors and for tools that write them."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any, get_args

from pydantic import BaseModel

from service.config.settings import Config, sections

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_ATTRIBUTE = re.compile(r"^    (\w+): (.*(?:\n {5,}.*)*)", re.MULTILINE)


def config_schema() -> dict[str, Any]:
    """The schema of the settings as a TOML file has them; keys are described in the words of the models."""
    schema = Config.model_json_schema()
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "Houseway table settings"}
    for kind in _with_those_within(sections().values()):
        told = schema["$defs"][kind.__name__]
        told["description"] = _first_line(kind)
        for name, words in described(kind).items():
            told["properties"][name]["description"] = words
    return schema


def described(kind: type[BaseModel]) -> dict[str, str]:
    """What each key of a section is, from the section's docstring.

    >>> from service.config.table_settings import RoundsConfig
    >>> described(RoundsConfig)["keep"]
    'rounds kept in memory; older ones are forgotten.'
    """
    told: dict[str, str] = {}
    for each in reversed(kind.__mro__):
        _, _, attributes = inspect.cleandoc(vars(each).get("__doc__") or "").partition("Attributes:\n")
        known = _ATTRIBUTE.findall(attributes)
        told |= {name: " ".join(words.replace("``", "").split()) for name, words in known if name in kind.model_fields}
    return told


def _with_those_within(kinds: Iterable[type[BaseModel]]) -> Iterator[type[BaseModel]]:
    """Models, and those that their fields hold, such as the shifts of a page."""
    for kind in kinds:
        yield kind
        annotations = [field.annotation for field in kind.model_fields.values()]
        within = [each for one in annotations for each in (one, *get_args(one))]
        yield from _with_those_within(each for each in within if isinstance(each, type) and issubclass(each, BaseModel))


def _first_line(kind: type[BaseModel]) -> str:
    return (inspect.getdoc(kind) or "").partition("\n")[0]
