"""The floor gives each table that honours its accounts a roster of them: at each contact, when something changed.

A table that the line to is cut has the one before; it is told what changed as soon as it can be asked again.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from service.access.roles import UserRole
from service.access.roster import GivenAccount, GivenFactor, GivenKey, Roster, SignedRoster
from service.access.second_factor.sealing import SealError
from service.config.private_addresses import is_private_address
from service.floor.collect.client import TableAwayError
from service.ops.background import in_background
from service.record.store.chain import timestamp
from service.record.store.entries import RecordUnavailableError
from service.words.wording import Quote, words

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from service.access.access import Access
    from service.access.account_rows import Account, MachineKey
    from service.floor.collect.client import TableClient
    from service.floor.collect.collector import Collector
    from service.floor.settings import FloorConfig, FloorTableConfig
    from service.floor.store.writer import FloorWriter
    from service.record.store.record import Record
    from service.words.wording import Sayable

_log = logging.getLogger(__name__)

_LOOK_S: Final = 1.0
_ASK_AGAIN_S: Final = 600.0
"""A table that was not away is asked again what it holds, for its settings may be others."""
_PAUSE_S: Final = 30.0
_RENEWED: Final = timedelta(hours=12)
"""A roster is given anew after so long, though nothing changed: a table honours one for some days only."""
_AT_ONCE: Final = 8
_IN_CLEAR: Final = words(
    "The connection is not encrypted, so nothing was sent. Give the table a certificate "
    "(server.tls_certificate) and use https in its url here."
)


@dataclass(frozen=True, slots=True)
class Members:
    """The accounts and keys of the floor that may come in at the tables of one pit."""

    accounts: tuple[GivenAccount, ...]
    keys: tuple[GivenKey, ...]

    def roster(self, floor: str, table: str, number: int, at: str) -> Roster:
        """Them as a roster for a table's record."""
        return Roster(floor=floor, table=table, number=number, at=at, accounts=self.accounts, keys=self.keys)


@dataclass(slots=True)
class RosterNow:
    """What a table has of the floor's accounts.

    Attributes:
        honoured: whether its settings name this floor; None while that is not known.
        at: when the roster was made that it has; None if it has none.
        not_taken: names that it has accounts of its own of.
        why: why it does not have the newest one, if that is not because it is away.
    """

    honoured: bool | None = None
    at: datetime | None = None
    not_taken: tuple[str, ...] = ()
    why: Sayable | None = None
    number: int = 0
    content: str | None = None
    asked_at: float = field(default=float("-inf"))
    not_before: float = field(default=float("-inf"))

    def note(self, answer: dict[str, Any]) -> None:
        """What the table says that it holds; ValueError if that is nothing of the kind."""
        try:
            at = answer["at"]
            self.number, self.content = int(answer["number"]), answer["content"]
            self.at = None if at is None else datetime.fromisoformat(str(at))
            self.not_taken = tuple(map(str, answer["not_taken"]))
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"it answers no roster ({type(error).__name__})") from None
        self.honoured, self.why, self.asked_at = True, None, time.monotonic()

    def forget(self) -> None:
        """The table was away: what it holds is asked anew."""
        self.asked_at = self.not_before = float("-inf")


class Rosters:
    """Gives rosters to all tables.

    Attributes:
        tables: what each table has, by name.
    """

    def __init__(
        self, config: FloorConfig, access: Access, record: Record, collector: Collector, writer: FloorWriter
    ) -> None:
        self.tables: Mapping[str, RosterNow] = {table.name: RosterNow() for table in config.tables}
        self._config, self._access, self._record = config, access, record
        self._collector, self._writer = collector, writer
        self._from: tuple[object, ...] = ()
        self._members: dict[str | None, tuple[Members, str]] = {}

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Give rosters while the block runs."""
        async with in_background(self._run()):
            yield

    async def _run(self) -> None:
        room = asyncio.Semaphore(_AT_ONCE)
        while True:
            try:
                await self._access.refresh()
                await asyncio.to_thread(self._gather)
                await asyncio.gather(*(self._look(table, room) for table in self._config.tables))
            except RecordUnavailableError as error:
                _log.debug("nobody is told who may sign in now: %s", error)
            except Exception:  # noqa: BLE001  it is logged, and giving rosters would end for good
                _log.exception("giving out rosters met a fault of its own; it is tried again")
                await asyncio.sleep(_PAUSE_S)
            await asyncio.sleep(_LOOK_S)

    def _gather(self) -> None:
        """Make of the accounts as they are now who may come in at which pit, if they are others than before."""
        accounts = self._access.accounts
        people, keys = accounts.all_accounts(), accounts.all_keys()
        factors = tuple(accounts.factors_of(one.name) for one in people)
        active = tuple(one for one in keys if one.state == "active")
        if (now := (people, active, factors)) == self._from:
            return
        given = [(one, made) for one in people if (made := self._account(one)) is not None]
        self._members = {}
        for pit in {table.pit for table in self._config.tables}:
            members = Members(
                tuple(made for one, made in given if _covers(one, pit)),
                tuple(_key(one) for one in active if one.role is not UserRole.FLOOR and _covers(one, pit)),
            )
            self._members[pit] = members, members.roster("0" * 32, "0" * 32, 1, timestamp()).content
        self._from = now

    def _account(self, one: Account) -> GivenAccount | None:
        """An account as it is given out; None for one that nobody can sign in with at a table."""
        if one.disabled or one.initial or one.origin is not None:
            return None
        factors = []
        for each in self._access.factors.of(one.name):
            try:
                secret = self._access.factors.secret_of(each)
            except SealError as error:
                # Without its second factor it would be let in with the password alone.
                _log.error("%s is not given to any table: %s", one.name, error)
                return None
            named = {name: getattr(each, name) for name in ("id", "kind", "name", "credential", "site", "added_at")}
            factors.append(GivenFactor(**named, secret=secret))
        return GivenAccount(
            name=one.name,
            role=one.role,
            password=one.password,
            sessions_since=one.sessions_since,
            factors=tuple(sorted(factors, key=lambda each: each.id)),
        )

    async def _look(self, table: FloorTableConfig, room: asyncio.Semaphore) -> None:
        """Give a table what it lacks, if it can be asked."""
        now, state = self.tables[table.name], self._collector.states.tables[table.name]
        client = self._collector.clients.get(table.name)
        if state.away is not None or not state.collected_at or client is None:
            now.forget()
            return
        members, content = self._members[table.pit]
        fresh = now.at is not None and datetime.now(UTC) - now.at < _RENEWED
        asked = time.monotonic() - now.asked_at < _ASK_AGAIN_S
        if time.monotonic() < now.not_before or (
            asked and (now.honoured is False or (now.content == content and fresh))
        ):
            return
        async with room:
            try:
                await self._tell(table, client, now, members, content)
            except TableAwayError as error:
                _pause(now)
                _log.debug("%s is told later who may sign in: %s", table.name, error)
            except ValueError as error:
                self._refused(table, now, Quote(str(error)))

    async def _tell(
        self, table: FloorTableConfig, client: TableClient, now: RosterNow, members: Members, content: str
    ) -> None:
        answer = await client.roster()
        if answer is None:
            now.honoured, now.asked_at, now.why = False, time.monotonic(), None
            return
        now.note(answer)
        record = self._writer.known[table.name].record
        if answer.get("record") != record:
            raise ValueError("its accounts are in another record than the one that is trusted of it")
        if now.content == content and now.at is not None and datetime.now(UTC) - now.at < _RENEWED:
            return
        if not is_private_address(table.address):
            self._refused(table, now, _IN_CLEAR)
            return
        number = max(int(time.time() * 1000), now.number + 1)
        roster = members.roster(self._record.id, record, number, timestamp())
        given = await asyncio.to_thread(SignedRoster.of, roster, self._record.sign)
        status, said = await client.give_roster(given.text, given.signature)
        if status != 200:
            self._refused(table, now, Quote(str(said.get("detail", status))))
            return
        now.note(said)
        _log.info(
            "%s has roster %s: %s accounts, %s keys", table.name, number, len(members.accounts), len(members.keys)
        )

    def _refused(self, table: FloorTableConfig, now: RosterNow, why: Sayable) -> None:
        if now.why is None or str(now.why) != str(why):
            _log.error("%s does not know the newest of who may sign in: %s", table.name, why)
        now.why = why
        _pause(now)


def _pause(now: RosterNow) -> None:
    now.not_before = time.monotonic() + _PAUSE_S * random.uniform(0.5, 1.0)  # noqa: S311  no secret


def _covers(one: Account | MachineKey, pit: str | None) -> bool:
    """Whether an account or key is of a pit; one that is bounded to none is of all."""
    return not one.pits or pit in one.pits


def _key(one: MachineKey) -> GivenKey:
    named = ("id", "name", "role", "digest", "created_at", "created_by", "expires_at")
    return GivenKey(**{name: getattr(one, name) for name in named})
