"""The model card beside each ONNX file: inputs, outputs, training data and measured accuracy."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Self

from pydantic import TypeAdapter, ValidationError, with_config

CARD_VERSION: Final = 1
NETWORKS: Final = ("detector", "dice", "lean", "tiles")
"""The models used for a reading, as named in versions, files and cards."""


class ModelError(ValueError):
    """A model that cannot be used; the message explains why and what to do."""


@with_config(extra="forbid")
@dataclass(frozen=True, slots=True)
class InputCard:
    """The one input of a model.

    Attributes:
        name: its name in the graph.
        shape: as in the graph; names for free sizes.
        order: meaning of the axes and colours, e.g. ``NHWC BGR``.
        range: minimum and maximum value.
    """

    name: str
    dtype: str
    shape: tuple[int | str, ...]
    order: str
    range: tuple[int, int]


@with_config(extra="forbid")
@dataclass(frozen=True, slots=True)
class ModelCard:
    """Description of an ONNX file.

    Attributes:
        version: of this format.
        name: ``detector``, ``tiles``, ``dice`` or ``lean``.
        sha256: of the ONNX file, hexadecimal.
        outputs: names of the outputs in the graph's order, each with its meaning.
        classes: meaning of the channels of the first output.
        data: command, seed and count of the training pictures, and their digest.
        training: seed, steps, minutes, threads and the like.
        measured: metrics on held-out windows, and the parity of the exported graph.
    """

    version: int
    name: str
    sha256: str
    input: InputCard
    outputs: Mapping[str, str]
    classes: tuple[str, ...]
    data: Mapping[str, Any]
    training: Mapping[str, Any]
    measured: Mapping[str, Any]

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


TRAINED_FILE: Final = "trained.jsonl"
"""Every model ever exported into a folder, one per line, oldest first."""


@with_config(extra="forbid")
@dataclass(frozen=True, slots=True)
class Trained:
    """Record of a trained model, kept when it is replaced.

    Attributes:
        name, sha256, measured: as on its card.
        windows: number of training pictures.
        steps: of the training.
    """

    name: str
    sha256: str
    windows: int
    steps: int
    minutes: float
    measured: Mapping[str, float]

    @classmethod
    def of(cls, card: ModelCard) -> Self:
        training = card.training
        return cls(
            card.name, card.sha256, card.data["windows"], training["steps"], training["minutes"], dict(card.measured)
        )


_CARD: Final = TypeAdapter(ModelCard)
_TRAINED: Final = TypeAdapter(Trained)


def read_trained(folder: Path) -> list[Trained]:
    """Read the records of all models trained, oldest first, if any; ModelError if a line is not such a record."""
    path = folder / TRAINED_FILE
    if not path.exists():
        return []
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            found.append(_TRAINED.validate_json(line))
        except ValidationError as fault:
            message = f"{path}, line {number}: {_wrong(fault)}; restore it (git checkout models/weights)"
            raise ModelError(message) from fault
    return found


def write_trained(folder: Path, trained: Trained) -> None:
    """Append a model to the records, unless it is there."""
    known = read_trained(folder)
    if all(each.sha256 != trained.sha256 for each in known):
        with (folder / TRAINED_FILE).open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(trained)) + "\n")


def card_path(model: Path) -> Path:
    """Return the card's path for ``NAME.onnx``: ``NAME.card.json`` beside it."""
    return model.with_name(f"{model.stem}.card.json")


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_unaltered(model: Path, card: ModelCard) -> str:
    """Return the sha256 of a model, hexadecimal; ModelError unless it matches its card."""
    try:
        found = sha256_of(model)
    except OSError as fault:
        raise ModelError(f"{model}: the model cannot be read ({fault.strerror})") from fault
    if found != card.sha256:
        raise ModelError(
            f"the model {model} was altered: its sha256 is {found[:12]}, its card says {card.sha256[:12]}; "
            "restore both from the same revision (git checkout models/weights)"
        )
    return found


def read_card(path: Path) -> ModelCard:
    """Read a card; ModelError unless it is JSON with exactly the fields of this version."""
    try:
        card = _CARD.validate_json(path.read_bytes())
    except FileNotFoundError:
        raise ModelError(
            f"the card {path} is missing; restore it beside its model (git checkout models/weights)"
        ) from None
    except ValidationError as fault:
        if fault.errors()[0]["type"] == "json_invalid":
            raise ModelError(f"the card {path} is not JSON; restore it (git checkout models/weights)") from fault
        raise ModelError(f"{path} has missing or unknown fields ({_wrong(fault)}); export the model again") from fault
    if card.version != CARD_VERSION:
        raise ModelError(f"the card {path} has version {card.version}, this program reads version {CARD_VERSION}")
    return card


def _wrong(fault: ValidationError) -> str:
    """Describe the invalid fields."""
    return ", ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in fault.errors())
