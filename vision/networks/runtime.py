"""Loading and running ONNX models, checked against their cards."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from onnxruntime.capi.onnxruntime_pybind11_state import RuntimeException

from vision.networks.model_card import ModelCard, ModelError, card_path, check_unaltered, read_card

WEIGHTS_VARIABLE = "HOUSEWAY_WEIGHTS"
_ELSEWHERE = b"location"
"""What a graph must contain to name a file that holds its weights."""
_NO_MEMORY = "alloc"
"""Part of onnxruntime's message when it is out of memory."""


@dataclass(frozen=True, eq=False, slots=True)
class Model:
    """A loaded network: its card and its onnxruntime session."""

    card: ModelCard
    session: Any

    def run(self, pictures: NDArray[np.uint8]) -> list[NDArray[np.float32]]:
        """Run the network on (n, height, width, 3) uint8 pictures and return its outputs in the card's order.

        Raises:
            MemoryError: the memory does not suffice.
        """
        try:
            outputs: list[NDArray[np.float32]] = self.session.run(None, {self.card.input.name: pictures})
        except RuntimeException as fault:
            if _NO_MEMORY in str(fault):
                raise MemoryError from fault
            raise
        return outputs


def default_weights() -> Path:
    """Return the folder of the weights: HOUSEWAY_WEIGHTS if set, else ``models/weights`` beside this package."""
    named = os.environ.get(WEIGHTS_VARIABLE)
    return Path(named) if named else Path(__file__).resolve().parents[2] / "models" / "weights"


def load_model(path: Path, *, name: str, classes: Sequence[str], threads: int = 2, sparing: bool = False) -> Model:
    """Load ``NAME.onnx`` after checking that it matches its card and the caller's expectations.

    A ``sparing`` model frees memory after each run instead of keeping it for the next, which is faster. ModelError if
    it or its card is missing, altered, of another kind or with other classes, or cannot be loaded.
    """
    if not path.is_file():
        raise ModelError(
            f"the model {path} is missing; restore it (git checkout models/weights), train it (make models), "
            f"or set {WEIGHTS_VARIABLE} to the folder that holds it"
        )
    card = read_card(card_path(path))
    if card.name != name:
        raise ModelError(f"{path} is the model {card.name!r}, but {name!r} is needed here")
    if card.classes != tuple(classes):
        raise ModelError(f"the classes of {path} are not those of this program; export the model again (make models)")
    check_unaltered(path, card)
    _check_whole(path)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.enable_cpu_mem_arena = not sparing
    # A memory pattern is kept per input shape: fifty megabytes more, and no faster.
    options.enable_mem_pattern = False
    if not sparing:
        _share_memory()
        options.add_session_config_entry("session.use_env_allocators", "1")
    # Spinning threads would use cores that a camera needs.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as fault:  # onnxruntime raises many exception types, none of them public
        raise ModelError(f"onnxruntime cannot load {path}: {fault}") from fault
    _check_graph(path, card, session)
    return Model(card, session)


def _check_whole(path: Path) -> None:
    """Refuse a graph with weights in other files: its hash would say nothing about them."""
    if _ELSEWHERE in path.read_bytes():
        raise ModelError(f"{path} keeps weights in other files, which its card does not cover; export it as one file")


@cache
def _share_memory() -> None:
    """Make all networks of this process share one memory pool that grows by the requested size.

    Separate pools grow by doubling: a hundred megabytes more for the four of them.
    """
    where = onnxruntime.OrtMemoryInfo(
        "Cpu", onnxruntime.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, onnxruntime.OrtMemType.DEFAULT
    )
    as_wanted = {
        "max_mem": 0,
        "arena_extend_strategy": 1,
        "initial_chunk_size_bytes": -1,
        "max_dead_bytes_per_chunk": -1,
    }
    onnxruntime.create_and_register_allocator(where, onnxruntime.OrtArenaCfg(as_wanted))


def _check_graph(path: Path, card: ModelCard, session: Any) -> None:  # noqa: ANN401 - onnxruntime has no types
    """Refuse a graph whose input or outputs differ from the card."""
    taken = [(entry.name, tuple(entry.shape), entry.type) for entry in session.get_inputs()]
    promised = [(card.input.name, card.input.shape, f"tensor({card.input.dtype})")]
    given = [entry.name for entry in session.get_outputs()]
    if taken != promised or given != list(card.outputs):
        raise ModelError(f"the graph of {path} takes {taken} and gives {given}, which is not what its card says")


class Network:
    """A network of one kind, run on pictures."""

    name: ClassVar[str]
    classes: ClassVar[tuple[str, ...]]

    def __init__(self, model: Model) -> None:
        self._run = model.run

    @classmethod
    def load(cls, weights: Path, threads: int = 2) -> Self:
        """Load ``NAME.onnx`` from a folder; ModelError if it cannot be used."""
        return cls(load_model(weights / f"{cls.name}.onnx", name=cls.name, classes=cls.classes, threads=threads))
