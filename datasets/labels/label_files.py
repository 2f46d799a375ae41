"""Label files: one ``NAME.json`` for each picture ``NAME.jpg``.

Our own files carry ``"version": 1`` and no unknown key. The truth of the validation frames (the same fields, more keys,
no version) is read as well, and never written.
"""

import json
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Final, Self, TypeAlias

from pydantic import AfterValidator, Discriminator, PlainValidator, Tag, model_validator

from calibration.files.json_file import FileModel, PictureSize, parse, read_json
from datasets.labels.labels import DieLabel, Label, LabelError, OtherLabel, PictureLabels, TileLabel
from engine.game.tiles import Tile

VERSION: Final = 1
KINDS: Final = ("round", "dice", "display", "closeup", "hard", "heaps")

_JSON_NAMES: Final = {"colour": "color"}
"""Attributes with a different key in the file (the validation frames came first)."""
_ALWAYS: Final = frozenset(
    {"kind", "face", "face_up", "value", "cocked", "role", "visible", "place", "hand", "polygon"}
)
"""Fields written even if empty, to show that they were not forgotten."""


def read_labels(path: Path) -> PictureLabels:
    """One picture's labels, from our own form or from a validation frame's truth; LabelError if the file is neither."""
    return _picture(read_json(path, LabelError), path.name)


def write_labels(path: Path, labels: PictureLabels) -> None:
    """Write one picture's labels in the current version; LabelError if they would not read back."""
    data = to_json(labels)
    _picture(data, path.name)
    path.write_text(json.dumps(data, allow_nan=False) + "\n", encoding="utf-8")


def to_json(labels: PictureLabels) -> dict[str, object]:
    """One picture's labels as JSON values without empty optional fields; LabelError if only a part was labelled."""
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


def _object_json(label: Label) -> dict[str, object]:
    if isinstance(label, OtherLabel):
        return {"kind": label.kind, **label.data}
    values = {spec.name: (getattr(label, spec.name), spec.default) for spec in fields(label)}
    return {
        _JSON_NAMES.get(name, name): _plain(value)
        for name, (value, default) in values.items()
        if name in _ALWAYS or value != default
    }


def _plain(value: object) -> object:
    """A field as JSON values: faces in their written form, numbers to a thousandth."""
    if isinstance(value, Tile):
        return str(value)
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float):
        return round(value, 3)
    return value


def _kind_of(data: object) -> str:
    kind = data.get("kind") if isinstance(data, dict) else None
    return kind if kind in ("tile", "die") else "other"


def _faced(tile: TileLabel) -> TileLabel:
    if tile.face_up != (tile.face is not None):
        raise ValueError("face: a tile lying face up needs one, a tile lying face down has none")
    return tile


def _other(data: object) -> OtherLabel:
    if not isinstance(data, dict) or not isinstance(kind := data.get("kind"), str):
        raise ValueError("expected an object with its 'kind', a string")  # noqa: TRY004 - pydantic reports values
    return OtherLabel(kind, {key: value for key, value in data.items() if key != "kind"})


_Object: TypeAlias = Annotated[
    Annotated[TileLabel, AfterValidator(_faced), Tag("tile")]
    | Annotated[DieLabel, Tag("die")]
    | Annotated[OtherLabel, PlainValidator(_other), Tag("other")],
    Discriminator(_kind_of),
]
_Section: TypeAlias = dict[str, object]


class _PictureModel(FileModel):
    version: int | None = None
    image: str
    size: PictureSize
    kind: str
    objects: tuple[_Object, ...]
    camera: _Section | None = None
    layout: _Section | None = None
    dealer_side: str | None = None
    tileset: _Section | None = None
    capture: _Section | None = None
    spec: _Section | None = None

    @model_validator(mode="after")
    def _is_of_this_version(self) -> Self:
        if self.version not in (None, VERSION):
            raise ValueError(f"version: this program reads version {VERSION}, the file is version {self.version}")
        if self.version is not None and self.kind not in KINDS:
            raise ValueError(f"kind: expected one of {', '.join(KINDS)}, got {self.kind!r}")
        return self


def _picture(data: dict[str, object], where: str) -> PictureLabels:
    """One picture's labels; unknown keys are errors where the file carries our version."""
    found = dict(parse(_PictureModel, data, where, LabelError, "ignore" if data.get("version") is None else "forbid"))
    del found["version"]
    return PictureLabels(**found)
