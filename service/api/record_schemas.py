"""Requests and answers about what is recorded."""

from datetime import datetime
from typing import Annotated, Any, Self

from pydantic import Field

from service.record.projections.round_search import PAGE, PlaceInRounds, RoundFilter
from service.record.results import ResultOut
from service.record.store.covered_rows import BESIDE
from service.record.store.entries import Entry
from service.rounds.reports import FrozenModel
from service.rounds.served import RoundOut
from service.system.section import Name


class ResultsQuery(FrozenModel):
    """Which results; a parameter that is misspelt is refused, for without its cursor a poller would begin anew."""

    since: Annotated[str, Field(max_length=100)] | None = Field(
        default=None, description="'next' of the answer before; left out, from the beginning"
    )
    limit: int = Field(default=50, ge=1, le=200, description="the most results in one answer")
    wait: float = Field(default=0, ge=0, le=300, description="seconds to wait for a result before answering")
    table: Annotated[str, Field(max_length=40)] | None = Field(
        default=None, description="only this table's results", examples=["test"]
    )


class EntriesQuery(FrozenModel):
    """Which entries; a parameter that is misspelt is refused, as for results."""

    since: Annotated[str, Field(max_length=100)] | None = Field(
        default=None, description="'next' of the answer before; left out, from the beginning"
    )
    limit: int = Field(default=100, ge=1, le=200, description="the most entries in one answer")
    wait: float = Field(default=0, ge=0, le=300, description="seconds to wait for an entry before answering")


class RoundsQuery(RoundFilter):
    """Which rounds, and how many at once."""

    table: Name | None = Field(default=None, description="only this table's rounds", examples=["test"])
    pit: Name | None = Field(default=None, description="only rounds of this pit's tables", examples=["high-limit"])
    limit: int = Field(default=PAGE, ge=1, le=100, description="the most rounds in one answer")
    cursor: PlaceInRounds | None = Field(
        default=None,
        examples=["2026-01-31T23:59:59.123456Z~7"],
        description="`next` of the answer before; left out, from the newest round on",
    )


class RoundsOut(FrozenModel):
    """Rounds, the newest first, each as it stands now.

    Attributes:
        rounds: those that fit.
        next: send this as ``cursor`` to go on; null at the end. A page may have fewer rounds than ``limit``, or none,
            and still go on.
        looked_back_to: when the oldest round that was looked at was opened, where looking on was left to the next
            request; null otherwise.
    """

    rounds: tuple[RoundOut, ...]
    next: str | None
    looked_back_to: datetime | None


class RoundQuery(FrozenModel):
    """Which revision of a round."""

    revision: Annotated[int, Field(ge=1, le=1_000_000)] | None = Field(
        default=None, description="an earlier revision; the newest if left out"
    )


class RevisionsOut(FrozenModel):
    """All revisions of a round, oldest first.

    Attributes:
        revisions: the newest last.
    """

    revisions: tuple[ResultOut, ...]


class ChangeOut(FrozenModel):
    """One change, as the record has it.

    Attributes:
        seq: number of its entry in the record.
        at: when, UTC.
        kind: ``account``, ``key``, ``config``, ``calibration``, ``webhook``, ``models``, or of a
            floor ``trust``.
        subject: which account or key, or which table.
        by: on whose word.
        act: what was done.
        reason: why.
        details: what else was said of it.
    """

    seq: int
    at: datetime
    kind: str
    subject: str
    by: str
    act: str
    reason: str
    details: dict[str, Any]

    @classmethod
    def of(cls, entry: Entry) -> Self:
        """The change that an entry tells of."""
        details = entry.data
        details.pop(BESIDE, None)  # digests, for who proves the record
        change = {name: str(details.pop(name, "")) for name in ("by", "act", "reason")}
        about = {"seq": entry.seq, "at": entry.at, "kind": entry.kind, "subject": entry.subject or ""}
        return cls.model_validate(about | change | {"details": details})


class ChangesOut(FrozenModel):
    """Changes, oldest first, and where to go on.

    Attributes:
        changes: in the order in which they were made.
        next: send this as ``since`` to go on.
    """

    changes: tuple[ChangeOut, ...]
    next: int
