import pytest

from calibration.table.places import Place
from engine.books.house_ways import get
from engine.game.tiles import Tile
from service.rounds.judge.verdicts import captions_of
from tests.service.stand_ins import report_reading
from vision.reading import HandReading, Reading, Status


def hand(place: str, low: str, high: str, status: Status = "verified") -> HandReading:
    (a, b), (c, d) = ([Tile.parse(name) for name in pair.split()] for pair in (low, high))
    return HandReading(Place.parse(place), (a, b), (c, d), status)


@pytest.mark.parametrize(
    ("laid", "tone", "words"),
    [
        (hand("house", "6-3 5-4", "6-6 6-6"), "good", "Set correctly (crown-6.1"),
        (hand("house", "6-6 6-3", "6-6 5-4"), "bad", "Set wrongly: should be low 6-3 5-4, high 6-6 6-6 (crown-6.1"),
        (hand("house", "6-3 5-4", "6-6 6-6", "uncertain"), "doubt", "Needs review"),
    ],
)
def test_each_judged_hand_gets_one_line(laid: HandReading, tone: str, words: str) -> None:
    players = hand("box1", "2-1 4-2", "5-5 5-5")
    reading = Reading("a", (9, 9), True, True, (), (), (laid, players), (), {}, {})  # noqa: FBT003
    (place, verdict), *rest = captions_of(report_reading(reading, get("crown-6.1")).hands).items()
    assert rest == []
    assert (place, verdict.tone) == ("house", tone)
    assert words in verdict.text
