"""A service and Debian's Chromium, for tests of the page in a real browser."""

import threading
from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from playwright.sync_api import Browser, Error, Page, expect, sync_playwright

from service.cli.serving import listen, server_of
from tests.service.stand_ins import FakeReader, app_of, config
from tests.service.web.program import launch

_LONGEST_MS = 60_000
"""A busy machine may take its time."""
expect.set_options(timeout=_LONGEST_MS)


@pytest.fixture
def app() -> Iterator[tuple[FastAPI, str]]:
    """A running service and its address."""
    settings = config(port=0)
    with listen(settings) as listening:
        made = app_of(settings, reader=FakeReader(), watch=False)
        server = server_of(made)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        yield made, f"http://127.0.0.1:{listening.getsockname()[1]}"
        made.state.parts.only.live.changes.close()
        server.should_exit = True
        thread.join(timeout=10)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium. Not for the whole session: while Playwright runs, nothing else can run an event loop here."""
    with sync_playwright() as playwright:
        try:
            started = launch(playwright)
        except FileNotFoundError as error:
            pytest.skip(str(error))
        except Error as error:
            pytest.skip(f"chromium does not start here: {error.message.splitlines()[0]}")
        yield started
        started.close()


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """A page of its own, which fails the test on any error in its console."""
    said: list[str] = []
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.set_default_timeout(_LONGEST_MS)
    page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    yield page
    context.close()
    assert not said
