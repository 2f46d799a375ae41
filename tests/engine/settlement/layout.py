"""After settlement nothing is left on the layout that is not somebody's."""

from engine.settlement.result import ChipPlace, Settlement

_LAYOUT = frozenset({ChipPlace.BOX, ChipPlace.LOSING_AREA, ChipPlace.BANK_WAGER})


def left_on_layout(done: Settlement) -> list[int]:
    """The amounts left, in the smallest unit."""
    return [amount for account, amount in done.balances.items() if amount and account.place in _LAYOUT]
