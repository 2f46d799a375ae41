"""Readings of the tiles and dice of one picture: content, place, faults, doubts."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Self

import numpy as np

from calibration.table.places import DISCARD, Place
from engine.game.tiles import Tile
from vision.checks import (
    COVERED_MOST,
    OVERLAP_MOST,
    colour_distance,
    involved,
    middle_greys,
    outside,
    overlaps,
    undersized,
    wrong_size,
)
from vision.dice.die_look import DieLook
from vision.dice.die_roles import colour_name, consistent_roles, die_colours, roles_by_faces_and_walls
from vision.dice.outlines import areas, sides_mm
from vision.enrolment.enrolment import felt_colour
from vision.findings import Code, Finding
from vision.networks.classifier import (
    DICE_CLASSES,
)
from vision.reading import DieReading, Polygon, TileReading
from vision.verification import (
    LEAST_FIFTH_CHANCE,
    LEAST_FOURTH_CHANCE,
    LEAST_SURE_BACK_SCORE,
    BackEvidence,
    DieEvidence,
    TileEvidence,
    likeliest,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from calibration.files.calibration_file import TableCalibration
    from vision.arrays import Colour, Floats
    from vision.detect.prints import Sifted
    from vision.dice.dice_reader import DiceObservations
    from vision.enrolment.enrolment import Enrolment
    from vision.enrolment.own_dice import OwnDice
    from vision.placing import Placed
    from vision.reading import Role, Verdict
    from vision.tiles.set_decoding import Named
    from vision.tiles.tile_reader import TileObservations

_FACES: Final = {tile: index for index, tile in enumerate(Tile)}
_OF_A_THROW: Final = 4
_OUTLINE_GROWS: Final = 0.08
"""Side of the outline in a photograph relative to that of the upper face, as a power of the area ratio of body to face:
0 is the face, 0.5 the body. This value maximises overlap on two sets of photographs, one labelled by bodies, one by
faces.
"""


@dataclass(frozen=True, slots=True)
class OwnTiles:
    """The table's own tiles and dice, compared with a picture in its light; without an enrolment everything passes.

    Attributes:
        enrolment: None if no tiles were enrolled.
        dice: None if no dice were enrolled.
        felt: colour of the felt in this picture.
    """

    enrolment: Enrolment | None = None
    dice: OwnDice | None = None
    felt: Colour = (0.0, 0.0, 0.0)

    @classmethod
    def of(
        cls,
        image: NDArray[np.uint8],
        calibration: TableCalibration | None,
        enrolment: Enrolment | None,
        dice: OwnDice | None,
    ) -> Self:
        if calibration is None or (enrolment is None and dice is None):
            return cls()
        return cls(enrolment, dice, felt_colour(image, calibration))

    def tile(self, crop: NDArray[np.uint8], face: Tile | None) -> Verdict | None:
        """Verdict on whether a tile (96, 48, 3) is one of the table's own of that face; None if unknown."""
        if self.enrolment is None or face is None:
            return None
        return self.enrolment.judge(crop, face)

    def back(self, crop: NDArray[np.uint8]) -> bool:
        """Whether a back (96, 48, 3) is not known to be foreign."""
        return self.enrolment is None or self.enrolment.own_back(crop, self.felt)

    def thrown(
        self,
        seen: DiceObservations,
        evidence: Sequence[DieEvidence],
        sure: Sequence[int],
        calibration: TableCalibration | None,
    ) -> list[DieEvidence]:
        """Evidence of dice, of which some are sure to be dice, compared with the table's own."""
        if self.dice is None or calibration is None:
            return list(evidence)
        sides = sides_mm(seen.quads_px, calibration).tolist()
        looks = [
            DieLook(
                seen.crops[n], seen.feet[n], sides[n], self.felt, None if evidence[n].doubts() else evidence[n].value
            )
            for n in sure
        ]
        own = dict(zip(sure, self.dice.compared(looks), strict=True))
        return [replace(die, own=own.get(n)) for n, die in enumerate(evidence)]


@dataclass(frozen=True, slots=True)
class PictureFaults:
    """Faults of the tiles from geometry and from the picture.

    Attributes:
        by_tile: faults by index of the tile.
        crossed: tiles that lie across another, or under one.
        of_lay: tiles that cannot be part of a hand.
        of_picture: faults of the picture.
        light: 99th percentile of its grey levels.
        sifted: the detections compared with the picture of the empty table.
    """

    by_tile: dict[int, tuple[Finding, ...]]
    crossed: set[int]
    of_lay: set[int]
    of_picture: tuple[Finding, ...]
    light: float
    sifted: Sifted

    @classmethod
    def of(
        cls,
        seen: TileObservations,
        size: tuple[int, int],
        tile_mm: tuple[float, float] | None,
        health: Sequence[Finding],
        light: float,
        sifted: Sifted,
    ) -> Self:
        """Check the tiles of one picture of a size, in millimetres relative to a tile's size if that is given."""
        placed = seen.cut.placed
        pairs = overlaps(placed.quads_px)
        odd = wrong_size(placed.sizes, tile_mm)
        checks = {
            Code.SAME_AS_ANOTHER: involved(pairs, COVERED_MOST),
            Code.WRONG_SIZE: odd,
            Code.OUTSIDE_PICTURE: outside(placed.quads_px, size),
            Code.HALVES_OF_TWO: set(np.flatnonzero(seen.halves).tolist()),
            Code.MAY_BE_PRINT: set(np.flatnonzero(seen.printed).tolist()),
            Code.LIKE_EMPTY_TABLE: sifted.doubtful(placed.quads_px),
        }
        by_tile = {
            index: tuple(Finding(code) for code, tiles in checks.items() if index in tiles)
            for index in range(len(placed.quads_px))
        }
        crossed = involved(pairs, OVERLAP_MOST)
        return cls(by_tile, crossed, crossed | odd, tuple(health), light, sifted)

    def of_tile(self, index: int, *, open_tile: bool) -> tuple[Finding, ...]:
        """All faults of one tile; an open one's pips may belong to another that lies across it."""
        across = (Finding(Code.CROSSED),) if open_tile and index in self.crossed else ()
        return (*self.by_tile[index], *across, *self.of_picture)


@dataclass(frozen=True, slots=True)
class _Where:
    polygon: Polygon
    center_mm: tuple[float, float] | None
    angle_deg: float | None
    place: Place | None

    @classmethod
    def of(cls, placed: Placed, index: int, calibration: TableCalibration | None) -> Self:
        polygon = _polygon(placed.quads_px[index])
        x, y = placed.centers_mm[index].tolist()
        if calibration is None or not math.isfinite(x):
            return cls(polygon, None, None, None)
        return cls(polygon, (x, y), float(placed.angles_deg[index]), calibration.place_of(x, y))


def tile_readings(
    seen: TileObservations,
    named: Sequence[Named],
    faults: PictureFaults,
    calibration: TableCalibration | None,
    own: OwnTiles,
) -> tuple[list[TileReading], list[Finding]]:
    cut, names = seen.cut, iter(named)
    tiles: list[TileReading] = []
    foreign: list[Finding] = []
    sure_backs = ~seen.up & (cut.found.score >= LEAST_SURE_BACK_SCORE)
    backs = np.flatnonzero(~seen.up)
    off = dict(zip(backs.tolist(), colour_distance(cut.crops[backs], sure_backs[backs]).tolist(), strict=True))
    greys = dict(zip(backs.tolist(), middle_greys(cut.crops[backs]), strict=True))
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
        unknown = float(cut.faces[index, -1])
        plain = BackEvidence(
            score,
            off[index],
            alone,
            unknown,
            greys[index],
            faults.light,
            pips,
            wrong,
            own=own.back(crop),
            among_open=place.place in opened,
            placed=place.place is not None,
        )
        tiles.append(_face_down_tile(plain, place))
    return tiles, foreign


def _open_tile(evidence: TileEvidence, where: _Where) -> TileReading:
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


def dice_readings(
    seen: DiceObservations, faults: PictureFaults, own: OwnTiles, calibration: TableCalibration | None
) -> Iterator[DieReading]:
    calibrated = calibration is not None
    legible = np.flatnonzero(seen.chances.argmax(1) < len(DICE_CLASSES) - 1)
    small = set(legible[list(undersized(seen.quads_px[legible]))].tolist())
    checks = {Code.DIE_TOO_SMALL: small, Code.LIKE_EMPTY_TABLE: faults.sifted.doubtful(seen.quads_px)}
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
            (*faults.of_picture, *(Finding(code) for code, dice in checks.items() if index in dice)),
        )
        for index, (row, pips) in enumerate(zip(seen.chances, seen.pips, strict=True))
        for value, confidence in [likeliest(row, pips)]
    ]
    outlines = seen.quads_px if calibrated else _outlines(seen.quads_px, seen.found.body_px)
    # A glint beside four dice is not a fifth.
    sure = [index for index, die in enumerate(evidence) if die.credible]
    evidence = own.thrown(seen, evidence, sure, calibration)
    colours, walls = die_colours(seen.crops, seen.feet)
    if own.dice is None:
        roles = _roles(evidence, sure, colours, walls, outlines)
    else:
        roles = [None if die.own is None else die.own.role for die in evidence]
    for die, colour, role, outline in zip(evidence, colours, roles, outlines, strict=True):
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
            own=die.likeness,
        )


def _roles(
    evidence: Sequence[DieEvidence],
    sure: Sequence[int],
    colours: Sequence[Colour],
    walls: Sequence[Colour | None],
    outlines: Floats,
) -> list[Role | None]:
    """Roles of dice that are not enrolled: by the four of a throw, or all that are sure to be dice."""
    sure = _thrown(evidence, sure)
    roles = roles_by_faces_and_walls([colours[index] for index in sure], [walls[index] for index in sure])
    roles = consistent_roles(roles, outlines[list(sure)], [evidence[index].may_lean for index in sure])
    return [dict(zip(sure, roles, strict=True)).get(index) for index in range(len(evidence))]


def _thrown(evidence: Sequence[DieEvidence], sure: Sequence[int]) -> Sequence[int]:
    """The four most likely dice, if there is no likely fifth; otherwise those that are ``sure`` to be dice."""
    likeliest_first = sorted(range(len(evidence)), key=lambda index: -evidence[index].known)
    four = likeliest_first[:_OF_A_THROW]
    fifth = [evidence[index].known for index in likeliest_first[_OF_A_THROW : _OF_A_THROW + 1]]
    complete = len(four) == _OF_A_THROW and evidence[four[-1]].known >= LEAST_FOURTH_CHANCE
    return sorted(four) if complete and all(known < LEAST_FIFTH_CHANCE for known in fifth) else sure


def _foreign(tile: TileReading) -> Finding:
    """A finding that a tile is not the table's own, with its position."""
    where = {"place": str(tile.place)} if tile.place else {}
    return Finding.of(Code.FOREIGN_TILE, face=str(tile.face), **where)


def _outlines(quads_px: Floats, body_px: Floats) -> Floats:
    """Outlines (n, 4, 2) of the dice in a photograph, between upper face and body.

    A photograph may be taken from low down, and people mark the die in it, not its upper face. A square between the
    two, half-way in position and little larger than the face, overlaps well with either.

    Args:
        quads_px: (n, 4, 2) upper faces.
        body_px: (n, 4) boxes x0, y0, x1, y1 of the bodies.
    """
    body = (body_px[:, 2:] - body_px[:, :2]).prod(1)
    growth = (np.maximum(body, 1) / np.maximum(areas(quads_px), 1)) ** _OUTLINE_GROWS
    middle = quads_px.mean(1)
    between = (middle + (body_px[:, :2] + body_px[:, 2:]) / 2) / 2
    return np.asarray((quads_px - middle[:, None]) * growth[:, None, None] + between[:, None], np.float32)


def _polygon(quad_px: Floats) -> Polygon:
    """Four corners as plain numbers, to a hundredth of a pixel."""
    one, two, three, four = ((round(x, 2), round(y, 2)) for x, y in quad_px.tolist())
    return one, two, three, four
