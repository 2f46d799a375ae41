"""Diagnoses of the doctor and the self-test: codes with their English sentences.

Sentences of the self-test appear on pages, so catalogues translate them.
"""

from __future__ import annotations

from enum import StrEnum, unique
from typing import TYPE_CHECKING, Final, Literal, Self, TypeAlias

from service.words.wording import sentence

Level: TypeAlias = Literal["ok", "warn", "fail"]
"""``fail`` if the table cannot or must not verify, ``warn`` if a fault is likely later."""

_PYTHON: Final = "%(implementation)s %(version)s on %(machine)s"
_RESTORE_MODELS: Final = sentence("restore model and card from one revision (git checkout models/weights)")
_SILENT: Final = "%(source)s: no picture within %(wait_s).0f s"
_CABLE: Final = "check the camera's cable and source.device, and that no other program uses the camera"
_NETWORK: Final = "check the camera's power and network cable, and its address, user and password under [tables.source]"
_READABLE: Final = "check that the files under source.path are pictures or a video that other programs can open"
_SIMULATED: Final = "check source.simulator; docs/simulator.md lists what it may be"
MADE: Final = ", made %(made)s, sha256:%(sha256)s"
_ENROLMENT: Final = "%(name)s, %(tiles)s tiles from %(pictures)s pictures%(made)s"
_DICE: Final = "%(name)s, throws learnt: %(throws)s%(made)s"
_MARKERS: Final = "%(name)s, %(markers)s%(made)s"
_PRINT_TOO_SMALL: Final = (
    f"{_MARKERS}: the print of %(small)s is %(print_px).1f pixels high at %(place)s; %(least_px)g are needed to "
    "read it, so it is never verified there"
)
_PROVEN_COPY: Final = (
    "restore a copy that passes `houseway record verify` (docs/operations.md), and keep the broken one"
)
_READ: Final = "read in %(read_ms).0f ms: %(tiles)s tiles, %(dice)s dice"
_DISK: Final = "%(free_gb).1f GB free at %(folder)s"
_MAKE_ROOM: Final = (
    "export the record and remove what is not needed (docs/record.md), or put record.folder on a larger disk"
)
_MEMORY: Final = "%(available_gb).1f of %(total_gb).1f GB available"
_HANDLES: Final = "%(handles)s file handles; %(needed)s are needed for %(connections)s connections and the rest"
_TIME_SERVER: Final = "check `timedatectl`: systemd-timesyncd or chrony must run and reach a server"
_NOTHING_VERIFIED: Final = ", and clock.need_sync is true: nothing is verified"
_DEGREES: Final = "%(celsius).0f degrees Celsius"
_COOL: Final = "cool it: use the active cooler, and no closed case"
_SUPPLY: Final = "use the maker's own supply (27 W for a Raspberry Pi 5) and the active cooler"
_CERTIFICATE: Final = "%(name)s is valid until %(until)s"
_NEW_CERTIFICATE: Final = "get a new certificate, and name it in server.tls_certificate"


@unique
class DiagnosisCode(StrEnum):
    """All diagnoses, as ``subject.state``, each with level, sentence and remedy."""

    PYTHON_WELL = ("python.well", "ok", _PYTHON)
    PYTHON_TOO_OLD = (
        "python.too_old",
        "fail",
        _PYTHON,
        sentence("Houseway needs Python 3.11 or later: install it, then create the environment again"),
    )
    LIBRARIES_WELL = ("libraries.well", "ok", "%(count)s as needed; OpenCV %(opencv)s")
    LIBRARIES_NOT_INSTALLED = (
        "libraries.not_installed",
        "warn",
        "%(distribution)s is not installed here",
        "run `make run`, which installs it",
    )
    LIBRARIES_DIFFER = (
        "libraries.differ",
        "fail",
        "%(faults)s",
        sentence("install the locked ones: pip install --require-hashes -r requirements.lock"),
    )
    CODE_WELL = ("code.well", "ok", sentence("code sha256:%(sha256)s, as installed"))
    CODE_NOT_SEALED = (
        "code.not_sealed",
        "ok",
        sentence("code sha256:%(sha256)s, with no %(seal)s to compare with, as `make install-pi` writes it"),
    )
    CODE_DIFFERS = (
        "code.differs",
        "fail",
        sentence("code sha256:%(sha256)s: not as installed: %(files)s"),
        sentence(
            "install again, or, if the change is intended, write the list again: python -m service.system.versions > "
            "code.sha256"
        ),
    )
    MODELS_WELL = ("models.well", "ok", "%(models)s")
    MODELS_MISSING = (
        "models.missing",
        "fail",
        sentence("%(folder)s contains no model"),
        sentence("restore them (git checkout models/weights)"),
    )
    MODELS_UNREADABLE = ("models.unreadable", "fail", "%(why)s", _RESTORE_MODELS)
    MODELS_DIFFERS = (
        "models.differs",
        "fail",
        sentence("%(path)s has sha256 %(found)s, but its card says %(expected)s"),
        _RESTORE_MODELS,
    )
    SETTINGS_WELL = ("settings.well", "ok", "%(path)s, with the tables %(tables)s")
    SETTINGS_WRONG = ("settings.wrong", "fail", "%(why)s", "correct them; docs/configuration.md explains every key")
    RULEBOOK_WELL = ("rulebook.well", "ok", "%(rulebook)s, House Way %(house_way)s")
    RULEBOOK_UNUSABLE = (
        "rulebook.unusable",
        "fail",
        "%(why)s",
        "name another rulebook or house_way under [[tables]]",
    )
    CALIBRATION_WELL = (
        "calibration.well",
        "ok",
        sentence("%(name)s, %(width)s x %(height)s, made %(made)s, sha256:%(sha256)s"),
    )
    CALIBRATION_NOT_SEALED = (
        "calibration.not_sealed",
        "ok",
        sentence("%(name)s, %(width)s x %(height)s, in an older format without date and hash"),
    )
    CALIBRATION_NONE = (
        "calibration.none",
        "warn",
        sentence("no calibration is set: no places, no millimetres, and no hand is ever verified"),
        "calibrate the table (docs/calibration.md) and name the file as calibration under [[tables]]",
    )
    CALIBRATION_SIMULATED = (
        "calibration.simulated",
        "ok",
        sentence("the simulated table has its own calibration"),
    )
    CALIBRATION_OLD = (
        "calibration.old",
        "warn",
        sentence("%(name)s, %(width)s x %(height)s, made %(made)s, sha256:%(sha256)s: more than %(days)s days old"),
        "run `houseway calibrate check`",
    )
    CALIBRATION_WITHOUT_REFERENCE = (
        "calibration.without_reference",
        "warn",
        sentence(
            "%(name)s, %(width)s x %(height)s, made %(made)s, sha256:%(sha256)s: without a picture of the empty table, "
            "light and focus cannot be compared"
        ),
        "make it with `houseway calibrate table` over the empty table",
    )
    CALIBRATION_UNUSABLE = (
        "calibration.unusable",
        "fail",
        "%(why)s",
        sentence("restore the file from `history` beside it, or calibrate again"),
    )
    LAYOUT_NONE = ("layout.none", "ok", "without a calibration no places are known")
    LAYOUT_FROM_RIGHT = (
        "layout.from_right",
        "ok",
        "boxes %(boxes)s counter-clockwise, numbered from the dealer's right; the dealer is at the %(side)s",
    )
    LAYOUT_FROM_LEFT = (
        "layout.from_left",
        "ok",
        "boxes %(boxes)s counter-clockwise, numbered from the dealer's left; the dealer is at the %(side)s",
    )
    LAYOUT_WRONG = (
        "layout.wrong",
        "fail",
        "%(why)s",
        "correct the places: `houseway calibrate zones %(name)s` (docs/calibration.md)",
    )
    ENROLMENT_WELL = ("enrolment.well", "ok", _ENROLMENT)
    ENROLMENT_NONE = (
        "enrolment.none",
        "ok",
        "no set of tiles is enrolled: if a tile is exchanged for another with the same face, no alarm is raised",
    )
    ENROLMENT_NOT_THERE = (
        "enrolment.not_there",
        "warn",
        "%(path)s does not exist yet",
        "enrol the set on the page under Tiles (docs/enrolment.md)",
    )
    ENROLMENT_OF_OTHER_CALIBRATION = (
        "enrolment.of_other_calibration",
        "warn",
        f"{_ENROLMENT}: learnt under another calibration",
        "check the set at the next display",
    )
    ENROLMENT_UNUSABLE = (
        "enrolment.unusable",
        "fail",
        "%(why)s",
        "restore the file from `history` beside it, or enrol again",
    )
    DICE_WELL = ("dice.well", "ok", _DICE)
    DICE_NONE = (
        "dice.none",
        "ok",
        "the house's dice are not enrolled: the cut die is known only by its odd colour, and no strange die is noticed",
    )
    DICE_NOT_THERE = (
        "dice.not_there",
        "warn",
        "%(path)s does not exist yet",
        "enrol the dice on the set-up page (docs/enrolment.md)",
    )
    DICE_OF_OTHER_CALIBRATION = (
        "dice.of_other_calibration",
        "warn",
        f"{_DICE}: learnt under another calibration",
        "enrol the dice again by one throw (docs/enrolment.md)",
    )
    DICE_UNUSABLE = (
        "dice.unusable",
        "fail",
        "%(why)s",
        "restore the file from `history` beside it, or enrol the dice again: houseway enrol --dice",
    )
    MARKERS_WELL = ("markers.well", "ok", _MARKERS)
    MARKERS_NONE = (
        "markers.none",
        "ok",
        "no markers are enrolled: banker and boxes out of play are known only if somebody enters them",
    )
    MARKERS_UNUSABLE = (
        "markers.unusable",
        "fail",
        "%(why)s",
        "restore file and picture from `history` beside it, or learn them again: houseway enrol --marker",
    )
    MARKERS_OF_OTHER_CALIBRATION = (
        "markers.of_other_calibration",
        "warn",
        f"{_MARKERS}: learnt under another calibration",
        "learn them again from a picture under this one: houseway enrol --marker (docs/enrolment.md)",
    )
    MARKERS_TOO_SMALL = (
        "markers.too_small",
        "warn",
        _PRINT_TOO_SMALL,
        "use markers with larger print, or pictures of a larger size (docs/enrolment.md)",
    )
    SOURCE_WELL = ("source.well", "ok", "%(source)s: pictures of %(width)s x %(height)s")
    SOURCE_IN_USE = (
        "source.in_use",
        "warn",
        "the running service uses the camera",
        "GET /v1/tables/%(table)s shows its state; stop the service to check the camera here",
    )
    SOURCE_UNKNOWN = ("source.unknown", "fail", "%(why)s", "correct the entries under [tables.source]")
    FILES_SILENT = ("source.files_silent", "fail", _SILENT, _READABLE)
    FILES_FAULT = ("source.files_fault", "fail", "%(why)s", _READABLE)
    CAMERA_SILENT = ("source.silent", "fail", _SILENT, _CABLE)
    CAMERA_FAULT = ("source.fault", "fail", "%(why)s", _CABLE)
    NETWORK_SILENT = ("source.network_silent", "fail", _SILENT, _NETWORK)
    NETWORK_FAULT = ("source.network_fault", "fail", "%(why)s", _NETWORK)
    SIMULATOR_SILENT = ("source.simulator_silent", "fail", _SILENT, _SIMULATED)
    SIMULATOR_FAULT = ("source.simulator_fault", "fail", "%(why)s", _SIMULATED)
    PICTURE_WELL = ("picture.well", "ok", f"well lit and sharp, and the camera has not moved; {_READ}")
    PICTURE_NOT_COMPARED = (
        "picture.not_compared",
        "ok",
        f"{_READ}; without markers or a picture of the empty table it is not known whether the camera moved",
    )
    PICTURE_UNFIT = (
        "picture.unfit",
        "fail",
        f"%(why)s ({_READ})",
        "check light, lens and camera; `houseway calibrate check FILE SOURCE` draws what it finds",
    )
    PICTURE_NOT_CALIBRATED = (
        "picture.not_calibrated",
        "fail",
        "%(why)s",
        "set the old picture size again, or calibrate again",
    )
    PICTURE_NOT_READ = ("picture.not_read", "fail", "%(why)s", "check the models above")
    FOLDER_WELL = ("record_folder.well", "ok", "%(folder)s can be written%(on)s")
    FOLDER_FORGETS = (
        "record_folder.forgets",
        "warn",
        "%(folder)s is on %(filesystem)s, which may lose its files",
        "put it on a disk",
    )
    FOLDER_NOT_WRITABLE = (
        "record_folder.not_writable",
        "fail",
        "%(folder)s cannot be written: %(why)s",
        "make the user of the service its owner (chown), or set another record.folder",
    )
    RECORD_WELL = (
        "record.well",
        "ok",
        "entries %(first)s to %(last)s and %(pictures)s pictures are unchanged; head %(head)s",
    )
    RECORD_END_WELL = ("record.end_well", "ok", sentence("%(record)s: the newest entries are valid"))
    RECORD_NONE = ("record.none", "ok", "none yet: the first start creates it")
    RECORD_NOT_CHECKED = (
        "record.not_checked",
        "warn",
        sentence("not checked yet: %(why)s"),
        "see the check 'record'",
    )
    RECORD_URL_WRONG = ("record.url_wrong", "fail", "%(why)s", "check record.url")
    RECORD_UNREADABLE = ("record.unreadable", "fail", "%(why)s", _PROVEN_COPY)
    RECORD_BROKEN = ("record.broken", "fail", "broken at entry %(entry)s: %(why)s", _PROVEN_COPY)
    RECORD_MISSING = (
        "record.missing",
        "fail",
        "%(key)s has signed a record, but the database is gone",
        "put the record back; if it is lost: `houseway record accept --lost --reason ...`",
    )
    RECORD_NOT_AS_RECORDED = (
        "record.not_as_recorded",
        "fail",
        "%(why)s (%(count)s in all)",
        "find out who changed it: `houseway record verify` lists everything; `houseway record accept` accepts it",
    )
    WEBHOOK_WELL = ("webhook.well", "ok", "%(name)s: sends to %(host)s")
    WEBHOOK_REFUSED = ("webhook.refused", "warn", "%(name)s: %(why)s", "correct its url or networks in the settings")
    WEBHOOK_STOPPED = (
        "webhook.stopped",
        "warn",
        "%(name)s: stopped on %(day)s, for it answered 410 (gone)",
        "if it is there again, run `houseway webhook resend --reason ...`; if not, remove it from the settings",
    )
    DISK_WELL = ("disk.well", "ok", _DISK)
    DISK_LOW = ("disk.low", "warn", f"{_DISK}, %(above_gb).1f GB above record.min_free_mb", _MAKE_ROOM)
    DISK_FULL = ("disk.full", "fail", f"{_DISK}, less than record.min_free_mb", _MAKE_ROOM)
    MEMORY_WELL = ("memory.well", "ok", _MEMORY)
    MEMORY_LOW = ("memory.low", "warn", _MEMORY, "stop other programs; the table service needs about 600 MB")
    MEMORY_UNKNOWN = ("memory.unknown", "warn", "the system does not report it", "Houseway is made for Linux")
    HANDLES_WELL = ("handles.well", "ok", _HANDLES)
    HANDLES_LOW = (
        "handles.low",
        "warn",
        f"{_HANDLES}: the service takes %(possible)s connections only",
        "raise LimitNOFILE of the service's unit (here: `ulimit -n`), or lower limits.connections",
    )
    CLOCK_WELL = ("clock.well", "ok", "set by a time server%(within)s")
    CLOCK_NOT_SYNCHRONISED = ("clock.not_synchronised", "warn", "no time server sets it", _TIME_SERVER)
    CLOCK_UNKNOWN = ("clock.unknown", "warn", "the kernel does not report whether it is set", _TIME_SERVER)
    CLOCK_NEEDED_NOT_SYNCHRONISED = (
        "clock.needed_not_synchronised",
        "fail",
        f"no time server sets it{_NOTHING_VERIFIED}",
        _TIME_SERVER,
    )
    CLOCK_NEEDED_UNKNOWN = (
        "clock.needed_unknown",
        "fail",
        f"the kernel does not report whether it is set{_NOTHING_VERIFIED}",
        _TIME_SERVER,
    )
    TEMPERATURE_WELL = ("temperature.well", "ok", _DEGREES)
    TEMPERATURE_UNKNOWN = ("temperature.unknown", "ok", "this machine has no sensor that can be read")
    TEMPERATURE_HIGH = ("temperature.high", "warn", _DEGREES, _COOL)
    TEMPERATURE_TOO_HIGH = ("temperature.too_high", "fail", _DEGREES, _COOL)
    POWER_WELL = ("power.well", "ok", "%(model)s: power supply and speed are OK")
    POWER_NOT_APPLICABLE = ("power.not_applicable", "ok", "not a Raspberry Pi: the power supply is not checked")
    POWER_UNKNOWN = (
        "power.unknown",
        "warn",
        "%(model)s: the firmware does not report it",
        "`vcgencmd get_throttled` should print throttled=0x0",
    )
    POWER_WAS_THROTTLED = ("power.was_throttled", "warn", "%(model)s: at times since its start: %(flags)s", _SUPPLY)
    POWER_THROTTLED = ("power.throttled", "fail", "%(model)s: %(flags)s", _SUPPLY)
    PORT_FREE = ("port.free", "ok", "%(host)s port %(port)s is free")
    PORT_ANSWERS = ("port.answers", "ok", "Houseway %(version)s answers on %(host)s port %(port)s")
    PORT_TAKEN = (
        "port.taken",
        "fail",
        "%(host)s port %(port)s: %(why)s",
        "stop the program that uses it, or set another server.port",
    )
    TLS_WELL = ("tls.well", "ok", _CERTIFICATE)
    TLS_NONE = ("tls.none", "ok", "off")
    TLS_BY_PROXY = ("tls.by_proxy", "ok", "off here; other machines connect through a proxy")
    TLS_EXPIRES = ("tls.expires", "warn", _CERTIFICATE, _NEW_CERTIFICATE)
    TLS_EXPIRED = ("tls.expired", "fail", _CERTIFICATE, _NEW_CERTIFICATE)
    TLS_UNREADABLE = (
        "tls.unreadable",
        "fail",
        "%(file)s cannot be read: %(why)s",
        "name a PEM file in server.tls_certificate",
    )
    SECRETS_WELL = ("secrets.well", "ok", "only its owner can read %(file)s")
    SECRETS_EXPOSED = (
        "secrets.exposed",
        "fail",
        "%(file)s can be read or written by others (%(mode)03o)",
        "chmod 600 %(file)s",
    )
    SECRETS_UNREADABLE = (
        "secrets.unreadable",
        "fail",
        "%(file)s cannot be read by this user",
        "run doctor as the user of the service",
    )

    if TYPE_CHECKING:
        level: Level
        sentence: str
        remedy: str

    def __new__(cls, code: str, level: Level, words: str, remedy: str = "") -> Self:
        """Attach level, sentence and remedy to the code."""
        made = str.__new__(cls, code)
        made._value_ = code
        made.level, made.sentence, made.remedy = level, words, remedy
        return made

    @property
    def subject(self) -> str:
        return self.partition(".")[0]
