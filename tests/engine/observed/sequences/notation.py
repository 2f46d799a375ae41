"""The words in which the sequences are written: ``dice 1 1 1 / 4; deal 3..; open bank 2L -2 4``.

===========================  =========================================================================================
``dice 1 1 1 / 4``           the box dice, and the cut die where it was read
``leans 1 1``                a throw with a leaning die, and the dice that lie flat
``alike 1 1 1``              dice that cannot be distinguished from a cut die
``deal 3..``                 tiles to every place from box 3 on, counter-clockwise; ``deal 3.. but 5`` leaves 5 out
``deal 3+4 7 1``             tiles to 3 and 4 in either order, then 7, then 1; ``dealing 3 4`` is not the end yet
``end``                      no undealt tiles lie there any more
``moved``                    the bank's tiles were brought before the float
``stacks 2 gone 1 8``        after two places, which stacks are gone (or ``stand``); ``2-3`` for two or three
``more 5``, ``fewer 5``      box 5 has more or fewer tiles than the others
``set 3``, ``asks 3``        the tiles of box 3 lie set; lie across, so that the dealer sets them
``open bank 2L -2 4``        hands opened one after the other, and ``-2`` put away; ``bank`` is the place at the float.
                             L, S, W: the hand was read and loses, stands off or wins. Closed lies what is opened later,
                             and everything listed after ``|``; ``4*`` lies as it was dealt when the bank's is opened;
                             ``5B`` is the bank's hand, read, at its own box.
``unused open``              a tile out of play lies face up
``dice left``                a hand is open, the dice still lie as thrown
``leaning dice left``        tiles are dealt while a leaning die lies there
``old dice left``            tiles are dealt while the dice of the round before still lie there
``mix``, ``stack``           unless the first word is ``mix``, both are understood to come first
===========================  =========================================================================================
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from engine.game.tiles import Tile
from engine.observed.observations import (
    DeliveryEnded,
    DiceLeft,
    DiceSeen,
    HandOpened,
    HandPutAway,
    HouseWayAsked,
    LeaningDiceLeft,
    Observation,
    OldDiceLeft,
    StacksSeen,
    TilesCounted,
    TilesDealt,
    TilesHandled,
    TilesMixed,
    TilesStacked,
    UnusedOpen,
)
from engine.round.state.house_table import Setup

_BANK: Final = "bank"


def _laid(text: str) -> dict[str, Any]:
    low, high = (tuple(map(Tile.parse, pair.split())) for pair in text.split("/"))
    return {"low": low, "high": high}


_HANDS: Final = {
    "B": _laid("6-1 5-1 / 6-4 5-4"),  # 3 and 9
    "L": _laid("5-3 3-2 / 6-2 3-1"),  # 3 with a lower tile, and 2
    "S": _laid("5-3 3-2 / 6-6 6-6"),
    "W": _laid("4-4 6-3 / 6-6 6-6"),
}
"""The bank's hand, and one that loses to it, stands off and wins."""


@dataclass(frozen=True)
class Notation:
    """The words of one table."""

    setup: Setup

    def read(self, text: str) -> tuple[Observation, ...]:
        """The observations of a sequence."""
        steps = [step.split() for step in text.split(";")]
        first = () if steps[0] == ["mix"] else (TilesMixed(), TilesStacked())
        return (*first, *(each for word, *rest in steps for each in _WORDS[word](self, rest)))

    def dealing(self, words: list[str]) -> Iterator[Observation]:
        first, *others = words
        if first.endswith(".."):
            words = [str(place) for place in self.setup.ring(int(first[:-2])) if str(place) not in others]
        for group in words:
            yield TilesDealt(tuple(self._place(int(place)) for place in group.split("+")))

    def _place(self, number: int) -> int | None:
        """A place by its number; the dealer's own lies before the float."""
        return number if number <= self.setup.boxes else None

    def deal(self, words: list[str]) -> Iterator[Observation]:
        yield from self.dealing(words)
        yield DeliveryEnded()


def _dice(words: list[str], **how: bool) -> Iterator[Observation]:
    cut = int(words[words.index("/") + 1]) if "/" in words else None
    box = words[: words.index("/")] if "/" in words else words
    yield DiceSeen(tuple(map(int, box)), cut, **how)


def _stacks(words: list[str]) -> Iterator[Observation]:
    fewest, _, most = words[0].partition("-")
    listed = {name: tuple(sorted(_after(words, name))) for name in ("stand", "gone")}
    yield StacksSeen(listed["stand"], listed["gone"], int(fewest), int(most or fewest))


def _after(words: list[str], name: str) -> Iterator[int]:
    found = words[words.index(name) + 1 :] if name in words else []
    for word in found:
        if not word.isdigit():
            return
        yield int(word)


def _open(words: list[str]) -> Iterator[Observation]:
    at = words.index("|") if "|" in words else len(words)
    steps, left = words[:at], words[at + 1 :]
    lying: list[int] = []
    for number, step in enumerate(steps):
        later = [*(one for one in steps[number + 1 :] if not one.startswith("-")), *left]
        closed = tuple(sorted((_where(one) for one in later), key=lambda box: box or 0))
        where = _where(step.removeprefix("-"))
        if step.startswith("-"):
            lying = [box for box in lying if box != where]
            yield HandPutAway(where, closed)
            continue
        hand = _HANDS.get("B" if step == _BANK else step.rstrip("*")[-1], {})
        as_dealt = tuple(box for one in later if one.endswith("*") and (box := _where(one)) is not None)
        yield HandOpened(where, closed, tuple(lying), as_dealt=as_dealt if number == 0 else (), **hand)
        lying += [] if where is None else [where]


def _where(word: str) -> int | None:
    return None if word == _BANK else int(word.rstrip("LSWB*"))


def _each(make: Callable[[int], Observation]) -> Callable[[Notation, list[str]], Iterator[Observation]]:
    return lambda _, words: (make(int(box)) for box in words)


_WORDS: Final[dict[str, Callable[[Notation, list[str]], Iterator[Observation]]]] = {
    "mix": lambda _, __: iter((TilesMixed(),)),
    "stack": lambda _, __: iter((TilesStacked(),)),
    "dice": lambda _, words: iter((DiceLeft(),)) if words == ["left"] else _dice(words),
    "leans": lambda _, words: _dice(words, cocked=True),
    "alike": lambda _, words: _dice(words, distinguished=False),
    "leaning": lambda _, __: iter((LeaningDiceLeft(),)),
    "old": lambda _, __: iter((OldDiceLeft(),)),
    "deal": Notation.deal,
    "dealing": Notation.dealing,
    "end": lambda _, __: iter((DeliveryEnded(),)),
    "moved": lambda _, __: iter((TilesDealt((None,)),)),
    "stacks": lambda _, words: _stacks(words),
    "more": _each(lambda box: TilesCounted(box, more=True)),
    "fewer": _each(lambda box: TilesCounted(box, more=False)),
    "set": _each(TilesHandled),
    "asks": _each(HouseWayAsked),
    "open": lambda _, words: _open(words),
    "unused": lambda _, __: iter((UnusedOpen(),)),
}
