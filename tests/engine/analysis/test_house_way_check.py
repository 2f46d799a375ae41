"""The check of a House Way: silent on the printed ways, and outspoken on ways made wrong on purpose."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from engine.analysis.house_way_check import EXCEPTIONS_BELOW, WayCheck, check
from engine.analysis.way_finding import WayFinding
from engine.books.house_ways import get
from engine.books.registry import rulebook
from engine.errors import RulebookFileError
from engine.game.setting import Deal, Setting, all_deals
from engine.game.tiles import Kind
from engine.house_way import Definition, HouseWay, Rule, Source, rule
from engine.house_way.rules import Settings
from engine.house_way.terms import (
    SIXES,
    TEEN_OR_DAY,
    consists_of,
    undominated,
    with_counts,
    with_most,
)
from engine.vocabulary.citations import Cite
from tests.conftest import ROOT

pytestmark = pytest.mark.exhaustive

GUIDE = Source("test-2026", "Test Casino, House Way", revision="2026-03", sha256="0" * 64)


@rule(cite=GUIDE.at("5"), refusal="it is worse in one hand and no better in the other")
def never_the_worse_one(_deal: Deal, settings: Settings) -> Settings | None:
    """Never a setting that another one beats in one hand and equals in the other."""
    return undominated(settings)


@rule(cite=GUIDE.at("6"), refusal="its low hand is worse")
def best_low_hand(_deal: Deal, settings: Settings) -> Settings | None:
    """The low hand is made as good as it can be, then the high hand."""
    best = max(setting.ranks for setting in settings)
    return tuple(setting for setting in settings if setting.ranks == best)


def way(*rules: Rule) -> HouseWay:
    return HouseWay(source=GUIDE, rules=rules, irregularities=rulebook("crown-6.1").irregularities)


def found(checked: WayCheck, code: str) -> WayFinding:
    (finding,) = (each for each in checked.findings if each.code == code)
    return finding


PRINTED = ("crown-6.1", "nz-1998", "star-2024", "star-classic")


@pytest.mark.parametrize("book", PRINTED)
def test_a_printed_way_has_neither_faults_nor_notes(book: str) -> None:
    printed = get(book)
    checked = check(printed)
    assert checked.findings == ()
    assert sum(use.decides for use in checked.uses) == 35_960
    assert [use.rule for use in checked.uses] == list(printed.rules)
    assert all(use.refuses >= use.decides > 0 for use in checked.uses)


def test_exceptions_are_distinguished_from_general_rules() -> None:
    scopes = [
        sum(
            deal.ways
            for deal in all_deals()
            if (allowed := each.allow(deal, deal.settings)) is not None and len(allowed) < len(deal.settings)
        )
        for book in PRINTED
        for each in get(book).rules
    ]
    narrow = [scope for scope in scopes if scope < EXCEPTIONS_BELOW]
    broad = [scope for scope in scopes if scope >= EXCEPTIONS_BELOW]
    assert (max(narrow), min(broad)) == (1260, 2256)


def test_the_uses_are_those_of_the_decisions() -> None:
    nz = get("nz-1998")
    uses = {use.rule.name: (use.refuses, use.decides) for use in check(nz).uses}
    assert uses["teen_high_and_day_low"] == (1056, 1056)
    for name, counts in uses.items():
        refuses = sum(deal.ways for deal, one in nz.decisions.items() if name in [step.name for step in one.steps])
        decides = sum(deal.ways for deal, one in nz.decisions.items() if one.rule.name == name)
        assert counts == (refuses, decides)


def test_a_sound_way_of_two_rules_has_nothing_to_say() -> None:
    assert check(way(never_the_worse_one, best_low_hand)).findings == ()


def test_deals_that_no_rule_decides() -> None:
    checked = check(way(never_the_worse_one))
    groups = [finding for finding in checked.faults if finding.code == "undecided"]
    assert [len(group.rules) for group in groups] in ([0, 1], [1, 0])
    undecided = {deal for group in groups for deal in group.deals}
    left = {deal: never_the_worse_one.allow(deal, deal.settings) or () for deal in all_deals()}
    assert undecided == {deal for deal, kept in left.items() if len({setting.ranks for setting in kept}) > 1}
    after = next(group for group in groups if group.rules)
    assert after.words.startswith(f"{after.ways:,} of 35,960 deals are not decided, after test-2026 5 (never_the_worse")
    assert all(f"{deal}: {' or '.join(map(str, left[deal]))}" in after.examples for deal in after.deals[:3])
    assert sum(use.decides for use in checked.uses) == 35_960 - sum(deal.ways for deal in undecided)


def test_no_rules_at_all() -> None:
    undecided = found(check(way()), "undecided")
    assert undecided.ways == 35_960
    assert "no rule speaks" in undecided.words


def test_a_rule_that_refuses_every_setting() -> None:
    @rule(cite=GUIDE.at("1"), refusal="no")
    def only_0_and_9(deal: Deal, settings: Settings) -> Settings | None:
        """High 4, Low 4 and two sixes are set as 0 and 9."""
        fours = consists_of(deal, Kind.HIGH_4, Kind.LOW_4, SIXES, SIXES)
        return with_counts(settings, (1, 9)) if fours else None

    finding = found(check(way(only_0_and_9, best_low_hand)), "refuses all")
    assert finding.rules == (only_0_and_9,)
    # High 4, Low 4 and both sixes (2 x 2 x 2 x 2), or one pair of sixes (2 x 2, twice).
    assert finding.ways == 16 + 4 + 4
    assert finding.words.startswith("test-2026 1 (only_0_and_9) refuses every setting still open on 24 of 35,960 deals")


def test_a_rule_that_fails_is_named_and_the_rest_is_checked() -> None:
    @rule(cite=GUIDE.at("1"), refusal="no")
    def fails(deal: Deal, _settings: Settings) -> Settings | None:
        """Fails with two Teens."""
        if deal.kinds[1] is Kind.TEEN:
            raise LookupError("{no such tile}")
        return None

    checked = check(way(fails, best_low_hand))
    finding = found(checked, "fails")
    assert finding.deals == tuple(deal for deal in all_deals() if deal.kinds[1] is Kind.TEEN)
    assert finding.examples[0].endswith(": LookupError: {no such tile}")
    assert sum(use.decides for use in checked.uses) == 35_960


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "return tuple(s for s in settings if s.high.holds(deal.kind[0]))",
            "line 10, column 54: unknown name: one fails",
        ),
        ("return undominatd(settings)", "line 10, column 12: unknown name: one fails on 35,960 of 35,960 deals with "),
    ],
)
def test_an_unknown_name_is_one_fault_with_its_line_and_the_name_meant(tmp_path: Path, line: str, message: str) -> None:
    file = tmp_path / "own.py"
    file.write_text(
        "from engine.house_way import HouseWay, Source, rule\n"
        "from engine.house_way.terms import undominated\n\n"
        'GUIDE = Source("own-1", "Own", revision="1", sha256="0" * 64)\n\n\n'
        '@rule(cite=GUIDE.at("1"), refusal="no")\n'
        "def one(deal, settings):\n"
        '    """One."""\n'
        f"    {line}\n\n\n"
        "HOUSE_WAY = HouseWay(source=GUIDE, rules=(one,))\n"
    )
    (finding,) = check(get(str(file))).faults
    (place,) = finding.places
    assert f"{place}: {finding.code}: {finding.words}".startswith(message)
    assert finding.words.endswith(("(did you mean 'kinds'?): correct the name", "'undominated'?): correct the name"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("from engine.house_way import HouseWay\n\nHOUSE_WAY = HouseWya()\n", "line 3, column 13: .* 'HouseWay'?"),
        ("HOUSE_WAY = (\n", "line 1, column 1[23]: fails with SyntaxError"),
    ],
)
def test_a_file_that_cannot_be_loaded_says_where(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "own.py").write_text(text)
    with pytest.raises(RulebookFileError, match=message):
        get(str(tmp_path / "own.py"))


def test_a_rule_that_allows_what_is_not_open() -> None:
    other = Setting.parse("6-3 5-4 / 6-6 6-6")

    @rule(cite=GUIDE.at("1"), refusal="no")
    def invents(deal: Deal, _settings: Settings) -> Settings | None:
        """Sets other tiles with Gee Jun."""
        return (other,) if deal.kinds[2] is Kind.GEE_JUN else None

    finding = found(check(way(invents, best_low_hand)), "illegal")
    assert finding.ways == sum(deal.ways for deal in all_deals() if deal.kinds[2] is Kind.GEE_JUN) == 435


def test_an_exception_after_its_rule_never_fires() -> None:
    @rule(cite=GUIDE.at("6(a)"), refusal="no")
    def zero_and_eight(deal: Deal, settings: Settings) -> Settings | None:
        """High 10, Low 10, any 6 and Teen or Day: set as 0 and 8."""
        fits = consists_of(deal, Kind.HIGH_10, Kind.LOW_10, SIXES, TEEN_OR_DAY)
        return with_counts(settings, (0, 8)) if fits else None

    assert [f.code for f in check(way(zero_and_eight, never_the_worse_one, best_low_hand)).faults] == []
    finding = found(check(way(never_the_worse_one, best_low_hand, zero_and_eight)), "never fires")
    assert finding.fault
    assert finding.rules == (zero_and_eight,)
    assert finding.ways == 2 * 2 * 4 * 4  # High 10, Low 10, four sixes, four Teens and Days
    assert "ask it before them" in finding.words
    assert finding.examples[0] == ("6-6 5-5 3-3 6-4 is set 6-6 6-4 / 5-5 3-3 by test-2026 6, not 5-5 6-4 / 6-6 3-3")


def test_a_rule_whose_tiles_never_come() -> None:
    @rule(cite=GUIDE.at("1"), refusal="no")
    def five_teens(deal: Deal, settings: Settings) -> Settings | None:
        """Three Teens are kept together."""
        return settings[:1] if deal.kinds[2] is Kind.TEEN else None

    finding = found(check(way(five_teens, best_low_hand)), "never fires")
    assert (finding.fault, finding.deals, finding.rules) == (True, (), (five_teens,))


def test_a_rule_that_says_again_what_others_do_is_but_a_note() -> None:
    checked = check(way(best_low_hand, never_the_worse_one))
    assert checked.faults == ()
    finding = found(checked, "redundant")
    assert finding.rules == (never_the_worse_one,)
    assert "other rules bring about without it" in finding.words


def test_a_rule_that_refuses_but_never_decides_is_a_note() -> None:
    @rule(cite=GUIDE.at("1"), refusal="no")
    def not_the_least(_deal: Deal, settings: Settings) -> Settings | None:
        """Of three settings never the one with the worst low hand, where two are left that differ."""
        best_two = sorted(settings, key=lambda setting: setting.ranks)[1:]
        return tuple(best_two) if len({setting.ranks for setting in best_two}) > 1 else None

    checked = check(way(not_the_least, best_low_hand))
    assert checked.faults == ()
    finding = found(checked, "never decides")
    assert finding.rules == (not_the_least,)
    assert finding.words.startswith("test-2026 1 (not_the_least) refuses settings on ")


@rule(cite=GUIDE.at("2"), refusal="no")
def teen_with_tens(deal: Deal, settings: Settings) -> Settings | None:
    """Teen, High 10, Low 10 and a six: the most points low."""
    fits = consists_of(deal, Kind.TEEN, Kind.HIGH_10, Kind.LOW_10, SIXES)
    return with_most(settings, high=False) if fits else None


@rule(cite=GUIDE.at("3"), refusal="no")
def six_with_tens(deal: Deal, settings: Settings) -> Settings | None:
    """High 6, High 10, Low 10 and Teen or Day: the most points high."""
    fits = consists_of(deal, Kind.HIGH_6, Kind.HIGH_10, Kind.LOW_10, TEEN_OR_DAY)
    return with_most(settings, high=True) if fits else None


@pytest.mark.parametrize("first", [teen_with_tens, six_with_tens], ids=lambda each: each.name)
def test_contradicting_exceptions_are_found_in_either_order(first: Rule) -> None:
    second = six_with_tens if first is teen_with_tens else teen_with_tens
    finding = found(check(way(first, second, best_low_hand)), "contradiction")
    assert (finding.fault, finding.rules) == (True, (first, second))
    assert list(map(str, finding.deals)) == ["6-6 5-5 3-3 6-4"]  # what both name: Teen, both tens, High 6
    assert finding.ways == 16
    assert "16 of 35,960 deals, and only their order decides" in finding.words
    words = {
        teen_with_tens: "6-6 5-5 / 3-3 6-4 or 6-6 6-4 / 5-5 3-3 by test-2026 2",
        six_with_tens: "5-5 6-4 / 6-6 3-3 by test-2026 3",
    }
    assert finding.examples == (f"6-6 5-5 3-3 6-4: {words[first]}, {words[second]}",)


def test_an_exception_to_an_exception_may_go_first() -> None:
    @rule(cite=GUIDE.at("3(a)"), refusal="no")
    def within(deal: Deal, settings: Settings) -> Settings | None:
        """High 6, High 10, Low 10 and Teen: the most points low."""
        fits = consists_of(deal, Kind.HIGH_6, Kind.HIGH_10, Kind.LOW_10, Kind.TEEN)
        return with_most(settings, high=False) if fits else None

    assert check(way(within, six_with_tens, best_low_hand)).faults == ()
    codes = [finding.code for finding in check(way(six_with_tens, within, best_low_hand)).faults]
    assert codes == ["never fires", "contradiction"]


def test_a_setting_that_another_dominates() -> None:
    @rule(cite=GUIDE.at("1"), refusal="no")
    def worst(_deal: Deal, settings: Settings) -> Settings | None:
        """The low hand is made as bad as it can be, then the high hand."""
        least = min(setting.ranks for setting in settings)
        return tuple(setting for setting in settings if setting.ranks == least)

    checked = check(way(worst))
    finding = found(checked, "dominated")
    assert finding.rules == (worst,)
    expected = [
        each
        for each in all_deals()
        for low, high in [min(setting.ranks for setting in each.settings)]
        if any(
            other.ranks[0] >= low and other.ranks[1] >= high and other.ranks != (low, high) for other in each.settings
        )
    ]
    assert list(finding.deals) == expected
    assert finding.examples[0].startswith(f"{expected[0]} is set ")
    assert "where" in finding.examples[0]
    assert finding.ways == sum(each.ways for each in expected)
    assert Deal.parse("6-6 6-6 1-1 3-1") in finding.deals


def test_faces_of_one_rank_set_differently_are_a_note() -> None:
    @rule(cite=GUIDE.at("1"), refusal="no")
    def by_face(deal: Deal, settings: Settings) -> Settings | None:
        """With the 6-3 the high hand is made as good as it can be."""
        if "6-3" not in map(str, deal.tiles):
            return None
        best = max(setting.ranks[::-1] for setting in settings)
        return tuple(setting for setting in settings if setting.ranks[::-1] == best)

    checked = check(way(by_face, best_low_hand))
    assert checked.faults == ()
    note = found(checked, "faces")
    assert all(Kind.NINE in deal.kinds for deal in note.deals)
    assert " is set " in note.examples[0]


def declared(**changes: object) -> HouseWay:
    """A sound way, with one rule declared otherwise."""
    return way(never_the_worse_one, replace(best_low_hand, **changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("faulty", "code", "part"),
    [
        pytest.param(declared(cite=GUIDE.at(" ")), "citation", "cites no section", id="no-section"),
        pytest.param(declared(cite="6"), "citation", "cites no section", id="no-citation"),
        pytest.param(declared(cite=Cite("other", "6")), "citation", "cites other 6, another document", id="other-book"),
        pytest.param(declared(text=" "), "text", "best_low_hand has no text", id="no-text"),
        pytest.param(declared(refusal=""), "refusal", "gives no reason", id="no-refusal"),
        pytest.param(declared(refusal="{nothing}"), "refusal", "cannot be written out on ", id="refusal-of-nothing"),
        pytest.param(declared(name="never_the_worse_one"), "name", "2 rules are called never_the", id="one-name-twice"),
        pytest.param(replace(way(best_low_hand), source=replace(GUIDE, title="")), "source", "no title", id="no-title"),
        pytest.param(
            replace(way(best_low_hand), source=replace(GUIDE, revision=" ")), "source", "no revision", id="no-revision"
        ),
        pytest.param(
            replace(way(best_low_hand), source=replace(GUIDE, sha256="abc")), "source", "not 64 digits", id="sha256"
        ),
        pytest.param(replace(way(best_low_hand), side_bets=("bonus-z",)), "side bet", "'bonus-z'", id="side-bet"),
        pytest.param(
            replace(way(best_low_hand), definitions=(Definition("Harmony", "three", Cite("other", "1")),)),
            "definition",
            "'Harmony' is defined without",
            id="definition-of-another-book",
        ),
    ],
)
def test_a_faulty_declaration(faulty: HouseWay, code: str, part: str) -> None:
    findings = [finding for finding in check(faulty).faults if finding.code == code]
    assert findings
    assert part in findings[0].words


def test_something_that_is_no_rule_is_reported_first() -> None:
    faulty = replace(way(best_low_hand), rules=(best_low_hand, best_low_hand.allow))  # type: ignore[arg-type]
    checked = check(faulty)
    assert "rule 2 is no rule" in found(checked, "declaration").words
    assert checked.uses == ()


def test_an_id_that_is_taken() -> None:
    assert "another rulebook's" in found(check(way(best_low_hand), {"test-2026"}), "id").words
    assert check(way(best_low_hand), {"test-2025"}).faults == ()


def test_a_source_without_a_fingerprint_is_a_note() -> None:
    checked = check(replace(way(best_low_hand), source=replace(GUIDE, sha256="")))
    assert checked.faults == ()
    assert found(checked, "source").words.startswith("the file does not say from which text")


def test_faults_stand_before_notes() -> None:
    checked = check(replace(way(never_the_worse_one), source=replace(GUIDE, sha256=""), irregularities=None))
    kinds = [finding.fault for finding in checked.findings]
    assert kinds == sorted(kinds, reverse=True)
    assert (len(checked.faults), len(checked.notes)) == (2, 2)


def test_the_example_in_the_documents_is_sound(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "house-way-of-your-own.md").read_text()
    (program,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    path = tmp_path / "example.py"
    path.write_text(program)
    checked = check(get(path))
    assert checked.faults == ()
    assert [note.code for note in checked.notes] == ["source"]
    assert all(use.decides for use in checked.uses)
