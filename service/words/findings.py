"""Sentences for findings, in English, translatable by the catalogues."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.words.declared.all_codes import declaration_of
from service.words.diagnoses import DiagnosisCode
from service.words.wording import BookText, Joined, Quote, WordedError, Words, place_name, sentence, words
from vision.findings import CodedError, Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from calibration.finding import NotSolved
    from service.words.declared.declaration import Style
    from service.words.doubts import DoubtReport
    from service.words.doubts import Param as Recorded
    from service.words.wording import Sayable
    from vision.findings import Param

_QUOTED: Final = frozenset({"why", "fault"})
"""Parameters with text from outside, which is not translated."""
_DICE: Final[Mapping[str, str]] = {"box": sentence("box die"), "cut": sentence("cut die")}
_PARTS: Final = (
    sentence("upper left"),
    sentence("upper middle left"),
    sentence("upper middle right"),
    sentence("upper right"),
    sentence("central left"),
    sentence("central middle left"),
    sentence("central middle right"),
    sentence("central right"),
    sentence("lower left"),
    sentence("lower middle left"),
    sentence("lower middle right"),
    sentence("lower right"),
)
"""Parts of a picture, as named in ``calibration.lens.view_coverage``; listed here for the catalogues."""
_PLACES: Final = frozenset({"place", "other_place"})
_LIST: Final = sentence(", ")
_SEPARATORS: Final[Mapping[str, tuple[str, str | None]]] = {
    "and": (_LIST, sentence(" and ")),
    "or": (_LIST, sentence(" or ")),
    "list": (_LIST, None),
    "semicolon": (sentence("; "), None),
}
"""Separators of several values of a parameter, and the one before the last, by style."""
_USUAL: Final[Mapping[str, Style]] = {
    "belongs": "or",
    "last_seen": "list",
    "faults": "semicolon",
    "why": "semicolon",
}
"""Default styles of parameters by name; for all others ``and``."""


class FindingError(CodedError):
    """An error whose reason is a finding; its text is in English."""

    def __str__(self) -> str:
        return str(words_of(self.finding))


def words_of(finding: Finding | DoubtReport) -> Sayable:
    """Return the translatable sentence of a finding; an unknown code is quoted."""
    params = dict(finding.params)
    fields: dict[str, object] = {name: _field(finding.code, name, value) for name, value in params.items()}
    if "count" in fields:
        fields["tiles"] = Words(
            sentence("1 tile") if params["count"] == 1 else sentence("%(count)s tiles"), {"count": fields["count"]}
        )
    if "held" in fields:
        fields["held"] = Words(sentence("one tile") if fields["held"] == 1 else sentence("two tiles"), {})
    found = params.get("found")
    if isinstance(found, tuple) and found and not isinstance(found[0], str):
        fields["remedy"] = remedy_of(found[0])
    made: Sayable = Quote(finding.code)
    declaration = declaration_of(finding.code)
    for text in () if declaration is None else declaration.sentences:
        try:
            _ = text % fields
        except KeyError:
            continue
        made = Words(text, fields)
        break
    return Words("%(about)s: %(what)s", {"about": finding.about, "what": made}) if finding.about else made


def remedy_of(diagnosis: Finding | DoubtReport) -> Words:
    """Return the remedy of a diagnosis of the doctor or the self-test; empty text without one."""
    fields: dict[str, object] = {
        name: _field(diagnosis.code, name, value) for name, value in dict(diagnosis.params).items()
    }
    return Words(next((code.remedy for code in DiagnosisCode if code == diagnosis.code), ""), fields)


def words_of_unsolved(found: NotSolved) -> Words:
    """Return why a fit failed, and what to do next."""
    return words("%(reason)s. %(advice)s.", reason=words_of(found.reason), advice=words_of(found.advice))


def words_of_error(error: Exception) -> Sayable:
    """Return the sentence of an error; the text of errors without one is quoted."""
    if isinstance(error, WordedError):
        return error.words
    return words_of(error.finding) if isinstance(error, CodedError) else Quote(str(error))


def english(findings: Iterable[Finding | DoubtReport]) -> tuple[str, ...]:
    return tuple(str(words_of(finding)) for finding in findings)


def _field(code: str, name: str, value: Param | Recorded) -> object:
    declaration = declaration_of(code)
    style = None if declaration is None else declaration.styles.get(name)
    if style == "book":
        return BookText(str(value))
    if style == "signed" and isinstance(value, int):
        return f"{value:+d}".replace("-", "\N{MINUS SIGN}")
    if isinstance(value, tuple):
        parts = [place_name(each) if isinstance(each, str) else words_of(each) for each in value]
        return Joined(parts, *_SEPARATORS[style or _USUAL.get(name, "and")])
    if name in {"part", "die"}:
        return Words(_DICE[str(value)] if name == "die" else str(value), {})
    if name in _QUOTED:
        return Quote(str(value))
    return place_name(str(value)) if name in _PLACES else value
