"""Tables outside what the models were trained on, one thing at a time: how gracefully does reading fall?

Each shift moves one setting of a table beyond the range that ``datasets.scenes.sampling`` draws from.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.spatial.transform import Rotation

from datasets.scenes.sampling import Rng, any_colour

if TYPE_CHECKING:
    from collections.abc import Callable

    from datasets.scenes.scene import CameraModel, Scene


def _glare(scene: Scene, rng: Rng) -> Scene:
    """Mirror the lamp in every second tile."""
    tiles = (replace(t, veil=rng.uniform(0.8, 2.5)) if rng.random() < 0.5 else t for t in scene.tiles)
    return replace(scene, tiles=tuple(tiles))


def _small_picture(scene: Scene, _: Rng) -> Scene:
    k = scene.camera.k * np.array([[1280 / scene.camera.size[0]]] * 2 + [[1.0]])
    return replace(scene, camera=replace(scene.camera, size=(1280, 720), k=k))


def _oblique_camera(scene: Scene, _: Rng) -> Scene:
    """Hang the camera half a metre to the dealer's side, looking at the table aslant, by some twenty degrees."""
    camera = scene.camera
    around = Rotation.from_euler("x", 20, degrees=True).as_matrix()
    r = camera.r @ around.T
    return replace(scene, camera=replace(_zoomed(camera, 0.9), r=r, t=-r @ (around @ camera.position_mm)))


def _brown_tiles(scene: Scene, _: Rng) -> Scene:
    """Colour bodies and pips as no set is drawn."""
    tiles = replace(scene.tile_set, body=(0.03, 0.06, 0.12), back=(0.03, 0.06, 0.12), pip_plain=(0.25, 0.55, 0.65))
    return replace(scene, tile_set=tiles)


def _zoomed(camera: CameraModel, scale: float) -> CameraModel:
    return replace(camera, k=camera.k * np.array([[scale, 1, 1], [1, scale, 1], [1, 1, 1]]))


_BARREL: Final = (-0.16, 0.03, 0.0, 0.0, 0.0)
"""Distortion of a wide-angle lens."""

SHIFTS: Final[dict[str, Callable[[Scene, Rng], Scene]]] = {
    "as trained": lambda scene, _: scene,
    "pale felt": lambda scene, rng: replace(
        scene, ground_colour=any_colour(rng, 0.65, 0.85), print_colour=(0.02, 0.02, 0.02)
    ),
    "warm lamp": lambda scene, _: replace(scene, capture=replace(scene.capture, white_balance=(0.6, 1.0, 1.65))),
    "dark": lambda scene, _: replace(scene, capture=replace(scene.capture, exposure=0.14, shot_noise=0.08)),
    "bright": lambda scene, _: replace(scene, capture=replace(scene.capture, exposure=2.6)),
    "uneven light": lambda scene, _: replace(scene, light_slope=(0.6, -0.5)),
    "glare": _glare,
    "defocused": lambda scene, _: replace(scene, capture=replace(scene.capture, defocus_px=1.8)),
    "noisy": lambda scene, _: replace(
        scene, capture=replace(scene.capture, shot_noise=0.14, read_noise=0.03, jpeg=35, noise_reduction=0.0)
    ),
    "wide lens": lambda scene, _: replace(scene, camera=replace(scene.camera, dist=np.array(_BARREL))),
    "higher camera": lambda scene, _: replace(scene, camera=_zoomed(scene.camera, 0.75)),
    "small picture": _small_picture,
    "oblique camera": _oblique_camera,
    "brown tiles": _brown_tiles,
    "small pips": lambda scene, _: replace(scene, tile_set=replace(scene.tile_set, pip_scale=0.7, spread=0.9)),
}
"""What is moved, by name."""
