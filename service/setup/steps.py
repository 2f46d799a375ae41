"""How far the set-up of a table is: its steps in their order, each with its state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from calibration.files.calibration_file import CalibrationError
from service.monitor.calibrating import CAMERA_PLACE, PLACES_CONFIRMED
from service.words.findings import words_of, words_of_error

if TYPE_CHECKING:
    from service.monitor.calibrating import Calibrating
    from service.monitor.set_watch import SetWatch
    from service.record.store.record import Record
    from service.rounds.reports import RoundReport
    from service.setup.set_up import SetUp
    from service.table.live_state import LiveState
    from service.words.wording import Sayable

StepName: TypeAlias = Literal["camera", "lens", "table", "places", "empty", "tiles", "hand"]
State: TypeAlias = Literal["done", "todo", "later", "fault"]

_ENTRIES: Final = 200
"""Entries of the record that are looked through for what was done last."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step.

    Attributes:
        name: which.
        state: ``later`` for one that may be left out.
        faults: what is wrong with it.
    """

    name: StepName
    state: State
    faults: tuple[Sayable, ...] = ()


def steps_of(
    setting_up: SetUp, live: LiveState, tiles: SetWatch | None, record: Record, table: str
) -> tuple[Step, ...]:
    """The steps of a table's set-up; RecordUnavailableError."""
    calibrating = setting_up.calibrating
    in_use = calibrating.in_use
    hand = first_hand(live, calibrating)
    enrolment: State = "later" if tiles is None or tiles.path is None else "todo" if tiles.enrolment is None else "done"
    reference = in_use is not None and in_use.calibration.reference is not None
    return (
        _camera(setting_up, live),
        _lens(calibrating),
        _table(calibrating, live),
        Step("places", "done" if in_use is not None and _places_seen(record, table) else "todo"),
        Step("empty", "done" if reference else "todo"),
        Step("tiles", enrolment),
        Step("hand", "done" if hand is not None else "todo"),
    )


def first_hand(live: LiveState, calibrating: Calibrating) -> RoundReport | None:
    """A round with a hand that was verified under the calibration in use; None if there is none yet."""
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


def _camera(setting_up: SetUp, live: LiveState) -> Step:
    if not setting_up.chosen:
        return Step("camera", "todo")
    wrong = [check for check in live.health() if not check.ok and check.name in {"source", "pictures"}]
    if wrong:
        return Step("camera", "fault", tuple(words_of(found) for check in wrong for found in check.findings))
    return Step("camera", "done" if live.state.view is not None else "todo")


def _lens(calibrating: Calibrating) -> Step:
    try:
        return Step("lens", "todo" if calibrating.lens is None else "done")
    except CalibrationError as error:
        return Step("lens", "fault", (words_of_error(error),))


def _table(calibrating: Calibrating, live: LiveState) -> Step:
    in_use = calibrating.in_use
    if in_use is None:
        return Step("table", "todo")
    moved = [check for check in live.state.checks if not check.ok and check.name == "camera"]
    if moved:
        return Step("table", "fault", tuple(words_of(found) for check in moved for found in check.findings))
    try:
        lens, quality = calibrating.lens, in_use.calibration.quality
    except CalibrationError:
        lens = quality = None
    # A lens that was calibrated since is not yet used.
    newer = lens is not None and quality is not None and lens.sha256 != quality.lens_sha256
    return Step("table", "todo" if newer else "done")


def _places_seen(record: Record, table: str) -> bool:
    """Whether somebody has looked at the places; those of a calibration that was made elsewhere were chosen there."""
    told = [entry.data for entry in record.last(("calibration",), table=table, count=_ENTRIES)]
    acts = [one for one in told if one.get("written", True)]
    if any(one["act"] == PLACES_CONFIRMED or one.get("places") for one in acts):
        return True
    return not any(one["act"] == CAMERA_PLACE and one["before"] is None for one in acts)
