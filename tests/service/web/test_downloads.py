"""What people take away: the incident sheet and the table of rounds."""

import builtins
import csv
import html
import io
import re
import subprocess
import sys
from datetime import UTC, datetime
from typing import Any, Literal

import pytest
from fastapi import FastAPI
from pypdf import PdfReader

from service.access.roles import UserRole
from service.record.ledger import Evidence
from service.record.store.entries import Picture
from service.rounds.rounds_csv import COLUMNS
from service.web import incident
from tests.conftest import ROOT
from tests.service.api.test_http import jpeg
from tests.service.api.test_record import DOUBTFUL
from tests.service.stand_ins import (
    HOUSE_RIGHT,
    HOUSE_WRONG,
    START,
    FakeReader,
    app_of,
    config,
    person,
    report_round,
    revisions,
)
from vision.reading import Reading


def seen(made: FastAPI, round_id: str, *read: Reading) -> None:
    """Record a round, with pictures of its House hand."""
    parts = made.state.parts
    for number, played in enumerate(revisions(round_id, START, *read)):
        sizes: dict[Literal["frame", "annotated", "close_up"], int] = {"frame": 640, "annotated": 642, "close_up": 644}
        evidence = [Evidence("house", role, Picture(jpeg(width + 10 * number, 360))) for role, width in sizes.items()]
        report = report_round(played, table="test", rules=parts.only.rules, versions={"detector": "sha256:00"})
        parts.only.live.publish_rounds(*parts.only.ledger.revise(report, evidence))


@pytest.fixture
def app() -> FastAPI:
    return app_of(config(), reader=FakeReader(), watch=False)


def text_of(file: bytes) -> str:
    said = " ".join(" ".join(page.extract_text() for page in PdfReader(io.BytesIO(file)).pages).split())
    return said.replace("\N{NON-BREAKING HYPHEN}", "-").replace("\0", "")


def test_an_incident_sheet_says_what_lay_what_should_and_who_did_what(app: FastAPI) -> None:
    seen(app, "r1", HOUSE_WRONG, HOUSE_RIGHT)
    parts = app.state.parts
    with person(app, UserRole.SUPERVISOR) as client:
        confirmed = {"action": "confirm", "reason": "Looked at the table", "revision": 2}
        assert client.post("/v1/rounds/r1/review", json=confirmed).status_code in {200, 422}
        answer = client.get("/tables/test/rounds/r1/incident.pdf")
    assert answer.headers["content-type"] == "application/pdf"
    text = text_of(answer.content)
    wrong = parts.only.ledger.revision("r1", 1).house
    assert wrong is not None
    assert wrong.house_way is not None
    for said in (
        "Incident sheet: Test table, round 1",
        "House hand, round 1: Wrong",
        "Should be",
        f"Rule {wrong.house_way.rule}",
        f"low {' '.join(wrong.low)}",
        f"low {' '.join(wrong.house_way.expected.low)}",
        "Remedy",
        parts.record.id,
    ):
        assert said in text
    for entry in parts.record.of_rounds(("r1",)):
        assert entry.hash in text.replace(" ", "")
    for one in parts.only.ledger.newest("r1").evidence:
        assert one.sha256 in text.replace(" ", "")
    pictures = {image.name for page in PdfReader(io.BytesIO(answer.content)).pages for image in page.images}
    assert len(pictures) == 2


@pytest.mark.parametrize("state", ["open", "closed"])
@pytest.mark.parametrize("later", [HOUSE_WRONG, HOUSE_RIGHT], ids=["still-wrong", "corrected"])
def test_sheet_page_and_hand_over_have_the_same_remedy(
    app: FastAPI, state: Literal["open", "closed"], later: Reading
) -> None:
    """It was seen wrong before any hand was opened; what may be done changes while it lies so."""
    parts, now = app.state.parts, datetime.now(UTC)
    moments = ("no-hand-exposed", "first-hand-exposed", "bank-put-away" if state == "closed" else "first-hand-exposed")
    for moment, played in zip(moments, revisions("r1", now, HOUSE_WRONG, HOUSE_WRONG, later), strict=True):
        told = {"moment": moment, "state": "closed" if moment == "bank-put-away" else "open"}
        report = report_round(played.model_copy(update=told), table="test", rules=parts.only.rules, versions={})
        parts.only.live.publish_rounds(*parts.only.ledger.revise(report))
    with person(app, UserRole.SUPERVISOR) as client:
        page, handover = (client.get(path).text for path in ("/tables/test/rounds/r1?place=house", "/handover"))
        sheet = text_of(client.get("/tables/test/rounds/r1/incident.pdf").content)
    found = re.search(r'<div class="remedy">(.*?)</div>', page)
    assert found is not None
    plain = re.sub("<.*?>", "", found[1])
    remedy = html.unescape(plain).replace("\N{NON-BREAKING HYPHEN}", "-")
    assert f"Remedy: {remedy}" in sheet
    assert plain in re.sub("<.*?>", "", handover)
    if later is HOUSE_WRONG:
        assert remedy.startswith("Leave it" if state == "closed" else "Correct it now")
    else:
        assert re.match(r"At \d\d:\d\d:\d\d: Correct it now", remedy)
    assert f"Seen at {now:%-d %b %Y %H:%M:%S}" in sheet


def test_an_incident_sheet_in_chinese(app: FastAPI) -> None:
    seen(app, "r1", HOUSE_WRONG)
    with person(app, UserRole.SUPERVISOR) as client:
        client.get("/language/zh-Hant")
        said = text_of(client.get("/tables/test/rounds/r1/incident.pdf").content)
    assert "莊家" in said
    assert "Incident sheet" not in said
    # The rule that counts stands in English too.
    assert "High Nine is set instead of Wong" in said.replace("\n", " ")


def test_a_sheet_names_the_characters_that_no_font_has(app: FastAPI) -> None:
    seen(app, "r1", DOUBTFUL)
    with person(app, UserRole.SUPERVISOR) as client:
        confirmed = {"action": "confirm", "reason": "Looked \ue123", "revision": 1}
        assert client.post("/v1/rounds/r1/review", json=confirmed).status_code == 200
        assert "U+E123" in text_of(client.get("/tables/test/rounds/r1/incident.pdf").content)


def test_printing_does_not_let_damaged_pictures_be_accepted() -> None:
    """WeasyPrint changes a setting of Pillow when it is imported, so this needs a process of its own."""
    program = (
        "from service.web.incident import print_pdf; from PIL import ImageFile\n"
        "assert print_pdf('<p>A</p>', {}).pdf; assert not ImageFile.LOAD_TRUNCATED_IMAGES"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)


@pytest.mark.parametrize(
    "name",
    ["Nguyễn Ngọc Ánh", "Łukasz Wójcik", "Çağrı İğdır", "สมชาย", "𠮷野 𡃁仔", "陳大文", "이영희"],  # noqa: RUF001
)
def test_names_are_whole_in_every_script(name: str) -> None:
    printed = incident.print_pdf(f"<p>{name}</p>", {})
    assert printed.missing == ""
    assert name in text_of(printed.pdf)


def test_a_sheet_without_pango_says_what_to_install(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str, *more: Any) -> object:  # noqa: ANN401  as __import__ has them
        if name.startswith("weasyprint"):
            raise OSError("cannot load library 'libpango-1.0-0'")
        return imported(name, *more)

    imported = builtins.__import__
    seen(app, "r1", HOUSE_WRONG)
    with person(app, UserRole.SUPERVISOR) as client:
        monkeypatch.setattr(builtins, "__import__", missing)
        answer = client.get("/tables/test/rounds/r1/incident.pdf")
        monkeypatch.undo()
    assert answer.status_code == 503
    assert incident.LIBRARIES in answer.text


def test_pictures_that_were_removed_are_said_to_be(app: FastAPI) -> None:
    seen(app, "r1", HOUSE_WRONG)
    parts = app.state.parts
    parts.record.evidence.remove([one.sha256 for one in parts.only.ledger.newest("r1").evidence])
    with person(app, UserRole.SUPERVISOR) as client:
        assert "removed after they were exported" in text_of(client.get("/tables/test/rounds/r1/incident.pdf").content)
        assert client.get("/tables/test/rounds/none/incident.pdf").status_code == 404


def test_rounds_as_a_table(app: FastAPI) -> None:
    seen(app, "r1", HOUSE_WRONG)
    seen(app, "r2", HOUSE_RIGHT)
    seen(app, "r3", DOUBTFUL)
    with person(app, UserRole.SUPERVISOR) as client:
        answer = client.get("/rounds.csv")
        wrong = client.get("/rounds.csv", params={"verdict": "wrong"})
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert tuple(rows[0]) == COLUMNS
    assert [(row["round"], row["house_verdict"]) for row in rows] == [
        ("3", "needs_review"),
        ("2", "correct"),
        ("1", "wrong"),
    ]
    assert rows[1]["dice"] == "box:3 box:5 box:1 cut:2"
    assert rows[1]["boxes"] == "2"
    assert [row["round"] for row in csv.DictReader(io.StringIO(wrong.content.decode("utf-8-sig")))] == ["1"]


def test_what_a_spreadsheet_would_take_for_a_formula_is_text() -> None:
    from service.rounds.rounds_csv import _safe  # noqa: PLC0415

    assert _safe("=1+1") == "'=1+1"
    assert _safe("6-3") == "6-3"


def test_who_may_not_see_rounds_takes_none_away(app: FastAPI) -> None:
    seen(app, "r1", HOUSE_WRONG)
    with person(app, UserRole.VIEWER) as client:
        assert client.get("/rounds.csv").status_code == 403
        assert client.get("/tables/test/rounds/r1/incident.pdf").status_code == 403
