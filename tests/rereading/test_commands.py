"""``python -m rereading``."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from rereading.__main__ import app
from tests.rereading.recorded import dealt_rounds, floor_with

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from typer.testing import Result

    Asked = Callable[..., Result]


@pytest.fixture
def asked(floor_url: str) -> Iterator[Asked]:
    """Run a command over a floor with 60 rounds of two tables."""
    with floor_with(floor_url, dealt_rounds(2, 60)):
        yield lambda *words: CliRunner().invoke(app, words, env={"HOUSEWAY_RECORD_URL": floor_url})


def test_a_run_is_started_worked_on_and_printed(asked: Asked) -> None:
    assert (asked("results").exit_code, "no runs yet" in asked("results").output) == (2, True)
    done = asked("start", "--rulebook", "nz-1998", "--reason", "what if")
    assert (done.exit_code, "run 1: 60 rounds" in done.output) == (0, True), done.output
    done = asked("work")
    assert (done.exit_code, "run 1: 60 rounds re-read here; 60 of 60 done" in done.output) == (0, True), done.output
    lines = list(csv.DictReader(asked("results", "--csv").output.splitlines()))
    assert {each["what"] for each in lines} >= {"throw", "verdict", "setting"}
    assert len({each["round"] for each in lines if each["outcome"] == "different"}) == 60
    text = asked("results", "1").output
    assert "house_way nz-1998 sha256:" in text
    assert "rounds with a different throw (by rules)" in text


def test_a_house_way_from_a_file_must_be_the_same_at_each_worker(asked: Asked, tmp_path: Path) -> None:
    own = tmp_path / "own.py"
    own.write_text(
        "from dataclasses import replace\nfrom engine.books.house_ways import get\n"
        "NZ = get('nz-1998')\nHOUSE_WAY = replace(NZ, source=replace(NZ.source, rulebook='own'))\n"
    )
    done = asked("start", "--house-way", str(own), "--reason", "ours", "--table", "t1")
    assert (done.exit_code, "run 1: 30 rounds" in done.output) == (0, True), done.output
    lacking = asked("work")
    assert (lacking.exit_code, "give it with --house-way" in lacking.output) == (2, True), lacking.output
    other = asked("work", "--house-way", "nz-1998")
    assert (other.exit_code, "would not read as the run was started" in other.output) == (2, True), other.output
    assert asked("work", "--house-way", str(own)).exit_code == 0


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--rulebook", "nowhere"), "no rulebook is called"),
        (("--rulebook-version", "6.0"), "needs --rulebook"),
        (("--models", "."), "needs --depth pictures"),
        (("--depth", "pictures", "--models", "/nowhere"), "is missing"),
        (("--table", "t9"), "there are no rounds"),
    ],
)
def test_an_impossible_run_is_refused(asked: Asked, options: tuple[str, ...], why: str) -> None:
    done = asked("start", "--reason", "x", *options)
    assert (done.exit_code, why in " ".join(done.output.split())) == (2, True), done.output


def test_pictures_need_a_place(asked: Asked) -> None:
    assert asked("start", "--depth", "pictures", "--reason", "x").exit_code == 0
    done = asked("work")
    assert (done.exit_code, "--evidence" in done.output) == (2, True), done.output
    done = asked("work", "--evidence", "/nowhere")
    assert (done.exit_code, "/nowhere" in done.output) == (2, True), done.output
    assert asked("stop", "1").output == "run 1: stopped\n"
    assert asked("stop", "7").exit_code == 2
