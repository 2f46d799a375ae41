"""Players who do not set by a House Way."""

import pytest

from engine.analysis.edge import OutcomeChances, chances_by_deal, rate, summed
from engine.analysis.strategies import BEST_REPLY, MAXIMISE_HIGH, MAXIMISE_LOW, STRATEGIES, best_reply, strategy
from engine.books.house_ways import get
from engine.game.ranking import worth_of
from engine.game.setting import Deal, all_deals
from engine.house_way import HouseWay
from tests.engine.analysis.counted import PAIRS_OF_DEALS, chances

pytestmark = pytest.mark.exhaustive


@pytest.fixture(scope="module")
def crown() -> HouseWay:
    return get("crown-6.1")


def test_both_sides_always_the_best_low_hand_as_published(crown: HouseWay) -> None:
    """acc2023156/PaiGowTiles, in FACTS.md."""
    low = strategy(MAXIMISE_LOW, crown.table)
    assert summed(chances_by_deal(low, low)) == OutcomeChances(268_894_332, 193_406_044, 273_980_624)


@pytest.mark.parametrize(
    ("name", "wins", "pushes", "loses"),
    [
        (MAXIMISE_LOW, 226_694_748, 257_210_372, 252_375_880),
        (MAXIMISE_HIGH, 195_065_392, 322_640_424, 218_575_184),
        (BEST_REPLY, 218_987_048, 298_210_060, 219_083_892),
    ],
)
def test_the_chances_against_crown(name: str, wins: int, pushes: int, loses: int, crown: HouseWay) -> None:
    counted = summed(chances_by_deal(strategy(name, crown.table), crown.table))
    assert counted == OutcomeChances(wins, pushes, loses)
    assert counted.total == PAIRS_OF_DEALS


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_deal_is_set_legally(name: str, crown: HouseWay) -> None:
    table = strategy(name, crown.table)
    assert len(table) == 8130
    assert all(setting in deal.settings for deal, setting in table.items())


def test_the_best_low_and_the_best_high_hand() -> None:
    low, high = strategy(MAXIMISE_LOW, {}), strategy(MAXIMISE_HIGH, {})
    for deal in all_deals():
        assert worth_of(low[deal].low) == max(worth_of(setting.low) for setting in deal.settings)
        assert worth_of(high[deal].high) == max(worth_of(setting.high) for setting in deal.settings)


def test_no_setting_costs_less_than_the_best_reply(crown: HouseWay) -> None:
    best = chances_by_deal(best_reply(crown.table), crown.table)
    others = [strategy(MAXIMISE_LOW, crown.table), strategy(MAXIMISE_HIGH, crown.table), crown.table]
    for table in others:
        fates = chances_by_deal(table, crown.table)
        assert all(best[deal].edge() <= fates[deal].edge() for deal in best)
    # The three settings of one deal, one after the other.
    deal = Deal.parse("6-6 5-5 6-4 6-1")
    costs = {
        setting: chances_by_deal({**crown.table, deal: setting}, crown.table)[deal].edge() for setting in deal.settings
    }
    assert min(costs.values()) == costs[best_reply(crown.table)[deal]] == best[deal].edge()


def test_the_best_reply_looks_at_the_commission(crown: HouseWay) -> None:
    free, dear = best_reply(crown.table, rate("0%")), best_reply(crown.table, rate("90%"))
    assert free != dear
    at = rate("90%")
    assert summed(chances_by_deal(dear, crown.table)).edge(at) < summed(chances_by_deal(free, crown.table)).edge(at)


def test_the_best_reply_costs_less_than_the_house_way(crown: HouseWay) -> None:
    counted = summed(chances_by_deal(best_reply(crown.table), crown.table))
    assert 0 < counted.edge() < chances(crown, crown).edge()
    assert float(counted.edge()) == pytest.approx(0.015002691)


def test_a_strategy_nobody_knows(crown: HouseWay) -> None:
    with pytest.raises(KeyError):
        strategy("guess", crown.table)
