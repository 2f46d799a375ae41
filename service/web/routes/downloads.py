"""What people take away from the page: the incident sheet of a round, and rounds as a table for a spreadsheet."""

from collections.abc import Iterator
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response, StreamingResponse

from service.access.roles import Permission
from service.http.local_table import LocalTableRoute
from service.http.permissions import requires
from service.judge.low_hand import low_hand_of
from service.projections.round_search import find_rounds
from service.rounds.reports import RoundReport
from service.rounds.rounds_csv import rounds_csv
from service.web.incident import incident_of, incident_sheet
from service.web.round_history import Search
from service.web.routes.rounds import OF_TABLE, RoundId
from service.web.templating import TablePageDep

router = APIRouter(prefix="/tables/{table}", route_class=LocalTableRoute, include_in_schema=False)


@router.get("/rounds/{round_id}/incident.pdf", dependencies=[requires(Permission.EVIDENCE), OF_TABLE])
def read_incident(page: TablePageDep, round_id: RoundId) -> Response:
    """The incident sheet of a round."""
    parts, table = page.parts, page.table
    incident = incident_of(parts.record, parts.record.id, parts.record.evidence.get, round_id)
    low_lies = low_hand_of(table.settings.low_hand, table.rules.of_round(incident.played).book).value
    sheet = incident_sheet(incident, page, table.settings.title, table.rules.of_round, low_lies)
    return attached(sheet, f"round-{incident.played.number}.pdf")


@router.get("/history.csv", dependencies=[requires(Permission.RESULTS)])
def read_rounds_table(page: TablePageDep, asked: Annotated[Search, Query()]) -> Response:
    """The rounds that somebody looks for, all of them, newest first."""
    lines = rounds_csv(_all(page, asked))
    return attached(StreamingResponse(lines, media_type="text/csv; charset=utf-8"), "rounds.csv")


def _all(page: TablePageDep, asked: Search) -> Iterator[RoundReport]:
    config, before = page.parts.config, asked.before
    wanted = asked.in_zone(config.page.zone)
    while True:
        found = find_rounds(page.parts.projector, wanted, [page.table.name], before=before)
        yield from found.played
        if (before := found.next) is None:
            return


def attached(answer: Response, name: str) -> Response:
    """An answer as a file to keep, under a name."""
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    answer.headers["Cache-Control"] = "no-store"
    return answer
