"""A House Way that somebody pastes: its faults, its rules, and the hands that the one in force sets differently."""

import asyncio
import html
import pickle
import re
from collections.abc import Callable, Hashable, Iterator
from datetime import date
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from engine.analysis.difference import difference
from engine.books.house_ways import get
from engine.house_way.written.sheet import LARGEST
from service.access.roles import UserRole
from service.rounds.judge.rules_in_force import TableRules
from service.web.house_way_card import render_card
from service.web.own_way import examine
from service.web.routes import game
from service.words.languages import COOKIE
from tests.conftest import ROOT
from tests.service.stand_ins import FakeReader, app_of, config, person

AT = "/tables/test/game/own"
_DOCUMENT = (ROOT / "docs" / "house-way-of-your-own.md").read_text(encoding="utf-8")
AGAIN = "Press “Check” again"
EXAMPLE = next(iter(re.findall(r"```toml house-way\n(.*?)```", _DOCUMENT, re.DOTALL)))
"""The worked example of the documents."""


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    """A supervisor of a service that works everything out at once; in a process of its own: test_game_page.py."""
    app = app_of(config(), reader=FakeReader(), watch=False)
    app.state.parts.counting.get = Here().get
    with person(app, UserRole.SUPERVISOR) as client:
        yield client


class Here:
    """Works answers out in this process, each once, and sends them as another process would."""

    def __init__(self) -> None:
        self._known: dict[object, object] = {}

    async def get(self, function: Callable[..., object], *arguments: Hashable) -> object:
        if arguments not in self._known:
            there = pickle.loads(pickle.dumps(arguments))  # noqa: S301  our own
            answer = await asyncio.to_thread(function, *there)
            self._known[arguments] = pickle.loads(pickle.dumps(answer))  # noqa: S301  our own
        return self._known[arguments]


def said(page: str) -> str:
    text = html.unescape(re.sub("<[^>]*>", " ", page)).replace("\N{NON-BREAKING HYPHEN}", "-")
    return re.sub(r" (?=[.,:;])", "", " ".join(text.split()))


def checked(client: TestClient, text: str) -> str:
    answer = client.post(AT, data={"written": text})
    assert answer.status_code == 200
    return answer.text


def test_the_page_of_house_ways_leads_to_ones_own(client: TestClient) -> None:
    assert f'href="{AT}"' in client.get("/tables/test/game").text
    assert "<textarea" in client.get(AT).text


def test_every_mistake_is_named_with_line_and_column(client: TestClient) -> None:
    wrong = EXAMPLE.replace('pair = "nines"', 'pair = "nins"').replace("gong or wong", "gong or wnog")
    page = checked(client, wrong)
    line = wrong[: wrong.index('"nins"')].count("\n") + 1
    assert "2 faults" in said(page)
    assert f'line {line}, column 9: "nins" is not a tile' in said(page)
    assert "did you mean wong?" in said(page)
    assert '"nins"' in html.unescape(page[page.index("<textarea") : page.index("</textarea>")])


def test_words_of_the_file_stay_as_they_are_in_every_language(client: TestClient) -> None:
    client.cookies.set(COOKIE, "zh-Hant")
    page = said(checked(client, EXAMPLE.replace('pair = "nines"', 'piar = "nines"')))
    client.cookies.delete(COOKIE)
    assert '此處沒有 "piar" 這個鍵' in page
    assert "是否指 pair" in page


def test_a_way_is_compared_with_the_one_in_force_and_shown_rule_by_rule(client: TestClient, tmp_path: object) -> None:
    file = tmp_path / "own.toml"  # type: ignore[operator]
    file.write_text(EXAMPLE, encoding="utf-8")
    way = get(file)
    found = difference(get("crown-6.1"), way)
    page = said(checked(client, EXAMPLE))
    assert "Example Casino, Pai Gow House Way, 2026-02: no faults" in page
    assert "Against crown-6.1, in force at this table" in page
    assert f"{found.deals:,} of 35,960 deals are set differently: {found.kinds} kinds of hand" in page
    for parting in found.partings:
        assert f"{parting.first.cite} {parting.first.text}" in page
        assert f"{parting.second.cite} {parting.second.text}" in page
    for rule in way.rules:
        assert f"{rule.cite} {rule.text}" in page
    answer = client.post(AT, data={"written": EXAMPLE, "card": "true"})
    assert answer.headers["content-disposition"].startswith("attachment")
    assert answer.text == render_card(way)


def test_a_way_that_leaves_a_deal_open_is_not_compared(client: TestClient) -> None:
    page = said(checked(client, EXAMPLE[: EXAMPLE.index('[[rule]]\nnumber = "5"')]))
    assert "To correct" in page
    assert re.search(r"line \d+, column \d+: .*example", page)
    assert "Some deals are not set by any rule, so it cannot be compared yet." in page
    assert "in force at this table" not in page


@pytest.mark.parametrize("changed", [False, True])
def test_the_version_of_the_day_is_compared_as_it_was_loaded(tmp_path: Path, *, changed: bool) -> None:
    """The worked example without its rule about nines from June on; its file may say anything since."""
    nines = 'with = "teen/day and 10"\n'
    dated = EXAMPLE.replace(nines, f"until = 2026-06-01\n{nines}").partition("[[example]]")[0]
    day, file = date(2026, 11, 29), tmp_path / "own.toml"
    file.write_text(dated, encoding="utf-8")
    rules = TableRules.of(str(file))
    if changed:
        file.write_text(EXAMPLE, encoding="utf-8")
    own = examine(rules.as_loaded, day, dated)
    assert not own.faults
    assert own.compared is not None
    assert own.compared.deals == 0
    assert [each.cite for each in own.rules] == [str(each.cite) for each in rules.on(day).house_way.rules]


def test_nothing_is_changed_or_kept(client: TestClient) -> None:
    parts = client.app.state.parts  # type: ignore[attr-defined]
    before = parts.only.rules.now.house_way.text_sha256, len(parts.record.after(0))
    checked(client, EXAMPLE)
    assert (parts.only.rules.now.house_way.text_sha256, len(parts.record.after(0))) == before


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "Paste a House Way, or choose a file."),
        ("[", "the file cannot be read from here on"),
        ("import os\nos.abort()", "the file cannot be read from here on"),
        ("# " + "x\n# " * (LARGEST // 4), "larger than 64 KiB"),
        ("\N{LATIN SMALL LETTER E WITH ACUTE}" * 2001, "longer than 2,000 characters"),
        ("</textarea><script>alert(1)</script>", "the file cannot be read from here on"),
    ],
)
def test_what_is_no_house_way_is_said_so(client: TestClient, text: str, words: str) -> None:
    page = checked(client, text)
    assert words in said(page)
    assert "<script>alert" not in page


def test_more_than_any_file_is_refused(client: TestClient) -> None:
    assert client.post(AT, data={"written": "x" * (2 * LARGEST + 1)}).status_code == 422


@pytest.mark.parametrize("answered_s", [0.0, 300.0])
def test_it_is_worked_out_in_the_process_for_figures(monkeypatch: pytest.MonkeyPatch, answered_s: float) -> None:
    monkeypatch.setattr(game, "_ANSWERED_S", answered_s)
    with person(app_of(config(), reader=FakeReader(), watch=False), UserRole.SUPERVISOR) as client:
        page = said(checked(client, "["))
    assert ("the file cannot be read from here on" in page) == (answered_s > 0)
    assert (AGAIN in page) == (answered_s == 0)


# In another language

_MARKED = re.compile(r'<q lang="en">.*?</q>')
"""Words of the file or of the reader of TOML."""
_NAMES = re.compile(r"example-2026")


def in_chinese(client: TestClient, text: str) -> str:
    """The findings on the page in Traditional Chinese, without words marked as English."""
    client.cookies.set(COOKIE, "zh-Hant")
    try:
        page = checked(client, text)
    finally:
        client.cookies.delete(COOKIE)
    found = re.findall(r'<ul class="findings">(.*?)</section>', page, re.DOTALL)
    assert found
    return said(_MARKED.sub(" ", " ".join(found)))


_RULE = EXAMPLE.partition("[[rule]]")[0] + '[[rule]]\nnumber = "1"\n'


@pytest.mark.parametrize(
    "text",
    [
        "[",
        EXAMPLE.replace('pair = "nines"', 'pair = "nins"').replace("gong or wong", "gong or wnog"),
        EXAMPLE[: EXAMPLE.index('[[rule]]\nnumber = "5"')],
        EXAMPLE + 'until = 2026-01-01\nfrom = 2026-06-01\nnonsense = 1\n[[example]]\nset = "6-7 6-3 / 6-6 6-6"\n',
        EXAMPLE + '[[example]]\nset = "6-6 6-3 / 5-4 2-1"\n',
        _RULE + 'if = "raining"\nset = ["high is", "kep the pair", "9 and 7", "best low maybe"]\nrulings = ["5"]\n',
        _RULE + 'tiles = "teen, high 8, 9, low 10"\nset = "low at most 2"\n' + EXAMPLE.partition("\n\n")[2],
    ],
)
def test_faults_are_told_in_the_language_of_the_page(client: TestClient, text: str) -> None:
    found = in_chinese(client, text)
    assert re.search("[\u4e00-\u9fff]{4}", found)
    assert re.findall("[A-Za-z]{3,}", _NAMES.sub("", found)) == []
