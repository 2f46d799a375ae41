"""The queue of rounds that wait for a person, grouped by what is behind it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from service.record.results import report_of
from service.record.round_search import LOOKED_AT_ONCE, walk
from service.rounds.reports import DICE
from service.web.deciding.questions import questions
from service.words.declared.all_codes import declaration_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime

    from service.record.store.database_reader import DatabaseReader
    from service.rounds.reports import RoundReport
    from service.web.deciding.questions import Question

CAUSES: Final = ("dice", "hands", "hidden", "procedure", "table")
"""Doubtful dice, doubtful tiles, tiles that were hidden or moved, rounds that were also not dealt by the book, and what
was withheld because the camera, the clock, the record or the set was not well."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A round in one group: what of it is in doubt for that cause; ``table``: its name on a floor."""

    played: RoundReport
    asked: tuple[Question, ...]
    table: str = ""

    def close_up(self, question: Question) -> str | None:
        """The picture of what a question is about."""
        named = (one.sha256 for one in self.played.evidence if one.role == "close_up" and one.place == question.place)
        return next(named, None)

    def tick(self, is_kept: Callable[[str], bool]) -> str | None:
        """What a form sends to confirm this as it was read; None where something cannot be seen or was not read."""
        pictures = [self.close_up(each) for each in self.asked]
        if not all(each.confirmable for each in self.asked) or not all(one and is_kept(one) for one in pictures):
            return None
        named = (self.table,) if self.table else ()
        return " ".join((*named, self.played.id, str(self.played.revision), *(each.part for each in self.asked)))


@dataclass(frozen=True, slots=True)
class Group:
    """All that waits for one cause, newest first."""

    cause: str
    waiting: tuple[Waiting, ...]

    @property
    def oldest(self) -> datetime:
        """When the round began that waits longest."""
        return min(each.played.opened_at for each in self.waiting)


@dataclass(frozen=True, slots=True)
class Queue:
    """What waits.

    Attributes:
        groups: by cause, without empty ones.
        rounds: how many rounds wait, each counted once.
        next: where to look further back, if that was cut short.
        looked_back_to: how far that was.
    """

    groups: tuple[Group, ...]
    rounds: int
    next: int | None = None
    looked_back_to: datetime | None = None


def queue(record: DatabaseReader, table: str, before: int | None = None) -> Queue:
    """What waits among the last rounds, or those before an entry; RecordUnavailableError if they cannot be read."""
    looked = [(seq, report_of(entry)) for seq, entry in islice(walk(record, table, before), LOOKED_AT_ONCE)]
    waiting = [played for _, played in looked if played.status == "needs_review"]
    groups = groups_of(("", played) for played in waiting)
    if len(looked) < LOOKED_AT_ONCE:
        return Queue(groups, len(waiting))
    return Queue(groups, len(waiting), looked[-1][0], looked[-1][1].opened_at)


def groups_of(waiting: Iterable[tuple[str, RoundReport]]) -> tuple[Group, ...]:
    """Rounds that wait by what is behind it, without empty groups; each with the name of its table on a floor."""
    found: dict[str, list[Waiting]] = {cause: [] for cause in CAUSES}
    for table, played in waiting:
        by_cause: dict[str, list[Question]] = {}
        for each in questions(played):
            by_cause.setdefault(_cause(played, each), []).append(each)
        for cause, asked in by_cause.items():
            found[cause].append(Waiting(played, tuple(asked), table))
    return tuple(Group(cause, tuple(of_it)) for cause, of_it in found.items() if of_it)


def next_round(record: DatabaseReader, table: str, round_id: str) -> RoundReport | None:
    """The round of the queue behind one: the next older that waits, or else the newest; None if no other waits."""
    first = record.of_rounds((round_id,))[0].seq
    older = islice(walk(record, table, first), LOOKED_AT_ONCE)
    newest = islice(walk(record, table, None), LOOKED_AT_ONCE)
    found: Iterator[RoundReport] = (report_of(entry) for _, entry in chain(older, newest))
    return next((each for each in found if each.status == "needs_review" and each.id != round_id), None)


def _cause(played: RoundReport, question: Question) -> str:
    if any(found.rule for found in played.findings) and question.place != DICE:
        return "procedure"
    groups = {declaration.group for doubt in question.why if (declaration := declaration_of(doubt.code)) is not None}
    if "hidden" in groups:
        return "hidden"
    if "table" in groups:
        return "table"
    return "dice" if question.place == DICE else "hands"
