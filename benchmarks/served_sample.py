"""The bundled sample as ``houseway run`` serves it, for what a scripted browser does with it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Playwright

ROOT: Final = Path(__file__).resolve().parents[1]


@contextmanager
def served_sample(state: str) -> Iterator[tuple[str, str]]:
    """Serve the sample, with its record below the folder ``state``; gives its address and the link that signs in."""
    running = subprocess.Popen(
        [sys.executable, "-m", "service", "run", "--port", "0"],
        cwd=ROOT,
        env=os.environ | {"XDG_STATE_HOME": state},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        for line in running.stdout or ():
            if link := re.search(r"(http://\S+)/set-up\?code=\S+", line):
                yield link[1], link[0]
                return
        raise RuntimeError(f"the service ended with status {running.wait(30)} before it told how to sign in")
    finally:
        running.terminate()
        running.wait(30)


def launched(playwright: Playwright) -> Browser:
    """Debian's Chromium, or the one that CHROMIUM names."""
    return playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"))
