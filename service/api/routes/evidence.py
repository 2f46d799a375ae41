"""Pictures and clips kept as evidence, here or at remote tables."""

import hashlib
from typing import Annotated

from fastapi import APIRouter, Path, Response
from starlette.concurrency import run_in_threadpool

from service.access.roles import Permission
from service.api.conditional import JPEG_OR_CLIP, NOT_MODIFIED, IfNoneMatch, conditional, matches
from service.api.deps import PartsDep, ScopeDep
from service.api.parts import Parts
from service.api.permissions import requires
from service.api.problems import ProblemError, problems
from service.api.scope import Scope
from service.record.store.entries import Picture

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
            description="hash of the picture, from the round",
            examples=[hashlib.sha256(b"").hexdigest()],
        ),
    ],
    parts: PartsDep,
    scope: ScopeDep,
    if_none_match: IfNoneMatch = None,
) -> Response:
    """A picture or clip by its hash, from this service or from a remote table."""
    etag, cache_control = f'"{sha256}"', "private, max-age=31536000, immutable"
    if matches(if_none_match, etag) and (known := await run_in_threadpool(_media_type, parts, scope, sha256)):
        return conditional(if_none_match, etag, bytes, known, cache_control)
    picture = await find_picture(parts, scope, sha256)
    if picture is None:
        raise ProblemError(
            "unknown_picture", "There is no such picture: it was never recorded, or was removed after its export."
        )
    return conditional(None, etag, lambda: picture.data, picture.media_type, cache_control)


async def find_picture(parts: Parts, scope: Scope, sha256: str) -> Picture | None:
    """A picture of a local or remote table; TableAwayError if that table cannot be reached."""
    found = await run_in_threadpool(_local_picture, parts, scope, sha256)
    if found is None and parts.following is not None:
        found = await parts.following.evidence.find(sha256, scope.bounds)
    return found


def _local_picture(parts: Parts, scope: Scope, sha256: str) -> Picture | None:
    return parts.record.picture(sha256) if _is_visible(parts, scope, sha256) else None


def _is_visible(parts: Parts, scope: Scope, sha256: str) -> bool:
    """Whether this service may have the picture for the caller: for limited ones only of tables that they may see."""
    if not parts.tables or not scope.of_pits:
        return bool(parts.tables)
    return not parts.record.tables_of_picture(sha256).isdisjoint({table.name for table in scope.local})


def _media_type(parts: Parts, scope: Scope, sha256: str) -> str | None:
    found = parts.record.media_type(sha256) if _is_visible(parts, scope, sha256) else None
    if found is None and parts.following is not None:
        named = parts.following.reader.pictures(sha256, scope.bounds)
        found = next((each.media_type for each in named.values()), None)
    return found
