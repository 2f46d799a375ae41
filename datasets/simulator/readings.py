"""Readings of a session without pictures: visibility from geometry, reader errors at random.

They serve to score tracking (tracks, hands, rounds) on thousands of rounds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from calibration.table.sizes import TILE_MM, TILE_TOP_MM, rectangle_corners
from datasets.simulator.film import START
from datasets.simulator.marker_readings import read_markers
from datasets.simulator.sight import covered_share, visible_dice, visible_tiles
from engine.game.tiles import Tile
from vision.findings import Code, Finding
from vision.hand_grouping import Conventions, hands_at_places
from vision.health.picture_health import GRID, MAX_HIDDEN_SHARE
from vision.reading import DieReading, Polygon, Reading, TileReading

if TYPE_CHECKING:
    from collections.abc import Iterator

    from calibration.table.places import Place
    from datasets.scenes.scene import DieObject, TileObject
    from datasets.simulator.script import Script
    from datasets.simulator.timeline import Instant

Floats = NDArray[np.float64]

DARK_GAIN: Final = 0.3
BRIGHT_GAIN: Final = 1.7
BLURRED_PX: Final = 4.0
"""Light, relative to the usual, and blur, pixels, from where on a picture is unfit and nothing is verified."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRates:
    """Error rates of a reader: shares of the tiles of a picture unless said otherwise.

    Attributes:
        doubted: visible tiles read with low confidence.
        misnamed: of those, the share with a wrong face.
        deceived: tiles, each time they come to rest, that are taken for another face as long as they lie.
        sure_wrong: of those, the share whose wrong face is verified.
        ghosts: false detections a picture.
        half_hidden: visible share of its face below which a tile is hardly ever found.
        jitter_mm, jitter_deg: standard deviations of a tile's middle and direction.
        die_wrong: visible dice misread, with low confidence.
    """

    missed: float = 0.002
    doubted: float = 0.01
    misnamed: float = 0.15
    deceived: float = 0.002
    sure_wrong: float = 0.0
    ghosts: float = 0.01
    half_hidden: float = 0.4
    jitter_mm: float = 0.5
    jitter_deg: float = 0.8
    die_wrong: float = 0.002


PERFECT: Final = ErrorRates(
    missed=0.0, doubted=0.0, misnamed=0.0, deceived=0.0, ghosts=0.0, half_hidden=0.5, jitter_mm=0.0, jitter_deg=0.0,
    die_wrong=0.0,
)  # fmt: skip
"""A reader without errors."""

_AFTER_PICTURES: Final = 3
"""Pictures of the cleared table after the last round: three end a round."""

_PLACE_REACH_MM: Final = 160.0
"""Half the diagonal of the largest place, and some."""


@cache
def _alike(face: Tile) -> tuple[Tile, ...]:
    """Faces that a face is taken for: those that differ by fewest pips first."""

    def far(other: Tile) -> int:
        (a, b), (c, d) = face.halves, other.halves
        return min(abs(a - c) + abs(b - d), abs(a - d) + abs(b - c))

    return tuple(sorted((tile for tile in Tile if tile is not face), key=far))[:5]


@dataclass(slots=True)
class _TileMemory:
    """A tile between readings: where it lies, and the face it is taken for there."""

    lying: tuple[float, float, bool]
    taken_for: Tile | None = None
    sure: bool = False


def _lying(tile: TileObject) -> tuple[float, float, bool]:
    return round(tile.x_mm, 2), round(tile.y_mm, 2), tile.face_up


class SimulatedReader:
    """Reads moments with a reader's errors, and remembers which tiles deceive it; the house's markers if asked to."""

    def __init__(self, made: Script, faults: ErrorRates, rng: np.random.Generator, *, markers: bool = False) -> None:
        self._made = made
        self._markers = markers
        self.calibration = made.table_calibration()
        self._faults = faults
        self._rng = rng
        self._seen: dict[int, _TileMemory] = {}
        self._conventions = Conventions.of(self.calibration, made.low_hand)
        self._outlines: dict[tuple[float, float, float], Polygon] = {}
        self._tiles_before: tuple[TileObject, ...] | None = None
        self._shares: Floats = np.ones(32)

    def deceived_by(self, now: Instant) -> frozenset[int]:
        """The tiles that are taken for another face, by their numbers, at a moment that was read."""
        return frozenset(
            n for n, seen in self._seen.items() if seen.taken_for is not None and seen.lying == _lying(now.tiles[n])
        )

    def read(self, now: Instant, name: str) -> Reading:
        health = _health(now)
        shares = self._visible(now)
        spots = self._spots(now)
        tiles = [
            tile
            for n in range(len(now.tiles))
            if (tile := self._tile(now, n, float(shares[n]), spots[n], health)) is not None
        ]
        tiles += self._ghosts()
        tiles = self._outlined(tiles)
        hands, about = hands_at_places(tiles, set(), self._conventions, TILE_MM[0])
        return Reading(
            image=name,
            size=self.calibration.size,
            calibrated=True,
            single_frame=True,
            tiles=tuple(tiles),
            dice=tuple(self._dice(now, health)),
            hands=tuple(hands),
            findings=(*health, *about),
            versions={"reader": "simulated"},
            elapsed_ms={},
            markers=read_markers(self._made, now, self.calibration, health) if self._markers else None,
        )

    def _visible(self, now: Instant) -> Floats:
        """Visible share of each tile; recomputed only if something moved."""
        if now.tiles != self._tiles_before or now.hands or now.view.cover is not None:
            self._shares = visible_tiles(now)
            # With a hand or a cover in the picture the next moment is another one anyway.
            self._tiles_before = None if now.hands or now.view.cover is not None else now.tiles
        return self._shares

    def _spots(self, now: Instant) -> Floats:
        """Where the middles of the tiles seem to lie, (32, 2) mm: elsewhere once the camera was knocked."""
        spots = np.array([(t.x_mm, t.y_mm) for t in now.tiles])
        camera = now.view.camera
        if camera is self._made.setup.bare.camera:
            return spots
        points = np.column_stack([spots, np.full(len(spots), TILE_TOP_MM)])
        knocked = self._made.table_calibration(camera)
        return self.calibration.to_plane(knocked.project(points), TILE_TOP_MM)

    def _tile(
        self, now: Instant, n: int, share: float, spot: Floats, health: tuple[Finding, ...]
    ) -> TileReading | None:
        """One tile as read, or None if it is not found; without its outline."""
        tile, faults, rng = now.tiles[n], self._faults, self._rng
        moving = n in now.moving
        found = 1 - faults.missed if share >= 0.9 else float(np.clip((share - faults.half_hidden) / 0.35, 0, 0.97))
        if moving:
            found *= 0.6
        if share <= faults.half_hidden or rng.random() >= found or tile.z_mm > 120:
            return None
        upright = abs(tile.lean[0]) < 0.4
        up = tile.face_up and upright
        x, y = spot + rng.normal(0, faults.jitter_mm * (4 if moving else 1), 2) if faults.jitter_mm else spot
        angle = np.degrees(tile.angle) + rng.normal(0, faults.jitter_deg * (4 if moving else 1))
        doubts = list(health)
        if moving:
            doubts.append(Finding(Code.BLURRED))
        elif share < 0.9:
            doubts.append(Finding(Code.CROSSED))
        face, runner_up, confidence, doubt = self._named(n, tile, up=up, clear=share >= 0.9 and not moving)
        if doubt is not None:
            doubts.append(doubt)
        return TileReading(
            face=face,
            face_up=up,
            polygon=_NOWHERE,
            confidence=confidence,
            runner_up=runner_up,
            status="uncertain" if doubts else "verified",
            doubts=tuple(doubts),
            center_mm=(float(x), float(y)),
            angle_deg=float(angle % 180),
            place=self._place_of(float(x), float(y)),
        )

    def _place_of(self, x: float, y: float) -> Place | None:
        """As ``TableCalibration.place_of``, but only of places near enough."""
        near = (
            (zone.depth(x, y), zone.place)
            for zone in self.calibration.layout.zones
            if abs(zone.center_mm[0] - x) < _PLACE_REACH_MM and abs(zone.center_mm[1] - y) < _PLACE_REACH_MM
        )
        depth, place = min(near, default=(np.inf, None))
        return place if depth <= 1 else None

    def _named(
        self, n: int, tile: TileObject, *, up: bool, clear: bool
    ) -> tuple[Tile | None, Tile | None, float, Finding | None]:
        """Face, second face, confidence, and why the face is doubted (None if it is not)."""
        faults, rng = self._faults, self._rng
        if not up:
            self._seen.pop(n, None)
            return None, None, rng.uniform(0.95, 1), None
        true = Tile.parse(tile.face)
        alike = _alike(true)
        other = alike[int(rng.integers(len(alike)))]
        lying = _lying(tile)
        seen = self._seen.get(n)
        if seen is None or seen.lying != lying:
            seen = self._seen[n] = _TileMemory(lying)
            if clear and rng.random() < faults.deceived:
                seen.taken_for, seen.sure = other, bool(rng.random() < faults.sure_wrong)
        if seen.taken_for is not None and (seen.sure or rng.random() < 0.8):
            sure = float(rng.uniform(0.99, 1) if seen.sure else rng.uniform(0.4, 0.9))
            doubt = None if seen.sure else Finding.of(Code.PIPS_SHOW_ANOTHER_FACE, face=str(true))
            return seen.taken_for, true, sure, doubt
        if clear and rng.random() >= faults.doubted:
            return true, other, rng.uniform(0.995, 1), None
        wrong = rng.random() < (faults.misnamed if clear else 0.1 if faults.doubted else 0.0)
        low, high = (0.35, 0.95) if not clear else (0.3, 0.7) if wrong else (0.5, 0.97)
        face, second = (other, true) if wrong else (true, other)
        sure = rng.uniform(low, high)
        doubt = Finding.of(Code.LOW_CONFIDENCE, face=str(face), percent=round(100 * sure), next=str(second))
        return face, second, sure, doubt

    def _ghosts(self) -> list[TileReading]:
        rng, out = self._rng, []
        if rng.random() < self._faults.ghosts:
            x, y = rng.uniform(-1000, 1000), rng.uniform(-480, 480)
            face = list(Tile)[int(rng.integers(21))] if rng.random() < 0.5 else None
            sure, doubts = rng.uniform(0.3, 0.7), (Finding(Code.NOT_A_TILE),)
            place, angle = self.calibration.place_of(x, y), rng.uniform(0, 180)
            found = TileReading(face, face is not None, _NOWHERE, sure, None, "uncertain", doubts, (x, y), angle, place)
            out.append(found)
        return out

    def _outlined(self, tiles: list[TileReading]) -> list[TileReading]:
        if not tiles:
            return []
        middles = np.array([tile.center_mm for tile in tiles])
        angles = np.deg2rad([tile.angle_deg or 0.0 for tile in tiles])
        corners = rectangle_corners(middles, angles, TILE_MM[:2])
        points = np.concatenate([corners, np.full((*corners.shape[:2], 1), TILE_TOP_MM)], 2).reshape(-1, 3)
        pixels = np.round(self.calibration.project(points), 2).reshape(-1, 4, 2).tolist()
        return [replace(tile, polygon=_polygon(quad)) for tile, quad in zip(tiles, pixels, strict=True)]

    def _dice(self, now: Instant, health: tuple[Finding, ...]) -> Iterator[DieReading]:
        shares = visible_dice(now)
        if shares.max(initial=0.0) < 0.7:
            return
        shaken = (now.dish.x_mm, now.dish.y_mm) != (self._made.line.dish.x_mm, self._made.line.dish.y_mm)
        for die, share in zip(now.dice, shares.tolist(), strict=True):
            if share < 0.7 or shaken:
                continue
            rng = self._rng
            wrong = rng.random() < self._faults.die_wrong
            value = int(rng.integers(1, 7)) if wrong else die.value
            sure = float(rng.uniform(0.4, 0.8) if wrong else rng.uniform(0.98, 1))
            doubts = list(health)
            doubts += [Finding(Code.CROSSED)] if share < 0.9 else []
            doubts += [Finding.of(Code.VALUE_LOW_CONFIDENCE, value=value, percent=round(100 * sure))] if wrong else []
            doubts += [Finding(Code.DIE_LEANS)] if die.cocked else []
            yield DieReading(
                value=value,
                # The reader tells the cut die from three box dice, not from a single one.
                role=die.role if self._made.options.variant is None else None,
                colour=die.style.name,
                cocked=die.cocked,
                polygon=self._die_outline(die),
                confidence=sure,
                status="uncertain" if doubts else "verified",
                doubts=tuple(doubts),
                surely_cocked=die.cocked,
            )

    def _die_outline(self, die: DieObject) -> Polygon:
        """Where a die's upper face lies in the picture; worked out once for as long as it lies there."""
        half = die.style.side_mm / 2
        spot = (die.x_mm, die.y_mm, die.z_mm + half)
        if spot not in self._outlines:
            corners = np.array([(dx * half, dy * half, 0.0) for dx, dy in ((-1, 1), (1, 1), (1, -1), (-1, -1))])
            self._outlines[spot] = _polygon(np.round(self.calibration.project(corners + spot), 2).tolist())
        return self._outlines[spot]


_NOWHERE: Final[Polygon] = ((0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0))


def _polygon(quad: list[list[float]]) -> Polygon:
    one, two, three, four = ((float(x), float(y)) for x, y in quad)
    return one, two, three, four


def _health(now: Instant) -> tuple[Finding, ...]:
    """What a reader says of the picture itself, and the watch of the camera of a covered lens."""
    view, found = now.view, []
    strength = float(np.mean(view.gain))
    if strength < DARK_GAIN or (view.cover is not None and view.cover[2] > 1):
        found.append(Finding(Code.TOO_DARK))
    elif (hidden := covered_share(view, GRID)) > MAX_HIDDEN_SHARE:
        limit = round(100 * MAX_HIDDEN_SHARE)
        found.append(Finding.of(Code.OBSTRUCTED, hidden=round(100 * hidden), limit=limit))
    if strength > BRIGHT_GAIN:
        found.append(Finding(Code.TOO_BRIGHT))
    if view.blur_px > BLURRED_PX:
        found.append(Finding(Code.BLURRED))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class TimedReading:
    """A reading and when it was made: in the session's own time, and as the source's pictures say.

    `deceived_by` holds the numbers of the tiles that are taken for another face as long as they lie.
    """

    sequence: int
    t_s: float
    captured_at: datetime
    reading: Reading
    deceived_by: frozenset[int] = frozenset()


class ReadingSource:
    """A session's readings at a rate per second, with the errors of one seed.

    In `sparse` spans of time one reading a second is made, for what is scored elsewhere. With `markers` the chung
    and the button are read too, as at a table where the house's markers are enrolled.
    """

    def __init__(
        self,
        made: Script,
        rate: float = 5.0,
        faults: ErrorRates | None = None,
        seed: int = 0,
        sparse: tuple[tuple[float, float], ...] = (),
        *,
        markers: bool = False,
    ) -> None:
        self.script = made
        self.rate = rate
        self.faults = faults or ErrorRates()
        self.calibration = made.table_calibration()
        self._seed = seed
        self._sparse = sparse
        self._markers = markers

    def read(self, t: float) -> Reading:
        """The reading of one moment, whatever was read before it."""
        rng = np.random.default_rng((self.script.seed, 32, self._seed, int(t * 1e6)))
        return SimulatedReader(self.script, self.faults, rng, markers=self._markers).read(self.script.at(t), f"{t:.3f}")

    def __iter__(self) -> Iterator[TimedReading]:
        """The readings in order of time; each iteration makes the same errors."""
        rng = np.random.default_rng((self.script.seed, 31, self._seed))
        reader = SimulatedReader(self.script, self.faults, rng, markers=self._markers)
        for sequence in range(int(self.script.end_s * self.rate) + 1 + _AFTER_PICTURES):
            t = sequence / self.rate
            if sequence % max(1, round(self.rate)) and any(start <= t < end for start, end in self._sparse):
                continue
            name = f"simulator-{self.script.seed}#{sequence}"
            now = self.script.at(t)
            captured_at = START + timedelta(seconds=t)
            yield TimedReading(sequence, t, captured_at, reader.read(now, name), reader.deceived_by(now))
