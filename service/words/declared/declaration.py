"""The declaration of a code: sentences, subject, whether it blocks verification, metric label and queue group.

A new doubt is a code (in :mod:`vision.findings` or :mod:`service.codes`) and one declaration in this package. The
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
"""Label of a metric: what keeps hands and dice from being verified."""
Group: TypeAlias = Literal["part", "hidden", "table"]
"""Where a round waits for a person: with doubtful readings of hands or of dice, with what was hidden or moved, or with
what was withheld because the camera, the clock, the record or the set was in doubt."""
Style: TypeAlias = Literal["and", "or", "list", "semicolon", "book"]
"""How a parameter is said: several values with ``and`` or ``or`` before the last, with commas or with semicolons; or as
words of a rulebook, which have a catalogue of their own."""
OTHER_WAY: Final = "other_way"
"""What a doubt offers if the low and the high hand may be exchanged."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """Everything that follows from a code.

    Attributes:
        code: of one of the enumerations of codes.
        sentences: in English; the first one whose fields are all among the parameters is said.
        about: the subject.
        blocks: whether something is not verified because of it: its part, or everything on the table.
        cause: label of the metric.
        group: in the queue; None for what no round waits for.
        styles: of parameters, where the usual one of that name does not fit.
        offers: the parameter that names another reading of the part, or ``OTHER_WAY``; otherwise empty.
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
    """Declare what keeps a part, or everything, from being verified."""
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
    """Declare what is said and keeps nothing from being verified; a person may still have to look."""
    return Declaration(code, sentences, about, False, cause, group, styles or {}, offers)  # noqa: FBT003
