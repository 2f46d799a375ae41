"""Sentences of the service, in English until a page in another language translates them; and printable text.

Catalogues (:mod:`service.words.languages`) hold the texts of the templates and every sentence given to :func:`words` or
marked by :func:`sentence`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from gettext import NullTranslations
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

from calibration.table.places import Place, PlaceKind
from engine.vocabulary.names import hidden_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


@runtime_checkable
class Sayable(Protocol):
    """Text that is English under ``str``, and can be translated."""

    def translated(self, catalogue: NullTranslations) -> str:
        """Return the text in the language of a catalogue; texts that it lacks stay English."""


@dataclass(frozen=True, slots=True)
class Words:
    """A translatable sentence.

    Attributes:
        text: the English text, which is the catalogue's message id, with ``%(name)s`` for each field.
        fields: values of the fields; sentences among them are translated too.
    """

    text: str
    fields: Mapping[str, object]

    def __str__(self) -> str:
        return self.text % self.fields

    def translated(self, catalogue: NullTranslations) -> str:
        fields = {
            name: value.translated(catalogue) if isinstance(value, Sayable) else value
            for name, value in self.fields.items()
        }
        return catalogue.gettext(self.text) % fields


@dataclass(frozen=True, slots=True)
class PlaceName:
    """The translatable name of a place of the table, such as ``Box 3``."""

    place: Place

    def __str__(self) -> str:
        return self.translated(NullTranslations())

    def translated(self, catalogue: NullTranslations) -> str:
        text = _PLACES.get(self.place.kind)
        return str(self.place) if text is None else catalogue.gettext(text) % {"number": self.place.number}


@dataclass(frozen=True, slots=True)
class Quote:
    """Text that is not translated: of the operating system, a driver, a rulebook."""

    text: str

    def __str__(self) -> str:
        return self.text

    def translated(self, _catalogue: NullTranslations) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class BookText:
    """Text of a rulebook, translated by the catalogues of rules; text of a casino's own rules is not translated.

    Attributes:
        text: as the book declares it, with field names in braces.
        fields: values of the fields; empty if the text has none.
    """

    text: str
    fields: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text.format(**self.fields) if self.fields else self.text

    def translated(self, catalogue: NullTranslations) -> str:
        text = catalogue.gettext(self.text)
        fields = {name: translated(value, catalogue) for name, value in self.fields.items()}
        return text.format(**fields) if fields else text


@dataclass(frozen=True, slots=True)
class Paraphrase:
    """A sentence of a library, and our translatable equivalent.

    Attributes:
        english: the library's sentence, used in English.
        words: our sentence, used in other languages.
    """

    english: str
    words: Words

    def __str__(self) -> str:
        return self.english

    def translated(self, catalogue: NullTranslations) -> str:
        return self.english if type(catalogue) is NullTranslations else self.words.translated(catalogue)


@dataclass(frozen=True, slots=True)
class Joined:
    """A list of texts.

    Attributes:
        parts: the texts.
        separator: translatable separator.
        last: translatable separator before the last part; None for ``separator``.
    """

    parts: Sequence[Sayable | str]
    separator: str
    last: str | None = None

    @property
    def pieces(self) -> Iterator[Sayable | str]:
        """The parts and the separators between them, in order."""
        for number, part in enumerate(self.parts, start=1):
            if number > 1:
                yield Words((self.last if number == len(self.parts) else None) or self.separator, {})
            yield part

    def __str__(self) -> str:
        return "".join(map(str, self.pieces))

    def translated(self, catalogue: NullTranslations) -> str:
        return "".join(translated(piece, catalogue) for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class Capitalised:
    """Text at the start of a sentence: capitalised in English."""

    words: Sayable

    def __str__(self) -> str:
        text = str(self.words)
        return text[:1].upper() + text[1:]

    def translated(self, catalogue: NullTranslations) -> str:
        return str(self) if type(catalogue) is NullTranslations else self.words.translated(catalogue)


def translated(value: object, catalogue: NullTranslations) -> str:
    """Translate a value; values other than our texts are converted with ``str``."""
    return value.translated(catalogue) if isinstance(value, Sayable) else str(value)


def words(text: str, /, **fields: object) -> Words:
    """Return a translatable sentence; ``text`` must be a literal, so that it is found for the catalogues.

    >>> str(words("there is no account %(name)s", name=repr("ann")))
    "there is no account 'ann'"
    """
    return Words(text, fields)


def sentence(text: str) -> str:
    """Mark a text for the catalogues that is used elsewhere."""
    return text


def place_name(written: str) -> Sayable:
    """Return the translatable name of a place as files write it; other text is quoted.

    >>> place_name("box3")
    PlaceName(place=Place(kind=<PlaceKind.BOX: 'box'>, number=3))
    """
    try:
        return PlaceName(Place.parse(written))
    except ValueError:
        return Quote(written)


def part_name(written: str) -> Sayable:
    """Return the translatable name of a part of a round: a die, or the hand at a place.

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
    """A refusal, explained to people.

    Attributes:
        words: why, and what to do.
    """

    def __init__(self, words: Sayable) -> None:
        super().__init__(str(words))
        self.words = words


_KEPT = frozenset("\n\t")


def plain_name(text: str) -> str:
    """Return a name, which must not contain invisible or direction-changing characters.

    Raises:
        ValueError: it contains a line break, a control code, a right-to-left mark or the like.
    """
    hidden = hidden_in(text)
    if hidden is not None:
        raise ValueError(f"a name holds U+{ord(hidden):04X}, which is invisible: leave it out")
    return text


def printed(text: str) -> str:
    """Return text that is safe for a terminal: invisible characters become codes, except line breaks and tabs."""
    return "".join(each if each in _KEPT or hidden_in(each) is None else f"<U+{ord(each):04X}>" for each in text)
