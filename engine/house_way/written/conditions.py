"""When a rule applies: a phrase such as ``no pair``, ``has low 10`` or ``low cannot be 8 or better``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.game.setting import Deal
from engine.house_way.rules import Settings
from engine.house_way.terms import keeping_apart, with_counts
from engine.house_way.written.phrases import Phrase, PhraseError
from engine.house_way.written.steps import SIDES, hand_of
from engine.house_way.written.vocabulary import (
    ANY,
    kind_of_hand,
    made_of,
    names_no_tile,
    of_ranks,
    one_of,
    several_tiles,
    so_many_tiles,
)
from engine.messages import Listed, message

if TYPE_CHECKING:
    from engine.house_way.terms import Group
    from engine.house_way.written.vocabulary import Vocabulary

Condition = Callable[[Deal, Settings], bool]
"""A predicate on the deal and the open settings."""

_RANKS = {"two pairs": 2, "one pair": 3, "a pair": 3, "no pair": 4}
"""Number of ranks among the four tiles."""
_BEGINNINGS = (*_RANKS, "has", "tiles are", "low is", "high is")
_WANTED = message(
    "a condition, such as: {examples}",
    examples="no pair, two pairs, has low 10, tiles are 6, 7, 11, any, low can be 5 or better, high is 7 or less, 8 "
    "and 8 can be set, teen and day apart",
)


def condition_of(text: str, known: Vocabulary) -> Condition:
    """Read one condition.

    Raises:
        PhraseError: it cannot be parsed.
    """
    phrase = Phrase(text)
    found = _condition(phrase, known)
    phrase.end(message("several conditions are written as a list, each in quotes"))
    return found


def _condition(phrase: Phrase, known: Vocabulary) -> Condition:
    start = phrase.at
    for words, ranks in _RANKS.items():
        if phrase.take(words):
            return _of_ranks(ranks)
    if phrase.take("has"):
        return _has(several_tiles(phrase, known), start)
    if phrase.take("tiles are"):
        deals = made_of(*so_many_tiles(phrase, known, 4))
        return lambda deal, _: deal.key in deals
    for which in SIDES:
        if any(phrase.goes_on(f"{which} {word}") for word in ("is", "can", "cannot", "at")):
            phrase.take(which)
            return _of_hand(which, phrase, known)
    if counts := phrase.counts():
        return _can_be_set(counts, phrase)
    return _apart(phrase, known)


def _of_ranks(number: int) -> Condition:
    deals = of_ranks(number)
    return lambda deal, _: deal.key in deals


def _has(tiles: tuple[Group, ...], start: int) -> Condition:
    if len(tiles) > 4:
        raise PhraseError(start, message("these are {count} tiles, more than four", count=len(tiles)))
    deals = made_of(*tiles, *[ANY] * (4 - len(tiles)))
    return lambda deal, _: deal.key in deals


def _of_hand(which: str, phrase: Phrase, known: Vocabulary) -> Condition:
    can = phrase.take("can be")
    cannot = phrase.take("cannot be") or phrase.take("can not be")
    if not (can or cannot or phrase.take("is")):
        raise PhraseError(
            phrase.at,
            message(
                "say whether the {side} hand {always} so (in every setting still open) or {sometimes} so",
                side=which,
                always="'is'",
                sometimes=Listed(("'can be'", "'cannot be'"), "or"),
            ),
        )
    fits = kind_of_hand(phrase, known)
    if can:
        return lambda _, settings: any(fits(hand_of(one, which)) for one in settings)
    if cannot:
        return lambda _, settings: not any(fits(hand_of(one, which)) for one in settings)
    return lambda _, settings: all(fits(hand_of(one, which)) for one in settings)


def _can_be_set(counts: tuple[int, int], phrase: Phrase) -> Condition:
    if phrase.take("cannot be set"):
        return lambda _, settings: not with_counts(settings, counts)
    if not phrase.take("can be set"):
        raise phrase.fault(Listed(("'can be set'", "'cannot be set'"), "or"), ("can", "cannot"))
    return lambda _, settings: bool(with_counts(settings, counts))


def _apart(phrase: Phrase, known: Vocabulary) -> Condition:
    start = phrase.at
    try:
        group = one_of(phrase, known)
    except PhraseError:
        if phrase.at == start and not names_no_tile(phrase):
            raise phrase.nearest(_WANTED, _BEGINNINGS) from None
        raise
    if phrase.take("and"):
        group |= one_of(phrase, known)
    if not phrase.take("apart"):
        raise phrase.fault("'apart'", ("apart",))
    return lambda _, settings: keeping_apart(settings, group) == settings
