"""FFmpeg's decoder messages for a network camera, the only sign of concealed picture errors.

A decoder conceals lost packets: it continues from the previous picture, smeared and shifted, and returns it as usual.
Only its log reports this, which FFmpeg writes to standard error. So this must run only in the capture process.
"""

import os
import re
import sys
import threading
from typing import Final

from vision.addresses import HIDDEN, secret_parts

_OF_A_DECODER: Final = re.compile(r"\[(?:h264|hevc|h263|mpeg[124]\w*|vp[89]|av1|libdav1d|mjpeg) @ 0x")


class DecoderLog:
    """Reads this process's standard error: counts decoder complaints and passes the rest on without secrets."""

    def __init__(self, address: str) -> None:
        self.complaints = 0
        self._secrets = sorted(secret_parts(address), key=len, reverse=True)
        sys.stderr.flush()
        self._before = os.dup(2)
        read, write = os.pipe()
        os.dup2(write, 2)
        os.close(write)
        self._thread = threading.Thread(target=self._follow, args=(read,), name="decoder log", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Restore standard error; idempotent."""
        if self._thread.is_alive():
            os.dup2(self._before, 2)  # closes the only other end of the pipe
            self._thread.join(1.0)
            os.close(self._before)

    def _follow(self, read: int) -> None:
        with os.fdopen(read, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if _OF_A_DECODER.match(line):
                    self.complaints += 1
                    continue
                for secret in self._secrets:
                    line = line.replace(secret, HIDDEN)  # noqa: PLW2901  the same line, without it
                os.write(self._before, line.encode())
