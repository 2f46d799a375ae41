"""Settings, records, errors and output that the commands share."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, NoReturn

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date
    from pathlib import Path

    from engine.game.setting import Setting
    from engine.house_way import HouseWay
    from service.record.changes import Attribution
    from service.record.store.record import Record
    from service.rounds.judge.rules_in_force import RulesInForce
    from service.system.settings import Config


DELETE_TO_RESTART: Final = "This is only a demonstration: delete {what} to start it afresh"


def today() -> date:
    """Today in this computer's time zone: the default day of every command."""
    return datetime.now().astimezone().date()


def rules_on(day: date, rulebook: str, house_way: str | None = None) -> RulesInForce:
    """The rules of a day, by the ids or files that the options name.

    Raises:
        EngineError: they are unknown or cannot be used, or were not in force yet on that day.
    """
    from service.rounds.judge.rules_in_force import TableRules

    rules = TableRules.of(rulebook, house_way).on(day)
    rules.check_in_force(day)
    return rules


def named_as(path: Path, *suffixes: str, instead: str = "") -> None:
    """Exit with status 2 if an output file has another suffix; ``instead`` says what to do."""
    if path.suffix.lower() not in suffixes:
        refuse(f"{path}: expected a name that ends in {' or '.join(suffixes)}{instead}")


@contextmanager
def plain_errors(*expected: type[Exception], program: str = "houseway") -> Iterator[None]:
    """Turn an error of the engine or an expected error into one line, or one a fault of settings, and exit status 2."""
    from engine.errors import EngineError

    caught: tuple[type[Exception], ...] = (EngineError, *expected)
    try:
        yield
    except caught as error:
        from service.system.settings_file import ConfigError

        reason = _reason(error)
        faults = reason.splitlines() if isinstance(error, ConfigError) else [reason]
        refuse("\n".join(" ".join(fault.split()) for fault in faults), program)


def _reason(error: Exception) -> str:
    from service.words.findings import words_of_error

    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(words_of_error(error))


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


@contextmanager
def opened_settings(config: Path | None) -> Iterator[Config]:
    """Load settings, by default those of the sample table; an expected error ends the command in one line."""
    from service.system.settings import SAMPLE_CONFIG, load_config

    with plain_record_errors():
        yield load_config(config or SAMPLE_CONFIG)


def record_of(settings: Config) -> Record:
    """Open a record to append to it; its service may be running."""
    from service.record.store.record import Record
    from service.record.store.record_settings import RecordSettings

    return Record(RecordSettings.of(settings), claim=False)


def say(text: object, *, err: bool = False) -> None:
    """Print text that may hold untrusted parts: control characters are escaped."""
    from service.words.wording import printed

    typer.echo(printed(str(text)), err=err)


def say_boxed(*lines: str) -> None:
    """Print what a person looks for first in a box."""
    width = max(map(len, lines))
    edge = f"+{'-' * (width + 2)}+"
    say("\n".join((edge, *(f"| {line:<{width}} |" for line in lines), edge)))


def refuse(reason: str, program: str = "houseway") -> NoReturn:
    """Print the reason in one line on standard error, and exit with status 2."""
    say(f"{program}: {reason}", err=True)
    raise typer.Exit(2)


def attribution(reason: str) -> Attribution:
    """Attribute a change to the user of this machine, as ``user@machine``."""
    import getpass
    import platform

    from service.record.changes import Attribution

    return Attribution(f"{getpass.getuser()}@{platform.node()}", reason)


def setting_json(setting: Setting) -> dict[str, Any]:
    """Return a setting as lists of faces."""
    return {"low": [str(tile) for tile in setting.low.tiles], "high": [str(tile) for tile in setting.high.tiles]}


def played_under(way: HouseWay) -> str:
    """Return the rulebook a House Way is played under, to print after its name; empty if it is its own."""
    return "" if way.played_under == way.rulebook else f", played under {way.played_under}"


def commission_notes(rate: Fraction, day: date, *rulebooks: str) -> list[str]:
    """Return a note, with the rule, for each rulebook that does not allow this rate on a day."""
    from engine.books.registry import VERSIONS, rulebook

    books = [rulebook(name, day) for name in dict.fromkeys(rulebooks) if name in VERSIONS]
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
