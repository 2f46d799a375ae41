"""The service's shape of a round, and the tracker that makes rounds of readings.

What a table does over time is followed by ``vision.tracking``; here it becomes rounds with ids and revisions. The first
hand that counts opens a round. While it is open, every hand, throw or finding that is news makes the next revision; a
hand that is hidden or put away stays in the round as it lay last. Nothing here reads a clock or looks at pixels.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from engine.house_way.rules import Moment
from service.codes import ServiceCode
from vision.findings import Code, Finding
from vision.tracking import TableWatch, Terms

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from vision.reading import DieReading, HandReading, Reading
    from vision.tracking import Seen

_CLOCK_SET_BACK_S: Final = 2.0


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
        dice: the dice as they came to rest since the round before.
        findings: what a person should know about the picture that made this revision, and about the round so far.
        agreeing_frames: pictures in which each hand had to agree.
        picture: number of the picture that made this revision.
        exposed: the places whose hands were opened, in that order.
        asked: the places whose hands the dealer was asked to set.
        moment: how far the round has come, for what may be done about a hand set wrongly; None where that is not known.
    """

    id: str
    number: int
    revision: int
    opened_at: datetime
    changed_at: datetime
    closed_at: datetime | None
    hands: tuple[HandReading, ...]
    dice: tuple[DieReading, ...]
    findings: tuple[RoundFinding, ...]
    agreeing_frames: int
    picture: int
    exposed: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    moment: Moment | None = None


@dataclass(frozen=True, slots=True)
class RoundFinding:
    """A finding of a round, with what the rulebook says about it at that moment.

    Attributes:
        finding: what was found.
        rule: citation of the rule that it departs from.
        remedy: what must or may be done, in the book's words.
        recorded: the whole message, of one that was recorded before findings had parameters.
    """

    finding: Finding
    rule: str | None = None
    remedy: str | None = None
    recorded: str | None = None


def _as_found(finding: Finding, _: Moment | None) -> RoundFinding:
    return RoundFinding(finding)


@dataclass(slots=True)
class RoundTracker:
    """Turns readings, one after the other, into rounds.

    Attributes:
        new_id: makes a round's id.
        settle_frames: pictures in which a tile must be read alike and verified.
        clear_frames: pictures in a row without a tile at any place that end a round.
        angle_deg: direction of a place, 0 where the dealer sees it straight; None where no places are known.
        dealer_sets: places whose hands the dealer always sets.
        remedied: adds to a finding what the rulebook says about it at that moment; None for a finding that is none
            under this book.
        current: the round that is played, or was last.
        watch: follows the table, before its hands count too.
    """

    new_id: Callable[[], str]
    settle_frames: int
    clear_frames: int
    angle_deg: Callable[[str], float] | None = None
    dealer_sets: frozenset[str] = frozenset()
    remedied: Callable[[Finding, Moment | None], RoundFinding | None] = _as_found
    current: Round | None = None
    watch: TableWatch = field(init=False)
    _resumed: bool = False
    _number: int = 0
    _pictures: int = 0
    _told: dict[Finding, RoundFinding | None] = field(default_factory=dict)
    _t_s: float = float("-inf")
    _ahead_s: float = 0.0

    def __post_init__(self) -> None:
        """Begin to watch."""
        terms = Terms(agreeing=self.settle_frames, clear_pictures=self.clear_frames)
        self.watch = TableWatch(terms=terms) if self.angle_deg is None else TableWatch(self.angle_deg, terms)

    @property
    def seen_s(self) -> float:
        """When the last picture was taken, in the seconds that the watch counts."""
        return self._t_s

    def resume(self, last: Round) -> None:
        """Go on behind the last round of a service that was stopped, or in the middle of it if it is open."""
        self.current = last
        self._number = last.number
        self._resumed = last.closed_at is None

    def update(self, reading: Reading, at: datetime) -> Round | None:
        """Take the next reading.

        Args:
            reading: what the next picture says.
            at: when it was taken.

        Returns:
            The round this reading opened, changed or closed; None if it changed nothing.
        """
        self._pictures += 1
        seen = self.watch.see(reading, self._seconds(at))
        open_round = self.current if self.current is not None and self.current.closed_at is None else None
        hands = {hand.place: hand.now for hand in seen.hands if hand.now is not None}
        if open_round is None:
            return self._open(seen, hands, reading, at) if hands else None
        if self._resumed and (met := self._met(open_round, hands)):
            self._resumed = False
            if any(_tiles(before) != _tiles(now) for before, now in met):
                return self._interrupt(open_round, at)
            self.watch.remember(open_round.hands)
        if seen.over or (self._resumed and self._is_clear(reading)):
            return self._close(open_round, at)
        return self._revise(open_round, seen, hands, reading, at)

    def _seconds(self, at: datetime) -> float:
        """Seconds that only go forward, also if the clock is set back."""
        t_s = at.timestamp() + self._ahead_s
        if t_s < self._t_s - _CLOCK_SET_BACK_S:
            self._ahead_s += self._t_s - t_s
            t_s = self._t_s
        self._t_s = max(t_s, self._t_s)
        return t_s

    def _open(self, seen: Seen, hands: dict[str, HandReading], reading: Reading, at: datetime) -> Round:
        self._number += 1
        self._told.clear()
        blank = Round(
            id=self.new_id(),
            number=self._number,
            revision=1,
            opened_at=at,
            changed_at=at,
            closed_at=None,
            hands=(),
            dice=(),
            findings=(),
            agreeing_frames=self.settle_frames,
            picture=self._pictures,
        )
        self.current = self._with(blank, seen, hands, reading)
        return self.current

    def _with(self, played: Round, seen: Seen, hands: dict[str, HandReading], reading: Reading) -> Round:
        """A round with what is seen now."""
        exposed = tuple(
            dict.fromkeys((*played.exposed, *(hand.place for hand in seen.hands if hand.exposed_s is not None)))
        )
        moment = _later(played.moment, seen.moment)
        for finding in seen.findings:
            if finding not in self._told:
                self._told[finding] = self.remedied(finding, moment)
        of_round = [told for told in self._told.values() if told is not None]
        return replace(
            played,
            hands=_in_order({hand.place: hand for hand in played.hands} | hands),
            dice=played.dice if seen.throw is None else seen.throw.dice,
            findings=tuple(dict.fromkeys((*_faults(reading), *of_round))),
            picture=self._pictures,
            exposed=exposed,
            asked=tuple(sorted({*played.asked, *seen.asked, *self.dealer_sets})),
            moment=moment,
        )

    def _revise(
        self, open_round: Round, seen: Seen, hands: dict[str, HandReading], reading: Reading, at: datetime
    ) -> Round | None:
        now = self._with(open_round, seen, hands, reading)
        told = {found for found in now.findings if found.finding not in reading.findings}
        known = set(open_round.findings)
        if (
            _lays(now) == _lays(open_round)
            and _shown(now.dice) == _shown(open_round.dice)
            and (now.exposed, now.asked, now.moment) == (open_round.exposed, open_round.asked, open_round.moment)
            and told <= known
        ):
            return None
        self.current = replace(now, revision=open_round.revision + 1, changed_at=at)
        return self.current

    def _close(self, open_round: Round, at: datetime) -> Round:
        self._resumed = False
        moment = Moment.BANK_PUT_AWAY if "house" in open_round.exposed else open_round.moment
        self.current = replace(open_round, revision=open_round.revision + 1, changed_at=at, closed_at=at, moment=moment)
        return self.current

    def _interrupt(self, open_round: Round, at: datetime) -> Round:
        """Close a round that was over before its end could be seen; what lies now opens the next."""
        told = Finding(ServiceCode.INTERRUPTED)
        self.current = replace(
            open_round,
            revision=open_round.revision + 1,
            changed_at=at,
            closed_at=at,
            findings=(*open_round.findings, RoundFinding(told)),
        )
        return self.current

    def _met(self, open_round: Round, hands: dict[str, HandReading]) -> list[tuple[HandReading, HandReading]]:
        """Hands at the same place that were and are verified; others may differ by a misreading."""
        pairs = ((hand, hands[hand.place]) for hand in open_round.hands if hand.place in hands)
        return [(before, now) for before, now in pairs if before.status == now.status == "verified"]

    def _is_clear(self, reading: Reading) -> bool:
        """Whether a round that was open when the service stopped was over when it came back."""
        return self.watch.cleared and not _faults(reading)


def _faults(reading: Reading) -> list[RoundFinding]:
    """What a person should know about a picture of a table; that nothing lies there is none of it."""
    return [RoundFinding(finding) for finding in reading.findings if finding.code is not Code.NOTHING_FOUND]


def _later(recorded: Moment | None, seen: Moment | None) -> Moment | None:
    """The moment now, where what was recorded before this watch began may be further on."""
    if recorded is Moment.FIRST_HAND_EXPOSED and seen is Moment.NO_HAND_EXPOSED:
        return recorded
    return seen


def _lay(hand: HandReading) -> tuple[object, ...]:
    """What makes two readings of a hand the same: its tiles by pair, and whether it is verified."""
    return (hand.place, *sorted(map(str, hand.low)), "/", *sorted(map(str, hand.high)), hand.status)


def _lays(played: Round) -> list[tuple[object, ...]]:
    return [_lay(hand) for hand in played.hands]


def _tiles(hand: HandReading) -> list[str]:
    return sorted(map(str, (*hand.low, *hand.high)))


def _shown(dice: tuple[DieReading, ...]) -> list[tuple[str, str, int, str]]:
    return sorted((die.role or "", die.colour, die.value or 0, die.status) for die in dice)


def _in_order(hands: dict[str, HandReading]) -> tuple[HandReading, ...]:
    """House first, then the boxes by number."""
    return tuple(hands[place] for place in sorted(hands, key=lambda place: (place != "house", len(place), place)))
