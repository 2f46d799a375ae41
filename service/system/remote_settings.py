"""Settings of what a service collects: remote tables, their pits, and where copies of their pictures are kept."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from service.system.section import (
    ClearAddress,
    File,
    Name,
    SecretFile,
    Section,
    TitledSection,
    Variable,
    WebAddress,
    needs_one_of,
)
from service.system.settings_file import read_secret

Title = Annotated[str, Field(max_length=80)]


class PitConfig(TitledSection):
    """A group of tables.

    Attributes:
        name: the pit's name for programs: small letters, digits and hyphens.
        title: the name people read; the pit's name if omitted.
    """

    name: Name
    title: Title = ""


class RemoteTableConfig(TitledSection):
    """A table of another Houseway service, whose record is collected.

    Attributes:
        name: the table's name in this service; what was collected is kept under it, so do not change it.
        title: the name people read; the table's name if omitted.
        pit: name of the pit that it belongs to.
        url: address of the table's service, ``https://HOST[:PORT][/PATH]`` or ``http://...``.
        key_file: file with a key of the table's with the role ``floor``.
        key_env: environment variable with the key, instead of a file.
        ca_file: certificates to trust instead of the system's.
        record: id of the table's record, if the one of the first contact is not to be trusted.
    """

    name: Name
    title: Title = ""
    pit: Name | None = None
    url: WebAddress
    key_file: SecretFile | None = None
    key_env: Variable | None = None
    ca_file: File | None = None
    record: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")] | None = None

    @model_validator(mode="before")
    @classmethod
    def _has_no_camera(cls, values: Any) -> Any:  # noqa: ANN401  whatever the file says
        if isinstance(values, dict) and "source" in values:
            raise ValueError("a table has either a url or a [tables.source], not both")
        return values

    @model_validator(mode="after")
    def _has_one_key(self) -> Self:
        needs_one_of(self, "key_file", "key_env")
        return self

    @property
    def address(self) -> str:
        """Where its service is, without a slash at the end."""
        return self.url.get_secret_value().rstrip("/")

    def key(self) -> str:
        """The key that the table is asked with; ConfigError if it cannot be read."""
        return read_secret(f"table {self.name!r}", self.key_file, self.key_env)


class EvidenceConfig(Section):
    """Pictures of remote tables that are copied to this service; others are fetched from their table when asked for.

    Attributes:
        copied: which: ``none``, those of rounds that raised an alarm (``alarms``), or ``all``; written ``copy``.
        folder: folder that they are copied into; ``alarms`` and ``all`` need it, or a ``[bucket]``.
        max_mb: the most that they may fill, megabytes.
        min_free_mb: what must stay free on the disk, megabytes.
    """

    copied: Annotated[Literal["none", "alarms", "all"], Field(alias="copy")] = "none"
    folder: File | None = None
    max_mb: Annotated[int, Field(ge=1, le=1_000_000_000)] = 1_000_000
    min_free_mb: Annotated[int, Field(ge=0, le=1_000_000)] = 1_000


class BucketConfig(Section):
    """A bucket of an S3-compatible store, for copies of pictures instead of a folder.

    Attributes:
        endpoint: address of the store, ``https://HOST[:PORT]`` or ``http://...``.
        name: the bucket's name.
        region: where the store says that it is.
        prefix: what the names of pictures begin with, such as ``floor/``.
        key_id: name of the key that the store is asked with.
        key_file: file with that key.
        key_env: environment variable with the key, instead of a file.
        encryption: how the store encrypts: ``none`` for its own default, ``AES256`` or ``aws:kms``.
        kms_key: name of the key at the store for ``aws:kms``, if not its usual one.
        ca_file: certificates to trust beside the system's.
    """

    endpoint: ClearAddress
    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$")]
    region: Annotated[str, Field(pattern=r"^[a-z0-9-]{1,40}$")] = "us-east-1"
    prefix: Annotated[str, Field(pattern=r"^([A-Za-z0-9._-]{1,60}/){0,8}$")] = ""
    key_id: Annotated[str, Field(min_length=1, max_length=200)]
    key_file: SecretFile | None = None
    key_env: Variable | None = None
    encryption: Literal["none", "AES256", "aws:kms"] = "none"
    kms_key: Annotated[str, Field(min_length=1, max_length=400)] | None = None
    ca_file: File | None = None

    @field_validator("endpoint")
    @classmethod
    def _is_of_the_web(cls, url: ClearAddress) -> ClearAddress:
        if not re.fullmatch(r"https?://[^/\s@?#]+/?", url.get_secret_value()):
            raise ValueError("https://HOST or http://HOST is needed, without a user before HOST or a path behind it")
        return url

    @model_validator(mode="after")
    def _fits(self) -> Self:
        needs_one_of(self, "key_file", "key_env")
        if self.kms_key is not None and self.encryption != "aws:kms":
            raise ValueError('kms_key needs encryption = "aws:kms"')
        return self

    @property
    def address(self) -> str:
        """Where the store is, without a slash at the end."""
        return self.endpoint.get_secret_value().rstrip("/")

    def key(self) -> tuple[str, str]:
        """Name and secret of the key; ConfigError if it cannot be read."""
        return self.key_id, read_secret("bucket", self.key_file, self.key_env)
