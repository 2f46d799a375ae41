"""How well still moments of simulated rounds are read, beside the generator's own tables, by one reader in one run.

    python -m benchmarks.simulated_frames [--tables 8] [--seed 1]

As many simulated tables of any look as generated ones; of each simulated one three moments: the display, the dice
shown, the hands open. Both are scored as `houseway evaluate` does.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np

from benchmarks.measure import parser_of, report
from calibration.files.calibration_file import load_calibration
from datasets.evaluation.scoring import RATES, Score, score_picture
from datasets.labels.labels import PictureLabels
from datasets.rendering.renderer import render
from datasets.scenes.whole_table import TableKind, table
from datasets.simulator.moments import Renderer
from datasets.simulator.script import Options, Script, script
from vision.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from calibration.files.calibration_file import TableCalibration
    from vision.capture.images import Image

Labelled = tuple["Image", PictureLabels, "TableCalibration"]
KINDS: tuple[TableKind, ...] = ("round", "dice", "display")


def calibrated(data: Mapping[str, object]) -> TableCalibration:
    """Return the calibration that a file would hold."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "calibration.json"
        path.write_text(json.dumps(data))
        return load_calibration(path)


def jpeg(image: Image) -> Image:
    """Return the picture as a JPEG file keeps it."""
    return np.asarray(cv2.imdecode(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 94])[1], 1), np.uint8)


def generated(count: int, seed: int) -> Iterator[Labelled]:
    """Draw the generator's own tables, three pictures for each simulated table."""
    for n in range(3 * count):
        rng = np.random.default_rng((seed, 1, n))
        scene = table(rng, KINDS[n % 3])
        drawn = render(scene, rng, supersample=1.0)
        camera, layout, side = scene.camera.to_json(), scene.layout, scene.dealer_side
        labels = PictureLabels(
            image=f"table{n}",
            size=scene.camera.size,
            kind=scene.kind,
            objects=drawn.objects,
            camera=camera,
            layout=layout,
        )
        data = {"size": list(scene.camera.size), "camera": camera, "layout": layout, "dealer_side": side}
        yield jpeg(drawn.image), labels, calibrated(data)


def moments(made: Script) -> tuple[float, ...]:
    """Return the times of the display, the dice shown and the hand that lies open longest."""
    truth = made.rounds[0]
    shown = next(each.t_s for each in truth.happenings if each.kind == "dice-shown")
    seen = [span for hand in truth.exposed for span in hand.visible]
    return 0.5, shown, float(np.mean(max(seen, key=lambda span: span[1] - span[0])))


def simulated(count: int, seed: int) -> Iterator[Labelled]:
    """Draw three moments of each simulated table."""
    for n in range(count):
        made = script(seed * 1000 + n, Options(any_look=True, cocked_rate=0.0, rulebook="star-2024"))
        renderer = Renderer(made)
        for t in moments(made):
            picture = renderer.draw(made.at(t))
            yield jpeg(picture.image), renderer.labels(picture, f"s{made.seed}@{t:.2f}"), calibrated(made.calibration())


def main() -> None:
    """Read and score both kinds of picture."""
    parser = parser_of(__doc__)
    parser.add_argument("--tables", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    reader = Reader.load(threads=1)
    result: dict[str, object] = {}
    kinds = {"simulated": simulated, "generated": generated}
    for kind, pictures in kinds.items():
        scores = [
            score_picture(reader.read(image, calibration=calibration, name=labels.image), labels)
            for image, labels, calibration in pictures(options.tables, options.seed)
        ]
        total = Score.total(scores)
        result |= {
            f"{kind}: {name}": {"count": rate.count, "of": rate.of}
            for name, rate in ((name, total.rate(name)) for name in RATES)
            if rate.of
        }
        result[f"{kind}: mistakes"] = [
            f"{wrong.image} {wrong.kind} {wrong.fault}: {wrong.there} read {wrong.read} ({wrong.status})"
            for score in scores
            for wrong in score.mistakes
        ]
    report(result, as_json=options.as_json)


if __name__ == "__main__":
    main()
