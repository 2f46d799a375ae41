"""What several routes and pages of the floor ask in the same way."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from service.alarms.alarm_book import AlarmList
from service.floor.desk import CutError, NotDoneError, TakenError
from service.floor.projections import schema
from service.http.errors import ProblemError
from service.words.wording import words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.floor.parts import FloorParts
    from service.floor.settings import FloorTableConfig
    from service.floor.store.held import HeldTable


@contextmanager
def refusals() -> Iterator[None]:
    """Answer with a problem where the desk refuses."""
    try:
        yield
    except TakenError as error:
        raise ProblemError(409, "taken", error.words) from None
    except CutError as error:
        raise ProblemError(503, "table_unreachable", error.words, headers={"Retry-After": "5"}) from None
    except NotDoneError as error:
        raise ProblemError(error.status, error.code, error.words) from None


def table_of(parts: FloorParts, name: str) -> FloorTableConfig:
    """A table of the settings by its name; ProblemError if there is none."""
    found = next((table for table in parts.config.tables if table.name == name), None)
    if found is None:
        raise ProblemError(404, "unknown_table", words("There is no table %(table)s on this floor.", table=repr(name)))
    return found


def held_table(parts: FloorParts, name: str) -> HeldTable:
    """The same as the store has it; ProblemError also if nothing of it was ever collected."""
    table_of(parts, name)
    found = parts.reader.table(name)
    if found is None:
        nothing = words("Nothing of the table %(table)s was collected yet.", table=repr(name))
        raise ProblemError(404, "unknown_table", nothing)
    return found


def tables_in(parts: FloorParts, table: str | None, pit: str | None) -> list[str] | None:
    """Names of the tables that are meant; None for all. ProblemError if there is no such table or pit."""
    if pit is not None and pit not in {each.name for each in parts.config.pits}:
        raise ProblemError(404, "unknown_pit", words("There is no pit %(pit)s on this floor.", pit=repr(pit)))
    if table is not None:
        of = table_of(parts, table)
        return [table] if pit in {None, of.pit} else []
    return None if pit is None else [each.name for each in parts.config.tables if each.pit == pit]


def alarms_of(parts: FloorParts, tables: list[str] | None) -> AlarmList:
    """The alarms of some tables, or of all of them."""
    alarms = schema.alarms_of_floor
    about = () if tables is None else (alarms.c.table.in_(tables),)
    return AlarmList(parts.reader.database, alarms, *about)
