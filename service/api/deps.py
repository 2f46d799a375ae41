"""Dependencies and parameters that routes share."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Final, TypeVar, cast

from fastapi import Depends, Header, Path, Query, Request

from service.api.local_table import LocalTable
from service.api.parts import Parts
from service.api.problems import ProblemError
from service.api.scope import Scope, scope_of
from service.table.monitor.set_watch import LONGEST_PATIENCE_S
from service.words.wording import words

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")
_NO_PICTURE_S: Final = LONGEST_PATIENCE_S + 4.0

TableName = Annotated[str, Path(max_length=40, description="the table's name, as in /v1/tables")]
AskedTableName = Annotated[
    str | None,
    Query(alias="table", max_length=40, description="the table's name; optional if there is only one"),
]
RoundId = Annotated[str, Path(max_length=64, description="the round's id", examples=["r1"])]
IdempotencyKey = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=100,
        pattern=r"^[\x21-\x7e]+$",
        description="identifies this request: repeated with the same key, it is executed once and answered alike",
        examples=["6f1c2e0a-1"],
    ),
]


# Coroutines: FastAPI would run a plain function in a thread for every request.


async def _parts(request: Request) -> Parts:
    return cast("Parts", request.app.state.parts)


PartsDep = Annotated[Parts, Depends(_parts)]


async def _sight(request: Request, parts: PartsDep) -> Scope:
    return scope_of(request, parts)


ScopeDep = Annotated[Scope, Depends(_sight)]


async def _table(table: TableName, scope: ScopeDep) -> LocalTable:
    return scope.local_table(table)


async def _asked_table(scope: ScopeDep, table: AskedTableName = None) -> LocalTable:
    return scope.asked_table(table)


def _table_of_round(round_id: RoundId, parts: PartsDep, scope: ScopeDep) -> LocalTable:
    return scope.local_table(parts.table_of(round_id))


TableDep = Annotated[LocalTable, Depends(_table)]
"""The local table in the path."""
AskedTableDep = Annotated[LocalTable, Depends(_asked_table)]
"""The local table named in the query, or the only one."""
RoundTableDep = Annotated[LocalTable, Depends(_table_of_round)]
"""The local table of the round in the path."""


async def answer_from_pictures(answer: Future[T]) -> T:
    """Wait for what the next pictures answer to a request; ProblemError if no picture comes in time."""
    try:
        return await asyncio.wait_for(asyncio.wrap_future(answer), _NO_PICTURE_S)
    except TimeoutError:
        detail = words("No picture arrived in time; /v1/tables shows the state of the camera.")
        raise ProblemError("no_pictures", detail) from None
