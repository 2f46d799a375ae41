"""A receiver of webhooks, and its secret."""

from collections.abc import Iterator

import pytest

from tests.service.api.notify.receiver import SECRET, Receiver, receiving


@pytest.fixture(autouse=True)
def _secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_SECRET", SECRET)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as made:
        yield made
