"""A candidate put in use at a table, or the model before it again: by a person, for a reason, and recorded."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from service.learning.choice import ModelChoice, Taken
from service.learning.shadow import FEWEST_TILES, read_report
from service.record.store.entries import Draft
from vision.learning.candidate import compared, trusted
from vision.learning.errors import LearningError
from vision.learning.kept_crops import CropFolder
from vision.learning.shipped_set import read_shipped
from vision.networks.classifier import TILE_MODEL, TileClassifier
from vision.networks.model_card import card_path, read_card, sha256_of

if TYPE_CHECKING:
    from pathlib import Path

    from service.config.settings import Config
    from service.record.changes import Attribution
    from service.record.store.record import Record
    from vision.learning.candidate import Compared

PUT_IN_USE: Final = "put in use"
PUT_BACK: Final = "put back"


def refusals(config: Config, candidate: Path, weights: Path) -> tuple[str, ...]:
    """Why a candidate may not be put in use; empty if it may.

    Args:
        config: the settings of the table.
        candidate: its folder.
        weights: folder of the shipped models.

    Raises:
        ModelError: it is no tile model, or was altered.
        LearningError: the crops kept, or what shadow reading found, cannot be read.
    """
    TileClassifier.load(candidate)
    card, shipped = read_card(card_path(candidate / TILE_MODEL)), sha256_of(weights / TILE_MODEL)
    if "began_with" not in card.training or "compared_with" not in card.training:
        return ("it is no candidate: make one with houseway train tiles --with FOLDER --out FOLDER",)
    used = ModelChoice(config.models_folder).in_use() or weights
    if card.sha256 == sha256_of(used / TILE_MODEL):
        return ("it is in use already",)
    found = []
    if card.training["began_with"] != shipped:
        found.append("it was made from another shipped model than the one installed: train again")
    crops = CropFolder(config.crops_folder)
    kept = trusted(crops.read(), weights) if crops.path.is_dir() else []
    sets = compared(candidate, used, kept, read_shipped())
    found += [_worse(name, each) for name, each in sets.items() if each.worse]
    return (*found, *_in_shadow(config, card.sha256, sha256_of(used / TILE_MODEL)))


def take(config: Config, record: Record, candidate: Path, weights: Path, attribution: Attribution) -> Taken:
    """Use a candidate from the next start of the service on.

    Raises:
        ModelError: it is no tile model, or was altered.
        LearningError: it may not be used; the message says why.
        RecordUnavailableError: that cannot be recorded; then nothing is changed.
        OSError: it cannot be written.
    """
    if why := refusals(config, candidate, weights):
        raise LearningError(f"{candidate} is not put in use: {'; '.join(why)}")
    choice = ModelChoice(config.models_folder)
    before = choice.taken()
    sha256 = choice.copy(candidate)
    taken = Taken(sha256=sha256, at=datetime.now(UTC), by=attribution.by, reason=attribution.reason)
    measured = dict(read_card(card_path(candidate / TILE_MODEL)).measured)
    _note(config, record, PUT_IN_USE, attribution, now=sha256, before=_last(before), measured=measured)
    choice.put((*before, taken))
    return taken


def back(config: Config, record: Record, attribution: Attribution) -> Taken | None:
    """Use the model before from the next start of the service on; returns which, None for the shipped one.

    Raises:
        LearningError: the shipped model is in use.
        RecordUnavailableError: that cannot be recorded; then nothing is changed.
        OSError: it cannot be written.
    """
    choice = ModelChoice(config.models_folder)
    taken = choice.taken()
    if not taken:
        raise LearningError("the shipped model is in use, so there is none before it")
    _note(config, record, PUT_BACK, attribution, now=_last(taken[:-1]), before=_last(taken))
    choice.put(taken[:-1])
    return taken[-2] if len(taken) > 1 else None


def _worse(name: str, sets: Compared) -> str:
    before, after = sets.before, sets.after
    return (
        f"it is worse on the {name} crops: {after.right} of {after.crops} right in place of {before.right}, "
        f"{after.wrong} wrong in place of {before.wrong}, {after.surely_wrong} of them surely in place of "
        f"{before.surely_wrong}"
    )


def _in_shadow(config: Config, candidate: str, used: str) -> tuple[str, ...]:
    """What shadow reading says against a candidate."""
    hours = config.models.shadow_hours
    if not hours:
        return ()
    report = read_report(config.models_folder, config.table.name, candidate, used)
    if report is None:
        return (f"it has not read beside the model in use: set models.shadow to its folder for {hours:g} hours",)
    read = report.candidate_figures.crops
    if report.worse:
        why = (
            f"it is worse in shadow reading: of {read} tiles {report.only_used} were right by the model in use alone, "
            f"{report.only_candidate} by the candidate alone; {report.candidate_figures.surely_wrong} are surely wrong "
            f"in place of {report.used_figures.surely_wrong}"
        )
        return (why,)
    if report.watched_s < hours * 3600 or read < FEWEST_TILES:
        watched = f"{report.watched_s / 3600:.1f} of {hours:g} hours, {read} of at least {FEWEST_TILES} tiles"
        return (f"it has read beside the model in use for {watched}",)
    return ()


def _last(taken: tuple[Taken, ...]) -> str | None:
    return taken[-1].sha256 if taken else None


def _note(config: Config, record: Record, act: str, attribution: Attribution, **told: Any) -> None:  # noqa: ANN401
    """Record a change before it is made: a model that nobody put in use is never used."""
    body = {"act": act, "by": attribution.by, "reason": attribution.reason, **told}
    record.append(Draft("models", body, table=config.table.name, subject=config.table.name))
