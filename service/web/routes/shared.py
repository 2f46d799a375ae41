"""What a signed link opens without signing in, until it expires: a picture, or the replay of a round."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from service.access.signed_links import LONGEST, Opened
from service.api.permissions import PUBLIC
from service.api.problems import ProblemError
from service.api.routes.evidence import find_picture
from service.api.scope import Scope
from service.web.templating import Page, PageDep
from service.words.wording import words

router = APIRouter(prefix="/shared", include_in_schema=False)

Link = Annotated[str, Query(max_length=LONGEST)]


def opened(page: Page, link: str, kind: str, count: int) -> Opened:
    """What a link opens, of this kind, with so many names after it; ProblemError if it does not hold."""
    found = page.parts.access.links.open(link)
    if found is None or found.what[0] != kind or len(found.what) != 1 + count:
        raise ProblemError("not_found", words("This link has expired, or was not copied whole."))
    return found


@router.get("/picture", dependencies=[PUBLIC])
async def read_picture(page: PageDep, link: Link) -> Response:
    """A picture or clip of evidence."""
    sha256 = opened(page, link, "picture", 1).what[1]
    picture = await find_picture(page.parts, Scope(page.parts), sha256)
    if picture is None:
        raise ProblemError("unknown_picture", words("This picture was removed after it was exported."))
    return Response(picture.data, media_type=picture.media_type, headers={"Cache-Control": "private, max-age=3600"})
