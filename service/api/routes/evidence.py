"""Pictures kept as evidence, of whichever table has them."""

import hashlib
from typing import Annotated

from fastapi import APIRouter, Path, Response
from starlette.concurrency import run_in_threadpool

from service.access.roles import Permission
from service.api.conditional import JPEG_OR_CLIP, NOT_MODIFIED, IfNoneMatch, conditional, matches
from service.api.deps import Parts, PartsDep
from service.api.errors import ProblemError, problems
from service.api.permissions import requires
from service.api.sight import Sight, SightDep
from service.hub.table_client import TableAwayError
from service.record.store.entries import Picture
from service.words.findings import words_of
from service.words.wording import words

router = APIRouter(prefix="/v1", tags=["record"])


@router.get(
    "/evidence/{sha256}",
    dependencies=[requires(Permission.EVIDENCE)],
    response_class=Response,
    responses={**JPEG_OR_CLIP, **NOT_MODIFIED, **problems(404, 422, 503)},
)
async def get_evidence(
    sha256: Annotated[
        str,
        Path(
            pattern="^[0-9a-f]{64}$",
            description="hash of the picture, as the round names it",
            examples=[hashlib.sha256(b"").hexdigest()],
        ),
    ],
    parts: PartsDep,
    sight: SightDep,
    if_none_match: IfNoneMatch = None,
) -> Response:
    """A picture or a clip by its hash: from this service, or else from the table that has it."""
    etag, cache_control = f'"{sha256}"', "private, max-age=31536000, immutable"
    if matches(if_none_match, etag) and (known := await run_in_threadpool(_media_type, parts, sight, sha256)):
        return conditional(if_none_match, etag, bytes, known, cache_control)
    try:
        picture = await find_picture(parts, sight, sha256)
    except TableAwayError as error:
        raise away(error) from None
    if picture is None:
        raise ProblemError(
            404, "unknown_picture", "There is no such picture: never recorded, or removed after it was exported."
        )
    return conditional(None, etag, lambda: picture.data, picture.media_type, cache_control)


async def find_picture(parts: Parts, sight: Sight, sha256: str) -> Picture | None:
    """A picture that a local table recorded, or one of a table of another service; TableAwayError."""
    found = await run_in_threadpool(parts.record.picture, sha256) if parts.tables and not sight.of_pits else None
    if found is None and parts.following is not None:
        found = await parts.following.evidence.find(sha256, sight.bounds)
    return found


def away(error: TableAwayError) -> ProblemError:
    """The answer where the table that has a picture cannot be asked."""
    detail = words("The table that has this picture cannot be reached now: %(why)s", why=words_of(error.finding))
    return ProblemError(503, "table_unreachable", detail, headers={"Retry-After": "5"})


def _media_type(parts: Parts, sight: Sight, sha256: str) -> str | None:
    found = parts.record.media_type(sha256) if parts.tables and not sight.of_pits else None
    if found is None and parts.following is not None:
        named = parts.following.reader.pictures(sha256, sight.bounds)
        found = next((each.media_type for each in named.values()), None)
    return found
