"""Strategies for a player to set his hands other than by a House Way; each is deterministic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.analysis.edge import COMMISSION, chances_by_deal
from engine.game.ranking import worth_of
from engine.game.setting import all_deals

if TYPE_CHECKING:
    from fractions import Fraction

    from engine.analysis.edge import WayTable
    from engine.game.setting import Deal, Setting

MAXIMISE_LOW = "maximise-low"
MAXIMISE_HIGH = "maximise-high"
BEST_REPLY = "best-reply"
STRATEGIES: dict[str, str] = {
    MAXIMISE_LOW: "always the best low hand, and then the best high hand",
    MAXIMISE_HIGH: "always the best high hand, and then the best low hand",
    BEST_REPLY: "on every deal the setting that costs him least against this bank's way",
}
"""The strategies by name, described. "Best" is best against a bank: every zero has the same value (ruling 15)."""


def strategy(name: str, bank: WayTable, commission: Fraction = COMMISSION) -> WayTable:
    """The setting of every deal by one of `STRATEGIES`.

    Only the best reply depends on the bank's setting and on the commission on the player's wins.

    Raises:
        KeyError: no such strategy.
    """
    if name == BEST_REPLY:
        return best_reply(bank, commission)
    sign = {MAXIMISE_LOW: 1, MAXIMISE_HIGH: -1}[name]

    def worth(setting: Setting) -> tuple[int, ...]:
        return (worth_of(setting.low), worth_of(setting.high))[::sign]

    return {deal: max(deal.settings, key=worth) for deal in all_deals()}


def best_reply(bank: WayTable, commission: Fraction = COMMISSION) -> dict[Deal, Setting]:
    """The optimal setting of every deal against a bank that sets by this table.

    Among settings of equal cost, the one with the better high hand.
    """
    choices = {deal: _by_rank(deal) for deal in all_deals()}
    kept: dict[Deal, tuple[Fraction, Setting]] = {}
    for place in range(3):
        table = {deal: settings[min(place, len(settings) - 1)] for deal, settings in choices.items()}
        for deal, fate in chances_by_deal(table, bank).items():
            cost = fate.edge(commission)
            if deal not in kept or cost < kept[deal][0]:
                kept[deal] = cost, table[deal]
    return {deal: setting for deal, (_, setting) in kept.items()}


def _by_rank(deal: Deal) -> tuple[Setting, ...]:
    """A deal's settings, one per rank, in an order that depends only on the ranks of the tiles."""
    by_rank = {setting.ranks: setting for setting in deal.settings}
    return tuple(by_rank[ranks] for ranks in sorted(by_rank, key=lambda ranks: (ranks[1], ranks[0]), reverse=True))
