"""A folder of crops with known faces and their origins, the training data of a table.

Every crop is one PNG file with its origin embedded, so the two cannot get out of step. Files are named by content and
time, so a tile at the same rest has one name and is stored once.
"""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final, Literal

import numpy as np
from PIL import Image, UnidentifiedImageError
from PIL.PngImagePlugin import PngImageFile, PngInfo
from pydantic import AwareDatetime, Field

from calibration.files.json_file import FileModel, named_faults
from calibration.files.seal import replace_file
from engine.errors import EngineError
from engine.game.tiles import Tile
from vision.crops import TILE_CROP_PX
from vision.learning.errors import LearningError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from vision.arrays import TileCrops

ASIDE: Final = "aside"
"""Folder of crops whose face no reader confirmed: a person decides about them."""
DROPPED: Final = "dropped"
"""Folder of crops that a person rejected, so that they are not added again."""
_KEY: Final = "houseway"
_CHANGED: Final = "was changed since it was kept; take it away"
_NAME_DIGITS: Final = 20


class Origin(FileModel):
    """Where a crop came from.

    Attributes:
        kind: a ``display`` check, where the rank order gives the face; the ``review`` of a round, where a person does;
            or ``shadow`` reading, where two models differed and the table verified the tile later.
        table: its name.
        at: when the tile lay there, or the round was reviewed, UTC.
        number: index of the tile: 1 to 32 of a display in rank order, 1 to 4 of a hand, low hand first.
        picture: SHA-256 of the source picture; of its file if it was stored, of its bytes if not.
        versions: of the models that found and read it.
        round, revision, place: of a review.
        by: who confirmed or corrected the hand.
        accepted_by: who accepted a crop that was set apart.
    """

    kind: Literal["display", "review", "shadow"]
    table: str
    at: AwareDatetime
    number: Annotated[int, Field(ge=1, le=32)]
    picture: str
    versions: dict[str, str]
    round: str | None = None
    revision: int | None = None
    place: str | None = None
    by: str | None = None
    accepted_by: str | None = None

    @property
    def name(self) -> str:
        """Name of the tile at this rest, without suffix; the same for all revisions of a round."""
        rest = ("review", self.round, self.place) if self.kind == "review" else (self.kind, self.at.isoformat())
        text = "/".join(map(str, (self.table, *rest, self.number)))
        return hashlib.sha256(text.encode()).hexdigest()[:_NAME_DIGITS]


class _CropMetadata(FileModel):
    """Metadata in a crop's file; ``pixels`` is the SHA-256 of the pixels."""

    version: Annotated[int, Field(ge=1, le=1)] = 1
    face: str
    origin: Origin
    pixels: str


@dataclass(frozen=True, eq=False, slots=True)
class KeptCrop:
    """A crop (96, 48, 3) uint8 BGR with its face and origin."""

    crop: TileCrops
    face: Tile
    origin: Origin

    @property
    def group(self) -> str:
        """Display or round of the crop: similar crops, which share a cross-validation fold."""
        return self.origin.round or self.origin.at.isoformat()


class CropFolder:
    """A folder of kept crops of at most ``max_bytes``, including those awaiting a decision."""

    def __init__(self, path: Path, max_bytes: int = 50_000_000) -> None:
        self.path = path
        self._max_bytes = max_bytes

    def __contains__(self, origin: Origin) -> bool:
        """Whether the tile at this rest is already kept, awaiting a decision or dropped."""
        return self._known(origin) is not None

    def keep(self, found: Iterable[KeptCrop], *, aside: bool = False) -> int:
        """Keep new crops; returns their number.

        A later review of a round overrides an earlier one. If space runs out, the oldest crop of the most frequent face
        is deleted. OSError if writing fails; files written so far stay.
        """
        new = 0
        for each in found:
            file = self._file(each, aside=aside)
            old = self._known(each.origin)
            if old is not None and not _supersedes(each, old):
                continue
            replace_file(file, encoded(each))
            if old is not None and old != file:
                old.unlink(missing_ok=True)
            new += 1
        if new:
            self._make_room()
        return new

    def files(self) -> list[Path]:
        return sorted(file for file in self.path.glob("*/*.png") if file.parent.name not in {ASIDE, DROPPED})

    def aside(self) -> list[Path]:
        """The crops awaiting a decision, by name."""
        return sorted((self.path / ASIDE).glob("*.png"))

    def read(self) -> list[KeptCrop]:
        """All kept crops; LearningError if the folder is invalid, or a file was modified."""
        if not self.path.is_dir():
            raise LearningError(f"{self.path}: there is no such folder; make one with houseway collect")
        return [decoded(file) for file in self.files()]

    def accept(self, name: str, by: str) -> KeptCrop:
        """Keep a crop that a person accepted; LearningError if the name is unknown."""
        file = self._named(name)
        crop = decoded(file)
        accepted = KeptCrop(crop.crop, crop.face, crop.origin.model_copy(update={"accepted_by": by}))
        replace_file(self._file(accepted, aside=False), encoded(accepted))
        file.unlink()
        return accepted

    def drop(self, name: str) -> None:
        """Drop a crop that a person rejected; LearningError if the name is unknown."""
        file = self._named(name)
        origin = decoded(file).origin
        (self.path / DROPPED).mkdir(exist_ok=True)
        file.replace(self.path / DROPPED / f"{origin.name}.png")

    def _known(self, origin: Origin) -> Path | None:
        name = f"{origin.name}.png"
        return next(self.path.glob(f"*/{name}"), None) or next(self.path.glob(f"{ASIDE}/*-{name}"), None)

    def _named(self, name: str) -> Path:
        known = {file.stem: file for file in self.aside()}
        if name not in known:
            raise LearningError(f"{self.path / ASIDE}: there is no {name} here; houseway collect --list names them")
        return known[name]

    def _file(self, each: KeptCrop, *, aside: bool) -> Path:
        if aside:
            return self.path / ASIDE / f"{each.face}-{each.origin.name}.png"
        return self.path / str(each.face) / f"{each.origin.name}.png"

    def _make_room(self) -> None:
        files = [(file.stat().st_mtime_ns, file) for file in (*self.files(), *self.path.glob(f"{ASIDE}/*.png"))]
        used = sum(file.stat().st_size for _, file in files)
        by_face: dict[str, list[tuple[int, Path]]] = {}
        for entry in sorted(files):
            by_face.setdefault(entry[1].parent.name, []).append(entry)
        while used > self._max_bytes and by_face:
            _, oldest = max(by_face.values(), key=len).pop(0)
            used -= oldest.stat().st_size
            oldest.unlink(missing_ok=True)
            by_face = {face: rest for face, rest in by_face.items() if rest}


def _supersedes(new: KeptCrop, file: Path) -> bool:
    """Whether a later review contradicts the stored crop."""
    try:
        old = decoded(file)
    except LearningError:
        return True
    return (new.origin.revision or 0) > (old.origin.revision or 0) and new.face is not old.face


def digest_of(crops: Iterable[KeptCrop]) -> str:
    """SHA-256 of crops with their faces, independent of order."""
    metadata = sorted(f"{each.face} {hashlib.sha256(each.crop.tobytes()).hexdigest()}" for each in crops)
    return hashlib.sha256("\n".join(metadata).encode()).hexdigest()


def encoded(each: KeptCrop) -> bytes:
    """A crop as a PNG file with embedded face and origin."""
    metadata = _CropMetadata(
        face=str(each.face), origin=each.origin, pixels=hashlib.sha256(each.crop.tobytes()).hexdigest()
    )
    info = PngInfo()
    info.add_itxt(_KEY, metadata.model_dump_json())
    file = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(each.crop[..., ::-1])).save(file, "PNG", pnginfo=info)
    return file.getvalue()


def decoded(path: Path) -> KeptCrop:
    """Read a crop; LearningError if the file is invalid or was modified."""
    try:
        with Image.open(path, formats=["PNG"]) as picture:
            if picture.size != TILE_CROP_PX:
                raise LearningError(f"{path}: {_CHANGED}")
            text = picture.text.get(_KEY) if isinstance(picture, PngImageFile) else None
            crop = np.ascontiguousarray(np.asarray(picture.convert("RGB"))[..., ::-1])
    except (OSError, UnidentifiedImageError, SyntaxError, ValueError, Image.DecompressionBombError) as fault:
        raise LearningError(f"{path}: is no whole picture ({fault}); take it away") from fault
    if text is None:
        raise LearningError(f"{path}: does not tell what it shows; only what houseway collect kept can be learnt from")
    with named_faults(str(path), LearningError):
        metadata = _CropMetadata.model_validate_json(text)
    if crop.shape != (*TILE_CROP_PX[::-1], 3) or hashlib.sha256(crop.tobytes()).hexdigest() != metadata.pixels:
        raise LearningError(f"{path}: {_CHANGED}")
    try:
        return KeptCrop(crop, Tile.parse(metadata.face), metadata.origin)
    except EngineError as fault:
        raise LearningError(f"{path}: {fault}") from fault
