"""What somebody types to find rounds, understood: numbers, days, verdicts, tiles, boxes; the rest is text.

Words of the page's language are understood as well as English. What was understood is shown above what was found.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Final

from calibration.table.places import BOX_PLACES, HOUSE
from engine.errors import TileError
from engine.game.tiles import Kind, Tile
from service.record.search_terms import (
    STATUSES,
    VERDICTS,
    AtPlace,
    EitherOf,
    OfNumber,
    OfStatus,
    OfVerdict,
    OnDay,
    Term,
    WithText,
    WithTile,
)
from service.words.languages import locale_of, translations
from service.words.wording import sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeAlias
    from zoneinfo import ZoneInfo

    _Make: TypeAlias = Callable[[re.Match[str], date, ZoneInfo], Term | None]

FIRST_DAY, LAST_DAY = date(1900, 1, 1), date(9999, 12, 30)
"""The calendar's ends have no day beyond them."""

_ROUNDS: Final = (sentence("Round %(number)s"), sentence("round %(number)s"))
_BOXES: Final = (sentence("Box %(number)s"), sentence("box %(number)s"))
_HOUSE: Final = sentence("House")
_DAYS: Final = ((sentence("today"), 0), (sentence("yesterday"), 1))
_OTHER_NAMES: Final = {Kind.GEE_JUN: ("Gee Joon", "Gee Joons")}
_SEPARATORS: Final = re.compile(r"[\s,;·\u3001\uff0c]*")
_LITERAL: Final = re.compile('"([^"]+)"|\u201c([^\u201d]+)\u201d|([^\\s,;·\u3001\uff0c]+)')
_ENDS: Final = r"(?![a-z0-9./:-])"
_LATEST_LEAP_YEARS: Final = 9


def understand(text: str, language: str, today: date, zone: ZoneInfo) -> tuple[Term, ...]:
    """What rounds must all have to be found.

    Args:
        text: as it was typed; what stands in quotation marks is text and nothing else.
        language: of the page.
        today: the day on which it is asked.
        zone: in which days begin and end.
    """
    said = unicodedata.normalize("NFKC", text).casefold()
    found: list[Term] = []
    at = _behind(said, 0)
    while at < len(said):
        at, term = max(_readings(said, at, language, today, zone), key=lambda read: read[0])
        found.append(term)
        at = _behind(said, at)
    return tuple(dict.fromkeys(found))


def _behind(said: str, at: int) -> int:
    apart = _SEPARATORS.match(said, at)
    return apart.end() if apart else at


def _readings(said: str, at: int, language: str, today: date, zone: ZoneInfo) -> Iterator[tuple[int, Term]]:
    """All that may be meant at a place, with where each ends; what is text only if nothing else is meant, last."""
    meant = False
    for pattern, make in _patterns(language):
        if (match := pattern.match(said, at)) and (term := make(match, today, zone)) is not None:
            meant = True
            yield match.end(), term
    if not meant:
        literal = _LITERAL.match(said, at)
        # A quotation mark without its other half stands for itself, with all behind it.
        end, text = (len(said), said[at:]) if literal is None else (literal.end(), literal[literal.lastindex or 0])
        yield end, WithText(text)


@cache
def _patterns(language: str) -> tuple[tuple[re.Pattern[str], _Make], ...]:
    return tuple((re.compile(pattern + _ENDS), make) for pattern, make in _meanings(language))


def _meanings(language: str) -> Iterator[tuple[str, _Make]]:
    yield _any_of(_ROUNDS, language) + "|#(?P<hash>[0-9]{1,9})", lambda match, *_: OfNumber(_number(match))
    yield "[0-9]{1,9}", lambda match, *_: _number_or_face(match[0])
    yield _any_of(_BOXES, language), lambda match, *_: _box(_number(match))
    yield _any_of((_HOUSE,), language), lambda *_: AtPlace(HOUSE)
    yield "[1-6][-/:][1-6]", lambda match, *_: _tile(match[0])
    for kind in Kind:
        names = (kind.label, kind.plural, *_OTHER_NAMES.get(kind, ()))
        yield _any_of(names, "en"), lambda *_, kind=kind: WithTile(tuple(t for t in Tile if t.kind is kind), kind.label)
    for verdict, name in VERDICTS.items():
        yield _any_of((name,), language), lambda *_, verdict=verdict: OfVerdict(verdict)
    for status, name in STATUSES.items():
        yield _any_of((name,), language), lambda *_, status=status: OfStatus(status)
    for name, ago in _DAYS:
        yield _any_of((name,), language), lambda _, today, zone, ago=ago: _on(today.toordinal() - ago, zone)  # type: ignore[misc]
    yield "(?P<y>[0-9]{4})-(?P<m>[0-9]{1,2})-(?P<d>[0-9]{1,2})", _day
    yield "(?:(?P<y>[0-9]{4})年)?(?P<m>[0-9]{1,2})月(?P<d>[0-9]{1,2})[日號号]", _day
    for name, month in _months(language):
        year = r"(?:,?\s*(?P<y>[0-9]{4}))?"
        for pattern in (rf"(?P<d>[0-9]{{1,2}})\.?\s*{name}\.?{year}", rf"{name}\.?\s*(?P<d>[0-9]{{1,2}}){year}"):
            yield pattern, lambda match, today, zone, month=month: _day(match, today, zone, month)  # type: ignore[misc]


def _any_of(texts: Iterable[str], language: str) -> str:
    """A pattern of texts in English and in a language, with their number if they have one."""
    spoken = dict.fromkeys(each.casefold() for text in texts for each in (text, translations(language).gettext(text)))
    patterns = []
    for number, text in enumerate(spoken):
        escaped = r"\s*".join(map(re.escape, text.split()))
        patterns.append(escaped.replace(re.escape("%(number)s"), f"(?P<n{number}>[0-9]{{1,9}})"))
    return f"(?:{'|'.join(patterns)})" if len(patterns) > 1 else patterns[0]


def _number(match: re.Match[str]) -> int:
    return int(next(filter(None, match.groups())))


def _number_or_face(digits: str) -> Term:
    number = OfNumber(int(digits))
    if len(digits) == 2 and (tile := _tile(digits)) is not None:
        return EitherOf(number, tile)
    return number


def _tile(written: str) -> WithTile | None:
    try:
        return WithTile((Tile.parse(written),))
    except TileError:
        return None


def _box(number: int) -> AtPlace | None:
    return next((AtPlace(place) for place in BOX_PLACES if place.number == number), None)


def _months(language: str) -> Iterator[tuple[str, int]]:
    known = {
        name.casefold().rstrip("."): number
        for each in ("en", language)
        for width in ("wide", "abbreviated")
        for number, name in locale_of(each).months["format"][width].items()
        if any(letter.isalpha() and letter.isascii() for letter in name)
    }
    yield from ((re.escape(name), number) for name, number in known.items())
    yield "sep", 9


def _day(match: re.Match[str], today: date, zone: ZoneInfo, month: int | None = None) -> OnDay | None:
    """A day; without its year the last one that was, or is today."""
    said = match.groupdict()
    of_month, of_year = int(said["d"]), month or int(said["m"])
    years = (int(said["y"]),) if said["y"] else range(today.year, today.year - _LATEST_LEAP_YEARS, -1)
    for year in years:
        try:
            found = date(year, of_year, of_month)
        except ValueError:
            continue
        if said["y"] or found <= today:
            return _on(found.toordinal(), zone)
    return None


def _on(ordinal: int, zone: ZoneInfo) -> OnDay | None:
    found = date.fromordinal(ordinal)
    return OnDay(found, zone) if FIRST_DAY <= found <= LAST_DAY else None
