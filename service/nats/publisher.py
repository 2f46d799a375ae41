"""Publishes every entry of the table's record into a stream on its own disk, in order, each once.

Nothing is remembered here: where to go on is what the last message of the stream holds. Each message is a page of
entries as ``GET /v1/record/entries`` answers it. It is taken by the stream only behind the message that it was made to
follow, so two publishers cannot come between each other, and what was sent twice is taken once.
"""

from __future__ import annotations

import asyncio
import json
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from nats.errors import MaxPayloadError
from nats.js.api import DiscardPolicy, RetentionPolicy, StorageType, StreamConfig
from nats.js.errors import NotFoundError

from service.codes import ServiceCode
from service.nats.line import FAULTS, LineCutError
from service.record.checkpoints.note import NoteError, read_note
from service.record.results import START, CursorError, ForeignCursorError, RestoredError, read_cursor
from service.record.store.entries import RecordUnavailableError
from service.table.live_state import Check

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from nats.js import JetStreamContext
    from nats.js.api import RawStreamMsg

    from service.nats.line import NatsLine
    from service.nats.names import Names
    from service.record.checkpoints.note import Note
    from service.record.feed import Feed
    from service.record.results import Cursor
    from service.table.live_state import LiveState
    from vision.findings import Param

_log = logging.getLogger(__name__)

CHECK: Final = "nats"
_LIMIT: Final = 50
"""Entries in one message."""
_LOOK_AGAIN_S: Final = 2.0
"""Longest wait for an entry: another program may have recorded something."""
_PAUSES_S: Final = (0.2, 0.5, 1.0, 2.0, 5.0)
_OTHERS_S: Final = 60.0
_BACK: Final = 256
"""Messages that are looked back through for one that the record goes on from."""


class _AnotherRecordError(Exception):
    """Since this began, somebody publishes another record under this table's name."""


class Publisher:
    """Publishes one table's record.

    Args:
        line: to the server beside the table.
        names: of the table.
        feed: gives the entries.
        live: tells of new ones, and shows how it stands.
        shown: called with a checkpoint of the record's own that the stream holds and the record does not: it was
            restored.
        max_bytes: that the stream may take.
    """

    def __init__(
        self,
        line: NatsLine,
        names: Names,
        feed: Feed,
        live: LiveState,
        shown: Callable[[Note], Awaitable[None]],
        max_bytes: int,
    ) -> None:
        self._line, self._names, self._feed, self._live, self._shown = line, names, feed, live, shown
        self._max_bytes = max_bytes
        self._published = False

    async def run(self) -> None:
        """Publish until cancelled, or until the service stops."""
        failed = 0
        while not self._live.appended.closed:
            pause_s = _PAUSES_S[min(failed, len(_PAUSES_S) - 1)]
            failed += 1
            try:
                stream = self._line.client.jetstream()
                at, last = await self._standing(stream)
                self._show(ServiceCode.NATS_PUBLISHING, ok=True)
                failed = 0
                await self._publish(stream, at, last)
            except LineCutError as error:
                self._show(ServiceCode.NATS_AWAY, ok=False, why=str(error))
            except FAULTS as error:
                _log.info("publishing to NATS begins again: %s", error)
                if failed > 1:
                    self._show(ServiceCode.NATS_AWAY, ok=False, why=str(error) or type(error).__name__)
            except RecordUnavailableError as error:
                self._show(ServiceCode.CHANNEL_WAITS_FOR_RECORD, ok=False, why=(error.finding,))
            except _AnotherRecordError:
                self._show(ServiceCode.NATS_ANOTHER_RECORD, ok=False, stream=self._names.leaf)
                pause_s = _OTHERS_S
            except Exception as error:  # noqa: BLE001  whatever it was, the floor must be told on
                _log.exception("publishing to NATS failed; trying again")
                self._show(ServiceCode.CHANNEL_FAULT, ok=False, why=str(error))
            await asyncio.sleep(pause_s)

    async def _publish(self, stream: JetStreamContext, at: Cursor, last: int) -> None:
        """Publish what the record has behind a cursor, and whatever comes, behind the stream's last message."""
        limit = _LIMIT
        while not self._live.appended.closed:
            heard = self._live.appended.count
            try:
                body, found = await self._feed.entries(at, limit, heard)
            except RestoredError as error:
                at = read_cursor(error.go_on)
                continue
            if not found:
                await self._live.appended.wait_beyond(heard, _LOOK_AGAIN_S)
                if not self._line.up:
                    raise LineCutError(self._line.why)
                continue
            following = read_cursor(json.loads(body)["next"])
            try:
                taken = await stream.publish(
                    self._names.entries,
                    body,
                    stream=self._names.leaf,
                    headers={"Nats-Expected-Last-Sequence": str(last)},
                )
            except MaxPayloadError:
                if limit > 1:
                    limit = max(1, limit // 4)
                    continue
                # The floor sees that the stream does not go on here, and asks for this entry itself.
                _log.warning("entry %s is larger than a message of NATS may be; the stream leaves it out", following[0])
            else:
                last, self._published = taken.seq, True
            at, limit = following, _LIMIT

    async def _standing(self, stream: JetStreamContext) -> tuple[Cursor, int]:
        """Where the stream stands: what the record goes on from, and the number of its last message."""
        state = await self._made(stream)
        last = state.last_seq
        if state.messages:
            for number in range(last, max(state.first_seq, last - _BACK + 1) - 1, -1):
                with suppress(NotFoundError):
                    page = _page(await stream.get_msg(self._names.leaf, number))
                    cursor = await self._goes_on(page, newest=number == last)
                    if cursor is not None:
                        return cursor, last
        return START, last

    async def _made(self, stream: JetStreamContext) -> Any:  # noqa: ANN401  StreamState of the client
        """The state of the stream, which is made if it is not there."""
        wanted = StreamConfig(
            name=self._names.leaf,
            subjects=[self._names.entries],
            retention=RetentionPolicy.LIMITS,
            discard=DiscardPolicy.OLD,
            storage=StorageType.FILE,
            max_bytes=self._max_bytes,
            num_replicas=1,
            description="entries of the table's record",
        )
        try:
            found = await stream.stream_info(self._names.leaf)
        except NotFoundError:
            return (await stream.add_stream(wanted)).state
        if found.config.max_bytes != self._max_bytes:
            await stream.update_stream(found.config.evolve(max_bytes=self._max_bytes))
        return found.state

    async def _goes_on(self, page: dict[str, Any], *, newest: bool) -> Cursor | None:
        """The cursor behind a message, if the record holds it, or says where it was restored; None if neither."""
        try:
            cursor = read_cursor(str(page.get("next")))
        except CursorError:
            return None
        try:
            await self._feed.entries(cursor, 1, self._live.appended.count)
        except RestoredError as error:
            return read_cursor(error.go_on)
        except ForeignCursorError:
            if newest:
                await self._hold_against(page)
            return None
        return cursor

    async def _hold_against(self, page: dict[str, Any]) -> None:
        """Have the record look at what the stream remembers of it; _AnotherRecordError if it is of another record."""
        first, _ = await self._feed.entries(START, 1, self._live.appended.count)
        if page.get("record") != json.loads(first)["record"]:
            if self._published:
                raise _AnotherRecordError
            _log.warning("the stream %s holds another record; this one follows from its beginning", self._names.leaf)
            return
        with suppress(NoteError):
            await self._shown(read_note(str(page.get("checkpoint"))))

    def _show(self, code: ServiceCode, *, ok: bool, **params: Param) -> None:
        self._live.check(Check.of(CHECK, code, ok=ok, blocks=False, **params))


def _page(message: RawStreamMsg) -> dict[str, Any]:
    try:
        found = json.loads(message.data or b"")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
