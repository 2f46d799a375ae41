"""Steps of a rule: a phrase such as ``split the pair`` or ``highest tile in high, if possible``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.game.hands import Described, Name
from engine.house_way import reasons
from engine.house_way.reasons import Called
from engine.house_way.terms import dominates, keeping_apart, undominated, with_counts
from engine.house_way.written.phrases import Phrase, PhraseError
from engine.house_way.written.vocabulary import kind_of_hand, names_no_tile, one_of, value
from engine.messages import Listed, Message, message

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.game.hands import Hand
    from engine.game.setting import Deal, Setting
    from engine.game.tiles import Kind
    from engine.house_way.rules import Settings
    from engine.house_way.terms import Group
    from engine.house_way.written.vocabulary import Vocabulary

SIDES = ("low", "high")


@dataclass(frozen=True, slots=True)
class Filter:
    """Part of a step.

    Attributes:
        narrow: keeps the settings it wants; empty if none qualifies.
        against: whether it explains why the first setting is refused when the second one was chosen.
        why: the explanation.
    """

    narrow: Callable[[Deal, Settings], Settings]
    against: Callable[[Setting, Setting], bool]
    why: Callable[[Setting, Setting], Message]


@dataclass(frozen=True, slots=True)
class SetStep:
    """A requirement on the setting: all filters together, or nothing if it is only wanted if possible."""

    filters: tuple[Filter, ...]
    if_possible: bool

    def narrow(self, deal: Deal, settings: Settings) -> Settings | None:
        """The settings that the step leaves; empty if a required step fails, None if an optional one does."""
        for each in self.filters:
            settings = each.narrow(deal, settings)
            if not settings:
                return None if self.if_possible else ()
        return settings


def step_of(text: str, known: Vocabulary) -> SetStep:
    """Read one step.

    Raises:
        PhraseError: it cannot be parsed.
    """
    phrase = Phrase(text)
    filters = [_filter(phrase, known)]
    while phrase.take("and") or phrase.take(", and"):
        filters.append(_filter(phrase, known))
    phrase.take(",")
    if_possible = phrase.take("if possible")
    phrase.end(
        message(
            "{join} joins what must hold together, {optional} may end a step", join="'and'", optional="'if possible'"
        )
    )
    return SetStep(tuple(filters), if_possible)


def side(phrase: Phrase) -> str:
    found = next((each for each in SIDES if phrase.take(each)), None)
    if found is None:
        raise phrase.fault(Listed(SIDES, "or"), SIDES)
    return found


def hand_of(setting: Setting, which: str) -> Hand:
    return setting.low if which == "low" else setting.high


# Filters


def _filter(phrase: Phrase, known: Vocabulary) -> Filter:
    for words, made in _FILTERS.items():
        if phrase.take(words):
            return made
    for which in SIDES:
        if phrase.take(f"{which} is") or (phrase.goes_on(f"{which} at") and phrase.take(which)):
            return _is(which, phrase, known)
    start = phrase.at
    counts = phrase.counts()
    return _tiles(phrase, known, start) if counts is None else _counting(counts, start, phrase)


def _wanted(holds: Callable[[Setting], bool], why: Callable[[Setting, Setting], Message]) -> Filter:
    return Filter(lambda _, settings: tuple(filter(holds, settings)), lambda one, _: not holds(one), why)


def _most(key: Callable[[Setting], Any], why: Callable[[Setting, Setting], Message]) -> Filter:
    """A filter that keeps the settings with the greatest key."""

    def narrow(_: Deal, settings: Settings) -> Settings:
        keys = [key(each) for each in settings]
        most = max(keys)
        return tuple(each for each, has in zip(settings, keys, strict=True) if has == most)

    return Filter(narrow, lambda one, other: key(one) < key(other), why)


def _has_pair(setting: Setting) -> bool:
    return setting.high.name is Name.PAIR or setting.low.name is Name.PAIR


def _keeps(setting: Setting) -> bool:
    """Whether no pair is split: with two pairs, both are kept."""
    return len({tile.kind for tile in setting.high.tiles} & {tile.kind for tile in setting.low.tiles}) == 0


def _most_points(which: str) -> Filter:
    return _most(lambda one: value(hand_of(one, which)), lambda one, other: _less(which, one, other))


def _best(which: str) -> Filter:
    return _most(lambda one: one.ranks[SIDES.index(which)], lambda one, other: _worse(which, one, other))


def _highest_tile(which: str) -> Filter:
    def highest(setting: Setting) -> bool:
        return hand_of(setting, which).first.kind is min(setting.low.first.kind, setting.high.first.kind)

    return _wanted(highest, lambda *_: Message(reasons.HIGHEST_ELSEWHERE, {"side": which}))


def _is(which: str, phrase: Phrase, known: Vocabulary) -> Filter:
    """Read the words after ``high is``: a kind of hand, or several in order of preference."""
    start = phrase.at
    tests = [kind_of_hand(phrase, known)]
    first = phrase.since(start)
    while phrase.take("else") or phrase.take(", else"):
        tests.append(kind_of_hand(phrase, known))
    if len(tests) == 1:
        return _wanted(
            lambda one: tests[0](hand_of(one, which)),
            lambda one, _: Message(
                reasons.IS_NOT, {"side": which, "mine": Described(hand_of(one, which)), "wanted": first}
            ),
        )

    def place(setting: Setting) -> int:
        return next((at for at, fits in enumerate(tests) if fits(hand_of(setting, which))), len(tests))

    def narrow(_: Deal, settings: Settings) -> Settings:
        best = min(map(place, settings))
        return () if best == len(tests) else tuple(one for one in settings if place(one) == best)

    def why(one: Setting, other: Setting) -> Message:
        return Message(reasons.INSTEAD, {"right": Called(hand_of(other, which)), "mine": Called(hand_of(one, which))})

    return Filter(narrow, lambda one, other: place(one) > place(other), why)


def _counting(first: tuple[int, int], start: int, phrase: Phrase) -> Filter:
    """Read the words after ``0 and 8``: alternative points."""
    counts = [_in_order(first, start)]
    while phrase.take("or") or phrase.take(", or") or (not _ends(phrase) and phrase.take(",")):
        start = phrase.at
        another = phrase.counts()
        if another is None:
            raise phrase.fault(message("two counts, low and high, such as {example}", example="7 and 9"))
        counts.append(_in_order(another, start))
    return Filter(
        lambda _, settings: with_counts(settings, *counts),
        lambda one, _: one.counts not in counts or one.high.name is not Name.POINTS,
        lambda _, other: Message(reasons.OWN_SETTING, {"right": other}),
    )


def _in_order(counts: tuple[int, int], at: int) -> tuple[int, int]:
    low, high = counts
    if low > high:
        raise PhraseError(
            at,
            message(
                "{low} and {high}: the low hand comes first, and counts no more than the high hand", low=low, high=high
            ),
        )
    return counts


def _ends(phrase: Phrase) -> bool:
    return phrase.goes_on(", and") or phrase.goes_on(", if")


def _tiles(phrase: Phrase, known: Vocabulary, start: int) -> Filter:
    """Read ``high 8 in high`` or ``teen and day apart``."""
    try:
        group = one_of(phrase, known)
    except PhraseError:
        if phrase.at == start and not names_no_tile(phrase):
            raise phrase.nearest(_WANTED, _FIRST_WORDS) from None
        raise
    written = phrase.since(start)
    if phrase.take("in") or phrase.take("on"):
        which = side(phrase)
        return _wanted(
            lambda one: any(tile.kind in group for tile in hand_of(one, which).tiles),
            lambda *_: Message(reasons.TILE_ELSEWHERE, {"tile": written, "side": which}),
        )
    if phrase.take("and"):
        group |= one_of(phrase, known)
        written = phrase.since(start)
    if phrase.take("apart"):
        return _apart(lambda _: group, Message(reasons.TOGETHER, {"tiles": written}))
    raise phrase.fault(Listed(("'in high'", "'in low'", "'apart'"), "or"), ("in", "apart"))


def _apart(group: Callable[[Setting], Group], why: Message) -> Filter:
    return _wanted(lambda one: keeping_apart((one,), group(one)) is not None, lambda *_: why)


def _two_highest(setting: Setting) -> list[Kind]:
    return sorted(tile.kind for tile in (*setting.low.tiles, *setting.high.tiles))[:2]


def _less(which: str, one: Setting, other: Setting) -> Message:
    mine, theirs = hand_of(one, which), hand_of(other, which)
    if Name.POINTS in {mine.name, theirs.name} and mine.name is not theirs.name:
        return Message(reasons.LESS, {"side": which, "mine": Described(mine), "right": Described(theirs)})
    return Message(reasons.FEWER_POINTS, {"side": which, "mine": mine.points, "right": theirs.points})


def _worse(which: str, one: Setting, other: Setting) -> Message:
    mine, theirs = Described(hand_of(one, which)), Described(hand_of(other, which))
    return Message(reasons.WORSE_HAND, {"side": which, "mine": mine, "right": theirs})


def _both(setting: Setting) -> int:
    return value(setting.low) + value(setting.high)


def _counts(one: Setting, other: Setting) -> dict[str, int]:
    (low, high), (right_low, right_high) = one.counts, other.counts
    return {"low": low, "high": high, "right_low": right_low, "right_high": right_high}


def _lower_total(one: Setting, other: Setting) -> Message:
    totals = {"total": sum(one.counts), "right_total": sum(other.counts)}
    return Message(reasons.LOWER_TOTAL, {**_counts(one, other), **totals})


def _closeness(setting: Setting) -> int:
    return value(setting.low) - value(setting.high)


def _further(one: Setting, other: Setting) -> Message:
    return Message(reasons.FURTHER_APART, _counts(one, other))


_FILTERS = {
    "keep the pair": _wanted(_keeps, lambda *_: Message(reasons.SPLITS_A_PAIR, {})),
    "split the pair": _wanted(lambda one: not _has_pair(one), lambda *_: Message(reasons.KEEPS_A_PAIR, {})),
    "most points in both": _most(_both, _lower_total),
    **{f"most points in {side}": _most_points(side) for side in SIDES},
    **{f"best {side}": _best(side) for side in SIDES},
    **{f"highest tile {at} {side}": _highest_tile(side) for side in SIDES for at in ("in", "on")},
    "closest together": _most(_closeness, _further),
    "never worse in both": Filter(
        lambda _, settings: undominated(settings),
        lambda one, other: dominates(other, one),
        lambda *_: Message(reasons.WORSE, {}),
    ),
    "two highest tiles apart": _apart(
        lambda one: frozenset(_two_highest(one)), Message(reasons.TWO_HIGHEST_TOGETHER, {})
    ),
}
_FIRST_WORDS = (*_FILTERS, "low is", "high is")
_WANTED = message(
    "something that can be set, such as: {examples}",
    examples="keep the pair, split the pair, 7 and 9, high is a gong, high 8 in high, highest tile in low, most points "
    "in low, never worse in both hands",
)
