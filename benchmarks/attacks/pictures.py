"""Uploads with a read-only key: decompression bombs, impossible calibrations, nested JSON, many pictures at once."""

from __future__ import annotations

import http.client
import io
import json
import statistics
import struct
import threading
import time
import zlib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from PIL import Image

from benchmarks.attacks.common import Service, Watch, keys_of, service
from benchmarks.measure import ROOT
from benchmarks.memory import MostMemory, held_mb
from service.table.sent_pictures import PER_CALLER

if TYPE_CHECKING:
    from benchmarks.attacks.common import Figures

_PERIOD_S: Final = 15.0
_PERIODS: Final = 3
"""Periods with and without the crowd, in turns, so that other load affects both."""
_CROWD: Final = 10
"""Keys that send pictures; uploads are limited for each key."""
_BOUNDARY: Final = "a-boundary-that-is-in-no-picture"
_GIVEN_BACK_S: Final = 60.0
_PATIENCE_S: Final = 180.0
_SAMPLE: Final = ROOT / "service" / "sample"
_ORDINARY: Final = _SAMPLE / "pictures" / "dealt.jpg"


def png(width: int, height: int) -> bytes:
    """Return a PNG of one colour: a few kilobytes for any number of pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    packer, row = zlib.compressobj(9), bytes(3 * width + 1)
    pixels = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def saved(kind: str, size: tuple[int, int], **options: Any) -> bytes:  # noqa: ANN401  as Pillow has them
    """Return a picture of one colour in another format."""
    file = io.BytesIO()
    picture = Image.new("RGB", size, (40, 90, 30))
    if options.pop("frames", 0):
        options["save_all"] = True
        options["append_images"] = [Image.new("RGB", size, (each, 90, 30)) for each in range(5)]
    picture.save(file, kind, **options)
    return file.getvalue()


def short_focal(focal_px: float) -> bytes:
    """Return a calibration with which a tile is a few pixels long in the ordinary picture."""
    with Image.open(_ORDINARY) as picture:
        width, height = picture.size
    camera = {
        "K": [[focal_px, 0, width / 2], [0, focal_px, height / 2], [0, 0, 1]],
        "dist": [0, 0, 0, 0],
        "R": [[1, 0, 0], [0, -1, 0], [0, 0, -1]],
        "t": [0, 0, 1500],
    }
    return json.dumps({"size": [width, height], "camera": camera, "layout": {"table_mm": [2000, 1000]}}).encode()


def bombs() -> dict[str, dict[str, bytes]]:
    """Return the hostile uploads by name: the files of a form."""
    ordinary = _ORDINARY.read_bytes()
    own = (_SAMPLE / "calibration.json").read_bytes()
    return {
        "PNG of 24 megapixels": {"picture": png(6000, 4000)},
        "PNG of 100 megapixels": {"picture": png(10_000, 10_000)},
        "JPEG of 100 megapixels": {"picture": saved("JPEG", (10_000, 10_000), quality=1)},
        "TIFF of 40 megapixels": {"picture": saved("TIFF", (8000, 5000), compression="tiff_adobe_deflate")},
        "animated WebP of 60 megapixels": {"picture": saved("WEBP", (10_000, 6_000), frames=5)},
        "PNG of 12 megapixels": {"picture": png(4608, 2592)},
        "calibration with a focal length of 20": {"picture": ordinary, "calibration": short_focal(20.0)},
        "calibration with a focal length of 200": {"picture": ordinary, "calibration": short_focal(200.0)},
        "calibration nested 100,000 deep": {"picture": ordinary, "calibration": b'{"camera":' * 100_000},
        "calibration with 1e999": {"picture": ordinary, "calibration": own.replace(b"0.0", b"1e999", 1)},
        "calibration with a number of 4,000 digits": {
            "picture": ordinary,
            "calibration": b'{"size":[' + b"9" * 4_000 + b",1]" + own[1:].replace(b'"size"', b'"other"'),
        },
    }


def _pictures(attacked: Service) -> int:
    (table,) = json.loads(attacked.client.get("/v1/tables").text)["tables"]
    return int(table["local"]["pictures_read"])


def _rate(attacked: Service, seconds: float) -> float:
    """Return the pictures of the table read a second."""
    started, before = time.monotonic(), _pictures(attacked)
    time.sleep(seconds)
    return (_pictures(attacked) - before) / (time.monotonic() - started)


def _send(sender: Sender, files: dict[str, bytes]) -> str:
    """Send a form; return the status and the code of the problem."""
    try:
        status, kind, body = sender.send(form_of(files))
    except (OSError, http.client.HTTPException) as error:
        return type(error).__name__
    if not kind.endswith("json"):
        return str(status)
    return f"{status} {json.loads(body).get('code', 'read')}"


def form_of(files: dict[str, bytes]) -> bytes:
    parts = (
        f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"; filename="{name}"\r\n\r\n'.encode()
        + data
        + b"\r\n"
        for name, data in files.items()
    )
    return b"".join((*parts, f"--{_BOUNDARY}--\r\n".encode()))


@dataclass(slots=True)
class Sender:
    """Sends pictures over a persistent connection, cheaply, because it runs on the attacked machine."""

    address: tuple[str, int]
    key: str
    _connection: http.client.HTTPConnection = field(init=False)

    def __post_init__(self) -> None:
        self._connection = http.client.HTTPConnection(*self.address, timeout=_PATIENCE_S)

    def send(self, form: bytes) -> tuple[int, str, bytes]:
        """Return status, content type and body of the response; raises OSError, HTTPException."""
        headers = {
            "Authorization": f"Bearer {self.key}",
            "Content-Type": f"multipart/form-data; boundary={_BOUNDARY}",
        }
        try:
            self._connection.request("POST", "/v1/read", form, headers)
            answer = self._connection.getresponse()
            return answer.status, answer.headers.get_content_type(), answer.read()
        except (OSError, http.client.HTTPException):
            self._connection.close()
            raise


def _crowd(attacked: Service, keys: list[str], files: dict[str, bytes]) -> Figures:
    """Send ordinary pictures, two at once with each key, in every other period."""
    answers: Counter[str] = Counter()
    times: list[float] = []
    rates: dict[bool, list[float]] = {False: [], True: []}
    crowded, ended = threading.Event(), threading.Event()
    sending: set[int] = set()

    def send_on(key: str) -> None:
        sender = Sender(attacked.address, key)
        while not ended.is_set():
            if crowded.wait(0.5):
                started = time.perf_counter()
                sending.add(threading.get_ident())
                answers[_send(sender, files)] += 1
                sending.discard(threading.get_ident())
                times.append(1e3 * (time.perf_counter() - started))

    with ThreadPoolExecutor(PER_CALLER * len(keys)) as pool:
        for key in PER_CALLER * keys:
            pool.submit(send_on, key)
        for _ in range(_PERIODS):
            rates[False].append(_rate(attacked, _PERIOD_S))
            crowded.set()
            time.sleep(2)
            rates[True].append(_rate(attacked, _PERIOD_S))
            crowded.clear()
            while sending:
                time.sleep(0.5)
        ended.set()
    quiet, busy = (statistics.mean(rates[each]) for each in (False, True))
    return {
        f"{PER_CALLER * len(keys)} ordinary pictures at once": str(dict(answers)),
        "crowd_median_ms": round(statistics.median(times)),
        "table_pictures_a_second_quiet": round(quiet, 2),
        "table_pictures_a_second_with_the_crowd": round(busy, 2),
        "table_slowed_by": f"{1 - busy / quiet:.1%}",
    }


def run() -> Figures:
    """Send each bomb, then a crowd of ordinary pictures."""
    told: Figures = {}
    with service() as attacked:
        keys = keys_of(attacked, _CROWD)
        told["memory_before_mb"] = round(held_mb(attacked.pid))
        with Watch(attacked) as watch, MostMemory(attacked.pid) as whole:
            for name, files in bombs().items():
                started = time.perf_counter()
                with MostMemory(attacked.pid) as most:
                    answer = _send(Sender(attacked.address, keys[0]), files)
                told[name] = f"{answer}, {time.perf_counter() - started:.1f} s, {most.mb:.0f} MB"
            with MostMemory(attacked.pid) as most:
                told |= _crowd(attacked, keys, {"picture": _ORDINARY.read_bytes()})
            told |= {"memory_with_the_crowd_mb": round(most.mb), "memory_peak_mb": round(whole.mb)}
        told |= {name: value for name, value in watch.figures().items() if not name.endswith("_mb")}
        time.sleep(_GIVEN_BACK_S)
        told["memory_a_minute_later_mb"] = round(held_mb(attacked.pid))
    return told
