"""Forms of the set-up and calibration pages."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Final
from zoneinfo import available_timezones

import numpy as np

from calibration.table.markers import MARKERS, MarkerSpot
from calibration.table.places import DISPLAY, FLOAT, GAME_PLACES, TABLE_PLACES, Place
from calibration.table.presets import default_size
from calibration.table.sizes import TABLE_MM
from calibration.table.zones import Layout, Zone
from engine.books.house_ways import known_ids
from engine.books.registry import VERSIONS
from service.system.source_kinds import CAMERA_SETTINGS, KINDS
from service.table.monitor.calibrating import CalibrationRefusedError
from service.table.setup.camera_views import local_cameras
from service.table.setup.set_up import ADDRESS_FILE, SettingsRefusedError
from service.words.wording import words
from vision.addresses import shown_address

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from calibration.table.zones import Layout
    from service.system.settings import Config
    from service.system.settings_edit import Value
    from service.system.settings_file import KeyPath
    from service.table.setup.set_up import SettingsPlace


CORNERS: Final = 4
_RAIL_MM: Final = 80.0
"""Markers to begin with lie so far inside the edge of the playing surface."""
_FURTHEST_MM: Final = 10_000.0

RULEBOOKS: Final = tuple(VERSIONS)
NO_FIELDS: Final = dict.fromkeys(
    ("name", "title", "rulebook", "house_way", "time_zone", "source", "path", "width", "height", "fps"), ""
)
"""The form of table and source with nothing in it."""


def zones() -> tuple[str, ...]:
    """The time zones that may be chosen."""
    return tuple(sorted(name for name in available_timezones() if "/" in name or name == "UTC"))


def table_fields(config: Config) -> dict[str, str]:
    """The initial values of the form of table and source."""
    table, source = config.table, config.table.source
    fields = NO_FIELDS | {
        "name": table.name,
        "title": "" if table.title == table.name else table.title,
        "rulebook": table.rulebook,
        "house_way": table.house_way or "",
        "time_zone": config.page.time_zone,
    }
    if source is None:
        return fields
    if source.size is not None:
        fields |= {"width": str(source.size[0]), "height": str(source.size[1])}
    if source.fps is not None:
        fields["fps"] = f"{source.fps:g}"
    if source.declared.form == "path" and source.path is not None:
        fields["path"] = str(source.path)
    fields["source"] = f"{source.kind}:{source.device}" if source.declared.form == "device" else source.kind
    return fields


def source_choices(fields: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """The cameras to choose from, as the form sends them and as people know them; the one in use among them."""
    found = [(f"{one.kind}:{one.device}", one.name) for one in local_cameras()]
    chosen = fields.get("source", "")
    if ":" in chosen and chosen not in dict(found):
        found.append((chosen, chosen.replace(":", " ", 1)))
    return tuple(found)


def known_ways() -> tuple[str, ...]:
    """The House Ways that may be named under a rulebook."""
    return known_ids()


def table_changes(
    form: Mapping[str, str], config: Config, place: SettingsPlace
) -> dict[KeyPath, dict[str, Value | None]]:
    """What the form puts into the settings.

    Raises:
        SettingsRefusedError: a number is not one, or a rulebook is not to be chosen here.
    """
    table: dict[str, Value | None] = {
        "name": form.get("name", "").strip().lower(),
        "title": form.get("title", "").strip() or None,
    }
    # A House Way file may be a program: only whoever starts the service chooses one.
    for key, known, now in (
        ("rulebook", RULEBOOKS, config.table.rulebook),
        ("house_way", known_ways(), config.table.house_way or ""),
    ):
        value = form.get(key, "")
        if value != now:
            if value and value not in known:
                raise SettingsRefusedError(words("There is no rulebook or House Way %(name)s.", name=repr(value)))
            table[key] = value or None
    if "rulebook" in table and config.table.variant is not None:
        # A variant is one of its rulebook.
        table["variant"] = None
    changes: dict[KeyPath, dict[str, Value | None]] = {
        place.table: table,
        ("page",): {"time_zone": form.get("time_zone", "").strip() or "UTC"},
    }
    record: dict[str, Value | None] = {}
    if table["name"] != config.table.name and config.record.folder is None and config.record.url is None:
        # Accounts and record stay with the table when it is renamed.
        record["folder"] = str(config.record_folder)
    return {**changes, **({("record",): record} if record else {}), place.source: source_changes(form, place)}


def source_changes(form: Mapping[str, str], place: SettingsPlace) -> dict[str, Value | None]:
    """What the chosen source puts into the settings; SettingsRefusedError as :func:`table_changes`."""
    name, _, device = form.get("source", "").partition(":")
    kind = KINDS.get(name)
    if kind is None:
        raise SettingsRefusedError(words("Choose where the pictures come from."))
    source: dict[str, Value | None] = {"kind": name}
    source |= dict.fromkeys(key for each in KINDS.values() for key in each.keys)
    source |= {key: None for key in CAMERA_SETTINGS if key not in kind.settable}
    if kind.form == "device":
        source["device"] = int(device) if device.isascii() and device.isdigit() else device
        width, height, fps = (form.get(name, "").strip() for name in ("width", "height", "fps"))
        source["size"] = [_whole("width", width), _whole("height", height)] if width or height else None
        source["fps"] = _number("fps", fps) if fps else None
    elif kind.form == "path":
        if not (path := form.get("path", "").strip()):
            raise SettingsRefusedError(words("Enter the folder or file that contains the pictures."))
        source["path"] = path
    elif kind.form == "address":
        source["url_file"] = place.beside(ADDRESS_FILE).name
    return source


def needs_address(form: Mapping[str, str]) -> bool:
    """Whether the chosen source has an address."""
    kind = KINDS.get(form.get("source", ""))
    return kind is not None and kind.form == "address"


def address_of(form: Mapping[str, str]) -> str | None:
    """The address of a network camera that was typed; None if none was."""
    return form.get("url", "").strip() or None if needs_address(form) else None


def shown_without_secret(address: str | None) -> str:
    """An address as it may be shown."""
    return "" if address is None else shown_address(address)


def marker_fields(layout: Layout) -> dict[str, str]:
    """The initial values of the form of the markers: four of them, near the corners of the playing surface."""
    wide, deep = (side / 2 - _RAIL_MM for side in layout.table_mm or TABLE_MM)
    spots = ((-wide, deep), (wide, deep), (wide, -deep), (-wide, -deep))
    fields = {f"marker{number}.z": "0" for number in range(MARKERS)}
    for number, (x, y) in enumerate(spots):
        fields |= {f"marker{number}.x": f"{x:g}", f"marker{number}.y": f"{y:g}"}
    return fields


def read_markers(form: Mapping[str, str]) -> tuple[MarkerSpot, ...]:
    """Where markers lie; one without x and y is not there.

    Raises:
        SettingsRefusedError: a number is not one.
    """
    spots = []
    for number in range(MARKERS):
        x, y, z = (form.get(f"marker{number}.{axis}", "").strip() for axis in "xyz")
        if x or y:
            spots.append(MarkerSpot(number, *(_number(f"{number}", each or "0") for each in (x, y, z))))
    return tuple(spots)


def _whole(field: str, text: str) -> int:
    number = _number(field, text)
    if number != int(number):
        raise SettingsRefusedError(words("%(field)s: expected a number, got %(text)s", field=field, text=repr(text)))
    return int(number)


def _number(field: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or abs(number) > _FURTHEST_MM:
        raise SettingsRefusedError(words("%(field)s: expected a number, got %(text)s", field=field, text=repr(text)))
    return number


PLACE_NAMES: Final = tuple(map(str, TABLE_PLACES))
MEASURES: Final = ("x", "y", "width", "depth", "angle")
POINT_ROWS: Final = 8
COORDINATES: Final = ("x_px", "y_px", "x_mm", "y_mm", "z_mm")


def place_fields(layout: Layout) -> dict[str, str]:
    """The initial values of the form of the zones: ``PLACE.there``, ``NAME.x`` and so on; millimetres and degrees."""
    fields = {}
    for place in TABLE_PLACES:
        zone = layout.zone(place)
        if zone is not None:
            fields[f"{place}.there"] = "true"
        shown = zone or Zone(place, (0.0, 0.0), default_size(place))
        numbers = (*shown.center_mm, *shown.size_mm, shown.angle_deg)
        fields |= {f"{place}.{measure}": f"{number:.1f}" for measure, number in zip(MEASURES, numbers, strict=True)}
    return fields


def read_places(form: Mapping[str, str], known: Layout) -> Layout:
    """The layout in a form; a zone whose numbers were not changed keeps them to the last digit.

    Raises:
        CalibrationRefusedError: if a number is not one.
    """
    before = place_fields(known)
    found = {}
    for place in TABLE_PLACES:
        if not form.get(f"{place}.there"):
            continue
        written = {f"{place}.{measure}" for measure in MEASURES}
        same = known.zone(place) if all(form.get(field) == before[field] for field in written) else None
        found[place] = same or _zone(form, place)
    zones = tuple(found[place] for place in GAME_PLACES if place in found)
    return replace(known, zones=zones, chip_float=found.get(FLOAT), display=found.get(DISPLAY))


def point_fields(layout: Layout) -> dict[str, str]:
    """The initial values of the form of the points: the corners of the playing surface, where they are known."""
    fields = {f"point{row}.z_mm": "0" for row in range(1, POINT_ROWS + 1)}
    if layout.table_mm is not None:
        wide, deep = (side / 2 for side in layout.table_mm)
        for row, (x, y) in enumerate(((-wide, deep), (wide, deep), (wide, -deep), (-wide, -deep)), start=1):
            fields |= {f"point{row}.x_mm": f"{x:g}", f"point{row}.y_mm": f"{y:g}"}
    return fields


def read_point_form(form: Mapping[str, str]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The points in a form; rows without a clicked pixel are omitted.

    Returns:
        (n, 2) float64 pixels and (n, 3) float64 millimetres in the table frame.

    Raises:
        CalibrationRefusedError: if a number is not one.
    """
    rows = [
        [_coordinate(form, f"point{row}.{coordinate}") for coordinate in COORDINATES]
        for row in range(1, POINT_ROWS + 1)
        if form.get(f"point{row}.x_px", "").strip()
    ]
    points = np.array(rows, np.float64).reshape(-1, len(COORDINATES))
    return points[:, :2], points[:, 2:]


def _zone(form: Mapping[str, str], place: Place) -> Zone:
    x, y, width, depth, angle = (_coordinate(form, f"{place}.{measure}") for measure in MEASURES)
    return Zone(place, (x, y), (width, depth), angle)


def _coordinate(form: Mapping[str, str], field: str) -> float:
    text = form.get(field, "").strip()
    try:
        number = float(text)
    except ValueError:
        unreadable = words("%(field)s: expected a number, got %(text)s", field=field, text=repr(text))
        raise CalibrationRefusedError(unreadable) from None
    if not math.isfinite(number) or abs(number) > _FURTHEST_MM:
        span = {"least": f"-{_FURTHEST_MM:.0f}", "most": f"{_FURTHEST_MM:.0f}"}
        raise CalibrationRefusedError(
            words(
                "%(field)s: expected a number from %(least)s to %(most)s, got %(text)s", field=field, text=text, **span
            )
        )
    return number
