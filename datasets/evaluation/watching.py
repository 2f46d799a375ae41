"""Tracking simulated rounds, from simulated readings or from rendered pictures."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Final

from datasets.simulator.moments import Renderer
from datasets.simulator.readings import ErrorRates, ReadingSource
from engine.books.registry import rulebook
from engine.observed.observations import TilesDealt
from engine.observed.possible import KnownBank
from engine.vocabulary.facts import Bank
from vision.hand_grouping import Conventions
from vision.reader import Reader
from vision.reading import FEWEST_DICE
from vision.tracking import HandHistory, Lay, Seen, TableWatch
from vision.tracking.observed.procedure import Procedure, finding_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from calibration.files.calibration_file import TableCalibration
    from calibration.table.places import Place
    from datasets.simulator.script import Script
    from datasets.simulator.truth import RoundTruth
    from engine.house_way.rules import Moment
    from engine.observed import ObservedRound
    from vision.reading import Reading

    Timed = tuple[float, Reading, frozenset[int]]
    """Time in seconds, the reading, and the tiles that deceive the reader."""

_LAYOUT_CHECK_S: Final = 1.0
"""Time between checks of the printed layout against the calibration, as at a live table."""
_DEALT_PLACES: Final = 4
"""Places that must have their tiles before a wrong deal is reported without a hand, as at a live table."""
_MISSED_TOGETHER: Final = 2.0
"""Mean number of consecutive pictures missed by an overloaded computer."""


@dataclass(slots=True)
class Watched:
    """One round as tracked.

    Attributes:
        last: final state.
        lays: every verified layout, by place.
        moments: changes of the remedy's moment, with their times in seconds.
        codes: of all findings, and of departures from the rulebook.
        asked: codes of departures that a person must confirm, because an exception may apply.
        rules: the rules cited for each departure, by code.
        deceived: times at which a tile, by number, deceived the reader.
        log: its observations, for the rulebook; None if the boxes' order is unknown.
    """

    last: Seen
    lays: dict[Place, list[Lay]] = field(default_factory=dict)
    moments: list[tuple[float, Moment | None]] = field(default_factory=list)
    codes: set[str] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)
    rules: dict[str, set[str]] = field(default_factory=dict)
    deceived: list[tuple[float, int]] = field(default_factory=list)
    log: ObservedRound | None = None

    def check(self, log: ObservedRound | None) -> None:
        """Take over the departures of the round as observed so far."""
        self.log = log
        for each in () if log is None else log.departures:
            code = finding_of(each).code
            (self.asked if each.unless else self.codes).add(code)
            self.rules.setdefault(code, set()).add(str(each.rule))

    @property
    def doubted(self) -> set[Place]:
        """Places whose hand is doubtful at the end."""
        return {hand.place for hand in self.last.hands if hand.now is not None and hand.now.status != "verified"}

    @property
    def referred(self) -> bool:
        """Whether part of the round is left to a person."""
        return bool(self.codes or self.asked or self.doubted)

    def moment(self, t_s: float) -> Moment | None:
        """The remedy's moment at a time."""
        return next((moment for since, moment in reversed(self.moments) if since <= t_s), None)


def watch(made: Script, faults: ErrorRates, rate: float, seed: int, missed: float = 0.0) -> list[tuple[float, Watched]]:
    """Track a session's simulated readings; return each round with the time of its first hand, seconds.

    A round that was not seen is returned with the time since which it was not.

    Args:
        made: the session.
        faults: how often a reading is wrong.
        rate: pictures a second.
        seed: of faults and misses.
        missed: share of pictures missed by an overloaded computer, several in a row.
    """
    # Where players bank the chung moves, and the camera reads it.
    markers = made.options.player_bank_rate > 0
    source = ReadingSource(made, rate, faults, seed, tuple(map(_mixing, made.rounds)), markers=markers)
    readings = ((timed.t_s, timed.reading, timed.deceived_by) for timed in source)
    return _follow(made, source.calibration, _not_missed(readings, missed, seed))


def _not_missed(readings: Iterable[Timed], missed: float, seed: int) -> Iterator[Timed]:
    """Readings that are not missed: an overloaded computer misses ``_MISSED_TOGETHER`` pictures in a row on average."""
    rng = random.Random(seed)  # noqa: S311  a simulation
    falls_behind = missed / (1.0 - missed) / _MISSED_TOGETHER
    behind = False
    for timed in readings:
        behind = rng.random() >= 1.0 / _MISSED_TOGETHER if behind else rng.random() < falls_behind
        if not behind:
            yield timed


def watch_pictures(made: Script, rate: float) -> list[tuple[float, Watched]]:
    """Track a session from rendered pictures, read by the models as at a live table."""
    calibration = made.table_calibration()
    return _follow(made, calibration, _read(made, calibration, rate))


def camera_in_place(made: Script, t_s: float) -> bool:
    """Whether the camera has been where it was calibrated for long enough for a layout check to confirm it."""
    return not any(
        each.kind == "camera-nudged" and each.start <= t_s <= each.end + _LAYOUT_CHECK_S
        for truth in made.rounds
        for each in truth.disturbances
    )


@cache
def _models() -> Reader:
    return Reader.load(threads=1)


def _read(made: Script, calibration: TableCalibration, rate: float) -> Iterator[Timed]:
    renderer, reader = Renderer(made), _models().steady()
    sparse = tuple(map(_mixing, made.rounds))
    for sequence in range(int(made.end_s * rate) + 1):
        t_s = sequence / rate
        if sequence % round(rate) == 0 or not any(start <= t_s < end for start, end in sparse):
            image = renderer.draw(made.at(t_s)).image
            yield t_s, reader.read(image, calibration=calibration, t_s=t_s), frozenset()


def _follow(made: Script, calibration: TableCalibration, readings: Iterable[Timed]) -> list[tuple[float, Watched]]:
    house_way_boxes = made.rounds[0].course.session.setup.table.house_way_boxes
    fewest = min(FEWEST_DICE, made.rounds[0].course.session.setup.dice.fewest)
    conventions = Conventions.of(calibration, made.low_hand, house_way_boxes, fewest)
    table, procedure = TableWatch(conventions), _procedure(made, conventions)
    out: list[tuple[float, Watched]] = []
    now: Watched | None = None
    early: Watched | None = None
    first_hand_s, bank = 0.0, KnownBank()
    deceived: list[tuple[float, int]] = []
    for t_s, reading, deceived_by in readings:
        seen = table.see(reading, t_s)
        deceived += [(t_s, n) for n in sorted(deceived_by)]
        if table.knocked and camera_in_place(made, t_s):
            table.confirm_in_place()
        if not any(hand.lays for hand in seen.hands):
            if _dealt(seen) >= _DEALT_PLACES:
                early = early or Watched(seen)
                early.check(procedure.observed(seen.observed, _bank(made, t_s, seen)))
            if seen.over and seen.unseen_s is not None:
                out.append((seen.unseen_s[0], early or Watched(seen)))
                out[-1][1].last, early = seen, None
            continue
        if now is None:
            now, first_hand_s, bank = early or Watched(seen), t_s, _bank(made, t_s, seen)
            now.deceived, early = deceived, None
        now.last = seen
        now.codes |= {finding.code for finding in seen.findings}
        # As the markers lay when the round was opened: the next banker gets the chung early.
        now.check(procedure.observed(seen.observed, bank))
        if not now.moments or now.moments[-1][1] is not seen.moment:
            now.moments.append((t_s, seen.moment))
        for hand in seen.hands:
            _keep_verified(now.lays.setdefault(hand.place, []), hand)
        if seen.over:
            out.append((first_hand_s, now))
            now, deceived = None, []
    return [*out, (first_hand_s, now)] if now is not None else out


def _dealt(seen: Seen) -> int:
    """The number of places that were seen to get their tiles."""
    return sum(len(each.boxes) for _, each in seen.observed if isinstance(each, TilesDealt))


def _procedure(made: Script, conventions: Conventions) -> Procedure:
    """The rulebook of a session."""
    book = rulebook(made.options.rulebook).playing_variant(made.options.variant)
    return Procedure(book, conventions.order, side_wagers=made.options.side_wagers)


def _bank(made: Script, t_s: float, seen: Seen) -> KnownBank:
    """The bank of the current round as a person says it; under the House the camera says where chung and button lie."""
    truth = next((each for each in made.rounds if t_s <= each.end_s), made.rounds[-1])
    other_cut = True if any(each.data.get("said") for each in truth.exceptions if each.kind == "other-cut") else None
    box, button = truth.course.bank_box, truth.course.dealt.button or 0
    if truth.course.method is Bank.HOUSE and seen.markers is not None:
        banker, button = seen.markers.banker, seen.markers.adjusted or 0
        return KnownBank(truth.course.method, None if banker is None else banker.box, button, other_cut)
    return KnownBank(truth.course.method, box, button, other_cut)


def _mixing(truth: RoundTruth) -> tuple[float, float]:
    """Time span of mixing and stacking; read only once a second, to save time."""
    return truth.start_s, next(each.t_s for each in truth.happenings if each.kind == "stacked")


def _keep_verified(lays: list[Lay], hand: HandHistory) -> None:
    last = hand.lays[-1] if hand.lays else None
    if last is not None and last.hand.status == "verified" and (not lays or lays[-1].pairs != last.pairs):
        lays.append(last)
