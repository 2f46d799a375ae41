"""What docs/hub-server.md says, with a real PostgreSQL: a replica takes over, and a backup is put back."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from service.hub.table_states import State
from service.record.store.all_logs import LogsReader
from service.record.store.database import open_database
from tests.conftest import ROOT
from tests.service.databases import Cluster, cluster, new_database
from tests.service.hub.feeds import RecordedFeed
from tests.service.hub.hubs import check_held, collected, same_service
from tests.service.stand_ins import wait_until


@contextmanager
def beside(primary: Cluster) -> Iterator[Cluster]:
    """A place for another server, which has no data yet."""
    folder = Path(tempfile.mkdtemp(prefix="hwpg"))
    if os.geteuid() == 0:
        shutil.chown(folder, "nobody")
    made = replace(primary, folder=folder, url=primary.url.replace(str(primary.folder), str(folder)))
    with ExitStack() as ends:
        ends.callback(shutil.rmtree, folder, ignore_errors=True)
        yield made


def settings(of: Cluster, *lines: str) -> None:
    with (Path(of.data) / "postgresql.conf").open("a") as file:
        file.write("\n".join(("", *lines, "")))


def ask(url: str, question: str) -> object:
    database = open_database(url)
    try:
        with database.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            return connection.execute(text(question)).scalar()
    finally:
        database.dispose()


@pytest.fixture
def primary() -> Iterator[Cluster]:
    """A server that keeps its log, as the document has it."""
    with cluster() as made:
        made.kill()
        archive = made.folder / "wal"
        archive.mkdir()
        if os.geteuid() == 0:
            shutil.chown(archive, "nobody")
        copy = f"test ! -f {archive}/%f && cp %p {archive}/%f.part && mv {archive}/%f.part {archive}/%f"
        settings(made, "archive_mode = on", f"archive_command = '{copy}'", "fsync = off")
        made.start()
        yield made


def test_a_replica_takes_over_and_a_backup_is_put_back_and_tables_fill_in_the_rest(primary: Cluster) -> None:
    feeds = {name: RecordedFeed(table=name).rounds(30) for name in ("a", "b")}
    url = new_database(primary.url)
    name = url.partition("@/")[2].partition("?")[0]
    connect = ("-h", str(primary.folder), "-U", "houseway", "-X", "stream", "-c", "fast", "--no-sync")
    with beside(primary) as replica, beside(primary) as restored:
        replica_url, restored_url = (each.url.format(name=name) for each in (replica, restored))
        for copy in (replica_url, restored_url):  # the same service, with its key, takes the other server
            same_service(url, copy)
        with collected(url, feeds):
            pass
        primary.do("pg_basebackup", *connect, "-D", replica.data, "-R", "-C", "-S", "replica1")
        replica.start()
        primary.do("pg_basebackup", *connect, "-D", restored.data)
        for feed in feeds.values():
            feed.rounds(30)
        with collected(url, feeds):
            pass
        here = ask(url, "SELECT pg_current_wal_lsn()")
        wait_until(lambda: ask(replica_url, f"SELECT pg_last_wal_replay_lsn() >= '{here}'") is True)
        ask(url, "SELECT pg_switch_wal()")
        wait_until(lambda: ask(url, "SELECT last_archived_time IS NOT NULL FROM pg_stat_archiver") is True)
        last = ask(url, f"SELECT pg_walfile_name('{here}')")
        wait_until((primary.folder / "wal" / str(last)).exists)
        for feed in feeds.values():
            feed.rounds(5)
        with collected(url, feeds):  # neither in the archive nor, perhaps, at the replica
            pass
        primary.kill()

        replica.do("pg_ctl", "-D", replica.data, "-w", "promote")
        with collected(replica_url, feeds), LogsReader(replica_url) as reader:
            check_held(reader, feeds)
        replica.kill()

        settings(restored, f"restore_command = 'cp {primary.folder}/wal/%f %p'", "archive_mode = off")
        signal = Path(restored.data) / "recovery.signal"
        signal.touch()
        if os.geteuid() == 0:
            shutil.chown(signal, "nobody")
        restored.start()
        wait_until(lambda: ask(restored_url, "SELECT pg_is_in_recovery()") is False)
        with LogsReader(restored_url) as reader:
            assert len(tuple(reader.all_followed())) == 2 * 61
            with collected(restored_url, feeds):
                check_held(reader, feeds)
        restored.kill()


def test_alert_rules_ask_for_figures_that_there_are() -> None:
    rules = (ROOT / "deploy" / "houseway-floor-alerts.yml").read_text()
    asked = {name.removesuffix("_bucket") for name in re.findall(r"houseway_hub_\w+", rules)}
    counted = "".join((ROOT / "service" / name).read_text() for name in ("hub/hub_metrics.py", "api/collectors.py"))
    assert len(asked) >= 6
    assert {name for name in asked if f'"{name}"' not in counted} == set()
    states = set(re.findall(r'state="(\w+)"', rules))
    assert states <= set(State)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd on this machine")
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "houseway-floor.service"
    unit.write_text(
        (ROOT / "deploy" / unit.name).read_text().replace("/opt/houseway/.venv/bin/houseway", str(shutil.which("true")))
    )
    command = ["systemd-analyze", "verify", "--man=no", str(unit)]
    found = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (found.returncode, [line for line in found.stderr.splitlines() if "houseway" in line]) == (0, [])
