"""Reading an uploaded picture."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request
from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile

from service.access.roles import Permission
from service.api.deps import AskedTableDep, PartsDep
from service.api.parts import Parts
from service.api.permissions import caller_of, requires
from service.api.problems import ProblemError, problems
from service.rounds.judge.rules_in_force import RulesInForce
from service.rounds.judge.verdicts import judge_reading
from service.rounds.readings import doubted, reading_of
from service.rounds.served import PictureOut
from service.system.limited_process import ProcessBusyError, WorkStoppedError
from service.table.doctor.examination import NAME as SELF_TEST
from service.table.sent_pictures import PER_CALLER, CallerLimitError, SentPicture
from vision.reading import Reading

router = APIRouter(prefix="/v1", tags=["reading"])

_RETRY_S: Final = 5
_LARGEST_CALIBRATION: Final = 200_000
"""Bytes; those that the calibration command writes have some 5,000."""
_RULEBOOK = "id of a rulebook; by default the table's"
_HOUSE_WAY = "id of the House Way played under the rulebook; by default the rulebook's own"
_BINARY = {"type": "string", "format": "binary"}
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["picture"],
                    "properties": {
                        "picture": {**_BINARY, "description": "JPEG, PNG, WebP, AVIF, TIFF or BMP"},
                        "calibration": {**_BINARY, "description": "calibration file (JSON) of this picture's camera"},
                        "reference": {
                            **_BINARY,
                            "description": "the calibration's picture of the empty table; optional if the table has it",
                        },
                        "rulebook": {"type": "string", "description": _RULEBOOK},
                        "house_way": {"type": "string", "description": _HOUSE_WAY},
                    },
                }
            },
            "image/*": {"schema": _BINARY},
            "application/octet-stream": {"schema": _BINARY},
        },
    }
}


@dataclass(frozen=True, slots=True)
class _Sent:
    """An uploaded picture with its files, rulebook and House Way."""

    picture: SentPicture
    rulebook: str | None = None
    house_way: str | None = None


@router.post(
    "/read",
    dependencies=[requires(Permission.READ)],
    openapi_extra=_BODY,
    responses=problems(400, 404, 408, 413, 415, 422, 503),
)
async def read_picture(
    request: Request,
    parts: PartsDep,
    table: AskedTableDep,
    rulebook: Annotated[str | None, Query(max_length=100, description=_RULEBOOK)] = None,
    house_way_id: Annotated[str | None, Query(alias="house_way", max_length=100, description=_HOUSE_WAY)] = None,
) -> PictureOut:
    """Read one picture: the body, or a form with ``picture``.

    The form may also contain ``calibration`` with its ``reference``, ``rulebook`` and ``house_way``.
    """
    try:
        with parts.reads.slots.taken(caller_of(request).counted_as, _announced(request, parts)):  # before it arrives
            sent = await _receive(request)
            day = table.rules.today
            rules = table.rules.asked(sent.rulebook or rulebook, sent.house_way or house_way_id, day)
            reading = await parts.reads.read(sent.picture, table.config)
    except CallerLimitError:
        detail = f"Each sender may have {PER_CALLER} pictures in progress; send this one after another is answered."
        raise ProblemError("too_many_requests", detail, headers={"Retry-After": str(_RETRY_S)}) from None
    except ProcessBusyError:
        raise _too_many() from None
    except WorkStoppedError as error:
        raise _stopped(error, parts) from None
    failed = next((check for check in table.live.state.checks if check.name == SELF_TEST and not check.ok), None)
    for finding in () if failed is None else failed.findings:
        reading = doubted(reading, finding)
    return await run_in_threadpool(_judged, reading, rules)


def _announced(request: Request, parts: Parts) -> int:
    """Size of the body in bytes by its header; without one, the maximum."""
    length = request.headers.get("content-length", "")
    return int(length) if length.isdecimal() else parts.config.server.max_upload_mb * 1_000_000


def _too_many() -> ProblemError:
    detail = "Too many pictures are waiting (max_waiting under [read] in the settings); try again later."
    return ProblemError("busy", detail)


def _stopped(error: WorkStoppedError, parts: Parts) -> ProblemError:
    """The problem of a reading that was stopped."""
    settings = parts.config.read
    what = {
        "memory": f"needs more than {settings.max_memory_mb} MB of memory (max_memory_mb",
        "time": f"takes longer than {settings.max_s:g} s (max_s",
        "ended": "ended the process that reads, probably for lack of memory (max_memory_mb",
    }[error.why]
    detail = f"Reading this picture {what} under [read] in the settings). Send a smaller picture, or another format."
    return ProblemError("too_costly", detail)


async def _receive(request: Request) -> _Sent:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "multipart/form-data":
        return await _receive_form(request)
    if kind.startswith("image/") or kind == "application/octet-stream":
        return _Sent(SentPicture("picture", await request.body()))
    raise ProblemError(
        "unsupported_media_type",
        f"A body of type {kind or 'unknown'!r} is not a picture: send a form with a file named 'picture', or the "
        "picture itself as image/jpeg.",
    )


async def _receive_form(request: Request) -> _Sent:
    async with request.form(max_files=3, max_fields=5) as form:
        picture = form.get("picture")
        if not isinstance(picture, UploadFile):
            detail = "The form has no file named 'picture': send the picture under that name."
            raise ProblemError("no_picture", detail)
        calibration, reference = form.get("calibration"), form.get("reference")
        rulebook, house_way = form.get("rulebook"), form.get("house_way")
        sent = SentPicture(
            name=Path(picture.filename or "picture").name,
            picture=await picture.read(),
            calibration=await _calibration_of(calibration),
            reference=await reference.read() if isinstance(reference, UploadFile) else None,
        )
        named = (each if isinstance(each, str) else None for each in (rulebook, house_way))
        return _Sent(sent, *named)


async def _calibration_of(sent: UploadFile | str | None) -> bytes | None:
    data = await sent.read(_LARGEST_CALIBRATION + 1) if isinstance(sent, UploadFile) else (sent or "").encode()
    if len(data) > _LARGEST_CALIBRATION:
        raise ProblemError("too_large", f"A calibration has at most {_LARGEST_CALIBRATION // 1000} kB.")
    return data or None


def _judged(reading: Reading, rules: RulesInForce) -> PictureOut:
    return PictureOut.from_report(judge_reading(reading_of(reading), rules), rules)
