"""Recorded pictures read again by the networks: what is read otherwise, and what cannot be read."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from calibration.table.places import HOUSE
from engine.books.house_ways import get
from service.access.roles import UserRole
from service.floor.copies import Copies
from service.floor.reread.again import Again
from service.floor.reread.evidence import AllPictures, CopiedPictures, FloorPictures, NotAllowedError, PictureAwayError
from service.floor.reread.pictures import PictureReading
from service.floor.reread.set_up import SetUps
from service.floor.reread.told import Chosen, here
from service.record.round_evidence import Evidence, named
from service.record.store.entries import Picture
from service.record.store.evidence import EvidenceStore
from service.rounds.as_read import die_of, hand_of
from service.rounds.reports import RoundReport
from tests.sample import FILE, HOUSE_WRONG, SETTINGS
from tests.service.floor.feeds import RecordedFeed
from tests.service.floor.floors import floor_config
from tests.service.floor.rereading import record
from tests.service.floor.serving import serving_floor
from tests.service.stand_ins import START, report_round
from vision.capture.images import load_image
from vision.networks.model_card import ModelError, sha256_of
from vision.networks.runtime import default_weights
from vision.reader import Reader

if TYPE_CHECKING:
    from pathlib import Path

    from service.floor.reread.again import RoundAgain

PICTURE = Picture(HOUSE_WRONG.read_bytes())
CALIBRATION = f"sha256:{sha256_of(FILE)}"
WAY = get(SETTINGS.table.rulebook)


class Kept:
    """Pictures in memory, some of which cannot be had."""

    def __init__(self, *pictures: Picture, away: bool = False) -> None:
        self._kept, self._away = {each.sha256: each.data for each in pictures}, away

    def get(self, sha256: str) -> bytes | None:
        """A picture."""
        if self._away:
            raise PictureAwayError("503 table_unreachable")
        return self._kept.get(sha256)


@pytest.fixture(scope="module")
def set_ups() -> SetUps:
    return SetUps.found_in(FILE.parent)


@pytest.fixture(scope="module")
def reading(set_ups: SetUps) -> PictureReading:
    return PictureReading(None, Kept(PICTURE), set_ups)


@pytest.fixture(scope="module")
def recorded(reading: PictureReading) -> RoundReport:
    """A round as its picture shows it."""
    known = reading.set_ups.calibration(CALIBRATION)
    assert known is not None
    calibration, empty = known
    read = Reader.load().read(load_image(HOUSE_WRONG), calibration=calibration, empty=empty)
    assert HOUSE in {hand.place for hand in read.hands}
    played = RoundReport(
        id="r1",
        opened_at=START,
        changed_at=START,
        agreeing_frames=3,
        hands=tuple(map(hand_of, read.hands)),
        dice=tuple(map(die_of, read.dice)),
    )
    report = report_round(played, table="sample", house_way=WAY, versions={"calibration": CALIBRATION})
    parts = [*(hand.place for hand in report.hands), *(["dice"] if report.dice else [])]
    evidence = named(report, [Evidence(place, "frame", PICTURE) for place in parts], lambda _: True)
    return report.model_copy(update={"evidence": evidence})


def again(reading: PictureReading, report: RoundReport, *, last_try: bool = True) -> RoundAgain:
    feed = RecordedFeed()
    record(feed, report, 1)
    return Again(Chosen(), reading).read(feed.head, {}, last_try=last_try)


def with_house(report: RoundReport, **told: Any) -> RoundReport:  # noqa: ANN401  of the report
    house = next(hand for hand in report.hands if hand.place == "house")
    others = tuple(hand for hand in report.hands if hand.place != "house")
    return report.model_copy(update={"hands": (house.model_copy(update=told), *others)})


def test_the_same_models_read_the_same(reading: PictureReading, recorded: RoundReport) -> None:
    found = again(reading, recorded)
    assert (found.outcome, found.unread, found.differences) == ("same", (), ())
    assert recorded.house is not None
    assert recorded.house.is_set_wrongly


def test_what_was_misread_is_told_with_what_follows(reading: PictureReading, recorded: RoundReport) -> None:
    house = recorded.house
    assert house is not None
    misread = with_house(recorded, low=("6-6", "1-1"), house_way=house.house_way)
    told = {each.what: each for each in again(reading, misread).differences if each.by == "pictures"}
    assert told["hand"].recorded["low"] == ["1-1", "6-6"]
    assert told["hand"].now == {"low": sorted(house.low), "high": sorted(house.high), "status": house.status}
    assert told["hand"].decided is None
    assert house.house_way is not None
    assert house.house_way.expected is not None
    assert told["setting"].now[0]["low"] == sorted(house.house_way.expected.low)


def test_what_a_person_said_stands_beside_what_is_read_now(reading: PictureReading, recorded: RoundReport) -> None:
    house = recorded.house
    assert house is not None
    read = {"low": ("6-6", "1-1"), "high": house.high, "status": "uncertain"}
    said = {"action": "correct", "by": "ann", "reason": "seen", "at": START, "read": read}
    data = with_house(recorded, status="confirmed").model_dump(mode="json")
    next(hand for hand in data["hands"] if hand["place"] == "house")["review"] = json.loads(
        json.dumps(said, default=str)
    )
    corrected = RoundReport.model_validate_json(json.dumps(data))
    found = again(reading, corrected)
    (hand,) = (each for each in found.differences if each.what == "hand")
    assert (hand.recorded["status"], hand.now["status"]) == ("uncertain", "verified")
    assert hand.decided == hand.now
    assert not [each for each in found.differences if each.by == "rules"]


def test_what_no_picture_shows_is_told(reading: PictureReading, recorded: RoundReport) -> None:
    bare = recorded.model_copy(update={"evidence": ()})
    assert [each.code for each in again(reading, bare).unread] == ["reread_no_pictures"]
    of_house = tuple(each for each in recorded.evidence if each.place == "house")
    found = again(reading, recorded.model_copy(update={"evidence": of_house}))
    assert found.outcome == "same"
    others = {hand.place for hand in recorded.hands if hand.place != "house"} | ({"dice"} if recorded.dice else set())
    assert {each.params["place"] for each in found.unread if each.code == "reread_not_shown"} == others


def test_what_cannot_be_had_is_told(set_ups: SetUps, reading: PictureReading, recorded: RoundReport) -> None:
    def codes(pictures: Kept, report: RoundReport = recorded, known: SetUps = set_ups) -> set[str]:
        found = again(replace(reading, pictures=pictures, set_ups=known), report)
        assert found.outcome == "could_not"
        return {each.code for each in found.unread}

    assert codes(Kept()) == {"reread_picture_gone"}
    assert codes(Kept(away=True)) == {"reread_picture_away"}
    with pytest.raises(PictureAwayError):
        again(replace(reading, pictures=Kept(away=True)), recorded, last_try=False)
    spoilt = Picture(b"\xff\xd8 no picture")
    shown = tuple(each.model_copy(update={"sha256": spoilt.sha256}) for each in recorded.evidence)
    assert codes(Kept(spoilt), recorded.model_copy(update={"evidence": shown})) == {"reread_picture_unreadable"}
    assert codes(Kept(PICTURE), known=SetUps()) == {"reread_calibration_missing"}
    enrolled = {**recorded.versions, "enrolment": "sha256:00"}
    assert codes(Kept(PICTURE), recorded.model_copy(update={"versions": enrolled})) == {"reread_enrolment_missing"}


def test_pictures_are_taken_where_they_are(tmp_path: Path) -> None:
    store = EvidenceStore(tmp_path / "kept", max_bytes=10**9, min_free_bytes=0)
    store.open()
    store.put({PICTURE.sha256: PICTURE.data})
    here_, away = CopiedPictures(Copies.in_folder(tmp_path / "kept")), Kept(away=True)
    assert AllPictures([away, here_]).get(PICTURE.sha256) == PICTURE.data
    with pytest.raises(PictureAwayError, match="503"):
        AllPictures([away, here_]).get("0" * 64)
    assert AllPictures([here_, Kept()]).get("0" * 64) is None
    store.path(PICTURE.sha256).write_bytes(b"something else")
    assert AllPictures([here_]).get(PICTURE.sha256) is None


def test_the_floor_gives_pictures_to_who_may_see_them(floor_url: str) -> None:
    config = floor_config(floor_url, {"t0": {"url": "http://127.0.0.1:9"}})
    with serving_floor(config) as floor:
        key = floor.client(UserRole.AUDITOR).headers["authorization"].removeprefix("Bearer ")
        with FloorPictures(floor.url, key) as pictures:
            assert pictures.get(hashlib.sha256(b"x").hexdigest()) is None
        with FloorPictures(floor.url, "another") as pictures, pytest.raises(NotAllowedError, match="401"):
            pictures.get("0" * 64)
    with FloorPictures("http://127.0.0.1:9", "key") as pictures, pytest.raises(PictureAwayError):
        pictures.get("0" * 64)


def test_models_are_those_that_their_cards_describe(tmp_path: Path) -> None:
    told = here("pictures", Chosen(), None)
    assert {"detector", "tiles", "dice", "lean"} <= told.versions.keys()
    for file in default_weights().iterdir():
        if file.name.startswith(("detector", "tiles", "dice", "lean")):
            (tmp_path / file.name).write_bytes(file.read_bytes())
    assert here("pictures", Chosen(), tmp_path).versions == told.versions
    (tmp_path / "dice.onnx").write_bytes(b"something else")
    with pytest.raises(ModelError, match="was altered"):
        here("pictures", Chosen(), tmp_path)
    (tmp_path / "dice.onnx").unlink()
    with pytest.raises(ModelError, match="cannot be read"):
        here("pictures", Chosen(), tmp_path)
