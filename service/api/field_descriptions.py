"""What each field of the API means: of the class that has it where that says so, else of all fields of its name.

A class says it under ``Attributes:`` in its docstring, where who reads the code looks too; what means the same wherever
it occurs stands here once.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from service.rounds import served

if TYPE_CHECKING:
    from collections.abc import Iterator

EVERYWHERE: Final[dict[str, str]] = {
    "action": "`confirm` what was read, or `correct` it",
    "angle_deg": "how it is turned on the table, in degrees",
    "at": "when, UTC",
    "balances": "by account, what it has won or lost in all, in the smallest unit",
    "bet": "what is wagered on: `main`, `bonus`, `tie`, `big` or `small`",
    "box": "number of the box, as the felt has it",
    "by": "on whose word; null where nobody said so",
    "center": "its middle in the picture, x and y in pixels",
    "center_mm": "its middle on the table, x and y in millimetres; null without a calibration",
    "commission": "commission taken, in the smallest unit",
    "confidence": "how sure the networks were, 0 to 1",
    "dice": "the dice, in the order in which they were found",
    "doubts": "the same as `reasons`, as values and in that order",
    "explanation": "the decision in words",
    "findings": "what else a person should know",
    "hands": "the hands, by place",
    "high": "the two tiles of the high hand, by their faces",
    "house_way": "id of the House Way that hands are judged by",
    "low": "the two tiles of the low hand, by their faces",
    "message": "the same in words, for people",
    "ok": "whether it is well",
    "option": "id of the pay table, as the rulebook names it",
    "place": "where it lies: `house`, `box1` to `box8`, or `hand1` and on without a calibration; null if not known",
    "player": "name of the player",
    "players": "names of those who hold the bank; none where the House does",
    "polygon": "the corners of its outline in the picture, x and y in pixels",
    "postings": "every movement of chips, each as its two sides",
    "read": "what had been read before; null where nothing was",
    "reason": "why",
    "reasons": "what is in doubt, or why, in English for people; decide by codes",
    "returned": "given back, in the smallest unit",
    "round": "id of the round",
    "rule": "citation of the rule; null where there is none",
    "rulebook": "id of the rulebook",
    "rulebook_version": "its version in force when the round began",
    "size": "width and height in pixels",
    "source": "`camera` if it was seen, `http` if somebody said so",
    "status": "`verified`, `confirmed` by a person, or `uncertain`",
    "table": "name of the table",
    "versions": "of all that made this: models, libraries, settings, calibration, rulebook",
}
"""Names that mean the same in every schema, or need no more than this."""

_LISTED: Final = re.compile(r"^(?P<indent> *)(?P<name>\w+): (?P<text>.*(?:\n(?P=indent) +\S.*)*)", re.MULTILINE)


def add_field_descriptions(schemas: dict[str, dict[str, Any]]) -> None:
    """Give each property of JSON Schemas its description, and take the lists out of the schemas' own."""
    for title, schema in schemas.items():
        text, _, listed = schema.get("description", "").partition("Attributes:")
        said = {
            found["name"]: " ".join(found["text"].split())
            for each in (*_inherited(title), listed)
            for found in _LISTED.finditer(each)
        }
        if text:
            schema["description"] = _plain(text.strip())
        for name, field in schema.get("properties", {}).items():
            known = field.get("description") or said.get(name) or EVERYWHERE.get(name)
            if known is not None:
                field["description"] = _plain(known)


def _inherited(title: str) -> Iterator[str]:
    """What the classes say that a served shape adds sentences to, the most general first."""
    for base in reversed(getattr(served, title, object).__mro__[1:]):
        yield (base.__doc__ or "").partition("Attributes:")[2]


def _plain(text: str) -> str:
    """Docstrings write code in two back quotes, Markdown in one."""
    return text.replace("``", "`")
