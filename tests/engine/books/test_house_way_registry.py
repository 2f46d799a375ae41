"""A casino's own House Way: one file, found by its id or named by its path."""

import re
import shutil
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from engine.books.house_ways import get
from engine.errors import RulebookFileError, UndecidedError, UnknownRulebookError
from engine.game.setting import Deal, all_deals
from engine.house_way import HouseWay, Source, rule
from engine.house_way.rules import Settings

OWN = '''
"""Maximise the low hand, whatever the tiles."""
from engine.house_way import HouseWay, Source, rule

GUIDE = Source("example-2026", "Example Casino, Pai Gow House Way", revision="2026-02")

@rule(cite=GUIDE.at("1"), refusal="its low hand is worse")
def best_low_hand(_deal, settings):
    """The low hand is made as good as it can be, and then the high hand."""
    best = max(setting.ranks for setting in settings)
    return tuple(setting for setting in settings if setting.ranks == best)

HOUSE_WAY = HouseWay(source=GUIDE, rules=(best_low_hand,))
'''


@pytest.fixture
def own_file(tmp_path: Path) -> Path:
    path = tmp_path / "example.py"
    path.write_text(OWN)
    return path


def test_a_file_named_by_its_path(own_file: Path) -> None:
    way = get(own_file)
    assert get(str(own_file)).rulebook == way.rulebook == "example-2026"
    assert sum(deal.ways for deal in way.table) == 35_960
    decision = way.decide(Deal.parse("6-6 6-3 5-4 2-1"))
    assert (str(decision.setting), decision.rule.cite) == ("6-6 2-1 / 6-3 5-4", "example-2026 1")


LATER = """
from dataclasses import replace
from datetime import date

@rule(cite=GUIDE.at("1"), refusal="its high hand is worse")
def best_high_hand(_deal, settings):
    \"\"\"The high hand is made as good as it can be.\"\"\"
    best = max(setting.ranks[::-1] for setting in settings)
    return tuple(setting for setting in settings if setting.ranks[::-1] == best)

HOUSE_WAY = replace(HOUSE_WAY, later=tuple(
    replace(HOUSE_WAY, rules=(best_high_hand,), in_force=day) for day in (DAYS)
))
"""


def test_versions_of_a_python_file_have_their_own_names_and_hashes(own_file: Path) -> None:
    own_file.write_text(OWN + LATER.replace("DAYS", "date(2026, 3, 1), date(2027, 3, 1)"))
    way = get(own_file)
    versions = (way, *way.later)
    assert [each.source.revision for each in versions] == [
        "2026-02",
        "2026-02, amended 2026-03-01",
        "2026-02, amended 2027-03-01",
    ]
    assert len({each.source.sha256 for each in versions}) == len({each.sha256 for each in versions}) == 3
    assert get(own_file, date(2026, 2, 28)).rules[0].name == "best_low_hand"
    assert get(own_file, date(2026, 3, 1)).rules[0].name == "best_high_hand"


@pytest.mark.parametrize("days", ["None,", "date(2027, 3, 1), date(2026, 3, 1)"])
def test_each_later_version_of_a_python_file_names_its_first_day(own_file: Path, days: str) -> None:
    own_file.write_text(OWN + LATER.replace("DAYS", days))
    with pytest.raises(RulebookFileError, match="give each later version of HOUSE_WAY its first day"):
        get(own_file)


def with_files_in(folder: Path, asked: str) -> str:
    """What a fresh program prints that finds the files of this folder among the casino's own."""
    program = f"""
from engine.books import own
own.__path__.append({str(folder)!r})
from engine.books.house_ways import get, known_ids
from engine.errors import EngineError
try:
    print({asked})
except EngineError as error:
    print(error)
"""
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


def test_a_file_dropped_in_the_folder(own_file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "house_way"
    folder.mkdir()
    shutil.copy(own_file, folder / "dropped_example.py")
    (folder / "dropped_broken.py").write_text("1 / 0")
    (folder / "dropped_empty.py").write_text("")
    assert with_files_in(folder, 'get("example-2026").source.title') == "Example Casino, Pai Gow House Way\n"
    assert with_files_in(folder, '{"example-2026", "crown-6.1"} <= set(known_ids())') == "True\n"
    refused = with_files_in(folder, 'get("broken")')
    assert re.search(r"dropped_broken.py: ZeroDivisionError.*dropped_empty.py", refused)


def test_two_files_of_one_id_are_refused(own_file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "house_way"
    folder.mkdir()
    for name in ("twice_one.py", "twice_two.py"):
        shutil.copy(own_file, folder / name)
    assert "two files declare it" in with_files_in(folder, 'get("example-2026")')
    assert with_files_in(folder, '"crown-6.1" in known_ids()') == "True\n"


@pytest.mark.parametrize(
    ("name", "part"),
    [
        pytest.param("crown-6", r"did you mean crown-6\.1\?.*known: crown-6\.1, nz-1998", id="near-miss"),
        pytest.param("", "no House Way is called ''", id="empty"),
        pytest.param("uk-poster", r"prints no House Way.*ruling 12.*known: crown-6\.1, nz-1998", id="uk-poster"),
    ],
)
def test_an_unknown_rulebook(name: str, part: str) -> None:
    with pytest.raises(UnknownRulebookError, match=part):
        get(name)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        pytest.param(None, "there is no such file", id="missing"),
        pytest.param("x = 1", "declares no HOUSE_WAY", id="declares-nothing"),
        pytest.param("HOUSE_WAY = 1", "declares no HOUSE_WAY", id="declares-something-else"),
        pytest.param("def (", "fails with SyntaxError", id="not-python"),
    ],
)
def test_a_file_that_cannot_be_used(text: str | None, part: str, tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    if text is not None:
        path.write_text(text)
    with pytest.raises(RulebookFileError, match=part):
        get(path)


GUIDE = Source("test", "Test", revision="1")


def test_a_way_that_does_not_decide_says_so() -> None:
    @rule(cite=GUIDE.at("1"), refusal="never")
    def says_nothing(_deal: Deal, _settings: Settings) -> Settings | None:
        """Says nothing."""
        return None

    @rule(cite=GUIDE.at("2"), refusal="never")
    def refuses_all(_deal: Deal, _settings: Settings) -> Settings | None:
        """Refuses everything."""
        return ()

    deal = all_deals()[-1]
    with pytest.raises(UndecidedError, match="does not decide"):
        HouseWay(GUIDE, (says_nothing,)).decide(deal)
    with pytest.raises(UndecidedError, match=r"test 2 refuses every setting of .* correct the rule refuses_all"):
        HouseWay(GUIDE, (says_nothing, refuses_all)).decide(deal)


def test_a_refusal_may_be_worked_out() -> None:
    @rule(cite=GUIDE.at("1"), refusal=lambda refused, chosen: f"{refused.low} rather than {chosen.low}")
    def first(_deal: Deal, settings: Settings) -> Settings | None:
        """The first setting
        of all.

        More about it.
        """
        return settings[:1]

    assert first.text == "The first setting of all."
    decision = HouseWay(GUIDE, (first,)).decide(all_deals()[-1])
    assert decision.refused
    for refused in decision.refused:
        reason = refused.rule.reason(refused.setting, decision.setting)
        assert reason == f"{refused.setting.low} rather than {decision.setting.low}"


def test_the_example_of_the_guide_decides_every_deal(tmp_path: Path) -> None:
    guide = Path(__file__).parents[3] / "docs" / "house-way-of-your-own.md"
    path = tmp_path / "guide.py"
    path.write_text(guide.read_text().split("```python\n")[1].split("```")[0])
    way = get(path)
    assert sum(deal.ways for deal in way.table) == 35_960
    decided = {decision.rule.name for decision in way.decisions.values()}
    assert decided == {rule.name for rule in way.rules}
