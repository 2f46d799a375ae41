"""Write what Houseway does into a folder: ``python -m tests.frozen OUT [--only read,routes]``."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tests.frozen import commands, reading, rounds, served

SECTIONS = {
    "help": commands.write_help,
    "engine": commands.write_engine,
    "read": reading.write,
    "rounds": rounds.write,
    "served": served.write,
}
"""What writes a section below the folder; ``served`` writes ``routes`` and ``pages`` of one running service."""
ALSO = {"routes": "served", "pages": "served"}


def main() -> None:
    """Write the sections asked for, all by default."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="the folder to write into")
    parser.add_argument("--only", default=",".join(SECTIONS), help=f"of {', '.join((*SECTIONS, *ALSO))}")
    given = parser.parse_args()
    named = [ALSO.get(name, name) for name in given.only.split(",")]
    if unknown := set(named) - set(SECTIONS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    for name in dict.fromkeys(named):
        started = time.monotonic()
        SECTIONS[name](given.out)
        sys.stdout.write(f"{name:<8} {time.monotonic() - started:6.1f} s\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
