"""What befalls a camera, and how soon the service says so: ``python -m benchmarks.watched_camera``.

Simulated rounds (docs/simulator.md), in which the camera is moved, the lamp changed, the lens covered or the picture
frozen while hands are being opened. Reported for each: how long until nothing is verified any more and until the alarm,
how long until it is over once all is well again, and how many hands and throws were newly verified meanwhile with the
watch, and without it. Then clean rounds, sleeves included: minutes, alarms, and the share of pictures held back.
"""

from __future__ import annotations

import json
import tempfile
import time
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final

import cv2
import numpy as np
from scipy.spatial.transform import Rotation

from benchmarks.measure import parser_of, report
from calibration.files.calibration_file import load_calibration
from datasets.simulator.moments import Renderer, empty_table
from datasets.simulator.script import Options, script
from service.monitor.camera_watch import CameraWatch
from service.monitor.inspection import Inspector
from service.rounds.round_tracker import RoundTracker
from service.rounds.withheld import doubted
from vision.hand_grouping import Conventions
from vision.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from calibration.files.calibration_file import TableCalibration
    from datasets.scenes.scene import CameraModel
    from datasets.simulator.script import Script
    from datasets.simulator.timeline import CameraView
    from vision.capture.images import Image
    from vision.reading import Reading

TABLES: Final = (("crown-6.1", 3), ("star-2024", 5), ("nz-1998", 8), ("uk-poster", 11), ("star-classic", 14))
"""Rulebook, whose usual layout is drawn, and seed."""
BEFORE_S: Final = 2.5
LASTS_S: Final = 6.0
AFTER_S: Final = 3.0
START: Final = datetime(2026, 1, 1, 20, 0, tzinfo=UTC)


def _moved(
    camera: CameraModel, shift_mm: tuple[float, float, float], turn_deg: tuple[float, float, float]
) -> CameraModel:
    r = Rotation.from_rotvec(np.deg2rad(turn_deg)).as_matrix() @ camera.r
    return replace(camera, r=r, t=-r @ (camera.position_mm + np.array(shift_mm)))


def _by(camera: CameraModel, far_mm: float, way_deg: float) -> CameraModel:
    way = np.deg2rad(way_deg)
    return _moved(camera, (far_mm * float(np.cos(way)), far_mm * float(np.sin(way)), 0.0), (0.0, 0.0, 0.0))


def changes(camera: CameraModel, way_deg: float) -> dict[str, Callable[[CameraView], CameraView] | None]:
    """What is tried, by name; None for a frozen picture.

    Args:
        camera: as it hangs.
        way_deg: the direction in which it is moved.
    """

    def hung(place: CameraModel) -> Callable[[CameraView], CameraView]:
        return lambda view: replace(view, camera=place)

    return {
        **{f"moved by {far} mm": hung(_by(camera, far, way_deg)) for far in (2, 3, 5)},
        "rotated by 0.3 deg": hung(_moved(camera, (0, 0, 0), (0, 0, 0.3))),
        "tilted by 0.2 deg": hung(_moved(camera, (0, 0, 0), (0.2, 0, 0))),
        **{f"defocused, {blur} px": _defocused(blur) for blur in (3.0, 6.0)},
        "dimmed to 30 %": lambda view: replace(view, gain=(0.3, 0.3, 0.3)),
        "brightened to 300 %": lambda view: replace(view, gain=(3.0, 3.0, 3.0)),
        "covered whole": lambda view: replace(view, cover=(0.5, 0.28, 1.2)),
        "covered half": lambda view: replace(view, cover=(0.0, 0.28, 0.5)),
        "frozen": None,
    }


def _defocused(blur_px: float) -> Callable[[CameraView], CameraView]:
    return lambda view: replace(view, blur_px=blur_px)


@dataclass(slots=True)
class Followed:
    """A table followed by the service's own parts, with the watch and without.

    Attributes:
        watch: of the camera.
        with_watch, without: rounds made of the readings.
    """

    watch: CameraWatch
    with_watch: RoundTracker
    without: RoundTracker

    def see(self, image: Image, reading: Callable[[Image], Reading], t_s: float, *, read: bool = True) -> bool:
        """Take the next picture; returns whether it was held back."""
        faults = self.watch.see(image, t_s)
        if faults and not read:
            return True
        plain = held = reading(image)
        for fault in faults:
            held = doubted(held, fault.finding, tell=True)
        at = START + timedelta(seconds=t_s)
        self.with_watch.update(held, at)
        self.without.update(plain, at)
        return bool(faults)


def verified(tracker: RoundTracker) -> set[tuple[object, ...]]:
    """The hands and the throw that count as verified now."""
    now = tracker.current
    if now is None:
        return set()
    found: set[tuple[object, ...]] = {
        (hand.place, *sorted(map(str, hand.low)), "/", *sorted(map(str, hand.high)))
        for hand in now.hands
        if hand.status == "verified"
    }
    if now.dice and all(die.status == "verified" for die in now.dice):
        found.add(("throw", *sorted((die.role or "", die.value or 0) for die in now.dice)))
    return found


@dataclass(slots=True)
class Outcome:
    """What one change did at one table.

    Attributes:
        held_s: from the change to the first picture held back; None if none was.
        alarm_s: to the alarm; None if there was none.
        over_s: from the end of the change to the end of the alarm.
        verified: hands and throws newly verified meanwhile.
        unwatched: the same without the watch.
        kept: whether all that was verified before stayed so.
        after: verified at the end, as a share of what a table without any change had verified by then.
    """

    held_s: float | None = None
    alarm_s: float | None = None
    over_s: float | None = None
    verified: int = 0
    unwatched: int = 0
    kept: bool = True
    after: int = 0
    told: set[str] = field(default_factory=set)


def calibration_of(made: Script) -> TableCalibration:
    """The calibration of the camera as it was hung."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "calibration.json"
        path.write_text(json.dumps(made.calibration()), encoding="utf-8")
        return load_calibration(path)


def follow(made: Script, fps: float, names: set[str], *, read: bool = True) -> Iterator[tuple[str, Outcome]]:
    """Let each change befall one table while its hands are being opened.

    Args:
        made: the session.
        fps: pictures a second.
        names: of the changes; empty for all.
        read: whether pictures held back are read too; nothing in them can be verified.
    """
    calibration = calibration_of(made)
    inspector = Inspector.of(calibration, empty_table(made))
    reading = partial(Reader.load(threads=1).read, calibration=calibration)
    opened = sorted(hand.lays[0].t_s for hand in made.rounds[0].hands.values() if hand.lays)
    start = opened[min(1, len(opened) - 1)] - 0.6
    ticks = (np.arange(0, BEFORE_S + LASTS_S + AFTER_S, 1 / fps) + start - BEFORE_S).tolist()
    followed = Followed(
        CameraWatch(inspector), *(RoundTracker(str, 3, 3, conventions=Conventions.of(calibration)) for _ in range(2))
    )
    usual = Renderer(made)
    for t in [t for t in ticks if t < start]:
        image = usual.draw(made.at(t)).image
        followed.see(image, reading, t)
    tried = [
        Trial(name, change, deepcopy_of(followed), usual)
        for name, change in {"nothing": _unchanged, **changes(made.setup.bare.camera, 40.0 * made.seed)}.items()
        if not names or name in names
    ]
    for t in [t for t in ticks if t >= start]:
        # All of one moment together: what is the same is drawn once.
        for trial in tried:
            image = trial.picture(made, t, lasts=t - start < LASTS_S)
            trial.see(image, reading, t, start, read=read)
    for trial in tried:
        trial.outcome.after = len(verified(trial.followed.with_watch))
        yield trial.name, trial.outcome


def deepcopy_of(followed: Followed) -> Followed:
    """The same with a memory of its own."""
    watch = deepcopy(followed.watch, {id(followed.watch.inspector): followed.watch.inspector})
    return Followed(watch, deepcopy(followed.with_watch), deepcopy(followed.without))


def _unchanged(view: CameraView) -> CameraView:
    return view


@dataclass(slots=True)
class Trial:
    """One change at one table.

    Attributes:
        name: of the change.
        change: what it does to the view; None for a frozen picture.
        followed: the table.
        renderer: draws it; another for another place of the camera.
        outcome: so far.
    """

    name: str
    change: Callable[[CameraView], CameraView] | None
    followed: Followed
    renderer: Renderer
    outcome: Outcome = field(default_factory=Outcome)
    _moved: Renderer | None = None
    _frozen: Image | None = None
    _before: set[tuple[object, ...]] = field(init=False)
    _unwatched: set[tuple[object, ...]] = field(init=False)

    def __post_init__(self) -> None:
        """Note what was verified before."""
        self._before, self._unwatched = verified(self.followed.with_watch), verified(self.followed.without)

    def picture(self, made: Script, t: float, *, lasts: bool) -> Image:
        """What the camera gives."""
        now = made.at(t)
        if not lasts:
            return self.renderer.draw(now).image
        if self.change is None:
            if self._frozen is None:
                self._frozen = self.renderer.draw(now).image
            return self._frozen
        view = self.change(now.view)
        if view.camera is not now.view.camera and self._moved is None:
            self._moved = Renderer(replace(made, setup=made.setup.changed(camera=view.camera)))
        return (self._moved or self.renderer).draw(replace(now, view=view)).image

    def see(self, image: Image, reading: Callable[[Image], Reading], t: float, start: float, *, read: bool) -> None:
        """Take the next picture."""
        out, watch = self.outcome, self.followed.watch
        held, lasts = self.followed.see(image, reading, t, read=read), t - start < LASTS_S
        alarm = not watch.check.ok
        if alarm:
            out.told.add(watch.check.message[:48])
        if held and out.held_s is None:
            out.held_s = t - start
        if alarm and out.alarm_s is None:
            out.alarm_s = t - start
        if not lasts and not alarm and out.over_s is None and out.alarm_s is not None:
            out.over_s = t - start - LASTS_S
        if lasts:
            sure = verified(self.followed.with_watch)
            out.kept &= self._before <= sure
            out.verified = max(out.verified, len(sure - self._before))
            out.unwatched = max(out.unwatched, len(verified(self.followed.without) - self._unwatched))


def clean(made: Script, fps: float) -> dict[str, Any]:
    """Watch a whole session in which nothing befalls the camera."""
    watch = CameraWatch(Inspector.of(calibration_of(made), empty_table(made)))
    renderer = Renderer(made)
    alarms, held, pictures, was_ok, told, spent = 0, 0, 0, True, set(), []
    for t in np.arange(0, made.end_s, 1 / fps).tolist():
        image = renderer.draw(made.at(t)).image
        begun = time.thread_time()
        faults = watch.see(image, t)
        spent.append(1e3 * (time.thread_time() - begun))
        told |= {fault.code for fault in faults}
        held += bool(faults)
        pictures += 1
        alarms += was_ok and not watch.check.ok
        was_ok = watch.check.ok
    return {
        "minutes": made.end_s / 60,
        "alarms": alarms,
        "held": held,
        "pictures": pictures,
        "ms": median(spent),
        "told": sorted(told),
    }


def outcomes(rows: Iterable[tuple[str, Outcome]]) -> dict[str, dict[str, object]]:
    """Return what each change did at all tables together."""
    by: dict[str, list[Outcome]] = {}
    for name, outcome in rows:
        by.setdefault(name, []).append(outcome)
    return {
        name: {
            "tables": len(found),
            "held back, s": _seconds([each.held_s for each in found]),
            "alarm, s": _seconds([each.alarm_s for each in found]),
            "over, s": _seconds([each.over_s for each in found if each.alarm_s is not None]),
            "verified": sum(each.verified for each in found),
            "verified without the watch": sum(each.unwatched for each in found),
            "tables that kept what was verified": sum(each.kept for each in found),
            "verified at the end": sum(each.after for each in found),
        }
        for name, found in by.items()
    }


def _seconds(found: list[float | None]) -> dict[str, float | int]:
    """Return median and most; how many never."""
    known = [each for each in found if each is not None]
    times = {"median": round(median(known), 2), "most": round(max(known), 2)} if known else {}
    return {**times, "never": len(found) - len(known)}


def main() -> None:
    """Try the changes at each table, then watch clean rounds."""
    parser = parser_of(__doc__)
    parser.add_argument("--fps", type=float, default=3.0)
    parser.add_argument("--tables", type=int, default=len(TABLES), help="how many of the five tables")
    parser.add_argument("--first", type=int, default=1, help="number of the first of them")
    parser.add_argument("--only", default="", help="names of changes, joined by +")
    parser.add_argument("--clean", type=int, default=2, help="clean rounds at each table")
    parser.add_argument("--unread", action="store_true", help="pictures held back are not read, which is far quicker")
    parser.add_argument("--any-look", action="store_true", help="any lamp, felt and camera that training has seen")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    chosen = TABLES[options.first - 1 :][: options.tables]
    rows: list[tuple[str, Outcome]] = []
    names = set(filter(None, options.only.split("+")))
    for book, seed in chosen:
        made = script(seed, Options(rulebook=book, any_look=options.any_look))
        if names != {"none"}:
            rows += follow(made, options.fps, names, read=not options.unread)
    result: dict[str, object] = {**outcomes(rows)}
    seen = []
    for book, seed in chosen if options.clean else ():
        asked = Options(
            rulebook=book,
            rounds=options.clean,
            disturbances=("sleeve",),
            disturbance_rate=1.0,
            any_look=options.any_look,
        )
        seen.append(clean(script(seed + 100, asked), options.fps))
    if seen:
        totals = {key: sum(float(each[key]) for each in seen) for key in ("minutes", "alarms", "held", "pictures")}
        result["clean rounds"] = totals
        result["CPU time of one inspection, ms"] = median(each["ms"] for each in seen)
    report(result, as_json=options.as_json)


if __name__ == "__main__":
    main()
