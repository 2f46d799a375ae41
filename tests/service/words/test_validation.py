"""Sentences for values that are not valid: none of them is pydantic's."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import AwareDatetime, BaseModel, Field, TypeAdapter, ValidationError

from service.words.validation import fault_message


class _Cat(BaseModel):
    kind: Literal["cat"]


class _Dog(BaseModel):
    kind: Literal["dog"]


@pytest.mark.parametrize(
    ("kind", "value", "says"),
    [
        (int, "9" * 5000, "this number is too large"),
        (Annotated[int, Field(multiple_of=5)], 7, "a multiple of 5 is needed"),
        (datetime, "yesterday", "a time with its zone is needed"),
        (AwareDatetime, "2026-11-25T18:00:00", "a time with its zone is needed"),
        (Annotated[_Cat | _Dog, Field(discriminator="kind")], {"kind": "cow"}, "one of these is needed: 'cat', 'dog'"),
        (UUID, "x", "this value is not valid"),
        (str, b"\xff", "this value is not valid"),
    ],
)
def test_a_fault_is_said_in_our_words(kind: Any, value: object, says: str) -> None:  # noqa: ANN401
    with pytest.raises(ValidationError) as raised:
        TypeAdapter(kind).validate_python(value)
    assert fault_message(raised.value.errors()[0]).startswith(says)
