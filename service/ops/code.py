"""What the running program is: the hash of its files, and whether they are those that were installed.

``python -m service.ops.code`` prints the list that an installation keeps as ``code.sha256``, as ``sha256sum`` does. It
has the program, its compiled files and all libraries of its environment, but none of the system's own packages.
"""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vision.networks.model_card import sha256_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT: Final = Path(__file__).resolve().parents[2]
SEAL: Final = "code.sha256"

_PACKAGES: Final = ("calibration", "datasets", "engine", "models", "rereading", "service", "vision")
_COMPILED: Final = "__pycache__"
_LIBRARIES: Final = ".venv/lib"


@dataclass(frozen=True, slots=True)
class CodeState:
    """The program's files against the list made when it was installed.

    Attributes:
        sha256: hash of the list of the program's own files as they are now, hexadecimal.
        sealed: whether there is a list to compare with.
        libraries: hash of the list of the rest that an installation has, hexadecimal; empty if it is not sealed.
        differing: paths of files that were changed, removed or added since.
    """

    sha256: str
    sealed: bool
    libraries: str = ""
    differing: tuple[str, ...] = ()


def listing(root: Path = ROOT) -> str:
    """Every file of the program with its hash, weights of the models included, a line each."""
    return _lines(root, (path for path in _files(root, _PACKAGES) if _COMPILED not in path.parts))


def installed(root: Path = ROOT) -> str:
    """The same of its compiled files, which Python runs instead of the others, and the libraries of its environment."""
    compiled = (path for path in _files(root, _PACKAGES) if _COMPILED in path.parts)
    return _lines(root, (*compiled, *_files(root, (_LIBRARIES,))))


def code_state(root: Path = ROOT) -> CodeState:
    """How the program's files are now; OSError if one cannot be read."""
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
def _hash_of_file(path: Path, _as_it_is: tuple[int, ...]) -> str:
    """Of a file as it is; asked for at a start by the self-test and for the versions, and libraries are large."""
    return sha256_of(path)


def _hash(lines: str) -> str:
    return hashlib.sha256(lines.encode()).hexdigest()


if __name__ == "__main__":
    sys.stdout.write(listing() + installed())
