"""Names of tiles, groups of tiles and hands, and how lists of them are parsed."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from itertools import combinations_with_replacement, product
from typing import TYPE_CHECKING, Final

from engine.game.hands import Name
from engine.game.setting import key_of
from engine.game.tiles import Kind
from engine.house_way.terms import EIGHTS, FOURS, SEVENS, SIXES, TENS, Group
from engine.house_way.written.phrases import Phrase, PhraseError, words_of
from engine.messages import message

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engine.game.hands import Hand

Words = tuple[str, ...]
Deals = frozenset[int]
"""Deals by the ranks of their tiles, see `Deal.key`."""
ANY: Final[Group] = frozenset(Kind)
_OF_ONE_RANK = 2
"""Number of tiles of one rank in a set."""

_GROUPS = {"4": FOURS, "6": SIXES, "7": SEVENS, "8": EIGHTS, "10": TENS}
_NAMES = {"pair": Name.PAIR, "wong": Name.WONG, "gong": Name.GONG, "high 9": Name.HIGH_NINE}
_OF_THE_LANGUAGE = frozenset(
    [
        "and",
        "any",
        "apart",
        "are",
        "at",
        "be",
        "best",
        "both",
        "can",
        "cannot",
        "closest",
        "else",
        "has",
        "high",
        "if",
        "in",
        "is",
        "keep",
        "least",
        "low",
        "most",
        "never",
        "no",
        "not",
        "or",
        "possible",
        "split",
        "then",
        "tile",
        "together",
        "unless",
        "with",
    ]
)


def _bears(name: Name) -> Callable[[Hand], bool]:
    return lambda hand: hand.name is name


def _built_in_tiles() -> dict[Words, Group]:
    kinds = {tuple(word.word for word in words_of(kind.label)): frozenset({kind}) for kind in Kind}
    return kinds | {(name,): group for name, group in _GROUPS.items()}


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The names available to a file: those of the game, and its own kinds."""

    tiles: dict[Words, Group] = field(default_factory=_built_in_tiles)
    hands: dict[Words, Callable[[Hand], bool]] = field(
        default_factory=lambda: {tuple(name.split()): _bears(bears) for name, bears in _NAMES.items()}
    )

    def new_name(self, text: str) -> Words:
        """The words of a new name for a kind defined by the file.

        Raises:
            PhraseError: invalid, or already in use.
        """
        words = words_of(text)
        name = tuple(word.word for word in words)
        if not words or not all(word.isalnum() or "-" in word for word in name) or name[0].isdigit():
            raise PhraseError(
                0,
                message("a name is one word or more and begins with a letter, such as {example}", example="harmony 3"),
            )
        if name[0] in _OF_THE_LANGUAGE or name in self.tiles or name in self.hands:
            raise PhraseError(
                words[0].at, message("{name} says something already: give it another name", name=repr(text))
            )
        return name

    @property
    def tile_words(self) -> tuple[str, ...]:
        return tuple(name[0] for name in self.tiles)


def value(hand: Hand) -> int:
    """Points, or a number above all points for a High Nine, Gong, Wong and pair, in this order."""
    return hand.points if hand.name is Name.POINTS else 10 + hand.name


# Tiles


def one_tile(phrase: Phrase, known: Vocabulary) -> Group:
    """Read a tile or a group of tiles: ``high 8``, ``any 6``, ``nine``, ``any``."""
    any_of = phrase.take("any")
    found = phrase.take_one_of(known.tiles)
    if found is not None:
        return known.tiles[found]
    if names_no_tile(phrase):
        raise PhraseError(phrase.at, message("there is no such tile: 4, 6, 7, 8 and 10 have a high and a low one"))
    if not any_of:
        raise phrase.fault(
            message("a tile, such as {examples}", examples="high 8, any six, nine or gee jun"), known.tile_words
        )
    phrase.take("tile")
    return ANY


def names_no_tile(phrase: Phrase) -> bool:
    """Whether a number is next that matches no tile, such as ``low 9``."""
    return any(phrase.goes_on(f"{side} {number}") for side in ("low", "high") for number in range(12))


def one_of(phrase: Phrase, known: Vocabulary, *, commas: bool = False) -> Group:
    """Read ``teen or day`` or ``teen/day``; with `commas` also ``fours, fives or sixes``."""
    found = one_tile(phrase, known)
    while _another(phrase, commas=commas):
        found |= one_tile(phrase, known)
    return found


def _another(phrase: Phrase, *, commas: bool) -> bool:
    if phrase.take("or") or phrase.take("/"):
        return True
    return commas and (phrase.take(", or") or phrase.take(","))


def several_tiles(phrase: Phrase, known: Vocabulary) -> tuple[Group, ...]:
    """Read ``high 10, low 10, 11 and 7 or 8``: tiles joined by commas or ``and``, alternatives by ``or`` or ``/``."""
    found = [one_of(phrase, known)]
    while phrase.take(", and") or phrase.take(",") or phrase.take("and"):
        found.append(one_of(phrase, known))
    return tuple(found)


def so_many_tiles(phrase: Phrase, known: Vocabulary, number: int) -> tuple[Group, ...]:
    """Read exactly ``number`` tiles."""
    start = phrase.at
    found = several_tiles(phrase, known)
    if len(found) != number:
        raise PhraseError(
            start,
            message(
                "these are {count} tiles, not {number}: put a comma or {join} between tiles, {either} or a slash "
                "between what one tile may be",
                count=len(found),
                number=number,
                join="'and'",
                either="'or'",
            ),
        )
    return found


def made_of(*groups: Group) -> Deals:
    """The deals whose four tiles can be matched with these four groups, one each."""
    found: set[tuple[Kind, ...]] = {()}
    for group in groups:
        found = {tuple(sorted((*some, kind))) for some in found for kind in group if some.count(kind) < _OF_ONE_RANK}
    return frozenset(map(key_of, found))


@cache
def _all_kinds() -> tuple[tuple[Kind, ...], ...]:
    fours = combinations_with_replacement(Kind, 4)
    return tuple(four for four in fours if all(four.count(kind) <= _OF_ONE_RANK for kind in four))


def of_ranks(number: int) -> Deals:
    """The deals with this number of ranks: 2 for two pairs, 3 for one, 4 for none."""
    return frozenset(key_of(kinds) for kinds in _all_kinds() if len(set(kinds)) == number)


def one_pair_of(pairs: Group, others: tuple[tuple[Group, ...], ...] = ()) -> Deals:
    """The deals whose only pair is one of ``pairs`` and whose other tiles match one of ``others``, if given."""
    couples = others or ((ANY, ANY),)
    return frozenset(key_of(kinds) for couple in couples for kinds in _with_pair(pairs, couple))


def _with_pair(pairs: Group, couple: tuple[Group, ...]) -> Iterator[tuple[Kind, ...]]:
    for pair in pairs:
        for one, other in product(*couple):
            if len({pair, one, other}) == 3:
                yield pair, pair, one, other


# Hands


def kind_of_hand(phrase: Phrase, known: Vocabulary) -> Callable[[Hand], bool]:
    """Read ``wong, gong or high nine``, ``8 or better``, ``at most 7``, ``3 with teen/day``."""
    tests = [_one_kind_of_hand(phrase, known)]
    while not any(phrase.goes_on(words) for words in (", else", ", if", ", and")) and _another(phrase, commas=True):
        tests.append(_one_kind_of_hand(phrase, known))
    return tests[0] if len(tests) == 1 else lambda hand: any(fits(hand) for fits in tests)


def _one_kind_of_hand(phrase: Phrase, known: Vocabulary) -> Callable[[Hand], bool]:
    named = phrase.take_one_of(known.hands)
    fits = known.hands[named] if named is not None else _points(phrase, known)
    if not phrase.take("with"):
        return fits
    holding = one_tile(phrase, known)
    while phrase.take("/"):
        holding |= one_tile(phrase, known)
    return lambda hand: fits(hand) and (hand.first.kind in holding or hand.second.kind in holding)


def _points(phrase: Phrase, known: Vocabulary) -> Callable[[Hand], bool]:
    bound = next((word for word in ("least", "most") if phrase.take(f"at {word}")), None)
    names = [name[0] for name in known.hands]
    count = phrase.number()
    if count is None:
        raise phrase.fault(message("points from 0 to 9, a pair, Wong, Gong, High Nine or a kind of this file"), names)
    if bound is None:
        bound = next((of for word, of in _BOUNDS.items() if phrase.take(f"or {word}")), None)
    if bound == "least":
        return lambda hand: value(hand) >= count
    if bound == "most":
        return lambda hand: value(hand) <= count
    return lambda hand: value(hand) == count


_BOUNDS = {"better": "least", "more": "least", "less": "most"}
