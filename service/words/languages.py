"""The languages of the page: gettext catalogues beside the templates, read as translators write them.

They hold the texts of the templates and every sentence marked as :mod:`service.words.wording` says. What comes from a
rulebook, and sentences recorded before there were codes, are quoted.
"""

from __future__ import annotations

import gettext
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Final

from babel import Locale
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

LOCALE: Final = Path(__file__).resolve().parents[1] / "web" / "locale"
LANGUAGES: Final = {"en": "English", "zh-Hant": "\u7e41\u9ad4\u4e2d\u6587"}
"""Each language by its tag, in its own words."""

COOKIE: Final = "houseway_language"
_ALSO: Final = {"zh-tw": "zh-Hant", "zh-hk": "zh-Hant", "zh-mo": "zh-Hant"}


@cache
def translations(language: str) -> gettext.NullTranslations:
    """The texts of a language; what a catalogue lacks stays English."""
    if language == "en":
        return gettext.NullTranslations()
    with (LOCALE / f"{language}.po").open("rb") as file:
        catalogue = read_po(file, locale=language.replace("-", "_"))
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
        found = _ALSO.get(tag) or next((known for known in LANGUAGES if _is(tag, known.lower())), None)
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
