"""The JSON Schema of the settings, for editors and for tools that write them."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any

from service.system.settings import Config, sections

if TYPE_CHECKING:
    from pydantic import BaseModel

_ATTRIBUTE = re.compile(r"^    (\w+): (.*(?:\n {5,}.*)*)", re.MULTILINE)


def config_schema() -> dict[str, Any]:
    """The schema of the settings as a TOML file has them; keys are described in the words of the models."""
    schema = Config.model_json_schema()
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "Houseway settings"}
    for _, kind in sections():
        told = schema["$defs"][kind.__name__]
        told["description"] = _first_line(kind)
        for name, words in described(kind).items():
            told["properties"][kind.model_fields[name].alias or name]["description"] = words
    return schema


def described(kind: type[BaseModel]) -> dict[str, str]:
    """What each key of a section is, from the section's docstring.

    >>> from service.system.table_settings import RoundsConfig
    >>> described(RoundsConfig)["keep"]
    'rounds kept in memory; older ones are forgotten.'
    """
    told: dict[str, str] = {}
    for each in reversed(kind.__mro__):
        _, _, attributes = inspect.cleandoc(vars(each).get("__doc__") or "").partition("Attributes:\n")
        known = _ATTRIBUTE.findall(attributes)
        told |= {name: " ".join(words.replace("``", "").split()) for name, words in known if name in kind.model_fields}
    return told


def _first_line(kind: type[BaseModel]) -> str:
    return (inspect.getdoc(kind) or "").partition("\n")[0]
