"""What a table tells of what it runs on."""

from datetime import datetime

from pydantic import Field

from service.rounds.reports import FrozenModel


class CalibrationAgeOut(FrozenModel):
    """The calibration in use."""

    sha256: str = Field(description="SHA-256 of its file, hexadecimal; empty without a file")
    made_at: datetime | None = Field(description="when it was made, UTC; null if it does not say")
    days: float | None = Field(description="how old it is, days")


class ClockStateOut(FrozenModel):
    """The machine's clock, as the kernel was told by whoever sets it."""

    synchronised: bool | None = Field(description="whether a time server sets it; null if the kernel does not say")
    max_error_s: float | None = Field(description="the largest error to be expected, seconds; null if not known")


class HandsReadOut(FrozenModel):
    """The newest hands of closed rounds, some four hundred."""

    verified: int = Field(description="those of them that were verified")
    of: int = Field(description="how many there are")


class EquipmentOut(FrozenModel):
    """What a table runs on, and how that is."""

    version: str = Field(description="of the program")
    code: str = Field(description="SHA-256 of the program's files, hexadecimal")
    models: dict[str, str] = Field(description="SHA-256 of each model in use by its name, hexadecimal")
    settings: str = Field(description="SHA-256 of all settings but names and places, hexadecimal")
    compared_settings: str = Field(description="the same of those that tables usually have in common")
    calibration: CalibrationAgeOut | None = Field(description="null without one")
    drift_mm: float | None = Field(
        description="how far things seem to have moved on the table since it was calibrated, millimetres; null if that "
        "was not measured"
    )
    free_bytes: int = Field(description="free on the disk of the record")
    celsius: float | None = Field(description="of the hottest sensor of the processor; null if there is none")
    clock: ClockStateOut = Field(description="of the machine")
    hands: HandsReadOut | None = Field(description="null while the record cannot be read")
    failing: tuple[str, ...] = Field(description="names of the failed checks")
