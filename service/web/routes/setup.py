"""Setting up a table: the steps, its name and camera, its tiles, and the first verified hand."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Query
from fastapi.responses import HTMLResponse, Response
from starlette.concurrency import run_in_threadpool

from service.access.access import Caller
from service.access.roles import Permission
from service.api.conditional import IfNoneMatch, hashed_response
from service.api.deps import TableDep
from service.api.local_table import LocalTable
from service.api.permissions import CallerDep, requires
from service.api.problems import ProblemError
from service.api.routes.own_dice import DiceDep, ask_dice
from service.record.changes import Attribution
from service.system.source_kinds import offered
from service.table.monitor.dice_watch import DiceReport
from service.table.setup.camera_views import fit_to_page
from service.table.setup.set_up import DICE_FILE, TILES_FILE, SettingsRefusedError
from service.table.setup.steps import SetUpStep, check_first_hand, steps_of
from service.web.setup_forms import (
    NO_FIELDS,
    RULEBOOKS,
    address_of,
    known_ways,
    needs_address,
    shown_without_secret,
    source_changes,
    source_choices,
    table_changes,
    table_fields,
    zones,
)
from service.web.setup_responses import jpeg, save_settings
from service.web.templating import TablePage, TablePageDep
from service.words.wording import Sayable, words

router = APIRouter(
    prefix="/tables/{table}/setup", include_in_schema=False, dependencies=[requires(Permission.CALIBRATE)]
)


@router.get("")
def read_steps(page: TablePageDep) -> HTMLResponse:
    """The steps of the set-up, each with its state."""
    changeable = page.table.setting_up.place is not None
    return page.answer("setup.html", path=f"{page.table.at}/setup", steps=_all_steps(page), changeable=changeable)


@router.get("/camera")
def read_camera(page: TablePageDep) -> HTMLResponse:
    """The form of table and camera."""
    return _camera(page, table_fields(page.table.config))


@router.post("/camera")
async def put_camera(page: TablePageDep, caller: CallerDep) -> Response:
    """Look at a source, or keep it with the rest of the form."""
    return await run_in_threadpool(_put_camera, page, caller, await page.form())


@router.get("/camera/now")
def read_camera_now(page: TablePageDep, if_none_match: IfNoneMatch = None) -> Response:
    """What the source that is looked at gives now."""
    seen = page.table.setting_up.preview.state()
    return hashed_response(page.render("setup_camera_now.html", seen=seen), "text/html", if_none_match)


@router.get("/camera/picture.jpg")
def read_camera_picture(table: TableDep) -> Response:
    """The newest picture of the source that is looked at."""
    image = table.setting_up.preview.state().image
    if image is None:
        raise ProblemError("no_picture_yet", words("No picture yet"))
    return jpeg(fit_to_page(image)[0])


@router.get("/camera/thumbnail.jpg")
def read_thumbnail(table: TableDep, source: Annotated[str, Query(max_length=300)]) -> Response:
    """A picture of a camera of this machine."""
    setting_up = table.setting_up
    image = None
    if source in {value for value, _ in source_choices({})}:
        place = setting_up.own_place()
        wanted = setting_up.try_settings(
            {place.table: {"name": table.name}, place.source: source_changes({"source": source}, place)}
        )
        if setting_up.chosen and wanted.table.watched.spec == table.settings.watched.spec:
            taken = table.calibrating.picture()
            image = None if taken is None else taken.image
        else:
            image = setting_up.preview.thumbnail(wanted)
    if image is None:
        raise ProblemError("no_picture_yet", words("No picture yet"))
    return jpeg(fit_to_page(image)[0])


@router.get("/tiles")
def read_tiles(page: TablePageDep) -> HTMLResponse:
    """Whether this table's own tiles are enrolled."""
    return _tiles(page)


@router.post("/tiles")
def put_tiles(
    page: TablePageDep,
    caller: CallerDep,
    action: Annotated[str, Form(max_length=20)],
    reason: Annotated[str, Form(max_length=500)],
) -> Response:
    """Have a set enrolled at this table, or leave it for later."""
    try:
        if action == "begin":
            return _keep_file(page, "enrolment", TILES_FILE, caller.attribution(reason), then="tiles")
        return _keep_file(page, "enrolment", None, caller.attribution(reason), then="setup/hand")
    except SettingsRefusedError as error:
        return _tiles(page, refused=error.words)


@router.get("/dice")
def read_dice(page: TablePageDep) -> HTMLResponse:
    """What is learnt about the house's own dice."""
    return _dice(page)


@router.post("/dice")
def put_dice(
    page: TablePageDep,
    caller: CallerDep,
    action: Annotated[str, Form(max_length=20)],
    reason: Annotated[str, Form(max_length=500)],
) -> Response:
    """Have dice enrolled at this table, or leave it for later."""
    try:
        if action == "begin":
            return _keep_file(page, "dice", DICE_FILE, caller.attribution(reason), then="setup/dice")
        return _keep_file(page, "dice", None, caller.attribution(reason), then="setup/hand")
    except SettingsRefusedError as error:
        return _dice(page, refused=error.words)


@router.post("/dice/enrolment")
async def enrol_dice(
    page: TablePageDep,
    dice: DiceDep,
    caller: CallerDep,
    reason: Annotated[str, Form(min_length=1, max_length=500)],
    cut_value: Annotated[Literal["", "1", "2", "3", "4", "5", "6"], Form()] = "",
) -> HTMLResponse:
    """Enrol the dice that lie there."""
    return _dice(page, found=await ask_dice(dice, caller, reason, int(cut_value) if cut_value else None))


def _all_steps(page: TablePage) -> tuple[SetUpStep, ...]:
    """How far the set-up of the table is."""
    table = page.table
    return steps_of(table.setting_up, table.live, table.tiles, table.dice, page.parts.record, table.name)


def _put_camera(page: TablePage, caller: Caller, sent: dict[str, str]) -> Response:
    setting_up = page.table.setting_up
    # What was typed once is not sent back to the page: an address may hold a password.
    typed = address_of(sent)
    if typed is not None:
        setting_up.typed_address = typed
    address = setting_up.typed_address if needs_address(sent) else None
    try:
        changes = table_changes(sent, page.table.config, setting_up.own_place())
        if sent.get("action") == "keep":
            then = "" if sent.get("source") in {kind.name for kind in offered("nothing")} else "setup/lens"
            return save_settings(page, changes, caller.attribution(sent.get("reason", "")), address, then=then)
        wanted = setting_up.try_settings(changes, address)
        if setting_up.chosen and wanted.table.watched.spec == page.table.settings.watched.spec:
            return _camera(page, sent, in_use=True)
        setting_up.preview.start(wanted)
    except SettingsRefusedError as error:
        return _camera(page, sent, refused=error.words)
    return _camera(page, sent, looking=True)


def _camera(
    page: TablePage,
    fields: dict[str, str],
    *,
    looking: bool = False,
    in_use: bool = False,
    refused: Sayable | None = None,
) -> HTMLResponse:
    setting_up, source = page.table.setting_up, page.table.settings.source
    kept = setting_up.typed_address
    if kept is None and source is not None and source.declared.form == "address" and source.url is not None:
        kept = source.url.get_secret_value()
    return page.answer(
        "setup_camera.html",
        status=422 if refused else 200,
        path=f"{page.table.at}/setup",
        fields=NO_FIELDS | fields,
        cameras=source_choices(fields),
        by_address=offered("address"),
        by_path=offered("path"),
        by_nothing=offered("nothing"),
        rulebooks=tuple(dict.fromkeys((*RULEBOOKS, page.table.settings.rulebook))),
        ways=tuple(dict.fromkeys((*known_ways(), *filter(None, (page.table.settings.house_way,))))),
        zones=zones(),
        kept=shown_without_secret(kept),
        looking=looking,
        in_use=in_use,
        seen=setting_up.preview.state() if looking else None,
        refused=refused,
    )


def _keep_file(page: TablePage, setting: str, file: str | None, why: Attribution, *, then: str) -> Response:
    """Name the file in which this table keeps what it learns, or none; SettingsRefusedError."""
    setting_up = page.table.setting_up
    place = setting_up.place
    name = None if place is None or file is None else place.beside(file).name
    return save_settings(page, {setting_up.own_place().table: {setting: name}}, why, then=then)


def _tiles(page: TablePage, *, refused: Sayable | None = None) -> HTMLResponse:
    tiles = page.table.tiles
    return page.answer(
        "setup_tiles.html",
        status=422 if refused else 200,
        path=f"{page.table.at}/setup",
        wanted=tiles is not None and tiles.path is not None,
        enrolled=tiles is not None and tiles.enrolment is not None,
        refused=refused,
    )


def _dice(page: TablePage, *, found: DiceReport | None = None, refused: Sayable | None = None) -> HTMLResponse:
    dice = page.table.dice
    own = None if dice is None else dice.own
    return page.answer(
        "setup_dice.html",
        status=422 if refused else 200,
        path=f"{page.table.at}/setup",
        dice=dice,
        own=own,
        kinds=() if own is None else tuple(zip(own.roles, own.sides_mm, own.values, strict=True)),
        found=found,
        refused=refused,
    )


@router.get("/hand")
def read_hand(page: TablePageDep) -> HTMLResponse:
    """What to lay, and how far it is."""
    return page.answer("setup_hand.html", path=f"{page.table.at}/setup", **_first_hand(page.table))


@router.get("/hand/now")
def read_hand_first_hand(page: TablePageDep, if_none_match: IfNoneMatch = None) -> Response:
    """How far the first hand is."""
    return hashed_response(page.render("setup_hand_now.html", **_first_hand(page.table)), "text/html", if_none_match)


def _first_hand(table: LocalTable) -> dict[str, Any]:
    return {
        "hand": check_first_hand(table.live, table.calibrating),
        "settle": table.settings.rounds.settle_frames,
        "ready": table.setting_up.finished,
    }
