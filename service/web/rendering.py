"""Templates and sentences in the language of a page.

A rulebook's words are translated; without a translation they are quoted in English.
"""

from __future__ import annotations

import re
from gettext import NullTranslations
from pathlib import Path
from typing import TYPE_CHECKING, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from service.rounds.judge.remedies import remedies_words_of
from service.rounds.reports import FindingReport
from service.words.findings import words_of
from service.words.languages import translations
from service.words.wording import BookText, Capitalised, Joined, Paraphrase, Quote, Sayable, Words

if TYPE_CHECKING:
    from engine.books.book import Rulebook
    from service.words.doubts import DoubtReport
    from vision.findings import Finding


WEB: Final = Path(__file__).resolve().parent


def templates_in(language: str) -> Environment:
    """The templates with their words in a language; a page adds what else it needs."""
    made = Environment(
        loader=FileSystemLoader(WEB / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
        auto_reload=False,  # a new program is a new start; no file is looked at for each page
    )
    made.install_gettext_translations(translations(language), newstyle=True)  # type: ignore[attr-defined]
    return made


_BETWEEN_DIGITS: Final = re.compile(r"(?<=[0-9])-(?=[0-9])|(?<=[a-z])-(?=[0-9])")
_CODE: Final = re.compile("`([^`]*)`")
"""A command or name of a setting, as sentences have it."""
_QUOTED: Final = Markup('<q lang="en">{}</q>')


def unbroken(text: str) -> str:
    """Text whose tiles and rule numbers do not break across lines."""
    return _BETWEEN_DIGITS.sub("\N{NON-BREAKING HYPHEN}", text)


def quoted(text: str, catalogue: NullTranslations) -> Markup:
    """Words from elsewhere; a quotation on a page of another language."""
    shown = escape(unbroken(text))
    return shown if is_english(catalogue) else _QUOTED.format(shown)


def translate(words: object, catalogue: NullTranslations) -> Markup:
    """Translate words, and quote those of a rulebook that have no translation.

    Markup, such as the name of a package to copy, is not changed.
    """
    if isinstance(words, Quote):
        return quoted(words.text, catalogue)
    if isinstance(words, BookText):
        return _of_a_book(words, catalogue)
    if isinstance(words, Words):
        text = Markup(_CODE.sub(r"<code>\1</code>", str(escape(catalogue.gettext(words.text)))))  # noqa: S704  escaped
        return text % {name: translate(value, catalogue) for name, value in words.fields.items()}
    if isinstance(words, Joined):
        return Markup().join(translate(piece, catalogue) for piece in words.pieces)
    if isinstance(words, Paraphrase | Capitalised):
        return escape(unbroken(str(words))) if is_english(catalogue) else translate(words.words, catalogue)
    shown = words.translated(catalogue) if isinstance(words, Sayable) else words
    return shown if isinstance(shown, Markup) else escape(unbroken(str(shown)))


def _of_a_book(words: BookText, catalogue: NullTranslations) -> Markup:
    text = catalogue.gettext(words.text)
    if text == words.text:
        return quoted(str(words), catalogue)
    fields = {name: translate(value, catalogue) for name, value in words.fields.items()}
    return escape(unbroken(text)).format(**fields) if fields else escape(unbroken(text))


def describe(found: FindingReport | DoubtReport | Finding, catalogue: NullTranslations) -> Markup:
    """Describe a finding in the language of a catalogue, without rule and remedy."""
    return translate(words_of(found.alone if isinstance(found, FindingReport) else found), catalogue)


def remedy_sentences(found: FindingReport, book: Rulebook | None, catalogue: NullTranslations) -> Markup:
    """The remedies that a rulebook has for a finding; empty without one."""
    remedies = remedies_words_of(found, book)
    return Markup() if remedies is None else translate(remedies, catalogue)


def is_english(catalogue: NullTranslations) -> bool:
    """Whether a catalogue translates nothing."""
    return type(catalogue) is NullTranslations
