"""What is refused before a model is used; loading real models is tested where they are made and where they lie."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from vision.networks.classifier import TILE_CLASSES
from vision.networks.model_card import CARD_VERSION, InputCard, ModelCard, ModelError, card_path, read_card, sha256_of
from vision.networks.runtime import WEIGHTS_VARIABLE, default_weights, load_model

CARD = ModelCard(
    version=CARD_VERSION,
    name="tiles",
    sha256="",
    input=InputCard("pictures", "uint8", ("crops", 96, 48, 3), "NHWC BGR", (0, 255)),
    outputs={"chances": "(crops, 22)"},
    classes=TILE_CLASSES,
    data={"windows": 3},
    training={"seed": 1},
    measured={"accuracy": 0.5},
)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "tiles.onnx"
    path.write_bytes(b"not a graph")
    replace(CARD, sha256=sha256_of(path)).write(card_path(path))
    return path


def load(path: Path, name: str = "tiles", classes: tuple[str, ...] = TILE_CLASSES) -> None:
    load_model(path, name=name, classes=classes)


def test_a_card_reads_back(model: Path) -> None:
    assert read_card(card_path(model)) == replace(CARD, sha256=sha256_of(model))


def test_a_missing_model_says_where_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"tiles\.onnx is missing.*git checkout.*make models"):
        load(tmp_path / "tiles.onnx")


def test_a_missing_card(model: Path) -> None:
    card_path(model).unlink()
    with pytest.raises(ModelError, match=r"tiles\.card\.json is missing"):
        load(model)


def test_a_damaged_card(model: Path) -> None:
    card_path(model).write_text("{", encoding="utf-8")
    with pytest.raises(ModelError, match="is not JSON"):
        load(model)


@pytest.mark.parametrize(
    ("change", "words"),
    [({"colour": 1}, "colour"), ({"version": 9}, "version 9"), ({"input": {"name": "x"}}, "dtype")],
)
def test_a_card_of_another_format(model: Path, change: dict[str, object], words: str) -> None:
    card_path(model).write_text(json.dumps(asdict(CARD) | change), encoding="utf-8")
    with pytest.raises(ModelError, match=words):
        load(model)


def test_an_altered_model(model: Path) -> None:
    model.write_bytes(b"another graph")
    with pytest.raises(ModelError, match="was altered"):
        load(model)


def test_another_model_than_needed(model: Path) -> None:
    with pytest.raises(ModelError, match="'tiles', but 'dice' is needed"):
        load(model, name="dice")


def test_classes_in_another_order(model: Path) -> None:
    with pytest.raises(ModelError, match="classes"):
        load(model, classes=TILE_CLASSES[::-1])


def test_a_file_that_is_no_graph(model: Path) -> None:
    with pytest.raises(ModelError, match="onnxruntime cannot load"):
        load(model)


def test_a_graph_with_weights_in_another_file(model: Path) -> None:
    """Its hash says nothing about them: they could be changed without a trace."""
    import onnx  # noqa: PLC0415 - takes a second

    weights = onnx.numpy_helper.from_array(np.ones(1000, np.float32), "w")
    given, taken = (onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1000]) for name in "yx")
    graph = onnx.helper.make_graph([onnx.helper.make_node("Add", ["x", "w"], ["y"])], "g", [taken], [given], [weights])
    made = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=8)
    onnx.save(made, model, save_as_external_data=True, location="weights.bin", size_threshold=0)
    replace(CARD, sha256=sha256_of(model)).write(card_path(model))
    with pytest.raises(ModelError, match="weights in other files"):
        load(model)


def test_where_the_weights_are(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(WEIGHTS_VARIABLE, raising=False)
    assert default_weights().parts[-2:] == ("models", "weights")
    monkeypatch.setenv(WEIGHTS_VARIABLE, str(tmp_path))
    assert default_weights() == tmp_path
