"""An identity provider as it is asked: where its pages are, and what it vouches for, by OpenID Connect.

Authorization code with PKCE (RFC 7636). What it vouches for counts only if it signed that with a key of its own, for
this client and this sign-in. https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote_plus, urlencode

import httpx2
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from service.config.private_addresses import is_private_address
from service.ops.trusted import trusted
from service.words.wording import WordedError, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.config.single_sign_on_settings import OidcConfig

_log = logging.getLogger(__name__)

_SIGNED_WITH: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures with a key that the provider alone has: neither none, nor one with the secret that it shares."""
_PATIENCE_S: Final = 8.0
_MOST_BYTES: Final = 1_000_000
_KNOWN_S: Final = 3_600.0
"""How long what a provider says of itself is believed."""
_KEYS_APART_S: Final = 5.0
"""Keys are not asked for more often, whatever tokens name."""
_LEEWAY_S: Final = 60
"""By so much may clocks differ."""


class SignOnError(WordedError):
    """Somebody cannot sign in so; the message says why and what to do."""


class ProviderAwayError(SignOnError):
    """The provider cannot be asked, or answers what it should not."""


class _Described(BaseModel):
    """What a provider says of itself, as far as it is needed."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None = None
    end_session_endpoint: str | None = None
    token_endpoint_auth_methods_supported: tuple[str, ...] = ("client_secret_basic",)


class _Tokens(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    id_token: str = Field(repr=False)
    access_token: str = Field(default="", repr=False)


@dataclass(slots=True)
class Provider:
    """Asks one provider; what goes wrong is SignOnError or ProviderAwayError."""

    settings: OidcConfig
    secret: str = field(repr=False)
    _described: _Described | None = None
    _described_at: float = float("-inf")
    _keys: KeySet | None = None
    _keys_at: float = float("-inf")

    async def page(self, redirect_uri: str, state: str, nonce: str, verifier: str) -> str:
        """Where somebody says to the provider who they are."""
        described = await self._describe()
        asked = {
            "response_type": "code",
            "client_id": self.settings.client_id,
            "redirect_uri": redirect_uri,
            "scope": " ".join(self.settings.scopes),
            "state": state,
            "nonce": nonce,
            "code_challenge": base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("="),
            "code_challenge_method": "S256",
        }
        return _with(described.authorization_endpoint, asked)

    async def page_to_leave(self, back: str) -> str | None:
        """Where somebody signs out of the provider too; None if it has no such page."""
        end = (await self._describe()).end_session_endpoint
        asked = {"client_id": self.settings.client_id, "post_logout_redirect_uri": back}
        return None if end is None else _with(end, asked)

    async def claims(self, code: str, redirect_uri: str, verifier: str, nonce: str) -> dict[str, Any]:
        """What the provider vouches for of whoever brought a code."""
        described = await self._describe()
        sent = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_uri,
            "code_verifier": verifier,
        }
        headers = {}
        if "client_secret_post" in described.token_endpoint_auth_methods_supported:
            sent |= {"client_id": self.settings.client_id, "client_secret": self.secret}
        else:  # in which not every provider undoes the encoding that RFC 6749, 2.3.1 asks for
            pair = f"{quote_plus(self.settings.client_id)}:{quote_plus(self.secret)}"
            headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
        answer = await self._ask("POST", described.token_endpoint, data=sent, headers=headers)
        try:
            tokens = _Tokens.model_validate(answer)
        except ValidationError:
            raise _wrong("there is no id_token in its answer") from None
        claims = await self._vouched(tokens.id_token, nonce)
        if self.settings.groups_claim not in claims and described.userinfo_endpoint and tokens.access_token:
            bearer = {"Authorization": f"Bearer {tokens.access_token}"}
            more = await self._ask("GET", described.userinfo_endpoint, headers=bearer)
            if more.get("sub") != claims["sub"]:
                raise _wrong("its userinfo is of somebody else")
            claims = {**more, **claims}
        return claims

    async def _vouched(self, id_token: str, nonce: str) -> dict[str, Any]:
        """The claims of an id_token, if it is right in every way."""
        try:
            claims = jwt.decode(id_token, await self._key_set(), algorithms=list(_SIGNED_WITH)).claims
        except (JoseError, ValueError) as first:
            # The provider may have another key since it was asked.
            try:
                claims = jwt.decode(id_token, await self._key_set(anew=True), algorithms=list(_SIGNED_WITH)).claims
            except (JoseError, ValueError):
                raise _wrong(f"its id_token is not signed as it must be ({first})") from None
        must = jwt.JWTClaimsRegistry(
            leeway=_LEEWAY_S,
            iss={"essential": True, "value": self.settings.issuer},
            aud={"essential": True, "value": self.settings.client_id},
            exp={"essential": True},
            iat={"essential": True},
            sub={"essential": True},
        )
        try:
            must.validate(claims)
        except JoseError as error:
            raise _wrong(f"its id_token does not hold ({error})") from None
        audience = claims["aud"]
        if isinstance(audience, list) and len(audience) > 1 and claims.get("azp") != self.settings.client_id:
            raise _wrong("its id_token is for another client")
        said = claims.get("nonce")
        if not isinstance(said, str) or not hmac.compare_digest(said.encode(), nonce.encode()):
            raise _wrong("its id_token is of another sign-in")
        if not isinstance(claims["sub"], str) or not 0 < len(claims["sub"]) <= 255:
            raise _wrong("its id_token names nobody")
        return dict(claims)

    async def _key_set(self, *, anew: bool = False) -> KeySet:
        now = time.monotonic()
        old = now - self._keys_at > (_KEYS_APART_S if anew else _KNOWN_S)
        if self._keys is None or old:
            described = await self._describe()
            found = await self._ask("GET", described.jwks_uri)
            try:
                keys = [key for key in found["keys"] if key.get("use", "sig") == "sig" and key.get("kty") != "oct"]
                self._keys = KeySet.import_key_set({"keys": keys})
            except (JoseError, KeyError, TypeError, ValueError, AttributeError) as error:
                raise _wrong(f"its keys cannot be read ({error})") from None
            self._keys_at = now
        return self._keys

    async def _describe(self) -> _Described:
        now = time.monotonic()
        if self._described is not None and now - self._described_at < _KNOWN_S:
            return self._described
        issuer = self.settings.issuer
        found = await self._ask("GET", f"{issuer.rstrip('/')}/.well-known/openid-configuration")
        try:
            described = _Described.model_validate(found)
        except ValidationError as error:
            raise _wrong(f"what it says of itself cannot be read ({error.errors()[0]['loc']})") from None
        if described.issuer != issuer:
            raise _wrong(f"it calls itself {described.issuer[:200]}, and accounts.oidc.issuer something else")
        pages = (described.authorization_endpoint, described.token_endpoint, described.jwks_uri)
        others = (described.userinfo_endpoint, described.end_session_endpoint)
        if not all(is_private_address(page) for page in (*pages, *(page for page in others if page is not None))):
            raise _wrong("it names an address without TLS")
        self._described, self._described_at = described, now
        return described

    async def _ask(self, method: str, url: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401  of httpx2
        certificates = trusted(self.settings.ca_file)
        with _faults():
            async with (
                httpx2.AsyncClient(timeout=_PATIENCE_S, verify=certificates, trust_env=False) as client,
                client.stream(method, url, **more) as answer,
            ):
                body = bytearray()
                async for piece in answer.aiter_bytes():
                    body += piece
                    if len(body) > _MOST_BYTES:
                        raise _wrong("its answer is too long")
        try:
            found = _Any.model_validate_json(bytes(body)).model_extra or {}
        except ValidationError:
            found = {}
        if answer.status_code != 200:
            raise _wrong(f"it answers {answer.status_code} {str(found.get('error', ''))[:100]}".strip())
        return found


class _Any(BaseModel):
    model_config = ConfigDict(extra="allow")


@contextmanager
def _faults() -> Iterator[None]:
    try:
        yield
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        _log.warning("the identity provider cannot be reached: %s", str(error) or type(error).__name__)
        raise ProviderAwayError(
            words(
                "the identity provider cannot be reached now: try again, or sign in with a name and password of the "
                "floor"
            )
        ) from error


def _wrong(why: str) -> ProviderAwayError:
    """What a provider answered is not taken; what exactly, is for the log."""
    _log.warning("the identity provider is not believed: %s", why)
    return ProviderAwayError(
        words(
            "the identity provider's answer is not valid, so you are not signed in: try again, or ask an "
            "administrator to check the log"
        )
    )


def _with(address: str, asked: dict[str, str]) -> str:
    return f"{address}{'&' if '?' in address else '?'}{urlencode(asked)}"
