"""The releases that a floor has to give out, each in a folder of its own; the floor does not hold the key of any."""

from __future__ import annotations

import shutil
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.codes import ReleaseCode
from service.record.store.files import make_folder, sync_folder, write_durably
from service.release.manifest import MANIFEST, SIGNATURE, ReleaseError, check_files, read_signed

if TYPE_CHECKING:
    from pathlib import Path

    from service.release.manifest import Manifest, SignedManifest


@dataclass(frozen=True, slots=True)
class Shelved:
    """A release as the floor has it."""

    signed: SignedManifest
    manifest: Manifest
    folder: Path


class Shelf:
    """The folder with the releases."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._known: dict[str, Shelved] = {}

    def all(self) -> tuple[Shelved, ...]:
        """All of them, by their numbers; one that cannot be read is left out."""
        there = sorted(path for path in self.folder.glob("*") if path.is_dir() and not path.name.startswith("."))
        names = {path.name for path in there}
        self._known = {name: known for name, known in self._known.items() if name in names}
        for path in there:
            if path.name not in self._known:
                try:
                    signed = read_signed(path)
                    self._known[path.name] = Shelved(signed, signed.unverified(), path)
                except ReleaseError:
                    continue
        return tuple(sorted(self._known.values(), key=lambda each: each.manifest.number))

    def named(self, name: str) -> Shelved:
        """The release of a name; ReleaseError if there is none."""
        found = next((each for each in self.all() if each.manifest.name == name), None)
        if found is None:
            raise ReleaseError.of(ReleaseCode.UNKNOWN_RELEASE, name=name)
        return found

    def of(self, digest: str) -> Shelved | None:
        """The release of a digest; None if there is none."""
        return next((each for each in self.all() if each.signed.digest == digest), None)

    def add(self, source: Path) -> Manifest:
        """Take a release in: a copy, whole or not at all. ReleaseError, OSError."""
        signed = read_signed(source)
        manifest = signed.unverified()
        check_files(source, manifest)
        for other in self.all():
            if other.signed.digest == signed.digest:
                return manifest
            if (other.manifest.name == manifest.name) or (other.manifest.number == manifest.number):
                raise ReleaseError.of(ReleaseCode.ANOTHER_OF_THAT_NAME, name=manifest.name)
        make_folder(self.folder, 0o700)
        draft = self.folder / f".{uuid.uuid4().hex}"
        try:
            for each in manifest.files:
                make_folder((draft / each.path).parent, 0o700)
                write_durably(draft / each.path, (source / each.path).read_bytes())
            check_files(draft, manifest)
            write_durably(draft / SIGNATURE, signed.signature.encode())
            write_durably(draft / MANIFEST, signed.text)
            draft.rename(self.folder / signed.digest[:16])
        except BaseException:
            shutil.rmtree(draft, ignore_errors=True)
            raise
        sync_folder(self.folder)
        return manifest
