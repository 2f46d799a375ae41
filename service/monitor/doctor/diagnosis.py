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
    """Everything that may be found: how well it is, how it is in words, and what to do."""

    PYTHON_WELL = ("ok", "{implementation} {version} on {machine}")
    PYTHON_TOO_OLD = (
        "fail",
        "{implementation} {version} on {machine}",
        "Houseway needs Python 3.11 or later: install it and make the environment anew",
    )
    LIBRARIES_WELL = ("ok", "{count} as needed; OpenCV {opencv}")
    LIBRARIES_NOT_INSTALLED = ("warn", "{distribution} is not installed here", "run `make run`, which installs it")
    LIBRARIES_DIFFER = (
        "fail",
        "{faults}",
        "install the locked ones: pip install --require-hashes -r requirements.lock",
    )
    CODE_WELL = ("ok", "code sha256:{sha256}, as installed")
    CODE_NOT_SEALED = ("ok", "code sha256:{sha256}, with no {seal} to compare with, as `make install-pi` writes it")
    CODE_DIFFERS = (
        "fail",
        "code sha256:{sha256}: not as installed: {files}",
        "install again, or, if the change is meant, write the list anew: python -m service.ops.code > code.sha256",
    )
    MODELS_WELL = ("ok", "{models}")
    MODELS_MISSING = ("fail", "{folder} holds no model", "restore them (git checkout models/weights)")
    MODELS_UNREADABLE = ("fail", "{why}", _RESTORE_MODELS)
    MODELS_DIFFERS = ("fail", "{path} has sha256 {found}, its card says {expected}", _RESTORE_MODELS)
    SETTINGS_WELL = ("ok", "{path}: table {table!r}")
    SETTINGS_WRONG = ("fail", "{why}", "correct them; docs/configuration.md tells what each key is")
    RULEBOOK_WELL = ("ok", "{rulebook}, House Way {house_way}")
    RULEBOOK_UNUSABLE = ("fail", "{why}", "name another in table.rulebook or table.house_way")
    CALIBRATION_WELL = ("ok", _CALIBRATION + MADE)
    CALIBRATION_NOT_SEALED = ("ok", f"{_CALIBRATION}, of a form without date and hash")
    CALIBRATION_NONE = (
        "warn",
        "none is named: no places, no millimetres, and no hand is ever verified",
        "calibrate the table (docs/calibration.md) and name the file in table.calibration",
    )
    CALIBRATION_OLD = ("warn", f"{_CALIBRATION}{MADE}: more than {{days}} days old", "run `houseway calibrate check`")
    CALIBRATION_WITHOUT_REFERENCE = (
        "warn",
        f"{_CALIBRATION}{MADE}: without a picture of the empty table, light and focus cannot be compared",
        "make it with `houseway calibrate table` over the empty table",
    )
    CALIBRATION_UNUSABLE = ("fail", "{why}", "restore the file from `history` beside it, or calibrate again")
    ENROLMENT_WELL = ("ok", _ENROLMENT)
    ENROLMENT_NONE = ("ok", "no set of tiles is enrolled: one tile exchanged for another of its face goes unseen")
    ENROLMENT_NOT_THERE = (
        "warn",
        "{path} is not there yet",
        "enrol the set on the page under Tiles (docs/enrolment.md)",
    )
    ENROLMENT_OF_OTHER_CALIBRATION = (
        "warn",
        f"{_ENROLMENT}: learnt under another calibration",
        "have the set checked at the next display",
    )
    ENROLMENT_UNUSABLE = ("fail", "{why}", "restore the file from `history` beside it, or enrol again")
    SOURCE_WELL = ("ok", "{source}: pictures of {width} x {height}")
    SOURCE_IN_USE = (
        "warn",
        "the running service has the camera",
        "GET /v1/tables/{table} tells how it is; stop the service to have it looked at here",
    )
    SOURCE_UNKNOWN = ("fail", "{why}", "name what there is under [source]")
    SOURCE_SILENT = ("fail", "{source}: no picture within {wait_s:.0f} s", _CABLE)
    SOURCE_FAULT = ("fail", "{why}", f"{_CABLE}, and that nobody else uses it")
    PICTURE_WELL = ("ok", f"lit, sharp and from where the camera was calibrated; {_READ}")
    PICTURE_NOT_COMPARED = (
        "ok",
        f"{_READ}; whether the camera moved cannot be told without markers or an empty table's picture",
    )
    PICTURE_UNFIT = (
        "fail",
        f"{{why}} ({_READ})",
        "see light, lens and camera; `houseway calibrate check FILE SOURCE` draws what it finds",
    )
    PICTURE_NOT_CALIBRATED = ("fail", "{why}", "set the camera's size back, or calibrate again")
    PICTURE_NOT_READ = ("fail", "{why}", "see the models above")
    FOLDER_WELL = ("ok", "{folder} can be written{on}")
    FOLDER_FORGETS = ("warn", "{folder} is on {filesystem}, which forgets or may be thrown away", "put it on a disk")
    FOLDER_NOT_WRITABLE = (
        "fail",
        "{folder} cannot be written: {why}",
        "give it to the user of the service (chown), or name another as record.folder",
    )
    RECORD_WELL = ("ok", "entries {first} to {last} and {pictures} pictures hold; head {head}")
    RECORD_END_WELL = ("ok", "{record}: the newest entries hold")
    RECORD_NONE = ("ok", "none yet: the first start begins it")
    RECORD_NOT_CHECKED = ("warn", "not looked at yet: {why}", "see the check 'record'")
    RECORD_URL_WRONG = ("fail", "{why}", "see record.url")
    RECORD_UNREADABLE = ("fail", "{why}", _PROVEN_COPY)
    RECORD_BROKEN = ("fail", "broken at entry {entry}: {why}", _PROVEN_COPY)
    DISK_WELL = ("ok", _DISK)
    DISK_LOW = ("warn", f"{_DISK}, {{above_gb:.1f}} GB above record.min_free_mb", _MAKE_ROOM)
    DISK_FULL = ("fail", f"{_DISK}, less than record.min_free_mb", _MAKE_ROOM)
    MEMORY_WELL = ("ok", _MEMORY)
    MEMORY_LOW = ("warn", _MEMORY, "end what else runs; the table service needs some 600 MB")
    MEMORY_UNKNOWN = ("warn", "the system does not say", "Houseway is made for Linux")
    CLOCK_WELL = ("ok", "set by a time server{within}")
    CLOCK_NOT_SYNCHRONISED = ("warn", "no time server sets it", _TIME_SERVER)
    CLOCK_UNKNOWN = ("warn", "the kernel does not say whether it is set", _TIME_SERVER)
    CLOCK_NEEDED_NOT_SYNCHRONISED = ("fail", f"no time server sets it{_NOTHING_VERIFIED}", _TIME_SERVER)
    CLOCK_NEEDED_UNKNOWN = ("fail", f"the kernel does not say whether it is set{_NOTHING_VERIFIED}", _TIME_SERVER)
    TEMPERATURE_WELL = ("ok", _DEGREES)
    TEMPERATURE_UNKNOWN = ("ok", "this machine has no sensor that can be read")
    TEMPERATURE_HIGH = ("warn", _DEGREES, _COOL)
    TEMPERATURE_TOO_HIGH = ("fail", _DEGREES, _COOL)
    POWER_WELL = ("ok", "{model}: supply and speed are as they should be")
    POWER_NOT_APPLICABLE = ("ok", "not a Raspberry Pi: the supply cannot be asked")
    POWER_UNKNOWN = (
        "warn",
        "{model}: the firmware does not say",
        "`vcgencmd get_throttled` should print throttled=0x0",
    )
    POWER_WAS_THROTTLED = ("warn", "{model}: since it was started at times {flags}", _SUPPLY)
    POWER_THROTTLED = ("fail", "{model}: {flags}", _SUPPLY)
    PORT_FREE = ("ok", "{host} port {port} is free")
    PORT_ANSWERS = ("ok", "Houseway {version} answers on {host} port {port}")
    PORT_TAKEN = ("fail", "{host} port {port}: {why}", "end what uses it, or set server.port")
    TLS_WELL = ("ok", _CERTIFICATE)
    TLS_NONE = ("ok", "not spoken here")
    TLS_BY_PROXY = ("ok", "not spoken here; other machines come through a proxy")
    TLS_EXPIRES = ("warn", _CERTIFICATE, _NEW_CERTIFICATE)
    TLS_EXPIRED = ("fail", _CERTIFICATE, _NEW_CERTIFICATE)
    TLS_UNREADABLE = ("fail", "{file} cannot be read: {why}", "name a PEM file in server.tls_certificate")
    SECRETS_WELL = ("ok", "{file} is its owner's alone")
    SECRETS_EXPOSED = ("fail", "{file} can be read or written by others ({mode:03o})", "chmod 600 {file}")
    SECRETS_UNREADABLE = ("fail", "{file} cannot be read by this user", "run this as the user of the service")

    def __init__(self, level: Level, sentence: str, remedy: str = "") -> None:
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
        """What was looked at, a stable word: the first of the code's name."""
        word = self.code.name.partition("_")[0].lower()
        return "record_folder" if word == "folder" else word

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
