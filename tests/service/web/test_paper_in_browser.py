"""What the browser prints: a round on one page, and a hand-over of a shift."""

import io
import unicodedata

import pytest
from fastapi import FastAPI
from playwright.sync_api import Page
from pypdf import PdfReader

from engine.game.tiles import FULL_SET
from service.record.ledger import Evidence
from service.record.store.entries import Picture
from service.rounds.review import ReviewIn
from tests.service.api.test_http import jpeg
from tests.service.stand_ins import RIGHT, START, WRONG, die, hand, reading, report_round, revisions
from tests.service.web.test_handover import busy
from tests.service.web.test_page_in_browser import one_click

LEFT = [str(tile) for tile in FULL_SET]
for face in " ".join(WRONG).split():
    LEFT.remove(face)
BOXES = [
    hand(f"box{n + 1}", " ".join(LEFT[n:14:7]), " ".join(LEFT[14 + n :: 7]), "uncertain", ("glare on a tile",))
    for n in range(7)
]
"""All other tiles of the set, in doubt."""
DICE = (die(3), die(5), die(1), die(2, "cut"))


def printed(page: Page) -> tuple[int, str]:
    """How many pages of A4 the page takes, and what is on them."""
    found = PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True)))
    text = unicodedata.normalize("NFKC", " ".join(each.extract_text() for each in found.pages))
    return len(found.pages), " ".join(text.split())


def record(made: FastAPI, *, decide: bool) -> None:
    parts = made.state.parts
    read = [reading(hand("house", *laid), *BOXES, dice=DICE) for laid in (WRONG, RIGHT)]
    for number, played in enumerate(revisions("r1", START, *read)):
        report = report_round(played, table="test", rules=parts.only.rules, versions={"detector": "sha256:00"})
        pictures = [Evidence("house", "annotated", Picture(jpeg(1920 + 2 * number, 1080)))]
        pictures += [Evidence("house", "close_up", Picture(jpeg(400 + 2 * number, 400)))]
        parts.only.ledger.revise(report, pictures)
    if decide:
        for revision, place in enumerate((f"box{n}" for n in range(1, 8)), start=2):
            asked = {
                "action": "confirm",
                "by": "ann",
                "reason": f"{place} " * 60,
                "revision": revision,
                "only": [place],
            }
            parts.only.ledger.review("r1", ReviewIn.model_validate(asked), None, "ann")


def test_a_usual_shift_is_printed_on_one_page(app: tuple[FastAPI, str], page: Page) -> None:
    made, url = app
    busy(made)
    page.goto(one_click(made, url))
    page.goto(f"{url}/handover")
    page.get_by_label("Note for the next supervisor").fill("Box 3 keeps his tiles.")
    page.get_by_role("button", name="Hand over").click()
    pages, text = printed(page)
    assert pages == 1
    for said in (
        "Hand-over:",
        "Handed over by admin",
        "Box 3 keeps his tiles.",
        "House hands set wrongly",
        "2 + 0 + 2 = 4",
    ):
        assert said in text
    for said in ("Sign out", "Shifts", "Acknowledge", "Note for the next"):
        assert said not in text


@pytest.mark.parametrize("theme", ["light", "dim"])
@pytest.mark.parametrize("decide", [False, True])
def test_a_round_is_printed_on_one_page(app: tuple[FastAPI, str], page: Page, theme: str, *, decide: bool) -> None:
    made, url = app
    record(made, decide=decide)
    page.goto(one_click(made, url))
    page.goto(f"{url}/theme/{theme}?next=/tables/test/rounds/r1")
    page.goto(f"{url}/tables/test/rounds/r1?place=house")
    pages, text = printed(page)
    assert pages == 1
    newest = made.state.parts.only.ledger.revisions("r1")[-1][0]
    wrong = made.state.parts.only.ledger.revision("r1", 1).house.house_way
    for said in (
        "Round 1",
        "As laid",
        "Should be",
        f"Rule {wrong.rule}".replace("-", "\u2010"),
        "Remedy",
        "Box 7",
        "box die 3",
        newest.hash,
    ):
        assert said in text
    if decide:
        assert "Confirmed by ann" in text
        assert "and 1 more: see the incident sheet" in text
    for said in ("Sign out", "Shifts", "Acknowledge", "The whole round", "Versions", "Your reason"):
        assert said not in text
