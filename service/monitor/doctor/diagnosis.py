"""What the doctor finds: codes with their sentences, all in one place."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

Level: TypeAlias = Literal["ok", "warn", "fail"]
"""``fail`` if the table cannot or must not be verified so, ``warn`` if it will not stay well."""

_RESTORE_MODELS: Final = "restore model and card from one revision (git checkout models/weights)"
_CABLE: Final = "see cable, power and address of the camera"
_CALIBRATION: Final = "{name}, {width} x {height}"
MADE: Final = ", made {made:%Y-%m-%d}, sha256:{sha256}"
_ENROLMENT: Final = "{name}, {tiles} tiles from {pictures} pictures{made}"
_PROVEN_COPY: Final = (
    "put back a copy that `houseway record verify` proves (docs/operations.md), and keep the broken one"
)
_READ: Final = "read in {read_ms:.0f} ms: {tiles} tiles, {dice} dice"
_DISK: Final = "{free_gb:.1f} GB free at {folder}"
_MAKE_ROOM: Final = "export and remove what is not needed (docs/record.md), or give record.folder a larger disk"
_MEMORY: Final = "{available_gb:.1f} of {total_gb:.1f} GB available"
_TIME_SERVER: Final = "see `timedatectl`: systemd-timesyncd or chrony must run and reach a server"
_NOTHING_VERIFIED: Final = ", and clock.need_sync is true: nothing is verified"
_DEGREES: Final = "{celsius:.0f} degrees Celsius"
_COOL: Final = "give it air: the active cooler, and no closed case"
_SUPPLY: Final = "use the maker's own supply (27 W for a Raspberry Pi 5) and the active cooler"
_CERTIFICATE: Final = "{name} is valid until {until:%Y-%m-%d}"
_NEW_CERTIFICATE: Final = "have a new one made, and name it in server.tls_certificate"


@unique
class DiagnosisCode(Enum):
    """Everything that may be found: what was looked at, how well that is, how it is in words, and what to do."""

    PYTHON_WELL = ("python", "ok", "{implementation} {version} on {machine}")
    PYTHON_TOO_OLD = (
        "python",
        "fail",
        "{implementation} {version} on {machine}",
        "Houseway needs Python 3.11 or later: install it and make the environment anew",
    )
    LIBRARIES_WELL = ("libraries", "ok", "{count} as needed; OpenCV {opencv}")
    LIBRARIES_NOT_INSTALLED = (
        "libraries",
        "warn",
        "{distribution} is not installed here",
        "run `make run`, which installs it",
    )
    LIBRARIES_DIFFER = (
        "libraries",
        "fail",
        "{faults}",
        "install the locked ones: pip install --require-hashes -r requirements.lock",
    )
    CODE_WELL = ("code", "ok", "code sha256:{sha256}, as installed")
    CODE_NOT_SEALED = (
        "code",
        "ok",
        "code sha256:{sha256}, with no {seal} to compare with, as `make install-pi` writes it",
    )
    CODE_DIFFERS = (
        "code",
        "fail",
        "code sha256:{sha256}: not as installed: {files}",
        "install again, or, if the change is meant, write the list anew: python -m service.ops.code > code.sha256",
    )
    MODELS_WELL = ("models", "ok", "{models}")
    MODELS_MISSING = ("models", "fail", "{folder} holds no model", "restore them (git checkout models/weights)")
    MODEL_UNREADABLE = ("models", "fail", "{why}", _RESTORE_MODELS)
    MODEL_DIFFERS = ("models", "fail", "{path} has sha256 {found}, its card says {expected}", _RESTORE_MODELS)
    SETTINGS_WELL = ("settings", "ok", "{path}: table {table!r}")
    SETTINGS_WRONG = ("settings", "fail", "{why}", "correct them; docs/configuration.md tells what each key is")
    RULEBOOK_WELL = ("rulebook", "ok", "{rulebook}, House Way {house_way}")
    RULEBOOK_UNUSABLE = ("rulebook", "fail", "{why}", "name another in table.rulebook or table.house_way")
    CALIBRATION_WELL = ("calibration", "ok", _CALIBRATION + MADE)
    CALIBRATION_NOT_SEALED = ("calibration", "ok", f"{_CALIBRATION}, of a form without date and hash")
    CALIBRATION_NONE = (
        "calibration",
        "warn",
        "none is named: no places, no millimetres, and no hand is ever verified",
        "calibrate the table (docs/calibration.md) and name the file in table.calibration",
    )
    CALIBRATION_OLD = (
        "calibration",
        "warn",
        f"{_CALIBRATION}{MADE}: more than {{days}} days old",
        "run `houseway calibrate check`",
    )
    CALIBRATION_WITHOUT_REFERENCE = (
        "calibration",
        "warn",
        f"{_CALIBRATION}{MADE}: without a picture of the empty table, light and focus cannot be compared",
        "make it with `houseway calibrate table` over the empty table",
    )
    CALIBRATION_UNUSABLE = (
        "calibration",
        "fail",
        "{why}",
        "restore the file from `history` beside it, or calibrate again",
    )
    ENROLMENT_WELL = ("enrolment", "ok", _ENROLMENT)
    ENROLMENT_NONE = (
        "enrolment",
        "ok",
        "no set of tiles is enrolled: one tile exchanged for another of its face goes unseen",
    )
    ENROLMENT_NOT_THERE = (
        "enrolment",
        "warn",
        "{path} is not there yet",
        "enrol the set on the page under Tiles (docs/enrolment.md)",
    )
    ENROLMENT_OF_OTHER_CALIBRATION = (
        "enrolment",
        "warn",
        f"{_ENROLMENT}: learnt under another calibration",
        "have the set checked at the next display",
    )
    ENROLMENT_UNUSABLE = ("enrolment", "fail", "{why}", "restore the file from `history` beside it, or enrol again")
    SOURCE_WELL = ("source", "ok", "{source}: pictures of {width} x {height}")
    SOURCE_IN_USE = (
        "source",
        "warn",
        "the running service has the camera",
        "GET /v1/tables/{table} tells how it is; stop the service to have it looked at here",
    )
    SOURCE_UNKNOWN = ("source", "fail", "{why}", "name what there is under [source]")
    SOURCE_SILENT = ("source", "fail", "{source}: no picture within {wait_s:.0f} s", _CABLE)
    SOURCE_FAULT = ("source", "fail", "{why}", f"{_CABLE}, and that nobody else uses it")
    PICTURE_WELL = ("picture", "ok", f"lit, sharp and from where the camera was calibrated; {_READ}")
    PICTURE_NOT_COMPARED = (
        "picture",
        "ok",
        f"{_READ}; whether the camera moved cannot be told without markers or an empty table's picture",
    )
    PICTURE_UNFIT = (
        "picture",
        "fail",
        f"{{why}} ({_READ})",
        "see light, lens and camera; `houseway calibrate check FILE SOURCE` draws what it finds",
    )
    PICTURE_NOT_CALIBRATED = ("picture", "fail", "{why}", "set the camera's size back, or calibrate again")
    PICTURE_NOT_READ = ("picture", "fail", "{why}", "see the models above")
    FOLDER_WELL = ("record_folder", "ok", "{folder} can be written{on}")
    FOLDER_FORGETS = (
        "record_folder",
        "warn",
        "{folder} is on {filesystem}, which forgets or may be thrown away",
        "put it on a disk",
    )
    FOLDER_NOT_WRITABLE = (
        "record_folder",
        "fail",
        "{folder} cannot be written: {why}",
        "give it to the user of the service (chown), or name another as record.folder",
    )
    RECORD_WELL = ("record", "ok", "entries {first} to {last} and {pictures} pictures hold; head {head}")
    RECORD_END_WELL = ("record", "ok", "{record}: the newest entries hold")
    RECORD_NONE = ("record", "ok", "none yet: the first start begins it")
    RECORD_NOT_CHECKED = ("record", "warn", "not looked at yet: {why}", "see the check 'record'")
    RECORD_URL_WRONG = ("record", "fail", "{why}", "see record.url")
    RECORD_UNREADABLE = ("record", "fail", "{why}", _PROVEN_COPY)
    RECORD_BROKEN = ("record", "fail", "broken at entry {entry}: {why}", _PROVEN_COPY)
    DISK_WELL = ("disk", "ok", _DISK)
    DISK_LOW = ("disk", "warn", f"{_DISK}, {{above_gb:.1f}} GB above record.min_free_mb", _MAKE_ROOM)
    DISK_FULL = ("disk", "fail", f"{_DISK}, less than record.min_free_mb", _MAKE_ROOM)
    MEMORY_WELL = ("memory", "ok", _MEMORY)
    MEMORY_LOW = ("memory", "warn", _MEMORY, "end what else runs; the table service needs some 600 MB")
    MEMORY_UNKNOWN = ("memory", "warn", "the system does not say", "Houseway is made for Linux")
    CLOCK_WELL = ("clock", "ok", "set by a time server{within}")
    CLOCK_NOT_SYNCHRONISED = ("clock", "warn", "no time server sets it", _TIME_SERVER)
    CLOCK_UNKNOWN = ("clock", "warn", "the kernel does not say whether it is set", _TIME_SERVER)
    CLOCK_NEEDED_NOT_SYNCHRONISED = ("clock", "fail", f"no time server sets it{_NOTHING_VERIFIED}", _TIME_SERVER)
    CLOCK_NEEDED_UNKNOWN = (
        "clock",
        "fail",
        f"the kernel does not say whether it is set{_NOTHING_VERIFIED}",
        _TIME_SERVER,
    )
    TEMPERATURE_WELL = ("temperature", "ok", _DEGREES)
    TEMPERATURE_UNKNOWN = ("temperature", "ok", "this machine has no sensor that can be read")
    TEMPERATURE_HIGH = ("temperature", "warn", _DEGREES, _COOL)
    TEMPERATURE_TOO_HIGH = ("temperature", "fail", _DEGREES, _COOL)
    POWER_WELL = ("power", "ok", "{model}: supply and speed are as they should be")
    POWER_NOT_APPLICABLE = ("power", "ok", "not a Raspberry Pi: the supply cannot be asked")
    POWER_UNKNOWN = (
        "power",
        "warn",
        "{model}: the firmware does not say",
        "`vcgencmd get_throttled` should print throttled=0x0",
    )
    POWER_WAS_THROTTLED = ("power", "warn", "{model}: since it was started at times {flags}", _SUPPLY)
    POWER_THROTTLED = ("power", "fail", "{model}: {flags}", _SUPPLY)
    PORT_FREE = ("port", "ok", "{host} port {port} is free")
    PORT_ANSWERS = ("port", "ok", "Houseway {version} answers on {host} port {port}")
    PORT_TAKEN = ("port", "fail", "{host} port {port}: {why}", "end what uses it, or set server.port")
    TLS_WELL = ("tls", "ok", _CERTIFICATE)
    TLS_NONE = ("tls", "ok", "not spoken here")
    TLS_BY_PROXY = ("tls", "ok", "not spoken here; other machines come through a proxy")
    TLS_EXPIRES = ("tls", "warn", _CERTIFICATE, _NEW_CERTIFICATE)
    TLS_EXPIRED = ("tls", "fail", _CERTIFICATE, _NEW_CERTIFICATE)
    TLS_UNREADABLE = ("tls", "fail", "{file} cannot be read: {why}", "name a PEM file in server.tls_certificate")
    SECRETS_WELL = ("secrets", "ok", "{file} is its owner's alone")
    SECRETS_EXPOSED = (
        "secrets",
        "fail",
        "{file} can be read or written by others ({mode:03o})",
        "chmod 600 {file}",
    )
    SECRETS_UNREADABLE = (
        "secrets",
        "fail",
        "{file} cannot be read by this user",
        "run this as the user of the service",
    )

    def __init__(self, subject: str, level: Level, sentence: str, remedy: str = "") -> None:
        self.subject = subject
        self.level: Level = level
        self.sentence = sentence
        self.remedy = remedy


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What was found, with the values that its sentence names."""

    code: DiagnosisCode
    params: Mapping[str, object]

    @classmethod
    def of(cls, code: DiagnosisCode, **params: object) -> Diagnosis:
        """What was found, with its parameters."""
        return cls(code, params)

    @property
    def name(self) -> str:
        """What was looked at, a stable word."""
        return self.code.subject

    @property
    def level(self) -> Level:
        """How well it is."""
        return self.code.level

    @property
    def message(self) -> str:
        """How it is, in words."""
        return self.code.sentence.format(**self.params)

    @property
    def remedy(self) -> str:
        """What to do; empty if it is well."""
        return self.code.remedy.format(**self.params)
