"""Releases: the tables fetch what is offered to them, and people give them out."""

from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Path
from fastapi.responses import FileResponse
from starlette.concurrency import run_in_threadpool

from service.access.access import Caller
from service.access.roles import Permission
from service.codes import ReleaseCode
from service.floor.http.fleet_schemas import (
    GiveIn,
    OfferedOut,
    OfferOut,
    ReasonIn,
    ReleaseName,
    ReleaseOut,
    ReleasesOut,
)
from service.floor.parts import FloorDep, FloorParts
from service.floor.sight import Sight, SightDep
from service.http.errors import ProblemError, problems
from service.http.permissions import CallerDep, requires
from service.release.manifest import ReleaseError
from service.words.findings import words_of
from service.words.wording import words

if TYPE_CHECKING:
    from collections.abc import Iterator

router = APIRouter(prefix="/v1/releases", tags=["tables"])

_FETCH = requires(Permission.FETCH)
_GIVE = requires(Permission.GIVE)
_Name = Annotated[ReleaseName, Path(description="name of the release")]


@contextmanager
def release_problems() -> "Iterator[None]":
    """Answer with a problem where something cannot be done with a release."""
    try:
        yield
    except ReleaseError as error:
        if error.finding.code is ReleaseCode.UNKNOWN_RELEASE:
            raise ProblemError(404, "unknown_release", words_of(error.finding)) from None
        raise ProblemError(409, "release_refused", words_of(error.finding)) from None


def _table_of(parts: FloorParts, caller: Caller) -> str:
    """The table whose name the key has; a person is none."""
    return Sight(parts).table_of(caller.key_name or "").name


@router.get("", dependencies=[requires(Permission.HEALTH)], responses=problems(403, 503))
async def list_releases(parts: FloorDep, sight: SightDep) -> ReleasesOut:
    """The floor's releases and the progress of each. They concern the whole floor."""
    if sight.of_pits:
        raise ProblemError(
            403,
            "not_allowed_for_pits",
            words("Releases concern the whole floor, but your account is limited to some pits."),
        )
    return ReleasesOut.of(await parts.fleet.given())


@router.get("/offer", dependencies=[_FETCH], responses=problems(404, 503))
async def get_offer(parts: FloorDep, caller: CallerDep) -> OfferOut:
    """The release offered to the table that the key is named after. The table verifies the signature."""
    found = (await parts.fleet.given()).offer(_table_of(parts, caller))
    if found is None:
        return OfferOut(offer=None)
    return OfferOut(offer=OfferedOut(manifest=found.signed.text.decode(), signature=found.signed.signature))


@router.get(
    "/{digest}/{file:path}", dependencies=[_FETCH], response_class=FileResponse, responses=problems(404, 422, 503)
)
async def get_file(
    parts: FloorDep,
    caller: CallerDep,
    digest: Annotated[str, Path(pattern=r"^[0-9a-f]{64}$", description="SHA-256 of the manifest, hexadecimal")],
    file: Annotated[str, Path(max_length=100, description="its place in the release")],
) -> FileResponse:
    """A file of the release that is offered; a part of it if `Range` asks for one."""
    found = (await parts.fleet.given()).offer(_table_of(parts, caller))
    if found is None or found.signed.digest != digest or file not in found.manifest.paths:
        raise ProblemError(404, "not_offered", words("This is not offered to this table now."))
    return FileResponse(found.folder / file, media_type="application/octet-stream")


@router.post("/{name}/rings", dependencies=[_GIVE], responses=problems(404, 409, 422, 503))
async def give_release(parts: FloorDep, caller: CallerDep, name: _Name, asked: GiveIn) -> ReleaseOut:
    """Roll out a release to rings, in order: each starts when all tables of the one before have passed their trials."""
    giving, why = parts.fleet.giving, caller.attribution(asked.reason)
    with release_problems():
        await run_in_threadpool(giving.give, parts.record, name, asked.rings, why)
    return await _as_it_is(parts, name)


@router.post("/{name}/stop", dependencies=[_GIVE], responses=problems(404, 409, 422, 503))
async def stop_release(parts: FloorDep, caller: CallerDep, name: _Name, asked: ReasonIn) -> ReleaseOut:
    """Stop offering a release. Tables that use it keep it."""
    with release_problems():
        await run_in_threadpool(parts.fleet.giving.stop, parts.record, name, caller.attribution(asked.reason))
    return await _as_it_is(parts, name)


@router.post("/{name}/go-on", dependencies=[_GIVE], responses=problems(404, 409, 422, 503))
async def go_on_with_release(parts: FloorDep, caller: CallerDep, name: _Name, asked: ReasonIn) -> ReleaseOut:
    """Continue a halted release: its tables are accepted as they are now."""
    with release_problems():
        await run_in_threadpool(parts.fleet.giving.go_on, parts.record, name, caller.attribution(asked.reason))
    return await _as_it_is(parts, name)


async def _as_it_is(parts: FloorParts, name: str) -> ReleaseOut:
    parts.fleet.note_given()
    with release_problems():
        shelved = parts.fleet.giving.shelf.named(name)
    return ReleaseOut.of(shelved, (await parts.fleet.given()).of(shelved.signed.digest))
