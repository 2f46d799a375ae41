"""What pages show of a recorded round: pictures, doubts, decisions, and the moment that matters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from service.record.projections.causes import is_of_throw
from service.rounds.outcomes import wrong_hands_at
from service.rounds.reports import DICE
from service.rounds.review import as_read
from service.rounds.round_history import hand_at, thrown_at, wrong_in, wrong_since
from service.words.doubts import each_once

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from service.rounds.reports import (
        DieReport,
        EvidenceReport,
        FindingReport,
        HandReport,
        OutcomeReport,
        RoundReport,
        ThrowReport,
    )
    from service.words.doubts import DoubtReport


@dataclass(frozen=True, slots=True)
class ShownPicture:
    """A picture of the whole table kept as evidence, with the round drawn on it and as the camera gave it, by hash.

    `close_ups` are by place, of each hand and of the throw; none in records of earlier versions.
    """

    annotated: str | None
    frame: str | None
    close_ups: Mapping[str, str]


def shown_pictures(report: RoundReport) -> tuple[ShownPicture, ...]:
    """The pictures of a revision, each once with all that it shows."""
    by_place: dict[str | None, dict[str, str]] = {}
    for one in report.evidence:
        if one.role == "clip":
            continue
        by_place.setdefault(one.place, {})[one.role] = one.sha256
    found: dict[tuple[str | None, str | None], dict[str, str]] = {}
    for place, roles in by_place.items():
        close_ups = found.setdefault((roles.get("annotated"), roles.get("frame")), {})
        if place is not None and "close_up" in roles:
            close_ups[place] = roles["close_up"]
    return tuple(ShownPicture(*whole, close_ups) for whole, close_ups in found.items())


def picture_of(revisions: Iterable[RoundReport]) -> str | None:
    """The picture to look at before deciding a round: the last annotated one while its tiles lay.

    One that shows what is in doubt, if there is one. In a record of an earlier version what ends a round shows an empty
    table, or nothing where the end was not seen.
    """
    laid = [report for report in revisions if report.state == "open"]
    drawn = [one for report in laid for one in report.evidence if one.role == "annotated"]
    doubtful = {name for report in laid[-1:] for name, _ in doubts(report)}
    first = [one for one in drawn if one.place in doubtful] or drawn
    return first[-1].sha256 if first else None


def doubts(played: RoundReport) -> tuple[tuple[str, tuple[DoubtReport, ...]], ...]:
    """What in a round needs review: places, and ``dice``, each with its reasons."""
    hands = tuple((hand.place, hand.doubts) for hand in played.hands if hand.status == "uncertain")
    dice = [die for die in played.dice if die.status == "uncertain"]
    if not dice:
        return hands
    return (*hands, ("dice", each_once(doubt for die in dice for doubt in die.doubts)))


@dataclass(frozen=True, slots=True)
class ShownDice:
    """Dice and their doubts.

    Attributes:
        each: every die, in the order read, with the reasons that not all of them have.
        shared: the reasons that all of them have, and those of the throw that are no die's.
    """

    each: tuple[tuple[DieReport, tuple[DoubtReport, ...]], ...]
    shared: tuple[DoubtReport, ...]


def shown_dice(dice: Sequence[DieReport], throw: ThrowReport | None) -> ShownDice:
    """Split the doubts of a throw into those of one die and those of all dice."""
    of_dice = [each_once(die.doubts) if die.status == "uncertain" else () for die in dice]
    common = [doubt for doubt in of_dice[0] if all(doubt in others for others in of_dice)] if len(of_dice) > 1 else []
    of_the_throw = (
        doubt for doubt in (() if throw is None else throw.doubts) if not any(doubt in of for of in of_dice)
    )
    return ShownDice(
        tuple(
            (die, each_once(doubt for doubt in doubts if doubt not in common))
            for die, doubts in zip(dice, of_dice, strict=True)
        ),
        each_once((*common, *of_the_throw)),
    )


Kind = Literal["wrong", "doubt", "set_right", "well"]
_WORST_FIRST: tuple[Kind, ...] = ("wrong", "doubt", "set_right", "well")


@dataclass(frozen=True, slots=True)
class Moment:
    """A hand, or the throw, at the revision that shows what is to be seen of it.

    Attributes:
        place: of the hand, or ``dice``.
        kind: ``wrong`` if the hand lies against the House Way, ``doubt`` if a person has to look, ``set_right`` if it
            lay wrongly before and was corrected.
        report: the round at that revision.
        first: the revision since which it has been so.
        started_at: since when it has been so, UTC; of a throw without a doubt, when the dice came to rest.
        annotated: its picture with the round drawn on it, by hash; None if none is kept.
        frame: the same as the camera gave it.
        close_up: of the hand or throw alone; of a hand that lies wrongly, with the tiles to exchange ringed.
        clip: the seconds before the alarm about it; those before another alarm of the round if there was none.
        outcome: what was done about a hand that lay wrongly; None if nothing was recorded.
    """

    place: str
    kind: Kind
    report: RoundReport
    first: RoundReport
    started_at: datetime
    annotated: str | None = None
    frame: str | None = None
    close_up: str | None = None
    clip: EvidenceReport | None = None
    outcome: OutcomeReport | None = None

    @property
    def hand(self) -> HandReport | None:
        """The hand as it lay then."""
        return hand_at(self.report, self.place)


def moments(revisions: Sequence[RoundReport], kept: Collection[str]) -> tuple[Moment, ...]:
    """What can be looked at in a round, worst first.

    Args:
        revisions: of the round, oldest first.
        kept: the pictures that are still there.
    """
    newest = revisions[-1]
    places = [hand.place for hand in newest.hands] + ([DICE] if newest.dice else [])
    found = [_moment(revisions, place, kept) for place in places]
    return tuple(sorted(found, key=lambda each: _WORST_FIRST.index(each.kind)))


def _moment(revisions: Sequence[RoundReport], place: str, kept: Collection[str]) -> Moment:
    kind, number = _when(revisions, place)
    pictures: dict[str, str] = {}
    # What a revision has no picture of is shown as the one before had it.
    for report in reversed(revisions[: number + 1]):
        for one in report.evidence:
            if one.sha256 in kept and one.place in {place, None}:
                pictures.setdefault(one.role, one.sha256)
        if "annotated" in pictures or "frame" in pictures:
            break
    started = _began(revisions, place, kind, number)
    thrown = thrown_at(revisions[number]) if place == DICE and kind == "well" else None
    return Moment(
        place,
        kind,
        revisions[number],
        revisions[started],
        thrown or revisions[started].changed_at,
        pictures.get("annotated"),
        pictures.get("frame"),
        pictures.get("exchange", pictures.get("close_up")),
        _clip(revisions, started if _gave_alarm(revisions[started], place, kind) else len(revisions)),
        next((each.outcome for each in wrong_hands_at(revisions, place) if each.played is revisions[number]), None),
    )


def _when(revisions: Sequence[RoundReport], place: str) -> tuple[Kind, int]:
    """What is to be said of a place, and the index of the revision that shows it."""
    last = len(revisions) - 1
    newest = revisions[last]
    if place == DICE:
        return ("doubt" if newest.throw_in_doubt else "well"), last
    now = hand_at(newest, place)
    if now is not None and now.status == "uncertain":
        return "doubt", last
    wrong = wrong_in(revisions, place)
    if not wrong:
        return "well", last
    return ("wrong" if wrong[-1] == last else "set_right"), wrong[-1]


def _began(revisions: Sequence[RoundReport], place: str, kind: Kind, number: int) -> int:
    """The index of the first revision since which a place has not changed until revision ``number``.

    What persons decided is no change of what lies there.
    """
    if kind in {"wrong", "set_right"}:
        return wrong_since(revisions, place, number)

    def same(report: RoundReport) -> bool:
        if kind == "doubt" and place == DICE:
            return report.throw_in_doubt
        if place == DICE:
            return report.dice == now.dice and _departures_of_throw(report) == _departures_of_throw(now)
        hand, shown = hand_at(report, place), hand_at(now, place)
        if hand is None or shown is None:
            return False
        return hand.status == shown.status and (kind == "doubt" or (hand.low, hand.high) == (shown.low, shown.high))

    seen = revisions if kind == "doubt" else tuple(map(as_read, revisions))
    now, started = seen[number], number
    while started and same(seen[started - 1]):
        started -= 1
    return started


def _gave_alarm(report: RoundReport, place: str, kind: Kind) -> bool:
    return kind != "well" or (place == DICE and bool(_departures_of_throw(report)))


def _departures_of_throw(report: RoundReport) -> list[FindingReport]:
    return [found for found in report.departures if is_of_throw(found)]


def _clip(revisions: Sequence[RoundReport], started: int) -> EvidenceReport | None:
    """The first clip recorded from a revision on; otherwise the last one before it."""
    clips = [(index, one) for index, report in enumerate(revisions) for one in report.evidence if one.role == "clip"]
    return next((one for index, one in clips if index >= started), clips[-1][1] if clips else None)
