"""Signing in with an identity provider: from the button to the session, and the account that stands for the person.

An account is linked to whom the provider names by its ``sub`` alone; one of the same name that is another's stays so.
"""

from __future__ import annotations

import hmac
import logging
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import insert, update
from starlette.concurrency import run_in_threadpool

from service.access import account_tables as tables
from service.access.account_rows import OIDC, load, pits_column, remove_account
from service.access.roles import UserRole
from service.access.second_factor.pending import Pending
from service.access.second_factor.signing_in import SignedIn
from service.access.secrets import new_secret
from service.access.single_sign_on.provider import Provider, SignOnError
from service.record.changes import Attribution
from service.record.store.chain import timestamp
from service.words.wording import words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection

    from service.access.account_rows import Account
    from service.access.accounts import Accounts
    from service.access.sessions import Sessions, Visit
    from service.config.single_sign_on_settings import OidcConfig

_log = logging.getLogger(__name__)

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
_BY: Final = "identity provider"
_DENIED: Final = frozenset({"access_denied", "login_required", "interaction_required", "consent_required"})


@dataclass(frozen=True, slots=True)
class _Begun:
    """A sign-in that was begun, and what the way back must bring."""

    state: str
    nonce: str
    verifier: str
    redirect_uri: str
    visit: Visit
    path: str


@dataclass(frozen=True, slots=True)
class _Standing:
    """What somebody may do by the groups that they are in."""

    role: UserRole
    pits: tuple[str, ...]


class SingleSignOn:
    """Has people sign in with one provider.

    Args:
        settings: of the provider.
        accounts: of the floor.
        sessions: of its pages.
        must_have_two: roles that need a second factor.

    Raises:
        ConfigError: its secret cannot be read.
    """

    def __init__(
        self, settings: OidcConfig, accounts: Accounts, sessions: Sessions, must_have_two: frozenset[str]
    ) -> None:
        self.settings = settings
        self.provider = Provider(settings, settings.secret())
        self._accounts, self._sessions = accounts, sessions
        self._must_have_two = must_have_two
        self._begun: Pending[_Begun] = Pending()

    async def begin(self, redirect_uri: str, visit: Visit, path: str) -> tuple[str, str]:
        """Begin to sign in; returns a secret for the browser, and the provider's page to go to. SignOnError."""
        begun = _Begun(new_secret(), new_secret(), new_secret(), redirect_uri, visit, path)
        page = await self.provider.page(redirect_uri, begun.state, begun.nonce, begun.verifier)
        return self._begun.begin(begun), page

    async def finish(self, secret: str, brought: Mapping[str, str]) -> SignedIn:
        """Begin a session for whoever comes back from the provider; SignOnError, RecordUnavailableError.

        Args:
            secret: that the browser was given.
            brought: the query with which it comes.
        """
        begun = self._begun.take(secret)
        if begun is None:
            raise SignOnError(words("signing in took too long, or was started in another browser: start again"))
        if not hmac.compare_digest(brought.get("state", "").encode(), begun.state.encode()):
            raise SignOnError(words("this answer belongs to another sign-in: start again"))
        if brought.get("iss", self.settings.issuer) != self.settings.issuer:
            raise SignOnError(words("this answer came from another identity provider: start again"))
        if (error := brought.get("error")) is not None:
            _log.warning("the identity provider refuses: %r", (error[:100], brought.get("error_description", "")[:300]))
            if error in _DENIED:
                raise SignOnError(words("the identity provider refused the sign-in, or you cancelled it: try again"))
            raise SignOnError(
                words("the identity provider reports an error (%(error)s): ask an administrator", error=error[:100])
            )
        claims = await self.provider.claims(
            brought.get("code", "")[:4_000], begun.redirect_uri, begun.verifier, begun.nonce
        )
        name = await run_in_threadpool(self._let_in, claims)
        _log.info("%s signed in from %s with the identity provider", name, begun.visit.address)
        return SignedIn(await run_in_threadpool(self._sessions.begin, name, begun.visit), begun.path)

    def _let_in(self, claims: Mapping[str, Any]) -> str:
        """The name of the account that stands for somebody, made or changed as their groups say."""
        subject = f"{self.settings.issuer} {claims['sub']}"
        self._accounts.read_again()
        known = next((one for one in self._accounts.all_accounts() if one.subject == subject), None)
        standing = self._standing(_several(claims.get(self.settings.groups_claim)))
        if standing is None:
            if known is not None:
                self._remove(known)
            raise SignOnError(words("none of your groups has access here: ask whoever manages your groups"))
        if known is not None and known.disabled:
            raise SignOnError(words("an administrator of this floor has disabled your account"))
        shown = {*_several(claims.get("acr")), *_several(claims.get("amr"))}
        if standing.role.value in self._must_have_two and shown.isdisjoint(self.settings.second_factor):
            raise SignOnError(words("your role needs a second factor: sign in at the identity provider with one"))
        if known is None:
            return self._add(subject, str(claims.get(self.settings.name_claim, "")), standing)
        if (known.role, known.pits) != (standing.role, standing.pits):
            self._change(known, standing)
        return known.name

    def _standing(self, groups: Sequence[str]) -> _Standing | None:
        mine = [each for each in self.settings.groups if each.group in groups]
        if not mine:
            return None
        same = [each for each in mine if each.role == mine[0].role]
        pits = {pit for each in same for pit in each.pits} if all(each.pits for each in same) else set()
        return _Standing(UserRole(mine[0].role), tuple(sorted(pits)))

    def _add(self, subject: str, called: str, standing: _Standing) -> str:
        name = called.partition("@")[0].strip().lower()
        if not _NAME.fullmatch(name):
            raise SignOnError(
                words(
                    "the identity provider's name for you, %(name)s, cannot be used as an account name",
                    name=repr(called[:100]),
                )
            )
        at = timestamp()
        row = {
            "name": name,
            "role": standing.role.value,
            "password": "",
            "initial": False,
            "disabled": False,
            "created_at": at,
            "sessions_since": at,
            "pits": pits_column(standing.pits),
            "origin": OIDC,
            "subject": subject,
        }

        def change(connection: Connection) -> None:
            if name in load(connection).accounts:
                raise SignOnError(
                    words(
                        "an account %(name)s exists here that does not come from the identity provider: sign in with "
                        "its password, or ask an administrator",
                        name=repr(name),
                    )
                )
            connection.execute(insert(tables.accounts).values(row))

        self._accounts.record_change(name, {"act": "added", "origin": OIDC, **_told(standing)}, _WHY, change)
        return name

    def _change(self, known: Account, standing: _Standing) -> None:
        values = {"role": standing.role.value, "pits": pits_column(standing.pits)}

        def change(connection: Connection) -> None:
            connection.execute(update(tables.accounts).where(tables.accounts.c.name == known.name).values(values))

        self._accounts.record_change(known.name, {"act": "role changed", **_told(standing)}, _WHY, change)

    def _remove(self, known: Account) -> None:
        self._accounts.record_change(
            known.name, {"act": "removed"}, _WHY, lambda connection: remove_account(connection, known.name)
        )


_WHY: Final = Attribution(_BY, "as the groups of the person say")


def _told(standing: _Standing) -> dict[str, Any]:
    return {"role": standing.role.value, **({"pits": list(standing.pits)} if standing.pits else {})}


def _several(said: object) -> list[str]:
    """A claim that may be one word or a list of them."""
    found = said if isinstance(said, list) else [said]
    return [each for each in found if isinstance(each, str)]
