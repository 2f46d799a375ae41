"""``houseway evaluate``, ``synth`` and ``train``: score the reading, make labelled pictures, train the models."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from service.cli.common import named_as, plain_errors, refuse, say, today
from service.cli.options import AsJson, MarkersFile, Settings, TableSettings


def evaluate_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder of labelled pictures, or of such folders.")],
    config: TableSettings = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")] = False,
    calibration: Annotated[
        bool, typer.Option(help="Read with the camera that the label file gives, if it gives one.")
    ] = True,
    markers: MarkersFile = None,
    any_size: Annotated[
        bool, typer.Option(help="Find these markers in any size and on any felt: the pictures show other tables.")
    ] = False,
    scores: Annotated[
        Path | None, typer.Option(help="File to write: each tile, with what each reader said (JSON lines).")
    ] = None,
) -> None:
    """Score how well labelled pictures are read.

    The labels never reach the reader. DIR holds NAME.jpg with NAME.json, or pictures with one labels.json (boxes of
    dice; cut-out tiles, which are laid on generated ground), or such folders. With --config, pictures are read with the
    tile model and the direction of the low hand of that table. Exit status: 1 if a picture could not be read, 2 if
    nothing could be tried.
    """
    from rich.console import Console

    from datasets.evaluation.folder_scores import evaluate
    from datasets.evaluation.report import evaluation_json, print_evaluation, print_models, with_bar
    from datasets.labels.label_folders import read_folder
    from datasets.labels.labels import LabelError
    from engine.vocabulary.play import Lie
    from service.rounds.judge.rules_in_force import TableRules
    from service.system.settings import load_table
    from service.system.settings_file import ConfigError
    from service.table.learning.tile_model import TileModel
    from service.words.findings import words_of
    from vision.learning.errors import LearningError
    from vision.markers.markers_file import MarkersError, load_markers
    from vision.networks.model_card import ModelError, read_trained
    from vision.networks.runtime import default_weights
    from vision.reader import Reader

    if scores is not None:
        named_as(scores, ".jsonl", ".json")
    expected = (ConfigError, LabelError, MarkersError, ModelError, LearningError)
    with plain_errors(*expected, program="houseway evaluate"):
        settings = None if config is None else load_table(config)
        model, low_hand = TileModel.of(settings), Lie.VERTICAL
        if settings is not None:
            table = settings.table
            low_hand = TableRules.of(table.rulebook, table.house_way).on(today()).low_hand(table.low_hand)
        pictures = read_folder(folder)
        own = None if markers is None else load_markers(markers)
        reader = Reader.load(model.weights, tiles=model.folder, low_hand=low_hand)
        if own is not None:
            reader = reader.marked(own.of_any_size() if any_size else own)
    track = with_bar if sys.stderr.isatty() else None
    evaluation = evaluate(pictures, reader, calibrated=calibration, track=track)
    if as_json:
        typer.echo(json.dumps(evaluation_json(evaluation, words_of), allow_nan=False))
    else:
        say(f"Tile model {model}")
        print_evaluation(evaluation, Console(), words_of)
        in_use = {version.removeprefix("sha256:") for version in evaluation.versions.values()}
        print_models(read_trained(default_weights()), in_use, Console())
    if scores is not None:
        lines = (json.dumps(asdict(each)) for each in evaluation.total.audited)
        scores.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    for failure in evaluation.failures:
        typer.echo(f"houseway evaluate: {failure.message}", err=True)
    if evaluation.failures:
        raise typer.Exit(1)


HANDED_ON = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}


def synth(context: typer.Context) -> None:
    """Make labelled pictures of generated tables, and films of simulated rounds."""
    from datasets.generate import app

    app(context.args, prog_name="houseway synth")


def train(
    context: typer.Context,
    crops: Annotated[
        Path | None,
        typer.Option("--with", help="With tiles: the folder of a table's own tile pictures, from houseway collect."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="With tiles: new folder for the candidate model.")] = None,
    config: Settings = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Train the models from scratch, or refine the tile model for one table.

    houseway train: all four models. houseway train detector, tiles, dice or lean: one of them. This needs PyTorch
    (requirements-train.txt) and takes hours.

    houseway train tiles --with FOLDER --out FOLDER: refine the tile model from a table's own tiles, in a minute and
    without PyTorch (docs/learning.md). With --config it is compared with the model in use at that table.
    """
    if crops is not None:
        from service.cli.tile_models import refine

        if context.args != ["tiles"] or out is None:
            refuse("crops refine the tile model: houseway train tiles --with FOLDER --out FOLDER")
        refine(crops, out, config, as_json=as_json)
        return
    if context.args == ["--help"]:
        typer.echo(context.get_help())
        return
    if find_spec("torch") is None:
        refuse("training needs PyTorch, which a table does not: pip install -r requirements-train.txt")
    one = bool(context.args) and not context.args[0].startswith("-")
    named = (("--out", out), ("--config", config))
    given = [word for option, value in named if value is not None for word in (option, str(value))]
    command = [sys.executable, "-m", "models.train" if one else "models.recipe", *context.args, *given]
    raise typer.Exit(subprocess.run(command, check=False).returncode)  # noqa: S603 - ours
