"""Sentences for pydantic's validation errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, get_args

from pydantic_core.core_schema import ErrorType

from service.words.wording import Joined, Paraphrase, WordedError, Words, sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from service.words.wording import Sayable

_WHOLE_NUMBER: Final = sentence("a whole number is needed")
_NUMBER: Final = sentence("a number is needed")
_TRUE_OR_FALSE: Final = sentence("true or false is needed")
_DATE: Final = sentence("a date is needed")
_TIME: Final = sentence("a time with its zone is needed, such as 2026-11-25T18:00:00Z")
_LIST: Final = sentence("a list is needed")
_KEYS: Final = sentence("keys with values are needed")
_ONE_OF: Final = sentence("one of these is needed: %(expected)s")
_SENTENCES: Final[Mapping[str, str]] = {
    "missing": sentence("it is missing"),
    "extra_forbidden": sentence("unknown key"),
    "json_invalid": sentence("not JSON: %(error)s, line %(line)s, column %(column)s"),
    "string_type": sentence("text is needed"),
    "string_too_short": sentence("at least %(min_length)s characters are needed"),
    "string_too_long": sentence("at most %(max_length)s characters are possible"),
    "string_pattern_mismatch": sentence("it does not match the pattern %(pattern)s"),
    "too_short": sentence("give at least %(min_length)s, not %(actual_length)s"),
    "too_long": sentence("at most %(max_length)s are possible"),
    "int_parsing": _WHOLE_NUMBER,
    "int_type": _WHOLE_NUMBER,
    "int_from_float": _WHOLE_NUMBER,
    "float_parsing": _NUMBER,
    "float_type": _NUMBER,
    "finite_number": _NUMBER,
    "bool_parsing": _TRUE_OR_FALSE,
    "bool_type": _TRUE_OR_FALSE,
    "greater_than_equal": sentence("%(ge)s or more is needed"),
    "greater_than": sentence("more than %(gt)s is needed"),
    "less_than_equal": sentence("%(le)s or less is needed"),
    "less_than": sentence("less than %(lt)s is needed"),
    "literal_error": _ONE_OF,
    "enum": _ONE_OF,
    "date_type": _DATE,
    "date_parsing": _DATE,
    "date_from_datetime_parsing": _DATE,
    "date_from_datetime_inexact": _DATE,
    "datetime_type": _TIME,
    "datetime_parsing": _TIME,
    "datetime_object_invalid": _TIME,
    "datetime_from_date_parsing": _TIME,
    "timezone_aware": _TIME,
    "int_parsing_size": sentence("this number is too large"),
    "multiple_of": sentence("a multiple of %(multiple_of)s is needed"),
    "union_tag_invalid": sentence("one of these is needed: %(expected_tags)s"),
    "list_type": _LIST,
    "tuple_type": _LIST,
    "dict_type": _KEYS,
    "model_type": _KEYS,
    "model_attributes_type": _KEYS,
}
"""Sentences used instead of pydantic's messages, by error type; other types have one in common."""
_OF_PYDANTIC: Final = frozenset(get_args(ErrorType))
"""Types of errors whose messages are pydantic's; those of other types are ours."""
_WITH_FIELD: Final = sentence("%(field)s: %(what)s")
_EMPTY: Final = sentence("it is empty")
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
    """Return the English sentence of one of pydantic's ``errors()``."""
    return str(fault_words(fault))


def fault_words(fault: Mapping[str, Any]) -> Sayable:
    """Return the translatable sentence of one of pydantic's ``errors()``; for our own validators only our own text."""
    kind, context = fault["type"], fault.get("ctx", {})
    if kind == "value_error":
        error = context["error"]
        return error.words if isinstance(error, WordedError) else Paraphrase(str(error), Words(_NOT_VALID, {}))
    if kind == "string_too_short" and context["min_length"] == 1:
        return Words(_EMPTY, {})
    if kind in _SENTENCES:
        return Words(_SENTENCES[kind], context)
    return Words(_NOT_VALID, {}) if kind in _OF_PYDANTIC else Paraphrase(str(fault["msg"]), Words(_NOT_VALID, {}))


def faults_words(faults: Iterable[tuple[str, Mapping[str, Any]]]) -> Joined:
    """Join several errors, each with the name of its field, which may be empty."""
    return Joined([_of_field(name, fault_words(fault)) for name, fault in faults], sentence("; "))


def _of_field(name: str, what: Sayable) -> Sayable:
    field = Words(_FIELDS[name], {}) if name in _FIELDS else name
    return Words(_WITH_FIELD, {"field": field, "what": what}) if name else what
