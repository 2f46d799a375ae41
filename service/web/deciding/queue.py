"""The queue of rounds that wait for a person, grouped by what is behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from service.rounds.reports import DICE
from service.web.deciding.questions import questions
from service.words.declared.all_codes import declaration_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from service.rounds.reports import RoundReport
    from service.web.deciding.questions import Question

CAUSES: Final = ("dice", "hands", "hidden", "procedure", "table")
"""Doubtful dice, doubtful tiles, tiles that were hidden or moved, rounds that were also not dealt by the book, and what
was withheld because the camera, the clock, the record or the set was not well."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A round in one group, with the name of its table and the questions that belong to the group's cause."""

    table: str
    played: RoundReport
    asked: tuple[Question, ...]

    def close_up(self, question: Question) -> str | None:
        """The picture of what a question is about."""
        named = (one.sha256 for one in self.played.evidence if one.role == "close_up" and one.place == question.place)
        return next(named, None)

    def tick(self, is_kept: Callable[[str, str], bool]) -> str | None:
        """What a form sends to confirm this as it was read; None where something cannot be seen or was not read."""
        pictures = [self.close_up(each) for each in self.asked]
        if not all(each.confirmable for each in self.asked) or not all(
            one and is_kept(self.table, one) for one in pictures
        ):
            return None
        return " ".join((self.table, self.played.id, str(self.played.revision), *(each.part for each in self.asked)))


@dataclass(frozen=True, slots=True)
class Group:
    """All that waits for one cause, newest first."""

    cause: str
    waiting: tuple[Waiting, ...]

    @property
    def oldest(self) -> datetime:
        """When the round began that waits longest."""
        return min(each.played.opened_at for each in self.waiting)


def groups_of(waiting: Iterable[tuple[str, RoundReport]]) -> tuple[Group, ...]:
    """Waiting rounds, each after the name of its table, by cause; without empty groups."""
    found: dict[str, list[Waiting]] = {cause: [] for cause in CAUSES}
    for table, played in waiting:
        by_cause: dict[str, list[Question]] = {}
        for each in questions(played):
            by_cause.setdefault(_cause(played, each), []).append(each)
        for cause, asked in by_cause.items():
            found[cause].append(Waiting(table, played, tuple(asked)))
    return tuple(Group(cause, tuple(of_it)) for cause, of_it in found.items() if of_it)


def _cause(played: RoundReport, question: Question) -> str:
    if any(found.rule for found in played.findings) and question.place != DICE:
        return "procedure"
    groups = {declaration.group for doubt in question.why if (declaration := declaration_of(doubt.code)) is not None}
    if "hidden" in groups:
        return "hidden"
    if "table" in groups:
        return "table"
    return "dice" if question.place == DICE else "hands"
