"""The check of a House Way file: what it says of rules and examples, and where they stand; rules that never end."""

from itertools import count
from pathlib import Path

import pytest

from engine.analysis.house_way_check import check
from engine.analysis.way_finding import WayFinding
from engine.books.house_ways import get
from engine.errors import RulebookFileError
from engine.game.setting import Deal, Setting, all_deals
from engine.game.tiles import Kind
from engine.house_way import HouseWay, Rule, Source, rule
from engine.house_way.rules import Settings
from tests.engine.house_way.files import HEAD, LAST, written

pytestmark = pytest.mark.exhaustive

GUIDE = Source("own", "Own", "1", "0" * 64)


def found(text: str, code: str) -> WayFinding:
    """The only finding of this code about a file; its text starts in line 6."""
    (finding,) = (each for each in check(written(text)).findings if each.code == code)
    return finding


def entry(number: str, keys: str) -> str:
    return f'[[rule]]\nnumber = "{number}"\n{keys}\n'


def places(finding: WayFinding) -> list[str]:
    return list(map(str, finding.places))


def test_a_sound_file_has_no_faults() -> None:
    assert check(written(LAST)).faults == ()


def test_an_undecided_deal_names_the_rules_that_spoke() -> None:
    rules = entry("1", 'set = "never worse in both hands"') + entry("2", 'set = "most points in both"')
    undecided = check(written(rules)).faults
    assert {each.code for each in undecided} == {"undecided"}
    first, second = "line 6, column 1", "line 9, column 1"
    assert sorted(map(places, undecided)) == [[], [first], [second]]
    only_pairs = check(written(entry("1", 'pair = "any"\nset = "keep the pair"'))).faults
    assert [places(each) for each in only_pairs if "no rule speaks" in each.words] == [[]]


def test_a_rule_that_is_never_used_is_named_with_its_line() -> None:
    after = found(LAST + '[[rule]]\nnumber = "7"\ntiles = "high 10, low 10, 11, 8"\nset = "0 and 9"\n', "never fires")
    assert (after.fault, places(after)) == (True, ["line 14, column 1"])
    assert "ask it before them" in after.words
    nothing = found('[[rule]]\nnumber = "7"\ntiles = "teen, teen, teen, day"\nset = "best low"\n' + LAST, "never fires")
    assert (nothing.fault, places(nothing)) == (True, ["line 6, column 1"])
    assert "refuses no setting of any deal" in nothing.words


def test_a_setting_that_cannot_be_made_refuses_all() -> None:
    finding = found('[[rule]]\nnumber = "7"\ntiles = "high 4, low 4, 6, 6"\nset = "1 and 9"\n' + LAST, "refuses all")
    assert (places(finding), finding.ways) == (["line 6, column 1"], 24)


def test_a_dominated_setting_is_named_with_its_rule() -> None:
    finding = found(
        '[[rule]]\nnumber = "7"\ntiles = "teen, high 8, 9, low 10"\nset = "low at most 2"\n' + LAST, "dominated"
    )
    assert places(finding) == ["line 6, column 1"]
    assert finding.examples[0].startswith("6-6 4-4 6-4 6-3 is set 6-6 6-4 / 4-4 6-3")


def test_a_dominated_setting_among_those_left_to_the_dealer() -> None:
    choice = '[[rule]]\nnumber = "7"\ntiles = "teen, high 8, 9, low 10"\nset = "low at most 8"\ndealers_choice = true\n'
    finding = found(choice + LAST, "dominated")
    assert places(finding) == ["line 6, column 1"]
    assert list(map(str, finding.deals)) == ["6-6 4-4 6-4 6-3", "6-6 4-4 6-4 5-4"]


def test_the_dealers_choice_is_a_note_with_its_deals() -> None:
    choice = entry("7", 'tiles = "teen, high 8, 9, low 10"\nset = "high is wong or gong"\ndealers_choice = true')
    finding = found(choice + LAST, "dealer's choice")
    assert (finding.fault, finding.ways, places(finding)) == (False, 2 * 2 * 2 * 2, ["line 6, column 1"])
    assert check(written(choice + LAST)).faults == ()
    uses = {use.rule.cite.section: (use.refuses, use.decides) for use in check(written(choice + LAST)).uses}
    assert uses["7"] == (16, 16)


def test_exceptions_that_contradict_are_named_with_both_lines() -> None:
    one = '[[rule]]\nnumber = "1"\ntiles = "teen, 10, 10, any"\nset = "most points in low"\n'
    other = '[[rule]]\nnumber = "2"\ntiles = "6, high 10, low 10, any"\nset = "0 and 8, if possible"\n'
    assert places(found(one + other + LAST, "contradiction")) == ["line 6, column 1", "line 10, column 1"]


def test_rules_of_one_name_are_both_named() -> None:
    twice = '[[rule]]\nnumber = "1"\nname = "a"\nset = "best high, if possible"\n'
    assert places(found(twice + twice + LAST, "name")) == ["line 6, column 1", "line 10, column 1"]


def test_an_id_in_use_is_named_with_the_line_of_the_source() -> None:
    (finding,) = (each for each in check(written(LAST), {"test-2026"}).faults if each.code == "id")
    assert places(finding) == ["line 1, column 1"]


@pytest.mark.parametrize(
    ("example", "words"),
    [
        ('set = "6-4 6-3 / 6-6 4-4"', ""),
        ('set = "6-4 6-3 / 6-6 4-4"\nrule = "99"', ""),
        ('set = "6-4 6-3 / 6-6 4-4"\nrule = "98"', "is set as it should be, but by test-2026 99 (rule 99), not by 98"),
        (
            'set = "4-4 6-4 / 6-6 6-3"',
            "6-6 4-4 6-4 6-3 should be set 4-4 6-4 / 6-6 6-3, but test-2026 99 (rule 99) sets it 6-4 6-3 / 6-6 4-4",
        ),
        (
            'set = ["6-4 6-3 / 6-6 4-4", "4-4 6-4 / 6-6 6-3"]',
            "should be set 6-4 6-3 / 6-6 4-4 or 4-4 6-4 / 6-6 6-3, but test-2026 99",
        ),
    ],
)
def test_examples_are_compared(example: str, words: str) -> None:
    findings = check(written(f"{LAST}[[example]]\n{example}\n")).faults
    assert [places(each) for each in findings] == ([["line 14, column 1"]] if words else [])
    assert all(words in each.words for each in findings)


def test_an_example_of_a_deal_left_to_the_dealer() -> None:
    choice = (
        '[[rule]]\nnumber = "7"\nset = "high is wong or gong, if possible"\nif = "has high 8"\ndealers_choice = true\n'
    )
    both = '[[example]]\nset = ["6-4 6-3 / 6-6 4-4", "4-4 6-4 / 6-6 6-3"]\n'
    one = '[[example]]\nset = "6-4 6-3 / 6-6 4-4"\n'
    assert not any(each.code == "example" for each in check(written(choice + LAST + both)).faults)
    assert "sets it 6-4 6-3 / 6-6 4-4 or 4-4 6-4 / 6-6 6-3" in found(choice + LAST + one, "example").words


def test_an_example_that_is_not_decided() -> None:
    example = '[[example]]\nset = "6-4 6-3 / 6-6 4-4"\n'
    finding = found(entry("1", 'pair = "any"\nset = "keep the pair"') + example, "example")
    assert "but the rules do not decide it; open are " in finding.words
    assert places(finding) == ["line 10, column 1"]


# Rules that never end


def for_ever(deal: Deal, settings: Settings) -> Settings | None:
    """Never ends with two Teens."""
    for number in count():
        if deal.kinds[1] is not Kind.TEEN:
            return None
        if number < 0:
            break
    return settings


def test_a_function_that_never_ends_is_stopped_and_named() -> None:
    endless = rule(cite=GUIDE.at("1"), refusal="no")(for_ever)
    best = rule(cite=GUIDE.at("2"), refusal="no")(best_low)
    checked = check(HouseWay(GUIDE, (endless, best)))
    (finding,) = (each for each in checked.faults if each.code == "never ends")
    first = next(deal for deal in all_deals() if deal.kinds[1] is Kind.TEEN)
    assert finding.words.startswith(f"for_ever does not end on {first}: it was stopped")
    assert sum(use.decides for use in checked.uses) == 35_960


def best_low(_deal: Deal, settings: Settings) -> Settings:
    """The low hand is made as good as it can be."""
    best = max(setting.ranks for setting in settings)
    return tuple(setting for setting in settings if setting.ranks == best)


def test_a_reason_that_never_ends_is_stopped_and_named() -> None:
    def why(_refused: Setting, _right: Setting) -> str:
        return "".join(str(number) for number in count() if number < 0)

    endless = Rule("endless_reason", GUIDE.at("1"), "text", best_low, why)
    (finding,) = (each for each in check(HouseWay(GUIDE, (endless,))).faults if each.code == "refusal")
    assert "endless_reason cannot be written out" in finding.words
    assert finding.examples[0].endswith("does not end")


def test_a_file_of_functions_that_never_ends_is_stopped(tmp_path: Path) -> None:
    path = tmp_path / "endless.py"
    path.write_text("while True:\n    pass\n")
    with pytest.raises(RulebookFileError, match=r"endless\.py: does not end"):
        get(path)


def test_no_file_without_programming_can_run_for_ever(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(HEAD + '[[rule]]\nnumber = "1"\nsame_as = "test-2026 rule 1"\n')
    with pytest.raises(RulebookFileError, match=r"line 8, column 12: .* is no rule of a printed House Way"):
        get(path)
