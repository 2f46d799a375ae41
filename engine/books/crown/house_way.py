"""Crown Melbourne, Pai Gow Rules version 6.1, rule 7: House Way.

The rules stand in printed order; `HOUSE_WAY` asks them so, save that an exception speaks before the rule it excepts
and that 7.5.2 goes before the high-tile rules (ruling 3).
"""

from __future__ import annotations

from engine.books.crown.irregularities import IRREGULARITIES
from engine.house_way import common_rules as common
from engine.house_way.rules import HouseWay
from engine.house_way.terms import ELEVENS, SEVENS, TEEN_OR_DAY, TENS
from engine.vocabulary.citations import CROWN

at = CROWN.at

# 7.1 to 7.3: pairs

two_pairs_are_two_hands = common.two_pairs_are_two_hands.printed(
    at("7.1"), "Two ranking pairs are set as two hands.", rulings=(13,)
)
never_split = common.never_split.printed(
    at("7.2"),
    "High Fours, elevens, High Tens, Low Tens, High Sixes, Low Sixes, Low Fours and mixed fives are never split.",
)
split_gee_jun = common.split_gee_jun.printed(at("7.3"), "Gee Jun is split with any 6 and a 6, 5 or 4.", rulings=(1,))
split_teens_or_days = common.split_teens_or_days.printed(
    at("7.3"),
    "A pair of Teens or Days is split with 9 and 8, 7, 6, 5, 4; with 8 and 8, 7, 6, 5, 4; with 7 and 7, 6, 5, 4.",
    rulings=(2,),
)
split_nines = common.split_nines.printed(
    at("7.3"), "Nines are split with Teen and Day, with Teen or Day and a 10, and with 10 and 10."
)
split_eights = common.split_eights.printed(
    at("7.3"), "Eights are split with Teen and Day, Teen or Day and 11 or 10, 10 and 11 or 10, and with 11 and 9."
)
split_sevens = common.splits(
    "split_sevens", SEVENS, (TEEN_OR_DAY, TEEN_OR_DAY | ELEVENS | TENS), (TENS, ELEVENS)
).printed(
    at("7.3"), "Sevens are split with Teen and Day, with Teen or Day and 11 or 10, and with 10 and 11.", rulings=(9,)
)
keep_any_other_pair = common.keep_any_other_pair.printed(
    at("7.3"), "A pair is kept, unless the list of combinations to be split names the other two tiles.", rulings=(5,)
)

# 7.4: Wongs, Gongs and High Nines

always_a_wong_gong_or_high_nine = common.always_a_wong_gong_or_high_nine.printed(
    at("7.4.1"),
    "Where no higher setting is possible, a Wong, Gong or High Nine is always set, even at the low hand's expense.",
    rulings=(5,),
)
high_nine_over_gong_over_wong = common.high_nine_over_gong_over_wong.printed(
    at("7.4.2"),
    "High Nine is set instead of Wong and Gong, and Gong instead of Wong, when the option exists.",
    rulings=(5,),
)
teen_on_the_high_hand = common.teen_on_the_high_hand.printed(
    at("7.4.3"),
    "With the option between Teen and Day for the Wong, Gong or High Nine, the Teen is set on the high hand.",
    rulings=(5,),
)

# 7.5: exceptions

wong_when_the_fourth_tile_is_eleven = common.wong_when_the_fourth_tile_is_eleven.printed(
    at("7.5.1"), "Wong is set over Gong and High Nine when the fourth tile is 11.", rulings=(6,)
)
two_high_tiles_apart = common.two_high_tiles_apart.printed(
    at("7.5.2"),
    "Two high-ranking tiles (of the first six ranks) are not used in one hand where the option exists.",
    rulings=(3,),
)
gong_when_the_fourth_tile_is_four = common.gong_when_the_fourth_tile_is_four.printed(
    at("7.5.3"), "Gong is set over High Nine when the fourth tile is any four.", rulings=(6,)
)
as_close_together_as_possible = common.as_close_together_as_possible.printed(
    at("7.5.4"),
    "Low and high hand are set as close together as possible, unless they can be set to a higher value.",
    rulings=(4,),
)
never_worse_in_both_hands = common.never_worse_in_both_hands.printed(
    at("7.5.4"),
    "Hands are set to a higher value if they can be: never as another setting beats in one hand and equals in one.",
    rulings=(4,),
)
tens_with_11_and_7_or_8 = common.tens_with_11_and_7_or_8.printed(
    at("7.5.4(a)(i)"), "High 10, Low 10, 11 and any 7 or 8: set as 0 and 8 or 0 and 9."
)
high_8_high_10_with_11_and_7 = common.high_8_high_10_with_11_and_7.printed(
    at("7.5.4(a)(ii)"), "High 8, High 10, 11 and any 7: set as 7 and 9."
)
high_6_and_5_with_gee_jun_and_teen_or_day = common.high_6_5_gee_jun_with_teen_or_day.printed(
    at("7.5.4(a)(iii)"),
    "High 6, 5, Gee Jun and Teen or Day: set as 7 and 9.",
    name="high_6_and_5_with_gee_jun_and_teen_or_day",
)
fours_with_5_and_6 = common.fours_with_5_and_6.printed(
    at("7.5.4(a)(iv)"), "High 4, Low 4, 5 and 6: set as 0 and 9.", rulings=(7,)
)
high_6_and_5_with_gee_jun_and_7 = common.high_6_5_gee_jun_with_7.printed(
    at("7.5.4(a)(v)"), "High 6, 5, Gee Jun and any 7: set as 2 and 9.", name="high_6_and_5_with_gee_jun_and_7"
)
sixes_with_teen_or_day_and_4_or_5 = common.sixes_with_teen_or_day_and_4_or_5.printed(
    at("7.5.4(a)(vi)"), "High 6, Low 6, Teen or Day and any 4 or 5: set as 0 and 8 or 1 and 8.", rulings=(7,)
)
tens_with_6_and_teen_or_day = common.tens_with_6_and_teen_or_day.printed(
    at("7.5.4(a)(vii)"), "High 10, Low 10, any 6 and Teen or Day: set as 0 and 8."
)
high_tile_on_a_high_hand_of_8_or_9 = common.high_tile_on_a_high_hand_of_8_or_9.printed(
    at("7.5.5"), "When the high hand is 8 or 9, the high tile is used on the high hand where possible.", rulings=(14,)
)
eights_with_9_and_high_10 = common.eights_with_9_and_high_10.printed(
    at("7.5.5(a)(i)"), "High 8, Low 8, 9 and High 10: set as 7 and 8 with the High 8 on the low hand."
)
high_tile_on_the_low_hand_below_8 = common.high_tile_on_the_low_hand_below_8.printed(
    at("7.5.6"), "When the high hand is 7 or less, the high tile is used on the low hand where possible.", rulings=(14,)
)
eights_with_high_6_and_7 = common.eights_with_high_6_and_7.printed(
    at("7.5.6(a)(i)"), "High 8, Low 8, High 6 and any 7: set as 4 and 5 with the High 8 on the high hand."
)
eights_with_7_and_high_4 = common.eights_with_high_4_and_7.printed(
    at("7.5.6(a)(ii)"),
    "High 8, Low 8, any 7 and High 4: set as 2 and 5 with the High 8 on the high hand.",
    name="eights_with_7_and_high_4",
)
tens_with_high_6_and_7 = common.tens_with_high_6_and_7.printed(
    at("7.5.6(a)(iii)"), "High 10, Low 10, High 6 and 7: set as 6 and 7 with the High 10 on the high hand."
)
eights_with_high_4_and_6 = common.eights_with_high_4_and_6.printed(
    at("7.5.6(a)(iv)"), "High 8, Low 8, High 4 and 6: set as 2 and 4 with the High 8 on the high hand."
)
fours_with_high_10_and_11 = common.fours_with_high_10_and_11.printed(
    at("7.5.6(a)(v)"), "High 4, Low 4, High 10 and 11: set as 4 and 5 with the High 4 on the high hand."
)

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
