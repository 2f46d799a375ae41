"""Pages: the filters and functions of templates, and the frame of each page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Final
from urllib.parse import urlencode

from babel.dates import format_date, format_time, format_timedelta, get_timezone_name
from babel.numbers import format_decimal, format_percent
from babel.units import format_unit
from fastapi import Depends, Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, pass_context

from calibration.table.places import Place
from engine.books.registry import VERSIONS, variant_title
from engine.game.tiles import Tile
from service import __version__
from service.access.roles import Permission
from service.api.deps import PartsDep, TableDep  # noqa: TC001  FastAPI resolves annotations
from service.api.parts import Parts  # noqa: TC001  FastAPI resolves annotations
from service.api.routes.alarms import alarm_remedy
from service.api.routes.tables import describe_table, status_of
from service.api.scope import Scope, scope_of
from service.record.changes import SERVICE_TEXTS
from service.rounds.judge.remedies import causes_words_of, exceptions_words_of
from service.rounds.judge.rules_in_force import rules_of
from service.rounds.judge.verdicts import explain
from service.rounds.outcomes import CALLED, OUTCOMES, outcome_now, outcome_of_finding, outcome_words
from service.rounds.reports import moved, verdict_of
from service.rounds.round_history import decisions_of
from service.rounds.served import FindingOut
from service.table.live_state import STAGES
from service.web.rendering import describe, quoted, remedy_sentences, templates_in, translate, unbroken
from service.web.review_questions import USUAL, reason_words, view_of
from service.web.round_views import doubts, shown_dice, shown_pictures
from service.web.tile_svg import table_svg, tile_group, tile_svg, tile_symbols
from service.words.languages import COOKIE, LANGUAGES, choose_language, locale_of, translations
from service.words.rule_sentences import message_words, rulings_words
from service.words.wording import BookText, Joined, place_name, sentence

if TYPE_CHECKING:
    from jinja2.runtime import Context

    from service.access.access import Caller
    from service.api.local_table import LocalTable
    from service.record.projections.alarms import Alarm
    from service.system.subscriber_settings import AlarmKind
    from service.words.wording import Sayable


THEME_COOKIE: Final = "houseway_theme"
THEMES: Final = ("light", "dark", "dim")
"""What a person may choose; without a choice the device decides."""
_JUST_NOW: Final = sentence("just now")
_DICE_COLOURS = ("red", "blue", "green", "purple", "black", "yellow", "white", "ivory")


@cache
def environment(language: str) -> Environment:
    """The templates in a language."""
    made = templates_in(language)
    locale = locale_of(language)

    @pass_context
    def clock(context: Context, at: datetime) -> str:
        return str(format_time(at.astimezone(context["zone"]), "HH:mm:ss", locale=locale))

    @pass_context
    def hour(context: Context, at: datetime) -> str:
        return str(format_time(at.astimezone(context["zone"]), "HH:mm", locale=locale))

    @pass_context
    def moment(context: Context, at: datetime) -> str:
        return f"{format_date(at.astimezone(context['zone']), 'medium', locale=locale)} {clock(context, at)}"

    @pass_context
    def cut(context: Context, name: str) -> str:
        books = reversed(VERSIONS.get(context["table"].rulebook, ()))
        labels = (each.label for book in books for each in book.cuts.named if each.cut.value == name)
        return next(labels, name)

    def ago(at: datetime) -> str:
        """How long ago a moment was, in whole minutes at the least."""
        since = min(at - datetime.now(UTC), timedelta())
        if since > -timedelta(minutes=1):
            return translations(language).gettext(_JUST_NOW)
        return str(format_timedelta(since, granularity="minute", add_direction=True, format="short", locale=locale))

    @pass_context
    def since(context: Context, at: datetime) -> str:
        """The time of a moment, with its day unless that is today or yesterday."""
        return (hour if datetime.now(UTC) - at < timedelta(hours=20) else moment)(context, at)

    def lasted(span: timedelta) -> str:
        """How long something lasted, in hours and minutes, or in minutes and seconds."""
        minutes, seconds = divmod(max(round(span.total_seconds()), 0), 60)
        hours, minutes = divmod(minutes, 60)
        units = (("hour", hours), ("minute", minutes), ("second", 0 if hours else seconds))
        parts = [format_unit(number, name, "short", locale=locale) for name, number in units if number]
        return " ".join(parts) or str(format_unit(0, "second", "short", locale=locale))

    made.globals.update(
        language=language,
        languages=LANGUAGES,
        faces=tuple(str(face) for face in Tile),
        colours=_DICE_COLOURS,
        tile=tile_svg,
        tile_group=tile_group,
        tile_symbols=tile_symbols,
        table_svg=table_svg,
        version=__version__,
        verdict_of=verdict_of,
        doubts=doubts,
        shown_pictures=shown_pictures,
        decisions_of=decisions_of,
        shown_dice=shown_dice,
        moved=moved,
        view_of=view_of,
        usual_reasons=USUAL,
        rules_of=rules_of,
        stage_names=STAGES,
        # On the pages of one table, these are others.
        here="",
        health_page="",
        at_table="/tables/{}".format,
    )
    made.tests["of_box"] = lambda place: Place.parse(place).box is not None
    made.filters.update(
        translated=lambda words: translate(words, translations(language)),
        places=lambda names: translate(Joined([place_name(name) for name in names], ", "), translations(language)),
        place=Place.parse,
        quoted=lambda text: quoted(text, translations(language)),
        of_service=lambda text: translations(language).gettext(text) if text in SERVICE_TEXTS else text,
        variant_title=lambda variant, rulebook: variant_title(rulebook or "", variant),
        message=lambda text: translate(message_words(text), translations(language)),
        rulings=lambda numbers: translate(rulings_words(numbers), translations(language)),
        of_book=lambda text: translate(BookText(text), translations(language)),
        explain=lambda hand, played, rules_of: explain(hand, rules_of(played).house_way, played.reached),
        remedies=lambda found, book: remedy_sentences(found, book, translations(language)),
        causes=causes_words_of,
        alarm_remedy=alarm_remedy,
        outcome=lambda done: translate(outcome_words(done), translations(language)),
        outcome_name=lambda code: translations(language).gettext((OUTCOMES | CALLED)[code]),
        outcome_of=lambda found, played: outcome_of_finding(played, found),
        outcome_now=lambda hand, played: outcome_now(played, hand),
        exceptions=exceptions_words_of,
        english=FindingOut.from_report,
        described=lambda found: describe(found, translations(language)),
        reason=lambda recorded: translate(reason_words(recorded), translations(language)),
        unbroken=unbroken,
        clock=clock,
        hour=hour,
        moment=moment,
        cut=cut,
        day=lambda of: str(format_date(of, "full", locale=locale)),
        short_day=lambda of: str(format_date(of, "medium", locale=locale)),
        ago=ago,
        lasted=lasted,
        since=since,
        query=urlencode,
        minus=_minus,
        number=lambda value: _minus(format_decimal(value, locale=locale)),
        percent_whole=lambda share: _minus(format_percent(share, locale=locale)),
        percent=lambda share: _minus(format_percent(share, "#,##0.0%", locale=locale)),
        percent_exact=lambda share: _minus(format_percent(share, "#,##0.0000%", locale=locale)),
        percent_fine=lambda share: _minus(format_percent(share, "#,##0.00%", locale=locale)),
    )
    return made


def _minus(number: object) -> str:
    """A number as text, with a minus sign instead of a hyphen."""
    return str(number).replace("-", "\N{MINUS SIGN}")


def compile_templates(*names: str) -> None:
    """Compile templates in every language, a few tenths of a second each, before somebody asks for the first page."""
    for language in LANGUAGES:
        for name in names:
            environment(language).get_template(name)


@dataclass(frozen=True, slots=True)
class Page:
    """A page for one request."""

    request: Request
    parts: Parts

    @property
    def language(self) -> str:
        """The language in which it is read."""
        sent = self.request
        return choose_language(
            sent.cookies.get(COOKIE), sent.headers.get("accept-language", ""), self.parts.config.page.language
        )

    @property
    def scope(self) -> Scope:
        """What the reader sees."""
        return scope_of(self.request, self.parts)

    async def form(self) -> dict[str, str]:
        """The fields of the form that was sent, without files."""
        return {name: value for name, value in (await self.request.form()).items() if isinstance(value, str)}

    def render(self, template: str, **context: object) -> str:
        """Render a template in the frame of every page; without a signed-in person the frame is empty."""
        caller: Caller | None = getattr(self.request.state, "caller", None)
        theme = self.request.cookies.get(THEME_COOKIE, "")
        common: dict[str, object] = {
            "me": caller,
            "zone": self.parts.config.page.zone,
            "path": self.request.scope["path"],
            "theme": theme if theme in THEMES else "",
        }
        if caller is not None:
            common |= {
                "may": {permission.value: caller.may(permission) for permission in Permission},
                "query_params": dict(self.request.query_params),
                **self.request.app.state.around(self),
            }
        return environment(self.language).get_template(template).render(common | context)

    def render_shared(self, template: str, **context: object) -> str:
        """Render a template that is the same for everybody who sees the same tables."""
        common = {"zone": self.parts.config.page.zone, **self.scope.named}
        return environment(self.language).get_template(template).render(common | context)

    def answer(self, template: str, *, status: int = 200, **context: object) -> HTMLResponse:
        """A template as a response with this HTTP status."""
        headers = {"Cache-Control": "no-store", "Content-Language": self.language}
        body = self.render(template, status=status, **context)
        return HTMLResponse(body, status_code=status, headers=headers)


@dataclass(frozen=True, slots=True)
class TablePage(Page):
    """A page of one table."""

    table: LocalTable


def around_page(page: Page) -> dict[str, object]:
    """What a page shows around its content to a signed-in person: a table's state and alarms, or links to all tables.

    The pages of a service with only one table are all in that table's frame.
    """
    table = page.table if isinstance(page, TablePage) else page.parts.only
    common = {"service": page.parts.config.service, "rules_of": page.parts.rules_of, **page.scope.named}
    if table is None:
        return common | {"one_table": False, "several": True}
    return common | {
        "one_table": True,
        "several": page.parts.only is None,
        "here": table.at,
        "health_page": "/health",
        "table": SimpleNamespace(name=table.name, title=table.settings.title, **dict(describe_table(table))),
        "low_lies": table.rules.now.low_hand(table.settings.low_hand).value,
        "status_line": status_of(table),
        "current": table.live.displayed.current,
        "alarms": strip_of(table),
    }


async def _page(request: Request, parts: PartsDep) -> Page:
    return Page(request, parts)


async def _table_page(request: Request, parts: PartsDep, table: TableDep) -> TablePage:
    return TablePage(request, parts, table)


PageDep = Annotated[Page, Depends(_page)]
TablePageDep = Annotated[TablePage, Depends(_table_page)]


def problem_page(request: Request, status: int, detail: Sayable | str) -> HTMLResponse:
    """A problem as a page, with links to continue; for a remote table also to the service that runs it."""
    page = Page(request, request.app.state.parts)
    known = page.parts.config.remote if getattr(request.state, "caller", None) is not None else ()
    seen, name = {table.name for table in page.scope.tables} if known else (), request.path_params.get("table")
    at = next((table.address for table in known if table.name == name and name in seen), None)
    return page.answer("problem.html", status=status, detail=detail, elsewhere=at if status == 404 else None)


def zone_name(at: datetime, language: str) -> str:
    """What people call the time zone of a moment."""
    return str(get_timezone_name(at, "long", locale=locale_of(language)))


SHOWN_AT_MOST: Final = 2
"""Alarms in the strip above a page, each on a line, above a line for all; the list has the others."""


@dataclass(frozen=True, slots=True)
class AlarmStrip:
    """The alarms above the pages of people who follow a table.

    Attributes:
        shown: the worst kind first and in it those that last, then the newest.
        hidden: how many more nobody answered.
        rings: the kind whose tone is to be heard; None for silence.
    """

    shown: tuple[Alarm, ...]
    hidden: int
    rings: AlarmKind | None

    @property
    def total(self) -> int:
        """How many alarms nobody answered."""
        return len(self.shown) + self.hidden

    @property
    def ids(self) -> tuple[str, ...]:
        """The alarms shown that can be acknowledged."""
        return tuple(alarm.id for alarm in self.shown if alarm.id is not None)


def strip_of(table: LocalTable) -> AlarmStrip:
    """The current alarms of a table."""
    standing = table.alarms.standing()
    shown = standing.open[:SHOWN_AT_MOST]
    return AlarmStrip(
        shown=shown,
        hidden=sum(standing.counts.values()) - len(shown),
        rings=next((alarm.kind for alarm in standing.open if alarm.sounds), None),
    )
