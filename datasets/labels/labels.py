"""Labels of the objects in a picture.

Coordinates ending in ``_mm`` are in the table frame; polygons are pixels of the picture as displayed. pydantic reads
these classes from files (``datasets.labels.label_files``); their constraints hold there, not in the constructors.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field, PlainValidator

from calibration.files.json_file import FourPoints, Pair
from engine.game.tiles import Tile

Polygon: TypeAlias = tuple[Pair, ...]
HandHalf: TypeAlias = Literal["low", "high"]
DieRole: TypeAlias = Literal["box", "cut"]
Scope: TypeAlias = Literal["everything", "tiles", "dice"]

READABLE_VISIBLE: Final = 0.9
"""Share of an upper face that must be visible for it to count as readable."""
READABLE_CONTRAST: Final = 12.0
"""Grey levels between the faintest pip and the body below which glare has erased a face."""


class LabelError(ValueError):
    """An invalid label file; the message names the file, the position and the fault."""


def face_of(name: object) -> Tile:
    """Parse a face; ValueError if it is invalid."""
    if not isinstance(name, str):
        raise ValueError("expected a face such as '6-5'")  # noqa: TRY004 - pydantic reports values, not types
    return Tile.parse(name)


Face: TypeAlias = Annotated[Tile, PlainValidator(face_of)]
_Share: TypeAlias = Annotated[float, Field(ge=0, le=1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class TileLabel:
    """One tile.

    Attributes:
        face: the face shown, None face down.
        polygon: the 4 corners of the 63.5 x 25.4 mm rectangle in the plane of the upper face, clockwise in the
            picture; corners 0 and 1 are the short edge at the end with the larger count.
        visible: share of the upper face that is inside the picture and not hidden, in [0, 1].
        pip_contrast_min: grey levels (0 to 255) between the faintest pip and the body around it; None if not measured.
        pip_colour_contrast_min: the same, as the root mean square over the three colours: red pips
            on black stand out in red, hardly in grey.
        in_frame: whether all corners are inside the picture.
        place: ``house``, ``box1`` .. ``box8``, ``discard``, ``retrieved``, ``display`` or None.
        angle_deg: direction from the centre to the larger end, counter-clockwise from +x seen from above; without a
            table, counter-clockwise from the picture's x axis. Face down: the long axis, modulo 180.
        first_half: the count at corners 0 and 1.
        center_mm: middle of the upper face on the table.
        z_mm: height of the underside over the felt.
        top_center_z_mm: height of the middle of the upper face.
        tilt_deg: lean of the face from level.
        leaning: whether the tile leans on another object.
        hidden_face: the face underneath a tile lying face down.
        ignore: whether scoring leaves the tile out.
    """

    kind: Literal["tile"] = "tile"
    face: Face | None
    face_up: bool
    polygon: FourPoints
    visible: _Share = 1.0
    pip_contrast_min: float | None = None
    pip_colour_contrast_min: float | None = None
    px_per_mm: float | None = None
    in_frame: bool = True
    place: str | None = None
    hand: HandHalf | None = None
    angle_deg: float | None = None
    first_half: str | None = None
    center_mm: Pair | None = None
    z_mm: float | None = None
    top_center_z_mm: float | None = None
    tilt_deg: float | None = None
    leaning: bool = False
    hidden_face: Face | None = None
    ignore: bool = False

    @property
    def fully_visible(self) -> bool:
        """At least 90 % of the upper face is seen."""
        return self.visible >= READABLE_VISIBLE

    @property
    def readable(self) -> bool:
        """Face up, at least 90 % visible and not wiped out by glare."""
        clear = self.contrast is None or self.contrast >= READABLE_CONTRAST
        return self.face_up and self.fully_visible and clear

    @property
    def contrast(self) -> float | None:
        """Levels between the faintest pip and the body: in colour where that was measured, else in grey."""
        return self.pip_contrast_min if self.pip_colour_contrast_min is None else self.pip_colour_contrast_min


@dataclass(frozen=True, slots=True, kw_only=True)
class DieLabel:
    """One die; what is not listed is as in ``TileLabel``.

    Attributes:
        value: number on the upper face (for a cocked die, on the face turned most upward); None where it is not known.
        polygon: the upper face as a square, clockwise from the top left; for photographs, the labelled box.
        role: ``box`` for one of the three alike, ``cut`` for the odd one.
        body: axis-aligned box ``(x0, y0, x1, y1)`` of the visible body in pixels.
        pip_contrast_min: grey levels between the faintest pip and the body around it, as the root mean square over the
            three colours, less what the body varies by; None if not measured.
        size_mm: length of an edge.
        ignore: whether scoring leaves the die out (cut off, or only seen from the side).
    """

    kind: Literal["die"] = "die"
    value: Annotated[int, Field(ge=1, le=6)] | None
    polygon: FourPoints
    cocked: bool = False
    role: DieRole | None = None
    colour: Annotated[str | None, Field(alias="color")] = None
    material: str | None = None
    body: tuple[float, float, float, float] | None = None
    visible: _Share = 1.0
    pip_contrast_min: float | None = None
    tilt_deg: float | None = None
    size_mm: float | None = None
    center_mm: Pair | None = None
    z_mm: float | None = None
    ignore: bool = False

    @property
    def fully_visible(self) -> bool:
        """At least 90 % of the upper face is seen."""
        return self.visible >= READABLE_VISIBLE

    @property
    def readable(self) -> bool:
        """Flat, at least 90 % visible, its value is known, and its pips stand out."""
        clear = self.pip_contrast_min is None or self.pip_contrast_min >= READABLE_CONTRAST
        return not self.cocked and self.fully_visible and self.value is not None and clear


@dataclass(frozen=True, slots=True)
class OtherLabel:
    """Anything else on the table (chips, cup, hands, paper ...), by its kind, with its own fields as in the file."""

    kind: str
    data: dict[str, object] = field(default_factory=dict)


Label: TypeAlias = TileLabel | DieLabel | OtherLabel


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureLabels:
    """Everything labelled in one picture.

    Attributes:
        image: file name of the picture.
        size: width and height in pixels; None where the form does not say (photographs).
        kind: ``round``, ``dice``, ``display``, ``closeup``, ``hard``, or another word in older forms.
        scope: what was labelled at all: in photographs of dice, tiles were not, and the other way round.
        camera, layout: as in the file; None without a known camera.
        dealer_side: ``bottom of image`` or ``top of image``.
        tileset, capture, spec: the set of tiles, and how the picture was taken or made, as in the file.
    """

    image: str
    size: tuple[int, int] | None
    kind: str
    objects: tuple[Label, ...]
    scope: Scope = "everything"
    camera: Mapping[str, object] | None = None
    layout: Mapping[str, object] | None = None
    dealer_side: str | None = None
    tileset: Mapping[str, object] | None = None
    capture: Mapping[str, object] | None = None
    spec: Mapping[str, object] | None = None

    @property
    def tiles(self) -> tuple[TileLabel, ...]:
        return tuple(each for each in self.objects if isinstance(each, TileLabel))

    @property
    def dice(self) -> tuple[DieLabel, ...]:
        return tuple(each for each in self.objects if isinstance(each, DieLabel))

    @property
    def others(self) -> tuple[OtherLabel, ...]:
        """Everything other than tiles and dice."""
        return tuple(each for each in self.objects if isinstance(each, OtherLabel))
