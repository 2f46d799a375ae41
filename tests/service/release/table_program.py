"""``houseway run`` that looks after releases more often.

``python -m tests.service.release.table_program SETTINGS PORT``
"""

from __future__ import annotations

import sys
from pathlib import Path

from service.cli.table.listening import listen
from service.cli.table.run import TableRun, import_program
from service.release import keeper


def main(settings: str, port: str) -> None:
    """Serve until told to stop."""
    keeper.ASK_S = keeper.LOOK_S = 0.3  # type: ignore[misc]
    keeper.QUIET_S = 0.2  # type: ignore[misc]
    run = TableRun(Path(settings), port=int(port))
    with listen(run.settings) as listening:
        import_program()
        run.serve(listening)


if __name__ == "__main__":
    main(*sys.argv[1:])
