"""A played tournament, replayed table by table and hand by hand under its format.

Violations of its rulebook or its own terms are refused with the rule; everything before them stands.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from engine.errors import EngineError, TournamentError
from engine.tournament.table_play import (
    award,
    buy_back,
    check_entries,
    may_end,
    play,
    progress,
    seat,
    standing,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from engine.tournament.requirements import Format, TournamentRules
    from engine.tournament.table_play import Awards, Progress, Stake, Standing, TournamentTable


@dataclass(frozen=True)
class HandPlayed:
    """One hand. Chips are in the smallest unit.

    Attributes:
        stakes: by player; omitted players wager nothing.
        net: by player, the amount won, negative for a loss; omitted players stood off.
        buy_backs: chips bought before this hand by eliminated players.
    """

    stakes: Mapping[str, Stake]
    net: Mapping[str, int]
    buy_backs: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class TablePlayed:
    """One table in one stage.

    Attributes:
        through: players who advanced by the Tournament Director's decision, if chips left it open; otherwise empty.
    """

    stage: str
    players: tuple[str, ...]
    hands: tuple[HandPlayed, ...]
    through: tuple[str, ...] = ()


@dataclass(frozen=True)
class TournamentLog:
    """A played tournament. Money is in the smallest unit.

    Attributes:
        tables: in the order of the stages.
        prizes: by place, first prize first.
        barred: players who may win no prize.
    """

    players: tuple[str, ...]
    tables: tuple[TablePlayed, ...]
    prizes: tuple[int, ...] = ()
    barred: tuple[str, ...] = ()


@dataclass(frozen=True)
class TableReplayed:
    """A replayed table.

    Attributes:
        number: number of the table within its stage, from 1.
        states: after seating, and after every hand.
        progress: who advances; None for the last stage, and for a table still in play.
        through: who advanced, including the Tournament Director's decision; players in an open tie are omitted.
    """

    number: int
    states: tuple[TournamentTable, ...]
    progress: Progress | None
    through: tuple[str, ...] = ()

    @property
    def last(self) -> TournamentTable:
        return self.states[-1]


@dataclass(frozen=True)
class Replayed:
    """A tournament replayed as far as its log is legal.

    Attributes:
        tables: in the order of the log.
        places: final places; empty before the last stage is over.
        awards: prizes by player; None before that.
        refused: where and why (with the rule) the log was refused; empty if it was not.
    """

    tables: tuple[TableReplayed, ...]
    places: tuple[Standing, ...] = ()
    awards: Awards | None = None
    refused: str = ""


def replay(log: TournamentLog, declared: Format, rules: TournamentRules) -> Replayed:
    """Replay a log: banks, eliminations, who advances, places and prizes.

    Raises:
        TournamentError: the format is unplayable.
    """
    declared.check(rules)
    tables: list[TableReplayed] = []
    try:
        check_entries(log.players, declared, rules)
        for played in log.tables:
            number = 1 + sum(table.last.stage.name == played.stage for table in tables)
            at = f"{played.stage}, table {number}"
            with _at_place(at):
                table = _seated(played, tables, log, declared, rules)
            tables.append(TableReplayed(number, (table,), None))
            for count, hand in enumerate(played.hands, 1):
                with _at_place(f"{at}, hand {count}"):
                    table = _hand(table, hand, declared, rules)
                tables[-1] = replace(tables[-1], states=(*tables[-1].states, table))
            with _at_place(at):
                tables[-1] = _ended(tables[-1], played, declared, rules)
    except EngineError as error:
        return Replayed(tuple(tables), refused=str(error))
    final = [table.last for table in tables if table.last.stage == declared.stages[-1]]
    if not final or not all(may_end(table, buy_back=declared.buy_back) for table in final):
        return Replayed(tuple(tables))
    places = standing(_together(final), later_is_better=declared.later_is_better)
    return Replayed(tuple(tables), places, award(places, log.prizes, log.barred))


@contextmanager
def _at_place(at: str) -> Iterator[None]:
    """Add the position of a refusal to it."""
    try:
        yield
    except EngineError as error:
        raise TournamentError(f"{at}: {error}") from error


def _seated(
    played: TablePlayed, before: Sequence[TableReplayed], log: TournamentLog, declared: Format, rules: TournamentRules
) -> TournamentTable:
    names = [stage.name for stage in declared.stages]
    if played.stage not in names:
        raise TournamentError(f"the format has no stage {played.stage!r}; it has {', '.join(names)}", rules.stages)
    stage = names.index(played.stage)
    if before and stage < names.index(before[-1].last.stage.name):
        raise TournamentError(f"{before[-1].last.stage.name} is played already", rules.stages)
    if strange := next((player for player in played.players if player not in log.players), None):
        raise TournamentError(f"{strange} did not enter", rules.players)
    beside = [table.last for table in before if table.last.stage.name == played.stage]
    if twice := next((player for player in played.players if any(player in table.chips for table in beside)), None):
        raise TournamentError(f"{twice} sits at another table of {played.stage} already", rules.stages)
    if not stage:
        return seat(played.players, 0, declared, rules)
    carried = {
        player: table.last.chips[player]
        for table in before
        if table.last.stage.name == names[stage - 1]
        for player in table.through
    }
    if stopped := next((player for player in played.players if player not in carried), None):
        raise TournamentError(f"{stopped} did not go on from {names[stage - 1]}", rules.progression)
    return seat(played.players, stage, declared, rules, carried)


def _hand(table: TournamentTable, hand: HandPlayed, declared: Format, rules: TournamentRules) -> TournamentTable:
    for player, chips in hand.buy_backs.items():
        table = buy_back(table, player, chips, declared, rules)
    return play(table, hand.stakes, hand.net, rules)


def _ended(replayed: TableReplayed, played: TablePlayed, declared: Format, rules: TournamentRules) -> TableReplayed:
    """Who advances, by chips or, if these leave it open, by the decision in the log."""
    table = replayed.last
    if table.stage.through is None or not may_end(table, buy_back=declared.buy_back):
        if played.through:
            raise TournamentError(f"nobody goes on from it: {_why_not(table)}", rules.progression)
        return replayed
    found = progress(table, later_is_better=declared.later_is_better)
    decided = set(played.through) - set(found.through)
    if not decided:
        return replace(replayed, progress=found, through=found.through)
    if not decided <= set(found.tied) or len(decided) != found.spots or len(played.through) != len(set(played.through)):
        choice = f" and {found.spots} of {', '.join(found.tied)}" if found.tied else ""
        raise TournamentError(
            f"{', '.join(played.through)} went on; by chips {', '.join(found.through) or 'nobody'}{choice} may",
            rules.progression,
        )
    return replace(replayed, progress=found, through=(*found.through, *sorted(decided)))


def _why_not(table: TournamentTable) -> str:
    if table.stage.through is None:
        return f"{table.stage.name} is the last stage"
    return f"{table.played} of {table.stage.hands} hands are played, and who goes on is not known yet"


def _together(tables: Sequence[TournamentTable]) -> TournamentTable:
    """The tables of the last stage joined, for the places."""
    return replace(
        tables[0],
        chips={player: held for table in tables for player, held in table.chips.items()},
        out={player: hand for table in tables for player, hand in table.out.items()},
    )
