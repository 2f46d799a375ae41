"""First weights for a training from an exported network: where its checkpoint is lost, learning can go on all the same.

An export folds every normalisation into the convolution before it. A training needs them apart again: each gets the
mean and spread that the convolution has over some batches, and scales so that the answers stay what they were.
"""

from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from models.tasks import Task

BATCHES = 8
WHOLE = "_quantized"
"""How onnxruntime ends the name of a weight that it put in whole numbers."""


class BeginError(ValueError):
    """An exported network that the task's network cannot begin with."""


@torch.no_grad()
def begin_with_export(task: Task, path: Path, seed: int = 0) -> nn.Module:
    """Return the task's network with the weights of an ONNX file written by ``models.export``.

    Planes of the first convolution that the file does not know yet begin at nought.

    Args:
        task: whose network to fill, and whose batches to measure spreads on.
        path: the ONNX file, in floats or with a trunk in eight bits (``models.quantise``), whose weights are then as
            exact as those are.
        seed: of the batches.

    Raises:
        BeginError: a layer is missing or of another shape.
    """
    stored = _stored(onnx.load(path))
    network = task.network()
    pictures = [task.batch(np.random.default_rng((seed, number)))[0] for number in range(BATCHES)]
    for name, layer in network.named_modules():
        if isinstance(layer, nn.Conv2d | nn.Linear):
            layer.weight.copy_(_widened(_taken(stored, f"{name}.weight"), layer.weight, name))
            if layer.bias is not None:
                layer.bias.copy_(_widened(_taken(stored, f"{name}.bias"), layer.bias, name))
    network.eval()
    for name, norm in _norms_after(network):
        _unfold(network, norm, _taken(stored, f"{name}.weight_bias"), pictures)
    return network


def _stored(model: onnx.ModelProto) -> dict[str, Tensor]:
    """Return the weights of an exported network by layer, those in whole numbers as floats again."""
    arrays = {
        part.name.removeprefix("network."): numpy_helper.to_array(part)
        for part in model.graph.initializer
        if part.name.startswith("network.")
    }
    for name in [name for name in arrays if name.endswith(WHOLE)]:
        whole, plain = arrays.pop(name), name.removesuffix(WHOLE)
        # A weight's scale bears the weight's own name, a bias's that of its whole numbers.
        scale = arrays[f"{name}_scale" if f"{name}_scale" in arrays else f"{plain}_scale"]
        arrays[plain] = whole.astype(np.float32) * scale.reshape(-1, *[1] * (whole.ndim - 1))
    return {name: torch.from_numpy(array.copy()) for name, array in arrays.items()}


def _taken(stored: dict[str, Tensor], name: str) -> Tensor:
    if name not in stored:
        raise BeginError(f"the file holds no {name}: it is of another network")
    return stored[name]


def _widened(weights: Tensor, wanted: Tensor, name: str) -> Tensor:
    """Return the weights with nought for planes that are new."""
    if weights.shape == wanted.shape:
        return weights
    more = wanted.shape[1] - weights.shape[1] if weights.ndim == wanted.ndim == 4 else -1
    if more < 0 or weights.shape[0] != wanted.shape[0] or weights.shape[2:] != wanted.shape[2:]:
        raise BeginError(f"{name} has the shape {tuple(weights.shape)}, not {tuple(wanted.shape)}")
    return torch.cat([weights, wanted.new_zeros(len(weights), more, *wanted.shape[2:])], 1)


def _norms_after(network: nn.Module) -> list[tuple[str, nn.BatchNorm2d]]:
    """Return each normalisation with the name of the convolution before it, in the order they are passed."""
    found, convolution = [], ""
    for name, layer in network.named_modules():
        if isinstance(layer, nn.Conv2d):
            convolution = name
        elif isinstance(layer, nn.BatchNorm2d):
            found.append((convolution, layer))
    return found


def _unfold(network: nn.Module, norm: nn.BatchNorm2d, bias: Tensor, pictures: list[Tensor]) -> None:
    """Set one normalisation so that it adds the bias and else changes nothing."""
    sums: list[Tensor] = []

    def keep(_: nn.Module, given: tuple[Tensor, ...]) -> None:
        sums.append(torch.stack([given[0].mean((0, 2, 3)), given[0].square().mean((0, 2, 3))]))

    handle = norm.register_forward_pre_hook(keep)
    for part in pictures:
        network(part)
    handle.remove()
    mean, square = torch.stack(sums).mean(0)
    spread = (square - mean.square()).clamp(min=0.0)
    norm.running_mean, norm.running_var = mean.clone(), spread.clone()
    norm.weight.copy_((spread + norm.eps).sqrt())
    norm.bias.copy_(mean + bias)
