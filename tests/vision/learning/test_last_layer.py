"""The last layer of the shipped classifier, taken out and put back."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from vision.learning.last_layer import OpenedClassifier
from vision.learning.shipped_set import read_shipped
from vision.networks.classifier import TileClassifier
from vision.networks.model_card import ModelError, card_path, read_card, sha256_of
from vision.networks.runtime import default_weights

WEIGHTS = default_weights()


@cache
def opened() -> OpenedClassifier:
    return OpenedClassifier(WEIGHTS / "tiles.onnx", threads=1)


def _written(folder: Path, data: bytes) -> TileClassifier:
    path = folder / "tiles.onnx"
    path.write_bytes(data)
    replace(read_card(card_path(WEIGHTS / "tiles.onnx")), sha256=sha256_of(path)).write(card_path(path))
    return TileClassifier.load(folder, threads=1)


def test_features_and_layer_answer_as_the_whole() -> None:
    crops = read_shipped().crops[:100]
    answers = opened().last.chances(opened().features(crops))
    assert np.abs(answers - TileClassifier.load(WEIGHTS, threads=1)(crops)).max() < 1e-5


def test_another_layer_in_the_file_gives_its_answers(tmp_path: Path) -> None:
    crops = read_shipped().crops[:40]
    turned = replace(opened().last, weight=opened().last.weight[::-1].copy(), bias=opened().last.bias[::-1].copy())
    answers = _written(tmp_path, opened().with_last(turned))(crops)
    assert np.abs(answers[:, ::-1] - TileClassifier.load(WEIGHTS, threads=1)(crops)).max() < 1e-5


def test_the_same_layer_put_back_changes_no_answer(tmp_path: Path) -> None:
    crops = read_shipped().crops[:40]
    again = _written(tmp_path, opened().with_last(opened().last))
    assert np.array_equal(again(crops), TileClassifier.load(WEIGHTS, threads=1)(crops))


@pytest.mark.parametrize("name", ["detector", "dice"])
def test_a_model_of_another_kind_is_refused(name: str) -> None:
    with pytest.raises(ModelError, match="does not end with"):
        OpenedClassifier(WEIGHTS / f"{name}.onnx")


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tiles.onnx").write_bytes(b"no model")
    with pytest.raises(ModelError, match="cannot be read as ONNX"):
        OpenedClassifier(tmp_path / "tiles.onnx")
