"""A camera over a drawn table that shows what a technician holds and lays there, one thing after the other."""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from typing import Final

import cv2
import numpy as np

from calibration.lens.board import BOARDS
from calibration.lens.projection import Lens
from calibration.table.homography import Pose
from calibration.table.markers import CARD_MM, MARKER_MM, MarkerSpot, marker_pattern
from calibration.table.places import BOX_PLACES
from calibration.table.presets import preset_layout
from datasets.rendering.renderer import render
from datasets.scenes.scene import CameraModel, Scene, TileObject
from datasets.scenes.whole_table import TableSetup, sample_setup
from tests.calibration.views import View, board_pose, board_scenery
from vision.capture import Frame, FrameResult
from vision.capture.images import Image

SIZE: Final = (2304, 1296)
FAST_S: Final = 0.1
USUAL_S: Final = 0.4
"""A machine that runs tests reads no more pictures than it has to."""
HAND: Final = ("6-3", "5-3", "6-6", "6-1")
LAID: Final = ((-52.0, 0.0, 90.0), (-26.0, 0.0, 90.0), (25.0, 13.0, 0.0), (25.0, -13.0, 0.0))
"""Where the tiles of a hand lie about the middle of its place, millimetres and degrees: two upright, two across."""


@dataclass(frozen=True, eq=False)
class DrawnTable:
    """A table, and the camera over it."""

    at: TableSetup

    @property
    def camera(self) -> CameraModel:
        return self.at.bare.camera

    @property
    def lens(self) -> Lens:
        return Lens(self.camera.k, self.camera.dist)

    def drawn(self, *tiles: TileObject) -> Image:
        scene: Scene = self.at.scene("round", tiles, (), ())
        return render(replace(scene, camera=self.camera), np.random.default_rng(3), supersample=1.0).image

    @cache  # noqa: B019  one table for all tests
    def empty(self) -> Image:
        return self.drawn()

    def marked(self, spots: tuple[MarkerSpot, ...]) -> Image:
        """The empty table with marker cards on it."""
        picture = self.empty().copy()
        pose = Pose(self.camera.r, self.camera.t)
        for spot in spots:
            card = _card(spot.number)
            side = card.shape[0]
            corners_mm = np.array([(-1, 1), (1, 1), (1, -1), (-1, -1)]) * CARD_MM / 2 + (spot.x_mm, spot.y_mm)
            points = np.column_stack([corners_mm, np.zeros(4)])
            pixels = self.lens.image_from_rays(_rays(pose, points)).astype(np.float32)
            corners = np.array([(0, 0), (side, 0), (side, side), (0, side)], np.float32) - 0.5
            onto = cv2.getPerspectiveTransform(corners, pixels)
            fine = cv2.warpPerspective(card, onto, SIZE, flags=cv2.INTER_AREA)
            there = cv2.warpPerspective(np.full_like(card, 255), onto, SIZE)
            picture[there > 127] = fine[there > 127][:, None]
        return picture

    @cache  # noqa: B019  one table for all tests
    def with_hand(self, box: int = 1) -> Image:
        """A hand open at a box, as the layout to begin with has it."""
        zone = preset_layout("crown-a").zone(BOX_PLACES[box - 1])
        assert zone is not None
        turn = np.radians(zone.angle_deg)
        cosine, sine = np.cos(turn), np.sin(turn)
        tiles = [
            TileObject(
                face,
                True,  # noqa: FBT003  face up
                zone.center_mm[0] + dx * cosine - dy * sine,
                zone.center_mm[1] + dx * sine + dy * cosine,
                turn + np.radians(angle),
            )
            for face, (dx, dy, angle) in zip(HAND, LAID, strict=True)
        ]
        return self.drawn(*tiles)

    def boards(self) -> tuple[Image, ...]:
        """The board held all over the picture, leaning every way."""
        rng = np.random.default_rng(1)
        view, scenery = View(self.lens, SIZE), board_scenery(BOARDS["a3"], unit_px=8)
        spots = [(x, y) for y in (-0.36, 0.0, 0.36) for x in (-0.68, -0.23, 0.23, 0.68)]
        leans = [(0.5, 0.0), (0.0, 0.5), (-0.5, 0.0), (0.0, -0.5), (0.0, 0.0)]
        shown = []
        for number, spot in enumerate(spots):
            pose = board_pose(spot, 520 + 60 * rng.random(), *leans[number % 5], rng.normal(0, 0.2))
            shown.append(np.asarray(cv2.cvtColor(view.render(scenery, pose), cv2.COLOR_GRAY2BGR), np.uint8))
        return tuple(shown)


@cache
def drawn_table() -> DrawnTable:
    return DrawnTable(sample_setup(np.random.default_rng((1, 11)), SIZE))


@dataclass(slots=True)
class Stage:
    """The scene before the camera.

    Attributes:
        shows: (h, w, 3) uint8.
        period_s: from one picture to the next.
    """

    shows: Image
    period_s: float = USUAL_S


@dataclass(slots=True)
class SimulatedCamera:
    """Yields pictures of its scene, with fresh noise, until it is closed."""

    stage: Stage
    live: bool = True
    length: int | None = None
    _closed: threading.Event = field(default_factory=threading.Event)

    def __iter__(self) -> Iterator[FrameResult]:
        rng, sequence = np.random.default_rng(7), 0
        noise = np.repeat(np.rint(rng.normal(0, 1.5, (SIZE[1], SIZE[0], 1))).astype(np.int16), 3, axis=2)
        noises = [np.roll(noise, shift, axis=1) for shift in range(4)]
        while not self._closed.wait(self.stage.period_s):
            image = np.asarray(cv2.add(self.stage.shows, noises[sequence % 4], dtype=cv2.CV_8U), np.uint8)
            yield Frame(sequence, datetime.now(UTC), f"camera#{sequence}", image, monotonic_ns=time.monotonic_ns())
            sequence += 1

    def close(self) -> None:
        self._closed.set()


def _rays(pose: Pose, points_mm: np.ndarray) -> np.ndarray:
    seen = points_mm @ pose.rotation.T + pose.translation
    return np.asarray(seen[:, :2] / seen[:, 2:])


def _card(number: int) -> Image:
    module = 20
    card = np.full((round(CARD_MM / MARKER_MM * 6 * module),) * 2, 235, np.uint8)
    edge = (card.shape[0] - 6 * module) // 2
    black = np.kron(marker_pattern(number), np.ones((module, module)))
    card[edge : edge + 6 * module, edge : edge + 6 * module] = np.where(black, 18, 235)
    return card
