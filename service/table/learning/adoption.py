"""A person adopts a candidate at a table, or goes back to the model before it; both are recorded with a reason."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from service.record.store.entries import Draft
from service.table.learning.shadow_reading import FEWEST_TILES, read_report
from service.table.learning.tile_model import Adoption, ModelChoice
from vision.learning.candidate import compared, trusted
from vision.learning.errors import LearningError
from vision.learning.kept_crops import CropFolder
from vision.learning.shipped_set import read_shipped
from vision.networks.classifier import TILE_MODEL, TileClassifier
from vision.networks.model_card import card_path, read_card, sha256_of

if TYPE_CHECKING:
    from pathlib import Path

    from service.record.changes import Attribution
    from service.record.store.record import Record
    from service.system.settings import Config
    from vision.learning.candidate import Compared

PUT_IN_USE: Final = "put in use"
PUT_BACK: Final = "put back"


def objections(config: Config, candidate: Path, weights: Path) -> tuple[str, ...]:
    """Return the reasons against adopting a candidate; empty if there are none.

    Args:
        config: the settings of the table.
        candidate: folder of the candidate.
        weights: folder of the shipped models.

    Raises:
        ModelError: the candidate is not a tile model, or was altered.
        LearningError: the crops or the shadow report are unreadable.
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
        found.append("it was trained from another shipped model than the one installed: train again")
    crops = CropFolder(config.crops_folder)
    kept = trusted(crops.read(), weights) if crops.path.is_dir() else []
    sets = compared(candidate, used, kept, read_shipped())
    found += [_worse(name, each) for name, each in sets.items() if each.worse]
    return (*found, *_in_shadow(config, card.sha256, sha256_of(used / TILE_MODEL)))


def adopt(config: Config, record: Record, candidate: Path, weights: Path, attribution: Attribution) -> Adoption:
    """Use a candidate from the next start of the service on.

    Raises:
        ModelError: the candidate is not a tile model, or was altered.
        LearningError: it may not be adopted; the message says why.
        RecordUnavailableError: the adoption cannot be recorded; nothing is changed.
        OSError: a file cannot be written.
    """
    if why := objections(config, candidate, weights):
        raise LearningError(f"{candidate} is not put in use: {'; '.join(why)}")
    choice = ModelChoice(config.models_folder)
    before = choice.adoptions()
    sha256 = choice.copy(candidate)
    adoption = Adoption(sha256=sha256, at=datetime.now(UTC), by=attribution.by, reason=attribution.reason)
    measured = dict(read_card(card_path(candidate / TILE_MODEL)).measured)
    _note(config, record, PUT_IN_USE, attribution, now=sha256, before=_last(before), measured=measured)
    choice.put((*before, adoption))
    return adoption


def revert(config: Config, record: Record, attribution: Attribution) -> Adoption | None:
    """Use the previous model from the next start of the service on and return it; None for the shipped one.

    Raises:
        LearningError: the shipped model is in use.
        RecordUnavailableError: the change cannot be recorded; nothing is changed.
        OSError: a file cannot be written.
    """
    choice = ModelChoice(config.models_folder)
    adoptions = choice.adoptions()
    if not adoptions:
        raise LearningError("the shipped model is in use: there is no previous one")
    _note(config, record, PUT_BACK, attribution, now=_last(adoptions[:-1]), before=_last(adoptions))
    choice.put(adoptions[:-1])
    return adoptions[-2] if len(adoptions) > 1 else None


def _worse(name: str, sets: Compared) -> str:
    before, after = sets.before, sets.after
    return (
        f"it is worse on the {name} crops: {after.right} of {after.crops} correct instead of {before.right}, "
        f"{after.wrong} wrong instead of {before.wrong}, {after.surely_wrong} of them confidently instead of "
        f"{before.surely_wrong}"
    )


def _in_shadow(config: Config, candidate: str, used: str) -> tuple[str, ...]:
    """Return the objections from shadow reading."""
    hours = config.models.shadow_hours
    if not hours:
        return ()
    report = read_report(config.models_folder, config.table.name, candidate, used)
    if report is None:
        return (f"it has not read beside the model in use: set models.shadow to its folder for {hours:g} hours",)
    read = report.candidate_figures.crops
    if report.worse:
        why = (
            f"it is worse in shadow reading: of {read} tiles {report.only_used} were correct only by the model in use, "
            f"{report.only_candidate} only by the candidate; {report.candidate_figures.surely_wrong} are confidently "
            f"wrong instead of {report.used_figures.surely_wrong}"
        )
        return (why,)
    if report.watched_s < hours * 3600 or read < FEWEST_TILES:
        watched = f"{report.watched_s / 3600:.1f} of {hours:g} hours, {read} of at least {FEWEST_TILES} tiles"
        return (f"it has read beside the model in use for {watched}",)
    return ()


def _last(adoptions: tuple[Adoption, ...]) -> str | None:
    return adoptions[-1].sha256 if adoptions else None


def _note(config: Config, record: Record, act: str, attribution: Attribution, **details: Any) -> None:  # noqa: ANN401
    """Record a change before it is made, so that no model is used whose adoption is not recorded."""
    body = {"act": act, "by": attribution.by, "reason": attribution.reason, **details}
    record.append(Draft("models", body, table=config.table.name, subject=config.table.name))
