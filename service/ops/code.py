"""What the running program is: the hash of its files, and whether they are those that were installed.

``python -m service.ops.code`` prints the list that an installation keeps as ``code.sha256``, as ``sha256sum`` does.
"""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vision.networks.model_card import sha256_of

ROOT: Final = Path(__file__).resolve().parents[2]
SEAL: Final = "code.sha256"

_PACKAGES: Final = ("calibration", "datasets", "engine", "models", "service", "vision")
_NOT_CODE: Final = frozenset({"__pycache__"})


@dataclass(frozen=True, slots=True)
class CodeState:
    """The program's files against the list made when it was installed.

    Attributes:
        sha256: hash of the list of all files as they are now, hexadecimal.
        sealed: whether there is a list to compare with.
        differing: paths of files that were changed, removed or added since.
    """

    sha256: str
    sealed: bool
    differing: tuple[str, ...] = ()


def listing(root: Path = ROOT) -> str:
    """Every file of the program with its hash, weights of the models included, a line each."""
    found = (
        path.relative_to(root)
        for package in _PACKAGES
        for path in (root / package).rglob("*")
        if path.is_file() and not _NOT_CODE.intersection(path.parts)
    )
    return "".join(f"{sha256_of(root / path)}  {path.as_posix()}\n" for path in sorted(found))


def code_state(root: Path = ROOT) -> CodeState:
    """How the program's files are now; OSError if one cannot be read."""
    now = listing(root)
    sha256 = hashlib.sha256(now.encode()).hexdigest()
    try:
        sealed = (root / SEAL).read_text(encoding="utf-8")
    except FileNotFoundError:
        return CodeState(sha256, sealed=False)
    lines = {*now.splitlines()} ^ {*sealed.splitlines()}
    return CodeState(sha256, sealed=True, differing=tuple(sorted({line.partition("  ")[2] for line in lines})))


if __name__ == "__main__":
    sys.stdout.write(listing())
