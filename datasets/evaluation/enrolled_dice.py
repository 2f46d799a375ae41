"""How a table's own dice are read once they are enrolled.

`python -m datasets.evaluation.enrolled_dice pictures DIR --learn 6`: DIR is a folder of `python -m datasets.generate
throws`, with a folder of throws for each table. Its first throws are learnt, the others read without and with what was
learnt. A die without a role is a stranger among the house's dice.

`python -m datasets.evaluation.enrolled_dice motion --tables 20`: simulated throws are filmed from the cup or the
rolling dice on, and tracked as at a live table.
"""

from __future__ import annotations

import json
import multiprocessing
from collections import Counter
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from pathlib import Path  # noqa: TC003 - typer resolves annotations
from typing import TYPE_CHECKING, Annotated, Final

import cv2
import numpy as np
import typer

from calibration.files.calibration_file import load_calibration
from datasets.evaluation.outline_matching import match, outline_overlap
from datasets.evaluation.rates import Proportion
from datasets.labels.label_folders import LabelledPicture, read_folder
from datasets.labels.labels import READABLE_VISIBLE
from datasets.rendering.projected import project
from datasets.simulator.moments import Renderer
from datasets.simulator.script import Options, throws
from datasets.simulator.sight import visible_dice
from vision.capture.images import load_image
from vision.enrolment.learning import ReadPicture, learn_dice
from vision.enrolment.own_dice import OwnDice
from vision.hand_grouping import Conventions
from vision.reader import Reader
from vision.tracking import TableWatch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calibration.files.calibration_file import TableCalibration
    from datasets.labels.labels import DieLabel
    from datasets.scenes.scene import CameraModel, DieObject
    from datasets.simulator.script import Script
    from datasets.simulator.timeline import Instant
    from vision.reading import DieReading, Reading
    from vision.tracking.throws import Throw

RATES: Final = ("roles_right", "roles_wrong", "coverage_dice", "silent_dice", "strangers_told", "strangers_with_role")
"""Of the house's flat visible dice: role right or wrong, verified; of verified ones: value or role wrong. Of strangers:
told as such, and taken for one of the house's dice."""

PICTURES_A_SECOND: Final = 15.0
PICTURES_WITHOUT_DICE: Final = 2.0
"""Pictures read a second while dice are on the table, and while they are in the cup or in a hand."""
EXPOSURE_S: Final = 1 / 60
_MOMENTS: Final = 3
"""Moments of which each picture is made."""
IN_TIME_S: Final = 0.5
_REST_STEP_S: Final = 0.01
_SIDES_PX: Final = (0, 14, 16, 18, 20, 24, 32, 100)

app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None)


@app.command()
def pictures(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of tables.")],
    learn: Annotated[int, typer.Option(help="Throws that are learnt from.", min=1)] = 6,
    workers: Annotated[int, typer.Option(help="Processes.", min=1)] = 1,
) -> None:
    """Print the rates of reading dice without and with enrolment as JSON, and each verified error."""
    tables = sorted({picture.path.parent for picture in read_folder(folder)})
    counts: Counter[str] = Counter()
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        for found in pool.imap(partial(_table, learn), tables):
            counts += found
    rates = {
        when: {
            name: _rate(Proportion(counts[f"{when} {name}"], counts[f"{when} {name} of"]))
            for name in RATES
            if counts[f"{when} {name} of"]
        }
        for when in ("before", "enrolled")
    }
    enrolled = {name: counts[name] for name in ("tables_enrolled", "cut_die_known", "throws")}
    typer.echo(json.dumps({"tables": len(tables), **enrolled, **rates}, indent=1))


def _rate(rate: Proportion) -> dict[str, object]:
    return {"count": rate.count, "of": rate.of, "rate": rate.value, "upper_bound": rate.upper_bound()}


@cache
def _reader() -> Reader:
    cv2.setNumThreads(1)
    return Reader.load(threads=1)


def _table(learn: int, folder: Path) -> Counter[str]:
    pictures = sorted(read_folder(folder), key=lambda picture: picture.path.name)
    counts: Counter[str] = Counter()
    shots = [ReadPicture(load_image(picture.path), _read(picture, _reader())) for picture in pictures[:learn]]
    own = learn_dice(shots, load_calibration(pictures[0].path.with_suffix(".json")))
    enrolled = own if isinstance(own, OwnDice) else None
    counts["tables_enrolled"] += enrolled is not None
    counts["cut_die_known"] += enrolled is not None and enrolled.cuts is not None
    readers = {"before": _reader(), "enrolled": _reader().throwing(enrolled)}
    for picture in pictures[learn:]:
        counts["throws"] += 1
        for when, reader in readers.items():
            reading = _read(picture, reader)
            partner, _ = match([die.polygon for die in reading.dice], picture.labels.dice, outline_overlap)
            for label, index in zip(picture.labels.dice, partner, strict=True):
                if label.fully_visible and not label.cocked:
                    _count(counts, when, label, None if index is None else reading.dice[index], picture)
    return counts


def _read(picture: LabelledPicture, reader: Reader) -> Reading:
    calibration = load_calibration(picture.path.with_suffix(".json"))
    return reader.read(load_image(picture.path), calibration=calibration, name=picture.path.name)


def _count(counts: Counter[str], when: str, label: DieLabel, die: DieReading | None, picture: LabelledPicture) -> None:
    def count(name: str, *, did: bool) -> None:
        counts[f"{when} {name}"] += did
        counts[f"{when} {name} of"] += 1

    role = None if die is None else die.role
    verified = die is not None and die.status == "verified"
    if label.role is None:
        count("strangers_told", did=die is not None and any(doubt.code == "not_own_die" for doubt in die.doubts))
        count("strangers_with_role", did=role is not None)
        return
    count("roles_right", did=role == label.role)
    count("roles_wrong", did=role not in (None, label.role))
    count("coverage_dice", did=verified)
    if die is not None and verified:
        wrong = die.value != label.value or role not in (None, label.role)
        count("silent_dice", did=wrong)
        if wrong:
            said = f"{role} {die.value}, is {label.role} {label.value}"
            typer.echo(f"{picture.path.parent.name}/{picture.path.name}: {when}: read as {said}", err=True)


@app.command()
def motion(
    tables: Annotated[int, typer.Option(help="Tables, each with its own dice.", min=1)] = 20,
    each: Annotated[int, typer.Option(help="Throws of each that are scored.", min=1)] = 10,
    learn: Annotated[int, typer.Option(help="Throws that are learnt from.", min=1)] = 6,
    seed: Annotated[int, typer.Option(help="Seed of the first table; the others follow.")] = 1,
    workers: Annotated[int, typer.Option(help="Processes.", min=1)] = 1,
    *,
    any_look: Annotated[bool, typer.Option(help="Any felt, light and camera, not a decent table.")] = False,
    width: Annotated[int, typer.Option(help="Width of the camera's pictures, in pixels.", min=640, max=4608)] = 2304,
) -> None:
    """Print how many simulated throws are verified, how soon after they came to rest, and why others are not."""
    made: list[_Filmed] = []
    options = Options(any_look=any_look, size=(width, width * 9 // 16))
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        for found in pool.imap(partial(_film, learn, each, options), range(seed, seed + tables)):
            made += found
            for throw in found:
                if throw.wrong or throw.late_s is None or throw.late_s > IN_TIME_S:
                    typer.echo(str(throw), err=True)
    counts = {
        "verified": sum(throw.values_s is not None for throw in made),
        "verified_with_roles": sum(throw.late_s is not None for throw in made),
        "in_time": sum(throw.late_s is not None and throw.late_s <= IN_TIME_S for throw in made),
        "silent": sum(bool(throw.wrong) for throw in made),
    }
    known = [throw for throw in made if throw.cut_die_known]
    late = [throw.late_s for throw in made if throw.late_s is not None]
    doubts = Counter(code for throw in made if throw.values_s is None for code in throw.doubts)
    report = {
        "tables": tables,
        "throws": len(made),
        "with_known_cut_die": len(known),
        **{name: _rate(Proportion(count, len(made))) for name, count in counts.items()},
        "verified_with_roles_of_known_cut_die": _rate(
            Proportion(sum(throw.late_s is not None for throw in known), len(known))
        ),
        "rest_to_verified_s": {
            str(share): round(float(np.quantile(late, share)), 3) for share in (0.5, 0.95, 1.0) if late
        },
        "verified_by_smallest_side_px": {
            f"{least} to {most}": _rate(Proportion(sum(throw.values_s is not None for throw in some), len(some)))
            for least, most in pairwise(_SIDES_PX)
            if (some := [throw for throw in made if least <= throw.side_px < most])
        },
        "doubts": dict(doubts.most_common()),
    }
    typer.echo(json.dumps(report, indent=1))


@dataclass(frozen=True, slots=True)
class _Filmed:
    """A throw as tracked.

    Attributes:
        cut_die_known: whether it was known from the enrolment.
        side_px: side of the smallest die's upper face.
        values_s, late_s: time from rest until all values, and all values and roles, were verified; None if never.
        wrong: the first verified die with a wrong value or role at any time; empty if none had.
        doubts: codes of doubts at the end.
    """

    name: str
    cut_die_known: bool
    side_px: float
    values_s: float | None
    late_s: float | None
    wrong: str
    doubts: tuple[str, ...]

    def __str__(self) -> str:
        values, roles = ("not verified" if s is None else f"{s:.2f} s" for s in (self.values_s, self.late_s))
        late = f"values {values}, roles {roles}"
        return f"{self.name}: {self.wrong and f'WRONG ({self.wrong}), '}{late} {', '.join(self.doubts)}"


def _film(learn: int, each: int, options: Options, seed: int) -> list[_Filmed]:
    made, ends = throws(seed, learn + each, options)
    calibration, renderer = made.table_calibration(), Renderer(made)
    shots = []
    for end_s in ends[:learn]:
        image = renderer.draw(made.at(end_s)).image
        shots.append(ReadPicture(image, _reader().read(image, calibration=calibration)))
    own = learn_dice(shots, calibration)
    enrolled = own if isinstance(own, OwnDice) else None
    watch = TableWatch(Conventions.of(calibration, made.low_hand))
    camera = _Camera(made, renderer, calibration, _reader().throwing(enrolled).steady(), watch)
    known = enrolled is not None and enrolled.cuts is not None
    return [
        camera.throw(span, f"seed {seed}, throw {number}", cut_die_known=known)
        for number, span in enumerate(pairwise(ends[learn - 1 :]), learn)
    ]


@dataclass(frozen=True, eq=False, slots=True)
class _Camera:
    """Reads and tracks the pictures of a session, as at a live table."""

    made: Script
    renderer: Renderer
    calibration: TableCalibration
    reader: Reader
    watch: TableWatch

    def throw(self, span: tuple[float, float], name: str, *, cut_die_known: bool) -> _Filmed:
        """Follow a throw from the end of the one before."""
        t_s, end_s = span
        lying, rest_s, moved_s = self.made.at(end_s).dice, _rest_s(self.made, *span), _moved_s(self.made, *span)
        values_s = late_s = None
        wrong = ""
        throw = None
        while t_s < end_s:
            t_s = self._next_s(t_s)
            throw = self._see(t_s)
            if throw is None or throw.since_s < moved_s:
                throw = None
                continue
            dice = _matched(throw, lying, self.made.setup.bare.camera)
            for read, die in dice:
                if read.status == "verified" and not _right(read, die):
                    is_ = "no die" if die is None else f"{die.role} {die.value}"
                    wrong = wrong or f"{read.role} {read.value} is {is_}, {t_s - rest_s:.2f} s after rest"
            if throw.verified and len(dice) == len(lying):
                values_s = t_s - rest_s if values_s is None else values_s
                known = all(read.role is not None for read, _ in dice)
                late_s = t_s - rest_s if late_s is None and known else late_s
        doubts = () if throw is None else tuple(str(doubt.code) for die in throw.dice for doubt in die.doubts)
        if throw is None or len(throw.dice) != len(lying):
            doubts = (*doubts, f"{0 if throw is None else len(throw.dice)} dice")
        return _Filmed(name, cut_die_known, self._smallest_px(lying), values_s, late_s, wrong, doubts)

    def _next_s(self, t_s: float) -> float:
        """Time of the next picture that is read: where nothing shows dice, only some are."""
        latest_s = t_s + 1 / PICTURES_WITHOUT_DICE
        t_s += 1 / PICTURES_A_SECOND
        while t_s < latest_s and not _in_sight(self.made.at(t_s)):
            t_s += 1 / PICTURES_A_SECOND
        return t_s

    def _smallest_px(self, lying: Sequence[DieObject]) -> float:
        faces = np.array(
            [
                [(die.x_mm + x_mm, die.y_mm, die.z_mm + die.style.side_mm / 2) for x_mm in (0.0, die.style.side_mm)]
                for die in lying
            ]
        )
        ends = project(self.made.setup.bare.camera, faces.reshape(-1, 3)).reshape(-1, 2, 2)
        return float(np.hypot(*(ends[:, 1] - ends[:, 0]).T).min())

    def _see(self, t_s: float) -> Throw | None:
        moments = np.linspace(t_s - EXPOSURE_S, t_s, _MOMENTS).tolist()
        image = self.renderer.expose([self.made.at(moment) for moment in moments]).image
        reading = self.reader.read(image, calibration=self.calibration, hands=False, t_s=t_s)
        return self.watch.see(reading, t_s).throw


def _right(read: DieReading, die: DieObject | None) -> bool:
    return die is not None and read.value == die.value and read.role in (None, die.role)


def _in_sight(now: Instant) -> bool:
    return len(now.dice) > 0 and bool(visible_dice(now).max() > 0)


def _moved_s(made: Script, start_s: float, end_s: float) -> float:
    """When the dice that lie at the start of a time span are first moved; its end if they are not."""
    lying, t_s = made.at(start_s).dice, start_s
    while t_s < end_s and made.at(t_s).dice == lying:
        t_s += _REST_STEP_S
    return t_s


def _rest_s(made: Script, start_s: float, end_s: float) -> float:
    """Since when all dice lie still and in sight at the end of a time span."""
    lying, t_s = made.at(end_s).dice, end_s
    while t_s > start_s:
        now = made.at(t_s - _REST_STEP_S)
        if now.dice != lying or visible_dice(now).min() < READABLE_VISIBLE:
            break
        t_s -= _REST_STEP_S
    return t_s


def _matched(
    throw: Throw, lying: Sequence[DieObject], camera: CameraModel
) -> list[tuple[DieReading, DieObject | None]]:
    """The dice of a throw, each with that which lies there."""
    spots = project(camera, np.array([(die.x_mm, die.y_mm, die.z_mm + die.style.side_mm / 2) for die in lying]))
    out: list[tuple[DieReading, DieObject | None]] = []
    for read, spot in zip(throw.dice, throw.spots_px, strict=True):
        away = np.hypot(*(spots - spot).T)
        side = np.hypot(*np.subtract(read.polygon[0], read.polygon[1]))
        out.append((read, lying[int(away.argmin())] if away.min() < side / 2 else None))
    return out


if __name__ == "__main__":
    app()
