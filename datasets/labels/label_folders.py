"""Folders of labelled pictures: a label file beside each picture, or photographs with one ``labels.json``."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Self, TypeAlias

from pydantic import Discriminator, Tag, model_validator

from calibration.files.json_file import FileModel, parse, read_json
from datasets.labels.label_files import read_labels
from datasets.labels.labels import DieLabel, Face, LabelError, PictureLabels, TileLabel
from engine.game.tiles import Tile


@dataclass(frozen=True, slots=True)
class LabelledPicture:
    """A picture file, its labels, and its label file; None if one file covers the folder."""

    path: Path
    labels: PictureLabels
    truth: Path | None


def read_folder(folder: Path) -> tuple[LabelledPicture, ...]:
    """All labelled pictures of a folder, in order of name; LabelError if anything is missing or faulty.

    A folder holds either one JSON file for each picture, or one ``labels.json``, or sub-folders that do.
    """
    if not folder.is_dir():
        raise LabelError(f"{folder}: is not a folder; give the folder that holds the labelled pictures")
    if (folder / "labels.json").is_file():
        return _photographs(folder)
    pictures = [_beside(truth) for truth in sorted(folder.glob("*.json"))]
    if not pictures:
        for child in sorted(each for each in folder.iterdir() if each.is_dir()):
            if any(child.rglob("*.json")):
                pictures.extend(read_folder(child))
    if not pictures:
        raise LabelError(f"{folder}: holds no labels (one NAME.json beside each picture, or one labels.json)")
    return tuple(pictures)


def _beside(truth: Path) -> LabelledPicture:
    labels = read_labels(truth)
    picture = truth.parent / Path(labels.image).name
    if picture.stem != truth.stem:
        raise LabelError(f"{truth.name}, image: names {labels.image!r}, expected {truth.stem} with a picture's suffix")
    if not picture.is_file():
        raise LabelError(f"{truth.name}: its picture {picture.name} is not beside it")
    return LabelledPicture(picture, labels, truth)


class _BoxModel(FileModel):
    """A die of a photograph: ``[left, top, right, bottom]`` and a value, 0 for a die that is to be ignored."""

    box: tuple[float, float, float, float]
    value: int
    ignore: bool = False

    @model_validator(mode="after")
    def _can_be(self) -> Self:
        x0, y0, x1, y1 = self.box
        if x1 <= x0 or y1 <= y0:
            raise ValueError("box: expected [left, top, right, bottom]")
        if not (1 <= self.value <= 6 or (self.ignore and self.value == 0)):
            raise ValueError(f"value: expected 1 to 6, got {self.value}")
        return self

    def label(self) -> DieLabel:
        x0, y0, x1, y1 = self.box
        square = ((x0, y0), (x1, y0), (x1, y1), (x0, y1))
        return DieLabel(value=self.value or None, polygon=square, body=self.box, ignore=self.ignore)


def _content(data: object) -> str:
    return "tile" if isinstance(data, str) else "dice"


_Content: TypeAlias = Annotated[
    Annotated[Face, Tag("tile")] | Annotated[tuple[_BoxModel, ...], Tag("dice")], Discriminator(_content)
]
"""Content of a photograph: a single tile, or dice."""


class _PhotographsModel(FileModel):
    labels: dict[str, _Content]


def _photographs(folder: Path) -> tuple[LabelledPicture, ...]:
    file = folder / "labels.json"
    found = parse(_PhotographsModel, read_json(file, LabelError), file.name, LabelError, unknown_keys="ignore")
    if not found.labels:
        raise LabelError(f"{file}: labels no picture")
    pictures = []
    for name, content in sorted(found.labels.items()):
        path = folder / Path(name).name
        if not path.is_file():
            raise LabelError(f"{folder.name}/labels.json: picture {name} is not beside it")
        pictures.append(LabelledPicture(path, _photograph(name, content), None))
    return tuple(pictures)


def _photograph(name: str, content: Tile | tuple[_BoxModel, ...]) -> PictureLabels:
    if isinstance(content, tuple):
        dice = tuple(each.label() for each in content)
        return PictureLabels(image=name, size=None, kind="dice photo", objects=dice, scope="dice")
    tile = TileLabel(face=content, face_up=True, polygon=())
    return PictureLabels(image=name, size=None, kind="tile photo", objects=(tile,), scope="tiles")
