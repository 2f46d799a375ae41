"""A picture becomes a reading: find, cut out, name, measure, decode, put together. Nothing else happens here."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from time import perf_counter
from typing import TYPE_CHECKING, Final, Self

import cv2
import numpy as np
import onnxruntime

from calibration.table.places import DISCARD, Place
from calibration.table.sizes import TILE_MM
from engine.game.tiles import Tile
from vision.checks import (
    COVERED_MOST,
    FEWEST_FOR_MEDIAN,
    colour_distance,
    middle_grey,
    outside,
    overlapping,
    picture_health,
    sharpness,
    undersized,
    wrong_size,
)
from vision.detect.detections import DIE, KINDS
from vision.detect.detector import Detector
from vision.detect.motion_gate import MotionGatedDetector
from vision.dice.dice_reader import observe_dice
from vision.dice.die_pips import CROP_SHAPE as DIE_SHAPE
from vision.dice.die_pips import read_dice
from vision.dice.outlines import areas
from vision.dice.roles import colour_name, consistent_roles, die_colours, roles_by_colour, roles_by_faces_and_walls
from vision.enrolment.enrolment import LEAST_SHARP, felt_colour
from vision.findings import Code, Finding
from vision.hands import hands_at_places, hands_by_nearness
from vision.networks.classifier import (
    DICE_CLASSES,
    LEAN_CLASSES,
    TILE_CLASSES,
    DiceClassifier,
    LeanClassifier,
    TileClassifier,
)
from vision.networks.runtime import default_weights, load_model
from vision.placing import in_play, table_region, tile_length_px
from vision.reading import DieReading, HandReading, Polygon, Reading, TileReading
from vision.tiles.phantom_tiles import phantom_tiles
from vision.tiles.pips import CROP_SHAPE as TILE_SHAPE
from vision.tiles.pips import read_tiles
from vision.tiles.set_decoding import decode
from vision.tiles.tile_reader import observe_tiles
from vision.verification import (
    LEAST_SURE_BACK_SCORE,
    BackEvidence,
    DieEvidence,
    TileEvidence,
    likeliest,
    weighed,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from calibration.files.calibration_file import TableCalibration
    from vision.arrays import Colour, Floats
    from vision.detect.detections import FindsObjects
    from vision.dice.dice_reader import DiceObservations
    from vision.enrolment.enrolment import Enrolment
    from vision.networks.classifier import NamesTiles, ReadsDice, TellsLeaning
    from vision.placing import Placed
    from vision.reading import Role, Verdict
    from vision.tiles.set_decoding import Named
    from vision.tiles.tile_reader import TileObservations

_LEAST_PROBABILITY: Final = 1e-9
_FACES: Final = {tile: index for index, tile in enumerate(Tile)}
_OUTLINE_GROWS: Final = 0.08
"""Side of the outline on a photograph over that of the upper face, as a power of the body's area over the face's: 0 is
the face, 0.5 the body. With this two sets of photographs overlap most, one labelled by bodies, one by faces."""


@dataclass(frozen=True, slots=True)
class _Own:
    """The table's own tiles and dice, held against a picture in its light; without an enrolment all passes.

    Attributes:
        enrolment: what was learnt; None if nothing was.
        felt: colour of the felt in this picture.
    """

    enrolment: Enrolment | None = None
    felt: Colour = (0.0, 0.0, 0.0)

    @classmethod
    def of(cls, image: NDArray[np.uint8], calibration: TableCalibration | None, enrolment: Enrolment | None) -> Self:
        """For one picture."""
        if enrolment is None or calibration is None:
            return cls()
        return cls(enrolment, felt_colour(image, calibration))

    def tile(self, crop: NDArray[np.uint8], face: Tile | None) -> Verdict | None:
        """Whether a tile (96, 48, 3) is one of the table's own of that face; None if that is not known."""
        if self.enrolment is None or face is None:
            return None
        return self.enrolment.judge(crop, face)

    def back(self, crop: NDArray[np.uint8]) -> bool:
        """Whether nothing says that a back (96, 48, 3) is another's."""
        return self.enrolment is None or self.enrolment.own_back(crop, self.felt)

    def roles(self, colours: Sequence[Colour], walls: Sequence[Colour | None]) -> list[Role | None]:
        """What dice are for whose upper faces and walls have these colours."""
        if self.enrolment is None or self.enrolment.dice is None:
            return roles_by_faces_and_walls(colours, walls)
        return [self.enrolment.role(colour, self.felt) for colour in colours]


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
    """

    def __init__(
        self,
        detector: FindsObjects,
        name_tiles: NamesTiles,
        name_dice: ReadsDice,
        tell_leaning: TellsLeaning,
        versions: dict[str, str],
        enrolment: Enrolment | None = None,
    ) -> None:
        self._detector = detector
        self._name_tiles = name_tiles
        self._name_dice = name_dice
        self._tell_leaning = tell_leaning
        self._enrolment = enrolment
        self.versions = {**_library_versions(), **versions}

    @classmethod
    def load(cls, weights: Path | None = None, threads: int = 2) -> Self:
        """Load the four models.

        Args:
            weights: folder with the ONNX files and their cards; None for the usual place.
            threads: threads for one run of a model.

        Raises:
            ModelError: a model is missing, altered or not the one expected.
        """
        folder = weights if weights is not None else default_weights()
        classes = {"detector": KINDS, "tiles": TILE_CLASSES, "dice": DICE_CLASSES, "lean": LEAN_CLASSES}
        models = {
            name: load_model(folder / f"{name}.onnx", name=name, classes=known, threads=threads)
            for name, known in classes.items()
        }
        # The second readers draw their patterns once, OpenCV its tables of colours; not while a picture waits.
        read_tiles(np.zeros((1, *TILE_SHAPE), np.uint8))
        read_dice(np.zeros((1, *DIE_SHAPE), np.uint8))
        roles_by_colour([(0.0, 0.0, 0.0)] * 4)
        return cls(
            Detector(models["detector"]),
            TileClassifier(models["tiles"]),
            DiceClassifier(models["dice"]),
            LeanClassifier(models["lean"]),
            {name: f"sha256:{model.card.sha256}" for name, model in models.items()},
        )

    def steady(self) -> Self:
        """A reader for the pictures of one camera that stands still, in their order; it looks where they change."""
        networks = self._name_tiles, self._name_dice, self._tell_leaning
        return type(self)(MotionGatedDetector(self._detector), *networks, self.versions, self._enrolment)

    def enrolled(self, enrolment: Enrolment | None) -> Self:
        """A reader for the pictures of one table, which holds what it sees against that table's own tiles."""
        networks = self._name_tiles, self._name_dice, self._tell_leaning
        return type(self)(self._detector, *networks, self.versions, enrolment)

    def read(
        self,
        image: NDArray[np.uint8],
        *,
        calibration: TableCalibration | None = None,
        enrolment: Enrolment | None = None,
        hands: bool = True,
        name: str = "",
    ) -> Reading:
        """Read one picture.

        Args:
            image: (height, width, 3) uint8 BGR, as displayed.
            calibration: of the camera that took it; None for a plain photograph of unknown scale.
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
        watch.lap("dice")
        cut, up = seen.cut, seen.up
        both = weighed(cut.faces[up], [pips for pips, shown in zip(seen.pips, up, strict=True) if shown])
        named, findings = decode(np.log(np.maximum(both, _LEAST_PROBABILITY)))
        watch.lap("decode")
        health = [*picture_health(image, cut.crops), *_softer(cut.crops[up], enrolment)]
        split = phantom_tiles(image, cut.placed.quads_px, up, seen.pips)
        faults = _Faults.of(cut.placed, size, split, health, in_mm=calibration is not None)
        own = _Own.of(image, calibration, enrolment)
        tiles, foreign = _tiles(seen, named, faults, calibration, own)
        laid, lay_findings = _hands(tiles, faults.of_lay, calibration) if hands else ([], [])
        dice_read = tuple(_dice(dice, faults, own, calibrated=calibration is not None))
        watch.lap("hands")
        return Reading(
            image=name,
            size=size,
            calibrated=calibration is not None,
            single_frame=True,
            tiles=tuple(tiles),
            dice=dice_read,
            hands=tuple(laid),
            findings=(*health, *findings, *foreign, *lay_findings, *_nothing(tiles, dice_read)),
            versions=self.versions if enrolment is None else {**self.versions, "enrolment": enrolment.version},
            elapsed_ms=watch.elapsed_ms,
        )


def _library_versions() -> dict[str, str]:
    """Versions of what the reading depends on."""
    try:
        ours = version("houseway")
    except PackageNotFoundError:
        ours = "not installed"
    return {"houseway": ours, "opencv": cv2.__version__, "onnxruntime": onnxruntime.__version__}


@dataclass(frozen=True, slots=True)
class _Faults:
    """What geometry and the picture itself say against the tiles.

    Attributes:
        by_tile: faults by number of the tile.
        crossed: tiles that another lies across, or that lie across another.
        of_lay: tiles that no hand may be built from.
        of_picture: faults of the whole picture.
    """

    by_tile: dict[int, tuple[Finding, ...]]
    crossed: set[int]
    of_lay: set[int]
    of_picture: tuple[Finding, ...]

    @classmethod
    def of(cls, placed: Placed, size: tuple[int, int], split: set[int], health: list[Finding], *, in_mm: bool) -> Self:
        """Check the tiles of one picture, of which some may be halves of two others."""
        odd = wrong_size(placed.sizes, TILE_MM[:2] if in_mm else None)
        checks = {
            Code.SAME_AS_ANOTHER: overlapping(placed.quads_px, COVERED_MOST),
            Code.WRONG_SIZE: odd,
            Code.OUTSIDE_PICTURE: outside(placed.quads_px, size),
            Code.HALVES_OF_TWO: split,
        }
        by_tile = {
            index: tuple(Finding(code) for code, tiles in checks.items() if index in tiles)
            for index in range(len(placed.quads_px))
        }
        crossed = overlapping(placed.quads_px)
        return cls(by_tile, crossed, crossed | odd, tuple(health))

    def of_tile(self, index: int, *, open_tile: bool) -> tuple[Finding, ...]:
        """All faults of one tile; the pips of an open one may be those of another that lies across it."""
        across = (Finding(Code.CROSSED),) if open_tile and index in self.crossed else ()
        return (*self.by_tile[index], *across, *self.of_picture)


@dataclass(frozen=True, slots=True)
class _Where:
    """Where one tile lies."""

    polygon: Polygon
    center_mm: tuple[float, float] | None
    angle_deg: float | None
    place: Place | None

    @classmethod
    def of(cls, placed: Placed, index: int, calibration: TableCalibration | None) -> Self:
        """Take one tile's place from those of all."""
        polygon = _polygon(placed.quads_px[index])
        x, y = placed.centers_mm[index].tolist()
        if calibration is None or not math.isfinite(x):
            return cls(polygon, None, None, None)
        return cls(polygon, (x, y), float(placed.angles_deg[index]), calibration.place_of(x, y))


def _tiles(
    seen: TileObservations,
    named: Sequence[Named],
    faults: _Faults,
    calibration: TableCalibration | None,
    own: _Own,
) -> tuple[list[TileReading], list[Finding]]:
    """The readings of all tiles, and a finding for each that is not the table's own."""
    cut, names = seen.cut, iter(named)
    tiles: list[TileReading] = []
    foreign: list[Finding] = []
    sure_backs = ~seen.up & (cut.found.score >= LEAST_SURE_BACK_SCORE)
    off = colour_distance(cut.crops, sure_backs)
    places = [_Where.of(cut.placed, index, calibration) for index in range(len(cut.crops))]
    opened = {place.place for place, up in zip(places, seen.up, strict=True) if up} - {None, DISCARD}
    for index, (crop, pips) in enumerate(zip(cut.crops, seen.pips, strict=True)):
        score, shown = float(cut.found.score[index]), bool(seen.up[index])
        wrong = faults.of_tile(index, open_tile=shown)
        place = places[index]
        if shown:
            known = next(names)
            alone = 0.0 if known.face is None else float(cut.faces[index, _FACES[known.face]])
            evidence = TileEvidence(score, known, alone, pips, wrong, own.tile(crop, known.face))
            tiles.append(_open_tile(evidence, place))
            if evidence.foreign:
                foreign.append(_foreign(tiles[-1]))
            continue
        if calibration is None:
            wrong = (*wrong, Finding(Code.NO_SCALE))
        alone = not np.delete(sure_backs, index).any()
        unknown, grey = float(cut.faces[index, -1]), middle_grey(crop)
        plain = BackEvidence(
            score,
            float(off[index]),
            alone,
            unknown,
            grey,
            pips,
            wrong,
            own=own.back(crop),
            among_open=place.place in opened,
            placed=place.place is not None,
        )
        tiles.append(_face_down_tile(plain, place))
    return tiles, foreign


def _open_tile(evidence: TileEvidence, where: _Where) -> TileReading:
    """The reading of a tile that shows its face."""
    doubts = evidence.doubts()
    return TileReading(
        face=evidence.named.face,
        face_up=True,
        polygon=where.polygon,
        confidence=math.exp(evidence.named.log_probability),
        runner_up=evidence.named.runner_up,
        status="uncertain" if doubts else "verified",
        doubts=doubts,
        center_mm=where.center_mm,
        angle_deg=where.angle_deg,
        place=where.place,
        own=evidence.likeness,
        scores={} if evidence.named.face is None else evidence.scores,
    )


def _face_down_tile(evidence: BackEvidence, where: _Where) -> TileReading:
    """The reading of a tile that lies face down."""
    doubts = evidence.doubts()
    return TileReading(
        face=None,
        face_up=False,
        polygon=where.polygon,
        confidence=evidence.score,
        runner_up=None,
        status="uncertain" if doubts else "verified",
        doubts=doubts,
        center_mm=where.center_mm,
        angle_deg=where.angle_deg,
        place=where.place,
    )


def _dice(seen: DiceObservations, faults: _Faults, own: _Own, *, calibrated: bool) -> Iterator[DieReading]:
    """The readings of the dice."""
    told = np.flatnonzero(seen.chances.argmax(1) < len(DICE_CLASSES) - 1)
    small = set(told[list(undersized(seen.quads_px[told]))].tolist())
    evidence = [
        DieEvidence(
            float(seen.found.score[index]),
            value,
            confidence,
            0.0 if value is None else float(row[value - 1]),
            1.0 - float(row[-1]),
            float(seen.leaning[index]),
            calibrated,
            float(seen.unsettled[index]),
            pips,
            (*faults.of_picture, *((Finding(Code.DIE_TOO_SMALL),) if index in small else ())),
        )
        for index, (row, pips) in enumerate(zip(seen.chances, seen.pips, strict=True))
        for value, confidence in [likeliest(row, pips)]
    ]
    outlines = seen.quads_px if calibrated else _outlines(seen.quads_px, seen.found.body_px)
    colours, walls = die_colours(seen.crops, seen.feet)
    said = consistent_roles(own.roles(colours, walls), outlines, [die.may_lean for die in evidence])
    for die, colour, role, outline in zip(evidence, colours, said, outlines, strict=True):
        doubts = die.doubts()
        yield DieReading(
            value=die.value,
            role=role,
            colour=colour_name(colour),
            cocked=die.leans,
            surely_cocked=die.surely_leans,
            polygon=_polygon(outline),
            confidence=die.confidence,
            status="uncertain" if doubts else "verified",
            doubts=doubts,
        )


def _softer(crops: NDArray[np.uint8], enrolment: Enrolment | None) -> list[Finding]:
    """Say so if the open tiles (n, 96, 48, 3) are less sharp than when they were enrolled."""
    if enrolment is None or len(crops) < FEWEST_FOR_MEDIAN:
        return []
    share = sharpness(crops) / max(enrolment.sharpness, 1e-6)
    if share >= LEAST_SHARP:
        return []
    return [Finding.of(Code.DEFOCUSED, tiles=round(100 * share))]


def _foreign(tile: TileReading) -> Finding:
    """Say that a tile is not the table's own, and where it lies."""
    where = {"place": str(tile.place)} if tile.place else {}
    return Finding.of(Code.FOREIGN_TILE, face=str(tile.face), **where)


def _outlines(quads_px: Floats, body_px: Floats) -> Floats:
    """Outlines (n, 4, 2) of the dice on a photograph: of upper face and body together.

    A photograph may be taken from low down, and what people mark in it is the die, not its upper face. A square between
    the two, half-way in place and little larger than the face, overlaps well with either.

    Args:
        quads_px: (n, 4, 2) upper faces.
        body_px: (n, 4) boxes x0, y0, x1, y1 of the bodies.
    """
    body = (body_px[:, 2:] - body_px[:, :2]).prod(1)
    growth = (np.maximum(body, 1) / np.maximum(areas(quads_px), 1)) ** _OUTLINE_GROWS
    middle = quads_px.mean(1)
    between = (middle + (body_px[:, :2] + body_px[:, 2:]) / 2) / 2
    return np.asarray((quads_px - middle[:, None]) * growth[:, None, None] + between[:, None], np.float32)


def _hands(
    tiles: list[TileReading], faulty: set[int], calibration: TableCalibration | None
) -> tuple[list[HandReading], list[Finding]]:
    """The hands, by place if the places are known."""
    if calibration is None:
        return hands_by_nearness(tiles, faulty)
    angles = {zone.place: zone.angle_deg for zone in calibration.layout.zones}
    return hands_at_places(tiles, faulty, angles.__getitem__, TILE_MM[0])


def _nothing(tiles: Sequence[TileReading], dice: Sequence[DieReading]) -> tuple[Finding, ...]:
    """Say so if the picture shows neither tile nor die."""
    return () if tiles or dice else (Finding(Code.NOTHING_FOUND),)


def _polygon(quad_px: Floats) -> Polygon:
    """Four corners as plain numbers, to a hundredth of a pixel."""
    one, two, three, four = ((round(x, 2), round(y, 2)) for x, y in quad_px.tolist())
    return one, two, three, four
