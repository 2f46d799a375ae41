"""Changing a settings file as a person would: keys are put in their places, comments and all other keys stay.

A file is written in one step, with the rights that it had, and only once it is known that it can be used.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias

import tomlkit
from tomlkit.exceptions import TOMLKitError

from service.system.settings_file import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from service.system.settings_file import KeyPath

Value: TypeAlias = str | bool | int | float | list[int]
Changes: TypeAlias = "Mapping[KeyPath, Mapping[str, Value | None]]"
"""By the path of the section, such as ``("tables", 0, "source")``, and key: the value, None to take the key away."""

_PRIVATE: int = 0o600


def edited(text: str, changes: Changes) -> str:
    r"""The text of a settings file with some keys put or taken away.

    >>> put = {("tables", 0): {"title": "Pit 4"}, ("page",): {"time_zone": None}}
    >>> print(edited('[[tables]]\nname = "one"  # ours\n', put), end="")
    [[tables]]
    name = "one"  # ours
    title = "Pit 4"

    Args:
        text: valid TOML; may be empty.
        changes: what to put where.

    Raises:
        ConfigError: the text is not TOML, or a path in it is not a section.
    """
    try:
        document = tomlkit.parse(text)
        for path, keys in changes.items():
            section = _section(document, path, make=any(value is not None for value in keys.values()))
            for key, value in keys.items():
                if value is None:
                    section.pop(key, None)
                elif section.get(key) != value:
                    section[key] = value
        return tomlkit.dumps(document)
    except (TOMLKitError, AttributeError, TypeError, ValueError, LookupError) as error:
        raise ConfigError(f"the settings file cannot be changed in its present form: {error}") from None


def _section(document: Any, path: KeyPath, *, make: bool) -> Any:  # noqa: ANN401  of tomlkit
    """The section at a path; one that is missing is made, or is empty and nowhere."""
    found = document
    for part, below in zip(path, (*path[1:], None), strict=True):
        if isinstance(part, int):
            if part == len(found) and make:
                found.append(tomlkit.table())
            found = found[part] if part < len(found) else {}
        else:
            if part not in found and make:
                found[part] = tomlkit.aot() if isinstance(below, int) else tomlkit.table()
            found = found.get(part, [] if isinstance(below, int) else {})
    return found


def write_text(path: Path, text: str, mode: int | None = None) -> None:
    """Write a file in one step; a reader finds the old content or the new.

    Args:
        path: the file.
        text: its new content.
        mode: its permissions; unchanged, or those of a new file, by default.

    Raises:
        OSError: it cannot be written; the old file is then untouched.
    """
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(4)}.new")
    with suppress(FileNotFoundError):
        mode = path.stat().st_mode & 0o777 if mode is None else mode
    try:
        # Never wider than the file that it becomes, not even for a moment.
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE), "w", encoding="utf-8") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        fresh.chmod(_usual_mode() if mode is None else mode)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def write_secret(path: Path, secret: str) -> None:
    """Write a secret into a file that the owner alone reads; OSError if it cannot be written."""
    write_text(path, f"{secret}\n", _PRIVATE)


def _usual_mode() -> int:
    """The rights of a new file of this process."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
