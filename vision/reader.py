"""The pipeline from a picture to a reading: detect, crop, classify, measure, decode, assemble."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from time import perf_counter
from typing import TYPE_CHECKING, Final, Self, TypeVar

import cv2
import numpy as np
import onnxruntime

from engine.vocabulary.play import Lie
from vision.checks import (
    FEWEST_FOR_MEDIAN,
    Light,
    sharpness,
    sharpness_findings,
)
from vision.detect.detections import KINDS
from vision.detect.detector import Detector
from vision.detect.scale_search import of_one_scale
from vision.dice.die_pips import CROP_SHAPE as DIE_SHAPE
from vision.dice.die_pips import read_dice
from vision.dice.die_roles import roles_by_colour
from vision.enrolment.enrolment import LEAST_SHARP
from vision.findings import Code, Finding
from vision.hand_grouping import Conventions, hands_at_places, hands_by_nearness
from vision.markers.finder import MarkerFinder
from vision.networks.classifier import (
    DICE_CLASSES,
    LEAN_CLASSES,
    TILE_CLASSES,
    DiceClassifier,
    LeanClassifier,
    TileClassifier,
)
from vision.networks.runtime import default_weights, load_model
from vision.object_readings import OwnTiles, PictureFaults, dice_readings, tile_readings
from vision.observing import Networks, observe
from vision.placing import in_play, table_region, tile_length_px
from vision.reading import DieReading, HandReading, Reading, TileReading
from vision.steady_camera import Setting, SteadyCamera
from vision.tiles.pips import CROP_SHAPE as TILE_SHAPE
from vision.tiles.pips import read_tiles
from vision.tiles.set_decoding import decode
from vision.verification import LEAST_SCORE, weighed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from calibration.files.calibration_file import TableCalibration
    from vision.arrays import Mask
    from vision.detect.detections import Detections, FindsObjects
    from vision.enrolment.enrolment import Enrolment
    from vision.enrolment.own_dice import OwnDice
    from vision.markers.own_markers import OwnMarkers
    from vision.networks.classifier import EstimatesLean, NamesTiles, ReadsDice
    from vision.observing import Observed

_LEAST_PROBABILITY: Final = 1e-9
_Object = TypeVar("_Object", TileReading, DieReading)


class _Watch:
    """Times the stages of one reading."""

    def __init__(self) -> None:
        self._start = self._last = perf_counter()
        self.elapsed_ms: dict[str, float] = {}

    def lap(self, stage: str) -> None:
        """Add the time since the last lap to a stage."""
        now = perf_counter()
        self.elapsed_ms[stage] = round((now - self._last) * 1e3, 3)
        self.elapsed_ms["total"] = round((now - self._start) * 1e3, 3)
        self._last = now


class Reader:
    """Reads pictures of a Pai Gow table.

    Args:
        detector: detects tiles and dice.
        name_tiles: classifies tile crops.
        name_dice: reads the value of die crops.
        estimate_lean: estimates which dice lean.
        versions: of these, by name.
        low_hand: how low hands lie at the tables it reads, as seen by their dealers.
    """

    def __init__(
        self,
        detector: FindsObjects,
        name_tiles: NamesTiles,
        name_dice: ReadsDice,
        estimate_lean: EstimatesLean,
        versions: dict[str, str],
        low_hand: Lie = Lie.VERTICAL,
    ) -> None:
        self._detector = detector
        self._networks = Networks(name_tiles, name_dice, estimate_lean)
        self._enrolment: Enrolment | None = None
        self._dice: OwnDice | None = None
        self._low_hand = low_hand
        self._markers: MarkerFinder | None = None
        self._steady: SteadyCamera | None = None
        self.versions = {**_library_versions(), **versions}

    @classmethod
    def load(
        cls,
        weights: Path | None = None,
        threads: int = 2,
        tiles: Path | None = None,
        low_hand: Lie = Lie.VERTICAL,
        *,
        sparing: bool = False,
    ) -> Self:
        """Load the four models.

        Args:
            weights: folder with the ONNX files and their cards; None for the default.
            threads: threads for one run of a model.
            tiles: folder of the tile classifier, if a table has its own (docs/learning.md).
            low_hand: how low hands lie at the tables it reads, as seen by their dealers.
            sparing: whether to use less memory at the expense of time; readings are identical.

        Raises:
            ModelError: a model is missing, altered or not the one expected.
        """
        folder = weights if weights is not None else default_weights()
        classes = {"detector": KINDS, "tiles": TILE_CLASSES, "dice": DICE_CLASSES, "lean": LEAN_CLASSES}
        models = {
            name: load_model(where / f"{name}.onnx", name=name, classes=known, threads=threads, sparing=sparing)
            for name, known in classes.items()
            for where in [tiles if name == "tiles" and tiles is not None else folder]
        }
        # The second readers compute their patterns once, OpenCV its colour tables; not while a picture waits.
        read_tiles(np.zeros((1, *TILE_SHAPE), np.uint8))
        read_dice(np.zeros((1, *DIE_SHAPE), np.uint8))
        roles_by_colour([(0.0, 0.0, 0.0)] * 4)
        return cls(
            Detector(models["detector"], sparing=sparing),
            TileClassifier(models["tiles"]),
            DiceClassifier(models["dice"]),
            LeanClassifier(models["lean"]),
            {name: f"sha256:{model.card.sha256}" for name, model in models.items()},
            low_hand=low_hand,
        )

    def steady(self) -> Self:
        """A reader for consecutive pictures of one stationary camera; only changes are read."""
        other = copy(self)
        other._steady = SteadyCamera(self._detector)  # noqa: SLF001 - its own class
        return other

    def enrolled(self, enrolment: Enrolment | None) -> Self:
        """A reader for the pictures of one table that compares them with that table's own tiles."""
        other = copy(self)
        other._enrolment = enrolment  # noqa: SLF001 - its own class
        return other

    def throwing(self, own: OwnDice | None) -> Self:
        """A reader for the pictures of one table that compares dice with that table's own."""
        other = copy(self)
        other._dice = own  # noqa: SLF001 - its own class
        return other

    def marked(self, own: OwnMarkers | None) -> Self:
        """A reader for the pictures of one table that also detects its own markers."""
        other = copy(self)
        other._markers = None if own is None else MarkerFinder(own)  # noqa: SLF001 - its own class
        return other

    def read(
        self,
        image: NDArray[np.uint8],
        *,
        calibration: TableCalibration | None = None,
        empty: NDArray[np.uint8] | None = None,
        hands: bool = True,
        name: str = "",
        t_s: float | None = None,
    ) -> Reading:
        """Read one picture.

        Args:
            image: (height, width, 3) uint8 BGR, as displayed.
            calibration: of the camera that took it; None for a plain photograph of unknown scale.
            empty: the camera's picture of the empty table, (height, width, 3) uint8; print visible there is ignored.
                None if there is no such picture.
            hands: whether to assemble hands; for consecutive pictures ``vision.tracking`` does so over time, and the
                reading has neither hands nor findings about layouts at places.
            name: of the picture, for the reading.
            t_s: capture time, in monotonic seconds. A steady reader that gets it reads only changes; None to read
                everything.

        Raises:
            CalibrationError: the calibration is for pictures of another size.
        """
        if calibration is not None:
            calibration.check_size((image.shape[1], image.shape[0]), name or "the picture")
        # Likeness needs the scale.
        enrolment = self._enrolment if calibration is not None else None
        watch = _Watch()
        setting = Setting(calibration, None if calibration is None else empty, self._versions_with(enrolment), hands)
        found = self._found(image, setting, t_s)
        before, same = None, np.full(len(found), -1)
        if self._steady is not None:
            before, same = self._steady.same(found, setting, tile_length_px(calibration), t_s)
        light = Light.of(image)
        reading = None if self._steady is None else self._steady.unchanged(same, light.findings())
        if reading is None:
            seen = observe(image, setting.empty, found, self._networks, calibration, watch.lap, before, same)
            crops, up = seen.tiles.cut.crops, seen.tiles.up
            health = (*light.findings(), *sharpness_findings(crops), *_softer(crops[up], enrolment))
            reading = self._put_together(image, seen, same < 0, health, light, setting, enrolment)
            if self._steady is not None:
                self._steady.remember(seen, same, reading, tile_length_px(calibration), light.findings())
            watch.lap("hands")
        else:
            watch.lap("detect")
        markers = None
        if self._markers is not None and calibration is not None:
            markers = self._markers.find(image, calibration)
            watch.lap("markers")
        repeated = self._steady is not None and self._steady.repeated
        return replace(reading, image=name, elapsed_ms=watch.elapsed_ms, markers=markers, repeated=repeated)

    def _found(self, image: NDArray[np.uint8], setting: Setting, t_s: float | None) -> Detections:
        calibration = setting.calibration
        scale, region = tile_length_px(calibration), table_region(calibration)
        if self._steady is None:
            found = self._detector.detect(image, scale, region)
        else:
            found = self._steady.detect(image, scale, region, t_s)
        if calibration is not None:
            return found.take(in_play(found, calibration))
        return of_one_scale(image, found, self._networks.tiles, self._networks.dice)

    def _put_together(
        self,
        image: NDArray[np.uint8],
        seen: Observed,
        fresh: Mask,
        health: tuple[Finding, ...],
        light: Light,
        setting: Setting,
        enrolment: Enrolment | None,
    ) -> Reading:
        """Combine all observations of a picture; the candidates (n,) in ``fresh`` were read from this picture."""
        calibration = setting.calibration
        tiles, dice, tile_mm = seen.tiles, seen.dice, seen.tile_mm
        faces, up = tiles.cut.faces, tiles.up
        both = weighed(faces[up], [pips for pips, shown in zip(tiles.pips, up, strict=True) if shown])
        of_set = tiles.of_set(tile_mm, calibrated=calibration is not None)[up]
        named, findings = decode(np.log(np.maximum(both, _LEAST_PROBABILITY)), of_set)
        sifted, size = seen.sifted(), (image.shape[1], image.shape[0])
        faults = PictureFaults.of(
            tiles, size, None if calibration is None else tile_mm, health, light.brightest, sifted
        )
        own = OwnTiles.of(image, calibration, enrolment, self._dice)
        tiles_read, foreign = tile_readings(tiles, named, faults, calibration, own)
        known = None if calibration is None else Conventions.of(calibration, self._low_hand)
        laid, lay_findings = _hands(tiles_read, faults.of_lay, known, tile_mm[0]) if setting.hands else ([], [])
        dice_read = list(dice_readings(dice, faults, own, calibration))
        marked_tiles = _marked_fresh(tiles_read, fresh[tiles.cut.source])
        marked_dice = _marked_fresh(dice_read, fresh[dice.source])
        return Reading(
            image="",
            size=size,
            calibrated=calibration is not None,
            single_frame=True,
            tiles=marked_tiles,
            dice=marked_dice,
            hands=tuple(laid),
            findings=(
                *health,
                *findings,
                *foreign,
                *(Finding(Code.FOREIGN_DIE) for die in dice_read if die.own == "foreign"),
                *lay_findings,
                *_prints(sifted.prints, calibration),
                *_nothing(marked_tiles, marked_dice),
            ),
            versions=setting.versions,
            elapsed_ms={},
        )

    def _versions_with(self, enrolment: Enrolment | None) -> dict[str, str]:
        """Versions of everything that read the picture, including what was enrolled."""
        versions = dict(self.versions)
        if enrolment is not None:
            versions["enrolment"] = enrolment.version
        if self._dice is not None:
            versions["own_dice"] = self._dice.version
        if self._markers is not None:
            versions["markers"] = self._markers.own.version
        return versions


def _marked_fresh(read: list[_Object], fresh: Mask) -> tuple[_Object, ...]:
    """Tiles or dice (n,), each marked with whether it was read from this picture."""
    return tuple(each if now else replace(each, fresh=False) for each, now in zip(read, fresh.tolist(), strict=True))


def _library_versions() -> dict[str, str]:
    try:
        ours = version("houseway")
    except PackageNotFoundError:
        ours = "not installed"
    return {"houseway": ours, "opencv": cv2.__version__, "onnxruntime": onnxruntime.__version__}


def _softer(crops: NDArray[np.uint8], enrolment: Enrolment | None) -> list[Finding]:
    """A finding if the open tiles (n, 96, 48, 3) are less sharp than at enrolment."""
    if enrolment is None or len(crops) < FEWEST_FOR_MEDIAN:
        return []
    share = sharpness(crops) / max(enrolment.sharpness, 1e-6)
    if share >= LEAST_SHARP:
        return []
    return [Finding.of(Code.DEFOCUSED, tiles=round(100 * share))]


def _hands(
    tiles: list[TileReading], faulty: set[int], conventions: Conventions | None, tile_length_mm: float
) -> tuple[list[HandReading], list[Finding]]:
    """The hands, by place if the places are known."""
    if conventions is None:
        return hands_by_nearness(tiles, faulty)
    return hands_at_places(tiles, faulty, conventions, tile_length_mm)


def _prints(prints: Detections, calibration: TableCalibration | None) -> tuple[Finding, ...]:
    """Findings for print on the table that would pass for a tile or a die; barely detected print is ignored."""
    if calibration is None:
        return ()
    middles = calibration.to_plane(prints.centre_px[prints.score >= LEAST_SCORE].astype(np.float64), 0.0)
    places = {calibration.place_of(x, y) for x, y in middles.tolist()}
    named_places = sorted(place for place in places if place is not None)
    elsewhere = (Finding(Code.PRINTED_ON_TABLE),) if None in places else ()
    return (*(Finding.of(Code.PRINTED_ON_TABLE, place=str(place)) for place in named_places), *elsewhere)


def _nothing(tiles: Sequence[TileReading], dice: Sequence[DieReading]) -> tuple[Finding, ...]:
    """A finding if the picture shows neither tile nor die."""
    return () if tiles or dice else (Finding(Code.NOTHING_FOUND),)
