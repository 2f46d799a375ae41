"""Settings of people's accounts: how long a page stays signed in unused, and what signing in needs."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from service.config.section import File, Section

Role: TypeAlias = Literal["viewer", "integrator", "supervisor", "technician", "auditor", "floor", "admin"]


class AccountsConfig(Section):
    """How people sign in.

    Attributes:
        idle_hours: a page that nobody has used for so long is signed out; not a viewer's, which only shows the table.
        password_days: for so many days somebody can sign in with a password that an administrator made, to choose
            another.
        second_factor: roles that must have a second factor; everybody else may.
        of: settings file of another table of this computer, whose accounts, keys and sign-ins hold at this table too.
    """

    idle_hours: Annotated[float, Field(gt=0.0, le=24.0 * 31)] = 4.0
    password_days: Annotated[float, Field(gt=0.0, le=365.0)] = 7.0
    second_factor: tuple[Role, ...] = ()
    of: File | None = None
