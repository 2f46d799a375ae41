"""Who of the floor may sign in at this table: what is known of that, and the floor's newest word."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from service.access.roles import Permission
from service.access.roster import HeldRoster, RosterError, SignedRoster
from service.access.taking_rosters import TakesRosters
from service.http.deps import PartsDep
from service.http.errors import ProblemError, problems
from service.http.permissions import requires
from service.rounds.reports import FrozenModel
from service.words.wording import words

router = APIRouter(prefix="/v1/floor", tags=["accounts"])

_STATUS = {"roster_older": 409}


class RosterIn(FrozenModel):
    """A roster as the floor gives it out."""

    roster: Annotated[str, Field(max_length=8_000_000)] = Field(
        description="accounts and keys as JSON text, made by the floor for this table"
    )
    signature: Annotated[str, Field(pattern="^[0-9a-f]{128}$")] = Field(
        description="Ed25519 with the key of the floor's record over `houseway roster`, a line feed and the text, "
        "hexadecimal"
    )


class RosterOut(FrozenModel):
    """What a table knows of its floor's accounts."""

    record: str = Field(description="id of the record with this table's accounts, for which rosters are made")
    number: int = Field(description="number of the roster in force; 0 before the first")
    at: str | None = Field(description="when the floor made it, UTC, by the floor's clock; null before the first")
    content: str | None = Field(description="SHA-256 of what it says; null before the first")
    not_taken: tuple[str, ...] = Field(
        description="names of accounts in it that this table has not taken, because it has its own of these names"
    )

    @classmethod
    def of(cls, record: str, held: HeldRoster | None) -> "RosterOut":
        """What is known as it is given out."""
        if held is None:
            return cls(record=record, number=0, at=None, content=None, not_taken=())
        return cls(record=record, number=held.number, at=held.at, content=held.content, not_taken=held.not_taken)


@router.get("", dependencies=[requires(Permission.ROSTER)], responses=problems(404, 503))
def get_roster(parts: PartsDep) -> RosterOut:
    """The floor whose accounts this table accepts, and the roster in force."""
    takes = _takes(parts)
    return RosterOut.of(parts.record.id, takes.accounts.held_roster())


@router.put(
    "/roster", dependencies=[requires(Permission.ROSTER)], responses=problems(400, 404, 408, 409, 413, 422, 503)
)
def put_roster(said: RosterIn, parts: PartsDep) -> RosterOut:
    """Take accounts and keys from the floor; what it no longer names ends here, signed-in pages too.

    A roster is accepted only if `accounts.floor_key` signed it for this table, and if it is newer than the last.
    """
    takes = _takes(parts)
    try:
        held = takes.take(SignedRoster(said.roster, said.signature))
    except RosterError as error:
        raise ProblemError(_STATUS.get(error.code, 422), error.code, error.words) from None
    return RosterOut.of(parts.record.id, held)


def _takes(parts: PartsDep) -> TakesRosters:
    if parts.access.rosters is None:
        nothing = words("This table does not accept accounts of a floor: accounts.floor_key is not set.")
        raise ProblemError(404, "no_floor", nothing)
    return parts.access.rosters
