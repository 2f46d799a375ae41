"""Sentences that the service tells people, in English until a page that is read in another language says them.

Catalogues (:mod:`service.words.languages`) hold the texts of the templates and every sentence given to :func:`words` or
marked by :func:`sentence`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from gettext import NullTranslations
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

from calibration.table.places import Place, PlaceKind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


@runtime_checkable
class Sayable(Protocol):
    """Something that is English as ``str`` makes it, and can be said in another language."""

    def said_in(self, catalogue: NullTranslations) -> str:
        """In the language of a catalogue; what it lacks stays English."""


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
            name: value.said_in(catalogue) if isinstance(value, Sayable) else value
            for name, value in self.fields.items()
        }
        return catalogue.gettext(self.text) % fields


@dataclass(frozen=True, slots=True)
class PlaceName:
    """A place of the table, by the name that people give it."""

    place: Place

    def __str__(self) -> str:
        """In English, such as ``Box 3``."""
        return self.said_in(NullTranslations())

    def said_in(self, catalogue: NullTranslations) -> str:
        """In the language of a catalogue."""
        text = _PLACES.get(self.place.kind)
        return str(self.place) if text is None else catalogue.gettext(text) % {"number": self.place.number}


@dataclass(frozen=True, slots=True)
class Quote:
    """Words from elsewhere, the same in every language: the operating system's, a driver's, a rulebook's."""

    text: str

    def __str__(self) -> str:
        """As they are."""
        return self.text

    def said_in(self, _catalogue: NullTranslations) -> str:
        """As they are."""
        return self.text


@dataclass(frozen=True, slots=True)
class BookText:
    """Words of a rulebook, which the catalogues of rules translate; those of a casino's own stay as they are.

    Attributes:
        text: as the book declares it, with the names of its fields in braces.
        fields: what stands there; empty where the text has none.
    """

    text: str
    fields: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        """As the book has it."""
        return self.text.format(**self.fields) if self.fields else self.text

    def said_in(self, catalogue: NullTranslations) -> str:
        """In the language of a catalogue."""
        text = catalogue.gettext(self.text)
        said = {name: said_in(value, catalogue) for name, value in self.fields.items()}
        return text.format(**said) if said else text


@dataclass(frozen=True, slots=True)
class Paraphrase:
    """A sentence of a library, and what stands for it in other languages.

    Attributes:
        english: the library's sentence.
        words: the same in ours, for other languages.
    """

    english: str
    words: Words

    def __str__(self) -> str:
        """In English, as the library has it."""
        return self.english

    def said_in(self, catalogue: NullTranslations) -> str:
        """In the language of a catalogue."""
        return self.english if type(catalogue) is NullTranslations else self.words.said_in(catalogue)


@dataclass(frozen=True, slots=True)
class Joined:
    """Several things, named one after the other.

    Attributes:
        parts: the things.
        separator: what stands between two of them, as catalogues know it.
        last: what stands before the last one; as between all others if it is None.
    """

    parts: Sequence[Sayable | str]
    separator: str
    last: str | None = None

    def __str__(self) -> str:
        """In English."""
        return self._joined(list(map(str, self.parts)), lambda text: text)

    def said_in(self, catalogue: NullTranslations) -> str:
        """In the language of a catalogue."""
        return self._joined([said_in(part, catalogue) for part in self.parts], catalogue.gettext)

    def _joined(self, parts: Sequence[str], said: Callable[[str], str]) -> str:
        separator = said(self.separator)
        if self.last is None or len(parts) < 2:
            return separator.join(parts)
        return f"{separator.join(parts[:-1])}{said(self.last)}{parts[-1]}"


@dataclass(frozen=True, slots=True)
class Capitalised:
    """Words that begin a sentence: with a capital letter in English."""

    words: Sayable

    def __str__(self) -> str:
        """In English."""
        text = str(self.words)
        return text[:1].upper() + text[1:]

    def said_in(self, catalogue: NullTranslations) -> str:
        """In the language of a catalogue."""
        return str(self) if type(catalogue) is NullTranslations else self.words.said_in(catalogue)


def said_in(value: object, catalogue: NullTranslations) -> str:
    """A value in the language of a catalogue; what is no sentence of ours stays as it is."""
    return value.said_in(catalogue) if isinstance(value, Sayable) else str(value)


def words(text: str, /, **fields: object) -> Words:
    """A sentence to be translated; the text is written out here, so that it is found.

    >>> str(words("there is no account %(name)s", name=repr("ann")))
    "there is no account 'ann'"
    """
    return Words(text, fields)


def sentence(text: str) -> str:
    """Mark a text for the catalogues that is said elsewhere."""
    return text


def place_name(written: str) -> Sayable:
    """A place as files and messages write it, to be said; what names no place of a table stays as it is.

    >>> place_name("box3")
    PlaceName(place=Place(kind=<PlaceKind.BOX: 'box'>, number=3))
    """
    try:
        return PlaceName(Place.parse(written))
    except ValueError:
        return Quote(written)


def part_name(written: str) -> Sayable:
    """A part of a round that a person decides: a die, or the hand at a place.

    >>> str(part_name("die2")), str(part_name("box3"))
    ('Die 2', 'Box 3')
    """
    number = written.removeprefix("die")
    return words("Die %(number)s", number=number) if number != written and number.isdigit() else place_name(written)


_PLACES: Final[Mapping[PlaceKind, str]] = {
    PlaceKind.HOUSE: sentence("House"),
    PlaceKind.DICE: sentence("Dice"),
    PlaceKind.BOX: sentence("Box %(number)s"),
    PlaceKind.HAND: sentence("Hand %(number)s"),
    PlaceKind.DISCARD: sentence("Discard"),
    PlaceKind.FLOAT: sentence("Float"),
    PlaceKind.DISPLAY: sentence("Display"),
}


class WordedError(ValueError):
    """Something that people are refused.

    Attributes:
        words: why, and what to do.
    """

    def __init__(self, words: Sayable) -> None:
        super().__init__(str(words))
        self.words = words
