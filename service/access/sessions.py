"""Sessions of the page, stored by the server.

A session ends some hours after its start, and earlier if its page is not used; automatic updates of a page do not count
as use.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from sqlalchemy import delete, insert, select, update

from service.access.account_store import session_table
from service.access.credentials import digest, new_secret
from service.access.roles import UserRole
from service.record.store.database import FAULTS, faults_as_unavailable, unavailable, writing
from service.record.store.entries import timestamp

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection

    from service.access.account_store import Account
    from service.access.accounts import Accounts
    from service.record.store.record import Record

_log = logging.getLogger(__name__)

_KEPT_AGAIN: Final = timedelta(minutes=5)
"""Shortest time between two writes of a session's last use."""
_LONGEST_BROWSER: Final = 200
_ID: Final = 16


@dataclass(frozen=True, slots=True)
class Visit:
    """The browser of a sign-in.

    Attributes:
        address: the browser's address.
        browser: its user agent.
        replaces: the secret of its earlier session, which ends; empty without one.
        alone: end all other sessions of the account as well.
    """

    address: str = ""
    browser: str = ""
    replaces: str = ""
    alone: bool = False


NOWHERE: Final = Visit()
"""The visit of a session without a browser."""


@dataclass(frozen=True, slots=True)
class BrowserSession:
    """A session of a browser; moments in the format of entries.

    Attributes:
        used_at: when a person last used its page.
        browser: the browser's user agent.
    """

    account: str
    begun_at: str
    ends_at: str
    used_at: str
    browser: str = ""
    address: str = ""


class Sessions:
    """The sessions of a service; they survive a restart if the database can be written."""

    def __init__(self, record: Record, accounts: Accounts, hours: float, idle_hours: float = float("inf")) -> None:
        self._record = record
        self._accounts = accounts
        self._hours = hours
        self._idle = timedelta(hours=min(idle_hours, hours))
        self._lock = threading.Lock()
        self._known: dict[str, BrowserSession] = {}
        try:
            self._known = self._stored()
        except FAULTS as error:
            _log.warning("page sessions cannot be read, everybody must sign in again: %s", unavailable(error))

    def _stored(self) -> dict[str, BrowserSession]:
        with self._record.database.connect() as connection:
            rows = connection.execute(select(session_table).where(session_table.c.ends_at > timestamp())).all()
        return {
            row.digest: BrowserSession(
                row.account,
                row.begun_at,
                row.ends_at,
                row.used_at or row.begun_at,
                row.browser or "",
                row.address or "",
            )
            for row in rows
        }

    @property
    def lasts_s(self) -> int:
        """Longest duration of a session, seconds."""
        return round(self._hours * 3600)

    def start(self, account: str, visit: Visit = NOWHERE) -> str:
        """Start a session, and return its secret for the browser; if it cannot be written, it ends with the service."""
        secret = new_secret()
        now = datetime.now(UTC)
        at, ends = timestamp(now), timestamp(now + timedelta(seconds=self.lasts_s))
        session = BrowserSession(account, at, ends, at, visit.browser[:_LONGEST_BROWSER], visit.address[:60])
        with self._lock:
            over = {name for name, one in self._known.items() if one.ends_at <= at or name == digest(visit.replaces)}
            if visit.alone:
                over |= {name for name, one in self._known.items() if one.account == account}
            for name in over:
                del self._known[name]
            self._known[digest(secret)] = session

        def change(connection: Connection) -> None:
            columns = session_table.c
            connection.execute(delete(session_table).where((columns.ends_at <= at) | columns.digest.in_(over)))
            connection.execute(insert(session_table).values(digest=digest(secret), **asdict(session)))

        self._write(change, "this page session ends with the service")
        return secret

    def account_of(self, secret: str) -> Account | None:
        """Return the account of a session; None if it has ended. RecordUnavailableError if accounts were never read."""
        session = self._known.get(digest(secret))
        return None if session is None else self._holder(session)

    def used(self, secret: str) -> None:
        """Note that a person has just used the page of a session."""
        name, now = digest(secret), datetime.now(UTC)
        session = self._known.get(name)
        if session is None or session.used_at > timestamp(now - _KEPT_AGAIN):
            return
        with self._lock:
            if name not in self._known:
                return
            self._known[name] = replace(session, used_at=timestamp(now))
        change = update(session_table).where(session_table.c.digest == name).values(used_at=timestamp(now))
        self._write(lambda connection: connection.execute(change), "the last use of a page session is lost")

    def of(self, account: str) -> dict[str, BrowserSession]:
        """Return the open sessions of an account by public ids, most recently used first."""
        with self._lock:
            mine = [(name[:_ID], one) for name, one in self._known.items() if one.account == account]
        held = [(name, one) for name, one in mine if self._holder(one) is not None]
        return dict(sorted(held, key=lambda each: each[1].used_at, reverse=True))

    def is_at(self, secret: str, session_id: str) -> bool:
        """Return whether the secret belongs to the session with this public id."""
        return digest(secret)[:_ID] == session_id

    def end(self, secret: str) -> None:
        """End a session; RecordUnavailableError if it would exist again after a restart."""
        self._end(digest(secret))

    def end_of(self, account: str, session_id: str) -> None:
        """End the session with this public id, if it is the account's; raises as :meth:`end`."""
        with self._lock:
            found = [name for name, one in self._known.items() if name[:_ID] == session_id and one.account == account]
        for name in found:
            self._end(name)

    def _end(self, name: str) -> None:
        with self._lock:
            self._known.pop(name, None)
        with faults_as_unavailable(), writing(self._record.database) as connection:
            connection.execute(delete(session_table).where(session_table.c.digest == name))

    def _holder(self, session: BrowserSession) -> Account | None:
        """Return the account of a session, unless it has ended."""
        now = datetime.now(UTC)
        if session.ends_at <= timestamp(now):
            return None
        account = self._accounts.account(session.account)
        if account is None or account.disabled or session.begun_at < account.sessions_since:
            return None
        # A viewer's page may be a display on a wall; it allows nothing that others could misuse.
        idle = account.role is not UserRole.VIEWER and session.used_at < timestamp(now - self._idle)
        return None if idle else account

    def _write(self, change: Callable[[Connection], object], consequence: str) -> None:
        """Write a change; a failure is logged with its consequence, not raised."""
        try:
            with writing(self._record.database) as connection:
                change(connection)
        except FAULTS as error:
            _log.warning("%s: it cannot be written: %s", consequence, unavailable(error))
