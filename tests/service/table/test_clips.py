"""The seconds before an alarm: which pictures a clip holds, and when one is recorded."""

import io
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from unittest.mock import patch
from zoneinfo import ZoneInfo

import cv2
import numpy as np
import pytest

from service.record.integrity.verify import verify_database
from service.record.ledger import Evidence, Ledger, open_record
from service.record.store.entries import RecordUnavailableError
from service.rounds.judge.rules_in_force import TableRules
from service.rounds.reports import RoundReport
from service.system.service_settings import RecordConfig
from service.table.clips import CLIP_TYPE, MAX_BYTES, WIDTH_PX, ClipKeeper, _frames, film
from service.table.live_state import LiveState
from service.table.metrics import Metrics, TableMetrics
from service.table.recorder import Recorder
from service.table.worker import Instruments, Worker
from service.words.codes import RecordCode
from tests.service.stand_ins import (
    EMPTY,
    HOUSE_RIGHT,
    HOUSE_WRONG,
    RIGHT,
    WRONG,
    FakeReader,
    FakeSource,
    config,
    hand,
    new_folder,
    opened,
    reading,
    report_round,
    wait_until,
)
from vision.capture import Frame, FrameResult
from vision.capture.images import Image
from vision.reading import Reading

BEGIN = datetime(2026, 1, 1, 23, 59, 30, tzinfo=UTC)
RULES = TableRules.of("crown-6.1")
DOUBTFUL = reading(hand("house", *RIGHT, "uncertain", ("glare",)))
DOUBTFUL_BOX = reading(hand("house", *WRONG), hand("box2", "1-1 4-3", "4-4 5-5", "uncertain", ("glare",)))


def shade(number: int, width: int = 320) -> Image:
    """A plain picture, told from its neighbours by its grey."""
    return np.full((width * 9 // 16, width, 3), 10 + number % 240, np.uint8)


def written(said: Reading, round_id: str = "r1") -> RoundReport:
    return report_round(opened(said, round_id), table="test", rules=RULES, versions={})


def pictures_of(data: bytes) -> list[tuple[str, int]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert all(one.compress_type == zipfile.ZIP_STORED for one in archive.infolist())
        found = []
        for name in archive.namelist():
            shown = cv2.imdecode(np.frombuffer(archive.read(name), np.uint8), cv2.IMREAD_COLOR)
            assert shown is not None
            found.append((name, round(float(np.median(shown)))))
    return found


def filmed(keeper: ClipKeeper, fps: float, seconds: float) -> int:
    """Show a table for some seconds; returns the number of the last picture."""
    last = int(fps * seconds)
    for number in range(last + 1):
        keeper.see(shade(number), number, BEGIN + timedelta(seconds=number / fps), number / fps)
    return last


def only(evidence: Sequence[Evidence]) -> Evidence:
    (one,) = evidence
    return one


@pytest.mark.parametrize(
    ("fps", "held", "apart"),
    [(0.5, 16, 1), (2.0, 61, 1), (5.0, 76, 2), (7.0, 71, 3), (30.0, 91, 10)],
)
def test_a_clip_holds_the_last_seconds_in_order_and_ends_at_the_newest_picture(
    fps: float, held: int, apart: int
) -> None:
    keeper = ClipKeeper(30.0)
    last = filmed(keeper, fps, 44.0)
    one = only(keeper.of(written(HOUSE_WRONG), None))
    shown = pictures_of(one.picture.data)
    numbers = [int(name.split("-")[0]) for name, _ in shown]
    assert numbers == sorted(set(numbers))
    assert numbers[-1] == last
    assert numbers[0] >= last - 30 * fps
    assert set(np.diff(numbers[:-1])) == {apart}
    assert abs(len(numbers) - held) <= 1
    assert [grey for _, grey in shown] == pytest.approx([10 + number % 240 for number in numbers], abs=2)
    assert one.clip is not None
    assert (one.place, one.role, one.picture.media_type) == (None, "clip", "application/zip")
    assert one.clip.pictures == len(numbers)
    # Times are read from the values and from the names alike.
    assert one.clip.ended_at == BEGIN + timedelta(seconds=last / fps)
    assert one.clip.started_at == BEGIN + timedelta(seconds=numbers[0] / fps)
    for name, number in zip((name for name, _ in shown), numbers, strict=True):
        at = BEGIN + timedelta(seconds=number / fps)
        assert name == f"{number:09d}-{at:%Y%m%dT%H%M%S}{at.microsecond // 1000:03d}Z.jpg"


def test_the_picture_that_raises_the_alarm_is_in_it_though_it_follows_another_closely() -> None:
    keeper = ClipKeeper(30.0)
    for number, t_s in enumerate((0.0, 0.4, 0.45)):
        keeper.see(shade(number), number, BEGIN + timedelta(seconds=t_s), t_s)
    one = only(keeper.of(written(HOUSE_WRONG), None))
    assert [int(name.split("-")[0]) for name, _ in pictures_of(one.picture.data)] == [0, 1, 2]


def test_pictures_are_no_wider_than_the_page_needs_and_not_enlarged() -> None:
    for width, shown in ((2304, WIDTH_PX), (640, 640)):
        keeper = ClipKeeper(30.0)
        keeper.see(shade(1, width), 1, BEGIN, 0.0)
        one = only(keeper.of(written(HOUSE_WRONG), None))
        with zipfile.ZipFile(io.BytesIO(one.picture.data)) as archive:
            image = cv2.imdecode(np.frombuffer(archive.read(archive.namelist()[0]), np.uint8), cv2.IMREAD_COLOR)
        assert image is not None
        assert image.shape[:2] == (shown * 9 // 16, shown)


def test_memory_is_bounded_whatever_the_camera_sees() -> None:
    keeper = ClipKeeper(60.0)
    noise = np.random.default_rng(0).integers(0, 255, (720, 1280, 3), dtype=np.uint8)
    for number in range(40):
        keeper.see(np.roll(noise, 97 * number), number, BEGIN + timedelta(seconds=number / 5), number / 5)
    one = only(keeper.of(written(HOUSE_WRONG), None))
    assert len(one.picture.data) < MAX_BYTES * 1.01
    assert one.clip is not None
    assert 1 < one.clip.pictures < 40
    assert one.clip.ended_at == BEGIN + timedelta(seconds=39 / 5)


def test_pictures_of_another_count_of_seconds_are_let_go() -> None:
    keeper = ClipKeeper(30.0)
    filmed(keeper, 5.0, 4.0)
    keeper.see(shade(99), 99, BEGIN, -1000.0)
    one = only(keeper.of(written(HOUSE_WRONG), None))
    assert [grey for _, grey in pictures_of(one.picture.data)] == pytest.approx([109], abs=2)


@pytest.mark.parametrize(
    ("before", "now", "raises"),
    [
        (None, HOUSE_RIGHT, False),
        (None, HOUSE_WRONG, True),
        (None, DOUBTFUL, True),
        (HOUSE_RIGHT, HOUSE_WRONG, True),
        (HOUSE_WRONG, HOUSE_WRONG, False),
        (HOUSE_WRONG, DOUBTFUL_BOX, True),
        (DOUBTFUL_BOX, HOUSE_WRONG, False),
        (HOUSE_WRONG, HOUSE_RIGHT, False),
    ],
)
def test_only_what_was_no_alarm_before_gets_a_clip(before: Reading | None, now: Reading, *, raises: bool) -> None:
    keeper = ClipKeeper(30.0)
    filmed(keeper, 5.0, 1.0)
    found = keeper.of(written(now), None if before is None else written(before))
    assert bool(found) is raises


def test_none_is_kept_where_none_is_wanted() -> None:
    keeper = ClipKeeper(0.0)
    filmed(keeper, 5.0, 4.0)
    assert keeper.of(written(HOUSE_WRONG), None) == ()


def shots(count: int, apart_s: float) -> list[FrameResult]:
    return [
        Frame(number, BEGIN + timedelta(seconds=apart_s * number), f"{number}.jpg", shade(number))
        for number in range(count)
    ]


@contextmanager
def working(
    says: list[Reading | Exception], apart_s: float, clip_s: float = 30.0
) -> Iterator[tuple[LiveState, Ledger]]:
    settings = config().model_copy(update={"record": RecordConfig(folder=new_folder(), min_free_mb=0, clip_s=clip_s)})
    live, ledger = LiveState(3, stale_after_s=10), Ledger(open_record(settings), "test", RULES)
    source = FakeSource(shots(len(says), apart_s), live=True)
    worker = Worker(settings, live, RULES, ledger, Instruments(FakeReader(says), open_frames=lambda _: source))
    worker.start()
    try:
        yield live, ledger
    finally:
        worker.stop()
        ledger.record.close()


@pytest.mark.parametrize("fps", [0.5, 2.0, 30.0])
def test_a_table_that_sees_a_hand_set_wrongly_records_the_seconds_before(fps: float) -> None:
    before, laid = int(fps * 14), max(4, int(fps * 2))
    says = [*[EMPTY] * before, *[HOUSE_WRONG] * laid, *[EMPTY] * laid]
    with working([*says], 1 / fps, 10.0) as (live, ledger):
        wait_until(lambda: live.state.current is not None and live.state.current.state == "closed")
        current = live.state.current
        assert current is not None
        revisions = [report for _, report in ledger.revisions(current.id)]
        named = [[one for one in report.evidence if one.role == "clip"] for report in revisions]
        ((first,), *later) = named
        assert all(each == [first] for each in later)  # one alarm, one clip, and it stays with its round
        kept = ledger.record.picture(first.sha256)
        assert kept is not None
        assert (kept.media_type, len(kept.data)) == (first.media_type, first.bytes)
        numbers = [int(name.split("-")[0]) for name, _ in pictures_of(kept.data)]
        raised = round((revisions[0].changed_at - BEGIN).total_seconds() * fps) + 1  # the table counts from 1
        assert before < numbers[-1] == raised <= before + laid
        assert raised - 10 * fps <= numbers[0] <= raised - 10 * fps + max(1.0, 0.35 * fps)
        assert numbers == sorted(set(numbers))
        greys = [grey for _, grey in pictures_of(kept.data)]
        assert greys == pytest.approx([10 + (number - 1) % 240 for number in numbers], abs=2)
        assert first.clip is not None
        assert first.clip.ended_at == revisions[0].changed_at
        proof = verify_database(ledger.record, ledger.record.evidence.folder)
        assert proof.holds
        # Evidence that was changed is found out.
        ledger.record.evidence.path(first.sha256).write_bytes(kept.data[:-1] + b"?")
        assert not verify_database(ledger.record, ledger.record.evidence.folder).holds


@pytest.mark.parametrize(("says", "clip_s"), [(HOUSE_RIGHT, 30.0), (HOUSE_WRONG, 0.0)])
def test_no_clip_without_an_alarm_or_where_it_is_switched_off(says: Reading, clip_s: float) -> None:
    with working([says] * 3, 0.5, clip_s) as (live, _):
        wait_until(lambda: live.state.current is not None)
        current = live.state.current
        assert current is not None
        assert current.evidence
        assert all(one.role != "clip" for one in current.evidence)


def test_few_clips_are_held_while_the_record_cannot_be_written() -> None:
    settings = config()
    ledger, live = Ledger(open_record(settings), "test", RULES), LiveState(9, stale_after_s=10)
    recorder = Recorder(ledger, live, TableMetrics(Metrics(), "test"), 9)
    keeper = ClipKeeper(30.0)
    refused = RecordUnavailableError.of(RecordCode.DISK_FULL_OF_PICTURES)
    with patch.object(type(ledger.record), "append", side_effect=refused):
        for number in range(6):
            keeper.see(shade(number), number, BEGIN + timedelta(seconds=number), float(number))
            played = report_round(opened(HOUSE_WRONG, f"r{number}"), table="test", rules=RULES, versions={})
            evidence = keeper.of(played, None)
            with pytest.raises(RecordUnavailableError):
                recorder.record(played, evidence)
            recorder.wait(played, evidence, refused.finding)
    waiting = [evidence for _, evidence in recorder._waiting.values()]
    assert [len(each) for each in waiting] == [0, 0, 0, 1, 1, 1]
    ledger.record.close()


def _zip(*pictures: tuple[str, bytes]) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in pictures:
            archive.writestr(name, data)
    return whole.getvalue()


NAME = "1-20260101T000000000000Z.jpg"


@pytest.mark.parametrize(
    "clip",
    [
        pytest.param(b"no zip", id="no-zip"),
        pytest.param(_zip(("no moment", b"")), id="no-moment"),
        pytest.param(_zip((NAME, b"1"))[:-30], id="cut-off"),
        pytest.param(_zip((NAME, b"1")).replace(b"PK\x01\x02", b"PK\x01\x02\xff\xff\xff", 1), id="damaged"),
    ],
)
def test_a_clip_of_another_table_that_is_none_leaves_no_film(clip: bytes) -> None:
    assert film([(BEGIN, clip, CLIP_TYPE)], 1, ZoneInfo("UTC")) is None


def test_a_picture_that_unpacks_to_gigabytes_is_not_unpacked() -> None:
    clip = _zip((NAME, bytes(MAX_BYTES + 1)))
    assert list(_frames([(BEGIN, clip, CLIP_TYPE)])) == [(datetime(2026, 1, 1, tzinfo=UTC), b"")]
    assert film([(BEGIN, clip, CLIP_TYPE)], 1, ZoneInfo("UTC"))  # a black picture
