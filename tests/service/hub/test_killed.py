"""Programs killed as by a power cut: a table, the hub in the middle of a batch, the first of two hubs."""

import shutil
import signal
from contextlib import ExitStack
from pathlib import Path

from sqlalchemy import func, select

from service.hub.table_proofs import prove_tables
from service.record.store import schema
from service.record.store.all_logs import LogsReader
from service.record.store.database import open_database, sqlite_url
from service.record.store.database_reader import DatabaseReader
from service.record.store.record_settings import DATABASE
from service.record.store.schema import OWN_LOG
from tests.amount import amount
from tests.service.hub.feeds import RecordedFeed
from tests.service.hub.hubs import check_held, hub_config, hub_program, link_in, serving_hub, written
from tests.service.hub.remote_tables import free_port, playing_table, serving_feeds
from tests.service.stand_ins import new_folder, wait_until


def test_the_computer_of_a_table_is_killed_again_and_again(postgresql_url: str) -> None:
    """A key of it is good after each start, for it is in the record; what was recorded is collected once, all of it."""
    folder, port = new_folder() / "record", free_port()
    key = new_folder() / "key"
    with ExitStack() as work:
        table = work.enter_context(playing_table(folder, port))
        key.write_text(table.key)
        config = hub_config(postgresql_url, {"t0": {"url": table.url, "key_file": str(key)}})
        with serving_hub(config) as hub:
            known = hub.parts.hub.writer.known
            wait_until(lambda: known_seq(hub.parts.hub.writer.known) > 20)
            assert known
            for _ in range(amount(1, 3)):
                table.kill()
                wait_until(lambda: hub.parts.hub.collector.states.tables["t0"].now.value == "unreachable")
                seen = known_seq(hub.parts.hub.writer.known)
                table = work.enter_context(playing_table(folder, port))
                wait_until(lambda seen=seen: known_seq(hub.parts.hub.writer.known) > seen + 20, 60)  # type: ignore[misc]
            table.kill()
            with DatabaseReader(open_database(sqlite_url(folder / DATABASE))) as own:
                lines = [entry.line() for entry in own.all_entries()]
            # What the table recorded last may not have been asked for before it was killed.
            with playing_table(folder, port):
                wait_until(lambda: known_seq(hub.parts.hub.writer.known) > len(lines), 60)
            held = [each.entry.line() for each in hub.parts.hub.reader.all_followed(table="t0")]
            assert held[: len(lines)] == lines
            assert len(set(held)) == len(held)


def known_seq(known: object) -> int:
    assert isinstance(known, dict)
    found: int = known["t0"].seq
    return found


class TestHub:
    def test_it_is_killed_in_the_middle_of_batches(self, postgresql_url: str, tmp_path: Path) -> None:
        feeds = {f"t{number}": RecordedFeed().rounds(60) for number in range(20)}
        with serving_feeds(feeds) as server, LogsReader(postgresql_url) as reader:
            config = hub_config(postgresql_url, {name: {"url": f"{server.url}/{name}"} for name in feeds})
            path = written(config, tmp_path)
            due = 0
            for _ in range(amount(2, 4)):
                with hub_program(path) as hub:
                    due += 150
                    wait_until(lambda due=due: collected_by(reader) > due, 60)  # type: ignore[misc]
                    hub.kill()
                for feed in feeds.values():
                    feed.rounds(15)
            with hub_program(path) as hub:
                whole = sum(len(feed.entries) for feed in feeds.values())
                wait_until(lambda: collected_by(reader) == whole, 60)
                assert hub.stop() in {0, -signal.SIGTERM}
            check_held(reader, feeds)
            with DatabaseReader(reader.database) as own:
                assert all(not proof.faults for proof in prove_tables(reader, own))

    def test_of_two_one_collects_and_the_other_waits_until_it_is_gone(
        self, postgresql_url: str, tmp_path: Path
    ) -> None:
        feeds = {f"t{number}": RecordedFeed().rounds(30) for number in range(6)}
        with serving_feeds(feeds) as server, LogsReader(postgresql_url) as reader:
            config = hub_config(postgresql_url, {name: {"url": f"{server.url}/{name}"} for name in feeds})
            path = written(config, tmp_path)
            with hub_program(path) as first:
                wait_until(lambda: first.health().get("status") == "alive")
                assert link_in(first.said)
                # On the second server, with the first one's keys.
                assert config.record.folder is not None
                shutil.copytree(config.record.folder, tmp_path / "second" / "floor")
                other = config.model_copy(
                    update={"record": config.record.model_copy(update={"folder": tmp_path / "second" / "floor"})}
                )
                with hub_program(written(other, tmp_path / "second")) as second:
                    wait_until(lambda: "another service writes to this database" in "".join(second.said))
                    for feed in feeds.values():
                        feed.rounds(10)
                    wait_until(lambda: collected_by(reader) > 40)
                    first.kill()
                    for feed in feeds.values():
                        feed.rounds(10)
                    whole = sum(len(feed.entries) for feed in feeds.values())
                    wait_until(lambda: collected_by(reader) == whole, 60)
            check_held(reader, feeds)

    def test_it_waits_for_a_database_that_is_not_there_yet(self, tmp_path: Path) -> None:
        url = f"postgresql+pg8000://houseway@/floor?unix_sock={tmp_path}/.s.PGSQL.5432"
        config = hub_config(url, {"t0": {"url": "http://127.0.0.1:9"}})
        with hub_program(written(config, tmp_path)) as hub:
            assert hub.health()["status"] == "alive"
            assert "the record cannot be written" in "".join(hub.said)
            assert hub.stop() in {0, -signal.SIGTERM}


def collected_by(reader: LogsReader) -> int:
    """How many entries were collected; 0 before the store is made."""
    with reader.database.connect() as connection:
        if not reader.database.dialect.has_table(connection, "record_entries"):
            return 0
        followed = schema.entries.c.log != OWN_LOG
        found = connection.execute(select(func.count()).where(followed)).scalar_one()
    return int(found)
