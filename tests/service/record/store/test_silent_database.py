"""A PostgreSQL server that is connected and silent: every call ends, nobody waits twice, and it comes back."""

import select
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import httpx2
import pytest
from sqlalchemy.engine import make_url

from service.record.integrity.verify import verify_database
from service.record.store import database
from service.record.store.entries import Draft, RecordUnavailableError
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings
from service.system.service_settings import RecordConfig
from tests.service.databases import new_database
from tests.service.serving import serving
from tests.service.stand_ins import config, wait_until

DEADLINE_S = 1.0


class Proxy:
    """Passes TCP connections on to a socket file, until it is told to be silent."""

    def __init__(self, target: str) -> None:
        self._target = target
        self.silent = False
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        for each in (self._listening, *self._open):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(self._target)
                self._open += [client, server]
                threading.Thread(target=self._pass, args=(client, server), daemon=True).start()

    def _pass(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError, ValueError):
            while True:
                for ready in select.select([client, server], [], [], 0.2)[0]:
                    while self.silent:
                        time.sleep(0.05)
                    data = ready.recv(65536)
                    if not data:
                        client.close()
                        server.close()
                        return
                    (server if ready is client else client).sendall(data)


@pytest.fixture
def proxy(postgresql: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    monkeypatch.setattr(database, "DEADLINE_S", DEADLINE_S)
    proxy = Proxy(postgresql.partition("unix_sock=")[2])
    yield proxy
    proxy.close()


@pytest.fixture
def url(postgresql: str, proxy: Proxy) -> str:
    name = make_url(new_database(postgresql)).database
    return f"postgresql+pg8000://houseway@127.0.0.1:{proxy.port}/{name}"


def note(record: Record) -> None:
    record.append(Draft("health", {"ok": True}, table="test"))


def test_every_call_ends_and_it_comes_back(tmp_path: Path, proxy: Proxy, url: str) -> None:
    record = Record(RecordSettings(tmp_path / "state", url))
    assert record.state.ok, record.state.message
    note(record)
    proxy.silent = True
    for _ in range(3):
        with pytest.raises(RecordUnavailableError):
            note(record)
        assert "has not answered since" in record.state.message
    record._next_try = 0.0
    assert not record.recover()  # the attempt continues in the background
    with pytest.raises(RecordUnavailableError):
        record.head()
    proxy.silent = False

    def comes_back() -> bool:
        record._next_try = 0.0
        return record.recover()

    wait_until(comes_back)
    note(record)
    assert [entry.kind for entry in record.after(1)][-2:] == ["outage", "health"]
    assert verify_database(record, record.evidence.folder).holds
    record.close()


@pytest.mark.slow
def test_health_does_not_wait_for_it(tmp_path: Path, proxy: Proxy, url: str) -> None:
    kept = RecordConfig.model_validate({"folder": tmp_path / "state", "url": url, "min_free_mb": 0})
    settings = config(port=0).model_copy(update={"record": kept})
    with serving(settings) as served, closing(httpx2.Client(headers=served.headers, base_url=served.url)) as client:
        assert client.get("/v1/tables").status_code == 200
        proxy.silent = True
        time.sleep(1.2)  # what is known of the accounts is to be read again
        waited: list[float] = []
        for _ in range(10):
            for path in ("/healthz", "/v1/tables", "/metrics"):
                started = time.monotonic()
                assert client.get(path).status_code == 200
                waited.append(time.monotonic() - started)
            time.sleep(0.2)
        assert client.get("/v1/results").status_code == 503
        assert max(waited) < database.DEADLINE_S
        proxy.silent = False
