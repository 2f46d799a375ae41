"""The record as feeds: results, entries with their proofs, and changes of accounts and settings."""

from datetime import datetime
from typing import Annotated, Any, Literal, Self

from fastapi import APIRouter, Query, Response
from pydantic import Field

from service.access.roles import Permission
from service.api.conditional import long_poll
from service.api.deps import PartsDep, ScopeDep
from service.api.permissions import requires
from service.api.problems import problems
from service.record.feed import EntriesOut, ResultsOut, Wanted
from service.record.store.covered_rows import BESIDE
from service.record.store.entries import CHANGES, Entry
from service.record.store.stored_logs import START, read_cursor
from service.rounds.reports import FrozenModel

router = APIRouter(prefix="/v1", tags=["record"])

_NO_STORE = {"Cache-Control": "no-store"}
_Since = Annotated[
    Annotated[str, Field(max_length=100)] | None,
    Field(description="`next` of the previous page; omit it to start with the oldest"),
]


class ResultsQuery(FrozenModel):
    """Selects results. Unknown parameters are refused: a client that misspells ``since`` would start over."""

    since: _Since = None
    limit: int = Field(default=50, ge=1, le=200, description="maximum number of results per page")
    wait: float = Field(default=0, ge=0, le=300, description="seconds to wait for a result before answering")
    table: Annotated[str, Field(max_length=40)] | None = Field(
        default=None, description="only results of this table", examples=["test"]
    )
    state: Literal["closed"] | None = Field(
        default=None, description="`closed`: only revisions of closed rounds; a page may be shorter then, or empty"
    )
    view: Literal["full", "summary"] = Field(
        default="full", description="`summary`: rounds in short, in about 1 kB", examples=["summary"]
    )


class EntriesQuery(FrozenModel):
    """Selects entries; unknown parameters are refused."""

    since: _Since = None
    limit: int = Field(default=100, ge=1, le=200, description="maximum number of entries per page")
    wait: float = Field(default=0, ge=0, le=300, description="seconds to wait for an entry before answering")


class ChangeOut(FrozenModel):
    """A recorded change.

    Attributes:
        seq: number of its entry in the record.
        at: when, UTC.
        kind: ``account``, ``key``, ``config``, ``calibration``, ``webhook``, ``models``, or at a hub ``trust``.
        subject: the account, key or table.
        by: the person or key that made it.
        act: the action.
        reason: why.
        details: other recorded values.
    """

    seq: int
    at: datetime
    kind: str
    subject: str
    by: str
    act: str
    reason: str
    details: dict[str, Any]

    @classmethod
    def of(cls, entry: Entry) -> Self:
        """The change that an entry records."""
        details = entry.data
        details.pop(BESIDE, None)  # digests, needed only to verify the record
        change = {name: str(details.pop(name, "")) for name in ("by", "act", "reason")}
        about = {"seq": entry.seq, "at": entry.at, "kind": entry.kind, "subject": entry.subject or ""}
        return cls.model_validate(about | change | {"details": details})


class ChangesOut(FrozenModel):
    """Changes, oldest first.

    Attributes:
        changes: in the order in which they were made.
        next: send this as ``since`` for the next page.
    """

    changes: tuple[ChangeOut, ...]
    next: int


@router.get(
    "/results",
    dependencies=[requires(Permission.RESULTS)],
    response_model=ResultsOut,
    responses=problems(404, 409, 422, 503),
)
async def list_results(parts: PartsDep, scope: ScopeDep, asked: Annotated[ResultsQuery, Query()]) -> Response:
    """Every revision of every round of all tables, oldest first, without gaps or repetitions.

    The results of a table are in the order of its record. Keep `next` and send it as `since`: it never expires, and
    survives restarts.
    """
    tables: tuple[str, ...] | None = None
    if asked.table is not None:
        tables = (scope.table_of(asked.table).name,)
    elif scope.of_pits:
        tables = tuple(each.name for each in scope.tables)
    since = START if asked.since is None else read_cursor(asked.since)
    wanted = Wanted(tables, asked.state == "closed", asked.view == "summary", asked.limit)
    body = await long_poll(
        parts.news.recorded,
        min(asked.wait, parts.config.server.max_wait_s),
        lambda changes: parts.feed.page(since, wanted, changes),
    )
    return Response(body, media_type="application/json", headers=_NO_STORE)


@router.get(
    "/record/entries",
    dependencies=[requires(Permission.ENTRIES)],
    response_model=EntriesOut,
    responses=problems(409, 422, 503),
)
async def list_entries(parts: PartsDep, asked: Annotated[EntriesQuery, Query()]) -> Response:
    """Every entry of every kind with its signature, oldest first, without gaps or repetitions.

    Keep `next` and send it as `since`. Verify each entry by its hash, the previous entry and its signature.
    """
    since = START if asked.since is None else read_cursor(asked.since)
    body = await long_poll(
        parts.news.appended,
        min(asked.wait, parts.config.server.max_wait_s),
        lambda changes: parts.feed.entries(since, asked.limit, changes),
    )
    return Response(body, media_type="application/json", headers=_NO_STORE)


@router.get("/changes", dependencies=[requires(Permission.CHANGES)], responses=problems(422))
def list_changes(
    parts: PartsDep,
    since: Annotated[int, Query(ge=0, le=2**53, description="`next` of the previous page")] = 0,
    limit: Annotated[int, Query(ge=1, le=500, description="maximum number of changes per page")] = 100,
) -> ChangesOut:
    """Changes of accounts, keys, settings and calibration, by whom and why; oldest first."""
    found = parts.record.after(since, kinds=CHANGES, limit=limit)
    return ChangesOut(changes=tuple(map(ChangeOut.of, found)), next=found[-1].seq if found else since)
