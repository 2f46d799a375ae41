"""New Zealand Gazette of 29 January 1998, Division 12 (Pai Gow), Appendix 4: House Way.

The rules stand in printed order; `HOUSE_WAY` asks section 6 before section 4, since it excepts from it (ruling 11), and
5.4, 5.3 and the two highest tiles (rulings 3 and 11) before the plain high-tile rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.books.nz.irregularities import IRREGULARITIES
from engine.game.hands import Hand, Name
from engine.game.tiles import Kind
from engine.house_way import common_rules as common
from engine.house_way.rules import Definition, HouseWay, Settings, rule
from engine.house_way.terms import (
    EIGHTS,
    ELEVENS,
    FIVES,
    FOURS,
    NINES,
    SEVENS,
    SIXES,
    TEEN_OR_DAY,
    TENS,
    are,
    consists_of,
    first_named,
    keeping_apart,
    lone_pair,
    with_counts,
    with_most,
    with_tile_high,
    with_tile_low,
)
from engine.vocabulary.citations import NZ

if TYPE_CHECKING:
    from engine.game.setting import Deal, Setting

# 1: Harmony 3


def reaches_harmony_3(hand: Hand) -> bool:
    """At least three points and, if exactly three, a tile ranked High 4 or above (ruling 10).

    nz-1998 Appendix 4: 1(a), 1(b).

    A pair, Wong, Gong or High Nine is better than any count of points (Appendix 2).
    """
    if hand.name is not Name.POINTS or hand.points > 3:
        return True
    return hand.points == 3 and hand.first.kind <= Kind.HIGH_4


def with_harmony_3(settings: Settings) -> Settings:
    """The settings whose low hand achieves Harmony 3 or better."""
    return tuple(s for s in settings if reaches_harmony_3(s.low))


# 2: pairs


two_pairs_are_two_hands = common.two_pairs_are_two_hands.printed(
    NZ.at("Appendix 4: 2.1"), "With two ranking pairs, the two pairs are played as two hands.", rulings=(13,)
)
never_split = common.never_split.printed(
    NZ.at("Appendix 4: 2.2"), "Pairs of fours, fives, sixes, tens and elevens are never split."
)
split_gee_jun = common.split_gee_jun.printed(
    NZ.at("Appendix 4: 2.3"), "Gee Jun is split with 6 and 6, 6 and 5, and 6 and 4.", rulings=(1,)
)
split_teens_or_days = common.splits(
    "split_teens_or_days",
    TEEN_OR_DAY,
    (NINES, ELEVENS | EIGHTS | SEVENS | SIXES | FIVES | FOURS),
    (EIGHTS, EIGHTS | SEVENS | SIXES | FIVES | FOURS),
    (SEVENS, SEVENS | SIXES | FIVES | FOURS),
    (SIXES, SIXES | FIVES | FOURS),
).printed(
    NZ.at("Appendix 4: 2.3"),
    "Teens or Days are split with 9 and 11, 8, 7, 6, 5, 4; 8 and 8, 7, 6, 5, 4; 7 and 7, 6, 5, 4; 6 and 6, 5, 4.",
    rulings=(2,),
)
split_nines = common.split_nines.printed(
    NZ.at("Appendix 4: 2.3"), "Nines are split with Teen and Day, with Teen or Day and a 10, and with 10 and 10."
)
split_eights = common.split_eights.printed(
    NZ.at("Appendix 4: 2.3"),
    "Eights are split with Teen and Day, Teen or Day and 11 or 10, 11 and 10 or 9, and with 10 and 10.",
)
split_sevens = common.splits(
    "split_sevens", SEVENS, (TEEN_OR_DAY, TEEN_OR_DAY | ELEVENS | TENS), (TENS, ELEVENS | TENS)
).printed(
    NZ.at("Appendix 4: 2.3"),
    "Sevens are split with Teen and Day, Teen or Day and 11 or 10, 11 and 10, and with 10 and 10.",
)
keep_any_other_pair = common.keep_any_other_pair.printed(
    NZ.at("Appendix 4: 2.3"), "A pair is played, unless the list of pairs to be split names the other two tiles."
)


# 3: Wongs, Gongs and High Nines


play_wong_gong_or_high_nine = common.always_a_wong_gong_or_high_nine.printed(
    NZ.at("Appendix 4: 3.1"),
    "If no pair play is possible, a Wong, Gong or High Nine is played.",
    name="play_wong_gong_or_high_nine",
)


@rule(
    cite=NZ.at("Appendix 4: 3.2"),
    refusal="a {chosen.high.title} is played, since its low hand achieves Harmony 3",
    rulings=(11,),
)
def high_nine_gong_wong_with_harmony_3(_deal: Deal, settings: Settings) -> Settings | None:
    """High Nine, Gong or Wong is played in that order, providing the low hand achieves Harmony 3 or better."""
    return first_named(with_harmony_3(settings), Name.HIGH_NINE, Name.GONG, Name.WONG)


@rule(
    cite=NZ.at("Appendix 4: 3.3"),
    refusal="a {chosen.high.title} is played, since no low hand achieves Harmony 3",
    rulings=(11,),
)
def wong_gong_high_nine_without_harmony_3(_deal: Deal, settings: Settings) -> Settings | None:
    """Wong, Gong or High Nine is played in that order if the low hand does not achieve Harmony 3 or better."""
    if with_harmony_3(settings):
        return None
    return first_named(settings, Name.WONG, Name.GONG, Name.HIGH_NINE)


# 4: general rules


def _less_low(refused: Setting, chosen: Setting) -> str:
    if not reaches_harmony_3(refused.low):
        return f"its low hand, {refused.low.describe()}, does not achieve Harmony 3"
    return f"its low hand counts {refused.low.points}, less than {chosen.low.points}"


@rule(cite=NZ.at("Appendix 4: 4.1"), refusal=_less_low)
def most_points_low_with_harmony_3(_deal: Deal, settings: Settings) -> Settings | None:
    """The point count of the low hand is maximised, providing the low hand achieves Harmony 3 or better."""
    harmonious = with_harmony_3(settings)
    return with_most(harmonious, high=False) if harmonious else None


@rule(
    cite=NZ.at("Appendix 4: 4.2"),
    refusal="its high hand counts {refused.high.points}, less than {chosen.high.points}, "
    "and no low hand achieves Harmony 3",
)
def most_points_high_of_8_or_better(_deal: Deal, settings: Settings) -> Settings | None:
    """If the low hand cannot achieve Harmony 3, the high hand's count is maximised if it can be 8 or better."""
    return with_most(settings, high=True) if seeks_high(settings) else None


def seeks_high(settings: Settings) -> bool:
    """Whether 4.2 governs: no low hand achieves Harmony 3, and a high hand of 8 or better can be had."""
    return not with_harmony_3(settings) and max(s.high.points for s in settings) >= 8


@rule(
    cite=NZ.at("Appendix 4: 4.3"),
    refusal="its low hand counts {refused.low.points}, less than {chosen.low.points}",
)
def most_points_low(_deal: Deal, settings: Settings) -> Settings | None:
    """If neither Harmony 3 nor a high hand of 8 can be achieved, the low hand's count is maximised."""
    if with_harmony_3(settings) or seeks_high(settings):
        return None
    return with_most(settings, high=False)


# 5: high ranking tiles


@rule(
    cite=NZ.at("Appendix 4: 5.1"),
    refusal="its low hand is {refused.low.points}, so the two highest tiles are kept apart if they can be, "
    "and if not the highest tile belongs on the low hand",
    rulings=(3, 14),
)
def high_tile_on_a_low_hand_of_7_or_less(deal: Deal, settings: Settings) -> Settings | None:
    """With a low hand of 7 or less the highest tile goes there, but the two highest tiles not in one hand by choice."""
    if settings[0].low.points > 7:
        return None
    settings = two_highest_apart(deal, settings)
    return with_tile_low(settings, deal.kinds[0]) or settings


@rule(
    cite=NZ.at("Appendix 4: 5.2"),
    refusal="its low hand is {refused.low.points}, so the two highest tiles are kept apart if they can be, "
    "and if not the highest tile belongs on the high hand",
    rulings=(3, 14),
)
def high_tile_on_high_with_a_low_hand_of_8_or_better(deal: Deal, settings: Settings) -> Settings | None:
    """With a low hand of 8 or better the highest tile goes on the high hand, but the two highest not in one hand."""
    if settings[0].low.points < 8:
        return None
    settings = two_highest_apart(deal, settings)
    return with_tile_high(settings, deal.kinds[0]) or settings


def two_highest_apart(deal: Deal, settings: Settings) -> Settings:
    """The settings that keep the two highest of the four tiles apart, where there is a choice (ruling 3)."""
    return keeping_apart(settings, frozenset(deal.kinds[:2])) or settings


@rule(
    cite=NZ.at("Appendix 4: 5.3"),
    refusal="the high hand is to be as strong as it can be, so the highest tile belongs there",
)
def high_tile_strengthens_the_high_hand(deal: Deal, settings: Settings) -> Settings | None:
    """Where the high hand's count is what is maximised, the highest ranking tile strengthens the high hand."""
    if six_seven_eleven(deal) or not seeks_high(deal.settings):
        return None
    return with_tile_high(settings, deal.kinds[0]) or None


@rule(
    cite=NZ.at("Appendix 4: 5.4"),
    refusal="with the Teen in one hand and the Day in the other, the Teen lies the other way",
    rulings=(11,),
)
def teen_high_and_day_low(deal: Deal, settings: Settings) -> Settings | None:
    """With Teen and Day in different hands the Teen goes high, unless 4 and 5 or 10 and 11 remain: then it goes low.

    nz-1998 Appendix 4: 5.4(a), 5.4(b).
    """
    if deal.kinds[:2] != (Kind.TEEN, Kind.DAY) or keeping_apart(settings, TEEN_OR_DAY) != settings:
        return None
    remaining = deal.kinds[2], deal.kinds[3]
    low = are(remaining, FOURS, FIVES) or are(remaining, TENS, ELEVENS)
    return with_tile_low(settings, Kind.TEEN) if low else with_tile_high(settings, Kind.TEEN)


# 6: exceptions to general play


@rule(
    cite=NZ.at("Appendix 4: 6.1"),
    refusal="its low hand counts {refused.low.points}, less than {chosen.low.points}",
)
def most_points_low_with_6_7_and_11(deal: Deal, settings: Settings) -> Settings | None:
    """With 6, 7, 11 and any non-pairing tile the low hand is maximised, even if it does not achieve Harmony 3."""
    return with_most(settings, high=False) if six_seven_eleven(deal) else None


def six_seven_eleven(deal: Deal) -> bool:
    """Whether the tiles are 6, 7, 11 and one that pairs with none of them."""
    return lone_pair(deal) is None and consists_of(deal, SIXES, SEVENS, ELEVENS, frozenset(Kind))


@rule(
    cite=NZ.at("Appendix 4: 6.2"),
    refusal="with the choice of 8 and 8 or 7 and 9, 7 and 9 is played unless a Low 10 is among the tiles",
    rulings=(11,),
)
def seven_nine_rather_than_two_eights(deal: Deal, settings: Settings) -> Settings | None:
    """A hand that can be played as 8 and 8 or as 7 and 9 is played as 7 and 9, unless one of the tiles is Low 10."""
    if Kind.LOW_10 in deal.kinds or not with_counts(settings, (8, 8)):
        return None
    return with_counts(settings, (7, 9)) or None


HOUSE_WAY = HouseWay(
    source=NZ,
    rules=(
        two_pairs_are_two_hands,
        never_split,
        split_gee_jun,
        split_teens_or_days,
        split_nines,
        split_eights,
        split_sevens,
        keep_any_other_pair,
        play_wong_gong_or_high_nine,
        high_nine_gong_wong_with_harmony_3,
        wong_gong_high_nine_without_harmony_3,
        most_points_low_with_6_7_and_11,
        seven_nine_rather_than_two_eights,
        most_points_low_with_harmony_3,
        most_points_high_of_8_or_better,
        most_points_low,
        teen_high_and_day_low,
        high_tile_strengthens_the_high_hand,
        high_tile_on_a_low_hand_of_7_or_less,
        high_tile_on_high_with_a_low_hand_of_8_or_better,
    ),
    irregularities=IRREGULARITIES,
    definitions=(
        Definition(
            "Harmony 3",
            "three points with a tile ranked High 4 or above; every greater count and every name is better",
            NZ.at("Appendix 4: 1"),
            rulings=(10,),
        ),
    ),
)
