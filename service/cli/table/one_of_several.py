"""The process of one table among several; ``houseway run`` starts it, and a person never does."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import threading
from pathlib import Path

from service.cli.common import plain_errors


def main() -> None:
    """Serve the table that a line of the standard input names; end once that input is closed."""
    from service.cli.table.run import TableRun, expected_errors, import_program
    from vision.processes import keep_little_memory

    keep_little_memory()
    told = json.loads(sys.stdin.buffer.readline())
    with plain_errors(*expected_errors(), program=f"houseway run: {Path(told['settings']).name}"):
        run = TableRun(
            Path(told["settings"]),
            port=told["port"],
            log_format=told["log_format"],
            given={(section, key): (value, origin) for section, key, value, origin in told["given"]},
            threads=told["threads"],
        )
        threading.Thread(target=_end_with_supervisor, name="supervisor", daemon=True).start()
        with socket.socket(fileno=told["listening"]) as listening:
            import_program()
            run.serve(listening)


def _end_with_supervisor() -> None:
    """End in order once nobody looks after this process any more."""
    # Not through sys.stdin, whose lock a thread that waits for ever would hold at the end of the program.
    while os.read(0, 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()
