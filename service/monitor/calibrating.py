"""The calibration of a table while it is used: as it is, held against pictures, and changed on a person's word.

The commands of ``houseway calibrate`` and the page share what is here. What is changed is recorded before the file is
written; the file it replaces is kept beside it, and the table is read by the new one from the next picture on.
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
from calibration.lens.lens_fit import save_lens
from calibration.solved import NotSolved
from calibration.table.markers import find_markers
from calibration.table.presets import layout_faults, preset_layout
from calibration.table.table_fit import solve_pose
from service.monitor.calibrations_kept import InUse, Kept, kept_beside, version_of
from service.monitor.inspection import Inspector, lasting
from service.monitor.lens_in_use import calibrated, lens_for
from service.record.store.entries import Draft
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
    from service.monitor.inspection import Fault, Inspection
    from service.monitor.lens_in_use import LensQuality
    from service.record.changes import Attribution
    from service.record.store.record import Record
    from service.table.snapshots import Snapshot, Snapshots
    from vision.capture.images import Image

_LOOKS: Final = 3
"""Pictures that a check looks at: what most of them show is reported, a sleeve that passes is not."""
_WAIT_S: Final = 10.0
CAMERA_PLACE: Final = "place of the camera"
EMPTY_TABLE: Final = "picture of the empty table"
LENS: Final = "lens"
PLACES_CONFIRMED: Final = "places confirmed"
"""What entries of the record say was done, beside ``places moved: ...``."""
_Done = TypeVar("_Done")


class CalibrationRefusedError(WordedError, CalibrationError):
    """The calibration cannot be checked or changed so."""


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
        lens_file: where a lens is kept that was calibrated in the page; it need not be there.
        preset: the layout to begin with where there is no calibration yet.
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
        self._in_use = None if calibration is None else InUse(calibration, version_of(path))
        self._inspector: Inspector | None = None

    @property
    def in_use(self) -> InUse | None:
        """What the table is read by; None without a calibration."""
        return self._in_use

    @property
    def is_stale(self) -> bool:
        """Whether the file says otherwise than what is used: somebody has calibrated while the service ran."""
        return self._in_use is not None and version_of(self.path) != self._in_use.version

    @property
    def version(self) -> str:
        """Of what the table is read by; empty without a calibration."""
        return "" if self._in_use is None else self._in_use.version

    @property
    def lens(self) -> LensQuality | None:
        """The lens that the table is calibrated with; None if none was calibrated yet; CalibrationError."""
        return lens_for(self.lens_file, None if self._in_use is None else self._in_use.calibration)

    @property
    def layout(self) -> Layout:
        """The places of the table; those to begin with where there is no calibration yet."""
        return preset_layout(self.preset) if self._in_use is None else self._in_use.calibration.layout

    def kept(self) -> tuple[Kept, ...]:
        """What was used before, newest first."""
        return kept_beside(self.path)

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
            raise CalibrationRefusedError(words("The camera gives no picture now; see the page Health."))
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
            known = self._changeable(version) or self._known()
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
        found = solve_pose(points_px, points_mm, self._lens_or_refuse().lens)
        if isinstance(found, NotSolved):
            raise CalibrationRefusedError(
                words("The position of the camera could not be calculated: %(why)s", why=words_of_unsolved(found))
            )
        return found

    def put_pose(
        self, points_px: NDArray[np.float64], points_mm: NDArray[np.float64], version: str, because: Attribution
    ) -> None:
        """Say where the camera hangs; the next picture is kept as that of the empty table.

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
        told = {"points_px": np.round(points_px, 2).tolist(), "points_mm": np.round(points_mm, 2).tolist()}
        # Where markers lay was measured from the camera's old place.
        self._put_fit(fit, (), version, because, told, self._taken().image)

    def put_markers(self, found: TableFit, version: str, because: Attribution) -> None:
        """Say where the camera hangs by markers that it sees; a picture of the empty table is to be taken then.

        Raises:
            CalibrationError: it cannot be, and nothing was changed.
            RecordUnavailableError: it cannot be recorded, so nothing was changed.
        """
        told = {"markers": [marker.number for marker in found.markers]}
        self._put_fit(found.fit, found.markers, version, because, told)

    def put_empty(self, taken: Snapshot, version: str, because: Attribution) -> None:
        """Keep a picture as that of the empty table; markers that it does not show are no longer looked for.

        Raises:
            CalibrationError: it cannot be, and nothing was changed.
            RecordUnavailableError: it cannot be recorded, so nothing was changed.
        """
        with self._lock:
            known = self._changeable(version) or self._known()
            known.check_size((taken.image.shape[1], taken.image.shape[0]), "the camera's picture")
            there = find_markers(taken.image)
            stay = tuple(marker for marker in known.markers if marker.number in there)
            told = {"markers": [marker.number for marker in stay]}
            self._write(replace(known, markers=stay), because, EMPTY_TABLE, told, empty=taken.image)

    def put_lens(self, fit: LensFit, because: Attribution) -> None:
        """Keep a lens; the table is calibrated by it from the next time on.

        Raises:
            CalibrationError: it cannot be written, and nothing was changed.
            RecordUnavailableError: it cannot be recorded, so nothing was changed.
        """
        file = self.lens_file
        if file is None:
            raise CalibrationRefusedError(words("The calibration of a simulated table cannot be changed."))
        told = {"rms_px": round(fit.rms_px, 4), "hold_out_px": round(fit.hold_out_px, 4), "views": len(fit.per_view_px)}
        with self._lock:
            self._recorded(LENS, because, told, lambda: save_lens(file, fit))

    def confirm_places(self, version: str, because: Attribution) -> None:
        """Note that the places are right as they are; CalibrationError, RecordUnavailableError."""
        with self._lock:
            known = self._changeable(version) or self._known()
            told = {"box1_at_dealers_right": known.layout.numbered_from_right}
            self._recorded(PLACES_CONFIRMED, because, told, lambda: None)

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
        told: Mapping[str, object],
        empty: Image | None = None,
    ) -> None:
        lens = self._lens_or_refuse()
        with self._lock:
            self._changeable(version)
            made = calibrated(lens, fit, self.layout, markers)
            if empty is not None:
                made.check_size((empty.shape[1], empty.shape[0]), "the camera's picture")
            told = {**told, "residual_mm": np.round(fit.residual_mm, 3).tolist()}
            self._write(made, because, CAMERA_PLACE, told, empty=empty)

    def _lens_or_refuse(self) -> LensQuality:
        if (lens := self.lens) is None:
            raise CalibrationRefusedError(words("Calibrate the lens first."))
        return lens

    def _known(self) -> TableCalibration:
        if self._in_use is None:
            raise CalibrationRefusedError(words("This table has no calibration: see docs/calibration.md."))
        return self._in_use.calibration

    def _changeable(self, version: str) -> TableCalibration | None:
        """What is in use, if it may be changed by who was shown that version of it; None if nothing is yet."""
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
        told: Mapping[str, object],
        moved: Sequence[str] = (),
        *,
        empty: Image | None = None,
    ) -> None:
        path = self.path
        if path is None:
            raise CalibrationRefusedError(words("The calibration of a simulated table cannot be changed."))

        def write() -> InUse:
            kept = made if empty is None else replace(made, reference=save_reference(path, empty))
            save_calibration(path, kept)
            return InUse(load_calibration(path), version_of(path))

        first = self._in_use is None
        used = self._recorded(act, because, {"before": self.version or None, "moved": list(moved), **told}, write)
        # The first is named in the settings next, with which the service begins anew.
        if not first:
            self._in_use = used
            self._use(used.calibration, used.version)

    def _recorded(self, act: str, because: Attribution, told: Mapping[str, object], do: Callable[[], _Done]) -> _Done:
        """Do something once it is recorded; that it could not be done is recorded too."""
        if not because.reason.strip():
            raise CalibrationRefusedError(words("Give a reason: every change is recorded with one."))
        said = {"by": because.by, "reason": because.reason.strip()[:500], "before": None, "moved": [], **told}
        self._record.append(Draft("calibration", {**said, "act": act}, table=self._table, subject=self._table))
        try:
            return do()
        except (OSError, CalibrationError) as error:
            body = {**said, "act": f"not written ({act})", "reason": str(error), "written": False}
            self._record.append(Draft("calibration", body, table=self._table, subject=self._table))
            why = words_of_error(error)
            raise CalibrationRefusedError(
                words("%(file)s cannot be written, so nothing was changed: %(why)s", file=self.path, why=why)
            ) from None

    def _able(self) -> Inspector:
        known = self._known()
        with self._lock:
            if self._inspector is None or self._inspector.calibration is not known:
                empty = None if self.path is None else load_reference(self.path, known)
                self._inspector = Inspector.of(known, empty)
            return self._inspector


def _told(zone: Zone) -> dict[str, object]:
    return {"center_mm": zone.center_mm, "size_mm": zone.size_mm, "angle_deg": zone.angle_deg}
