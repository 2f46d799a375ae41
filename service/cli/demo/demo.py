"""The demonstration: PostgreSQL, three simulated tables and a hub over them, on one computer."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import socket
import threading
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from service.access.accounts import Accounts
from service.access.roles import UserRole
from service.cli.common import DELETE_TO_RESTART
from service.cli.demo.programs import HOUSEWAY, DemoError, Postgresql, Program
from service.record.changes import Attribution
from service.record.store.database import check_version, open_database
from service.record.store.entries import RecordVersionError
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings
from service.system.settings import load_config

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

SIGN_IN_LINK: Final = re.compile(r"http://\S+/set-up\?code=\S+")
"""The link that a service prints at its first start."""
_KEY_DAYS: Final = 3650
_CHECK_EVERY_S: Final = 0.5
_OF_ROOT: Final = Path("/var/lib/houseway-floor")
RECORD: Final = "floor"
"""Folder of the hub's own record."""
FLOOR: Final = "floor.toml"
_WRITTEN: Final = "# Overwritten by each `houseway floor demo`: changes are lost.\n\n"


@dataclass(frozen=True, slots=True)
class DemoTable:
    """A simulated table.

    Attributes:
        pit: title of its pit.
        seed: of the simulated deals.
        in_turn: what the dealer does wrong in each round (``datasets.simulator``).
    """

    name: str
    title: str
    pit: str
    rulebook: str
    seed: int
    in_turn: str

    @property
    def settings(self) -> str:
        """Name of its settings file."""
        return f"{self.name}.toml"

    @property
    def key(self) -> str:
        """Name of the file with the key that the hub uses."""
        return f"{self.name}.key"


DEMO_TABLES: Final = (
    # Their first rounds show a wrong House hand, a round in doubt and an irregularity.
    DemoTable("main-1", "Main 1", "Main pit", "crown-6.1", 31, "house-set-wrong+none+leaning-die-not-reshaken+none"),
    DemoTable(
        "main-2", "Main 2", "Main pit", "crown-6.1", 32, "leaning-die-not-reshaken+none+house-set-wrong-corrected+none"
    ),
    DemoTable("salon-1", "Salon 1", "Salon", "star-2024", 50, "wrong-first-box+none+house-set-wrong+none"),
)
_FILM: Final = "rounds=4,fps=1.5,players=2-4,pace=2.5,size=1920x1080"
"""To draw and read a picture takes a core a third of a second: at this rate two cores can do it for three tables. The
pace leaves each throw of the dice in view for enough pictures at that rate."""


def ports(first: int) -> dict[str, int]:
    """Port of each service."""
    names = ("floor", *(table.name for table in DEMO_TABLES))
    return {name: first + place for place, name in enumerate(names)}


def settings(database_url: str, first_port: int) -> Mapping[str, str]:
    """The settings files by name; paths in them are relative to their folder."""
    at = ports(first_port)
    pits = {table.pit: table.pit.lower().replace(" ", "-") for table in DEMO_TABLES}
    floor = (
        f'[service]\nname = "demo"\ntitle = "Demonstration"\n\n[server]\nport = {at["floor"]}\n\n'
        f'[record]\nfolder = "{RECORD}"\nurl = "{database_url}"\n\n'
        + "".join(f'[[pits]]\nname = "{name}"\ntitle = "{title}"\n\n' for title, name in pits.items())
        + "\n".join(
            f'[[tables]]\nname = "{table.name}"\ntitle = "{table.title}"\npit = "{pits[table.pit]}"\n'
            f'key_file = "{table.key}"\nurl = "http://localhost:{at[table.name]}"\n'
            for table in DEMO_TABLES
        )
    )
    each = {table.settings: _table(table, at[table.name]) for table in DEMO_TABLES}
    made = {FLOOR: floor, **each}
    return {name: _WRITTEN + text for name, text in made.items()}


def write(folder: Path, database_url: str, first_port: int) -> None:
    """Write the settings files into a folder."""
    for name, text in settings(database_url, first_port).items():
        (folder / name).write_text(text, encoding="utf-8")


def _table(table: DemoTable, port: int) -> str:
    return (
        f'[[tables]]\nname = "{table.name}"\ntitle = "{table.title}"\nrulebook = "{table.rulebook}"\n\n'
        f'[tables.source]\nkind = "simulator"\nsimulator = "seed={table.seed},{_FILM},in_turn={table.in_turn}"\n'
        # When a session ends, the next one is simulated first, which takes some seconds on a busy computer.
        "frame_timeout_s = 30\n\n"
        f"[server]\nport = {port}\n\n"
        f'[record]\nfolder = "{table.name}"\nmax_mb = 2000\n'
    )


def default_folder() -> Path:
    """The user's state folder (XDG); for root a folder that the user of PostgreSQL can reach."""
    if os.geteuid() == 0:
        return _OF_ROOT
    state = os.environ.get("XDG_STATE_HOME", "")
    base = Path(state) if Path(state).is_absolute() else Path.home() / ".local" / "state"
    return base / "houseway" / "floor"


def run(folder: Path, first_port: int, on_line: Callable[[str], None], report: Callable[[str], None]) -> None:
    """Run the demonstration until this process is asked to stop by a signal.

    Args:
        folder: folder for all data; an earlier demonstration in it continues.
        first_port: port of the hub; the tables use the next ones.
        on_line: receives each line that the hub prints; one has the sign-in link.
        report: receives each other message, among them the sign-in link of each table.

    Raises:
        DemoError: it cannot start, or one of its programs ends just after its start.
        OSError: the folder cannot be written to.
    """
    folder = folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    with _stop_requested() as ending, _locked(folder), ExitStack() as running:
        _check_free(first_port)
        logs = folder / "logs"
        logs.mkdir(exist_ok=True)
        report(f"All data is kept in {folder}, the log of each program in {logs}")
        database = Postgresql(folder / "postgresql", logs / "postgresql.log")
        running.callback(database.close)
        database.start(ending)
        write(folder, database.url, first_port)
        _check_versions(folder, database.url)
        for table in DEMO_TABLES:
            _create_key(folder / table.settings, folder / table.key)
        programs = [
            _houseway(table.title, logs, folder / table.settings, partial(_report_link, table.title, report))
            for table in DEMO_TABLES
        ]
        programs.append(_houseway("The floor", logs, folder / FLOOR, on_line))
        for program in programs:
            if not ending.is_set():
                running.callback(program.stop)
                program.start()
        while not ending.wait(_CHECK_EVERY_S):
            for program in (database.program, *programs):
                if message := program.restart_if_ended():
                    report(message)
        report("Stopping")


def _report_link(title: str, report: Callable[[str], None], line: str) -> None:
    """Report the sign-in link in a line that a table prints, if there is one."""
    if (link := SIGN_IN_LINK.search(line)) is not None:
        report(f"The live page of {title} has its own accounts; this link signs in once: {link[0]}")


def _houseway(name: str, logs: Path, config: Path, on_line: Callable[[str], None]) -> Program:
    log = logs / f"{config.stem}.log"
    command = (*HOUSEWAY, "run", "--config", str(config))
    return Program(name, command, log, environment={"PYTHONUNBUFFERED": "1"}, on_line=on_line)


@contextmanager
def _stop_requested() -> Iterator[threading.Event]:
    """An event that the signals to stop set; further signals have no effect."""
    ending = threading.Event()
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {each: signal.signal(each, lambda *_: ending.set()) for each in signals}
    try:
        yield ending
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock the folder, so that no second demonstration writes to it."""
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise DemoError(
                f"another `houseway floor demo` runs in {folder}: end it, or choose another --folder"
            ) from None
        yield


def _check_free(first: int) -> None:
    """Check that every port is free; DemoError if not."""
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


def _check_versions(folder: Path, hub_url: str) -> None:
    """Check that this version made every record in the folder; DemoError if not."""
    tables = (RecordSettings.of(load_config(folder / table.settings)).database_url for table in DEMO_TABLES)
    for url in (hub_url, *tables):
        database = open_database(url)
        try:
            if database.dialect.name != "sqlite" or Path(database.url.database or "").exists():
                check_version(database)
        except RecordVersionError as error:
            raise DemoError(f"{error}. {DELETE_TO_RESTART.format(what=folder)}") from None
        finally:
            database.dispose()


def _create_key(settings: Path, file: Path) -> None:
    """Create a key for the hub at a table, and write it to a file; an existing one is kept."""
    if file.exists():
        return
    table = load_config(settings)
    with Record(RecordSettings.of(table)) as record:
        why = Attribution(by="houseway floor demo", reason="the floor collects this table")
        accounts = Accounts(record, (), table.accounts.password_days)
        _, text = accounts.add_key("floor", UserRole.FLOOR, _KEY_DAYS, why)
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as written:
        written.write(f"{text}\n")
