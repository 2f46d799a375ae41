"""``houseway models``: which tile model a table uses."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.common import Settings, attribution, plain_errors, plain_record_errors, say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.config.settings import Config
    from service.record.store.record import Record

Reason = Annotated[str, typer.Option("--reason", help="Why. Recorded with the change.")]


@contextmanager
def _settings(config: Path | None) -> Iterator[Config]:
    from service.config.settings import SAMPLE_CONFIG, load_config
    from vision.learning.errors import LearningError
    from vision.networks.model_card import ModelError

    with plain_record_errors(), plain_errors(LearningError, ModelError, OSError, program="houseway models"):
        yield load_config(config or SAMPLE_CONFIG)


def list_models(config: Settings = None) -> None:
    """List the tile model in use and those before it.

    Also shows how good the candidate of models.shadow is.
    """
    from service.learning.choice import ModelChoice
    from service.learning.shadow import read_report
    from vision.networks.classifier import TILE_MODEL
    from vision.networks.model_card import sha256_of

    with _settings(config) as settings:
        choice = ModelChoice(settings.models_folder)
        say(f"shipped    {sha256_of(settings.weights_folder / TILE_MODEL)[:12]}")
        for each in choice.taken():
            say(f"put in use {each.sha256[:12]} {each.at:%Y-%m-%d %H:%M} UTC by {each.by}: {each.reason}")
        used = sha256_of((choice.in_use() or settings.weights_folder) / TILE_MODEL)
        say(f"in use     {used[:12]}, from the next start of the service on")
        if settings.models.shadow is not None:
            candidate = sha256_of(settings.models.shadow / TILE_MODEL)
            report = read_report(settings.models_folder, candidate, used)
            if report is None:
                say(f"candidate  {candidate[:12]} has not read any tiles yet")
                return
            old, new = report.used_figures, report.candidate_figures
            say(f"candidate  {candidate[:12]} in {report.watched_s / 3600:.1f} hours, {new.crops} tiles:")
            say(f"           right {old.right} -> {new.right}, sure {old.sure} -> {new.sure}")
            verdict = "worse" if report.worse else "not worse"
            say(f"           surely wrong {old.surely_wrong} -> {new.surely_wrong}, {verdict}")


def take_model(
    folder: Annotated[Path, typer.Argument(help="The candidate's folder, from houseway train tiles.")],
    reason: Reason,
    config: Settings = None,
) -> None:
    """Put a candidate model in use, if it is no worse.

    It must be no worse than the model in use on all stored tile pictures and on the shipped ones, and must have read in
    parallel for models.shadow_hours without being worse. It is used after the next start of the service; the change is
    recorded.
    """
    from service.learning.taking import take

    with _settings(config) as settings, _record(settings) as record:
        taken = take(settings, record, folder, settings.weights_folder, attribution(reason))
    say(f"{taken.sha256[:12]} is in use from the next start of the service on; houseway models back undoes it")


def back_model(reason: Reason, config: Settings = None) -> None:
    """Put the previous tile model in use again.

    It is used after the next start of the service; the change is recorded.
    """
    from service.learning.taking import back

    with _settings(config) as settings, _record(settings) as record:
        before = back(settings, record, attribution(reason))
    which = "the shipped model" if before is None else before.sha256[:12]
    say(f"{which} is in use from the next start of the service on")


def _record(settings: Config) -> Record:
    from service.record.store.record import Record
    from service.record.store.record_settings import RecordSettings

    return Record(RecordSettings.of(settings), claim=False)
