"""What was seen of a round and the wagers sent become a log that the book allows, and that settles as before."""

import json
from collections import Counter
from random import Random

import pytest

from engine.errors import EngineError
from engine.observed.observations import DiceSeen
from engine.observed.round_log import written_round
from engine.round import RoundLog
from engine.round.amounts import as_played
from engine.round.events import BankFellBack, IrregularityDecided
from engine.settlement.result import Result, Settlement
from engine.settlement.settle import settle
from engine.vocabulary.facts import Bank
from tests.amount import amount
from tests.engine.observed.camera import observed
from tests.engine.round.order import PARSED
from tests.engine.round.test_random_rounds import _play

pytestmark = pytest.mark.exhaustive


def _by_wager(settled: Settlement) -> dict[tuple[int, str, str], Result]:
    """Results by wager; wagers on one box may come in another order."""
    return {(one.wager.box, one.wager.player, one.wager.bet): one for one in settled.results}


BANKINGS = sorted(PARSED, key=str)


@pytest.mark.parametrize(("book", "bank"), BANKINGS, ids=lambda value: getattr(value, "value", value))
def test_a_seen_round_becomes_a_whole_log(book: str, bank: Bank) -> None:
    asked, whole, why = 0, 0, Counter[str]()
    for seed in range(amount(3, 8)):
        session, _ = _play(book, bank, Random(seed))  # noqa: S311  dice of a test
        for log in session.rounds:
            special = (BankFellBack, IrregularityDecided)
            if not log.state.results or any(isinstance(event, special) for event in log.events):
                continue
            played = as_played(log.state)
            if any(wager.conceded or wager.surrendered or wager.void for wager in played.wagers):
                with pytest.raises(EngineError, match="a person accounts for it"):
                    written_round(played, observed(log).seen)
                continue
            written = written_round(played, observed(log).seen, log.state.button or 0)
            asked += 1
            if written.missing is not None:
                why[f"{written.missing[0]}: {written.missing[1]}"[:150]] += 1
                continue
            whole += 1
            assert RoundLog.from_dict(json.loads(json.dumps(written.log.to_dict()))).state == written.log.state
            assert _by_wager(written.log.settlement) == _by_wager(settle(played))
            assert sum(written.log.settlement.balances.values()) == 0
            assert written.presumed
    assert asked > 5
    # Who sits where was not seen, and decides in some books where a player may wager twice.
    assert whole >= 0.9 * asked, why.most_common(5)


def test_a_throw_that_was_not_read_is_none() -> None:
    session, _ = _play("uk-poster", Bank.HOUSE, Random(3))  # noqa: S311  dice of a test
    log = next(log for log in session.rounds if log.state.results)
    seen = [DiceSeen(()) if isinstance(each, DiceSeen) else each for each in observed(log).seen]
    written = written_round(as_played(log.state), seen)
    assert written.missing is not None
    assert written.missing[0] == "dice-shown"
