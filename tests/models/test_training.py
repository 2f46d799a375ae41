"""The recipe on a throw-away bank of rectangles: it learns, resumes, exports, and the export is what vision loads."""

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs the train extra")

import onnx
import torch
from onnx import numpy_helper

from models.export import ExportError, calibration_error, export, fitted_temperature
from models.loss import heat_loss, regression_loss
from models.network import DetectorNet, DiceNet, TileNet
from models.quantise import QuantiseError, quantise
from models.recipe import bank_command
from models.tasks import task_of
from models.train import TrainConfig, learning_rate, train
from models.training_bank import BankError, open_bank
from models.warm_start import WarmStartError, init_from_export
from tests.models.simple_bank import write_simple_bank
from vision.detect.detections import KINDS
from vision.detect.detector import Detector
from vision.networks.classifier import DiceClassifier, LeanClassifier, TileClassifier
from vision.networks.model_card import card_path, read_card
from vision.networks.runtime import load_model

# The exporter warns about its own insides.
pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


@pytest.fixture(autouse=True)
def _little_measuring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("models.tasks.MEASURED_CROPS", 40)
    monkeypatch.setattr("models.export.CALIBRATION_CROPS", 200)


@pytest.fixture(scope="module")
def bank_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bank")
    write_simple_bank(folder, 40, seed=1)
    (folder / "command.txt").write_text("python -m something --seed 1\n")
    return folder


def config(task: str, bank: Path, out: Path, **changes: object) -> TrainConfig:
    given = {"task": task, "bank": str(bank), "out": str(out), "minutes": 1.0, "seed": 3, "threads": 1, "steps": 30}
    return TrainConfig(**(given | changes))  # type: ignore[arg-type]


def losses(out: Path, part: str) -> list[float]:
    lines = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
    return [line[part] for line in lines if part in line]


@pytest.mark.parametrize(
    ("task", "part", "batch", "steps", "most"),
    [("tiles", "class", 64, 60, 2.4), ("dice", "class", 64, 150, 1.6), ("lean", "lean", 64, 60, 0.4)],
)
def test_a_short_training_learns_and_its_export_is_loaded(
    bank_folder: Path, tmp_path: Path, task: str, part: str, batch: int, steps: int, most: float
) -> None:
    checkpoint = train(config(task, bank_folder, tmp_path / "run", batch=batch, steps=steps))
    assert losses(tmp_path / "run", part)[-1] < most
    path = export(task, checkpoint, tmp_path / "weights")
    card = read_card(card_path(path))
    assert card.data["command"] == "python -m something --seed 1"
    assert card.training["steps"] == steps
    assert card.measured["parity_max_difference"] < 1e-4
    assert b"models/export" not in path.read_bytes()
    shape = (96, 48) if task == "tiles" else (80, 80)
    crops = np.random.default_rng(0).integers(0, 256, (3, *shape, 3), np.uint8)
    if task == "tiles":
        chances = TileClassifier.load(path.parent, 1)(crops)
        assert chances.shape == (3, 22)
        assert chances.sum(axis=1) == pytest.approx(1.0, abs=1e-5)
        return
    foot = np.array([[0.1, 0.2], [0.0, 0.3], [np.nan, np.nan]], np.float32)
    if task == "dice":
        chances, moves = DiceClassifier.load(path.parent, 1)(crops, foot)
        assert chances.shape == (3, 7)
        assert chances.sum(axis=1) == pytest.approx(1.0, abs=1e-5)
        assert moves.shape == (3, 4)
    else:
        leaning = LeanClassifier.load(path.parent, 1)(crops, foot)
        assert leaning.shape == (3,)
        assert ((leaning >= 0) & (leaning <= 1)).all()


def test_the_detector_learns_resumes_and_exports(bank_folder: Path, tmp_path: Path) -> None:
    whole = config("detector", bank_folder, tmp_path / "whole", batch=4, steps=12)
    train(whole)
    train(config("detector", bank_folder, tmp_path / "parts", batch=4, steps=6))
    checkpoint = train(config("detector", bank_folder, tmp_path / "parts", batch=4, steps=12), resume=True)
    assert torch.load(checkpoint, weights_only=True)["step"] == 12
    heat = losses(tmp_path / "whole", "heat")
    assert heat[-1] < 40
    detector = Detector.load(export("detector", checkpoint, tmp_path / "weights").parent, 1)
    picture = np.zeros((150, 331, 3), np.uint8)
    detector.detect(picture, 64.0)


def test_the_detectors_loss_is_counted_on_the_device_of_its_maps() -> None:
    # The device "meta" is everywhere; like any other it takes no numbers of the processor's memory.
    heat, values, counts = (torch.zeros(2, *shape, device="meta") for shape in ((3, 8, 8), (10, 8, 8), (8, 8)))
    assert heat_loss(heat, heat, counts).device == heat.device
    assert regression_loss(values, values, values).device == values.device


def test_the_trunk_in_eight_bits_answers_nearly_the_same(bank_folder: Path, tmp_path: Path) -> None:
    checkpoint = train(config("detector", bank_folder, tmp_path / "run", batch=4, steps=12))
    path = export("detector", checkpoint, tmp_path / "weights")
    bank = open_bank(bank_folder)
    pictures = [bank.pixels[index][None, :320, :320] for index in range(3)]
    before = load_model(path, name="detector", classes=KINDS, threads=1)
    answers = [before.run(picture) for picture in pictures]
    quantise(tmp_path / "weights", bank)
    card = read_card(card_path(path))
    assert {"recall", "float_recall"} <= set(card.measured)
    after = load_model(path, name="detector", classes=KINDS, threads=1)
    for picture, (heat, values) in zip(pictures, answers, strict=True):
        heat_8, values_8 = after.run(picture)
        assert np.abs(heat_8 - heat).max() < 0.1
        assert np.abs(values_8 - values).mean() < 0.1 * np.abs(values).mean() + 0.01
    assert any((after.run(picture)[0] != heat).any() for picture, (heat, _) in zip(pictures, answers, strict=True))
    with pytest.raises(QuantiseError, match="eight bits already"):
        quantise(tmp_path / "weights", bank)
    # Learning goes on from whole numbers, too.
    again = init_from_export(task_of("detector", bank), path)
    with torch.no_grad():
        for picture, (heat, _) in zip(pictures, answers, strict=True):
            begun = torch.sigmoid(again(torch.from_numpy(picture.copy()))[0]).numpy()
            assert np.abs(begun - heat).max() < 0.1


def test_a_training_counted_in_steps_is_repeatable(bank_folder: Path, tmp_path: Path) -> None:
    first, second = (
        torch.load(train(config("dice", bank_folder, tmp_path / name, batch=8, steps=3)), weights_only=True)["network"]
        for name in "ab"
    )
    assert all(torch.equal(first[name], second[name]) for name in first)


@pytest.mark.parametrize("task", ["dice", "lean", "tiles"])
def test_an_export_can_be_gone_on_with(bank_folder: Path, tmp_path: Path, task: str) -> None:
    checkpoint = train(config(task, bank_folder, tmp_path / "run", batch=32, steps=8))
    path = export(task, checkpoint, tmp_path / "weights")
    known = task_of(task, open_bank(bank_folder))
    before = known.network()
    before.load_state_dict(torch.load(checkpoint, weights_only=True)["average"])
    after = init_from_export(known, path)
    crops, *_ = known.batch(np.random.default_rng(1))
    with torch.no_grad():
        assert torch.allclose(after(crops), before.eval()(crops), atol=1e-3)
        # Batch statistics, used in training, do not start far from there either.
        both = torch.stack([after.train()(crops).flatten(), before(crops).flatten()])
        assert torch.corrcoef(both)[0, 1] > 0.8
    again = train(config(task, bank_folder, tmp_path / "again", batch=32, steps=1, begin_with=str(path)))
    assert torch.load(again, weights_only=True)["step"] == 1
    before_sha = read_card(card_path(path)).sha256
    assert read_card(card_path(export(task, again, tmp_path / "more"))).training["began_with"] == before_sha


def test_new_colours_begin_at_zero_other_networks_are_refused(bank_folder: Path, tmp_path: Path) -> None:
    bank = open_bank(bank_folder)
    lean = export("lean", train(config("lean", bank_folder, tmp_path / "lean", batch=8, steps=1)), tmp_path)
    model = onnx.load(lean)
    first = next(part for part in model.graph.initializer if part.name == "network.trunk.0.0.weight")
    weights = numpy_helper.to_array(first)
    first.CopyFrom(numpy_helper.from_array(weights[:, :3].copy(), first.name))
    onnx.save(model, lean)
    widened = init_from_export(task_of("lean", bank), lean).state_dict()["trunk.0.0.weight"].numpy()
    assert (widened[:, :3] == weights[:, :3]).all()
    assert not widened[:, 3:].any()
    with pytest.raises(WarmStartError, match=r"trunk\.1\.0 has the shape \(24, 16, 3, 3\), not \(32, 16, 3, 3\)"):
        init_from_export(task_of("tiles", bank), lean)
    with pytest.raises(WarmStartError, match=r"last has the shape \(1, 1600\), not \(11, 1600\)"):
        init_from_export(task_of("dice", bank), lean)
    with pytest.raises(WarmStartError, match=r"holds no at_2\.0\.weight"):
        init_from_export(task_of("detector", bank), lean)


def test_the_wrong_checkpoint_is_refused(bank_folder: Path, tmp_path: Path) -> None:
    checkpoint = train(config("dice", bank_folder, tmp_path, batch=2, steps=1))
    with pytest.raises(ExportError, match="of 'dice', not of 'tiles'"):
        export("tiles", checkpoint, tmp_path / "weights")


def test_an_empty_bank_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(BankError, match=r"python -m datasets\.generate bank"):
        open_bank(tmp_path)


def test_a_changed_bank_is_decoded_again(tmp_path: Path) -> None:
    write_simple_bank(tmp_path, 2, seed=1)
    before = open_bank(tmp_path).pixels[0].copy()
    assert np.abs(before.astype(int) - open_bank(tmp_path).pixels[0]).max() == 0
    write_simple_bank(tmp_path, 3, seed=2)
    bank = open_bank(tmp_path)
    assert len(bank) == 3
    assert (bank.pixels[0] == cv2.imread(str(tmp_path / "w00000.jpg"))).all()


def test_networks_fit_a_raspberry_pi() -> None:
    most: dict[type[Any], float] = {DetectorNet: 0.5e6, TileNet: 0.2e6, DiceNet: 0.2e6}
    for network, parameters in most.items():
        assert sum(weight.numel() for weight in network().parameters()) < parameters


def test_the_learning_rate_rises_and_falls() -> None:
    rates = [learning_rate(1.0, share) for share in (0.0, 0.03, 0.5, 1.0, 1.2)]
    assert rates[0] < rates[1] > rates[2] > rates[3] == rates[4] > 0


def test_an_unknown_task_is_named(bank_folder: Path) -> None:
    with pytest.raises(ValueError, match="detector, tiles, dice"):
        task_of("chips", open_bank(bank_folder))


def test_temperature_softens_the_overconfident() -> None:
    rng = torch.Generator().manual_seed(1)
    label = torch.randint(0, 4, (4000,), generator=rng)
    logits = torch.randn(4000, 4, generator=rng)
    logits[torch.arange(4000), label] += 1.5
    temperature = fitted_temperature(logits * 3, label)
    # Gaussian logits of unit spread, 1.5 apart, are calibrated when multiplied by 1.5.
    assert temperature == pytest.approx(2.0, rel=0.1)
    assert calibration_error(torch.softmax(logits * 3 / temperature, 1), label) < 0.02
    assert calibration_error(torch.softmax(logits * 3, 1), label) > 0.05


def test_the_recipe_makes_windows_full_of_dice_with_its_seed(tmp_path: Path) -> None:
    shares = ["--dice", "0.25", "--bare", "0.15", "--traced", "0.05", "--real", "0.2"]
    options = ["--count", "7", "--seed", "5", *shares, "--workers", "1"]
    assert bank_command(tmp_path, tmp_path / "pictures", windows=7, seed=5, workers=1)[-14:] == options
