"""The configuration of NATS servers that is given out: real servers take it, and let nobody publish as another one."""

from __future__ import annotations

import asyncio
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from service.cli import app as command_line
from service.config.nats_settings import NatsConfig
from service.floor.nats_files import FILE, Tls
from service.nats.line import NatsLine
from service.nats.names import Names
from service.ops.background import in_background
from tests.service.cli.test_run import certificate_of_this_machine
from tests.service.floor.floors import floor_config
from tests.service.floor.nats_servers import PROGRAM, nats_of
from tests.service.floor.serving import written
from tests.service.stand_ins import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nats.aio.client import Client

    from tests.service.floor.nats_servers import Nats


@pytest.fixture(scope="module")
def nats() -> Iterator[Nats]:
    with nats_of(["t1", "t2"]) as made:
        yield made


def settings(folder: Path, *tables: str) -> Path:
    told = {name: {"via": "nats"} for name in tables}
    config = floor_config("postgresql+pg8000://u:p@h/d", told, nats={"servers": ["nats://127.0.0.1"]})
    return written(config, folder)


def make(path: Path, to: Path, *more: str) -> tuple[int, str]:
    done = CliRunner().invoke(command_line, ["floor", "nats-config", "--config", str(path), "--to", str(to), *more])
    return done.exit_code, done.output


class TestCommand:
    @pytest.mark.parametrize("servers", [1, 3])
    def test_the_servers_take_it(self, tmp_path: Path, servers: int) -> None:
        named = [word for number in range(servers) for word in ("--server", f"127.0.0.{number + 1}")]
        assert make(settings(tmp_path, "t1", "t2"), tmp_path / "made", *named, "--no-tls")[0] == 0
        files = list((tmp_path / "made").rglob(FILE))
        assert len(files) == servers + 2
        assert all(path.stat().st_mode & 0o077 == 0 for path in (tmp_path / "made").rglob("*") if path.is_file())
        if PROGRAM is None:
            pytest.skip("no nats-server on this machine; install Debian's package nats-server")
        for path in files:
            subprocess.run([PROGRAM, "-t", "-c", str(path)], check=True, capture_output=True)

    def test_another_table_changes_no_password(self, tmp_path: Path) -> None:
        named = ("--server", "hub.floor.example")
        make(settings(tmp_path, "t1"), tmp_path / "made", *named)
        before = {path: path.read_text() for path in (tmp_path / "made").rglob("*") if path.is_file()}
        make(settings(tmp_path, "t1", "t2"), tmp_path / "made", *named)
        users = tmp_path / "made" / "server-1" / "users.conf"
        assert [path for path, text in before.items() if path.read_text() != text] == [users]
        assert "houseway.t2.>" in users.read_text()
        assert "tls {" in (tmp_path / "made" / "server-1" / FILE).read_text()

    @pytest.mark.parametrize(
        ("more", "said"),
        [
            (["--server", "hub.floor.example", "--no-tls"], "readable on the network"),
            (["--server", "10.0.0.1", "--server", "10.0.0.2"], "three or five"),
        ],
    )
    def test_what_cannot_be_meant_is_refused(self, tmp_path: Path, more: list[str], said: str) -> None:
        status, output = make(settings(tmp_path, "t1"), tmp_path / "made", *more)
        assert status == 2
        assert said in " ".join(output.split())
        assert not (tmp_path / "made").exists()


class TestWhoMayPublishWhat:
    @pytest.mark.parametrize(
        ("subject", "may"),
        [
            ("houseway.t1.reply.x", True),
            ("houseway.t2.reply.x", False),
            ("houseway.t2.http", False),
            ("houseway.t2.deliver.x", False),
            ("_INBOX.x", False),
            ("$JS.API.STREAM.DELETE.houseway-t2", False),
            ("$JS.houseway-t2.API.STREAM.DELETE.houseway-t2", False),
        ],
    )
    def test_a_tables_server_only_below_its_own_name(self, nats: Nats, subject: str, may: bool) -> None:  # noqa: FBT001
        password_file = str(nats.folder / "tables" / "t1" / "leaf.password")
        assert nats.in_the_middle(lambda client: refused(client, subject), Names("t1").leaf, password_file) is not may

    @pytest.mark.parametrize(
        ("subject", "may"),
        [
            ("houseway.t1.http", True),
            ("houseway.t1.entries", False),
            ("houseway.t1.reply.x", False),
            ("$JS.houseway-t1.API.STREAM.INFO.houseway-t1", True),
            ("$JS.houseway-t1.API.STREAM.DELETE.houseway-t1", False),
            ("$JS.houseway-t1.API.STREAM.PURGE.houseway-t1", False),
        ],
    )
    def test_the_floor_only_requests(self, nats: Nats, subject: str, may: bool) -> None:  # noqa: FBT001
        assert nats.in_the_middle(lambda client: refused(client, subject)) is not may

    def test_nobody_without_a_password(self, nats: Nats) -> None:
        up, why = asyncio.run(tried({"servers": nats.of_floor["servers"]}))
        assert not up
        assert "Authorization Violation" in why


async def tried(told: dict[str, Any]) -> tuple[bool, str]:
    """Whether a connection comes about, and why not."""
    line = NatsLine(NatsConfig.model_validate(told), "a test")
    before = line.why
    async with in_background(line.run()):
        for _ in range(500):
            await asyncio.sleep(0.01)
            if line.up or line.why != before:
                break
        return line.up, line.why


async def refused(client: Client, subject: str) -> bool:
    """Whether the server refuses to take a message on a subject."""
    said: list[str] = []

    async def failed(error: Exception) -> None:
        said.append(str(error))

    client._error_cb = failed
    await client.publish(subject, b"")
    await client.flush()
    await client.flush()
    return any("permissions violation" in each.lower() for each in said)


def test_lines_are_encrypted(tmp_path: Path) -> None:
    certificate, key = certificate_of_this_machine(tmp_path)
    with nats_of(["t1"], tls=Tls(str(certificate), str(key), str(certificate)), host="localhost") as nats:
        nats.leaves["t1"].start()
        log = nats.leaves["t1"].folder / "log"
        wait_until(lambda: "Leafnode connection created for account: TABLE" in log.read_text())

        servers = [each.replace("nats://127.0.0.1", "tls://localhost") for each in nats.of_floor["servers"]]
        told = {**nats.of_floor, "servers": servers}
        told.pop("replicas")
        assert asyncio.run(tried({**told, "ca_file": str(certificate)}))[0]
        up, why = asyncio.run(tried(told))
        assert not up
        assert "CERTIFICATE_VERIFY_FAILED" in why
