"""Settings of people's accounts: how long a page stays signed in unused, and what signing in needs."""

from __future__ import annotations

from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from service.config.section import File, Section

Role: TypeAlias = Literal["viewer", "integrator", "supervisor", "technician", "auditor", "floor", "table", "admin"]


class AccountsConfig(Section):
    """How people sign in.

    Attributes:
        idle_hours: an idle page is signed out after so long; not a viewer's, which only shows the table.
        password_days: days for which a password that an administrator made is valid; it is used to choose
            another.
        second_factor: roles that must have a second factor; everybody else may.
        of: settings file of another table of this computer, whose accounts, keys and sessions this table uses.
        floor_key: public key of the record of a floor. The table then accepts the floor's accounts and keys, also while
            the line is cut: 64 hexadecimal digits, which ``houseway floor key`` prints on the floor's server.
        floor_days: days for which they are valid after the last contact with the floor.
    """

    idle_hours: Annotated[float, Field(gt=0.0, le=24.0 * 31)] = 4.0
    password_days: Annotated[float, Field(gt=0.0, le=365.0)] = 7.0
    second_factor: tuple[Role, ...] = ()
    of: File | None = None
    floor_key: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    floor_days: Annotated[float, Field(ge=1.0, le=90.0)] = 7.0

    @model_validator(mode="after")
    def _has_its_own(self) -> Self:
        if self.of is not None and self.floor_key is not None:
            raise ValueError("name floor_key in the settings of the table whose accounts these are")
        return self
