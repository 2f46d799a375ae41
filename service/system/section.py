"""What every section of the settings is: frozen, and an unknown key is an error."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    GetJsonSchemaHandler,
    Secret,
    StringConstraints,
    ValidationInfo,
    model_validator,
)

from engine.books.way_files import is_file
from vision.addresses import HIDDEN, is_address, shown_address

if TYPE_CHECKING:
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core import CoreSchema


_MOST_DEVICES = 63


class Section(BaseModel):
    """A section of the settings."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class TitledSection(Section):
    """A section with a name for programs and a title for people, which is the name if omitted."""

    @model_validator(mode="before")
    @classmethod
    def _is_titled(cls, values: Any) -> Any:  # noqa: ANN401  whatever the file says
        named = isinstance(values, dict) and not values.get("title") and isinstance(values.get("name"), str)
        return {**values, "title": values["name"]} if named else values


class Address(Secret[str]):
    """An address that may hold a password or a key anywhere but in its host and port, which alone are ever shown."""

    def _display(self) -> str:
        return shown_address(self.get_secret_value())

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Text, of which editors need not show what is typed."""
        return {**handler(schema), "format": "password", "writeOnly": True}


def clear_address(address: Address) -> Address:
    """Require an unambiguous host; otherwise a part of the password could be taken for it."""
    if str(address) == HIDDEN or address.get_secret_value().count("@") > 1:
        raise ValueError(
            "its host and port are not clear: write every other @ as %40, and in a user name or "
            "password / as %2F, : as %3A, ? as %3F, # as %23"
        )
    return address


def _no_address(value: object) -> object:
    if isinstance(value, str | Path) and is_address(str(value)):
        raise ValueError("a file or folder is needed here, but this is an address")
    return value


def _device(value: object) -> object:
    named = isinstance(value, str) and re.fullmatch(r"/dev/[\w.:+/-]+", value) and ".." not in value
    if named or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_DEVICES):
        return value
    raise ValueError("a camera's number such as 0, or its file such as /dev/v4l/by-id/usb-...-video-index0 is needed")


def _no_secret(name: str) -> str:
    if name.startswith("whsec_"):
        raise ValueError("this is a secret: put it in a file or an environment variable, and name that here")
    return name


def _no_secret_file(path: Path) -> Path:
    _no_secret(path.name)
    return path


def _beside(path: Path, info: ValidationInfo) -> Path:
    """A path as the settings file means it: relative to its folder, which is the context of the validation."""
    folder: Path | None = (info.context or {}).get("folder")
    return path if folder is None else (folder / path.expanduser()).resolve()


def _beside_if_file(name: str, info: ValidationInfo) -> str:
    return str(_beside(Path(name), info)) if is_file(name) and info.context else name


def _of_the_web(address: Address) -> Address:
    if not re.fullmatch(r"https?://[^/\s@?#]+(/[^\s?#]*)?", address.get_secret_value()):
        raise ValueError("https://HOST or http://HOST is needed, without a user before HOST")
    return address


def needs_one_of(section: Section, file: str, variable: str) -> None:
    """ValueError unless a secret is named once: by its file, or by its environment variable."""
    if (getattr(section, file) is None) == (getattr(section, variable) is None):
        raise ValueError(f"name either {file} or {variable}")


Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]
"""A name for programs: small letters, digits and hyphens."""
ClearAddress = Annotated[Address, AfterValidator(clear_address)]
"""An address with an unambiguous host."""
WebAddress = Annotated[ClearAddress, AfterValidator(_of_the_web)]
"""The address of a service, to which the path of what is asked is added."""
File = Annotated[Path, BeforeValidator(_no_address), AfterValidator(_beside)]
"""The path of a file or folder, relative to the settings' own folder."""
FileOrId = Annotated[str, BeforeValidator(_no_address), AfterValidator(_beside_if_file)]
"""The path of a House Way file, or an id."""
SecretFile = Annotated[File, AfterValidator(_no_secret_file)]
"""The path of a file that holds a secret."""
Variable = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=100), AfterValidator(_no_secret)
]
"""The name of an environment variable that holds a secret."""
Device = Annotated[int | str, BeforeValidator(_device)]
"""A camera of this machine: its number, or its file under ``/dev``."""
Host = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._:%\[\]-]+$", max_length=255)]
"""The name or address of a machine alone."""
