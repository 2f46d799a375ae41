"""Sentences about settings, verdicts and remedies: what a supervisor reads."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.books.house_ways import get
from engine.books.registry import BOOKS, rulebook
from engine.game.setting import Deal, Setting
from engine.house_way import HouseWay, Moment, Source
from engine.vocabulary.facts import Milestone, Whose
from engine.vocabulary.irregularities import Irregularity
from service.words.rule_sentences import correction_words, decision_words, remedies_words, stage_question, verdict_words

DEAL = Deal.parse("6-6 6-3 5-4 2-1")
RIGHT, WRONG = Setting.parse("6-6 2-1 / 6-3 5-4"), Setting.parse("5-4 2-1 / 6-6 6-3")
MILESTONES = st.one_of(st.none(), st.frozensets(st.sampled_from(Milestone)))


def test_a_hand_that_is_set_right_needs_no_remedy() -> None:
    verdict = get("crown-6.1").judge(DEAL, RIGHT)
    assert verdict.remedies is None
    assert str(verdict_words(verdict)) == (
        "The House hand is set the House Way: low 6-6 2-1 (8 with the Teen), high 6-3 5-4 (pair of nines). "
        "crown-6.1 7.3: A pair is kept, unless the list of combinations to be split names the other two tiles "
        "(read under ruling 5)."
    )


def test_a_hand_that_is_set_wrong_is_explained_and_put_right() -> None:
    verdict = get("crown-6.1").judge(DEAL, WRONG, moment=Moment.NO_HAND_EXPOSED)
    assert verdict.remedies is not None
    assert str(correction_words(verdict.remedies)) == (
        "Correct it now. Too late once the bank's tiles have been put away (crown-6.1 12.5)."
    )
    for part in ("is not set the House Way", "it splits a pair that is kept (crown-6.1 7.3)", str(RIGHT.high)):
        assert part in str(verdict_words(verdict))


@pytest.mark.parametrize(
    ("book", "moment", "instruction", "question"),
    [
        (
            "crown-6.1",
            None,
            "Correct it now, unless the bank's tiles have been put away: then leave it (crown-6.1 12.5).",
            "Have the bank's tiles been put away?",
        ),
        (
            "crown-6.1",
            Moment.BANK_PUT_AWAY,
            "Leave it: too late to correct, since the bank's tiles have been put away (crown-6.1 12.5).",
            None,
        ),
        (
            "crown-6.1",
            Moment.BANK_NOT_PUT_AWAY,
            "Correct it now. Too late once the bank's tiles have been put away (crown-6.1 12.5).",
            None,
        ),
        (
            "nz-1998",
            Moment.BANK_NOT_PUT_AWAY,
            (
                "It may be corrected now, unless the first player's hand has been exposed: then leave it "
                "(nz-1998 12.8(a), nz-1998 12.8(b))."
            ),
            "Has the first player's hand been opened?",
        ),
        (
            "nz-1998",
            Moment.NO_HAND_EXPOSED,
            "It may be corrected now. Too late once the first player's hand has been exposed (nz-1998 12.8(a)).",
            None,
        ),
        (
            "nz-1998",
            None,
            (
                "It may be corrected now, unless the first player's hand has been exposed: then leave it "
                "(nz-1998 12.8(a), nz-1998 12.8(b))."
            ),
            "Has the first player's hand been opened?",
        ),
        (
            "star-2024",
            Moment.FIRST_HAND_EXPOSED,
            "Leave it: too late to correct, since the first player's hand has been exposed (star-2024 15.7).",
            None,
        ),
        (
            "uk-poster",
            Moment.FIRST_HAND_EXPOSED,
            (
                "Set the House hand right as soon as possible (uk-poster point 29). "
                "Assess again every hand already compared (uk-poster point 29, read under ruling 33)."
            ),
            None,
        ),
    ],
)
def test_what_to_do_now_is_one_imperative(
    book: str, moment: Moment | None, instruction: str, question: str | None
) -> None:
    progress = None if moment is None else moment.reached
    remedies = rulebook(book).irregularities.remedies(Irregularity.NOT_HOUSE_WAY, Whose.HOUSE, progress)
    asked = stage_question(remedies)
    assert (str(correction_words(remedies)), asked and str(asked)) == (instruction, question)


def test_settings_as_good_and_rules_before_are_named() -> None:
    words = str(decision_words(get("crown-6.1").decide(Deal.parse("6-6 6-5 6-1 5-2"))))
    assert "Equally correct, because both hands rank the same: 6-5 5-2 / 6-6 6-1." in words
    decision = next(one for one in get("crown-6.1").decisions.values() if len(one.steps) > 1)
    assert f"Before it, {decision.steps[0].cite}: " in str(decision_words(decision))


def test_a_way_under_no_book_leaves_it_to_the_supervisor() -> None:
    way = HouseWay(Source("own-2026", "Own", revision="1"), get("crown-6.1").rules)
    assert str(remedies_words(way.remedies(Whose.HOUSE))) == (
        "own-2026 does not say what to do about the House hand: the supervisor decides."
    )


def test_remedies_name_event_hand_rule_and_ruling() -> None:
    set_right = rulebook("crown-6.1").house_way().remedies(Whose.CO_BANK, Moment.NO_HAND_EXPOSED)
    assert str(remedies_words(set_right)) == (
        "Set the co-bank's hand right now, before the bank's tiles have been put away "
        "(crown-6.1 12.5, 10.3.3(d), read under ruling 33)."
    )
    assert str(remedies_words(rulebook("star-2024").irregularities.remedies(Irregularity.WRONG_DEAL))) == (
        "Reconstruct the deal, unless a player has handled tiles (star-2024 15.11). "
        "Where it cannot be reconstructed: declare the round void and shuffle all 32 tiles again, unless a player has "
        "handled tiles (star-2024 15.12). Play the round to its end if a player has handled tiles (star-2024 15.13)."
    )


@pytest.mark.parametrize("book", BOOKS)
def test_a_silent_book_says_so_and_who_decides(book: str) -> None:
    rules = rulebook(book).irregularities
    for kind in rules.silent:
        remedies = rules.remedies(kind)
        words = str(remedies_words(remedies))
        assert words.startswith(f"{book} does not say what to do when {kind.value}: the supervisor decides.")
        assert f"{remedies.options[0].by.words}: " in words


@given(st.sampled_from(list(BOOKS)), st.sampled_from(Irregularity), st.none() | st.sampled_from(Whose), MILESTONES)
def test_every_remedy_is_said_with_its_rule(
    book: str, kind: Irregularity, whose: Whose | None, reached: frozenset[Milestone] | None
) -> None:
    if whose not in {None, *rulebook(book).irregularities.hands}:
        return
    remedies = rulebook(book).irregularities.remedies(kind, whose, reached)
    words = str(remedies_words(remedies))
    assert "{" not in words
    assert all(option.cite in words for option in remedies.options)
