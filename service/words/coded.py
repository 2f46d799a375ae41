"""Findings as they are written down, in the record and in answers to programs, and read back."""

from typing import Self

from pydantic import BaseModel, ConfigDict

from service.words.findings import words_of
from service.words.sentences.every import CODES
from service.words.wording import Quote, Sayable
from vision.findings import Finding
from vision.findings import Param as Value


class DoubtReport(BaseModel):
    """A doubt or a fault as a value.

    Attributes:
        code: of a closed list.
        params: by name; the findings behind this one are written in the same form.
        about: the face of the tile of a hand that it is about; empty for what carries it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: str
    params: dict[str, "Param"] = {}
    about: str = ""

    @classmethod
    def of(cls, doubt: Finding) -> Self:
        """Write a doubt down."""
        return cls(code=doubt.code, params=params_of(doubt), about=doubt.about)

    @property
    def known(self) -> bool:
        """Whether this version has a sentence for it."""
        try:
            words_of(self.finding())
        except KeyError:
            return False
        return True

    def finding(self) -> Finding:
        """Read it back.

        Raises:
            KeyError: this version does not know its code.
        """
        params = {name: _value(written) for name, written in self.params.items()}
        return Finding.of(CODES[self.code], **params).regarding(self.about)


Param = str | int | float | tuple[str, ...] | tuple[DoubtReport, ...]


def params_of(found: Finding) -> dict[str, Param]:
    """The parameters of a finding in the form in which they are written down."""
    return {name: _written(value) for name, value in found.params}


def words_of_written(written: DoubtReport | None, recorded: str) -> Sayable:
    """A finding that was written down, as a sentence.

    Args:
        written: its code and parameters; None in entries of a record written before there were any.
        recorded: the English sentence in the record, kept in every language where this version has none of its own.
    """
    return words_of(written.finding()) if written is not None and written.known else Quote(recorded)


def _written(value: Value) -> Param:
    if not isinstance(value, tuple):
        return value
    return tuple(DoubtReport.of(each) for each in value if isinstance(each, Finding)) or tuple(map(str, value))


def _value(written: Param) -> Value:
    if not isinstance(written, tuple):
        return written
    return tuple(each.finding() for each in written if isinstance(each, DoubtReport)) or tuple(map(str, written))


DoubtReport.model_rebuild()
