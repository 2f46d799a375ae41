"""Settings of people's accounts: page sessions, passwords, second factors, and single sign-on."""

from __future__ import annotations

from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field, field_validator, model_validator

from service.system.section import File, Name, SecretFile, Section, Variable, needs_one_of
from service.system.settings_file import read_secret
from vision.addresses import is_private_address

Role: TypeAlias = Literal["viewer", "integrator", "supervisor", "technician", "auditor", "floor", "admin"]
_Words = Annotated[str, Field(min_length=1, max_length=200)]


class OidcGroup(Section):
    """What people of a group of the identity provider may do.

    Attributes:
        group: the group as the provider names it.
        role: role of its people; of several groups, the first one listed counts.
        pits: pits of a hub whose tables they may see; all tables if omitted.
    """

    group: _Words
    role: Role
    pits: tuple[Name, ...] = ()

    @model_validator(mode="after")
    def _is_of_the_whole(self) -> Self:
        if self.role == "admin" and self.pits:
            raise ValueError("an administrator is always for the whole floor: leave pits out")
        return self


class OidcConfig(Section):
    """An identity provider with which people sign in.

    Attributes:
        issuer: its address, ``https://...``, as it names itself.
        title: its name on the button of the sign-in page.
        client_id: this service's id at the provider.
        client_secret_file: file with the secret that it gave this service.
        client_secret_env: environment variable with that secret, instead of a file.
        ca_file: certificates to trust instead of the system's.
        scopes: scopes to request.
        name_claim: claim with the person's name, of which the part before an ``@`` is the name of the account.
        groups_claim: claim with the person's groups.
        second_factor: values of its claims ``acr`` and ``amr`` that stand for a second factor; none if omitted.
        groups: roles and pits of the groups; people in none of them are refused.
    """

    issuer: Annotated[str, Field(max_length=300)]
    title: Annotated[str, Field(min_length=1, max_length=60)] = "Single sign-on"
    client_id: _Words
    client_secret_file: SecretFile | None = None
    client_secret_env: Variable | None = None
    ca_file: File | None = None
    scopes: tuple[_Words, ...] = ("openid", "profile")
    name_claim: _Words = "preferred_username"
    groups_claim: _Words = "groups"
    second_factor: tuple[_Words, ...] = ()
    groups: Annotated[tuple[OidcGroup, ...], Field(min_length=1, max_length=200)]

    @field_validator("issuer")
    @classmethod
    def _is_private(cls, issuer: str) -> str:
        if not is_private_address(issuer) or any(mark in issuer for mark in "?#@"):
            raise ValueError("https://HOST[/PATH] is needed; http:// only on this machine")
        return issuer

    @field_validator("scopes")
    @classmethod
    def _asks_who(cls, scopes: tuple[str, ...]) -> tuple[str, ...]:
        if "openid" not in scopes:
            raise ValueError("'openid' must be among the scopes")
        return scopes

    @model_validator(mode="after")
    def _has_one_secret(self) -> Self:
        needs_one_of(self, "client_secret_file", "client_secret_env")
        return self

    def secret(self) -> str:
        """The secret that the provider gave this service; ConfigError if it cannot be read."""
        return read_secret("accounts.oidc", self.client_secret_file, self.client_secret_env)


class AccountsConfig(Section):
    """How people sign in.

    Attributes:
        idle_hours: hours after which an idle page is signed out; not a viewer's, which only shows the table.
        password_days: days for which a password that an administrator made is valid; it is used to choose
            another.
        second_factor: roles that must have a second factor; everybody else may.
        oidc: an identity provider for single sign-on; local accounts still work.
    """

    idle_hours: Annotated[float, Field(gt=0.0, le=24.0 * 31)] = 4.0
    password_days: Annotated[float, Field(gt=0.0, le=365.0)] = 7.0
    second_factor: tuple[Role, ...] = ()
    oidc: OidcConfig | None = None
