"""The pictures, the general network, the approximation of a Pi, and memory."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np
import onnxruntime
import pytest

from benchmarks.bench.measures import PLAY, REST, Series, loop_once, read_once, take_turns
from benchmarks.bench.pi import CORES, PUBLISHED_MS, NotNarrowError, PiTime, approximated, narrowed
from benchmarks.bench.pictures import Counts, made_by, moving_share, pictures
from benchmarks.bench.yolox import write_yolox_nano
from benchmarks.memory import MostMemory, cpu_s, held_mb

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.bench.sides import Answer


def test_pictures_are_drawn_once(tmp_path: Path) -> None:
    drawn: list[Counts] = []

    def draw(folder: Path, counts: Counts) -> None:
        drawn.append(counts)
        (folder / "rest.npy").write_bytes(b"")

    first = pictures(tmp_path, Counts(1, 2), draw)
    assert pictures(tmp_path, Counts(1, 2), draw) == first
    assert drawn == [Counts(1, 2)]
    other = pictures(tmp_path, Counts(1, 3), draw)
    assert list(tmp_path.iterdir()) == [other]
    assert (other / "rest.npy").exists()


def test_what_was_not_finished_is_drawn_anew(tmp_path: Path) -> None:
    def fail(folder: Path, _counts: Counts) -> None:
        (folder / "rest.npy").write_bytes(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pictures(tmp_path, Counts(1, 1), fail)
    assert not list(pictures(tmp_path, Counts(1, 1), lambda _folder, _counts: None).iterdir())


def test_the_hash_is_of_all_that_makes_the_pictures(tmp_path: Path) -> None:
    source = tmp_path / "draws.py"
    source.write_text("one")
    first = made_by(Counts(1, 2), [source])
    assert made_by(Counts(1, 2), [source]) == first
    assert made_by(Counts(1, 3), [source]) != first
    source.write_text("two")
    assert made_by(Counts(1, 2), [source]) != first


def test_the_share_that_moves_is_what_changed_and_what_lies_near_it() -> None:
    before = np.zeros((50, 100, 3), np.uint8)
    now = before.copy()
    assert moving_share(before, now, 5) == 0.0
    now[20:29, 40:49] = 200
    assert moving_share(before, now, 5) == 19 * 19 / (50 * 100)
    assert moving_share(before, np.full_like(before, 5), 5) == 0.0  # noise


@pytest.mark.parametrize(("kinds", "weights"), [(3, 897_144), (80, 912_159)])
def test_the_general_network_has_the_weights_of_the_published_one(tmp_path: Path, kinds: int, weights: int) -> None:
    """With 80 kinds YOLOX-Nano is published with 0.91 million; with three it has what torch made of it."""
    path = tmp_path / "yolox.onnx"
    assert write_yolox_nano(path, 64, 96, kinds) == weights
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    picture = np.random.default_rng(0).integers(0, 256, (1, 64, 96, 3), np.uint8)
    (found,) = session.run(None, {"pictures": picture})
    assert found.shape == (1, 8 * 12 + 4 * 6 + 2 * 3, 5 + kinds)
    assert np.isfinite(found).all()


def test_the_question_for_avx_is_answered_with_no() -> None:
    asked = bytes.fromhex("0fa2 89c8 f7d0 a900000018 7500")
    assert narrowed(b"before" + asked + b"after") == b"before" + asked.replace(b"\xf7\xd0", b"\x66\x90") + b"after"


def test_a_library_that_asks_otherwise_is_refused() -> None:
    with pytest.raises(NotNarrowError, match="another way"):
        narrowed(b"\x0f\xa2")


@pytest.mark.parametrize(
    ("stages", "whole_ms", "about"),
    [
        ({"detect": 60.0, "classify": 20.0, "pips": 20.0}, 100.0, PiTime(100.0, 80.0 + 20.0 * CORES)),
        ({"detect": 100.0}, 100.0, PiTime(100.0, 100.0)),
        ({}, 10.0, PiTime(10.0, 10.0 * CORES)),
    ],
)
def test_a_pi_is_approximated_between_all_cores_and_one(
    stages: dict[str, float], whole_ms: float, about: PiTime
) -> None:
    assert approximated(stages, whole_ms, PUBLISHED_MS) == about
    half = approximated(stages, whole_ms, PUBLISHED_MS * 2)
    assert (half.low_ms, half.high_ms) == (about.low_ms / 2, about.high_ms / 2)


def test_memory_counts_once_what_is_shared_and_what_lies_in_a_file_in_memory() -> None:
    file = os.memfd_create("test")
    try:
        before = held_mb(os.getpid())
        os.pwrite(file, bytes(20_000_000), 0)
        held = held_mb(os.getpid())
    finally:
        os.close(file)
    assert 20 < before < 100_000
    assert 15 < held - before < 60
    with MostMemory(os.getpid()) as most:
        pass
    assert most.mb > 20
    assert held_mb(2**22 + 1) == cpu_s(2**22 + 1) == 0.0  # no such process
    assert cpu_s(os.getpid()) > 0


def test_the_first_changes_with_each_turn() -> None:
    order: list[str] = []
    take_turns({name: lambda run, name=name: order.append(f"{name}{run}") for name in "ab"}, 3)  # type: ignore[misc]
    assert order == ["a0", "b0", "b1", "a1", "a2", "b2"]


def test_turns_that_warm_up_and_the_seam_of_the_play_are_not_kept() -> None:
    series = Series()
    for run in range(5):
        read_once(
            lambda asked: {"ms": float(asked["number"]), "stages": {"detect": 1.0, "total": 2.0}},
            series,
            run,
            length={"rest": 2, "play": 3},
            warm_up=1,
        )
    assert series.values[REST.key] == [1.0, 0.0, 1.0, 0.0]
    assert series.values[PLAY.key] == [1.0, 2.0, 1.0]
    assert "rest-total" not in series.values
    assert series.values["rest-detect"] == [1.0] * 4


def test_what_the_loop_cannot_do_yet_is_missing() -> None:
    def ask(asked: Answer) -> Answer:
        if asked["viewers"] == 0:
            return {"missing": "no viewers"}
        return {"pictures_a_second": {"rest": 10.0 + asked["viewers"], "play": 5.0}}

    series = Series()
    loop_once(ask, series, 1.0)
    assert series.values["loop-rest-5-viewers"] == [15.0]
    assert series.missing["loop-play-0-viewers"] == "no viewers"
