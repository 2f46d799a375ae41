"""Chances over all pairs of deals, as several tests of the edge need them."""

from engine.analysis.edge import AGAINST_ONE, HANDS, OutcomeChances, chances_by_deal, summed
from engine.house_way import HouseWay

PAIRS_OF_DEALS = HANDS * AGAINST_ONE


def chances(player: HouseWay, bank: HouseWay) -> OutcomeChances:
    """The exact chances when each side sets by its House Way."""
    return summed(chances_by_deal(player.table, bank.table))
