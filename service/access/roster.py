"""A roster: the accounts and keys of a floor whose pits include a table, signed with the key of the floor's record.

It is JSON text, so that what was signed is what is read. Its number only grows: an older one is not taken again.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from service.access.roles import UserRole
from service.record.store.chain import canonical_json
from service.record.store.signing import PublicKey
from service.words.wording import WordedError, words

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.words.wording import Words

_SIGNED: Final = b"houseway roster\n"
"""Begins what is signed, so that no signature of the same key under something else is one of a roster."""
_MOST: Final = 10_000
_Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,39}$")]
_Moment = Annotated[str, Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z$")]
_Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
_Record = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]


class RosterError(WordedError):
    """A roster is not taken.

    Attributes:
        code: why, for programs.
    """

    def __init__(self, code: str, said: Words) -> None:
        super().__init__(said)
        self.code = code


class _Given(BaseModel):
    """A later version may give more."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class GivenFactor(_Given):
    """A second factor; ``secret`` is an app's as it is, or a passkey's public key."""

    id: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
    kind: Literal["totp", "passkey"]
    name: Annotated[str, Field(max_length=60)]
    secret: Annotated[str, Field(max_length=4_000, repr=False)]
    credential: Annotated[str, Field(max_length=4_000)]
    site: Annotated[str, Field(max_length=255)]
    added_at: _Moment


class GivenAccount(_Given):
    """A person's account; ``password`` is its hash, ``sessions_since`` by the floor's clock."""

    name: _Name
    role: UserRole
    password: Annotated[str, Field(pattern=r"^\$argon2id\$", max_length=200, repr=False)]
    sessions_since: _Moment
    factors: Annotated[tuple[GivenFactor, ...], Field(max_length=20)] = ()


class GivenKey(_Given):
    """A machine's key; ``digest`` is of its text."""

    id: Annotated[str, Field(pattern=r"^[0-9a-f]{10}$")]
    name: Annotated[str, Field(max_length=60)]
    role: UserRole
    digest: Annotated[_Digest, Field(repr=False)]
    created_at: _Moment
    created_by: Annotated[str, Field(max_length=100)]
    expires_at: _Moment


class Roster(_Given):
    """Who may sign in at a table.

    Attributes:
        floor: id of the floor's own record.
        table: id of the record of the table that it is for.
        number: greater than that of every roster before.
        at: when it was made, by the floor's clock, UTC.
        accounts: by name.
        keys: by id.
    """

    houseway: Literal["roster/1"] = "roster/1"
    floor: _Record
    table: _Record
    number: Annotated[int, Field(ge=1, lt=2**53)]
    at: _Moment
    accounts: Annotated[tuple[GivenAccount, ...], Field(max_length=_MOST)]
    keys: Annotated[tuple[GivenKey, ...], Field(max_length=_MOST)]

    @property
    def content(self) -> str:
        """SHA-256 of what it says, whenever and for whichever table it was made."""
        said = self.model_dump(mode="json", include={"houseway", "accounts", "keys"})
        return hashlib.sha256(canonical_json(said).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class SignedRoster:
    """A roster as it is given out: its text, and Ed25519 over it, hexadecimal."""

    text: str
    signature: str

    @classmethod
    def of(cls, roster: Roster, sign: Callable[[bytes], bytes]) -> Self:
        """Sign a roster; raises what ``sign`` does."""
        text = canonical_json(roster.model_dump(mode="json"))
        return cls(text, sign(_SIGNED + text.encode()).hex())

    @property
    def sha256(self) -> str:
        """Names it, hexadecimal."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def read(self, key: str) -> Roster:
        """The roster, if the holder of a key signed it; RosterError if not, or if it is none."""
        try:
            if PublicKey.of_hex(key).signed(_SIGNED + self.text.encode(), self.signature):
                return Roster.model_validate_json(self.text)
        except ValueError:
            pass  # no key, or no roster
        raise RosterError(
            "roster_not_signed",
            words("this roster is not signed with the floor's key in accounts.floor_key"),
        )


@dataclass(frozen=True, slots=True)
class FloorTrust:
    """The floor whose accounts a table honours.

    Attributes:
        key: public key of the floor's record, hexadecimal.
        days: for so many days a roster is honoured after it was made.
    """

    key: str
    days: float


@dataclass(frozen=True, slots=True)
class HeldRoster:
    """The roster that a table has taken last, as its record tells of it.

    Attributes:
        key: what it was signed with.
        not_taken: names of accounts that it has not taken, because it has accounts of its own of these names.
    """

    number: int
    at: str
    content: str
    sha256: str
    key: str
    not_taken: tuple[str, ...]

    def until(self, days: float) -> datetime:
        """Until when it is honoured, UTC."""
        return datetime.fromisoformat(self.at) + timedelta(days=days)


def held_of(body: dict[str, Any]) -> HeldRoster:
    """The roster that an entry tells of."""
    named = {name: str(body[name]) for name in ("at", "content", "sha256", "key")}
    return HeldRoster(int(body["number"]), not_taken=tuple(body["not_taken"]), **named)
