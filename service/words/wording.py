"""Sentences that the service tells people, in English until a page that is read in another language says them.

Catalogues (:mod:`service.words.languages`) hold the texts of the templates and every sentence given to :func:`words`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from gettext import NullTranslations


@dataclass(frozen=True, slots=True)
class Words:
    """A sentence, as English as ``str`` makes it.

    Attributes:
        text: in English, as catalogues know it, with ``%(name)s`` for each field.
        fields: what stands there; another sentence is said in the same language.
    """

    text: str
    fields: Mapping[str, object]

    def __str__(self) -> str:
        """In English."""
        return self.text % self.fields

    def said_in(self, catalogue: NullTranslations) -> str:
        """In the language of a catalogue; what it lacks stays English."""
        fields = {
            name: value.said_in(catalogue) if isinstance(value, Words) else value for name, value in self.fields.items()
        }
        return catalogue.gettext(self.text) % fields


def words(text: str, /, **fields: object) -> Words:
    """A sentence to be translated; the text is written out here, so that it is found.

    >>> str(words("there is no account %(name)s", name=repr("ann")))
    "there is no account 'ann'"
    """
    return Words(text, fields)


class WordedError(ValueError):
    """Something that people are refused.

    Attributes:
        words: why, and what to do.
    """

    def __init__(self, words: Words) -> None:
        super().__init__(str(words))
        self.words = words
