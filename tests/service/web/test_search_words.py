"""What is typed to find rounds: how each word is understood, in which language, and which rounds are found by it."""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.books.house_ways import get
from service.access.roles import UserRole
from service.app import create_app
from service.record import round_search
from service.record.ledger import Ledger
from service.record.search_words import understand
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings
from service.rounds.review import ReviewIn
from service.rounds.written import report_round
from service.web.round_history import Search, search, understood
from service.words.languages import translations
from tests.service.http.test_http import play
from tests.service.stand_ins import HOUSE_WRONG, RIGHT, WRONG, FakeReader, config, hand, new_folder, person, reading
from tests.service.stand_ins import revisions as revisions_of

if TYPE_CHECKING:
    from collections.abc import Iterator

ZONE = ZoneInfo("Australia/Melbourne")  # UTC+11 in November
TODAY = date(2026, 11, 26)
NOW = datetime(2026, 11, 26, 1, tzinfo=UTC)


def said(text: str, language: str = "en") -> list[str]:
    return [term.said.said_in(translations(language)) for term in understand(text, language, TODAY, ZONE)]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("round 7", ["Round 7"]),
        ("Round7 wrong", ["Round 7", "House hand: Wrong"]),
        ("#7", ["Round 7"]),
        ("7", ["Round 7"]),
        ("165", ["Round 165"]),
        ("65", ["Round 65 or tile 6-5"]),
        ("67", ["Round 67"]),
        ("6-5", ["tile 6-5"]),
        ("5/6", ["tile 6-5"]),
        ("7.4.2", ["the text “7.4.2”"]),
        ("teen", ["tile Teen (6-6)"]),
        ("Gee Joon", ["tile Gee Jun (4-2 / 2-1)"]),
        ("gee jun", ["tile Gee Jun (4-2 / 2-1)"]),
        ("high 8 wrong", ["tile High 8 (4-4)", "House hand: Wrong"]),
        ("nines", ["tile nine (6-3 / 5-4)"]),
        ("box 3", ["Box 3"]),
        ("box 9", ["the text “box”", "Round 9"]),
        ("house", ["House"]),
        ("needs review", ["Needs review"]),
        ("not seen", ["House hand: Not seen"]),
        ("verified", ["verified"]),
        ("25 Nov", ["on 2026-11-25"]),
        ("25 november 2025", ["on 2025-11-25"]),
        ("Nov 25, 2025", ["on 2025-11-25"]),
        ("27 Nov", ["on 2025-11-27"]),
        ("29 Feb", ["on 2024-02-29"]),
        ("31 Feb", ["Round 31 or tile 3-1", "the text “feb”"]),
        ("2026-11-25", ["on 2026-11-25"]),
        ("2026-13-25", ["the text “2026-13-25”"]),
        ("0001-01-01", ["the text “0001-01-01”"]),
        ("today", ["on 2026-11-26"]),
        ("yesterday box 2", ["on 2026-11-25", "Box 2"]),
        ('"wrong"', ["the text “wrong”"]),
        ('"tile was moved" 7', ["the text “tile was moved”", "Round 7"]),
        ('"open', ['the text “"open”']),
        ("wrongly", ["the text “wrongly”"]),
        ("A. Supervisor", ["the text “a.”", "the text “supervisor”"]),
        ("wrong wrong", ["House hand: Wrong"]),
        (" , ", []),
    ],
)
def test_what_words_mean(text: str, meant: list[str]) -> None:
    assert said(text) == meant


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("第7局", "round 7"),
        ("第 7 局 錯誤", "round 7 wrong"),
        ("第７局錯誤", "round 7 wrong"),
        ("昨天", "yesterday"),
        ("今天", "today"),
        ("11月25日", "25 Nov"),
        ("2025年11月25日", "2025-11-25"),
        ("第 3 門", "box 3"),
        ("需覆核", "needs review"),
        ("未見", "not seen"),
        ("莊家 6-5", "house 6-5"),
        ("round 7 wrong 25 Nov", "round 7 wrong 25 Nov"),
    ],
)
def test_the_pages_language_is_understood_beside_english(text: str, same: str) -> None:
    assert understand(text, "zh-Hant", TODAY, ZONE) == understand(same, "en", TODAY, ZONE)


@given(st.text(max_size=100), st.sampled_from(("en", "zh-Hant")))
def test_nothing_that_is_typed_is_dropped_or_refused(text: str, language: str) -> None:
    terms = understand(text, language, TODAY, ZONE)
    written = unicodedata.normalize("NFKC", text).casefold()
    assert bool(terms) is (re.search(r"[^\s,;·\u3001]", written) is not None)
    assert all(str(term.said) for term in terms)


@pytest.fixture(scope="module")
def ledger() -> Iterator[Ledger]:
    """Six rounds, one every eight hours: right, wrong, and in doubt, by turns; the third was decided."""
    record = Record(RecordSettings(new_folder()))
    made = Ledger(record, "test", get("crown-6.1"))
    doubtful = reading(hand("house", *RIGHT, "uncertain", ("glare",)), hand("box3", "1-1 4-2", "4-4 5-5"))
    for number in range(6):
        read = (reading(hand("house", *RIGHT)), reading(hand("house", *WRONG)), doubtful)[number % 3]
        opened = datetime(2026, 11, 24, tzinfo=UTC) + number * timedelta(hours=8)
        for played in revisions_of(f"r{number + 1}", opened, read):
            made.revise(report_round(played, table="test", house_way=made.house_way, versions={}))
    asked = {"action": "confirm", "by": "Ann Lee", "reason": "Looked", "revision": 2}
    made.review("r3", ReviewIn.model_validate(asked), None, "ann")
    yield made
    record.close()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "654321"),
        ("round 2", "2"),
        ("round 2 right", ""),
        ("2", "2"),
        ("round 7", ""),
        ("wrong", "52"),
        ("round 5 wrong", "5"),
        ("round 5 round 2", ""),
        ("needs review", "6"),
        ("confirmed", "3"),
        ("ann lee", "3"),
        ("box 3", "63"),
        ("box 3 confirmed", "3"),
        ("gee joon", "63"),
        ("4-2", "63"),
        ("66", "654321"),
        ("11", "63"),
        # The casino's days: the 24th ends at 13:00 UTC.
        ("24 Nov", "21"),
        ("2026-11-25", "543"),
        ("yesterday", "543"),
        ("today", "6"),
        ("24 Nov 25 Nov", ""),
        ("yesterday wrong", "5"),
        ("glare", "6"),
    ],
)
def test_what_is_found(ledger: Ledger, text: str, found: str) -> None:
    asked = Search(q=text)
    page = search(ledger.record, "test", asked, ZONE, understood(asked, ZONE, "en", NOW))
    assert [played.number for played in page.rounds] == [int(number) for number in found]


def test_a_round_is_found_by_its_number_however_long_ago(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(round_search, "LOOKED_AT_ONCE", 1)
    page = search(ledger.record, "test", Search(q="round 1"), ZONE, understand("round 1", "en", TODAY, ZONE))
    assert [played.number for played in page.rounds] == [1]


def test_the_page_says_what_was_understood() -> None:
    app = create_app(config(), reader=FakeReader(), watch=False)
    play(app, HOUSE_WRONG)
    with person(app, UserRole.SUPERVISOR) as client:
        text = " ".join(client.get("/history", params={"q": "round 1 wrong"}).text.split())
        none = client.get("/history", params={"q": "round 1 verified correct"}).text
    assert "<strong>Round 1 · House hand: Wrong</strong>" in text
    assert "/rounds/r1" in text
    assert "All of these must be true" in none
