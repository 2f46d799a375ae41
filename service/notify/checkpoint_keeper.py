"""Keeps the newest checkpoint outside the record: in the mark file beside its folder, and in a file on a share.

A share that hangs holds up one thread, and neither the service nor its end.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from service.codes import ServiceCode
from service.notify.history import newest_of
from service.record.checkpoints.mark import keep_mark
from service.record.checkpoints.newest import newest_note
from service.record.store.entries import RecordUnavailableError
from service.table.live_state import Check

if TYPE_CHECKING:
    from pathlib import Path

    from service.notify.history import History
    from service.record.checkpoints.note import Note
    from service.record.store.record import Record
    from service.table.live_state import Watched

_LOOK_EVERY_S: Final = 3.0
_HANGS_AFTER_S: Final = 20.0


@dataclass(slots=True)
class CheckpointFile:
    """A file that checkpoints are only ever added to.

    Attributes:
        path: of the file; its folder must be there, so that nothing is written where a share is not mounted.
        record: whose checkpoints they are.
        found: checkpoints that were in it before the first was added; None until it could be looked at.
        fault: why the last one could not be added; empty if it was.
    """

    path: Path
    record: Record
    found: tuple[Note, ...] | None = None
    fault: str = ""
    _thread: threading.Thread | None = field(default=None, init=False)
    _begun: float = field(default=0.0, init=False)

    def add(self, note: Note) -> bool:
        """Have a checkpoint added by a thread of its own; False if the one before has not come to its end."""
        if self._thread is not None and self._thread.is_alive():
            if time.monotonic() - self._begun > _HANGS_AFTER_S:
                self.fault = "it does not answer"
            return False
        self._begun = time.monotonic()
        self._thread = threading.Thread(target=self._add, args=(note,), name="checkpoints", daemon=True)
        self._thread.start()
        return True

    def wait(self, timeout_s: float) -> None:
        """Wait for the last one; no longer than that."""
        if self._thread is not None:
            self._thread.join(timeout_s)

    def _add(self, note: Note) -> None:
        try:
            if self.found is None:
                self.found = newest_of(self.path, self.record.id)
            handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
            with os.fdopen(handle, "ab") as file:
                # An empty line in front: the end of the one before may be missing.
                file.write(f"\n{note.text}".encode())
                file.flush()
                os.fsync(handle)
        except OSError as error:
            self.fault = error.strerror or str(error)
        else:
            self.fault = ""


@dataclass(slots=True)
class CheckpointKeeper:
    """Holds the record against what is remembered of it, and has its newest checkpoint remembered.

    Attributes:
        history: what is remembered.
        live: where checks are shown.
        mark: the mark file.
        file: the file of checkpoints; None for none.
        every_s: how often one is added to it.
    """

    history: History
    live: Watched
    mark: Path
    file: CheckpointFile | None
    every_s: float
    _marked: tuple[int, str] = field(default=(0, ""), init=False)
    _added: tuple[int, str] = field(default=(0, ""), init=False)
    _next_at: float = field(default=0.0, init=False)
    _shown: bool = field(default=False, init=False)

    async def begin(self) -> None:
        """Look before anything is told to anybody."""
        await asyncio.to_thread(self._step)

    async def run(self) -> None:
        """Keep until cancelled, or until the service stops."""
        while not self.live.recorded.closed:
            heard = self.live.recorded.count
            await asyncio.to_thread(self._step)
            await self.live.recorded.wait_beyond(heard, _LOOK_EVERY_S)
            await asyncio.sleep(0.2)  # a burst of entries is one checkpoint

    def end(self) -> None:
        """Keep the last one."""
        self._next_at = 0.0
        self._step()
        if self.file is not None:
            self.file.wait(2.0)

    def _step(self) -> None:
        try:
            shown = () if self.file is None else tuple(("checkpoints file", note) for note in self.file.found or ())
            epoch = self.history.look(shown)
            if self.file is not None and self.file.found:
                self.file.found = ()
            self._show_epoch(known=epoch is None or bool(epoch.by) or epoch.first.seq == 1)
            note = newest_note(self.history.record)
        except RecordUnavailableError:
            return  # its own check says so; it is tried again
        if note is not None:
            self._write_mark(note)
            self._add_to_file(note)

    def _show_epoch(self, *, known: bool) -> None:
        if known and not self._shown:
            return
        self._shown = True
        if known:
            check = Check.of("history", ServiceCode.HISTORY_WELL, ok=True)
        else:
            entry, whence = self.history.last_lost()
            check = Check.of("history", ServiceCode.HISTORY_LOST, ok=False, entry=entry, whence=whence)
        self.live.check(check)
        self.live.recorded.notify()

    def _write_mark(self, note: Note) -> None:
        now = (note.checkpoint.seq, note.checkpoint.hash)
        if now == self._marked:
            return
        try:
            keep_mark(self.mark, note)
        except OSError as error:
            why = error.strerror or str(error)
            self.live.check(Check.of("mark", ServiceCode.MARK_NOT_WRITTEN, ok=False, file=str(self.mark), why=why))
        else:
            self._marked = now

    def _add_to_file(self, note: Note) -> None:
        if self.file is None:
            return
        now = (note.checkpoint.seq, note.checkpoint.hash)
        if (now != self._added or self.file.fault) and time.monotonic() >= self._next_at and self.file.add(note):
            self._added, self._next_at = now, time.monotonic() + self.every_s
        path = str(self.file.path)
        if self.file.fault:
            code, why = ServiceCode.CHECKPOINTS_NOT_WRITTEN, {"why": self.file.fault}
        else:
            code, why = ServiceCode.CHECKPOINTS_WELL, {}
        self.live.check(Check.of("checkpoints", code, ok=not self.file.fault, file=path, **why))
