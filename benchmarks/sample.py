"""What the service tells of the bundled sample, held against the truth of what was filmed.

``python -m benchmarks.sample [--passes 2] [--rate 4]`` reads the film as ``houseway run`` does, as fast as it can, with
the times of the film. It ends with status 1 if anything that was verified is wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from calibration.files.calibration_file import load_calibration
from service.config.settings import SAMPLE_CONFIG, load_config
from service.judge.house_way_choice import house_way_of
from service.judge.low_hand import low_hand_of
from service.monitor.monitors import Monitors
from service.monitor.set_watch import SetWatch
from service.ops.metrics import Metrics
from service.record.ledger import Ledger, open_record
from service.table.frame_reader import FrameReader
from service.table.live_state import LiveState
from service.table.recorder import Recorder
from service.table.source import camera_watch_of
from vision.capture import Frame
from vision.capture.sources import open_source
from vision.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.config.settings import Config
    from service.rounds.reports import RoundReport

START: Final = datetime(2026, 1, 1, 20, 0, tzinfo=UTC)
SAMPLE: Final = Path(__file__).resolve().parents[1] / "service" / "sample"
Truth = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Told:
    """A round as it was told last, what is true of it, when it was opened (seconds of the film) and in which pass."""

    report: RoundReport
    truth: Truth
    opened_s: float
    number: int

    def faults(self) -> Iterator[str]:
        """What was verified of it and is wrong."""
        hands = self.truth["hands"]
        for hand in self.report.hands:
            if hand.status != "verified":
                continue
            lays = hands.get(hand.place, {"lays": []})["lays"]
            lain = next((lay for lay in lays if _same(lay["low"], hand.low) and _same(lay["high"], hand.high)), None)
            if lain is None:
                yield f"{hand.place} was verified as {hand.low} {hand.high}"
            elif hand.house_way is not None and hand.house_way.verdict not in (
                (lain["house_way"] or {}).get("verdict"),
                "needs_review",
            ):
                yield f"{hand.place} is called {hand.house_way.verdict}, {lain['house_way']}"
        last = self.truth["throws"][-1]
        sure = [die for die in self.report.dice if die.status == "verified"]
        shown = sorted(die.value or 0 for die in sure if die.role == "box")
        if len(shown) == 3 and shown != sorted(last["box"]):
            yield f"the box dice were verified as {shown}, not {last['box']}"
        if any(die.role == "cut" and die.value != last["cut"] for die in sure):
            yield f"the cut die was verified, and was not {last['cut']}"


def _same(one: object, other: object) -> bool:
    return sorted(map(str, one)) == sorted(map(str, other))  # type: ignore[call-overload]


def watch(config: Config, truths: list[Truth], passes: int, rate: float) -> Iterator[Told | str]:
    """Read the film so many times, `rate` pictures a second; yield each round once it is over, and how the table is."""
    calibration = load_calibration(SAMPLE / "calibration.json")
    way = house_way_of(config.table.rulebook, config.table.house_way)
    reader = Reader.load(low_hand=low_hand_of(config.table.low_hand, way)).steady()
    live, metrics = LiveState(1000, stale_after_s=60), Metrics()
    ledger = Ledger(open_record(config), config.table.name, way)
    tiles = SetWatch(calibration, None, None, reader.enrolled)
    monitors = Monitors(live, ledger, (), camera_watch_of(config, calibration), tiles)
    recorder = Recorder(ledger, live, metrics, 1000)
    frames = FrameReader(config, live, reader, way, recorder, monitors, calibration, metrics)
    frames.begin()
    opened: dict[str, tuple[int, float]] = {}
    well = True
    for number, t_s, frame in _pictures(config, passes, rate):
        frames.read(frame, live=True)
        if bool(bad := [each for each in live.health() if not each.ok]) is well:
            well = not bad
            yield f"pass {number}, {t_s:.2f} s: {'well' if well else [str(f) for each in bad for f in each.findings]}"
        current = live.state.current
        if current is not None and current.id not in opened:
            opened[current.id] = number, t_s
        if current is not None and current.state == "closed" and current.id in opened:
            pass_, opened_s = opened[current.id]
            if opened_s >= 0:
                truth = next(each for each in truths if opened_s < each["end_s"])
                yield Told(current, truth, opened_s, pass_)
                opened[current.id] = pass_, -1.0
    ledger.record.close()


def _pictures(config: Config, passes: int, rate: float) -> Iterator[tuple[int, float, Frame]]:
    """Pictures with the number of the pass and their time in it; they are dated as if the film ran on and on."""
    now_s = begun_s = 0.0
    for number in range(passes):
        first: datetime | None = None
        for seen in open_source(config.source.spec):
            if not isinstance(seen, Frame):
                raise TypeError(seen.finding)
            first = first or seen.captured_at
            t_s = (seen.captured_at - first).total_seconds()
            if now_s == 0 or begun_s + t_s >= now_s + 0.999 / rate:
                now_s = begun_s + t_s
                yield (
                    number,
                    t_s,
                    replace(seen, captured_at=START + timedelta(seconds=now_s), monotonic_ns=round(now_s * 1e9)),
                )
        begun_s = now_s + 1 / rate


def in_words(told: Told) -> Iterator[str]:
    """A round as it was told, beside what is true."""
    report, truth = told.report, told.truth
    mistakes = [mistake["kind"] for mistake in truth["mistakes"]]
    yield f"pass {told.number}, round {truth['round'] + 1} {mistakes}: {report.status}, opened at {told.opened_s:.2f} s"
    yield f"  {len(report.hands)} of {len(truth['hands'])} hands"
    for hand in report.hands:
        said = hand.house_way and f"{hand.house_way.verdict}, {hand.house_way.rule}, {hand.house_way.remedy}"
        yield f"  {hand.place}: {hand.status} {said or ''} {' '.join(hand.reasons)}"
    yield f"  dice {[(die.role, die.value, die.status, die.cocked) for die in report.dice]} {report.throw}"
    for finding in report.findings:
        yield f"  {finding.code}: {finding.message} {finding.remedy or ''}"
    for fault in told.faults():
        yield f"  VERIFIED AND WRONG: {fault}"


def main() -> int:
    """Print what is told of each round beside what is true."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--rate", type=float, default=4.0)
    arguments = parser.parse_args()
    config = load_config(SAMPLE_CONFIG)
    truths = [json.loads(line) for line in (SAMPLE / "rounds.jsonl").read_text(encoding="utf-8").splitlines()]
    rounds = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        config = config.model_copy(update={"record": config.record.model_copy(update={"folder": Path(folder)})})
        for told in watch(config, truths, arguments.passes, arguments.rate):
            if isinstance(told, str):
                print(told, flush=True)
                continue
            rounds, wrong = rounds + 1, wrong + len(list(told.faults()))
            print(*in_words(told), sep="\n", flush=True)
    print(f"{rounds} rounds, {wrong} verified and wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
