"""A drawn table with markers and chips on it, its calibration, and its own markers learnt from one picture."""

from __future__ import annotations

import json
import math
import tempfile
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from calibration.files.calibration_file import TableCalibration, load_calibration
from calibration.table.places import BOX_PLACES, Place
from datasets.rendering.renderer import ground_of, render
from datasets.scenes.scene import Capture, Prop, Scene
from datasets.scenes.whole_table import table
from vision.markers.felt_view import FeltView
from vision.markers.finder import MarkerFinder
from vision.markers.learning import Pointed, learn_marker
from vision.markers.marker_kinds import MarkerKind, Meaning
from vision.markers.marker_places import searched
from vision.markers.own_markers import USUAL_HEIGHT_MM, OwnMarkers

if TYPE_CHECKING:
    from numpy.typing import NDArray

SUPERSAMPLE = 2.0
WHITE, BLACK, RED = (0.7, 0.72, 0.72), (0.02, 0.02, 0.02), (0.03, 0.03, 0.4)
LOOKS = {"chung": ("BANK", WHITE, 52.0), "off_button": ("OFF", BLACK, 44.0), "plus_minus+4": ("+4", WHITE, 44.0)}
"""What the drawn table's markers bear, their colour and diameter."""


@dataclass(frozen=True)
class Drawn:
    """An empty table as the camera sees it."""

    scene: Scene
    calibration: TableCalibration

    @cached_property
    def ground(self) -> NDArray[np.float32]:
        """The empty table, drawn once."""
        return ground_of(self.scene, supersample=SUPERSAMPLE)

    @cached_property
    def views(self) -> dict[bool, FeltView]:
        """All of the felt straightened, and the places where a table without buttons is searched."""
        layout = self.calibration.layout
        return {
            everywhere: FeltView.of(self.calibration, USUAL_HEIGHT_MM, searched(layout, all_of_it=everywhere))
            for everywhere in (False, True)
        }

    def finder(self, own: OwnMarkers) -> MarkerFinder:
        """A finder that has seen nothing yet."""
        everywhere = any(each.meaning.kind is MarkerKind.PLUS_MINUS for each in own.markers)
        return MarkerFinder(own, self.calibration, self.views[everywhere])

    @classmethod
    @cache
    def of(cls, seed: int) -> Drawn:
        scene = table(np.random.default_rng(seed), "round", (1920, 1080))
        capture = Capture(
            exposure=scene.capture.exposure, white_balance=scene.capture.white_balance, read_noise=0.004, defocus_px=0.5
        )
        scene = replace(scene, tiles=(), dice=(), props=tuple(p for p in scene.props if p.z_mm < 0), capture=capture)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "calibration.json"
            file.write_text(json.dumps(scene.calibration()), encoding="utf-8")
            return cls(scene, load_calibration(file))

    def spot(self, box: int) -> tuple[float, float]:
        """Where a marker lies beside the wagers of a box."""
        zone = self.calibration.layout.zone(BOX_PLACES[box - 1])
        assert zone is not None
        x, y, turn = 0.0, 150.0, math.radians(zone.angle_deg)
        cx, cy = zone.center_mm
        return cx + x * math.cos(turn) - y * math.sin(turn), cy + x * math.sin(turn) + y * math.cos(turn)

    def picture(
        self, *props: Prop, light: float = 1.0, tint: tuple[float, float, float] = (1, 1, 1)
    ) -> NDArray[np.uint8]:
        """The table with these things on it, in another light if wanted."""
        capture = replace(self.scene.capture, exposure=self.scene.capture.exposure * light)
        blue, green, red = (b * t for b, t in zip(capture.white_balance, tint, strict=True))
        capture = replace(capture, white_balance=(blue, green, red))
        scene = replace(self.scene, props=(*self.scene.props, *props), capture=capture)
        return render(scene, np.random.default_rng(5), supersample=SUPERSAMPLE, ground=self.ground).image


def marker(name: str, at: tuple[float, float], angle: float = 0.0, seed: int = 7) -> Prop:
    """One of the drawn table's markers."""
    text, colour, size = LOOKS[name]
    return Prop("marker", *at, angle, (size, size), 0.0, 7.0, colour, seed, text, name)


def chips(at: tuple[float, float], colour: tuple[float, float, float], count: int = 3, seed: int = 3) -> Prop:
    return Prop("chips", *at, 0.4, (40.0, 40.0), 0.0, 3.3 * count, colour, seed)


@cache
def learnt_all(seed: int) -> OwnMarkers:
    """All markers of a table, as learnt from one picture."""
    return learnt(Drawn.of(seed), *LOOKS)


def learnt(drawn: Drawn, *names: str) -> OwnMarkers:
    props = [marker(name, drawn.spot(box)) for box, name in enumerate(names, 2)]
    image = drawn.picture(*props)
    pointed = [Pointed(Meaning.parse(name), BOX_PLACES[box - 1]) for box, name in enumerate(names, 2)]
    return OwnMarkers(tuple(learn_marker(image, drawn.calibration, each) for each in pointed))


def learnt_of(drawn: Drawn, prop: Prop) -> OwnMarkers:
    """The one marker that lies at the second box, learnt from a picture."""
    pointed = Pointed(Meaning.parse(str(prop.means)), BOX_PLACES[1])
    return OwnMarkers((learn_marker(drawn.picture(prop), drawn.calibration, pointed),))


def box(number: int) -> Place:
    return BOX_PLACES[number - 1]
