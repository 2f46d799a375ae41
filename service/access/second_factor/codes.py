"""Codes that people type: of an authenticator app (TOTP, RFC 6238), and those that are printed for when it is lost."""

from __future__ import annotations

import hmac
import re
import secrets
import time
from typing import Final

import pyotp

RECOVERY_CODES: Final = 10
_STEP_S: Final = 30
_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"
_GROUPS: Final = 4
_GROUP: Final = 4


def new_secret() -> str:
    """The secret of an authenticator app, base32: 160 bits."""
    return pyotp.random_base32()


def address_of(secret: str, account: str, table: str) -> str:
    """What an app takes from a QR code."""
    return pyotp.TOTP(secret).provisioning_uri(name=account, issuer_name=f"Houseway {table}")


def step_of(secret: str, code: str, now: float | None = None) -> int | None:
    """The step of 30 s that a code is of: this one, or one beside it for clocks that differ; None if it is of none."""
    step = int((time.time() if now is None else now) // _STEP_S)
    totp = pyotp.TOTP(secret)
    found = [each for each in (step - 1, step, step + 1) if hmac.compare_digest(totp.generate_otp(each), code)]
    return max(found, default=None)


def plain_code(typed: str) -> str:
    """A code without blanks and hyphens, as it is compared; empty if it is none."""
    code = re.sub(r"[\s-]", "", typed).lower()
    return code if code.isascii() and code.isalnum() else ""


def is_of_app(code: str) -> bool:
    """Whether a code looks like one of an app."""
    return len(code) == 6 and code.isdecimal()


def new_recovery_codes() -> tuple[str, ...]:
    """Codes to be printed, 79 bits each: too many to be guessed from what is kept of them."""
    return tuple(
        "-".join("".join(secrets.choice(_LETTERS) for _ in range(_GROUP)) for _ in range(_GROUPS))
        for _ in range(RECOVERY_CODES)
    )
