"""Whether the rules that a table's settings name exist, and whether a simulated table plays by them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from engine.books.registry import VERSIONS, rulebook
from engine.errors import EngineError
from service.rounds.judge.rules_in_force import TableRules
from service.system.settings_file import ConfigError
from service.system.table_settings import LocalTableConfig
from service.table.source import simulated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.system.settings import Config
    from service.system.settings_file import KeyPath, SettingsFile

_SIMULATOR: KeyPath = ("source", "simulator")


class RulesFault(NamedTuple):
    """A key of a table that names what does not exist, or contradicts another key; and why, with what to do."""

    key: KeyPath
    why: str


def check_rules(file: SettingsFile, config: Config) -> None:
    """Refuse settings read from a file if a table's rules do not exist or contradict each other.

    Raises:
        ConfigError: one line for each fault, with file, line and key.
    """
    if faults := list(rules_faults(file, config)):
        raise ConfigError("\n".join(faults))


def rules_faults(file: SettingsFile, config: Config) -> Iterator[str]:
    """Each fault in the rules that tables name, with file, line and key."""
    for number, table in enumerate(config.tables):
        if isinstance(table, LocalTableConfig) and (found := rules_fault(table)) is not None:
            yield file.fault(("tables", number, *found.key), found.why)


def rules_fault(table: LocalTableConfig) -> RulesFault | None:
    """The first fault in the rules that a table names; None without one."""
    try:
        TableRules.of(table.rulebook, table.house_way)
    except EngineError as error:
        key = "rulebook" if table.house_way is None or table.rulebook not in VERSIONS else "house_way"
        return RulesFault((key,), str(error))
    try:
        rules = TableRules.of(table.rulebook, table.house_way, variant=table.variant)
    except EngineError as error:
        return RulesFault(("variant",), f"{error}; correct it, or remove this line to play Pai Gow itself")
    book = rules.now.book
    if table.source is None or table.source.kind != "simulator":
        return None
    # Not at import: a table with a camera does not need the simulator.
    from datasets.simulator.film import parse_spec  # noqa: PLC0415
    from datasets.simulator.layouts import SimulatorError  # noqa: PLC0415

    try:
        played = parse_spec(simulated(table)).options
        rulebook(played.rulebook, on=rules.today).dice_of(played.variant)
    except (SimulatorError, EngineError) as error:
        return RulesFault(_SIMULATOR, f"{error}; docs/simulator.md lists what it may be")
    if book is None or (played.rulebook, played.variant) == (book.id, book.variant):
        return None
    return RulesFault(
        _SIMULATOR,
        f"the simulated table plays {_game(played.rulebook, played.variant)}, but its hands are judged by "
        f"{_game(book.id, book.variant)}: write {_session(book.id, book.variant)} here"
        f"{' without a variant' if played.variant is not None and book.variant is None else ''}, or change the "
        "rulebook and variant of the table",
    )


def _game(book: str, variant: str | None) -> str:
    return book if variant is None else f"{book}, {variant}"


def _session(book: str, variant: str | None) -> str:
    return f"rulebook={book}" if variant is None else f"rulebook={book},variant={variant}"
