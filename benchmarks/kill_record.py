"""Kill a writer of the record at random moments, over and over: `python -m benchmarks.kill_record [--times 1000]`.

A process appends rounds with pictures and prints each served entry; it is killed with SIGKILL at a random moment, and
the next one continues. At the end every served entry must be there and the chain must be valid.
"""

import os
import random
import select
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import NoReturn

from benchmarks.measure import parser_of, report
from service.record.integrity.verify import verify_database
from service.record.store.entries import Draft, Picture
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings


def write_for_ever(settings: RecordSettings, out: int) -> NoReturn:
    """Append rounds, and print each served entry."""
    record = Record(settings)
    if not record.state.ok:
        os.write(out, f"! {record.state.message}\n".encode())
        os._exit(1)
    number = 0
    while True:
        number += 1
        picture = Picture(f"{os.getpid()} {number}".encode() * 500)
        named = {"sha256": picture.sha256, "bytes": len(picture.data), "media_type": picture.media_type}
        draft = Draft("round", {"number": number, "evidence": [named]}, table="killed", round=f"{os.getpid()}.{number}")
        entry = record.append(draft, pictures=(picture,))
        os.write(out, f"{entry.seq} {entry.hash}\n".encode())


def kill_one(settings: RecordSettings, chance: random.Random) -> dict[int, str]:
    """Start a writer, kill it, and return the hashes of its served entries by number."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        write_for_ever(settings, writing)
    os.close(writing)
    # Some are killed while opening the record, most while appending.
    time.sleep(chance.uniform(0, 0.15))
    if chance.random() < 0.7:
        select.select([reading], [], [], 10)
        time.sleep(chance.uniform(0, 0.03))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with os.fdopen(reading) as said:
        # A truncated line was not served.
        lines = [line.split() for line in said.read().splitlines(keepends=True) if line.endswith("\n")]
    refused = [" ".join(words) for words in lines if words[0] == "!"]
    if refused:
        raise SystemExit(f"a writer could not go on: {refused}")
    return {int(seq): entry_hash for seq, entry_hash in lines}


def main() -> None:
    """Kill writers, and compare the record with the entries they served."""
    options = parser_of(__doc__)
    options.add_argument("--times", type=int, default=1000)
    options.add_argument("--seed", type=int, default=1)
    asked = options.parse_args()
    chance = random.Random(asked.seed)  # noqa: S311  moments, not secrets
    with tempfile.TemporaryDirectory() as folder:
        settings = RecordSettings(Path(folder) / "state")
        served: dict[int, str] = {}
        for _ in range(asked.times):
            more = kill_one(settings, chance)
            if served.keys() & more.keys():
                raise SystemExit("an entry was served twice")
            served |= more
        record = Record(settings)
        kept = {entry.seq: entry.hash for entry in record.all_entries()}
        lost = [seq for seq, entry_hash in served.items() if kept.get(seq) != entry_hash]
        proof = verify_database(record, record.evidence.folder)
        record.close()
    result = {"killed": asked.times, "served": len(served), "lost": len(lost), "kept": len(kept)}
    report({**result, "chain": "proven" if proof.holds else proof.why}, as_json=asked.as_json)
    sys.exit(bool(lost) or not proof.holds)


if __name__ == "__main__":
    main()
