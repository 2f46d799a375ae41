"""Settings of a local table: what is watched, with which camera, and what a result needs to be verified."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003  pydantic resolves annotations
from typing import Annotated, Self

from pydantic import Field, model_validator

from engine.vocabulary.play import Lie  # noqa: TC001  pydantic resolves annotations
from service.system.section import Address, Device, File, FileOrId, Name, Section, TitledSection
from service.system.settings_file import ConfigError
from service.system.source_kinds import CAMERA_SETTINGS, KINDS, KindName, SourceKind


class SourceConfig(Section):
    """Where the pictures come from.

    Attributes:
        kind: ``path`` (a picture or a folder of pictures, read again and again, or a video, played at its own pace
            again and again), ``camera`` (a USB camera), ``rtsp``, ``snapshot`` (a network camera that is asked for each
            picture), ``picamera2`` or ``simulator`` (a table that does not exist).
        path: the picture, folder or video of a ``path`` source.
        start_s: where a video starts the first time it is played, seconds.
        url: address of an ``rtsp`` or ``snapshot`` source, with its password if it needs one.
        url_file: file that holds ``url``.
        device: number of a ``camera`` or ``picamera2`` source; of a ``camera`` also its file, such as
            ``/dev/v4l/by-id/usb-...-video-index0``, which stays the same whatever else is plugged in.
        simulator: the session of a ``simulator`` source: ``seed=4,rounds=20,fps=5``, see docs/simulator.md.
        interval_s: shortest time from the start of one reading to the start of the next, seconds: 2 at most, because
            hands are followed from one to the next. Also how often a ``snapshot`` source is asked.
        size: width and height of a camera's pictures, pixels; camera settings that are omitted do not change.
        fps: pictures a second.
        exposure_us: exposure time, microseconds.
        gain: a factor for ``picamera2``, the driver's own unit for ``camera``.
        colour_gains: gains of red and blue, for ``picamera2``.
        white_balance_k: colour temperature for ``camera``, kelvin.
        focus: dioptres (1 / metres) for ``picamera2``, the driver's own unit for ``camera``.
        open_timeout_s: longest time from opening the source to its first picture, seconds; then it is opened again.
        frame_timeout_s: longest time from one picture to the next, seconds; then it is opened again.
        frozen_after_s: seconds of identical pictures after which a camera is opened again; 0 for never.
    """

    kind: KindName = "path"
    path: File | None = None
    start_s: Annotated[float, Field(ge=0.0, le=86_400.0)] = 0.0
    url: Address | None = None
    url_file: File | None = None
    device: Device = 0
    simulator: Annotated[str, Field(max_length=500)] = "seed=4,rounds=20,fps=5"
    """A table with opaque dice, which read well."""
    interval_s: Annotated[float, Field(ge=0.0, le=2.0)] = 0.2
    size: tuple[Annotated[int, Field(ge=64, le=16_384)], Annotated[int, Field(ge=64, le=16_384)]] | None = None
    fps: Annotated[float, Field(gt=0.0, le=240.0)] | None = None
    exposure_us: Annotated[int, Field(gt=0, le=10_000_000)] | None = None
    gain: Annotated[float, Field(ge=0.0)] | None = None
    colour_gains: tuple[Annotated[float, Field(gt=0.0)], Annotated[float, Field(gt=0.0)]] | None = None
    white_balance_k: Annotated[int, Field(ge=1_000, le=20_000)] | None = None
    focus: Annotated[float, Field(ge=0.0)] | None = None
    open_timeout_s: Annotated[float, Field(ge=1.0, le=30.0)] = 10.0
    frame_timeout_s: Annotated[float, Field(ge=0.2, le=30.0)] = 3.0
    frozen_after_s: Annotated[float, Field(ge=0.0, le=600.0)] = 10.0

    @property
    def declared(self) -> SourceKind:
        return KINDS[self.kind]

    @property
    def spec(self) -> str | Path:
        """The source in one word; all but a simulated one as ``vision.capture.sources.open_source`` takes it."""
        return self.declared.opens(self)

    @model_validator(mode="after")
    def _has_what_its_kind_needs(self) -> Self:
        if fault := self.declared.lacks(self):
            raise ValueError(fault)
        for key in CAMERA_SETTINGS:
            if getattr(self, key) is not None and key not in self.declared.settable:
                kinds = " or ".join(kind.name for kind in KINDS.values() if key in kind.settable)
                raise ValueError(f"{key} can be set for a source of kind {kinds} only")
        return self


class RoundsConfig(Section):
    """When what is seen becomes a round, and how many rounds stay in memory.

    Attributes:
        settle_frames: a tile counts once it lay still and was read alike and verified in this many pictures.
        clear_frames: a round ends once this many pictures in a row show no tile at any place.
        keep: rounds kept in memory; older ones are forgotten.
    """

    settle_frames: Annotated[int, Field(ge=1, le=100)] = 3
    clear_frames: Annotated[int, Field(ge=1, le=100)] = 3
    keep: Annotated[int, Field(ge=1, le=10_000)] = 50


class ClockConfig(Section):
    """When the machine's clock is good enough for a result to be verified.

    Attributes:
        need_sync: whether a time server must set the clock; false if there is no network. If omitted, a camera needs
            it, and recorded or simulated pictures do not.
        largest_step_s: a jump of the clock by more than this is a fault, seconds.
        settle_s: how long after a jump nothing is verified, seconds.
    """

    need_sync: bool | None = None
    largest_step_s: Annotated[float, Field(ge=0.05, le=60.0)] = 0.5
    settle_s: Annotated[float, Field(ge=1.0, le=3600.0)] = 60.0


class LocalTableConfig(TitledSection):
    """A table with a camera of this machine.

    Attributes:
        name: the table's name for programs and in addresses: small letters, digits and hyphens.
        title: the name people read; the table's name if omitted.
        pit: name of the pit that it belongs to.
        rulebook: id of the rulebook its House Way is judged by, or the file of a House Way of its own (TOML or Python).
        variant: the variant of the rulebook that is played, such as ``crown-pai-gow``; Pai Gow itself if omitted.
        house_way: id or file of the House Way played under that rulebook; its own if omitted (the UK poster prints
            none).
        calibration: calibration file of this camera; without it nothing is verified (a simulated table has its own).
        low_hand: how the low hand lies as the dealer sees it: ``vertical`` or ``horizontal``, with the high hand the
            other way; as in the rulebook if omitted.
        house_way_boxes: boxes whose hands the dealer always sets the House Way, as some layouts print them.
        players_bank: whether players may hold the bank. If so, who banks is known only from the chung or from a person.
            If not, the House is taken to bank unless one of them says otherwise.
        side_wagers: whether the table takes side wagers, if its rulebook has some; a lost hand may then stay there.
        enrolment: file of this table's own tiles, from ``houseway enrol``; it needs the calibration.
        dice: file of this house's own dice, from ``houseway enrol --dice`` or the page; it needs the calibration.
        markers: file of this house's own chung and buttons, from ``houseway enrol --marker``; it needs the calibration.
        source: where the pictures come from; None until a person chooses that in the page.
        rounds: when what is seen becomes a round.
        clock: when the machine's clock is good enough for a result to be verified.
    """

    name: Name
    title: Annotated[str, Field(max_length=80)] = ""
    pit: Name | None = None
    rulebook: FileOrId = "crown-6.1"
    variant: Annotated[str, Field(min_length=1, max_length=40)] | None = None
    house_way: FileOrId | None = None
    calibration: File | None = None
    low_hand: Lie | None = None
    house_way_boxes: tuple[Annotated[int, Field(ge=1, le=8)], ...] = ()
    players_bank: bool = False
    side_wagers: bool = True
    enrolment: File | None = None
    dice: File | None = None
    markers: File | None = None
    source: SourceConfig | None = None
    rounds: RoundsConfig = RoundsConfig()
    clock: ClockConfig = ClockConfig()

    @property
    def clock_needed(self) -> ClockConfig:
        """What the clock must be, with ``need_sync`` of the kind of source."""
        need = self.clock.need_sync
        if need is None:
            need = self.source is not None and self.source.declared.pictures == "live"
        return self.clock.model_copy(update={"need_sync": need})

    @property
    def watched(self) -> SourceConfig:
        """The source; ConfigError if none has been chosen yet."""
        if self.source is None:
            raise ConfigError(f"table {self.name!r} has no source yet")
        return self.source

    @model_validator(mode="after")
    def _enrolled_only_if_calibrated(self) -> Self:
        simulated = self.source is not None and self.source.kind == "simulator"
        if self.calibration is None and not simulated:
            for name in ("enrolment", "dice", "markers"):
                if getattr(self, name) is not None:
                    raise ValueError(f'{name} needs the calibration of the camera as well: calibration = "FILE"')
        return self
