"""From one picture's reading to the next: when hands count, when a round begins and when it is over.

The rule is deliberately plain. A hand counts once it was read alike, tile for tile, in ``settle_frames`` pictures in a
row; the first one that counts opens a round. While the round is open a hand may be laid anew (a correction by the
dealer), which makes the next revision; a hand picked up stays in the round as it was last laid. The round is over once
no tile lay at any place for ``clear_frames`` pictures in a row. Nothing here reads a clock or looks at pixels.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from vision.reading import Finding

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from vision.reading import DieReading, HandReading, Reading

_NOT_IN_PLAY = frozenset({"discard", "dice"})


@dataclass(frozen=True, slots=True)
class Round:
    """What lay on the table in one round, as far as it is known.

    Attributes:
        id: never given to another round.
        number: counts the table's rounds since its record began, from 1.
        revision: counts what was learned about this round, from 1.
        opened_at: when its first hand counted.
        changed_at: when this revision was made.
        closed_at: when the tiles had left; None while they lie.
        hands: the hands that count, House first.
        dice: the dice last seen at rest since the round before.
        findings: what a person should know about the picture that made this revision.
        agreeing_frames: pictures in a row each hand had to agree in.
        picture: number of the picture that made this revision.
    """

    id: str
    number: int
    revision: int
    opened_at: datetime
    changed_at: datetime
    closed_at: datetime | None
    hands: tuple[HandReading, ...]
    dice: tuple[DieReading, ...]
    findings: tuple[Finding, ...]
    agreeing_frames: int
    picture: int


@dataclass(slots=True)
class _Streak:
    """How often in a row the same thing was seen."""

    seen: object = None
    length: int = 0

    def add(self, seen: object) -> int:
        self.length = self.length + 1 if seen == self.seen else 1
        self.seen = seen
        return self.length


@dataclass(slots=True)
class RoundTracker:
    """Turns readings, one after the other, into rounds.

    Attributes:
        new_id: makes a round's id.
        settle_frames: pictures in a row in which a hand must be read alike.
        clear_frames: pictures in a row without a tile at any place that end a round.
    """

    new_id: Callable[[], str]
    settle_frames: int
    clear_frames: int
    current: Round | None = None
    _resumed: bool = False
    _number: int = 0
    _pictures: int = 0
    _empty: int = 0
    _streaks: dict[str, _Streak] = field(default_factory=dict)
    _dice_streak: _Streak = field(default_factory=_Streak)
    _dice: tuple[DieReading, ...] = ()

    def resume(self, last: Round) -> None:
        """Go on behind the last round of a service that was stopped, or in the middle of it if it is open."""
        self.current = last
        self._number = last.number
        self._resumed = last.closed_at is None
        if self._resumed:
            self._dice = last.dice

    def update(self, reading: Reading, at: datetime) -> Round | None:
        """Take the next reading.

        Args:
            reading: what the next picture says.
            at: when it was taken.

        Returns:
            The round this reading opened, changed or closed; None if it changed nothing.
        """
        self._pictures += 1
        settled = self._settled_hands(reading)
        self._settle_dice(reading)
        open_round = self.current if self.current is not None and self.current.closed_at is None else None
        if open_round is None:
            return self._open(settled, reading, at) if settled else None
        self._empty = 0 if _tiles_in_play(reading) else self._empty + 1
        if self._empty >= self.clear_frames:
            return self._close(open_round, at)
        return self._revise(open_round, settled, reading, at)

    def _settled_hands(self, reading: Reading) -> dict[str, HandReading]:
        seen = {hand.place: hand for hand in reading.hands}
        for place in self._streaks.keys() - seen.keys():
            del self._streaks[place]
        return {
            place: hand
            for place, hand in seen.items()
            if self._streaks.setdefault(place, _Streak()).add(_lay(hand)) >= self.settle_frames
        }

    def _settle_dice(self, reading: Reading) -> None:
        seen = tuple(sorted((die.role or "", die.colour, die.value or 0, die.status) for die in reading.dice))
        if self._dice_streak.add(seen) >= self.settle_frames and reading.dice:
            self._dice = reading.dice

    def _open(self, settled: dict[str, HandReading], reading: Reading, at: datetime) -> Round:
        self._number += 1
        self._empty = 0
        self.current = Round(
            id=self.new_id(),
            number=self._number,
            revision=1,
            opened_at=at,
            changed_at=at,
            closed_at=None,
            hands=_in_order(settled),
            dice=self._dice,
            findings=reading.findings,
            agreeing_frames=self.settle_frames,
            picture=self._pictures,
        )
        return self.current

    def _close(self, open_round: Round, at: datetime) -> Round:
        self.current = replace(open_round, revision=open_round.revision + 1, changed_at=at, closed_at=at)
        self._streaks.clear()
        # The next round has its own throw, so the dice of this one are not carried over.
        self._dice = ()
        self._dice_streak = _Streak()
        return self.current

    def _interrupt(self, open_round: Round, at: datetime) -> Round:
        """Close a round that was over before its end could be seen; what lies now opens the next."""
        told = Finding(
            "interrupted",
            "The service was stopped in this round and found other tiles when it came back; "
            "how the round ended was not seen.",
        )
        self.current = replace(
            open_round,
            revision=open_round.revision + 1,
            changed_at=at,
            closed_at=at,
            findings=(*open_round.findings, told),
        )
        self._dice = ()
        return self.current

    def _revise(
        self, open_round: Round, settled: dict[str, HandReading], reading: Reading, at: datetime
    ) -> Round | None:
        known = {hand.place: hand for hand in open_round.hands}
        if self._resumed and (met := _both_sure(known, settled)):
            self._resumed = False
            if any(_tiles(before) != _tiles(now) for before, now in met):
                return self._interrupt(open_round, at)
        news = {place: hand for place, hand in settled.items() if _is_news(known.get(place), hand)}
        dice = self._dice if _faces(self._dice) != _faces(open_round.dice) else open_round.dice
        if not news and dice is open_round.dice:
            return None
        self.current = replace(
            open_round,
            revision=open_round.revision + 1,
            changed_at=at,
            hands=_in_order(known | news),
            dice=dice,
            findings=reading.findings,
            picture=self._pictures,
        )
        return self.current


def _lay(hand: HandReading) -> tuple[object, ...]:
    """What makes two readings of a hand the same: its tiles by pair, and whether it is verified."""
    return (*sorted(map(str, hand.low)), "/", *sorted(map(str, hand.high)), hand.status)


def _tiles(hand: HandReading) -> list[str]:
    return sorted(map(str, (*hand.low, *hand.high)))


def _both_sure(known: dict[str, HandReading], settled: dict[str, HandReading]) -> list[tuple[HandReading, HandReading]]:
    """Hands at the same place that were and are verified; others may differ by a misreading."""
    pairs = ((known[place], hand) for place, hand in settled.items() if place in known)
    return [(before, now) for before, now in pairs if before.status == now.status == "verified"]


def _is_news(known: HandReading | None, seen: HandReading) -> bool:
    if known is None:
        return True
    if _lay(known)[:-1] == _lay(seen)[:-1]:
        # The same lay: a verified hand is not put in doubt by a later, poorer look at it.
        return seen.status == "verified" and known.status != "verified"
    return True


def _faces(dice: tuple[DieReading, ...]) -> list[tuple[str, str, int, str]]:
    return sorted((die.role or "", die.colour, die.value or 0, die.status) for die in dice)


def _tiles_in_play(reading: Reading) -> bool:
    if not reading.calibrated:
        return bool(reading.tiles)
    return any(tile.place is not None and tile.place not in _NOT_IN_PLAY for tile in reading.tiles)


def _in_order(hands: dict[str, HandReading]) -> tuple[HandReading, ...]:
    """House first, then the boxes by number."""
    return tuple(hands[place] for place in sorted(hands, key=lambda place: (place != "house", len(place), place)))
