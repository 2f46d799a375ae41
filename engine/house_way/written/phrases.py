"""A tokenised phrase of a rule, read word by word with positions.

Case is ignored; numbers may be spelt out and words may be plural: ``High Eights`` is ``high 8``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher, get_close_matches
from functools import cache
from typing import TYPE_CHECKING

from engine.messages import Listed, Verbatim, message

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
"""Ignored words."""


class PhraseError(Exception):
    """A phrase that cannot be read.

    Attributes:
        at: index of the character at fault.
        words: the problem and advice.
    """

    def __init__(self, at: int, words: str) -> None:
        super().__init__(words)
        self.at = at
        self.words = words


@dataclass(frozen=True, slots=True)
class Word:
    """One word, normalised and as written, and where it starts."""

    word: str
    written: str
    at: int


def words_of(text: str) -> tuple[Word, ...]:
    """The words of a text without the ignored ones."""
    found = (Word(_plain(match[0]), match[0], match.start()) for match in _WORD.finditer(text))
    return tuple(word for word in found if word.word not in _SKIPPED)


@cache
def understood(text: str) -> tuple[str, ...]:
    return tuple(word.word for word in words_of(text))


def _plain(written: str) -> str:
    small = written.lower()
    return _ONE_WORD.get(small, small)


class Phrase:
    def __init__(self, text: str) -> None:
        self._text = text
        self._words = words_of(text)
        self._end = len(text)
        self._at = 0

    @property
    def ended(self) -> bool:
        return self._at == len(self._words)

    @property
    def at(self) -> int:
        """Index of the next word, or of the end."""
        return self._end if self.ended else self._words[self._at].at

    def goes_on(self, text: str) -> bool:
        """Whether these words come next."""
        words = understood(text)
        return tuple(word.word for word in self._words[self._at : self._at + len(words)]) == words

    def take(self, text: str) -> bool:
        """Consume these words if they come next."""
        found = self.goes_on(text)
        self._at += len(understood(text)) if found else 0
        return found

    def since(self, start: int) -> str:
        """The text from an index to the next word, as written."""
        return self._text[start : self.at].strip(" ,")

    def take_one_of(self, known: Iterable[tuple[str, ...]]) -> tuple[str, ...] | None:
        """Consume the longest of these that comes next; None if none does."""
        here = tuple(word.word for word in self._words[self._at :])
        found = max((words for words in known if here[: len(words)] == words), key=len, default=None)
        self._at += 0 if found is None else len(found)
        return found

    def number(self) -> int | None:
        if self.ended or not re.fullmatch("[0-9]", self._words[self._at].word):
            return None
        self._at += 1
        return int(self._words[self._at - 1].word)

    def counts(self) -> tuple[int, int] | None:
        """Read two numbers such as ``7 and 9``; None if there are none."""
        start, low = self._at, self.number()
        if low is not None and self.take("and") and (high := self.number()) is not None:
            return low, high
        self._at = start
        return None

    def fault(self, wanted: str, known: Iterable[str] = ()) -> PhraseError:
        """An error at the next word: what was expected, and a similar known word."""
        if self.ended:
            return PhraseError(self.at, message("{wanted} is missing at the end", wanted=wanted))
        word = self._words[self._at]
        likely = set(known)
        near = get_close_matches(word.word, [*likely, *_NUMBERS], n=5)
        best = max(near, key=lambda each: (_likeness(each, word.word), each in likely, each), default=None)
        shown = displayable(word.written)
        if best:
            return PhraseError(
                word.at,
                message(
                    "{word} is not {wanted} (did you mean {meant}?)", word=shown, wanted=wanted, meant=Verbatim(best)
                ),
            )
        return PhraseError(word.at, message("{word} is not {wanted}", word=shown, wanted=wanted))

    def nearest(self, wanted: str, phrases: Sequence[str]) -> PhraseError:
        """An error where the phrase departs from the most similar of these."""
        here = [word.word for word in self._words[self._at :]]
        known = [understood(each) for each in phrases]
        alike = max(_common(here, words) for words in known)
        self._at += alike
        rests = dict.fromkeys(words[alike:] for words in known if _common(here, words) == alike)
        following = [rest[0] for rest in rests if rest]
        if not alike or not following:
            return self.fault(wanted, following)
        return self.fault(Listed((f"'{' '.join(rest)}'" for rest in rests if rest), "or"), following)

    def end(self, advice: str) -> None:
        """Expect the end of the phrase.

        Raises:
            PhraseError: there are more words.
        """
        if not self.ended:
            word = displayable(self._words[self._at].written)
            raise PhraseError(self.at, message("{word} is too much here: {advice}", word=word, advice=advice))


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other).ratio()


def _common(here: Sequence[str], words: Sequence[str]) -> int:
    """Length of the common prefix, in words."""
    return next(
        (at for at, two in enumerate(zip(here, words, strict=False)) if two[0] != two[1]), min(len(here), len(words))
    )


def printable(text: str) -> str:
    """A text without terminal control characters."""
    return "".join(each if each.isprintable() else "?" for each in text)


def displayable(written: str) -> Verbatim:
    """A word as shown in an error: shortened, without terminal control characters."""
    cut = written if len(written) <= 30 else f"{written[:30]}..."
    return Verbatim(f'"{cut}"' if cut.isascii() and cut.isprintable() else ascii(cut))
