"""The calibration on the page, for technicians: as it is, held against the camera's picture, and changed."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from calibration.drift.drift import Drift
from calibration.files.calibration_file import CalibrationError
from service.access.access import Caller
from service.access.roles import Permission
from service.api.deps import TableDep
from service.api.local_table import LocalTable
from service.api.permissions import CallerDep, requires
from service.api.problems import ProblemError
from service.table.live_pictures import Snapshot
from service.table.monitor.calibrating import CalibrationCheck
from service.table.monitor.calibrations import CalibrationInUse
from service.table.monitor.inspection import draw_inspection, top_size_mm, top_view
from service.web.setup_forms import (
    COORDINATES,
    MEASURES,
    PLACE_NAMES,
    POINT_ROWS,
    place_fields,
    point_fields,
    read_places,
    read_point_form,
)
from service.web.setup_responses import inline, jpeg, name_calibration
from service.web.templating import TablePage, TablePageDep
from service.words.findings import words_of_error
from service.words.wording import Sayable, words

if TYPE_CHECKING:
    from calibration.table.table_fit import PoseFit

router = APIRouter(
    prefix="/tables/{table}/calibration", include_in_schema=False, dependencies=[requires(Permission.CALIBRATE)]
)


@router.get("")
def read_calibration(page: TablePageDep, saved: bool = False) -> HTMLResponse:  # noqa: FBT001, FBT002  a query
    """What the table is read by, and what it was read by before."""
    return _overview(page, saved=saved)


@router.post("/check")
def check(page: TablePageDep) -> HTMLResponse:
    """Hold it against what the camera shows now."""
    try:
        return _overview(page, checked=page.table.calibrating.check())
    except CalibrationError as error:
        return _overview(page, refused=words_of_error(error))


@router.get("/picture.jpg")
def read_picture(table: TableDep) -> Response:
    """The camera's next picture, as it gives it."""
    return jpeg(_taken(table).image)


@router.get("/top.jpg")
def read_top_view(table: TableDep) -> Response:
    """The same seen straight from above, as the calibration has it."""
    in_use = _in_use(table)
    try:
        return jpeg(top_view(_taken(table).image, in_use.calibration))
    except CalibrationError as error:
        raise ProblemError("another_picture", words_of_error(error)) from None


@router.get("/places")
def read_places_form(page: TablePageDep) -> HTMLResponse:
    """The places of the table over the felt, to be moved."""
    return _places(page, place_fields(_in_use(page.table).calibration.layout))


@router.post("/places")
async def put_places(page: TablePageDep, caller: CallerDep) -> Response:
    """Give the table the places of the form."""
    return await run_in_threadpool(_put_places, page, caller, await page.form())


@router.get("/points")
def read_points_form(page: TablePageDep) -> HTMLResponse:
    """The picture, to click points in whose places on the table were measured."""
    return _points(page, point_fields(page.table.calibrating.layout))


@router.post("/points")
async def put_points(page: TablePageDep, caller: CallerDep) -> Response:
    """Work out where the camera hangs, and keep it if that is asked."""
    return await run_in_threadpool(_put_points, page, caller, await page.form())


def _put_places(page: TablePage, caller: Caller, sent: dict[str, str]) -> Response:
    known, because = _in_use(page.table).calibration.layout, caller.attribution(sent.get("reason", ""))
    try:
        page.table.calibrating.put_places(read_places(sent, known), sent.get("version", ""), because)
    except CalibrationError as error:
        return _places(page, sent, refused=words_of_error(error))
    return RedirectResponse(f"{page.table.at}/calibration?saved=true", status_code=303)


def _put_points(page: TablePage, caller: Caller, sent: dict[str, str]) -> Response:
    calibrating, because = page.table.calibrating, caller.attribution(sent.get("reason", ""))
    try:
        points_px, points_mm = read_point_form(sent)
        if sent.get("action") != "keep":
            return _points(page, sent, fit=calibrating.solve(points_px, points_mm))
        calibrating.put_pose(points_px, points_mm, sent.get("version", ""), because)
        if calibrating.in_use is None:
            return name_calibration(page, because)
    except CalibrationError as error:
        return _points(page, sent, refused=words_of_error(error))
    return RedirectResponse(f"{page.table.at}/calibration?saved=true", status_code=303)


def _overview(
    page: TablePage, *, saved: bool = False, checked: CalibrationCheck | None = None, refused: Sayable | None = None
) -> HTMLResponse:
    calibrating = page.table.calibrating
    in_use = calibrating.in_use
    made_at = None if in_use is None or in_use.calibration.seal is None else in_use.calibration.seal.made_at
    return page.answer(
        "calibration.html",
        status=422 if refused else 200,
        path=f"{page.table.at}/calibration",
        in_use=in_use,
        file=calibrating.path,
        stale=calibrating.is_stale,
        made_at=made_at,
        age_days=None if made_at is None else (datetime.now(UTC) - made_at).days,
        camera_mm=None if in_use is None else in_use.calibration.pose.camera_mm.tolist(),
        kept=calibrating.earlier(),
        saved=saved,
        refused=refused,
        checked=checked,
        shift_mm=_shift_mm(checked),
        picture=None if checked is None else inline(draw_inspection(checked.snapshot.image, checked.inspection)),
    )


def _shift_mm(checked: CalibrationCheck | None) -> float | None:
    return checked.inspection.drift.largest_mm if checked and isinstance(checked.inspection.drift, Drift) else None


def _places(page: TablePage, fields: dict[str, str], *, refused: Sayable | None = None) -> HTMLResponse:
    in_use = _in_use(page.table)
    return page.answer(
        "calibration_places.html",
        status=422 if refused else 200,
        path=f"{page.table.at}/calibration",
        shown_version=in_use.version,
        fields=fields,
        names=PLACE_NAMES,
        measures=MEASURES,
        size_mm=top_size_mm(in_use.calibration.layout),
        table_mm=in_use.calibration.layout.table_mm,
        refused=refused,
    )


def _points(
    page: TablePage, fields: dict[str, str], *, fit: "PoseFit | None" = None, refused: Sayable | None = None
) -> HTMLResponse:
    calibrating = page.table.calibrating
    lens = calibrating.lens
    if lens is None:
        _in_use(page.table)  # refuses
    return page.answer(
        "calibration_points.html",
        status=422 if refused else 200,
        path=f"{page.table.at}/calibration",
        shown_version=calibrating.version,
        fields=fields,
        rows=range(1, POINT_ROWS + 1),
        coordinates=COORDINATES,
        size=None if lens is None else lens.size,
        residual_mm=() if fit is None else fit.residual_mm.tolist(),
        left_out_mm=None if fit is None or fit.left_out_mm is None else float(fit.left_out_mm.max()),
        camera_mm=None if fit is None else fit.pose.camera_mm.tolist(),
        good=fit is not None and fit.good,
        refused=refused,
    )


def _in_use(table: LocalTable) -> CalibrationInUse:
    in_use = table.calibrating.in_use
    if in_use is None:
        detail = words("This table has no calibration; docs/calibration.md shows how to make one.")
        raise ProblemError("no_calibration", detail)
    return in_use


def _taken(table: LocalTable) -> Snapshot:
    taken = table.calibrating.picture()
    if taken is None:
        detail = words("The camera gives no picture now; see the page Health.")
        raise ProblemError("no_picture_yet", detail)
    return taken
