"""Motion JPEG from the network, and what becomes of a picture that did not arrive whole."""

import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import cv2
import numpy as np
import pytest

from tests.vision.cameras import CUT, WHOLE, shot
from vision.capture import Frame, OpenCvCamera, Shot
from vision.capture.camera import CameraSource
from vision.capture.decoding.jpeg import JpegDamagedError, decode_sent
from vision.capture.faults import CaptureCode
from vision.findings import Finding


class _SendsJpegs(BaseHTTPRequestHandler):
    """A network camera that sends Motion JPEG; each fourth picture lost its end."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=picture")
        self.end_headers()
        with suppress(BrokenPipeError, ConnectionResetError):
            for number in range(400):
                sent = CUT if number % 4 == 3 else WHOLE
                head = f"--picture\r\nContent-Type: image/jpeg\r\nContent-Length: {len(sent)}\r\n\r\n"
                self.wfile.write(head.encode() + sent + b"\r\n")
                time.sleep(0.02)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Say nothing."""


def test_a_network_cameras_picture_that_lost_its_end_is_a_fault() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), _SendsJpegs) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        camera = OpenCvCamera(f"http://127.0.0.1:{server.server_address[1]}/table.mjpg")
        seen = [camera.read() for _ in range(8)]
        camera.close()
        server.shutdown()
    assert [isinstance(each, Shot) for each in seen] == [True, True, True, False] * 2
    whole = cv2.imdecode(np.frombuffer(WHOLE, np.uint8), cv2.IMREAD_COLOR)
    assert isinstance(seen[0], Shot)
    assert np.abs(seen[0].image.astype(int) - whole).max() <= 2


def test_a_damaged_picture_of_a_camera_does_not_end_it() -> None:
    class Camera:
        def __init__(self) -> None:
            self.says = iter([shot(0), Finding.of(CaptureCode.PICTURE_DAMAGED, name="a", why="b"), shot(2), None])

        def read(self) -> Shot | Finding | None:
            return next(self.says)

        def close(self) -> None: ...

    seen = list(CameraSource("a", Camera))
    assert [(each.sequence, isinstance(each, Frame)) for each in seen] == [(0, True), (1, False), (2, True)]


@pytest.mark.parametrize("subsampling", [b"\x11", b"\x31"], ids=["usual", "that only OpenCV decodes"])
def test_a_cameras_picture_is_refused_by_its_header(subsampling: bytes) -> None:
    """A few bytes may say that 100 megapixels follow."""
    frame = WHOLE.index(b"\xff\xc0")
    size = (10_000).to_bytes(2, "big") * 2
    sent = WHOLE[: frame + 5] + size + WHOLE[frame + 9 : frame + 11] + subsampling + WHOLE[frame + 12 :]
    with pytest.raises(JpegDamagedError, match="10000 x 10000"):
        decode_sent(np.frombuffer(sent, np.uint8))
