"""Sessions of the page: who is signed in in which browser, kept by the server and ended by it.

One ends some hours after it began, and earlier if nobody uses its page; a page that only asks for news is not used.
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
from service.record.store.chain import timestamp
from service.record.store.database import writing
from service.record.store.storage_faults import FAULTS, faults_as_unavailable, unavailable

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection

    from service.access.account_store import Account
    from service.access.accounts import Accounts
    from service.record.store.record import Record

_log = logging.getLogger(__name__)

_KEPT_AGAIN: Final = timedelta(minutes=5)
"""How much later a session must have been used for that to be written down."""
_LONGEST_BROWSER: Final = 200
_ID: Final = 16


@dataclass(frozen=True, slots=True)
class Visit:
    """Where somebody signs in.

    Attributes:
        address: the browser's address.
        browser: what it calls itself.
        replaces: the secret of the session that it had, which ends; empty if it had none.
        alone: all other sessions of the account end as well.
    """

    address: str = ""
    browser: str = ""
    replaces: str = ""
    alone: bool = False


NOWHERE: Final = Visit()
"""Of a session that no browser asked for."""


@dataclass(frozen=True, slots=True)
class BrowserSession:
    """One browser that somebody signed in with; moments as entries have them.

    Attributes:
        used_at: when a person last used its page.
        browser: what the browser calls itself.
    """

    account: str
    begun_at: str
    ends_at: str
    used_at: str
    browser: str = ""
    address: str = ""


class Sessions:
    """The sessions of a table service; they outlive it if the database can be written."""

    def __init__(self, record: Record, accounts: Accounts, hours: float, idle_hours: float = float("inf")) -> None:
        self._record = record
        self._accounts = accounts
        self._hours = hours
        self._idle = timedelta(hours=min(idle_hours, hours))
        self._lock = threading.Lock()
        self._known: dict[str, BrowserSession] = {}
        try:
            self._known = self._kept()
        except FAULTS as error:
            _log.warning("page sessions cannot be read, everybody must sign in anew: %s", unavailable(error))

    def _kept(self) -> dict[str, BrowserSession]:
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
        """How long a session lasts, seconds."""
        return round(self._hours * 3600)

    def begin(self, account: str, visit: Visit = NOWHERE) -> str:
        """Begin a session; returns its browser's secret; one that cannot be written ends with the service."""
        secret = new_secret()
        begun = datetime.now(UTC)
        at, ends = timestamp(begun), timestamp(begun + timedelta(seconds=self.lasts_s))
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

        self._keep(change, "this page session ends with the service")
        return secret

    def account_of(self, secret: str) -> Account | None:
        """Whose session this is; None if it has ended; RecordUnavailableError if accounts never could be read."""
        session = self._known.get(digest(secret))
        return None if session is None else self._holder(session)

    def used(self, secret: str) -> None:
        """A person used the page of a session just now."""
        name, now = digest(secret), datetime.now(UTC)
        session = self._known.get(name)
        if session is None or session.used_at > timestamp(now - _KEPT_AGAIN):
            return
        with self._lock:
            if name not in self._known:
                return
            self._known[name] = replace(session, used_at=timestamp(now))
        change = update(session_table).where(session_table.c.digest == name).values(used_at=timestamp(now))
        self._keep(lambda connection: connection.execute(change), "when this page was used is forgotten")

    def of(self, account: str) -> dict[str, BrowserSession]:
        """The sessions of an account that have not ended, by ids that may be shown; the one used last comes first."""
        with self._lock:
            mine = [(name[:_ID], one) for name, one in self._known.items() if one.account == account]
        held = [(name, one) for name, one in mine if self._holder(one) is not None]
        return dict(sorted(held, key=lambda each: each[1].used_at, reverse=True))

    def is_at(self, secret: str, session_id: str) -> bool:
        """Whether this secret is of the session of an id."""
        return digest(secret)[:_ID] == session_id

    def end(self, secret: str) -> None:
        """End a session; RecordUnavailableError if it would be back once the service is started anew."""
        self._end(digest(secret))

    def end_of(self, account: str, session_id: str) -> None:
        """End the session of an id, if it is this account's; raises as :meth:`end`."""
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
        """Whose session it is, unless it has ended."""
        now = datetime.now(UTC)
        if session.ends_at <= timestamp(now):
            return None
        account = self._accounts.account(session.account)
        if account is None or account.disabled or session.begun_at < account.sessions_since:
            return None
        # A viewer's page hangs on a wall and shows the table; it may do nothing that another could misuse.
        idle = account.role is not UserRole.VIEWER and session.used_at < timestamp(now - self._idle)
        return None if idle else account

    def _keep(self, change: Callable[[Connection], object], otherwise: str) -> None:
        """Write a change; a fault is logged with its consequence and not raised."""
        try:
            with writing(self._record.database) as connection:
                change(connection)
        except FAULTS as error:
            _log.warning("%s, it cannot be kept: %s", otherwise, unavailable(error))
