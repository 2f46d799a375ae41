"""Reviews and acknowledgements by people, each recorded in the log of its table.

For a local table that is this service's own log; the service of a remote table records them in the person's name. If it
cannot be reached, an error is raised. A request whose answer was lost can be repeated, and is recorded once.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import select

from service.api.claims import Claims, of_alarm, of_round
from service.hub.table_client import TableAwayError
from service.record.projections.alarms import AlarmList, NamedAlarm
from service.record.results import report_of
from service.record.store import schema
from service.record.store.database import faults_as_unavailable
from service.record.store.database_reader import record_of_log
from service.record.store.entries import RESULTS, Draft, RecordUnavailableError, digest
from service.record.store.schema import OWN_LOG
from service.rounds.served import RoundOut
from service.table.standing_alarms import RecordedAlarms
from service.words.findings import words_of
from service.words.wording import Quote, WordedError, words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from service.api.claims import Claim
    from service.api.local_table import LocalTable
    from service.hub.table_client import TableClient
    from service.record.projections.projector import Projector
    from service.record.projections.round_search import FoundRound
    from service.record.store.record import Record
    from service.rounds.reports import RoundReport
    from service.rounds.review import ReviewIn
    from service.words.wording import Sayable

_log = logging.getLogger(__name__)

_A_MOMENT_S: Final = 3.0
"""Entries of remote tables are usually collected within tenths of a second."""


class TakenError(WordedError):
    """Another person has claimed this."""

    def __init__(self, claim: Claim) -> None:
        super().__init__(words("%(name)s has taken this and is deciding it now.", name=claim.by))
        self.claim = claim


class TableUnreachableError(WordedError):
    """The table cannot be reached: nothing was recorded, or it is not known whether it was."""


class TableRefusedError(WordedError):
    """The table refused, and recorded nothing.

    Attributes:
        status: the HTTP status of its answer.
        code: the problem code of its answer.
    """

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(Quote(detail))
        self.status = status
        self.code = code


@dataclass(frozen=True, slots=True)
class NotAnswered:
    """Alarms of one table that were not acknowledged, by their ids in this service, and the reason."""

    table: str
    alarms: tuple[str, ...]
    code: str
    why: Sayable


@dataclass(frozen=True, slots=True)
class Answered:
    """The outcome of an acknowledgement."""

    alarms: tuple[str, ...]
    not_answered: tuple[NotAnswered, ...]

    @property
    def unknown(self) -> frozenset[str]:
        """Ids that no table knows, or whose alarms were raised again."""
        return frozenset(name for each in self.not_answered if each.code == "unknown_alarm" for name in each.alarms)


class Desk:
    """Records reviews and acknowledgements at their tables.

    Args:
        record: this service's own log, in the store that also has those of remote tables.
        projector: derives rounds and alarms.
        local: the local tables, by name.
        clients: the HTTP clients of remote tables, by name.
    """

    def __init__(
        self,
        record: Record,
        projector: Projector,
        local: Mapping[str, LocalTable],
        clients: Mapping[str, TableClient],
    ) -> None:
        self.claims = Claims(record)
        self._database = record.database
        self._record = record
        self._projector = projector
        self._local = local
        self._clients = clients

    def take(self, log: int, what: str, by: str) -> Claim:
        """Claim something, or renew one's claim; TakenError, RecordUnavailableError."""
        claim = self.claims.take(log, what, by)
        if claim.by != by:
            raise TakenError(claim)
        return claim

    def check_free(self, round_id: str, by: Collection[str | None]) -> None:
        """Check that nobody but these has claimed a round of a local table; TakenError, RecordUnavailableError."""
        for claim in self.claims.held([(OWN_LOG, of_round(round_id))]).values():
            if claim.by not in by:
                raise TakenError(claim)

    def take_alarm(self, name: str, by: str, tables: Collection[str] | None = None) -> Claim | None:
        """Claim an alarm by its id in this service; None for an unknown id. Raises like `take`.

        Here and below, ``tables`` limits the known alarms to those of some tables.
        """
        known = self._named([name], tables)
        return self.take(*_key_of(known[0]), by) if known else None

    def release_alarm(self, name: str, by: str, tables: Collection[str] | None = None) -> None:
        """Release one's claim on an alarm; RecordUnavailableError."""
        for each in self._named([name], tables):
            self.claims.release(*_key_of(each), by)

    def taken_alarms(self, names: Sequence[str]) -> dict[str, Claim]:
        """The claims on alarms, by their ids in this service; RecordUnavailableError."""
        return self._claims_of(self._named(names))

    def _claims_of(self, alarms: Collection[NamedAlarm]) -> dict[str, Claim]:
        keys = {each.name: _key_of(each) for each in alarms}
        held = self.claims.held(list(keys.values()))
        return {name: held[key] for name, key in keys.items() if key in held}

    def taken_rounds(self, rounds: Sequence[FoundRound]) -> dict[tuple[str, str], Claim]:
        """The claims on rounds, by table and id; RecordUnavailableError."""
        keys = {(each.table, each.played.id): (each.log, of_round(each.played.id)) for each in rounds}
        held = self.claims.held(list(keys.values()))
        return {name: held[key] for name, key in keys.items() if key in held}

    async def decide(self, table: str, log: int, round_id: str, asked: ReviewIn, by: str) -> RoundOut:
        """Have a table record a person's review or report of an outcome; returns the round.

        The person claims the round first, unless an outcome is reported, which decides nothing. Raises TakenError,
        RecordUnavailableError, for a local table the errors of `Ledger.review`, for a remote one TableUnreachableError
        and TableRefusedError.
        """
        what, path = of_round(round_id), f"/v1/rounds/{round_id}/review"
        if asked.outcome is None:
            await asyncio.to_thread(self.take, log, what, by)
        signed = asked.model_copy(update={"by": by})
        request = signed.model_dump(mode="json", exclude_defaults=True)
        if (local := self._local.get(table)) is not None:
            decided = await asyncio.to_thread(local.decide, round_id, signed, _key(path, request), by)
        else:
            decided = RoundOut.model_validate(await self._act(table, path, request))
            body = {"act": "decided", "by": by, "request": request, "revision": decided.revision}
            await self._note(table, round_id, body)
        if asked.outcome is None and decided.status != "needs_review":
            await asyncio.to_thread(self._release, [(log, what)], by)
        return decided

    async def acknowledge(
        self,
        names: Sequence[str],
        by: str,
        reason: str = "",
        tables: Collection[str] | None = None,
        *,
        key: str | None = None,
        sender: str = "",
    ) -> Answered:
        """Acknowledge alarms: those of a table are recorded in one entry, all or none.

        Args:
            names: the alarms' ids in this service.
            by: the person.
            reason: the person's reason.
            tables: limits the known alarms to those of these tables; None for all.
            key: the sender's Idempotency-Key, for local tables; remote ones record equal requests once anyway.
            sender: the key's owner.

        Raises:
            KeyReusedError: the key was used with a different request; nothing was recorded.
            RecordUnavailableError: the store cannot be read or written; no remote table was contacted.
        """
        known = await asyncio.to_thread(self._named, names, tables)
        claims = await asyncio.to_thread(self._claims_of, known)
        others = {name: claim for name, claim in claims.items() if claim.by != by}
        done: list[str] = []
        here: dict[str, RecordedAlarms] = {
            table: local.alarms for table, local in self._local.items() if tables is None or table in tables
        }
        for former in {each.table for each in known if each.log == OWN_LOG}.difference(here):
            here[former] = RecordedAlarms(self._record, former, self._projector)
        for alarms in here.values():
            await asyncio.to_thread(alarms.check_key, names, by, reason=reason, key=key, sender=sender)
        for alarms in here.values():
            acknowledge = partial(alarms.acknowledge, reason=reason, key=key, sender=sender)
            done += await asyncio.to_thread(acknowledge, names, by, leave=frozenset(others))
        refused = []
        # The repeated answer to an earlier request may name alarms that were raised again.
        recognised = {each.name for each in known}.union(done)
        unknown = tuple(name for name in dict.fromkeys(names) if name not in recognised)
        if unknown:
            refused.append(NotAnswered("", unknown, "unknown_alarm", UNKNOWN_ALARM))
        free: defaultdict[str, list[NamedAlarm]] = defaultdict(list)
        for each in known:
            if each.name in others and each.name not in done:
                refused.append(NotAnswered(each.table, (each.name,), "taken", TakenError(others[each.name]).words))
            elif each.log != OWN_LOG:
                free[each.table].append(each)
        await asyncio.to_thread(self._release, [_key_of(each) for each in known if each.name in done], by)
        asked = (self._acknowledge(table, of_table, by, reason) for table, of_table in free.items())
        for answer in await asyncio.gather(*asked):
            done += answer.alarms
            refused += answer.not_answered
        return Answered(tuple(done), tuple(refused))

    async def decided_here(self, log: int, decided: RoundReport) -> None:
        """Wait a moment until a review is collected from its table, so that pages show it."""
        if log == OWN_LOG:  # pages project it before they show rounds
            return
        record, followed = record_of_log(self._database, log), schema.followed.c

        def is_here() -> bool:
            newest = record.last(RESULTS, round_id=decided.id)
            if not newest or report_of(newest[0]).revision < decided.revision:
                return False
            asked = select(followed.seq).where(followed.log == log, followed.seq >= newest[0].seq)
            with faults_as_unavailable(), self._database.connect() as connection:
                return connection.execute(asked).first() is not None

        await self._until(is_here)

    async def answered_here(self, names: Sequence[str]) -> None:
        """The same for acknowledged alarms."""
        alarms = AlarmList(self._database)
        await self._until(lambda: all(alarm.answer is not None for alarm in alarms.named(names).values()))

    async def _until(self, done: Callable[[], bool]) -> None:
        ends = time.monotonic() + _A_MOMENT_S
        changes = self._projector.changes
        heard = changes.count
        while not await asyncio.to_thread(done):
            left = ends - time.monotonic()
            if left <= 0 or changes.closed:
                return
            await changes.wait_beyond(heard, left)
            heard = changes.count

    async def _acknowledge(self, table: str, alarms: Sequence[NamedAlarm], by: str, reason: str) -> Answered:
        request = {"alarms": [each.own_name for each in alarms], "by": by, "reason": reason}
        names = tuple(each.name for each in alarms)
        try:
            answer = await self._act(table, "/v1/alarms/acknowledgement", request)
        except TableUnreachableError as error:
            return Answered((), (NotAnswered(table, names, "table_unreachable", error.words),))
        except TableRefusedError as error:
            return Answered((), (NotAnswered(table, names, error.code, _why(error.code, error.words)),))
        of_own = {each.own_name: each for each in alarms}
        done = [of_own[name] for name in answer.get("acknowledged", ()) if name in of_own]
        refused = [
            NotAnswered(
                table,
                tuple(of_own[name].name for name in each["alarms"] if name in of_own),
                str(each["code"]),
                _why(str(each["code"]), Quote(str(each["message"]))),
            )
            for each in answer.get("not_answered", ())
        ]
        if done:
            await self._note(table, None, {"act": "acknowledged", "by": by, "request": request})
        await asyncio.to_thread(self._release, [_key_of(each) for each in done], by)
        return Answered(tuple(each.name for each in done), tuple(refused))

    def _release(self, done: Sequence[tuple[int, str]], by: str) -> None:
        """Release claims after the decision was recorded; a failure here undoes nothing, and the claims expire."""
        try:
            for log, what in done:
                self.claims.release(log, what, by)
        except RecordUnavailableError as error:
            _log.error("claims of %s could not be released: %s", by, error)

    async def _act(self, table: str, path: str, request: dict[str, Any]) -> dict[str, Any]:
        if self._record.state.is_standby:
            raise RecordUnavailableError(self._record.state.finding)
        client = self._clients.get(table)
        if client is None:
            raise TableUnreachableError(words("The floor does not collect this table now, so nothing was recorded."))
        try:
            status, answer = await client.act(path, request, _key(path, request))
        except TableAwayError as error:
            raise TableUnreachableError(
                words(
                    "The table cannot be reached now, so this is not recorded: %(why)s. Try again when it answers.",
                    why=words_of(error.finding),
                )
            ) from error
        if status != 200:
            raise TableRefusedError(status, str(answer.get("code", "refused")), str(answer.get("detail", status)))
        return answer

    async def _note(self, table: str, round_id: str | None, body: dict[str, Any]) -> None:
        """Log in this service's record what a remote table recorded; a failure here undoes nothing."""
        try:
            await asyncio.to_thread(self._record.append, Draft("desk", body, table=table, round=round_id))
        except RecordUnavailableError as error:
            _log.error("this service's record lacks what was %s at %s: %s", body["act"], table, error)

    def _named(self, names: Sequence[str], tables: Collection[str] | None = None) -> tuple[NamedAlarm, ...]:
        """The alarms with these ids."""
        if self._local:
            self._projector.catch_up(OWN_LOG)
        return AlarmList(self._database, tables).names_of(names)


def _key_of(alarm: NamedAlarm) -> tuple[int, str]:
    """Log and key of a claim on an alarm."""
    return alarm.log, of_alarm(alarm.own_number)


def _key(path: str, request: dict[str, Any]) -> str:
    """Idempotency key of a request by its contents: a repeated press of a button is recorded once."""
    return digest({"path": path, **request})[:32]


def _why(code: str, detail: Sayable) -> Sayable:
    """The reason in this service's translatable words, where it has them."""
    return UNKNOWN_ALARM if code == "unknown_alarm" else detail


UNKNOWN_ALARM: Final = words("This alarm no longer exists, or was raised again: load the page again.")
