"""What one picture says: the values every later stage, the command line and the service pass on.

Nothing here judges a House Way and nothing remembers: a ``Reading`` is what was seen, how sure that is, and the doubts
that keep a part of it from being verified. Lengths ending in ``_mm`` are in the table frame (origin in the middle of
the felt, +x to the dealer's right, +y toward the players), pixels are those of the picture as displayed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from calibration.files.calibration_file import TableCalibration
    from calibration.table.places import Place
    from engine.game.tiles import Tile
    from vision.capture.images import Image
    from vision.findings import Finding
    from vision.markers.marker_kinds import MarkerKind

Verdict: TypeAlias = Literal["own", "unlike", "foreign"]
"""What a likeness to the table's own tiles means: its own, not quite, or surely not."""
Point: TypeAlias = tuple[float, float]
Polygon: TypeAlias = tuple[Point, Point, Point, Point]
Status: TypeAlias = Literal["verified", "uncertain"]
Role: TypeAlias = Literal["box", "cut"]


@dataclass(frozen=True, slots=True)
class TileReading:
    """One tile lying in the picture.

    Attributes:
        face: the face read; None for a tile lying face down or one whose face cannot be told.
        face_up: whether the tile shows its face.
        polygon: corners of the upper face in pixels, clockwise as displayed, corner 0 to 1 along a short edge.
        confidence: probability of the face, in [0, 1]; of the detection for a tile lying face down.
        runner_up: the second likeliest face, None if there is none worth naming.
        status: ``verified`` only if every condition but time holds.
        doubts: why it is not verified; empty if it is.
        center_mm: middle of the upper face on the table; None without calibration.
        angle_deg: direction of the long axis in the table frame, counter-clockwise from +x, in [0, 180); None without
            calibration.
        place: where it lies; None outside every place and without calibration.
        own: how it compares with this table's own tiles of its face, where that is all there is to be doubted; None if
            none are enrolled.
        scores: what each reader said in figures, by name, of a tile whose face was told (``vision.verification``);
            thresholds are chosen by them (``houseway thresholds``).
        fresh: whether it was read from this picture; False if nothing changed where it lies since it was read, so that
            the picture is no further witness.
    """

    face: Tile | None
    face_up: bool
    polygon: Polygon
    confidence: float
    runner_up: Tile | None
    status: Status
    doubts: tuple[Finding, ...] = ()
    center_mm: Point | None = None
    angle_deg: float | None = None
    place: Place | None = None
    own: Verdict | None = None
    scores: Mapping[str, float] = field(default_factory=dict, compare=False)
    fresh: bool = field(default=True, compare=False)

    @property
    def in_play(self) -> bool:
        """Whether it lies at a place where a hand is played."""
        return self.place is not None and self.place.has_hand


@dataclass(frozen=True, slots=True)
class DieReading:
    """One die lying in the picture.

    Attributes:
        value: number on the upper face, None if it cannot be told.
        role: ``box`` for a die of the three alike, ``cut`` for the odd one, None if the dice do not say.
        colour: name of the body's colour.
        cocked: whether the die seems to lean.
        polygon: corners of the upper face in pixels, clockwise as displayed.
        confidence: probability of the value, in [0, 1].
        status: ``verified`` only if every condition but time holds.
        doubts: why it is not verified; empty if it is.
        surely_cocked: whether it leans so surely that somebody should be told.
        fresh: as of a tile.
    """

    value: int | None
    role: Role | None
    colour: str
    cocked: bool
    polygon: Polygon
    confidence: float
    status: Status
    doubts: tuple[Finding, ...] = ()
    surely_cocked: bool = False
    fresh: bool = field(default=True, compare=False)


@dataclass(frozen=True, slots=True)
class HandReading:
    """Four tiles laid as a low and a high hand.

    Attributes:
        place: whose hand it is: the house's or a box's; ``hand1`` ... in reading order without calibration.
        low: the pair laid as the low hand (vertical as the dealer sees it, unless the table has it horizontal).
        high: the pair laid as the high hand (across it).
        status: ``verified`` only if all four tiles are and the lay is faultless.
        doubts: why it is not verified, and how low and high were told apart.
    """

    place: Place
    low: tuple[Tile, Tile]
    high: tuple[Tile, Tile]
    status: Status
    doubts: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class MarkerReading:
    """One of the house's own markers lying in the picture.

    Attributes:
        kind: what it means.
        value: what a plus/minus button shows; None for any other marker.
        center_px: middle of its upper face in pixels.
        center_mm: the same on the table.
        outline: points of the rim of its upper face, in pixels, in their order around it.
        diameter_mm: of that face.
        confidence: correlation with the enrolled face, in [0, 1].
        status: ``verified`` only if every condition but time holds.
        doubts: why it is not verified; empty if it is.
        place: the box that it lies at; None where it lies at none, or on the border of two.
    """

    kind: MarkerKind
    value: int | None
    center_px: Point
    center_mm: Point
    outline: tuple[Point, ...]
    diameter_mm: float
    confidence: float
    status: Status
    doubts: tuple[Finding, ...] = ()
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """All that was read from one picture.

    Attributes:
        image: name of the picture.
        size: width and height in pixels, as displayed.
        calibrated: whether a calibration was used.
        single_frame: True for one still picture, where rest over time cannot be shown.
        tiles: tiles found.
        dice: dice found.
        hands: hands assembled from the tiles.
        findings: contradictions and faults, none of them repaired.
        versions: what read it, by name (hashes of the models, versions of the libraries).
        elapsed_ms: time taken by stage and in ``total``, in milliseconds.
        markers: the house's own markers; None where none are enrolled, so that nobody looked.
        repeated: whether the picture is the one before it once more, to the last grey level: a camera that hangs.
    """

    image: str
    size: tuple[int, int]
    calibrated: bool
    single_frame: bool
    tiles: tuple[TileReading, ...]
    dice: tuple[DieReading, ...]
    hands: tuple[HandReading, ...]
    findings: tuple[Finding, ...]
    versions: dict[str, str]
    elapsed_ms: dict[str, float]
    markers: tuple[MarkerReading, ...] | None = None
    repeated: bool = False


class PictureReader(Protocol):
    """Whatever reads a picture; :class:`vision.reader.Reader` in the running service, a stand-in in tests."""

    def read(
        self,
        image: Image,
        *,
        calibration: TableCalibration | None = None,
        empty: Image | None = None,
        hands: bool = True,
        name: str = "",
        t_s: float | None = None,
    ) -> Reading:
        """What lies in a picture taken at ``t_s`` and not on the ``empty`` table, with hands if ``hands``."""
        ...
