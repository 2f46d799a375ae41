"""``houseway train tiles --with``: the tile model refined from a table's own crops, on the table's own computer."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

import typer

from service.cli.common import plain_errors, say

if TYPE_CHECKING:
    from pathlib import Path

    from vision.learning.candidate import Candidate

_SETS: Final = {
    "kept": "all crops kept",
    "held_out": "the same, each left out in turn",
    "shipped": "shipped crops",
}


def refine(crops: Path, out: Path, config: Path | None, *, as_json: bool) -> None:
    """Refine the tile model from a table's own crops, and compare it with the one in use.

    The candidate is written only if it is no worse on all crops and better on those left out in turn; else the status
    is 1. Nothing uses it until houseway models take. Exit status 2 means that it could not be tried.

    Args:
        crops: folder of crops.
        out: new folder for the candidate.
        config: the table's settings, whose model in use it is compared with; None for the shipped model.
        as_json: whether to print JSON.
    """
    from service.config.settings import load_config
    from service.config.settings_file import ConfigError
    from service.learning.choice import own_tiles
    from vision.learning.candidate import refine as refined
    from vision.learning.candidate import write_candidate
    from vision.learning.errors import LearningError
    from vision.learning.kept_crops import CropFolder
    from vision.learning.shipped_set import read_shipped
    from vision.networks.model_card import ModelError
    from vision.networks.runtime import default_weights

    with plain_errors(ConfigError, LearningError, ModelError, OSError, program="houseway train tiles"):
        if out.exists():
            raise LearningError(f"{out}: already exists; name a new folder")
        settings = None if config is None else load_config(config)
        in_use = None if settings is None else own_tiles(settings.models_folder)
        weights = default_weights() if settings is None else settings.weights_folder
        found = refined(CropFolder(crops).read(), read_shipped(), weights, in_use)
        taken = found.gains and not found.worse_on
        if taken:
            write_candidate(found, out)
    _print(found, out if taken else None, as_json=as_json)
    if not taken:
        raise typer.Exit(1)


def _print(found: Candidate, written: Path | None, *, as_json: bool) -> None:
    """Print what became of it."""
    if as_json:
        told = {
            "candidate": None if written is None else {"path": str(written), "sha256": found.card.sha256},
            "sets": {name: asdict(each) for name, each in found.sets.items()},
            "worse_on": list(found.worse_on),
            "left_out": [each.origin.name for each in found.left_out],
            "minutes": found.card.training["minutes"],
        }
        say(json.dumps(told))
        return
    say(f"learnt from {found.card.data['kept_crops']} crops in {found.card.training['minutes']} minutes")
    for name, words in _SETS.items():
        before, after = found.sets[name].before, found.sets[name].after
        right = f"right {before.right} -> {after.right}, sure {before.sure} -> {after.sure}"
        wrong = f"wrong {before.wrong} -> {after.wrong}, surely {before.surely_wrong} -> {after.surely_wrong}"
        say(f"{words:<32} {after.crops:5} crops: {right}; {wrong}")
    for each in found.left_out:
        say(f"left out: {each.face} of {each.origin.name}.png, no reader sees that face in it", err=True)
    if written is not None:
        say(f'candidate {written}, sha256 {found.card.sha256[:12]}; try it with models.shadow = "{written}"')
    elif found.worse_on:
        say(f"not written: the candidate is worse on {', '.join(_SETS[name] for name in found.worse_on)}")
    else:
        say("not written: the candidate reads crops that were left out in turn no better")
