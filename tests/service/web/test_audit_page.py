"""The page of the audit in a real browser: what was drawn is answered, decided and counted, in every state readable."""

import pytest
from fastapi import FastAPI
from playwright.sync_api import Page, expect

from service.table.audit.audit_log import AuditOutcome
from service.web.review_forms import AnswerError, read_answer
from service.words.languages import COOKIE
from tests.service.stand_ins import person
from tests.service.table.audit.tables import AuditedTable
from tests.service.web.accessibility import check_accessible
from tests.service.web.test_page_tasks_in_browser import DESKTOP, TABLET, sign_in, visit
from tests.service.web.test_pages_in_chinese import english

PHONE = (375, 720)
HAND = {"action": "seen", "low1": "6-3", "low2": "5-3", "high1": "6-6", "high2": "6-1"}


@pytest.fixture
def table(app: tuple[FastAPI, str]) -> AuditedTable:
    """A day of which four hands and three throws were drawn."""
    made = AuditedTable(4, 3, record=app[0].state.parts.record)
    made.day(0, 5)
    return made


def test_a_hand_is_answered_by_clicking_on_faces(app: tuple[FastAPI, str], page: Page, table: AuditedTable) -> None:
    made, url = app
    sign_in(page, made, url)
    visit(page, url, "/tables/test/audit")
    question = page.get_by_role("region", name="What lies here?")
    expect(question.get_by_role("img", name="Close-up of the place")).to_be_visible()
    expect(page.get_by_text("As Houseway read it")).to_have_count(0)
    palette = question.get_by_role("group", name="Faces")
    for _ in range(4):
        palette.get_by_role("button", name="2-1").click()
    expect(question.get_by_label("second tile of the high hand")).to_have_value("2-1")
    palette.get_by_role("button", name="Start again").click()
    expect(question.get_by_label("first tile of the low hand")).to_have_value("")
    for face in ("2-1", "6-6", "6-6", "4-2"):
        palette.get_by_role("button", name=face).click()
    question.get_by_role("button", name="Record this answer").click()

    differing = page.get_by_role("region", name="The answer and the reading differ")
    expect(differing.get_by_role("img", name="2-1")).to_have_count(1)
    differing.get_by_role("button", name="The reading is wrong").click()
    expect(question).to_be_visible()
    assert table.outcomes[0] is AuditOutcome.READING_WRONG
    question.get_by_role("button", name="I cannot see it").click()
    expect(page.get_by_role("status")).to_contain_text("could not be seen")
    assert table.outcomes[1] is AuditOutcome.UNSEEN


def test_a_throw_is_answered_with_the_fields(app: tuple[FastAPI, str], page: Page, table: AuditedTable) -> None:
    made, url = app
    table.answer(count=4)
    sign_in(page, made, url)
    visit(page, url, "/tables/test/audit")
    question = page.get_by_role("region", name="What lies here? Dice")
    for row, (value, role) in enumerate((("2", "cut"), ("3", "box"), ("5", "box"), ("1", "box")), start=1):
        question.get_by_label(f"value of die {row}").select_option(value)
        question.get_by_label(f"use of die {row}").select_option(role)
    question.get_by_role("button", name="Record this answer").click()
    expect(page.get_by_role("status")).to_contain_text("Recorded: your answer agrees with the reading.")
    assert table.outcomes[4] is AuditOutcome.RIGHT


def test_every_state_is_accessible_and_fits(app: tuple[FastAPI, str], page: Page, table: AuditedTable) -> None:
    made, url = app
    sizes = (PHONE, TABLET, DESKTOP)
    sign_in(page, made, url)
    check_accessible(page, url, ("/tables/test/audit",), *sizes)
    table.answer(count=4)
    check_accessible(page, url, ("/tables/test/audit",), *sizes)
    done = table.answer()
    assert done.answer is not None
    check_accessible(page, url, (f"/tables/test/audit?answered={done.answer.seq}",), *sizes)
    table.differ()
    check_accessible(page, url, ("/tables/test/audit",), *sizes)


def test_no_state_has_an_english_sentence(app: tuple[FastAPI, str], table: AuditedTable) -> None:
    client = person(app[0])
    client.cookies.set(COOKIE, "zh-Hant")
    found = [client.get("/tables/test/audit").text]
    done = table.answer(count=4)
    assert done.answer is not None
    found += [
        client.get("/tables/test/audit").text,
        client.get("/tables/test/audit", params={"answered": str(done.answer.seq)}).text,
    ]
    table.differ()
    found.append(client.get("/tables/test/audit").text)
    assert [english(html) for html in found] == [[]] * 4
    assert all("審計" in html for html in found)


def test_an_answer_without_tiles_keeps_what_was_chosen(app: tuple[FastAPI, str], table: AuditedTable) -> None:
    client = person(app[0])
    item = table.asked
    sent = client.post(
        "/tables/test/audit/answer", data={"draw": str(item.draw), "item": str(item.index), **HAND, "low2": ""}
    )
    assert (sent.status_code, "Enter all four tiles" in sent.text) == (422, True)
    assert "<option selected>6-3</option>" in sent.text
    assert table.asked.index == item.index


@pytest.mark.parametrize(
    "form",
    [
        {**HAND, "high2": "7-1"},
        {"action": "seen"},
        {"action": "seen", "die1.value": "", "die1.role": "box"},
        {"action": "seen", "die1.value": "7", "die1.role": "box"},
        {"action": "seen", "die1.value": "6", "die1.role": ""},
    ],
)
def test_a_form_that_says_too_little_is_no_answer(form: dict[str, str]) -> None:
    with pytest.raises(AnswerError):
        read_answer(form)
