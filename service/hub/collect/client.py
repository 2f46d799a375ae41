"""Asks one table's service over HTTP, on one connection that is kept. What it answers is believed by nobody yet."""

from __future__ import annotations

import hashlib
from contextlib import asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final

import httpx2
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from service.hub.collect.checking import Announced, Given
from service.record.checkpoints.note import NoteError, read_note
from service.system.host import tls_context
from service.words.codes import FloorCode
from service.words.findings import FindingError

if TYPE_CHECKING:
    import asyncio
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from service.record.store.signing import Checkpoint

LIMIT: Final = 200
"""Entries in one answer."""
WAIT_S: Final = 20.0
"""How long a table may hold a request until there is something new."""
_PATIENCE_S: Final = 15.0
_MOST_BYTES: Final = 64_000_000
_MOST_PICTURE_BYTES: Final = 256_000_000
_SHORT: Final = 300
_SMALL: Final = 100_000
"""An answer of no more bytes needs no room: tables that are nearly up to date do not wait for each other."""


class TableAwayError(FindingError):
    """The table cannot be asked now, or does not answer what it was asked."""


@dataclass(frozen=True, slots=True)
class Page:
    """Entries as a table gives them.

    Attributes:
        record: id of its record, as it says.
        given: the entries.
        next: where to go on.
        more: whether there are more already.
        announced: the epochs of its record.
        newest_at: when it recorded its newest entry, by its own clock; None if it does not say.
        shown: its newest checkpoint; nothing of it is checked yet.
    """

    record: str
    given: tuple[Given, ...]
    next: str
    more: bool
    announced: tuple[Announced, ...]
    newest_at: datetime | None
    shown: Checkpoint | None = None


@dataclass(frozen=True, slots=True)
class Gone:
    """The table does not have the entry that it was asked to go on from.

    Attributes:
        restored: it knows that its record was restored.
        go_on: from where on, then; None if it does not know.
    """

    restored: bool
    go_on: str | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """What a table tells of itself.

    Attributes:
        table: ``local`` of ``/v1/tables``.
        unanswered: how many alarms nobody answered, by kind.
        clock_s: how far its clock is ahead of this computer's at the least, seconds.
    """

    table: dict[str, Any]
    unanswered: dict[str, int]
    clock_s: float

    @property
    def status(self) -> str | None:
        """The code of the most important of its checks."""
        return self._of_status("code")

    @property
    def level(self) -> str | None:
        """``fault``, ``attention`` or ``well``."""
        return self._of_status("level")

    def _of_status(self, name: str) -> str | None:
        status = self.table.get("status")
        found = status.get(name) if isinstance(status, dict) else None
        return found if isinstance(found, str) else None


class _Lenient(BaseModel):
    """Of an answer what is needed: a later version may say more."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class _EntryNamed(_Lenient):
    seq: int
    hash: str


class _Epoch(_Lenient):
    since: int
    first: _EntryNamed


class _Entry(_Lenient):
    line: str
    signature: str | None


class _Entries(_Lenient):
    record: str = Field(max_length=64)
    entries: list[_Entry]
    next: str = Field(max_length=100)
    more: bool
    epochs: list[_Epoch]
    checkpoint: str | None


class TableClient:
    """Asks one table.

    Args:
        address: of its service.
        key: what it is asked with.
        ca_file: certificates to trust instead of the system's.
        room: how many large answers with entries there may be in memory, of all tables.
    """

    def __init__(self, address: str, key: str, ca_file: Path | None, room: asyncio.Semaphore) -> None:
        # A service that follows no tables does not load aiohttp.
        from service.hub.collect.connection_pool import Connections  # noqa: PLC0415

        self._room = room
        self._client = httpx2.AsyncClient(
            base_url=address,
            headers={"Authorization": f"Bearer {key}"},
            timeout=_PATIENCE_S,
            transport=Connections(tls_context(ca_file)),
            trust_env=False,
        )

    async def close(self) -> None:
        """Let go of the connection."""
        await self._client.aclose()

    @asynccontextmanager
    async def entries(
        self, since: str | None, *, limit: int = LIMIT, wait_s: float = 0.0
    ) -> AsyncIterator[Page | Gone]:
        """What the table has behind a cursor; TableAwayError. It counts as being in memory until the block ends."""
        asked = {"limit": str(limit), "wait": str(wait_s)} | ({} if since is None else {"since": since})
        timeout = httpx2.Timeout(_PATIENCE_S, read=_PATIENCE_S + wait_s)
        with _faults():
            request = self._client.build_request("GET", "/v1/record/entries", params=asked, timeout=timeout)
            answer = await self._client.send(request, stream=True)
        try:
            async with nullcontext() if _is_small(answer) else self._room:
                with _faults():
                    body = await _body(answer, _MOST_BYTES)
                yield _page(answer, body)
        finally:
            await answer.aclose()

    async def show(self, checkpoint: str) -> Gone | None:
        """Show the table a checkpoint of its own; None if its record extends that, where to go on if not.

        TableAwayError; ``restored`` is false if the table says that it is none of its own.
        """
        answer = await self._ask("POST", "/v1/record/seen", json={"checkpoint": checkpoint})
        if answer.status_code == 409:
            return Gone(restored=False)
        told = _read(answer)
        if told.get("extended") is True:
            return None
        return Gone(restored=True, go_on=_text(told.get("entries_go_on")))

    async def give(self, note: str) -> bool:
        """Give the table a checkpoint of its own that was co-signed; False if it does not take it. TableAwayError."""
        answer = await self._do("POST", "/v1/record/cosignature", json={"checkpoint": note})
        return answer.status_code == 200

    async def told(self) -> Told:
        """How the table is, as it says itself; TableAwayError."""
        asked = datetime.now(UTC)
        tables = await self._ask("GET", "/v1/tables")
        clock_s = clock_ahead_s(tables, asked, datetime.now(UTC))
        try:
            (table,) = _read(tables)["tables"]
            unanswered = {str(kind): int(count) for kind, count in table["unanswered"].items()}
            return Told(dict(table["local"]), unanswered, clock_s)
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            raise _not_answered(f"{type(error).__name__}: {error}") from None

    async def equipment(self) -> dict[str, Any]:
        """What it runs on, as it says itself; TableAwayError."""
        return _read(await self._ask("GET", "/v1/equipment"))

    async def version(self) -> str:
        """The version of its program; TableAwayError."""
        return str(_read(await self._ask("GET", "/healthz")).get("version", ""))[:_SHORT]

    async def picture(self, sha256: str) -> bytes | None:
        """A picture kept as evidence, held against its name; None if the table has none of it.

        TableAwayError.
        """
        with _faults():
            request = self._client.build_request("GET", f"/v1/evidence/{sha256}")
            answer = await self._client.send(request, stream=True)
        try:
            with _faults():
                body = await _body(answer, _MOST_PICTURE_BYTES)
        finally:
            await answer.aclose()
        if answer.status_code == 404:
            return None
        if answer.status_code != 200:
            raise _refused(answer, body)
        if hashlib.sha256(body).hexdigest() != sha256:
            raise _not_answered("the picture is another than was asked for")
        return body

    async def act(self, path: str, said: dict[str, Any], key: str) -> tuple[int, dict[str, Any]]:
        """Have the table do something on a person's word: the status and what it answered; TableAwayError.

        Whether it was done is not known then: ask with the same ``key`` again, and it is done once.
        """
        answer = await self._do("POST", path, json=said, headers={"Idempotency-Key": key})
        return answer.status_code, _problem(answer.content)

    async def _do(self, method: str, path: str, **more: Any) -> httpx2.Response:  # noqa: ANN401  of httpx2
        """Have the table do something: what it answered, a refusal too; TableAwayError if it could not be asked."""
        answer = await self._ask(method, path, **more)
        if answer.status_code in {401, 403} or answer.status_code >= 500:
            raise _refused(answer, answer.content)
        return answer

    async def _ask(self, method: str, path: str, **more: Any) -> httpx2.Response:  # noqa: ANN401  of httpx2
        with _faults():
            return await self._client.request(method, path, **more)


@contextmanager
def _faults() -> Iterator[None]:
    """Raise what the network raises as TableAwayError."""
    try:
        yield
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        why = str(error) or type(error).__name__
        raise TableAwayError.of(FloorCode.NOT_REACHED, why=why[:_SHORT]) from error


def _is_small(answer: httpx2.Response) -> bool:
    length = answer.headers.get("content-length", "")
    return length.isdecimal() and int(length) <= _SMALL


async def _body(answer: httpx2.Response, most: int) -> bytes:
    body = bytearray()
    async for piece in answer.aiter_bytes():
        body += piece
        if len(body) > most:
            raise _not_answered(f"more than {most} bytes")
    return bytes(body)


def _page(answer: httpx2.Response, body: bytes) -> Page | Gone:
    if answer.status_code == 409:
        problem = _problem(body)
        if problem.get("code") == "record_restored":
            return Gone(restored=True, go_on=_text(problem.get("go_on")))
        return Gone(restored=False)
    if answer.status_code != 200:
        raise _refused(answer, body)
    return read_page(body)


def read_page(body: bytes) -> Page:
    """Entries as a table gives them out; TableAwayError if it is no such thing."""
    try:
        found = _Entries.model_validate_json(body)
    except ValidationError as error:
        raise _not_answered(error.errors()[0]["msg"]) from None
    shown = _checkpoint(found.checkpoint)
    return Page(
        record=found.record,
        given=tuple(Given(each.line, each.signature) for each in found.entries[:LIMIT]),
        next=found.next,
        more=found.more,
        announced=tuple(Announced(each.first.seq, each.first.hash[:16], each.since) for each in found.epochs),
        newest_at=None if shown is None else datetime.fromisoformat(shown.at),
        shown=shown,
    )


def _checkpoint(told: str | None) -> Checkpoint | None:
    try:
        return None if told is None else read_note(told).checkpoint
    except NoteError:
        return None


def _read(answer: httpx2.Response) -> dict[str, Any]:
    if answer.status_code != 200:
        raise _refused(answer, answer.content)
    found = _problem(answer.content)
    if not found:
        raise _not_answered("no JSON")
    return found


def _problem(body: bytes) -> dict[str, Any]:
    try:
        found = _Object.model_validate_json(body)
    except ValidationError:
        return {}
    return found.model_extra or {}


class _Object(BaseModel):
    model_config = ConfigDict(extra="allow")


def _refused(answer: httpx2.Response, body: bytes) -> TableAwayError:
    code = str(_problem(body).get("code", ""))[:_SHORT]
    why = f"{answer.status_code} {code}".strip()
    if answer.status_code in {401, 403}:
        return TableAwayError.of(FloorCode.NOT_ALLOWED, why=why)
    return _not_answered(why)


def _not_answered(why: str) -> TableAwayError:
    return TableAwayError.of(FloorCode.NOT_ANSWERED, why=why[:_SHORT])


def _text(value: object) -> str:
    if not isinstance(value, str) or len(value) > _SHORT:
        raise _not_answered("no cursor to go on from")
    return value


def clock_ahead_s(answer: httpx2.Response, asked: datetime, answered: datetime) -> float:
    """How far the table's clock is ahead at the least, by the header that every answer has.

    That header was written between the two moments, and in whole seconds: however long an answer took, a clock that
    may be right counts as right.
    """
    try:
        said = parsedate_to_datetime(answer.headers["date"])
        return max((said - answered).total_seconds(), 0.0) + min((said - asked).total_seconds() + 1.0, 0.0)
    except (KeyError, ValueError, TypeError):
        return 0.0
