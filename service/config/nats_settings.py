"""Settings of a connection to NATS, which a table publishes its record to and a floor reads it from."""

from __future__ import annotations

import re
from typing import Annotated, Self

from pydantic import Field, field_validator, model_validator

from service.config.section import ClearAddress, File, Name, SecretFile, Section, Variable
from service.config.settings_file import read_secret


class NatsConfig(Section):
    """A connection to NATS.

    Attributes:
        servers: ``tls://HOST[:PORT]`` or, on this computer or a network of your own, ``nats://HOST[:PORT]``; of a
            cluster all of them.
        username: who signs in.
        password_file: file with the password.
        password_env: environment variable with the password, instead of a file.
        ca_file: certificates to trust instead of the system's.
    """

    servers: Annotated[tuple[ClearAddress, ...], Field(min_length=1, max_length=16)]
    username: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    password_file: SecretFile | None = None
    password_env: Variable | None = None
    ca_file: File | None = None

    @field_validator("servers")
    @classmethod
    def _are_of_nats(cls, servers: tuple[ClearAddress, ...]) -> tuple[ClearAddress, ...]:
        if not all(re.fullmatch(r"(nats|tls)://[^/\s@?#]+", each.get_secret_value()) for each in servers):
            raise ValueError("tls://HOST:PORT or nats://HOST:PORT is needed, without a user before HOST")
        return servers

    @model_validator(mode="after")
    def _password_goes_with_a_name(self) -> Self:
        if self.password_file is not None and self.password_env is not None:
            raise ValueError("name either password_file or password_env")
        if (self.username is None) != (self.password_file is None and self.password_env is None):
            raise ValueError("a username and a password go together")
        return self

    @property
    def addresses(self) -> list[str]:
        """Of the servers."""
        return [each.get_secret_value() for each in self.servers]

    def password(self) -> str | None:
        """The password, if there is one; ConfigError if it cannot be read."""
        if self.username is None:
            return None
        return read_secret("nats", self.password_file, self.password_env)

    def secrets(self) -> set[str]:
        """What of it is never to be shown; ConfigError if it cannot be read."""
        password = self.password()
        return set() if password is None else {password}


class TableNatsConfig(NatsConfig):
    """The NATS server at the table, to which it publishes its record for a floor.

    Attributes:
        name: name of the table on the floor; the table's own name if left out.
        max_mb: the most that the stream may take on the disk, megabytes; then the oldest entries are discarded from it,
            not from the record.
    """

    name: Name | None = None
    max_mb: Annotated[int, Field(ge=1, le=1_000_000)] = 1_000


class FloorNatsConfig(NatsConfig):
    """The central NATS servers, from which the floor reads what tables publish.

    Attributes:
        replicas: copies of each table's stream: 1, or 3 in a cluster of three.
        max_mb: the most that the stream of each table may take on the disk, megabytes.
    """

    replicas: Annotated[int, Field(ge=1, le=5)] = 1
    max_mb: Annotated[int, Field(ge=1, le=1_000_000)] = 1_000
