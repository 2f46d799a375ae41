"""Film the bundled sample: ``python -m datasets.sample``; needs ``pip install -e .[film]``.

The content is defined below, so that the same libraries make the same film.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import cv2
import typer
from rich.progress import track

from calibration.drift.reference import save_reference
from calibration.files.calibration_file import save_calibration
from datasets.simulator.moments import Renderer, empty_table
from datasets.simulator.script import Options, script

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray


FOLDER: Final = Path(__file__).resolve().parents[1] / "service" / "sample"
SEED: Final = 22
OPTIONS: Final = Options(
    size=(1920, 1080),
    rounds=4,
    players=(2, 4),
    pace=1.15,
    # First what a newcomer is to see first; everything within three minutes.
    in_turn=("house-set-wrong", "leaning-die-not-reshaken", "wrong-first-box", "house-set-wrong-corrected"),
)
FPS: Final = 4
"""Pictures a second: hands move visibly, and a small computer reads most of them."""
PICTURES_S: Final = {"display": 2.0, "dealt": 36.0, "house-wrong": 65.0, "leaning-die": 98.0}
"""Single pictures of the film, by name, with their times."""
_CLEAR_S: Final = 2.0
"""Time the table stays clear at the end, before the film restarts."""
_ENCODER: Final = "libvpx-vp9"
_ENCODING: Final = {
    "crf": "24",  # tiles are read as well as from the pictures themselves
    "deadline": "good",
    "cpu-used": "4",
    "g": str(20 * FPS),  # a picture that needs no other every 20 s, for those who look into the middle
    "threads": "1",  # several make another film each time
}


def main(out: Annotated[Path, typer.Option(help="Folder to fill.")] = FOLDER) -> None:
    """Write film.webm, its calibration with the picture of the empty table, rounds.jsonl (the truth) and pictures."""
    made = script(SEED, OPTIONS)
    out.mkdir(parents=True, exist_ok=True)
    file = out / "calibration.json"
    for old in (file, *out.glob("calibration-reference-*.png")):
        old.unlink(missing_ok=True)
    reference = save_reference(file, empty_table(made, noise=False))
    save_calibration(file, replace(made.table_calibration(), reference=reference))
    with (out / "rounds.jsonl").open("w", encoding="utf-8") as lines:
        lines.writelines(json.dumps(truth.to_json(made.way), allow_nan=False) + "\n" for truth in made.rounds)
    renderer, folder = Renderer(made, noise=False), out / "pictures"
    folder.mkdir(exist_ok=True)
    for name, t_s in PICTURES_S.items():
        cv2.imwrite(str(folder / f"{name}.jpg"), renderer.draw(made.at(t_s)).image, [cv2.IMWRITE_JPEG_QUALITY, 92])
    count = int((made.end_s + _CLEAR_S) * FPS) + 1
    film = (renderer.draw(made.at(number / FPS)).image for number in range(count))
    write_video(out / "film.webm", track(film, total=count, transient=True))


def write_video(path: Path, images: Iterable[NDArray[np.uint8]]) -> None:
    """Write pictures as a VP9 film, which every build of OpenCV and every browser plays."""
    import av  # noqa: PLC0415 - only who films needs it

    with av.open(str(path), "w") as container:
        stream = container.add_stream(_ENCODER, rate=FPS, options=_ENCODING)
        stream.width, stream.height = OPTIONS.size
        stream.pix_fmt, stream.bit_rate = "yuv420p", 0
        for image in images:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(image, format="bgr24")))
        container.mux(stream.encode())


if __name__ == "__main__":
    typer.run(main)
