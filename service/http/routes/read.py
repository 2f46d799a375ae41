"""Reading a picture that somebody sends."""

import hashlib
import json
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile

from calibration.drift.reference import load_reference
from calibration.files.calibration_file import CalibrationError, load_calibration
from service.access.roles import Permission
from service.http.deps import Parts, PartsDep
from service.http.errors import ProblemError, problems
from service.http.permissions import requires
from service.judge.house_way_choice import asked_way
from service.monitor.inspection import Inspector
from service.monitor.self_test import NAME as SELF_TEST
from service.monitor.stand import held_against_table
from service.rounds.reports import ReadingReport
from service.rounds.withheld import doubted
from service.rounds.written import report_reading
from vision.capture.images import decode_image, exif_orientation

router = APIRouter(prefix="/v1", tags=["reading"])

_RULEBOOK = "id of a rulebook; the table's own if left out"
_HOUSE_WAY = "id of the House Way played under the rulebook; its own if left out"
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
                            "description": "the empty table that the calibration names; not needed if the table has it",
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
    """What a request brought: a picture with its name, and what else it named; the others are files' bytes."""

    name: str
    picture: bytes
    calibration: bytes | None
    reference: bytes | None = None
    rulebook: str | None = None
    house_way: str | None = None


@router.post(
    "/read", dependencies=[requires(Permission.READ)], openapi_extra=_BODY, responses=problems(400, 408, 413, 415, 422)
)
async def read_picture(
    request: Request,
    parts: PartsDep,
    rulebook: Annotated[str | None, Query(max_length=100, description=_RULEBOOK)] = None,
    house_way: Annotated[str | None, Query(max_length=100, description=_HOUSE_WAY)] = None,
) -> ReadingReport:
    """Read one picture: the body, or a form with ``picture``.

    The form may have ``calibration`` with its ``reference``, ``rulebook`` and ``house_way`` as well.
    """
    sent = await _receive(request)
    return await run_in_threadpool(_read, sent, sent.rulebook or rulebook, sent.house_way or house_way, parts)


async def _receive(request: Request) -> _Sent:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "multipart/form-data":
        return await _receive_form(request)
    if kind.startswith("image/") or kind == "application/octet-stream":
        return _Sent("picture", await request.body(), calibration=None)
    raise ProblemError(
        415,
        "unsupported_media_type",
        f"A body of type {kind or 'unknown'!r} is no picture: send a form with a file named 'picture', or the picture "
        "itself as image/jpeg.",
    )


async def _receive_form(request: Request) -> _Sent:
    async with request.form(max_files=3, max_fields=5) as form:
        picture = form.get("picture")
        if not isinstance(picture, UploadFile):
            detail = "The form has no file named 'picture': send the picture under that name."
            raise ProblemError(422, "no_picture", detail)
        calibration, reference = form.get("calibration"), form.get("reference")
        rulebook, house_way = form.get("rulebook"), form.get("house_way")
        return _Sent(
            name=Path(picture.filename or "picture").name,
            picture=await picture.read(),
            calibration=await calibration.read()
            if isinstance(calibration, UploadFile)
            else (calibration.encode() if calibration else None),
            reference=await reference.read() if isinstance(reference, UploadFile) else None,
            rulebook=rulebook if isinstance(rulebook, str) else None,
            house_way=house_way if isinstance(house_way, str) else None,
        )


def _read(sent: _Sent, rulebook: str | None, named: str | None, parts: Parts) -> ReadingReport:
    house_way = asked_way(rulebook, named, parts.house_way)
    inspector = None if sent.calibration is None else _inspector(sent.calibration, sent.reference, parts)
    image = decode_image(sent.picture, sent.name)
    if inspector is None:
        reading = parts.reader.read(image, name=sent.name)
    else:
        inspector.check_size(image, sent.name, exif_orientation(sent.picture))
        calibration, empty = inspector.calibration, inspector.empty
        reading = parts.reader.read(image, calibration=calibration, empty=empty, name=sent.name)
        reading = held_against_table(inspector, image, reading, exif_orientation(sent.picture))
    failed = next((check for check in parts.live.state.checks if check.name == SELF_TEST and not check.ok), None)
    for finding in () if failed is None else failed.findings:
        reading = doubted(reading, finding)
    return report_reading(reading, house_way)


def _inspector(data: bytes, reference: bytes | None, parts: Parts) -> Inspector:
    """A calibration with its picture of the empty table: the one sent with it, or the table's own."""
    try:
        json.loads(data)
    except ValueError:
        detail = "The calibration is not JSON; send the file that the calibration command wrote."
        raise CalibrationError(detail) from None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "calibration.json"
        path.write_bytes(data)
        try:
            calibration = load_calibration(path)
        except CalibrationError as error:
            # The temporary file's name says nothing to whoever sent it.
            raise CalibrationError(str(error).replace(str(path), "calibration")) from None
    named = calibration.reference
    if named is None:
        return Inspector.of(calibration, None)
    if reference is not None:
        if hashlib.sha256(reference).hexdigest() != named.sha256:
            raise CalibrationError(f"The reference is not the picture the calibration was made with, {named.name}.")
        empty = decode_image(reference, named.name)
        calibration.check_size((empty.shape[1], empty.shape[0]), named.name)
        return Inspector.of(calibration, empty)
    own = parts.config.table.calibration
    with suppress(CalibrationError):  # the table's own file is another, or gone
        return Inspector.of(calibration, None if own is None else load_reference(own, calibration))
    return Inspector.of(calibration, None)
