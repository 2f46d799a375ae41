"""Takes the pictures of the documents, from the real service on its bundled recording: ``make pictures``.

Waits until the page shows a House hand that is set wrongly, then keeps the page as a supervisor sees it and the picture
with the reading drawn on it. Needs a browser that Playwright can drive; CHROMIUM names another than Debian's.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PIL import Image
from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import APIRequestContext

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parents[1]
LARGEST: Final = 300_000
"""Bytes of a picture: the README is read on slow connections too."""
PATIENCE_S: Final = 600
"""Longer than the recording takes to come to the wrong hand."""


def take() -> None:
    """Write page.png and reading.jpg beside this file."""
    with (
        tempfile.TemporaryDirectory(prefix="houseway-pictures-") as state,
        _served_sample(state) as (address, link),
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"))
        page = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme="light")
        page.goto(link)
        page.goto(f"{address}/")
        _wait_for_a_wrong_hand(page.request, address)
        drawn = page.request.get(f"{address}/v1/tables/sample/view.jpg").body()
        page.reload()
        page.wait_for_timeout(1_500)
        shot = page.screenshot()
        browser.close()
    _keep(HERE / "page.png", Image.open(io.BytesIO(shot)))
    _keep(HERE / "reading.jpg", Image.open(io.BytesIO(drawn)))


@contextmanager
def _served_sample(state: str) -> Iterator[tuple[str, str]]:
    """Serve the sample, with its record in the folder ``state``; yields its address and the sign-in link."""
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
        raise RuntimeError(f"the service ended with status {running.wait(30)} before it printed a link")
    finally:
        running.terminate()
        running.wait(30)


def _wait_for_a_wrong_hand(http: APIRequestContext, address: str) -> None:
    """Return once the House hand is verified and wrong; TimeoutError if that does not come."""
    ends = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends:
        answer = http.get(f"{address}/v1/tables/sample/rounds/current")
        hands = answer.json().get("hands", ()) if answer.status == 200 else ()
        if any((each["house_way"] or {}).get("verdict") == "wrong" for each in hands if each["place"] == "house"):
            return
        time.sleep(0.3)
    raise TimeoutError("no House hand of the recording was set wrongly")


def _keep(path: Path, picture: Image.Image) -> None:
    """Write a picture as large as a page shows it, in few enough bytes."""
    picture = picture.convert("RGB")
    picture.thumbnail((1280, 1280), Image.Resampling.LANCZOS)
    if path.suffix == ".png":
        picture.quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
    else:
        picture.save(path, quality=82, optimize=True)
    size = path.stat().st_size
    if size > LARGEST:
        raise ValueError(f"{path.name} has {size} bytes, more than {LARGEST}")
    sys.stdout.write(f"{path.relative_to(ROOT)}: {picture.width} x {picture.height}, {size} bytes\n")


if __name__ == "__main__":
    take()
