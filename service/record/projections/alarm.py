"""An alarm as served to people and programs."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Literal, Self

from pydantic import Field

from service.record.projections.alarm_fold import name_of
from service.record.projections.causes import Details
from service.rounds.reports import FacePair, FindingReport, FrozenModel
from service.system.subscriber_settings import AlarmKind

if TYPE_CHECKING:
    from sqlalchemy import Row

KINDS: Final[tuple[AlarmKind, ...]] = ("house_hand_wrong", "procedure", "health", "needs_review")
"""The worst first."""


class AlarmRound(FrozenModel):
    """The round that an alarm is about."""

    id: str = Field(description="names the round for ever")
    number: int = Field(description="counts the table's rounds since the start of its record")
    revision: int = Field(description="the revision in which this was seen last")


class AlarmAnswer(FrozenModel):
    """How an alarm was answered, and by whom."""

    action: Literal["acknowledged", "decided", "cleared"] = Field(
        description="`acknowledged` if somebody said that it was seen, `decided` if a person decided the round in "
        "doubt, `cleared` if later pictures left no doubt"
    )
    by: str = Field(description="who; empty for `cleared`")
    at: datetime = Field(description="when, UTC")
    reason: str = Field(description="why, as that person put it; may be empty")


_DETAILS = ("rulebook", "rulebook_version", "places", "low", "high", "findings")


class Alarm(FrozenModel):
    """A condition that needs a person's attention, from when it is raised until it is answered."""

    id: str | None = Field(
        description="names the alarm as it was raised last: raised again, it has another id. Null while the record has "
        "not taken it yet; such an alarm cannot be acknowledged"
    )
    table: str = Field(description="the table's name")
    kind: AlarmKind = Field(
        description="`house_hand_wrong` for a hand against the House Way, `procedure` for a round not dealt as the "
        "rulebook has it, `needs_review` for a round in doubt, `health` for a check of the table that failed"
    )
    subject: str = Field(
        description="place of the hand, code of what was not done by the rulebook, first place in doubt, or name of "
        "the check"
    )
    round: AlarmRound | None = Field(description="the round that it is about; null for `health`")
    rulebook: str = Field(description="that of the round; empty for `health`")
    rulebook_version: str = Field(description="its version in force when the round started; empty for `health`")
    places: tuple[str, ...] = Field(description="where to look, such as `house` or `box3`; `dice` is the throw")
    low: FacePair | None = Field(description="the low hand as laid, of a hand against the House Way")
    high: FacePair | None = Field(description="the high hand as laid, of a hand against the House Way")
    findings: tuple[FindingReport, ...] = Field(description="the departure from the rulebook, or how the check is")
    raised_at: datetime = Field(description="when it was raised first, UTC, and by the record's entry of that time")
    times: int = Field(description="how often it was raised since then without an answer")
    last_raised_at: datetime = Field(description="when it was raised last, UTC")
    over_at: datetime | None = Field(description="when its cause ended, UTC; null while it lasts")
    answer: AlarmAnswer | None = Field(description="who answered it; null while nobody did")

    @property
    def key(self) -> str:
        """Names it on a page, whether or not the record has it."""
        return self.id or f"{self.subject} {self.raised_at.isoformat()}"

    @property
    def sounds(self) -> bool:
        """Whether a page is to sound: nobody answered, and the cause lasts."""
        return self.answer is None and self.over_at is None

    @classmethod
    def of_row(cls, row: Row[Any]) -> Self:
        """Read an alarm from its table."""
        details = Details.model_validate(json.loads(row.details))
        numbered = None
        if row.round is not None:
            numbered = {"id": row.round, "number": details.number, "revision": details.revision}
        answer = None
        if row.answered_at is not None:
            answer = {"action": row.answer, "by": row.answered_by, "at": row.answered_at, "reason": row.reason}
        told = {name: getattr(row, name) for name in ("table", "kind", "subject", "times", "raised_at", "over_at")}
        return cls.model_validate(
            told
            | {name: getattr(details, name) for name in _DETAILS}
            | {"id": name_of(row.number, row.times), "last_raised_at": row.last_raised_at}
            | {"round": numbered, "answer": answer}
        )

    @classmethod
    def of_check(cls, table: str, name: str, findings: tuple[FindingReport, ...], since: datetime) -> Self:
        """Make the alarm of a check that is not recorded."""
        return cls(
            id=None,
            table=table,
            kind="health",
            subject=name,
            round=None,
            rulebook="",
            rulebook_version="",
            places=(),
            low=None,
            high=None,
            findings=findings,
            raised_at=since.astimezone(UTC),
            times=1,
            last_raised_at=since.astimezone(UTC),
            over_at=None,
            answer=None,
        )
