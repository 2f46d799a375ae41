"""Holding a record against what others kept of it: ``houseway record verify --seen CHECKPOINT...``.

Anything that names an entry by number and hash will do: checkpoints, files of them, cursors, and what a program that
polls has kept of its answers.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from service.record.checkpoints.note import ORIGIN, Note, NoteError, read_note, read_notes
from service.record.store.stored_logs import CursorError, read_cursor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from service.record.checkpoints.note import Cosignature, WitnessKey

Outcome: TypeAlias = Literal["extended", "gone", "other", "before", "foreign", "unknown"]
"""The record has the entry, ends before it, has a different one, starts after it, is a different record, or an export
cannot tell: the cursor may be that of an entry of a followed table."""


class NothingSeenError(ValueError):
    """There is no checkpoint in what was given; the message says where."""


@dataclass(frozen=True, slots=True)
class Seen:
    """An entry that somebody kept.

    Attributes:
        seq: its number; of a cursor, possibly its position among the entries of all logs.
        start: its hash, or the beginning of it.
        source: the file or text that it is from.
        record: id of the record; None if what was kept does not say.
    """

    seq: int
    start: str
    source: str
    record: str | None = None
    note: Note | None = None


@dataclass(frozen=True, slots=True)
class ComparedCheckpoint:
    """A kept entry compared with the record; ``seq`` is the number of the entry that the record has, if it has it."""

    seen: Seen
    seq: int
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Comparison:
    """A record compared with the entries that were kept.

    Attributes:
        compared: one by one, in the order of their numbers.
        common: the newest kept entry before the first one that the record lacks; they diverge after it. None if the
            record has all of them; 0 for the start.
    """

    compared: tuple[ComparedCheckpoint, ...]
    common: int | None

    @property
    def holds(self) -> bool:
        """Whether the record extends all of it."""
        return all(each.outcome == "extended" for each in self.compared)


def read_seen(given: str) -> tuple[Seen, ...]:
    """What was kept, from the name of a file, the text of a note, a note in one word, or a cursor; NothingSeenError."""
    path = Path(given)
    is_file = False
    with suppress(OSError):  # a note in one word is too long for a name
        is_file = path.is_file()
    try:
        text = path.read_text(encoding="utf-8", errors="replace") if is_file else given
    except OSError as error:
        raise NothingSeenError(f"{given}: cannot be read: {error.strerror}") from None
    source = given if is_file else "what was given"
    found = tuple(_seen_in(text, source))
    if not found:
        what = repr(given.strip()[:60])
        raise NothingSeenError(f"{what}: no file of this name, and neither a checkpoint nor a cursor")
    return found


def compare(
    seen: Sequence[Seen],
    record: str,
    proven: tuple[int, int],
    hash_of: Callable[[int], str | None],
    number_at: Callable[[int, str], int | None],
    *,
    all_logs: bool,
) -> Comparison:
    """Compare a proven record with what was kept.

    Args:
        seen: what was kept.
        record: id of the record.
        proven: numbers of the first and the last entry that was proven.
        hash_of: the hash of a proven entry, or of the one before the first.
        number_at: the number of the record's newest entry at a position among the entries of all logs, if the entry at
            the position has a hash that starts like this.
        all_logs: ``number_at`` finds entries of all logs, not only those of the record.
    """
    (first, last), compared = proven, []
    for each in sorted(seen, key=lambda one: one.seq):
        there = hash_of(each.seq) if first - 1 <= each.seq <= last else None
        number: int | None = each.seq if there is not None and there.startswith(each.start) else None
        if number is None and each.note is None:
            number = number_at(each.seq, each.start)
        if number is not None and number > last:
            number = None  # entries after the last proven one show nothing
        outcome: Outcome = "other"
        if each.record is not None and each.record != record:
            outcome = "foreign"
        elif number is not None:
            outcome = "extended"
        elif each.seq < first and there is None:
            outcome = "before"
        elif each.note is None and not all_logs:
            outcome = "unknown"
        elif each.seq > last:
            outcome = "gone"
        compared.append(ComparedCheckpoint(each, each.seq if number is None else number, outcome))
    lacking = [each.seq for each in compared if each.outcome in {"gone", "other"}]
    parted = min(lacking, default=0)
    common = [each.seq for each in compared if each.outcome == "extended" and each.seq < parted]
    return Comparison(tuple(compared), max(common, default=0) if lacking else None)


def signed_by(seen: Sequence[Seen], witnesses: Sequence[WitnessKey]) -> dict[str, tuple[int, int]]:
    """Of each witness how many of its signatures hold, and how many do not."""
    counted = {witness.name: (0, 0) for witness in witnesses}
    for witness in witnesses:
        for note, cosignature in _cosigned(seen):
            if witness.made(cosignature):
                good, bad = counted[witness.name]
                holds = witness.holds(note, cosignature)
                counted[witness.name] = (good + holds, bad + (not holds))
    return counted


def _cosigned(seen: Sequence[Seen]) -> Iterator[tuple[Note, Cosignature]]:
    for each in seen:
        if each.note is not None:
            yield from ((each.note, cosignature) for cosignature in each.note.cosignatures)


def _seen_in(text: str, source: str) -> Iterator[Seen]:
    if ORIGIN in text:
        yield from (_of_note(note, source) for note in read_notes(text))
    for line in text.splitlines():
        if line.startswith("{"):
            yield from _seen_in_json(line, source)
        else:
            yield from _of_word(line.strip(), source)


def _seen_in_json(line: str, source: str) -> Iterator[Seen]:
    try:
        answer = json.loads(line)
    except ValueError:
        return
    if isinstance(answer, dict):
        for name in ("checkpoint", "cursor", "next"):
            if isinstance(word := answer.get(name), str):
                yield from _of_word(word, source)


def _of_word(word: str, source: str) -> Iterator[Seen]:
    if not word or " " in word:
        return
    try:
        seq, start = read_cursor(word)
    except CursorError:
        try:
            yield _of_note(read_note(word), source)
        except NoteError:
            return
    else:
        if seq:
            yield Seen(seq, start, source)


def _of_note(note: Note, source: str) -> Seen:
    made = note.checkpoint
    return Seen(made.seq, made.hash, source, made.record, note)
