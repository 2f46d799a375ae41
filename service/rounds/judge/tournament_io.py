"""A tournament's Terms and Conditions and its play as files, and what the commands answer.

`docs/tournaments.md` explains the file.
"""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field

from engine.books.registry import rulebook
from engine.errors import TournamentError
from engine.tournament.replay import HandPlayed, Replayed, TablePlayed, TableReplayed, TournamentLog, replay
from engine.tournament.requirements import ClauseFault, Format, TournamentRules, TournamentStage, check_terms
from engine.tournament.table_play import Stake
from service.rounds.judge.settlement_io import load
from service.rounds.reports import FrozenModel
from service.words.wording import plain_name

Whole = Annotated[int, Field(strict=True)]
Name = Annotated[str, Field(max_length=80), AfterValidator(plain_name)]
Names = Annotated[tuple[Name, ...], Field(max_length=1_000)]
Words = Annotated[str, Field(max_length=10_000)]


class StageIn(FrozenModel):
    """A round or session."""

    name: Annotated[str, Field(max_length=80)]
    hands: Whole
    through: Whole | None = None
    least: Whole | None = None
    secret: Whole = 0
    afresh: bool = False

    def stage(self) -> TournamentStage:
        """As the engine takes it."""
        return TournamentStage(**dict(self))


class FormatIn(FrozenModel):
    """What can be counted."""

    bank: Whole
    fewest: Whole
    most: Whole
    stages: Annotated[tuple[StageIn, ...], Field(max_length=100)]
    paid_entry: bool = False
    special_event: bool = False
    buy_back: bool = False
    chips_for_cash: bool = False
    later_is_better: bool = False
    side_wagers: bool = Field(default=False, description="stakes may hold side wagers")

    def declared(self) -> Format:
        """As the engine takes it."""
        return Format(**{**dict(self), "stages": tuple(stage.stage() for stage in self.stages)})


class TermsIn(FrozenModel):
    """The Terms and Conditions of one tournament."""

    rulebook: Annotated[str, Field(max_length=100)]
    name: Annotated[str, Field(max_length=200)]
    format: FormatIn | None = None
    terms: Annotated[dict[Annotated[str, Field(max_length=40)], Words | Literal[False]], Field(max_length=500)]


class TournamentFindingOut(FrozenModel):
    """One thing wrong."""

    rule: str
    fault: ClauseFault
    words: str
    cite: str


class TermsCheckOut(FrozenModel):
    """What is wrong with a document, and how many clauses its rulebook asks for."""

    rulebook: str
    name: str
    asked: int
    complete: bool
    findings: tuple[TournamentFindingOut, ...]

    @classmethod
    def of(cls, given: TermsIn, today: date) -> Self:
        """Check a document by the rules of a day.

        Raises:
            EngineError: the rulebook is not known or has no tournaments, or nobody could play the format.
        """
        rules = _rules(given.rulebook, today)
        declared = None if given.format is None else given.format.declared()
        found = check_terms(given.terms, rules, declared)
        return cls(
            rulebook=given.rulebook,
            name=given.name,
            asked=len(rules.demands),
            complete=not found,
            findings=tuple(
                TournamentFindingOut(rule=one.rule, fault=one.fault, words=one.words, cite=one.cite) for one in found
            ),
        )


class PlayedHandIn(FrozenModel):
    """One hand of a tournament's table."""

    stakes: dict[Name, Whole] = Field(default={})
    net: dict[Name, Whole] = Field(default={}, description="won, below zero lost; omitted players stood off")
    secret: tuple[Name, ...] = Field(default=(), description="whose wager was made secretly")
    buy_backs: dict[Name, Whole] = Field(default={}, description="chips bought before the hand")

    def hand(self) -> HandPlayed:
        """As the engine takes it."""
        players = dict.fromkeys((*self.stakes, *self.secret))
        stakes = {player: Stake(self.stakes.get(player, 0), player in self.secret) for player in players}
        return HandPlayed(stakes, self.net, self.buy_backs)


class PlayedTableIn(FrozenModel):
    """One table in one stage."""

    stage: Annotated[str, Field(max_length=80)]
    players: Names
    hands: Annotated[tuple[PlayedHandIn, ...], Field(max_length=1_000)] = ()
    through: Names = Field(default=(), description="the Tournament Director's decision, where chips leave it open")


class PlayIn(FrozenModel):
    """A tournament as it was played."""

    terms: Path
    players: Names
    tables: Annotated[tuple[PlayedTableIn, ...], Field(max_length=500)]
    prizes: Annotated[tuple[Whole, ...], Field(max_length=500)] = ()
    barred: Names = ()

    def log(self) -> TournamentLog:
        """As the engine takes it."""
        tables = tuple(
            TablePlayed(table.stage, table.players, tuple(hand.hand() for hand in table.hands), table.through)
            for table in self.tables
        )
        return TournamentLog(self.players, tables, self.prizes, self.barred)


class LineOut(FrozenModel):
    """One thing that follows from the play, and its rule."""

    words: str
    rule: str


class PlayedTableOut(FrozenModel):
    """A table, hand by hand."""

    stage: str
    number: int
    played: int
    hands: int
    chips: tuple[dict[str, int], ...] = Field(description="before the first hand, and after each")
    through: tuple[str, ...]
    lines: tuple[LineOut, ...]


class PlaceOut(FrozenModel):
    """A place of the last stage."""

    rank: int
    players: tuple[str, ...]
    chips: int


class PlayOut(FrozenModel):
    """A tournament as it was replayed."""

    rulebook: str
    name: str
    tables: tuple[PlayedTableOut, ...]
    places: tuple[PlaceOut, ...]
    prizes: dict[str, int]
    lines: tuple[LineOut, ...]
    refused: str

    @classmethod
    def of(cls, terms: TermsIn, given: PlayIn, today: date) -> Self:
        """Replay a tournament under its terms, by the rules of a day.

        Raises:
            TournamentError: its rulebook lays down nothing about tournaments, or the terms declare no format that
                could be played.
            UnknownRulebookError: there is no such rulebook.
        """
        rules = _rules(terms.rulebook, today)
        if terms.format is None:
            raise TournamentError(f"the terms declare no [format], so no play can be checked ({rules.stages})")
        declared = terms.format.declared()
        replayed = replay(given.log(), declared, rules)
        lacking = len(check_terms(terms.terms, rules, declared))
        return cls(
            rulebook=terms.rulebook,
            name=terms.name,
            tables=tuple(_table(table, declared, rules) for table in replayed.tables),
            places=tuple(PlaceOut(rank=one.rank, players=one.players, chips=one.chips) for one in replayed.places),
            prizes={} if replayed.awards is None else dict(replayed.awards.prizes),
            lines=tuple(_final(replayed, given, lacking, rules)),
            refused=replayed.refused,
        )


def _rules(name: str, day: date) -> TournamentRules:
    rules = rulebook(name, day).tournament
    if rules is None:
        raise TournamentError(f"{name} has no rules for tournaments; crown-6.1 has, in rule 15")
    return rules


def _table(table: TableReplayed, declared: Format, rules: TournamentRules) -> PlayedTableOut:
    last, found = table.last, table.progress
    lines = [
        LineOut(words=f"{player} is out of chips in hand {hand}", rule=rules.eliminated)
        for player, hand in last.out.items()
    ]
    if last.played < last.stage.hands:
        early = found is not None
        words = "ended early: those who go on are known" if early else f"not over: {last.stage.hands} hands are played"
        lines.append(LineOut(words=words, rule=rules.may_end if early else rules.stages))
    if found is not None and found.tied:
        tied = f"{', '.join(found.tied)} are tied for {found.spots} of the places that go on"
        chosen = [player for player in table.through if player in found.tied]
        decided = f"{', '.join(chosen)} by decision" if chosen else rules.director.value
        lines.append(LineOut(words=f"{tied}: {decided}", rule=rules.director.where))
    if table.through:
        lines.append(LineOut(words=f"going on: {', '.join(table.through)}", rule=rules.progression))
        stopped = [player for player in last.playing if player not in table.through]
        if stopped:
            lines.append(LineOut(words=f"eliminated, with chips left: {', '.join(stopped)}", rule=rules.eliminated))
    if last.stage == declared.stages[0] or last.stage.afresh:
        lines.insert(0, LineOut(words=f"all start with {declared.bank}", rule=rules.same_bank))
    else:
        lines.insert(0, LineOut(words="all start with the chips they bring", rule=rules.progression))
    return PlayedTableOut(
        stage=last.stage.name,
        number=table.number,
        played=last.played,
        hands=last.stage.hands,
        chips=tuple(dict(state.chips) for state in table.states),
        through=table.through,
        lines=tuple(lines),
    )


def _final(replayed: Replayed, given: PlayIn, lacking: int, rules: TournamentRules) -> Iterator[LineOut]:
    if lacking:
        words = f"the terms fall short of {lacking} rules; houseway tournament check {given.terms} lists them"
        yield LineOut(words=words, rule=rules.documented)
    if replayed.awards is None:
        return
    yield LineOut(words="places go by chips after the last hand", rule=rules.winners)
    if given.barred:
        yield LineOut(words=f"{', '.join(given.barred)}: {rules.barred.value}", rule=rules.barred.where)
    if replayed.awards.prizes:
        yield LineOut(words="prizes by place", rule=rules.prizes)
    for players, prizes in replayed.awards.tied:
        held = ", ".join(map(str, prizes))
        words = f"{', '.join(players)} are tied for {held}: {rules.director.value}"
        yield LineOut(words=words, rule=rules.director.where)


def load_play(path: Path) -> tuple[TermsIn, PlayIn]:
    """Read a tournament as it was played from a TOML file, and the terms it names beside it.

    Raises:
        DescribedFileError: a file is missing or no TOML, or a key is unknown, missing or wrong.
    """
    given = load(path, PlayIn)
    return load(path.parent / given.terms, TermsIn), given
