"""Findings on the page: each in the language that the page is read in, or as it was recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from service.rounds.reports import FindingReport, Reason
from service.words.findings import said_in, words_of

if TYPE_CHECKING:
    from gettext import NullTranslations

    from vision.findings import Finding


class Told(NamedTuple):
    """A sentence and its language, where that is not the page's.

    Attributes:
        text: the sentence.
        lang: ``en`` for what stays English; empty otherwise.
    """

    text: str
    lang: str


def told(said: Reason | FindingReport | Finding, catalogue: NullTranslations) -> Told:
    """Put a finding into the language of a catalogue."""
    if isinstance(said, Reason):
        english, doubt = said.text, said.doubt
        text = english if doubt is None else said_in(catalogue, doubt.code, doubt.params, doubt.about, recorded=english)
    elif isinstance(said, FindingReport):
        english = said.message
        text = said_in(catalogue, said.code, said.params, recorded=english)
    else:
        english, text = str(words_of(said)), words_of(said).said_in(catalogue)
    return Told(text, "en" if text == english else "")
