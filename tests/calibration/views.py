"""Pictures of a flat thing through a known lens, from a known place: what calibration has to find again."""

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.lens.board import Board, board_pattern
from calibration.lens.projection import Lens
from calibration.table.homography import Pose
from calibration.table.markers import CARD_MM, MARKER_MM, marker_pattern

SIZE = (768, 432)
LENS = Lens(np.array([[440.0, 0, 390.0], [0, 439.0, 212.0], [0, 0, 1]]), np.array([-0.11, 0.03, 6e-4, -8e-4, 0.0]))


@dataclass(frozen=True, eq=False)
class Scenery:
    """A flat picture with its place: pixel (0, 0) lies at `left_mm`, `top_mm`; rows run toward smaller y."""

    pixels: NDArray[np.uint8]
    left_mm: float
    top_mm: float
    px_per_mm: float


@dataclass(frozen=True, eq=False)
class View:
    """A lens and a picture size, with the ray of every pixel worked out once."""

    lens: Lens
    size: tuple[int, int]

    @cached_property
    def rays(self) -> NDArray[np.float64]:
        """The ray of every eighth pixel, from two steps outside the picture on."""
        width, height = self.size
        x, y = np.meshgrid(np.arange(-12.5, width + 16, 8), np.arange(-12.5, height + 16, 8))
        return self.lens.rays_from_image(np.column_stack([x.ravel(), y.ravel()])).reshape(*x.shape, 2)

    def render(self, scenery: Scenery, pose: Pose) -> NDArray[np.uint8]:
        """The scenery on the plane z = 0 as the camera sees it: (h, w) grey, four samples a pixel."""
        width, height = self.size
        rows, columns, _ = self.rays.shape
        place = pose.plane_from_rays(self.rays.reshape(-1, 2), 0.0).reshape(rows, columns, 2)
        across = (place[..., 0] - scenery.left_mm) * scenery.px_per_mm - 0.5
        down = (scenery.top_mm - place[..., 1]) * scenery.px_per_mm - 0.5
        # Places change so evenly over eight pixels that lines between them are off by thousandths of a pixel.
        maps = [
            cv2.resize(each.astype(np.float32), (16 * columns, 16 * rows), interpolation=cv2.INTER_LINEAR)
            for each in (across, down)
        ]
        map_x, map_y = (each[32 : 32 + 2 * height, 32 : 32 + 2 * width] for each in maps)
        fine = cv2.remap(
            scenery.pixels, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=(95, 95, 95)
        )
        return np.asarray(cv2.resize(fine, self.size, interpolation=cv2.INTER_AREA), np.uint8)


def board_scenery(board: Board, unit_px: int = 5) -> Scenery:
    """The board with its middle at the origin and a white rim."""
    unit_mm = board.square_mm / 20
    pixels = np.where(np.kron(board_pattern(board), np.ones((unit_px, unit_px))), 15, 235).astype(np.uint8)
    rim = 10 * unit_px
    pixels = np.pad(pixels, rim, constant_values=235)
    width, height = board.size_mm
    return Scenery(pixels, -width / 2 - 10 * unit_mm, height / 2 + 10 * unit_mm, unit_px / unit_mm)


def board_pose(at: tuple[float, float], distance_mm: float, lean_x: float, lean_y: float, turn: float) -> Pose:
    """A board facing the camera, moved and leaned (radians)."""
    flip = np.diag([1.0, -1.0, -1.0])
    rotation = rotated(lean_x, lean_y, turn) @ flip
    return Pose(rotation, np.array([at[0] * distance_mm, at[1] * distance_mm, distance_mm]))


def rotated(x: float, y: float, z: float) -> NDArray[np.float64]:
    rotation, _ = cv2.Rodrigues(np.array([x, 0.0, 0.0]))
    other, _ = cv2.Rodrigues(np.array([0.0, y, 0.0]))
    last, _ = cv2.Rodrigues(np.array([0.0, 0.0, z]))
    return np.asarray(rotation @ other @ last, np.float64)


def over_table(
    x: float = 12.0,
    y: float = -20.0,
    z: float = 1480.0,
    lean_x: float = 0.03,
    lean_y: float = -0.02,
    turn: float = 0.01,
) -> Pose:
    """A camera at a place over the table, looking down."""
    rotation = rotated(lean_x, lean_y, turn) @ np.diag([1.0, -1.0, -1.0])
    return Pose(rotation, -rotation @ np.array([x, y, z]))


def table_scenery(markers: dict[int, tuple[float, float, float]], *, seed: int = 3, px_per_mm: float = 1.0) -> Scenery:
    """A felt with a printed layout and marker cards, each at `(x, y, turn in degrees)`."""
    width, height = int(2300 * px_per_mm), int(1300 * px_per_mm)
    rng = np.random.default_rng(seed)
    weave = cv2.resize(rng.normal(0, 5, (height // 8, width // 8)).astype(np.float32), (width, height))
    pixels = np.clip(95 + weave, 0, 255).astype(np.uint8)
    scenery = Scenery(pixels, -1150.0, 650.0, px_per_mm)

    def spot(x: float, y: float) -> tuple[int, int]:
        return int((x + 1150) * px_per_mm), int((650 - y) * px_per_mm)

    for number in range(8):
        x = (3.5 - number) * 232
        cv2.rectangle(pixels, spot(x - 105, 500), spot(x + 105, 370), 200, int(5 * px_per_mm))
        cv2.rectangle(pixels, spot(x - 105, 350), spot(x + 105, 170), 190, int(4 * px_per_mm))
        cv2.putText(pixels, str(number + 1), spot(x - 30, 400), cv2.FONT_HERSHEY_SIMPLEX, 3 * px_per_mm, 210, 8)
    cv2.rectangle(pixels, spot(-140, -150), spot(140, -310), 200, int(5 * px_per_mm))
    cv2.rectangle(pixels, spot(-280, -344), spot(280, -520), 40, -1)
    cv2.circle(pixels, spot(540, -265), int(90 * px_per_mm), 200, int(4 * px_per_mm))
    cv2.rectangle(pixels, spot(-710, -190), spot(-530, -380), 200, int(4 * px_per_mm))
    cv2.putText(pixels, "PAI GOW", spot(-330, -60), cv2.FONT_HERSHEY_DUPLEX, 5 * px_per_mm, 205, 12)
    for number, (x, y, turn) in markers.items():
        _lay(scenery, number, x, y, turn)
    return scenery


def _lay(scenery: Scenery, number: int, x: float, y: float, turn: float) -> None:
    """Warp one marker card into the felt."""
    module = 20
    card = np.full((round(CARD_MM / MARKER_MM * 6 * module),) * 2, 240, np.uint8)
    edge = (card.shape[0] - 6 * module) // 2
    black = np.kron(marker_pattern(number), np.ones((module, module)))
    card[edge : edge + 6 * module, edge : edge + 6 * module] = np.where(black, 15, 240)
    scale = CARD_MM / card.shape[0] * scenery.px_per_mm
    cosine, sine = np.cos(np.radians(turn)) * scale, np.sin(np.radians(turn)) * scale
    middle = (card.shape[0] - 1) / 2
    centre = ((x - scenery.left_mm) * scenery.px_per_mm - 0.5, (scenery.top_mm - y) * scenery.px_per_mm - 0.5)
    # Turning is counter-clockwise on the table, where y runs up.
    matrix = np.array([[cosine, sine, 0.0], [-sine, cosine, 0.0]])
    matrix[:, 2] = centre - matrix[:, :2] @ (middle, middle)
    size = (scenery.pixels.shape[1], scenery.pixels.shape[0])
    warped = cv2.warpAffine(card, matrix, size, flags=cv2.INTER_AREA)
    there = cv2.warpAffine(np.full_like(card, 255), matrix, size)
    scenery.pixels[there > 127] = warped[there > 127]
