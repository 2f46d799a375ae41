"""What the sections share: the command line, and files that are the same for the same behaviour."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from typer.testing import CliRunner

from service.cli import app
from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BOOKS: Final = ("crown-6.1", "nz-1998", "star-2024", "star-classic", "uk-poster")
WAY_OF: Final = {"uk-poster": "crown-6.1"}
"""The House Way of a book that prints none."""
VOLATILE: Final = frozenset({"elapsed_ms", "versions", "version"})


@cache
def _runner() -> CliRunner:
    return CliRunner()


def houseway(*words: str) -> str:
    """What a command prints, run in this process; its errors and its exit status follow if there are any."""
    result = _runner().invoke(app, list(words), prog_name="houseway")
    said = result.stdout
    if result.exit_code:
        said += f"\nexit status {result.exit_code}\n{result.stderr}"
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            said += f"{result.exception!r}\n"
    return said


def houseway_apart(*words: str) -> str:
    """What a command prints to its output, run in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "service", *words], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout


def put(file: Path, text: str) -> None:
    """Write a text; it ends with a line break."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text.rstrip("\n") + "\n", encoding="utf-8")


def put_json(file: Path, value: object) -> None:
    """Write a value as JSON, its keys in order."""
    put(file, json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False))


def json_or_text(text: str) -> object:
    try:
        return steady(json.loads(text), digits=9)
    except ValueError:
        return text.splitlines()


def steady(
    value: object, of_text: Callable[[str], str] = str, digits: int = 3, volatile: frozenset[str] = VOLATILE
) -> Any:  # noqa: ANN401  JSON
    """A JSON value without what differs from run to run, its floats rounded."""
    if isinstance(value, dict):
        return {
            of_text(key): f"<{type(each).__name__}>" if key in volatile else steady(each, of_text, digits, volatile)
            for key, each in value.items()
        }
    if isinstance(value, list):
        if value and all(isinstance(each, dict) and "cocked" in each for each in value):
            # Dice are listed as they were found.
            value = sorted(value, key=lambda die: (str(die["role"]), str(die["value"])))
        return [steady(each, of_text, digits, volatile) for each in value]
    if isinstance(value, float):
        return round(value, digits)
    return of_text(value) if isinstance(value, str) else value
