"""The languages of the page: gettext catalogues beside the templates, in the format of translators.

Each language has two catalogues: the texts of the templates with every sentence marked by :mod:`service.words.wording`,
and in ``rules`` the texts of the rulebooks that a page can show. The rulebooks' English is authoritative. Text without
translation is quoted, such as the words of a casino's own House Way.
"""

from __future__ import annotations

import gettext
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

from babel import Locale
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from engine.books.registry import VERSIONS
from engine.game.hands import Hand, Name
from engine.game.tiles import Kind, Tile
from engine.house_way import HouseWay
from engine.house_way.reasons import STEP_REASONS
from engine.house_way.written.refusals import WrittenRefusal
from engine.house_way.written.steps import SIDES
from engine.vocabulary.facts import Milestone, Whose
from engine.vocabulary.irregularities import Irregularity
from engine.vocabulary.remedy import Effect
from service.words.rule_sentences import THE_HAND

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from engine.books.book import Rulebook

_HAND: Final = "{hand}"


def book_texts() -> frozenset[str]:
    """Return all texts of the rulebooks, in all versions, with field names in braces."""
    books = [book for versions in VERSIONS.values() for book in versions]
    return frozenset(
        {
            *(text for book in books for text in _declared(book)),
            *(each.value for kind in (Irregularity, Effect, Milestone, Whose) for each in kind),
            *(kind.label for kind in Kind),
            *_named_hands(),
            *STEP_REASONS,
            *SIDES,
            THE_HAND,
        }
    )


def forms(english: str, translated: str) -> Iterator[tuple[str, str]]:
    """Yield a text and its translation, with and without the final full stop."""
    yield english, translated
    if english.endswith("."):
        yield english.removesuffix("."), translated.removesuffix("\N{IDEOGRAPHIC FULL STOP}")


def with_hands(catalogue: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the texts about a hand with each possible hand inserted."""
    for english, translated in catalogue.items():
        if _HAND in english:
            for hand in (*(each.value for each in Whose), THE_HAND):
                yield english.replace(_HAND, hand), translated.replace(_HAND, catalogue[hand])


def _declared(book: Rulebook) -> Iterator[str]:
    rules = book.irregularities
    for option in (each for kinds in (rules.said, rules.silent) for options in kinds.values() for each in options):
        yield from filter(None, (option.action, option.where, option.by.words))
    yield from (each.label for each in book.cuts.named)
    yield from (title for line in book.play.ranks for title in line)
    if book.dice.doubt is not None:
        yield book.dice.doubt.value
    if isinstance(book.way, HouseWay):
        yield from (each.word for each in book.way.definitions)
        for rule in book.way.rules:
            yield rule.text
            if isinstance(rule.refusal, WrittenRefusal):
                yield rule.refusal.text


def _named_hands() -> Iterator[str]:
    """Yield the names of hands that do not count as points."""
    for one in Tile:
        for other in Tile:
            if one is not other or one.copies > 1:
                hand = Hand(one, other)
                if hand.name is not Name.POINTS:
                    yield hand.describe()
                    yield hand.title


LOCALE: Final = Path(__file__).resolve().parents[1] / "web" / "locale"
LANGUAGES: Final = {"en": "English", "zh-Hant": "\u7e41\u9ad4\u4e2d\u6587", "zh-Hans": "\u7b80\u4f53\u4e2d\u6587"}
"""Names of the languages in themselves, by tag."""

COOKIE: Final = "houseway_language"
_REGIONAL: Final = {"zh-tw": "zh-Hant", "zh-hk": "zh-Hant", "zh-mo": "zh-Hant", "zh": "zh-Hans"}
"""Script by regional tag; Chinese without a region is simplified (CLDR)."""


@cache
def translations(language: str) -> gettext.NullTranslations:
    """Return the translations of a language; missing texts stay English."""
    if language == "en":
        return gettext.NullTranslations()
    page, rules = catalogue_of(LOCALE, language), catalogue_of(LOCALE / "rules", language)
    texts = {str(message.id): str(message.string) for message in rules if message.id}
    spoken = Catalog(locale=rules.locale)
    for english, translated in (*texts.items(), *with_hands(texts)):
        for form in forms(english, translated):
            spoken.add(*form)
    translated_page = _compiled(page)
    translated_page.add_fallback(_compiled(spoken))
    return translated_page


def catalogue_of(folder: Path, language: str) -> Catalog:
    with (folder / f"{language}.po").open("rb") as file:
        return read_po(file, locale=language.replace("-", "_"))


def _compiled(catalogue: Catalog) -> gettext.GNUTranslations:
    compiled = BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)


@cache
def locale_of(language: str) -> Locale:
    """Return the locale for numbers and dates."""
    # British English: the day before the month.
    return Locale.parse("en_GB" if language == "en" else language.replace("-", "_"))


def choose_language(cookie: str | None, accepted: str, default: str) -> str:
    """Choose the language of a page.

    Args:
        cookie: the person's earlier choice.
        accepted: the browser's ``Accept-Language``.
        default: the table's language.

    >>> choose_language(None, "fr;q=0.9, zh-TW;q=0.8, en;q=0.1", "en")
    'zh-Hant'
    """
    if cookie in LANGUAGES:
        return str(cookie)
    ranked = []
    for part in accepted.split(","):
        tag, _, quality = part.partition(";q=")
        ranked.append((-_number(quality), tag.strip().lower()))
    for _, tag in sorted(ranked, key=lambda each: each[0]):
        exact = next((known for known in LANGUAGES if _is(tag, known.lower())), None)
        found = exact or next((language for regional, language in _REGIONAL.items() if _is(tag, regional)), None)
        if found is not None:
            return found
    return default


def _is(tag: str, known: str) -> bool:
    return tag == known or tag.startswith(f"{known}-")


def _number(quality: str) -> float:
    try:
        return float(quality or 1)
    except ValueError:
        return 0.0
