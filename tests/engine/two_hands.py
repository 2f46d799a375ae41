"""The outcome of a player's two hands against the bank's, apart from the code that settles wagers."""

from engine.game.ranking import Outcome, player_takes
from engine.game.setting import Setting


def match(player: Setting, bank: Setting) -> Outcome:
    """Match high with high and low with low; one hand won and one lost or copied is a stand-off (ruling 16)."""
    taken = player_takes(player.low, bank.low) + player_takes(player.high, bank.high)
    return (Outcome.LOSE, Outcome.PUSH, Outcome.WIN)[taken]
