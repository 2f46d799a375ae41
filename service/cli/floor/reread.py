"""``houseway floor reread``: recorded rounds read again with other models or rules, by any number of workers."""

from __future__ import annotations

import json
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from service.cli.common import AsJson, attribution, plain_errors, refuse, say
from service.cli.floor.common import FloorSettings, floor_store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Engine

    from service.floor.reread.evidence import Pictures
    from service.floor.reread.runs import Run, Scope
    from service.floor.reread.told import Chosen
    from service.floor.settings import FloorConfig

_PROGRAM: Final = "houseway floor reread"
_DAYS: Final = ["%Y-%m-%d"]
RunNumber = Annotated[int, typer.Argument(metavar="RUN", help="Number of the run, as `start` and `list` print it.")]
OneRun = Annotated[int | None, typer.Argument(metavar="RUN", help="Number of the run. Default: the newest.")]
Models = Annotated[
    Path | None,
    typer.Option(help="Folder of all four models with their cards. Default: those of this program."),
]
HouseWay = Annotated[
    str | None,
    typer.Option("--house-way", metavar="ID_OR_FILE", help="The House Way to judge by. Default: as recorded."),
]


def start_command(
    config: FloorSettings,
    *,
    reason: Annotated[str, typer.Option("--reason", help="Why. Kept with the run.")],
    depth: Annotated[
        Literal["rules", "pictures"],
        typer.Option(
            help="rules: decide again from the recorded tiles and dice. pictures: read the recorded pictures again too."
        ),
    ] = "rules",
    rulebook: Annotated[
        str | None, typer.Option("--rulebook", help="The rulebook to decide by. Default: as recorded.")
    ] = None,
    rulebook_version: Annotated[
        str | None, typer.Option("--rulebook-version", help="Its version. Default: the one in force today.")
    ] = None,
    house_way: HouseWay = None,
    models: Models = None,
    pit: Annotated[list[str] | None, typer.Option("--pit", help="Only tables of this pit. May be repeated.")] = None,
    table: Annotated[list[str] | None, typer.Option("--table", help="Only this table. May be repeated.")] = None,
    since: Annotated[datetime | None, typer.Option(formats=_DAYS, help="First day.")] = None,
    until: Annotated[datetime | None, typer.Option(formats=_DAYS, help="Last day.")] = None,
    patience: Annotated[
        float, typer.Option(min=1, max=86_400, help="Seconds after which an unfinished round goes to another worker.")
    ] = 120.0,
    tries: Annotated[int, typer.Option(min=1, max=20, help="Attempts for each round before it counts as failed.")] = 3,
) -> None:
    """Start a run: which rounds to re-read, and with what. Workers then read them.

    The rounds are those that the floor has now, in their newest revision. Nothing in the record changes.
    """
    from service.floor.projections.projector import Projector
    from service.floor.reread.runs import begin
    from service.floor.reread.told import Chosen, here
    from vision.networks.model_card import ModelError

    if rulebook_version is not None and rulebook is None:
        refuse("--rulebook-version needs --rulebook", _PROGRAM)
    if models is not None and depth == "rules":
        refuse("--models needs --depth pictures: the rules alone read no picture", _PROGRAM)
    with floor_store(config) as (settings, reader), plain_errors(ModelError, OSError, program=_PROGRAM):
        told = here(depth, Chosen.of(rulebook, rulebook_version, house_way), models)
        scope = _scope(settings, pit or [], table or [], since, until)
        Projector(reader.database).catch_up()
        run = begin(reader.database, told, scope, attribution(reason), patience_s=patience, most_tries=tries)
    say(f"run {run.id}: {run.rounds} rounds to re-read; start as many workers as you like: {_PROGRAM} work")


def work_command(
    run: OneRun = None,
    config: Annotated[
        Path | None,
        typer.Option(
            "--config",
            help="The floor's settings file (TOML). Without it the variable HOUSEWAY_FLOOR_DATABASE_URL names the "
            "database.",
        ),
    ] = None,
    *,
    house_way: HouseWay = None,
    models: Models = None,
    evidence: Annotated[
        Path | None,
        typer.Option(help="Folder of copied pictures. Default: that of the floor's settings, or their bucket."),
    ] = None,
    floor: Annotated[
        str | None, typer.Option(metavar="URL", help="Address of the floor, to fetch pictures from.")
    ] = None,
    key_file: Annotated[Path | None, typer.Option(help="File with a key of the floor's, for --floor.")] = None,
    set_ups: Annotated[
        Path | None,
        typer.Option(
            "--set-ups", help="Folder with copies of the tables' calibrations and enrolments, with their history."
        ),
    ] = None,
    threads: Annotated[int, typer.Option(min=1, max=64, help="Threads for one run of a model.")] = 1,
) -> None:
    """Re-read rounds of a run, until none is left.

    Start as many workers as you like, on any number of computers. Each round is read by one of them; if a worker is
    killed, another takes over. A worker needs the program, House Way and models with which the run was started.
    """
    from service.cli.floor.reread_words import progress
    from service.floor.reread.again import Again
    from service.floor.reread.evidence import AllPictures, NotAllowedError
    from service.floor.reread.pictures import PictureReading
    from service.floor.reread.set_up import SetUps
    from service.floor.reread.told import NotTheSameError
    from service.floor.reread.worker import Worker
    from vision.networks.model_card import ModelError

    expected = (ModelError, NotTheSameError, NotAllowedError, OSError)
    with _database(config) as (settings, database), plain_errors(*expected, program=_PROGRAM), ExitStack() as opened:
        meant = _found(database, run)
        chosen = _same_here(meant, house_way, models)
        pictures = None
        if meant.told.depth == "pictures":
            places = AllPictures(_places(settings, evidence, floor, key_file, opened))
            pictures = PictureReading(
                models, places, SetUps() if set_ups is None else SetUps.found_in(set_ups), threads
            )
        done = Worker(database, meant, Again(chosen, pictures)).work()
        meant = _found(database, meant.id)
    say(f"run {meant.id}: {done} rounds re-read here; {progress(meant)}")


def report_command(
    config: FloorSettings,
    run: OneRun = None,
    *,
    as_json: AsJson = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV, a line for each difference.")] = False,
    which: Annotated[
        Literal["otherwise", "could_not", "partly", "aside", "same"] | None,
        typer.Option(help="Only these rounds. Default: all in JSON and CSV, different decisions in text."),
    ] = None,
) -> None:
    """Print which decisions would be different, and what could not be re-read."""
    from service.cli.floor.reread_words import round_in_words, run_in_words
    from service.floor.http.reread_schemas import ReadingAgainOut, RoundAgainOut
    from service.floor.reread.results import all_of, count
    from service.floor.reread.results import as_csv as lines

    with floor_store(config) as (_, reader):
        meant = _found(reader.database, run)
        if as_csv:
            for line in lines(all_of(reader.database, meant.id, which)):
                say(line.rstrip("\r\n"))
            return
        if as_json:
            say(ReadingAgainOut.of(meant, count(reader.database, meant.id)).model_dump_json())
            for each in all_of(reader.database, meant.id, which):
                say(RoundAgainOut.of(each).model_dump_json())
            return
        say(run_in_words(meant, count(reader.database, meant.id)))
        for each in all_of(reader.database, meant.id, which or "otherwise"):
            say(round_in_words(each))


def list_command(config: FloorSettings, *, as_json: AsJson = False) -> None:
    """List the runs, newest first."""
    from service.cli.floor.reread_words import progress
    from service.floor.http.reread_schemas import ReadingAgainOut
    from service.floor.reread.runs import runs

    with floor_store(config) as (_, reader):
        found = runs(reader.database)
    if as_json:
        say(json.dumps([ReadingAgainOut.of(each).model_dump(mode="json") for each in found]))
        return
    if not found:
        say("no runs yet")
    for each in found:
        about = f"{each.begun_at:%Y-%m-%dT%H:%M:%SZ}  {each.told.depth:<8}  {progress(each)}  {each.by}: {each.reason}"
        say(f"{each.id:>6}  {about}")


def stop_command(run: RunNumber, config: FloorSettings) -> None:
    """Stop a run: workers take no more rounds; results stay."""
    from service.floor.reread.runs import stop

    with floor_store(config) as (_, reader):
        _found(reader.database, run)
        stopped = stop(reader.database, run)
    say(f"run {run}: {'stopped' if stopped else 'was stopped before'}")


def _scope(
    settings: FloorConfig, pits: list[str], tables: list[str], since: datetime | None, until: datetime | None
) -> Scope:
    """The rounds that are meant; leaves with status 2 if a pit or table is none of the floor's."""
    from service.floor.reread.runs import Scope
    from service.record.round_search import RoundFilter
    from service.record.store.chain import timestamp

    if unknown := set(pits) - {each.name for each in settings.pits}:
        refuse(f"there is no pit {min(unknown)!r} on this floor", _PROGRAM)
    if unknown := set(tables) - {each.name for each in settings.tables}:
        refuse(f"there is no table {min(unknown)!r} on this floor", _PROGRAM)
    meant = {each.name for each in settings.tables if each.pit in pits} | set(tables)
    first, last = (None if day is None else day.date() for day in (since, until))
    wanted = RoundFilter(since=first, until=last).in_zone(settings.page.zone)
    began, ended = (None if at is None else timestamp(at.astimezone(UTC)) for at in (wanted.began, wanted.ended))
    return Scope(tuple(sorted(meant)) if pits or tables else None, began, ended)


@contextmanager
def _database(config: Path | None) -> Iterator[tuple[FloorConfig | None, Engine]]:
    """The floor's database, by its settings or by the variable that names it."""
    import os

    from service.cli.common import plain_record_errors
    from service.floor.settings import URL_VARIABLE
    from service.floor.store.reader import FloorReader

    if config is not None:
        with floor_store(config) as (settings, reader):
            yield settings, reader.database
        return
    if not (url := os.environ.get(URL_VARIABLE, "")):
        refuse(f"--config or the variable {URL_VARIABLE} must say where the floor's database is", _PROGRAM)
    with plain_record_errors(), FloorReader(url) as reader:
        yield None, reader.database


def _found(database: Engine, number: int | None) -> Run:
    from service.floor.reread.runs import run_of, runs

    found = next(iter(runs(database, limit=1)), None) if number is None else run_of(database, number)
    if found is None:
        none = "no runs yet" if number is None else f"there is no run {number}"
        refuse(f"{none}: {_PROGRAM} start", _PROGRAM)
    return found


def _same_here(run: Run, house_way: str | None, models: Path | None) -> Chosen:
    """Rulebook and House Way of a run; NotTheSameError if this computer has others, or other models."""
    from engine.books.way_files import is_file
    from service.floor.reread.told import Chosen, check_same, here

    told = run.told
    named = house_way or told.house_way
    if house_way is None and named is not None and is_file(named) and not Path(named).is_file():
        refuse(f"the run judges by a House Way from a file: give it with --house-way .../{named}", _PROGRAM)
    chosen = Chosen.of(told.rulebook, told.rulebook_version, named)
    check_same(told, here(told.depth, chosen, models))
    return chosen


def _places(
    settings: FloorConfig | None, evidence: Path | None, floor: str | None, key_file: Path | None, opened: ExitStack
) -> list[Pictures]:
    """Where pictures are to be had; leaves with status 2 if nowhere."""
    from service.config.settings_file import read_secret
    from service.floor.copies import Copies
    from service.floor.reread.evidence import CopiedPictures, FloorPictures

    folder = evidence or (None if settings is None else settings.evidence.folder)
    found: list[Pictures] = [] if folder is None else [CopiedPictures(Copies.in_folder(folder))]
    if settings is not None and settings.bucket is not None:
        found.append(CopiedPictures(Copies.in_bucket(settings.bucket)))
    if floor is not None:
        if key_file is None:
            refuse("--floor needs a key of the floor's that may see evidence: --key-file FILE", _PROGRAM)
        found.append(opened.enter_context(FloorPictures(floor, read_secret("--key-file", key_file, None))))
    if not found:
        refuse("pictures are to be read: say where they are with --evidence FOLDER or --floor URL", _PROGRAM)
    return found
