"""A receiver of webhooks, and its secret."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.service.api.notify.receiver import SECRET, Receiver, receiving

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_SECRET", SECRET)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as made:
        yield made
