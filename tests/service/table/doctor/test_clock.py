"""The clock: jumps either way, a time server, and a clock behind the record."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from service.system.table_settings import ClockConfig, LocalTableConfig, SourceConfig
from service.table.doctor.machine_checks import ClockSync, ClockWatch, kernel_sync, steady_ns

START_NS = 1_800_000_000_000_000_000


@dataclass
class _Machine:
    """Two clocks, one of which can be set."""

    utc_ns: int = START_NS
    steady_ns: int = 5_000_000_000
    sync: ClockSync = ClockSync(synchronised=True)  # noqa: RUF009  frozen

    def passes(self, seconds: float, *, put_by: float = 0.0) -> None:
        self.steady_ns += int(seconds * 1e9)
        self.utc_ns += int((seconds + put_by) * 1e9)

    def watch(self, settings: ClockConfig | None = None, not_before: datetime | None = None) -> ClockWatch:
        return ClockWatch(
            settings or ClockConfig(), not_before, lambda: self.utc_ns, lambda: self.steady_ns, lambda: self.sync
        )


def test_a_clock_that_runs_evenly_is_well() -> None:
    machine = _Machine()
    watch = machine.watch()
    for _ in range(10):
        machine.passes(0.2, put_by=0.0001)  # as a time server's slewing does
        assert watch.check().ok


@pytest.mark.parametrize(("by", "said"), [(-3.2, "set back by 3.2 s"), (3600.0, "set forward by 3600.0 s")])
def test_a_jump_holds_everything_until_the_clock_has_run_evenly(by: float, said: str) -> None:
    machine = _Machine()
    watch = machine.watch(ClockConfig(settle_s=10))
    machine.passes(0.2, put_by=by)
    assert not watch.check().ok
    machine.passes(9.9)
    found = watch.check()
    assert (found.ok, said in found.message) == (False, True)
    machine.passes(0.1)
    assert watch.check().ok


def test_another_jump_begins_the_waiting_anew() -> None:
    machine = _Machine()
    watch = machine.watch(ClockConfig(settle_s=10))
    for _ in range(3):
        machine.passes(6, put_by=-1)
        assert not watch.check().ok


def test_a_step_as_small_as_allowed_is_none() -> None:
    machine = _Machine()
    watch = machine.watch(ClockConfig(largest_step_s=1.0))
    machine.passes(0.2, put_by=-0.9)
    assert watch.check().ok


@pytest.mark.parametrize(
    ("sync", "need_sync", "ok", "said"),
    [
        pytest.param(ClockSync(synchronised=True), True, True, "evenly", id="set"),
        pytest.param(ClockSync(synchronised=False), True, False, "no time server", id="not-set"),
        pytest.param(ClockSync(None), True, False, "it is not known whether", id="unknown"),
        pytest.param(ClockSync(synchronised=False), False, True, "evenly", id="not-needed"),
    ],
)
def test_a_time_server(sync: ClockSync, need_sync: bool, ok: bool, said: str) -> None:  # noqa: FBT001
    found = _Machine(sync=sync).watch(ClockConfig(need_sync=need_sync)).check()
    assert (found.ok, said in found.message) == (ok, True)


def test_a_clock_behind_the_record_is_wrong_until_it_has_caught_up() -> None:
    machine = _Machine()
    newest = datetime.fromtimestamp(START_NS / 1e9 + 100, UTC)
    watch = machine.watch(ClockConfig(settle_s=1), not_before=newest)
    assert "before the last entry of the record" in watch.check().message
    machine.passes(1, put_by=200)
    assert "set forward" in watch.check().message
    machine.passes(2)
    assert watch.check().ok


def test_the_kernel_is_asked_and_nothing_is_changed() -> None:
    assert kernel_sync().synchronised in {True, False, None}
    assert steady_ns() < steady_ns()


@pytest.mark.parametrize(
    ("source", "chosen", "needed"),
    [
        (SourceConfig(kind="camera"), None, True),
        (SourceConfig(path=Path("film.webm")), None, False),
        (SourceConfig(kind="simulator"), None, False),
        (SourceConfig(kind="camera"), False, False),
        (SourceConfig(path=Path("film.webm")), True, True),
        (None, None, False),
    ],
)
def test_only_a_camera_needs_a_time_server(source: SourceConfig | None, *, chosen: bool | None, needed: bool) -> None:
    table = LocalTableConfig(name="one", source=source, clock=ClockConfig(need_sync=chosen))
    assert table.clock_needed.need_sync is needed
