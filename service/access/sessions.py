"""Sessions of the page: who is signed in in which browser, kept by the server and ended by it."""

from __future__ import annotations

import logging
import threading
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy import delete, insert, select

from service.access import account_tables as tables
from service.access.secrets import digest, new_secret
from service.record.store.chain import timestamp
from service.record.store.database import writing
from service.record.store.faults import FAULTS, faults_as_unavailable, unavailable

if TYPE_CHECKING:
    from service.access.accounts import Account, Accounts
    from service.record.store.record import Record

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class BrowserSession:
    """One browser that somebody signed in with."""

    account: str
    begun_at: str
    ends_at: str


class Sessions:
    """The sessions of a table service; they outlive it if the database can be written."""

    def __init__(self, record: Record, accounts: Accounts, hours: float) -> None:
        self._record = record
        self._accounts = accounts
        self._hours = hours
        self._lock = threading.Lock()
        self._known: dict[str, BrowserSession] = {}
        try:
            with record.database.connect() as connection:
                for row in connection.execute(select(tables.sessions).where(tables.sessions.c.ends_at > timestamp())):
                    self._known[row.digest] = BrowserSession(row.account, row.begun_at, row.ends_at)
        except FAULTS as error:
            _log.warning("page sessions cannot be read, everybody must sign in anew: %s", unavailable(error))

    @property
    def lasts_s(self) -> int:
        """How long a session lasts, seconds."""
        return round(self._hours * 3600)

    def begin(self, account: str) -> str:
        """Begin a session; returns its browser's secret; one that cannot be written ends with the service."""
        secret = new_secret()
        begun = datetime.now(UTC)
        session = BrowserSession(account, timestamp(begun), timestamp(begun + timedelta(seconds=self.lasts_s)))
        with self._lock:
            for name in [name for name, one in self._known.items() if one.ends_at <= timestamp()]:
                del self._known[name]
            self._known[digest(secret)] = session
        columns = tables.sessions.c
        try:
            with writing(self._record.database) as connection:
                connection.execute(delete(tables.sessions).where(columns.ends_at <= timestamp()))
                values = asdict(session)
                connection.execute(insert(tables.sessions).values(digest=digest(secret), **values))
        except FAULTS as error:
            _log.warning("this page session ends with the service, it cannot be kept: %s", unavailable(error))
        return secret

    def account_of(self, secret: str) -> Account | None:
        """Whose session this is; None if it has ended; RecordUnavailableError if accounts never could be read."""
        session = self._known.get(digest(secret))
        if session is None or session.ends_at <= timestamp():
            return None
        account = self._accounts.account(session.account)
        if account is None or account.disabled or session.begun_at < account.sessions_since:
            return None
        return account

    def end(self, secret: str) -> None:
        """End a session; RecordUnavailableError if it would be back once the service is started anew."""
        name = digest(secret)
        with self._lock:
            self._known.pop(name, None)
        with faults_as_unavailable(), writing(self._record.database) as connection:
            connection.execute(delete(tables.sessions).where(tables.sessions.c.digest == name))
