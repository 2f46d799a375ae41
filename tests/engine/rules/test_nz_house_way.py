"""New Zealand, Appendix 4: every line of the list of split pairs, Harmony 3, and the order of the sections.

`tests/engine/test_printed_rules.py` has an example of each rule, `test_house_ways.py` sets every deal by a second
reading; here stand the rows and borders of the text.
"""

from itertools import product

import pytest

from engine.books.house_ways import get
from engine.game.hands import Hand, Name
from engine.game.setting import Deal
from engine.game.tiles import FULL_SET, Kind

WAY = get("nz-1998")


@pytest.mark.parametrize(
    ("rule", "hand", "reached"),
    [
        # A point count of 3 ...
        ("nz-1998 Appendix 4: 1(a)", "6-5 5-5", False),  # 1
        ("nz-1998 Appendix 4: 1(a)", "6-6 6-4", False),  # 2, though with the Teen
        ("nz-1998 Appendix 4: 1(a)", "6-2 2-2", False),  # 2
        ("nz-1998 Appendix 4: 1(a)", "6-3 4-1", True),  # 4
        ("nz-1998 Appendix 4: 1(a)", "5-5 2-1", True),  # Gee Jun counts 6: 16
        # ... in which the higher tile ranks High 4, or above (ruling 10).
        ("nz-1998 Appendix 4: 1(b)", "3-1 5-4", True),  # High 4
        ("nz-1998 Appendix 4: 1(b)", "4-4 3-2", True),  # High 8
        ("nz-1998 Appendix 4: 1(b)", "1-1 6-5", True),  # Day
        ("nz-1998 Appendix 4: 1(b)", "6-6 6-5", True),  # Teen
        ("nz-1998 Appendix 4: 1(b)", "3-3 5-2", False),  # High 6
        ("nz-1998 Appendix 4: 1(b)", "2-2 6-3", False),  # Low 4
        ("nz-1998 Appendix 4: 1(b)", "6-2 4-1", False),  # Low 8
        ("nz-1998 Appendix 4: 1(b)", "5-1 6-1", False),  # High 7
    ],
)
def test_harmony_3(rule: str, hand: str, reached: bool) -> None:  # noqa: FBT001  a row's cell
    (harmony_3,) = WAY.definitions
    assert harmony_3.fits is not None
    assert harmony_3.fits(Hand.parse(hand)) is reached, rule


@pytest.mark.parametrize(
    ("rule", "deal", "setting"),
    [
        # With 4 and 5, or with 10 and 11, the Teen is low; otherwise high.
        ("nz-1998 Appendix 4: 5.4(a)", "6-6 1-1 3-1 4-1", "6-6 3-1 / 1-1 4-1"),  # 6 and 7
        ("nz-1998 Appendix 4: 5.4(a)", "6-6 1-1 2-2 3-2", "6-6 2-2 / 1-1 3-2"),
        ("nz-1998 Appendix 4: 5.4(b)", "6-6 1-1 5-5 6-5", "6-6 5-5 / 1-1 6-5"),  # 2 and 3
        ("nz-1998 Appendix 4: 5.4(b)", "6-6 1-1 6-4 6-5", "6-6 6-4 / 1-1 6-5"),
        ("nz-1998 Appendix 4: 5.4", "6-6 1-1 3-1 5-1", "1-1 3-1 / 6-6 5-1"),  # 6 and 8
        ("nz-1998 Appendix 4: 5.4", "6-6 1-1 6-3 6-2", "1-1 6-2 / 6-6 6-3"),  # Gong and Wong
        # Two settings reach Harmony 3: the High Nine goes before the Gong, the Gong before the Wong ...
        ("nz-1998 Appendix 4: 3.2", "6-6 6-1 6-2 5-1", "5-1 6-2 / 6-6 6-1"),  # 4 by a High Nine, 3 by a Gong
        ("nz-1998 Appendix 4: 3.2", "6-6 6-3 6-2 5-1", "5-1 6-3 / 6-6 6-2"),  # 5 by a Gong, 4 by a Wong
        # ... and where none does, Wong before Gong before High Nine.
        ("nz-1998 Appendix 4: 3.3", "6-6 6-3 6-2 2-2", "2-2 6-2 / 6-6 6-3"),  # 2 by a Wong, 3 by a Gong
        ("nz-1998 Appendix 4: 3.3", "6-6 6-2 6-1 2-2", "2-2 6-1 / 6-6 6-2"),  # 1 by a Gong, 2 by a High Nine
        # 1 and 8, 2 and 7 or 3 and 6, and the 3 has no High 4: by 4.2 it were 1 and 8, but the low hand is maximised.
        ("nz-1998 Appendix 4: 6.1", "6-5 3-3 6-1 4-1", "3-3 6-1 / 6-5 4-1"),
        # 8 and 8 or 7 and 9: 7 and 9, unless a Low 10 is among them.
        ("nz-1998 Appendix 4: 6.2", "4-4 5-5 6-5 6-1", "5-5 6-1 / 4-4 6-5"),
        ("nz-1998 Appendix 4: 6.2", "4-4 6-4 6-5 6-1", "6-5 6-1 / 4-4 6-4"),
    ],
)
def test_borders(rule: str, deal: str, setting: str) -> None:
    assert str(WAY.decide(Deal.parse(deal)).setting) == setting, rule


GROUPS = {
    "T/D": {Kind.TEEN, Kind.DAY},
    "4": {Kind.HIGH_4, Kind.LOW_4},
    "5": {Kind.FIVE},
    "6": {Kind.HIGH_6, Kind.LOW_6},
    "7": {Kind.HIGH_7, Kind.LOW_7},
    "8": {Kind.HIGH_8, Kind.LOW_8},
    "9": {Kind.NINE},
    "10": {Kind.HIGH_10, Kind.LOW_10},
    "11": {Kind.ELEVEN},
    "G": {Kind.GEE_JUN},
}
TEEN_AND_DAY = frozenset({Kind.TEEN, Kind.DAY})
# As printed: the pair, and the two other tiles with which it is split.
SPLIT = """
G   | 6 6, 6 5, 6 4
T/D | 9 11, 9 8, 9 7, 9 6, 9 5, 9 4, 8 8, 8 7, 8 6, 8 5, 8 4, 7 7, 7 6, 7 5, 7 4, 6 6, 6 5, 6 4
9   | TD, T/D 10, 10 10
8   | TD, T/D 11, T/D 10, 11 10, 11 9, 10 10
7   | TD, T/D 11, T/D 10, 11 10, 10 10
"""


def _listed() -> set[tuple[Kind, frozenset[Kind]]]:
    """Every pair and the two kinds of tile beside it with which the text splits it."""
    found = set()
    for line in SPLIT.strip().splitlines():
        pair, others = (part.strip() for part in line.split("|"))
        for kind, two in product(GROUPS[pair], others.split(", ")):
            if two == "TD":
                found.add((kind, TEEN_AND_DAY))
                continue
            one, other = two.split()
            found |= {(kind, frozenset(both)) for both in product(GROUPS[one], GROUPS[other]) if len(set(both)) == 2}
    return found


def test_which_pairs_are_split_and_with_what() -> None:
    """nz-1998 Appendix 4: 2.1 to 2.3, for all 16 pairs and every two tiles beside them."""
    listed = _listed()
    tile_of = {tile.kind: tile for tile in FULL_SET}
    seen = 0
    for pair in Kind:
        two = [tile for tile in FULL_SET if tile.kind is pair]
        others = [kind for kind in Kind if kind is not pair]
        for at, one in enumerate(others):
            for other in others[at:]:
                beside = (
                    [tile for tile in FULL_SET if tile.kind is one] if one is other else [tile_of[one], tile_of[other]]
                )
                setting = WAY.decide(Deal.of((*two, *beside))).setting
                kept = Name.PAIR in {setting.low.name, setting.high.name}
                assert kept is ((pair, frozenset({one, other})) not in listed), (pair, one, other)
                seen += 1
    assert seen == 16 * 15 * 16 // 2
