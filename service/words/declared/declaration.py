"""The declaration of a code: sentences, subject, whether it blocks verification, metric label and queue group.

A new doubt is a code (in :mod:`vision.findings` or :mod:`service.words.codes`) and one declaration in this package. The
sentences of pages and of the API, the metrics, the queue of rounds under review and the readings that a reviewer is
offered come from it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping
    from enum import StrEnum

About: TypeAlias = Literal[
    # On the table; a part is a tile or a die
    "tile",
    "die",
    "part",
    "marker",
    "hand",
    "throw",
    "bank",
    "round",
    "set",
    "table",
    # What watches it
    "picture",
    "camera",
    "source",
    "calibration",
    # The service
    "record",
    "audit",
    "clock",
    "program",
    "alarms",
    "subscriber",
    "witness",
    "computer",
]
Cause: TypeAlias = Literal[
    "detector",
    "classifier",
    "second_reader",
    "set",
    "tiles",
    "glare",
    "crossed",
    "size",
    "outside",
    "leaning",
    "no_calibration",
    "lay",
    "time",
    "health",
    "picture",
    "covered",
    "light",
    "focus",
    "frozen",
    "camera",
    "not_recorded",
    "self_test",
    "clock",
    "other",
]
"""Metric label: what prevents the verification of hands and dice."""
Group: TypeAlias = Literal["part", "hidden", "table"]
"""Group of a round in the review queue: uncertain readings of hands or dice; hidden or moved parts; or results withheld
because of camera, clock, record or set."""
Style: TypeAlias = Literal["and", "or", "list", "semicolon", "book", "signed"]
"""How a parameter is written: several values with ``and`` or ``or`` before the last, with commas or with semicolons; as
words of a rulebook, which have a catalogue of their own; or as a whole number with a plus or minus sign."""
OTHER_WAY: Final = "other_way"
"""Offer of a doubt whether low and high hand are exchanged."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """Everything that follows from a code.

    Attributes:
        code: of one of the enumerations of codes.
        sentences: in English; the first one whose fields are all among the parameters is used.
        about: the subject.
        blocks: whether it prevents verification, of its part or of everything on the table.
        cause: metric label.
        group: in the review queue; None if it never needs review.
        styles: of parameters that differ from the default style of their name.
        offers: the parameter with another reading of the part, or ``OTHER_WAY``; empty for no offer.
    """

    code: StrEnum
    sentences: tuple[str, ...]
    about: About
    blocks: bool
    cause: Cause = "other"
    group: Group | None = None
    styles: Mapping[str, Style] = field(default_factory=dict)
    offers: str = ""


def doubt(
    code: StrEnum,
    *sentences: str,
    about: About,
    cause: Cause,
    group: Group = "part",
    styles: Mapping[str, Style] | None = None,
    offers: str = "",
) -> Declaration:
    """Declare a code that prevents the verification of a part, or of everything."""
    return Declaration(code, sentences, about, True, cause, group, styles or {}, offers)  # noqa: FBT003


def note(
    code: StrEnum,
    *sentences: str,
    about: About,
    cause: Cause = "other",
    group: Group | None = None,
    styles: Mapping[str, Style] | None = None,
    offers: str = "",
) -> Declaration:
    """Declare a code that does not prevent verification; it may still need review."""
    return Declaration(code, sentences, about, False, cause, group, styles or {}, offers)  # noqa: FBT003
