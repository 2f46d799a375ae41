"""A settings file as it was written: its values, the line of each key, and where a value from elsewhere came from.

The standard library's TOML parser reports no line numbers, so statements are parsed one at a time: a statement ends at
the first line where it is valid TOML on its own, and its keys belong to the table opened last.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from calibration.files.json_file import read_bounded
from service.words.validation import fault_message
from vision.addresses import is_address

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from pathlib import Path

    from pydantic_core import ErrorDetails

KeyPath: TypeAlias = tuple[str | int, ...]

_LONGEST_SECRET: Final = 8_192
_SIMILAR: Final = 0.75
"""Least similarity of an unknown key to the one that was probably meant: one wrong letter of four."""


class ConfigError(ValueError):
    """A settings file that cannot be used; the message says which key is wrong and what it should be."""


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A settings file before it is known to make sense.

    Attributes:
        values: its content, with overrides from options and the environment.
        elsewhere: origin of each value that is not from the file, by key.
    """

    path: Path
    text: str
    values: dict[str, Any]
    elsewhere: dict[KeyPath, str] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> SettingsFile:
        """Read a file; ConfigError if it is missing, cannot be read, or is not TOML."""
        try:
            text = read_bounded(path).decode("utf-8-sig").replace("\r\n", "\n")
            return cls(path, text, tomllib.loads(text))
        except FileNotFoundError:
            raise ConfigError(f"{path}: there is no such settings file") from None
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{path}: cannot be read: {_why(error)}") from None
        except ValueError as error:  # also a number of more digits than Python converts
            raise ConfigError(f"{path}: not TOML: {error}") from None
        except RecursionError:
            raise ConfigError(f"{path}: not TOML: arrays or tables stand within each other too deeply") from None

    @classmethod
    def read_or_new(cls, path: Path) -> SettingsFile:
        """Read a file; one that is not there yet is empty if it could be written. ConfigError as with ``read``."""
        if not path.exists() and path.parent.is_dir():
            return cls(path, "", {})
        return cls.read(path)

    def put(self, key: KeyPath, value: object, origin: str) -> None:
        """Override a value of the file; invalid sections are reported later."""
        above: Any = self.values
        for part in key[:-1]:
            if isinstance(above, dict):
                above = above.setdefault(part, {})
            else:
                above = above[part] if isinstance(above, list) and isinstance(part, int) else None
        if isinstance(above, dict):
            above[key[-1]] = value
            self.elsewhere[key] = origin

    def section(self, key: KeyPath) -> dict[str, Any]:
        """The section at a path; empty if it is missing or not a section."""
        found: Any = self.values
        for part in key:
            try:
                found = found[part]
            except (KeyError, IndexError, TypeError):
                return {}
        return found if isinstance(found, dict) else {}

    def put_secret(self, key: KeyPath, variable: str | None = None) -> None:
        """Take a secret from the environment variable, or from the file that ``VARIABLE_FILE`` or ``KEY_file`` names.

        ConfigError if that file cannot be used, or the settings have both the secret and its file.
        """
        above, name, named_file = key[:-1], str(key[-1]), f"{key[-1]}_file"
        beside = (*above, named_file)
        if variable is not None and (value := os.environ.get(variable)):
            self.section(above).pop(named_file, None)
            self.put(key, value, f"environment variable {variable}")
            return
        if variable is not None and (named := os.environ.get(f"{variable}_FILE")):
            self.section(above).pop(name, None)
            self.put(beside, named, f"environment variable {variable}_FILE")
        given = self.section(above)
        if not isinstance(written := given.get(named_file), str):
            return
        if name in given:
            raise ConfigError(self.fault(beside, f"{name} is set too; keep only one of them"))
        if is_address(written):
            raise ConfigError(self.fault(beside, "a file is needed here, but this is an address"))
        file = (self.path.resolve().parent / os.path.expanduser(written)).resolve()  # noqa: PTH111
        given[named_file] = str(file)
        self.put(key, self._secret(file, beside), f"file {file}")

    def _secret(self, file: Path, key: KeyPath) -> str:
        try:
            with file.open(encoding="utf-8") as opened:
                secret = opened.read(_LONGEST_SECRET + 1).strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(self.fault(key, f"{file}: {_why(error)}")) from None
        if not secret or len(secret) > _LONGEST_SECRET:
            raise ConfigError(self.fault(key, f"{file}: {'is empty' if not secret else 'is too long for a secret'}"))
        return secret

    def fault(self, key: KeyPath, what: str) -> str:
        """A fault in one line: file, line (the section's if the key is missing) or other origin, key, what is wrong."""
        name = self._name_of(key)
        if key in self.elsewhere:
            return f"{self.path}: {name} (from {self.elsewhere[key]}): {what}"
        known = lines_of(self.text)
        line = next((known[key[:length]] for length in range(len(key), 0, -1) if key[:length] in known), None)
        where = f"{self.path}:{line}" if line is not None else f"{self.path}"
        return f"{where}: {name}: {what}" if name else f"{where}: {what}"

    def _name_of(self, key: KeyPath) -> str:
        """A key for people: members of an array are counted from 1, with their own names if they have any."""
        name, numbered = "", False
        for length, part in enumerate(key, start=1):
            if isinstance(part, int):
                named = self.section(key[:length]).get("name")
                name += f" {part + 1}" + (f" ({named})" if isinstance(named, str) else "")
            else:
                name += (": " if numbered else "." if name else "") + part
            numbered = isinstance(part, int)
        return name


def read_secret(where: str, file: Path | None, variable: str | None) -> str:
    """Read a secret from its file or else from an environment variable; ConfigError at ``where`` if it is missing."""
    if file is None:
        found = os.environ.get(variable or "", "")
    else:
        try:
            found = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{where}: its secret cannot be read from {file}: {_why(error)}") from None
    if not found.strip():
        raise ConfigError(f"{where}: there is no secret in {f'the variable {variable}' if file is None else file}")
    return found.strip()


def _why(error: OSError | UnicodeDecodeError) -> str:
    """Why a text file cannot be read."""
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8 text; save it as UTF-8"
    return (error.strerror or str(error)).lower()


def lines_of(text: str) -> dict[KeyPath, int]:
    r"""Return the line on which each key's statement starts, counted from 1.

    >>> lines_of('[server]\nsizes = [\n  1,\n  2]\n\n[[camera]]\nsize = 1\n')
    {('server',): 1, ('server', 'sizes'): 2, ('camera',): 6, ('camera', 0): 6, ('camera', 0, 'size'): 7}

    Args:
        text: valid TOML.
    """
    found: dict[KeyPath, int] = {}
    opened: KeyPath = ()
    arrays: dict[KeyPath, int] = {}
    statement, starts = "", 1
    for number, line in enumerate(text.split("\n"), start=1):
        statement += line + "\n"
        try:
            values = tomllib.loads(statement)
        except tomllib.TOMLDecodeError:
            continue  # in the middle of a statement
        if statement.lstrip().startswith("["):
            opened = _opened(values, arrays)
            keys: Iterable[KeyPath] = (opened[:length] for length in range(1, len(opened) + 1))
        else:
            keys = ((*opened, *key) for key in _keys(values))
        for key in keys:
            found.setdefault(key, starts)
        statement, starts = "", number + 1
    return found


def _opened(values: dict[str, Any], arrays: dict[KeyPath, int]) -> KeyPath:
    """The table that a heading opens; ``arrays`` counts the tables of each array so far."""
    path: KeyPath = ()
    while values:
        ((name, within),) = values.items()
        path = (*path, name)
        if isinstance(within, list):
            arrays[path] = arrays.get(path, 0) + 1
            within = within[0]
        if path in arrays:
            path = (*path, arrays[path] - 1)
        values = within
    return path


def _keys(values: object, above: KeyPath = ()) -> Iterator[KeyPath]:
    inner: list[tuple[str | int, object]] = []
    if isinstance(values, dict):
        inner = list(values.items())
    elif isinstance(values, list):
        inner = list(enumerate(values)) if any(isinstance(value, dict) for value in values) else []
    for name, value in inner:
        yield (*above, name)
        yield from _keys(value, (*above, name))


def faults(
    file: SettingsFile,
    found: Iterable[tuple[KeyPath, ErrorDetails]],
    known: Mapping[KeyPath, Collection[str]],
) -> str:
    """All faults that pydantic found, one a line.

    Args:
        file: where they are.
        found: each with its key.
        known: the names that a section may hold, by its key without the numbers in it.
    """
    lines = []
    for key, fault in found:
        what = fault_message(fault)
        if fault["type"] == "extra_forbidden":
            section = tuple(part for part in key[:-1] if isinstance(part, str))
            near = difflib.get_close_matches(str(key[-1]), known.get(section, ()), n=1, cutoff=_SIMILAR)
            what += f"; did you mean {near[0]!r}?" if near else ""
        lines.append(file.fault(key, what))
    return "\n".join(lines)
