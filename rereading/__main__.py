"""``python -m rereading``: start a run over recorded rounds, work on it, print its results."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from datetime import datetime  # noqa: TC003  typer resolves annotations
from getpass import getuser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from engine.books.way_files import is_file
from engine.errors import EngineError
from rereading.again import Again, NotTheSameError, basis_here, check_same
from rereading.jobs import Run, Worker, find
from rereading.jobs import start as start_run
from rereading.jobs import stop as stop_run
from rereading.pictures import PictureCopies, PictureReading, SetUps
from rereading.results import csv_lines, progress, summary
from rereading.rules import Cause, Chosen
from service.cli.common import refuse, say, today
from service.record.store.database import DatabaseError, close_database, open_database
from service.record.store.entries import RecordUnavailableError
from service.words.findings import words_of_error
from vision.networks.model_card import ModelError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Engine

_PROGRAM: Final = "python -m rereading"
_LONG_S: Final = 600.0
_EXPECTED: Final = (
    EngineError,
    DatabaseError,
    RecordUnavailableError,
    NotTheSameError,
    ModelError,
    OSError,
    ValueError,
)
_MOMENTS: Final = ["%Y-%m-%d", "%Y-%m-%dT%H:%M"]

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
Database = Annotated[
    str,
    typer.Option(
        "--database",
        envvar="HOUSEWAY_RECORD_URL",
        help="The floor's database: postgresql+pg8000://USER:PASSWORD@HOST/NAME.",
    ),
]
Number = Annotated[int | None, typer.Argument(metavar="RUN", help="Number of the run. Default: the newest.")]
Models = Annotated[Path | None, typer.Option(help="Folder of all four models. Default: those of this program.")]
HouseWay = Annotated[
    str | None, typer.Option("--house-way", metavar="ID_OR_FILE", help="House Way to judge by. Default: as recorded.")
]


@app.command()
def start(
    database: Database,
    *,
    reason: Annotated[str, typer.Option("--reason", help="Why. Kept with the run.")],
    depth: Annotated[
        Cause, typer.Option(help="rules: decide again from the recorded tiles. pictures: read pictures again too.")
    ] = "rules",
    rulebook: Annotated[str | None, typer.Option(help="Rulebook to decide by. Default: as recorded.")] = None,
    rulebook_version: Annotated[str | None, typer.Option(help="Its version. Default: the one in force today.")] = None,
    house_way: HouseWay = None,
    on: Annotated[
        datetime | None,
        typer.Option(
            "--on",
            formats=_MOMENTS[:1],
            metavar="DATE",
            help="Decide all rounds by the rulebook and House Way of this day. Default: those of today; rounds that a "
            "version of the House Way judged keep that version.",
        ),
    ] = None,
    models: Models = None,
    table: Annotated[list[str] | None, typer.Option("--table", help="Only this table. May be repeated.")] = None,
    since: Annotated[
        datetime | None, typer.Option(formats=_MOMENTS, help="Rounds that started then or later, UTC.")
    ] = None,
    until: Annotated[
        datetime | None, typer.Option(formats=_MOMENTS, help="Rounds that started before then, UTC.")
    ] = None,
    patience: Annotated[float, typer.Option(min=1, help="Seconds until an unfinished round is taken again.")] = 120.0,
    tries: Annotated[int, typer.Option(min=1, max=20, help="Attempts before a round counts as failed.")] = 3,
) -> None:
    """Start a run over the newest revision of each round."""
    if rulebook_version is not None and rulebook is None:
        refuse("--rulebook-version needs --rulebook", _PROGRAM)
    if models is not None and depth == "rules":
        refuse("--models needs --depth pictures", _PROGRAM)
    with _opened(database, _LONG_S) as opened:
        day = today() if on is None else on.date()
        chosen = Chosen.of(rulebook, rulebook_version, house_way, day, all_rounds=on is not None)
        basis = basis_here(depth, chosen, models)
        number = start_run(
            opened,
            basis,
            by=getuser(),
            reason=reason,
            tables=table or (),
            since=since,
            until=until,
            patience_s=patience,
            most_tries=tries,
        )
        say(f"run {number}: {_found(opened, number).rounds} rounds; start as many workers as you like: {_PROGRAM} work")


@app.command()
def work(
    database: Database,
    run: Number = None,
    *,
    evidence: Annotated[
        str | None, typer.Option(metavar="FOLDER_OR_URL", help="Copied pictures: a folder, or s3://BUCKET/PREFIX.")
    ] = None,
    set_ups: Annotated[
        Path | None, typer.Option("--set-ups", help="Folder of the tables' calibrations and enrolments.")
    ] = None,
    house_way: HouseWay = None,
    models: Models = None,
    threads: Annotated[int, typer.Option(min=1, max=64, help="Threads for one run of a model.")] = 1,
) -> None:
    """Re-read rounds of a run until none is left; run as many workers as you like, on any number of computers."""
    logging.basicConfig(level=logging.WARNING)
    with _opened(database) as opened:
        found = _found(opened, run)
        chosen = _same_here(found, house_way, models)
        pictures = None
        if found.basis.depth == "pictures":
            if evidence is None:
                refuse("this run reads pictures: name the folder or bucket with --evidence", _PROGRAM)
            known = SetUps() if set_ups is None else SetUps.found_in(set_ups)
            pictures = PictureReading(models, PictureCopies(evidence), known, threads)
        done = Worker(opened, found, Again(chosen, pictures)).work()
        say(f"run {found.id}: {done} rounds re-read here; {progress(_found(opened, found.id))}")


@app.command()
def results(
    database: Database,
    run: Number = None,
    *,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV: a line for each difference.")] = False,
) -> None:
    """Print how many decisions would be different, or each of them as CSV."""
    with _opened(database, _LONG_S) as opened:
        found = _found(opened, run)
        for line in csv_lines(opened, found.id) if csv else (summary(opened, found),):
            say(line.rstrip("\r\n"))


@app.command()
def stop(database: Database, run: Annotated[int, typer.Argument(metavar="RUN", help="Number of the run.")]) -> None:
    """Stop a run: workers take no more rounds; results stay."""
    with _opened(database) as opened:
        _found(opened, run)
        say(f"run {run}: {'stopped' if stop_run(opened, run) else 'was stopped before'}")


@contextmanager
def _opened(url: str, deadline_s: float | None = None) -> Iterator[Engine]:
    try:
        opened = open_database(url, deadline_s=deadline_s)
        try:
            yield opened
        finally:
            close_database(opened)
    except _EXPECTED as error:
        refuse(" ".join(str(words_of_error(error)).split()), _PROGRAM)


def _found(database: Engine, number: int | None) -> Run:
    found = find(database, number)
    if found is None:
        refuse("no runs yet" if number is None else f"there is no run {number}", _PROGRAM)
    return found


def _same_here(run: Run, house_way: str | None, models: Path | None) -> Chosen:
    """Rulebook and House Way of a run; NotTheSameError if this computer has others, or other models."""
    basis = run.basis
    named = house_way or basis.house_way
    if house_way is None and named is not None and is_file(named) and not Path(named).is_file():
        refuse(f"the run judges by a House Way from a file: give it with --house-way .../{named}", _PROGRAM)
    day = basis.day or today()
    chosen = Chosen.of(basis.rulebook, basis.rulebook_version, named, day, all_rounds=basis.all_rounds)
    check_same(basis, basis_here(basis.depth, chosen, models))
    return chosen


if __name__ == "__main__":
    app(prog_name=_PROGRAM)
