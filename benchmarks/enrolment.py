"""Tables enrolled at their display, then read in other light: what enrolment adds, beside the same reader without it.

    python -m benchmarks.enrolment draw FOLDER [--tables 6] [--seed 1]
    python -m benchmarks.enrolment read FOLDER

Of each table: three pictures of the display and one of all backs; then rounds in other light (lamps, exposure, white
balance, glare), the last with one tile of another maker laid among the players' own; and three displays with a fault.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from benchmarks.measure import parser_of, report
from calibration.files.calibration_file import load_calibration
from calibration.table.places import DISCARD, DISPLAY, HOUSE, Place, PlaceKind
from datasets.evaluation.scoring import score_picture
from datasets.labels.label_files import write_labels
from datasets.labels.label_folders import read_folder
from datasets.labels.labels import PictureLabels, TileLabel
from datasets.rendering.renderer import render
from datasets.scenes import sampling as sample
from datasets.scenes.scene import TileObject
from datasets.scenes.table_plan import furniture
from datasets.scenes.whole_table import TableSetup, face_down, lay_hand, sample_setup, setup, throw
from datasets.simulator.layouts import display_spot
from engine.game.tiles import FULL_SET
from vision.capture.images import load_image
from vision.enrolment.learning import NotEnrolled, ReadPicture, check_display, enrol
from vision.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from datasets.labels.labels import Label
    from datasets.scenes.sampling import Rng
    from datasets.scenes.scene import Scene
    from vision.capture.images import Image
    from vision.reading import Reading

SIZE: Final = (2304, 1296)
ORDER: Final = tuple(str(tile) for tile in sorted(FULL_SET, key=lambda tile: (tile.kind, tile.index)))
ROUNDS: Final = 3
_JPEG: Final = 94
_SAME_PX: Final = 12


def shown(rng: Rng, faces: Sequence[str | None], *, up: bool = True) -> list[TileObject]:
    """The display: two rows in the order of rank; None leaves a gap."""
    out = []
    for number, face in enumerate(faces):
        x, y = display_spot(number)
        if face is not None:
            x, y = x + float(rng.normal(0, 0.4)), y + float(rng.normal(0, 0.6))
            angle = np.pi / 2 + float(rng.normal(0, 0.01)) + float(np.pi * rng.integers(2))
            out.append(TileObject(face, face_up=up, x_mm=x, y_mm=y, angle=angle, place=DISPLAY))
    return out


def in_other_light(rng: Rng, at: TableSetup) -> TableSetup:
    """The same table at another time of day: lamps, exposure and white balance; lens and focus stay."""
    lamps, ambient = sample.lamps(rng)
    seen = sample.capture(rng, soft=0.8)
    kept = at.bare.capture
    capture = replace(
        seen,
        defocus_px=kept.defocus_px,
        motion_px=(0.0, 0.0),
        sharpen=kept.sharpen,
        contrast=kept.contrast,
        chroma_blur_px=kept.chroma_blur_px,
        noise_reduction=kept.noise_reduction,
        exposure=float(np.clip(seen.exposure, 0.45, 1.8)),
    )
    slope = (float(rng.normal(0, 0.15)), float(rng.normal(0, 0.2)))
    return at.changed(lamps=lamps, ambient=ambient, light_slope=slope, capture=capture)


def round_of(rng: Rng, at: TableSetup) -> list[TileObject]:
    """Hands laid open and tiles face down."""
    shoe = list(ORDER)
    rng.shuffle(shoe)
    glares = sample.glares(rng, 700.0)
    tiles: list[TileObject] = []
    boxes = sorted(rng.choice(np.arange(1, 9), 4, replace=False))
    for place in (HOUSE, *(Place(PlaceKind.BOX, int(n)) for n in boxes)):
        four = [shoe.pop() for _ in range(4)]
        tiles += lay_hand(rng, place, at.plan.places[place], four[:2], four[2:], 0.02)
    tiles = [sample.veiled(rng, tile, glares) for tile in tiles]
    return [*tiles, *face_down(rng, shoe[:10], at.plan.discard_mm, 4, DISCARD)]


def save(folder: Path, name: str, scene: Scene, image: Image, objects: Sequence[object]) -> None:
    """Write a picture and its labels, with the camera."""
    cv2.imwrite(str(folder / f"{name}.jpg"), image, [cv2.IMWRITE_JPEG_QUALITY, _JPEG])
    labels = PictureLabels(
        image=f"{name}.jpg",
        size=scene.camera.size,
        kind=scene.kind,
        objects=tuple(objects),  # type: ignore[arg-type]
        camera=scene.camera.to_json(),
        layout=scene.layout,
        dealer_side=scene.dealer_side,
    )
    write_labels(folder / f"{name}.json", labels)


def with_foreign(own: Image, other: Image, polygon: Sequence[tuple[float, float]]) -> Image:
    """One picture with a tile, body and all, taken from the same scene drawn with another maker's set."""
    mask = np.zeros(own.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.round(np.array(polygon) * 16).astype(np.int32), 255, shift=4)
    grown = cv2.dilate(mask, np.ones((5, 5), np.uint8))
    return np.where(grown[..., None] > 0, other, own)


def _outline(label: Label) -> Sequence[tuple[float, float]]:
    """Where a tile is to be seen."""
    if not isinstance(label, TileLabel):
        raise TypeError(f"expected a tile, got {label}")
    return label.polygon


def draw_table(folder: Path, seed: int, number: int) -> None:
    """Draw one table's pictures."""
    rng = np.random.default_rng((seed, number))
    at = (setup if number % 2 else sample_setup)(rng, SIZE)
    exposure = float(np.clip(at.bare.capture.exposure, 0.6, 1.5))
    at = at.changed(capture=replace(at.bare.capture, motion_px=(0.0, 0.0), exposure=exposure))
    other = sample.tile_set(rng)
    props = furniture(rng, at.plan, clutter=False)
    folder.mkdir(parents=True, exist_ok=True)

    def put(name: str, at: TableSetup, tiles: list[TileObject], dice: Sequence[object] = ()) -> None:
        scene = at.scene("display" if not dice else "round", tiles, dice, props)  # type: ignore[arg-type]
        drawn = render(scene, np.random.default_rng((seed, number, 1)), supersample=1.0)
        save(folder, name, scene, drawn.image, drawn.objects)

    tiles = shown(rng, ORDER)
    for turn in range(3):
        scene = at.scene("display", tiles, (), props)
        drawn = render(scene, np.random.default_rng((seed, number, 2, turn)), supersample=1.0)
        save(folder, f"display{turn}", scene, drawn.image, drawn.objects)
        if turn == 2:
            # The same display with one tile of another maker.
            alien = render(
                replace(scene, tile_set=other), np.random.default_rng((seed, number, 2, turn)), supersample=1.0
            )
            odd = int(rng.integers(32))
            polygon = _outline(drawn.objects[odd])
            mixed = with_foreign(drawn.image, alien.image, polygon)
            save(folder, f"foreign-{odd}", scene, mixed, drawn.objects)
    put("backs", at, [replace(tile, face_up=False) for tile in tiles])
    faulty = list(ORDER)
    one, two = sorted(int(n) for n in rng.choice(16, 2, replace=False) * 2)
    faulty[one], faulty[two] = faulty[two], faulty[one]
    put(f"swapped-{one}-{two}", at, shown(rng, faulty))
    gap = int(rng.integers(32))
    put(f"missing-{gap}", at, shown(rng, [None if n == gap else face for n, face in enumerate(ORDER)]))
    dice, _ = throw(rng, at.plan)
    for turn in range(ROUNDS):
        now = in_other_light(rng, at)
        thrown, dish = throw(rng, at.plan)
        styles = [die.style for die in dice]
        dice_now = [
            replace(die, style=replace(style, mirrored=die.style.mirrored, side_mm=die.style.side_mm))
            for die, style in zip(thrown, styles, strict=True)
        ]
        scene = now.scene("round", round_of(rng, now), dice_now, [*props, dish])
        drawn = render(scene, np.random.default_rng((seed, number, 3, turn)), supersample=1.0)
        save(folder, f"round{turn}", scene, drawn.image, drawn.objects)
        if turn == ROUNDS - 1:
            alien = render(
                replace(scene, tile_set=other), np.random.default_rng((seed, number, 3, turn)), supersample=1.0
            )
            save(folder, "set", scene, alien.image, alien.objects)


def draw(folder: Path, tables: int, seed: int) -> None:
    """Draw the tables that are not there yet."""
    for number in range(tables):
        if not (folder / f"table{number:02d}" / "set.json").exists():
            draw_table(folder / f"table{number:02d}", seed, number)


def read(folder: Path) -> dict[str, object]:
    """Enrol each table, read its rounds with and without, and check the displays with a fault; returns the counts."""
    reader = Reader.load(threads=1)
    counts: dict[str, Counter[str]] = {"without": Counter(), "enrolled": Counter()}
    display: Counter[str] = Counter()
    for table in sorted(folder.iterdir()):
        if (table / "set.json").exists():
            read_table(reader, table, counts, display)
    names = sorted({*counts["without"], *counts["enrolled"]})
    return {**dict(sorted(display.items())), **{name: {how: counts[how][name] for how in counts} for name in names}}


def read_table(reader: Reader, table: Path, counts: Mapping[str, Counter[str]], display: Counter[str]) -> None:
    """Enrol one table, check its displays with a fault, and read its rounds."""
    pictures = {each.path.stem: each for each in read_folder(table)}
    calibration = load_calibration(table / "display0.json")
    images = {name: load_image(each.path) for name, each in pictures.items()}

    def shot(name: str) -> ReadPicture:
        return ReadPicture(images[name], reader.read(images[name], calibration=calibration, name=name))

    own = enrol([shot(name) for name in ("display0", "display1", "display2", "backs", "round0")], calibration)
    if isinstance(own, NotEnrolled):
        display["displays refused"] += 1
        print(f"{table.name}: {own.reason} {[str(fault.finding) for fault in own.faults]}", flush=True)
        return
    display["displays enrolled"] += 1
    for name, picture in pictures.items():
        kind, *where = name.split("-")
        if kind in ("swapped", "missing", "foreign"):
            faults = check_display([shot(name)], own)
            display[f"{kind} tiles"] += 1
            display[f"{kind} tiles named"] += any(
                kind in each.code and _at(each.places, where, kind) for each in faults
            )
            display["other faults told"] += sum(kind not in each.code for each in faults)
        elif kind.startswith("round") or kind == "set":
            for how, used in (("without", None), ("enrolled", own)):
                got = reader.read(images[name], calibration=calibration, enrolment=used, name=name)
                _count(counts[how], got, picture.labels, foreign=kind == "set")


def _at(places: Sequence[int], where: Sequence[str], kind: str) -> bool:
    """Whether a fault names the place where it was planted; of a missing tile either place of its kind."""
    planted = {int(each) + 1 for each in where}
    return bool(planted & set(places)) or (kind == "missing" and any(abs(a - b) == 1 for a in planted for b in places))


def _count(counts: Counter[str], reading: Reading, labels: PictureLabels, *, foreign: bool) -> None:
    """Count what was verified, rightly and wrongly."""
    set_of = "foreign set" if foreign else "own set"
    score = score_picture(reading, labels)
    for name in (
        "coverage_tiles",
        "coverage_face_down",
        "coverage_hands",
        "silent_tiles",
        "silent_hands",
        "roles_right",
    ):
        counts[f"{set_of}: {name}"] += score.rate(name).count
        counts[f"{set_of}: {name}, of"] += score.rate(name).of
    backs = [tile for tile in reading.tiles if not tile.face_up and tile.status == "verified"]
    true = [np.array(tile.polygon) for tile in labels.tiles if not tile.face_up]
    far = [min((_apart(each.polygon, polygon) for polygon in true), default=np.inf) for each in backs]
    counts[f"{set_of}: verified backs where none lies"] += sum(each > _SAME_PX for each in far)
    counts[f"{set_of}: finding foreign_tile"] += sum(each.code == "foreign_tile" for each in reading.findings)


def _apart(one: Sequence[tuple[float, float]], other: NDArray[np.float64]) -> float:
    return float(np.linalg.norm(np.mean(one, axis=0) - other.mean(axis=0)))


def main() -> None:
    """Draw, or read what was drawn."""
    parser = parser_of(__doc__)
    parser.add_argument("what", choices=("draw", "read"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tables", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.what == "draw":
        draw(options.folder, options.tables, options.seed)
    else:
        report(read(options.folder), as_json=options.as_json)


if __name__ == "__main__":
    main()
