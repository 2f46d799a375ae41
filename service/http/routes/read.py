"""Reading a picture that somebody sends."""

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile

from calibration.files.calibration_file import CalibrationError, TableCalibration, load_calibration
from service.access.roles import Permission
from service.http.deps import Parts, PartsDep
from service.http.errors import ProblemError, problems
from service.http.permissions import requires
from service.judge.house_way_choice import asked_way
from service.monitor.self_test import NAME as SELF_TEST
from service.rounds.reports import ReadingReport
from service.rounds.withheld import doubted
from service.rounds.written import report_reading
from vision.capture.images import decode_image

router = APIRouter(prefix="/v1", tags=["reading"])

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
                        "picture": {**_BINARY, "description": "JPEG, PNG, WebP, TIFF or BMP"},
                        "calibration": {**_BINARY, "description": "calibration file (JSON) of this picture's camera"},
                        "rulebook": {"type": "string"},
                        "house_way": {"type": "string"},
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
    """What a request brought: a picture with its name, and what else it named; calibration is a file's bytes."""

    name: str
    picture: bytes
    calibration: bytes | None
    rulebook: str | None = None
    house_way: str | None = None


@router.post(
    "/read", dependencies=[requires(Permission.READ)], openapi_extra=_BODY, responses=problems(400, 408, 413, 415, 422)
)
async def read_picture(
    request: Request,
    parts: PartsDep,
    rulebook: Annotated[str | None, Query(max_length=100)] = None,
    house_way: Annotated[str | None, Query(max_length=100)] = None,
) -> ReadingReport:
    """Read one picture: a form with ``picture`` (and ``calibration``, ``rulebook``, ``house_way``), or the body."""
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
    async with request.form(max_files=2, max_fields=5) as form:
        picture = form.get("picture")
        if not isinstance(picture, UploadFile):
            detail = "The form has no file named 'picture': send the picture under that name."
            raise ProblemError(422, "no_picture", detail)
        calibration = form.get("calibration")
        rulebook, house_way = form.get("rulebook"), form.get("house_way")
        return _Sent(
            name=Path(picture.filename or "picture").name,
            picture=await picture.read(),
            calibration=await calibration.read()
            if isinstance(calibration, UploadFile)
            else (calibration.encode() if calibration else None),
            rulebook=rulebook if isinstance(rulebook, str) else None,
            house_way=house_way if isinstance(house_way, str) else None,
        )


def _read(sent: _Sent, rulebook: str | None, named: str | None, parts: Parts) -> ReadingReport:
    house_way = asked_way(rulebook, named, parts.house_way)
    calibration = None if sent.calibration is None else _calibration(sent.calibration)
    image = decode_image(sent.picture, sent.name)
    if calibration is not None:
        calibration.check_size((image.shape[1], image.shape[0]), sent.name)
    reading = parts.reader.read(image, calibration=calibration, name=sent.name)
    failed = next((check for check in parts.live.state.checks if check.name == SELF_TEST and not check.ok), None)
    for finding in () if failed is None else failed.findings:
        reading = doubted(reading, finding)
    return report_reading(reading, house_way)


def _calibration(data: bytes) -> TableCalibration:
    try:
        json.loads(data)
    except ValueError:
        detail = "The calibration is not JSON; send the file that the calibration command wrote."
        raise CalibrationError(detail) from None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "calibration.json"
        path.write_bytes(data)
        try:
            return load_calibration(path)
        except CalibrationError as error:
            # The temporary file's name says nothing to whoever sent it.
            raise CalibrationError(str(error).replace(str(path), "calibration")) from None
