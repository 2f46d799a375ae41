"""Strict access to one JSON object: each value is there, of the right kind and finite, or the fault is named.

Used for every file that describes a table or a picture, so that a slip of the pen in one is named by its place
(``dev_00.json, objects[3].polygon``) instead of surfacing later as a strange reading.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

Chosen = TypeVar("Chosen")


class Fields:
    """One JSON object whose values are taken by key and kind.

    Args:
        data: what the JSON parser gave.
        where: how a person finds this object: the file, then the path inside it.
        error: the exception to raise, so that each format speaks with its own.
    """

    def __init__(self, data: object, where: str, error: type[Exception]) -> None:
        self.where: Final = where
        self._error: Final = error
        if not isinstance(data, dict):
            raise error(f"{where}: expected a JSON object, got {_kind(data)}")
        self._data: Final[dict[str, object]] = data
        self._taken: Final[set[str]] = set()

    def __contains__(self, key: str) -> bool:
        """Whether the key is there and not null."""
        return self._data.get(key) is not None

    def fail(self, key: str, message: str) -> Exception:
        """The exception for one value, ready to be raised."""
        return self._error(f"{self.where}, {key}: {message}")

    def raw(self, key: str) -> object:
        """The value as parsed, None if it is not there."""
        self._taken.add(key)
        return self._data.get(key)

    def need(self, key: str) -> object:
        """The value as parsed.

        Raises:
            Exception: of the class given, if the key is missing or null.
        """
        value = self.raw(key)
        if value is None:
            state = "is null" if key in self._data else "is missing"
            raise self._error(f"{self.where}: {key!r} {state}")
        return value

    def number(self, key: str) -> float:
        """A finite number."""
        return self._number(key, self.need(key))

    def maybe_number(self, key: str) -> float | None:
        """A finite number, or None if the key is missing or null."""
        value = self.raw(key)
        return None if value is None else self._number(key, value)

    def integer(self, key: str) -> int:
        """A whole number."""
        value = self.need(key)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.fail(key, f"expected a whole number, got {_kind(value)}")
        return value

    def text(self, key: str) -> str:
        """A string."""
        value = self.need(key)
        if not isinstance(value, str):
            raise self.fail(key, f"expected a string, got {_kind(value)}")
        return value

    def maybe_text(self, key: str) -> str | None:
        """A string, or None if the key is missing or null."""
        return None if self.raw(key) is None else self.text(key)

    def choice(self, key: str, choices: Mapping[str, Chosen]) -> Chosen | None:
        """What one of a few words stands for, or None if the key is missing or null."""
        word = self.maybe_text(key)
        if word is None:
            return None
        if word not in choices:
            raise self.fail(key, f"expected {', '.join(choices)} or null, got {word!r}")
        return choices[word]

    def flag(self, key: str, *, default: bool | None = None) -> bool:
        """True or false; the default, if there is one, where the key is missing or null."""
        value = self.raw(key)
        if value is None and default is not None:
            return default
        value = self.need(key)
        if not isinstance(value, bool):
            raise self.fail(key, f"expected true or false, got {_kind(value)}")
        return value

    def numbers(self, key: str, count: int | Sequence[int]) -> tuple[float, ...]:
        """A list of finite numbers of one of the lengths allowed."""
        values = self.need(key)
        counts = (count,) if isinstance(count, int) else tuple(count)
        if not isinstance(values, list) or len(values) not in counts:
            wanted = " or ".join(str(each) for each in counts)
            raise self.fail(key, f"expected a list of {wanted} numbers, got {_kind(values)}")
        return tuple(self._number(f"{key}[{index}]", value) for index, value in enumerate(values))

    def pairs(self, key: str, count: int | None = None) -> tuple[tuple[float, float], ...]:
        """A list of [x, y] pairs, of the length given if one is."""
        values = self.items(key)
        if count is not None and len(values) != count:
            raise self.fail(key, f"expected {count} points, got {len(values)}")
        points: list[tuple[float, float]] = []
        for index, value in enumerate(values):
            if not isinstance(value, list) or len(value) != 2:
                raise self.fail(f"{key}[{index}]", f"expected [x, y], got {_kind(value)}")
            x, y = (self._number(f"{key}[{index}]", each) for each in value)
            points.append((x, y))
        return tuple(points)

    def rows(self, key: str, height: int, width: int) -> tuple[tuple[float, ...], ...]:
        """A matrix of finite numbers, row by row."""
        values = self.items(key)
        if len(values) != height or not all(isinstance(row, list) and len(row) == width for row in values):
            raise self.fail(key, f"expected {height} rows of {width} numbers")
        table = Fields({str(index): row for index, row in enumerate(values)}, f"{self.where}, {key}", self._error)
        return tuple(table.numbers(str(index), width) for index in range(height))

    def items(self, key: str) -> list[object]:
        """A list of anything."""
        values = self.need(key)
        if not isinstance(values, list):
            raise self.fail(key, f"expected a list, got {_kind(values)}")
        return values

    def mapping(self, key: str) -> dict[str, object]:
        """An object, as parsed."""
        value = self.need(key)
        if not isinstance(value, dict):
            raise self.fail(key, f"expected a JSON object, got {_kind(value)}")
        return value

    def maybe_mapping(self, key: str) -> dict[str, object] | None:
        """An object as parsed, or None if the key is missing or null."""
        return None if self.raw(key) is None else self.mapping(key)

    def section(self, key: str) -> Fields:
        """An object, to be taken apart in the same way."""
        return Fields(self.need(key), f"{self.where}, {key}", self._error)

    def keys(self) -> tuple[str, ...]:
        """The keys of the object, in the order of the file."""
        return tuple(self._data)

    def all(self) -> dict[str, object]:
        """Everything the object holds, taken or not."""
        return dict(self._data)

    def rest(self) -> dict[str, object]:
        """What has not been taken yet."""
        return {key: value for key, value in self._data.items() if key not in self._taken}

    def close(self) -> None:
        """Ends the reading.

        Raises:
            Exception: of the class given, if the object holds keys nobody asked for.
        """
        unknown = sorted(self.rest())
        if unknown:
            raise self._error(f"{self.where}: unknown keys {', '.join(map(repr, unknown))}")

    def _number(self, key: str, value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.fail(key, f"expected a number, got {_kind(value)}")
        if not math.isfinite(value):
            raise self.fail(key, f"expected a finite number, got {value}")
        return float(value)


def read_object(path: Path, error: type[Exception]) -> Fields:
    """The JSON object in a file.

    Raises:
        Exception: of the class given, if the file cannot be read or holds no JSON object.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as fault:
        raise error(f"{path}: cannot be read ({fault.strerror})") from fault
    except UnicodeDecodeError as fault:
        raise error(f"{path}: is not a text file; a JSON file was expected") from fault
    except (json.JSONDecodeError, RecursionError) as fault:
        raise error(f"{path}: is not valid JSON ({fault})") from fault
    return Fields(data, path.name, error)


def _kind(value: object) -> str:
    """What a value is, in a word or two."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f"the string {value[:40]!r}"
    if isinstance(value, int | float):
        return f"the number {value}"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return "an object"
