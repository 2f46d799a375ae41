"""An attacker with the table's computer *and* the record's key rewrites the record and signs it again.

`python -m benchmarks.attacks.rewriting [--rewrites 100] [--seed 1]`. Each forged record is consistent: every entry
is hashed, linked and signed with the right key. It is then verified like `houseway record verify --seen`, with the
checkpoints of an independent witness. `benchmarks.attacks.tampering` is the attack without the key.
"""

import random
import shutil
import sqlite3
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import astuple, replace
from pathlib import Path
from typing import Final

from benchmarks.attacks.common import Figures
from benchmarks.measure import parser_of, report
from service.record.checkpoints.checkpoint_store import note_at
from service.record.checkpoints.note import Note
from service.record.checkpoints.witness_book import Submission, WitnessBook, WitnessRefusal
from service.record.integrity.seen_check import check_seen_in_database
from service.record.integrity.verify import verify_database
from service.record.store.database import open_database
from service.record.store.database_reader import DatabaseReader
from service.record.store.entries import NO_HASH, Draft, Entry, canonical_json
from service.record.store.record import Record
from service.record.store.record_settings import DATABASE, KEY, PUBLIC_KEY, RecordSettings
from service.record.store.signing import PublicKey, Signer

_REWRITES: Final = 100
_ENTRIES: Final = 60
_SIGNED_EVERY: Final = 7
"""Entries between two requests to the witness."""


def run(rewrites: int = _REWRITES, seed: int = 1) -> Figures:
    """Rewrite a record ``rewrites`` times in different ways, and count the rewrites that are found."""
    with tempfile.TemporaryDirectory(prefix="houseway-rewriting-") as made:
        folder = Path(made)
        book, before = _witnessed(folder)
        signer = Signer.load(folder / "state" / KEY)
        seen = [path.read_text() for path in sorted((folder / "kept").iterdir())]
        alone, found, refused, kinds = 0, 0, 0, Counter[str]()
        started = time.perf_counter()
        for number in range(rewrites):
            chance = random.Random(f"{seed}.{number}")  # noqa: S311  rewrites, not secrets
            name = chance.choice(list(KINDS))
            kinds[name] += 1
            forged = folder / "forged"
            shutil.copytree(folder / "state", forged)
            _write(forged, _signed_again(KINDS[name](chance, before), signer))
            with DatabaseReader(open_database(RecordSettings(forged).database_url)) as reader:
                proof = verify_database(reader, forged / "evidence")
                alone += not proof.holds
                held = check_seen_in_database(reader, proof, seen, [book.key.text])
                found += held is not None and not held.holds
                refused += _refused(book, reader)
            shutil.rmtree(forged)
        taken = time.perf_counter() - started
    figures: Figures = {
        "rewrites": rewrites,
        "found by verify alone": alone,
        "found with the witness's checkpoints": found,
        "refused by the witness": refused,
        "seconds for each": round(taken / rewrites, 3),
    }
    return figures | {f"rewrites: {name}": count for name, count in sorted(kinds.items())}


def _witnessed(folder: Path) -> tuple[WitnessBook, list[Entry]]:
    """Make a record with signed checkpoints in the folder ``kept``; return the witness's book and the entries."""
    settings = RecordSettings(folder / "state")
    record = Record(settings)
    book = WitnessBook.make(folder / "witness", "surveillance.example/w1")
    book.trust("table", PublicKey.load(settings.folder / PUBLIC_KEY))
    (folder / "kept").mkdir()
    known = 0
    for number in range(_ENTRIES):
        entry = record.append(Draft("start", {"versions": {"number": str(number)}}, table="table"))
        if entry.seq % _SIGNED_EVERY == 0 or number == _ENTRIES - 1:
            note = _note(record, entry)
            line = book.add(Submission(known, record.after(known, limit=500) if known else (), note))
            (folder / "kept" / f"{entry.seq:04d}.txt").write_text(note.cosigned(line).text)
            known = entry.seq
    entries = list(record.all_entries())
    record.close()
    return book, entries


def _refused(book: WitnessBook, reader: DatabaseReader) -> bool:
    """Return whether the witness refuses the forged record at the next request."""
    note = _note(reader, reader.head())
    known = book.record(note.checkpoint.record)
    seq = 0 if known is None else known.seq
    try:
        book.add(Submission(seq, reader.after(seq, limit=500), note))
    except WitnessRefusal:
        return True
    return False


def _note(reader: DatabaseReader, entry: Entry | None) -> Note:
    note = note_at(reader, entry)
    if note is None:
        raise ValueError("there is no checkpoint")
    return note


def _signed_again(entries: list[Entry], signer: Signer) -> list[tuple[Entry, str]]:
    """Number, link, hash and sign entries, as if they had been appended."""
    record = str(entries[0].data["record"])
    made, previous = [], NO_HASH
    for seq, entry in enumerate(entries, start=1):
        sealed = replace(entry, seq=seq, previous=previous, hash="").sealed()
        made.append((sealed, signer.sign(record, seq, sealed.hash, sealed.at).signature))
        previous = sealed.hash
    return made


def _write(forged: Path, made: list[tuple[Entry, str]]) -> None:
    with closing(sqlite3.connect(forged / DATABASE, isolation_level=None)) as database:
        guards = database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in guards:
            database.execute(f"DROP TRIGGER {name}")
        database.execute("BEGIN")
        database.execute("DELETE FROM record_entries")
        database.executemany(
            f"INSERT INTO record_entries VALUES (?, 1, {', '.join('?' * 12)}, NULL, NULL)",  # noqa: S608
            [(entry.seq, *astuple(entry), signature) for entry, signature in made],
        )
        database.execute("COMMIT")
        for _, sql in guards:
            database.execute(sql)


def _roll_back(chance: random.Random, entries: list[Entry]) -> list[Entry]:
    return entries[: chance.randrange(1, len(entries))]


def _cut_the_end(chance: random.Random, entries: list[Entry]) -> list[Entry]:
    return entries[: -chance.randrange(1, 4)]


def _change_one(chance: random.Random, entries: list[Entry]) -> list[Entry]:
    at = chance.randrange(1, len(entries))
    changed = replace(entries[at], body=canonical_json({"versions": {"number": "another"}}))
    return [*entries[:at], changed, *entries[at + 1 :]]


def _change_a_time(chance: random.Random, entries: list[Entry]) -> list[Entry]:
    at = chance.randrange(1, len(entries))
    return [*entries[:at], replace(entries[at], at="2026-01-01T00:00:00.000001Z"), *entries[at + 1 :]]


def _remove_one(chance: random.Random, entries: list[Entry]) -> list[Entry]:
    at = chance.randrange(1, len(entries))
    return [*entries[:at], *entries[at + 1 :]]


def _insert_one(chance: random.Random, entries: list[Entry]) -> list[Entry]:
    at = chance.randrange(1, len(entries))
    return [*entries[:at], replace(chance.choice(entries[1:]), monotonic_ns=1), *entries[at:]]


def _exchange_two(chance: random.Random, entries: list[Entry]) -> list[Entry]:
    one, other = sorted(chance.sample(range(1, len(entries)), 2))
    changed = list(entries)
    changed[one], changed[other] = changed[other], changed[one]
    return changed


def _cut_and_grow(chance: random.Random, entries: list[Entry]) -> list[Entry]:
    """Cut off the end and append other entries, until the record is longer than before."""
    kept = entries[: chance.randrange(1, len(entries))]
    more = [replace(entries[-1], monotonic_ns=number) for number in range(len(entries) - len(kept) + 5)]
    return [*kept, *more]


KINDS: Final[dict[str, Callable[[random.Random, list[Entry]], list[Entry]]]] = {
    "roll back": _roll_back,
    "cut the end": _cut_the_end,
    "change one": _change_one,
    "change a time": _change_a_time,
    "remove one": _remove_one,
    "insert one": _insert_one,
    "exchange two": _exchange_two,
    "cut and grow": _cut_and_grow,
}


def main() -> None:
    options = parser_of(__doc__)
    options.add_argument("--rewrites", type=int, default=_REWRITES)
    options.add_argument("--seed", type=int, default=1)
    asked = options.parse_args()
    report(run(asked.rewrites, asked.seed), as_json=asked.as_json)


if __name__ == "__main__":
    main()
