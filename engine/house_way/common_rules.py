"""Rules that more than one book prints: what they do is said here once, and each book adds citation and words.

The words in which the rules are written are those of :mod:`engine.house_way.terms`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.game.hands import Name
from engine.game.tiles import Kind
from engine.house_way.rules import Rule
from engine.house_way.terms import (
    EIGHTS,
    ELEVENS,
    FIRST_SIX,
    FIVES,
    FOURS,
    NINES,
    SEVENS,
    SIXES,
    TEEN_OR_DAY,
    TENS,
    Group,
    are,
    beside,
    closest_at_the_highest_value,
    consists_of,
    first_named,
    keeping,
    keeping_apart,
    less_or_further_apart,
    lone_pair,
    splitting,
    two_pairs,
    undominated,
    which_tile,
    with_counts,
    with_high,
    with_tile_high,
    with_tile_low,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.game.setting import Deal
    from engine.house_way.rules import Reason, RuleFunction, Settings
    from engine.vocabulary.citations import Cite


@dataclass(frozen=True, eq=False)
class CommonRule:
    """A rule without a book.

    Attributes:
        name: of the rule, in every book that gives it no other.
        allow: what it does; see `Rule`.
        refusal: the reason given for a setting that it does not allow; see `Rule`.
    """

    name: str
    allow: RuleFunction
    refusal: Reason

    def printed(
        self, cite: Cite, text: str, *, rulings: tuple[int, ...] = (), name: str = "", refusal: Reason = ""
    ) -> Rule:
        """The rule as one book prints it.

        Args:
            cite: where it is printed.
            text: the rule in plain words, as the book has it.
            rulings: numbers of our rulings under which it is read.
            name: another name for it.
            refusal: another reason for a setting that it does not allow.
        """
        return Rule(name or self.name, cite, text, self.allow, refusal or self.refusal, rulings)


def common(*, refusal: Reason) -> Callable[[RuleFunction], CommonRule]:
    """Make a common rule of a function, which gives it its name."""
    return lambda function: CommonRule(function.__name__, function, refusal)


SPLITS_A_PAIR = "it splits a pair that is kept"
KEEPS_A_PAIR = "it keeps together a pair that is split with these tiles"
NOT_THE_EXCEPTION = "these four tiles have a setting of their own: {chosen}"

# Pairs.


@common(refusal=SPLITS_A_PAIR)
def two_pairs_are_two_hands(deal: Deal, settings: Settings) -> Settings | None:
    """Two ranking pairs are two hands."""
    return keeping(settings, deal.kinds[0]) if two_pairs(deal) else None


@common(refusal=SPLITS_A_PAIR)
def never_split(deal: Deal, settings: Settings) -> Settings | None:
    """Pairs of fours, fives, sixes, tens and elevens are never split."""
    pair = lone_pair(deal)
    return keeping(settings, pair) if pair in FOURS | FIVES | SIXES | TENS | ELEVENS else None


@common(refusal=SPLITS_A_PAIR)
def keep_any_other_pair(deal: Deal, settings: Settings) -> Settings | None:
    """A pair that no rule before splits is kept."""
    pair = lone_pair(deal)
    return None if pair is None else keeping(settings, pair)


def splits(name: str, pairs: Group, *beside_it: tuple[Group, Group]) -> CommonRule:
    """A rule that splits a pair of these ranks where the other two tiles belong to one of these couples of groups."""

    def allow(deal: Deal, settings: Settings) -> Settings | None:
        pair = lone_pair(deal)
        if pair is None or pair not in pairs:
            return None
        others = beside(deal, pair)
        return splitting(settings, pair) if any(are(others, *couple) for couple in beside_it) else None

    return CommonRule(name, allow, KEEPS_A_PAIR)


_BELOW_EIGHT = SEVENS | SIXES | FIVES | FOURS
split_gee_jun = splits("split_gee_jun", frozenset({Kind.GEE_JUN}), (SIXES, SIXES | FIVES | FOURS))
split_teens_or_days = splits(
    "split_teens_or_days",
    TEEN_OR_DAY,
    (NINES, EIGHTS | _BELOW_EIGHT),
    (EIGHTS, EIGHTS | _BELOW_EIGHT),
    (SEVENS, _BELOW_EIGHT),
)
split_nines = splits("split_nines", NINES, (TEEN_OR_DAY, TEEN_OR_DAY | TENS), (TENS, TENS))
split_eights = splits(
    "split_eights", EIGHTS, (TEEN_OR_DAY, TEEN_OR_DAY | ELEVENS | TENS), (TENS, ELEVENS | TENS), (ELEVENS, NINES)
)

# Wongs, Gongs and High Nines.


@common(refusal="it gives up a {chosen.high.title}")
def always_a_wong_gong_or_high_nine(_deal: Deal, settings: Settings) -> Settings | None:
    """Where no pair is set, a Wong, Gong or High Nine is."""
    return with_high(settings, Name.WONG, Name.GONG, Name.HIGH_NINE) or None


@common(refusal="a {chosen.high.title} is set instead of a {refused.high.title}")
def high_nine_over_gong_over_wong(_deal: Deal, settings: Settings) -> Settings | None:
    """High Nine before Gong before Wong."""
    return first_named(settings, Name.HIGH_NINE, Name.GONG, Name.WONG)


@common(refusal="it puts the Day on the high hand")
def teen_on_the_high_hand(_deal: Deal, settings: Settings) -> Settings | None:
    """With a choice of Teen and Day for the Wong, Gong or High Nine, the Teen."""
    named = with_high(settings, Name.WONG, Name.GONG, Name.HIGH_NINE)
    return with_tile_high(named, Kind.TEEN) or None


@common(refusal="with an eleven as fourth tile the Wong is set")
def wong_when_the_fourth_tile_is_eleven(deal: Deal, settings: Settings) -> Settings | None:
    """Wong before Gong and High Nine when the fourth tile is eleven."""
    fits = consists_of(deal, TEEN_OR_DAY, NINES, EIGHTS | SEVENS, ELEVENS)
    return with_high(settings, Name.WONG) if fits else None


@common(refusal="with a four as fourth tile the Gong is set")
def gong_when_the_fourth_tile_is_four(deal: Deal, settings: Settings) -> Settings | None:
    """Gong before High Nine when the fourth tile is a four."""
    fits = consists_of(deal, TEEN_OR_DAY, EIGHTS, SEVENS, FOURS)
    return with_high(settings, Name.GONG) if fits else None


# Points.


@common(refusal=less_or_further_apart)
def as_close_together_as_possible(_deal: Deal, settings: Settings) -> Settings | None:
    """The hands as close together as possible, unless a higher value can be had."""
    return closest_at_the_highest_value(settings)


@common(refusal="it is worse in one hand and no better in the other")
def never_worse_in_both_hands(_deal: Deal, settings: Settings) -> Settings | None:
    """Never as another setting beats in one hand and equals in the other."""
    return undominated(settings)


@common(refusal="it puts two high-ranking tiles in one hand")
def two_high_tiles_apart(_deal: Deal, settings: Settings) -> Settings | None:
    """Two tiles of the first six ranks are not put in one hand where that is possible."""
    return keeping_apart(settings, FIRST_SIX)


@common(refusal="its high hand is {refused.high.points}, so the high tile belongs on the high hand")
def high_tile_on_a_high_hand_of_8_or_9(deal: Deal, settings: Settings) -> Settings | None:
    """With a high hand of 8 or 9 the highest tile goes there."""
    return None if settings[0].high.points < 8 else with_tile_high(settings, deal.kinds[0]) or None


@common(refusal="its high hand is {refused.high.points}, so the high tile belongs on the low hand")
def high_tile_on_the_low_hand_below_8(deal: Deal, settings: Settings) -> Settings | None:
    """With a high hand of 7 or less the highest tile goes on the low hand."""
    return None if settings[0].high.points >= 8 else with_tile_low(settings, deal.kinds[0]) or None


# Exceptions: four tiles with a setting of their own.


def exception(
    name: str,
    *tiles: Group | Kind,
    counts: tuple[tuple[int, int], ...],
    high: Kind | None = None,
    low: Kind | None = None,
    several_fit: bool = False,
) -> CommonRule:
    """A rule that sets four tiles as certain counts.

    Args:
        name: of the rule.
        tiles: the four, each by its rank or by a group.
        counts: (low, high), as they may be set.
        high: the tile that goes on the high hand.
        low: the tile that goes on the low hand.
        several_fit: whether tiles of one group may change places, so that ruling 7 is needed.
    """

    def allow(deal: Deal, settings: Settings) -> Settings | None:
        if not consists_of(deal, *tiles):
            return None
        fitting = with_counts(settings, *counts)
        if high is not None:
            return with_tile_high(fitting, high)
        if low is not None:
            return with_tile_low(fitting, low)
        return which_tile(deal, fitting) if several_fit else fitting

    return CommonRule(name, allow, NOT_THE_EXCEPTION)


def high_6_5_gee_jun_with(name: str, other: Group, counts: tuple[int, int]) -> CommonRule:
    """The exception for High 6, 5, Gee Jun and one tile more."""
    return exception(f"high_6_5_gee_jun_with_{name}", Kind.HIGH_6, FIVES, Kind.GEE_JUN, other, counts=(counts,))


high_6_5_gee_jun_with_teen_or_day = high_6_5_gee_jun_with("teen_or_day", TEEN_OR_DAY, (7, 9))
high_6_5_gee_jun_with_7 = high_6_5_gee_jun_with("7", SEVENS, (2, 9))
tens_with_6_and_teen_or_day = exception(
    "tens_with_6_and_teen_or_day", Kind.HIGH_10, Kind.LOW_10, SIXES, TEEN_OR_DAY, counts=((0, 8),)
)
tens_with_11_and_7_or_8 = exception(
    "tens_with_11_and_7_or_8", Kind.HIGH_10, Kind.LOW_10, ELEVENS, SEVENS | EIGHTS, counts=((0, 8), (0, 9))
)
high_8_high_10_with_11_and_7 = exception(
    "high_8_high_10_with_11_and_7", Kind.HIGH_8, Kind.HIGH_10, ELEVENS, SEVENS, counts=((7, 9),)
)
fours_with_5_and_6 = exception(
    "fours_with_5_and_6", Kind.HIGH_4, Kind.LOW_4, FIVES, SIXES, counts=((0, 9),), several_fit=True
)
sixes_with_teen_or_day_and_4_or_5 = exception(
    "sixes_with_teen_or_day_and_4_or_5",
    Kind.HIGH_6,
    Kind.LOW_6,
    TEEN_OR_DAY,
    FOURS | FIVES,
    counts=((0, 8), (1, 8)),
    several_fit=True,
)
eights_with_high_6_and_7 = exception(
    "eights_with_high_6_and_7", Kind.HIGH_8, Kind.LOW_8, Kind.HIGH_6, SEVENS, counts=((4, 5),), high=Kind.HIGH_8
)
eights_with_high_4_and_7 = exception(
    "eights_with_high_4_and_7", Kind.HIGH_8, Kind.LOW_8, Kind.HIGH_4, SEVENS, counts=((2, 5),), high=Kind.HIGH_8
)
eights_with_high_4_and_6 = exception(
    "eights_with_high_4_and_6", Kind.HIGH_8, Kind.LOW_8, Kind.HIGH_4, SIXES, counts=((2, 4),), high=Kind.HIGH_8
)
tens_with_high_6_and_7 = exception(
    "tens_with_high_6_and_7", Kind.HIGH_10, Kind.LOW_10, Kind.HIGH_6, SEVENS, counts=((6, 7),), high=Kind.HIGH_10
)
fours_with_high_10_and_11 = exception(
    "fours_with_high_10_and_11", Kind.HIGH_4, Kind.LOW_4, Kind.HIGH_10, ELEVENS, counts=((4, 5),), high=Kind.HIGH_4
)
eights_with_9_and_high_10 = exception(
    "eights_with_9_and_high_10", Kind.HIGH_8, Kind.LOW_8, NINES, Kind.HIGH_10, counts=((7, 8),), low=Kind.HIGH_8
)
