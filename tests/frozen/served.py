"""What a running table service answers: every GET of its API, some POSTs, its events, and the text of its pages.

It reads pictures of the sample film until its first round is over, and is started again before an empty table, so that
nothing changes while it is asked.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin, urlsplit

import cv2
import httpx2

from service.system.settings import SAMPLE_PICTURES
from tests.conftest import ROOT
from tests.frozen.common import VOLATILE, houseway_apart, put, put_json, steady

if TYPE_CHECKING:
    from collections.abc import Iterator

_TABLE: Final = "frozen"
_SETTINGS: Final = """
[[tables]]
name = "{table}"
title = "Frozen table"
rulebook = "crown-6.1"
calibration = "{calibration}"
[tables.source]
kind = "path"
path = "{pictures}"
interval_s = {interval_s}
[record]
folder = "{folder}/record"
[server]
port = 0
[tables.clock]
need_sync = false
[limits]
requests_per_minute = 0
strangers_per_minute = 0
sign_ins_per_minute = 0
"""
_PATIENCE_S: Final = 420.0
_ROUND_S: Final = 78.0
"""How much of the film is shown: its first round."""
_STEP_S: Final = 1.0
_PAGES: Final = (
    *(
        "/",
        "/sign-in",
        "/rounds",
        "/reviews",
        "/alarms",
        "/handover",
        "/shifts",
        "/tables/frozen/health",
        "/checkpoint",
    ),
    *(
        "/changes",
        "/accounts",
        "/account",
        "/tables/frozen/audit",
        "/tables/frozen/game",
        "/tables/frozen/game/figures",
        "/api",
        "/tables/frozen/tiles",
        "/tables/frozen/calibration",
    ),
    *(
        "/tables/frozen/calibration/places",
        "/tables/frozen/calibration/points",
        "/tables/frozen/setup",
        "/tables/frozen/setup/camera",
        "/tables/frozen/setup/lens",
        "/tables/frozen/setup/table",
    ),
    *(
        "/tables/frozen/setup/places",
        "/tables/frozen/setup/empty",
        "/tables/frozen/setup/tiles",
        "/tables/frozen/setup/hand",
        "/tables/frozen/board",
        "/tables/frozen/status",
    ),
    "/nowhere",
)
"""Pages that are asked for whether or not another links to them."""
_ORDERLESS: Final = re.compile("^tables-frozen(-rounds-.*|-board)?$")
"""Pages with every revision of a round or with its dice, whose number and order differ from run to run."""
_LEFT_OUT: Final = re.compile(r"/(sign-out|set-up|language|theme|static|v1|sign-in/)|\.(pdf|csv|svg|jpg|png|json)$")
_POSTS: Final[dict[str, dict[str, Any]]] = {
    "/v1/house-way": {
        "tiles": ["6-6", "6-3", "6-1", "5-3"],
        "rulebook": "crown-6.1",
        "setting": {"low": ["6-1", "5-3"], "high": ["6-6", "6-3"]},
    },
    "/v1/settlement": {
        "rulebook": "crown-6.1",
        "bank": {"method": "house", "hand": "6-3 5-3 / 6-6 6-1"},
        "hands": {"2": "1-1 4-3 4-4 5-5"},
        "wagers": [{"box": 2, "player": "Ann", "stake": 10_000}],
    },
}
_MARKS: Final = (
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?", "<time>"),
    (r"\d{4}-\d\d-\d\d", "<day>"),
    (r"\b\d\d?:\d\d(:\d\d)?( ?[AP]M)?\b", "<clock>"),
    (r"\b\d{1,2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*( \d{4})?", "<day>"),
    (r"\d{4}年\d+月\d+日|\d+月\d+日", "<day>"),
    (re.escape(tempfile.gettempdir()) + r"/[\w/.-]+", "<file>"),
    (r"(?i)\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "<uuid>"),
    (r"(?i)\b(?=[a-z]*\d)[0-9a-f]{8,}\b", "<hash>"),
    (r"[A-Za-z0-9+/]{40,}=*", "<base64>"),
    (r"(127\.0\.0\.1|localhost):\d+", "<address>"),
    (r"\d+([.,]\d+)? ?(ms|s|seconds?|minutes?|min|h|MB|GB|MiB|GiB|KB|B|%|秒|分鐘|分钟)(?![\w])", "<amount>"),
    (r"\d+ ?(秒|分鐘|小時)", "<amount>"),
    (r"just now|<amount> ago|剛剛|剛才|<amount>前", "<ago>"),
    (r"\d+ pictures|\d+ 張圖片", "<pictures>"),
    (r"(?i)\d+ revisions|revision \d+( of \d+)?", "<revision>"),
    (r"(?<=<hash> )\d+(?= <base64>)|^\d\d+$", "<count>"),
    (r"^\d+ of <amount>", "<amount>"),
)


_VOLATILE: Final = VOLATILE | frozenset(
    [
        *("polygon", "confidence", "outline", "center", "center_mm", "angle_deg", "diameter_mm", "bytes", "seen"),
        *("agreeing_frames", "agreeing", "revision", "seq", "cursor", "next", "monotonic_ns", "days", "drift_mm"),
        *("pictures", "pictures_read", "read_ms", "capture", "free_bytes", "used_mb", "times", "id", "supersedes"),
    ]
)
"""Keys of the API whose values depend on the moment, or on which picture of a hand was recorded."""
_SHAPE_ONLY: Final = re.compile("record-entries|results|revisions|metrics")
"""Answers that list every change, of which there are more or fewer from run to run."""


def plain(text: str) -> str:
    """A text without what differs from run to run: times, hashes, amounts."""
    for pattern, mark in _MARKS:
        text = re.sub(pattern, mark, text)
    return text


def shape(*values: object) -> Any:  # noqa: ANN401  JSON
    """What JSON values of one kind are made of together: keys and kinds, several kinds of a value joined by a bar."""
    dicts = [each for each in values if isinstance(each, dict)]
    lists = [each for each in values if isinstance(each, list)]
    kinds = {type(each).__name__ for each in values if not isinstance(each, dict | list)}
    if dicts and not lists and kinds <= {"NoneType"}:
        keys = {key: plain(str(key)) for each in dicts for key in each}
        return {
            name: "dict" if name == "facts" else shape(*(each[key] for each in dicts if key in each))
            for key, name in keys.items()
        }
    if lists and not dicts and kinds <= {"NoneType"}:
        return [shape(*(each for one in lists for each in one))]
    return "|".join(sorted({*kinds, *["dict"][: len(dicts)], *["list"][: len(lists)]}))


@dataclass
class _Running:
    """A service, and a browser of its first administrator."""

    client: httpx2.Client
    events: dict[str, list[Any]] = field(default_factory=dict)

    def json(self, path: str) -> Any:  # noqa: ANN401
        return self.client.get(path).json()

    def listen(self) -> None:
        """Keep the events by kind, until the service ends."""
        kind = ""
        with suppress(httpx2.HTTPError), self.client.stream("GET", "/v1/events", timeout=None) as stream:
            for line in stream.iter_lines():
                name, _, rest = line.partition(": ")
                if name == "event":
                    kind = rest
                elif name == "data":
                    with suppress(ValueError):
                        self.events.setdefault(kind, []).append(json.loads(rest))


@contextmanager
def _running(settings: Path, headers: dict[str, str], cookies: dict[str, str]) -> Iterator[_Running]:
    process = subprocess.Popen(
        [sys.executable, "-m", "service", "run", "--config", str(settings), "--port", "0"],
        cwd=ROOT,
        env=os.environ | {"XDG_STATE_HOME": str(settings.parent)},
        stdout=subprocess.PIPE,
        stderr=(settings.parent / "log").open("a"),
        text=True,
    )
    try:
        url = ""
        for line in process.stdout or ():
            address = re.search(r"(http://[\w.:]+\d)", line)
            url = url or (address[1] if address else "")
            link = re.search(r"/set-up\?code=\S+", line)
            if link or (url and cookies):
                break
        client = httpx2.Client(base_url=url, timeout=300.0, headers=headers, cookies=cookies)
        _wait(lambda: client.get("/healthz").is_success)
        if not cookies and link:
            client.get(link[0])
            cookies |= {each.name: each.value or "" for each in client.cookies.jar}
        yield _Running(client)
    finally:
        process.terminate()
        process.wait(60)


def _wait(holds: Any) -> None:  # noqa: ANN401  a function without arguments
    ends = time.monotonic() + _PATIENCE_S
    while time.monotonic() < ends:
        with suppress(httpx2.TransportError, KeyError, ValueError):
            if holds():
                return
        time.sleep(0.2)
    raise RuntimeError("waited in vain for the service")


def _pictures(folder: Path, *, empty_only: bool) -> Path:
    """The film's first round and then an empty table; or that alone."""
    folder.mkdir()
    number = 0
    empty = cv2.imread(str(next(SAMPLE_PICTURES.parent.glob("calibration-reference-*.png"))))

    def add(picture: Any, times: int = 1) -> None:  # noqa: ANN401  a picture
        nonlocal number
        for _ in range(times):
            cv2.imwrite(str(folder / f"{number:04}.jpg"), picture, [cv2.IMWRITE_JPEG_QUALITY, 95])
            number += 1

    if not empty_only:
        film = cv2.VideoCapture(str(SAMPLE_PICTURES.with_name("film.webm")))
        every = round(film.get(cv2.CAP_PROP_FPS) * _STEP_S)
        for frame in range(int(_ROUND_S / _STEP_S) * every):
            _, picture = film.read()
            if frame % every == 0:
                add(picture)
    add(empty, 20 if empty_only else 80)
    return folder


def write(out: Path) -> None:
    """Write ``routes`` and ``pages``."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        known = {"table": _TABLE, "calibration": SAMPLE_PICTURES.with_name("calibration.json"), "folder": folder}
        settings = folder / "table.toml"
        settings.write_text(
            _SETTINGS.format(pictures=_pictures(folder / "played", empty_only=False), interval_s=0.25, **known)
        )
        added = houseway_apart(
            *("key", "add", "frozen", "--role", "admin", "--reason", "to ask"), "--config", str(settings)
        )
        headers = {"Authorization": f"Bearer {added.split()[-1]}"}
        cookies: dict[str, str] = {}
        with _running(settings, headers, cookies) as service:
            threading.Thread(target=service.listen, daemon=True).start()
            _wait(lambda: any(each["state"] == "closed" for each in service.json("/v1/rounds")["rounds"]))
            time.sleep(2)
            shapes = {kind: shape(*events) for kind, events in service.events.items()}
            put_json(out / "routes" / "shape" / "GET events.json", shapes)
        settings.write_text(
            _SETTINGS.format(pictures=_pictures(folder / "empty", empty_only=True), interval_s=1, **known)
        )
        with _running(settings, headers, cookies) as service:
            _wait(lambda: service.json("/v1/tables")["tables"][0]["local"]["pictures_read"] > 4)
            _write_routes(out / "routes", service)
            for language in ("en", "zh-Hant"):
                client = httpx2.Client(
                    base_url=service.client.base_url,
                    cookies=cookies,
                    timeout=300.0,
                    headers={"Accept-Language": language, "Accept": "text/html"},
                )
                _write_pages(out / "pages" / language, client)


def _write_routes(folder: Path, service: _Running) -> None:
    described = service.json("/openapi.json")
    put_json(folder / "openapi.json", described)
    rounds = service.json("/v1/rounds")["rounds"]
    digests = [each["sha256"] for one in rounds for each in one.get("evidence", ())]
    known = {"table": [_TABLE], "round_id": [each["id"] for each in rounds], "sha256": digests[:1]}
    for path, methods in described["paths"].items():
        if "get" not in methods or path == "/v1/events":
            continue
        wanted = re.findall(r"\{(\w+)\}", path)
        if not all(known.get(each) for each in wanted):
            put(folder / f"{_file(path)}.txt", "not asked: a parameter is not known")
            continue
        values = known[wanted[0]] if wanted else [""]
        for number, value in enumerate(values, 1):
            said = service.client.get(re.sub(r"\{\w+\}", value, path))
            _write_answer(folder, f"GET {_file(path)}" + f" {number}" * (len(values) > 1), said)
    for path, body in _POSTS.items():
        _write_answer(folder, f"POST {_file(path)}", service.client.post(path, json=body))
    picture = (SAMPLE_PICTURES / "house-wrong.jpg").read_bytes()
    read = service.client.post("/v1/read", content=picture, headers={"Content-Type": "image/jpeg"})
    _write_answer(folder, "POST v1-read", read)


def _write_answer(folder: Path, name: str, said: httpx2.Response) -> None:
    kind = said.headers.get("content-type", "").partition(";")[0]
    names = sorted(each for each in said.headers if each not in {"date", "server"})
    head: dict[str, Any] = {"status": said.status_code, "type": kind, "headers": names}
    if kind.endswith("json"):
        body = said.json()
        put_json(folder / "shape" / f"{name}.json", head | {"shape": shape(body)})
        if not _SHAPE_ONLY.search(name):
            put_json(folder / f"{name}.json", head | {"body": steady(body, plain, volatile=_VOLATILE)})
    elif kind.startswith("text"):
        head["lines"] = sorted({re.sub(r"[ ]\S+$", "", plain(line)) for line in said.text.splitlines()})
        put_json(folder / f"{name}.json", head)
    else:
        put_json(folder / f"{name}.json", head)


def _file(path: str) -> str:
    return re.sub(r"[^\w.-]+", "-", plain(path)).strip("-") or "start"


class _Visible(HTMLParser):
    """The visible text of a page, with its labels for screen readers, one line for each piece; and its links."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.links: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self._hidden += tag in {"script", "style", "template"}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"] or "")
        for name in ("aria-label", "title", "placeholder", "alt"):
            if text := (given.get(name) or "").strip():
                self.lines.append(f"[{name}] {text}")
        if tag in {"input", "select", "textarea", "button", "form"}:
            said = [given.get(name) or "" for name in ("type", "name", "action")]
            self.lines.append(f"<{' '.join([tag, *filter(None, said)])}>")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in {"script", "style", "template"}

    def handle_data(self, data: str) -> None:
        if not self._hidden and (text := " ".join(data.split())):
            self.lines.append(text)


def _write_pages(folder: Path, client: httpx2.Client) -> None:
    """Write the pages that are known, and those that they link to, one of each kind of address."""
    waiting, done = list(_PAGES), set()
    while waiting:
        path = waiting.pop(0)
        if (name := _file(path)) in done or _LEFT_OUT.search(path):
            continue
        done.add(name)
        said = client.get(path)
        kind = said.headers.get("content-type", "").partition(";")[0]
        text = f"{said.status_code} {kind} {plain(said.headers.get('location', ''))}".rstrip()
        if kind == "text/html":
            page = _Visible()
            page.feed(said.text)
            lines = [plain(line) for line in page.lines]
            text = "\n".join([text, *(sorted(set(lines)) if _ORDERLESS.search(name) else lines)])
            here = [urlsplit(urljoin(path, link)) for link in page.links]
            waiting += [each.path for each in here if not each.netloc and each.path.startswith("/")]
        put(folder / f"{name}.txt", text)
