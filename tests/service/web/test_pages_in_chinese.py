"""Every page in Traditional Chinese while much is wrong: no English sentence, and no Western punctuation."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient

from calibration.files.calibration_file import load_calibration, save_calibration
from service.access.roles import UserRole
from service.record.changes import FIRST_START, Attribution
from service.record.health import Check
from service.rounds.reports import FindingReport, IrregularityReport, RoundReport
from service.table.doctor.diagnosis import Diagnosis
from service.table.doctor.examination import as_check
from service.table.monitor.set_watch import SetReport, SetWatch
from service.web.rendering import describe
from service.web.setup_forms import place_fields
from service.words.codes import RecordCode, ServiceCode
from service.words.diagnoses import DiagnosisCode
from service.words.doubts import DoubtReport
from service.words.languages import COOKIE, translations
from tests.sample import CALIBRATION
from tests.service.stand_ins import (
    RIGHT,
    WRONG,
    FakeReader,
    app_of,
    config,
    die,
    hand,
    opened,
    person,
    reading,
    report_round,
    with_table,
)
from vision.capture.faults import CaptureCode
from vision.enrolment.display_check import DisplayFault
from vision.findings import Code, Finding

DOUBT = Finding.of(Code.PIPS_SHOW_ANOTHER_VALUE, value=5)
LEFT_ALONE = {"q", "code", "pre", "script", "style", "title"}
"""Elements that quote a rulebook or name a thing."""
NAMED = re.compile(
    r"`[^`]*`|Test table|Webhook till|to be tested|the tests|Jung Quat|Houseway|English|docs/calibration\.md"
    r"|Authorization: Bearer KEY|houseway house-way diff|houseway record verify --seen FILE"
)
CODES = re.compile(r"clock\.need_sync = false|\S*[/_.=]\S*|[0-9a-f]{6,}")
"""Paths, addresses, settings and hashes."""
SENTENCE = re.compile(r"[A-Za-z]{2,}[,;:.]? [A-Za-z]{2,}")
WESTERN = re.compile("[\u4e00-\u9fff] ?[,.:;!?()]|[,:;!?()] ?[\u4e00-\u9fff]")
VOID = {"area", "br", "hr", "img", "input", "link", "meta", "source"}


class _Texts(HTMLParser):
    """Collects what people read or hear of a page, but for what is quoted or named."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self._open.append("q" if ("lang", "en") in attrs else tag)
        self.found += [text for name, text in attrs if text and name in {"alt", "title", "placeholder", "aria-label"}]

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() not in {tag, "q"}:
            pass

    def handle_data(self, data: str) -> None:
        if LEFT_ALONE.isdisjoint(self._open):
            self.found.append(data)


def texts(html: str) -> list[str]:
    """What is read of a page, but for what is quoted or named."""
    page = _Texts()
    page.feed(html)
    return page.found


def english(html: str) -> list[str]:
    return [text.strip() for text in texts(html) if SENTENCE.search(NAMED.sub("", text))]


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("<p>牌面朝下 6-5</p>", []),
        ("<p>it may lean</p>", ["it may lean"]),
        ("<p>規則 <cite>Crown 7.4</cite> <q>is set high</q></p>", []),
        ('<img alt="two tiles"><p>請執行 `houseway record verify`</p>', ["two tiles"]),
    ],
)
def test_an_english_sentence_is_found(html: str, found: list[str]) -> None:
    assert english(html) == found


def troubled() -> RoundReport:
    """A wrong House hand, a doubtful die and an irregularity."""
    cup = (die(3), die(5), die(6), die(2, "cut"))
    played = opened(reading(hand("house", *WRONG), hand("box2", "1-1 4-3", "4-4 5-5"), dice=cup))
    doubtful = {"status": "uncertain", "doubts": (DoubtReport.of(DOUBT),)}
    dice = (played.dice[0].model_copy(update=doubtful), *played.dice[1:])
    irregular = FindingReport(
        code=Code.EXPOSED_BEFORE_BANK,
        params={"place": "box2"},
        rule="Crown 8.1",
        irregularities=(IrregularityReport(kind="dealer-exposes", whose="player"),),
    )
    return played.model_copy(update={"dice": dice, "findings": (*played.findings, irregular)})


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    """An administrator's browser at a table with everything wrong."""
    file = tmp_path / "table.json"
    save_calibration(file, CALIBRATION)
    settings, calibration = config(), load_calibration(file)
    settings = with_table(settings, calibration=file)
    tiles = SetWatch(calibration, tmp_path / "own.json")
    app = app_of(settings, reader=FakeReader(), watch=False, calibration=calibration, tiles=tiles)
    parts = app.state.parts
    for number, played in enumerate((troubled(), opened(reading(hand("house", *RIGHT, "uncertain")), "r2"))):
        doubts = (DoubtReport.of(DOUBT),) * number
        hands = tuple(each.model_copy(update={"doubts": doubts}) for each in played.hands)
        held = played.model_copy(update={"hands": hands})
        versions = {"detector": "sha256:00"}
        report = report_round(held, table="test", rules=parts.only.rules, versions=versions)
        parts.only.live.publish_rounds(*parts.only.ledger.revise(report))
    for check in _ailing():
        parts.only.live.check(check)
    faults = (_fault(Code.MISSING_TILE, 3, belongs=("6-3", "5-4")), _fault(Code.FOREIGN_TILE, 7, face="6-5"))
    summary = Finding.of(ServiceCode.DISPLAY_OF_ANOTHER_SET, faults=tuple(each.finding for each in faults), more=4)
    tiles.last = SetReport("check", ok=False, finding=summary, faults=faults)
    made = person(app, UserRole.ADMIN, "ada")
    made.cookies.set(COOKIE, "zh-Hant")
    return made


def _ailing() -> tuple[Check, ...]:
    by = Finding.of(ServiceCode.MEASURED_BY_MARKERS, moved_mm=3.4, number=4, limit_mm=2.0)
    unseen = Finding.of(Code.AT_PLACE, number=1)
    black = Finding.of(CaptureCode.PICTURE_BLACK, name="camera0")
    disk = Finding.of(RecordCode.UNREACHABLE, why="connection refused by peer")
    missing = Diagnosis.of(DiagnosisCode.MODELS_MISSING, folder="weights")
    return (
        as_check((missing,)),
        Check("source", ok=False, findings=(black,)),
        Check("record", ok=False, findings=(Finding.of(ServiceCode.NOT_RECORDED, why=(disk,)),)),
        Check("camera", ok=False, findings=(Finding.of(ServiceCode.DRIFTED, measured=(by,)),)),
        Check("tiles", ok=False, findings=(Finding.of(Code.FACE_DOWN_TILE, where=(unseen,)),)),
        Check.of("clock", ServiceCode.CLOCK_NOT_SYNCHRONISED, ok=False),
        Check.of("webhook till", ServiceCode.CHANNEL_UNDELIVERED, ok=False, events=2, attempts=10),
    )


def _fault(code: Code, number: int, **params: str | tuple[str, ...]) -> DisplayFault:
    where = (Finding.of(Code.AT_PLACE, number=number, row=1, tile=number),)
    return DisplayFault(Finding.of(code, where=where, **params), (number,))


PAGES = (
    "/",
    "/tables/test/board",
    "/tables/test/status",
    "/reviews",
    "/rounds",
    "/tables/test/rounds/r1",
    "/tables/test/rounds/r2",
    "/shifts",
    "/figures",
    "/handover",
    "/tables/test/audit",
    "/tables/test/health",
    "/tables/test/calibration",
    "/tables/test/calibration/places",
    "/tables/test/calibration/points",
    "/tables/test/tiles",
    "/accounts",
    "/changes",
    "/account",
    "/tables/test/rounds/none",
    "/nowhere",
)


WORD = re.compile("[A-Za-z]{2,}")
PROPER = frozenset(
    WORD.findall(
        "API CSV TOML PDF UTC SHA GB MB PIN OK Esc FILE KEY OpenAPI https http rtsp iPad iPhone systemd timesyncd "
        "chrony ada crown nz star classic uk poster test Crown Appendix Authorization Bearer link source camera models "
        "weights"
    )
)
"""Words that are the same in every language: units, keys, names of programs, rulebooks and people."""


def test_every_page_is_in_chinese(client: TestClient) -> None:
    """All that the routes give to a browser, errors included, to the single word."""
    app: FastAPI = client.app  # type: ignore[assignment]
    left: dict[str, object] = {}
    walked = 0
    for route in app.routes:
        if not isinstance(route, APIRoute) or "GET" not in (route.methods or ()) or route.include_in_schema:
            continue
        path = route.path.replace("{table}", "test").replace("{round_id}", "r1")
        if "{" in path:
            continue
        answer = client.get(path, headers={"Accept": "text/html"}, follow_redirects=False)
        if not answer.headers.get("content-type", "").startswith("text/html"):
            continue
        walked += 1
        said = texts(answer.text)
        wrong = [text for text in said if WESTERN.search(text)]
        words = {word for text in said for word in WORD.findall(CODES.sub("", NAMED.sub("", text)))} - PROPER
        if path == "/api":
            words = set()  # names of fields and shapes
        if english(answer.text) or wrong or words:
            left[path] = (english(answer.text), wrong, words)
    assert left == {}, left
    assert walked > 50


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("language", ["zh-Hant", "zh-Hans"])
def test_no_page_has_an_english_sentence(client: TestClient, path: str, language: str) -> None:
    client.cookies.set(COOKIE, language)
    answer = client.get(path)
    assert answer.status_code == (404 if path in {"/tables/test/rounds/none", "/nowhere"} else 200)
    assert english(answer.text) == []
    assert [text for text in texts(answer.text) if WESTERN.search(text)] == []


def test_what_a_rulebook_says_is_in_chinese_and_the_english_behind_it(client: TestClient) -> None:
    html = client.get("/tables/test/rounds/r1").text
    read = "".join(texts(html))
    for chinese in (
        "\u6709\u9078\u64c7\u6642\uff0c\u64fa\u9ad8\u4e5d",  # crown-6.1 7.4.2
        "\u61c9\u64fa\u9ad8\u4e5d\uff0c\u800c\u975e\u738b",  # why: a High Nine is set instead of a Wong
        "\u838a\u65b9\u7684\u724c\u5df2\u6536\u8d77",  # the remedy: once the bank's tiles have been put away
    ):
        assert chinese in read
    assert "crown\N{NON-BREAKING HYPHEN}6.1 7.4.2" in read
    for english_words in ("High Nine is set instead of Wong", "Correct it now"):
        assert re.search(rf'<q lang="en">[^<]*{english_words}', html)
        assert english_words not in read


def test_rulings_of_a_throw_are_cited_in_chinese(client: TestClient) -> None:
    read = "".join(texts(client.get("/tables/test/rounds/r1").text))
    assert "crown\N{NON-BREAKING HYPHEN}6.1 4.4.2" in read
    assert "\u88c1\u5b9a 25" in read
    assert "\u00a7" not in read


def test_what_the_service_records_as_author_and_reason_is_in_chinese(client: TestClient) -> None:
    accounts = client.app.state.parts.access.accounts  # type: ignore[attr-defined]
    accounts.add("bo", UserRole.VIEWER, "several plain words", FIRST_START)
    accounts.set_role("bo", UserRole.AUDITOR, Attribution("ada", "first reason of a person"))
    read = texts(client.get("/accounts").text)
    by, reason = "\u9996\u6b21\u555f\u52d5", "\u7576\u6642\u5c1a\u7121\u4eba\u53ef\u767b\u5165"
    assert {by, reason, "first reason of a person"} <= set(read)


def test_clocks_have_24_hours(client: TestClient) -> None:
    moments = re.findall(r"<time datetime[^>]*>([^<]*)", client.get("/accounts").text)
    assert any("\u65e5" in each for each in moments)
    assert [each for each in moments if not re.fullmatch("(.*\u65e5 )?[0-9]{2}:[0-9]{2}:[0-9]{2}", each)] == []


@pytest.mark.parametrize(
    ("path", "form", "status"),
    [
        ("/tables/test/rounds/r1/review", {"action": "confirm", "reason": "x", "revision": "7"}, 409),
        (
            "/tables/test/rounds/r1/review",
            {"action": "confirm", "reason": "x", "revision": "1", "house.absent": "true"},
            422,
        ),
        ("/tables/test/rounds/r1/review", {"action": "correct", "reason": " ", "revision": "one"}, 422),
        ("/tables/test/rounds/r2/review", {"action": "correct", "reason": "x", "revision": "1", "house.low1": ""}, 422),
        (
            "/tables/test/rounds/r2/review",
            {"action": "correct", "reason": "x", "revision": "1", "added.place": "box3"},
            422,
        ),
        ("/tables/test/calibration/check", {}, 422),
        ("/tables/test/calibration/places", {"discard.there": "true", "reason": "x"}, 422),
        ("/tables/test/calibration/places", {"house.there": "true", "house.x": "five"}, 422),
        (
            "/tables/test/calibration/points",
            {"point1.x_px": "5", "point1.y_px": "5", "point1.x_mm": "5", "point1.y_mm": "5"},
            422,
        ),
        ("/tables/test/tiles/check", {"reason": " "}, 422),
        ("/tables/test/tiles/check", {}, 422),
        ("/accounts", {"name": "Not a name", "role": "viewer", "reason": "x"}, 422),
        ("/keys", {"name": "till", "role": "viewer", "reason": "x", "days": "many"}, 422),
        ("/accounts/ada/disable", {"reason": "x"}, 422),
        ("/account/password", {"password": "short", "again": "short", "current": "x"}, 422),
        ("/tables/test/audit/answer", {"draw": "1", "item": "0", "action": "unseen"}, 409),
        ("/tables/test/audit/answer", {"draw": "1", "item": "0", "action": "seen", "low1": "6-6"}, 422),
        (
            "/tables/test/audit/answer",
            {"draw": "1", "item": "0", "action": "seen", "die1.value": "6", "die1.role": ""},
            422,
        ),
        ("/tables/test/audit/verdict", {"answer": "1", "verdict": "both"}, 422),
        ("/tables/test/audit/verdict", {"answer": "1", "verdict": "answer_wrong"}, 409),
        ("/tables/test/health", {}, 405),
    ],
)
def test_what_is_refused_is_refused_in_chinese(
    client: TestClient, path: str, form: dict[str, str], status: int
) -> None:
    answer = client.post(path, data={**_zones(path), **form})
    assert answer.status_code == status
    assert english(answer.text.replace("Not a name", "")) == []


def _zones(path: str) -> dict[str, str]:
    if path != "/tables/test/calibration/places":
        return {}
    shown = place_fields(CALIBRATION.layout)
    return {name: text for name, text in shown.items() if not name.endswith(".there")}


def test_a_role_that_may_not_is_told_so_in_chinese(client: TestClient) -> None:
    viewer = person(client.app, UserRole.VIEWER, "vic")  # type: ignore[arg-type]
    viewer.cookies.set(COOKIE, "zh-Hant")
    refused = viewer.get("/accounts")
    assert refused.status_code == 403
    assert english(refused.text) == []


@pytest.mark.parametrize(("language", "words"), [("en", "Box 3: 2 tiles face down"), ("zh-Hant", "3")])
def test_a_finding_that_counts_tiles(language: str, words: str) -> None:
    found = FindingReport(code=Code.FACE_DOWN_HAND, params={"place": "box3", "count": 2})
    assert words in describe(found, translations(language))
