"""A floor in which results flow, and what must hold of it whatever failed.

Tables play at a hundred times the pace of real ones, so that an hour passes in 36 seconds; more tables are the real
service, in processes that can be killed. What they recorded is held against what the floor has, to the hash, and
against what a program took from the floor's feed all the while.
"""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import httpx2
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from benchmarks.floor.database import database_server
from benchmarks.floor.many import many_tables, names
from benchmarks.floor.proxy import line
from benchmarks.floor.running import key_of
from service.floor.projections.schema import followed
from service.floor.store.reader import FloorReader
from service.floor.store.schema import tables
from service.floor.verify import prove_tables
from service.record.store.database import open_database, sqlite_url
from service.record.store.database_reader import DatabaseReader
from service.record.store.entries import RESULTS, RecordUnavailableError
from service.record.store.record_settings import DATABASE
from tests.service.databases import new_database
from tests.service.floor.floors import floor_config
from tests.service.floor.serving import floor_program, free_port, playing_table, written
from tests.service.stand_ins import new_folder, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from benchmarks.floor.many import ManyTables
    from benchmarks.floor.proxy import Line
    from tests.service.databases import Cluster
    from tests.service.floor.serving import FloorProgram

PACE: Final = 100.0
_PATIENCE_S: Final = 180.0


@dataclass(slots=True)
class Follower:
    """A program that takes every result from the feed, whatever happens to the floor.

    Attributes:
        taken: table, number and hash of each, in the order in which they came.
        began_anew: how often the floor did not have its cursor any more, as one restored from a copy does not.
    """

    key: str
    taken: list[tuple[str, int, str]] = field(default_factory=list)
    began_anew: int = 0
    url: str = ""
    _before: set[tuple[str, int, str]] = field(default_factory=set)
    _ending: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        """Poll until the end."""
        since: str | None = None
        with httpx2.Client(headers={"Authorization": f"Bearer {self.key}"}, timeout=20) as client:
            while not self._ending.is_set():
                asked: dict[str, Any] = {"limit": 200, "wait": 1} | ({} if since is None else {"since": since})
                try:
                    answer = client.get(f"{self.url}/v1/results", params=asked)
                    page = answer.json()
                except (httpx2.HTTPError, ValueError):
                    self._ending.wait(0.2)
                    continue
                if answer.status_code == 409:
                    self._before |= set(self.taken)
                    self.taken, since = [], None
                    self.began_anew += 1
                elif answer.status_code == 200:
                    self.taken += ((each["table"], each["seq"], each["hash"]) for each in page["results"])
                    since = page["next"]
                else:
                    self._ending.wait(0.2)

    def end(self) -> None:
        """End it."""
        self._ending.set()

    def count_missed(self) -> int:
        """Results that it had before it began anew and was not given again."""
        return len(self._before - set(self.taken))


@dataclass(slots=True)
class RealTable:
    """A table that is the real service, in a process of its own, and plays without end once it is started."""

    name: str
    folder: Path = field(default_factory=lambda: new_folder() / "record")
    port: int = field(default_factory=free_port)
    _running: ExitStack = field(default_factory=ExitStack)
    _key_file: Path = field(default_factory=lambda: new_folder() / "key")

    def start(self) -> None:
        """Start it, or start it again."""
        started = self._running.enter_context(playing_table(self.folder, self.port, self.name))
        self._key_file.write_text(started.key)

    def kill(self) -> None:
        """Kill it as a power cut does."""
        self._running.close()

    @property
    def of_floor(self) -> dict[str, Any]:
        """What a floor's settings say of it."""
        return {"key_file": str(self._key_file), "url": f"http://127.0.0.1:{self.port}"}

    def hashes(self) -> list[str]:
        """The hashes of all that it recorded."""
        with DatabaseReader(open_database(sqlite_url(self.folder / DATABASE))) as own:
            return [entry.hash for entry in own.all_entries()]


@dataclass(slots=True)
class Scene:
    """Everything that runs.

    Attributes:
        names: of the tables that play from a process of their own.
        line: from the floor to those.
        real: the tables that are the real service.
        pace: at which the others play.
        settings: file with the floor's.
    """

    server: Cluster
    tables: ManyTables
    names: list[str]
    line: Line
    real: list[RealTable]
    settings: Path
    reader: FloorReader
    follower: Follower
    work: ExitStack
    pace: float = PACE
    floor: FloorProgram = field(init=False)

    def begin(self) -> None:
        """Have the tables play; those that are the real service always do."""
        if self.names:
            self.tables.begin(self.pace)

    def start_floor(self) -> None:
        """Start the floor, or start it again."""
        self.floor = self.work.enter_context(floor_program(self.settings))
        self.follower.url = self.floor.url
        wait_until(lambda: self.floor.health().get("status") == "alive", _PATIENCE_S)

    def position(self) -> int:
        """How many entries the floor has taken."""
        return self.reader.position()

    def recorded(self) -> int:
        """How many entries the tables have recorded that play from a process of their own."""
        return self.tables.counts()[0]

    def state(self, table: str) -> str:
        """How the floor has a table."""
        found = self.reader.table(table)
        return "" if found is None else found.state

    def refused(self, table: str) -> int:
        """How often something of a table was refused."""
        return sum(each.times for each in self.reader.refused(table))

    def check(self, *, prove: bool) -> dict[str, int]:
        """Stop playing, wait until the floor has all that is recorded, and hold everything against everything.

        With ``prove`` also as ``houseway floor verify`` does, which takes a while. All but ``entries``, ``results`` and
        ``feed_begun_anew`` must be 0.
        """
        self.tables.pause()
        due = self._recorded()
        caught_up = self._has_within(due)
        held = [each for each in self.reader.all_entries() if each.gone is None]
        now = self._recorded()
        of_tables: dict[str, list[tuple[int, str]]] = {name: [] for name in due}
        results: dict[str, list[tuple[int, str]]] = {name: [] for name in due}
        for each in held:
            of_tables[each.table].append((each.entry.seq, each.entry.hash))
            if each.entry.kind in RESULTS:
                results[each.table].append((each.entry.seq, each.entry.hash))
        taken: dict[str, list[tuple[int, str]]] = {name: [] for name in due}
        for table, seq, entry_hash in self._taken_within(results):
            taken[table].append((seq, entry_hash))
        faults = self._prove() if prove else 0
        numbered = {name: list(enumerate(hashes, start=1)) for name, hashes in due.items()}
        return {
            "entries": sum(map(len, due.values())),
            "results": sum(map(len, results.values())),
            "not_caught_up": int(not caught_up),
            "lost": sum(len(set(numbered[name]) - set(of_tables[name])) for name in due),
            "twice": sum(len(each) - len(set(each)) for each in of_tables.values()),
            "out_of_order": sum(_disordered(each) for each in of_tables.values()),
            "forged_taken": sum(len(set(of_tables[name]) - set(enumerate(now[name], start=1))) for name in due),
            "feed_lost": sum(len(set(results[name]) - set(taken[name])) for name in due),
            "feed_twice": sum(len(each) - len(set(each)) for each in taken.values()),
            "feed_out_of_order": sum(_disordered(each) for each in taken.values()),
            "feed_missed_anew": self.follower.count_missed(),
            "feed_begun_anew": self.follower.began_anew,
            "faults_of_proof": faults,
        }

    def _recorded(self) -> dict[str, list[str]]:
        """The hashes of all that is recorded, by table."""
        return self.tables.hashes() | {table.name: table.hashes() for table in self.real}

    def _prove(self) -> int:
        """How many faults the floor's own proof finds once nothing more comes."""
        for table in self.real:
            table.kill()
        _within(self._is_shown)
        with DatabaseReader(self.reader.database) as own:
            faults = sum(len(proof.faults) for proof in prove_tables(self.reader, own))
        for table in self.real:
            table.start()
        return faults

    def _is_shown(self) -> bool:
        """Whether what pages show is made of all entries, and nothing more comes."""
        asked = select(tables.c.seq, followed.c.seq).join_from(tables, followed, followed.c.table_id == tables.c.id)
        with suppress(SQLAlchemyError), self.reader.database.connect() as connection:
            before = connection.execute(asked).all()
            time.sleep(1.0)
            return before == connection.execute(asked).all() and all(has == shown for has, shown in before)
        return False

    def _has_within(self, due: Mapping[str, Sequence[str]]) -> bool:
        """Whether the floor has so much soon."""

        def has() -> bool:
            with suppress(RecordUnavailableError):
                return all(each.known.seq >= len(due.get(each.name, ())) for each in self.reader.tables())
            return False

        return _within(has)

    def _taken_within(self, results: Mapping[str, Sequence[tuple[int, str]]]) -> Sequence[tuple[str, int, str]]:
        """What the follower has, once it has so much, or after a while."""
        wanted = {(name, *each) for name, of_table in results.items() for each in of_table}
        _within(lambda: wanted <= set(self.follower.taken))
        return [each for each in self.follower.taken if each in wanted]


def _within(holds: Callable[[], bool]) -> bool:
    ends = time.monotonic() + _PATIENCE_S
    while not (held := holds()) and time.monotonic() < ends:
        time.sleep(0.3)
    return held


def _disordered(given: Sequence[tuple[int, str]]) -> int:
    """How many do not follow the one before them."""
    numbers = [seq for seq, _ in given]
    return sum(following <= before for before, following in pairwise(numbers))


@contextmanager
def scene(count: int, real: int = 1) -> Iterator[Scene]:
    """A floor with tables in which results flow.

    Args:
        count: of tables that play from a process of their own.
        real: so many more are the real service.
    """
    named, real_names = names(count), [f"real{number}" for number in range(1, real + 1)]
    with ExitStack() as work:
        server = work.enter_context(database_server())
        tables = work.enter_context(many_tables(named, keep=None))
        cuttable = work.enter_context(line(tables.url))
        real_tables = [RealTable(name) for name in real_names]
        for table in real_tables:
            table.start()
            work.callback(table.kill)
        database, at = new_database(server.url), new_folder()
        addresses: dict[str, dict[str, Any]] = {name: {"url": f"{cuttable.url}/{name}"} for name in named}
        addresses |= {table.name: table.of_floor for table in real_tables}
        settings = written(floor_config(database, addresses, at / "own"), at)
        reader = work.enter_context(FloorReader(database))
        follower = Follower(key_of(settings))
        made = Scene(server, tables, named, cuttable, real_tables, settings, reader, follower, work)
        made.start_floor()
        following = threading.Thread(target=follower.run, daemon=True)
        following.start()
        work.callback(follower.end)
        yield made
