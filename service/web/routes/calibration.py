"""The calibration on the page, for technicians: as it is, held against the camera's picture, and changed."""

import base64
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import cv2
import numpy as np
from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from calibration.drift.drift import Drift
from calibration.files.calibration_file import CalibrationError
from service.access.access import Caller
from service.access.roles import Permission
from service.http.deps import Parts, PartsDep
from service.http.errors import ProblemError
from service.http.permissions import CallerDep, requires
from service.monitor.calibrating import Checked, InUse
from service.monitor.inspection import draw_inspection, top_size_mm, top_view
from service.table.snapshots import Snapshot
from service.web.calibration_forms import (
    COORDINATES,
    MEASURES,
    PLACE_NAMES,
    POINT_ROWS,
    place_fields,
    point_fields,
    read_places,
    read_point_form,
)
from service.web.templating import answer

if TYPE_CHECKING:
    from calibration.table.table_fit import PoseFit
    from vision.capture.images import Image

router = APIRouter(prefix="/calibration", include_in_schema=False)

_CALIBRATE = requires(Permission.CALIBRATE)
_QUALITY = 88
_SHOWN_PX = 1600


@router.get("", dependencies=[_CALIBRATE], response_class=HTMLResponse)
def read_calibration(request: Request, parts: PartsDep, saved: bool = False) -> HTMLResponse:  # noqa: FBT001, FBT002  a query
    """What the table is read by, and what it was read by before."""
    return _overview(request, parts, saved=saved)


@router.post("/check", dependencies=[_CALIBRATE], response_class=HTMLResponse)
def check(request: Request, parts: PartsDep) -> HTMLResponse:
    """Hold it against what the camera shows now."""
    try:
        return _overview(request, parts, checked=parts.calibrating.check())
    except CalibrationError as error:
        return _overview(request, parts, refused=str(error), status=422)


@router.get("/picture.jpg", dependencies=[_CALIBRATE], response_class=Response)
def read_picture(parts: PartsDep) -> Response:
    """The camera's next picture, as it gives it."""
    _in_use(parts)
    return _jpeg(_taken(parts).image)


@router.get("/top.jpg", dependencies=[_CALIBRATE], response_class=Response)
def read_top_view(parts: PartsDep) -> Response:
    """The same seen straight from above, as the calibration has it."""
    in_use = _in_use(parts)
    try:
        return _jpeg(top_view(_taken(parts).image, in_use.calibration))
    except CalibrationError as error:
        raise ProblemError(409, "another_picture", str(error)) from None


@router.get("/places", dependencies=[_CALIBRATE], response_class=HTMLResponse)
def read_places_form(request: Request, parts: PartsDep) -> HTMLResponse:
    """The places of the table over the felt, to be moved."""
    return _places(request, parts, place_fields(_in_use(parts).calibration.layout))


@router.post("/places", dependencies=[_CALIBRATE], response_class=HTMLResponse)
async def put_places(request: Request, parts: PartsDep, caller: CallerDep) -> Response:
    """Give the table the places of the form."""
    return await run_in_threadpool(_put_places, request, parts, caller, await _sent(request))


@router.get("/points", dependencies=[_CALIBRATE], response_class=HTMLResponse)
def read_points_form(request: Request, parts: PartsDep) -> HTMLResponse:
    """The picture, to click points in whose places on the table were measured."""
    return _points(request, parts, point_fields(_in_use(parts).calibration.layout))


@router.post("/points", dependencies=[_CALIBRATE], response_class=HTMLResponse)
async def put_points(request: Request, parts: PartsDep, caller: CallerDep) -> Response:
    """Work out where the camera hangs, and keep it if that is asked."""
    return await run_in_threadpool(_put_points, request, parts, caller, await _sent(request))


async def _sent(request: Request) -> dict[str, str]:
    return {name: value for name, value in (await request.form()).items() if isinstance(value, str)}


def _put_places(request: Request, parts: Parts, caller: Caller, sent: dict[str, str]) -> Response:
    known = _in_use(parts).calibration.layout
    try:
        layout = read_places(sent, known)
        parts.calibrating.put_places(layout, sent.get("version", ""), caller.attribution(sent.get("reason", "")))
    except CalibrationError as error:
        return _places(request, parts, sent, refused=str(error), status=422)
    return RedirectResponse("/calibration?saved=true", status_code=303)


def _put_points(request: Request, parts: Parts, caller: Caller, sent: dict[str, str]) -> Response:
    try:
        points_px, points_mm = read_point_form(sent)
        if sent.get("action") != "keep":
            return _points(request, parts, sent, fit=parts.calibrating.solve(points_px, points_mm))
        because = caller.attribution(sent.get("reason", ""))
        parts.calibrating.put_pose(points_px, points_mm, sent.get("version", ""), because)
    except CalibrationError as error:
        return _points(request, parts, sent, refused=str(error), status=422)
    return RedirectResponse("/calibration?saved=true", status_code=303)


def _overview(
    request: Request,
    parts: Parts,
    *,
    saved: bool = False,
    checked: Checked | None = None,
    refused: str = "",
    status: int = 200,
) -> HTMLResponse:
    calibrating = parts.calibrating
    in_use = calibrating.in_use
    made_at = None if in_use is None or in_use.calibration.seal is None else in_use.calibration.seal.made_at
    told = {
        "in_use": in_use,
        "file": calibrating.path,
        "stale": calibrating.is_stale,
        "made_at": made_at,
        "age_days": None if made_at is None else (datetime.now(UTC) - made_at).days,
        "camera_mm": None if in_use is None else in_use.calibration.pose.camera_mm.tolist(),
        "kept": calibrating.kept(),
        "saved": saved,
        "refused": refused,
        "checked": checked,
        "shift_mm": _shift_mm(checked),
        "picture": None if checked is None else _inline(draw_inspection(checked.snapshot.image, checked.inspection)),
    }
    return answer(request, parts, "calibration.html", {"path": "/calibration", **told}, status=status)


def _shift_mm(checked: Checked | None) -> float | None:
    return checked.inspection.drift.largest_mm if checked and isinstance(checked.inspection.drift, Drift) else None


def _places(
    request: Request, parts: Parts, fields: dict[str, str], *, refused: str = "", status: int = 200
) -> HTMLResponse:
    in_use = _in_use(parts)
    told = {
        "shown_version": in_use.version,
        "fields": fields,
        "names": PLACE_NAMES,
        "measures": MEASURES,
        "size_mm": top_size_mm(in_use.calibration.layout),
        "table_mm": in_use.calibration.layout.table_mm,
        "refused": refused,
    }
    return answer(request, parts, "calibration_places.html", {"path": "/calibration", **told}, status=status)


def _points(
    request: Request,
    parts: Parts,
    fields: dict[str, str],
    *,
    fit: "PoseFit | None" = None,
    refused: str = "",
    status: int = 200,
) -> HTMLResponse:
    in_use = _in_use(parts)
    told = {
        "shown_version": in_use.version,
        "fields": fields,
        "rows": range(1, POINT_ROWS + 1),
        "coordinates": COORDINATES,
        "size": in_use.calibration.size,
        "residual_mm": () if fit is None else fit.residual_mm.tolist(),
        "left_out_mm": None if fit is None or fit.left_out_mm is None else float(fit.left_out_mm.max()),
        "camera_mm": None if fit is None else fit.pose.camera_mm.tolist(),
        "good": fit is not None and fit.good,
        "refused": refused,
    }
    return answer(request, parts, "calibration_points.html", {"path": "/calibration", **told}, status=status)


def _in_use(parts: Parts) -> InUse:
    in_use = parts.calibrating.in_use
    if in_use is None:
        raise ProblemError(
            404, "no_calibration", "This table is read without a calibration; docs/calibration.md says how to make one."
        )
    return in_use


def _taken(parts: Parts) -> Snapshot:
    taken = parts.calibrating.picture()
    if taken is None:
        raise ProblemError(404, "no_picture_yet", "The camera gives no picture just now; the page Health says more.")
    return taken


def _jpeg(image: "Image") -> Response:
    return Response(_encoded(image), media_type="image/jpeg", headers={"Cache-Control": "no-store"})


def _inline(image: "Image") -> str:
    """A picture no wider than the page needs, as an address that holds it."""
    height, width = image.shape[:2]
    size = (_SHOWN_PX, round(height * _SHOWN_PX / width))
    shown = cv2.resize(image, size, interpolation=cv2.INTER_AREA) if width > _SHOWN_PX else image
    return f"data:image/jpeg;base64,{base64.b64encode(_encoded(np.asarray(shown, np.uint8))).decode()}"


def _encoded(image: "Image") -> bytes:
    _, encoded = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
    return encoded.tobytes()
