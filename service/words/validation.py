"""Sentences for pydantic's validation errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from service.words.wording import Joined, Paraphrase, WordedError, Words, sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from service.words.wording import Sayable

_PARAPHRASES: Final[Mapping[str, str]] = {
    "missing": sentence("it is missing"),
    "string_too_short": sentence("at least %(min_length)s characters are needed"),
    "string_too_long": sentence("at most %(max_length)s characters are possible"),
    "too_long": sentence("at most %(max_length)s are possible"),
    "int_parsing": sentence("a whole number is needed"),
    "int_type": sentence("a whole number is needed"),
    "greater_than_equal": sentence("%(ge)s or more is needed"),
    "less_than_equal": sentence("%(le)s or less is needed"),
    "less_than": sentence("less than %(lt)s is needed"),
    "literal_error": sentence("one of these is needed: %(expected)s"),
    "enum": sentence("one of these is needed: %(expected)s"),
    "date_from_datetime_parsing": sentence("a date is needed"),
}
"""Translatable equivalents of pydantic's messages, by error type."""
_NOT_VALID: Final = sentence("this value is not valid")
_FIELDS: Final[Mapping[str, str]] = {
    "reason": sentence("reason"),
    "name": sentence("name"),
    "role": sentence("role"),
    "password": sentence("password"),
    "days": sentence("days"),
    "day": sentence("day"),
}


def fault_message(fault: Mapping[str, Any]) -> str:
    """Return the message of one of pydantic's ``errors()``; for our own validators only our own text."""
    return str(fault["ctx"]["error"] if fault["type"] == "value_error" else fault["msg"])


def fault_words(fault: Mapping[str, Any]) -> Sayable:
    """Return the translatable sentence of one of pydantic's ``errors()``."""
    context = fault.get("ctx", {})
    if isinstance(error := context.get("error"), WordedError):
        return error.words
    return Paraphrase(fault_message(fault), Words(_PARAPHRASES.get(fault["type"], _NOT_VALID), context))


def faults_words(faults: Iterable[tuple[str, Mapping[str, Any]]]) -> Joined:
    """Join several errors, each with the name of its field, which may be empty."""
    return Joined([_of_field(name, fault_words(fault)) for name, fault in faults], sentence("; "))


def _of_field(name: str, what: Sayable) -> Sayable:
    field = Words(_FIELDS[name], {}) if name in _FIELDS else name
    return Words("%(field)s: %(what)s", {"field": field, "what": what}) if name else what
