"""HTTP client of one remote table, over a persistent connection. Its answers are not verified yet."""

from __future__ import annotations

import hashlib
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

import httpx2
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from service.hub.checking import AnnouncedEpoch, ReceivedEntry
from service.record.checkpoints.note import NoteError, read_note
from service.record.store.entries import MOST
from service.system.host import tls_context
from service.system.outgoing import Bounds, client
from service.words.codes import HubCode
from service.words.findings import FindingError

if TYPE_CHECKING:
    import asyncio
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from service.record.store.signing import Checkpoint

LIMIT: Final = 200
"""Entries in one answer."""
WAIT_S: Final = 20.0
"""How long a table may delay its answer until there are new entries."""
_BOUNDS: Final = Bounds(seconds=15.0, most_bytes=4_000_000)
_ENTRIES: Final = Bounds(seconds=60.0, most_bytes=24_000_000)
"""Of a page of entries, without the wait for new ones; a table ends its pages far earlier."""
_PICTURE: Final = Bounds(seconds=120.0, most_bytes=64_000_000)
_SHORT: Final = 300
_Short: TypeAlias = Annotated[str, Field(max_length=_SHORT)]
_SMALL: Final = 100_000
"""Answers up to this size need no room: tables that are nearly up to date do not wait for others."""


class TableAwayError(FindingError):
    """The table cannot be reached, or its answer is invalid."""


@dataclass(frozen=True, slots=True)
class EntryPage:
    """Entries as a table sent them.

    Attributes:
        record: id of its record.
        entries: the entries.
        next: cursor after them.
        more: whether there are more already.
        epochs: the epochs of its record.
        checkpoint: its newest checkpoint, unverified.
    """

    record: str
    entries: tuple[ReceivedEntry, ...]
    next: str
    more: bool
    epochs: tuple[AnnouncedEpoch, ...]
    checkpoint: Checkpoint | None


@dataclass(frozen=True, slots=True)
class Diverged:
    """The table does not have the entry of the cursor.

    Attributes:
        restored: it knows that its record was restored.
        go_on: cursor of the last entry that is surely common; None if it does not know.
    """

    restored: bool
    go_on: str | None = None


class _Lenient(BaseModel):
    """Ignores the additional fields of later versions."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class FailedCheck(_Lenient):
    """A failed check of a table, in its own words."""

    name: _Short
    message: str = Field("", max_length=4_000)
    ok: bool


class _Status(_Lenient):
    code: _Short
    level: Literal["fault", "attention", "well"]


class _Local(_Lenient):
    status: _Status | None = None
    rulebook: _Short | None = None
    variant: _Short | None = None
    checks: tuple[FailedCheck, ...] = Field(default=(), max_length=200)


class _Table(_Lenient):
    unanswered: dict[_Short, Annotated[int, Field(ge=0, le=MOST)]] = Field(max_length=50)
    local: _Local


class _Tables(_Lenient):
    tables: tuple[_Table] = Field(strict=False)


@dataclass(frozen=True, slots=True)
class SelfReport:
    """A table's report on itself, unverified.

    Attributes:
        level: ``fault``, ``attention`` or ``well``.
        status: code of its most important check.
        rulebook: name of its rulebook.
        variant: name of the variant of the rulebook that is played; None for Pai Gow itself.
        failing: its failed checks.
        unanswered: number of open alarms, by kind.
        clock_s: minimum lead of its clock over this computer's, seconds.
    """

    level: str | None
    status: str | None
    rulebook: str | None
    variant: str | None
    failing: tuple[FailedCheck, ...]
    unanswered: dict[str, int]
    clock_s: float


class _EntryNamed(_Lenient):
    seq: int = Field(ge=0, le=MOST)
    hash: str = Field(max_length=64)


class _Epoch(_Lenient):
    since: int = Field(ge=0, le=MOST)
    first: _EntryNamed


class _Entry(_Lenient):
    line: str
    signature: str | None = Field(max_length=128)


class _Entries(_Lenient):
    record: str = Field(max_length=64)
    entries: list[_Entry] = Field(max_length=LIMIT)
    next: str = Field(max_length=100)
    more: bool
    epochs: list[_Epoch] = Field(max_length=10_000)
    checkpoint: str | None = Field(max_length=10_000)


class TableClient:
    """Client of one table; its methods raise TableAwayError.

    Args:
        address: of its service.
        key: API key.
        ca_file: certificates to trust instead of the system's.
        room: limits the large answers in memory, of all tables.
    """

    def __init__(self, address: str, key: str, ca_file: Path | None, room: asyncio.Semaphore) -> None:
        # A service that follows no tables does not load aiohttp.
        from service.hub.connection_pool import ConnectionPool  # noqa: PLC0415

        self._room = room
        self._client = client(
            _BOUNDS,
            transport=ConnectionPool(tls_context(ca_file)),
            base_url=address,
            headers={"Authorization": f"Bearer {key}"},
        )

    async def close(self) -> None:
        """Close the connection."""
        await self._client.aclose()

    @asynccontextmanager
    async def entries(
        self, since: str | None, *, limit: int = LIMIT, wait_s: float = 0.0
    ) -> AsyncIterator[EntryPage | Diverged]:
        """The entries after a cursor; a large answer occupies room until the block ends."""
        query = {"limit": str(limit), "wait": str(wait_s)} | ({} if since is None else {"since": since})
        bounds = replace(_ENTRIES, seconds=_ENTRIES.seconds + wait_s)
        timeout = httpx2.Timeout(_BOUNDS.seconds, read=_BOUNDS.seconds + wait_s)
        with _faults():
            request = self._client.build_request(
                "GET", "/v1/record/entries", params=query, timeout=timeout, extensions=bounds.extensions
            )
            answer = await self._client.send(request, stream=True)
        try:
            async with nullcontext() if _is_small(answer) else self._room:
                with _faults():
                    body = await answer.aread()
                yield _page(answer, body)
        finally:
            await answer.aclose()

    async def compare(self, checkpoint: str) -> Diverged | None:
        """Ask whether the table's record extends a checkpoint of it; None if it does.

        ``restored`` is false if the checkpoint is of another record.
        """
        answer = await self._ask("POST", "/v1/record/seen", json={"checkpoint": checkpoint})
        if answer.status_code == 409:
            return Diverged(restored=False)
        body = _read(answer)
        return None if body.get("extended") is True else Diverged(restored=True, go_on=_text(body.get("entries_go_on")))

    async def send_cosigned(self, note: str) -> bool:
        """Send the table a co-signed checkpoint of its record; return whether it accepts it."""
        answer = await self._do("POST", "/v1/record/cosignature", json={"checkpoint": note})
        return answer.status_code == 200

    async def report(self) -> SelfReport:
        """The table's report on itself."""
        asked = datetime.now(UTC)
        tables = await self._ask("GET", "/v1/tables")
        clock_s = clock_ahead_s(tables, asked, datetime.now(UTC))
        if tables.status_code != 200:
            raise _refused(tables, tables.content)
        try:
            (table,) = _Tables.model_validate_json(tables.content).tables
        except ValidationError as error:
            raise _not_answered(_first_of(error)) from None
        status = table.local.status
        return SelfReport(
            level=None if status is None else status.level,
            status=None if status is None else status.code,
            rulebook=table.local.rulebook,
            variant=table.local.variant,
            failing=tuple(each for each in table.local.checks if not each.ok),
            unanswered=table.unanswered,
            clock_s=clock_s,
        )

    async def equipment(self) -> dict[str, Any]:
        """What the table runs on, as it reports."""
        return _read(await self._ask("GET", "/v1/equipment"))

    async def version(self) -> str:
        """The version of its program."""
        return str(_read(await self._ask("GET", "/healthz")).get("version", ""))[:_SHORT]

    async def picture(self, sha256: str) -> bytes | None:
        """A picture kept as evidence, verified by its hash; None if the table does not have it."""
        with _faults():
            answer = await self._client.get(f"/v1/evidence/{sha256}", extensions=_PICTURE.extensions)
        body = answer.content
        if answer.status_code == 404:
            return None
        if answer.status_code != 200:
            raise _refused(answer, body)
        if hashlib.sha256(body).hexdigest() != sha256:
            raise _not_answered("the picture is another than was asked for")
        return body

    async def act(self, path: str, body: dict[str, Any], key: str) -> tuple[int, dict[str, Any]]:
        """Post a person's decision; return status and body of the answer.

        After TableAwayError the table may have acted or not. Sent again with the same ``key``, it acts once.
        """
        answer = await self._do("POST", path, json=body, headers={"Idempotency-Key": key})
        return answer.status_code, _json(answer.content)

    async def _do(self, method: str, path: str, **more: Any) -> httpx2.Response:  # noqa: ANN401  of httpx2
        """The answer, refusals included; TableAwayError if the key is not accepted or the service fails."""
        answer = await self._ask(method, path, **more)
        if answer.status_code in {401, 403} or answer.status_code >= 500:
            raise _refused(answer, answer.content)
        return answer

    async def _ask(self, method: str, path: str, **more: Any) -> httpx2.Response:  # noqa: ANN401  of httpx2
        with _faults():
            return await self._client.request(method, path, **more)


@contextmanager
def _faults() -> Iterator[None]:
    """Raise errors of the network as TableAwayError."""
    try:
        yield
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        why = str(error) or type(error).__name__
        raise TableAwayError.of(HubCode.NOT_REACHED, why=why[:_SHORT]) from error


def _is_small(answer: httpx2.Response) -> bool:
    length = answer.headers.get("content-length", "")
    return length.isdecimal() and int(length) <= _SMALL


def _page(answer: httpx2.Response, body: bytes) -> EntryPage | Diverged:
    if answer.status_code == 409:
        problem = _json(body)
        restored = problem.get("code") == "record_restored"
        return Diverged(restored, _text(problem.get("go_on")) if restored else None)
    if answer.status_code != 200:
        raise _refused(answer, body)
    try:
        found = _Entries.model_validate_json(body)
    except ValidationError as error:
        raise _not_answered(_first_of(error)) from None
    checkpoint = None
    if found.checkpoint is not None:
        with suppress(NoteError):
            checkpoint = read_note(found.checkpoint).checkpoint
    return EntryPage(
        record=found.record,
        entries=tuple(ReceivedEntry(each.line, each.signature) for each in found.entries),
        next=found.next,
        more=found.more,
        epochs=tuple(AnnouncedEpoch(each.first.seq, each.first.hash[:16], each.since) for each in found.epochs),
        checkpoint=checkpoint,
    )


def _read(answer: httpx2.Response) -> dict[str, Any]:
    if answer.status_code != 200:
        raise _refused(answer, answer.content)
    found = _json(answer.content)
    if not found:
        raise _not_answered("no JSON")
    return found


class _Object(BaseModel):
    model_config = ConfigDict(extra="allow")


def _json(body: bytes) -> dict[str, Any]:
    """A JSON object; empty if invalid."""
    try:
        return _Object.model_validate_json(body).model_extra or {}
    except ValidationError:
        return {}


def _refused(answer: httpx2.Response, body: bytes) -> TableAwayError:
    code = str(_json(body).get("code", ""))[:_SHORT]
    why = f"{answer.status_code} {code}".strip()
    if answer.status_code in {401, 403}:
        return TableAwayError.of(HubCode.NOT_ALLOWED, why=why)
    return _not_answered(why)


def _not_answered(why: str) -> TableAwayError:
    return TableAwayError.of(HubCode.NOT_ANSWERED, why=why[:_SHORT])


def _first_of(error: ValidationError) -> str:
    """The first fault of an answer, with where it is."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    return ".".join(map(str, (*first["loc"], first["msg"])))


def _text(value: object) -> str:
    if not isinstance(value, str) or len(value) > _SHORT:
        raise _not_answered("no cursor to go on from")
    return value


def clock_ahead_s(answer: httpx2.Response, asked: datetime, answered: datetime) -> float:
    """The minimum lead of the table's clock, by the ``Date`` header of an answer; negative if it is behind.

    The header was written between the two moments, in whole seconds: however long the answer took, a clock that may be
    right counts as right.
    """
    try:
        date = parsedate_to_datetime(answer.headers["date"])
        return max((date - answered).total_seconds(), 0.0) + min((date - asked).total_seconds() + 1.0, 0.0)
    except (KeyError, ValueError, TypeError):
        return 0.0
