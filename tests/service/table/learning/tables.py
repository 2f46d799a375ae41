"""A table with a folder of its own, and candidates for it that are better, alike or worse."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from service.record.changes import Attribution
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings
from service.system.service_settings import LearningConfig, ModelsConfig
from service.system.settings import Config
from tests.service.stand_ins import config
from vision.learning.last_layer import LastLayer, OpenedClassifier
from vision.networks.classifier import TILE_MODEL
from vision.networks.model_card import card_path, read_card, sha256_of
from vision.networks.runtime import default_weights

WEIGHTS = default_weights()
BECAUSE = Attribution("A. Person", "to be tested")


def table(**models: Any) -> Config:  # noqa: ANN401  settings
    return config().model_copy(
        update={"learning": LearningConfig(collect=True), "models": ModelsConfig.model_validate(models)}
    )


def record_of(settings: Config) -> Record:
    return Record(RecordSettings.of(settings), claim=False)


@cache
def opened() -> OpenedClassifier:
    return OpenedClassifier(WEIGHTS / TILE_MODEL, threads=1)


def alike(folder: Path, change: float = 1e-6) -> Path:
    """A candidate that answers as the shipped model does, in another file."""
    return written(folder, replace(opened().last, bias=opened().last.bias + np.float32(change)))


def worse(folder: Path) -> Path:
    """A candidate that takes all for a Teen."""
    bias = opened().last.bias.copy()
    bias[0] += 1000
    return written(folder, replace(opened().last, bias=bias))


def written(folder: Path, last: LastLayer) -> Path:
    folder.mkdir()
    model = folder / TILE_MODEL
    model.write_bytes(opened().with_last(last))
    shipped = sha256_of(WEIGHTS / TILE_MODEL)
    card = read_card(card_path(WEIGHTS / TILE_MODEL))
    made = {"began_with": shipped, "compared_with": shipped}
    replace(card, sha256=sha256_of(model), training=made, data={"digest": "0"}).write(card_path(model))
    return folder
