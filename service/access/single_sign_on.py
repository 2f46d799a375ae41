"""Single sign-on by OpenID Connect: authorization code with PKCE, through Authlib.

An account is linked to a person by the provider's ``sub`` alone; an existing account of that name is never taken over.
Authlib takes time and memory to import, so only services with single sign-on import this module.
"""

from __future__ import annotations

import hmac
import logging
import re
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import httpx2
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.starlette_client import StarletteOAuth2App
from joserfc.errors import JoseError
from pydantic import BaseModel, ConfigDict
from sqlalchemy import insert, update
from starlette.concurrency import run_in_threadpool

from service.access.account_store import OIDC, account_table, load_accounts, pits_column, remove_account
from service.access.roles import UserRole
from service.access.sign_in_steps import Pending, SignedIn, SignOnError
from service.record.changes import BY_GROUPS
from service.record.store.entries import timestamp
from service.system.host import tls_context
from service.system.outgoing import Bounds, bounded
from service.words.wording import words
from vision.addresses import is_private_address

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import Connection

    from service.access.account_store import Account
    from service.access.accounts import Accounts
    from service.access.sessions import Sessions, Visit
    from service.system.account_settings import OidcConfig

_log = logging.getLogger(__name__)
logging.getLogger("authlib").setLevel(logging.INFO)  # at DEBUG it logs code verifiers

_SIGNATURES: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Asymmetric signatures only: neither ``none`` nor one made with the client's secret."""
_BOUNDS: Final = Bounds(seconds=8.0, most_bytes=500_000)
_METADATA_S: Final = 3_600.0
"""How long the provider's metadata and keys are cached."""
_RELOAD_S: Final = 5.0
"""Shortest time between two loads of metadata and keys."""
_LEEWAY_S: Final = 60
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
_DENIED: Final = frozenset({"access_denied", "login_required", "interaction_required", "consent_required"})


class ProviderAwayError(SignOnError):
    """The provider cannot be reached, or its answer is not valid."""


class _Metadata(BaseModel):
    """The fields used of a provider's ``.well-known/openid-configuration``."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None = None
    end_session_endpoint: str | None = None
    token_endpoint_auth_methods_supported: tuple[str, ...] = ("client_secret_basic",)
    id_token_signing_alg_values_supported: tuple[str, ...] = ("RS256",)

    def endpoints(self) -> tuple[str, ...]:
        needed = (self.authorization_endpoint, self.token_endpoint, self.jwks_uri)
        return (*needed, *(each for each in (self.userinfo_endpoint, self.end_session_endpoint) if each is not None))


class Provider:
    """An identity provider.

    Its methods raise ProviderAwayError when the provider cannot be reached or its answer is not valid.
    """

    def __init__(self, settings: OidcConfig, secret: str) -> None:
        self.settings = settings
        self._secret = secret
        self._app: StarletteOAuth2App | None = None
        self._loaded_at = float("-inf")

    async def start(self, redirect_uri: str) -> dict[str, str]:
        """Return the provider's page as ``url``, with ``state``, ``nonce`` and ``code_verifier`` of a new sign-in."""
        with _provider_faults():
            found: dict[str, str] = await (await self._connect()).create_authorization_url(redirect_uri)
            return found

    async def sign_out_page(self, back: str) -> str | None:
        """Return the provider's page for signing out, if it has one."""
        with _provider_faults():
            app = await self._connect()
            if "end_session_endpoint" not in app.server_metadata:
                return None
            found = await app.create_logout_url(post_logout_redirect_uri=back, client_id=self.settings.client_id)
            return str(found["url"])

    async def claims(self, code: str, redirect_uri: str, code_verifier: str, nonce: str) -> dict[str, Any]:
        """Exchange a code for the verified claims about its person."""
        with _provider_faults():
            app = await self._connect()
            token = await app.fetch_access_token(redirect_uri, code=code, code_verifier=code_verifier)
            try:
                claims = await self._id_token(app, token, nonce)
            except JoseError:
                # The provider may have new keys.
                app = await self._connect(_RELOAD_S)
                claims = await self._id_token(app, token, nonce)
            if self.settings.groups_claim in claims or "userinfo_endpoint" not in app.server_metadata:
                return claims
            more = await app.userinfo(token=token)
            if more.get("sub") != claims["sub"]:
                raise ValueError("its userinfo is about somebody else")
            return {**more, **claims}

    async def _id_token(self, app: StarletteOAuth2App, token: dict[str, Any], nonce: str) -> dict[str, Any]:
        must_be = {
            "iss": {"essential": True, "value": self.settings.issuer},
            "aud": {"essential": True, "value": self.settings.client_id},
        }
        claims = await app.parse_id_token(token, nonce, must_be, leeway=_LEEWAY_S)
        if claims is None or not isinstance(claims["sub"], str) or not 0 < len(claims["sub"]) <= 255:
            raise ValueError("its id_token names nobody")
        return dict(claims)

    async def _connect(self, max_age_s: float = _METADATA_S) -> StarletteOAuth2App:
        """Return Authlib's client with the provider's metadata, reloaded if older than ``max_age_s``."""
        if self._app is not None and time.monotonic() - self._loaded_at < max_age_s:
            return self._app
        app = StarletteOAuth2App(
            None,
            "oidc",
            client_id=self.settings.client_id,
            client_secret=self._secret,
            server_metadata_url=f"{self.settings.issuer.rstrip('/')}/.well-known/openid-configuration",
            client_kwargs={
                "scope": " ".join(self.settings.scopes),
                "code_challenge_method": "S256",
                "timeout": _BOUNDS.seconds,
                "transport": bounded(_BOUNDS, trusting=tls_context(self.settings.ca_file)),
                "trust_env": False,
            },
        )
        loaded = await app.load_server_metadata()
        metadata = _Metadata.model_validate(loaded)
        if metadata.issuer != self.settings.issuer:
            raise ValueError(f"it calls itself {metadata.issuer[:200]}, and accounts.oidc.issuer says otherwise")
        if not all(map(is_private_address, metadata.endpoints())):
            raise ValueError("one of its addresses has no TLS")
        # Authlib passes all metadata to its HTTP client, so only known fields are left in it.
        app.server_metadata = metadata.model_dump(exclude_none=True) | {
            "_loaded_at": loaded["_loaded_at"],
            "id_token_signing_alg_values_supported": [
                each for each in metadata.id_token_signing_alg_values_supported if each in _SIGNATURES
            ],
        }
        if "client_secret_post" in metadata.token_endpoint_auth_methods_supported:
            app.client_kwargs["token_endpoint_auth_method"] = "client_secret_post"  # noqa: S105  a method
        self._app, self._loaded_at = app, time.monotonic()
        return app


@contextmanager
def _provider_faults() -> Iterator[None]:
    try:
        yield
    except (httpx2.HTTPStatusError, JoseError, AuthlibBaseError, ValueError, KeyError, TypeError) as error:
        _log.warning("the identity provider's answer is not valid: %s", str(error)[:500] or type(error).__name__)
        raise ProviderAwayError(
            words(
                "the identity provider's answer is not valid, so you are not signed in: try again, or ask an "
                "administrator to check the log"
            )
        ) from None
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        _log.warning("the identity provider cannot be reached: %s", str(error) or type(error).__name__)
        raise ProviderAwayError(
            words(
                "the identity provider cannot be reached now: try again, or sign in with the name and password of an "
                "account here"
            )
        ) from error


@dataclass(frozen=True, slots=True)
class _Started:
    """A started sign-in, with the values that the answer must match."""

    state: str
    nonce: str
    code_verifier: str
    redirect_uri: str
    visit: Visit
    path: str


@dataclass(frozen=True, slots=True)
class _Rights:
    """Role and pits of a person by groups at the identity provider."""

    role: UserRole
    pits: tuple[str, ...]

    def recorded(self) -> dict[str, Any]:
        return {"role": self.role.value, **({"pits": list(self.pits)} if self.pits else {})}


class SingleSignOn:
    """Signs people in with one identity provider.

    Args:
        settings: of the provider.
        accounts: of this service.
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
        self._started: Pending[_Started] = Pending()

    async def start(self, redirect_uri: str, visit: Visit, path: str) -> tuple[str, str]:
        """Start a sign-in; return a secret for the browser and the provider's page. SignOnError."""
        request = await self.provider.start(redirect_uri)
        started = _Started(request["state"], request["nonce"], request["code_verifier"], redirect_uri, visit, path)
        return self._started.add(started), request["url"]

    async def finish(self, secret: str, answer: Mapping[str, str]) -> SignedIn:
        """Start a session once the provider has redirected the browser back.

        Args:
            secret: of the browser, as returned when the sign-in started.
            answer: the query parameters of the redirect.

        Raises:
            SignOnError: the person is refused.
            RecordUnavailableError: the account cannot be written.
        """
        started = self._started.take(secret)
        if started is None:
            raise SignOnError(words("signing in took too long, or was started in another browser: start again"))
        if not hmac.compare_digest(answer.get("state", "").encode(), started.state.encode()):
            raise SignOnError(words("this answer belongs to another sign-in: start again"))
        if answer.get("iss", self.settings.issuer) != self.settings.issuer:
            raise SignOnError(words("this answer came from another identity provider: start again"))
        if (error := answer.get("error")) is not None:
            _log.warning("the identity provider refuses: %r", (error[:100], answer.get("error_description", "")[:300]))
            if error in _DENIED:
                raise SignOnError(words("the identity provider refused the sign-in, or you cancelled it: try again"))
            raise SignOnError(
                words("the identity provider reports an error (%(error)s): ask an administrator", error=error[:100])
            )
        code = answer.get("code", "")[:4_000]
        claims = await self.provider.claims(code, started.redirect_uri, started.code_verifier, started.nonce)
        name = await run_in_threadpool(self._account_for, claims)
        _log.info("%s signed in from %s with the identity provider", name, started.visit.address)
        return SignedIn(await run_in_threadpool(self._sessions.start, name, started.visit), started.path)

    def _account_for(self, claims: Mapping[str, Any]) -> str:
        """Add or change the person's account according to the groups, and return its name."""
        subject = f"{self.settings.issuer} {claims['sub']}"
        self._accounts.reload()
        known = next((one for one in self._accounts.all_accounts() if one.subject == subject), None)
        rights = self._rights(_strings(claims.get(self.settings.groups_claim)))
        if rights is None:
            if known is not None:
                name = known.name
                removed = {"act": "removed"}
                self._accounts.record_change(
                    name, removed, BY_GROUPS, lambda connection: remove_account(connection, name)
                )
            raise SignOnError(words("none of your groups has access here: ask whoever manages your groups"))
        if known is not None and known.disabled:
            raise SignOnError(words("an administrator has disabled your account"))
        factors = {*_strings(claims.get("acr")), *_strings(claims.get("amr"))}
        if rights.role.value in self._must_have_two and factors.isdisjoint(self.settings.second_factor):
            raise SignOnError(words("your role needs a second factor: sign in at the identity provider with one"))
        if known is None:
            return self._add(subject, str(claims.get(self.settings.name_claim, "")), rights)
        if (known.role, known.pits) != (rights.role, rights.pits):
            self._change(known, rights)
        return known.name

    def _rights(self, groups: Sequence[str]) -> _Rights | None:
        mine = [each for each in self.settings.groups if each.group in groups]
        if not mine:
            return None
        same_role = [each for each in mine if each.role == mine[0].role]
        pits = {pit for each in same_role for pit in each.pits} if all(each.pits for each in same_role) else set()
        return _Rights(UserRole(mine[0].role), tuple(sorted(pits)))

    def _add(self, subject: str, full_name: str, rights: _Rights) -> str:
        name = full_name.partition("@")[0].strip().lower()
        if not _NAME.fullmatch(name):
            raise SignOnError(
                words(
                    "the identity provider's name for you, %(name)s, cannot be used as an account name",
                    name=repr(full_name[:100]),
                )
            )
        at = timestamp()
        row = {
            "name": name,
            "role": rights.role.value,
            "password": "",
            "initial": False,
            "disabled": False,
            "created_at": at,
            "sessions_since": at,
            "pits": pits_column(rights.pits),
            "origin": OIDC,
            "subject": subject,
        }

        def change(connection: Connection) -> None:
            if name in load_accounts(connection).accounts:
                raise SignOnError(
                    words(
                        "an account %(name)s exists here that does not come from the identity provider: sign in with "
                        "its password, or ask an administrator",
                        name=repr(name),
                    )
                )
            connection.execute(insert(account_table).values(row))

        self._accounts.record_change(name, {"act": "added", "origin": OIDC, **rights.recorded()}, BY_GROUPS, change)
        return name

    def _change(self, known: Account, rights: _Rights) -> None:
        values = {"role": rights.role.value, "pits": pits_column(rights.pits)}

        def change(connection: Connection) -> None:
            connection.execute(update(account_table).where(account_table.c.name == known.name).values(values))

        self._accounts.record_change(known.name, {"act": "role changed", **rights.recorded()}, BY_GROUPS, change)


def _strings(claim: object) -> list[str]:
    found = claim if isinstance(claim, list) else [claim]
    return [each for each in found if isinstance(each, str)]
