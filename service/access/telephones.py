"""Telephones that are notified of alarms: the push subscriptions of people's browsers, stored beside their accounts.

A telephone is forgotten when its account is disabled or signed out everywhere, as its sessions end then.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Final

from sqlalchemy import delete, insert, select

from service.access.account_store import telephone_table
from service.access.credentials import digest
from service.access.roles import MAY, Permission
from service.record.store.database import faults_as_unavailable, writing
from service.record.store.entries import timestamp

if TYPE_CHECKING:
    from service.access.account_store import Account
    from service.access.accounts import Accounts
    from service.record.store.record import Record

MOST_OF_AN_ACCOUNT: Final = 5
"""Telephones of one account; a further one replaces the oldest."""
_COLUMNS: Final = telephone_table.c


@dataclass(frozen=True, slots=True)
class Telephone:
    """A browser's push subscription.

    Attributes:
        id: derived from its endpoint.
        endpoint: where its push service takes messages: whoever knows it can send some.
        p256dh: its public key, P-256, base64url.
        auth: the secret it shares with this service, base64url.
        site: host name of the page at which it was added.
        language: in which it is notified.
        browser: its user agent.
    """

    id: str
    account: str
    endpoint: str = field(repr=False)
    p256dh: str = field(repr=False)
    auth: str = field(repr=False)
    site: str
    language: str
    browser: str
    added_at: str


class Telephones:
    """The telephones of all accounts; every method may raise RecordUnavailableError."""

    def __init__(self, record: Record, accounts: Accounts) -> None:
        self._record = record
        self._accounts = accounts

    def new(
        self, account: str, *, endpoint: str, p256dh: str, auth: str, site: str, language: str, browser: str
    ) -> Telephone:
        """Return a telephone that is not stored yet."""
        name = digest(endpoint)[:32]
        return Telephone(name, account, endpoint, p256dh, auth, site, language, browser[:200], timestamp())

    def add(self, telephone: Telephone) -> None:
        """Store a telephone instead of one with its endpoint; forget the account's oldest ones beyond the limit."""
        own = select(_COLUMNS.id).where(_COLUMNS.account == telephone.account).order_by(_COLUMNS.added_at.desc())
        with faults_as_unavailable(), writing(self._record.database) as connection:
            connection.execute(delete(telephone_table).where(_COLUMNS.id == telephone.id))
            connection.execute(insert(telephone_table).values(**asdict(telephone)))
            beyond = connection.execute(own).scalars().all()[MOST_OF_AN_ACCOUNT:]
            connection.execute(delete(telephone_table).where(_COLUMNS.id.in_(beyond)))

    def of(self, account: str) -> tuple[Telephone, ...]:
        """Return the telephones of an account, oldest first."""
        return tuple(each for each, _ in self.notified() if each.account == account)

    def notified(self) -> tuple[tuple[Telephone, Account], ...]:
        """Return the telephones whose accounts may acknowledge alarms, with the accounts; forget those signed out."""
        with faults_as_unavailable(), self._record.database.connect() as connection:
            rows = connection.execute(select(telephone_table).order_by(_COLUMNS.added_at)).all()
        found, gone = [], []
        for row in rows:
            telephone, account = Telephone(**row._mapping), self._accounts.account(row.account)  # noqa: SLF001
            if account is None or account.disabled or row.added_at < account.sessions_since:
                gone.append(telephone.id)
            elif Permission.ACKNOWLEDGE in MAY[account.role]:
                found.append((telephone, account))
        if gone:
            self._remove(*gone)
        return tuple(found)

    def remove(self, name: str, account: str | None = None) -> None:
        """Forget a telephone, if it is this account's; without an account, whosever it is."""
        if account is None or any(each.id == name for each in self.of(account)):
            self._remove(name)

    def _remove(self, *names: str) -> None:
        with faults_as_unavailable(), writing(self._record.database) as connection:
            connection.execute(delete(telephone_table).where(_COLUMNS.id.in_(names)))
