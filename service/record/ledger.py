"""A table's rounds and dealers in the record: each revision is appended before it is published."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

from pydantic import AfterValidator, StringConstraints, TypeAdapter

from service.record.results import report_of
from service.record.store.database_reader import answered_before
from service.record.store.entries import RESULTS, Draft, RecordVersionError, Reply, digest, reply_to
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings
from service.rounds.bank import ReportedBank
from service.rounds.outcomes import may_be_corrected, reported, seen_corrected, seen_too_late
from service.rounds.reports import DICE, EvidenceReport, RoundReport
from service.rounds.review import carry, review
from service.words.doubts import DoubtReport
from service.words.wording import WordedError, plain_name, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from service.record.store.database_reader import DatabaseReader
    from service.record.store.entries import Entry, Kind, Picture
    from service.rounds.judge.rules_in_force import TableRules
    from service.rounds.reports import ClipReport
    from service.rounds.review import ReviewIn
    from service.system.settings import Config
    from service.words.wording import Sayable
    from vision.findings import Finding

PictureRole: TypeAlias = Literal["frame", "annotated", "close_up", "exchange", "clip"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """One picture of a hand or of the throw, or a clip.

    Attributes:
        place: of the hand, or ``DICE``; None for a clip.
        role: as the camera gave it, with the round drawn on it, close up, or a clip.
        clip: what a clip shows; None for a picture.
    """

    place: str | None
    role: PictureRole
    picture: Picture
    clip: ClipReport | None = None


def named(report: RoundReport, new: Sequence[Evidence], is_kept: Callable[[str], bool]) -> tuple[EvidenceReport, ...]:
    """Return the evidence of a revision: new pictures, earlier pictures of unchanged parts of the round, and clips.

    ``report`` still names the evidence of the previous revision; ``is_kept`` returns whether a picture still exists.
    """
    renewed = {one.place for one in new if one.role != "clip"}
    places = {hand.place for hand in report.hands} | ({DICE} if report.dice else set())
    kept = [one for one in report.evidence if one.role == "clip" or (one.place in places and one.place not in renewed)]
    return (
        *(one for one in kept if is_kept(one.sha256)),
        *(
            EvidenceReport(
                place=one.place,
                sha256=one.picture.sha256,
                role=one.role,
                media_type=one.picture.media_type,
                bytes=len(one.picture.data),
                clip=one.clip,
            )
            for one in new
        ),
    )


LONGEST_NAME: Final = 40
DealerName: TypeAlias = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_NAME),
    AfterValidator(plain_name),
]
"""A name or a staff number."""


@dataclass(frozen=True, slots=True)
class Dealer:
    """Who deals, and on whose word; both None where nobody said anything.

    Attributes:
        name: None while nobody is named.
    """

    name: str | None = None
    by: str | None = None


_REPORTED_BANK: Final = TypeAdapter(ReportedBank)


@dataclass(slots=True)
class Dealers:
    """The dealers of one table."""

    record: Record
    table: str
    _known: Dealer | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def known(self) -> Dealer:
        """Who deals, without asking the record; nobody where it could not be read yet."""
        return self._known or Dealer()

    def in_force(self) -> Dealer:
        """Who deals; RecordUnavailableError if it was never read, and cannot be read now."""
        with self._lock:
            return self._in_force()

    def name(self, name: str | None, by: str, key: str | None = None) -> Dealer:
        """Record who deals from now on; None: nobody is named. What is so already is not recorded again.

        With an Idempotency-Key the same sender gets the same answer for ever, and it is recorded once.
        KeyReusedError, RecordUnavailableError.
        """
        scope, request = f"dealer of {self.table} by {by}", digest(name)
        with self._lock:
            if (answer := answered_before(self.record, scope, key, request)) is not None:
                return Dealer(**json.loads(answer))
            before, dealer = self._in_force(), Dealer(name, by)
            if before.name == name and key is None:
                return before
            body = {"dealer": name, "by": by}
            reply = reply_to(scope, key, request, json.dumps({"name": name, "by": by}))
            self.record.append(Draft("dealer", body, table=self.table), reply=reply)
            self._known = dealer
            return dealer

    def _in_force(self) -> Dealer:
        if self._known is None:
            last = next(iter(self.record.last(("dealer",), table=self.table)), None)
            self._known = Dealer() if last is None else Dealer(last.data["dealer"], last.data["by"])
        return self._known


class UnknownRoundError(WordedError, LookupError):
    """The record holds no round of this id."""


class NewerRevisionError(WordedError):
    """A decision was made about a revision that is no longer the newest."""


def _no_round(round_id: str) -> Sayable:
    return words("No round %(round)s is in the record.", round=repr(round_id))


def _review_request(round_id: str, decision: ReviewIn, sender: str) -> tuple[str, str]:
    """The scope of an Idempotency-Key of a review, and the digest of the request."""
    return f"review {round_id} by {sender}", digest(decision.model_dump(mode="json"))


def table_of_round(record: DatabaseReader, round_id: str) -> str:
    """The name of the table of a round; UnknownRoundError, RecordUnavailableError."""
    for entry in record.last(RESULTS, round_id=round_id):
        return str(entry.table)
    raise UnknownRoundError(_no_round(round_id))


def open_record(config: Config) -> Record:
    """Open a service's record; a fault not listed here becomes the record's state.

    Raises:
        DatabaseError: its URL is invalid.
        RecordVersionError: its database is not of this version, which no waiting mends.
    """
    record = Record(RecordSettings.of(config))
    if (state := record.state).is_of_another_version:
        record.close()
        raise RecordVersionError(state.finding)
    return record


@dataclass(frozen=True, slots=True)
class Ledger:
    """Appends a table's rounds to the record, as its one writer of rounds, and finds them again.

    Attributes:
        dealers: who deals; each round takes the one in force at its first revision.
    """

    record: Record
    table: str
    rules: TableRules
    dealers: Dealers = field(init=False)
    # What is appended depends on what was appended before.
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def __post_init__(self) -> None:
        object.__setattr__(self, "dealers", Dealers(self.record, self.table))

    def begin(self, versions: Mapping[str, str]) -> int:
        """Note that the service was started; returns how often it was with this record; RecordUnavailableError."""
        self.record.append(Draft("start", {"versions": dict(versions)}, table=self.table))
        return self.record.count("start", self.table)

    def started_with(self) -> dict[str, str]:
        """The versions that the last start noted; empty before the first; RecordUnavailableError."""
        return next((dict(entry.data["versions"]) for entry in self.record.last(("start",), table=self.table)), {})

    def report_bank(self, reported: ReportedBank) -> None:
        """Record a report about the bank of the open or next round; RecordUnavailableError."""
        body = _REPORTED_BANK.dump_python(reported, mode="json")
        self.record.append(Draft("bank", body, table=self.table))

    def reported_bank(self) -> ReportedBank | None:
        """The report that still applies: none if a round was closed since; RecordUnavailableError."""
        last = next(iter(self.record.last(("bank",), table=self.table)), None)
        if last is None:
            return None
        seq = last.seq
        while since := self.record.after(seq, kinds=("round",), table=self.table):
            if any(report_of(entry).closed_at is not None for entry in since):
                return None
            seq = since[-1].seq
        return _REPORTED_BANK.validate_python(last.data)

    def note_health(self, name: str, findings: Iterable[Finding], *, ok: bool) -> None:
        """Note that something became well or unwell; RecordUnavailableError if that cannot be recorded."""
        known = tuple(findings)
        noted = [
            {"code": found.code, "params": DoubtReport.of(found).model_dump(mode="json")["params"]} for found in known
        ]
        body = {"ok": ok, "findings": noted}
        self.record.append(Draft("health", body, table=self.table, subject=name))

    def note_tiles(self, act: str, report: dict[str, Any]) -> None:
        """Note what was found of the set, or done about it; RecordUnavailableError if that cannot be recorded."""
        self.record.append(Draft("tiles", report, table=self.table, subject=act))

    def note_dice(self, act: str, report: dict[str, Any]) -> None:
        """Note what was learnt about the dice; RecordUnavailableError if that cannot be recorded."""
        self.record.append(Draft("dice", report, table=self.table, subject=act))

    def last_of_tiles(self) -> dict[str, Any] | None:
        """What was noted last of the set that decides whether anything may be verified; None if nothing was."""
        noted = (entry.data for entry in self.record.last(("tiles",), table=self.table))
        return next((data for data in noted if data["blocks"] is not None), None)

    def rounds(self, count: int) -> tuple[RoundReport, ...]:
        """The last rounds, oldest first; RecordUnavailableError if they cannot be read."""
        return tuple(report_of(entry) for entry in self.record.newest_rounds(self.table, count))

    def revisions(self, round_id: str) -> tuple[tuple[Entry, RoundReport], ...]:
        """All revisions of a round, oldest first; UnknownRoundError, RecordUnavailableError."""
        found = tuple((entry, report_of(entry)) for entry in self.record.of_rounds((round_id,)))
        if not found:
            raise UnknownRoundError(_no_round(round_id))
        return found

    def newest(self, round_id: str) -> RoundReport:
        """A round's newest revision; raises as :meth:`revisions`."""
        return report_of(self._newest_entry(round_id))

    def revision(self, round_id: str, revision: int) -> RoundReport:
        """A round as it stood at a revision; raises as :meth:`revisions`, also if there is no such revision."""
        known = {report.revision: report for _, report in self.revisions(round_id)}
        if revision not in known:
            raise UnknownRoundError(
                words(
                    "Round %(round)s has no revision %(revision)s; the newest is %(newest)s.",
                    round=repr(round_id),
                    revision=revision,
                    newest=max(known),
                )
            )
        return known[revision]

    def revise(self, seen: RoundReport, evidence: Sequence[Evidence] = ()) -> tuple[RoundReport, ...]:
        """Append a reading of a round with evidence of what changed; returns the recorded rounds, this one last.

        Its number and revision follow what is recorded. Its dealer, persons' decisions and the evidence of what has not
        changed stay, and a round before it that was never closed is closed first. RecordUnavailableError if it is not
        durable.
        """
        with self._lock:
            known = next(iter(self.record.last(RESULTS, round_id=seen.id)), None)
            closed: tuple[RoundReport, ...] = ()
            if known is None:
                number, closed = self._follow(seen)
                # One that waited while nothing could be recorded has its dealer already.
                dealer = seen.dealer or self.dealers.in_force().name
                report = seen.model_copy(update={"number": number, "revision": 1, "dealer": dealer})
            else:
                before = report_of(known)
                kept = {"number": before.number, "evidence": before.evidence, "dealer": before.dealer}
                kept["revision"] = before.revision + 1
                rules = self.rules.of_round(seen)
                report = carry(seen, before, rules).model_copy(update=kept)
                if may_be_corrected(report, before):
                    corrected = seen_corrected(report, [each for _, each in self.revisions(seen.id)], rules)
                    report = report.model_copy(update={"outcomes": (*report.outcomes, *corrected)})
            late = seen_too_late(report, self.rules.of_round(report))
            report = report.model_copy(update={"outcomes": (*report.outcomes, *late)})
            report = report.model_copy(update={"evidence": named(report, evidence, self._is_kept)})
            pictures = {one.picture.sha256: one.picture for one in evidence}
            self._append(report, known, "round", tuple(pictures.values()))
            return (*closed, report)

    def provisional(self, seen: RoundReport, current: RoundReport | None) -> RoundReport:
        """A round that cannot be recorded now, numbered after the current one, with the dealer that it would have."""
        if current is not None and current.id == seen.id:
            kept = {"number": current.number, "revision": current.revision + 1, "dealer": current.dealer}
        else:
            number = 1 if current is None else current.number + 1
            kept = {"number": number, "revision": 1, "dealer": self.dealers.known.name}
        return seen.model_copy(update=kept)

    def _is_kept(self, sha256: str) -> bool:
        return self.record.evidence.path(sha256).exists()

    def review(self, round_id: str, decision: ReviewIn, key: str | None, sender: str) -> RoundReport:
        """Append a person's decision about a round, or report of an outcome.

        With an Idempotency-Key a sender gets the same answer for ever.

        UnknownRoundError, NewerRevisionError, ReviewError, KeyReusedError, RecordUnavailableError.
        """
        scope, request = _review_request(round_id, decision, sender)
        with self._lock:
            if (answered := answered_before(self.record, scope, key, request)) is not None:
                return RoundReport.model_validate_json(answered)
            known = self._newest_entry(round_id)
            before = report_of(known)
            if decision.outcome is None and before.revision != decision.revision:
                raise NewerRevisionError(
                    words(
                        "This round is now at revision %(revision)s, not %(asked)s: look at it again, then decide.",
                        revision=before.revision,
                        asked=decision.revision,
                    )
                )
            at, rules = datetime.now(UTC), self.rules.of_round(before)
            if decision.outcome is None:
                report = review(before, decision, at, rules)
            else:  # a report stays true after a later reading
                report = reported(before, self.revision(round_id, decision.revision), decision, at, rules)
            kept = tuple(one for one in report.evidence if self._is_kept(one.sha256))
            report = report.model_copy(update={"evidence": kept})
            self._append(report, known, "review", (), reply_to(scope, key, request, report.model_dump_json()))
            return report

    def reviewed_before(self, round_id: str, decision: ReviewIn, key: str | None, sender: str) -> bool:
        """Whether the same request was answered before; KeyReusedError if the key came with another one."""
        scope, request = _review_request(round_id, decision, sender)
        return answered_before(self.record, scope, key, request) is not None

    def settle(self, settled: RoundReport, sent: dict[str, Any], answer: str, key: str | None, sender: str) -> str:
        """Append a settlement; returns the answer to send, the first one if the sender's Idempotency-Key came before.

        KeyReusedError if that was another request, RecordUnavailableError if it could not be made durable.
        """
        scope, request = f"settlement {settled.id} by {sender}", digest(sent)
        with self._lock:
            if (answered := answered_before(self.record, scope, key, request)) is not None:
                return answered
            self.record.append(
                Draft(
                    "settlement",
                    {"round": settled.id, "revision": settled.revision, "by": sender, "sent": sent, "answer": answer},
                    table=self.table,
                    round=settled.id,
                    subject=key,
                ),
                reply=reply_to(scope, key, request, answer),
            )
            return answer

    def settled_before(self, round_id: str, sent: dict[str, Any], key: str | None, sender: str) -> str | None:
        """What the same request was answered before; KeyReusedError if the key came with another one."""
        return answered_before(self.record, f"settlement {round_id} by {sender}", key, digest(sent))

    def _newest_entry(self, round_id: str) -> Entry:
        for entry in self.record.last(RESULTS, round_id=round_id):
            return entry
        raise UnknownRoundError(_no_round(round_id))

    def _append(
        self,
        report: RoundReport,
        before: Entry | None,
        kind: Kind,
        pictures: tuple[Picture, ...],
        reply: Reply | None = None,
    ) -> None:
        self.record.append(
            Draft(
                kind,
                report.model_dump(mode="json"),
                table=self.table,
                round=report.id,
                subject=str(report.revision),
                supersedes=None if before is None else before.seq,
            ),
            pictures=pictures,
            reply=reply,
        )

    def _follow(self, seen: RoundReport) -> tuple[int, tuple[RoundReport, ...]]:
        """The number of a new round, and the round before it if it had to be closed."""
        last = next(reversed(self.record.newest_rounds(self.table, 1)), None)
        if last is None:
            return 1, ()
        before = report_of(last)
        if before.state == "closed":
            return before.number + 1, ()
        ended = before.interrupted().model_copy(
            update={
                "revision": before.revision + 1,
                "state": "closed",
                "changed_at": seen.opened_at,
                "closed_at": seen.opened_at,
            }
        )
        self._append(ended, last, "round", ())
        return before.number + 1, (ended,)
