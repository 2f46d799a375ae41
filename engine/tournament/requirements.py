"""Required contents of a tournament's Terms and Conditions, and what a document lacks.

A document answers each demand under the number of its rule: with its own clause, or with false if that is optional.
Numbers (players, chips, stages) form a `Format`, which is checked against the clauses.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from engine.errors import TournamentError
from engine.settlement.money import whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from fractions import Fraction

    from engine.vocabulary.citations import Cite
    from engine.vocabulary.facts import Fact


class Aspect(Enum):
    """Aspect of a format that makes an optional clause necessary."""

    PAID_ENTRY = "players pay to enter, to buy in again or to add on"
    SPECIAL_EVENT = "it is a charitable or media event"
    STAGES = "it has several stages"
    BUY_BACK = "an eliminated player may buy back"
    LEAST_WAGER = "a stage has a least wager"
    SECRET_WAGERS = "secret wagers are allowed"  # noqa: S105  no password
    CHIPS_FOR_CASH = "chips become cash"


@dataclass(frozen=True, slots=True)
class Demand:
    """A required item of the Terms and Conditions.

    Attributes:
        unless: when the clause is optional; empty if it is always required.
        aspect: the aspect of the format that makes it necessary; None if only the document can tell.
    """

    cite: Cite
    words: str
    unless: str = ""
    aspect: Aspect | None = None


@dataclass(frozen=True)
class TournamentRules:
    """A book's rules on tournaments.

    Attributes:
        documented: the terms must be in writing.
        demands: required items, in the book's order.
        same_bank: all players start with the same chips, known before play.
        barred: people who may win no prize: the next eligible player takes the place.
        may_end: play at a table may end once it is known who advances.
        director: the official whose decision is final.
        pays: the greatest deduction from a won wager, which is paid at one to one.
    """

    documented: Cite
    demands: tuple[Demand, ...]
    players: Cite
    stages: Cite
    progression: Cite
    same_bank: Cite
    least: Cite
    secret: Cite
    buy_back: Cite
    eliminated: Cite
    winners: Cite
    prizes: Cite
    barred: Fact[str]
    may_end: Cite
    director: Fact[str]
    pays: Fact[Fraction]


@dataclass(frozen=True, slots=True)
class TournamentStage:
    """A round or session of a tournament. Chips are in the smallest unit.

    Attributes:
        name: such as ``heats``.
        hands: number of hands.
        through: number of players of each table who advance; None for the last stage.
        least: the compulsory wager of every hand; None otherwise.
        secret: number of secret wagers a player may make.
        afresh: whether all start with the starting bank again instead of their own chips.
    """

    name: str
    hands: int
    through: int | None = None
    least: int | None = None
    secret: int = 0
    afresh: bool = False


@dataclass(frozen=True, slots=True)
class Format:
    """The numbers of a tournament. Chips are in the smallest unit.

    Attributes:
        bank: the chips that every player starts with.
        paid_entry: whether anything is paid to enter, buy in again or add on.
        special_event: whether it is a charitable or media event.
        buy_back: whether an eliminated player may buy back.
        chips_for_cash: whether chips become cash at the end of a stage.
        later_is_better: whether a player eliminated later is placed above one eliminated before.
        side_wagers: whether stakes may include side wagers, which pay more than even money.
    """

    bank: int
    fewest: int
    most: int
    stages: tuple[TournamentStage, ...]
    paid_entry: bool = False
    special_event: bool = False
    buy_back: bool = False
    chips_for_cash: bool = False
    later_is_better: bool = False
    side_wagers: bool = False

    @property
    def aspects(self) -> dict[Aspect, bool]:
        """Which aspects of it make clauses necessary."""
        return {
            Aspect.PAID_ENTRY: self.paid_entry,
            Aspect.SPECIAL_EVENT: self.special_event,
            Aspect.STAGES: len(self.stages) > 1,
            Aspect.BUY_BACK: self.buy_back,
            Aspect.LEAST_WAGER: any(stage.least is not None for stage in self.stages),
            Aspect.SECRET_WAGERS: any(stage.secret for stage in self.stages),
            Aspect.CHIPS_FOR_CASH: self.chips_for_cash,
        }

    def check(self, rules: TournamentRules) -> None:
        """Reject an unplayable format.

        Raises:
            TournamentError: no stages, a stage without hands, contradictory limits, or players advancing from the last
                stage.
            WagerError: chips that are not a whole number.
        """
        whole(self.bank, "the starting bank", rules.same_bank)
        if not 1 <= self.fewest <= self.most:
            raise TournamentError(f"from {self.fewest} to {self.most} players cannot play", rules.players)
        if not self.stages:
            raise TournamentError("the format has no stage; name one with its hands", rules.stages)
        for number, stage in enumerate(self.stages, 1):
            if stage.hands < 1:
                raise TournamentError(f"stage {stage.name} has {stage.hands} hands; it needs one", rules.stages)
            if (stage.through is None) != (number == len(self.stages)):
                raise TournamentError(
                    f"stage {stage.name}: say how many of each table go on, but not of the last stage",
                    rules.progression,
                )
            if stage.through is not None and stage.through < 1:
                raise TournamentError(f"stage {stage.name}: {stage.through} go on; one must", rules.progression)
            if stage.least is not None:
                whole(stage.least, f"the least wager of stage {stage.name}", rules.least)
                if (number == 1 or stage.afresh) and stage.least > self.bank:
                    raise TournamentError(
                        f"stage {stage.name}: a wager of {stage.least} is compulsory, but all start with {self.bank}",
                        rules.least,
                    )
            if stage.secret < 0:
                raise TournamentError(f"stage {stage.name} allows {stage.secret} secret wagers", rules.secret)


class ClauseFault(Enum):
    MISSING = "missing"
    NEEDED = "left out, but needed"
    CONTRADICTS = "contradicts the format"
    UNKNOWN = "no rule asks for it"


@dataclass(frozen=True, slots=True)
class ClauseFinding:
    """A fault of a document.

    Attributes:
        rule: the number of the rule, or the document's own label if no rule requires it.
        words: the requirement, and advice.
    """

    rule: str
    fault: ClauseFault
    words: str
    cite: Cite


def check_terms(
    clauses: Mapping[str, str | bool], rules: TournamentRules, declared: Format | None = None
) -> tuple[ClauseFinding, ...]:
    """Faults of a document: missing clauses, or contradictions to its own format, if that is declared.

    The clauses are keyed by rule number: the document's own words, or false for an omitted clause. Findings are in the
    book's order, clauses that no rule requires last; empty if the document is complete.

    Raises:
        TournamentError: the format is unplayable.
    """
    if declared is not None:
        declared.check(rules)
    return tuple(_findings(clauses, rules, {} if declared is None else declared.aspects))


def _findings(
    clauses: Mapping[str, str | bool], rules: TournamentRules, aspects: Mapping[Aspect, bool]
) -> Iterator[ClauseFinding]:
    for demand in rules.demands:
        number = demand.cite.section
        clause = clauses.get(number)
        there = isinstance(clause, str) and bool(clause.strip())
        applies = None if demand.aspect is None else aspects.get(demand.aspect)
        if there and applies is False:
            fault, what = ClauseFault.CONTRADICTS, "the format says otherwise"
        elif there or (clause is False and demand.unless and not applies):
            continue
        elif clause is False:
            fault = ClauseFault.NEEDED
            what = (
                f"{demand.aspect.value} in the format" if applies and demand.aspect else "the rule always asks for it"
            )
        else:
            fault = ClauseFault.MISSING
            what = f"write the clause{f', or false if {demand.unless}' if demand.unless else ''}"
        yield ClauseFinding(number, fault, f"{demand.words}: {what}", demand.cite)
    required = {demand.cite.section for demand in rules.demands}
    for number in clauses:
        if number not in required:
            yield ClauseFinding(
                number, ClauseFault.UNKNOWN, "answer the rules that the terms must meet", rules.documented
            )
