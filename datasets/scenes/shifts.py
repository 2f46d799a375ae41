"""Tables outside what the models were trained on, one thing at a time: how gracefully does reading fall?

Each shift takes a table drawn as for training and moves one of its settings beyond the range that
``datasets.scenes.sampling`` draws from. ``python -m datasets.generate shifted`` makes the pictures, each labelled with
its shift, and ``houseway evaluate`` prints the figures by shift.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.spatial.transform import Rotation

if TYPE_CHECKING:
    from collections.abc import Callable

    from datasets.scenes.sampling import Rng
    from datasets.scenes.scene import CameraModel, Scene


def _as_trained(scene: Scene, _: Rng) -> Scene:
    return scene


def _pale_felt(scene: Scene, rng: Rng) -> Scene:
    """Cloth brighter than any that is drawn, in any tint."""
    b, g, r = rng.uniform(0.65, 0.85, 3)
    return replace(scene, ground_colour=(float(b), float(g), float(r)), print_colour=(0.02, 0.02, 0.02))


def _warm_lamp(scene: Scene, _: Rng) -> Scene:
    """White balance three times as far off as is usual."""
    return replace(scene, capture=replace(scene.capture, white_balance=(0.6, 1.0, 1.65)))


def _dark(scene: Scene, _: Rng) -> Scene:
    return replace(scene, capture=replace(scene.capture, exposure=0.14, shot_noise=0.08))


def _bright(scene: Scene, _: Rng) -> Scene:
    return replace(scene, capture=replace(scene.capture, exposure=2.6))


def _uneven_light(scene: Scene, _: Rng) -> Scene:
    return replace(scene, light_slope=(0.6, -0.5))


def _glare(scene: Scene, rng: Rng) -> Scene:
    """The lamp mirrored in every second tile."""
    tiles = (replace(t, veil=float(rng.uniform(0.8, 2.5))) if rng.random() < 0.5 else t for t in scene.tiles)
    return replace(scene, tiles=tuple(tiles))


def _defocused(scene: Scene, _: Rng) -> Scene:
    return replace(scene, capture=replace(scene.capture, defocus_px=1.8))


def _noisy(scene: Scene, _: Rng) -> Scene:
    capture = replace(scene.capture, shot_noise=0.14, read_noise=0.03, jpeg=35, noise_reduction=0.0)
    return replace(scene, capture=capture)


def _wide_lens(scene: Scene, _: Rng) -> Scene:
    """The barrel distortion of a wide-angle lens, known from its calibration."""
    camera = scene.camera
    return replace(scene, camera=replace(camera, dist=np.array([-0.16, 0.03, 0.0, 0.0, 0.0])))


def _higher_camera(scene: Scene, _: Rng) -> Scene:
    """Three quarters of the pixels for each millimetre."""
    return replace(scene, camera=_zoomed(scene.camera, 0.75))


def _small_picture(scene: Scene, _: Rng) -> Scene:
    """A picture of 1280 x 720."""
    camera = scene.camera
    scale = 1280 / camera.size[0]
    k = camera.k * np.array([[scale], [scale], [1.0]])
    return replace(scene, camera=replace(camera, size=(1280, 720), k=k))


def _oblique_camera(scene: Scene, _: Rng) -> Scene:
    """The camera hangs half a metre to the dealer's side and looks at the table aslant, by some twenty degrees."""
    camera = scene.camera
    around = Rotation.from_euler("x", 20, degrees=True).as_matrix()
    spot = around @ camera.position_mm
    r = camera.r @ around.T
    return replace(scene, camera=replace(_zoomed(camera, 0.9), r=r, t=-r @ spot))


def _brown_tiles(scene: Scene, _: Rng) -> Scene:
    """Bodies and pips of colours that no set is drawn in."""
    tiles = replace(scene.tile_set, body=(0.03, 0.06, 0.12), back=(0.03, 0.06, 0.12), pip_plain=(0.25, 0.55, 0.65))
    return replace(scene, tile_set=tiles)


def _small_pips(scene: Scene, _: Rng) -> Scene:
    return replace(scene, tile_set=replace(scene.tile_set, pip_scale=0.7, spread=0.9))


def _zoomed(camera: CameraModel, scale: float) -> CameraModel:
    k = camera.k.copy()
    k[0, 0] *= scale
    k[1, 1] *= scale
    return replace(camera, k=k)


SHIFTS: Final[dict[str, Callable[[Scene, Rng], Scene]]] = {
    "as trained": _as_trained,
    "pale felt": _pale_felt,
    "warm lamp": _warm_lamp,
    "dark": _dark,
    "bright": _bright,
    "uneven light": _uneven_light,
    "glare": _glare,
    "defocused": _defocused,
    "noisy": _noisy,
    "wide lens": _wide_lens,
    "higher camera": _higher_camera,
    "small picture": _small_picture,
    "oblique camera": _oblique_camera,
    "brown tiles": _brown_tiles,
    "small pips": _small_pips,
}
"""What is moved, by name."""
