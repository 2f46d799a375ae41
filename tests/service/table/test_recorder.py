"""The recorder: rounds are published once durable, and continue after a restart; another program is reported."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from service.record.integrity.verify import verify_database
from service.record.ledger import Ledger, open_record
from service.rounds.judge.rules_in_force import TableRules
from service.rounds.reports import RoundReport
from service.system.settings import Config
from service.table.live_state import LiveState
from service.table.metrics import Metrics, TableMetrics
from service.table.recorder import Recorder
from service.table.worker import Instruments, Worker
from service.words.codes import ServiceCode
from tests.conftest import ROOT
from tests.service.stand_ins import (
    EMPTY,
    HOUSE_RIGHT,
    HOUSE_WRONG,
    RIGHT,
    FakeReader,
    FakeSource,
    config,
    frames,
    hand,
    reading,
    wait_until,
    with_table,
)
from vision.reading import Reading

OTHERS = reading(hand("house", "2-1 4-2", "6-6 6-6"))
PICTURES = 60


@contextmanager
def working(settings: Config, *says: Reading, pictures: int = PICTURES) -> Iterator[tuple[LiveState, Ledger]]:
    way = TableRules.of("crown-6.1")
    ledger = Ledger(open_record(settings), settings.table.name, way)
    live = LiveState(settings.table.rounds.keep, stale_after_s=10)
    if ledger.record.state.ok:
        live.publish_rounds(*ledger.rounds(settings.table.rounds.keep))
    source = FakeSource(frames(pictures), live=True)
    worker = Worker(settings, live, way, ledger, Instruments(FakeReader(list(says)), open_frames=lambda _: source))
    worker.start()
    try:
        yield live, ledger
    finally:
        worker.stop()
        ledger.record.close()


def rounds_in(ledger: Ledger) -> list[tuple[int, int, str]]:
    return [(each.number, each.revision, each.state) for each in ledger.rounds(10)]


def current(live: LiveState) -> RoundReport:
    assert live.state.current is not None
    return live.state.current


def test_revisions_are_recorded_with_pictures_and_versions() -> None:
    with working(config(), HOUSE_RIGHT, HOUSE_RIGHT, EMPTY) as (live, ledger):
        wait_until(lambda: live.state.current is not None and live.state.current.state == "closed")
        assert rounds_in(ledger) == [(1, 3, "closed")]
        for entry, report in ledger.revisions(current(live).id):
            shown = {(each.place, each.role) for each in report.evidence}
            assert shown == {
                (place, role) for place in ("house", "box2", "dice") for role in ("frame", "annotated", "close_up")
            }
            for each in report.evidence:
                picture = ledger.record.picture(each.sha256)
                assert picture is not None
                assert picture.data.startswith(b"\xff\xd8")
            assert {
                "detector",
                "houseway",
                "python",
                "numpy",
                "config",
                "rulebook",
                "house_way",
            } <= report.versions.keys()
            assert entry.at
        (start,) = ledger.record.last(("start",))
        assert start.data["versions"]["config"].startswith("sha256:")
        assert verify_database(ledger.record, ledger.record.evidence.folder).holds


@pytest.mark.slow
def test_a_killed_service_goes_on_in_the_middle_of_its_round() -> None:
    settings = config()
    code = (
        "import sys, pathlib; from tests.service.table.test_recorder import *; "
        "s = config(); s = s.model_copy(update={'record': s.record.model_copy(update={'folder': "
        "pathlib.Path(sys.argv[1])})})\n"
        "with working(s, HOUSE_RIGHT, pictures=500) as (live, ledger):\n"
        "    wait_until(lambda: live.state.current is not None, 60)\n"
        "    print(live.state.current.id, live.state.current.number, flush=True)\n"
        "    import time; time.sleep(60)"
    )
    command = [sys.executable, "-c", code, str(settings.record_folder)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as killed:
        assert killed.stdout is not None
        round_id, number = killed.stdout.readline().split()
        os.kill(killed.pid, signal.SIGKILL)
    with working(settings, HOUSE_RIGHT, HOUSE_RIGHT, HOUSE_RIGHT, EMPTY, EMPTY, HOUSE_WRONG) as (live, ledger):
        wait_until(lambda: live.state.current is not None and live.state.current.number == int(number) + 1)
        assert rounds_in(ledger) == [(1, 3, "closed"), (2, 1, "open")]
        assert ledger.rounds(2)[0].id == round_id
        assert len(ledger.record.last(("start",), count=5)) == 2


def test_other_tiles_after_a_pause_are_another_round() -> None:
    settings = config()
    with working(settings, HOUSE_RIGHT) as (live, _):
        wait_until(lambda: live.state.current is not None)
    with working(settings, OTHERS) as (live, ledger):
        wait_until(lambda: current(live).number == 2)
        first, second = ledger.rounds(2)
        assert (first.state, second.state) == ("closed", "open")
        assert first.findings[-1].code == "interrupted"
        assert second.hands[0].high == ("6-6", "6-6")


def test_the_same_tiles_set_anew_after_a_pause_are_the_same_round() -> None:
    settings = config()
    with working(settings, HOUSE_WRONG) as (live, _):
        wait_until(lambda: live.state.current is not None)
    with working(settings, reading(hand("house", *RIGHT))) as (live, ledger):
        wait_until(lambda: current(live).revision == 2)
        assert rounds_in(ledger) == [(1, 2, "open")]


@pytest.mark.parametrize("when", ["from-the-start", "in-between"])
def test_while_nothing_can_be_recorded_nothing_is_verified(when: str) -> None:
    """A folder in the evidence's place is a fault that even root cannot write through."""
    settings = config()
    evidence = settings.record_folder / "evidence"

    def block() -> None:
        settings.record_folder.mkdir(exist_ok=True)
        if evidence.exists():
            evidence.rename(evidence.with_name("aside"))
        evidence.write_text("in the way")

    def unblock() -> None:
        evidence.unlink()
        if evidence.with_name("aside").exists():
            evidence.with_name("aside").rename(evidence)

    if when == "from-the-start":
        block()
    settings = with_table(settings, source=settings.table.watched.model_copy(update={"interval_s": 0.02}))
    with working(settings, *[EMPTY] * 20, HOUSE_RIGHT, pictures=5_000) as (live, ledger):
        if when == "in-between":
            wait_until(lambda: live.state.view is not None)
            block()
        wait_until(lambda: live.state.current is not None)
        shown = current(live)
        assert shown.status == "needs_review"
        assert all(hand.doubts[-1].code == ServiceCode.NOT_RECORDED for hand in shown.hands)
        assert any(not check.ok and check.name == "record" for check in live.health())
        assert ledger.record.last(("round",)) == () if when == "in-between" else True
        unblock()
        wait_until(lambda: current(live).status == "verified", 40)
        assert all(check.ok for check in live.health())
        revisions = [report.status for _, report in ledger.revisions(current(live).id)]
        assert (revisions[0], revisions[-1]) == ("needs_review", "verified")
        assert len(ledger.record.last(("outage",), count=9)) == 1
        assert verify_database(ledger.record, ledger.record.evidence.folder).holds


INSTALLED = {"houseway": "1.0", "code": "sha256:aa", "libraries": "sha256:bb", "python": "3.13"}
CHECKOUT = {"houseway": "1.0", "code": "sha256:aa"}


@pytest.mark.parametrize(
    ("before", "now", "ok"),
    [
        ({}, INSTALLED, True),
        (INSTALLED, INSTALLED | {"python": "3.14"}, True),
        (INSTALLED, INSTALLED | {"code": "sha256:cc"}, False),
        (INSTALLED, INSTALLED | {"libraries": "sha256:cc"}, False),
        (INSTALLED, INSTALLED | {"houseway": "1.1"}, False),
        (INSTALLED, CHECKOUT, False),  # its list was removed
        (CHECKOUT, INSTALLED, False),
        (CHECKOUT, CHECKOUT | {"code": "sha256:cc"}, True),  # who develops changes it all the time
    ],
)
def test_another_program_than_at_the_last_start_is_told(before: dict[str, str], now: dict[str, str], ok: bool) -> None:  # noqa: FBT001
    settings = config()
    ledger, live = Ledger(open_record(settings), "test", TableRules.of("crown-6.1")), LiveState(9, stale_after_s=10)
    if before:
        ledger.begin(before)
    assert Recorder(ledger, live, TableMetrics(Metrics(), "test"), 9).recover(now) is None
    (check,) = (each for each in live.health() if each.name == "program")
    assert (check.ok, check.blocks) == (ok, False)
    assert (check.findings[0].code is ServiceCode.PROGRAM_SAME) == ok
    assert ledger.started_with() == now
    # The next start finds the versions of the last one.
    later = LiveState(9, stale_after_s=10)
    Recorder(ledger, later, TableMetrics(Metrics(), "test"), 9).recover(now)
    assert all(each.ok for each in later.health() if each.name == "program")
    ledger.record.close()
