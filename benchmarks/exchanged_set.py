"""A set of tiles exchanged in mid-session, and how soon the service says so: ``python -m benchmarks.exchanged_set``.

At each simulated table (docs/simulator.md) the set is enrolled at the display. Then hands are opened, once with that
set and once with another maker's: reported are the hands verified, how much the tiles spoke against the set, and how
long after the first hand lay open the alarm came. Then the set is shown at the display.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from benchmarks.measure import parser_of, report
from benchmarks.watched_camera import TABLES, calibration_of, verified
from datasets.scenes.whole_table import sample_setup
from datasets.simulator.moments import Renderer
from datasets.simulator.script import Options, script
from service.monitor.set_watch import APART_S, SHOTS, Asked, SetReport, SetWatch
from service.rounds.round_tracker import RoundTracker
from service.rounds.withheld import doubted
from vision.enrolment.learning import NotEnrolled, ReadPicture, enrol
from vision.hand_grouping import Conventions
from vision.reader import Reader

if TYPE_CHECKING:
    from calibration.files.calibration_file import TableCalibration
    from datasets.simulator.script import Script
    from vision.enrolment.enrolment import Enrolment

BEFORE_S: Final = 1.0
LASTS_S: Final = 14.0
START: Final = datetime(2026, 1, 1, 20, 0, tzinfo=UTC)


@dataclass(slots=True)
class Table:
    """A table followed by the service's own parts."""

    reader: Reader
    calibration: TableCalibration
    tiles: SetWatch
    rounds: RoundTracker = field(init=False)
    told: list[tuple[float, SetReport]] = field(default_factory=list)
    sure: set[tuple[object, ...]] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Begin to follow."""
        self.rounds = RoundTracker(str, 3, 3, conventions=Conventions.of(self.calibration))

    def see(self, made: Script, renderer: Renderer, at_s: float, t_s: float) -> None:
        """Take a picture of one moment of the session at another time."""
        image = renderer.draw(made.at(at_s)).image
        reading = self.reader.read(image, calibration=self.calibration)
        if (fault := self.tiles.fault()) is not None:
            reading = doubted(reading, fault, tell=True)
        self.rounds.update(reading, START + timedelta(seconds=t_s))
        reports = self.tiles.see(image, reading, self.rounds.watch.lying, self.rounds.watch.phase, t_s, fit=True)
        self.told += [(t_s, report) for report in reports]
        self.sure |= {each for each in verified(self.rounds) if each[0] != "throw"}


def learnt(made: Script, reader: Reader, calibration: TableCalibration) -> Enrolment | NotEnrolled:
    """The set as it lies at the display when the session begins; or why it could not be enrolled."""
    renderer = Renderer(made)
    images = [renderer.draw(made.at(0.0)).image for _ in range(SHOTS)]
    return enrol([ReadPicture(image, reader.read(image, calibration=calibration)) for image in images], calibration)


def main() -> None:
    """Play each table with its own and with another set, and show both at the display."""
    parser = parser_of(__doc__)
    parser.add_argument("--tables", type=int, default=len(TABLES))
    parser.add_argument("--fps", type=float, default=2.5)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    plain = Reader.load(threads=1)
    result: dict[str, object] = {}
    for book, seed in TABLES[: options.tables]:
        made = script(seed, Options(rulebook=book))
        others = sample_setup(np.random.default_rng((seed, 99)), made.setup.bare.camera.size).bare.tile_set
        other = replace(made, setup=made.setup.changed(tile_set=others))
        calibration = calibration_of(made)
        own = learnt(made, plain, calibration)
        if isinstance(own, NotEnrolled):
            result[book] = {"not enrolled": own.reason}
            continue
        opened = min(hand.lays[0].t_s for hand in made.rounds[0].hands.values() if hand.lays)
        ticks = (np.arange(0, BEFORE_S + LASTS_S, 1 / options.fps) + opened - BEFORE_S).tolist()
        for name, played in (("own", made), ("other", other)):
            table = Table(plain.enrolled(own), calibration, SetWatch(calibration, enrolment=own))
            renderer = Renderer(played)
            for t in ticks:
                table.see(played, renderer, t, t)
            alarm = next((t - opened for t, told in table.told if told.act == "alarm"), None)
            result[f"{book}, {name} set in play"] = {
                "alarm_s": alarm,
                "hands verified": len(table.sure),
                "evidence against the set": table.tiles.against,
            }
            shown = Table(plain.enrolled(own), calibration, SetWatch(calibration, enrolment=own))
            for n in range(SHOTS + 3):
                shown.see(played, renderer, 0.0, n * APART_S)
            shown.tiles.ask(Asked("check", "benchmark", "display"))
            for n in range(SHOTS + 3, 2 * SHOTS + 6):
                shown.see(played, renderer, 0.0, n * APART_S)
            for t, told in shown.told[:1]:
                entry = {"after_s": t, "ok": told.ok, "blocks": told.blocks, "faults": len(told.faults)}
                result[f"{book}, {name} set at the display"] = entry
    report(result, as_json=options.as_json)


if __name__ == "__main__":
    main()
