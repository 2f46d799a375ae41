"""The entries that a table records in a session, as templates that many tables fill in.

The session is that of `benchmarks.night`: simulated rounds, read with a reader's usual errors by the real service. A
minute after each round, doubtful hands are confirmed and alarms are acknowledged.
"""

import json
import pickle
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Engine, select

from benchmarks.measure import ROOT
from service.record.projections.fold import OF_AN_ENTRY
from service.record.results import report_of
from service.record.store import schema
from service.record.store.entries import RESULTS, Entry, canonical_json
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings
from service.rounds.judge.rules_in_force import rules_of
from service.rounds.review import ReviewIn, review

ROUNDS_AN_HOUR: Final = 40
"""Of a busy table: a round takes 45 to 75 seconds in `benchmarks.night`. Casinos plan with 30 hands an hour for Pai Gow
(Kilby and Fox, Casino Operations Management)."""
_KEPT: Final = ROOT / "build" / "hub" / "session.pickle"
_ANSWERED_AFTER_S: Final = 60.0
_VERSION: Final = 3
_MARK: Final = "\x01"
_MOMENT: Final = re.compile(r"2026-01-0[0-9]T[0-9:.]+Z")


@dataclass(frozen=True, slots=True)
class Step:
    """Template of an entry.

    Attributes:
        after_s: seconds since the start of the round, at real pace.
        kind: of the entry.
        parts: the body as canonical JSON, split at the blanks.
        blanks: between the parts: ``round``, ``number``, ``table``, ``picture N``, ``moment SECONDS``, or ``alarm STEP
            PART TIMES``.
        subject: of the entry.
        supersedes: whether it supersedes the previous entry.
    """

    after_s: float
    kind: str
    parts: tuple[str, ...]
    blanks: tuple[tuple[str, ...], ...]
    subject: str | None
    supersedes: bool


@dataclass(frozen=True, slots=True)
class PlayedRound:
    """Templates of a round's entries."""

    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Session:
    """Rounds in the order of play."""

    rounds: tuple[PlayedRound, ...]
    version: int = _VERSION

    @property
    def entries_a_round(self) -> float:
        return sum(len(each.steps) for each in self.rounds) / len(self.rounds)

    @property
    def bytes_an_entry(self) -> float:
        steps = [step for each in self.rounds for step in each.steps]
        return sum(len("".join(step.parts)) + 64 * len(step.blanks) for step in steps) / len(steps)


def session(kept: Path = _KEPT) -> Session:
    """Return the session; the first call makes it in a minute and keeps it under `build`."""
    if kept.exists():
        found: Session = pickle.loads(kept.read_bytes())  # noqa: S301  written by this program
        if found.version == _VERSION:
            return found
    kept.parent.mkdir(parents=True, exist_ok=True)
    folder = kept.parent / "night"
    command = [sys.executable, "-m", "benchmarks.night", "--rounds", "32", "--folder", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)  # noqa: S603  ours
    made = _of_record(folder / "record")
    kept.write_bytes(pickle.dumps(made))
    return made


def _of_record(folder: Path) -> Session:
    record = Record(RecordSettings(folder), claim=False)
    try:
        rounds: dict[str, list[Entry]] = {}
        for entry in record.all_entries():
            if entry.kind in RESULTS and entry.round is not None:
                rounds.setdefault(entry.round, []).append(entry)
        alarms = _unanswered(record.database)
    finally:
        record.close()
    closed = [entries for entries in rounds.values() if entries[-1].data["state"] == "closed"]
    return Session(tuple(templates_of(entries, alarms.get(str(entries[0].round), ())) for entries in closed))


def _unanswered(database: Engine) -> dict[str, list[tuple[int, int]]]:
    """Return the number and count of each unanswered alarm, by round."""
    columns = schema.alarms.c
    asked = select(columns.round, columns.own_number, columns.times).where(columns.answered_at.is_(None))
    found: dict[str, list[tuple[int, int]]] = {}
    with database.connect() as connection:
        for of_round, number, times in connection.execute(asked.order_by(columns.own_number)):
            found.setdefault(str(of_round), []).append((number, times))
    return found


def templates_of(entries: Sequence[Entry], alarms: Sequence[tuple[int, int]]) -> PlayedRound:
    """Return the templates of a round's entries, and of the answers to its alarms (number and count)."""
    first, last = report_of(entries[0]), report_of(entries[-1])
    template = _Template(str(entries[0].round), first.opened_at)
    steps = []
    for entry in entries:
        after_s = (report_of(entry).changed_at - first.opened_at).total_seconds()
        steps.append(template.step(entry.kind, entry.data, after_s, entry.subject, supersedes=entry is not entries[0]))
    answered_s = steps[-1].after_s + _ANSWERED_AFTER_S
    if last.status == "needs_review":
        asked = ReviewIn(action="confirm", by="ann", reason="looked at the pictures", revision=last.revision)
        decided = review(last, asked, first.opened_at + timedelta(seconds=answered_s), rules_of(last))
        body = decided.model_dump(mode="json")
        steps.append(template.step("review", body, answered_s, str(decided.revision), supersedes=True))
    numbers = [entry.seq for entry in entries]
    if alarms:
        parts = [(numbers.index(number // OF_AN_ENTRY), number % OF_AN_ENTRY, times) for number, times in alarms]
        named = [{"id": _blank(f"alarm {step} {part} {times}")} for step, part, times in parts]
        body = {"alarms": named, "by": "ann", "reason": ""}
        steps.append(template.step("acknowledgement", body, answered_s, None, supersedes=False))
    return PlayedRound(tuple(steps))


@dataclass(slots=True)
class _Template:
    """Makes the templates of one round."""

    round: str
    opened_at: datetime
    pictures: dict[tuple[str, str], int] = field(default_factory=dict)

    def step(self, kind: str, body: dict[str, Any], after_s: float, subject: str | None, *, supersedes: bool) -> Step:
        if kind in RESULTS:
            body = {**body, "id": _blank("round"), "table": _blank("table"), "number": _blank("number")}
            body["evidence"] = [self._picture(each) for each in body.get("evidence", ())]
        text = canonical_json(body).replace(f'"{_escaped("number")}"', _escaped("number"))
        text = text.replace(self.round, _escaped("round"))
        pieces = _MOMENT.sub(self._moment, text).split(_ESCAPED)
        blanks = tuple(tuple(each.split()) for each in pieces[1::2])
        return Step(after_s, kind, tuple(pieces[::2]), blanks, subject, supersedes)

    def _picture(self, named: dict[str, Any]) -> dict[str, Any]:
        number = self.pictures.setdefault((named["role"], named["sha256"]), len(self.pictures))
        return {**named, "sha256": _blank(f"picture {number}")}

    def _moment(self, found: re.Match[str]) -> str:
        at = datetime.fromisoformat(found[0]).astimezone(UTC)
        return _escaped(f"moment {(at - self.opened_at).total_seconds()}")


def _blank(name: str) -> str:
    return f"{_MARK}{name}{_MARK}"


_ESCAPED: Final = json.dumps(_MARK)[1:-1]


def _escaped(name: str) -> str:
    return f"{_ESCAPED}{name}{_ESCAPED}"
