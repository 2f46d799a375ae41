"""The page's templates, one environment for each language."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode, urlsplit

from babel.dates import format_date, format_datetime, format_time, get_timezone_name
from babel.numbers import format_decimal, format_percent
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context

from engine.books.registry import BOOKS
from engine.game.tiles import Tile
from service import __version__
from service.access.roles import Permission
from service.http.routes.tables import describe_table
from service.table.table_now import STAGES
from service.web.dice_doubts import shown_dice
from service.web.round_history import doubts, shown_pictures, verdict_of
from service.web.tile_svg import tile_svg
from service.web.told import quoted, said, told, unbroken
from service.words.languages import COOKIE, LANGUAGES, chosen, locale_of, translations

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date, datetime

    from fastapi import Request
    from jinja2.runtime import Context

    from service.access.access import Caller
    from service.http.deps import Parts

WEB: Final = Path(__file__).resolve().parent

THEME_COOKIE: Final = "houseway_theme"
THEMES: Final = ("light", "dark", "dim")
"""What a person may choose; without a choice the device says."""
_DICE_COLOURS = ("red", "blue", "green", "purple", "black", "yellow", "white", "ivory")


@cache
def environment(language: str) -> Environment:
    """The templates in a language."""
    made = Environment(
        loader=FileSystemLoader(WEB / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    made.install_gettext_translations(translations(language), newstyle=True)  # type: ignore[attr-defined]
    locale = locale_of(language)

    @pass_context
    def clock(context: Context, at: datetime) -> str:
        return str(format_time(at.astimezone(context["zone"]), "HH:mm:ss", locale=locale))

    @pass_context
    def moment(context: Context, at: datetime) -> str:
        return str(format_datetime(at.astimezone(context["zone"]), "medium", locale=locale))

    @pass_context
    def cut(context: Context, name: str) -> str:
        book = BOOKS.get(context["table"].rulebook)
        return next((each.label for each in book.cuts.named if each.cut.value == name), name) if book else name

    def day(of: date) -> str:
        return str(format_date(of, "full", locale=locale))

    made.globals.update(
        language=language,
        languages=LANGUAGES,
        faces=tuple(str(face) for face in Tile),
        colours=_DICE_COLOURS,
        tile=tile_svg,
        version=__version__,
        verdict_of=verdict_of,
        doubts=doubts,
        shown_pictures=shown_pictures,
        shown_dice=shown_dice,
        stage_names=STAGES,
    )
    made.filters.update(
        said=lambda words: said(words, translations(language)),
        quoted=lambda text: quoted(text, translations(language)),
        told=lambda found: told(found, translations(language)),
        unbroken=unbroken,
        clock=clock,
        moment=moment,
        cut=cut,
        day=day,
        query=urlencode,
        number=lambda value: format_decimal(value, locale=locale),
        percent_whole=lambda share: format_percent(share, locale=locale),
        percent=lambda share: format_percent(share, "#,##0.0%", locale=locale),
    )
    return made


def language_of(request: Request, parts: Parts) -> str:
    """The language in which somebody reads the page."""
    return chosen(request.cookies.get(COOKIE), request.headers.get("accept-language", ""), parts.config.page.language)


def render(request: Request, parts: Parts, template: str, told: Mapping[str, object] | None = None) -> str:
    """A template with what every page is told; of the table nothing to who is not signed in."""
    caller: Caller | None = getattr(request.state, "caller", None)
    about: dict[str, object] = {"me": caller, "zone": parts.config.page.zone, "path": request.scope["path"]}
    theme = request.cookies.get(THEME_COOKIE, "")
    about["theme"] = theme if theme in THEMES else ""
    if caller is not None:
        about |= _told_of(caller, parts)
    return environment(language_of(request, parts)).get_template(template).render({**about, **(told or {})})


def _told_of(caller: Caller, parts: Parts) -> dict[str, object]:
    alarms = parts.alarms.standing()
    return {
        "may": {permission.value: caller.may(permission) for permission in Permission},
        "table": describe_table(parts),
        "current": parts.desk.state.current,
        "alarms": tuple(alarm for alarm in alarms if alarm.acknowledged is None),
        "seen_alarms": tuple(alarm for alarm in alarms if alarm.acknowledged is not None),
    }


def answer(
    request: Request, parts: Parts, template: str, told: Mapping[str, object] | None = None, *, status: int = 200
) -> HTMLResponse:
    """A page."""
    headers = {"Cache-Control": "no-store", "Content-Language": language_of(request, parts)}
    return HTMLResponse(render(request, parts, template, told), status_code=status, headers=headers)


def problem_page(request: Request, status: int, detail: str) -> HTMLResponse:
    """A fault for a person who asked for a page: in words, with a way on, where a program gets a problem."""
    return answer(request, request.app.state.parts, "problem.html", {"status": status, "detail": detail}, status=status)


def inside(path: str) -> str:
    """A path of this service, wherever the address that asked to go there points."""
    parsed = urlsplit(path)
    local = path.startswith("/") and not path.startswith(("//", "/\\")) and not (parsed.scheme or parsed.netloc)
    return path if local and path.isprintable() else "/"


def zone_name(at: datetime, language: str) -> str:
    """What people call the time zone of a moment."""
    return str(get_timezone_name(at, "long", locale=locale_of(language)))
