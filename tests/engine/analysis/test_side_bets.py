"""Side bets, checked against published counts and brute force."""

from itertools import combinations

import pytest

from engine.analysis.edge import chances_by_deal, summed
from engine.analysis.side_bets import SIDE_BETS, SideBet, side_bet
from engine.analysis.strategies import MAXIMISE_LOW, strategy
from engine.books.house_ways import get
from engine.errors import UnknownBetError
from engine.game.tiles import FULL_SET, Kind
from tests.engine.analysis.counted import PAIRS_OF_DEALS, chances

pytestmark = pytest.mark.exhaustive

CROWN = get("crown-6.1")


def bet(name: str) -> SideBet:
    return side_bet(name, CROWN)


def test_bonus_option_a_as_published() -> None:
    """crown-6.1 13.2.1, 13.4.1, 13.4.3, 13.4.3(a), Table 3."""
    counts = [line.count for line in bet("bonus-a").lines]
    assert counts == [1, 1, 1, 64, 117, 1260, 5460, 2704, 26352]
    assert round(100 * float(bet("bonus-a").edge), 4) == 9.6051


@pytest.mark.parametrize(
    ("name", "edge"), [("bonus-b", 6.2474), ("bonus-c", 6.4046), ("bonus-d", 7.7907), ("bonus-e", 10.9238)]
)
def test_the_other_bonus_options(name: str, edge: float) -> None:
    """crown-6.1 Table 4 to Table 7."""
    assert [line.count for line in bet(name).lines] == [
        10_920, 20_384, 20_384, 1_310_400, 2_405_312, 25_798_500, 167_157_900, 539_557_200,
    ]  # fmt: skip
    assert bet(name).total == PAIRS_OF_DEALS
    assert round(100 * float(bet(name).edge), 4) == edge


def test_two_pairs_against_two_pairs_by_brute_force() -> None:
    ranks = [tile.kind for tile in FULL_SET]
    two_pairs = [
        frozenset(four)
        for four in combinations(range(32), 4)
        if ranks[four[0]] is ranks[four[1]] and ranks[four[2]] is ranks[four[3]]
    ]
    assert len(two_pairs) == 120
    assert sum(one.isdisjoint(other) for one in two_pairs for other in two_pairs) == bet("bonus-b").lines[0].count


def test_the_lines_of_bonus_a_by_brute_force() -> None:
    """Table 3 (13.4) on each of the 35,960 deals of physical tiles, best line first."""
    counts = [0] * 9
    for four in combinations(FULL_SET, 4):
        ranks = [tile.kind for tile in four]
        pairs = sorted({kind for kind in ranks if ranks.count(kind) == 2})
        points = sorted(tile.points for tile in four)
        teen_or_day = Kind.TEEN in ranks or Kind.DAY in ranks
        lines = (
            pairs == [Kind.TEEN, Kind.GEE_JUN],
            pairs == [Kind.DAY, Kind.GEE_JUN],
            pairs == [Kind.TEEN, Kind.DAY],
            points == [4, 6, 6, 7] and ranks.count(Kind.HIGH_6) == ranks.count(Kind.LOW_6) == 1,
            len(pairs) == 2,
            bool({Kind.GEE_JUN, Kind.TEEN, Kind.DAY} & set(pairs)),
            bool(pairs),
            teen_or_day and Kind.NINE in ranks,
            True,
        )
        if points == [4, 6, 6, 7] and Kind.GEE_JUN in ranks:
            lines = (*lines[:3], False, *lines[4:])  # the 4-2 of Gee Jun has six pips and is no six
        counts[lines.index(True)] += 1
    assert counts == [line.count for line in bet("bonus-a").lines]


def test_a_tie_against_a_player_who_sets_otherwise() -> None:
    low = strategy(MAXIMISE_LOW, CROWN.table)
    tie_a = side_bet("tie-a", CROWN, low)
    assert sum(line.count for line in tie_a.lines[:2]) == summed(chances_by_deal(low, CROWN.table)).pushes
    assert tie_a.edge > bet("tie-a").edge
    assert side_bet("tie-a", CROWN, CROWN.table) == bet("tie-a")
    assert side_bet("bonus-a", CROWN, low) == bet("bonus-a")


def test_the_tie_wager_wins_when_the_main_bet_stands_off() -> None:
    """crown-6.1 13.2.2 to 13.2.4, 13.5.1(a), 13.5.1(b), Table 8, Table 9."""
    tie_a, tie_b = bet("tie-a"), bet("tie-b")
    assert [line.count for line in tie_a.lines] == [1_157_868, 292_903_892, 442_219_240]
    assert tie_a.lines[0].count + tie_a.lines[1].count == chances(CROWN, CROWN).pushes
    assert [line.count for line in tie_b.lines] == [1_310_400, 2_457_000, 293_831_960, 438_681_640]
    assert tie_a.total == tie_b.total == PAIRS_OF_DEALS
    assert tie_b.lines[0].count == 64 * 20_475
    assert (round(float(tie_a.edge), 6), round(float(tie_b.edge), 6)) == (0.163482, 0.184718)
    assert tie_a.edge_with_surrender is None
    assert tie_b.edge_with_surrender is not None
    assert round(float(tie_b.edge_with_surrender), 6) == 0.153412


def test_big_small() -> None:
    """crown-6.1 1.1 Big/Small, 11.4."""
    counted = bet("big-small")
    assert [line.count for line in counted.lines] == [105, 105, 6]
    assert round(100 * float(counted.edge), 4) == 2.7778


@pytest.mark.parametrize("name", SIDE_BETS)
def test_the_edge_is_what_the_lines_leave_to_the_house(name: str) -> None:
    counted = bet(name)
    paid = sum(float(line.pays) * line.count for line in counted.lines)
    assert float(counted.edge) == pytest.approx(-paid / counted.total)
    assert counted.lines[-1].pays == -1
    assert counted.cite.startswith("crown-6.1 ")


def test_a_bet_nobody_knows_or_the_book_does_not_offer() -> None:
    with pytest.raises(UnknownBetError, match="known: bonus-a, bonus-b"):
        bet("bonus-z")
    with pytest.raises(UnknownBetError, match=r"nz-1998 does not offer tie-a; it offers: none\. crown-6\.1 offers it"):
        side_bet("tie-a", get("nz-1998"))
