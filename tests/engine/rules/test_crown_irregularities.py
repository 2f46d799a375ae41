"""Crown Melbourne 6.1: irregularities (12) and general powers (16): who must or may do what, and until when."""

import pytest

from engine.errors import IrregularityError
from engine.vocabulary.irregularities import Irregularity
from tests.engine.rules.crown import BOOK, Bank


def test_a_void_outcome_refunds_only_once_it_is_declared() -> None:
    """crown-6.1 16.5: a duty implied by 16.3 or 16.4, not one of its own."""
    for kind in (Irregularity.FRAUD, Irregularity.DISRUPTION):
        option = BOOK.irregularities.remedies(kind).options[-1]
        assert option.where == "an outcome is declared void"


class TestABoxOutOfPlay:
    @pytest.mark.parametrize("bank", [Bank.PLAYER, Bank.CO_BANK])
    def test_only_while_the_house_banks(self, bank: Bank) -> None:
        """crown-6.1 12.6."""
        with pytest.raises(IrregularityError, match=r"crown-6\.1 12\.6\.2"):
            BOOK.irregularities.remove_box((1, 2, 3), bank)
        (option,) = (
            one
            for one in BOOK.irregularities.remedies(Irregularity.COMMUNICATING).options
            if one.cite == "crown-6.1 12.6"
        )
        assert option.where == "all boxes are in play and the House banks"
