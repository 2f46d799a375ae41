"""Crown Melbourne 6.1, section 7: hands set by hand from the text, other ones than those of `test_printed_rules`.

A row: the rule, the tiles, and how they are set (low / high). Where two tiles rank alike either may lie in either hand.
"""

import pytest

from engine.game.setting import Deal, Setting
from engine.vocabulary.facts import Whose
from tests.engine.rules.crown import BOOK
from tests.engine.rules.tables import rows

SET = """
crown-6.1 7.1 | 6-6 6-6 6-3 5-4 | 6-3 5-4 / 6-6 6-6
crown-6.1 7.1 | 1-1 1-1 4-2 2-1 | 1-1 1-1 / 4-2 2-1
crown-6.1 7.2 | 3-1 3-1 6-3 5-1 | 6-3 5-1 / 3-1 3-1
crown-6.1 7.2 | 6-5 6-5 4-4 5-5 | 4-4 5-5 / 6-5 6-5
crown-6.1 7.2 | 5-5 5-5 4-4 6-5 | 4-4 6-5 / 5-5 5-5
crown-6.1 7.2 | 6-4 6-4 4-4 6-5 | 4-4 6-5 / 6-4 6-4
crown-6.1 7.2 | 3-3 3-3 6-4 5-2 | 6-4 5-2 / 3-3 3-3
crown-6.1 7.2 | 5-1 5-1 6-4 5-2 | 6-4 5-2 / 5-1 5-1
crown-6.1 7.2 | 2-2 2-2 6-6 6-3 | 6-6 6-3 / 2-2 2-2
crown-6.1 7.2 | 4-1 3-2 6-4 6-1 | 6-4 6-1 / 4-1 3-2
crown-6.1 7.3 | 4-2 2-1 5-1 4-1 | 4-1 2-1 / 5-1 4-2
crown-6.1 7.3 | 4-2 2-1 6-2 5-4 | 6-2 5-4 / 4-2 2-1
crown-6.1 7.3 | 6-6 6-6 6-3 6-1 | 6-6 6-1 / 6-6 6-3
crown-6.1 7.3 | 6-6 6-6 5-5 6-5 | 5-5 6-5 / 6-6 6-6
crown-6.1 7.3 | 1-1 1-1 6-1 2-2 | 1-1 2-2 / 1-1 6-1
crown-6.1 7.3 | 6-3 5-4 6-6 6-4 | 6-4 6-3 / 6-6 5-4
crown-6.1 7.3 | 6-3 5-4 6-6 6-5 | 6-6 6-5 / 6-3 5-4
crown-6.1 7.3 | 4-4 4-4 6-5 6-3 | 4-4 6-3 / 4-4 6-5
crown-6.1 7.3 | 4-4 4-4 6-5 5-2 | 6-5 5-2 / 4-4 4-4
crown-6.1 7.3 | 6-1 6-1 5-5 6-5 | 6-1 5-5 / 6-1 6-5
crown-6.1 7.3 | 6-1 6-1 5-5 6-4 | 5-5 6-4 / 6-1 6-1
crown-6.1 7.4.1 | 6-6 6-3 5-5 6-5 | 5-5 6-5 / 6-6 6-3
crown-6.1 7.4.2 | 6-6 6-3 6-2 5-1 | 6-3 5-1 / 6-6 6-2
crown-6.1 7.4.2 | 6-6 6-3 5-2 5-5 | 5-5 6-3 / 6-6 5-2
crown-6.1 7.4.2 | 6-6 6-2 6-1 3-3 | 3-3 6-2 / 6-6 6-1
crown-6.1 7.4.3 | 6-6 1-1 6-1 6-5 | 1-1 6-5 / 6-6 6-1
crown-6.1 7.5.1 | 6-6 6-3 6-2 6-5 | 6-5 6-2 / 6-6 6-3
crown-6.1 7.5.1 | 6-6 6-3 5-2 6-5 | 6-5 5-2 / 6-6 6-3
crown-6.1 7.5.2 | 4-4 3-3 5-1 5-3 | 3-3 5-3 / 4-4 5-1
crown-6.1 7.5.3 | 6-6 6-2 6-1 2-2 | 2-2 6-1 / 6-6 6-2
crown-6.1 7.5.4(a)(i) | 5-5 6-4 6-5 6-2 | 5-5 6-4 / 6-5 6-2
crown-6.1 7.5.4(a)(ii) | 4-4 5-5 6-5 6-1 | 5-5 6-1 / 4-4 6-5
crown-6.1 7.5.4(a)(iii) | 3-3 3-2 4-2 6-6 | 6-6 3-2 / 3-3 4-2
crown-6.1 7.5.4(a)(iv) | 3-1 2-2 3-2 3-3 | 3-3 2-2 / 3-1 3-2
crown-6.1 7.5.4(a)(v) | 3-3 4-1 2-1 6-1 | 6-1 4-1 / 3-3 2-1
crown-6.1 7.5.4(a)(vi) | 6-6 3-3 5-1 2-2 | 3-3 2-2 / 6-6 5-1
crown-6.1 7.5.4(a)(vi) | 6-6 3-3 5-1 3-2 | 3-3 3-2 / 6-6 5-1
crown-6.1 7.5.4(a)(vii) | 6-6 5-5 6-4 5-1 | 5-5 6-4 / 6-6 5-1
crown-6.1 7.5.5 | 5-5 6-4 5-3 5-2 | 6-4 5-2 / 5-5 5-3
crown-6.1 7.5.5(a)(i) | 4-4 5-3 6-3 5-5 | 4-4 6-3 / 5-5 5-3
crown-6.1 7.5.6(a)(i) | 4-4 5-3 3-3 6-1 | 3-3 5-3 / 4-4 6-1
crown-6.1 7.5.6(a)(ii) | 4-4 6-2 6-1 3-1 | 3-1 6-2 / 4-4 6-1
crown-6.1 7.5.6(a)(iii) | 5-5 6-4 3-3 6-1 | 3-3 6-4 / 5-5 6-1
crown-6.1 7.5.6(a)(iv) | 4-4 6-2 3-1 3-3 | 3-1 6-2 / 4-4 3-3
crown-6.1 7.5.6(a)(v) | 3-1 2-2 5-5 6-5 | 5-5 2-2 / 3-1 6-5
"""


@pytest.mark.parametrize(("rule", "tiles", "laid"), rows(SET))
def test_set_the_house_way(rule: str, tiles: str, laid: str) -> None:
    decision = BOOK.house_way().decide(Deal.parse(tiles))
    assert decision.allows(Setting.parse(laid)), str(decision.setting)
    named = {step.cite for step in decision.steps}
    assert rule in named or rule == "crown-6.1 7.3"  # a pair kept under 7.3 is kept since the list does not name it


def test_a_computer_checks_the_setting() -> None:
    """crown-6.1 7.5.7, with the remedy of crown-6.1 12.5."""
    way, deal = BOOK.house_way(), Deal.parse("6-6 6-3 6-2 5-1")
    assert way.judge(deal, Setting.parse("6-3 5-1 / 6-6 6-2")).correct
    wrong = way.judge(deal, Setting.parse("6-2 5-1 / 6-6 6-3"), whose=Whose.HOUSE)
    assert not wrong.correct
    assert wrong.remedies is not None
    assert {option.cite for option in wrong.remedies.options} == {"crown-6.1 12.5"}
