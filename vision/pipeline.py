"""A picture becomes a reading: find, cut out, name, measure, decode, put together. Nothing else happens here."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from importlib.metadata import PackageNotFoundError, version
from time import perf_counter
from typing import TYPE_CHECKING, Final, Protocol, Self, TypeVar

import cv2
import numpy as np
import onnxruntime

from calibration.zones import TILE_MM
from engine.tiles import Tile
from vision.checks import (
    COVERED_MOST,
    FEWEST_FOR_MEDIAN,
    colour_off,
    far_smaller,
    middle_grey,
    outside,
    overlapping,
    picture_health,
    sharpness,
    wrong_size,
)
from vision.classify import DICE_CLASSES, LEAN_CLASSES, TILE_CLASSES, DiceClassifier, LeanClassifier, TileClassifier
from vision.crops import die_crops, in_sides, tile_crops
from vision.decode import decode
from vision.detect import DIE, KINDS, TILE_UP, Detections, Detector
from vision.dice import (
    areas,
    body_colour,
    colour_name,
    distinct,
    facing,
    foot_of,
    moved,
    over_cuts,
    roles,
    shifted,
    with_between,
    without_contradiction,
)
from vision.die_pips import CROP_SHAPE as DIE_SHAPE
from vision.die_pips import read_dice
from vision.enrolment import LEAST_SHARP, felt_colour
from vision.halves import halves_of_two
from vision.hands import hands_at_places, hands_by_nearness
from vision.pips import CROP_SHAPE as TILE_SHAPE
from vision.pips import read_tiles
from vision.placing import Placed, astray, in_play, place_tiles, table_part, tile_length_px
from vision.reading import NOTHING_FOUND, DieReading, Finding, HandReading, Polygon, Reading, TileReading
from vision.runtime import default_weights, load_model
from vision.second_look import in_its_corners, look_again, two_in_one
from vision.settling import off_their_pips, onto_pips
from vision.steady import SteadyDetector
from vision.verify import (
    KNOWN_AT_MOST,
    LEAST_SURE_BACK_SCORE,
    UNLIKE,
    BackEvidence,
    DieEvidence,
    TileEvidence,
    is_die,
    is_tile,
    likeliest,
    shows_face,
    weighed,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from calibration.store import TableCalibration
    from vision.decode import Named
    from vision.detect import Box
    from vision.enrolment import Colour, Enrolment
    from vision.matching import Floats
    from vision.pips import PipReading
    from vision.reading import Role, Verdict

_LEAST_PROBABILITY: Final = 1e-9
SMALL_DIE: Final = "it is far smaller than the other dice"
UNSCALED: Final = "without the camera's scale any dark rectangle may pass for a tile face down"
GLANCES: Final = 2
MOVES: Final = 3
"""How often the outline of what may be a die is corrected before it is known for one, and how often after that. Of 5637
flat dice 433 were thought to lean perhaps without the latter, 349 with it."""
_FACES: Final = {tile: index for index, tile in enumerate(Tile)}
_OUTLINE_GROWS: Final = 0.08
"""Side of the outline on a photograph over that of the upper face, as a power of the body's area over the face's: 0 is
the face, 0.5 the body. With this two sets of photographs overlap most, one labelled by bodies, one by faces."""


class FindsObjects(Protocol):
    """What the pipeline needs of the detector."""

    def detect(self, image: NDArray[np.uint8], scale_hint: float | None, part: Box | None = None) -> Detections:
        """Find tiles and dice in a part; ``scale_hint`` is a tile's expected length in pixels."""


class NamesTiles(Protocol):
    """What the pipeline needs of the tile classifier."""

    def __call__(self, crops: NDArray[np.uint8]) -> Floats:
        """Probabilities (n, 22) for crops (n, 96, 48, 3)."""


class ReadsDice(Protocol):
    """What the pipeline needs of the dice classifier."""

    def __call__(self, crops: NDArray[np.uint8], foot: Floats) -> tuple[Floats, Floats]:
        """Probabilities (n, 7) and moves (n, 4) for crops (n, 80, 80, 3) and feet (n, 2) in sides."""


class TellsLeaning(Protocol):
    """What the pipeline needs of the network that tells leaning dice."""

    def __call__(self, crops: NDArray[np.uint8], foot: Floats) -> Floats:
        """Probabilities of leaning (n,) for crops (n, 80, 80, 3) and feet (n, 2) in sides."""


@dataclass(frozen=True, eq=False, slots=True)
class _CutTiles:
    """The tiles of one picture as they were cut out, and what both readers say of the cuts.

    Attributes:
        found: (n,) detections.
        placed: where they lie.
        crops: (n, 96, 48, 3).
        faces: (n, 22) the classifier's chances.
        pips: the second reader's word on each.
    """

    found: Detections
    placed: Placed
    crops: NDArray[np.uint8]
    faces: Floats
    pips: Sequence[PipReading]


@dataclass(frozen=True, eq=False, slots=True)
class _SeenDice:
    """What the classifiers say of the dice of one picture, each cut out several times a little shifted.

    Attributes:
        quads_px: (n, 4, 2) outline of the upper face.
        crops: (n, 80, 80, 3) cut out with it.
        chances: (n, 7) of the values, on average over all cuts.
        leaning: (n,) chance of leaning, likewise.
    """

    quads_px: Floats
    crops: NDArray[np.uint8]
    chances: Floats
    leaning: Floats


@dataclass(frozen=True, eq=False, slots=True)
class _SeenTiles:
    """What was measured of the tiles of one picture.

    Attributes:
        score: (n,) of the detections.
        up: (n,) whether a face shows.
        sure_backs: (n,) which are tiles face down beyond doubt.
        off: (n,) how far the colour is from that of the sure backs; nan without any.
        crops: (n, 96, 48, 3).
        faces: (n, 22) the classifier's chances.
        pips: the second reader's word on each.
    """

    score: Floats
    up: NDArray[np.bool_]
    sure_backs: NDArray[np.bool_]
    off: Floats
    crops: NDArray[np.uint8]
    faces: Floats
    pips: Sequence[PipReading]


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

    def roles(self, colours: Sequence[Colour]) -> list[Role | None]:
        """What dice of these body colours are for."""
        if self.enrolment is None or self.enrolment.dice is None:
            return roles(colours)
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
        roles([(0.0, 0.0, 0.0)] * 4)
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
        return type(self)(SteadyDetector(self._detector), *networks, self.versions, self._enrolment)

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
        name: str = "",
    ) -> Reading:
        """Read one picture.

        Args:
            image: (height, width, 3) uint8 BGR, as displayed.
            calibration: of the camera that took it; None for a plain photograph of unknown scale.
            enrolment: the table's own tiles; None for the reader's own, if it has one. Without a calibration it is left
                alone, for likeness needs the scale.
            name: of the picture, for the reading.

        Raises:
            CalibrationError: the calibration is for pictures of another size.
        """
        size = (image.shape[1], image.shape[0])
        if calibration is not None:
            calibration.check_size(size, name or "the picture")
        enrolment = (enrolment or self._enrolment) if calibration is not None else None
        watch = _Watch()
        found = self._detector.detect(image, tile_length_px(calibration), table_part(calibration))
        if calibration is not None:
            found = found.take(in_play(found, calibration))
        watch.lap("detect")
        tiles_found, dice_found = found.take(found.kind != DIE), with_between(found.take(found.kind == DIE))
        placed = place_tiles(tiles_found, calibration)
        crops = tile_crops(image, placed.quads_px)
        watch.lap("crops")
        faces, (dice_found, dice) = self._name_tiles(crops), self._look_at_dice(image, dice_found, calibration)
        odd = np.isin(np.arange(len(crops)), list(wrong_size(placed.sizes, TILE_MM[:2]))) & (calibration is not None)
        which = two_in_one(tiles_found, placed.sizes, faces, odd)
        tiles_found, placed, crops, faces = self._upper_ones(
            image, tiles_found, placed, crops, faces, which, calibration
        )
        # What neither network is sure of is a letter, a chip or a fold of a sleeve far more often than a tile or a die.
        real = is_tile(tiles_found.score, shows_face(tiles_found.kind == TILE_UP, faces[:, -1]), faces[:, -1], odd)
        tiles_found, placed, crops, faces = tiles_found.take(real), placed.take(real), crops[real], faces[real]
        up = shows_face(tiles_found.kind == TILE_UP, faces[:, -1])
        faces[up] = look_again(image, placed.quads_px[up], faces[up], self._name_tiles)
        watch.lap("classify")
        cut = _CutTiles(tiles_found, placed, crops, faces, read_tiles(crops))
        cut, die_pips = self._onto_pips(image, cut, up, calibration), read_dice(dice.crops)
        tiles_found, placed, crops, faces, tile_pips = cut.found, cut.placed, cut.crops, cut.faces, cut.pips
        watch.lap("pips")
        both = weighed(faces[up], [pips for pips, shown in zip(tile_pips, up, strict=True) if shown])
        named, findings = decode(np.log(np.maximum(both, _LEAST_PROBABILITY)))
        watch.lap("decode")
        health = [*picture_health(image, crops), *_softer(crops[up], enrolment)]
        split = halves_of_two(image, placed.quads_px, up, tile_pips)
        faults = _Faults.of(placed, size, split, health, in_mm=calibration is not None)
        sure_backs = ~up & (tiles_found.score >= LEAST_SURE_BACK_SCORE)
        off = colour_off(crops, sure_backs)
        own = _Own.of(image, calibration, enrolment)
        seen = _SeenTiles(tiles_found.score, up, sure_backs, off, crops, faces, tile_pips)
        tiles, foreign = _tiles(seen, named, faults, placed, calibration, own)
        told = np.flatnonzero(dice.chances.argmax(1) < len(DICE_CLASSES) - 1)
        small = set(told[list(far_smaller(dice.quads_px[told]))].tolist())
        evidence = [
            DieEvidence(
                float(dice_found.score[index]),
                value,
                confidence,
                0.0 if value is None else float(dice.chances[index, value - 1]),
                float(dice.leaning[index]),
                calibration is not None,
                pips,
                (*faults.of_picture, *((SMALL_DIE,) if index in small else ())),
            )
            for index, (row, pips) in enumerate(zip(dice.chances, die_pips, strict=True))
            for value, confidence in [likeliest(row, pips)]
        ]
        hands, about_hands = _hands(tiles, faults.of_lay, calibration)
        outlines = _outlines(dice.quads_px, dice_found.body_px) if calibration is None else dice.quads_px
        dice_read = tuple(_dice(evidence, dice.crops, outlines, own))
        watch.lap("hands")
        return Reading(
            image=name,
            size=size,
            calibrated=calibration is not None,
            single_frame=True,
            tiles=tuple(tiles),
            dice=dice_read,
            hands=tuple(hands),
            findings=(*health, *findings, *foreign, *about_hands, *_nothing(tiles, dice_read)),
            versions=self.versions if enrolment is None else {**self.versions, "enrolment": enrolment.version},
            elapsed_ms=watch.elapsed_ms,
        )

    def _upper_ones(
        self,
        image: NDArray[np.uint8],
        found: Detections,
        placed: Placed,
        crops: NDArray[np.uint8],
        faces: Floats,
        which: NDArray[np.intp],
        calibration: TableCalibration | None,
    ) -> tuple[Detections, Placed, NDArray[np.uint8], Floats]:
        """Put the upper one of two tiles in the place of what was found as one too large, where both readers know it.

        It keeps the size that was found, which is no tile's: that something lies under it stays a reason to doubt it.
        """
        if not len(which):
            return found, placed, crops, faces
        tries = in_its_corners(found.take(which), placed.sizes[which])
        tries_placed = place_tiles(tries, calibration)
        tries_crops = tile_crops(image, tries_placed.quads_px)
        told = self._name_tiles(tries_crops)
        best = told[:, -1].reshape(len(which), -1).argmin(1) + np.arange(len(which)) * (len(tries) // len(which))
        pips = read_tiles(tries_crops[best])
        known = np.array(
            [
                chances[-1] < KNOWN_AT_MOST and seen.clear and str(seen.face) == TILE_CLASSES[chances.argmax()]
                for chances, seen in zip(told[best], pips, strict=True)
            ],
            np.bool_,
        )
        which, best = which[known], best[known]
        there = replace(tries_placed.take(best), sizes=placed.sizes[which])
        return (
            _put(found, which, tries.take(best)),
            _put(placed, which, there),
            _written(crops, which, tries_crops[best]),
            _written(faces, which, told[best]),
        )

    def _onto_pips(
        self, image: NDArray[np.uint8], cut: _CutTiles, up: NDArray[np.bool_], calibration: TableCalibration | None
    ) -> _CutTiles:
        """Cut the open tiles that are left in doubt out once more where their pips lie, if they fit better there."""
        off = up & off_their_pips(cut.faces, cut.pips)
        which = np.flatnonzero(off)
        if not len(which):
            return cut
        before, beside = ([cut.pips[index] for index in np.flatnonzero(mask).tolist()] for mask in (off, ~off))
        found = onto_pips(cut.found.take(which), cut.placed.quads_px[which], before)
        placed = place_tiles(found, calibration)
        crops = tile_crops(image, placed.quads_px)
        pips = read_tiles(crops, beside)
        better = np.array([now.match > then.match for now, then in zip(pips, before, strict=True)], np.bool_)
        which, placed, crops = which[better], placed.take(better), crops[better]
        faces = look_again(image, placed.quads_px, self._name_tiles(crops), self._name_tiles)
        fitting = {index: pips[row] for index, row in zip(which.tolist(), np.flatnonzero(better).tolist(), strict=True)}
        return _CutTiles(
            _put(cut.found, which, found.take(better)),
            _put(cut.placed, which, placed),
            _written(cut.crops, which, crops),
            _written(cut.faces, which, faces),
            [fitting.get(index, then) for index, then in enumerate(cut.pips)],
        )

    def _settled(
        self, image: NDArray[np.uint8], quads_px: Floats, calibration: TableCalibration | None, times: int
    ) -> tuple[Floats, Floats]:
        """Move outlines (n, 4, 2) so often toward where dice are; and the chances (n, 7) seen before the last move.

        The detector's squares are off by a tenth of a side now and then: enough to cut a row of pips away, and more
        than a leaning die differs from a flat one.
        """
        feet_px = foot_of(quads_px, calibration)
        for _ in range(times):
            quads_px = facing(quads_px, feet_px)
            chances, moves = self._name_dice(die_crops(image, quads_px), in_sides(quads_px, feet_px))
            quads_px = moved(quads_px, moves)
        return quads_px, chances

    def _look_at_dice(
        self, image: NDArray[np.uint8], found: Detections, calibration: TableCalibration | None
    ) -> tuple[Detections, _SeenDice]:
        """Look at dice where they are, and from a little all round; with the detections that they are."""
        elsewhere = astray(found, calibration)
        # Most of what could be a die is a chip or a letter: no die whatever is read of it, or none at a glance.
        worth = is_die(found.score, np.zeros(len(found), np.float32), elsewhere)
        found, elsewhere = found.take(worth), elsewhere[worth]
        quads_px, glance = self._settled(image, found.quads_px(), calibration, GLANCES)
        likely = is_die(found.score, glance[:, -1], elsewhere)
        found, elsewhere = found.take(likely), elsewhere[likely]
        quads_px, _ = self._settled(image, quads_px[likely], calibration, MOVES)
        feet_px = foot_of(quads_px, calibration)
        quads_px = facing(quads_px, feet_px)
        tries = shifted(quads_px)
        times = tries.shape[1]
        crops = die_crops(image, tries.reshape(-1, 4, 2))
        feet = in_sides(tries.reshape(-1, 4, 2), np.repeat(feet_px, times, 0))
        chances, _ = self._name_dice(crops, feet)
        chances = over_cuts(chances.reshape(len(tries), times, chances.shape[1]))
        real = is_die(found.score, chances[:, -1], elsewhere)
        real[real] = distinct(quads_px[real], chances[real, :-1].max(1, initial=0.0))
        kept, feet = crops.reshape(*tries.shape[:2], *crops.shape[1:])[real], feet.reshape(*tries.shape[:2], 2)[real]
        leaning = self._tell_leaning(kept.reshape(-1, *crops.shape[1:]), feet.reshape(-1, 2))
        leaning = over_cuts(leaning.reshape(-1, times))
        return found.take(real), _SeenDice(quads_px[real], kept[:, 0], chances[real], leaning)


_Rows = TypeVar("_Rows", Detections, Placed)
_Array = TypeVar("_Array", bound="NDArray[np.generic]")


def _put(into: _Rows, which: NDArray[np.int64], rows: _Rows) -> _Rows:
    """The same with other rows in some places."""
    names = [field.name for field in fields(into)]
    return type(into)(*(_written(getattr(into, name), which, getattr(rows, name)) for name in names))


def _written(into: _Array, which: NDArray[np.int64], rows: _Array) -> _Array:
    copy = into.copy()
    copy[which] = rows
    return copy


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
        by_tile: faults in words, by number of the tile.
        crossed: tiles that another lies across, or that lie across another.
        of_lay: tiles that no hand may be built from.
        of_picture: faults of the whole picture.
    """

    by_tile: dict[int, tuple[str, ...]]
    crossed: set[int]
    of_lay: set[int]
    of_picture: tuple[str, ...]

    @classmethod
    def of(cls, placed: Placed, size: tuple[int, int], split: set[int], health: list[Finding], *, in_mm: bool) -> Self:
        """Check the tiles of one picture, of which some may be halves of two others."""
        odd = wrong_size(placed.sizes, TILE_MM[:2] if in_mm else None)
        checks = {
            "it lies so far across another tile that both may be one": overlapping(placed.quads_px, COVERED_MOST),
            "its size is not that of a tile lying flat": odd,
            "a part of it lies outside the picture": outside(placed.quads_px, size),
            "its pips may be those of two tiles beside it": split,
        }
        by_tile = {
            index: tuple(words for words, tiles in checks.items() if index in tiles)
            for index in range(len(placed.quads_px))
        }
        crossed = overlapping(placed.quads_px)
        return cls(by_tile, crossed, crossed | odd, tuple(finding.message for finding in health))

    def of_tile(self, index: int, *, open_tile: bool) -> tuple[str, ...]:
        """All faults of one tile; the pips of an open one may be those of another that lies across it."""
        across = ("another tile lies across it",) if open_tile and index in self.crossed else ()
        return (*self.by_tile[index], *across, *self.of_picture)


@dataclass(frozen=True, slots=True)
class _Where:
    """Where one tile lies."""

    polygon: Polygon
    center_mm: tuple[float, float] | None
    angle_deg: float | None
    place: str | None

    @classmethod
    def of(cls, placed: Placed, index: int, calibration: TableCalibration | None) -> Self:
        """Take one tile's place from those of all."""
        polygon = _polygon(placed.quads_px[index])
        x, y = placed.centers_mm[index].tolist()
        if calibration is None or not math.isfinite(x):
            return cls(polygon, None, None, None)
        return cls(polygon, (x, y), float(placed.angles_deg[index]), calibration.place_of(x, y))


def _tiles(
    seen: _SeenTiles,
    named: Sequence[Named],
    faults: _Faults,
    placed: Placed,
    calibration: TableCalibration | None,
    own: _Own,
) -> tuple[list[TileReading], list[Finding]]:
    """The readings of all tiles, and a finding for each that is not the table's own."""
    names = iter(named)
    tiles: list[TileReading] = []
    foreign: list[Finding] = []
    places = [_Where.of(placed, index, calibration) for index in range(len(seen.crops))]
    opened = {place.place for place, up in zip(places, seen.up, strict=True) if up} - {None, "discard"}
    for index, (crop, pips) in enumerate(zip(seen.crops, seen.pips, strict=True)):
        score, shown = float(seen.score[index]), bool(seen.up[index])
        wrong = faults.of_tile(index, open_tile=shown)
        place = places[index]
        if shown:
            known = next(names)
            alone = 0.0 if known.face is None else float(seen.faces[index, _FACES[known.face]])
            evidence = TileEvidence(score, known, alone, pips, wrong, own.tile(crop, known.face))
            tiles.append(_open_tile(evidence, place))
            if evidence.foreign:
                foreign.append(_foreign(tiles[-1]))
            continue
        if calibration is None:
            wrong = (*wrong, UNSCALED)
        alone = not np.delete(seen.sure_backs, index).any()
        unknown, grey = float(seen.faces[index, -1]), middle_grey(crop)
        plain = BackEvidence(
            score,
            float(seen.off[index]),
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
        reasons=doubts,
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
        reasons=doubts,
        center_mm=where.center_mm,
        angle_deg=where.angle_deg,
        place=where.place,
    )


def _dice(evidence: list[DieEvidence], crops: NDArray[np.uint8], outlines: Floats, own: _Own) -> Iterator[DieReading]:
    """The readings of the dice."""
    colours = [body_colour(crop) for crop in crops]
    said = without_contradiction(own.roles(colours), outlines, [die.may_lean for die in evidence])
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
            reasons=doubts,
        )


def _softer(crops: NDArray[np.uint8], enrolment: Enrolment | None) -> list[Finding]:
    """Say so if the open tiles (n, 96, 48, 3) are less sharp than when they were enrolled."""
    if enrolment is None or len(crops) < FEWEST_FOR_MEDIAN:
        return []
    share = sharpness(crops) / max(enrolment.sharpness, 1e-6)
    if share >= LEAST_SHARP:
        return []
    message = f"the tiles are {share:.0%} as sharp as when they were enrolled: check focus, lens and vibration"
    return [Finding("defocused", message)]


def _foreign(tile: TileReading) -> Finding:
    """Say that a tile is not the table's own, and where it lies."""
    where = f"{tile.place}: " if tile.place else ""
    message = f"{where}a tile reads {tile.face}, but {UNLIKE} {tile.face}: foreign, damaged or dirty; check the set"
    return Finding("foreign_tile", message)


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
    angles = {place.name: place.angle_deg for place in calibration.layout.places}
    return hands_at_places(tiles, faulty, angles.__getitem__, TILE_MM[0])


def _nothing(tiles: Sequence[TileReading], dice: Sequence[DieReading]) -> tuple[Finding, ...]:
    """Say so if the picture shows neither tile nor die."""
    return () if tiles or dice else (Finding(NOTHING_FOUND, "neither tiles nor dice were found in the picture"),)


def _polygon(quad_px: Floats) -> Polygon:
    """Four corners as plain numbers, to a hundredth of a pixel."""
    one, two, three, four = ((round(x, 2), round(y, 2)) for x, y in quad_px.tolist())
    return one, two, three, four
