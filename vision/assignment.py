"""Optimal assignment between two sets."""

from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from vision.arrays import Indices


def cheapest_pairs(costs: NDArray[Any]) -> tuple[Indices, Indices]:
    """Pair rows with columns, each at most once and as many as possible, at minimum total cost.

    Args:
        costs: (rows, columns) cost of each pair; infinite for forbidden pairs.

    Returns:
        The rows in order, and the column of each.

    Raises:
        ValueError: every assignment has a forbidden pair.
    """
    rows, columns = _solve(costs)
    return rows, columns


def _solver() -> Any:  # noqa: ANN401 - it has no types
    """SciPy's ``linear_sum_assignment``, without the package around it.

    Importing ``scipy.optimize`` takes a third of a second and thirty megabytes, for a single compiled function. If a
    version of SciPy has it elsewhere, the package is imported.
    """
    scipy = find_spec("scipy")
    folders = [] if scipy is None else [str(Path(each) / "optimize") for each in scipy.submodule_search_locations or ()]
    alone = PathFinder.find_spec("_lsap", folders)
    if alone is None or alone.loader is None:
        return import_module("scipy.optimize").linear_sum_assignment
    module = module_from_spec(alone)
    alone.loader.exec_module(module)
    return module.linear_sum_assignment


_solve = _solver()
