"""A tournament's Terms and Conditions as a file, and what is wrong with them as the command answers it.

`docs/tournaments.md` explains the file.
"""

import tomllib
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.errors import TournamentError
from engine.rulebooks import rulebook
from engine.tournament.terms import Fault, Format, Stage, check_terms

Whole = Annotated[int, Field(strict=True)]
Words = Annotated[str, Field(max_length=10_000)]


class TournamentFileError(ValueError):
    """A file that is no Terms and Conditions; the message says where and what to write."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class StageIn(_Model):
    """A round or session."""

    name: Annotated[str, Field(max_length=80)]
    hands: Whole
    through: Whole | None = None
    least: Whole | None = None
    secret: Whole = 0
    afresh: bool = False

    def stage(self) -> Stage:
        """As the engine takes it."""
        return Stage(self.name, self.hands, self.through, self.least, self.secret, self.afresh)


class FormatIn(_Model):
    """What can be counted."""

    bank: Whole
    fewest: Whole
    most: Whole
    stages: Annotated[tuple[StageIn, ...], Field(max_length=100)]
    paid_entry: bool = False
    special_event: bool = False
    buy_back: bool = False
    chips_for_cash: bool = False
    later_is_better: bool = False

    def declared(self) -> Format:
        """As the engine takes it."""
        return Format(
            self.bank,
            self.fewest,
            self.most,
            tuple(stage.stage() for stage in self.stages),
            self.paid_entry,
            self.special_event,
            self.buy_back,
            self.chips_for_cash,
            self.later_is_better,
        )


class TermsIn(_Model):
    """The Terms and Conditions of one tournament."""

    rulebook: Annotated[str, Field(max_length=100)]
    name: Annotated[str, Field(max_length=200)]
    format: FormatIn | None = None
    terms: Annotated[dict[Annotated[str, Field(max_length=40)], Words | Literal[False]], Field(max_length=500)]


class FindingOut(_Model):
    """One thing wrong."""

    rule: str
    fault: Fault
    words: str
    cite: str


class TermsCheckOut(_Model):
    """What is wrong with a document, and how many clauses its rulebook asks for."""

    rulebook: str
    name: str
    asked: int
    complete: bool
    findings: tuple[FindingOut, ...]

    @classmethod
    def of(cls, given: TermsIn) -> Self:
        """Check a document.

        Raises:
            EngineError: the rulebook is not known or has no tournaments, or nobody could play the format.
        """
        book = rulebook(given.rulebook)
        if book.tournament is None:
            raise TournamentError(f"{book.id} lays down nothing about tournaments; crown-6.1 does, in its rule 15")
        declared = None if given.format is None else given.format.declared()
        found = check_terms(given.terms, book.tournament, declared)
        return cls(
            rulebook=book.id,
            name=given.name,
            asked=len(book.tournament.demands),
            complete=not found,
            findings=tuple(FindingOut(rule=one.rule, fault=one.fault, words=one.words, cite=one.cite) for one in found),
        )


def load_terms(path: Path) -> TermsIn:
    """Read a document from a TOML file.

    Raises:
        TournamentFileError: the file is missing or no TOML, or a key is unknown, missing or wrong.
    """
    try:
        return TermsIn.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError) as error:
        raise TournamentFileError(f"{path}: cannot be read: {error}") from None
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
        said = "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in faults)
        raise TournamentFileError(f"{path}: {said}") from None
    except ValueError as error:
        raise TournamentFileError(f"{path}: not TOML: {error}") from None
