"""Simulated rounds match the golden file; ``python -m tests.service.rounds.golden_rounds`` rewrites it."""

import json

import pytest

from tests.service.rounds.golden_rounds import GOLDEN, few, session

_LINES = GOLDEN.read_text(encoding="utf-8").splitlines() if GOLDEN.exists() else []


@pytest.mark.exhaustive
@pytest.mark.parametrize(("book", "number"), few())
def test_simulated_rounds_are_recorded_as_before(book: str, number: int) -> None:
    before = [each for each in map(json.loads, _LINES) if (each["book"], each["session"]) == (book, number)]
    assert list(map(json.loads, session(book, number))) == before
