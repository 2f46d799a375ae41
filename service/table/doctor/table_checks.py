"""Checks of the table: its rulebook, its calibration, its camera and the camera's picture."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from itertools import islice
from math import inf
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from calibration.drift.reference import load_reference
from calibration.files.calibration_file import CalibrationError, load_calibration
from service.rounds.judge.rules_in_force import TableRules
from service.table.doctor.diagnosis import Diagnosis
from service.table.learning.tile_model import own_tiles
from service.table.rules_of_settings import rules_fault
from service.table.source import calibration_of, inspector_of, open_table, open_timeout_s
from service.words.diagnoses import MADE, DiagnosisCode
from service.words.findings import english, words_of, words_of_error
from vision.capture import BadFrame, Frame, SourceError
from vision.enrolment.dice_file import DiceError, load_dice
from vision.enrolment.enrolment_file import EnrolmentError, load_enrolment
from vision.learning.errors import LearningError
from vision.markers.face import LEAST_PRINT_PX
from vision.markers.markers_file import MarkersError, load_markers
from vision.networks.model_card import ModelError, sha256_of
from vision.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from calibration.files.calibration_file import TableCalibration
    from calibration.files.seal import Seal
    from service.system.settings import Config
    from vision.markers.own_markers import OwnMarkers

OLD: Final = timedelta(days=180)
"""Age from which a calibration is worth a `calibrate check`."""
PATIENCE_S: Final = 20.0
"""Longest wait for a camera's first picture."""
_BAD_AT_MOST: Final = 5
_OF_THE_PICTURE: Final = frozenset({"too_dark", "too_bright", "blurred"})


def rulebook(config: Config) -> Diagnosis:
    table = config.table
    if (fault := rules_fault(table)) is not None:
        return Diagnosis.of(DiagnosisCode.RULEBOOK_UNUSABLE, why=fault.why)
    rules = TableRules.of(table.rulebook, table.house_way, config.page.zone, table.variant).now
    return Diagnosis.of(DiagnosisCode.RULEBOOK_WELL, rulebook=rules.rulebook, house_way=rules.house_way.rulebook)


def calibration(config: Config, now: datetime | None = None) -> Diagnosis:
    """Check that the calibration's file is unaltered, and has its picture of the empty table."""
    path = config.table.calibration
    if path is None:
        code = DiagnosisCode.CALIBRATION_SIMULATED if _is_simulated(config) else DiagnosisCode.CALIBRATION_NONE
        return Diagnosis.of(code)
    try:
        loaded = load_calibration(path)
        empty = load_reference(path, loaded)
    except CalibrationError as error:
        return Diagnosis.of(DiagnosisCode.CALIBRATION_UNUSABLE, why=error)
    about: dict[str, Any] = {"name": path.name, "width": loaded.size[0], "height": loaded.size[1]}
    if loaded.seal is None:
        return Diagnosis.of(DiagnosisCode.CALIBRATION_NOT_SEALED, **about)
    about |= {"made": f"{loaded.seal.made_at:%Y-%m-%d}", "sha256": sha256_of(path)[:16], "days": OLD.days}
    if (now or datetime.now(UTC)) - loaded.seal.made_at > OLD:
        return Diagnosis.of(DiagnosisCode.CALIBRATION_OLD, **about)
    without = DiagnosisCode.CALIBRATION_WITHOUT_REFERENCE
    return Diagnosis.of(without if empty is None else DiagnosisCode.CALIBRATION_WELL, **about)


def _is_simulated(config: Config) -> bool:
    return config.table.source is not None and config.table.source.kind == "simulator"


def layout(config: Config) -> Diagnosis | None:
    """Check that the places of the table are consistent; None if the calibration itself cannot be used."""
    try:
        loaded = calibration_of(config)
    except (CalibrationError, SourceError):
        return None  # reported already
    if loaded is None:
        return Diagnosis.of(DiagnosisCode.LAYOUT_NONE)
    path = config.table.calibration
    if path is not None and (faults := loaded.faults):
        return Diagnosis.of(DiagnosisCode.LAYOUT_WRONG, why="; ".join(english(faults)), name=path.name)
    code = DiagnosisCode.LAYOUT_FROM_RIGHT if loaded.layout.numbered_from_right else DiagnosisCode.LAYOUT_FROM_LEFT
    boxes = " ".join(map(str, loaded.layout.boxes_counter_clockwise))
    return Diagnosis.of(code, boxes=boxes, side=loaded.pose.dealer_side)


def enrolment(config: Config) -> Diagnosis:
    """Check that the enrolment of the table's own tiles is usable, and belongs to the calibration."""
    path = config.table.enrolment
    if path is None:
        return Diagnosis.of(DiagnosisCode.ENROLMENT_NONE)
    if not path.exists():
        return Diagnosis.of(DiagnosisCode.ENROLMENT_NOT_THERE, path=path)
    try:
        learnt = load_enrolment(path)
    except EnrolmentError as error:
        return Diagnosis.of(DiagnosisCode.ENROLMENT_UNUSABLE, why=error)
    other = _of_other_calibration(config, learnt.calibration)
    return Diagnosis.of(
        DiagnosisCode.ENROLMENT_OF_OTHER_CALIBRATION if other else DiagnosisCode.ENROLMENT_WELL,
        name=path.name,
        tiles=len(learnt.tiles),
        pictures=learnt.pictures,
        made=_made(learnt.seal),
    )


def dice(config: Config) -> Diagnosis:
    """Check that the house's enrolled dice are usable, and belong to the calibration."""
    path = config.table.dice
    if path is None:
        return Diagnosis.of(DiagnosisCode.DICE_NONE)
    if not path.exists():
        return Diagnosis.of(DiagnosisCode.DICE_NOT_THERE, path=path)
    try:
        own = load_dice(path)
    except DiceError as error:
        return Diagnosis.of(DiagnosisCode.DICE_UNUSABLE, why=error)
    other = _of_other_calibration(config, own.calibration)
    return Diagnosis.of(
        DiagnosisCode.DICE_OF_OTHER_CALIBRATION if other else DiagnosisCode.DICE_WELL,
        name=path.name,
        throws=len(own.throws),
        made=_made(own.seal),
    )


def _of_other_calibration(config: Config, calibration: str | None) -> bool:
    """Whether something was learnt under another calibration than the table's; one that is unusable says so itself."""
    try:
        known = None if config.table.calibration is None else load_calibration(config.table.calibration).seal
    except CalibrationError:
        return False
    return known is not None and calibration not in (None, known.sha256)


def _made(seal: Seal | None) -> str:
    return "" if seal is None else MADE % {"made": f"{seal.made_at:%Y-%m-%d}", "sha256": seal.sha256[:16]}


def markers(config: Config) -> Diagnosis:
    """Check that the house's own markers are usable, belong to the calibration, and are large enough in pictures."""
    path = config.table.markers
    if path is None:
        return Diagnosis.of(DiagnosisCode.MARKERS_NONE)
    try:
        own = load_markers(path)
    except MarkersError as error:
        return Diagnosis.of(DiagnosisCode.MARKERS_UNUSABLE, why=error)
    names = " ".join(str(each.meaning) for each in own.markers)
    about: dict[str, Any] = {"name": path.name, "markers": names, "made": _made(own.seal)}
    try:
        table = None if config.table.calibration is None else load_calibration(config.table.calibration)
    except CalibrationError:
        table = None  # reported already
    if table is None:
        return Diagnosis.of(DiagnosisCode.MARKERS_WELL, **about)
    if table.seal is not None and own.calibration not in (None, table.seal.sha256):
        return Diagnosis.of(DiagnosisCode.MARKERS_OF_OTHER_CALIBRATION, **about)
    smallest, marker, place = min(_print_sizes(own, table), default=(inf, "", ""))
    if smallest < LEAST_PRINT_PX:
        small: dict[str, Any] = {"small": marker, "print_px": smallest, "place": place, "least_px": LEAST_PRINT_PX}
        return Diagnosis.of(DiagnosisCode.MARKERS_TOO_SMALL, **about, **small)
    return Diagnosis.of(DiagnosisCode.MARKERS_WELL, **about)


def _print_sizes(own: OwnMarkers, table: TableCalibration) -> Iterator[tuple[float, str, str]]:
    """Yield the height in pixels of the print of each marker at each box: pixels, marker, box."""
    for zone in table.layout.zones:
        if zone.place.box is not None:
            for each in own.markers:
                px_per_mm = float(table.px_per_mm(np.array([(*zone.center_mm, each.height_mm)]))[0])
                yield each.face.print_mm * px_per_mm, str(each.meaning), str(zone.place)


def source(config: Config, *, patience_s: float = PATIENCE_S) -> Iterator[Diagnosis]:
    """Check that the source gives pictures, in the calibration's size and from its pose, sharp and lit.

    Args:
        config: the settings with the table as the only one.
        patience_s: longest wait for the first picture of a camera or recording; a simulated table has as long as the
            service gives it.
    """
    if _is_simulated(config):
        patience_s = max(patience_s, open_timeout_s(config.table.watched))
    kind = config.table.watched.declared
    spec = "the network camera" if kind.form == "address" else config.table.watched.spec
    try:
        seen = _first(config, patience_s)
    except SourceError as error:
        yield Diagnosis.of(DiagnosisCode.SOURCE_UNKNOWN, why=words_of_error(error))
        return
    if seen is None:
        yield Diagnosis.of(kind.silent, source=spec, wait_s=patience_s)
        return
    if isinstance(seen, BadFrame):
        yield Diagnosis.of(kind.fault, why=words_of(seen.finding))
        return
    height, width = seen.image.shape[:2]
    yield Diagnosis.of(DiagnosisCode.SOURCE_WELL, source=spec, width=width, height=height)
    yield _picture(config, seen)


def _first(config: Config, patience_s: float) -> Frame | BadFrame | None:
    """Return the first good picture, or else the last fault; None on a timeout."""
    opened = open_table(config)
    found: SimpleQueue[Frame | BadFrame | None] = SimpleQueue()

    def look() -> None:
        last: Frame | BadFrame | None = None
        for last in islice(opened, _BAD_AT_MOST):
            if isinstance(last, Frame):
                break
        found.put(last)

    # A driver that hangs cannot be interrupted; its thread ends with the command.
    threading.Thread(target=look, name="doctor source", daemon=True).start()
    try:
        return found.get(timeout=patience_s)
    except Empty:
        return None
    finally:
        threading.Thread(target=opened.close, name="doctor source end", daemon=True).start()


def _picture(config: Config, frame: Frame) -> Diagnosis:
    """Check that a picture is fit to be read, by its content and compared with the empty table, if there is one."""
    loaded, faults, compared = None, [], False
    try:
        loaded = calibration_of(config)
        if loaded is not None:
            inspector = inspector_of(config, loaded)
            inspector.check_size(frame.image, frame.name)
            if compared := inspector.comparable:
                faults = [found.finding for found in inspector.examine(frame.image).faults]
        reading = Reader.load(config.models.weights, tiles=own_tiles(config.models_folder)).read(
            frame.image, calibration=loaded, name=frame.name
        )
    except CalibrationError as error:
        return Diagnosis.of(DiagnosisCode.PICTURE_NOT_CALIBRATED, why=error)
    except (ModelError, LearningError) as error:
        return Diagnosis.of(DiagnosisCode.PICTURE_NOT_READ, why=error)
    faults += [found for found in reading.findings if found.code in _OF_THE_PICTURE]
    code = DiagnosisCode.PICTURE_WELL if compared else DiagnosisCode.PICTURE_NOT_COMPARED
    return Diagnosis.of(
        DiagnosisCode.PICTURE_UNFIT if faults else code,
        why="; ".join(english(faults)),
        read_ms=reading.elapsed_ms["total"],
        tiles=len(reading.tiles),
        dice=len(reading.dice),
    )
