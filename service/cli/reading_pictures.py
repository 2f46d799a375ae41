"""``houseway read``: read pictures, videos and folders, and check the House hand."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from service.cli.common import plain_errors, played_under, refuse, rules_on, say
from service.cli.options import Day, HouseWayUnder, MarkersFile, TableSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from engine.vocabulary.play import Lie
    from service.rounds.judge.rules_in_force import RulesInForce
    from service.rounds.reports import DieReport
    from service.rounds.served import HandOut, MarkerOut, PictureOut
    from service.table.learning.tile_model import TileModel
    from service.table.monitor.inspection import Inspector
    from vision.capture import Frame
    from vision.reading import PictureReader, Reading

DEFAULT_RULEBOOK = "crown-6.1"
_BUNDLED = "house-wrong.jpg"
_NEXT = """
A computer drew this picture of a table. Try next:
  houseway read YOUR.jpg --overlay drawn/    read a picture of your own, and draw the reading on it
  make run                                   watch a recorded table in your browser"""


_VERDICTS = {"correct": "CORRECT", "wrong": "WRONG", "needs_review": "NEEDS REVIEW"}


def read_command(
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH", help="Pictures, videos or folders of pictures. Default: a bundled picture."),
    ] = None,
    calibration: Annotated[
        Path | None,
        typer.Option(help="The camera's calibration file, or a folder with NAME.json for each picture NAME.jpg."),
    ] = None,
    markers: MarkersFile = None,
    rulebook: Annotated[
        str | None,
        typer.Option(help=f"A rulebook, or the file of a House Way of your own. Default: {DEFAULT_RULEBOOK}."),
    ] = None,
    house_way: HouseWayUnder = None,
    config: TableSettings = None,
    *,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON instead of text: one object on a line for each picture.")
    ] = False,
    low_hand: Annotated[
        Literal["vertical", "horizontal"] | None,
        typer.Option(help="How the low hand lies, as the dealer sees it. Default: as in the rulebook."),
    ] = None,
    on: Day,
    overlay: Annotated[
        Path | None, typer.Option(help="Folder to write pictures to with the reading drawn on them.")
    ] = None,
    every: Annotated[
        float, typer.Option(min=0.0, help="In a video, seconds from one picture that is read to the next.")
    ] = 1.0,
) -> None:
    """Read pictures or videos: tiles, dice, hands, and is the House hand right?

    Without PATH it reads a bundled picture of a table, which needs no camera and no settings.

    With --config, pictures are read as at that table: with its tile model, calibration, enrolment, dice, markers,
    rulebook and direction of the low hand. Options given here take precedence.

    A file that cannot be read does not stop the others. Exit status: 0 if all were read, 1 if some could not be read
    (or were skipped in a folder), 2 if nothing could be tried.
    """
    from calibration.files.calibration_file import CalibrationError
    from engine.vocabulary.play import Lie
    from service.system.settings import SAMPLE_CONFIG, SAMPLE_PICTURES, load_table
    from service.system.settings_file import ConfigError
    from service.table.learning.tile_model import TileModel
    from vision.enrolment.dice_file import DiceError
    from vision.enrolment.enrolment_file import EnrolmentError
    from vision.learning.errors import LearningError
    from vision.markers.markers_file import MarkersError
    from vision.networks.model_card import ModelError

    enrolled = (CalibrationError, EnrolmentError, DiceError, MarkersError)
    expected = (ConfigError, ModelError, LearningError, *enrolled, OSError)
    with plain_errors(*expected, program="houseway read"):
        settings = None if paths and config is None else load_table(config or SAMPLE_CONFIG)
        lies = None if low_hand is None else Lie(low_hand)
        own = dice = None
        if settings is not None:
            table = settings.table
            if rulebook is None:
                rulebook, house_way = table.rulebook, house_way or table.house_way
            calibration, markers = calibration or table.calibration, markers or table.markers
            lies, own, dice = lies or table.low_hand, table.enrolment, table.dice
        if markers is not None and calibration is None:
            refuse("--markers needs the calibration of the camera as well: --calibration FILE", "houseway read")
        rules = rules_on(on, rulebook or DEFAULT_RULEBOOK, house_way)
        model = TileModel.of(settings)
        reader = _reader(model, rules.low_hand(lies), own, dice, markers)
        job = _Job(reader, rules, _inspectors(calibration), overlay, every)
        if overlay is not None:
            overlay.mkdir(parents=True, exist_ok=True)
    failed = read = 0
    for outcome in _with_progress(job, paths or [str(SAMPLE_PICTURES / _BUNDLED)]):
        if isinstance(outcome, _Failure):
            failed += 1
        else:
            if not (read or as_json):
                say(f"House Way of {job.rules.house_way.rulebook}{played_under(job.rules.house_way)}")
                say(f"Tile model {model}")
            read += 1
        _print(outcome, as_json=as_json)
    if not (paths or as_json):
        say(_NEXT)
    if failed:
        raise typer.Exit(1)


def _reader(
    model: TileModel, low_hand: Lie, enrolment: Path | None, dice: Path | None, markers: Path | None
) -> PictureReader:
    """Return the reader of a table, with its tile model, enrolment, dice and markers."""
    from vision.enrolment.dice_file import load_dice
    from vision.enrolment.enrolment_file import load_enrolment
    from vision.markers.markers_file import load_markers
    from vision.reader import Reader

    reader = Reader.load(model.weights, tiles=model.folder, low_hand=low_hand)
    if enrolment is not None and enrolment.exists():
        reader = reader.enrolled(load_enrolment(enrolment))
    if dice is not None and dice.exists():
        reader = reader.throwing(load_dice(dice))
    if markers is not None:
        reader = reader.marked(load_markers(markers))
    return reader


def _inspectors(path: Path | None) -> Callable[[Frame], Inspector | None]:
    """Return the function that finds a picture's calibration: none, one for all, or the folder's of that name."""
    from calibration.files.calibration_file import load_calibration
    from service.table.monitor.inspection import Inspector
    from vision.capture.images import exif_orientation

    by_name = path is not None and path.is_dir()
    shared = None if path is None or by_name else Inspector.load(path, load_calibration(path))

    def of(frame: Frame) -> Inspector | None:
        found = shared
        if path is not None and by_name:
            picture = frame.path or Path(frame.name)
            found = Inspector.load(path / f"{picture.stem}.json", load_calibration(path, picture))
        if found is not None:
            found.check_size(frame.image, frame.name, 1 if frame.path is None else exif_orientation(frame.path))
        return found

    return of


@dataclass(frozen=True, slots=True)
class _Failure:
    """A picture that could not be read: its name, the error and the remedy."""

    image: str
    error: str

    @property
    def reason(self) -> str:
        """The error, without the picture's name."""
        return self.error.removeprefix(f"{self.image}: ").removeprefix(f"{Path(self.image).name}: ")


@dataclass(frozen=True, slots=True)
class _Job:
    """Reads a list of paths; of a video one picture every ``every`` seconds."""

    reader: PictureReader
    rules: RulesInForce
    inspector_of: Callable[[Frame], Inspector | None]
    overlay: Path | None
    every_s: float
    drawn: set[str] = field(default_factory=set)

    def read(self, path: str) -> Iterator[PictureOut | _Failure]:
        """Read all pictures of a path; a failed picture does not stop the others."""
        from service.words.findings import words_of, words_of_error
        from vision.addresses import shown_address
        from vision.capture import BadFrame, SourceError
        from vision.capture.sources import open_source, passed_over

        if Path(path).is_dir() and (others := passed_over(Path(path))) is not None:
            yield _Failure(path, str(words_of(others)))
        try:
            source = open_source(Path(path))
        except SourceError as error:
            yield _Failure(shown_address(path), str(words_of_error(error)))
            return
        every = timedelta(seconds=self.every_s)
        last_read: datetime | None = None
        for seen in source:
            name = _name(path, seen.name)
            if isinstance(seen, BadFrame):
                yield _Failure(name, str(words_of(seen.finding)))
                continue
            if seen.path is None and last_read is not None and (seen.captured_at - last_read) < every:
                continue
            last_read = seen.captured_at
            yield self._read(name, seen)

    def _read(self, name: str, frame: Frame) -> PictureOut | _Failure:
        from calibration.files.calibration_file import CalibrationError

        try:
            reading, report = read_frame(self.reader, self.rules, self.inspector_of(frame), frame, name)
            if self.overlay is not None:
                self._draw(self.overlay, name, frame, reading, report)
        except (CalibrationError, OSError) as error:
            return _Failure(name, str(error))
        return report

    def _draw(self, folder: Path, name: str, frame: Frame, reading: Reading, report: PictureOut) -> None:
        stem = Path(name).stem if frame.path is not None else Path(name).name.replace("#", "-")
        names = (stem if number == 1 else f"{stem}-{number}" for number in count(1))
        file = next(name for name in names if name not in self.drawn)
        self.drawn.add(file)
        (folder / f"{file}.jpg").write_bytes(drawn(frame, reading, report, ".jpg"))


def read_frame(
    reader: PictureReader, rules: RulesInForce, inspector: Inspector | None, frame: Frame, name: str
) -> tuple[Reading, PictureOut]:
    """Read one picture, and inspect it with the calibration if there is one.

    Raises:
        CalibrationError: the picture is not of the calibration's size.
    """
    from service.rounds.judge.verdicts import judge_reading
    from service.rounds.readings import reading_of
    from service.rounds.served import PictureOut
    from service.table.monitor.inspection import checked_against_table
    from vision.capture.images import exif_orientation

    if inspector is None:
        reading = reader.read(frame.image, name=name)
    else:
        reading = reader.read(frame.image, calibration=inspector.calibration, empty=inspector.empty, name=name)
        exif = 1 if frame.path is None else exif_orientation(frame.path)
        reading = checked_against_table(inspector, frame.image, reading, exif)
    return reading, PictureOut.from_report(judge_reading(reading_of(reading), rules), rules)


def drawn(frame: Frame, reading: Reading, report: PictureOut, suffix: str) -> bytes:
    """Return the picture with its reading drawn on it, encoded for this suffix.

    Python writes the bytes, because its errors say what is wrong with a folder; OpenCV's do not.
    """
    import cv2

    from service.rounds.judge.verdicts import captions_of
    from vision.draw.overlay import draw_reading

    notes = [finding.message for finding in report.findings]
    _, encoded = cv2.imencode(suffix, draw_reading(frame.image, reading, captions_of(report.hands), notes))
    return encoded.tobytes()


def _name(path: str, seen: str) -> str:
    """Return a picture's name: that of its file, its path in the folder, and a video frame's number."""
    if Path(path).is_dir() or "://" in path:
        return seen
    _, mark, number = seen.rpartition("#")
    return f"{Path(path).name}#{number}" if mark and number.isdigit() and not path.endswith(seen) else Path(path).name


def _with_progress(job: _Job, paths: list[str]) -> Iterator[PictureOut | _Failure]:
    """Read every path, with a progress bar if standard error is a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
        # Results for a file or a pipe must not be mixed with the bar.
        redirect_stdout=sys.stdout.isatty(),
        redirect_stderr=True,
    ) as progress:
        task = progress.add_task("reading", total=_pictures_in(paths))
        for path in paths:
            for outcome in job.read(path):
                progress.update(task, advance=1, description=Path(outcome.image).name)
                yield outcome


def _pictures_in(paths: list[str]) -> int | None:
    """Return the number of pictures to read; None if unknown."""
    from vision.capture.sources import PICTURE_SUFFIXES, VIDEO_SUFFIXES

    pictures = 0
    for path in map(Path, paths):
        if path.suffix.lower() in VIDEO_SUFFIXES:
            return None
        pictures += sum(each.suffix.lower() in PICTURE_SUFFIXES for each in path.iterdir()) if path.is_dir() else 1
    return pictures


def _print(outcome: PictureOut | _Failure, *, as_json: bool) -> None:
    if isinstance(outcome, _Failure):
        say(f"{outcome.image}: {outcome.reason}", err=True)
        if as_json:
            say(json.dumps({"image": outcome.image, "error": outcome.error}))
    elif as_json:
        say(outcome.model_dump_json(ensure_ascii=True))
    else:
        say(in_words(outcome))


def in_words(report: PictureOut) -> str:
    """Describe a reading for people."""
    width, height = report.size
    how = "calibrated" if report.calibrated else "no calibration"
    lines = ["", f"{report.image} ({width}x{height}, {how}, {report.elapsed_ms.get('total', 0):.0f} ms)"]
    up = [tile for tile in report.tiles if tile.face_up]
    sure = sum(tile.status == "verified" for tile in up)
    lines.append(f"  tiles  {len(up)} face up, {sure} of them verified; {len(report.tiles) - len(up)} face down")
    if report.dice:
        values = ", ".join(
            f"{die.role or die.colour} {die.value or '?'}{'' if die.status == 'verified' else ' (uncertain)'}"
            for die in report.dice
        )
        lines.append(f"  dice   {values}")
        lines += [f"         - {doubt}" for doubt in _doubts_of_dice(report.dice)]
    for hand in report.hands:
        lines += _hand_in_words(hand)
    for marker in report.markers or ():
        lines += _marker_in_words(marker)
    lines += [f"  note   {finding.message}" for finding in report.findings]
    return "\n".join(lines)


def _doubts_of_dice(dice: Sequence[DieReport]) -> Iterator[str]:
    """Say why dice are uncertain: first the reasons they share, then those of each."""
    from service.web.round_views import shown_dice
    from service.words.findings import english

    shown = shown_dice([die for die in dice if die.status != "verified"], None)
    yield from english(shown.shared)
    for die, own in shown.each:
        if own:
            yield f"{die.role or die.colour} {die.value or '?'}: {'; '.join(english(own))}"


def _marker_in_words(marker: MarkerOut) -> list[str]:
    name = marker.kind if marker.value is None else f"{marker.kind}{marker.value:+d}"
    unsure = "" if marker.status == "verified" else " (uncertain)"
    where = marker.place or "at no box"
    return [f"  marker {name} {where}{unsure}", *(f"         - {reason}" for reason in marker.reasons)]


def _hand_in_words(hand: HandOut) -> list[str]:
    way = hand.house_way
    verdict = ("uncertain" if hand.status != "verified" else "") if way is None else _VERDICTS[way.verdict]
    lines = [f"  {hand.place:<6} low {' '.join(hand.low)}  high {' '.join(hand.high)}  {verdict}".rstrip()]
    if way is not None:
        lines.append(f"         {way.explanation}")
        if way.remedy is not None:
            lines.append(f"         {way.remedy}")
        lines += [f"         - {reason}" for reason in way.reasons]
    elif hand.status != "verified":
        lines += [f"         - {reason}" for reason in hand.reasons]
    return lines
