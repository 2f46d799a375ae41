"""The reading thread: it publishes what it reads and survives whatever the source does."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest

from calibration.files.calibration_file import CalibrationError, TableCalibration
from calibration.table.presets import preset_layout
from engine.vocabulary.facts import Bank
from engine.vocabulary.play import Lie
from service.record.health import Check, Watch
from service.record.ledger import Ledger, open_record
from service.rounds.bank import ReportedBank
from service.rounds.judge.rules_in_force import TableRules
from service.rounds.reports import BankerReport
from service.system.settings import Config
from service.table import worker as worker_module
from service.table.evidence_keeper import draw_view, drawn_on
from service.table.live_state import LiveState
from service.table.monitor.camera_watch import CameraWatch
from service.table.monitor.inspection import Inspector
from service.table.monitor.set_watch import SetRequest, SetWatch
from service.table.worker import Instruments, Worker
from service.words.codes import ServiceCode
from tests.calibration.watched import shot, watched_table
from tests.service.stand_ins import (
    EMPTY,
    HOUSE_RIGHT,
    HOUSE_WRONG,
    RIGHT,
    FakeReader,
    FakeSource,
    bad_frame,
    config,
    frames,
    picture,
    wait_until,
    with_table,
)
from tests.vision.tracking.test_marker_watch import CHUNG, OFF, lying
from vision.capture import Frame, FrameResult, SourceError
from vision.capture.faults import CaptureCode
from vision.reading import Reading


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "FIRST_PAUSE_S", 0.01)


@contextmanager
def _working(
    says: list[Reading | Exception],
    *sources: FakeSource | Exception,
    watches: tuple[Watch, ...] = (),
    camera: CameraWatch | None = None,
    tiles: SetWatch | None = None,
    settings: Config | None = None,
    calibration: TableCalibration | None = None,
) -> Iterator[tuple[LiveState, FakeReader, Worker]]:
    waiting = list(sources)

    def open_next(_: Config) -> FakeSource:
        source = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        if isinstance(source, Exception):
            raise source
        return source

    settings, reader = settings or config(), FakeReader(says)
    live = LiveState(settings.table.rounds.keep, stale_after_s=10)
    house_way = TableRules.of("crown-6.1")
    ledger = Ledger(open_record(settings), settings.table.name, house_way)
    tools = Instruments(reader, calibration=calibration, camera=camera, tiles=tiles, open_frames=open_next)
    worker = Worker(settings, live, house_way, ledger, tools, watches=watches)
    worker.start()
    try:
        yield live, reader, worker
    finally:
        worker.stop()
        ledger.record.close()


def _check(live: LiveState, name: str) -> Check:
    return next(check for check in live.health() if check.name == name)


@pytest.mark.parametrize(("low_hand", "laid"), [(None, RIGHT), (Lie.VERTICAL, RIGHT), (Lie.HORIZONTAL, RIGHT[::-1])])
def test_a_round_is_read_by_the_conventions_of_its_table(low_hand: Lie | None, laid: tuple[str, str]) -> None:
    plain = config()
    settings = with_table(plain, low_hand=low_hand)
    known = replace(watched_table().calibration, layout=preset_layout("crown-a", box1_at_right=False))
    says: list[Reading | Exception] = [HOUSE_RIGHT] * 3
    with _working(says, FakeSource(frames(3), live=True), settings=settings, calibration=known) as (live, _, _):
        wait_until(lambda: live.state.current is not None and live.state.current.throw is not None)
        now = live.state.current
        assert now is not None
        assert now.house is not None
        assert (" ".join(now.house.low), " ".join(now.house.high)) == laid
        assert now.box_order == (8, 7, 6, 5, 4, 3, 2, 1)
        assert now.throw is not None
        assert (now.throw.total, now.throw.first_box) == (9, 8)  # the ninth is the House's box, at the dealer's right


def test_pictures_become_a_view_a_reading_and_rounds() -> None:
    says: list[Reading | Exception] = [HOUSE_WRONG, HOUSE_WRONG, EMPTY, EMPTY, HOUSE_RIGHT, HOUSE_RIGHT]
    with _working(says, FakeSource(frames(6), live=True)) as (live, _, _):
        wait_until(lambda: live.state.view is not None and live.state.view.number == 6 and len(live.state.rounds) == 2)
        first, second = live.state.rounds.values()
        assert (first.state, second.state) == ("closed", "open")
        assert first.house is not None
        assert first.house.house_way is not None
        assert first.house.house_way.verdict == "wrong"
        assert live.state.current == second
        assert live.state.reading is not None
        assert live.state.reading.image == "5.jpg"
        assert all(check.ok for check in live.health())


def test_recorded_pictures_are_played_again() -> None:
    with _working([HOUSE_RIGHT], FakeSource(frames(2))) as (live, reader, _):
        wait_until(lambda: len(reader.pictures) > 6 and bool(live.state.rounds))
        assert len(live.state.rounds) == 1


def test_a_bad_picture_is_shown_and_passed_over() -> None:
    source = FakeSource([*frames(1), bad_frame("lens.jpg")], live=True)
    with _working([HOUSE_RIGHT], source) as (live, _, _):
        wait_until(lambda: any(not check.ok for check in live.health()))
        assert _check(live, "source").message.startswith("lens.jpg: does not open")
        assert live.state.view is not None


class _Folder(FakeSource):
    """Recorded pictures that are given once."""

    def __iter__(self) -> Iterator[FrameResult]:
        yield from self.seen
        self.closed.wait()


def test_a_recorded_picture_of_another_size_is_named_and_passed_over() -> None:
    says: list[Reading | Exception] = [HOUSE_RIGHT, CalibrationError("1.jpg has 64 x 48"), HOUSE_RIGHT]
    with _working(says[:2], _Folder(frames(2))) as (live, reader, _):
        wait_until(lambda: any(not check.ok for check in live.health()))
        assert _check(live, "source").message == "1.jpg has 64 x 48"
        assert len(reader.pictures) == 2
    with _working(says, _Folder(frames(3))) as (live, reader, _):
        wait_until(lambda: len(reader.pictures) == 3 and all(check.ok for check in live.health()))


def test_a_source_that_does_not_open_is_tried_again() -> None:
    sources = (
        SourceError.of(CaptureCode.NO_SUCH_SOURCE, name="nowhere"),
        OSError("odd"),
        FakeSource(frames(1), live=True),
    )
    with _working([HOUSE_RIGHT], *sources) as (live, _, _):
        wait_until(lambda: live.state.view is not None)
        assert all(check.ok for check in live.health())


def test_a_source_that_never_opens_says_why() -> None:
    with _working([HOUSE_RIGHT], SourceError.of(CaptureCode.NO_SUCH_SOURCE, name="nowhere")) as (live, _, _):
        wait_until(lambda: any(not check.ok for check in live.health()))
        assert "no such file" in _check(live, "source").message


def test_a_fault_of_the_reader_does_not_end_the_thread() -> None:
    says: list[Reading | Exception] = [RuntimeError("out of memory"), HOUSE_RIGHT]
    with _working(says, FakeSource(frames(1)), FakeSource(frames(2), live=True)) as (live, _, _):
        wait_until(lambda: live.state.view is not None)
        assert _check(live, "reading").ok


def test_stopping_does_not_wait_for_a_live_source() -> None:
    source = FakeSource(frames(1), live=True)
    with _working([HOUSE_RIGHT], source) as (live, _, worker):
        wait_until(lambda: live.state.view is not None)
        worker.stop()
        assert source.closed.is_set()
        assert worker._thread is not None
        assert not worker._thread.is_alive()


@pytest.mark.parametrize(("width", "shown"), [(640, (640, 360)), (3200, (1600, 900))])
def test_the_view_is_no_wider_than_needed(width: int, shown: tuple[int, int]) -> None:
    view = draw_view(picture(width, width * 9 // 16), HOUSE_RIGHT, {})
    assert (view.shape[1], view.shape[0]) == shown


def test_nothing_is_drawn_while_nobody_looks() -> None:
    with (
        patch("service.table.pipeline.drawn_on", side_effect=drawn_on) as draws,
        _working([HOUSE_RIGHT], FakeSource(frames(6), live=True)) as (live, _, _),
    ):
        wait_until(lambda: live.state.view is not None and live.state.view.number == 6)
        assert draws.call_count == 0
        seen = live.view()
        assert seen is not None
        assert seen.jpeg() == seen.jpeg()
        assert seen.jpeg().startswith(b"\xff\xd8")
        assert draws.call_count == 1


def test_a_failing_monitor_holds_readings_back() -> None:
    says = iter([True, *(False for _ in range(7)), True])
    clock = Check.of("clock", ServiceCode.CLOCK_WELL, ok=True)

    def watch() -> Check:
        return (
            clock
            if next(says, True)
            else Check.of("clock", ServiceCode.CLOCK_SET_BACK, ok=False, seconds=3.0, settle_s=60)
        )

    source = FakeSource(frames(12), live=True)
    with _working([HOUSE_RIGHT], source, watches=(watch,)) as (live, _, worker):
        wait_until(lambda: live.state.current is not None and live.state.current.revision == 2)
        assert live.state.current is not None
        assert live.state.current.house is not None
        assert live.state.current.house.status == "verified"
        first, second = (report for _, report in worker.ledger.revisions(live.state.current.id))
        assert first.house is not None
        assert first.house.status == "uncertain"
        assert "clock_set_back" in {doubt.code for doubt in first.house.doubts}
        assert second.house is not None
        assert second.house.status == "verified"
        noted = [(entry.subject, entry.data["ok"]) for entry in worker.ledger.record.last(("health",), count=9)]
        assert noted == [("clock", True), ("clock", False), ("clock", True)]


def test_a_camera_that_moved_holds_back_what_it_shows_and_says_so() -> None:
    table = watched_table()
    moved, stands = table.seen_from(x=20.0), table.clean
    source = FakeSource(
        [
            replace(frame, image=shot(moved if n < 8 else stands, seed=n))
            for n, frame in enumerate(frames(150))  # an alarm is over only after a second of the machine's own time
            if isinstance(frame, Frame)
        ],
        live=True,
    )
    camera = CameraWatch(Inspector.of(table.calibration, table.empty))
    with _working([HOUSE_RIGHT], source, camera=camera) as (live, reader, worker):
        wait_until(lambda: live.state.current is not None and live.state.current.revision == 2)
        assert all(empty is table.empty for empty in reader.empties), (
            "prints on the felt are known from the picture of the empty table"
        )
        assert live.state.reading is not None
        assert "inspect" in live.state.reading.elapsed_ms
        assert live.state.current is not None
        told = [report for _, report in worker.ledger.revisions(live.state.current.id)]
        assert [report.house.status for report in told if report.house is not None] == ["uncertain", "verified"]
        assert told[0].house is not None
        assert "drifted" in {doubt.code for doubt in told[0].house.doubts}
        assert "drifted" in {finding.code for finding in told[0].findings}
        assert {check.name for check in live.health()} >= {"camera", "source", "reading"}


def test_a_set_not_accepted_verifies_nothing(tmp_path: Path) -> None:
    tiles = SetWatch(watched_table().calibration, tmp_path / "own.json")
    with _working([HOUSE_RIGHT], FakeSource(frames(8), live=True), tiles=tiles) as (live, _, worker):
        wait_until(lambda: live.state.current is not None)
        assert not _check(live, "tiles").ok
        assert live.state.current is not None
        assert live.state.current.house is not None
        assert live.state.current.house.status == "uncertain"
        assert "set_not_enrolled_yet" in {doubt.code for doubt in live.state.current.house.doubts}
        assert worker.ledger.last_of_tiles() is None
    answered = SetWatch(watched_table().calibration, tmp_path / "own.json")
    answered.ask(SetRequest("confirm", "ann", "counted by hand"))
    with _working([HOUSE_RIGHT], FakeSource(frames(8), live=True), tiles=answered) as (live, _, worker):
        wait_until(lambda: live.state.current is not None and live.state.current.status == "verified")
        assert _check(live, "tiles").ok
        assert live.state.current is not None
        assert live.state.current.status == "verified"
        noted = worker.ledger.last_of_tiles()
        assert noted is not None
        assert (noted["act"], noted["by"], noted["reason"]) == ("confirm", "ann", "counted by hand")


def test_what_was_told_of_the_bank_holds_for_one_round() -> None:
    markers = (lying(CHUNG, 3), lying(OFF, 5))
    played = [replace(HOUSE_RIGHT, markers=markers)] * 4 + [replace(EMPTY, markers=markers)] * 4
    with _working([*played, *played], FakeSource(frames(16), live=True)) as (live, _, worker):
        worker.live.report_bank(ReportedBank("Ann", Bank.PLAYER))
        wait_until(lambda: live.state.view is not None and live.state.view.number == 16)
        first, second = live.state.rounds.values()
        assert live.state.reported_bank is None
        for bank, held in ((first.bank, "player"), (second.bank, None)):
            assert bank is not None
            assert [off.box for off in bank.out_of_play] == [5]
            assert (bank.banker and bank.banker.held) == held
        assert live.state.progress is not None
        assert live.state.progress.bank is not None
        assert live.state.progress.bank.banker == BankerReport(box=3, held=None, source="camera")
