"""What an enrolment of a table's own dice changes: `python -m datasets.evaluation.enrolled_dice DIR --learn 6`.

DIR is a folder of `python -m datasets.generate throws`, with a folder of throws for each table. Its first throws are
learnt, the others read without and with what was learnt. A die without a role is a stranger among the house's dice.
"""

from __future__ import annotations

import json
import multiprocessing
from collections import Counter
from functools import cache, partial
from pathlib import Path  # noqa: TC003 - typer resolves annotations
from typing import TYPE_CHECKING, Annotated, Final

import cv2
import typer

from calibration.files.calibration_file import load_calibration
from datasets.evaluation.outline_matching import match, outline_overlap
from datasets.evaluation.rates import Proportion
from datasets.labels.label_folders import LabelledPicture, read_folder
from vision.capture.images import load_image
from vision.enrolment.learning import ReadPicture, learn_dice
from vision.enrolment.own_dice import OwnDice
from vision.reader import Reader

if TYPE_CHECKING:
    from datasets.labels.labels import DieLabel
    from vision.reading import DieReading, Reading

RATES: Final = ("roles_right", "roles_wrong", "coverage_dice", "silent_dice", "strangers_told", "strangers_with_role")
"""Of the house's flat visible dice: role right or wrong, verified; of verified ones: value or role wrong. Of strangers:
told as such, and taken for one of the house's dice."""


def main(
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


if __name__ == "__main__":
    typer.run(main)
