"""Two programs, each in a process that measures on demand."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from benchmarks.bench.child import Measurer, serve
from benchmarks.bench.sides import BenchError, Side, Tree, commit_before, environment, git, other_tree
from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

SAMPLE = ROOT / "service" / "sample"


@pytest.fixture(scope="module")
def few_pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As ``benchmarks.bench.pictures`` leaves them, but one of the bundled sample."""
    folder = tmp_path_factory.mktemp("pictures")
    image = cv2.imread(str(SAMPLE / "pictures" / "house-wrong.jpg"))
    assert image is not None
    np.save(folder / "rest.npy", image[None])
    np.save(folder / "empty.npy", np.zeros_like(image))
    (folder / "calibration.json").write_bytes((SAMPLE / "calibration.json").read_bytes())
    return folder


@pytest.fixture(scope="module")
def side(few_pictures: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Side]:
    tree = Tree(ROOT, "here", Path(sys.executable))
    started = Side(tree).start(few_pictures, environment(tree, tmp_path_factory.mktemp("build")))
    yield started
    started.close()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    for lock in ("first", "second"):
        (folder / "requirements.lock").write_text("the same")
        (folder / "program.txt").write_text(lock)
        git("add", ".", at=folder)
        git("-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "--quiet", "-m", lock, at=folder)
    return folder


@pytest.mark.parametrize(
    "request_",
    [
        {"do": "read", "scene": "rest", "number": 3, "steady": False},
        {"do": "read", "scene": "rest", "number": 3, "steady": True, "threads": 1},
        {"do": "detect", "scene": "rest", "number": 0},
    ],
)
def test_a_side_measures_on_demand(side: Side, request_: dict[str, object]) -> None:
    answer = side.ask(request_)
    assert answer["ms"] > 0
    if request_["do"] == "read":
        assert answer["stages"]["detect"] > 0
        assert answer["tiles"] > 0


def test_what_a_side_cannot_do_is_missing_with_its_reason_and_it_goes_on(side: Side) -> None:
    assert side.ask({"do": "read", "scene": "none", "number": 0, "steady": False})["missing"].startswith("FileNotFound")
    assert side.ask({"do": "nothing"}) == {"missing": "KeyError: 'nothing'"}
    assert Path(side.ask({"do": "about"})["vision"]).parent == ROOT / "vision"


def test_each_line_is_answered_by_one_line(tmp_path: Path) -> None:
    answers = io.StringIO()
    serve(Measurer(tmp_path), io.StringIO('{"do": "about"}\nno JSON\n'), answers)
    about, fault = (json.loads(line) for line in answers.getvalue().splitlines())
    assert "vision" in about
    assert fault["missing"].startswith("JSONDecodeError")


def test_a_program_that_is_not_of_its_tree_is_refused(few_pictures: Path, tmp_path: Path) -> None:
    here = Tree(ROOT, "here", Path(sys.executable))
    side = Side(Tree(tmp_path, "elsewhere", Path(sys.executable)))
    with pytest.raises(BenchError, match="the program of elsewhere"):
        side.start(few_pictures, environment(here, tmp_path / "build"))
    side.close()


def test_a_process_that_cannot_start_is_told(few_pictures: Path, tmp_path: Path) -> None:
    side = Side(Tree(tmp_path, "abc1234", Path(sys.executable)))
    with pytest.raises(BenchError, match="measures abc1234 ended with status 1"):
        side.start(few_pictures, os.environ | {"PYTHONPATH": str(tmp_path)})
    side.close()


def test_changes_are_held_against_the_last_commit(repository: Path) -> None:
    assert commit_before(repository) == "HEAD~1"
    (repository / "program.txt").write_text("changed")
    assert commit_before(repository) == "HEAD"


def test_another_commit_is_checked_out_beside_this_one(repository: Path, tmp_path: Path) -> None:
    for revision, text in (("HEAD~1", "first"), ("HEAD", "second"), ("HEAD~1", "first")):
        tree = other_tree(revision, tmp_path / "build", repository)
        assert (tree.folder / "program.txt").read_text() == text
        assert tree.python == Path(sys.executable)  # the libraries are the same
    assert (repository / "program.txt").read_text() == "second"


def test_no_such_commit(repository: Path, tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="git rev-parse"):
        other_tree("no-such-branch", tmp_path / "build", repository)
