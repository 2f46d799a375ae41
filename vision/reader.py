"""A picture becomes a reading: find, cut out, name, measure, decode, put together. Nothing else happens here."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import PackageNotFoundError, version
from time import perf_counter
from typing import TYPE_CHECKING, Final, Self

import cv2
import numpy as np
import onnxruntime

from engine.vocabulary.play import Lie
from vision.checks import (
    FEWEST_FOR_MEDIAN,
    picture_health,
    sharpness,
)
from vision.detect.detections import DIE, KINDS
from vision.detect.detector import Detector
from vision.detect.motion_gate import MotionGatedDetector
from vision.detect.prints import Sifted
from vision.detect.scale_search import of_one_scale
from vision.dice.dice_reader import observe_dice
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
from vision.placing import in_play, table_region, tile_length_px
from vision.reading import DieReading, HandReading, Reading, TileReading
from vision.tiles.phantom_tiles import phantom_tiles
from vision.tiles.pips import CROP_SHAPE as TILE_SHAPE
from vision.tiles.pips import read_tiles
from vision.tiles.set_decoding import decode
from vision.tiles.tile_reader import observe_tiles
from vision.verification import LEAST_SCORE, weighed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from calibration.files.calibration_file import TableCalibration
    from vision.detect.detections import Detections, FindsObjects
    from vision.enrolment.enrolment import Enrolment
    from vision.markers.own_markers import OwnMarkers
    from vision.networks.classifier import NamesTiles, ReadsDice, TellsLeaning

_LEAST_PROBABILITY: Final = 1e-9


class _Watch:
    """Times the stages of one reading."""

    def __init__(self) -> None:
        self._start = self._last = perf_counter()
        self.elapsed_ms: dict[str, float] = {}

    def lap(self, stage: str) -> None:
        """Book the time since the last lap to a stage."""
        now = perf_counter()
        self.elapsed_ms[stage] = round((now - self._last) * 1e3, 3)
        self.elapsed_ms["total"] = round((now - self._start) * 1e3, 3)
        self._last = now


class Reader:
    """Reads pictures of a Pai Gow table.

    Args:
        detector: finds tiles and dice.
        name_tiles: names the face of tile crops.
        name_dice: reads the value of die crops.
        tell_leaning: tells which dice lean.
        versions: what these are, by name.
        enrolment: the table's own tiles, if it reads one table only.
        low_hand: how low hands lie at the tables it reads, as their dealers see them.
        markers: finds that table's own markers, if any are enrolled.
    """

    def __init__(
        self,
        detector: FindsObjects,
        name_tiles: NamesTiles,
        name_dice: ReadsDice,
        tell_leaning: TellsLeaning,
        versions: dict[str, str],
        enrolment: Enrolment | None = None,
        low_hand: Lie = Lie.VERTICAL,
        markers: MarkerFinder | None = None,
    ) -> None:
        self._detector = detector
        self._name_tiles = name_tiles
        self._name_dice = name_dice
        self._tell_leaning = tell_leaning
        self._enrolment = enrolment
        self._low_hand = low_hand
        self._markers = markers
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
            weights: folder with the ONNX files and their cards; None for the usual place.
            threads: threads for one run of a model.
            tiles: folder of the tile classifier, where a table has one of its own (docs/learning.md).
            low_hand: how low hands lie at the tables it reads, as their dealers see them.
            sparing: whether memory matters more than time; what it reads is the same.

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
        # The second readers draw their patterns once, OpenCV its tables of colours; not while a picture waits.
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
        """A reader for the pictures of one camera that stands still, in their order; it looks where they change."""
        networks = self._name_tiles, self._name_dice, self._tell_leaning
        gated = MotionGatedDetector(self._detector)
        return type(self)(gated, *networks, self.versions, self._enrolment, self._low_hand, self._markers)

    def enrolled(self, enrolment: Enrolment | None) -> Self:
        """A reader for the pictures of one table, which holds what it sees against that table's own tiles."""
        networks = self._name_tiles, self._name_dice, self._tell_leaning
        return type(self)(self._detector, *networks, self.versions, enrolment, self._low_hand, self._markers)

    def marked(self, own: OwnMarkers | None) -> Self:
        """A reader for the pictures of one table, which also finds that table's own markers."""
        networks = self._name_tiles, self._name_dice, self._tell_leaning
        finder = None if own is None else MarkerFinder(own)
        return type(self)(self._detector, *networks, self.versions, self._enrolment, self._low_hand, finder)

    def read(
        self,
        image: NDArray[np.uint8],
        *,
        calibration: TableCalibration | None = None,
        empty: NDArray[np.uint8] | None = None,
        enrolment: Enrolment | None = None,
        hands: bool = True,
        name: str = "",
    ) -> Reading:
        """Read one picture.

        Args:
            image: (height, width, 3) uint8 BGR, as displayed.
            calibration: of the camera that took it; None for a plain photograph of unknown scale.
            empty: what that camera saw of the empty table, (height, width, 3) uint8; what it shows already is print
                and left out. None if there is no such picture.
            enrolment: the table's own tiles; None for the reader's own, if it has one. Without a calibration it is left
                alone, for likeness needs the scale.
            hands: whether hands are put together; where pictures follow one another ``vision.tracking`` does so, over
                time, and the reading has neither hands nor findings about how tiles lie at places.
            name: of the picture, for the reading.

        Raises:
            CalibrationError: the calibration is for pictures of another size.
        """
        size = (image.shape[1], image.shape[0])
        if calibration is not None:
            calibration.check_size(size, name or "the picture")
        enrolment = (enrolment or self._enrolment) if calibration is not None else None
        watch = _Watch()
        found = self._detector.detect(image, tile_length_px(calibration), table_region(calibration))
        if calibration is not None:
            found = found.take(in_play(found, calibration))
        else:
            found = of_one_scale(image, found, self._name_tiles, self._name_dice)
        sifted = Sifted.of(image, None if calibration is None else empty, found)
        found = sifted.real
        watch.lap("detect")
        # The networks and OpenCV let go of Python's lock, so most of what the dice take passes beside the tiles.
        with ThreadPoolExecutor(1, "dice") as beside:
            looked = beside.submit(
                observe_dice,
                image,
                found.take(found.kind == DIE),
                self._name_dice,
                self._tell_leaning,
                calibration,
            )
            seen = observe_tiles(image, found.take(found.kind != DIE), self._name_tiles, calibration, watch.lap)
            dice = looked.result()
        if calibration is None and not (seen.convincing or dice.convincing):
            # Where nothing is surely a tile or a die, the doubtful ones are stars, leaves or print.
            seen, dice = seen.take(np.zeros_like(seen.up)), dice.take(np.zeros(len(dice.pips), np.bool_))
        watch.lap("dice")
        cut, up = seen.cut, seen.up
        both = weighed(cut.faces[up], [pips for pips, shown in zip(seen.pips, up, strict=True) if shown])
        of_set = seen.of_set(calibrated=calibration is not None)[up]
        named, findings = decode(np.log(np.maximum(both, _LEAST_PROBABILITY)), of_set)
        watch.lap("decode")
        health = [*picture_health(image, cut.crops), *_softer(cut.crops[up], enrolment)]
        split = phantom_tiles(image, cut.placed.quads_px, up, seen.pips)
        faults = PictureFaults.of(seen, image, split, health, sifted, in_mm=calibration is not None)
        own = OwnTiles.of(image, calibration, enrolment)
        tiles, foreign = tile_readings(seen, named, faults, calibration, own)
        known = None if calibration is None else Conventions.of(calibration, self._low_hand)
        laid, lay_findings = _hands(tiles, faults.of_lay, known, seen.tile_mm[0]) if hands else ([], [])
        dice_read = tuple(dice_readings(dice, faults, own, calibrated=calibration is not None))
        watch.lap("hands")
        markers = None
        if self._markers is not None and calibration is not None:
            markers = self._markers.find(image, calibration)
            watch.lap("markers")
        return Reading(
            image=name,
            size=size,
            calibrated=calibration is not None,
            single_frame=True,
            tiles=tuple(tiles),
            dice=dice_read,
            hands=tuple(laid),
            findings=(
                *health,
                *findings,
                *foreign,
                *lay_findings,
                *_prints(sifted.prints, calibration),
                *_nothing(tiles, dice_read),
            ),
            versions=self._versions_with(enrolment),
            elapsed_ms=watch.elapsed_ms,
            markers=markers,
        )

    def _versions_with(self, enrolment: Enrolment | None) -> dict[str, str]:
        """What read the picture, with what was enrolled."""
        versions = dict(self.versions)
        if enrolment is not None:
            versions["enrolment"] = enrolment.version
        if self._markers is not None:
            versions["markers"] = self._markers.own.version
        return versions


def _library_versions() -> dict[str, str]:
    """Versions of what the reading depends on."""
    try:
        ours = version("houseway")
    except PackageNotFoundError:
        ours = "not installed"
    return {"houseway": ours, "opencv": cv2.__version__, "onnxruntime": onnxruntime.__version__}


def _softer(crops: NDArray[np.uint8], enrolment: Enrolment | None) -> list[Finding]:
    """Say so if the open tiles (n, 96, 48, 3) are less sharp than when they were enrolled."""
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
    """Say where the table bears print that would pass for a tile or a die; what is hardly found is not told."""
    if calibration is None:
        return ()
    middles = calibration.to_plane(prints.centre_px[prints.score >= LEAST_SCORE].astype(np.float64), 0.0)
    places = {calibration.place_of(x, y) for x, y in middles.tolist()}
    told = sorted(place for place in places if place is not None)
    elsewhere = (Finding(Code.PRINTED_ON_TABLE),) if None in places else ()
    return (*(Finding.of(Code.PRINTED_ON_TABLE, place=str(place)) for place in told), *elsewhere)


def _nothing(tiles: Sequence[TileReading], dice: Sequence[DieReading]) -> tuple[Finding, ...]:
    """Say so if the picture shows neither tile nor die."""
    return () if tiles or dice else (Finding(Code.NOTHING_FOUND),)
