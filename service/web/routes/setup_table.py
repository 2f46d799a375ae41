"""Setting up a table: its lens, where the camera hangs, its places, and the picture of the empty table."""

from io import BytesIO
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from calibration.files.calibration_file import CalibrationError
from calibration.finding import NotSolved
from calibration.lens.board import BOARDS
from calibration.lens.lens_fit import LensFit
from calibration.table.markers import MARKERS, MarkerSpot, TableFit
from calibration.table.presets import PRESETS, Shape, preset_layout, renumbered
from calibration.table.sizes import TABLE_MM
from calibration.table.table_fit import PoseFit
from service.access.access import Caller
from service.access.roles import Permission
from service.api.conditional import IfNoneMatch, hashed_response
from service.api.deps import TableDep
from service.api.permissions import CallerDep, requires
from service.api.problems import ProblemError
from service.table.monitor.calibrating import CalibrationRefusedError
from service.table.monitor.inspection import draw_places
from service.table.setup.camera_views import LensState, fit_to_page
from service.table.setup.set_up import SettingsRefusedError
from service.table.setup.table_measurement import (
    EmptyTableCheck,
    MarkerMeasurement,
    check_empty,
    draw_found,
    draw_markers,
    measure_markers,
)
from service.web.setup_forms import marker_fields, read_markers
from service.web.setup_responses import inline, jpeg, name_calibration
from service.web.templating import TablePage, TablePageDep
from service.words.findings import words_of, words_of_error, words_of_unsolved
from service.words.wording import Sayable, words

router = APIRouter(
    prefix="/tables/{table}/setup", include_in_schema=False, dependencies=[requires(Permission.CALIBRATE)]
)

_PDF = "application/pdf"


@router.get("/board.pdf")
def print_board(paper: Annotated[Literal["a3", "a4"], Query()] = "a3") -> Response:
    """The board for the lens, to be printed."""
    from calibration.printed_targets import write_board  # noqa: PLC0415  as all that draws PDF, only where it is wanted

    page = BytesIO()
    write_board(page, BOARDS[paper])
    return Response(page.getvalue(), media_type=_PDF)


@router.get("/markers.pdf")
def print_markers() -> Response:
    """The markers for the table, to be printed."""
    from calibration.printed_targets import write_markers  # noqa: PLC0415

    page = BytesIO()
    write_markers(page)
    return Response(page.getvalue(), media_type=_PDF)


@router.get("/lens")
def read_lens(page: TablePageDep) -> HTMLResponse:
    """The lens: pictures with guidance on them while somebody holds the board."""
    return _lens(page)


@router.post("/lens")
async def put_lens(page: TablePageDep, caller: CallerDep) -> Response:
    """Begin anew with a board, or keep the lens that was found."""
    return await run_in_threadpool(_put_lens, page, caller, await page.form())


@router.get("/lens/now")
def read_lens_now(page: TablePageDep, if_none_match: IfNoneMatch = None) -> Response:
    """How far the views are."""
    body = page.render("setup_lens_now.html", **_views(page.table.setting_up.lens_views.state()))
    return hashed_response(body, "text/html", if_none_match)


@router.get("/lens/picture.jpg")
def read_lens_picture(table: TableDep) -> Response:
    """The newest picture, with guidance drawn on it."""
    picture = table.setting_up.lens_views.state().picture
    if picture is None:
        raise ProblemError("no_picture_yet", words("No picture yet"))
    return jpeg(picture)


@router.get("/table")
def read_table(page: TablePageDep) -> HTMLResponse:
    """Where the camera hangs, by markers."""
    return _table(page, marker_fields(page.table.calibrating.layout))


@router.post("/table")
async def put_table(page: TablePageDep, caller: CallerDep) -> Response:
    """Look for the markers, and keep what follows from them if that is asked."""
    return await run_in_threadpool(_put_table, page, caller, await page.form())


@router.get("/places")
def read_places(page: TablePageDep) -> HTMLResponse:
    """The places of the table, and which way its boxes are numbered."""
    return _places(page)


@router.get("/places.jpg")
def read_places_picture(table: TableDep) -> Response:
    """The camera's picture with the places drawn on it."""
    in_use, taken = table.calibrating.in_use, table.calibrating.picture()
    if in_use is None or taken is None:
        raise ProblemError("no_picture_yet", words("No picture yet"))
    return jpeg(fit_to_page(draw_places(taken.image, in_use.calibration))[0])


@router.post("/places")
async def put_places(page: TablePageDep, caller: CallerDep) -> Response:
    """Lay the places out anew, number them the other way, or say that they are right."""
    return await run_in_threadpool(_put_places, page, caller, await page.form())


@router.get("/empty")
def read_empty(page: TablePageDep) -> HTMLResponse:
    """The picture of the empty table."""
    return _empty(page)


@router.post("/empty")
async def put_empty(page: TablePageDep, caller: CallerDep) -> Response:
    """Take the picture of the empty table, if it is."""
    return await run_in_threadpool(_put_empty, page, caller, await page.form())


def _put_lens(page: TablePage, caller: Caller, sent: dict[str, str]) -> Response:
    views = page.table.setting_up.lens_views
    if sent.get("action") != "keep":
        views.restart(sent["board"] if sent.get("board") in BOARDS else "a3")
        return RedirectResponse(f"{page.table.at}/setup/lens", status_code=303)
    fit = views.state().fit
    try:
        if not isinstance(fit, LensFit):
            raise CalibrationRefusedError(words("Calibrate the lens first."))
        page.table.calibrating.put_lens(fit, caller.attribution(sent.get("reason", "")))
    except CalibrationError as error:
        return _lens(page, refused=words_of_error(error))
    views.restart(views.board)
    return RedirectResponse(f"{page.table.at}/setup/table", status_code=303)


def _put_table(page: TablePage, caller: Caller, sent: dict[str, str]) -> Response:
    calibrating, because = page.table.calibrating, caller.attribution(sent.get("reason", ""))
    measured = None
    try:
        measured = measure_markers(calibrating, read_markers(sent))
        if sent.get("action") != "keep":
            return _table(page, sent, measured=measured)
        if isinstance(measured.found, NotSolved) or measured.found is None:
            return _table(page, sent, measured=measured)
        first = calibrating.in_use is None
        calibrating.put_markers(measured.found, sent.get("version", ""), because)
        if first:
            return name_calibration(page, because)
    except (CalibrationError, SettingsRefusedError) as error:
        return _table(page, sent, measured=measured, refused=words_of_error(error))
    return RedirectResponse(f"{page.table.at}/setup/places", status_code=303)


def _put_places(page: TablePage, caller: Caller, sent: dict[str, str]) -> Response:
    calibrating, because = page.table.calibrating, caller.attribution(sent.get("reason", ""))
    version, from_right = sent.get("version", ""), sent.get("numbers") != "left"
    try:
        if sent.get("action") == "right":
            calibrating.confirm_places(version, because)
            return RedirectResponse(f"{page.table.at}/setup/empty", status_code=303)
        if sent.get("action") == "numbers":
            layout = renumbered(calibrating.layout, box1_at_right=from_right)
        else:
            preset = sent.get("preset", "")
            if preset not in PRESETS:
                raise CalibrationRefusedError(words("Choose a layout."))
            shape: Shape = "straight" if sent.get("shape") == "straight" else "arc"
            layout = preset_layout(preset, table_mm=_table_mm(sent), shape=shape, box1_at_right=from_right)
        calibrating.put_places(layout, version, because)
    except CalibrationError as error:
        return _places(page, sent, refused=words_of_error(error))
    return RedirectResponse(f"{page.table.at}/setup/places", status_code=303)


def _table_mm(sent: dict[str, str]) -> tuple[float, float]:
    try:
        wide, deep = float(sent.get("wide", "")), float(sent.get("deep", ""))
    except ValueError:
        wide = deep = 0.0
    if not (500 <= wide <= 10_000 and 300 <= deep <= 10_000):
        raise CalibrationRefusedError(words("Enter the width and the depth of the playing surface in millimetres."))
    return wide, deep


def _put_empty(page: TablePage, caller: Caller, sent: dict[str, str]) -> Response:
    calibrating, look = page.table.calibrating, None
    in_use = calibrating.in_use
    try:
        if in_use is None:
            raise CalibrationRefusedError(words("First set where the camera hangs."))
        look = check_empty(calibrating, in_use.calibration, page.table.reader)
        if look.moves or (look.lying and not sent.get("printed")):
            return _empty(page, look=look)
        because = caller.attribution(sent.get("reason", ""))
        calibrating.put_empty(look.snapshot, sent.get("version", ""), because)
    except CalibrationError as error:
        return _empty(page, look=look, refused=words_of_error(error))
    return RedirectResponse(f"{page.table.at}/setup/tiles", status_code=303)


def _lens(page: TablePage, *, refused: Sayable | None = None) -> HTMLResponse:
    views = page.table.setting_up.lens_views
    try:
        known, fault = page.table.calibrating.lens, refused
    except CalibrationError as error:
        known, fault = None, refused or words_of_error(error)
    return page.answer(
        "setup_lens.html",
        status=422 if refused else 200,
        path=f"{page.table.at}/setup",
        known=known,
        board=views.board,
        refused=fault,
        **_views(views.state()),
    )


def _views(state: LensState) -> dict[str, Any]:
    """What the page tells of the views."""
    fit, look = state.fit, state.look
    why: Sayable | None = None
    if isinstance(fit, NotSolved):
        why = words_of_unsolved(fit)
    elif state.phase == "unseen" and look is not None and isinstance(look.found, NotSolved):
        why = words_of(look.found.advice)
    return {
        "state": state,
        "advice": words_of(state.covered.advice),
        "why": why,
        "fit": fit if isinstance(fit, LensFit) else None,
    }


def _table(
    page: TablePage,
    fields: dict[str, str],
    *,
    measured: MarkerMeasurement | None = None,
    refused: Sayable | None = None,
) -> HTMLResponse:
    calibrating = page.table.calibrating
    found = None if measured is None else measured.found
    fit = found.fit if isinstance(found, TableFit) else None
    picture, spots = None, _spots(fields)
    if measured is not None:
        picture = inline(draw_markers(measured.snapshot.image, measured.seen, spots, fit))
    return page.answer(
        "setup_table.html",
        status=422 if refused else 200,
        path=f"{page.table.at}/setup",
        shown_version=calibrating.version,
        fields=fields,
        markers=range(MARKERS),
        seen=() if measured is None else tuple(measured.seen),
        picture=picture,
        off_mm=_off_mm(spots, measured, fit),
        missing=found.missing if isinstance(found, TableFit) else (),
        camera_mm=None if fit is None else fit.pose.camera_mm.tolist(),
        good=fit is not None and fit.good,
        why=words_of_unsolved(found) if isinstance(found, NotSolved) else None,
        refused=refused,
    )


def _spots(fields: dict[str, str]) -> tuple[MarkerSpot, ...]:
    """Where markers are said to lie, as far as the form can be read."""
    try:
        return read_markers(fields)
    except SettingsRefusedError:
        return ()


def _off_mm(spots: tuple[MarkerSpot, ...], measured: MarkerMeasurement | None, fit: PoseFit | None) -> dict[int, float]:
    """How far each marker that was used is from where it was said to lie."""
    if measured is None or fit is None:
        return {}
    there = [spot.number for spot in spots if spot.number in measured.seen]
    return dict(zip(there, fit.residual_mm.tolist(), strict=True))


def _places(page: TablePage, sent: dict[str, str] | None = None, *, refused: Sayable | None = None) -> HTMLResponse:
    calibrating = page.table.calibrating
    layout = calibrating.layout
    wide, deep = layout.table_mm or TABLE_MM
    fields = {"wide": f"{wide:g}", "deep": f"{deep:g}", "preset": calibrating.preset, "shape": "arc"} | (sent or {})
    return page.answer(
        "setup_places.html",
        status=422 if refused else 200,
        path=f"{page.table.at}/setup",
        shown_version=calibrating.version,
        in_use=calibrating.in_use,
        layout=layout,
        presets=tuple(PRESETS.values()),
        fields=fields,
        refused=refused,
    )


def _empty(page: TablePage, *, look: EmptyTableCheck | None = None, refused: Sayable | None = None) -> HTMLResponse:
    calibrating = page.table.calibrating
    in_use = calibrating.in_use
    picture = None
    if look is not None:
        picture = inline(draw_found(look.snapshot.image, look.lying))
    return page.answer(
        "setup_empty.html",
        status=422 if refused or look else 200,
        path=f"{page.table.at}/setup",
        shown_version=calibrating.version,
        in_use=in_use,
        taken=in_use is not None and in_use.calibration.reference is not None,
        look=look,
        picture=picture,
        refused=refused,
    )
