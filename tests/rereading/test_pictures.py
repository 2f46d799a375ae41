"""Recorded pictures read again by the networks: what is read otherwise, and what cannot be read."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from calibration.drift.reference import load_reference
from calibration.files.calibration_file import load_calibration
from calibration.table.places import HOUSE
from rereading.again import Again, RoundAgain, basis_here
from rereading.pictures import PictureCopies, PictureReading, SetUps, UnavailableError
from rereading.rules import Chosen
from service.record.ledger import Evidence, named
from service.record.store.entries import Picture
from service.rounds.judge.rules_in_force import TableRules
from service.rounds.judge.verdicts import judge_round
from service.rounds.readings import die_of, hand_of
from service.rounds.reports import RoundReport
from tests.rereading.recorded import entry_of
from tests.sample import FILE, HOUSE_WRONG, SETTINGS
from tests.service.stand_ins import START
from tests.vision.capture.test_images import png_header
from vision.capture.images import load_image
from vision.networks.model_card import ModelError, sha256_of
from vision.networks.runtime import default_weights
from vision.reader import Reader

PICTURE = Picture(HOUSE_WRONG.read_bytes())
CALIBRATION = f"sha256:{sha256_of(FILE)}"
RULES = TableRules.of(SETTINGS.table.rulebook).at(START)


class Kept(PictureCopies):
    """Pictures in memory, some of which cannot be had."""

    def __init__(self, *pictures: Picture, away: bool = False) -> None:
        self._kept, self._away = {each.sha256: each.data for each in pictures}, away

    def get(self, sha256: str) -> bytes | None:
        if self._away:
            raise UnavailableError("503 table_unreachable")
        return self._kept.get(sha256)


@pytest.fixture(scope="module")
def set_ups() -> SetUps:
    return SetUps.found_in(FILE.parent)


@pytest.fixture(scope="module")
def reading(set_ups: SetUps) -> PictureReading:
    return PictureReading(None, Kept(PICTURE), set_ups)


@pytest.fixture(scope="module")
def recorded() -> RoundReport:
    calibration = load_calibration(FILE)
    empty = load_reference(FILE, calibration)
    read = Reader.load().read(load_image(HOUSE_WRONG), calibration=calibration, empty=empty)
    assert HOUSE in {hand.place for hand in read.hands}
    played = RoundReport(
        id="r1",
        opened_at=START,
        changed_at=START,
        agreeing_frames=3,
        hands=tuple(map(hand_of, read.hands)),
        dice=tuple(map(die_of, read.dice)),
        versions={"calibration": CALIBRATION},
    )
    report = judge_round(played, RULES)
    parts = [*(hand.place for hand in report.hands), *(["dice"] if report.dice else [])]
    evidence = named(report, [Evidence(place, "frame", PICTURE) for place in parts], lambda _: True)
    return report.model_copy(update={"evidence": evidence})


def again(reading: PictureReading, report: RoundReport, *, last_try: bool = True) -> RoundAgain:
    return Again(Chosen(), reading).read(entry_of(report), {}, last_try=last_try)


def with_house(report: RoundReport, **found: Any) -> RoundReport:  # noqa: ANN401  of the report
    house = next(hand for hand in report.hands if hand.place == "house")
    others = tuple(hand for hand in report.hands if hand.place != "house")
    return report.model_copy(update={"hands": (house.model_copy(update=found), *others)})


def test_the_same_models_read_the_same(reading: PictureReading, recorded: RoundReport) -> None:
    found = again(reading, recorded)
    assert (found.outcome, found.unread, found.differences) == ("same", (), ())
    assert recorded.house is not None
    assert recorded.house.is_set_wrongly


def test_what_was_misread_is_reported_with_what_follows(reading: PictureReading, recorded: RoundReport) -> None:
    house = recorded.house
    assert house is not None
    misread = with_house(recorded, low=("6-6", "1-1"), house_way=house.house_way)
    found = {each.what: each for each in again(reading, misread).differences if each.by == "pictures"}
    assert found["hand"].recorded["low"] == ["1-1", "6-6"]
    assert found["hand"].now == {"low": sorted(house.low), "high": sorted(house.high), "status": house.status}
    assert found["hand"].entered is None
    assert house.house_way is not None
    assert house.house_way.expected is not None
    assert found["setting"].now[0]["low"] == sorted(house.house_way.expected.low)


def test_what_a_person_entered_stands_beside_what_is_read_now(reading: PictureReading, recorded: RoundReport) -> None:
    house = recorded.house
    assert house is not None
    read = {"low": ("6-6", "1-1"), "high": house.high, "status": "uncertain", "doubts": ({"code": "pip_glare"},)}
    correction = {"action": "correct", "by": "ann", "reason": "seen", "at": START, "read": read}
    data = with_house(recorded, status="confirmed").model_dump(mode="json")
    next(hand for hand in data["hands"] if hand["place"] == "house")["review"] = json.loads(
        json.dumps(correction, default=str)
    )
    corrected = RoundReport.model_validate_json(json.dumps(data))
    found = again(reading, corrected)
    (hand,) = (each for each in found.differences if each.what == "hand")
    assert (hand.recorded["status"], hand.now["status"]) == ("uncertain", "verified")
    assert hand.entered == hand.now
    assert not [each for each in found.differences if each.by == "rules"]


def test_what_no_picture_shows_is_reported(reading: PictureReading, recorded: RoundReport) -> None:
    bare = recorded.model_copy(update={"evidence": ()})
    assert [each.code for each in again(reading, bare).unread] == ["no_pictures"]
    of_house = tuple(each for each in recorded.evidence if each.place == "house")
    found = again(reading, recorded.model_copy(update={"evidence": of_house}))
    assert found.outcome == "same"
    others = {hand.place for hand in recorded.hands if hand.place != "house"} | ({"dice"} if recorded.dice else set())
    assert {each.place for each in found.unread if each.code == "not_shown"} == others


def test_what_is_missing_is_reported(set_ups: SetUps, reading: PictureReading, recorded: RoundReport) -> None:
    def codes(pictures: Kept, report: RoundReport = recorded, known: SetUps = set_ups) -> set[str]:
        found = again(replace(reading, pictures=pictures, set_ups=known), report)
        assert found.outcome == "unread"
        return {each.code for each in found.unread}

    assert codes(Kept()) == {"picture_missing"}
    assert codes(Kept(away=True)) == {"picture_unavailable"}
    with pytest.raises(UnavailableError):
        again(replace(reading, pictures=Kept(away=True)), recorded, last_try=False)
    spoilt = Picture(b"\xff\xd8 no picture")
    shown = tuple(each.model_copy(update={"sha256": spoilt.sha256}) for each in recorded.evidence)
    assert codes(Kept(spoilt), recorded.model_copy(update={"evidence": shown})) == {"picture_invalid"}
    assert codes(Kept(PICTURE), known=SetUps()) == {"calibration_missing"}
    for version, code in (("enrolment", "enrolment_missing"), ("own_dice", "dice_missing")):
        enrolled = {**recorded.versions, version: "sha256:00"}
        assert codes(Kept(PICTURE), recorded.model_copy(update={"versions": enrolled})) == {code}


def test_a_copy_counts_only_if_it_matches_its_hash(tmp_path: Path) -> None:
    copy = tmp_path / PICTURE.sha256[:2] / PICTURE.sha256
    copy.parent.mkdir()
    copy.write_bytes(PICTURE.data)
    copies = PictureCopies(str(tmp_path))
    assert copies.get(PICTURE.sha256) == PICTURE.data
    assert PictureCopies(f"file://{tmp_path}").get(PICTURE.sha256) == PICTURE.data
    assert copies.get("0" * 64) is None
    copy.write_bytes(b"something else")
    assert copies.get(PICTURE.sha256) is None
    with pytest.raises(ValueError, match="nowhere"):
        PictureCopies(str(tmp_path / "nowhere"))


def test_a_picture_of_no_camera_is_refused_by_its_header(reading: PictureReading, recorded: RoundReport) -> None:
    """Another table's picture matches its hash, whatever it is: 51 megapixels would take 150 MB."""
    large = Picture(png_header(10_200, 5_000))
    shown = tuple(each.model_copy(update={"sha256": large.sha256}) for each in recorded.evidence)
    found = again(replace(reading, pictures=Kept(large)), recorded.model_copy(update={"evidence": shown}))
    assert any("more than 50 megapixels" in each.details for each in found.unread)


def test_a_copy_larger_than_any_picture_is_not_fetched(tmp_path: Path) -> None:
    copy = tmp_path / "00" / ("0" * 64)
    copy.parent.mkdir()
    with copy.open("wb") as file:
        file.truncate(65 * 1024 * 1024)
    sha256 = sha256_of(copy)
    copy.parent.rename(tmp_path / sha256[:2])
    (tmp_path / sha256[:2] / copy.name).rename(tmp_path / sha256[:2] / sha256)
    assert PictureCopies(str(tmp_path)).get(sha256) is None


def test_a_bucket_that_cannot_be_reached_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("ENDPOINT", "http://127.0.0.1:9"), ("ALLOW_HTTP", "true"), ("REGION", "x")):
        monkeypatch.setenv(f"AWS_{name}", value)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "x")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    with pytest.raises(UnavailableError):
        PictureCopies("s3://pictures/floor").get("0" * 64)


def test_models_are_those_that_their_cards_describe(tmp_path: Path) -> None:
    found = basis_here("pictures", Chosen(), None)
    assert {"detector", "tiles", "dice", "lean"} <= found.versions.keys()
    for file in default_weights().iterdir():
        if file.name.startswith(("detector", "tiles", "dice", "lean")):
            (tmp_path / file.name).write_bytes(file.read_bytes())
    assert basis_here("pictures", Chosen(), tmp_path).versions == found.versions
    (tmp_path / "dice.onnx").write_bytes(b"something else")
    with pytest.raises(ModelError, match="was altered"):
        basis_here("pictures", Chosen(), tmp_path)
    (tmp_path / "dice.onnx").unlink()
    with pytest.raises(ModelError, match="cannot be read"):
        basis_here("pictures", Chosen(), tmp_path)
