"""Tables: state, current round and picture."""

from dataclasses import asdict
from typing import Annotated, Final

from fastapi import APIRouter, Query, Response

from service.access.roles import Permission
from service.api.conditional import (
    JPEG,
    NOT_MODIFIED,
    IfNoneMatch,
    conditional,
    hashed_response,
    long_poll,
    model_response,
)
from service.api.deps import PartsDep, ScopeDep, TableDep, TableName
from service.api.local_table import LocalTable
from service.api.parts import Parts
from service.api.permissions import requires
from service.api.problems import ProblemError, problems
from service.api.table_schemas import LocalTableOut, PitOut, PitsOut, RemoteTableOut, TableOut, TablesOut, TablesQuery
from service.hub.overview import TableSummary
from service.record.health import TableStatus
from service.rounds.reports import FindingReport, RoundReport
from service.rounds.served import RoundOut, findings_out
from service.table.monitor.table_status import table_status
from service.words.findings import words_of

_OF_CAPTURE: Final = frozenset(
    {"frames", "delivered", "dropped", "bad", "gaps", "longest_gap_ms", "lag_ms", "worst_lag_ms", "fps"}
)
_OF_EVERY_PICTURE: Final = {
    "tables": {
        "__all__": {
            "local": {**dict.fromkeys(("pictures_read", "last_picture_at", "read_ms"), True), "capture": _OF_CAPTURE}
        }
    }
}
"""What changes with every picture in the list of tables."""

router = APIRouter(prefix="/v1", tags=["tables"], dependencies=[requires(Permission.WATCH)])


@router.get("/pits")
async def list_pits(scope: ScopeDep) -> PitsOut:
    """Every pit with the states of its tables."""
    return PitsOut(pits=tuple(map(PitOut.of, (await scope.overview()).pits)))


@router.get("/tables", response_model=TablesOut, responses={**NOT_MODIFIED, **problems(404, 422)})
async def list_tables(
    parts: PartsDep, scope: ScopeDep, asked: Annotated[TablesQuery, Query()], if_none_match: IfNoneMatch = None
) -> Response:
    """All tables, local and remote, most severe state first.

    Its ETag does not change with every picture: a number, time or duration of pictures alone is no news. That pictures
    stay away is (`checks`, `status`), and so is another state, restart or error of the source (`capture`).
    """
    scope.tables_in(None, asked.pit)
    overview = await scope.overview()
    tables = TablesOut(
        service=parts.config.service.name,
        title=parts.config.service.title,
        tables=tuple(_described(parts, each) for each in overview.of(asked.pit, asked.state)),
        states=dict(overview.states),
        outdated=overview.outdated,
    )
    return model_response(tables, if_none_match, _OF_EVERY_PICTURE)


@router.get("/tables/{table}", responses=problems(404, 422))
async def get_table(parts: PartsDep, scope: ScopeDep, table: TableName) -> TableOut:
    """A table: its state, and the checks of a local or the collection of a remote one."""
    scope.table_of(table)
    return _described(parts, (await scope.overview()).by_name[table])


def _described(parts: Parts, shown: TableSummary) -> TableOut:
    if shown.remote is None:
        return TableOut.of(shown, local=describe_table(parts.tables[shown.name]), remote=None)
    known = parts.hub.writer.known[shown.name]
    return TableOut.of(shown, local=None, remote=RemoteTableOut.of(shown.url, shown.remote, known))


@router.get(
    "/tables/{table}/rounds/current",
    response_model=RoundOut,
    responses={**NOT_MODIFIED, **problems(404, 422)},
)
async def get_current_round(
    table: TableDep,
    parts: PartsDep,
    if_none_match: IfNoneMatch = None,
    wait: Annotated[float, Query(ge=0, le=300, description="seconds to wait for a change before answering")] = 0,
) -> Response:
    """The open round, or the last closed one; with ``wait``, answered once it differs from ``If-None-Match``."""

    def served(played: RoundReport) -> str:
        return RoundOut.from_report(played, table.rules.of_round(played)).model_dump_json()

    async def poll(_changes: int) -> tuple[Response | None, bool]:
        current = table.live.state.current
        if current is None:
            return None, False
        found = hashed_response(table.current.answer(current, served), "application/json", if_none_match)
        return found, found.status_code == 200

    found = await long_poll(table.live.changes, min(wait, parts.config.server.max_wait_s), poll)
    if found is None:
        raise ProblemError("no_round_yet", "No round has been seen at this table since the service started.")
    return found


@router.get(
    "/tables/{table}/view.jpg",
    response_class=Response,
    responses={**JPEG, **NOT_MODIFIED, **problems(404, 422)},
)
def get_view(
    table: TableDep,
    picture: Annotated[
        int | None,
        Query(ge=1, description="number of a picture; the newest is sent if it is no longer kept", examples=[2048]),
    ] = None,
    drawn: Annotated[bool, Query(description="whether the reading is drawn on it", examples=[False])] = True,  # noqa: FBT002  a query
    if_none_match: IfNoneMatch = None,
) -> Response:
    """The newest picture, or a recent one, with the reading drawn on it."""
    view = table.live.view(picture)
    if view is None:
        raise ProblemError("no_picture_yet", "No picture has been read yet; /v1/tables shows the state of the source.")
    return conditional(
        if_none_match, f'"view-{view.number}-{drawn:d}"', view.jpeg if drawn else view.plain, "image/jpeg"
    )


def status_of(table: LocalTable) -> TableStatus:
    """The table's current status."""
    calibrated = table.calibrating.in_use is not None
    source = table.settings.source
    return table_status(table.live, "camera" if source is None else source.kind, calibrated=calibrated)


def describe_table(table: LocalTable) -> LocalTableOut:
    """The table's current state."""
    status = status_of(table)
    state, checks = table.live.displayed, table.live.health()
    capture = table.live.capture
    error = capture and capture.last_error
    if any(check.blocks and not check.ok for check in checks):
        phase = "not_reading"
    elif state.current is None:
        phase = "waiting"
    else:
        phase = "round_open" if state.current.state == "open" else "between_rounds"
    rules = table.rules.now
    return LocalTableOut.model_validate(
        {
            "rulebook": rules.rulebook,
            "variant": None if rules.book is None else rules.book.variant,
            "house_way": rules.house_way.rulebook,
            "dealer": table.ledger.dealers.known.name,
            "phase": phase,
            "status": {
                "pictures": status.pictures,
                "level": status.level,
                "verifying": status.verifying,
                "code": status.finding.code,
                "message": str(words_of(status.finding)),
                "more": status.more,
            },
            "healthy": all(check.ok for check in checks),
            "checks": tuple(
                {
                    "name": check.name,
                    "ok": check.ok,
                    "message": check.message,
                    "findings": findings_out(map(FindingReport.of, check.findings)),
                }
                for check in checks
            ),
            "pictures_read": 0 if state.view is None else state.view.number,
            "last_picture_at": state.view and state.view.taken_at,
            "read_ms": state.reading and state.reading.elapsed_ms.get("total"),
            "current_round": state.current and state.current.id,
            "capture": capture and {**asdict(capture), "last_error": error and str(words_of(error))},
        }
    )
