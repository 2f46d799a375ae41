"""A network camera that is asked for each picture."""

import base64
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO

import PIL.Image
import pytest

from tests.vision.cameras import CUT, WHOLE
from vision.capture import Shot, snapshot
from vision.capture.camera import CameraSettings, CaptureError
from vision.capture.faults import CaptureCode
from vision.capture.snapshot import SnapshotCamera
from vision.capture.sources import open_source
from vision.findings import Finding

Answers = Callable[[BaseHTTPRequestHandler], None]
FAST = CameraSettings(fps=100)


def picture(data: bytes) -> Answers:
    def answers(to: BaseHTTPRequestHandler) -> None:
        to.send_response(200)
        to.send_header("Content-Length", str(len(data)))
        to.end_headers()
        to.wfile.write(data)

    return answers


def status(number: int, **headers: str) -> Answers:
    def answers(to: BaseHTTPRequestHandler) -> None:
        to.send_response(number)
        for name, value in headers.items():
            to.send_header(name.replace("_", "-"), value)
        to.send_header("Content-Length", "0")
        to.end_headers()

    return answers


def dripping(to: BaseHTTPRequestHandler) -> None:
    to.send_response(200)
    to.end_headers()
    with suppress(OSError):
        for _ in range(200):
            to.wfile.write(b"\xff")
            to.wfile.flush()
            time.sleep(0.05)


class Device:
    """A camera on this machine that answers as told."""

    def __init__(self) -> None:
        self.answers: Answers = picture(WHOLE)
        self.asked: list[tuple[float, str | None]] = []
        device = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                device.asked.append((time.monotonic(), self.headers["Authorization"]))
                self.close_connection = True
                device.answers(self)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def address(self, user: str = "") -> str:
        return f"http://{user}127.0.0.1:{self.server.server_address[1]}/secretpath.jpg?key=secretkey"


@pytest.fixture
def device() -> Iterator[Device]:
    device = Device()
    yield device
    device.server.shutdown()
    device.server.server_close()


def fault(found: Shot | Finding) -> Finding:
    assert isinstance(found, Finding)
    return found


def test_pictures_come_at_the_rate_that_is_set(device: Device) -> None:
    began_s = time.monotonic()
    camera = SnapshotCamera(device.address(), CameraSettings(fps=10))
    seen = [camera.read() for _ in range(4)]
    camera.close()
    assert all(isinstance(each, Shot) for each in seen)
    assert len(device.asked) == 4
    assert device.asked[-1][0] - began_s >= 0.3


@pytest.mark.parametrize(
    ("answers", "code", "message"),
    [
        (status(404), CaptureCode.SNAPSHOT_REFUSED, "404"),
        (status(302, Location="http://127.0.0.1:1/elsewhere"), CaptureCode.SNAPSHOT_REFUSED, "302"),
        (status(401, WWW_Authenticate='Basic realm="a"'), CaptureCode.SNAPSHOT_REFUSED, "401"),
        (picture(b"<html>"), CaptureCode.SNAPSHOT_UNUSABLE, "not a JPEG"),
        (picture(b""), CaptureCode.SNAPSHOT_UNUSABLE, "not a JPEG"),
        (picture(CUT), CaptureCode.SNAPSHOT_UNUSABLE, "cut off"),
    ],
)
def test_an_answer_that_is_no_picture_is_a_fault_and_the_next_is_asked_for(
    device: Device, answers: Answers, code: CaptureCode, message: str
) -> None:
    device.answers = answers
    camera = SnapshotCamera(device.address(), FAST)
    found = fault(camera.read())
    assert found.code is code
    assert message in str(found)
    assert "secret" not in str(found)
    device.answers = picture(WHOLE)
    assert isinstance(camera.read(), Shot)
    camera.close()


def test_the_size_is_checked_before_anything_is_decoded(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    large = BytesIO()
    PIL.Image.new("L", (9000, 9000)).save(large, "JPEG")
    device.answers = picture(large.getvalue())
    camera = SnapshotCamera(device.address(), FAST)
    monkeypatch.setattr("vision.capture.images.decode_jpeg", lambda _: pytest.fail("decoded"))
    assert "megapixels" in str(fault(camera.read()))


def test_no_more_is_taken_than_a_picture_may_hold(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "MOST_BYTES", 1024**2)
    device.answers = picture(WHOLE + bytes(2 * 1024**2))
    found = fault(SnapshotCamera(device.address(), FAST).read())
    assert "larger than 1 MiB" in str(found)


def test_an_answer_has_a_deadline_as_a_whole(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "DEADLINE_S", 0.3)
    device.answers = dripping
    with pytest.raises(CaptureError) as raised:
        SnapshotCamera(device.address(), FAST).read()
    assert raised.value.finding.code is CaptureCode.SILENT


def test_a_camera_that_is_not_there() -> None:
    with pytest.raises(CaptureError) as raised:
        SnapshotCamera("http://user:secret@127.0.0.1:1/secret", FAST).read()
    assert raised.value.finding == Finding.of(CaptureCode.NOT_OPENING, name="http://127.0.0.1:1/...")
    assert raised.value.__cause__ is None


@pytest.mark.parametrize(
    ("challenge", "sent"), [('Basic realm="a"', "Basic "), ('Digest realm="a", nonce="b"', "Digest ")]
)
def test_the_password_is_sent_only_if_asked_for_and_never_shown(
    device: Device, caplog: pytest.LogCaptureFixture, challenge: str, sent: str
) -> None:
    refused = status(401, WWW_Authenticate=challenge)
    device.answers = lambda to: (picture(WHOLE) if to.headers["Authorization"] else refused)(to)
    caplog.set_level(logging.DEBUG)
    camera = SnapshotCamera(device.address("ann:secret%40word@"), FAST)
    assert all(isinstance(camera.read(), Shot) for _ in range(2))
    camera.close()
    assert device.asked[0][1] is None
    last = device.asked[-1][1] or ""
    assert last.startswith(sent)
    if sent == "Basic ":
        assert base64.b64decode(last.removeprefix(sent)) == b"ann:secret@word"
    assert "secret" not in "".join(record.getMessage() for record in caplog.records if record.name.startswith("httpx2"))


def test_a_wrong_password_is_tried_once_for_each_picture(device: Device) -> None:
    device.answers = status(401, WWW_Authenticate='Basic realm="a"')
    camera = SnapshotCamera(device.address("ann:wrong@"), FAST)
    assert [fault(camera.read()).code for _ in range(2)] == [CaptureCode.SNAPSHOT_REFUSED] * 2
    assert len(device.asked) == 3
    camera.close()


def test_it_is_a_source_in_a_process_of_its_own(device: Device) -> None:
    source = open_source(f"snapshot:{device.address('ann:secretword@')}", FAST)
    first = next(iter(source))
    source.close()
    assert first.name.startswith("http://127.0.0.1:")
    assert "secret" not in first.name
