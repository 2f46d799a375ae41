"""The Star, Sydney, game rules of Pai Gow of 16 August 2024, Appendix 2: House Way (star-2024 4.1).

The rules stand in printed order; `HOUSE_WAY` asks them so, save that an exception (5 and 7) speaks before the rule it
excepts and that 6.4 goes before the high-tile rules (ruling 3). The list in 7 decides, not the "format" after it
(ruling 8).
"""

from __future__ import annotations

from engine.books.star_2024.irregularities import IRREGULARITIES
from engine.game.tiles import Kind
from engine.house_way import common_rules as common
from engine.house_way.rules import HouseWay
from engine.house_way.terms import EIGHTS, ELEVENS, FIVES, FOURS, NINES, SEVENS, SIXES, TEEN_OR_DAY, TENS
from engine.vocabulary.citations import STAR_2024

at = STAR_2024.at

# 1 to 3: pairs

two_pairs_are_two_hands = common.two_pairs_are_two_hands.printed(
    at("Appendix 2: 1"), "Two ranking pairs are set as two hands.", rulings=(13,)
)
never_split = common.never_split.printed(
    at("Appendix 2: 2"),
    "High Fours, elevens, High Tens, Low Tens, High Sixes, Low Sixes, Low Fours and mixed fives are never split.",
)
split_gee_jun = common.splits(
    "split_gee_jun", frozenset({Kind.GEE_JUN}), (frozenset({Kind.HIGH_6}), SIXES | FIVES | FOURS)
).printed(at("Appendix 2: 3"), "Gee Jun is split with the High 6 and a 6, 5 or 4.", rulings=(1,))
split_teens_or_days = common.split_teens_or_days.printed(
    at("Appendix 2: 3"),
    "A pair of Teens or Days is split with 9 and 8, 7, 6, 5, 4; with 8 and 8, 7, 6, 5, 4; with 7 and 7, 6, 5, 4.",
    rulings=(2,),
)
split_nines = common.split_nines.printed(
    at("Appendix 2: 3"), "Nines are split with Teen and Day, with Teen or Day and a 10, and with 10 and 10."
)
split_eights = common.split_eights.printed(
    at("Appendix 2: 3"),
    "Eights are split with Teen and Day, Teen or Day and 11 or 10, 10 and 11 or 10, and with 11 and 9.",
)
split_sevens = common.splits("split_sevens", SEVENS, (TEEN_OR_DAY, TEEN_OR_DAY | ELEVENS | TENS)).printed(
    at("Appendix 2: 3"), "Sevens are split with Teen and Day, and with Teen or Day and 11 or 10.", rulings=(9,)
)
keep_any_other_pair = common.keep_any_other_pair.printed(
    at("Appendix 2: 3"),
    "A pair is kept, unless the list of combinations to be split names the other two tiles.",
    rulings=(5,),
)

# 4: Wongs, Gongs and High Nines

always_a_wong_gong_or_high_nine = common.always_a_wong_gong_or_high_nine.printed(
    at("Appendix 2: 4.1"),
    "If no higher play is possible, a Wong, Gong or High Nine is always played, even at the low hand's expense.",
    rulings=(5,),
)
high_nine_over_gong_over_wong = common.high_nine_over_gong_over_wong.printed(
    at("Appendix 2: 4.2"),
    "High Nine is played instead of Gong or Wong, and Gong instead of Wong, when given a choice.",
    rulings=(5,),
)
teen_on_the_high_hand = common.teen_on_the_high_hand.printed(
    at("Appendix 2: 4.3"),
    "With a choice of Teen and Day for the Wong, Gong or High Nine, the Teen is played on the high hand.",
    rulings=(5,),
)

# 5: exceptions to Wongs, Gongs and High Nines

gong_when_the_fourth_tile_is_four = common.gong_when_the_fourth_tile_is_four.printed(
    at("Appendix 2: 5.1"),
    "Gong is played over High Nine when the fourth tile is four.",
    rulings=(6,),
    refusal="with a four as fourth tile the Gong is played",
)
wong_when_the_fourth_tile_is_eleven = common.wong_when_the_fourth_tile_is_eleven.printed(
    at("Appendix 2: 5.2"),
    "Wong is played over Gong or High Nine when the fourth tile is eleven.",
    rulings=(6,),
    refusal="with an eleven as fourth tile the Wong is played",
)

# 6: general play

as_close_together_as_possible = common.as_close_together_as_possible.printed(
    at("Appendix 2: 6.1"),
    "Low and high hand are brought as close together as possible, unless they can be set to a higher value.",
    rulings=(4,),
)
never_worse_in_both_hands = common.never_worse_in_both_hands.printed(
    at("Appendix 2: 6.1"),
    "Hands are set to a higher value if they can be: never as another setting beats in one hand and equals in one.",
    rulings=(4,),
)
high_tile_on_the_low_hand_below_8 = common.high_tile_on_the_low_hand_below_8.printed(
    at("Appendix 2: 6.2"),
    "If the high hand is seven or less, the high tile is played on the low hand when given a choice.",
    rulings=(14,),
)
high_tile_on_a_high_hand_of_8_or_9 = common.high_tile_on_a_high_hand_of_8_or_9.printed(
    at("Appendix 2: 6.3"),
    "If the high hand is eight or better, the high tile is played on the high hand when given a choice.",
    rulings=(14,),
)
two_high_tiles_apart = common.two_high_tiles_apart.printed(
    at("Appendix 2: 6.4"),
    "Two highest tiles (of the first six ranks) are not played on the same hand where that is possible.",
    rulings=(3,),
    refusal="it plays two of the highest tiles on the same hand",
)

# 7: exceptions to general play

tens_with_6_and_teen_or_day = common.tens_with_6_and_teen_or_day.printed(
    at("Appendix 2: 7 line 1"), "High 10, Low 10, any 6 with 2 or 12: play 0 and 8."
)
tens_with_11_and_7_or_8 = common.tens_with_11_and_7_or_8.printed(
    at("Appendix 2: 7 line 2"), "High 10, Low 10, 11, any 7 or 8: play 0 and 8 or 0 and 9."
)
high_8_high_10_with_11_and_7 = common.high_8_high_10_with_11_and_7.printed(
    at("Appendix 2: 7 line 3"), "High 8, High 10, 11, any 7: play 7 and 9."
)
high_6_5_gee_jun_with_teen_or_day = common.high_6_5_gee_jun_with_teen_or_day.printed(
    at("Appendix 2: 7 line 4"), "High 6, 5, Gee Jun, any 2 or 12: play 7 and 9."
)
high_6_5_gee_jun_with_7 = common.high_6_5_gee_jun_with_7.printed(
    at("Appendix 2: 7 line 5"), "High 6, 5, Gee Jun, any 7: play 2 and 9."
)
high_6_5_gee_jun_with_8 = common.high_6_5_gee_jun_with("8", EIGHTS, (3, 9)).printed(
    at("Appendix 2: 7 line 6"), "High 6, 5, Gee Jun, any 8: play 3 and 9."
)
high_6_5_gee_jun_with_10 = common.high_6_5_gee_jun_with("10", TENS, (5, 9)).printed(
    at("Appendix 2: 7 line 7"), "High 6, 5, Gee Jun, any 10: play 5 and 9."
)
high_6_5_gee_jun_with_11 = common.high_6_5_gee_jun_with("11", ELEVENS, (6, 9)).printed(
    at("Appendix 2: 7 line 8"), "High 6, 5, Gee Jun and 11: play 6 and 9."
)
sixes_with_5_and_gee_jun = common.exception(
    "sixes_with_5_and_gee_jun", Kind.HIGH_6, Kind.LOW_6, FIVES, Kind.GEE_JUN, counts=((1, 9),), several_fit=True
).printed(at("Appendix 2: 7 line 9"), "High 6, Low 6, 5 and Gee Jun: play 1 and 9.", rulings=(7,))
high_6_5_gee_jun_with_9 = common.high_6_5_gee_jun_with("9", NINES, (4, 9)).printed(
    at("Appendix 2: 7 line 10"), "High 6, 5, Gee Jun and nine: play 4 and 9."
)
fours_with_5_and_6 = common.fours_with_5_and_6.printed(
    at("Appendix 2: 7 line 11"), "High 4, Low 4, 5, any 6: play 0 and 9.", rulings=(7,)
)
sixes_with_teen_or_day_and_4_or_5 = common.sixes_with_teen_or_day_and_4_or_5.printed(
    at("Appendix 2: 7 line 12"), "High 6, Low 6, 2 or 12 with any 4 or 5: play 0 and 8 or 1 and 8.", rulings=(7,)
)
fours_with_5_and_gee_jun = common.exception(
    "fours_with_5_and_gee_jun", Kind.HIGH_4, Kind.LOW_4, FIVES, Kind.GEE_JUN, counts=((7, 9),), high=Kind.HIGH_4
).printed(at("Appendix 2: 7 line 13"), "High 4, Low 4, 5, Gee Jun: play 7 and 9 with the High 4 on the high hand.")
eights_with_high_6_and_7 = common.eights_with_high_6_and_7.printed(
    at("Appendix 2: 7 line 14"), "High 8, Low 8, High 6 with any 7: play 4 and 5 with the High 8 on the high hand."
)
eights_with_high_4_and_7 = common.eights_with_high_4_and_7.printed(
    at("Appendix 2: 7 line 15"), "High 8, Low 8, High 4 with any 7: play 2 and 5 with the High 8 on the high hand."
)
eights_with_high_4_and_6 = common.eights_with_high_4_and_6.printed(
    at("Appendix 2: 7 line 16"),
    "High 8, Low 8, High 4 with any 6: play 2 and 4 with the High 8 on the high hand.",
    rulings=(8,),
)
tens_with_high_6_and_7 = common.tens_with_high_6_and_7.printed(
    at("Appendix 2: 7 line 17"), "High 10, Low 10, High 6 with any 7: play 6 and 7 with the High 10 on the high hand."
)
fours_with_high_10_and_11 = common.fours_with_high_10_and_11.printed(
    at("Appendix 2: 7 line 18"), "High 4, High 10, Low 4, eleven: play 4 and 5 with the High 4 on the high hand."
)
eights_with_9_and_high_10 = common.eights_with_9_and_high_10.printed(
    at("Appendix 2: 7 line 19"), "High 10, High 8, Low 8 and 9: play 7 and 8 with the High 8 on the low hand."
)

HOUSE_WAY = HouseWay(
    source=STAR_2024,
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
        gong_when_the_fourth_tile_is_four,
        wong_when_the_fourth_tile_is_eleven,
        high_nine_over_gong_over_wong,
        teen_on_the_high_hand,
        tens_with_6_and_teen_or_day,
        tens_with_11_and_7_or_8,
        high_8_high_10_with_11_and_7,
        high_6_5_gee_jun_with_teen_or_day,
        high_6_5_gee_jun_with_7,
        high_6_5_gee_jun_with_8,
        high_6_5_gee_jun_with_10,
        high_6_5_gee_jun_with_11,
        sixes_with_5_and_gee_jun,
        high_6_5_gee_jun_with_9,
        fours_with_5_and_6,
        sixes_with_teen_or_day_and_4_or_5,
        fours_with_5_and_gee_jun,
        eights_with_high_6_and_7,
        eights_with_high_4_and_7,
        eights_with_high_4_and_6,
        tens_with_high_6_and_7,
        fours_with_high_10_and_11,
        eights_with_9_and_high_10,
        as_close_together_as_possible,
        two_high_tiles_apart,
        high_tile_on_the_low_hand_below_8,
        high_tile_on_a_high_hand_of_8_or_9,
        never_worse_in_both_hands,
    ),
    irregularities=IRREGULARITIES,
)
