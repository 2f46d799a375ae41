"""The table: its rulebook, its calibration, its camera and what that sees."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Final

from calibration.drift.reference import load_reference
from calibration.files.calibration_file import CalibrationError, load_calibration
from engine.errors import EngineError
from service.judge.house_way_choice import house_way_of
from service.monitor.doctor.finding import Finding, fail, warn, well
from service.monitor.inspection import Inspector
from service.table.source import open_table
from service.words.findings import english
from vision.capture import BadFrame, Frame, SourceError
from vision.enrolment.enrolment_file import EnrolmentError, load_enrolment
from vision.networks.model_card import ModelError
from vision.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from calibration.files.seal import Seal
    from service.config.settings import Config

OLD: Final = timedelta(days=180)
"""A calibration that nobody has looked at for so long is worth a `calibrate check`."""
PATIENCE_S: Final = 20.0
"""How long a camera may take to its first picture."""
_BAD_AT_MOST: Final = 5
_OF_THE_PICTURE: Final = frozenset({"too_dark", "too_bright", "blurred"})


def rulebook(config: Config) -> Finding:
    """Whether hands can be judged."""
    try:
        way = house_way_of(config.table.rulebook, config.table.house_way)
    except EngineError as error:
        return fail("rulebook", str(error), "name another in table.rulebook or table.house_way")
    return well("rulebook", f"{way.played_under}, House Way {way.rulebook}")


def calibration(config: Config, now: datetime | None = None) -> Finding:
    """Whether the calibration's file is what was written, with its picture of the empty table."""
    path = config.table.calibration
    if path is None:
        return warn(
            "calibration",
            "none is named: no places, no millimetres, and no hand is ever verified",
            "calibrate the table (docs/calibration.md) and name the file in table.calibration",
        )
    try:
        loaded = load_calibration(path)
        empty = load_reference(path, loaded)
    except CalibrationError as error:
        return fail("calibration", str(error), "restore the file from `history` beside it, or calibrate again")
    told = f"{path.name}, {loaded.size[0]} x {loaded.size[1]}"
    if loaded.seal is None:
        return well("calibration", f"{told}, of a form without date and hash")
    told += _made(loaded.seal)
    if (now or datetime.now(UTC)) - loaded.seal.made_at > OLD:
        return warn("calibration", f"{told}: more than {OLD.days} days old", "run `houseway calibrate check`")
    if empty is None:
        return warn(
            "calibration",
            f"{told}: without a picture of the empty table, light and focus cannot be compared",
            "make it with `houseway calibrate table` over the empty table",
        )
    return well("calibration", told)


def enrolment(config: Config) -> Finding:
    """Whether what was learnt of the table's own tiles can be used, and belongs to the calibration."""
    path = config.table.enrolment
    if path is None:
        return well("enrolment", "no set of tiles is enrolled: one tile exchanged for another of its face goes unseen")
    if not path.exists():
        return warn(
            "enrolment", f"{path} is not there yet", "enrol the set on the page under Tiles (docs/enrolment.md)"
        )
    try:
        learnt = load_enrolment(path)
        known = None if config.table.calibration is None else load_calibration(config.table.calibration).seal
    except EnrolmentError as error:
        return fail("enrolment", str(error), "restore the file from `history` beside it, or enrol again")
    except CalibrationError:
        known = None  # told already
    told = f"{path.name}, {len(learnt.tiles)} tiles from {learnt.pictures} pictures"
    if learnt.seal is not None:
        told += _made(learnt.seal)
    if known is not None and learnt.calibration not in (None, known.sha256):
        return warn(
            "enrolment", f"{told}: learnt under another calibration", "have the set checked at the next display"
        )
    return well("enrolment", told)


def _made(seal: Seal) -> str:
    """When a file was made, and its hash."""
    return f", made {seal.made_at:%Y-%m-%d}, sha256:{seal.sha256[:16]}"


def source(config: Config, *, patience_s: float = PATIENCE_S) -> Iterator[Finding]:
    """Whether pictures come, in the calibration's size, from where it was made, sharp and lit."""
    spec = config.source.spec if config.source.kind != "rtsp" else "the network camera"
    try:
        seen = _first(config, patience_s)
    except SourceError as error:
        yield fail("source", str(error), "name what there is under [source]")
        return
    if seen is None:
        yield fail(
            "source", f"{spec}: no picture within {patience_s:.0f} s", "see cable, power and address of the camera"
        )
        return
    if isinstance(seen, BadFrame):
        yield fail("source", seen.message, "see cable, power and address of the camera, and that nobody else uses it")
        return
    height, width = seen.image.shape[:2]
    yield well("source", f"{spec}: pictures of {width} x {height}")
    yield _picture(config, seen)


def _first(config: Config, patience_s: float) -> Frame | BadFrame | None:
    """The first good picture, the last fault if there is none, or None if nothing comes in time."""
    opened = open_table(config)
    told: SimpleQueue[Frame | BadFrame | None] = SimpleQueue()

    def look() -> None:
        last: BadFrame | None = None
        for number, seen in enumerate(opened, start=1):
            if isinstance(seen, Frame):
                told.put(seen)
                return
            last = seen
            if number == _BAD_AT_MOST:
                break
        told.put(last)

    # A driver that hangs cannot be interrupted; its thread is left behind and ends with the command.
    threading.Thread(target=look, name="doctor source", daemon=True).start()
    try:
        return told.get(timeout=patience_s)
    except Empty:
        return None
    finally:
        threading.Thread(target=opened.close, name="doctor source end", daemon=True).start()


def _picture(config: Config, frame: Frame) -> Finding:
    """Whether a picture is fit to be read, from what lies in it and, if there is one, against the empty table."""
    remedy = "see light, lens and camera; `houseway calibrate check FILE SOURCE` draws what it finds"
    path, loaded, faults, compared = config.table.calibration, None, [], False
    try:
        if path is not None:
            loaded = load_calibration(path)
            loaded.check_size((frame.image.shape[1], frame.image.shape[0]), frame.name)
            inspector = Inspector.load(path, loaded)
            if compared := inspector.able:
                faults = [found.finding for found in inspector.inspect(frame.image).faults]
        reading = Reader.load().read(frame.image, calibration=loaded, name=frame.name)
    except CalibrationError as error:
        return fail("picture", str(error), "set the camera's size back, or calibrate again")
    except ModelError as error:
        return fail("picture", str(error), "see the models above")
    faults += [found for found in reading.findings if found.code in _OF_THE_PICTURE]
    told = f"read in {reading.elapsed_ms['total']:.0f} ms: {len(reading.tiles)} tiles, {len(reading.dice)} dice"
    if faults:
        return fail("picture", f"{'; '.join(english(faults))} ({told})", remedy)
    if not compared:
        return well(
            "picture", f"{told}; whether the camera moved cannot be told without markers or an empty table's picture"
        )
    return well("picture", f"lit, sharp and from where the camera was calibrated; {told}")
