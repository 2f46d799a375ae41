"""What lies in a labelled picture: the label format, written and strictly read.

One picture ``NAME.jpg`` has one ``NAME.json``. Our own files carry ``"version": 1`` and no key that is not described
here. Two older forms are read as well, and never written: the truth of the validation frames (the same fields, more
keys, no version) and folders of photographs with one ``labels.json`` (boxes of dice; pictures of single tiles).

Coordinates ending in ``_mm`` are in the table frame (origin in the middle of the felt, +x to the dealer's right, +y
toward the players, z up from the felt); polygons are pixels of the picture as displayed, pixel centres at integers.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from calibration.files.fields import Fields, read_object
from engine.game.tiles import Tile

if TYPE_CHECKING:
    from collections.abc import Mapping

VERSION: Final = 1
KINDS: Final = ("round", "dice", "display", "closeup", "hard", "heaps")

Point: TypeAlias = tuple[float, float]
Polygon: TypeAlias = tuple[Point, ...]
Lay: TypeAlias = Literal["low", "high"]
Role: TypeAlias = Literal["box", "cut"]
Scope: TypeAlias = Literal["everything", "tiles", "dice"]

_LAYS: Final[dict[str, Lay]] = {"low": "low", "high": "high"}
_ROLES: Final[dict[str, Role]] = {"box": "box", "cut": "cut"}

READABLE_VISIBLE: Final = 0.9
"""Share of an upper face that must be seen for it to count as readable."""
READABLE_CONTRAST: Final = 12.0
"""Levels between the faintest pip and the body below which glare has wiped a face out."""


class LabelError(ValueError):
    """A label file that cannot be trusted; the message names the file, the place in it and the fault."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TileLabel:
    """One tile.

    Attributes:
        face: the face shown, None face down.
        face_up: whether the face shows.
        polygon: the 4 corners of the 63.5 x 25.4 mm rectangle in the plane of the upper face, clockwise in the
            picture; corners 0 and 1 are the short edge at the end with the larger count.
        visible: share of the upper face that is inside the picture and not hidden, in [0, 1].
        pip_contrast_min: grey levels (0 to 255) between the faintest pip and the body around it; None if not measured.
        pip_contrast_median: the same for the middle pip.
        pip_colour_contrast_min: the same for the faintest pip, as the root mean square over the three colours: red pips
            on black stand out in red, hardly in grey.
        clipped: share of the face blown out in all channels.
        px_per_mm: scale of the picture at the tile.
        in_frame: whether all corners are inside the picture.
        place: ``house``, ``box1`` .. ``box8``, ``discard``, ``retrieved``, ``display`` or None.
        hand: ``low`` or ``high`` for a tile laid in a hand.
        angle_deg: direction from the centre to the larger end, counter-clockwise from +x seen from above; without a
            table, counter-clockwise from the picture's x axis. Face down: the long axis, modulo 180.
        first_half: the count at corners 0 and 1.
        center_mm: middle of the upper face on the table.
        z_mm: height of the underside over the felt.
        top_center_z_mm: height of the middle of the upper face.
        tilt_deg: lean of the face from level.
        leaning: whether the tile leans on another object.
        overlap: whether another tile lies on or under it.
        hidden_face: the face underneath a tile lying face down.
        ignore: whether scoring leaves the tile out.
    """

    face: Tile | None
    face_up: bool
    polygon: Polygon
    visible: float = 1.0
    pip_contrast_min: float | None = None
    pip_contrast_median: float | None = None
    pip_colour_contrast_min: float | None = None
    clipped: float | None = None
    px_per_mm: float | None = None
    in_frame: bool = True
    place: str | None = None
    hand: Lay | None = None
    angle_deg: float | None = None
    first_half: str | None = None
    center_mm: Point | None = None
    z_mm: float | None = None
    top_center_z_mm: float | None = None
    tilt_deg: float | None = None
    leaning: bool = False
    overlap: bool = False
    hidden_face: Tile | None = None
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
    """One die.

    Attributes:
        value: number on the upper face (for a cocked die, on the face turned most upward); None where it is not known.
        polygon: the upper face as a square, clockwise from the top left; for photographs, the labelled box.
        cocked: whether the die leans.
        role: ``box`` for one of the three alike, ``cut`` for the odd one.
        colour: the body's colour.
        material: what the body is made of.
        pip_colour: the colour of the pips.
        body: axis-aligned box ``(x0, y0, x1, y1)`` of the visible body in pixels.
        visible: share of the upper face that is seen, in [0, 1].
        tilt_deg: lean of the upper face from level.
        size_mm: length of an edge.
        center_mm: middle of the die on the table.
        z_mm: height of the underside over the felt.
        ignore: whether scoring leaves the die out (cut off, or only seen from the side).
    """

    value: int | None
    polygon: Polygon
    cocked: bool = False
    role: Role | None = None
    colour: str | None = None
    material: str | None = None
    pip_colour: str | None = None
    body: tuple[float, float, float, float] | None = None
    visible: float = 1.0
    tilt_deg: float | None = None
    size_mm: float | None = None
    center_mm: Point | None = None
    z_mm: float | None = None
    ignore: bool = False

    @property
    def fully_visible(self) -> bool:
        """At least 90 % of the upper face is seen."""
        return self.visible >= READABLE_VISIBLE

    @property
    def readable(self) -> bool:
        """Flat, at least 90 % visible, and its value is known."""
        return not self.cocked and self.fully_visible and self.value is not None


@dataclass(frozen=True, slots=True)
class OtherLabel:
    """Anything else on the table: chips, cup, hands, paper ...

    Attributes:
        kind: what it is.
        data: its own fields, as in the file.
    """

    kind: str
    data: Mapping[str, object] = field(default_factory=dict)


Label: TypeAlias = TileLabel | DieLabel | OtherLabel


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureLabels:
    """Everything labelled in one picture.

    Attributes:
        image: file name of the picture.
        size: width and height in pixels; None where the form does not say (photographs).
        kind: ``round``, ``dice``, ``display``, ``closeup``, ``hard``, or another word in older forms.
        objects: what lies in it.
        scope: what was labelled at all: in photographs of dice, tiles were not, and the other way round.
        camera: ``K``, ``dist``, ``R``, ``t`` as in the file; None without a known camera.
        layout: places of the table as in the file.
        dealer_side: ``bottom of image`` or ``top of image``.
        tileset: the set of tiles, as in the file (``style`` ...).
        capture: how the picture was taken, as in the file.
        spec: how the picture was made (seed ...), as in the file.
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
        """The tiles, in the order of the file."""
        return tuple(each for each in self.objects if isinstance(each, TileLabel))

    @property
    def dice(self) -> tuple[DieLabel, ...]:
        """The dice, in the order of the file."""
        return tuple(each for each in self.objects if isinstance(each, DieLabel))

    @property
    def others(self) -> tuple[OtherLabel, ...]:
        """Everything that is neither tile nor die."""
        return tuple(each for each in self.objects if isinstance(each, OtherLabel))


@dataclass(frozen=True, slots=True)
class LabelledPicture:
    """A picture file and what lies in it.

    Attributes:
        path: the picture.
        labels: what lies in it.
        truth: the label file; None where one file serves a whole folder.
    """

    path: Path
    labels: PictureLabels
    truth: Path | None


def write_labels(path: Path, labels: PictureLabels) -> None:
    """Writes one picture's labels in the current version.

    Raises:
        LabelError: if the labels would not read back (an unknown kind, no size, a scope that is not everything).
    """
    data = to_json(labels)
    _picture(Fields(data, path.name, LabelError))
    path.write_text(json.dumps(data, allow_nan=False) + "\n", encoding="utf-8")


def to_json(labels: PictureLabels) -> dict[str, object]:
    """One picture's labels as JSON values, in the current version; empty optional fields are left out.

    Raises:
        LabelError: if the picture was only labelled in part or its size is not known.
    """
    if labels.scope != "everything" or labels.size is None:
        raise LabelError(f"{labels.image}: only a completely labelled picture of known size can be written")
    data: dict[str, object] = {
        "version": VERSION,
        "image": labels.image,
        "size": list(labels.size),
        "kind": labels.kind,
        "camera": labels.camera,
        "layout": labels.layout,
    }
    for key in ("dealer_side", "tileset", "capture", "spec"):
        if (value := getattr(labels, key)) is not None:
            data[key] = value
    data["objects"] = [_object_json(each) for each in labels.objects]
    return data


def read_labels(path: Path) -> PictureLabels:
    """One picture's labels, from our own form or from a validation frame's truth.

    Raises:
        LabelError: if the file is not there, is not JSON, or is not what the format says.
    """
    return _picture(read_object(path, LabelError))


def read_folder(folder: Path) -> tuple[LabelledPicture, ...]:
    """All labelled pictures of a folder, in order of name.

    A folder holds either one JSON file for each picture, or one ``labels.json``, or sub-folders that do.

    Raises:
        LabelError: if nothing labelled is there, a picture or its labels are missing, or a file is faulty.
    """
    if not folder.is_dir():
        raise LabelError(f"{folder}: is not a folder; give the folder that holds the labelled pictures")
    if (folder / "labels.json").is_file():
        return _photo_folder(folder)
    pictures = [_beside(truth) for truth in sorted(folder.glob("*.json"))]
    if not pictures:
        for child in sorted(each for each in folder.iterdir() if each.is_dir()):
            if any(child.rglob("*.json")):
                pictures.extend(read_folder(child))
    if not pictures:
        raise LabelError(f"{folder}: holds no labels (one NAME.json beside each picture, or one labels.json)")
    return tuple(pictures)


def _beside(truth: Path) -> LabelledPicture:
    """The picture described by one label file."""
    labels = read_labels(truth)
    picture = truth.parent / Path(labels.image).name
    if picture.stem != truth.stem:
        raise LabelError(f"{truth.name}, image: names {labels.image!r}, expected {truth.stem} with a picture's suffix")
    if not picture.is_file():
        raise LabelError(f"{truth.name}: its picture {picture.name} is not beside it")
    return LabelledPicture(picture, labels, truth)


def _photo_folder(folder: Path) -> tuple[LabelledPicture, ...]:
    """The photographs of one folder with one ``labels.json``."""
    top = read_object(folder / "labels.json", LabelError)
    entries = top.section("labels")
    pictures = []
    for name in sorted(entries.keys()):
        path = folder / Path(name).name
        if not path.is_file():
            raise LabelError(f"{folder.name}/labels.json: picture {name} is not beside it")
        value = entries.raw(name)
        if isinstance(value, str):
            tile = TileLabel(face=_face(entries, name), face_up=True, polygon=())
            labels = PictureLabels(image=name, size=None, kind="tile photo", objects=(tile,), scope="tiles")
        else:
            boxes = tuple(
                _boxed_die(Fields(item, f"labels.json, {name}[{index}]", LabelError))
                for index, item in enumerate(entries.items(name))
            )
            labels = PictureLabels(image=name, size=None, kind="dice photo", objects=boxes, scope="dice")
        pictures.append(LabelledPicture(path, labels, None))
    if not pictures:
        raise LabelError(f"{folder}/labels.json: labels no picture")
    return tuple(pictures)


def _boxed_die(fields: Fields) -> DieLabel:
    """A die of a photograph: a box and a value, 0 for a die that is to be ignored."""
    x0, y0, x1, y1 = fields.numbers("box", 4)
    if x1 <= x0 or y1 <= y0:
        raise fields.fail("box", "expected [left, top, right, bottom]")
    value = fields.integer("value")
    ignore = fields.flag("ignore", default=False)
    if not (1 <= value <= 6 or (ignore and value == 0)):
        raise fields.fail("value", f"expected 1 to 6, got {value}")
    square = ((x0, y0), (x1, y0), (x1, y1), (x0, y1))
    return DieLabel(value=value or None, polygon=square, body=(x0, y0, x1, y1), ignore=ignore)


def _picture(fields: Fields) -> PictureLabels:
    """One picture's labels; strict about unknown keys where the file carries our version."""
    versioned = "version" in fields
    if versioned and (version := fields.integer("version")) != VERSION:
        raise fields.fail("version", f"this program reads version {VERSION}, the file is version {version}")
    width, height = fields.numbers("size", 2)
    if width != int(width) or height != int(height) or min(width, height) < 1:
        raise fields.fail("size", "expected whole numbers of pixels [width, height]")
    kind = fields.text("kind")
    if versioned and kind not in KINDS:
        raise fields.fail("kind", f"expected one of {', '.join(KINDS)}, got {kind!r}")
    objects = tuple(
        _object(Fields(item, f"{fields.where}, objects[{index}]", LabelError), strict=versioned)
        for index, item in enumerate(fields.items("objects"))
    )
    labels = PictureLabels(
        image=fields.text("image"),
        size=(int(width), int(height)),
        kind=kind,
        objects=objects,
        camera=fields.maybe_mapping("camera"),
        layout=fields.maybe_mapping("layout"),
        dealer_side=fields.maybe_text("dealer_side"),
        tileset=fields.maybe_mapping("tileset"),
        capture=fields.maybe_mapping("capture"),
        spec=fields.maybe_mapping("spec"),
    )
    if versioned:
        fields.close()
    return labels


def _object(fields: Fields, *, strict: bool) -> Label:
    """One object of a picture."""
    kind = fields.text("kind")
    if kind not in ("tile", "die"):
        return OtherLabel(kind, fields.rest())
    label = _tile(fields) if kind == "tile" else _die(fields)
    if strict:
        fields.close()
    return label


def _tile(fields: Fields) -> TileLabel:
    """One tile of a picture."""
    face_up = fields.flag("face_up")
    face = _maybe_face(fields, "face")
    if face_up != (face is not None):
        raise fields.fail("face", "a tile lying face up needs one, a tile lying face down has none")
    return TileLabel(
        face=face,
        face_up=face_up,
        polygon=fields.pairs("polygon", 4),
        visible=_share(fields, "visible"),
        pip_contrast_min=fields.maybe_number("pip_contrast_min"),
        pip_contrast_median=fields.maybe_number("pip_contrast_median"),
        pip_colour_contrast_min=fields.maybe_number("pip_colour_contrast_min"),
        clipped=fields.maybe_number("clipped"),
        px_per_mm=fields.maybe_number("px_per_mm"),
        in_frame=fields.flag("in_frame", default=True),
        place=fields.maybe_text("place"),
        hand=fields.choice("hand", _LAYS),
        angle_deg=fields.maybe_number("angle_deg"),
        first_half=fields.maybe_text("first_half"),
        center_mm=_center(fields),
        z_mm=fields.maybe_number("z_mm"),
        top_center_z_mm=fields.maybe_number("top_center_z_mm"),
        tilt_deg=fields.maybe_number("tilt_deg"),
        leaning=fields.flag("leaning", default=False),
        overlap=fields.flag("overlap", default=False),
        hidden_face=_maybe_face(fields, "hidden_face"),
        ignore=fields.flag("ignore", default=False),
    )


def _die(fields: Fields) -> DieLabel:
    """One die of a picture."""
    value = fields.integer("value") if fields.raw("value") is not None else None
    if value is not None and not 1 <= value <= 6:
        raise fields.fail("value", f"expected 1 to 6, got {value}")
    body = None
    if fields.raw("body") is not None:
        x0, y0, x1, y1 = fields.numbers("body", 4)
        body = (x0, y0, x1, y1)
    return DieLabel(
        value=value,
        polygon=fields.pairs("polygon", 4),
        cocked=fields.flag("cocked", default=False),
        role=fields.choice("role", _ROLES),
        colour=fields.maybe_text("color"),
        material=fields.maybe_text("material"),
        pip_colour=fields.maybe_text("pip_color"),
        body=body,
        visible=_share(fields, "visible"),
        tilt_deg=fields.maybe_number("tilt_deg"),
        size_mm=fields.maybe_number("size_mm"),
        center_mm=_center(fields),
        z_mm=fields.maybe_number("z_mm"),
        ignore=fields.flag("ignore", default=False),
    )


def _face(fields: Fields, key: str) -> Tile:
    """A face by its written form."""
    name = fields.text(key)
    try:
        return Tile.parse(name)
    except ValueError as fault:
        raise fields.fail(key, str(fault)) from fault


def _maybe_face(fields: Fields, key: str) -> Tile | None:
    """A face by its written form, or None if the key is missing or null."""
    return None if fields.raw(key) is None else _face(fields, key)


def _share(fields: Fields, key: str) -> float:
    """A share in [0, 1]."""
    share = fields.number(key)
    if not 0 <= share <= 1:
        raise fields.fail(key, f"expected a share from 0 to 1, got {share}")
    return share


def _center(fields: Fields) -> Point | None:
    """The middle of an object on the table, if the file gives it."""
    if fields.raw("center_mm") is None:
        return None
    x, y = fields.numbers("center_mm", 2)
    return x, y


_JSON_NAMES: Final = {"colour": "color", "pip_colour": "pip_color"}
"""Attributes whose key in the file is spelt otherwise (the validation frames came first)."""
_ALWAYS: Final = frozenset({"face", "face_up", "value", "cocked", "role", "visible", "place", "hand", "polygon"})
"""Fields written even where they are empty, so that a person sees that they were not forgotten."""


def _object_json(label: Label) -> dict[str, object]:
    """One object as JSON values."""
    if isinstance(label, OtherLabel):
        return {"kind": label.kind, **label.data}
    data: dict[str, object] = {"kind": "tile" if isinstance(label, TileLabel) else "die"}
    for name, spec in type(label).__dataclass_fields__.items():
        value = getattr(label, name)
        if name in _ALWAYS or value != spec.default:
            data[_JSON_NAMES.get(name, name)] = _plain(value)
    return data


def _plain(value: object) -> object:
    """A field as JSON values: faces in their written form, numbers to a thousandth."""
    if isinstance(value, Tile):
        return str(value)
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float):
        return round(value, 3)
    return value
