"""The kinds of sources, each declared once: settings, what is opened, what the doctor says, and how the set-up asks.

A new kind is one entry of ``KINDS``, and a camera in :mod:`vision.capture.sources` if none of those there will do.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias

from service.words.diagnoses import DiagnosisCode
from service.words.wording import sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from service.system.section import Address

Pictures: TypeAlias = Literal["live", "recording", "simulation"]
"""Where a table's pictures come from: a camera that is on now, a file, or a table that does not exist."""
Form: TypeAlias = Literal["device", "address", "path", "nothing"]
"""What the set-up asks for: a camera of this machine, an address, a file or folder, or nothing more."""
CAMERA_SETTINGS: Final = ("size", "fps", "exposure_us", "gain", "colour_gains", "white_balance_k", "focus")
"""Keys of ``[tables.source]`` that are settings of a camera."""
_OF_USB: Final = frozenset(CAMERA_SETTINGS) - {"colour_gains"}
_OF_PI: Final = frozenset(CAMERA_SETTINGS) - {"white_balance_k"}


class SourceKeys(Protocol):
    """The keys of ``[tables.source]`` that tell sources of one kind apart."""

    path: Path | None
    url: Address | None
    device: int | str
    simulator: str


def _address(source: SourceKeys) -> str:
    return "" if source.url is None else source.url.get_secret_value()


def _nothing(_: SourceKeys) -> str:
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceKind:
    """Everything that follows from a kind of source.

    Attributes:
        name: as ``source.kind``.
        keys: of ``[tables.source]``, which other kinds may not need.
        opens: the source as ``vision.capture.sources.open_source`` takes it; a simulated one by its text.
        pictures: what they show.
        exclusive: what two tables cannot both read; None if there is no such thing.
        silent: the doctor's finding if no picture comes.
        fault: the doctor's finding if a picture cannot be used.
        form: what the set-up asks for.
        label: what the set-up calls it; empty if it lists cameras.
        settable: which settings of a camera it takes.
        schemes: what its address may start with, the usual one first; empty if it has no address.
        wrong: what is missing or wrong in its other keys; empty if nothing is.
        polled: whether it is asked for each picture, once in ``interval_s``.
    """

    name: str
    keys: tuple[str, ...]
    opens: Callable[[SourceKeys], str | Path]
    pictures: Pictures
    exclusive: Callable[[SourceKeys], object]
    silent: DiagnosisCode
    fault: DiagnosisCode
    form: Form
    label: str = ""
    settable: frozenset[str] = frozenset()
    schemes: tuple[str, ...] = ()
    wrong: Callable[[SourceKeys], str] = _nothing
    polled: bool = False

    @property
    def address_form(self) -> str:
        """What its address looks like: ``rtsp://...``; empty if it has none."""
        return f"{self.schemes[0]}..." if self.schemes else ""

    def lacks(self, source: SourceKeys) -> str:
        """What is missing or wrong in its keys; empty if nothing is."""
        if self.schemes and not _address(source).startswith(self.schemes):
            return f"a source of kind '{self.name}' needs url = \"{self.address_form}\""
        return self.wrong(source)


def _needs_path(source: SourceKeys) -> str:
    return "" if source.path is not None else "a source of kind 'path' needs path = \"a picture, a folder or a video\""


def _needs_number(source: SourceKeys) -> str:
    wrong = isinstance(source.device, str)
    return "device of a source of kind 'picamera2' is its number, such as 0" if wrong else ""


def _video_device(source: SourceKeys) -> Path:
    return Path(f"/dev/video{source.device}" if isinstance(source.device, int) else source.device).resolve()


KINDS: Final[Mapping[str, SourceKind]] = {
    kind.name: kind
    for kind in (
        SourceKind(
            name="path",
            keys=("path", "start_s"),
            wrong=_needs_path,
            opens=lambda source: source.path or "",
            pictures="recording",
            exclusive=lambda _: None,
            silent=DiagnosisCode.FILES_SILENT,
            fault=DiagnosisCode.FILES_FAULT,
            form="path",
            label=sentence("Recorded pictures or a video"),
        ),
        SourceKind(
            name="camera",
            keys=("device",),
            opens=lambda source: str(source.device),
            pictures="live",
            exclusive=_video_device,
            silent=DiagnosisCode.CAMERA_SILENT,
            fault=DiagnosisCode.CAMERA_FAULT,
            form="device",
            settable=_OF_USB,
        ),
        SourceKind(
            name="rtsp",
            keys=("url", "url_file"),
            schemes=("rtsp://", "rtsps://"),
            opens=_address,
            pictures="live",
            exclusive=lambda source: source.url,  # shown without its password
            silent=DiagnosisCode.NETWORK_SILENT,
            fault=DiagnosisCode.NETWORK_FAULT,
            form="address",
            label=sentence("Network camera"),
        ),
        SourceKind(
            name="snapshot",
            keys=("url", "url_file"),
            schemes=("http://", "https://"),
            opens=lambda source: f"snapshot:{_address(source)}",
            pictures="live",
            exclusive=lambda source: source.url,
            silent=DiagnosisCode.NETWORK_SILENT,
            fault=DiagnosisCode.NETWORK_FAULT,
            form="address",
            label=sentence("Network camera that gives single pictures"),
            polled=True,
        ),
        SourceKind(
            name="picamera2",
            keys=("device",),
            wrong=_needs_number,
            opens=lambda source: f"picamera2:{source.device}",
            pictures="live",
            exclusive=lambda source: f"picamera2:{source.device}",
            silent=DiagnosisCode.CAMERA_SILENT,
            fault=DiagnosisCode.CAMERA_FAULT,
            form="device",
            settable=_OF_PI,
        ),
        SourceKind(
            name="simulator",
            keys=("simulator",),
            opens=lambda source: f"simulator:{source.simulator}",
            pictures="simulation",
            exclusive=lambda _: None,
            silent=DiagnosisCode.SIMULATOR_SILENT,
            fault=DiagnosisCode.SIMULATOR_FAULT,
            form="nothing",
            label=sentence("A simulated table, to try the program"),
        ),
    )
}
if TYPE_CHECKING:
    KindName: TypeAlias = str
else:
    KindName = Literal[tuple(KINDS)]


def offered(form: Form) -> tuple[SourceKind, ...]:
    """The kinds for which the set-up asks in one way."""
    return tuple(kind for kind in KINDS.values() if kind.form == form)
