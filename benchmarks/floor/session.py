"""What a table records in a session, to be played at many tables: real entries, made into forms to be filled in.

The session is that of :mod:`benchmarks.night`: sixteen rounds of the simulator, read with a reader's usual errors by
the real service, which decides what is recorded and when. What is in doubt at the end of a round is confirmed, and
alarms are answered, a minute later. Pictures are as large as those of the bundled film.
"""

from __future__ import annotations

import json
import pickle
import re
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import Engine, select

from benchmarks.measure import ROOT
from service.record.projections.causes import causes_of_round
from service.record.projections.fold import OF_AN_ENTRY
from service.record.results import report_of
from service.record.store import schema
from service.record.store.entries import RESULTS, canonical_json
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings
from service.rounds.judge.rules_in_force import rules_of
from service.rounds.review import ReviewIn, review

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from service.record.store.entries import Entry

ROUNDS_AN_HOUR: Final = 40
"""Of a table in play: the pace of :mod:`benchmarks.night`, in which a round is dealt in 45 to 75 seconds. Published
figures of hands an hour that casinos plan with (Kilby and Fox, Casino Operations Management) have 30 for Pai Gow."""
KEPT: Final = ROOT / "build" / "floor" / "session.pickle"
ANSWERED_AFTER_S: Final = 60.0
"""So long a person takes to confirm what is in doubt, and to answer an alarm."""
PICTURE_BYTES: Final = {"frame": 378_000, "annotated": 231_000, "close_up": 67_000, "clip": 3_190_000}
"""By role, as in the record of the bundled film, 1920 x 1080."""
_VERSION: Final = 2
_MARK: Final = "\x01"
_MOMENT: Final = re.compile(r"2026-01-0[0-9]T[0-9:.]+Z")


class NamedIn(NamedTuple):
    """A picture that an entry names.

    Attributes:
        number: of the picture within its round.
        bytes: its size.
    """

    number: int
    bytes: int
    media_type: str


@dataclass(frozen=True, slots=True)
class Step:
    """An entry of a round, to be filled in.

    Attributes:
        after_s: seconds from the beginning of the round, at real pace.
        kind: of the entry.
        parts: the body as canonical JSON, cut where something is to be filled in.
        blanks: what stands between the parts: ``round``, ``number``, ``table``, ``picture N``, ``moment SECONDS``, or
            ``alarm STEP PART TIMES``.
        pictures: those that are named here first.
        subject: of the entry.
        supersedes: whether it takes the place of the entry before it.
    """

    after_s: float
    kind: str
    parts: tuple[str, ...]
    blanks: tuple[tuple[str, ...], ...]
    pictures: tuple[NamedIn, ...]
    subject: str | None
    supersedes: bool


@dataclass(frozen=True, slots=True)
class PlayedRound:
    """A round, as its entries.

    Attributes:
        pictures: how many there are of it.
        alarms: whether one of its entries gives alarm.
    """

    steps: tuple[Step, ...]
    pictures: int
    alarms: bool


@dataclass(frozen=True, slots=True)
class Session:
    """Rounds in the order in which they were played."""

    rounds: tuple[PlayedRound, ...]
    version: int = _VERSION

    @property
    def entries_a_round(self) -> float:
        """On the average."""
        return sum(len(each.steps) for each in self.rounds) / len(self.rounds)

    @property
    def bytes_an_entry(self) -> float:
        """Of the body, on the average."""
        steps = [step for each in self.rounds for step in each.steps]
        return sum(len("".join(step.parts)) + 64 * len(step.blanks) for step in steps) / len(steps)

    def pictures_a_round(self) -> tuple[float, float]:
        """How many pictures, and their bytes, on the average."""
        sizes = [named.bytes for each in self.rounds for step in each.steps for named in step.pictures]
        return len(sizes) / len(self.rounds), sum(sizes) / len(self.rounds)

    def pictures_of_alarms(self) -> float:
        """Bytes of the pictures of rounds that give alarm, for each round that is played."""
        steps = [step for each in self.rounds if each.alarms for step in each.steps]
        return sum(named.bytes for step in steps for named in step.pictures) / len(self.rounds)


def session(kept: Path = KEPT) -> Session:
    """The session; made once, in a minute, and kept."""
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
    return Session(tuple(form_of(entries, alarms.get(str(entries[0].round), ())) for entries in closed))


def _unanswered(database: Engine) -> dict[str, list[tuple[int, int]]]:
    """By round, the alarms that nobody answered: their numbers, and how often they were raised."""
    columns = schema.alarms.c
    asked = select(columns.round, columns.own_number, columns.times).where(columns.answered_at.is_(None))
    found: dict[str, list[tuple[int, int]]] = {}
    with database.connect() as connection:
        for of_round, number, times in connection.execute(asked.order_by(columns.own_number)):
            found.setdefault(str(of_round), []).append((number, times))
    return found


def form_of(entries: Sequence[Entry], alarms: Sequence[tuple[int, int]]) -> PlayedRound:
    """The form of a round, of its entries; ``alarms`` are to be answered: number, and how often each was raised."""
    first = report_of(entries[0])
    form = _Form(str(entries[0].round), entries[0].table, first.number, first.opened_at, {})
    steps = []
    last = report_of(entries[-1])
    for entry in entries:
        after_s = (report_of(entry).changed_at - first.opened_at).total_seconds()
        steps.append(form.step(entry.kind, entry.data, after_s, entry.subject, supersedes=entry is not entries[0]))
    answered_s = steps[-1].after_s + ANSWERED_AFTER_S
    if last.status == "needs_review":
        asked = ReviewIn(action="confirm", by="ann", reason="looked at the pictures", revision=last.revision)
        at = first.opened_at + timedelta(seconds=answered_s)
        decided = review(last, asked, at, rules_of(last))
        body = decided.model_dump(mode="json")
        steps.append(form.step("review", body, answered_s, str(decided.revision), supersedes=True))
    numbers = [entry.seq for entry in entries]
    named = [(numbers.index(number // OF_AN_ENTRY), number % OF_AN_ENTRY, times) for number, times in alarms]
    if named:
        said = [{"id": f"{_MARK}alarm {step} {part} {times}{_MARK}"} for step, part, times in named]
        body = {"alarms": said, "by": "ann", "reason": ""}
        steps.append(form.step("acknowledgement", body, answered_s, None, supersedes=False))
    alarms_given = any(causes_of_round(report_of(entry)) for entry in entries)
    return PlayedRound(tuple(steps), len(form.pictures), alarms_given)


@dataclass(slots=True)
class _Form:
    """Makes forms of the entries of one round."""

    round: str
    table: str
    number: int
    opened_at: datetime
    pictures: dict[tuple[str, str], int]

    def step(self, kind: str, body: dict[str, Any], after_s: float, subject: str | None, *, supersedes: bool) -> Step:
        """The form of one entry."""
        body = {**body}
        named: list[NamedIn] = []
        if kind in RESULTS:
            body |= {"id": _blank("round"), "table": _blank("table"), "number": _blank("number")}
            body["evidence"] = list(self._evidence(body.get("evidence", ()), named))
        text = canonical_json(body).replace(f'"{_escaped("number")}"', _escaped("number"))
        text = text.replace(self.round, _escaped("round"))
        text = _MOMENT.sub(self._moment, text)
        pieces = text.split(_ESCAPED)
        blanks = tuple(tuple(each.split()) for each in pieces[1::2])
        return Step(after_s, kind, tuple(pieces[::2]), blanks, tuple(named), subject, supersedes)

    def _evidence(self, told: Sequence[Mapping[str, Any]], named: list[NamedIn]) -> Iterator[dict[str, Any]]:
        """Pictures by numbers; a frame is one for each picture that is drawn of it: the session has but one frame."""
        for place, each in enumerate(told):
            drawn = told[place + 1]["sha256"] if each["role"] == "frame" and place + 1 < len(told) else each["sha256"]
            key = (each["role"], drawn)
            size = PICTURE_BYTES[each["role"]]
            if key not in self.pictures:
                self.pictures[key] = len(self.pictures)
                named.append(NamedIn(self.pictures[key], size, each["media_type"]))
            yield {**each, "bytes": size, "sha256": _blank(f"picture {self.pictures[key]}")}

    def _moment(self, found: re.Match[str]) -> str:
        at = datetime.fromisoformat(found[0]).astimezone(UTC)
        return _escaped(f"moment {(at - self.opened_at).total_seconds()}")


def _blank(name: str) -> str:
    return f"{_MARK}{name}{_MARK}"


_ESCAPED: Final = json.dumps(_MARK)[1:-1]


def _escaped(name: str) -> str:
    return f"{_ESCAPED}{name}{_ESCAPED}"
