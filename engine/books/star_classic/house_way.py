"""The Star, Sydney, the older page of rules ("Official Rules of Pai Gow Poker"), Appendix 2: House Way.

Its words are those of 2024, and so are its rules: those of `star_2024`, asked in the same order. But the points of 4 to
7 bear no numbers here: they are cited by their place.
"""

from __future__ import annotations

from dataclasses import replace

from engine.books.star_2024 import house_way as way
from engine.books.star_classic.irregularities import IRREGULARITIES
from engine.house_way.rules import HouseWay
from engine.vocabulary.citations import STAR_CLASSIC

at = STAR_CLASSIC.at

PRINTED = (
    (way.two_pairs_are_two_hands, at("Appendix 2: 1")),
    (way.never_split, at("Appendix 2: 2")),
    (way.split_gee_jun, at("Appendix 2: 3")),
    (way.split_teens_or_days, at("Appendix 2: 3")),
    (way.split_nines, at("Appendix 2: 3")),
    (way.split_eights, at("Appendix 2: 3")),
    (way.split_sevens, at("Appendix 2: 3")),
    (way.keep_any_other_pair, at("Appendix 2: 3")),
    (way.always_a_wong_gong_or_high_nine, at("Appendix 2: 4 point 1")),
    (way.gong_when_the_fourth_tile_is_four, at("Appendix 2: 5 point 1")),
    (way.wong_when_the_fourth_tile_is_eleven, at("Appendix 2: 5 point 2")),
    (way.high_nine_over_gong_over_wong, at("Appendix 2: 4 point 2")),
    (way.teen_on_the_high_hand, at("Appendix 2: 4 point 3")),
    (way.tens_with_6_and_teen_or_day, at("Appendix 2: 7 point 1")),
    (way.tens_with_11_and_7_or_8, at("Appendix 2: 7 point 2")),
    (way.high_8_high_10_with_11_and_7, at("Appendix 2: 7 point 3")),
    (way.high_6_5_gee_jun_with_teen_or_day, at("Appendix 2: 7 point 4")),
    (way.high_6_5_gee_jun_with_7, at("Appendix 2: 7 point 5")),
    (way.high_6_5_gee_jun_with_8, at("Appendix 2: 7 point 6")),
    (way.high_6_5_gee_jun_with_10, at("Appendix 2: 7 point 7")),
    (way.high_6_5_gee_jun_with_11, at("Appendix 2: 7 point 8")),
    (way.sixes_with_5_and_gee_jun, at("Appendix 2: 7 point 9")),
    (way.high_6_5_gee_jun_with_9, at("Appendix 2: 7 point 10")),
    (way.fours_with_5_and_6, at("Appendix 2: 7 point 11")),
    (way.sixes_with_teen_or_day_and_4_or_5, at("Appendix 2: 7 point 12")),
    (way.fours_with_5_and_gee_jun, at("Appendix 2: 7 point 13")),
    (way.eights_with_high_6_and_7, at("Appendix 2: 7 point 14")),
    (way.eights_with_high_4_and_7, at("Appendix 2: 7 point 15")),
    (way.eights_with_high_4_and_6, at("Appendix 2: 7 point 16")),
    (way.tens_with_high_6_and_7, at("Appendix 2: 7 point 17")),
    (way.fours_with_high_10_and_11, at("Appendix 2: 7 point 18")),
    (way.eights_with_9_and_high_10, at("Appendix 2: 7 point 19")),
    (way.as_close_together_as_possible, at("Appendix 2: 6 point 1")),
    (way.two_high_tiles_apart, at("Appendix 2: 6 point 4")),
    (way.high_tile_on_the_low_hand_below_8, at("Appendix 2: 6 point 2")),
    (way.high_tile_on_a_high_hand_of_8_or_9, at("Appendix 2: 6 point 3")),
    (way.never_worse_in_both_hands, at("Appendix 2: 6 point 1")),
)
"""Each rule, and where it is printed here."""

HOUSE_WAY = HouseWay(
    source=STAR_CLASSIC,
    rules=tuple(replace(rule, cite=cite) for rule, cite in PRINTED),
    irregularities=IRREGULARITIES,
)
