"""Command, log and camera agree on the remedies at every moment of a round, or say what they do not know.

Every book and bank, every moment of a golden round, every kind of irregularity.
"""

import pytest

from engine.books.registry import BOOKS
from engine.observed import ObservedRound
from engine.observed.observations import HandOpened, Observation, TilesMixed
from engine.round.event import DEALER
from engine.round.events import IrregularityDecided
from engine.round.remedies.situation import finding, holding, progress
from engine.vocabulary.facts import Bank, Milestone
from engine.vocabulary.irregularities import Irregularity
from engine.vocabulary.remedy import Effect
from tests.engine.observed.camera import observed
from tests.engine.round.test_advice_matches_log import BANKINGS, moments

pytestmark = pytest.mark.exhaustive

_NOT_TIMED = {Milestone.ROUND_OVER}
"""All tiles are put away: the camera then sees an empty table, which closes the round."""
each_bank = pytest.mark.parametrize(("book", "bank"), BANKINGS, ids=lambda value: getattr(value, "value", value))


def _mixed(seen: tuple[Observation, ...]) -> bool:
    return any(isinstance(each, TilesMixed) for each in seen)


@each_bank
def test_the_camera_knows_nothing_that_the_log_denies(book: str, bank: Bank) -> None:
    """What it has as reached is reached, and what it has as not reached is not."""
    for log in moments(book, bank):
        if log.state.bank is None or not _mixed(observed(log).seen):
            continue
        progress, happened = observed(log).progress, log.state.happened
        closed = BOOKS[book].irregularities.progress(happened, None, bank).reached
        assert progress.reached <= closed, log.events[-1]
        assert happened - _NOT_TIMED <= progress.reached | progress.unknown, log.events[-1]


@each_bank
def test_log_command_and_camera_have_the_same_remedies(book: str, bank: Bank) -> None:
    """The camera leaves no remedy out that the log has, and is sure of none that the log does not have."""
    rules, sure = BOOKS[book].irregularities, 0
    for log in moments(book, bank):
        state = log.state
        if state.bank is None or not _mixed(observed(log).seen) or Milestone.ROUND_OVER in state.happened:
            continue
        by_camera = observed(log).progress
        for kind in Irregularity:
            known = finding(state, IrregularityDecided(kind, Effect.NONE, "", DEALER))
            holds = holding(state, None, None)
            told = rules.remedies(kind, None, progress(state, None), bank=state.method, holds=holds)
            assert known.options == told.options
            seen = rules.remedies(kind, None, by_camera, bank=state.method, holds=holds)
            if not known.silent:
                assert set(known.options) <= set(seen.options), (kind, log.events[-1])
            surely = {option for option in seen.options if seen.surely_open(option)}
            if not (seen.silent or known.silent):
                assert surely <= set(known.options), (kind, log.events[-1])
            sure += len(surely)
    assert sure > 200


@pytest.mark.parametrize("book", BOOKS)
def test_nothing_concluded_contradicts_what_was_seen(book: str) -> None:
    """While the bank's tiles lie closed, its hand is not exposed and nothing that only follows from it is known."""
    opened = (HandOpened(2, closed=(None, 3)), HandOpened(3, closed=(None,)))
    seen = ObservedRound(BOOKS[book], BOOKS[book].play.boxes.value, seen=(TilesMixed(), *opened)).progress
    assert not seen.may_be_reached(Milestone.BANK_EXPOSED)
    assert not seen.reached & {Milestone.HANDS_SET, Milestone.TILES_VIEWED, Milestone.TILES_HANDLED}
    assert {Milestone.FIRST_HAND_EXPOSED, Milestone.TILES_DELIVERED} <= seen.reached


@pytest.mark.parametrize("book", BOOKS)
def test_where_nothing_is_known_every_option_is_conditional(book: str) -> None:
    """An option that depends on a moment is never sure without it."""
    for kind in Irregularity:
        found = BOOKS[book].irregularities.remedies(kind)
        assert found.options
        for option in found.options:
            if option.after or option.before:
                assert not found.surely_open(option), kind
