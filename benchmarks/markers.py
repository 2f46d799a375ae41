"""The house's own markers: found on labelled pictures, and told from other words of the same make on drawn tables.

    python -m benchmarks.markers labelled FOLDER [FOLDER ...]
    python -m benchmarks.markers drawn [--houses 14] [--seed 2900]

Of labelled pictures each is read with the markers of all the others, for none says what its own look like. On drawn
tables each house has markers of its own, learnt from one picture; then its own and look-alikes lie at the boxes, turned
anyhow, in other light, and in some pictures less sharp than when they were learnt. Both readings are scored alike; of
look-alikes the nearest are named, with what is left over of their print as a share of what may be.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from benchmarks.measure import parser_of, report
from calibration.files.calibration_file import load_calibration
from calibration.table.places import BOX_PLACES
from datasets.evaluation.marker_scores import score_markers
from datasets.evaluation.tally import Tally
from datasets.labels.label_files import read_labels
from datasets.rendering.renderer import render
from datasets.scenes.scene import Capture, Prop, Scene
from datasets.scenes.whole_table import table
from vision.capture.images import load_image
from vision.markers.disc import sample
from vision.markers.face import LEAST_PRINT_PX, take_face
from vision.markers.finder import MarkerFinder
from vision.markers.learning import NotAMarkerError, Pointed, learn_marker
from vision.markers.marker_kinds import Meaning
from vision.markers.own_markers import OwnMarkers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calibration.files.calibration_file import TableCalibration
    from vision.capture.images import Image
    from vision.markers.own_markers import OwnMarker

_LEAST_SEEN: Final = 0.9
"""Share of a marker that must be seen for it to be learnt."""
_MAKES: Final = (
    {"chung": "BANK", "off_button": "OFF", "plus_minus+4": "+4"},
    {"chung": "DEALER", "off_button": "OFF", "plus_minus-2": "-2"},
    {"chung": "CHUNG", "off_button": "OUT", "plus_minus+4": "+4"},
    {"chung": "BANKER", "off_button": "OFF", "plus_minus-2": "-2"},
    {"chung": "B", "off_button": "OUT", "plus_minus+4": "+4"},
)
_LIKE: Final = {
    "BANK": "RACK BACK BARK BAND TANK RANK SANK BANG HANK BUNK BALK YANK BANE BASK DANK BAN BANKS",
    "DEALER": "HEALER SEALER DEALED LEADER HEATER DECKER TELLER DEALS DEALT READER",
    "CHUNG": "CHUNK CLUNG CHANG YOUNG CHING CHUMS SHUNG CHURN CHUG HUNG",
    "BANKER": "RANKER TANKER BACKER BARKER BUNKER BANNER BANGER HANKER BANTER DANKER",
    "B": "P R 8 D E K",
    "OFF": "OF ON OUT OAF OPT OPP ODD OFT OAK EFF ELF",
    "OUT": "OFF OAT OUR CUT GUT OPT OUTS OU",
    "+4": "-4 +1 +2 +3 4 -2 +9 +6 +A",
    "-2": "+2 -3 -4 -1 2 -7 -5",
}
_WHITE, _BLACK = (0.7, 0.72, 0.72), (0.02, 0.02, 0.02)
_PICTURES: Final = 4
_SHARPNESS: Final = (0.0, 0.0, 0.0, 0.4)
"""Defocus in pixels that comes to that of the camera when it was calibrated, in each picture of a house."""
_NEAREST: Final = 8
"""How many look-alikes are named."""


def labelled(folders: Sequence[Path]) -> dict[str, object]:
    """Read each picture with the markers learnt from all others; the counts."""
    paths = [path for folder in folders for path in sorted(folder.glob("*.json"))]
    tables = {path: load_calibration(path) for path in paths if _has_camera(path)}
    images = {path: load_image(path.with_suffix(".jpg")) for path in tables}
    learnt = {path: _learnt_from(images[path], tables[path], path) for path in tables}
    tally = Tally("all")
    for path, calibration in tables.items():
        others = tuple(each for other, found in learnt.items() if other != path for each in found)
        found = MarkerFinder(OwnMarkers(others).of_any_size()).find(images[path], calibration)
        score_markers(tally, found, read_labels(path).others)
    for each in tally.mistakes:
        print(f"{each.image}: {each.fault}: {each.there}, read {each.read}, {each.status}", file=sys.stderr)
    counts = {name: {"count": tally.did[name], "of": tally.could[name]} for name in sorted(tally.could)}
    return {"pictures": len(tables), "learnt": sum(map(len, learnt.values())), **counts}


def _has_camera(path: Path) -> bool:
    return "camera" in json.loads(path.read_text(encoding="utf-8"))


def _learnt_from(image: Image, calibration: TableCalibration, path: Path) -> list[OwnMarker]:
    """The markers of a labelled picture that can be learnt, each pointed out by its outline."""
    found = []
    for label in read_labels(path).others:
        data: dict[str, Any] = label.data
        if label.kind == "marker" and "subtype" in data and data.get("visible", 1.0) >= _LEAST_SEEN:
            corners = np.array(data["polygon"])
            (x0, y0), (x1, y1) = corners.min(0).tolist(), corners.max(0).tolist()
            pointed = Pointed(Meaning.parse(data["subtype"]), (x0, y0, x1, y1))
            try:
                found.append(learn_marker(image, calibration, pointed))
            except NotAMarkerError as error:
                print(f"{path.name}: {error}", file=sys.stderr)
    return found


@dataclass(frozen=True)
class House:
    """A table with markers of one make.

    Attributes:
        scene: the empty table.
        calibration: of its camera.
        make: what each marker bears.
        seed: of its lettering.
    """

    scene: Scene
    calibration: TableCalibration
    make: dict[str, str]
    seed: int

    @classmethod
    def of(cls, number: int, seed: int) -> House:
        """Draw one: its camera as sharp as cameras are, three of four at 1920 x 1080 and one at 2304 x 1296."""
        rng = np.random.default_rng((seed, number))
        scene = table(rng, "round", (2304, 1296) if number % 4 == 3 else (1920, 1080))
        light = scene.capture
        capture = Capture(
            exposure=light.exposure,
            white_balance=light.white_balance,
            read_noise=0.004,
            defocus_px=float(rng.uniform(0.3, 0.7)),
        )
        bare = tuple(each for each in scene.props if each.z_mm < 0)
        scene = replace(scene, tiles=(), dice=(), props=bare, capture=capture)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "calibration.json"
            file.write_text(json.dumps(scene.calibration()), encoding="utf-8")
            return cls(scene, load_calibration(file), _MAKES[number % len(_MAKES)], int(rng.integers(1 << 20)))

    def marker(self, name: str, text: str, box: int, rng: np.random.Generator) -> Prop:
        """A marker beside the wagers of a box, turned anyhow."""
        zone = self.calibration.layout.zone(BOX_PLACES[box - 1])
        if zone is None:
            raise ValueError(f"the drawn table has no box {box}")
        turn = np.radians(zone.angle_deg)
        x, y = rng.uniform(-12, 12), 150.0 + rng.uniform(-8, 8)
        aside = np.array((x * np.cos(turn) - y * np.sin(turn), x * np.sin(turn) + y * np.cos(turn)))
        at = np.array(zone.center_mm) + aside
        number = list(self.make).index(name)
        size, colour = (52.0 if name == "chung" else 44.0), (_BLACK if name == "off_button" else _WHITE)
        angle = float(rng.uniform(0, 2 * np.pi))
        return Prop(
            "marker", float(at[0]), float(at[1]), angle, (size, size), 0.0, 7.0, colour, self.seed + number, text, name
        )

    def picture(self, props: Sequence[Prop], rng: np.random.Generator, defocus_px: float | None = None) -> Image:
        """The table with these things on it; in other light, and less sharp, if a defocus is given."""
        capture, slope = self.scene.capture, (0.0, 0.0)
        if defocus_px is not None:
            blue, green, red = np.array(capture.white_balance) * rng.uniform(0.88, 1.14, 3)
            slope = (float(rng.normal(0, 0.15)), float(rng.normal(0, 0.15)))
            capture = replace(
                capture,
                exposure=capture.exposure * float(rng.uniform(0.5, 1.35)),
                white_balance=(float(blue), float(green), float(red)),
                defocus_px=float(np.hypot(capture.defocus_px, defocus_px)),
                read_noise=float(rng.uniform(0.002, 0.012)),
                shot_noise=float(rng.uniform(0, 0.01)),
                sharpen=float(rng.choice([0, 0, 0.5, 1.0])),
                jpeg=int(rng.integers(65, 98)),
            )
        scene = replace(self.scene, props=(*self.scene.props, *props), capture=capture, light_slope=slope)
        return render(scene, np.random.default_rng(int(rng.integers(1 << 30))), supersample=2.0).image


def drawn(houses: int, seed: int) -> dict[str, object]:
    """Count how many own markers and look-alikes are found and verified, by sharpness, and name the nearest."""
    counts: Counter[str] = Counter()
    near: list[tuple[float, str]] = []
    for number in range(houses):
        _count(House.of(number, seed), np.random.default_rng((seed, number, 1)), counts, near)
    nearest = {
        f"{text}, the {n}. nearest": round(share, 2) for n, (share, text) in enumerate(sorted(near)[:_NEAREST], 1)
    }
    return {**dict(sorted(counts.items())), "nearest look-alikes": nearest}


def _share_left(own: OwnMarker, image: Image, calibration: TableCalibration, center_mm: tuple[float, float]) -> float:
    """What is left over of a print held against the own one, as a share of what may be; infinite if illegible."""
    radius, height = own.diameter_mm / 2, own.height_mm
    (disc,) = sample(image, calibration, np.array([center_mm], np.float32), radius, height)
    faces = [take_face(image, calibration, center_mm, radius, height, turn) for turn in own.print.turns(disc)]
    found = own.face.compared(faces, float(calibration.px_per_mm(np.array([(*center_mm, height)]))[0]))
    return found.share_left if found.legible else float("inf")


def _count(house: House, rng: np.random.Generator, counts: Counter[str], near: list[tuple[float, str]]) -> None:
    own: dict[str, OwnMarker] = {}
    laid = [house.marker(name, text, box, rng) for box, (name, text) in zip((2, 4, 6), house.make.items(), strict=True)]
    first = house.picture(laid, rng)
    for box, name in zip((2, 4, 6), house.make, strict=True):
        try:
            own[name] = learn_marker(first, house.calibration, Pointed(Meaning.parse(name), BOX_PLACES[box - 1]))
        except NotAMarkerError:
            counts["not learnt"] += 1
    for defocus in _SHARPNESS:
        there = []
        for box in range(1, 9):
            name = str(rng.choice(list(house.make), p=(0.5, 0.25, 0.25)))
            text = house.make[name]
            true = bool(rng.random() < 0.5)
            there.append((house.marker(name, text if true else str(rng.choice(_LIKE[text].split())), box, rng), true))
        image = house.picture([prop for prop, _ in there], rng, defocus)
        found = MarkerFinder(OwnMarkers(tuple(own.values()))).find(image, house.calibration)
        for prop, true in there:
            if (marker := own.get(str(prop.means))) is None:
                continue
            here = [
                each for each in found if np.hypot(each.center_mm[0] - prop.x_mm, each.center_mm[1] - prop.y_mm) < 15
            ]
            sure = [each for each in here if each.status == "verified"]
            at = np.array([(prop.x_mm, prop.y_mm, marker.height_mm)])
            print_px = marker.face.print_mm * float(house.calibration.px_per_mm(at)[0])
            size = "large enough" if print_px >= LEAST_PRINT_PX else "too small"
            kind = f"{'own' if true else 'look-alikes'}, {size}, {'less sharp' if defocus else 'as sharp'}"
            counts[kind] += 1
            counts[f"{kind}: found"] += bool(here)
            counts[f"{kind}: verified"] += bool(sure)
            counts["verified as another"] += any(str(Meaning(e.kind, e.value)) != prop.means for e in sure)
            if not true:
                words = f"{prop.text} for {house.make[str(prop.means)]}"
                near += [(_share_left(marker, image, house.calibration, e.center_mm), words) for e in here]


def main() -> None:
    """Read labelled pictures, or draw some."""
    parser = parser_of(__doc__)
    parser.add_argument("act", choices=("labelled", "drawn"))
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--houses", type=int, default=14)
    parser.add_argument("--seed", type=int, default=2900)
    asked = parser.parse_args()
    result = labelled(asked.folders) if asked.act == "labelled" else drawn(asked.houses, asked.seed)
    report(result, as_json=asked.as_json)


if __name__ == "__main__":
    main()
