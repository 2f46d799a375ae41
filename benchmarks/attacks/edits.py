"""Edits of a record without its key: bytes, rows, files, order, roll-back, truncation."""

import hashlib
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pyotp

from service.access import accounts as accounts_module
from service.access.accounts import Accounts
from service.access.roles import UserRole
from service.access.second_factors import KEY_FILE, Sealer, SecondFactors, new_totp_secret
from service.access.sessions import Sessions
from service.record.changes import Attribution
from service.record.checkpoints.checkpoint_store import keep_mark, newest_note
from service.record.outbox import Outbox
from service.record.projections.projector import Projector
from service.record.store.entries import Draft, Entry, Picture, Reply
from service.record.store.record import Record
from service.record.store.record_settings import DATABASE, EVIDENCE, RecordSettings
from service.rounds.reports import RoundReport

_WHY: Final = Attribution("the boss", "a new night")
_OF_ENTRIES: Final = ("record_replies", "record_pictures", "record_entries")
_OF_PEOPLE: Final = {"accounts": "name", "api_keys": "id", "second_factors": "account", "recovery_codes": "account"}
"""Tables of accounts and keys, and the column that names the owner of a row."""
COVERED: Final = (*_OF_ENTRIES, *_OF_PEOPLE, "rounds", "alarms")
_AT_EACH_USE: Final = frozenset({"counter", "used_at"})
"""Columns of second factors that change at each use and are not covered by entries."""
COLUMNS: Final = "(name, role, password, initial, disabled, created_at, sessions_since)"
OUTSIDE: Final = ("page_sessions", "deliveries", "dead_letters")


@dataclass(frozen=True, slots=True)
class Known:
    """The newest entry that a witness signed."""

    seq: int
    hash: str


@dataclass(frozen=True, slots=True)
class Edit:
    """One way to change a record: ``make`` takes its folder, an older copy and a random generator.

    It returns the accounts or key ids of which the finding must name one, if any.

    Attributes:
        outside: it changes only data that entries do not cover, as `record verify` reports.
        stopped: it is an edit only while the service is stopped.
    """

    make: Callable[[Path, Path, random.Random], frozenset[str] | None]
    outside: bool = False
    stopped: bool = False


_KEY = "(id, name, role, digest, created_at, created_by, expires_at, revoked_at)"


def filled(folder: Path, older: Path) -> Known:
    """Make a record with entries of each kind, and a copy from half-way."""
    vars(accounts_module)["hash_password"] = lambda password: hashlib.sha256(password.encode()).hexdigest()
    record = Record(RecordSettings(folder))
    accounts = Accounts(record)
    for number, role in enumerate((UserRole.ADMIN, UserRole.SUPERVISOR, UserRole.VIEWER)):
        accounts.add(f"person{number}", role, f"several plain words {number}", _WHY)
        accounts.add_key(f"till {number}", UserRole.VIEWER, 30, _WHY)
    factors = SecondFactors(record, accounts, Sealer(folder / KEY_FILE))
    for number in range(2):
        secret = new_totp_secret()
        factors.add_app(f"person{number}", secret, pyotp.TOTP(secret).now(), "phone", _WHY)
    Sessions(record, accounts, 1.0).start("person0")
    Outbox(record.database).state("webhook one", (1, 0))
    _append_entries(record, 0)
    with record.database.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copytree(folder, older)
    _append_entries(record, 30)
    accounts.set_role("person1", UserRole.VIEWER, _WHY)
    head = record.head()
    if head is None:
        raise RuntimeError("the record is empty")
    if (note := newest_note(record)) is not None:
        keep_mark(record.settings.mark_file, note)
    record.close()
    return Known(head.seq, head.hash)


def _append_entries(record: Record, first: int) -> None:
    """Append checks, alarms and, as in play, two revisions of each round."""
    for number in range(first, first + 30):
        at = datetime(2026, 1, 2, 3, number % 60, tzinfo=UTC)
        for revision in (1, 2) if number % 3 == 1 else ():
            played = RoundReport(
                id=f"r{number}",
                number=number,
                table="test",
                opened_at=at,
                changed_at=at,
                agreeing_frames=3,
                state="open" if revision == 1 else "closed",
                revision=revision,
            )
            body = played.model_dump(mode="json")
            record.append(Draft("round", body, table="test", round=played.id, subject=str(revision)))
        pictures = [Picture(random.Random(number * 10 + n).randbytes(1500)) for n in range(number % 3 == 0)]  # noqa: S311
        named = [
            {"sha256": each.sha256, "bytes": len(each.data), "media_type": each.media_type, "role": "frame"}
            for each in pictures
        ]
        body = {"number": number, "ok": True, "filler": "x" * 200, "evidence": named}
        record.append(Draft("health", body, table="test", subject="clock"), pictures=pictures)
        bad = [{"name": "source", "message": "gone", "findings": []}] if number % 2 else []
        record.append(Draft("alarm", {"ok": not bad, "checks": bad, "new": []}, table="test"))
        if number % 5 == 0:
            draft = Draft("acknowledgement", {"by": "person1", "reason": "", "alarms": []}, table="test")
            record.append(draft, reply=Reply("seen", f"k{number}", "0" * 64, "[]"))
    Projector(record).catch_up()


def stored(folder: Path) -> dict[str, Any]:
    """Return all rows and pictures of a record, to check that an edit changed something."""
    found: dict[str, Any] = {}
    for path in sorted((folder / EVIDENCE).rglob("*")):
        if path.is_file():
            found[path.name + str(path.parent.name)] = hashlib.sha256(path.read_bytes()).hexdigest()
    found["folder"] = (folder / EVIDENCE).is_dir()
    try:
        with closing(sqlite3.connect(f"file:{folder / DATABASE}?mode=ro", uri=True)) as file:
            for table in (*COVERED, *OUTSIDE, "followed"):
                found[table] = file.execute(f"SELECT * FROM {table} ORDER BY rowid").fetchall()  # noqa: S608
            found["schema"] = file.execute("SELECT type, name, sql FROM sqlite_master ORDER BY name").fetchall()
            found["well"] = file.execute("PRAGMA integrity_check(1)").fetchone()
    except (sqlite3.Error, UnicodeDecodeError) as error:
        found["damaged"] = str(error)
    found["file"] = _file_of(folder)
    return found


def _file_of(folder: Path) -> int | None:
    with suppress(OSError):
        return 0 if (folder / DATABASE).stat().st_size else 1
    return None


class _Rows:
    """The database without its triggers, which are restored at the end."""

    def __init__(self, folder: Path) -> None:
        self._file = sqlite3.connect(folder / DATABASE, isolation_level=None, timeout=10)
        self._triggers = self._file.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()

    def __enter__(self) -> sqlite3.Connection:
        self._file.execute("BEGIN IMMEDIATE")
        for name, _ in self._triggers:
            self._file.execute(f"DROP TRIGGER {name}")
        return self._file

    def __exit__(self, *_: object) -> None:
        for _, sql in self._triggers:
            self._file.execute(sql)
        self._file.execute("COMMIT")
        self._file.close()


def _cell(tables: tuple[str, ...]) -> Callable[[Path, Path, random.Random], frozenset[str] | None]:
    """Change one column of one row."""

    def make(folder: Path, _older: Path, chance: random.Random) -> frozenset[str] | None:
        table = chance.choice(tables)
        with _Rows(folder) as file:
            columns = [row[1] for row in file.execute(f"PRAGMA table_info({table})") if row[1] not in _AT_EACH_USE]
            rowid, column = _a_row(file, table, chance), chance.choice(columns)
            whose = _whose(file, table, rowid)
            (value,) = file.execute(f'SELECT "{column}" FROM {table} WHERE rowid = ?', (rowid,)).fetchone()  # noqa: S608
            with suppress(sqlite3.IntegrityError):
                file.execute(f'UPDATE {table} SET "{column}" = ? WHERE rowid = ?', (_other(value, chance), rowid))  # noqa: S608
            return whose and whose | (_whose(file, table, rowid) or frozenset())

    return make


def _whose(file: sqlite3.Connection, table: str, rowid: int) -> frozenset[str] | None:
    """Return the owner of a row: an account or the id of a key; None if it has no owner."""
    if table not in _OF_PEOPLE:
        return None
    found = file.execute(f"SELECT {_OF_PEOPLE[table]} FROM {table} WHERE rowid = ?", (rowid,))  # noqa: S608
    return frozenset(str(row[0]) for row in found)


def _other(value: object, chance: random.Random) -> object:
    if value is None:
        return "2026-01-01T00:00:00.000000Z"
    if isinstance(value, int):
        return value + chance.choice((-1, 1)) if value not in (0, 1) else 1 - value
    text = str(value)
    if not text:
        return "x"
    at = chance.randrange(len(text))
    return text[:at] + chance.choice([each for each in "0123456789abcdef" if each != text[at]]) + text[at + 1 :]


def _a_row(file: sqlite3.Connection, table: str, chance: random.Random) -> int:
    return int(chance.choice(file.execute(f"SELECT rowid FROM {table}").fetchall())[0])  # noqa: S608


def _remove(tables: tuple[str, ...]) -> Callable[[Path, Path, random.Random], frozenset[str] | None]:
    def make(folder: Path, _older: Path, chance: random.Random) -> frozenset[str] | None:
        table = chance.choice(tables)
        with _Rows(folder) as file:
            rowid = _a_row(file, table, chance)
            whose = _whose(file, table, rowid)
            file.execute(f"DELETE FROM {table} WHERE rowid = ?", (rowid,))  # noqa: S608
        return whose

    return make


def _insert_factor(folder: Path, _older: Path, chance: random.Random) -> frozenset[str]:
    """Insert a second factor that the attacker owns."""
    with _Rows(folder) as file:
        account = f"person{chance.randrange(3)}"
        key = ("ab" * 40, "cd" * 20, "localhost", 0, "2026", None)
        row = (f"f{chance.randrange(1000)}", account, "passkey", "mine", *key)
        file.execute("INSERT INTO second_factors VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    return frozenset({account})


def _insert_recovery_code(folder: Path, _older: Path, chance: random.Random) -> frozenset[str]:
    with _Rows(folder) as file:
        account = f"person{chance.randrange(3)}"
        digest = hashlib.sha256(chance.randbytes(8)).hexdigest()
        file.execute("INSERT INTO recovery_codes VALUES (?, ?)", (account, digest))
    return frozenset({account})


def _exchange_factors(folder: Path, _older: Path, _chance: random.Random) -> frozenset[str]:
    """Exchange the factors of two people."""
    with _Rows(folder) as file:
        file.execute(
            "UPDATE second_factors SET account = CASE account WHEN 'person0' THEN 'person1' ELSE 'person0' END"
        )
    return frozenset({"person0", "person1"})


def _insert_account(folder: Path, _older: Path, chance: random.Random) -> frozenset[str]:
    with _Rows(folder) as file:
        name = f"eve{chance.randrange(1000)}"
        file.execute(
            f"INSERT INTO accounts {COLUMNS} SELECT ?, 'admin', password, 0, 0, '', '' FROM accounts LIMIT 1",  # noqa: S608
            (name,),
        )
    return frozenset({name})


def _insert_key(folder: Path, _older: Path, chance: random.Random) -> frozenset[str]:
    with _Rows(folder) as file:
        row = (f"k{chance.randrange(1000)}", "till", "admin", "ab" * 32, "", "", "2999", None)
        file.execute(
            f"INSERT INTO api_keys {_KEY} VALUES (?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608  constants of this file
            row,
        )
    return frozenset({row[0]})


def _insert_reply(folder: Path, _older: Path, chance: random.Random) -> None:
    with _Rows(folder) as file:
        seq = _a_row(file, "record_entries", chance)
        file.execute("INSERT INTO record_replies VALUES ('seen', 'forged', '', ?, '[]')", (seq,))


def _swap_rows(folder: Path, _older: Path, chance: random.Random) -> None:
    """Exchange two entries."""
    with _Rows(folder) as file:
        first, second = (row[0] for row in chance.sample(file.execute("SELECT seq FROM record_entries").fetchall(), 2))
        file.execute("PRAGMA defer_foreign_keys = ON")
        for old, new in ((first, -1), (second, first), (-1, second)):
            file.execute("UPDATE record_entries SET seq = ? WHERE seq = ?", (new, old))


def _recompute_hashes(folder: Path, _older: Path, chance: random.Random) -> None:
    """Change an entry and recompute every later hash; the signatures need the key."""
    with _Rows(folder) as file:
        columns = ", ".join(f'"{name}"' for name in Entry.__slots__)
        rows = file.execute(f"SELECT {columns} FROM record_entries ORDER BY seq").fetchall()  # noqa: S608
        at, previous = chance.randrange(1, len(rows)), ""
        for number, row in enumerate(rows[at:]):
            entry = Entry(*row)
            entry = replace(entry, subject="forged") if number == 0 else replace(entry, previous=previous)
            entry = entry.sealed()
            previous = entry.hash
            told = (entry.subject, entry.previous, entry.hash, entry.seq)
            file.execute("UPDATE record_entries SET subject = ?, previous = ?, hash = ? WHERE seq = ?", told)


def _cut(folder: Path, _older: Path, chance: random.Random) -> None:
    """Remove the newest entries with everything that belongs to them; the rest is consistent."""
    with _Rows(folder) as file:
        (head,) = file.execute("SELECT max(seq) FROM record_entries").fetchone()
        through = head - chance.randrange(1, 40)
        for table in _OF_ENTRIES:
            number = "position" if table == "record_pictures" else "seq"
            file.execute(f"DELETE FROM {table} WHERE {number} > ?", (through,))  # noqa: S608


def _drop_guards(folder: Path, _older: Path, chance: random.Random) -> None:
    with closing(sqlite3.connect(folder / DATABASE, timeout=10)) as file:
        names = [row[0] for row in file.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")]
        file.execute(f"DROP TRIGGER {chance.choice(names)}")
        file.commit()


def _flip_byte(folder: Path, _older: Path, chance: random.Random) -> None:
    path = folder / DATABASE
    data = bytearray(path.read_bytes())
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def _swap_pages(folder: Path, _older: Path, chance: random.Random) -> None:
    path = folder / DATABASE
    data = path.read_bytes()
    pages = [data[at : at + 4096] for at in range(0, len(data), 4096)]
    first, second = chance.sample(range(1, len(pages)), 2)
    pages[first], pages[second] = pages[second], pages[first]
    path.write_bytes(b"".join(pages))


def _truncate(folder: Path, _older: Path, chance: random.Random) -> None:
    path = folder / DATABASE
    data = path.read_bytes()
    path.write_bytes(data[: chance.randrange(len(data))])


def _pictures(folder: Path) -> list[Path]:
    return sorted(path for path in (folder / EVIDENCE).rglob("*") if path.is_file())


def _change_picture(folder: Path, _older: Path, chance: random.Random) -> None:
    path = chance.choice(_pictures(folder))
    data = bytearray(path.read_bytes())
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def _cut_picture(folder: Path, _older: Path, chance: random.Random) -> None:
    path = chance.choice(_pictures(folder))
    path.write_bytes(path.read_bytes()[: chance.randrange(1000)])


def _remove_picture(folder: Path, _older: Path, chance: random.Random) -> None:
    chance.choice(_pictures(folder)).unlink()


def _remove_pictures(folder: Path, _older: Path, _chance: random.Random) -> None:
    for path in _pictures(folder):
        path.unlink()


def _swap_pictures(folder: Path, _older: Path, chance: random.Random) -> None:
    first, second = chance.sample(_pictures(folder), 2)
    kept = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(kept)


def _roll_back_database(folder: Path, older: Path, _chance: random.Random) -> None:
    for suffix in ("-wal", "-shm"):
        (folder / f"{DATABASE}{suffix}").unlink(missing_ok=True)
    new = folder / "copied"
    shutil.copy(older / DATABASE, new)
    new.replace(folder / DATABASE)


def _roll_back_folder(folder: Path, older: Path, _chance: random.Random) -> None:
    """Restore an older copy of the folder; only the mark file shows it."""
    shutil.rmtree(folder)
    shutil.copytree(older, folder)


def _roll_back_all(folder: Path, older: Path, chance: random.Random) -> None:
    """Restore the mark file too; only a checkpoint kept elsewhere shows it."""
    _roll_back_folder(folder, older, chance)
    RecordSettings(folder).mark_file.unlink()


def _empty_database(folder: Path, _older: Path, _chance: random.Random) -> None:
    for suffix in ("", "-wal", "-shm"):
        (folder / f"{DATABASE}{suffix}").unlink(missing_ok=True)
    (folder / DATABASE).touch()


EDITS: Final[dict[str, Edit]] = {
    "a column of an entry": Edit(_cell(("record_entries",))),
    "a column of a row beside the entries": Edit(_cell(COVERED)),
    "an account's or key's column": Edit(_cell(("accounts", "api_keys"))),
    "a second factor's or recovery code's column": Edit(_cell(("second_factors", "recovery_codes"))),
    "a row removed": Edit(_remove(COVERED)),
    "a second factor or recovery code removed": Edit(_remove(("second_factors", "recovery_codes"))),
    "a second factor inserted": Edit(_insert_factor),
    "a recovery code inserted": Edit(_insert_recovery_code),
    "second factors of two people exchanged": Edit(_exchange_factors),
    "an account inserted": Edit(_insert_account),
    "a key inserted": Edit(_insert_key),
    "an answer inserted": Edit(_insert_reply),
    "two entries exchanged": Edit(_swap_rows),
    "an entry changed and all hashes recomputed": Edit(_recompute_hashes),
    "the end cut off": Edit(_cut),
    "a trigger removed": Edit(_drop_guards),
    "a byte of the database": Edit(_flip_byte, stopped=True),
    "two pages of the database exchanged": Edit(_swap_pages, stopped=True),
    "the database's file cut short": Edit(_truncate, stopped=True),
    "a byte of a picture": Edit(_change_picture),
    "a picture cut short": Edit(_cut_picture),
    "a picture removed": Edit(_remove_picture),
    "all pictures removed": Edit(_remove_pictures),
    "the folder of pictures removed": Edit(lambda folder, _older, _chance: shutil.rmtree(folder / EVIDENCE)),
    "two pictures exchanged": Edit(_swap_pictures),
    "the database as it was earlier": Edit(_roll_back_database),
    "the whole folder as it was earlier": Edit(_roll_back_folder, stopped=True),
    "the whole folder as it was earlier, and the mark gone": Edit(_roll_back_all, stopped=True),
    "an empty database": Edit(_empty_database),
    "a row of a table outside": Edit(_cell(("page_sessions", "deliveries")), outside=True),
}
"""Every kind of edit, by name."""
