"""The key that the floor co-signs with, in the folder of its own record."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from service.record.checkpoints.note import WitnessKey, cosign
from service.record.store.files import make_folder
from service.record.store.signing import Signer

if TYPE_CHECKING:
    from pathlib import Path

    from service.record.store.signing import Checkpoint

KEY: Final = "witness.key"


@dataclass(frozen=True, slots=True)
class FloorSigner:
    """Co-signs; a key of its own, so that a signature is never taken for one of the floor's own record.

    Attributes:
        name: what the witness is called.
    """

    name: str
    _signer: Signer

    @classmethod
    def open(cls, folder: Path, floor: str) -> Self:
        """The key of a floor; made if there is none. KeyFileError, OSError.

        Args:
            folder: of the floor's own record.
            floor: the floor's name.
        """
        path = folder / KEY
        if not path.exists():
            make_folder(folder, 0o700)
            return cls(name_of(floor), Signer.make(path))
        return cls(name_of(floor), Signer.load(path))

    @property
    def key(self) -> WitnessKey:
        """Its public half, by which everybody can check."""
        return WitnessKey(self.name, self._signer.public)

    def cosign(self, checkpoint: Checkpoint) -> str:
        """The line that says that the floor holds what this checkpoint says, now."""
        return cosign(checkpoint, self.name, self._signer.raw, int(time.time()))


def key_in(folder: Path, floor: str) -> WitnessKey | None:
    """The public half of a floor's key; None where there is none yet. KeyFileError."""
    path = folder / KEY
    return WitnessKey(name_of(floor), Signer.load(path).public) if path.exists() else None


def name_of(floor: str) -> str:
    """What the witness of a floor is called."""
    return f"houseway-floor/{floor}"
