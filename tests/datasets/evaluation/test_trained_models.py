"""The models trained, written down and shown side by side."""

import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from datasets.evaluation.report import print_models
from vision.networks.model_card import TRAINED_FILE, ModelError, Trained, read_card, read_trained, write_trained
from vision.networks.runtime import default_weights


def test_models_trained_stand_side_by_side() -> None:
    out = io.StringIO()
    trained = read_trained(default_weights())
    in_use = {
        read_card(default_weights() / f"{name}.card.json").sha256 for name in ("detector", "tiles", "dice", "lean")
    }
    assert in_use <= {each.sha256 for each in trained}
    print_models(trained, in_use, Console(file=out, width=250))
    for each in trained:
        assert each.sha256[:8] in out.getvalue()
    assert "plain face accuracy" in out.getvalue()


def test_models_stand_side_by_side_on_a_narrow_terminal_too() -> None:
    out = io.StringIO()
    models = [Trained("dice", f"{number:x}" * 64, 10, 20, 3.5, {"accuracy": number / 16}) for number in range(12)]
    print_models(models, {models[-1].sha256}, Console(file=out, width=60))
    heads = [line for line in out.getvalue().splitlines() if models[-1].sha256[:8] in line]
    assert len(heads) > 1
    assert all(sum(each.sha256[:8] in head for head in heads) == 1 for each in models[:-1])
    assert "…" not in out.getvalue()


def test_a_model_trained_is_written_down_once(tmp_path: Path) -> None:
    one = Trained("dice", "0" * 64, 10, 20, 3.5, {"accuracy": 0.5})
    for each in (one, replace(one, sha256="1" * 64), one):
        write_trained(tmp_path, each)
    assert [each.sha256[0] for each in read_trained(tmp_path)] == ["0", "1"]
    (tmp_path / TRAINED_FILE).write_text('{"name": "dice"}\n', encoding="utf-8")
    with pytest.raises(ModelError, match="line 1"):
        read_trained(tmp_path)
