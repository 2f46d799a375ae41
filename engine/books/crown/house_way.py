"""Crown Melbourne, Pai Gow Rules version 6.1, rule 7: House Way.

The rules stand in printed order; `HOUSE_WAY` asks them so, save that an exception speaks before the rule it excepts
and that 7.5.2 goes before the high-tile rules (ruling 3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.books.crown.irregularities import IRREGULARITIES
from engine.game.hands import Name
from engine.game.tiles import Kind
from engine.house_way.rules import HouseWay, Settings, rule
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
    are,
    beside,
    closest_at_the_highest_value,
    consists_of,
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
from engine.vocabulary.sources import CROWN

if TYPE_CHECKING:
    from engine.game.setting import Deal

SPLITS_A_PAIR = "it splits a pair that is kept"
KEEPS_A_PAIR = "it keeps together a pair that is split with these tiles"
NOT_THE_EXCEPTION = "these four tiles have a setting of their own: {chosen}"

NEVER_SPLIT = {
    Kind.HIGH_4,
    Kind.ELEVEN,
    Kind.HIGH_10,
    Kind.LOW_10,
    Kind.HIGH_6,
    Kind.LOW_6,
    Kind.LOW_4,
    Kind.FIVE,
}


# 7.1 to 7.3: pairs


@rule(cite=CROWN.at("7.1"), refusal=SPLITS_A_PAIR, rulings=(13,))
def two_pairs_are_two_hands(deal: Deal, settings: Settings) -> Settings | None:
    """Two ranking pairs are set as two hands."""
    return keeping(settings, deal.kinds[0]) if two_pairs(deal) else None


@rule(cite=CROWN.at("7.2"), refusal=SPLITS_A_PAIR)
def never_split(deal: Deal, settings: Settings) -> Settings | None:
    """High Fours, elevens, High Tens, Low Tens, High Sixes, Low Sixes, Low Fours and mixed fives are never split."""
    pair = lone_pair(deal)
    return keeping(settings, pair) if pair in NEVER_SPLIT else None


@rule(cite=CROWN.at("7.3"), refusal=KEEPS_A_PAIR, rulings=(1,))
def split_gee_jun(deal: Deal, settings: Settings) -> Settings | None:
    """Gee Jun is split with any 6 and a 6, 5 or 4."""
    if lone_pair(deal) is not Kind.GEE_JUN:
        return None
    fits = are(beside(deal, Kind.GEE_JUN), SIXES, SIXES | FIVES | FOURS)
    return splitting(settings, Kind.GEE_JUN) if fits else None


@rule(cite=CROWN.at("7.3"), refusal=KEEPS_A_PAIR, rulings=(2,))
def split_teens_or_days(deal: Deal, settings: Settings) -> Settings | None:
    """A pair of Teens or Days is split with 9 and 8, 7, 6, 5, 4; with 8 and 8, 7, 6, 5, 4; with 7 and 7, 6, 5, 4."""
    pair = lone_pair(deal)
    if pair is None or pair not in TEEN_OR_DAY:
        return None
    others = beside(deal, pair)
    fits = (
        are(others, NINES, EIGHTS | SEVENS | SIXES | FIVES | FOURS)
        or are(others, EIGHTS, EIGHTS | SEVENS | SIXES | FIVES | FOURS)
        or are(others, SEVENS, SEVENS | SIXES | FIVES | FOURS)
    )
    return splitting(settings, pair) if fits else None


@rule(cite=CROWN.at("7.3"), refusal=KEEPS_A_PAIR)
def split_nines(deal: Deal, settings: Settings) -> Settings | None:
    """Nines are split with Teen and Day, with Teen or Day and a 10, and with 10 and 10."""
    if lone_pair(deal) is not Kind.NINE:
        return None
    others = beside(deal, Kind.NINE)
    fits = are(others, TEEN_OR_DAY, TEEN_OR_DAY | TENS) or are(others, TENS, TENS)
    return splitting(settings, Kind.NINE) if fits else None


@rule(cite=CROWN.at("7.3"), refusal=KEEPS_A_PAIR)
def split_eights(deal: Deal, settings: Settings) -> Settings | None:
    """Eights are split with Teen and Day, Teen or Day and 11 or 10, 10 and 11 or 10, and with 11 and 9."""
    pair = lone_pair(deal)
    if pair is None or pair not in EIGHTS:
        return None
    others = beside(deal, pair)
    fits = (
        are(others, TEEN_OR_DAY, TEEN_OR_DAY | ELEVENS | TENS)
        or are(others, TENS, ELEVENS | TENS)
        or are(others, ELEVENS, NINES)
    )
    return splitting(settings, pair) if fits else None


@rule(cite=CROWN.at("7.3"), refusal=KEEPS_A_PAIR, rulings=(9,))
def split_sevens(deal: Deal, settings: Settings) -> Settings | None:
    """Sevens are split with Teen and Day, with Teen or Day and 11 or 10, and with 10 and 11."""
    pair = lone_pair(deal)
    if pair is None or pair not in SEVENS:
        return None
    others = beside(deal, pair)
    fits = are(others, TEEN_OR_DAY, TEEN_OR_DAY | ELEVENS | TENS) or are(others, TENS, ELEVENS)
    return splitting(settings, pair) if fits else None


@rule(cite=CROWN.at("7.3"), refusal=SPLITS_A_PAIR, rulings=(5,))
def keep_any_other_pair(deal: Deal, settings: Settings) -> Settings | None:
    """A pair is kept, unless the list of combinations to be split names the other two tiles."""
    pair = lone_pair(deal)
    return None if pair is None else keeping(settings, pair)


# 7.4: Wongs, Gongs and High Nines


@rule(cite=CROWN.at("7.4.1"), refusal="it gives up a {chosen.high.title}", rulings=(5,))
def always_a_wong_gong_or_high_nine(_deal: Deal, settings: Settings) -> Settings | None:
    """Where no higher setting is possible, a Wong, Gong or High Nine is always set, even at the low hand's expense."""
    return with_high(settings, Name.WONG, Name.GONG, Name.HIGH_NINE) or None


@rule(cite=CROWN.at("7.4.2"), refusal="a {chosen.high.title} is set instead of a {refused.high.title}", rulings=(5,))
def high_nine_over_gong_over_wong(_deal: Deal, settings: Settings) -> Settings | None:
    """High Nine is set instead of Wong and Gong, and Gong instead of Wong, when the option exists."""
    for name in (Name.HIGH_NINE, Name.GONG, Name.WONG):
        if found := with_high(settings, name):
            return found
    return None


@rule(cite=CROWN.at("7.4.3"), refusal="it puts the Day on the high hand", rulings=(5,))
def teen_on_the_high_hand(_deal: Deal, settings: Settings) -> Settings | None:
    """With the option between Teen and Day for the Wong, Gong or High Nine, the Teen is set on the high hand."""
    named = with_high(settings, Name.WONG, Name.GONG, Name.HIGH_NINE)
    return with_tile_high(named, Kind.TEEN) or None


# 7.5: exceptions


@rule(cite=CROWN.at("7.5.1"), refusal="with an eleven as fourth tile the Wong is set", rulings=(6,))
def wong_when_the_fourth_tile_is_eleven(deal: Deal, settings: Settings) -> Settings | None:
    """Wong is set over Gong and High Nine when the fourth tile is 11."""
    fits = consists_of(deal, TEEN_OR_DAY, NINES, EIGHTS | SEVENS, ELEVENS)
    return with_high(settings, Name.WONG) if fits else None


@rule(cite=CROWN.at("7.5.2"), refusal="it puts two high-ranking tiles in one hand", rulings=(3,))
def two_high_tiles_apart(_deal: Deal, settings: Settings) -> Settings | None:
    """Two high-ranking tiles (of the first six ranks) are not used in one hand where the option exists."""
    return keeping_apart(settings, FIRST_SIX)


@rule(cite=CROWN.at("7.5.3"), refusal="with a four as fourth tile the Gong is set", rulings=(6,))
def gong_when_the_fourth_tile_is_four(deal: Deal, settings: Settings) -> Settings | None:
    """Gong is set over High Nine when the fourth tile is any four."""
    fits = consists_of(deal, TEEN_OR_DAY, EIGHTS, SEVENS, FOURS)
    return with_high(settings, Name.GONG) if fits else None


@rule(
    cite=CROWN.at("7.5.4"),
    refusal=less_or_further_apart,
    rulings=(4,),
)
def as_close_together_as_possible(_deal: Deal, settings: Settings) -> Settings | None:
    """Low and high hand are set as close together as possible, unless they can be set to a higher value."""
    return closest_at_the_highest_value(settings)


@rule(cite=CROWN.at("7.5.4"), refusal="it is worse in one hand and no better in the other", rulings=(4,))
def never_worse_in_both_hands(_deal: Deal, settings: Settings) -> Settings | None:
    """Hands are set to a higher value if they can be: never as another setting beats in one hand and equals in one."""
    return undominated(settings)


@rule(cite=CROWN.at("7.5.4(a)(i)"), refusal=NOT_THE_EXCEPTION)
def tens_with_11_and_7_or_8(deal: Deal, settings: Settings) -> Settings | None:
    """High 10, Low 10, 11 and any 7 or 8: set as 0 and 8 or 0 and 9."""
    if not consists_of(deal, Kind.HIGH_10, Kind.LOW_10, ELEVENS, SEVENS | EIGHTS):
        return None
    return with_counts(settings, (0, 8), (0, 9))


@rule(cite=CROWN.at("7.5.4(a)(ii)"), refusal=NOT_THE_EXCEPTION)
def high_8_high_10_with_11_and_7(deal: Deal, settings: Settings) -> Settings | None:
    """High 8, High 10, 11 and any 7: set as 7 and 9."""
    if not consists_of(deal, Kind.HIGH_8, Kind.HIGH_10, ELEVENS, SEVENS):
        return None
    return with_counts(settings, (7, 9))


@rule(cite=CROWN.at("7.5.4(a)(iii)"), refusal=NOT_THE_EXCEPTION)
def high_6_and_5_with_gee_jun_and_teen_or_day(deal: Deal, settings: Settings) -> Settings | None:
    """High 6, 5, Gee Jun and Teen or Day: set as 7 and 9."""
    if not consists_of(deal, Kind.HIGH_6, FIVES, Kind.GEE_JUN, TEEN_OR_DAY):
        return None
    return with_counts(settings, (7, 9))


@rule(cite=CROWN.at("7.5.4(a)(iv)"), refusal=NOT_THE_EXCEPTION, rulings=(7,))
def fours_with_5_and_6(deal: Deal, settings: Settings) -> Settings | None:
    """High 4, Low 4, 5 and 6: set as 0 and 9."""
    if not consists_of(deal, Kind.HIGH_4, Kind.LOW_4, FIVES, SIXES):
        return None
    return which_tile(deal, with_counts(settings, (0, 9)))


@rule(cite=CROWN.at("7.5.4(a)(v)"), refusal=NOT_THE_EXCEPTION)
def high_6_and_5_with_gee_jun_and_7(deal: Deal, settings: Settings) -> Settings | None:
    """High 6, 5, Gee Jun and any 7: set as 2 and 9."""
    if not consists_of(deal, Kind.HIGH_6, FIVES, Kind.GEE_JUN, SEVENS):
        return None
    return with_counts(settings, (2, 9))


@rule(cite=CROWN.at("7.5.4(a)(vi)"), refusal=NOT_THE_EXCEPTION, rulings=(7,))
def sixes_with_teen_or_day_and_4_or_5(deal: Deal, settings: Settings) -> Settings | None:
    """High 6, Low 6, Teen or Day and any 4 or 5: set as 0 and 8 or 1 and 8."""
    if not consists_of(deal, Kind.HIGH_6, Kind.LOW_6, TEEN_OR_DAY, FOURS | FIVES):
        return None
    return which_tile(deal, with_counts(settings, (0, 8), (1, 8)))


@rule(cite=CROWN.at("7.5.4(a)(vii)"), refusal=NOT_THE_EXCEPTION)
def tens_with_6_and_teen_or_day(deal: Deal, settings: Settings) -> Settings | None:
    """High 10, Low 10, any 6 and Teen or Day: set as 0 and 8."""
    if not consists_of(deal, Kind.HIGH_10, Kind.LOW_10, SIXES, TEEN_OR_DAY):
        return None
    return with_counts(settings, (0, 8))


@rule(
    cite=CROWN.at("7.5.5"),
    refusal="its high hand is {refused.high.points}, so the high tile belongs on the high hand",
    rulings=(14,),
)
def high_tile_on_a_high_hand_of_8_or_9(deal: Deal, settings: Settings) -> Settings | None:
    """When the high hand is 8 or 9, the high tile is used on the high hand where possible."""
    if settings[0].high.points < 8:
        return None
    return with_tile_high(settings, deal.kinds[0]) or None


@rule(cite=CROWN.at("7.5.5(a)(i)"), refusal=NOT_THE_EXCEPTION)
def eights_with_9_and_high_10(deal: Deal, settings: Settings) -> Settings | None:
    """High 8, Low 8, 9 and High 10: set as 7 and 8 with the High 8 on the low hand."""
    if not consists_of(deal, Kind.HIGH_8, Kind.LOW_8, NINES, Kind.HIGH_10):
        return None
    return with_tile_low(with_counts(settings, (7, 8)), Kind.HIGH_8)


@rule(
    cite=CROWN.at("7.5.6"),
    refusal="its high hand is {refused.high.points}, so the high tile belongs on the low hand",
    rulings=(14,),
)
def high_tile_on_the_low_hand_below_8(deal: Deal, settings: Settings) -> Settings | None:
    """When the high hand is 7 or less, the high tile is used on the low hand where possible."""
    if settings[0].high.points >= 8:
        return None
    return with_tile_low(settings, deal.kinds[0]) or None


@rule(cite=CROWN.at("7.5.6(a)(i)"), refusal=NOT_THE_EXCEPTION)
def eights_with_high_6_and_7(deal: Deal, settings: Settings) -> Settings | None:
    """High 8, Low 8, High 6 and any 7: set as 4 and 5 with the High 8 on the high hand."""
    if not consists_of(deal, Kind.HIGH_8, Kind.LOW_8, Kind.HIGH_6, SEVENS):
        return None
    return with_tile_high(with_counts(settings, (4, 5)), Kind.HIGH_8)


@rule(cite=CROWN.at("7.5.6(a)(ii)"), refusal=NOT_THE_EXCEPTION)
def eights_with_7_and_high_4(deal: Deal, settings: Settings) -> Settings | None:
    """High 8, Low 8, any 7 and High 4: set as 2 and 5 with the High 8 on the high hand."""
    if not consists_of(deal, Kind.HIGH_8, Kind.LOW_8, SEVENS, Kind.HIGH_4):
        return None
    return with_tile_high(with_counts(settings, (2, 5)), Kind.HIGH_8)


@rule(cite=CROWN.at("7.5.6(a)(iii)"), refusal=NOT_THE_EXCEPTION)
def tens_with_high_6_and_7(deal: Deal, settings: Settings) -> Settings | None:
    """High 10, Low 10, High 6 and 7: set as 6 and 7 with the High 10 on the high hand."""
    if not consists_of(deal, Kind.HIGH_10, Kind.LOW_10, Kind.HIGH_6, SEVENS):
        return None
    return with_tile_high(with_counts(settings, (6, 7)), Kind.HIGH_10)


@rule(cite=CROWN.at("7.5.6(a)(iv)"), refusal=NOT_THE_EXCEPTION)
def eights_with_high_4_and_6(deal: Deal, settings: Settings) -> Settings | None:
    """High 8, Low 8, High 4 and 6: set as 2 and 4 with the High 8 on the high hand."""
    if not consists_of(deal, Kind.HIGH_8, Kind.LOW_8, Kind.HIGH_4, SIXES):
        return None
    return with_tile_high(with_counts(settings, (2, 4)), Kind.HIGH_8)


@rule(cite=CROWN.at("7.5.6(a)(v)"), refusal=NOT_THE_EXCEPTION)
def fours_with_high_10_and_11(deal: Deal, settings: Settings) -> Settings | None:
    """High 4, Low 4, High 10 and 11: set as 4 and 5 with the High 4 on the high hand."""
    if not consists_of(deal, Kind.HIGH_4, Kind.LOW_4, Kind.HIGH_10, ELEVENS):
        return None
    return with_tile_high(with_counts(settings, (4, 5)), Kind.HIGH_4)


HOUSE_WAY = HouseWay(
    source=CROWN,
    rules=(
        two_pairs_are_two_hands,
        never_split,
        split_gee_jun,
        split_teens_or_days,
        split_nines,
        split_eights,
        split_sevens,
        keep_any_other_pair,
        always_a_wong_gong_or_high_nine,
        wong_when_the_fourth_tile_is_eleven,
        gong_when_the_fourth_tile_is_four,
        high_nine_over_gong_over_wong,
        teen_on_the_high_hand,
        tens_with_11_and_7_or_8,
        high_8_high_10_with_11_and_7,
        high_6_and_5_with_gee_jun_and_teen_or_day,
        fours_with_5_and_6,
        high_6_and_5_with_gee_jun_and_7,
        sixes_with_teen_or_day_and_4_or_5,
        tens_with_6_and_teen_or_day,
        eights_with_9_and_high_10,
        eights_with_high_6_and_7,
        eights_with_7_and_high_4,
        tens_with_high_6_and_7,
        eights_with_high_4_and_6,
        fours_with_high_10_and_11,
        as_close_together_as_possible,
        two_high_tiles_apart,
        high_tile_on_a_high_hand_of_8_or_9,
        high_tile_on_the_low_hand_below_8,
        never_worse_in_both_hands,
    ),
    irregularities=IRREGULARITIES,
    side_bets=("bonus-a", "bonus-b", "bonus-c", "bonus-d", "bonus-e", "tie-a", "tie-b", "big-small"),
)
