"""Progress of the set-up: its steps in order, and the checks of the first hand until it is verified."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from calibration.files.calibration_file import CalibrationError
from service.table.monitor.calibrating import CAMERA_PLACE, PLACES_CONFIRMED
from service.words.findings import words_of, words_of_error
from service.words.wording import words

if TYPE_CHECKING:
    from pathlib import Path

    from calibration.table.places import Place
    from service.record.store.record import Record
    from service.rounds.reports import HandReport, RoundReport
    from service.table.live_state import LiveState, TableState
    from service.table.monitor.calibrating import Calibrating
    from service.table.monitor.dice_watch import DiceWatch
    from service.table.monitor.set_watch import SetWatch
    from service.table.setup.set_up import SetUp
    from service.words.wording import Sayable
    from vision.enrolment.enrolment import Enrolment
    from vision.enrolment.own_dice import OwnDice
    from vision.reading import TileReading

StepName: TypeAlias = Literal["camera", "lens", "table", "places", "empty", "tiles", "dice", "hand"]
StepState: TypeAlias = Literal["done", "todo", "later", "fault"]

_ENTRIES: Final = 200
"""Number of calibration entries that are searched for the last act."""


@dataclass(frozen=True, slots=True)
class SetUpStep:
    """One step of the set-up.

    Attributes:
        name: of the step.
        state: ``later`` for an optional step.
        faults: of the step.
    """

    name: StepName
    state: StepState
    faults: tuple[Sayable, ...] = ()


def steps_of(
    setting_up: SetUp, live: LiveState, tiles: SetWatch | None, dice: DiceWatch | None, record: Record, table: str
) -> tuple[SetUpStep, ...]:
    """Return the steps of a table's set-up, in order; RecordUnavailableError."""
    calibrating = setting_up.calibrating
    in_use = calibrating.in_use
    hand = first_hand(live, calibrating)
    simulated = setting_up.simulated
    set_enrolled = _enrolled(None if tiles is None else tiles.path, None if tiles is None else tiles.enrolment)
    dice_enrolled = _enrolled(None if dice is None else dice.path, None if dice is None else dice.own)
    reference = in_use is not None and in_use.calibration.reference is not None
    return (
        _camera(setting_up, live),
        SetUpStep("lens", "done") if simulated else _lens(calibrating),
        _table(calibrating, live),
        SetUpStep("places", "done" if simulated or (in_use is not None and _places_seen(record, table)) else "todo"),
        SetUpStep("empty", "done" if simulated or reference else "todo"),
        SetUpStep("tiles", set_enrolled),
        SetUpStep("dice", dice_enrolled),
        SetUpStep("hand", "done" if hand is not None else "todo"),
    )


def _enrolled(path: Path | None, enrolled: Enrolment | OwnDice | None) -> StepState:
    """Whether tiles or dice are enrolled; they may wait until a file is named for them."""
    return "later" if path is None else "todo" if enrolled is None else "done"


def first_hand(live: LiveState, calibrating: Calibrating) -> RoundReport | None:
    """Return a recent round with a hand that was verified under the calibration in use; None without one."""
    in_use = calibrating.in_use
    if in_use is None:
        return None
    seal = in_use.calibration.seal
    return next(
        (
            played
            for played in live.state.recent
            if (seal is None or played.opened_at >= seal.made_at)
            and any(hand.status == "verified" for hand in played.hands)
        ),
        None,
    )


def _camera(setting_up: SetUp, live: LiveState) -> SetUpStep:
    if not setting_up.chosen:
        return SetUpStep("camera", "todo")
    wrong = [check for check in live.health() if not check.ok and check.name in {"source", "pictures"}]
    if wrong:
        return SetUpStep("camera", "fault", tuple(words_of(found) for check in wrong for found in check.findings))
    return SetUpStep("camera", "done" if live.state.view is not None else "todo")


def _lens(calibrating: Calibrating) -> SetUpStep:
    try:
        return SetUpStep("lens", "todo" if calibrating.lens is None else "done")
    except CalibrationError as error:
        return SetUpStep("lens", "fault", (words_of_error(error),))


def _table(calibrating: Calibrating, live: LiveState) -> SetUpStep:
    in_use = calibrating.in_use
    if in_use is None:
        return SetUpStep("table", "todo")
    moved = [check for check in live.state.checks if not check.ok and check.name == "camera"]
    if moved:
        return SetUpStep("table", "fault", tuple(words_of(found) for check in moved for found in check.findings))
    try:
        lens, quality = calibrating.lens, in_use.calibration.quality
    except CalibrationError:
        lens = quality = None
    # A lens that was calibrated afterwards is not in use yet.
    newer = lens is not None and quality is not None and lens.sha256 != quality.lens_sha256
    return SetUpStep("table", "todo" if newer else "done")


def _places_seen(record: Record, table: str) -> bool:
    """Return whether a person has checked the places, or the calibration was made elsewhere, with its places."""
    noted = [entry.data for entry in record.last(("calibration",), table=table, count=_ENTRIES)]
    acts = [one for one in noted if one.get("written", True)]
    if any(one["act"] == PLACES_CONFIRMED or one.get("places") for one in acts):
        return True
    return not any(one["act"] == CAMERA_PLACE and one["before"] is None for one in acts)


CheckName: TypeAlias = Literal["checks", "tiles", "faces", "hand", "verified"]
CheckOutcome: TypeAlias = Literal["passed", "waiting", "failed"]
_HAND: Final = 4


@dataclass(frozen=True, slots=True)
class HandCheck:
    """One condition of a first hand.

    Attributes:
        name: all monitors, four tiles at one box, their faces, both hands, agreeing pictures.
        outcome: ``waiting`` while nothing is wrong yet.
        reasons: against it.
        count: number of visible tiles, for the checks about tiles.
    """

    name: CheckName
    outcome: CheckOutcome
    reasons: tuple[Sayable, ...] = ()
    count: int = 0


@dataclass(frozen=True, slots=True)
class FirstHand:
    """The current state of the first hand.

    Attributes:
        place: where tiles lie; None if there are none at any box.
        checks: in order.
        faces: of the verified hand, low and then high; empty until it is verified.
    """

    place: Place | None
    checks: tuple[HandCheck, ...]
    faces: tuple[str, ...] = ()

    @property
    def verified(self) -> bool:
        return bool(self.faces)


def check_first_hand(live: LiveState, calibrating: Calibrating) -> FirstHand:
    """Check the first hand in the newest picture and in its round."""
    state = live.state
    done = first_hand(live, calibrating)
    hand = next((one for one in done.hands if one.status == "verified"), None) if done is not None else None
    place, tiles = _busiest(state)
    up = [tile for tile in tiles if tile.face_up]
    doubted = [words_of(found) for tile in tiles for found in tile.doubts]
    read = next(
        (one for one in (state.current.hands if state.current else ()) if place and one.place == str(place)), None
    )
    checks = [
        _monitors(live),
        HandCheck(
            "tiles", "passed" if len(tiles) == _HAND else "failed" if len(tiles) > _HAND else "waiting", (), len(tiles)
        ),
        HandCheck(
            "faces",
            "waiting" if len(up) < _HAND else "failed" if doubted else "passed",
            tuple(dict.fromkeys(doubted)),
            len(up),
        ),
        HandCheck("hand", "passed" if hand or read else "waiting"),
        _agreed(hand, read),
    ]
    return FirstHand(place, tuple(checks), () if hand is None else (*hand.low, *hand.high))


def _agreed(verified: HandReport | None, read: HandReport | None) -> HandCheck:
    """Check whether enough pictures agree: of the verified hand, or of the hand now read at the place."""
    if verified is not None:
        return HandCheck("verified", "passed")
    if read is None:
        return HandCheck("verified", "waiting")
    if read.status == "verified":
        before = words(
            "This round started before the last change of the calibration, so it does not count: take the tiles away, "
            "wait until the round has ended, and lay them again."
        )
        return HandCheck("verified", "failed", (before,))
    return HandCheck("verified", "failed", tuple(map(words_of, read.doubts)))


def _monitors(live: LiveState) -> HandCheck:
    """Check everything that a verified result needs besides a good picture."""
    wrong = tuple(words_of(found) for check in live.health() if not check.ok for found in check.findings)
    return HandCheck("checks", "failed" if wrong else "passed", wrong)


def _busiest(state: TableState) -> tuple[Place | None, list[TileReading]]:
    tiles = () if state.reading is None else state.reading.tiles
    at: dict[Place, list[TileReading]] = {}
    for tile in tiles:
        if tile.place is not None and tile.place.has_hand:
            at.setdefault(tile.place, []).append(tile)
    if not at:
        return None, []
    place = max(at, key=lambda one: len(at[one]))
    return place, at[place]
