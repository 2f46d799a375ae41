"""A candidate model: the tile classifier refined from a table's kept crops, with measurements against the current one.

Every refinement starts from the shipped model and all kept crops, so errors cannot accumulate, and a
newer shipped model is refined from the same crops.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import uuid
from dataclasses import asdict, dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Final, Self

import numpy as np

from vision.learning.comparison import Figures, figures_of
from vision.learning.errors import LearningError
from vision.learning.kept_crops import digest_of
from vision.learning.labelling import readers_on
from vision.learning.last_layer import OpenedClassifier
from vision.learning.refit import REPLAYED_VIEWS, VIEWS, Lesson, between, one_hot, refit, views
from vision.networks.classifier import TILE_CLASSES, TILE_MODEL, TileClassifier
from vision.networks.model_card import card_path, read_card

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from vision.arrays import Floats, Indices, Mask, TileCrops
    from vision.learning.kept_crops import KeptCrop
    from vision.learning.last_layer import LastLayer
    from vision.learning.shipped_set import ShippedSet
    from vision.networks.classifier import NamesTiles
    from vision.networks.model_card import ModelCard

FEWEST: Final = 32
"""Minimum number of crops: one display."""
_FOLDS: Final = 4
_SHARES: Final = (1.0, 0.7, 0.5, 0.35, 0.2, 0.1)
"""Interpolation from the shipped to the refitted layer: the first of these that is no worse is used."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Measurements of the previous model and the candidate on one set."""

    before: Figures
    after: Figures

    @property
    def worse(self) -> bool:
        return self.after.worse_than(self.before)


@dataclass(frozen=True, eq=False, slots=True)
class Candidate:
    """A refined classifier that is not written yet.

    Attributes:
        model: the ONNX file.
        card: its description.
        sets: by name: ``kept`` and ``shipped`` compared with the model in use, ``held_out`` with the shipped one: the
            table's crops in cross-validation.
        left_out: crops whose face no reader confirmed; excluded from training.
    """

    model: bytes
    card: ModelCard
    sets: dict[str, Compared]
    left_out: tuple[KeptCrop, ...]

    @property
    def worse_on(self) -> tuple[str, ...]:
        """Names of the sets on which it is worse than before; such a candidate must not be used."""
        return tuple(name for name, each in self.sets.items() if each.worse)

    @property
    def gains(self) -> bool:
        """Whether held-out crops of the table are classified better, or with more confidence."""
        return self.sets["held_out"].after.better_than(self.sets["held_out"].before)


def refine(
    kept: Sequence[KeptCrop], shipped: ShippedSet, weights: Path, in_use: Path | None = None, threads: int = 2
) -> Candidate:
    """Refine the shipped classifier from kept crops.

    Args:
        kept: crops with known faces.
        shipped: crops of other manufacturers.
        weights: folder of the shipped models.
        in_use: folder of the current classifier; None for the shipped one.
        threads: for the networks.

    Raises:
        LearningError: too few crops, or none that the current model was not trained on.
        ModelError: a model cannot be used.
    """
    start = perf_counter()
    base, opened = TileClassifier.load(weights, threads), OpenedClassifier(weights / TILE_MODEL, threads)
    base_card = read_card(card_path(weights / TILE_MODEL))
    used = base if in_use is None else TileClassifier.load(in_use, threads)
    used_card = base_card if in_use is None else read_card(card_path(in_use / TILE_MODEL))
    trusted = _trusted(kept, base)
    left_out = tuple(each for each, good in zip(kept, trusted, strict=True) if not good)
    kept = [each for each, good in zip(kept, trusted, strict=True) if good]
    if len(kept) < FEWEST:
        raise LearningError(f"{len(kept)} crops that can be learnt from; {FEWEST} are needed, as of one display check")
    digest = digest_of(kept)
    if (used_card.data.get("digest"), used_card.training.get("began_with")) == (digest, base_card.sha256):
        raise LearningError("nothing was kept that the model in use has not learnt from; collect more crops first")
    own = _Own.of(kept, opened)
    before = {
        "kept": figures_of(used(own.crops), own.labels),
        "held_out": figures_of(base(own.crops), own.labels),
        "shipped": figures_of(used(shipped.crops), shipped.labels),
    }
    fitted = _Fitted.of(opened, own, shipped)
    share, after = 0.0, before
    for share in _SHARES:
        after = fitted.figures(share, own, shipped)
        if not any(after[name].worse_than(before[name]) for name in before):
            break
    sets = {name: Compared(before[name], after[name]) for name in before}
    model = opened.with_last(between(opened.last, fitted.last, share))
    card = replace(
        base_card,
        sha256=hashlib.sha256(model).hexdigest(),
        data={"kept_crops": len(kept), "left_out": len(left_out), "digest": digest, "shipped_crops": shipped.sha256},
        training={
            "began_with": base_card.sha256,
            "compared_with": used_card.sha256,
            "method": "last layer refitted",
            "share": share,
            "minutes": round((perf_counter() - start) / 60, 2),
        },
        measured=_measured(sets),
    )
    return Candidate(model, card, sets, left_out)


def write_candidate(found: Candidate, folder: Path) -> Path:
    """Write a candidate into a new folder atomically; returns the path of the model.

    Raises:
        LearningError: the candidate is worse than the current model, or the folder exists.
        OSError: it cannot be written.
    """
    if found.worse_on:
        raise LearningError(f"the candidate is worse on {', '.join(found.worse_on)}; it is not written")
    if folder.exists():
        raise LearningError(f"{folder}: is there already; name a new folder")
    draft = folder.with_name(f".{folder.name}.{uuid.uuid4().hex[:8]}")
    draft.mkdir(parents=True)
    try:
        (draft / TILE_MODEL).write_bytes(found.model)
        found.card.write(card_path(draft / TILE_MODEL))
        for file in draft.iterdir():
            with file.open("rb") as written:
                os.fsync(written.fileno())
        draft.rename(folder)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return folder / TILE_MODEL


@dataclass(frozen=True, eq=False, slots=True)
class _Own:
    """The table's own crops, prepared for training.

    Attributes:
        crops: (n, 96, 48, 3).
        labels: (n,) classes.
        folds: (n,) cross-validation fold of each.
        features: (n * VIEWS, features) of all their views.
    """

    crops: TileCrops
    labels: Indices
    folds: Indices
    features: Floats

    @classmethod
    def of(cls, kept: Sequence[KeptCrop], opened: OpenedClassifier) -> Self:
        crops = np.stack([each.crop for each in kept])
        labels = np.array([each.face.index for each in kept], np.int64)
        return cls(crops, labels, _folds(kept), opened.features(views(crops, VIEWS)))

    @property
    def plain(self) -> Floats:
        """Features (n, features) of the crops themselves."""
        return self.features[::VIEWS]

    def lesson(self, which: Mask) -> Lesson:
        """Some of them (n,), with their targets."""
        targets = one_hot(self.labels[which].repeat(VIEWS), len(TILE_CLASSES))
        return Lesson(self.features[which.repeat(VIEWS)], targets)


@dataclass(frozen=True, eq=False, slots=True)
class _Fitted:
    """Layers fitted to the table's crops: to all of them, and to all but each fold.

    Attributes:
        before: the initial layer.
        last: fitted to all.
        without: by fold, fitted to the others.
        measured: features of the shipped crops used for measurement.
    """

    before: LastLayer
    last: LastLayer
    without: dict[int, LastLayer]
    measured: Floats

    @classmethod
    def of(cls, opened: OpenedClassifier, own: _Own, shipped: ShippedSet) -> Self:
        replayed = opened.features(views(shipped.replayed, REPLAYED_VIEWS))
        whole = np.ones(len(own.labels), np.bool_)
        without = {
            int(fold): refit(opened.last, own.lesson(own.folds != fold), replayed) for fold in np.unique(own.folds)
        }
        return cls(
            opened.last, refit(opened.last, own.lesson(whole), replayed), without, opened.features(shipped.crops)
        )

    def figures(self, share: float, own: _Own, shipped: ShippedSet) -> dict[str, Figures]:
        """Classification measurements at a point between the initial and the fitted layers."""
        last = between(self.before, self.last, share)
        held_out = [
            figures_of(between(self.before, layer, share).chances(own.plain[part]), own.labels[part])
            for fold, layer in self.without.items()
            for part in [own.folds == fold]
        ]
        return {
            "kept": figures_of(last.chances(own.plain), own.labels),
            "held_out": sum(held_out[1:], held_out[0]),
            "shipped": figures_of(last.chances(self.measured), shipped.labels),
        }


def _trusted(kept: Sequence[KeptCrop], name: NamesTiles) -> Mask:
    """Which crops (n,) are used for training: a reader agrees with the label, or a person accepted it.

    A person's label counts if the readers are in doubt, not if both agree on another face.
    """
    accepted = np.array([each.origin.accepted_by is not None for each in kept], np.bool_)
    if not len(kept):
        return accepted
    agrees, contradicts = readers_on(np.stack([each.crop for each in kept]), [each.face for each in kept], name)
    return np.asarray(agrees | (accepted & ~contradicts))


def _folds(kept: Sequence[KeptCrop]) -> Indices:
    """Cross-validation fold of each crop: displays and rounds are not split; of a single one every second tile."""
    groups = sorted({each.group for each in kept})
    if len(groups) == 1:
        return np.array([each.origin.number % 2 for each in kept], np.int64)
    return np.array([groups.index(each.group) % _FOLDS for each in kept], np.int64)


def _measured(sets: Mapping[str, Compared]) -> dict[str, float]:
    """All measurements for a card, by set, time and quantity."""
    return {
        f"{name}_{when}_{what}": float(count)
        for name, each in sets.items()
        for when, figures in (("before", each.before), ("after", each.after))
        for what, count in asdict(figures).items()
    }


def compared(candidate: Path, in_use: Path, kept: Sequence[KeptCrop], shipped: ShippedSet) -> dict[str, Compared]:
    """Classify kept and shipped crops with a candidate and with the current model, each by its folder; ModelError."""
    new, used = (TileClassifier.load(folder) for folder in (candidate, in_use))
    labels = np.array([each.face.index for each in kept], np.int64)
    sets = {"shipped": (shipped.crops, shipped.labels)}
    if len(kept):
        sets["kept"] = (np.stack([each.crop for each in kept]), labels)
    return {
        name: Compared(figures_of(used(crops), known), figures_of(new(crops), known))
        for name, (crops, known) in sets.items()
    }


def trusted(kept: Sequence[KeptCrop], weights: Path) -> list[KeptCrop]:
    """The crops used for training; the others have a face that no reader confirms. ModelError."""
    good = _trusted(kept, TileClassifier.load(weights))
    return [each for each, well in zip(kept, good, strict=True) if well]
