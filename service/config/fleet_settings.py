"""Settings of a table that takes releases from a floor."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from service.config.section import File, SecretFile, Section, Variable, WebAddress, needs_one_of
from service.config.settings_file import read_secret


class FleetConfig(Section):
    """Where releases are fetched from, which key must have signed them, and when a trial ends.

    Attributes:
        floor: address of the floor's service, ``https://HOST[:PORT]`` or ``http://...``.
        key_file: file with a key from the floor: role ``table``, named as the table on the floor.
        key_env: environment variable with the key, instead of a file.
        ca_file: certificates to trust instead of the system's.
        release_key: public half of the key that releases are signed with, hexadecimal, as ``houseway release key``
            prints it.
        trial_hands: hands after which the trial of a release ends.
        trial_minutes: minutes after which it ends, however few hands there were.
    """

    floor: WebAddress
    key_file: SecretFile | None = None
    key_env: Variable | None = None
    ca_file: File | None = None
    release_key: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    trial_hands: Annotated[int, Field(ge=20, le=100_000)] = 400
    trial_minutes: Annotated[float, Field(gt=0.0, le=43_200.0)] = 1_440.0

    @model_validator(mode="after")
    def _has_one_key(self) -> Self:
        needs_one_of(self, "key_file", "key_env")
        return self

    @property
    def address(self) -> str:
        """Where the floor is, without a slash at the end."""
        return self.floor.get_secret_value().rstrip("/")

    def key(self) -> str:
        """The key that the floor is asked with; ConfigError if it cannot be read."""
        return read_secret("fleet", self.key_file, self.key_env)
