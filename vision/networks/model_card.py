"""The card beside each ONNX file: what the model takes, what it gives, what it learnt from, how good it was."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Self

CARD_VERSION = 1


class ModelError(ValueError):
    """A model that cannot be used; the message says what is wrong and what to do."""


@dataclass(frozen=True, slots=True)
class InputCard:
    """The one input of a model.

    Attributes:
        name: its name in the graph.
        dtype: ``uint8``.
        shape: as in the graph; names where the size is free.
        order: meaning of the axes and colours, e.g. ``NHWC BGR``.
        range: least and greatest value.
    """

    name: str
    dtype: str
    shape: tuple[int | str, ...]
    order: str
    range: tuple[int, int]


@dataclass(frozen=True, slots=True)
class ModelCard:
    """What an ONNX file is.

    Attributes:
        version: of this format.
        name: ``detector``, ``tiles``, ``dice`` or ``lean``.
        sha256: of the ONNX file, hexadecimal.
        input: the input.
        outputs: names of the outputs in the graph's order, each with its meaning.
        classes: meaning of the channels of the first output.
        data: command, seed and count of the training pictures, and their digest.
        training: seed, steps, minutes, threads and the like.
        measured: figures on held-out windows, and the parity of the exported graph.
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
        """Write the card as JSON."""
        path.write_text(json.dumps(asdict(self), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


TRAINED_FILE = "trained.jsonl"
"""Every model that was ever exported into a folder, a line each, oldest first."""


@dataclass(frozen=True, slots=True)
class Trained:
    """What remains of a trained model when the next one takes its place.

    Attributes:
        name: ``detector``, ``tiles``, ``dice`` or ``lean``.
        sha256: of its ONNX file, hexadecimal.
        windows: pictures that it learnt from.
        steps: of the training.
        minutes: that the training took.
        measured: figures, as on its card.
    """

    name: str
    sha256: str
    windows: int
    steps: int
    minutes: float
    measured: Mapping[str, float]

    @classmethod
    def of(cls, card: ModelCard) -> Self:
        """What a card says."""
        training = card.training
        return cls(
            card.name, card.sha256, card.data["windows"], training["steps"], training["minutes"], dict(card.measured)
        )


def read_trained(folder: Path) -> list[Trained]:
    """Every model trained, oldest first; none if nothing was written down.

    Raises:
        ModelError: a line is none that was written here.
    """
    path = folder / TRAINED_FILE
    if not path.exists():
        return []
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            found.append(Trained(**json.loads(line)))
        except (json.JSONDecodeError, TypeError) as fault:
            raise ModelError(f"{path}, line {number}: {fault}; restore it (git checkout models/weights)") from fault
    return found


def write_trained(folder: Path, trained: Trained) -> None:
    """Add a model to those trained, unless it is there."""
    known = read_trained(folder)
    if all(each.sha256 != trained.sha256 for each in known):
        with (folder / TRAINED_FILE).open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(trained)) + "\n")


def card_path(model: Path) -> Path:
    """Return the card's path for ``NAME.onnx``: ``NAME.card.json`` beside it."""
    return model.with_name(f"{model.stem}.card.json")


def sha256_of(path: Path) -> str:
    """Return the sha256 of a file, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_card(path: Path) -> ModelCard:
    """Read a card strictly.

    Raises:
        ModelError: the card is missing, is not JSON, or does not hold exactly the fields of this version.
    """
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ModelError(
            f"the card {path} is missing; restore it beside its model (git checkout models/weights)"
        ) from None
    except (json.JSONDecodeError, UnicodeDecodeError) as fault:
        raise ModelError(f"the card {path} is not JSON ({fault}); restore it (git checkout models/weights)") from fault
    _check_keys(record, ModelCard, path, "card")
    if record["version"] != CARD_VERSION:
        raise ModelError(f"the card {path} has version {record['version']}, this program reads version {CARD_VERSION}")
    _check_keys(record["input"], InputCard, path, "input")
    taken = record["input"]
    taken |= {"shape": tuple(taken["shape"]), "range": tuple(taken["range"])}
    return ModelCard(**(record | {"input": InputCard(**taken), "classes": tuple(record["classes"])}))


def _check_keys(record: object, kind: type, path: Path, part: str) -> None:
    """Refuse a JSON object whose keys are not exactly the fields of a dataclass."""
    expected = {field.name for field in fields(kind)}
    found = set(record) if isinstance(record, dict) else set()
    if found != expected:
        wrong = ", ".join(sorted(found ^ expected))
        raise ModelError(f"the {part} in {path} has missing or unknown fields ({wrong}); export the model again")
