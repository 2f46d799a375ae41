"""The one JSON shape: what a reading says, and what it says of each hand."""

import json

import pytest

from engine.books.house_ways import get
from engine.house_way import HouseWay
from service.rounds.served import HandVerdictOut
from tests.service.stand_ins import RIGHT, WRONG, die, hand, reading, report_reading, tile
from vision.findings import Code, Finding
from vision.reading import HandReading

CROWN = get("crown-6.1")


def test_the_contract_field_by_field() -> None:
    """As the design writes it, name for name."""
    seen = reading(
        hand("house", *RIGHT),
        dice=(die(3),),
        findings=(Finding.of(Code.DUPLICATE_FACE, count=3, face="6-5", held=1),),
        tiles=(tile("6-5"), tile(None)),
    )
    said = json.loads(report_reading(seen, CROWN).model_dump_json())
    assert {
        "image",
        "size",
        "calibrated",
        "tiles",
        "dice",
        "hands",
        "findings",
        "versions",
        "elapsed_ms",
    } <= said.keys()
    assert (said["size"], said["single_frame"], said["rulebook"]) == ([640, 360], True, "crown-6.1")
    up, down = said["tiles"]
    assert {
        "face": "6-5",
        "face_up": True,
        "confidence": 0.9998,
        "runner_up": None,
        "reasons": [],
    }.items() <= up.items()
    assert (up["polygon"][1], up["status"], up["place"]) == ([60.0, 10.0], "verified", "house")
    assert (down["face"], down["face_up"]) == (None, False)
    (red,) = said["dice"]
    assert {"value": 3, "role": "box", "colour": "red", "cocked": False, "status": "verified"}.items() <= red.items()
    assert said["findings"] == [
        {
            "code": "duplicate_face",
            "message": "3 tiles look like 6-5, but the set has one tile of that face: check these tiles",
            "params": {"count": 3, "face": "6-5", "held": 1},
            "rule": None,
            "unless": [],
            "irregularities": [],
            "remedy": None,
            "options": [],
        }
    ]
    assert said["elapsed_ms"]["total"] == 61.23
    (house,) = said["hands"]
    assert (house["place"], house["low"], house["high"]) == ("house", ["6-3", "5-3"], ["6-6", "6-1"])
    assert {"verdict", "expected", "rule", "explanation", "remedy"} <= house["house_way"].keys()


def judged(laid: HandReading, way: HouseWay) -> HandVerdictOut:
    verdict = report_reading(reading(laid), way).hands[0].house_way
    assert verdict is not None
    return verdict


def test_a_house_hand_laid_right() -> None:
    way = judged(hand("house", *RIGHT), CROWN)
    assert (way.verdict, way.remedy) == ("correct", None)
    assert way.rule == "crown-6.1 7.4.2"
    assert way.expected is not None
    assert set(way.expected.high) == {"6-6", "6-1"}


def test_a_misset_house_hand_reports_right_setting_and_remedy() -> None:
    way = judged(hand("house", *WRONG), CROWN)
    assert way.verdict == "wrong"
    assert way.expected is not None
    assert set(way.expected.low) == {"6-3", "5-3"}
    assert way.remedy is not None
    assert "12.5" in way.remedy
    assert way.remedy not in way.explanation


@pytest.mark.parametrize(("low", "high"), [RIGHT, WRONG], ids=["right", "wrong"])
def test_a_doubtful_hand_is_never_judged(low: str, high: str) -> None:
    way = judged(hand("house", low, high, "uncertain", ("6-3 may be 6-2",)), CROWN)
    assert (way.verdict, way.expected, way.rule, way.remedy) == ("needs_review", None, None, None)
    assert way.reasons == ("6-3 may be 6-2",)


def test_a_doubtful_hand_without_a_reason_still_has_one() -> None:
    assert judged(hand("house", *RIGHT, "uncertain"), CROWN).reasons


def test_tiles_that_no_set_holds_are_not_judged() -> None:
    way = judged(hand("house", "6-6 6-6", "6-6 1-1"), CROWN)
    assert way.verdict == "needs_review"
    assert "6-6" in way.reasons[0]


def test_hands_laid_the_wrong_way_are_judged_by_rank() -> None:
    low, high = RIGHT
    way = judged(hand("house", high, low), CROWN)
    assert way.verdict == "correct"
    assert "ranks above" in way.explanation


def test_whose_hands_are_judged() -> None:
    boxes = report_reading(reading(hand("house", *RIGHT), hand("box1", *WRONG)), CROWN)
    assert [each.house_way is None for each in boxes.hands] == [False, True]
    nobody_knows = report_reading(reading(hand("hand1", *RIGHT), hand("hand2", *WRONG), calibrated=False), CROWN)
    assert [each.house_way and each.house_way.verdict for each in nobody_knows.hands] == ["correct", "wrong"]
