"""Options and error handling that the commands share."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import datetime
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from engine.game.setting import Setting
    from engine.house_way import HouseWay
    from service.record.changes import Attribution

Rulebook = Annotated[
    str,
    typer.Option("--rulebook", help="A rulebook, such as crown-6.1, or the file (.toml, .py) of a House Way."),
]
HouseWayUnder = Annotated[
    str | None,
    typer.Option(
        "--house-way",
        help="The House Way to use (id or file), if the rulebook prints none (uk-poster) or the casino has its own.",
        metavar="ID_OR_FILE",
    ),
]
Settings = Annotated[
    Path | None, typer.Option("--config", help="The table's settings file (TOML). Default: the sample table.")
]
TableSettings = Annotated[
    Path | None,
    typer.Option(
        "--config",
        help="The table's settings file (TOML): read as at that table. Default: the tile model as shipped.",
    ),
]
Source = Annotated[
    str,
    typer.Argument(
        help="A picture, a folder of pictures, a video, a camera's number or its file (/dev/v4l/by-id/...), an rtsp:// "
        "address, or picamera2."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Commission = Annotated[
    str, typer.Option("--commission", help="Commission on winnings: 5%, 4.5% or 1/20.", metavar="RATE")
]


def today() -> date:
    """Today in this computer's time zone: the default day of every command."""
    return datetime.now().astimezone().date()


def named_as(path: Path, *suffixes: str, instead: str = "") -> None:
    """Exit with status 2 if an output file has another suffix; ``instead`` says what to do."""
    if path.suffix.lower() not in suffixes:
        refuse(f"{path}: expected a name that ends in {' or '.join(suffixes)}{instead}")


@contextmanager
def plain_errors(*expected: type[Exception], program: str = "houseway") -> Iterator[None]:
    """Turn an error of the engine or an expected error into one line and exit status 2."""
    from engine.errors import EngineError

    caught: tuple[type[Exception], ...] = (EngineError, *expected)
    try:
        yield
    except caught as error:
        from service.words.findings import words_of_error

        refuse(" ".join(str(words_of_error(error)).split()), program)


@contextmanager
def plain_record_errors() -> Iterator[None]:
    """Do the same for errors of settings, accounts and the record."""
    from service.record.integrity.verify import NotARecordError
    from service.record.store.database import DatabaseError
    from service.record.store.entries import RecordUnavailableError
    from service.record.store.signing import KeyFileError
    from service.system.settings_file import ConfigError
    from service.words.wording import WordedError

    with plain_errors(ConfigError, DatabaseError, RecordUnavailableError, KeyFileError, NotARecordError, WordedError):
        yield


def say(text: object, *, err: bool = False) -> None:
    """Print text that may hold untrusted parts: control characters are escaped."""
    from service.words.wording import printed

    typer.echo(printed(str(text)), err=err)


def refuse(reason: str, program: str = "houseway") -> NoReturn:
    """Print the reason in one line on standard error, and exit with status 2."""
    say(f"{program}: {reason}", err=True)
    raise typer.Exit(2)


def attribution(reason: str) -> Attribution:
    """Attribute a change to the user of this machine."""
    import getpass

    from service.record.changes import Attribution

    return Attribution(f"{getpass.getuser()} at the machine", reason)


def setting_json(setting: Setting) -> dict[str, Any]:
    """Return a setting as lists of faces."""
    return {"low": [str(tile) for tile in setting.low.tiles], "high": [str(tile) for tile in setting.high.tiles]}


def played_under(way: HouseWay) -> str:
    """Return the rulebook a House Way is played under, to print after its name; empty if it is its own."""
    return "" if way.played_under == way.rulebook else f", played under {way.played_under}"


def commission_notes(rate: Fraction, *rulebooks: str) -> list[str]:
    """Return a note, with the rule, for each rulebook that does not allow this rate."""
    from engine.books.registry import VERSIONS, rulebook

    books = [rulebook(name, today()) for name in dict.fromkeys(rulebooks) if name in VERSIONS]
    refusals = ((book.id, book.settlement.commission.refusal(rate)) for book in books)
    return [f"only a what-if under {name}: {why}" for name, why in refusals if why]


def choice_notes(*ways: HouseWay) -> list[str]:
    """Return a note for each House Way that leaves settings to the dealer, naming the setting that is counted."""
    counted = {
        way.rulebook: sum(deal.ways for deal, decision in way.decisions.items() if decision.choices)
        for way in ways
        if any(rule.dealers_choice for rule in way.rules)
    }
    return [
        f"{name} leaves {deals:,} of 35,960 deals to the dealer's choice; they are counted with the best low hand that "
        "the dealer may set"
        for name, deals in counted.items()
        if deals
    ]


def per_cent(rate: Fraction) -> str:
    """Format a rate.

    >>> per_cent(Fraction(1, 20)), per_cent(Fraction(9, 200))
    ('5 %', '4.5 %')
    """
    return f"{float(rate) * 100:.10g} %"
