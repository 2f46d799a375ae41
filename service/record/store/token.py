"""A signing key in a token (PKCS#11): a security module, a smart card, a TPM through tpm2-pkcs11, or SoftHSM to test.

The key never leaves the token. python-pkcs11 comes with ``houseway[token]`` and speaks to the token's own library.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Self
from urllib.parse import unquote

from service.codes import RecordCode
from service.record.store.signing import KeyFileError, PublicKey

if TYPE_CHECKING:
    from service.record.store.record_settings import TokenKey

_OCTET_STRING: Final = 0x04
"""DER's tag of an octet string, in which PKCS#11 wraps the point of a public key."""
_ED25519: Final = bytes.fromhex("06032b6570")
"""DER of the object identifier 1.3.101.112."""


@dataclass(frozen=True, slots=True)
class TokenAddress:
    """What a PKCS#11 URI (RFC 7512) names: the token's library, the token, and the key in it."""

    library: str
    token: str
    label: str | None
    key_id: bytes | None

    @classmethod
    def of_uri(cls, uri: str) -> Self:
        """Read a URI; KeyFileError if it does not name a library, a token and a key."""
        path, _, query = uri.removeprefix("pkcs11:").partition("?")
        told = dict(part.split("=", 1) for part in (*path.split(";"), *query.split("&")) if "=" in part)
        label, key_id = told.get("object"), told.get("id")
        if not told.get("token") or not told.get("module-path") or (label is None and key_id is None):
            why = "pkcs11:token=TOKEN;object=KEY?module-path=/usr/lib/.../library.so is needed"
            raise KeyFileError.of(RecordCode.TOKEN_FAILED, why=why)
        return cls(
            library=unquote(told["module-path"]),
            token=unquote(told["token"]),
            label=None if label is None else unquote(label),
            key_id=None if key_id is None else unquote(key_id, encoding="latin-1").encode("latin-1"),
        )


@dataclass(slots=True)
class TokenSigner:
    """The private key of a record in a token; opened anew once if the token was away."""

    address: TokenAddress
    pin: str | None
    public: PublicKey
    _session: Any
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def open(cls, key: TokenKey) -> Self:
        """Find the key; KeyFileError if the token, or an Ed25519 key of that name, is not there."""
        address = TokenAddress.of_uri(key.uri)
        try:
            pin = None if key.pin_file is None else key.pin_file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise KeyFileError.of(RecordCode.KEY_UNREADABLE, file=str(key.pin_file), why=str(error)) from None
        session = _session(address, pin)
        return cls(address, pin, _public(session, address), session)

    def sign_bytes(self, statement: bytes) -> bytes:
        """Ed25519 over a statement; KeyFileError if the token does not answer."""
        import pkcs11  # noqa: PLC0415  installed where a token is named

        with self._lock:
            try:
                signature = _sign(self._session, self.address, statement)
            except pkcs11.PKCS11Error:
                self._session = _session(self.address, self.pin)
                try:
                    signature = _sign(self._session, self.address, statement)
                except pkcs11.PKCS11Error as error:
                    raise _failed(error) from error
        return signature


def make_key(key: TokenKey) -> TokenSigner:
    """Make an Ed25519 key of the URI's name in the token, which never leaves it; KeyFileError."""
    import pkcs11  # noqa: PLC0415

    address = TokenAddress.of_uri(key.uri)
    pin = None if key.pin_file is None else key.pin_file.read_text(encoding="utf-8").strip()
    session = _session(address, pin)
    try:
        parameters = session.create_domain_parameters(
            pkcs11.KeyType.EC_EDWARDS,
            {pkcs11.Attribute.EC_PARAMS: _ED25519},
            local=True,
        )
        parameters.generate_keypair(
            mechanism=pkcs11.Mechanism.EC_EDWARDS_KEY_PAIR_GEN,
            store=True,
            label=address.label,
            id=address.key_id,
            private_template={pkcs11.Attribute.EXTRACTABLE: False, pkcs11.Attribute.SENSITIVE: True},
        )
    except pkcs11.PKCS11Error as error:
        raise _failed(error) from error
    return TokenSigner(address, pin, _public(session, address), session)


def _session(address: TokenAddress, pin: str | None) -> Any:  # noqa: ANN401  the library has no types
    try:
        import pkcs11  # noqa: PLC0415
    except ImportError:
        raise KeyFileError.of(RecordCode.TOKEN_SOFTWARE_MISSING) from None
    try:
        token = pkcs11.lib(address.library).get_token(token_label=address.token)
        try:
            return token.open(rw=True, user_pin=pin)
        except pkcs11.UserAlreadyLoggedIn:  # this program is, by another session
            return token.open(rw=True)
    except (pkcs11.PKCS11Error, RuntimeError, OSError) as error:
        raise _failed(error) from error


def _named(address: TokenAddress) -> dict[str, Any]:
    named = {"label": address.label, "id": address.key_id}
    return {name: value for name, value in named.items() if value is not None}


def _sign(session: Any, address: TokenAddress, statement: bytes) -> bytes:  # noqa: ANN401
    import pkcs11  # noqa: PLC0415

    key = session.get_key(
        object_class=pkcs11.ObjectClass.PRIVATE_KEY, key_type=pkcs11.KeyType.EC_EDWARDS, **_named(address)
    )
    return bytes(key.sign(statement, mechanism=pkcs11.Mechanism.EDDSA))


def _public(session: Any, address: TokenAddress) -> PublicKey:  # noqa: ANN401
    import pkcs11  # noqa: PLC0415

    try:
        key = session.get_key(
            object_class=pkcs11.ObjectClass.PUBLIC_KEY, key_type=pkcs11.KeyType.EC_EDWARDS, **_named(address)
        )
        point = bytes(key[pkcs11.Attribute.EC_POINT])
    except pkcs11.NoSuchKey:
        named = f"{address.token}/{address.label or address.key_id!r}"
        raise KeyFileError.of(RecordCode.KEY_MISSING, file=named) from None
    except pkcs11.PKCS11Error as error:
        raise _failed(error) from error
    # Some libraries give the bare 32 bytes, others an octet string around them.
    raw = point[2:] if len(point) == 34 and point[0] == _OCTET_STRING else point
    if len(raw) != 32:
        raise KeyFileError.of(
            RecordCode.KEY_OF_ANOTHER_KIND, file=f"{address.token}/{address.label or address.key_id!r}"
        )
    return PublicKey.of_hex(raw.hex())


def _failed(error: Exception) -> KeyFileError:
    return KeyFileError.of(RecordCode.TOKEN_FAILED, why=str(error) or type(error).__name__)
