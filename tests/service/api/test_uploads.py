"""Uploads that are bombs, wrong, slow or huge: each refused in words, and the service goes on."""

import io
import json
import socket
import struct
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache

import httpx2
import pytest
from fastapi.testclient import TestClient
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from service.system.limited_process import ProcessBusyError, WorkStoppedError
from service.system.settings import Config
from service.table.sent_pictures import PER_CALLER, CallerLimitError, SentPicture, UploadSlots
from tests.calibration.files.test_hostile_calibrations import ANY_VALUE, DESCRIBED, changed, places
from tests.service.api.test_http import jpeg, problem_of
from tests.service.serving import serving
from tests.service.stand_ins import FakeReader, app_of, config, key_for, signed_in, wait_until
from vision.reading import Reading


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    app = app_of(config(max_upload_mb=2), reader=FakeReader(), watch=False)
    with signed_in(app, raise_server_exceptions=False) as client:
        yield client


def png(width: int = 64, height: int = 64, *, before: bytes = b"", pixels: bytes | None = None) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    told = chunk(before[:4], before[4:]) if before else b""
    data = chunk(b"IDAT", zlib.compress(bytes((width + 1) * height)) if pixels is None else pixels)
    return b"\x89PNG\r\n\x1a\n" + header + told + data + chunk(b"IEND", b"")


def saved(kind: str, side: int, **options: object) -> bytes:
    file = io.BytesIO()
    Image.new("L", (side, side)).save(file, kind, **options)
    return file.getvalue()


@cache
def bomb() -> bytes:
    """200 MB of zeros, packed."""
    return zlib.compress(bytes(200_000_000), 9)


@pytest.mark.parametrize(
    ("made", "says"),
    [
        pytest.param(lambda: png(before=b"zTXtk\0\0" + bomb()), "cannot be read", id="text-bomb"),
        pytest.param(lambda: png(before=b"iCCPk\0\0" + bomb()), "cannot be read", id="profile-bomb"),
        pytest.param(lambda: saved("PNG", 3_606), "13 megapixels", id="png"),
        pytest.param(lambda: saved("TIFF", 3_606, compression="tiff_adobe_deflate"), "13 megapixels", id="tiff"),
        pytest.param(lambda: saved("JPEG", 3_606, quality=1), "13 megapixels", id="jpeg"),
        pytest.param(lambda: png(2**31 - 1, 2**31 - 1, pixels=b""), "", id="a-size-that-no-number-holds"),
        pytest.param(lambda: b"PK\x03\x04" + bytes(500), "not a picture", id="zip"),
        pytest.param(lambda: b'<svg xmlns="http://www.w3.org/2000/svg" width="99999" height="99999"/>', "", id="svg"),
        pytest.param(lambda: jpeg()[:-500], "", id="cut-off"),
    ],
)
def test_what_is_no_picture_of_a_table(client: TestClient, made: Callable[[], bytes], says: str) -> None:
    said = problem_of(client.post("/v1/read", content=made(), headers={"Content-Type": "image/png"}))
    assert (said["status"], said["code"]) == (422, "not_readable")
    assert says in str(said["detail"])


def test_more_pixels_than_the_picture_has_are_left_alone(client: TestClient) -> None:
    sent = png(pixels=bomb())
    assert client.post("/v1/read", content=sent, headers={"Content-Type": "image/png"}).json()["size"] == [64, 64]


@pytest.mark.parametrize(
    "path", ["/v1/house-way", "/v1/settlement", "/v1/rounds/r1/settlement", "/v1/rounds/r1/review"]
)
@pytest.mark.parametrize("sent", [b"[" * 100_000, b'{"tiles":' * 10_000, b"\xff\xfe\x00", b"1e999999", b'"\\ud800"'])
def test_json_that_is_none(client: TestClient, path: str, sent: bytes) -> None:
    answer = client.post(path, content=sent, headers={"Content-Type": "application/json"})
    assert problem_of(answer)["status"] in {400, 422}


@pytest.mark.parametrize("body", ["", "x"], ids=["nothing", "a-byte"])
def test_a_body_that_never_arrives_is_given_up(body: str) -> None:
    with serving(config(port=0, max_upload_s=0.3)) as served:
        port = int(served.url.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), timeout=10) as slow:
            key = f"Authorization: {served.headers['Authorization']}\r\n"
            length = "Content-Type: image/jpeg\r\nContent-Length: 1000\r\n\r\n"
            slow.sendall(f"POST /v1/read HTTP/1.1\r\nHost: localhost\r\n{key}{length}{body}".encode())
            answer = slow.recv(10_000).decode()
            assert answer.startswith("HTTP/1.1 408 ")
            assert "too_slow" in answer + slow.recv(10_000).decode()


def test_a_long_poll_is_no_slow_body() -> None:
    with serving(config(port=0, max_upload_s=0.1, max_wait_s=0.5)) as served:
        port = int(served.url.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), timeout=10) as slots:
            key = f"Authorization: {served.headers['Authorization']}\r\n"
            slots.sendall(f"GET /v1/results?wait=300 HTTP/1.1\r\nHost: localhost\r\n{key}\r\n".encode())
            assert slots.recv(100).startswith(b"HTTP/1.1 200 ")


class Stopped:
    """Reads nothing: what it would read takes too much, or too much waits."""

    def __init__(self, error: Exception) -> None:
        self.error = error
        self.slots = UploadSlots(1, 1_000)

    async def read(self, sent: SentPicture, table: Config) -> Reading:  # noqa: ARG002  the signature of the reader
        raise self.error

    def close(self) -> None: ...


@pytest.mark.parametrize(
    ("error", "status", "code", "says"),
    [
        (ProcessBusyError(), 503, "busy", "max_waiting"),
        (WorkStoppedError("memory"), 422, "too_costly", "max_memory_mb"),
        (WorkStoppedError("time"), 422, "too_costly", "max_s"),
        (WorkStoppedError("ended"), 422, "too_costly", "ended"),
    ],
)
def test_a_picture_that_takes_too_much_is_told(error: Exception, status: int, code: str, says: str) -> None:
    reads = Stopped(error)
    with signed_in(app_of(config(), reader=FakeReader(), watch=False, reads=reads)) as client:
        answer = client.post("/v1/read", content=jpeg(), headers={"Content-Type": "image/jpeg"})
        said = problem_of(answer)
        assert (said["status"], said["code"]) == (status, code)
        assert says in str(said["detail"])
        assert ("retry-after" in answer.headers) is (status == 503)
        reads.slots = UploadSlots(0, 1_000)
        assert problem_of(client.post("/v1/read", content=b"never looked at"))["code"] == "busy"


@pytest.mark.parametrize("value", ["1e999", "NaN", "9" * 400, "9" * 5_000, '"\\ud800"', "[" * 900 + "]" * 900, "null"])
@pytest.mark.parametrize("field", ["size", "camera", "layout", "format", "version"])
def test_no_calibration_is_a_fault_of_ours(client: TestClient, field: str, value: str) -> None:
    calibration = f'{{"size":[640,360],"camera":{{}},"layout":{{}},"{field}":{value}}}'
    files = {"picture": ("a.jpg", jpeg()), "calibration": ("c.json", calibration.encode())}
    said = problem_of(client.post("/v1/read", files=files))
    assert (said["status"], said["code"]) == (422, "bad_calibration")


def test_a_calibration_is_no_upload_without_end(client: TestClient) -> None:
    files = {"picture": ("a.jpg", jpeg()), "calibration": ("c.json", b"[" * 300_000)}
    assert problem_of(client.post("/v1/read", files=files))["status"] == 413


@pytest.mark.parametrize(
    "value", ["1e999", "-1e999", "NaN", "9" * 400, "9" * 5_000, '"\\ud800"', "[" * 900 + "]" * 900]
)
@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/v1/house-way", "tiles"),
        ("/v1/house-way", "rulebook"),
        ("/v1/settlement", "wagers"),
        ("/v1/settlement", "bank"),
        ("/v1/rounds/r1/settlement", "wagers"),
        ("/v1/rounds/r1/review", "revision"),
        ("/v1/rounds/r1/review", "reason"),
    ],
)
def test_no_number_in_a_body_is_a_fault_of_ours(client: TestClient, path: str, field: str, value: str) -> None:
    sent = f'{{"{field}":{value}}}'
    answer = client.post(path, content=sent, headers={"Content-Type": "application/json"})
    assert problem_of(answer)["status"] in {400, 404, 422}


@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_whatever_stands_in_a_calibration_is_no_fault_of_ours(client: TestClient, data: st.DataObject) -> None:
    document = {**DESCRIBED, "size": [64, 48]}
    sent = changed(document, data.draw(st.sampled_from(places(document))), data.draw(ANY_VALUE))
    files = {"picture": ("a.png", png(64, 48)), "calibration": ("c.json", json.dumps(sent).encode())}
    assert client.post("/v1/read", files=files).status_code in {200, 422}


def test_pictures_on_their_way_are_so_many_and_so_large() -> None:
    slots = UploadSlots(3, 1_000)
    with slots.taken("a", 20_000_000), pytest.raises(ProcessBusyError), slots.taken("b", 1):  # one may be larger
        pass
    with ExitStack() as taken:
        for each in "abc":
            taken.enter_context(slots.taken(each, 400))
        with pytest.raises(ProcessBusyError), slots.taken("d", 0):
            pass
    with slots.taken("a", 700), pytest.raises(ProcessBusyError), slots.taken("a", 400):
        pass
    with slots.taken("a", 1_000):
        pass


def test_no_caller_keeps_the_others_out() -> None:
    slots = UploadSlots(25, 64_000_000)
    with slots.taken("a", 64_000_000), slots.taken("b", 5_000_000):
        pass
    with slots.taken("a", 0), slots.taken("a", 0):
        with pytest.raises(CallerLimitError), slots.taken("a", 0):
            pass
        with slots.taken("b", 0):
            pass


def test_who_sends_slowly_is_refused_more_and_others_are_read() -> None:
    with serving(config(port=0, max_upload_s=20)) as served, ExitStack() as slow:
        port = int(served.url.rpartition(":")[2])
        key = f"Authorization: {served.headers['Authorization']}\r\n"
        head = f"POST /v1/read HTTP/1.1\r\nHost: localhost\r\n{key}Content-Type: image/jpeg\r\n"
        for _ in range(PER_CALLER):
            sender = slow.enter_context(socket.create_connection(("127.0.0.1", port), timeout=10))
            sender.sendall(f"{head}Content-Length: 9\r\n\r\n".encode())
        image = {"Content-Type": "image/jpeg"}
        with httpx2.Client(base_url=served.url, headers=image, timeout=10) as client:
            own = {"Authorization": served.headers["Authorization"]}
            wait_until(lambda: client.post("/v1/read", content=jpeg(), headers=own).status_code == 429)
            refused = client.post("/v1/read", content=jpeg(), headers=own)
            assert (refused.json()["code"], int(refused.headers["retry-after"]) > 0) == ("too_many_requests", True)
            other = key_for(served.app)
            assert client.post("/v1/read", content=jpeg(), headers=other).status_code == 200
