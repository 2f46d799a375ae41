"""The languages of the page: gettext catalogues beside the templates, read as translators write them.

Each language has two: the texts of the templates with every sentence marked as :mod:`service.words.wording` says, and
in ``rules`` the texts of the rulebooks (:mod:`service.words.rules`). What neither has is quoted: the words of a House
Way of a casino's own, and sentences recorded before there were codes.
"""

from __future__ import annotations

import gettext
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Final

from babel import Locale
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from service.words.rules import forms, with_hands

LOCALE: Final = Path(__file__).resolve().parents[1] / "web" / "locale"
LANGUAGES: Final = {"en": "English", "zh-Hant": "\u7e41\u9ad4\u4e2d\u6587", "zh-Hans": "\u7b80\u4f53\u4e2d\u6587"}
"""Each language by its tag, in its own words."""

COOKIE: Final = "houseway_language"
_ALSO: Final = {"zh-tw": "zh-Hant", "zh-hk": "zh-Hant", "zh-mo": "zh-Hant", "zh": "zh-Hans"}
"""Tags that name no writing, and which one is read there; Chinese of nowhere in particular is simplified (CLDR)."""


@cache
def translations(language: str) -> gettext.NullTranslations:
    """The texts of a language; what a catalogue lacks stays English."""
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
    """The catalogue of a language in a folder, as translators write it."""
    with (folder / f"{language}.po").open("rb") as file:
        return read_po(file, locale=language.replace("-", "_"))


def _compiled(catalogue: Catalog) -> gettext.GNUTranslations:
    compiled = BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)


@cache
def locale_of(language: str) -> Locale:
    """How a language writes numbers and dates."""
    # English as most of the world writes it: the day before the month.
    return Locale.parse("en_GB" if language == "en" else language.replace("-", "_"))


def chosen(cookie: str | None, accepted: str, otherwise: str) -> str:
    """The language of a page.

    Args:
        cookie: what the person chose before.
        accepted: the browser's ``Accept-Language``.
        otherwise: the table's own.

    >>> chosen(None, "fr;q=0.9, zh-TW;q=0.8, en;q=0.1", "en")
    'zh-Hant'
    """
    if cookie in LANGUAGES:
        return str(cookie)
    ranked = []
    for part in accepted.split(","):
        tag, _, quality = part.partition(";q=")
        ranked.append((-_number(quality), tag.strip().lower()))
    for _, tag in sorted(ranked, key=lambda each: each[0]):
        named = next((known for known in LANGUAGES if _is(tag, known.lower())), None)
        found = named or next((also for asked, also in _ALSO.items() if _is(tag, asked)), None)
        if found is not None:
            return found
    return otherwise


def _is(tag: str, known: str) -> bool:
    return tag == known or tag.startswith(f"{known}-")


def _number(quality: str) -> float:
    try:
        return float(quality or 1)
    except ValueError:
        return 0.0
