"""Checkpoints of this service's record: the newest, comparison with kept ones, and witnesses' signatures."""

from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from service.access.roles import Permission
from service.api.conditional import TEXT
from service.api.deps import PartsDep
from service.api.parts import Parts
from service.api.permissions import CallerDep, requires
from service.api.problems import ProblemError, problems
from service.record.checkpoints.checkpoint_store import keep_cosignature, newest_note, newest_witnessed
from service.record.checkpoints.epochs import common_with, epochs_of
from service.record.checkpoints.note import Note, NoteError, read_note
from service.record.store.database_reader import has_signed
from service.rounds.reports import FrozenModel

router = APIRouter(prefix="/v1/record", tags=["record"])

_MOST_WITNESSES = 4


class SeenIn(FrozenModel):
    """A checkpoint that the caller kept.

    Attributes:
        checkpoint: a C2SP note, as text or in base64.
    """

    checkpoint: Annotated[str, Field(max_length=20_000, examples=["houseway-record-chain/v1/..."])]


class SeenOut(FrozenModel):
    """Whether the record extends a checkpoint.

    Attributes:
        extended: whether it does.
        entry: number of the checkpoint's entry.
        epoch: the record's current epoch.
        go_on: if it does not, the cursor of `/v1/results` and `/v1/events` after the last entry known to be common;
            otherwise null.
        entries_go_on: the same for `/v1/record/entries`.
    """

    extended: bool
    entry: int
    epoch: str
    go_on: str | None
    entries_go_on: str | None


class CosignedOut(FrozenModel):
    """The stored signatures.

    Attributes:
        entry: number of the checkpoint's entry.
        witnesses: names of the witnesses whose signatures were stored.
    """

    entry: int
    witnesses: tuple[str, ...]


@router.get(
    "/checkpoint",
    dependencies=[requires(Permission.RESULTS)],
    response_class=Response,
    responses={**TEXT, **problems(404, 422, 503)},
)
def get_checkpoint(
    parts: PartsDep,
    witnessed: Annotated[bool, Query(description="the newest checkpoint with a witness's signature")] = False,  # noqa: FBT002  of the query
) -> Response:
    """The newest checkpoint, as a C2SP note. Keep it elsewhere: `houseway record verify --seen` finds any change."""
    note = newest_witnessed(parts.record) if witnessed else newest_note(parts.record)
    if note is None:
        raise ProblemError("no_checkpoint", "There is no such checkpoint yet.")
    return Response(note.text, media_type="text/plain; charset=utf-8", headers={"Cache-Control": "no-store"})


@router.post(
    "/seen", dependencies=[requires(Permission.RESULTS)], responses=problems(400, 403, 404, 408, 409, 413, 422, 503)
)
async def show_checkpoint(shown: SeenIn, parts: PartsDep, caller: CallerDep) -> SeenOut:
    """Compare a kept checkpoint: if the record does not extend it, a new epoch is recorded and reported.

    Do this when a cursor is refused with `foreign_cursor`.
    """
    return await run_in_threadpool(_compare, parts, shown, caller.name)


@router.post(
    "/cosignature",
    dependencies=[requires(Permission.ENTRIES)],
    responses=problems(400, 403, 404, 408, 409, 413, 422, 503),
)
async def take_cosignature(given: SeenIn, parts: PartsDep) -> CosignedOut:
    """Store a witness's signature on a checkpoint of this record; it is verified first."""
    return await run_in_threadpool(_store, parts, given)


def _store(parts: Parts, given: SeenIn) -> CosignedOut:
    note = _signed(parts, given.checkpoint)
    entry = parts.record.entry(note.checkpoint.seq)
    own = {witness.name for witness in parts.config.witnesses}
    if entry is None or entry.hash != note.checkpoint.hash:
        raise ProblemError("not_extended", "This record does not have the entry of that checkpoint.")
    kept = [each for each in note.cosignatures if each.name not in own]  # the service requests those itself
    for each in kept[:_MOST_WITNESSES]:
        keep_cosignature(parts.record, note.checkpoint.seq, each.name, each.line)
    return CosignedOut(entry=note.checkpoint.seq, witnesses=tuple(each.name for each in kept[:_MOST_WITNESSES]))


def _compare(parts: Parts, shown: SeenIn, source: str) -> SeenOut:
    note = _signed(parts, shown.checkpoint)
    epoch = parts.history.check(((source, note),))
    entry = parts.record.entry(note.checkpoint.seq)
    extended = entry is not None and entry.hash == note.checkpoint.hash
    go_on = entries_go_on = None
    if not extended:
        parts.news.recorded.notify()
        go_on, entries_go_on = parts.feed.after(common_with(epochs_of(parts.record), note.checkpoint.seq) or 0)
    return SeenOut(
        extended=extended,
        entry=note.checkpoint.seq,
        epoch="" if epoch is None else epoch.name,
        go_on=go_on,
        entries_go_on=entries_go_on,
    )


def _signed(parts: Parts, text: str) -> Note:
    try:
        note = read_note(text)
    except NoteError as error:
        raise ProblemError("not_a_checkpoint", f"This is not a checkpoint: {error}.") from None
    if not has_signed(parts.record, note.checkpoint):
        raise ProblemError(
            "foreign_checkpoint", "This checkpoint belongs to another record, or is not signed by this one."
        )
    return note
