"""Requests signatures of the table's checkpoints from witnesses; a refusal means that the record was rolled back."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import httpx2

from service.record.checkpoints.checkpoint_store import keep_cosignature, newest_note, note_at
from service.record.checkpoints.note import NoteError, WitnessKey, read_note
from service.record.checkpoints.witness_book import MOST_ENTRIES, Submission
from service.record.health import Check
from service.record.store.entries import RecordUnavailableError
from service.system.background import in_background
from service.system.outgoing import Bounds, client
from service.words.codes import ServiceCode

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from service.record.checkpoints.note import Note
    from service.record.health import Watched
    from service.record.store.database_reader import DatabaseReader
    from service.record.store.record import Record
    from service.system.service_settings import WitnessConfig
    from service.system.settings import Config
    from vision.findings import Param

_log = logging.getLogger(__name__)

_BOUNDS: Final = Bounds(seconds=20.0, most_bytes=100_000)
_LOOK_AGAIN_S: Final = 5.0
_SENT_AT_ONCE: Final = 4_000_000
"""Approximate number of characters of entries in one request; the next request sends the rest."""


class RefusedError(Exception):
    """The witness does not sign: the record does not extend the last signed checkpoint.

    Attributes:
        known: the checkpoint that it signed last, if it returned one of this record.
    """

    def __init__(self, why: str, known: Note | None = None) -> None:
        super().__init__(why)
        self.known = known


@dataclass(slots=True)
class WitnessClient:
    """Requests signatures from one witness periodically.

    Attributes:
        lost: called with the witness's name and a checkpoint that the record does not hold.
    """

    config: WitnessConfig
    reader: DatabaseReader
    live: Watched
    lost: Callable[[str, Note], object]
    every_s: float
    _through: int = field(default=-1, init=False)

    async def run(self) -> None:
        """Send requests until cancelled, or until the service stops."""
        async with client(_BOUNDS) as witness:
            while not self.live.recorded.closed:
                heard = self.live.recorded.count
                try:
                    await self.ask(witness)
                except RecordUnavailableError:
                    pass  # the record's own check reports it; it is tried again
                except RefusedError as error:
                    _log.error("the witness %s refuses: %s", self.config.name, error)
                    self._show(ServiceCode.WITNESS_REFUSES, ok=False, why=str(error))
                    if error.known is not None:
                        await self._report_lost(error.known)
                except (httpx2.HTTPError, OSError, NoteError) as error:
                    self._show(ServiceCode.WITNESS_AWAY, ok=False, why=str(error) or type(error).__name__)
                await asyncio.sleep(self.every_s)
                await self.live.recorded.wait_beyond(heard, _LOOK_AGAIN_S)

    async def ask(self, witness: httpx2.AsyncClient) -> None:
        """Have all new entries signed.

        RefusedError if the witness refuses; RecordUnavailableError, NoteError, and errors of the connection.
        """
        retried = False
        while True:
            if self._through < 0:
                self._through = await self._known_through(witness)
            sent = await asyncio.to_thread(self._next)
            if sent is None:
                break
            answer = await witness.post(self._place("add-checkpoint"), content=sent.text.encode())
            if answer.status_code == 409 and not retried:
                self._through, retried = -1, True
                continue
            if answer.status_code in {403, 409, 422}:
                self._through = -1
                raise RefusedError(answer.text.strip()[:300], await self._known(witness, sent.note.checkpoint.record))
            answer.raise_for_status()
            await asyncio.to_thread(self._keep, sent.note, answer.text)
            self._through = sent.note.checkpoint.seq
        self._show(ServiceCode.WITNESS_WELL, ok=True, entry=self._through)

    async def _known_through(self, witness: httpx2.AsyncClient) -> int:
        """Return the last entry that the witness signed; RefusedError if the record does not hold it."""
        head = await asyncio.to_thread(newest_note, self.reader)
        known = None if head is None else await self._known(witness, head.checkpoint.record)
        if known is None:
            return 0
        entry = await asyncio.to_thread(self.reader.entry, known.checkpoint.seq)
        if entry is None or entry.hash != known.checkpoint.hash:
            raise RefusedError(f"it signed for entry {known.checkpoint.seq}, which the record does not hold", known)
        return known.checkpoint.seq

    async def _known(self, witness: httpx2.AsyncClient, record: str) -> Note | None:
        answer = await witness.get(self._place(f"checkpoint/{record}"))
        if answer.status_code == 404:
            return None
        answer.raise_for_status()
        return read_note(answer.text)

    async def _report_lost(self, known: Note) -> None:
        try:
            await asyncio.to_thread(self.lost, f"witness {self.config.name}", known)
        except RecordUnavailableError:
            return  # the next request finds it again

    def _next(self) -> Submission | None:
        """Return the next submission; None if the witness has signed everything."""
        through = self._through
        if through == 0:
            # A witness starts with the key that signs the newest entry, which must not be that key's last one.
            head = self.reader.head()
            first = None if head is None or head.kind == "signing_key" else note_at(self.reader, head)
            return None if first is None else Submission(0, (), first)
        found = self.reader.after(through, limit=MOST_ENTRIES)
        size = taken = 0
        while taken < len(found) and (size < _SENT_AT_ONCE or not taken):
            size += len(found[taken].body)
            taken += 1
        entries = found[:taken]
        if not entries:
            return None
        note = note_at(self.reader, entries[-1])
        return None if note is None else Submission(through, entries, note)

    def _keep(self, note: Note, line: str) -> None:
        key = WitnessKey.of_text(self.config.key)
        signed = note.cosigned(line.strip().split("\n")[0])
        cosignature = signed.cosignatures[-1]
        if not key.holds(signed, cosignature):
            raise NoteError("its answer is not signed with its key")
        keep_cosignature(self.reader, note.checkpoint.seq, self.config.name, cosignature.line)

    def _place(self, path: str) -> str:
        return f"{self.config.url.get_secret_value().rstrip('/')}/{path}"

    def _show(self, code: ServiceCode, *, ok: bool, **params: Param) -> None:
        self.live.check(Check.of(f"witness {self.config.name}", code, ok=ok, **params))


@asynccontextmanager
async def requesting_signatures(
    config: Config, live: Watched, record: Record, lost: Callable[[str, Note], object]
) -> AsyncIterator[None]:
    """Run a client for each witness of the settings while the block runs; see :class:`WitnessClient` for ``lost``."""
    every_s = config.record.checkpoints_every_s
    clients = [WitnessClient(witness, record, live, lost, every_s) for witness in config.witnesses]
    async with in_background(*(each.run() for each in clients)):
        yield
