"""Worked examples: for every printed rule a hand that it decides, set as the text says."""

import pytest

from engine.books.house_ways import get
from engine.game.setting import Deal, Setting

# The rule as cited, the rule's name here, the deal, how it is set.
CROWN = """
crown-6.1 7.1 | two_pairs_are_two_hands | 2-2 2-2 6-2 5-3 | 6-2 5-3 / 2-2 2-2
crown-6.1 7.2 | never_split | 3-3 3-3 3-2 2-1 | 3-2 2-1 / 3-3 3-3
crown-6.1 7.3 | split_gee_jun | 2-2 5-1 4-2 2-1 | 2-2 4-2 / 5-1 2-1
crown-6.1 7.3 | split_teens_or_days | 1-1 1-1 3-3 5-3 | 1-1 3-3 / 1-1 5-3
crown-6.1 7.3 | split_nines | 1-1 6-4 6-3 5-4 | 6-4 6-3 / 1-1 5-4
crown-6.1 7.3 | split_eights | 4-4 4-4 5-5 6-4 | 4-4 6-4 / 4-4 5-5
crown-6.1 7.3 | split_sevens | 1-1 6-4 6-1 6-1 | 6-4 6-1 / 1-1 6-1
crown-6.1 7.3 | keep_any_other_pair | 3-3 6-3 5-4 5-2 | 3-3 5-2 / 6-3 5-4
crown-6.1 7.4.1 | always_a_wong_gong_or_high_nine | 1-1 5-5 6-5 5-3 | 5-5 6-5 / 1-1 5-3
crown-6.1 7.5.1 | wong_when_the_fourth_tile_is_eleven | 1-1 6-5 6-3 6-2 | 6-5 6-2 / 1-1 6-3
crown-6.1 7.5.3 | gong_when_the_fourth_tile_is_four | 1-1 3-1 6-1 6-2 | 3-1 6-1 / 1-1 6-2
crown-6.1 7.4.2 | high_nine_over_gong_over_wong | 1-1 5-5 6-3 5-2 | 5-5 6-3 / 1-1 5-2
crown-6.1 7.4.3 | teen_on_the_high_hand | 6-6 1-1 5-1 4-3 | 1-1 5-1 / 6-6 4-3
crown-6.1 7.5.4(a)(i) | tens_with_11_and_7_or_8 | 5-5 6-5 6-4 5-2 | 5-5 6-4 / 6-5 5-2
crown-6.1 7.5.4(a)(ii) | high_8_high_10_with_11_and_7 | 4-4 5-5 6-5 4-3 | 5-5 4-3 / 4-4 6-5
crown-6.1 7.5.4(a)(iii) | high_6_and_5_with_gee_jun_and_teen_or_day | 1-1 3-3 4-1 2-1 | 1-1 4-1 / 3-3 2-1
crown-6.1 7.5.4(a)(iv) | fours_with_5_and_6 | 3-1 2-2 5-1 4-1 | 2-2 5-1 / 3-1 4-1
crown-6.1 7.5.4(a)(v) | high_6_and_5_with_gee_jun_and_7 | 3-3 4-3 4-1 4-2 | 4-3 4-1 / 3-3 4-2
crown-6.1 7.5.4(a)(vi) | sixes_with_teen_or_day_and_4_or_5 | 1-1 3-3 5-1 4-1 | 3-3 4-1 / 1-1 5-1
crown-6.1 7.5.4(a)(vii) | tens_with_6_and_teen_or_day | 1-1 5-5 3-3 6-4 | 5-5 6-4 / 1-1 3-3
crown-6.1 7.5.5(a)(i) | eights_with_9_and_high_10 | 4-4 5-5 5-4 6-2 | 4-4 5-4 / 5-5 6-2
crown-6.1 7.5.6(a)(i) | eights_with_high_6_and_7 | 4-4 3-3 5-3 5-2 | 3-3 5-3 / 4-4 5-2
crown-6.1 7.5.6(a)(ii) | eights_with_7_and_high_4 | 4-4 3-1 5-3 5-2 | 3-1 5-3 / 4-4 5-2
crown-6.1 7.5.6(a)(iii) | tens_with_high_6_and_7 | 5-5 3-3 6-4 4-3 | 3-3 6-4 / 5-5 4-3
crown-6.1 7.5.6(a)(iv) | eights_with_high_4_and_6 | 4-4 3-1 5-1 6-2 | 3-1 6-2 / 4-4 5-1
crown-6.1 7.5.6(a)(v) | fours_with_high_10_and_11 | 3-1 5-5 2-2 6-5 | 5-5 2-2 / 3-1 6-5
crown-6.1 7.5.4 | as_close_together_as_possible | 3-3 5-1 3-2 4-2 | 3-3 5-1 / 3-2 4-2
crown-6.1 7.5.2 | two_high_tiles_apart | 4-4 3-3 5-1 6-2 | 3-3 6-2 / 4-4 5-1
crown-6.1 7.5.5 | high_tile_on_a_high_hand_of_8_or_9 | 5-5 6-4 6-2 4-3 | 6-4 4-3 / 5-5 6-2
crown-6.1 7.5.6 | high_tile_on_the_low_hand_below_8 | 3-3 6-5 5-1 6-3 | 3-3 6-3 / 6-5 5-1
crown-6.1 7.5.4 | never_worse_in_both_hands | 5-5 6-1 5-4 4-3 | 6-1 5-4 / 5-5 4-3
"""

NEW_ZEALAND = """
nz-1998 Appendix 4: 2.1 | two_pairs_are_two_hands | 2-2 2-2 6-2 5-3 | 6-2 5-3 / 2-2 2-2
nz-1998 Appendix 4: 2.2 | never_split | 3-3 3-3 3-2 2-1 | 3-2 2-1 / 3-3 3-3
nz-1998 Appendix 4: 2.3 | split_gee_jun | 2-2 5-1 4-2 2-1 | 2-2 4-2 / 5-1 2-1
nz-1998 Appendix 4: 2.3 | split_teens_or_days | 1-1 1-1 3-3 5-3 | 1-1 3-3 / 1-1 5-3
nz-1998 Appendix 4: 2.3 | split_nines | 1-1 6-4 6-3 5-4 | 6-4 6-3 / 1-1 5-4
nz-1998 Appendix 4: 2.3 | split_eights | 4-4 4-4 5-5 6-4 | 4-4 6-4 / 4-4 5-5
nz-1998 Appendix 4: 2.3 | split_sevens | 1-1 6-4 6-1 6-1 | 6-4 6-1 / 1-1 6-1
nz-1998 Appendix 4: 2.3 | keep_any_other_pair | 3-3 6-3 4-2 2-1 | 3-3 6-3 / 4-2 2-1
nz-1998 Appendix 4: 3.1 | play_wong_gong_or_high_nine | 1-1 5-5 6-5 5-3 | 5-5 6-5 / 1-1 5-3
nz-1998 Appendix 4: 3.2 | high_nine_gong_wong_with_harmony_3 | 1-1 3-1 5-4 4-3 | 3-1 5-4 / 1-1 4-3
nz-1998 Appendix 4: 3.3 | wong_gong_high_nine_without_harmony_3 | 1-1 2-2 6-1 6-3 | 2-2 6-1 / 1-1 6-3
nz-1998 Appendix 4: 6.1 | most_points_low_with_6_7_and_11 | 6-5 6-4 5-1 5-2 | 6-4 5-2 / 6-5 5-1
nz-1998 Appendix 4: 6.2 | seven_nine_rather_than_two_eights | 4-4 5-5 6-5 6-1 | 5-5 6-1 / 4-4 6-5
nz-1998 Appendix 4: 4.1 | most_points_low_with_harmony_3 | 3-3 6-1 5-3 4-3 | 6-1 4-3 / 3-3 5-3
nz-1998 Appendix 4: 4.2 | most_points_high_of_8_or_better | 3-3 5-2 4-1 2-1 | 5-2 4-1 / 3-3 2-1
nz-1998 Appendix 4: 4.3 | most_points_low | 3-3 6-3 4-3 3-2 | 3-3 4-3 / 6-3 3-2
nz-1998 Appendix 4: 5.4 | teen_high_and_day_low | 6-6 1-1 5-1 5-2 | 1-1 5-1 / 6-6 5-2
nz-1998 Appendix 4: 5.3 | high_tile_strengthens_the_high_hand | 3-3 6-1 5-1 4-2 | 6-1 5-1 / 3-3 4-2
nz-1998 Appendix 4: 5.1 | high_tile_on_a_low_hand_of_7_or_less | 5-5 6-4 5-1 4-1 | 5-5 4-1 / 6-4 5-1
nz-1998 Appendix 4: 5.2 | high_tile_on_high_with_a_low_hand_of_8_or_better | 4-4 5-5 6-4 6-3 | 4-4 6-4 / 5-5 6-3
"""

STAR = """
star-2024 Appendix 2: 1 | two_pairs_are_two_hands | 2-2 2-2 6-2 5-3 | 6-2 5-3 / 2-2 2-2
star-2024 Appendix 2: 2 | never_split | 3-3 3-3 3-2 2-1 | 3-2 2-1 / 3-3 3-3
star-2024 Appendix 2: 3 | split_gee_jun | 3-3 4-1 4-2 2-1 | 4-1 4-2 / 3-3 2-1
star-2024 Appendix 2: 3 | split_teens_or_days | 1-1 1-1 3-3 5-3 | 1-1 3-3 / 1-1 5-3
star-2024 Appendix 2: 3 | split_nines | 1-1 6-4 6-3 5-4 | 6-4 6-3 / 1-1 5-4
star-2024 Appendix 2: 3 | split_eights | 4-4 4-4 5-5 6-4 | 4-4 6-4 / 4-4 5-5
star-2024 Appendix 2: 3 | split_sevens | 1-1 5-5 6-1 6-1 | 5-5 6-1 / 1-1 6-1
star-2024 Appendix 2: 3 | keep_any_other_pair | 3-3 6-3 5-4 4-1 | 3-3 4-1 / 6-3 5-4
star-2024 Appendix 2: 4.1 | always_a_wong_gong_or_high_nine | 1-1 5-5 6-5 5-3 | 5-5 6-5 / 1-1 5-3
star-2024 Appendix 2: 5.1 | gong_when_the_fourth_tile_is_four | 1-1 3-1 6-1 6-2 | 3-1 6-1 / 1-1 6-2
star-2024 Appendix 2: 5.2 | wong_when_the_fourth_tile_is_eleven | 1-1 6-5 6-3 6-2 | 6-5 6-2 / 1-1 6-3
star-2024 Appendix 2: 4.2 | high_nine_over_gong_over_wong | 1-1 5-5 6-3 5-2 | 5-5 6-3 / 1-1 5-2
star-2024 Appendix 2: 4.3 | teen_on_the_high_hand | 6-6 1-1 5-1 4-3 | 1-1 5-1 / 6-6 4-3
star-2024 Appendix 2: 7 line 1 | tens_with_6_and_teen_or_day | 1-1 5-5 3-3 6-4 | 5-5 6-4 / 1-1 3-3
star-2024 Appendix 2: 7 line 2 | tens_with_11_and_7_or_8 | 5-5 6-5 6-4 5-2 | 5-5 6-4 / 6-5 5-2
star-2024 Appendix 2: 7 line 3 | high_8_high_10_with_11_and_7 | 4-4 5-5 6-5 4-3 | 5-5 4-3 / 4-4 6-5
star-2024 Appendix 2: 7 line 4 | high_6_5_gee_jun_with_teen_or_day | 1-1 3-3 4-1 2-1 | 1-1 4-1 / 3-3 2-1
star-2024 Appendix 2: 7 line 5 | high_6_5_gee_jun_with_7 | 3-3 4-3 4-1 4-2 | 4-3 4-1 / 3-3 4-2
star-2024 Appendix 2: 7 line 6 | high_6_5_gee_jun_with_8 | 3-3 5-3 4-1 4-2 | 5-3 4-1 / 3-3 4-2
star-2024 Appendix 2: 7 line 7 | high_6_5_gee_jun_with_10 | 3-3 6-4 4-1 2-1 | 6-4 4-1 / 3-3 2-1
star-2024 Appendix 2: 7 line 8 | high_6_5_gee_jun_with_11 | 3-3 6-5 3-2 4-2 | 6-5 3-2 / 3-3 4-2
star-2024 Appendix 2: 7 line 9 | sixes_with_5_and_gee_jun | 3-3 5-1 3-2 4-2 | 5-1 3-2 / 3-3 4-2
star-2024 Appendix 2: 7 line 10 | high_6_5_gee_jun_with_9 | 3-3 5-4 4-1 2-1 | 5-4 4-1 / 3-3 2-1
star-2024 Appendix 2: 7 line 11 | fours_with_5_and_6 | 3-1 2-2 5-1 4-1 | 2-2 5-1 / 3-1 4-1
star-2024 Appendix 2: 7 line 12 | sixes_with_teen_or_day_and_4_or_5 | 1-1 3-3 5-1 4-1 | 3-3 4-1 / 1-1 5-1
star-2024 Appendix 2: 7 line 13 | fours_with_5_and_gee_jun | 3-1 2-2 3-2 4-2 | 2-2 4-2 / 3-1 3-2
star-2024 Appendix 2: 7 line 14 | eights_with_high_6_and_7 | 4-4 3-3 5-3 5-2 | 3-3 5-3 / 4-4 5-2
star-2024 Appendix 2: 7 line 15 | eights_with_high_4_and_7 | 4-4 3-1 5-3 5-2 | 3-1 5-3 / 4-4 5-2
star-2024 Appendix 2: 7 line 16 | eights_with_high_4_and_6 | 4-4 3-1 5-1 6-2 | 3-1 6-2 / 4-4 5-1
star-2024 Appendix 2: 7 line 17 | tens_with_high_6_and_7 | 5-5 3-3 6-4 4-3 | 3-3 6-4 / 5-5 4-3
star-2024 Appendix 2: 7 line 18 | fours_with_high_10_and_11 | 3-1 5-5 2-2 6-5 | 5-5 2-2 / 3-1 6-5
star-2024 Appendix 2: 7 line 19 | eights_with_9_and_high_10 | 4-4 5-5 5-4 6-2 | 4-4 5-4 / 5-5 6-2
star-2024 Appendix 2: 6.1 | as_close_together_as_possible | 3-3 5-1 5-2 4-1 | 5-2 4-1 / 3-3 5-1
star-2024 Appendix 2: 6.4 | two_high_tiles_apart | 4-4 3-3 5-1 6-2 | 3-3 6-2 / 4-4 5-1
star-2024 Appendix 2: 6.2 | high_tile_on_the_low_hand_below_8 | 3-3 6-5 5-1 6-3 | 3-3 6-3 / 6-5 5-1
star-2024 Appendix 2: 6.3 | high_tile_on_a_high_hand_of_8_or_9 | 5-5 6-4 6-2 4-3 | 6-4 4-3 / 5-5 6-2
star-2024 Appendix 2: 6.1 | never_worse_in_both_hands | 5-5 6-1 5-4 4-3 | 6-1 5-4 / 5-5 4-3
"""

# Hands that our rulings speak of: the rulebook, the ruling, the deal, how it is set.
RULED = """
crown-6.1 | 1 | 3-1 5-1 4-2 2-1 | 3-1 4-2 / 5-1 2-1
star-2024 | 1 | 3-1 5-1 4-2 2-1 | 3-1 5-1 / 4-2 2-1
crown-6.1 | 2 | 6-6 6-6 6-1 5-2 | 6-6 5-2 / 6-6 6-1
crown-6.1 | 2 | 6-6 6-6 6-5 6-3 | 6-5 6-3 / 6-6 6-6
nz-1998 | 2 | 6-6 6-6 6-5 6-3 | 6-6 6-5 / 6-6 6-3
nz-1998 | 2 | 6-6 6-6 3-3 5-1 | 6-6 5-1 / 6-6 3-3
crown-6.1 | 3 | 4-4 3-3 5-1 6-2 | 3-3 6-2 / 4-4 5-1
nz-1998 | 3 | 3-1 5-5 2-2 6-5 | 5-5 2-2 / 3-1 6-5
crown-6.1 | 4 | 5-5 6-1 5-4 4-3 | 6-1 5-4 / 5-5 4-3
crown-6.1 | 5 | 6-6 1-1 6-3 6-2 | 1-1 6-2 / 6-6 6-3
crown-6.1 | 5 | 6-6 5-5 6-4 6-1 | 5-5 6-4 / 6-6 6-1
crown-6.1 | 6 | 6-6 6-3 6-2 5-2 | 6-3 6-2 / 6-6 5-2
crown-6.1 | 6 | 6-6 6-5 6-2 5-2 | 6-5 6-2 / 6-6 5-2
crown-6.1 | 6 | 6-6 3-1 6-3 5-2 | 3-1 6-3 / 6-6 5-2
crown-6.1 | 7 | 6-6 3-3 5-1 4-1 | 3-3 4-1 / 6-6 5-1
star-2024 | 7 | 3-3 5-1 4-1 2-1 | 5-1 4-1 / 3-3 2-1
nz-1998 | 10 | 6-6 4-4 6-2 4-1 | 4-4 4-1 / 6-6 6-2
nz-1998 | 11 | 6-6 2-2 6-3 6-2 | 2-2 6-2 / 6-6 6-3
nz-1998 | 11 | 6-6 1-1 6-3 5-5 | 1-1 5-5 / 6-6 6-3
nz-1998 | 11 | 4-4 5-5 6-4 6-2 | 5-5 6-2 / 4-4 6-4
crown-6.1 | 13 | 6-6 6-6 6-3 5-4 | 6-3 5-4 / 6-6 6-6
star-2024 | 13 | 6-6 6-6 6-3 5-4 | 6-3 5-4 / 6-6 6-6
nz-1998 | 13 | 6-6 6-6 6-3 5-4 | 6-3 5-4 / 6-6 6-6
nz-1998 | 14 | 6-6 1-1 4-1 3-1 | 6-6 3-1 / 1-1 4-1
"""


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]


EXAMPLES = [
    pytest.param(book, *row, id=f"{row[0]} {row[1]}")
    for book, table in (("crown-6.1", CROWN), ("nz-1998", NEW_ZEALAND), ("star-2024", STAR))
    for row in rows(table)
]


@pytest.mark.parametrize(("book", "cite", "name", "deal", "setting"), EXAMPLES)
def test_printed_rule(book: str, cite: str, name: str, deal: str, setting: str) -> None:
    decision = get(book).decide(Deal.parse(deal))
    assert str(decision.setting) == setting
    assert (decision.rule.cite, decision.rule.name) == (cite, name)


def test_every_printed_rule_has_an_example() -> None:
    for book, table in (("crown-6.1", CROWN), ("nz-1998", NEW_ZEALAND), ("star-2024", STAR)):
        assert [row[1] for row in rows(table)] == [rule.name for rule in get(book).rules]


@pytest.mark.parametrize("row", rows(STAR), ids=lambda row: row[1])
def test_the_older_star_page_decides_by_the_same_rule(row: list[str]) -> None:
    """star-classic Appendix 2: 1 to Appendix 2: 7 point 19."""
    _, name, deal, setting = row
    decision = get("star-classic").decide(Deal.parse(deal))
    assert (decision.rule.name, str(decision.setting)) == (name, setting)


@pytest.mark.parametrize("row", rows(RULED), ids=lambda row: f"{row[0]} ruling {row[1]}: {row[2]}")
def test_hands_our_rulings_speak_of(row: list[str]) -> None:
    book, _, deal, setting = row
    assert get(book).decide(Deal.parse(deal)).allows(Setting.parse(setting))
