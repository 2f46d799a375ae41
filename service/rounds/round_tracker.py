"""Turns what the table shows over time into rounds: ``vision.tracking`` observes, the record numbers.

The first hand that counts opens a round, or tiles dealt otherwise than the rulebook has it. While it is open, every
hand, throw or finding that is news is a change; one that is hidden or put away stays in the round as it lay last.
Nothing here reads a clock or looks at pixels.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from calibration.table.places import HOUSE
from engine.house_way.rules import Moment
from engine.observed.observations import TilesDealt
from service.rounds.bank import bank_of, known_bank
from service.rounds.round import Round, RoundFinding, RoundLog, same_dice, same_hand
from vision.findings import Code, Finding
from vision.hand_grouping import Conventions
from vision.tracking import TableWatch, Terms
from vision.tracking.observed.procedure import finding_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from calibration.table.places import Place
    from engine.observed import Departure, ObservedRound
    from engine.observed.possible import KnownBank
    from engine.vocabulary.facts import Bank
    from service.rounds.bank import ToldBank
    from service.rounds.reports import BankReport
    from vision.reading import HandReading, Reading
    from vision.tracking import Seen
    from vision.tracking.marker_watch import MarkersSeen
    from vision.tracking.observed.procedure import Procedure

_DEALT_PLACES: Final = 4
"""So many places must have their tiles before it is told that they were dealt wrongly."""
_CLOCK_SET_BACK_S: Final = 2.0
"""A picture that much older than the one before means that the clock was set, not that pictures came out of order."""


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


def _as_found(finding: Finding, _: Moment | None, __: Bank | None) -> RoundFinding:
    return RoundFinding(finding)


def _departed(_: ObservedRound, departure: Departure) -> RoundFinding:
    return RoundFinding(finding_of(departure), departure.rule)


@dataclass(slots=True)
class RoundTracker:
    """Turns readings, one after the other, into rounds.

    Attributes:
        settle_frames: pictures in which a tile must be read alike and verified.
        clear_frames: pictures in a row without a tile at any place that end a round.
        conventions: those of the table.
        dealer_sets: places whose hands the dealer always sets.
        remedied: adds what the rulebook says about a finding at that moment with that bank.
        departed: makes a finding of a departure from the rulebook, with what may be done about it now.
        players_bank: whether players may hold the bank here; else the House does unless something says otherwise.
        procedure: holds what was seen of a round against the rulebook; None for no rulebook.
        current: the round that is played, or was last.
    """

    new_id: Callable[[], str]
    settle_frames: int
    clear_frames: int
    conventions: Conventions = field(default_factory=Conventions)
    dealer_sets: frozenset[Place] = frozenset()
    remedied: Callable[[Finding, Moment | None, Bank | None], RoundFinding] = _as_found
    departed: Callable[[ObservedRound, Departure], RoundFinding] = _departed
    players_bank: bool = False
    procedure: Procedure | None = None
    current: Round | None = None
    watch: TableWatch = field(init=False)
    seconds: ForwardSeconds = field(default_factory=ForwardSeconds)
    _resumed: bool = False
    _findings: dict[Finding, RoundFinding] = field(default_factory=dict)
    _at: datetime | None = None
    _seen_before: RoundLog | None = None
    _told: ToldBank | None = None
    _banked: MarkersSeen | None = None
    _before: MarkersSeen | None = None

    def __post_init__(self) -> None:
        """Begin to watch."""
        terms = Terms(agreeing=self.settle_frames, clear_pictures=self.clear_frames)
        self.watch = TableWatch(self.conventions, terms)

    def resume(self, last: Round) -> None:
        """Go on behind the last round of a service that was stopped, or in the middle of it if it is open."""
        self.current = last
        self._resumed = last.closed_at is None

    def update(self, reading: Reading, at: datetime, told: ToldBank | None = None) -> Round | None:
        """Take a reading of the next picture; returns the round it opened, changed or closed, None if nothing changed.

        ``told`` is what somebody said of the bank of the round that is open or comes next.

        A round that is opened while the one before was never closed says that the service was stopped in that one.
        """
        seen = self.watch.see(reading, self.seconds.of(at))
        self._told, self._at = told, at
        open_round = self.current if self.current is not None and self.current.closed_at is None else None
        hands = {hand.place: hand.now for hand in seen.hands if hand.now is not None}
        if self._resumed and open_round is not None and (verified := _verified_again(open_round, hands)):
            self._resumed = False
            if any(_tiles(before) != _tiles(now) for before, now in verified):
                open_round = None
            else:
                self.watch.remember(open_round.hands)
                self._seen_before = open_round.log
        if open_round is None:
            if not hands and seen.markers is not None and seen.markers.banker is not None:
                self._before = seen.markers
            return self._open(seen, hands, reading, at) if hands or self._misdealt(seen) else None
        # What was dealt wrongly may be taken back before any hand was opened.
        taken_back = not open_round.hands and not hands and self.watch.cleared
        if seen.over or taken_back or (self._resumed and self.watch.cleared and not _faults(reading, seen)):
            return self._close(open_round, at)
        return self._revise(open_round, seen, hands, reading, at)

    def _misdealt(self, seen: Seen) -> bool:
        """Whether tiles were dealt otherwise than the rulebook has it: somebody should know before they are set."""
        dealt = sum(len(each.boxes) for _, each in seen.observed if isinstance(each, TilesDealt))
        if dealt < _DEALT_PLACES:
            return False
        bank = bank_of(seen.markers, self._told, players_bank=self.players_bank)
        log = self._log(seen, known_bank(bank))
        return log is not None and bool(log.observed.departures)

    def _open(self, seen: Seen, hands: dict[Place, HandReading], reading: Reading, at: datetime) -> Round:
        self._findings.clear()
        self._banked, self._seen_before = seen.markers, None
        blank = Round(self.new_id(), opened_at=at, changed_at=at, agreeing_frames=self.settle_frames)
        self.current = self._with(blank, seen, hands, reading)
        return self.current

    def _with(self, played: Round, seen: Seen, hands: dict[Place, HandReading], reading: Reading) -> Round:
        exposed = (hand.place for hand in seen.hands if hand.exposed_s is not None)
        moment = _later(played.moment, seen.moment)
        bank = self._bank(played, seen.markers)
        known = known_bank(bank)
        for finding in seen.findings:
            if finding not in self._findings:
                self._findings[finding] = self.remedied(finding, moment, known.method)
        log = self._log(seen, known)
        departures = () if log is None else (self.departed(log.observed, each) for each in log.observed.departures)
        return replace(
            played,
            hands=_in_order({hand.place: hand for hand in played.hands} | hands),
            dice=played.dice if seen.throw is None else seen.throw.dice,
            findings=tuple(dict.fromkeys((*_faults(reading, seen), *self._findings.values(), *departures))),
            exposed=tuple(dict.fromkeys((*played.exposed, *exposed))),
            asked=tuple(sorted({*played.asked, *seen.asked, *self.dealer_sets})),
            moment=moment,
            bank=bank,
            log=log,
        )

    def _log(self, seen: Seen, known: KnownBank) -> RoundLog | None:
        """What was seen of the round, that of before the service was stopped included."""
        if self.procedure is None or self._at is None:
            return None
        before = self._seen_before
        observed = self.procedure.observed(seen.observed, known, () if before is None else before.observed.seen)
        if observed is None:
            return None
        times = (self._at - timedelta(seconds=self.seconds.now_s - t_s) for t_s, _ in seen.observed)
        return RoundLog(observed, (*(() if before is None else before.at), *times))

    def _bank(self, played: Round, now: MarkersSeen | None) -> BankReport | None:
        """Who banks in this round: as the markers lay when it was opened, for the next banker gets the chung early.

        A chung that was out of sight then still counts where it is seen again, if it lay there before.
        """
        if self._banked is None:
            known = played.bank if self._told is None else None
            return known or bank_of(None, self._told, players_bank=self.players_bank)
        hidden = self._banked.banker is None and now is not None and now.banker is not None
        if hidden and self._before is not None and now is not None and now.banker == self._before.banker:
            self._banked = now
        return bank_of(self._banked, self._told)

    def _revise(
        self, open_round: Round, seen: Seen, hands: dict[Place, HandReading], reading: Reading, at: datetime
    ) -> Round | None:
        now = self._with(open_round, seen, hands, reading)
        if not _is_news(now, open_round, {*reading.findings, *seen.lay_findings}):
            return None
        self.current = replace(now, changed_at=at)
        return self.current

    def _close(self, open_round: Round, at: datetime) -> Round:
        self._resumed = False
        self._banked = self._before = None
        moment = Moment.BANK_PUT_AWAY if HOUSE in open_round.exposed else open_round.moment
        self.current = replace(open_round, changed_at=at, closed_at=at, moment=moment)
        return self.current


def _is_news(now: Round, before: Round, of_picture: set[Finding]) -> bool:
    """Whether a round changed; what is wrong with a single picture is no news of the round."""
    found = {each for each in now.findings if each.finding not in of_picture}
    return not (
        len(now.hands) == len(before.hands)
        and all(map(same_hand, now.hands, before.hands))
        and same_dice(now.dice, before.dice)
        and (now.exposed, now.asked, now.moment, now.bank) == (before.exposed, before.asked, before.moment, before.bank)
        and found <= set(before.findings)
    )


def _verified_again(open_round: Round, hands: dict[Place, HandReading]) -> list[tuple[HandReading, HandReading]]:
    """Hands at the same place that were and are verified; others may differ by a misreading."""
    pairs = ((hand, hands[hand.place]) for hand in open_round.hands if hand.place in hands)
    return [(before, now) for before, now in pairs if before.status == now.status == "verified"]


def _faults(reading: Reading, seen: Seen) -> list[RoundFinding]:
    """What is wrong with a picture and how tiles lie in it; that nothing lies there is no fault."""
    found = (*reading.findings, *seen.lay_findings)
    return [RoundFinding(finding) for finding in found if finding.code is not Code.NOTHING_FOUND]


def _later(recorded: Moment | None, seen: Moment | None) -> Moment | None:
    """The moment now, where what was recorded before this watch began may be further on."""
    if recorded is Moment.FIRST_HAND_EXPOSED and seen is Moment.NO_HAND_EXPOSED:
        return recorded
    return seen


def _tiles(hand: HandReading) -> list[str]:
    return sorted(map(str, (*hand.low, *hand.high)))


def _in_order(hands: dict[Place, HandReading]) -> tuple[HandReading, ...]:
    """House first, then the boxes by number."""
    return tuple(hands[place] for place in sorted(hands))
