"""Writes docs/figures.md from results that commands print as JSON: ``make figures``.

    python -m benchmarks.figures [--run NAME ...] [--none]

Quick results are measured anew, in a few minutes on two cores. Long ones are taken from ``docs/figures/NAME.json``,
where each result lies with its command, date, commit and the machine's load, unless they are named by ``--run``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.figures_page import page
from datasets.simulator.staging.procedure import PROCEDURE_MISTAKES

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "docs" / "figures"
PAGE = ROOT / "docs" / "figures.md"
SHARED = ROOT.parent / "shared"
HOUSEWAY = "houseway"
ROUNDS = "--sessions 16 --rounds 5 --mistake-rate 0.4 --disturbance-rate 0.3"
PROCEDURE = (
    "--sessions 16 --rounds 5 --mistake-rate 0.7 --player-bank-rate 0.4 --mistakes "
    "exposed-before-bank+exposed-out-of-turn+" + "+".join(PROCEDURE_MISTAKES)
)
BOOKS = {"crown-6.1": "", "nz-1998": "", "star-2024": "", "star-classic": "", "uk-poster": "--house-way crown-6.1"}


@dataclass(frozen=True, slots=True)
class Figure:
    """One result that is measured by a command.

    Attributes:
        name: of its file in ``docs/figures``.
        command: of a shell, printing JSON last, or writing it to ``OUT``; ``FOLDER`` is an empty folder.
        needs: folder without which it is left out.
        long: whether it is measured only when asked for.
    """

    name: str
    command: str
    needs: Path | None = None
    long: bool = False


def _evaluated(name: str, folder: str, options: str = "") -> Figure:
    return Figure(f"evaluate-{name}", f"{HOUSEWAY} evaluate ../shared/{folder}{options} --json", SHARED / folder)


def _drawn(name: str, options: str) -> Figure:
    draw = f"python -m datasets.generate {options} --workers 2 --out FOLDER"
    return Figure(f"evaluate-{name}", f"{draw} && {HOUSEWAY} evaluate FOLDER --json", long=True)


def _benchmark(name: str, options: str = "", *, long: bool = False) -> Figure:
    return Figure(name, f"python -m benchmarks.{name}{options} --json", long=long)


FIGURES = (
    _evaluated("frames", "frames"),
    _evaluated("frames2", "frames2"),
    _evaluated("dice", "photos/dice"),
    _evaluated("tiles", "photos/tiles"),
    _evaluated("tiles_loose", "photos/tiles_loose"),
    _drawn("tables", "tables --count 48 --seed 53"),
    _drawn("heaps", "tables --kind heaps --count 48 --seed 63"),
    _drawn("shifted", "shifted --count 3 --seed 7"),
    *(
        Figure(
            f"rounds-{book}",
            f"python -m datasets.evaluation.score_rounds {ROUNDS} --seed {6_000_000 + 1000 * number} --rulebook {book} "
            f"{way} --jobs 2 --json OUT".replace("  ", " "),
            long=True,
        )
        for number, (book, way) in enumerate(BOOKS.items())
    ),
    *(
        Figure(
            f"procedure-{book}",
            f"python -m datasets.evaluation.score_rounds {PROCEDURE} --seed {8_000_000 + 1000 * number} "
            f"--rulebook {book} {way} --jobs 2 --json OUT".replace("  ", " "),
            long=True,
        )
        for number, (book, way) in enumerate(BOOKS.items())
    ),
    Figure(
        "pictures",
        "python -m datasets.evaluation.score_rounds --pictures --sessions 4 --rounds 1 --seed 600 --mistake-rate 0.4 "
        "--disturbance-rate 0.3 --jobs 2 --json OUT",
        long=True,
    ),
    *(Figure(f"edge-{book}", f"{HOUSEWAY} edge --rulebook {book} --json") for book, way in BOOKS.items() if not way),
    _benchmark("house_way"),
    Figure("bench", "python -m benchmarks.bench --alone --runs 15 --loops 0 --starts 0 --out OUT"),
    _benchmark("inspect_frame", " --runs 7"),
    Figure(
        "learning",
        "python -m benchmarks.learning draw FOLDER && python -m benchmarks.learning read FOLDER --json",
    ),
    Figure(
        "markers-labelled",
        "python -m benchmarks.markers labelled ../shared/frames ../shared/frames2 --json",
        SHARED / "frames2",
    ),
    Figure("markers-drawn", "python -m benchmarks.markers drawn --json", long=True),
    _benchmark("record", " --count 200"),
    _benchmark("access", " --count 1000"),
    _benchmark("kill_record", " --times 100"),
    _benchmark("power_cut", " --times 100"),
    _benchmark("simulator", " --every 2", long=True),
    _benchmark("capture", long=True),
    _benchmark("pollers", " --results 6", long=True),
    _benchmark("night", " --rounds 48", long=True),
    _benchmark(
        "floor_load",
        " --tables 50 100 200 350 500 --pace 1 10 --chart docs/images/floor-growth.svg",
        long=True,
    ),
    _benchmark("floor_page", long=True),
    _benchmark("floor_faults", " --times 10", long=True),
    _benchmark("floor_reread", " --rounds 1000 --depth pictures", long=True),
    _benchmark("watched_camera", " --unread --tables 2 --clean 0", long=True),
    _benchmark("exchanged_set", " --tables 1", long=True),
)


def measured(figure: Figure) -> dict[str, Any] | None:
    """Run the command of a figure; None, with a line for the screen, if it fails."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.json"
        drawn = Path(folder) / "drawn"
        drawn.mkdir()
        command = figure.command.replace("OUT", str(out)).replace("FOLDER", str(drawn))
        bin_path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        begun = time.monotonic()
        done = subprocess.run(  # noqa: S602 - our own commands
            command,
            shell=True,
            cwd=ROOT,
            env={**os.environ, "PATH": bin_path},
            capture_output=True,
            text=True,
            check=False,
        )
        lines = done.stdout.strip().splitlines()
        text = out.read_text(encoding="utf-8") if out.exists() else lines[-1] if lines else ""
    try:
        result = _small(json.loads(text))
    except ValueError:
        print(f"{figure.name}: no result: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    return {
        "command": figure.command,
        "date": datetime.now(UTC).date().isoformat(),
        "commit": _commit(),
        "seconds": round(time.monotonic() - begun, 1),
        "load": round(os.getloadavg()[1], 1),
        "result": result,
    }


def _commit() -> str:
    command = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603


def _small(result: dict[str, Any]) -> dict[str, Any]:
    """Leave out of a result what no figure needs, and reduce long lists of times."""
    kept = {key: value for key, value in result.items() if key not in {"errors", "by", "versions", "notes", "failed"}}
    if late := sorted(kept.pop("late_s", [])):
        kept["late_s"] = {
            name: round(late[int(share * (len(late) - 1))], 2) for name, share in (("50", 0.5), ("95", 0.95))
        }
    for rate in kept.get("rates", {}).values():
        rate.pop("interval", None)
    return kept


def main() -> None:
    """Measure what is wanted and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [figure.name for figure in FIGURES]
    parser.add_argument(
        "--run",
        nargs="+",
        action="extend",
        choices=names,
        metavar="NAME",
        help="measure these instead of the quick ones",
    )
    parser.add_argument("--none", action="store_true", help="measure nothing, only write the page")
    options = parser.parse_args()
    KEPT.mkdir(exist_ok=True)
    for figure in FIGURES:
        wanted = figure.name in options.run if options.run is not None else not figure.long
        if wanted and not options.none and (figure.needs is None or figure.needs.exists()):
            print(figure.name, figure.command, file=sys.stderr)
            if (result := measured(figure)) is not None:
                path = KEPT / f"{figure.name}.json"
                path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    paths = {name: KEPT / f"{name}.json" for name in names}
    results = {name: json.loads(path.read_text(encoding="utf-8")) for name, path in paths.items() if path.exists()}
    missing = [name for name in names if name not in results]
    lines = page(results, missing, datetime.now(UTC).date().isoformat(), _commit())
    PAGE.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
