"""The demonstration: everything started in order, kept running, and ended in the opposite order."""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import threading
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from service.access.accounts import Accounts
from service.access.credentials import new_password
from service.access.roles import UserRole
from service.cli.demo.demo_database import Postgresql
from service.cli.demo.demo_files import DEMO_TABLES, FLOOR, ports, write
from service.cli.demo.programs import HOUSEWAY, DemoError, Program
from service.record.changes import Attribution
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings
from service.system.settings import load_config

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_KEY_DAYS: Final = 3650
_OWN_ADMIN: Final = "table-admin"
_LOOK_EVERY_S: Final = 0.5
_OF_ROOT: Final = Path("/var/lib/houseway-floor")


def default_folder() -> Path:
    """Where a demonstration is kept: in the user's state folder (XDG); root's own PostgreSQL's user could not reach."""
    if os.geteuid() == 0:
        return _OF_ROOT
    state = os.environ.get("XDG_STATE_HOME", "")
    base = Path(state) if Path(state).is_absolute() else Path.home() / ".local" / "state"
    return base / "houseway" / "floor"


def run(folder: Path, first_port: int, hear: Callable[[str], None], tell: Callable[[str], None]) -> None:
    """Run a floor with its database and its tables until told to stop.

    Args:
        folder: where everything is kept; what is there is gone on with.
        first_port: port of the floor; those behind it are the tables'.
        hear: is handed each line that the floor prints for people; the link that signs in is in one.
        tell: is handed what else is to be told, a line each.

    Raises:
        DemoError: it cannot begin, or one of its programs ends as soon as it has begun.
        OSError: the folder cannot be written to.
    """
    folder = folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    with _told_to_end() as ending, _alone(folder), ExitStack() as running:
        _check_free(first_port)
        logs = folder / "logs"
        logs.mkdir(exist_ok=True)
        tell(f"Everything is kept in {folder}, with what each program says in {logs}")
        database = Postgresql(folder / "postgresql", logs / "postgresql.log")
        running.callback(database.close)
        database.start(ending)
        write(folder, database.url, first_port)
        for table in DEMO_TABLES:
            _have_key(folder / table.settings, folder / table.key)
        programs = [_houseway(table.title, logs, folder / table.settings) for table in DEMO_TABLES]
        programs.append(_houseway("The floor", logs, folder / FLOOR, hear))
        for program in programs:
            if not ending.is_set():
                running.callback(program.stop)
                program.start()
        while not ending.wait(_LOOK_EVERY_S):
            for program in (database.program, *programs):
                if said := program.look():
                    tell(said)
        tell("Ending")


def _houseway(name: str, logs: Path, config: Path, hear: Callable[[str], None] | None = None) -> Program:
    log = logs / f"{config.stem}.log"
    told = (*HOUSEWAY, "run", "--config", str(config))
    return Program(name, told, log, environment={"PYTHONUNBUFFERED": "1"}, hear=hear)


@contextmanager
def _told_to_end() -> Iterator[threading.Event]:
    """Set once this program is told to end; further signals change nothing while it does."""
    ending = threading.Event()
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {each: signal.signal(each, lambda *_: ending.set()) for each in signals}
    try:
        yield ending
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the folder, so that a second demonstration does not write to it."""
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise DemoError(
                f"another `houseway floor demo` runs in {folder}: end it, or choose another --folder"
            ) from None
        yield


def _check_free(first: int) -> None:
    """Take every port once, before anything is started."""
    taken = []
    for port in (numbers := ports(first)).values():
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError as error:
            taken.append(f"{port} ({os.strerror(error.errno or 0).lower()})")
    if taken:
        raise DemoError(
            f"ports {first} to {max(numbers.values())} of this computer are needed, and cannot be listened on: "
            f"{', '.join(taken)}. End the program that uses them, or choose others: --port {first + 1000} "
            f"(make floor PORT={first + 1000})"
        )


def _have_key(settings: Path, file: Path) -> None:
    """Have a table know a key of the floor, which is kept in a file."""
    if file.exists():
        return
    table = load_config(settings)
    with Record(RecordSettings.of(table)) as record:
        why = Attribution(by="houseway floor demo", reason="the floor collects this table")
        accounts = Accounts(record, (), table.accounts.password_days)
        _, text = accounts.add_key("floor", UserRole.FLOOR, _KEY_DAYS, why)
        # With an administrator of their own they make none named as the floor's is, whom they could then not honour.
        own = Attribution(by=why.by, reason="for emergencies; nobody knows its password")
        accounts.add(_OWN_ADMIN, UserRole.ADMIN, new_password(), own)
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as written:
        written.write(f"{text}\n")
