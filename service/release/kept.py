"""What a table keeps of releases: which is in use, the one before, what it waits for and what it has to record.

One small file says all of it and is replaced as a whole, so that the power may go at any moment. What is to be recorded
stands in it until the record has it.
"""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import AwareDatetime, Field

from calibration.files.json_file import FileModel, parse, read_json
from service.record.store.files import make_folder, sync_folder, write_durably
from service.release.figures import Figures

if TYPE_CHECKING:
    from pathlib import Path

_FILE: Final = "state.json"
_INCOMING: Final = ".incoming-"
_REFUSALS: Final = 20


class KeptError(ValueError):
    """The file cannot be read."""


class Held(FileModel):
    """A release that lies at this table, whole and checked."""

    name: str
    number: int
    digest: str
    made_by: str
    reason: str

    @property
    def folder(self) -> str:
        """Name of its folder."""
        return self.digest[:16]


class Trial(FileModel):
    """The time in which a release must hold.

    Attributes:
        before: how the table read before.
        since: number of the newest entry when the service began with it; None before that.
        began_at: when, UTC.
        looks: how often the figures were compared.
        starts: how often the service began with it without staying up for a minute.
    """

    before: Figures
    since: int | None = None
    began_at: AwareDatetime | None = None
    looks: int = 0
    starts: int = 0


class ToRecord(FileModel):
    """An entry that the record does not have yet.

    Attributes:
        id: by which it is recognised in the record.
        body: of the entry.
    """

    id: str
    body: dict[str, Any]


class Kept(FileModel):
    """All of it.

    Attributes:
        current: the release that is used from the next start on; None for the program's own models and settings.
        before: the one before it.
        undoable: whether there is one before, be it the program's own.
        highest: the greatest number that was ever taken.
        ready: fetched and checked, to be put in use at a quiet moment.
        refused: digests of releases that were refused, newest last.
        trial: of ``current``; None once it is over.
        to_record: oldest first.
    """

    version: Annotated[int, Field(ge=1, le=1)] = 1
    current: Held | None = None
    before: Held | None = None
    undoable: bool = False
    highest: int = 0
    ready: Held | None = None
    refused: tuple[str, ...] = ()
    trial: Trial | None = None
    to_record: tuple[ToRecord, ...] = ()

    def changed(self, **values: Any) -> Kept:  # noqa: ANN401  of its own fields
        """The same with other values."""
        return self.model_copy(update=values)

    def noted(self, act: ToRecord) -> Kept:
        """The same with something more to record."""
        return self.changed(to_record=(*self.to_record, act))

    def without(self, digest: str) -> Kept:
        """The same with a release that is not to be asked for again."""
        return self.changed(refused=(*self.refused, digest)[-_REFUSALS:])


class KeptReleases:
    """The folder with the releases of a table."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self) -> Kept:
        """What is kept; KeptError if it cannot be read."""
        path = self.folder / _FILE
        if not path.exists():
            return Kept()
        return parse(Kept, read_json(path, KeptError), str(path), KeptError)

    def put(self, kept: Kept) -> None:
        """Keep this from now on: on disk when this returns. OSError."""
        make_folder(self.folder, 0o700)
        write_durably(self.folder / _FILE, (json.dumps(kept.model_dump(mode="json"), indent=1) + "\n").encode())

    def path(self, held: Held) -> Path:
        """Where a release lies."""
        return self.folder / held.folder

    def incoming(self, digest: str) -> Path:
        """Where one lies that is being fetched."""
        return self.folder / f"{_INCOMING}{digest[:16]}"

    def complete(self, held: Held) -> None:
        """Take what was fetched and checked; OSError."""
        if not self.path(held).exists():
            self.incoming(held.digest).rename(self.path(held))
            sync_folder(self.folder)

    def tidy(self, kept: Kept, *, fetching: str | None = None) -> None:
        """Remove what nobody needs any more."""
        wanted = {each.folder for each in (kept.current, kept.before, kept.ready) if each is not None}
        wanted |= set() if fetching is None else {self.incoming(fetching).name}
        for path in self.folder.iterdir() if self.folder.is_dir() else ():
            if path.is_dir() and path.name not in wanted:
                shutil.rmtree(path, ignore_errors=True)
