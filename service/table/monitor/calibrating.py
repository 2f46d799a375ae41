"""The calibration of a running table: in use, compared with pictures, and changed by a person.

The commands of ``houseway calibrate`` and the page share this module. A change is recorded before the file is written;
the replaced file is kept beside it, and the table is read with the new calibration from the next picture on.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np

from calibration.drift.reference import load_reference, save_reference
from calibration.files.calibration_file import (
    CalibrationError,
    TableCalibration,
    load_calibration,
    save_calibration,
)
from calibration.finding import NotSolved
from calibration.lens.lens_fit import save_lens
from calibration.table.markers import find_markers
from calibration.table.presets import layout_faults, preset_layout
from calibration.table.table_fit import solve_pose
from service.record.store.entries import Draft
from service.table.monitor.calibrations import (
    CalibrationInUse,
    EarlierCalibration,
    calibrated,
    earlier_calibrations,
    file_version,
    lens_for,
)
from service.table.monitor.inspection import Inspector, majority_faults
from service.words.findings import words_of, words_of_error, words_of_unsolved
from service.words.wording import Joined, WordedError, sentence, words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from calibration.files.calibration_file import Marker
    from calibration.lens.lens_fit import LensFit
    from calibration.table.markers import TableFit
    from calibration.table.table_fit import PoseFit
    from calibration.table.zones import Layout, Zone
    from service.record.changes import Attribution
    from service.record.store.record import Record
    from service.table.live_pictures import Snapshot, Snapshots
    from service.table.monitor.calibrations import LensQuality
    from service.table.monitor.inspection import Inspection, InspectionFault
    from vision.capture.images import Image

_LOOKS: Final = 3
"""Number of pictures in a check: what most of them show is reported, a passing sleeve is not."""
_WAIT_S: Final = 10.0
CAMERA_PLACE: Final = "place of the camera"
EMPTY_TABLE: Final = "picture of the empty table"
LENS: Final = "lens"
PLACES_CONFIRMED: Final = "places confirmed"
"""Acts in entries of the record, besides ``places moved: ...``."""
_Done = TypeVar("_Done")


class CalibrationRefusedError(WordedError, CalibrationError):
    """The calibration cannot be checked or changed like this."""


@dataclass(frozen=True, eq=False, slots=True)
class CalibrationCheck:
    """The calibration compared with current pictures.

    Attributes:
        snapshot: the picture that shows the faults.
        inspection: of that picture.
        faults: in most of the pictures.
    """

    snapshot: Snapshot
    inspection: Inspection
    faults: tuple[InspectionFault, ...]


class Calibrating:
    """The calibration of the running table.

    Args:
        path: its file; None if the settings name none.
        calibration: loaded from it; None without one.
        record: receives the changes.
        table: the table's name.
        pictures: source of the camera's pictures.
        use: called with a new calibration and its version, to read the table with it.
        lens_file: file of a lens calibrated in the page; need not exist.
        preset: the initial layout of a table without calibration.
    """

    def __init__(
        self,
        path: Path | None,
        calibration: TableCalibration | None,
        record: Record,
        table: str,
        pictures: Snapshots,
        use: Callable[[TableCalibration, str], None],
        lens_file: Path | None = None,
        preset: str = "crown-a",
    ) -> None:
        self.path = path
        self._record = record
        self._table = table
        self._pictures = pictures
        self._use = use
        self.lens_file = lens_file
        self.preset = preset
        self._lock = threading.Lock()
        self._in_use = None if calibration is None else CalibrationInUse(calibration, file_version(path))
        self._inspector: Inspector | None = None

    @property
    def in_use(self) -> CalibrationInUse | None:
        """The calibration in use; None without one."""
        return self._in_use

    @property
    def is_stale(self) -> bool:
        """Whether the file was changed while the service ran."""
        return self._in_use is not None and file_version(self.path) != self._in_use.version

    @property
    def version(self) -> str:
        """Version of the calibration in use; empty without one."""
        return "" if self._in_use is None else self._in_use.version

    @property
    def lens(self) -> LensQuality | None:
        """The lens to calibrate the table with; None if none was calibrated yet. CalibrationError."""
        return lens_for(self.lens_file, None if self._in_use is None else self._in_use.calibration)

    @property
    def layout(self) -> Layout:
        """The places of the table; those of the preset without a calibration."""
        return preset_layout(self.preset) if self._in_use is None else self._in_use.calibration.layout

    def earlier(self) -> tuple[EarlierCalibration, ...]:
        """Return the calibrations used before, newest first."""
        return earlier_calibrations(self.path)

    def picture(self) -> Snapshot | None:
        """Return the camera's next picture; None on a timeout."""
        return self._pictures.take(_WAIT_S)

    def check(self) -> CalibrationCheck:
        """Compare the calibration with the camera's current pictures.

        Raises:
            CalibrationError: there is nothing to compare with, or no picture.
        """
        inspector = self._current_inspector()
        if not inspector.comparable:
            raise CalibrationRefusedError(
                words(
                    "There are neither markers nor a picture of the empty table to compare with: calibrate the table "
                    "again."
                )
            )
        seen = [(taken, inspector.examine(taken.image)) for _ in range(_LOOKS) if (taken := self.picture()) is not None]
        if not seen:
            raise CalibrationRefusedError(words("The camera gives no picture now; see the page Health."))
        index, faults = majority_faults([inspection for _, inspection in seen])
        return CalibrationCheck(*seen[index], faults)

    def put_places(self, layout: Layout, version: str, because: Attribution) -> None:
        """Change the places of the table.

        Args:
            layout: all places.
            version: of the calibration that the person has seen.
            because: who changes it, and why.

        Raises:
            CalibrationError: the change is impossible; nothing was changed.
            RecordUnavailableError: the change cannot be recorded; nothing was changed.
        """
        # The new places determine from which end the boxes are numbered.
        layout = replace(layout, box1_at_dealers_right=None)
        if faults := layout_faults(layout):
            raise CalibrationRefusedError(Joined([*map(words_of, faults)], sentence("; ")))
        layout = replace(layout, box1_at_dealers_right=layout.numbered_from_right)
        with self._lock:
            known = self._changeable(version) or self._known()
            before = {zone.name: zone for zone in known.layout.all_zones}
            now = {zone.name: zone for zone in layout.all_zones}
            moved = sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))
            if not moved:
                raise CalibrationRefusedError(words("No place was changed."))
            places = {name: None if (zone := now.get(name)) is None else _encoded(zone) for name in moved}
            self._write(
                replace(known, layout=layout), because, f"places moved: {', '.join(moved)}", {"places": places}, moved
            )

    def solve(self, points_px: NDArray[np.float64], points_mm: NDArray[np.float64]) -> PoseFit:
        """Solve the camera's pose from points of the picture and their positions on the table.

        Raises:
            CalibrationError: the points do not determine it.
        """
        found = solve_pose(points_px, points_mm, self._lens_or_refuse().lens)
        if isinstance(found, NotSolved):
            raise CalibrationRefusedError(
                words("The position of the camera could not be calculated: %(why)s", why=words_of_unsolved(found))
            )
        return found

    def put_pose(
        self, points_px: NDArray[np.float64], points_mm: NDArray[np.float64], version: str, because: Attribution
    ) -> None:
        """Set the camera's pose; the next picture becomes that of the empty table.

        Args:
            points_px: (n, 2) float64, pixels.
            points_mm: (n, 3) float64, table frame.
            version: of the calibration that the person has seen.
            because: who changes it, and why.

        Raises:
            CalibrationError: the change is impossible; nothing was changed.
            RecordUnavailableError: the change cannot be recorded; nothing was changed.
        """
        fit = self.solve(points_px, points_mm)
        points = {"points_px": np.round(points_px, 2).tolist(), "points_mm": np.round(points_mm, 2).tolist()}
        # The positions of markers were measured with the camera's old pose.
        self._put_fit(fit, (), version, because, points, self._taken().image)

    def put_markers(self, found: TableFit, version: str, because: Attribution) -> None:
        """Set the camera's pose from visible markers; :meth:`put_empty` must follow.

        Raises:
            CalibrationError: the change is impossible; nothing was changed.
            RecordUnavailableError: the change cannot be recorded; nothing was changed.
        """
        markers = {"markers": [marker.number for marker in found.markers]}
        self._put_fit(found.fit, found.markers, version, because, markers)

    def put_empty(self, taken: Snapshot, version: str, because: Attribution) -> None:
        """Save a picture as that of the empty table; markers that it does not show are no longer expected.

        Raises:
            CalibrationError: the change is impossible; nothing was changed.
            RecordUnavailableError: the change cannot be recorded; nothing was changed.
        """
        with self._lock:
            known = self._changeable(version) or self._known()
            known.check_size((taken.image.shape[1], taken.image.shape[0]), "the camera's picture")
            there = find_markers(taken.image)
            stay = tuple(marker for marker in known.markers if marker.number in there)
            numbers = {"markers": [marker.number for marker in stay]}
            self._write(replace(known, markers=stay), because, EMPTY_TABLE, numbers, empty=taken.image)

    def put_lens(self, fit: LensFit, because: Attribution) -> None:
        """Save a lens, which later calibrations of the table use.

        Raises:
            CalibrationError: the lens cannot be written; nothing was changed.
            RecordUnavailableError: the change cannot be recorded; nothing was changed.
        """
        file = self.lens_file
        if file is None:
            raise CalibrationRefusedError(words("The calibration of a simulated table cannot be changed."))
        lens = {"rms_px": round(fit.rms_px, 4), "hold_out_px": round(fit.hold_out_px, 4), "views": len(fit.per_view_px)}
        with self._lock:
            self._recorded(LENS, because, lens, lambda: save_lens(file, fit))

    def confirm_places(self, version: str, because: Attribution) -> None:
        """Record that the present places are right; CalibrationError, RecordUnavailableError."""
        with self._lock:
            known = self._changeable(version) or self._known()
            numbering = {"box1_at_dealers_right": known.layout.numbered_from_right}
            self._recorded(PLACES_CONFIRMED, because, numbering, lambda: None)

    def _taken(self) -> Snapshot:
        taken = self.picture()
        if taken is None:
            raise CalibrationRefusedError(
                words("The camera gives no picture now, so none of the empty table can be saved.")
            )
        return taken

    def _put_fit(
        self,
        fit: PoseFit,
        markers: tuple[Marker, ...],
        version: str,
        because: Attribution,
        details: Mapping[str, object],
        empty: Image | None = None,
    ) -> None:
        lens = self._lens_or_refuse()
        with self._lock:
            self._changeable(version)
            made = calibrated(lens, fit, self.layout, markers)
            if empty is not None:
                made.check_size((empty.shape[1], empty.shape[0]), "the camera's picture")
            details = {**details, "residual_mm": np.round(fit.residual_mm, 3).tolist()}
            self._write(made, because, CAMERA_PLACE, details, empty=empty)

    def _lens_or_refuse(self) -> LensQuality:
        if (lens := self.lens) is None:
            raise CalibrationRefusedError(words("Calibrate the lens first."))
        return lens

    def _known(self) -> TableCalibration:
        if self._in_use is None:
            raise CalibrationRefusedError(words("This table has no calibration: see docs/calibration.md."))
        return self._in_use.calibration

    def _changeable(self, version: str) -> TableCalibration | None:
        """Return the calibration in use, or None; CalibrationError if it is not of this version or not changeable."""
        if self.path is None:
            raise CalibrationRefusedError(words("The calibration of a simulated table cannot be changed."))
        if self.is_stale:
            raise CalibrationRefusedError(
                words(
                    "%(file)s has changed since the service started: restart the service to use it.",
                    file=self.path,
                )
            )
        if version != self.version:
            raise CalibrationRefusedError(
                words("Somebody else has changed the calibration: load the page again and check it first.")
            )
        return None if self._in_use is None else self._in_use.calibration

    def _write(
        self,
        made: TableCalibration,
        because: Attribution,
        act: str,
        details: Mapping[str, object],
        moved: Sequence[str] = (),
        *,
        empty: Image | None = None,
    ) -> None:
        path = self.path
        if path is None:
            raise CalibrationRefusedError(words("The calibration of a simulated table cannot be changed."))

        def write() -> CalibrationInUse:
            saved = made if empty is None else replace(made, reference=save_reference(path, empty))
            save_calibration(path, saved)
            return CalibrationInUse(load_calibration(path), file_version(path))

        first = self._in_use is None
        used = self._recorded(act, because, {"before": self.version or None, "moved": list(moved), **details}, write)
        # The first calibration comes into use when the settings name it and the service restarts.
        if not first:
            self._in_use = used
            self._use(used.calibration, used.version)

    def _recorded(
        self, act: str, because: Attribution, details: Mapping[str, object], do: Callable[[], _Done]
    ) -> _Done:
        """Record an act, and do it; a failure is recorded too."""
        if not because.reason.strip():
            raise CalibrationRefusedError(words("Give a reason: every change is recorded with one."))
        noted = {"by": because.by, "reason": because.reason.strip()[:500], "before": None, "moved": [], **details}
        self._record.append(Draft("calibration", {**noted, "act": act}, table=self._table, subject=self._table))
        try:
            return do()
        except (OSError, CalibrationError) as error:
            body = {**noted, "act": f"not written ({act})", "reason": str(error), "written": False}
            self._record.append(Draft("calibration", body, table=self._table, subject=self._table))
            why = words_of_error(error)
            raise CalibrationRefusedError(
                words("%(file)s cannot be written, so nothing was changed: %(why)s", file=self.path, why=why)
            ) from None

    def _current_inspector(self) -> Inspector:
        known = self._known()
        with self._lock:
            if self._inspector is None or self._inspector.calibration is not known:
                empty = None if self.path is None else load_reference(self.path, known)
                self._inspector = Inspector.of(known, empty)
            return self._inspector


def _encoded(zone: Zone) -> dict[str, object]:
    return {"center_mm": zone.center_mm, "size_mm": zone.size_mm, "angle_deg": zone.angle_deg}
