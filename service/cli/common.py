"""What commands share: their options, and how they refuse."""

from __future__ import annotations

from contextlib import contextmanager
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.game.setting import Setting
    from engine.house_way import HouseWay

Rulebook = Annotated[
    str, typer.Option("--rulebook", help="Id of a House Way, such as crown-6.1, or the path of a .py file of your own.")
]
HouseWayUnder = Annotated[
    str | None,
    typer.Option(
        "--house-way",
        help="Id or file of the House Way played under the rulebook, where that prints none (uk-poster) or the casino "
        "has its own.",
        metavar="ID_OR_FILE",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Commission = Annotated[str, typer.Option("--commission", help="Of winnings, exactly: 5%, 4.5%, 1/20.", metavar="RATE")]


@contextmanager
def plain_errors() -> Iterator[None]:
    """Say what was wrong in one line and leave with status 2, instead of a traceback."""
    from engine.errors import EngineError

    try:
        yield
    except EngineError as error:
        refuse(str(error))


@contextmanager
def plain_record_errors() -> Iterator[None]:
    """The same for what settings, accounts and the record refuse."""
    from service.config.settings_file import ConfigError
    from service.record.store.database import DatabaseError
    from service.record.store.entries import RecordUnavailableError
    from service.record.store.signing import KeyFileError
    from service.record.verify import NotARecordError
    from service.words.wording import WordedError

    try:
        yield
    except (ConfigError, DatabaseError, RecordUnavailableError, KeyFileError, NotARecordError, WordedError) as error:
        refuse(str(error))


def refuse(reason: str) -> NoReturn:
    """Say why in one line on standard error, and leave with status 2."""
    typer.echo(f"houseway: {reason}", err=True)
    raise typer.Exit(2)


def user_at_the_machine() -> str:
    """On whose word something is changed from the command line."""
    import getpass

    return f"{getpass.getuser()} at the machine"


def setting_json(setting: Setting) -> dict[str, Any]:
    """A setting as lists of faces."""
    return {"low": [str(tile) for tile in setting.low.tiles], "high": [str(tile) for tile in setting.high.tiles]}


def played_under(way: HouseWay) -> str:
    """Under which rulebook a House Way is played, to be written after its name; empty where that is its own."""
    return "" if way.played_under == way.rulebook else f", played under {way.played_under}"


def commission_notes(rate: Fraction, *rulebooks: str) -> list[str]:
    """Where a rate is only a what-if, because a rulebook does not let it be charged; each with the rule.

    A House Way of one's own belongs to no rulebook, so nothing is said of it.
    """
    from engine.books.registry import BOOKS

    books = [BOOKS[name] for name in dict.fromkeys(rulebooks) if name in BOOKS]
    refusals = ((book.id, book.settlement.commission.refusal(rate)) for book in books)
    return [f"only a what-if under {name}: {why}" for name, why in refusals if why]


def per_cent(rate: Fraction) -> str:
    """A rate in short.

    >>> per_cent(Fraction(1, 20)), per_cent(Fraction(9, 200))
    ('5 %', '4.5 %')
    """
    return f"{float(rate) * 100:.10g} %"
