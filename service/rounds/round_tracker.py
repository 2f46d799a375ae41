"""Turns what the table shows over time into rounds: ``vision.tracking`` observes, the record numbers.

The first hand that counts opens a round, or tiles dealt against the rulebook. While it is open, every new hand, throw
or finding is a change; a hand that is hidden or put away stays in the round as it lay last.
Nothing here reads a clock or looks at pixels.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Final, TypeVar

from calibration.table.places import HOUSE, Place, PlaceKind
from engine.house_way.rules import Moment
from engine.observed.observations import TilesDealt
from engine.observed.possible import KnownBank
from service.rounds.bank import bank_of, known_bank
from service.rounds.judge.remedies import at_moment, departed, finding_at
from service.rounds.readings import die_of, hand_of
from service.rounds.reports import (
    MOMENTS,
    DieReport,
    FindingReport,
    HandReport,
    RoundLogReport,
    RoundReport,
    parse_pair,
)
from service.words.codes import ServiceCode
from service.words.doubts import DoubtReport
from vision.findings import Code, Finding
from vision.hand_grouping import Conventions
from vision.reading import HandReading
from vision.tracking import TableWatch, Terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from engine.observed import ObservedRound
    from service.rounds.bank import ReportedBank
    from service.rounds.reports import BankReport, Status
    from vision.reading import Reading
    from vision.tracking import Seen
    from vision.tracking.marker_watch import MarkersSeen
    from vision.tracking.observed.procedure import Procedure

_Part = TypeVar("_Part", HandReport, DieReport)
_DEALT_PLACES: Final = 4
"""Places that must have their tiles before a wrong deal is reported."""
_USUAL: Final = frozenset({Code.NOTHING_FOUND, Code.FACE_DOWN_HAND})
"""A bare table, and a hand that is not opened yet or was turned down to be put away."""
_CLOCK_SET_BACK_S: Final = 2.0
"""A picture this much older than the previous one means that the clock was set, not that pictures are out of order."""


@dataclass(slots=True)
class ForwardSeconds:
    """Seconds of pictures that only go forward, also if the clock is set back; ``now_s`` is of the last one."""

    now_s: float = float("-inf")
    _ahead_s: float = 0.0

    def of(self, at: datetime) -> float:
        """The seconds of a picture taken at this time."""
        t_s = at.timestamp() + self._ahead_s
        if t_s < self.now_s - _CLOCK_SET_BACK_S:
            self._ahead_s += self.now_s - t_s
            t_s = self.now_s
        self.now_s = max(t_s, self.now_s)
        return t_s


def _unchecked(_began: datetime) -> None:
    """Check no round against a rulebook."""


@dataclass(slots=True)
class RoundTracker:
    """Turns readings, one after the other, into rounds.

    Attributes:
        settle_frames: pictures in which a tile must be read alike and verified.
        clear_frames: pictures in a row without a tile at any place that end a round.
        conventions: those of the table.
        players_bank: whether players may hold the bank here; else the House does unless something says otherwise.
        procedure: returns the check of dealing for a round that started at this time; None without a rulebook.
        current: the round that is played, or was last; not judged, and without what persons decided.
    """

    new_id: Callable[[], str]
    settle_frames: int
    clear_frames: int
    conventions: Conventions = field(default_factory=Conventions)
    players_bank: bool = False
    procedure: Callable[[datetime], Procedure | None] = _unchecked
    current: RoundReport | None = None
    watch: TableWatch = field(init=False)
    seconds: ForwardSeconds = field(default_factory=ForwardSeconds)
    _checked_by: Procedure | None = None
    _resumed: bool = False
    _unattributed: dict[Place, HandReading] = field(default_factory=dict)
    _at: datetime | None = None
    _seen_before: RoundLogReport | None = None
    _reported_bank: ReportedBank | None = None
    _banked: MarkersSeen | None = None
    _before: MarkersSeen | None = None

    def __post_init__(self) -> None:
        """Begin to watch."""
        terms = Terms(agreeing=self.settle_frames, clear_pictures=self.clear_frames)
        self.watch = TableWatch(self.conventions, terms)

    def resume(self, last: RoundReport) -> None:
        """Continue after the last round of a service that was stopped, or in the middle of it if it is open."""
        self.current = last
        self._resumed = last.closed_at is None
        self._unattributed = {}

    def withheld(self, played: RoundReport) -> None:
        """Continue from the round as it was published where it could not be recorded: with doubts."""
        self.current = played

    def update(self, reading: Reading, at: datetime, reported_bank: ReportedBank | None = None) -> RoundReport | None:
        """Take a reading of the next picture; returns the round it opened, changed or closed, None if nothing changed.

        ``reported_bank`` is the report about the bank of the open or next round, if there is one.

        A round that is opened while the one before was never closed says that the service was stopped in that one.
        """
        seen = self.watch.see(reading, self.seconds.of(at))
        self._reported_bank, self._at = reported_bank, at
        open_round = self.current if self.current is not None and self.current.closed_at is None else None
        hands = {hand.place: hand.now for hand in seen.hands if hand.now is not None}
        if self._resumed and open_round is not None:
            same = _is_same_round(open_round, hands)
            if same is None:
                return self._undecided(open_round, seen, hands, reading, at)
            self._resumed = False
            if same:
                self.watch.remember(tuple(map(_as_reading, open_round.hands)))
                self._seen_before = open_round.log
            else:
                open_round = None
        self._checked_by = self.procedure(at if open_round is None else open_round.opened_at)
        if seen.unseen_s is not None:
            return self._not_seen(open_round, seen.unseen_s[0], at)
        if open_round is None:
            if not hands and seen.markers is not None and seen.markers.banker is not None:
                self._before = seen.markers
            return self._open(seen, hands, reading, at) if hands or self._misdealt(seen) else None
        # What was dealt wrongly may be taken back before any hand was opened.
        taken_back = not open_round.hands and not hands and self.watch.cleared
        if seen.over or taken_back:
            return self._close(open_round, at)
        return self._revise(open_round, seen, hands, reading, at)

    def _undecided(
        self, open_round: RoundReport, seen: Seen, hands: dict[Place, HandReading], reading: Reading, at: datetime
    ) -> RoundReport | None:
        """Change nothing until it is known whether the tiles that lie there are those of the resumed round.

        Where the table is cleared first, hands verified meanwhile become a round of their own.
        """
        self._unattributed |= {place: hand for place, hand in hands.items() if hand.status == "verified"}
        if not seen.over and (not self.watch.cleared or _faults(reading, seen)):
            return None
        if self._unattributed:
            self._checked_by = self.procedure(at)
            return self._close(self._open(seen, self._unattributed, reading, at), at)
        return self._close(open_round.interrupted(), at)

    def _not_seen(self, open_round: RoundReport | None, since_s: float, at: datetime) -> RoundReport:
        """Close a round whose end was not seen; one of which nothing is known becomes an entry that says so."""
        if open_round is None:
            began = at - timedelta(seconds=self.seconds.now_s - since_s)
            finding = finding_at(Finding(Code.ROUND_NOT_SEEN), at_moment(None), KnownBank())
            blank = RoundReport(id=self.new_id(), opened_at=began, changed_at=at, agreeing_frames=self.settle_frames)
            return self._close(blank.model_copy(update={"findings": (finding,)}), at)
        known = known_bank(open_round.bank)
        finding = finding_at(Finding(Code.ROUND_END_NOT_SEEN), at_moment(open_round.reached), known)
        return self._close(open_round.model_copy(update={"findings": (*open_round.findings, finding)}), at)

    def _misdealt(self, seen: Seen) -> bool:
        """Whether tiles were dealt against the rulebook, which should be reported before they are set."""
        dealt = sum(len(each.boxes) for _, each in seen.observed if isinstance(each, TilesDealt))
        if dealt < _DEALT_PLACES:
            return False
        bank = bank_of(seen.markers, self._reported_bank, players_bank=self.players_bank)
        log = self._log(seen, known_bank(bank))
        return log is not None and any(not each.unless for each in log[0].departures)

    def _open(self, seen: Seen, hands: dict[Place, HandReading], reading: Reading, at: datetime) -> RoundReport:
        self._banked, self._seen_before = seen.markers, None
        blank = RoundReport(id=self.new_id(), opened_at=at, changed_at=at, agreeing_frames=self.settle_frames)
        self.current = self._with(blank, seen, hands, reading)
        return self.current

    def _with(self, played: RoundReport, seen: Seen, hands: dict[Place, HandReading], reading: Reading) -> RoundReport:
        exposed = (str(hand.place) for hand in seen.hands if hand.exposed_s is not None)
        moment = _later(played.reached, seen.moment)
        bank = self._bank(played, seen.markers)
        known = known_bank(bank)
        log = self._log(seen, known)
        progress = at_moment(moment) if log is None else log[0].progress
        findings = (finding_at(each, progress, known) for each in seen.findings)
        departures = () if log is None else (departed(log[0], each) for each in log[0].departures)
        now = {str(place): hand_of(hand) for place, hand in hands.items()}
        order = self.conventions.order
        dealer_sets = (Place(PlaceKind.BOX, box) for box in self.conventions.dealer_sets)
        return played.model_copy(
            update={
                "hands": _in_order({hand.place: hand for hand in played.hands} | now),
                "dice": played.dice if seen.throw is None else tuple(map(die_of, seen.throw.dice)),
                "findings": _each_once((*_faults(reading, seen), *findings, *departures)),
                "exposed": tuple(dict.fromkeys((*played.exposed, *exposed))),
                "asked": _asked((*map(Place.parse, played.asked), *seen.asked, *dealer_sets)),
                "moment": None if moment is None else MOMENTS[moment],
                "bank": bank,
                "box_order": None if order is None else order.numbers,
                "log": None if log is None else RoundLogReport.of(*log),
            }
        )

    def _log(self, seen: Seen, known: KnownBank) -> tuple[ObservedRound, tuple[datetime, ...]] | None:
        """The observations of the round, also those before the service was stopped, and when each was made."""
        if self._checked_by is None or self._at is None:
            return None
        before = self._seen_before
        observed = self._checked_by.observed(seen.observed, known, () if before is None else before.observed.seen)
        if observed is None:
            return None
        times = (self._at - timedelta(seconds=self.seconds.now_s - t_s) for t_s, _ in seen.observed)
        return observed, (*(() if before is None else (each.at for each in before.seen)), *times)

    def _bank(self, played: RoundReport, now: MarkersSeen | None) -> BankReport | None:
        """Who banks in this round: as the markers lay when it was opened, for the next banker gets the chung early.

        A chung that was out of sight then still counts where it is seen again, if it lay there before.
        """
        if self._banked is None:
            known = played.bank if self._reported_bank is None else None
            return known or bank_of(None, self._reported_bank, players_bank=self.players_bank)
        hidden = self._banked.banker is None and now is not None and now.banker is not None
        if hidden and self._before is not None and now is not None and now.banker == self._before.banker:
            self._banked = now
        return bank_of(self._banked, self._reported_bank)

    def _revise(
        self, open_round: RoundReport, seen: Seen, hands: dict[Place, HandReading], reading: Reading, at: datetime
    ) -> RoundReport | None:
        now = self._with(open_round, seen, hands, reading)
        if not _is_news(now, open_round, {*reading.findings, *seen.lay_findings}):
            return None
        self.current = now.model_copy(update={"changed_at": at})
        return self.current

    def _close(self, open_round: RoundReport, at: datetime) -> RoundReport:
        self._resumed = False
        self._banked = self._before = None
        moment = MOMENTS[Moment.BANK_PUT_AWAY] if str(HOUSE) in open_round.exposed else open_round.moment
        closed = {"state": "closed", "changed_at": at, "closed_at": at, "moment": moment}
        self.current = open_round.model_copy(update=closed)
        return self.current


def unrecorded(played: RoundReport, durable: RoundReport | None, why: Finding) -> RoundReport:
    """A round whose newest revision could not be recorded: only what was durable before stays verified.

    Args:
        played: the round, not judged.
        durable: the same as it was read when its last revision became durable; None if none did.
        why: it could not be recorded.
    """
    doubt = DoubtReport.of(Finding.of(ServiceCode.NOT_RECORDED, why=(why,)))
    hands, dice = ((), ()) if durable is None else (durable.hands, durable.dice)

    def withheld(one: _Part, known: tuple[_Part, ...]) -> _Part:
        if one in known:
            return one
        doubts = one.doubts if doubt in one.doubts else (*one.doubts, doubt)
        return one.model_copy(update={"status": "uncertain", "doubts": doubts})

    others = (one for one in played.findings if one.code != ServiceCode.NOT_RECORDED)
    return played.model_copy(
        update={
            "hands": tuple(withheld(one, hands) for one in played.hands),
            "dice": tuple(withheld(one, dice) for one in played.dice),
            "findings": (*others, FindingReport(code=doubt.code, params=doubt.params)),
        }
    )


def _is_news(now: RoundReport, before: RoundReport, of_picture: set[Finding]) -> bool:
    """Whether a round changed; a fault of a single picture is no news of the round."""
    passing = [FindingReport.of(each).alone for each in of_picture]
    return (
        [_as_laid(hand) for hand in now.hands] != [_as_laid(hand) for hand in before.hands]
        or _as_thrown(now.dice) != _as_thrown(before.dice)
        or (now.exposed, now.asked, now.moment, now.bank) != (before.exposed, before.asked, before.moment, before.bank)
        or any(each not in before.findings and each.alone not in passing for each in now.findings)
    )


def _is_same_round(open_round: RoundReport, hands: dict[Place, HandReading]) -> bool | None:
    """Whether the hands that are verified now are those of a round that was open; None if they do not tell.

    Hands at the same place are compared: those that were verified too, or all if none was; others may differ by a
    misreading.
    """
    verified = {str(place): hand for place, hand in hands.items() if hand.status == "verified"}
    if not open_round.hands:
        return False if verified else None
    known = [hand for hand in open_round.hands if hand.status == "verified"] or open_round.hands
    pairs = [(hand, verified[hand.place]) for hand in known if hand.place in verified]
    return all(_tiles(before) == _tiles(now) for before, now in pairs) if pairs else None


def _faults(reading: Reading, seen: Seen) -> list[FindingReport]:
    """Faults of a picture and of how tiles lie in it, except what is usual before and after the hands are open."""
    found = (*reading.findings, *seen.lay_findings)
    return [FindingReport.of(finding) for finding in found if finding.code not in _USUAL]


def _later(recorded: Moment | None, seen: Moment | None) -> Moment | None:
    """The moment now, where what was recorded before this watch started may be further on."""
    if recorded is Moment.FIRST_HAND_EXPOSED and seen in {Moment.NO_HAND_EXPOSED, Moment.BANK_NOT_PUT_AWAY}:
        return recorded
    return seen


def _tiles(hand: HandReport | HandReading) -> list[str]:
    return sorted(map(str, (*hand.low, *hand.high)))


def _as_laid(hand: HandReport) -> tuple[str, list[str], list[str], str]:
    return hand.place, sorted(hand.low), sorted(hand.high), hand.status


def _as_thrown(dice: tuple[DieReport, ...]) -> list[tuple[str, str, int, str]]:
    return sorted((die.role or "", die.colour, die.value or 0, die.status) for die in dice)


def _as_reading(hand: HandReport) -> HandReading:
    status: Status = "verified" if hand.status == "verified" else "uncertain"
    return HandReading(Place.parse(hand.place), parse_pair(hand.low), parse_pair(hand.high), status)


def _each_once(found: Iterable[FindingReport]) -> tuple[FindingReport, ...]:
    return tuple({each.model_dump_json(): each for each in found}.values())


def _asked(places: Iterable[Place]) -> tuple[str, ...]:
    return tuple(map(str, sorted(set(places))))


def _in_order(hands: dict[str, HandReport]) -> tuple[HandReport, ...]:
    """House first, then the boxes by number."""
    return tuple(sorted(hands.values(), key=lambda hand: Place.parse(hand.place)))
