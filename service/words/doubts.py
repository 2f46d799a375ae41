"""Doubts and findings for the record and the API: codes with parameters, never sentences."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, Self

from pydantic import BaseModel, ConfigDict

from vision.findings import Finding
from vision.findings import Param as Value


class DoubtReport(BaseModel):
    """A doubt or a fault as a value.

    Attributes:
        code: of a closed list.
        params: by name; nested findings have the same form.
        about: the face of the tile of a hand that it is about; empty if it is about its owner.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: str
    params: dict[str, "Param"] = {}
    about: str = ""

    @classmethod
    def of(cls, doubt: Finding) -> Self:
        return cls(code=doubt.code, params=params_of(doubt), about=doubt.about)


Param = str | int | float | tuple[str, ...] | tuple[DoubtReport, ...]


def finding_of(doubt: DoubtReport, *enums: type[StrEnum]) -> Finding:
    """A recorded doubt as a finding again; ValueError if its code is in none of these enumerations."""
    code = next((code for codes in enums for code in codes if code == doubt.code), None)
    if code is None:
        raise ValueError(f"unknown code {doubt.code}")
    params: dict[str, Any] = {
        name: tuple(finding_of(each, *enums) if isinstance(each, DoubtReport) else each for each in value)
        if isinstance(value, tuple)
        else value
        for name, value in doubt.params.items()
    }
    return Finding.of(code, **params).regarding(doubt.about)


def each_once(doubts: Iterable[DoubtReport]) -> tuple[DoubtReport, ...]:
    """Doubts without repetition, in the order in which each comes first."""
    return tuple({each.model_dump_json(): each for each in doubts}.values())


def params_of(found: Finding) -> dict[str, Param]:
    """The parameters of a finding in their recorded form."""
    return {name: _recorded(value) for name, value in found.params}


def _recorded(value: Value) -> Param:
    if not isinstance(value, tuple):
        return value
    return tuple(DoubtReport.of(each) for each in value if isinstance(each, Finding)) or tuple(map(str, value))


DoubtReport.model_rebuild()
