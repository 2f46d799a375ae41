"""A reading drawn on its picture, so that a person can check it at a glance.

Outlines have the colour of their status, or red in a hand that is set wrongly. Beside each group of tiles is a card
with the faces as read, drawn in ideal form and in the layout of the tiles, so that a misreading is obvious. A strip
above lists the problems.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from vision.capture.images import Image
from vision.draw.label_placement import LabelPlacer, bounds, nearest_points
from vision.draw.primitives import AMBER, FAINT, GREY, INK, RED, STRIP, card, leader, outline, put_text, wrap
from vision.draw.tile_card import STATUS_COLOURS, HandCaption, Pen, TileCard, draw_brackets, tile_groups
from vision.markers.marker_kinds import MarkerKind
from vision.reading import DieReading, MarkerReading, Point, Reading, Status


def draw_reading(
    image: Image, reading: Reading, captions: Mapping[str, HandCaption] | None = None, notes: Sequence[str] = ()
) -> Image:
    """Draw a reading on a copy of its picture, below a strip with its findings in words (the notes).

    The captions are lines about hands, keyed by place.
    """
    canvas = draw_over(image, reading, captions)
    return np.vstack([_header(canvas.shape[1], reading, notes, Pen.of(canvas, reading)), canvas])


def draw_over(image: Image, reading: Reading, captions: Mapping[str, HandCaption] | None = None) -> Image:
    """Draw a reading without the strip, at the size of the picture."""
    canvas = image.copy()
    pen = Pen.of(canvas, reading)
    groups = tile_groups(reading)
    markers = reading.markers or ()
    keep = [bounds(tile.polygon) for tile in reading.tiles] + [bounds(die.polygon) for die in reading.dice]
    keep += [bounds(marker.outline) for marker in markers]
    placer = LabelPlacer((canvas.shape[1], canvas.shape[0]), keep)
    captions = captions or {}
    cards = [TileCard.of(canvas, group, pen, captions.get(group.name)) for group in groups]
    wrong = {id(tile) for group, each in zip(groups, cards, strict=True) if each.colour is RED for tile in group.tiles}
    # The widest first: small cards still fit between large ones.
    placed = [(each, placer.place(each.around, each.size)) for each in sorted(cards, key=lambda each: -each.size[0])]
    named: list[tuple[Sequence[Point], Status, str]] = [
        (die.polygon, die.status, _die_label(die)) for die in reading.dice
    ]
    named += [(marker.outline, marker.status, _marker_label(marker)) for marker in markers]
    labels = [(*each, placer.place(bounds(each[0]), pen.label_size(each[2]))) for each in named]
    for tile in reading.tiles:
        down = not tile.face_up and tile.status == "verified"
        colour = RED if id(tile) in wrong else GREY if down else STATUS_COLOURS[tile.status]
        outline(canvas, tile.polygon, colour, pen.line_px)
    for points, status, _ in named:
        outline(canvas, points, STATUS_COLOURS[status], pen.line_px)
    for group, each in zip(groups, cards, strict=True):
        draw_brackets(canvas, group, pen, each.colour)
    for each, box in placed:
        leader(canvas, *nearest_points(each.around, box), each.colour)
        each.draw(canvas, box, pen)
    for points, status, label, box in labels:
        leader(canvas, *nearest_points(bounds(points), box), STATUS_COLOURS[status])
        card(canvas, box, STATUS_COLOURS[status], 1)
        put_text(canvas, label, (box[0] + pen.pad, box[3] - pen.pad), pen.text_px, INK, 600)
    return canvas


def _header(width: int, reading: Reading, notes: Sequence[str], pen: Pen) -> Image:
    """The strip above the picture: counts and findings."""
    verified = sum(tile.status == "verified" for tile in reading.tiles)
    dice = sum(die.status == "verified" for die in reading.dice)
    counts = [
        f"{len(reading.tiles)} tiles, {verified} verified",
        f"{len(reading.dice)} dice, {dice} verified",
        f"{len(reading.hands)} hands",
        *([] if reading.markers is None else [f"{len(reading.markers)} markers"]),
        "calibrated" if reading.calibrated else "no calibration",
        *(["one picture: rest over time not shown"] if reading.single_frame else []),
    ]
    room = width - 2 * pen.pad
    lines = [(line, INK, 700) for line in wrap(reading.image, pen.text_px, room, 700)]
    lines += [(line, FAINT, 400) for line in wrap(" · ".join(counts), pen.text_px, room)]
    for note in notes:
        lines += [(line, AMBER, 600) for line in wrap(f"! {note}", pen.text_px, room, 600)]
    step = pen.text_px + pen.pad
    strip = np.full((len(lines) * step + 2 * pen.pad, width, 3), STRIP, np.uint8)
    for number, (line, colour, weight) in enumerate(lines):
        put_text(strip, line, (pen.pad, (number + 1) * step), pen.text_px, colour, weight)
    return strip


def _die_label(die: DieReading) -> str:
    value = "?" if die.value is None else str(die.value)
    doubt = "?" if die.status == "uncertain" and die.value is not None else ""
    return " ".join(filter(None, ("cut" if die.role == "cut" else "", value + doubt, "cocked" if die.cocked else "")))


_MARKER_LABELS: Final = {
    MarkerKind.CHUNG: "chung",
    MarkerKind.CHUNG_HOUSE: "chung, House",
    MarkerKind.CHUNG_CO_BANK: "chung, co-bank",
    MarkerKind.OFF_BUTTON: "off",
    MarkerKind.PLUS_MINUS: "",
}


def _marker_label(marker: MarkerReading) -> str:
    name = _MARKER_LABELS[marker.kind] if marker.value is None else f"{marker.value:+d}"
    return name + ("?" if marker.status == "uncertain" else "")
