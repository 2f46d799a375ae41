"""Versions of everything besides the reader that results depend on, and whether the program is as installed.

``python -m service.system.versions`` prints the list of files that an installation keeps as ``code.sha256``, in the
format of ``sha256sum``. It covers the program, its compiled files and all libraries of its environment, but no system
packages.
"""

from __future__ import annotations

import hashlib
import platform
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from engine.books.way_files import is_file
from service import __version__
from vision.networks.model_card import sha256_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from service.system.settings import Config

ROOT: Final = Path(__file__).resolve().parents[2]
SEAL: Final = "code.sha256"

_PACKAGES: Final = ("calibration", "datasets", "engine", "models", "rereading", "service", "vision")
_COMPILED: Final = "__pycache__"
_LIBRARIES: Final = ".venv/lib"
_IRRELEVANT: Final = {"server", "record", "log", "page", "learning", "models"}
"""Settings that results do not depend on."""


@dataclass(frozen=True, slots=True)
class CodeState:
    """The program's files compared with the list made at installation.

    Attributes:
        sha256: hash of the current list of the program's own files, hexadecimal.
        sealed: whether there is a list to compare with.
        libraries: hash of the list of compiled files and libraries, hexadecimal; empty if it is not sealed.
        differing: paths of files that were changed, removed or added since.
    """

    sha256: str
    sealed: bool
    libraries: str = ""
    differing: tuple[str, ...] = ()


def listing(root: Path = ROOT) -> str:
    """Return a line with hash and path for each file of the program, model weights included."""
    return _lines(root, (path for path in _files(root, _PACKAGES) if _COMPILED not in path.parts))


def installed(root: Path = ROOT) -> str:
    """Return the lines of the compiled files, which Python runs, and of the libraries of the environment."""
    compiled = (path for path in _files(root, _PACKAGES) if _COMPILED in path.parts)
    return _lines(root, (*compiled, *_files(root, (_LIBRARIES,))))


def code_state(root: Path = ROOT) -> CodeState:
    """Compare the program's current files with the installed ones; OSError if one cannot be read."""
    now = listing(root)
    sha256 = _hash(now)
    try:
        sealed = (root / SEAL).read_text(encoding="utf-8")
    except FileNotFoundError:
        return CodeState(sha256, sealed=False)
    rest = installed(root)
    lines = {*now.splitlines(), *rest.splitlines()} ^ {*sealed.splitlines()}
    differing = tuple(sorted({line.partition("  ")[2] for line in lines}))
    return CodeState(sha256, sealed=True, libraries=_hash(rest), differing=differing)


def _files(root: Path, folders: Iterable[str]) -> Iterator[Path]:
    return (path.relative_to(root) for name in folders for path in (root / name).rglob("*") if path.is_file())


def _lines(root: Path, files: Iterable[Path]) -> str:
    return "".join(f"{_sha256_of(root / path)}  {path.as_posix()}\n" for path in sorted(files))


def _sha256_of(path: Path) -> str:
    stat = path.stat()
    return _hash_of_file(path, (stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns))


@cache
def _hash_of_file(path: Path, _identity: tuple[int, ...]) -> str:
    """Cached by the file's identity: self-test and versions both need it at a start, and libraries are large."""
    return sha256_of(path)


def _hash(lines: str) -> str:
    return hashlib.sha256(lines.encode()).hexdigest()


def service_versions(config: Config) -> dict[str, str]:
    """Return versions by name: of the relevant settings, the calibration file, a House Way's file, the runtime."""
    import numpy as np  # noqa: PLC0415  commands that only want the hash of the code start without it

    code = code_state()
    versions = {
        "houseway": __version__,
        "code": f"sha256:{code.sha256}",
        **({"libraries": f"sha256:{code.libraries}"} if code.sealed else {}),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "platform": f"{sys.platform} {platform.machine()}",
        "numpy": np.__version__,
        "config": f"sha256:{hashlib.sha256(config.model_dump_json(exclude=_IRRELEVANT).encode()).hexdigest()}",
    }
    calibration = config.table.calibration
    if calibration is not None and calibration.is_file():
        versions["calibration"] = f"sha256:{sha256_of(calibration)}"
    own = next((each for each in (config.table.house_way, config.table.rulebook) if is_file(each or "")), None)
    if own is not None:
        versions["house_way_file"] = f"sha256:{sha256_of(Path(own))}"
    return versions


if __name__ == "__main__":
    sys.stdout.write(listing() + installed())
