"""A round as it is read: values that the tracker makes, that are judged, written down and restored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from calibration.table.places import Place
    from engine.house_way.rules import Moment
    from engine.observed import ObservedRound
    from service.rounds.reports import BankReport, RemedyReport
    from vision.findings import Finding
    from vision.reading import DieReading, HandReading


@dataclass(frozen=True, slots=True)
class RoundFinding:
    """A finding of a round, with the rule it departs from and the remedy at that moment.

    Attributes:
        remedy: the remedy in the book's words.
        options: the same as values: what must or may be done, by whom, and what becomes of wagers.
        recorded: the whole message of one that was recorded before findings had parameters.
    """

    finding: Finding
    rule: str | None = None
    remedy: str | None = None
    options: tuple[RemedyReport, ...] = ()
    recorded: str | None = None


@dataclass(frozen=True, slots=True)
class RoundLog:
    """What was seen of a round for the rulebook, and when each observation was made, UTC."""

    observed: ObservedRound
    at: tuple[datetime, ...]


@dataclass(frozen=True, slots=True)
class Round:
    """What lay on the table in one round, as far as it is known. The record numbers rounds and revisions.

    Attributes:
        opened_at: when its first hand counted.
        closed_at: when the tiles had left; None while they lie.
        hands: the hands that count, House first.
        dice: the dice as they came to rest since the round before.
        findings: of the picture that made this change, and of the round so far.
        agreeing_frames: pictures in which each hand had to agree.
        exposed: the places whose hands were opened, in that order.
        asked: the places whose hands the dealer was asked to set.
        moment: how far the round has come; None where that is not known.
        bank: who banks, and what is out of play; None where nothing could say so.
        log: what was seen of it for the rulebook; None where no order of the boxes is known.
    """

    id: str
    opened_at: datetime
    changed_at: datetime
    agreeing_frames: int
    closed_at: datetime | None = None
    hands: tuple[HandReading, ...] = ()
    dice: tuple[DieReading, ...] = ()
    findings: tuple[RoundFinding, ...] = ()
    exposed: tuple[Place, ...] = ()
    asked: tuple[Place, ...] = ()
    moment: Moment | None = None
    bank: BankReport | None = None
    log: RoundLog | None = None


def same_hand(one: HandReading | None, other: HandReading | None) -> bool:
    """Whether two readings of a hand are the same: its tiles by pair, and whether it is verified."""
    return (None if one is None else _lay(one)) == (None if other is None else _lay(other))


def same_dice(some: tuple[DieReading, ...], others: tuple[DieReading, ...]) -> bool:
    """Whether two readings of a throw are the same: roles, colours, values, and whether they are verified."""
    return _shown(some) == _shown(others)


def _lay(hand: HandReading) -> tuple[Place, list[str], list[str], str]:
    return hand.place, sorted(map(str, hand.low)), sorted(map(str, hand.high)), hand.status


def _shown(dice: tuple[DieReading, ...]) -> list[tuple[str, str, int, str]]:
    return sorted((die.role or "", die.colour, die.value or 0, die.status) for die in dice)
