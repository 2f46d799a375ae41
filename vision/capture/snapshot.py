"""Network cameras that give one JPEG picture for each request."""

import logging
import time
from typing import Final
from urllib.parse import unquote

import httpx2

from vision.addresses import shown_address
from vision.capture.camera import CameraSettings, CaptureError, Shot, moment
from vision.capture.decoding.jpeg import CAMERA_PIXELS, START
from vision.capture.faults import CaptureCode
from vision.capture.images import ImageError, decode_image
from vision.findings import Finding

DEADLINE_S: Final = 5.0
"""Time limit for one answer: longer than any pause of a working camera."""
MOST_BYTES: Final = 16 * 1024 * 1024
_USUAL_FPS: Final = 5.0
_UNAUTHORISED: Final = 401
_OK: Final = 200


class SnapshotCamera:
    """A network camera that is asked for each picture.

    It is asked ``settings.fps`` times a second, or five times. User and password in the address are sent only if the
    camera asks for them, by Digest or Basic authentication. Redirects are not followed.

    Raises:
        CaptureError: the address is invalid.
    """

    def __init__(self, address: str, settings: CameraSettings | None = None) -> None:
        logging.getLogger("httpx2").setLevel(logging.WARNING)  # at INFO it logs addresses, in which a key may stand
        self._name = shown_address(address)
        fps = None if settings is None else settings.fps
        self._pause_s = 1 / (fps or _USUAL_FPS)
        self._due_s = time.monotonic()
        try:
            url = httpx2.URL(address)
        except (httpx2.InvalidURL, ValueError):
            raise CaptureError.of(CaptureCode.NOT_OPENING, name=self._name) from None
        self._user = unquote(url.username), unquote(url.password)
        self._url = url.copy_with(username=None, password=None)
        self._client = httpx2.Client(
            timeout=DEADLINE_S,
            # Some cameras close a connection without saying so; the next request on it would be lost.
            limits=httpx2.Limits(max_keepalive_connections=0),
            trust_env=False,
            headers={"Accept": "image/jpeg", "Accept-Encoding": "identity"},
        )

    def read(self) -> Shot | Finding:
        """The next picture when it is due, or its fault; CaptureError if the camera does not answer in time."""
        time.sleep(max(0.0, self._due_s - time.monotonic()))
        self._due_s = max(self._due_s, time.monotonic() - self._pause_s) + self._pause_s
        try:
            answer = self._ask()
        except httpx2.TimeoutException:
            raise CaptureError.of(CaptureCode.SILENT, name=self._name, seconds=round(DEADLINE_S)) from None
        except httpx2.HTTPError:  # its text may hold the address
            raise CaptureError.of(CaptureCode.NOT_OPENING, name=self._name) from None
        if isinstance(answer, Finding):
            return answer
        at, at_ns = moment(time.CLOCK_MONOTONIC, None)
        if not answer.startswith(START):
            return self._unusable("it is not a JPEG picture")
        try:
            return Shot(decode_image(answer, "the picture", CAMERA_PIXELS), at, at_ns)
        except ImageError as fault:
            return self._unusable(str(fault))

    def close(self) -> None:
        self._client.close()

    def _ask(self) -> bytes | Finding:
        """What the camera sends, or the fault of its answer."""
        deadline_s = time.monotonic() + DEADLINE_S
        for _ in range(2):
            with self._client.stream("GET", self._url) as answer:
                if answer.status_code == _UNAUTHORISED and self._authenticates(answer):
                    continue
                if answer.status_code != _OK:
                    return Finding.of(CaptureCode.SNAPSHOT_REFUSED, name=self._name, status=answer.status_code)
                return self._read(answer, deadline_s)
        return Finding.of(CaptureCode.SNAPSHOT_REFUSED, name=self._name, status=_UNAUTHORISED)

    def _read(self, answer: httpx2.Response, deadline_s: float) -> bytes | Finding:
        data = bytearray()
        for part in answer.iter_raw():  # as sent: what is decompressed has no limit
            data += part
            if len(data) > MOST_BYTES:
                return self._unusable(f"it is larger than {MOST_BYTES // 1024**2} MiB")
            if time.monotonic() > deadline_s:
                raise CaptureError.of(CaptureCode.SILENT, name=self._name, seconds=round(DEADLINE_S))
        return bytes(data)

    def _authenticates(self, answer: httpx2.Response) -> bool:
        """Use the kind of authentication that the camera asks for; False if that is in use, or there is no user."""
        if self._client.auth is not None or not self._user[0]:
            return False
        digest = "digest" in answer.headers.get("www-authenticate", "").lower()
        self._client.auth = httpx2.DigestAuth(*self._user) if digest else httpx2.BasicAuth(*self._user)
        return True

    def _unusable(self, why: str) -> Finding:
        return Finding.of(CaptureCode.SNAPSHOT_UNUSABLE, name=self._name, why=why)
