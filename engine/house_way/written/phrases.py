"""A phrase of a rule as words to be read one after another, each with its place in the text.

Letters may be large or small; numbers may be written out and words stand in the plural: ``High Eights`` is ``high 8``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher, get_close_matches
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_WORD = re.compile(r"[A-Za-z]+(?:['-][A-Za-z]+)*|[0-9]+|[,/]|\S")
_NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"]
_ONE_WORD = {word: str(number) for number, word in enumerate(_NUMBERS)}
_ONE_WORD |= {f"{word}s": str(number) for number, word in enumerate(_NUMBERS)}
_ONE_WORD |= {"sixes": "6"}
_ONE_WORD |= {
    f"{word}s": word for word in ["teen", "day", "pair", "wong", "gong", "hand", "tile", "point", "jun", "setting"]
}
_SKIPPED = {"the", "a", "an", "hand"}
"""Words that change nothing."""


class PhraseError(Exception):
    """A phrase that cannot be read.

    Attributes:
        at: the character of the phrase at fault, from 0.
        words: what is wrong and what to do.
    """

    def __init__(self, at: int, words: str) -> None:
        """Say where and what."""
        super().__init__(words)
        self.at = at
        self.words = words


@dataclass(frozen=True, slots=True)
class Word:
    """One word, as it is understood and as it is written, and where it begins."""

    word: str
    written: str
    at: int


def words_of(text: str) -> tuple[Word, ...]:
    """The words of a text, without those that change nothing."""
    found = (Word(_plain(match[0]), match[0], match.start()) for match in _WORD.finditer(text))
    return tuple(word for word in found if word.word not in _SKIPPED)


@cache
def understood(text: str) -> tuple[str, ...]:
    """The words of a text as they are understood."""
    return tuple(word.word for word in words_of(text))


def _plain(written: str) -> str:
    small = written.lower()
    return _ONE_WORD.get(small, small)


class Phrase:
    """A phrase that is read from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._words = words_of(text)
        self._end = len(text)
        self._at = 0

    @property
    def ended(self) -> bool:
        """Whether all of it was read."""
        return self._at == len(self._words)

    @property
    def at(self) -> int:
        """The character at which the next word begins, or the phrase ends."""
        return self._end if self.ended else self._words[self._at].at

    def goes_on(self, text: str) -> bool:
        """Whether these words are next."""
        words = understood(text)
        return tuple(word.word for word in self._words[self._at : self._at + len(words)]) == words

    def take(self, text: str) -> bool:
        """Read these words, if they are next."""
        found = self.goes_on(text)
        self._at += len(understood(text)) if found else 0
        return found

    def since(self, start: int) -> str:
        """The text from one character to the next word, as it is written."""
        return self._text[start : self.at].strip(" ,")

    def take_one_of(self, known: Iterable[tuple[str, ...]]) -> tuple[str, ...] | None:
        """Read the longest of these that is next; None if none is."""
        here = tuple(word.word for word in self._words[self._at :])
        found = max((words for words in known if here[: len(words)] == words), key=len, default=None)
        self._at += 0 if found is None else len(found)
        return found

    def number(self) -> int | None:
        """Read a count of points, 0 to 9; None if none is next."""
        if self.ended or not re.fullmatch("[0-9]", self._words[self._at].word):
            return None
        self._at += 1
        return int(self._words[self._at - 1].word)

    def counts(self) -> tuple[int, int] | None:
        """Read two counts such as ``7 and 9``; None if none are next."""
        start, low = self._at, self.number()
        if low is not None and self.take("and") and (high := self.number()) is not None:
            return low, high
        self._at = start
        return None

    def fault(self, wanted: str, known: Iterable[str] = ()) -> PhraseError:
        """An error at the next word: what was wanted, and a known word that is like it."""
        if self.ended:
            return PhraseError(self.at, f"{wanted} is missing at the end")
        word = self._words[self._at]
        likely = set(known)
        near = get_close_matches(word.word, [*likely, *_NUMBERS], n=5)
        best = max(near, key=lambda each: (_likeness(each, word.word), each in likely, each), default=None)
        meant = f" (did you mean {best}?)" if best else ""
        return PhraseError(word.at, f"{shown(word.written)} is not {wanted}{meant}")

    def nearest(self, wanted: str, said: Sequence[str]) -> PhraseError:
        """An error where the phrase parts from those of these that it is most like."""
        here = [word.word for word in self._words[self._at :]]
        known = [understood(each) for each in said]
        alike = max(_common(here, words) for words in known)
        self._at += alike
        rests = dict.fromkeys(words[alike:] for words in known if _common(here, words) == alike)
        following = [rest[0] for rest in rests if rest]
        if not alike or not following:
            return self.fault(wanted, following)
        return self.fault(" or ".join(f"'{' '.join(rest)}'" for rest in rests if rest), following)

    def end(self, wanted: str) -> None:
        """Nothing more may stand here.

        Raises:
            PhraseError: something does.
        """
        if not self.ended:
            raise PhraseError(self.at, f"{shown(self._words[self._at].written)} is too much here: {wanted}")


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other).ratio()


def _common(here: Sequence[str], words: Sequence[str]) -> int:
    """How many words both begin with."""
    return next(
        (at for at, two in enumerate(zip(here, words, strict=False)) if two[0] != two[1]), min(len(here), len(words))
    )


def printable(text: str) -> str:
    """A text without characters that a terminal obeys."""
    return "".join(each if each.isprintable() else "?" for each in text)


def shown(written: str, longest: int = 30) -> str:
    """A word as an error shows it: short, and without characters that a terminal obeys."""
    cut = written if len(written) <= longest else f"{written[:longest]}..."
    return f'"{cut}"' if cut.isascii() and cut.isprintable() else ascii(cut)
