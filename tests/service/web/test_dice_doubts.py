"""Whose doubt is whose in a throw, in words and on the page."""

import re
from dataclasses import replace

import pytest

from service.rounds.readings import die_of
from service.rounds.reports import ThrowReport
from service.web.round_views import shown_dice
from service.words.doubts import DoubtReport
from service.words.findings import english
from tests.service.api.test_http import play
from tests.service.stand_ins import HOUSE_RIGHT, FakeReader, app_of, as_recorded, config, die, person

GLARE, EDGE, CAMERA, CUP = "glare on its face", "at the edge of the tray", "the camera has moved", "under the cup"


def throw(*reasons: str) -> ThrowReport:
    return ThrowReport(
        total=None,
        first_box=None,
        cut=None,
        rule=None,
        status="uncertain",
        doubts=tuple(map(DoubtReport.of, as_recorded(*reasons))),
    )


@pytest.mark.parametrize(
    ("of_dice", "of_throw", "own", "shared"),
    [
        ([(), ()], (), [(), ()], ()),
        ([(GLARE,), ()], (GLARE,), [(GLARE,), ()], ()),
        ([(GLARE,), (GLARE,), ()], (GLARE, GLARE), [(GLARE,), (GLARE,), ()], ()),
        ([(GLARE,), (GLARE,)], (GLARE, GLARE), [(), ()], (GLARE,)),
        ([(CAMERA, GLARE), (EDGE, CAMERA)], (CAMERA, GLARE, EDGE, CAMERA), [(GLARE,), (EDGE,)], (CAMERA,)),
        ([(GLARE, GLARE), ()], (GLARE, GLARE), [(GLARE,), ()], ()),
        ([(), ()], (CUP,), [(), ()], (CUP,)),
        ([(GLARE,), (GLARE,)], (GLARE, GLARE, CUP), [(), ()], (GLARE, CUP)),
        ([(GLARE,)], (GLARE,), [(GLARE,)], ()),
        ([], (CUP,), [], (CUP,)),
    ],
)
def test_each_doubt_is_told_once_where_it_belongs(
    of_dice: list[tuple[str, ...]], of_throw: tuple[str, ...], own: list[tuple[str, ...]], shared: tuple[str, ...]
) -> None:
    dice = [
        die_of(replace(die(3), status="uncertain" if reasons else "verified", doubts=as_recorded(*reasons)))
        for reasons in of_dice
    ]
    shown = shown_dice(dice, throw(*of_throw))
    assert [each for each, _ in shown.each] == dice
    assert [english(doubts) for _, doubts in shown.each] == own
    assert english(shown.shared) == shared


def test_the_notes_of_a_verified_die_are_no_doubts() -> None:
    sure = die_of(replace(die(3), doubts=as_recorded(GLARE)))
    assert shown_dice([sure], None).each == ((sure, ()),)


def test_on_the_page_a_reason_stands_under_its_die() -> None:
    app = app_of(config(), reader=FakeReader(), watch=False)
    glared, edged = (
        replace(die(value, role), status="uncertain", doubts=as_recorded(reason, CAMERA))
        for value, role, reason in ((3, "box", GLARE), (2, "cut", EDGE))
    )
    play(app, replace(HOUSE_RIGHT, dice=(edged, glared)))
    with person(app) as client:
        for path in ("/", "/tables/test/rounds/r1"):
            # Above the replay of a round its doubts are asked about, each with its own reasons.
            html = client.get(path).text
            html = html.partition('id="replay"')[2] or html
            figures = re.findall(r'<figure class="die.*?</figure>', html, re.DOTALL)
            assert [re.findall(r"<li[^>]*>(.*?)</li>", figure) for figure in figures] == [[GLARE], [EDGE]]
            assert [word in figures[0] for word in ("box die", "cut die")] == [True, False]
            assert html.count(CAMERA) == 1
            assert CAMERA in html.partition(">All dice<")[2]
