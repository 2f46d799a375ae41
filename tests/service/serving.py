"""A real service on a free port of this machine."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import uvicorn
from fastapi import FastAPI

from service.cli.serving import listen, server_of
from service.system.settings import Config
from tests.service.stand_ins import FakeReader, app_of, config, key_for, wait_until


@dataclass(slots=True)
class Served:
    """A running service.

    Attributes:
        app: the application.
        config: its settings.
        url: where it is.
        key: a key to ask with.
    """

    app: FastAPI
    config: Config
    url: str
    key: str
    server: uvicorn.Server
    thread: threading.Thread

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"}

    def stop(self) -> None:
        """End it; its record stays."""
        for table in self.app.state.parts.tables.values():
            table.live.close()
        self.server.should_exit = True
        self.thread.join(timeout=10)


@contextmanager
def serving(settings: Config | None = None) -> Iterator[Served]:
    """Serve an application that reads no pictures."""
    made = settings or config(port=0)
    with listen(made) as listening:
        app = app_of(made, reader=FakeReader(), watch=False)
        server = server_of(app)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        wait_until(lambda: server.started)
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        served = Served(app, made, url, key_for(app)["Authorization"].removeprefix("Bearer "), server, thread)
        try:
            yield served
        finally:
            served.stop()
