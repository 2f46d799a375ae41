"""Passkeys (WebAuthn): challenges for browsers, and verification of their answers.

The authenticator must have verified its user by PIN, finger or face, so that a passkey alone counts as two factors. The
library is imported only when a passkey is made or used, to save time and memory.
"""

from __future__ import annotations

import hashlib
import ipaddress
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.words.wording import WordedError, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class PasskeyError(WordedError):
    """A passkey was not accepted; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Site:
    """The site of the page, as reported by the browser: a passkey belongs to one site.

    Attributes:
        host: host name, without the port.
        origin: scheme, host name and port.
    """

    host: str
    origin: str

    @property
    def allows_passkeys(self) -> bool:
        """Whether browsers allow passkeys at this site: by host name, over TLS or on this machine."""
        try:
            ipaddress.ip_address(self.host.strip("[]"))
        except ValueError:
            return self.host == "localhost" or self.origin.startswith("https://")
        return False


@dataclass(frozen=True, slots=True)
class PasskeyChallenge:
    """Options for a browser as JSON, and the challenge that its answer must contain."""

    options: str
    challenge: bytes


@dataclass(frozen=True, slots=True)
class NewPasskey:
    """A new passkey: its id and public key, base64url, and its own use count."""

    credential: str
    public_key: str
    counter: int


def registration_challenge(site: Site, account: str, known: Iterable[str]) -> PasskeyChallenge:
    """Return a challenge to make a passkey for an account, with an authenticator that has no known one."""
    import webauthn  # noqa: PLC0415
    from webauthn.helpers import base64url_to_bytes, options_to_json, structs  # noqa: PLC0415

    _check(site)
    options = webauthn.generate_registration_options(
        rp_id=site.host,
        rp_name="Houseway",
        user_name=account,
        user_id=hashlib.sha256(f"{site.host}\n{account}".encode()).digest(),
        authenticator_selection=structs.AuthenticatorSelectionCriteria(
            resident_key=structs.ResidentKeyRequirement.PREFERRED,
            user_verification=structs.UserVerificationRequirement.REQUIRED,
        ),
        exclude_credentials=[structs.PublicKeyCredentialDescriptor(id=base64url_to_bytes(each)) for each in known],
    )
    return PasskeyChallenge(options_to_json(options), options.challenge)


def verify_registration(site: Site, challenge: bytes, answer: str) -> NewPasskey:
    """Verify a browser's answer, and return the new passkey; PasskeyError."""
    import webauthn  # noqa: PLC0415
    from webauthn.helpers import bytes_to_base64url  # noqa: PLC0415

    _check(site)
    with _answered():
        made = webauthn.verify_registration_response(
            credential=answer,
            expected_challenge=challenge,
            expected_rp_id=site.host,
            expected_origin=site.origin,
            require_user_verification=True,
        )
    return NewPasskey(
        bytes_to_base64url(made.credential_id), bytes_to_base64url(made.credential_public_key), made.sign_count
    )


def sign_in_challenge(site: Site, known: Iterable[str]) -> PasskeyChallenge:
    """Return a challenge to use a passkey: a known one, or without known ones any of this site."""
    import webauthn  # noqa: PLC0415
    from webauthn.helpers import base64url_to_bytes, options_to_json, structs  # noqa: PLC0415

    _check(site)
    options = webauthn.generate_authentication_options(
        rp_id=site.host,
        allow_credentials=[structs.PublicKeyCredentialDescriptor(id=base64url_to_bytes(each)) for each in known],
        user_verification=structs.UserVerificationRequirement.REQUIRED,
    )
    return PasskeyChallenge(options_to_json(options), options.challenge)


def credential_of(answer: str) -> str:
    """Return the id of the passkey in an unverified answer; PasskeyError if the answer is malformed."""
    from webauthn.helpers import bytes_to_base64url, parse_authentication_credential_json  # noqa: PLC0415

    with _answered():
        return bytes_to_base64url(parse_authentication_credential_json(answer).raw_id)


def verify_passkey(site: Site, challenge: bytes, answer: str, public_key: str, counter: int) -> int:
    """Verify a passkey's answer, and return its own use count; PasskeyError."""
    import webauthn  # noqa: PLC0415
    from webauthn.helpers import base64url_to_bytes  # noqa: PLC0415

    _check(site)
    with _answered():
        found = webauthn.verify_authentication_response(
            credential=answer,
            expected_challenge=challenge,
            expected_rp_id=site.host,
            expected_origin=site.origin,
            credential_public_key=base64url_to_bytes(public_key),
            credential_current_sign_count=counter,
            require_user_verification=True,
        )
    return found.new_sign_count


def _check(site: Site) -> None:
    if not site.allows_passkeys:
        raise PasskeyError(words("passkeys need the page by its name: over https, or as localhost on this machine"))


@contextmanager
def _answered() -> Iterator[None]:
    """Convert the library's errors about invalid answers to PasskeyError."""
    from webauthn.helpers.exceptions import WebAuthnException  # noqa: PLC0415

    try:
        yield
    except (WebAuthnException, ValueError, KeyError, TypeError) as error:
        refused = words("the passkey was not accepted; try again, or use another way")
        raise PasskeyError(refused) from error
