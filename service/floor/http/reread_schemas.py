"""Requests and answers about rounds that are read again."""

from datetime import datetime
from typing import Any, Self

from pydantic import Field

from service.floor.reread.again import RoundAgain
from service.floor.reread.results import Counted, RoundResult, Which
from service.floor.reread.rules import Difference
from service.floor.reread.runs import Run
from service.floor.reread.told import ReadAgainWith
from service.rounds.doubts import DoubtReport
from service.rounds.reports import FrozenModel


class CountOut(FrozenModel):
    """How many rounds would be otherwise in one thing."""

    what: str = Field(description="what differs, as in `differences` of a round")
    by: str = Field(description="`rules` or `pictures`")
    rounds: int = Field(description="how many")


class ReadingAgainOut(FrozenModel):
    """A run of reading recorded rounds again."""

    id: int = Field(description="its number")
    begun_at: datetime = Field(description="when, UTC")
    by: str = Field(description="who began it")
    reason: str = Field(description="why")
    told: ReadAgainWith = Field(description="how, and with which versions")
    scope: dict[str, Any] = Field(description="which rounds were asked for: `tables` (null for all), `since`, `until`")
    rounds: int = Field(description="how many there are")
    states: dict[str, int] = Field(
        description="how many are `waiting`, `taken` by a worker, `done`, or set `aside` because reading them fails "
        "again and again"
    )
    outcomes: dict[str, int] = Field(
        description="how many would be decided the `same`, how many `otherwise`, how many `could_not` be read again"
    )
    stopped_at: datetime | None = Field(description="when somebody stopped it; null if nobody did")
    differing: tuple[CountOut, ...] | None = Field(
        description="in what rounds would be otherwise, most first; a round may be in several; null in a list of runs"
    )
    unread: dict[str, int] | None = Field(
        description="of how many rounds something could not be read again, by code; null in a list of runs"
    )
    partly: int | None = Field(description="those of them that could be read in part; null in a list of runs")

    @classmethod
    def of(cls, run: Run, counted: Counted | None = None) -> Self:
        """Write a run down."""
        about = {name: getattr(run, name) for name in ("id", "begun_at", "by", "reason", "told", "scope")}
        so_far = {name: getattr(run, name) for name in ("rounds", "states", "outcomes", "stopped_at")}
        differing = counted and tuple(CountOut(what=what, by=by, rounds=many) for what, by, many in counted.differing)
        return cls.model_validate(
            {
                **about,
                **so_far,
                "differing": differing,
                "unread": None if counted is None else dict(counted.unread),
                "partly": None if counted is None else counted.partly,
            }
        )


class ReadingsAgainOut(FrozenModel):
    """Runs, newest first."""

    runs: tuple[ReadingAgainOut, ...] = Field(description="the runs")


class RoundAgainOut(FrozenModel):
    """A round that was read again."""

    table: str = Field(description="name of its table on the floor")
    round: str = Field(description="its id")
    number: int = Field(description="its number at its table; 0 if the table's record no longer has it")
    opened_at: datetime | None = Field(description="when it began, UTC")
    outcome: str = Field(
        description="`same`, `otherwise`, `could_not`, or `aside` if reading it failed again and again"
    )
    differences: tuple[Difference, ...] = Field(description="what would be different")
    unread: tuple[DoubtReport, ...] = Field(description="what could not be re-read, and why")
    failures: tuple[str, ...] = Field(description="why reading it failed, each time")

    @classmethod
    def of(cls, result: RoundResult) -> Self:
        """Write it down."""
        again = result.again or RoundAgain(outcome="could_not")
        return cls.model_validate(
            {
                "table": result.table,
                "round": result.round,
                "number": result.number,
                "opened_at": result.opened_at,
                "outcome": result.outcome,
                "differences": again.differences,
                "unread": again.unread,
                "failures": result.failures,
            }
        )


class RoundsAgainOut(FrozenModel):
    """Rounds of a run that are done, in the order in which the floor took them."""

    rounds: tuple[RoundAgainOut, ...] = Field(description="the rounds")
    next: int | None = Field(description="send this as `after` to continue; null if there are no more")


class RoundsAgainQuery(FrozenModel):
    """Which of them."""

    which: Which | None = Field(
        default=None,
        description="only those that would be decided `otherwise`, that `could_not` be read, of which only a part "
        "could (`partly`), set `aside`, or decided the `same`",
    )
    after: int = Field(default=0, ge=0, le=2**63 - 1, description="'next' of the answer before")
    limit: int = Field(default=50, ge=1, le=200, description="the most in one answer")
