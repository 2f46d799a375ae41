"""The reading of one picture: the values used by all later stages, the command line and the service.

Nothing here judges a House Way or keeps state: a ``Reading`` contains what was seen, with confidence and the doubts
that prevent verification. Lengths ending in ``_mm`` are in the table frame (origin in the middle of the felt, +x to the
dealer's right, +y toward the players), pixels are those of the picture as displayed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from calibration.files.calibration_file import TableCalibration
    from calibration.table.places import Place
    from engine.game.tiles import Tile
    from vision.capture.images import Image
    from vision.findings import Finding
    from vision.markers.marker_kinds import MarkerKind

Verdict: TypeAlias = Literal["own", "unlike", "foreign"]
"""Result of a comparison with the table's own tiles: its own, not quite, or certainly not."""
Point: TypeAlias = tuple[float, float]
Polygon: TypeAlias = tuple[Point, Point, Point, Point]
Status: TypeAlias = Literal["verified", "uncertain"]
Role: TypeAlias = Literal["box", "cut"]


FEWEST_DICE: Final = 3
"""Dice of a throw: three at least in every rulebook, except in a variant with a single box die (crown-6.1 14.3.1)."""


@dataclass(frozen=True, slots=True)
class TileReading:
    """One tile in the picture.

    Attributes:
        face: the face read; None for a face-down tile or an unrecognisable face.
        face_up: whether the tile lies face up.
        polygon: corners of the upper face in pixels, clockwise as displayed, corner 0 to 1 along a short edge.
        confidence: probability of the face, in [0, 1]; of the detection for a face-down tile.
        runner_up: the second likeliest face, None if none is worth mentioning.
        status: ``verified`` only if every condition but time holds.
        doubts: why it is not verified; empty if it is.
        center_mm: centre of the upper face on the table; None without calibration.
        angle_deg: direction of the long axis in the table frame, counter-clockwise from +x, in [0, 180); None without
            calibration.
        place: its place; None outside every place and without calibration.
        own: comparison with this table's own tiles of its face, if that is the only possible doubt; None if none are
            enrolled.
        scores: scores of each reader by name, for a tile with a known face (``vision.verification``); used to choose
            thresholds (``python -m datasets.evaluation.thresholds``).
        fresh: whether it was read from this picture; False if its surroundings have not changed since it was read, so
            that the picture is not independent evidence.
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
        """Whether it lies at a place for hands."""
        return self.place is not None and self.place.has_hand


@dataclass(frozen=True, slots=True)
class DieReading:
    """One die in the picture.

    Attributes:
        value: number on the upper face, None if unrecognisable.
        role: ``box`` for one of three alike, ``cut`` for the odd one, None if undetermined; of the table's own dice if
            they are enrolled.
        colour: name of the body's colour.
        cocked: whether the die seems to lean.
        polygon: corners of the upper face in pixels, clockwise as displayed.
        confidence: probability of the value, in [0, 1].
        status: ``verified`` only if every condition but time holds.
        doubts: why it is not verified; empty if it is.
        surely_cocked: whether it leans so clearly that staff should be notified.
        own: comparison with this table's own dice, if that is the only possible doubt; None if none are enrolled.
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
    own: Verdict | None = None
    fresh: bool = field(default=True, compare=False)


@dataclass(frozen=True, slots=True)
class HandReading:
    """Four tiles laid as a low and a high hand.

    Attributes:
        place: the hand's place: the house's or a box's; ``hand1`` ... in reading order without calibration.
        low: the pair laid as the low hand (vertical as seen by the dealer, unless the table has it horizontal).
        high: the pair laid as the high hand (across it).
        status: ``verified`` only if all four tiles are and the layout is faultless.
        doubts: why it is not verified, and how low and high were distinguished.
    """

    place: Place
    low: tuple[Tile, Tile]
    high: tuple[Tile, Tile]
    status: Status
    doubts: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class MarkerReading:
    """One of the house's own markers in the picture.

    Attributes:
        kind: its meaning.
        value: value of a plus/minus button; None for any other marker.
        center_px: centre of its upper face in pixels.
        center_mm: the same on the table.
        outline: points on the rim of its upper face, in pixels, in order.
        diameter_mm: of that face.
        confidence: correlation with the enrolled face, in [0, 1].
        status: ``verified`` only if every condition but time holds.
        doubts: why it is not verified; empty if it is.
        place: its box; None outside every box, or on the border of two.
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
        single_frame: True for a still picture, where rest over time cannot be shown.
        tiles: tiles found.
        dice: dice found.
        hands: hands assembled from the tiles.
        findings: contradictions and faults, none of them corrected.
        versions: of everything that read it, by name (hashes of the models, versions of the libraries).
        elapsed_ms: time taken by stage and in ``total``, in milliseconds.
        markers: the house's own markers; None if none are enrolled.
        repeated: whether the picture is identical to the previous one: a frozen camera.
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
    """Interface of a picture reader: :class:`vision.reader.Reader` in the running service, a stand-in in tests."""

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
        """Read a picture taken at ``t_s``, ignoring print on the ``empty`` table; with hands if ``hands``."""
        ...
