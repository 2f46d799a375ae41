"""A rule of The Star 2024 amended from a day on: each round is judged by the rules in force when it started.

The House Way and its amendment are made up: a few rules suffice.
"""

import io
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from fastapi import FastAPI
from pypdf import PdfReader

from engine.books.book import Rulebook
from engine.books.registry import BOOKS, VERSIONS
from engine.books.versions import versions_of
from engine.errors import UnknownRulebookError
from engine.game.setting import Deal
from engine.house_way.written.reading import way_of
from engine.observed.round_log import written_round
from engine.settlement.played import BankHolder, Laid, PlayedRound
from engine.settlement.wagers import TableTerms
from engine.vocabulary.citations import STAR_2024
from engine.vocabulary.facts import Bank
from engine.vocabulary.play import Lie
from rereading.rules import Chosen, decide_again, differences, rules_for
from service.access.roles import UserRole
from service.record.ledger import Ledger, open_record
from service.rounds.judge.round_settlement import RoundLogOut
from service.rounds.judge.rules_in_force import TableRules, rules_of
from service.rounds.reports import RoundReport
from service.rounds.served import RoundOut
from service.system.settings import Config
from service.table.live_state import LiveState
from service.table.worker import Instruments, Worker
from tests.service.stand_ins import (
    EMPTY,
    FakeReader,
    FakeSource,
    app_of,
    config,
    frames,
    hand,
    opened,
    person,
    reading,
    report_round,
    wait_until,
    with_table,
)
from vision.capture import Frame, FrameResult

SYDNEY = ZoneInfo("Australia/Sydney")
DAY = date(2025, 3, 1)
MIDNIGHT = datetime(2025, 3, 1, tzinfo=SYDNEY)
SECOND = timedelta(seconds=1)
NINES = Deal.parse("5-4 6-3 6-6 1-1")
OLD, NEW = "Nines are split", "Nines are kept together."
KEPT = reading(hand("house", "5-4 6-3", "6-6 1-1"))


HOUSE_WAY = f"""\
[house_way]
id = "star-2024"

[[rule]]
number = "Appendix 2: 3"
name = "keep_nines"
text = "{NEW}"
pair = "nines"
set = "keep the pair"
from = {DAY}

[[rule]]
number = "Appendix 2: 3"
name = "split_nines"
text = "{OLD}."
pair = "nines"
set = "split the pair"
until = {DAY}

[[rule]]
number = "Appendix 2: 7"
set = ["never worse in both hands", "best low", "best high"]
"""


def amended() -> tuple[Rulebook, ...]:
    """The book with a House Way that keeps a pair of nines together from a day on."""
    way, _ = way_of(HOUSE_WAY.encode(), "house_way.toml", source=STAR_2024)
    book = BOOKS["star-2024"]
    later = tuple(replace(each, irregularities=book.irregularities) for each in way.later)
    return versions_of(replace(book, way=replace(way, irregularities=book.irregularities, later=later)))


@pytest.fixture(autouse=True)
def book(monkeypatch: pytest.MonkeyPatch) -> tuple[Rulebook, ...]:
    versions = amended()
    monkeypatch.setitem(VERSIONS._made, "star-2024", versions)  # type: ignore[attr-defined]
    monkeypatch.setitem(BOOKS._made, "star-2024", versions[0])  # type: ignore[attr-defined]
    return versions


def settings(**table: str) -> Config:
    page = config().page.model_copy(update={"time_zone": "Australia/Sydney"})
    return with_table(config(), **{"rulebook": "star-2024", **table}).model_copy(update={"page": page})


def rules(**table: str) -> TableRules:
    found = settings(**table)
    return TableRules.of(found.table.rulebook, found.table.house_way, found.page.zone)


def played(at: datetime, round_id: str = "r1") -> RoundReport:
    return opened(KEPT, round_id).model_copy(update={"opened_at": at, "changed_at": at})


def test_the_day_begins_at_midnight_in_the_casinos_time_zone(book: tuple[Rulebook, ...]) -> None:
    first, second = book
    assert second.version == "2024-08-16, amended 2025-03-01"
    assert first.house_way().sha256 != second.house_way().sha256
    table = rules()
    before, after = table.at(MIDNIGHT - SECOND), table.at(MIDNIGHT)
    assert (before.book, after.book) == (first, second)
    assert (before.house_way, after.house_way) == (first.house_way(), second.house_way())
    assert before.versions.keys() == after.versions.keys()
    assert before.versions["rulebook_version"] != after.versions["rulebook_version"]
    assert before.versions["house_way"] != after.versions["house_way"]
    assert [each.house_way.decide(NINES).rule.name for each in (before, after)] == ["split_nines", "keep_nines"]
    utc = TableRules.of("star-2024")
    assert utc.at(MIDNIGHT).book is first


def test_a_round_of_a_variant_is_judged_by_it_later_too() -> None:
    """Crown Pai Gow (crown-6.1 14): a setting of the table names it, and its rounds record it."""
    crown = TableRules.of("crown-6.1", variant="crown-pai-gow")
    now = crown.at(MIDNIGHT)
    assert now.book is not None
    assert (now.book.variant, now.book.dice.fewest, now.fewest_dice) == ("crown-pai-gow", 2, 2)
    assert now.versions["variant"] == "crown-pai-gow"
    recorded = opened(KEPT).model_copy(update={"rulebook": "crown-6.1", "versions": now.versions})
    recorded = recorded.model_copy(update={"house_way": "crown-6.1"})
    plain = TableRules.of("crown-6.1")
    assert plain.at(MIDNIGHT).fewest_dice == 3
    assert plain.of_round(recorded) == now
    with pytest.raises(UnknownRulebookError, match="has no variant"):
        TableRules.of("nz-1998", variant="crown-pai-gow")


def test_before_a_rulebooks_first_day_its_first_version_judges(book: tuple[Rulebook, ...]) -> None:
    """The clock of a camera may be set wrongly; a round is judged anyway."""
    assert rules().at(datetime(1970, 1, 1, tzinfo=UTC)).book is book[0]


def test_it_applies_to_the_next_round_without_a_restart() -> None:
    """The round that is played at midnight is judged to its end by the rules it started under."""
    made, by = settings(), rules()
    says = [*[KEPT] * 4, *[EMPTY] * 4, *[KEPT] * 6, *[EMPTY] * 4, *[KEPT] * 40]
    plain = [each for each in frames(40) if isinstance(each, Frame)]
    shown: list[FrameResult] = [
        replace(each, captured_at=MIDNIGHT + (number - 11) * SECOND) for number, each in enumerate(plain)
    ]
    ledger, live = Ledger(open_record(made), "test", by), LiveState(5, stale_after_s=10)
    source = FakeSource(shown, live=True)
    worker = Worker(made, live, by, ledger, Instruments(FakeReader(list(says)), open_frames=lambda _: source))
    worker.start()
    try:
        wait_until(lambda: len(ledger.rounds(5)) == 3)
        first, crossing, last = ledger.rounds(5)
        assert crossing.opened_at < MIDNIGHT < crossing.changed_at
        assert [each.hands[0].is_set_wrongly for each in (first, crossing, last)] == [True, True, False]
        assert [each.versions["rulebook_version"] for each in (first, crossing, last)] == [
            "2024-08-16",
            "2024-08-16",
            "2024-08-16, amended 2025-03-01",
        ]
    finally:
        worker.stop()
        ledger.record.close()


@pytest.fixture
def app() -> FastAPI:
    """A service that was restarted after two rounds, one before the amendment and one after it."""
    made = settings()
    earlier = app_of(made, reader=FakeReader(), watch=False)
    parts = earlier.state.parts.only
    for number, at in ((1, MIDNIGHT - SECOND), (2, MIDNIGHT)):
        report = report_round(played(at, f"r{number}"), table="test", rules=parts.rules, versions={}, number=number)
        parts.ledger.revise(report.model_copy(update={"state": "closed", "closed_at": at}))
    parts.ledger.record.close()
    return app_of(made, reader=FakeReader(), watch=False)


def test_an_old_round_is_explained_and_reviewed_by_its_own_rules(app: FastAPI) -> None:
    with person(app, UserRole.SUPERVISOR) as client:
        for name, verdict, rule in (("r1", "wrong", OLD), ("r2", "correct", NEW)):
            told = client.get(f"/v1/rounds/{name}").json()["hands"][0]["house_way"]
            assert (told["verdict"], told["rule_text"][: len(rule)]) == (verdict, rule)
            hands = [{"place": "house", "low": ["5-4", "6-3"], "high": ["1-1", "6-6"]}]
            asked = {"action": "correct", "reason": "seen", "revision": 1, "hands": hands}
            decided = client.post(f"/v1/rounds/{name}/review", json=asked).json()
            told = decided["hands"][0]["house_way"]
            assert (told["verdict"], told["rule_text"][: len(rule)]) == (verdict, rule)
            page = client.get(f"/tables/test/rounds/{name}").text
            assert (OLD in page, NEW in page) == (rule == OLD, rule == NEW)
            sheet = PdfReader(io.BytesIO(client.get(f"/tables/test/rounds/{name}/incident.pdf").content))
            text = " ".join(" ".join(each.extract_text() for each in sheet.pages).split())
            assert (OLD in text, NEW in text) == (rule == OLD, rule == NEW)


def test_a_request_may_name_the_day(app: FastAPI) -> None:
    tiles = {"tiles": ["5-4", "6-3", "6-6", "1-1"]}
    with person(app, UserRole.SUPERVISOR) as client:
        for day, rule in (({}, NEW), ({"date": "2025-02-28"}, f"{OLD}."), ({"date": str(DAY)}, NEW)):
            assert client.post("/v1/house-way", json={**tiles, **day}).json()["rule"]["text"] == rule
        refused = client.post("/v1/house-way", json={**tiles, "date": "2024-08-15"})
    assert (refused.status_code, refused.json()["code"]) == (422, "unknown_rulebook")


def test_an_old_round_is_settled_by_its_own_rules(app: FastAPI) -> None:
    wagers: dict[str, object] = {"wagers": [], "table": {}}
    with person(app, UserRole.ADMIN) as client:
        versions = []
        for name in ("r1", "r2"):
            answer = client.post(f"/v1/rounds/{name}/settlement", json=wagers).json()
            versions.append(answer["rulebook_version"])
        assert versions == ["2024-08-16", "2024-08-16, amended 2025-03-01"]


def test_the_log_of_an_old_round_has_its_own_version_of_a_way_from_a_file(tmp_path: Path) -> None:
    """It is found by no id: the file lies anywhere."""
    file = tmp_path / "own.toml"
    file.write_text(HOUSE_WAY.replace('id = "star-2024"', 'id = "own"\ntitle = "Own"\nrevision = "1"'))
    table = rules(house_way=str(file))
    for at, name in ((MIDNIGHT - SECOND, "split_nines"), (MIDNIGHT, "keep_nines")):
        report = report_round(played(at), table="test", rules=table, versions={})
        found = table.of_round(report)
        assert found.book is not None
        bank = BankHolder(Bank.HOUSE, Laid.parse("5-4 6-3 / 6-6 1-1"))
        round_ = PlayedRound(found.book, bank, {}, (), TableTerms(), found.house_way)
        log = RoundLogOut.of(round_, (), 0)
        assert log.log is not None
        written = written_round(round_, ())
        assert written.log.setup.house_way.decide(NINES).rule.name == name


def test_an_old_round_is_read_again_by_its_own_rules() -> None:
    for at, text in ((MIDNIGHT - SECOND, OLD), (MIDNIGHT, NEW)):
        report = report_round(played(at), table="test", rules=rules(), versions={})
        found = rules_for(report, Chosen())
        assert found.house_way.decide(NINES).rule.text.startswith(text)
        assert differences(report, decide_again(report, found), "rules") == ()
    chosen = Chosen.of("star-2024", None, None, DAY)
    old = report_round(played(MIDNIGHT - SECOND), table="test", rules=rules(), versions={})
    assert differences(old, decide_again(old, rules_for(old, chosen)), "rules")


@pytest.mark.parametrize("printed", [True, False])
def test_a_way_named_for_reading_again_decides_by_the_version_that_judged(tmp_path: Path, *, printed: bool) -> None:
    file = tmp_path / "own.toml"
    file.write_text(HOUSE_WAY.replace('id = "star-2024"', 'id = "own"\ntitle = "Own"\nrevision = "1"'))
    named = "star-2024" if printed else str(file)
    table = rules() if printed else rules(house_way=named)
    chosen = Chosen.of(None, None, named, date(2026, 1, 1))
    reports = [report_round(played(at), table="test", rules=table, versions={}) for at in (MIDNIGHT - SECOND, MIDNIGHT)]
    for report in reports:
        assert differences(report, decide_again(report, rules_for(report, chosen)), "rules") == ()
    every = Chosen.of(None, None, named, date(2026, 1, 1), all_rounds=True)
    assert [bool(differences(each, decide_again(each, rules_for(each, every)), "rules")) for each in reports] == [
        True,
        False,
    ]
    if not printed:  # changed in place: no version is the one that judged
        file.write_text(file.read_text().replace("Nines are split.", "Nines are always split."))
        changed = rules_for(reports[0], Chosen.of(None, None, named, date(2026, 1, 1)))
        assert changed.house_way.decide(NINES).rule.name == "keep_nines"


def test_a_way_named_under_another_book_is_amended_too() -> None:
    poster = rules(rulebook="uk-poster", house_way="star-2024")
    before, after = poster.at(MIDNIGHT - SECOND), poster.at(MIDNIGHT)
    assert (before.rulebook, after.rulebook) == ("uk-poster", "uk-poster")
    assert [each.house_way.decide(NINES).rule.name for each in (before, after)] == ["split_nines", "keep_nines"]
    report = report_round(played(MIDNIGHT), table="test", rules=poster, versions={})
    assert rules_of(report) == after


def test_a_way_in_python_is_found_again_in_the_version_that_judged(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(
        "from dataclasses import replace\nfrom datetime import date\nfrom engine.books.house_ways import get\n"
        "first = replace(get('crown-6.1'), later=())\n"
        "first = replace(first, source=replace(first.source, rulebook='own'))\n"
        f"later = replace(first, rules=get('nz-1998').rules, in_force=date{DAY.timetuple()[:3]})\n"
        "HOUSE_WAY = replace(first, later=(later,))\n"
    )
    table = rules(house_way=str(file))
    for at, found in ((MIDNIGHT - SECOND, "crown-6.1"), (MIDNIGHT, "nz-1998")):
        report = report_round(played(at), table="test", rules=table, versions={})
        assert table.of_round(report) == table.at(at)
        assert table.of_round(report).house_way.rules[0].cite.rulebook == found


def test_a_way_that_is_no_longer_here_judges_nothing(tmp_path: Path) -> None:
    """A file that was changed without a day is another House Way: rounds judged by the old one are not judged by it."""
    file = tmp_path / "own.toml"
    text = (
        '[house_way]\nid = "own"\ntitle = "Own"\nrevision = "1"\nrulebook = "star-2024"\n'
        '[[rule]]\nnumber = "1"\nset = "best low"\n[[rule]]\nnumber = "2"\nset = "best high"\n'
    )
    file.write_text(text)
    table = rules(house_way=str(file))
    report = report_round(played(MIDNIGHT), table="test", rules=table, versions={})
    assert table.of_round(report) == table.at(MIDNIGHT)
    file.write_text(text.replace("best low", "best high", 1))
    other = rules(house_way=str(file))
    with pytest.raises(UnknownRulebookError, match="not available here: own sha256:"):
        other.known_of_round(report)
    with pytest.raises(UnknownRulebookError, match="not available here"):
        other.of_round(report).house_way.decide(NINES)
    (told,) = RoundOut.from_report(report, other.of_round(report)).hands
    assert told.house_way is not None
    assert "not available here" in told.house_way.explanation


@pytest.mark.parametrize("book", BOOKS)
def test_every_book_lays_the_low_hand_upright(book: str) -> None:
    """crown-6.1 10.2.8, star-2024 13.1.4, star-classic 13.1.4; the others are silent (ruling 39)."""
    low_hand = BOOKS[book].play.low_hand
    assert low_hand.value is Lie.VERTICAL
    assert (39 in low_hand.rulings) is (book in {"nz-1998", "uk-poster"})


@pytest.mark.parametrize("configured", Lie)
def test_settings_decide_how_the_low_hand_lies(configured: Lie) -> None:
    rules = TableRules.of("crown-6.1").on(date(2024, 1, 1))
    assert rules.low_hand(configured) is configured
    assert rules.low_hand(None) is Lie.VERTICAL
