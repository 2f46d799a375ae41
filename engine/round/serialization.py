"""Rounds as JSON-compatible data, and back."""

from __future__ import annotations

from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import date
from difflib import get_close_matches
from enum import Enum
from fractions import Fraction
from functools import cache, partial
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin, get_type_hints

from engine.errors import EngineError, RecordError
from engine.game.tiles import Tile
from engine.round.event import KINDS, Event
from engine.round.state.house_table import Before, Table, is_whole
from engine.vocabulary.citations import Cite
from engine.vocabulary.irregularities import Irregularity, by_code, code
from engine.vocabulary.remedy import Effect

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

VERSION = 1
"""Version of the written form; other versions are rejected."""

D = TypeVar("D")

CODED = (Irregularity, Effect)
"""Enums written by code, since their values are sentences."""


def write(value: object) -> object:  # noqa: PLR0911  one return for each kind of value
    """Return any value of an event, a table or an opening as plain data.

    >>> write((Tile.TEEN, 5, None))
    ['6-6', 5, None]
    """
    if isinstance(value, CODED):
        return code(value)
    if isinstance(value, Enum):
        return str(value) if isinstance(value, Tile) else value.value
    if isinstance(value, Fraction | Cite | date):
        return str(value)
    if isinstance(value, tuple):
        return [write(part) for part in value]
    if isinstance(value, frozenset):
        return [write(part) for part in sorted(value, key=_order)]
    if isinstance(value, dict):
        return {str(key): write(part) for key, part in value.items()}
    if is_dataclass(value):
        return {field.name: write(getattr(value, field.name)) for field in fields(value)}
    return value


def _order(part: object) -> tuple[int, str]:
    return (part, "") if isinstance(part, int) else (0, str(part))


def write_event(event: Event) -> dict[str, object]:
    """An event with its kind, omitting default values."""
    return write_kind(event.kind, event)


def write_kind(kind: str, value: object) -> dict[str, object]:
    """A value of one of several classes with its kind, omitting default values."""
    data: dict[str, object] = {"kind": kind}
    cls: Any = type(value)
    for name, usual in _usual(cls):
        part = getattr(value, name)
        if usual is MISSING or part != usual:
            data[name] = write(part)
    return data


@cache
def _usual(cls: Callable[..., object]) -> tuple[tuple[str, object], ...]:
    return tuple((field.name, field.default) for field in _fields(cls))


def read_event(data: Mapping[str, object], where: str = "event") -> Event:
    """Parse an event.

    Raises:
        RecordError: an unknown kind, an unexpected or missing key, or a value of the wrong type.
    """
    kind = data.get("kind") if isinstance(data, dict) else None
    cls = KINDS.get(kind) if isinstance(kind, str) else None
    if cls is None:
        raise RecordError(
            f"{where}: no event is of kind {kind!r}{meant(kind, KINDS)}; known are {', '.join(sorted(KINDS))}"
        )
    return _read_fields(cls, {key: value for key, value in data.items() if key != "kind"}, f"{where} ({kind})")


def read_table(data: object) -> Table:
    """Parse a table; `RecordError` as for `read_event`."""
    return _read_fields(Table, data, "table")


def read_before(data: object) -> Before:
    """Parse an opening; `RecordError` as for `read_event`."""
    return _read_fields(Before, data, "before")


def _read_fields(cls: Callable[..., D], data: object, where: str) -> D:
    hints, needed = _hints(cls)
    found = with_keys(data, needed, hints.keys() - needed, where)
    return cls(**{name: read_value(hints[name], value, f"{where}, {name}") for name, value in found.items()})


def with_keys(data: object, needed: Collection[str], optional: Collection[str], where: str) -> dict[str, Any]:
    """Return an object that has these keys and no others.

    Raises:
        RecordError: it is no object, or keys are unknown or missing; the message names each, with the nearest known
            key.
    """
    if not isinstance(data, dict):
        raise RecordError(f"{where}: an object belongs here, not {data!r}")
    known = {*needed, *optional}
    free = known - data.keys()
    faults = [f"{key!r} is no key here{meant(key, free)}" for key in data.keys() - known]
    faults += [f"{key} is missing" for key in sorted(set(needed) - data.keys())]
    if faults:
        names = ", ".join(f"{name} (may be left out)" if name in optional else name for name in sorted(known))
        raise RecordError(f"{where}: {'; '.join(faults)}. It holds {names or 'nothing'}")
    return data


def meant(written: object, known: Collection[str]) -> str:
    """A suffix that names the nearest of the known words; empty if none is near."""
    near = get_close_matches(str(written), known, n=1)
    return f" (did you mean {near[0]}?)" if near else ""


def _fields(cls: Any) -> tuple[Field[object], ...]:  # noqa: ANN401  a dataclass, which has no type of its own
    return fields(cls)


@cache
def _hints(cls: Callable[..., object]) -> tuple[dict[str, Any], set[str]]:
    """The annotated types of the fields, and the fields without a default."""
    hints = get_type_hints(cls, localns={"Mapping": dict, "Fraction": Fraction})
    needed = {field.name for field in _fields(cls) if field.default is MISSING and field.default_factory is MISSING}
    return {field.name: hints[field.name] for field in _fields(cls)}, needed


def read_value(hint: Any, value: object, where: str) -> Any:  # noqa: ANN401  as annotated
    """Parse a value of an annotated type; `RecordError` as for `read_event`."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is UnionType:
        (some,) = (part for part in parts if part is not NoneType)
        return None if value is None else read_value(some, value, where)
    if origin in {tuple, frozenset}:
        if not isinstance(value, list):
            raise RecordError(f"{where}: a list belongs here, not {value!r}")
        return origin(read_value(parts[0], part, where) for part in value)
    if origin is dict:
        if not isinstance(value, dict):
            raise RecordError(f"{where}: an object belongs here, not {value!r}")
        return {_parsed(parts[0], key, where): read_value(parts[1], part, where) for key, part in value.items()}
    if hint in _PLAIN:
        if not (is_whole(value) if hint is int else isinstance(value, hint)):
            raise RecordError(f"{where}: {_PLAIN[hint]} belongs here, not {value!r}")
        return value
    if is_dataclass(hint) and isinstance(hint, type):
        return _read_fields(hint, value, where)
    if not isinstance(value, str):
        raise RecordError(f"{where}: a name belongs here, not {value!r}")
    parsers: dict[Any, Callable[[str], object]] = {
        Tile: Tile.parse,
        Cite: Cite.parse,
        date: date.fromisoformat,
        **{coded: partial(by_code, coded) for coded in CODED},
    }
    return _parsed(parsers.get(hint, hint), value, where)


_PLAIN = {int: "a whole number", str: "a text", bool: "true or false"}


def _parsed(parse: Callable[[str], object], text: str, where: str) -> object:
    try:
        return parse(text)
    except (EngineError, ValueError) as fault:
        raise RecordError(f"{where}: {fault}") from None
