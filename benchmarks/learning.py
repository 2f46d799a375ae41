"""Tables with sets of strange makers: how the tile classifier reads them before it learns at the table, and after.

    python -m benchmarks.learning draw FOLDER [--tables 6] [--seed 1]
    python -m benchmarks.learning read FOLDER

Of each table: the display of two days, from which is learnt, each in its own light; then a third day's display and
rounds, on which both are measured. Bodies, colours and pips of the sets lie beyond all that the models were trained on.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from benchmarks.enrolment import ORDER, in_other_light, round_of, save, shown
from benchmarks.measure import parser_of, report
from calibration.files.calibration_file import load_calibration
from datasets.evaluation.outline_matching import match, outline_overlap
from datasets.labels.label_files import read_labels
from datasets.rendering.renderer import render
from datasets.scenes.table_plan import furniture
from datasets.scenes.whole_table import sample_setup, throw
from vision.capture.images import load_image
from vision.crops import tile_crops
from vision.enrolment.learning import ReadPicture
from vision.learning.candidate import FEWEST, refine
from vision.learning.comparison import figures_of
from vision.learning.kept_crops import CropFolder, KeptCrop, Origin
from vision.learning.labelling import labelled_display, supported
from vision.learning.shipped_set import read_shipped
from vision.networks.classifier import TILE_CLASSES, TileClassifier
from vision.networks.runtime import default_weights
from vision.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vision.arrays import Indices, TileCrops

LEARNT_DAYS: Final = 2
ROUNDS: Final = 4
SIZE: Final = (1280, 720)
"""Of the table's camera: a small one, whose tiles are thirty pixels long."""
STRANGERS: Final[Mapping[str, tuple[Mapping[str, Any], float]]] = {
    "brown with tiny ivory pips": (
        {"body": (0.03, 0.06, 0.12), "pip_plain": (0.25, 0.55, 0.65), "pip_scale": 0.5, "spread": 0.88},
        1.0,
    ),
    "blue with dull pips": (
        {"body": (0.3, 0.05, 0.05), "pip_plain": (0.1, 0.3, 0.3), "pip_red": (0.05, 0.05, 0.3), "pip_gloss": 0.9},
        1.0,
    ),
    "dark blue with large yellow pips": (
        {"body": (0.1, 0.02, 0.02), "pip_plain": (0.05, 0.5, 0.6), "pip_scale": 1.3, "spread": 0.9},
        1.2,
    ),
    "red with black and white pips": (
        {"body": (0.05, 0.05, 0.3), "pip_plain": (0.02, 0.02, 0.02), "pip_red": (0.5, 0.5, 0.5)},
        1.2,
    ),
    "brown with small pips": (
        {"body": (0.03, 0.06, 0.12), "pip_plain": (0.25, 0.55, 0.65), "pip_scale": 0.62, "spread": 0.88},
        1.6,
    ),
    "bone with faded pips": (
        {"body": (0.45, 0.65, 0.72), "pip_plain": (0.3, 0.25, 0.2), "pip_red": (0.18, 0.22, 0.5), "pip_scale": 0.8},
        0.5,
    ),
}
"""Looks of each set, and the defocus of its table's camera, pixels."""


def draw(folder: Path, tables: int, seed: int) -> None:
    """Draw the tables that are not there yet, so many of the strange sets, one each."""
    for number in range(tables):
        where = folder / f"table{number:02d}"
        if not (where / f"round{ROUNDS - 1}.json").exists():
            draw_table(where, seed, number)


def draw_table(folder: Path, seed: int, number: int) -> None:
    """Draw one table's pictures."""
    rng = np.random.default_rng((seed, number))
    at = sample_setup(rng, SIZE)
    looks, defocus_px = list(STRANGERS.values())[number]
    capture = replace(at.bare.capture, defocus_px=defocus_px)
    at = at.changed(tile_set=replace(at.bare.tile_set, **looks), capture=capture)
    props = furniture(rng, at.plan, clutter=False)
    folder.mkdir(parents=True, exist_ok=True)
    days = [at, *(in_other_light(rng, at) for _ in range(LEARNT_DAYS))]
    for day, now in enumerate(days):
        scene = now.scene("display", shown(rng, ORDER), (), props)
        drawn = render(scene, np.random.default_rng((seed, number, 1, day)), supersample=1.0)
        save(folder, f"display{day}", scene, drawn.image, drawn.objects)
    for turn in range(ROUNDS):
        now = in_other_light(rng, at) if turn % 2 else days[-1]
        dice, dish = throw(rng, at.plan)
        scene = now.scene("round", round_of(rng, now), dice, [*props, dish])
        drawn = render(scene, np.random.default_rng((seed, number, 2, turn)), supersample=1.0)
        save(folder, f"round{turn}", scene, drawn.image, drawn.objects)


def read(folder: Path) -> dict[str, object]:
    """Let each table learn from its displays, and name the tiles of later pictures before and after; the counts."""
    reader, name = Reader.load(threads=2), TileClassifier.load(default_weights())
    shipped = read_shipped()
    result: dict[str, object] = {}
    for name_of_set, table in zip(STRANGERS, sorted(folder.iterdir()), strict=False):
        if not (table / f"round{ROUNDS - 1}.json").exists():
            continue
        kept: Counter[str] = Counter()
        with tempfile.TemporaryDirectory() as scratch:
            crops = CropFolder(Path(scratch) / "crops")
            for day in range(LEARNT_DAYS):
                collect(crops, reader, name, table, day, kept)
            if kept["kept"] < FEWEST:
                result[f"{name_of_set}, not learnt"] = dict(kept)
                continue
            began = perf_counter()
            found = refine(crops.read(), shipped, default_weights())
            spent_s = perf_counter() - began
            (Path(scratch) / "tiles.onnx").write_bytes(found.model)
            found.card.write(Path(scratch) / "tiles.card.json")
            after = TileClassifier.load(Path(scratch))
        later, labels = _later(reader, table)
        for stage, figures in (
            ("before", figures_of(name(later), labels)),
            ("after", figures_of(after(later), labels)),
        ):
            result[f"{name_of_set}, {stage}"] = {
                "of": figures.crops,
                "right": figures.right,
                "sure": figures.sure,
                "wrong": figures.wrong,
                "surely_wrong": figures.surely_wrong,
            }
        gained = found.sets["held_out"]
        shown_before, shown_after = found.sets["shipped"].before, found.sets["shipped"].after
        result[f"{name_of_set}, learnt"] = {
            **kept,
            "seconds": spent_s,
            "share": float(found.card.training["share"]),
            "held_out": f"{gained.before.right}->{gained.after.right}",
            "held_out_sure": f"{gained.before.sure}->{gained.after.sure}",
            "shipped": f"{shown_before.right}->{shown_after.right} of {shown_before.crops}",
            "shipped_wrong": f"{shown_before.wrong}->{shown_after.wrong}",
            "written": found.gains and not found.worse_on,
            "worse_on": ", ".join(found.worse_on) or "none",
        }
    return result


def collect(crops: CropFolder, reader: Reader, name: TileClassifier, table: Path, day: int, kept: Counter[str]) -> None:
    """Keep the tiles of one display as a table does, and count how many are labelled and seen by a reader."""
    calibration = load_calibration(table / f"display{day}.json")
    image = load_image(table / f"display{day}.jpg")
    labelled = labelled_display(ReadPicture(image, reader.read(image, calibration=calibration)))
    if labelled:
        seen = supported(np.stack([each.crop for each in labelled]), [each.face for each in labelled], name)
        at = datetime(2026, 1, 1 + day, tzinfo=UTC)
        origins = [
            Origin(kind="display", table=table.name, at=at, number=each.number, picture="", versions={})
            for each in labelled
        ]
        found = [KeptCrop(each.crop, each.face, origin) for each, origin in zip(labelled, origins, strict=True)]
        crops.keep(each for each, good in zip(found, seen, strict=True) if good)
        crops.keep((each for each, good in zip(found, seen, strict=True) if not good), aside=True)
        kept["kept"] += int(seen.sum())
        kept["aside"] += int((~seen).sum())


def _later(reader: Reader, table: Path) -> tuple[TileCrops, Indices]:
    """Crops, cut where the reader finds tiles, of the pictures that nothing was learnt from, and their true classes."""
    crops, labels = [], []
    for path in sorted([table / f"display{LEARNT_DAYS}.json", *table.glob("round*.json")]):
        truth = [tile for tile in read_labels(path).tiles if tile.face is not None]
        image = load_image(path.with_suffix(".jpg"))
        tiles = reader.read(image, calibration=load_calibration(path)).tiles
        partner, _ = match([tile.polygon for tile in tiles], truth, outline_overlap)
        for tile, found in zip(truth, partner, strict=True):
            if found is not None:
                crops.append(tile_crops(image, np.array([tiles[found].polygon], np.float32))[0])
                labels.append(TILE_CLASSES.index(str(tile.face)))
    return np.stack(crops), np.array(labels)


def main() -> None:
    """Draw tables, or read them."""
    parser = parser_of(__doc__)
    parser.add_argument("act", choices=("draw", "read"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tables", type=int, choices=range(1, len(STRANGERS) + 1), default=len(STRANGERS))
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    if asked.act == "draw":
        draw(asked.folder, asked.tables, asked.seed)
    else:
        report(read(asked.folder), as_json=asked.as_json)


if __name__ == "__main__":
    main()
