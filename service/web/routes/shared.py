"""What a signed link opens without signing in, until it expires: a picture, or the replay of a round."""

from datetime import timedelta
from typing import Annotated, Final
from urllib.parse import urlencode

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse, Response

from service.access.signed_links import LONGEST, PICTURE, Opened
from service.api.permissions import PUBLIC
from service.api.problems import ProblemError
from service.api.routes.evidence import find_picture
from service.api.scope import Scope
from service.record.results import report_of
from service.record.store.database_reader import record_of_log
from service.web.replay import SECONDS, replay_of
from service.web.round_views import moments
from service.web.templating import Page, PageDep
from service.words.wording import words

router = APIRouter(prefix="/shared", include_in_schema=False)

ROUND: Final = "round"
LINK_LASTS: Final = timedelta(hours=24)
Link = Annotated[str, Query(max_length=LONGEST)]


def opened(page: Page, link: str, kind: str, count: int) -> Opened:
    """Return what a link of this kind opens, with ``count`` names; ProblemError if it is another or has expired."""
    found = page.parts.access.links.open(link)
    if found is None or found.what[0] != kind or len(found.what) != 1 + count:
        raise ProblemError("not_found", words("This link has expired, or was not copied whole."))
    return found


@router.get("/picture", dependencies=[PUBLIC])
async def read_picture(page: PageDep, link: Link) -> Response:
    """A picture or clip of evidence."""
    sha256 = opened(page, link, PICTURE, 1).what[1]
    picture = await find_picture(page.parts, Scope(page.parts), sha256)
    if picture is None:
        raise ProblemError("unknown_picture", words("This picture was removed after it was exported."))
    return Response(picture.data, media_type=picture.media_type)


@router.get("/round", dependencies=[PUBLIC])
def read_round(page: PageDep, link: Link) -> HTMLResponse:
    """The replay of a round."""
    found = opened(page, link, ROUND, 2)
    _, table, round_id = found.what
    parts, scope = page.parts, Scope(page.parts)
    log = scope.log_of_round(table, round_id)
    entries = record_of_log(parts.projector.database, log).of_rounds((round_id,))
    revisions = tuple(map(report_of, entries))
    kept = {one.sha256 for each in revisions for one in each.evidence if parts.is_kept(table, one.sha256)}

    def src(sha256: str) -> str:
        return f"/shared/picture?{urlencode({'link': parts.access.links.make(found.until, PICTURE, sha256)})}"

    return page.answer(
        "shared.html",
        played=revisions[-1],
        title=scope.table_of(table).title,
        moments=moments(revisions, kept),
        replay=replay_of(revisions, kept),
        replay_seconds=SECONDS,
        src=src,
        until=found.until,
    )
