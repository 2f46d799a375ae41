"""Settings left to the dealer: any of them is right, every other one is wrong, and the first named stands for them."""

from dataclasses import replace

import pytest

from engine.analysis.difference import difference
from engine.books.house_ways import get
from engine.books.registry import rulebook
from engine.errors import DealError
from engine.game.setting import Deal, Setting, all_deals
from engine.house_way import HouseWay, Source, rule
from engine.house_way.rules import Settings
from engine.settlement.played import BankHolder, Laid, PlayedRound
from engine.settlement.settle import settle
from engine.settlement.wagers import TableTerms, Wager
from engine.vocabulary.facts import Bank
from tests.engine.house_way.files import LAST, written

CHOICE = """
[[rule]]
number = "1"
pair = "any"
set = "keep the pair"

[[rule]]
number = "2"
set = "never worse in both hands"

[[rule]]
number = "3"
text = "A Wong or a Gong, as the dealer sees fit."
set = "high is wong or gong"
if = "high can be gong"
dealers_choice = true
"""
DEAL = Deal.parse("6-6 4-4 6-4 6-3")
GONG, WONG, NEITHER = map(Setting.parse, ("6-4 6-3 / 6-6 4-4", "4-4 6-4 / 6-6 6-3", "6-6 6-4 / 4-4 6-3"))


@pytest.fixture(scope="module")
def way() -> HouseWay:
    return replace(written(CHOICE + LAST), irregularities=rulebook("crown-6.1").irregularities)


def test_any_setting_left_to_the_dealer_is_right(way: HouseWay) -> None:
    decision = way.decide(DEAL)
    assert (decision.setting, decision.choices, decision.alike) == (GONG, (WONG,), ())
    assert decision.rule.cite == "test-2026 3"
    assert decision.words == f"{GONG} or {WONG}"
    assert [one.setting for one in decision.refused] == [NEITHER]
    assert [way.judge(DEAL, one).correct for one in (GONG, WONG, NEITHER)] == [True, True, False]
    assert way.judge(DEAL, NEITHER).remedies is not None
    assert way.table[DEAL] == GONG


def test_every_deal_is_judged_by_what_the_rules_leave(way: HouseWay) -> None:
    chosen = 0
    for deal, decision in way.decisions.items():
        left: Settings = deal.settings
        for each in way.rules:
            allowed = each.allow(deal, left)
            left = left if allowed is None else allowed
            if allowed is not None and each.dealers_choice:
                break
        assert {one for one in deal.settings if decision.allows(one)} == set(left)
        assert decision.setting.ranks == max(one.ranks for one in left)
        assert not {one.ranks for one in decision.choices} & {decision.setting.ranks}
        chosen += bool(decision.choices)
    assert chosen > 100


def test_no_rule_is_asked_after_the_choice(way: HouseWay) -> None:
    assert [rule.cite.section for rule in way.decide(DEAL).steps] == ["2", "3"]
    without = written(CHOICE.replace("dealers_choice = true\n", "") + LAST)
    assert not without.decide(DEAL).choices


def test_a_choice_that_leaves_one_setting_is_none(way: HouseWay) -> None:
    decision = way.decide(Deal.parse("6-6 4-4 6-5 6-1"))
    assert not decision.choices


def test_a_rule_that_is_passed_over_leaves_no_choice(way: HouseWay) -> None:
    choice = CHOICE.replace('gong"\nif = "high can be gong"', 'gong, if possible"')
    assert "if possible" in choice
    passed_over = written(choice + LAST)
    plain = Deal.parse("6-5 6-4 6-1 5-1")
    assert passed_over.decide(DEAL).choices == way.decide(DEAL).choices
    assert not passed_over.decide(plain).choices
    assert passed_over.decide(plain).rule.cite.section in {"98", "99"}


def test_functions_may_leave_it_to_the_dealer_too() -> None:
    guide = Source("own", "Own", "1")

    @rule(cite=guide.at("1"), refusal="no", dealers_choice=True)
    def as_he_likes(_deal: Deal, settings: Settings) -> Settings | None:
        """As the dealer likes."""
        return settings

    own = HouseWay(guide, (as_he_likes,))
    assert all(own.judge(deal, setting).correct for deal in all_deals()[::50] for setting in deal.settings)


def test_two_ways_differ_where_their_choices_do(way: HouseWay) -> None:
    without = written(CHOICE.replace("dealers_choice = true\n", "") + LAST)
    found = {hand.deal for hand in difference(way, without).hands}
    assert found == {deal for deal in all_deals() if way.decide(deal).choices}
    assert difference(way, way).hands == ()


def test_a_hand_left_to_the_dealer_is_settled_only_as_it_lay(way: HouseWay) -> None:
    def played(bank: Deal | Laid) -> PlayedRound:
        return PlayedRound(
            book=rulebook("crown-6.1"),
            bank=BankHolder(Bank.HOUSE, hand=bank),
            hands={2: Deal.parse("2-2 6-5 3-2 4-2")},
            wagers=(Wager(2, "Ann", 1000),),
            terms=TableTerms(1),
            house_way=way,
        )

    with pytest.raises(DealError, match=r"the dealer may set 6-6 4-4 6-4 6-3 as .* or .*; write how it lay"):
        settle(played(DEAL))
    assert settle(played(Laid(WONG.low, WONG.high))).notes == ()
    (note,) = settle(played(Laid(NEITHER.low, NEITHER.high))).notes
    assert f"is not the House Way: {GONG} or {WONG} (" in note


def test_the_printed_ways_leave_nothing_to_the_dealer() -> None:
    for book in ("crown-6.1", "nz-1998", "star-2024", "star-classic"):
        assert not any(each.dealers_choice for each in get(book).rules)
