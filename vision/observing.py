"""Reading the candidates of a picture with both readers; unchanged candidates keep their earlier readings."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from vision.detect.detections import DIE
from vision.detect.prints import Sifted, changed_shares
from vision.dice.dice_reader import DiceObservations, observe_dice
from vision.tiles.tile_reader import TileObservations, observe_tiles, tile_size_mm

if TYPE_CHECKING:
    from collections.abc import Callable

    from calibration.files.calibration_file import TableCalibration
    from vision.arrays import Floats, Indices, Mask, Pixels
    from vision.detect.detections import Detections
    from vision.networks.classifier import EstimatesLean, NamesTiles, ReadsDice

_Observations = TypeVar("_Observations", TileObservations, DiceObservations)


@dataclass(frozen=True, slots=True)
class Networks:
    """The networks that read crops.

    Attributes:
        tiles: classifies tile crops.
        dice: reads the value of die crops.
        leaning: estimates which dice lean.
    """

    tiles: NamesTiles
    dice: ReadsDice
    leaning: EstimatesLean


@dataclass(frozen=True, eq=False, slots=True)
class Observed:
    """Observations of the candidates of one picture.

    Attributes:
        found: the candidates (n,).
        changed: (n,) changed share of each relative to the empty table.
        tile_mm: length and width of this table's tiles.
        tiles: the tiles among them; each ``source`` is the index of a candidate.
        dice: the dice among them, likewise.
    """

    found: Detections
    changed: Floats
    tile_mm: tuple[float, float]
    tiles: TileObservations
    dice: DiceObservations

    def sifted(self) -> Sifted:
        """The candidates compared with the picture of the empty table."""
        return Sifted.of(self.found, self.changed)


def observe(
    image: Pixels,
    empty: Pixels | None,
    found: Detections,
    networks: Networks,
    calibration: TableCalibration | None,
    lap: Callable[[str], None],
    before: Observed | None,
    same: Indices,
) -> Observed:
    """Read the candidates of a picture.

    Args:
        image: the picture.
        empty: the picture of the empty table, if any.
        found: the candidates (n,).
        networks: the networks.
        calibration: of the camera.
        lap: called with the name of each stage at its end.
        before: observations of an earlier picture.
        same: (n,) the candidate of the earlier picture that each still matches; -1 for one to be read.
    """
    unread, die = same < 0, found.kind == DIE
    changed = np.ones(len(found), np.float32)
    known_tiles = known_dice = None
    if before is not None:
        changed[same >= 0] = before.changed[same[same >= 0]]
        known_tiles = _kept(before.tiles, before.tiles.cut.source, same)
        known_dice = _kept(before.dice, before.dice.source, same)
    if before is not None and known_tiles is not None and known_dice is not None and not unread.any():
        lap("detect")
        return Observed(found, changed, before.tile_mm, known_tiles, known_dice)

    def real(which: Mask) -> Indices:
        """Indices of those (n,) that are not prints; records their changed shares."""
        numbers = np.flatnonzero(which)
        changed[numbers] = changed_shares(image, empty, found.take(numbers))
        return numbers[~Sifted.are_prints(changed[numbers])]

    def all_dice() -> tuple[Indices, DiceObservations]:
        numbers = real(unread & die)
        return numbers, observe_dice(image, found.take(numbers), networks.dice, networks.leaning, calibration)

    # The networks and OpenCV release the GIL, so most of the work on dice overlaps with that on tiles.
    with ThreadPoolExecutor(1, "dice") as beside:
        pending = beside.submit(all_dice)
        tiles = real(unread & ~die)
        tile_mm = tile_size_mm(found.take(~die & ~Sifted.are_prints(changed)), calibration)
        lap("detect")
        seen = observe_tiles(image, found.take(tiles), networks.tiles, calibration, tile_mm, lap, known_tiles)
        dice, thrown = pending.result()
    if calibration is None and not (seen.convincing or thrown.convincing):
        # If nothing is certainly a tile or a die, the doubtful ones are stars, leaves or print.
        seen, thrown = seen.take(np.zeros_like(seen.up)), thrown.take(np.zeros(len(thrown.pips), np.bool_))
    lap("dice")
    return Observed(
        found,
        changed,
        tile_mm,
        _with(known_tiles, replace(seen, cut=replace(seen.cut, source=tiles[seen.cut.source]))),
        _with(known_dice, replace(thrown, source=dice[thrown.source])),
    )


def _kept(rows: _Observations, source: Indices, same: Indices) -> _Observations:
    """The observations of unchanged candidates, with their new indices (n,)."""
    numbers = np.full(max(same.max(initial=-1), source.max(initial=-1)) + 1, -1)
    numbers[same[same >= 0]] = np.flatnonzero(same >= 0)
    kept: Mask = numbers[source] >= 0
    out = rows.take(kept)
    now = numbers[source[kept]]
    if isinstance(out, TileObservations):
        return replace(out, cut=replace(out.cut, source=now))
    return replace(out, source=now)


def _with(known: _Observations | None, new: _Observations) -> _Observations:
    if known is None:
        return new
    together = type(new).joined([known, new])
    source = together.cut.source if isinstance(together, TileObservations) else together.source
    return together.take(np.argsort(source, kind="stable"))
