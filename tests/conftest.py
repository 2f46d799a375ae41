"""What all tests share."""

import gc
import logging
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import httpcore2
import pytest
from typer import testing
from typer.main import get_command

ROOT = Path(__file__).resolve().parents[1]


gc.disable()  # until all tests are collected: of the many objects that are made of them none is garbage


_BROWSER_FIXTURES = {"chromium", "page"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what runs in a browser: no version of Python changes what a page does there."""
    for item in items:
        if _BROWSER_FIXTURES & set(getattr(item, "fixturenames", ())):
            item.add_marker("browser")


def pytest_collection_finish() -> None:
    """Look for garbage among what the tests make, and not again and again among the tests themselves."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def commands_made_once() -> Iterator[None]:
    """Make a command line once, not again for each command that is run in it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(testing, "_get_command", cache(get_command))
        yield


@pytest.fixture(scope="session", autouse=True)
def certificates_read_once() -> Iterator[None]:
    """Read the certificates of this machine once, not for each client that is made."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(httpcore2, "default_ssl_context", cache(httpcore2.default_ssl_context))
        yield


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference material beside the repository; tests that need it are skipped without it."""
    folder = Path(os.environ.get("HOUSEWAY_SHARED") or ROOT.parent / "shared")
    if not folder.is_dir():
        pytest.skip(f"no reference material at {folder}; HOUSEWAY_SHARED names it elsewhere")
    return folder


@pytest.fixture(autouse=True)
def usual_log() -> Iterator[None]:
    """The log as it was: a command that was run in a test leaves none that writes to that test's closed output."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
