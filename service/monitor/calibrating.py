"""The calibration of a table while it is used: as it is, held against pictures, and changed on a person's word.

The commands of ``houseway calibrate`` and the page share what is here. What is changed is recorded before the file is
written; the file it replaces is kept beside it, and the table is read by the new one from the next picture on.
"""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from calibration.drift.reference import load_reference, save_reference
from calibration.files.calibration_file import (
    CalibrationError,
    Quality,
    TableCalibration,
    load_calibration,
    save_calibration,
)
from calibration.files.seal import HISTORY
from calibration.solved import NotSolved
from calibration.table.presets import layout_faults
from calibration.table.table_fit import solve_pose
from service.monitor.inspection import Inspector, lasting
from service.record.store.entries import Draft
from service.words.findings import words_of, words_of_error, words_of_unsolved
from service.words.wording import Joined, WordedError, sentence, words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from pathlib import Path

    from numpy.typing import NDArray

    from calibration.files.calibration_file import Marker
    from calibration.lens.projection import Lens
    from calibration.table.table_fit import PoseFit
    from calibration.table.zones import Layout, Zone
    from service.monitor.inspection import Fault, Inspection
    from service.record.changes import Attribution
    from service.record.store.record import Record
    from service.table.snapshots import Snapshot, Snapshots
    from vision.capture.images import Image

_LOOKS: Final = 3
"""Pictures that a check looks at: what most of them show is reported, a sleeve that passes is not."""
_WAIT_S: Final = 10.0
_KEPT_SHOWN: Final = 20


class CalibrationRefusedError(WordedError, CalibrationError):
    """The calibration cannot be checked or changed so."""


@dataclass(frozen=True, slots=True)
class LensQuality:
    """The lens that a calibration is made with, and how well it is known.

    Attributes:
        lens: the lens.
        size: width and height of the pictures it is for, pixels.
        sha256: of its file.
        rms_px: its error on its own views.
        hold_out_px: its error on views it was not made from.
    """

    lens: Lens
    size: tuple[int, int]
    sha256: str
    rms_px: float
    hold_out_px: float


def calibrated(known: LensQuality, fit: PoseFit, layout: Layout, markers: tuple[Marker, ...] = ()) -> TableCalibration:
    """A calibration from a lens, the camera's place over the table, and the table's places; without a picture yet."""
    left_out = None if fit.left_out_mm is None else float(fit.left_out_mm.max())
    worst = float(fit.residual_mm.max())
    return TableCalibration(
        size=known.size,
        lens=known.lens,
        pose=fit.pose,
        layout=layout,
        dealer_side=fit.pose.dealer_side,
        markers=markers,
        quality=Quality(known.sha256, known.rms_px, known.hold_out_px, len(fit.residual_mm), worst, left_out),
    )


@dataclass(frozen=True, eq=False, slots=True)
class InUse:
    """What the table is read by.

    Attributes:
        calibration: the calibration.
        version: SHA-256 of its file, as the results name it; empty without a file.
    """

    calibration: TableCalibration
    version: str


@dataclass(frozen=True, slots=True)
class Kept:
    """A calibration that was used before.

    Attributes:
        name: of its file in ``history``.
        made_at: when it was made, UTC; None if it does not say.
        quality: how well it was known; None if it does not say.
    """

    name: str
    made_at: datetime | None
    quality: Quality | None


@dataclass(frozen=True, eq=False, slots=True)
class Checked:
    """The calibration held against pictures of this moment.

    Attributes:
        snapshot: the picture that shows what was found.
        inspection: what it says.
        faults: what most of the pictures show.
    """

    snapshot: Snapshot
    inspection: Inspection
    faults: tuple[Fault, ...]


class Calibrating:
    """The calibration of the running table.

    Args:
        path: its file; None if the settings name none.
        calibration: what was read from it; None without one.
        record: where changes are recorded.
        table: the table's name.
        pictures: where the camera's pictures are had.
        use: has the table read by another calibration of that version.
    """

    def __init__(
        self,
        path: Path | None,
        calibration: TableCalibration | None,
        record: Record,
        table: str,
        pictures: Snapshots,
        use: Callable[[TableCalibration, str], None],
    ) -> None:
        self.path = path
        self._record = record
        self._table = table
        self._pictures = pictures
        self._use = use
        self._lock = threading.Lock()
        self._in_use = None if calibration is None else InUse(calibration, _version(path))
        self._inspector: Inspector | None = None

    @property
    def in_use(self) -> InUse | None:
        """What the table is read by; None without a calibration."""
        return self._in_use

    @property
    def is_stale(self) -> bool:
        """Whether the file says otherwise than what is used: somebody has calibrated while the service ran."""
        return self._in_use is not None and _version(self.path) != self._in_use.version

    def kept(self) -> tuple[Kept, ...]:
        """What was used before, newest first."""
        if self.path is None:
            return ()
        files = sorted((self.path.parent / HISTORY).glob(f"{self.path.stem}-*{self.path.suffix}"), reverse=True)
        return tuple(map(_kept, files[:_KEPT_SHOWN]))

    def picture(self) -> Snapshot | None:
        """The camera's next picture; None if there is none in time."""
        return self._pictures.take(_WAIT_S)

    def check(self) -> Checked:
        """Hold the calibration against what the camera shows now.

        Raises:
            CalibrationError: there is nothing to compare with, or no picture.
        """
        inspector = self._able()
        if not inspector.able:
            raise CalibrationRefusedError(
                words(
                    "There are neither markers nor a picture of the empty table to compare with: calibrate the table "
                    "again."
                )
            )
        seen = [(taken, inspector.examine(taken.image)) for _ in range(_LOOKS) if (taken := self.picture()) is not None]
        if not seen:
            raise CalibrationRefusedError(words("The camera gives no picture just now; the page Health says more."))
        index, faults = lasting([inspection for _, inspection in seen])
        return Checked(*seen[index], faults)

    def put_places(self, layout: Layout, version: str, because: Attribution) -> None:
        """Give the table other places.

        Args:
            layout: all of them.
            version: of the calibration that the person was shown.
            because: who wants it, and why.

        Raises:
            CalibrationError: it cannot be, and nothing was changed.
            RecordUnavailableError: it cannot be recorded, so nothing was changed.
        """
        # From which end the boxes are numbered is what the places now say, whatever it was before.
        layout = replace(layout, box1_at_dealers_right=None)
        if faults := layout_faults(layout):
            raise CalibrationRefusedError(Joined([*map(words_of, faults)], sentence("; ")))
        layout = replace(layout, box1_at_dealers_right=layout.numbered_from_right)
        with self._lock:
            known = self._changeable(version)
            before = {zone.name: zone for zone in known.layout.all_zones}
            now = {zone.name: zone for zone in layout.all_zones}
            moved = sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))
            if not moved:
                raise CalibrationRefusedError(words("No place was changed."))
            told = {name: None if (zone := now.get(name)) is None else _told(zone) for name in moved}
            self._write(
                replace(known, layout=layout), because, f"places moved: {', '.join(moved)}", {"places": told}, moved
            )

    def solve(self, points_px: NDArray[np.float64], points_mm: NDArray[np.float64]) -> PoseFit:
        """Where the camera hangs, from points of the picture and where they lie on the table.

        Raises:
            CalibrationError: they do not say.
        """
        known = self._known()
        found = solve_pose(points_px, points_mm, known.lens)
        if isinstance(found, NotSolved):
            raise CalibrationRefusedError(
                words("The camera's place is not solved: %(why)s", why=words_of_unsolved(found))
            )
        return found

    def put_pose(
        self, points_px: NDArray[np.float64], points_mm: NDArray[np.float64], version: str, because: Attribution
    ) -> None:
        """Say anew where the camera hangs; the next picture is kept as that of the empty table.

        Args:
            points_px: (n, 2) float64, pixels.
            points_mm: (n, 3) float64, table frame.
            version: of the calibration that the person was shown.
            because: who wants it, and why.

        Raises:
            CalibrationError: it cannot be, and nothing was changed.
            RecordUnavailableError: it cannot be recorded, so nothing was changed.
        """
        fit = self.solve(points_px, points_mm)
        taken = self.picture()
        if taken is None:
            raise CalibrationRefusedError(
                words("The camera gives no picture just now to keep as that of the empty table.")
            )
        with self._lock:
            known = self._changeable(version)
            known.check_size((taken.image.shape[1], taken.image.shape[0]), "the camera's picture")
            # Where markers lay was measured from the camera's old place.
            made = calibrated(_lens(known), fit, known.layout)
            if known.quality is None:
                made = replace(made, quality=None)  # how good the lens is, nobody knows
            told = {
                "points_px": np.round(points_px, 2).tolist(),
                "points_mm": np.round(points_mm, 2).tolist(),
                "residual_mm": np.round(fit.residual_mm, 3).tolist(),
            }
            self._write(made, because, "place of the camera", told, empty=taken.image)

    def _known(self) -> TableCalibration:
        if self._in_use is None:
            raise CalibrationRefusedError(words("This table is read without a calibration: see docs/calibration.md."))
        return self._in_use.calibration

    def _changeable(self, version: str) -> TableCalibration:
        known = self._known()
        if self.path is None:
            raise CalibrationRefusedError(words("The calibration of a simulated table has no file to be changed."))
        if self.is_stale:
            raise CalibrationRefusedError(
                words(
                    "%(file)s was changed since the service was started: start the service again to use it.",
                    file=self.path,
                )
            )
        if self._in_use is not None and version != self._in_use.version:
            raise CalibrationRefusedError(
                words("The calibration was changed meanwhile: load the page anew and look at it first.")
            )
        return known

    def _write(
        self,
        made: TableCalibration,
        because: Attribution,
        act: str,
        told: dict[str, object],
        moved: Sequence[str] = (),
        *,
        empty: Image | None = None,
    ) -> None:
        if self.path is None or not because.reason.strip():
            raise CalibrationRefusedError(words("Say why: every change is recorded with its reason."))
        before = None if self._in_use is None else self._in_use.version
        said = {"by": because.by, "reason": because.reason.strip()[:500], "before": before, "moved": list(moved)}
        self._record.append(Draft("calibration", {**said, **told, "act": act}, table=self._table, subject=self._table))
        try:
            if empty is not None:
                made = replace(made, reference=save_reference(self.path, empty))
            save_calibration(self.path, made)
            used = InUse(load_calibration(self.path), _version(self.path))
        except (OSError, CalibrationError) as error:
            body = {**said, "act": f"not written ({act})", "reason": str(error), "written": False}
            self._record.append(Draft("calibration", body, table=self._table, subject=self._table))
            why = words_of_error(error)
            raise CalibrationRefusedError(
                words("%(file)s cannot be written, so nothing was changed: %(why)s", file=self.path, why=why)
            ) from None
        self._in_use = used
        self._use(used.calibration, used.version)

    def _able(self) -> Inspector:
        known = self._known()
        with self._lock:
            if self._inspector is None or self._inspector.calibration is not known:
                empty = None if self.path is None else load_reference(self.path, known)
                self._inspector = Inspector.of(known, empty)
            return self._inspector


def _lens(known: TableCalibration) -> LensQuality:
    """The lens of a calibration that was made before."""
    if (said := known.quality) is None:
        return LensQuality(known.lens, known.size, "", 0.0, 0.0)
    return LensQuality(known.lens, known.size, said.lens_sha256, said.lens_rms_px, said.lens_hold_out_px)


def _version(path: Path | None) -> str:
    try:
        return "" if path is None else hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def _kept(file: Path) -> Kept:
    try:
        known = load_calibration(file)
    except CalibrationError:
        return Kept(file.name, None, None)
    return Kept(file.name, None if known.seal is None else known.seal.made_at, known.quality)


def _told(zone: Zone) -> dict[str, object]:
    return {"center_mm": zone.center_mm, "size_mm": zone.size_mm, "angle_deg": zone.angle_deg}
