"""Settings of people's accounts: how long a page stays signed in unused, and what signing in needs."""

from __future__ import annotations

from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from service.config.section import File, Section

Role: TypeAlias = Literal["viewer", "integrator", "supervisor", "technician", "auditor", "floor", "table", "admin"]


class AccountsConfig(Section):
    """How people sign in.

    Attributes:
        idle_hours: a page that nobody has used for so long is signed out; not a viewer's, which only shows the table.
        password_days: for so many days somebody can sign in with a password that an administrator made, to choose
            another.
        second_factor: roles that must have a second factor; everybody else may.
        of: settings file of another table of this computer, whose accounts, keys and sign-ins hold at this table too.
        floor_key: public key of the record of the floor whose accounts and keys hold at this table too, also while the
            line to it is cut: 64 hexadecimal digits, which ``houseway floor key`` prints on the floor's server.
        floor_days: for so many days after the floor was heard they hold.
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
