"""Real pictures without tiles or dice: backgrounds of rendered windows, and negative windows.

``python -m datasets.real_pictures --out DIR`` fetches packages of Debian and keeps their pictures with an index that
names package, version and licence of each. It needs ``apt-get`` and ``dpkg``, and installs nothing.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import tempfile
from collections import Counter
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import cv2
import numpy as np
import typer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

PACKAGES: Final = {
    "gnome-backgrounds": "CC-BY-SA-3.0 and CC-BY-SA-4.0",
    "krita-data": "GPL-2+, CC0-1.0 and CC-BY-SA-3.0",
    "lomiri-wallpapers-16.04": "CC-BY-SA-3.0 and CC-BY-SA-4.0",
    "lomiri-wallpapers-20.04": "CC-BY-4.0",
    "openclipart-png": "public domain",
    "opencv-doc": "Apache-2.0 and BSD-3-Clause",
    "python3-skimage": "BSD-3-Clause",
    "supertuxkart-data": "CC-BY-SA-3.0, CC-BY-SA-4.0, CC-BY-3.0, CC0-1.0, public domain and, of a few, GPL-2+",
    "ukui-wallpapers": "CC-BY-SA-3.0",
}
"""Packages of Debian with photographs, drawings and textures whose licences allow training, as these state them."""
MEASURED_ONLY: Final = {
    "mate-backgrounds": "GPL-2+ and CC-BY-SA-4.0",
    "plasma-workspace-wallpapers": "GPL-2+",
    "tuxpaint-stamps-default": "GPL-2",
}
"""Packages excluded from training, for measuring generalisation."""
LEFT_OUT: Final = re.compile(r"dice|domino|mahjong|chessboard|lena|/html/(?!.*tutorial)", re.IGNORECASE)
"""Paths of pictures that may show dice or tiles, and of diagrams that all look alike."""
MOST_OF_A_PACKAGE: Final = 500
"""Pictures taken of one package, spread over its paths."""
SMALLEST_SIDE_PX: Final = 200
LONGEST_SIDE_PX: Final = 1920
"""Minimum short side of a picture, and long side to which larger ones are reduced."""
HELD_OUT_EVERY: Final = 4
"""One picture in this many is held out for measuring, by its hash."""
INDEX: Final = "index.json"
JPEG_QUALITY: Final = 95


@dataclass(frozen=True, slots=True)
class RealPicture:
    """One picture of the index: its file, where it comes from, and whether it is held out of training."""

    file: str
    package: str
    version: str
    path: str
    licence: str
    held_out: bool


class RealPicturesError(ValueError):
    """A folder of real pictures that cannot be used, with what to do about it."""


@cache
def read_index(folder: Path) -> tuple[RealPicture, ...]:
    """Return the pictures of a folder.

    Raises:
        RealPicturesError: there is no index.
    """
    path = folder / INDEX
    if not path.exists():
        raise RealPicturesError(f"no {path}; fetch the pictures: python -m datasets.real_pictures --out {folder}")
    return tuple(RealPicture(**each) for each in json.loads(path.read_text(encoding="utf-8")))


def training_files(folder: Path) -> list[Path]:
    return [folder / each.file for each in read_index(folder) if not each.held_out]


def sources(folder: Path) -> dict[str, dict[str, object]]:
    """Return the packages that the training pictures of a folder come from: version, licence and number of pictures."""
    used = [each for each in read_index(folder) if not each.held_out]
    count = Counter(each.package for each in used)
    return {
        each.package: {"version": each.version, "licence": each.licence, "pictures": count[each.package]}
        for each in used
    }


def piece(file: Path, size: tuple[int, int], rng: np.random.Generator) -> NDArray[np.uint8]:
    """Cut a piece of (width, height) pixels out of a picture, at any scale from its own to the whole of it.

    Returns:
        (height, width, 3) uint8 BGR.
    """
    picture = cv2.imread(str(file), cv2.IMREAD_COLOR)
    if picture is None:
        raise RealPicturesError(f"{file} is no picture; fetch the pictures again")
    width, height = size
    whole = max(width / picture.shape[1], height / picture.shape[0])
    factor = float(np.exp(rng.uniform(np.log(whole), max(np.log(whole), 0.2))))
    how = cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR
    shape = max(width, round(picture.shape[1] * factor)), max(height, round(picture.shape[0] * factor))
    picture = cv2.resize(picture, shape, interpolation=how)
    left, top = int(rng.integers(shape[0] - width + 1)), int(rng.integers(shape[1] - height + 1))
    return np.ascontiguousarray(picture[top : top + height, left : left + width], np.uint8)


def fetch(out: Path) -> int:
    """Fetch all packages and write their pictures and the index; return how many pictures there are."""
    out.mkdir(parents=True, exist_ok=True)
    found: dict[str, RealPicture] = {}
    for package, licence in {**PACKAGES, **MEASURED_ONLY}.items():
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            subprocess.run(["apt-get", "download", package], cwd=folder, check=True, stdout=subprocess.DEVNULL)  # noqa: S603, S607
            archive = next(folder.glob("*.deb"))
            version = archive.stem.split("_")[1].replace("%3a", ":")
            subprocess.run(["dpkg", "-x", str(archive), str(folder / "x")], check=True)  # noqa: S603, S607
            for path in _chosen(folder / "x"):
                if (data := _reduced(path)) is None:
                    continue
                digest = hashlib.sha256(data).hexdigest()[:16]
                if digest in found:
                    continue
                file = f"{digest}.jpg"
                (out / file).write_bytes(data)
                held_out = package in MEASURED_ONLY or int(digest, 16) % HELD_OUT_EVERY == 0
                where = str(path.relative_to(folder / "x"))
                found[digest] = RealPicture(file, package, version, where, licence, held_out)
    pictures = [asdict(found[digest]) for digest in sorted(found)]
    (out / INDEX).write_text(json.dumps(pictures, indent=1) + "\n", encoding="utf-8")
    return len(pictures)


def _chosen(folder: Path) -> Iterator[Path]:
    """Yield the pictures of an unpacked package, evenly over their paths."""
    kinds = {".jpg", ".jpeg", ".png", ".webp"}
    paths = sorted(path for path in folder.rglob("*") if path.suffix.lower() in kinds and path.is_file())
    paths = [path for path in paths if not LEFT_OUT.search(str(path.relative_to(folder)))]
    step = max(1.0, len(paths) / MOST_OF_A_PACKAGE)
    yield from (paths[int(index * step)] for index in range(int(len(paths) / step)))


def _reduced(path: Path) -> bytes | None:
    """Return a picture as JPEG, on white where it is transparent, not too large; None for a small or a blank one."""
    picture = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if picture is None or min(picture.shape[:2]) < SMALLEST_SIDE_PX or picture.dtype != np.uint8:
        return None
    if picture.ndim == 2:
        picture = np.asarray(cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR))
    if picture.shape[2] == 4:
        alpha = picture[..., 3:].astype(np.float32) / 255
        picture = np.asarray(picture[..., :3] * alpha + 255 * (1 - alpha), np.uint8)
    if float(picture.std()) < 4:
        return None
    factor = LONGEST_SIDE_PX / max(picture.shape[:2])
    if factor < 1:
        picture = np.asarray(cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA))
    _, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    return data.tobytes()


def main(out: Annotated[Path, typer.Option(help="folder to fill")] = Path("runs/pictures")) -> None:
    """Fetch real pictures without tiles or dice."""
    typer.echo(f"{fetch(out)} pictures in {out}")


if __name__ == "__main__":
    typer.run(main)
