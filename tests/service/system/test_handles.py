"""File handles: enough are left for all that is no connection."""

import resource

import pytest

from service.system import host


@pytest.mark.parametrize(
    ("soft", "hard", "wanted", "possible", "asked"),
    [
        pytest.param(20_000, 20_000, 768, 768, None, id="enough"),
        pytest.param(1_000, 4_000, 1_500, 1_500, 1_756, id="asks-for-more"),
        pytest.param(400, 500, 768, 244, 500, id="too-few"),
        pytest.param(100, 200, 768, host.LEAST_CONNECTIONS, 200, id="hardly-any"),
        pytest.param(400, -1, 768, 768, 1_024, id="no-hard-limit"),
        pytest.param(-1, -1, 768, 768, None, id="no-limit"),
    ],
)
def test_handles_are_left_for_the_rest(
    monkeypatch: pytest.MonkeyPatch, soft: int, hard: int, wanted: int, possible: int, asked: int | None
) -> None:
    said: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: said.append(limits))
    assert host.connections_possible(wanted) == possible
    assert said == ([] if asked is None else [(asked, hard)])


def test_what_else_a_service_needs_is_left_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: said.append(limits))
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1_024, 4_000))
    assert host.connections_possible(768, besides=1_000) == 768
    assert said == [(2_024, 4_000)]
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1_024, 1_500))
    assert host.connections_possible(768, besides=1_000) == 244
