"""A table takes a roster of its floor: into the rows of accounts and keys, with one entry in its record that tells it.

An account of its own stays before one of the floor of the same name. What the floor gave is changed by the next roster
alone.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import delete, insert, update

from service.access import account_tables as tables
from service.access.account_rows import FLOOR, load, remove_account
from service.access.roster import RosterError, held_of
from service.access.second_factor.factors import bound_to
from service.access.second_factor.sealing import SealError
from service.record.store.beside import KEYS, OF_ACCOUNTS
from service.record.store.chain import timestamp
from service.record.store.database import reading
from service.record.store.entries import Draft
from service.record.store.storage_faults import faults_as_unavailable
from service.words.wording import words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import Connection

    from service.access.account_rows import Account, Factor, Known, MachineKey
    from service.access.accounts import Accounts
    from service.access.roster import FloorTrust, GivenAccount, GivenKey, HeldRoster, Roster, SignedRoster
    from service.access.second_factor.sealing import Sealer
    from service.record.store.beside import Digests

_log = logging.getLogger(__name__)

_REASON: Final = "the floor says who may sign in"
_KEY_COLUMNS: Final = (
    *("id", "name", "role", "digest", "created_at", "created_by", "expires_at", "revoked_at", "origin"),
)


@dataclass(slots=True)
class TakesRosters:
    """Takes rosters of one floor.

    Attributes:
        accounts: those of the table.
        sealer: seals secrets that this table must read again.
        trust: whose rosters are taken.
    """

    accounts: Accounts
    sealer: Sealer
    trust: FloorTrust
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, given: SignedRoster) -> HeldRoster:
        """Take a roster; the same once more is taken once. RosterError, RecordUnavailableError, never half done."""
        roster = given.read(self.trust.key)
        record = self.accounts.record
        if roster.table != record.id:
            raise RosterError("roster_of_another_table", words("this roster is for another table"))
        with self._lock:
            held = self.accounts.held_roster()
            if held is not None and held.sha256 == given.sha256:
                return held
            self._refuse_older(roster, held)
            self.accounts.take_in_factors()
            with faults_as_unavailable(), reading(record.database) as connection:
                change = _Change(load(connection), roster, self.sealer)
            body = {
                "act": "roster taken",
                "by": f"floor {roster.floor}",
                "reason": _REASON,
                **{name: getattr(roster, name) for name in ("floor", "number", "at", "content")},
                "sha256": given.sha256,
                "key": self.trust.key,
                "not_taken": list(change.not_taken),
                **change.told(),
            }
            record.append(Draft("roster", body, subject=str(roster.number)), beside=change.make)
            _log.info("roster %s of the floor is taken: %s", roster.number, change.told() or "nobody changed")
            self.accounts.read_again()
            return held_of(body)

    def _refuse_older(self, roster: Roster, held: HeldRoster | None) -> None:
        same_floor = held is not None and held.key == self.trust.key
        if same_floor and held is not None and roster.number <= held.number:
            older = words("the table already has a newer roster, number %(number)s", number=held.number)
            raise RosterError("roster_older", older)
        age = datetime.now(UTC) - datetime.fromisoformat(roster.at)
        if age.days >= self.trust.days:
            raise RosterError(
                "roster_older", words("this roster is older than %(days)s days", days=f"{self.trust.days:g}")
            )


class _Change:
    """What a roster changes of the rows that there are."""

    def __init__(self, known: Known, roster: Roster, sealer: Sealer) -> None:
        self._known, self._sealer = known, sealer
        own = {name for name, one in known.accounts.items() if one.origin != FLOOR}
        given = {one.name: one for one in roster.accounts if one.name not in own}
        self.not_taken = tuple(sorted(one.name for one in roster.accounts if one.name in own))
        self.added = [one for name, one in given.items() if name not in known.accounts]
        self.changed = [one for name, one in given.items() if name in known.accounts and self._differs(one)]
        self.removed = sorted(known.accounts.keys() - own - given.keys())
        own_keys = {key_id for key_id, one in known.keys.items() if one.origin != FLOOR}
        keys = {one.id: one for one in roster.keys if one.id not in own_keys}
        self.keys = [one for key_id, one in keys.items() if _key_row(one) != _row_of(known.keys.get(key_id))]
        self.keys_removed = sorted(known.keys.keys() - own_keys - keys.keys())

    def told(self) -> dict[str, list[dict[str, str]]]:
        """Who was added, changed and removed, as the entry has it."""
        new = [one for one in self.keys if one.id not in self._known.keys]
        found = {
            "added": [_named(one) for one in self.added],
            "changed": [_named(one) for one in self.changed],
            "removed": [_named(self._known.accounts[name]) for name in self.removed],
            "keys_added": [_named(one) for one in new],
            "keys_changed": [_named(one) for one in self.keys if one not in new],
            "keys_removed": [_named(self._known.keys[key_id]) for key_id in self.keys_removed],
        }
        return {what: who for what, who in found.items() if who}

    def make(self, connection: Connection) -> Digests:
        """Make the change; returns how the rows stand that it touched."""
        now = timestamp()
        for name in self.removed:
            remove_account(connection, name)
        for one in self.added:
            row = {**_account_row(one), "created_at": now, "sessions_since": now}
            connection.execute(insert(tables.accounts).values(row))
            self._put_factors(connection, one)
        for one in self.changed:
            before, row = self._known.accounts[one.name], _account_row(one)
            if (before.password, before.floor_since) != (one.password, one.sessions_since):
                row["sessions_since"] = now  # by the clock of this table, whatever that of the floor says
            connection.execute(update(tables.accounts).where(tables.accounts.c.name == one.name).values(row))
            self._put_factors(connection, one)
        connection.execute(delete(tables.keys).where(tables.keys.c.id.in_([*self.keys_removed, *_ids(self.keys)])))
        for key in self.keys:
            connection.execute(insert(tables.keys).values(_key_row(key)))
        names = [*self.removed, *(one.name for one in (*self.added, *self.changed))]
        found: Digests = {KEYS.table: KEYS.digests(connection, *self.keys_removed, *_ids(self.keys))[KEYS.table]}
        for covered in OF_ACCOUNTS:
            found |= covered.digests(connection, *names)
        return found

    def _factors_of(self, name: str) -> dict[str, Factor]:
        return {each.id: each for each in self._known.factors if each.account == name}

    def _differs(self, given: GivenAccount) -> bool:
        before = self._known.accounts[given.name]
        row = _account_row(given)
        same = all(getattr(before, name) == value for name, value in row.items())
        held = self._factors_of(given.name)
        return (
            not same or held.keys() != {each.id for each in given.factors} or not all(map(self._opens, held.values()))
        )

    def _opens(self, factor: Factor) -> bool:
        """Whether this table can still read what it sealed."""
        if factor.kind != "totp":
            return True
        try:
            self._sealer.open(factor.secret, bound_to(factor.account, factor.id))
        except SealError:
            return False
        return True

    def _put_factors(self, connection: Connection, given: GivenAccount) -> None:
        """Have exactly the second factors that are given; how often one was used here stays known."""
        held = self._factors_of(given.name)
        kept = {each.id for each in given.factors if each.id in held and self._opens(held[each.id])}
        columns = tables.factors.c
        others = delete(tables.factors).where(columns.account == given.name, columns.id.not_in(kept))
        connection.execute(others)
        for each in given.factors:
            if each.id not in kept:
                secret = each.secret
                if each.kind == "totp":
                    secret = self._sealer.seal(secret, bound_to(given.name, each.id))
                row = {**each.model_dump(), "account": given.name, "secret": secret, "counter": 0, "used_at": None}
                connection.execute(insert(tables.factors).values(row))


def _account_row(given: GivenAccount) -> dict[str, Any]:
    return {
        "name": given.name,
        "role": given.role.value,
        "password": given.password,
        "initial": False,
        "disabled": False,
        "password_until": None,
        "origin": FLOOR,
        "floor_since": given.sessions_since,
    }


def _key_row(given: GivenKey) -> dict[str, Any]:
    return {**given.model_dump(mode="json"), "revoked_at": None, "origin": FLOOR}


def _row_of(key: MachineKey | None) -> dict[str, Any] | None:
    """The same columns of a key that is there."""
    if key is None:
        return None
    return {name: getattr(key, name) for name in _KEY_COLUMNS} | {"role": key.role.value}


def _ids(keys: Iterable[GivenKey]) -> list[str]:
    return [one.id for one in keys]


def _named(one: Account | MachineKey | GivenAccount | GivenKey) -> dict[str, str]:
    return {"name": one.name, "role": one.role.value}
