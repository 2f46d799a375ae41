"""Whether a release reads as well as what was used before it at the same table, by a simple test.

A round counts once, however many hands it has: what spoils one hand often spoils its neighbours. Fisher's exact test
tells how often chance alone would give so few whole rounds, if nothing had changed. The figures are looked at four
times in the course of the trial, so each look may err a quarter as often (Bonferroni).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING, Final

from service.codes import ReleaseCode
from service.record.results import report_of
from service.release.figures import Figures
from vision.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable

    from service.record.store.database_reader import DatabaseReader
    from service.rounds.reports import HandReport, RoundReport

LOOKS: Final = 4
ERRS: Final = 0.01
"""So often at most a release that is no worse is undone, by each of the two tests."""
FEWEST_ROUNDS: Final = 20
"""Fewer before or with the release tell nothing."""
MUCH_SLOWER: Final = 1.5
_PAGE: Final = 200


@dataclass(frozen=True, slots=True)
class Judged:
    """What a trial came to: whether the release has held, and why that is said."""

    holds: bool
    finding: Finding


@dataclass(frozen=True, slots=True)
class Length:
    """How long a trial lasts: until there were so many hands, and no longer than so many minutes."""

    hands: int
    minutes: float


def chance_of_fewer(before: int, before_of: int, after: int, after_of: int) -> float:
    """How likely ``after`` or fewer of ``after_of`` are, if they are drawn from all (Fisher 1935, one-sided).

    >>> round(chance_of_fewer(3, 4, 1, 4), 4)
    0.2429
    """
    good, all_of = before + after, before_of + after_of
    ways = sum(
        comb(good, few) * comb(all_of - good, after_of - few)
        for few in range(max(0, after_of - (all_of - good)), after + 1)
    )
    return ways / comb(all_of, after_of)


def worse(before: Figures, after: Figures) -> Finding | None:
    """In what way it reads worse than chance explains, at one of the looks; None if it does not."""
    if min(before.rounds, after.rounds) >= FEWEST_ROUNDS:
        about: dict[str, int | str] = {"before_of": before.rounds, "after_of": after.rounds}
        chance = chance_of_fewer(before.whole, before.rounds, after.whole, after.rounds)
        if chance < ERRS / LOOKS:
            told = {**about, "before": before.whole, "after": after.whole, "chance": f"{chance:.1g}"}
            return Finding.of(ReleaseCode.FEWER_VERIFIED, **told)
        left, left_before = after.rounds - after.doubted, before.rounds - before.doubted
        chance = chance_of_fewer(left_before, before.rounds, left, after.rounds)
        if chance < ERRS / LOOKS:
            told = {**about, "before": before.doubted, "after": after.doubted, "chance": f"{chance:.1g}"}
            return Finding.of(ReleaseCode.MORE_IN_DOUBT, **told)
    if before.picture_ms and after.picture_ms and after.picture_ms > MUCH_SLOWER * before.picture_ms:
        return Finding.of(ReleaseCode.SLOWER, before_ms=round(before.picture_ms), after_ms=round(after.picture_ms))
    return None


def over(trial: Length, after: Figures, minutes: float) -> bool:
    """Whether a trial is at its end, ``minutes`` after it began."""
    return after.hands >= trial.hands or minutes >= trial.minutes


def due(trial: Length, after: Figures, looks: int) -> bool:
    """Whether the figures are to be looked at before its end, after so many looks."""
    return looks < LOOKS - 1 and after.hands >= trial.hands * (looks + 1) / LOOKS


def ended(before: Figures, after: Figures) -> Judged:
    """What a trial came to that nothing spoke against."""
    about = {"before_of": before.rounds, "after_of": after.rounds}
    if min(before.rounds, after.rounds) < FEWEST_ROUNDS:
        return Judged(holds=False, finding=Finding.of(ReleaseCode.NOT_COMPARED, **about))
    return Judged(holds=True, finding=Finding.of(ReleaseCode.HELD, **about, before=before.whole, after=after.whole))


def figures_before(record: DatabaseReader, table: str, hands: int) -> Figures:
    """How a table read its newest rounds, until there are so many hands; RecordUnavailableError."""
    found: dict[str, RoundReport] = {}
    before, counted = None, 0
    while counted < hands and (entries := record.last(("round",), table=table, before=before, count=_PAGE)):
        for entry in entries:
            if entry.round is None or entry.round in found or counted >= hands:
                continue
            found[entry.round] = played = report_of(entry)
            counted += len(played.hands) if played.state == "closed" else 0
        before = entries[-1].seq
    return _counted(found.values())


class Since:
    """Counts the rounds of a table that began behind an entry, each as it was read last.

    Args:
        record: the table's.
        table: its name.
        since: number of the entry.
    """

    def __init__(self, record: DatabaseReader, table: str, since: int) -> None:
        self._record, self._table, self._seq = record, table, since
        self._known: dict[str, RoundReport] = {}

    def now(self) -> Figures:
        """How the table read them; RecordUnavailableError."""
        while entries := self._record.after(self._seq, kinds=("round",), table=self._table, limit=_PAGE):
            for entry in entries:
                played = report_of(entry)
                if played.revision == 1 or played.id in self._known:
                    self._known[played.id] = played
            self._seq = entries[-1].seq
        return _counted(self._known.values())


def _counted(rounds: Iterable[RoundReport]) -> Figures:
    """Count closed rounds as they were read, whatever a person said of them later."""
    hands = verified = counted = whole = doubted = 0
    for played in rounds:
        if played.state != "closed" or not played.hands:
            continue
        sure = sum(_as_read(each) == "verified" for each in played.hands)
        dice = played.dice if played.dice_review is None else played.dice_review.read
        hands, verified, counted = hands + len(played.hands), verified + sure, counted + 1
        whole += sure == len(played.hands)
        doubted += sure < len(played.hands) or any(die.status == "uncertain" for die in dice)
    return Figures(hands=hands, verified=verified, rounds=counted, whole=whole, doubted=doubted)


def _as_read(hand: HandReport) -> str:
    return hand.status if hand.review is None or hand.review.read is None else hand.review.read.status
