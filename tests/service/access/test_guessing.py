"""Passwords are checked at low priority, and browsers that an account knows are not delayed by guesses."""

import asyncio
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace

import httpx2
import pytest

from service.access import credentials
from service.access.account_store import Account
from service.access.credentials import MAX_WAITING, BusyError, PasswordChecks
from service.access.rate_limits import known_browser, known_browser_cookie
from service.access.roles import UserRole
from service.record.changes import Attribution
from service.system.service_settings import LimitsConfig
from tests.service.serving import Served, serving
from tests.service.stand_ins import config

ANN = Account("ann", UserRole.VIEWER, "$argon2id$kept", initial=False, disabled=False, created_at="", sessions_since="")
PASSWORD = "several plain words"  # noqa: S105  made up


def test_a_browser_is_known_to_one_account_with_one_password() -> None:
    kept = known_browser_cookie(ANN)
    assert known_browser(ANN, kept) == kept.partition(".")[0]
    assert known_browser_cookie(ANN) != kept
    assert known_browser(replace(ANN, password="$argon2id$other"), kept) is None  # noqa: S106  made up
    assert known_browser(replace(ANN, name="bob"), kept) is None
    strange = ("", ".", "\udcff.\udcff", "\u00fc.\u00fc")
    for forged in (*strange, kept[:-1], kept + "x", "x" + kept, kept.replace(".", "-")):
        assert known_browser(ANN, forged) is None, forged


def test_only_so_many_wait_and_the_rest_hear_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()
    monkeypatch.setattr(credentials, "password_matches", lambda _kept, given: go_on.wait(10) and given == "right")

    async def many() -> list[bool | BaseException]:
        checks = PasswordChecks()
        asked = [asyncio.create_task(checks.matches("", "right")) for _ in range(MAX_WAITING)]
        await asyncio.sleep(0)
        started = time.monotonic()
        with pytest.raises(BusyError):
            await checks.matches("", "right")
        assert time.monotonic() - started < 1
        go_on.set()
        found = await asyncio.gather(*asked, return_exceptions=True)
        assert await checks.matches("", "wrong") is False
        return found

    assert asyncio.run(many()) == [True] * MAX_WAITING


@contextmanager
def slowly_hashing(monkeypatch: pytest.MonkeyPatch, seconds: float) -> Iterator[Served]:
    """A service on which a password takes some time, as on a busy machine; unlimited but for that."""
    right = credentials.password_matches

    def slow(kept: str | None, given: str) -> bool:
        time.sleep(seconds)
        return right(kept, given)

    monkeypatch.setattr(credentials, "password_matches", slow)
    unlimited = LimitsConfig(strangers_per_minute=0, sign_ins_per_minute=0, guesses_per_hour=0)
    with serving(config(port=0).model_copy(update={"limits": unlimited})) as served:
        why = Attribution("the tests", "to be tested")
        served.app.state.parts.access.accounts.add("ann", UserRole.VIEWER, PASSWORD, why)
        yield served


@pytest.mark.slow
def test_many_wrong_passwords_keep_nobody_else_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    with slowly_hashing(monkeypatch, 0.25) as served:

        def sign_in(name: str, password: str, cookies: dict[str, str] | None = None) -> httpx2.Response:
            sent = {"name": name, "password": password}
            return httpx2.post(f"{served.url}/sign-in", data=sent, cookies=cookies, timeout=30)

        cookies = dict(sign_in("ann", PASSWORD).cookies)
        assert len(cookies) == 2
        with ThreadPoolExecutor(60) as crowd:
            wrong = [crowd.submit(sign_in, f"name{n}", "wrong") for n in range(60)]
            time.sleep(0.3)
            waits = []
            for _ in range(5):
                started = time.monotonic()
                assert httpx2.get(f"{served.url}/healthz", timeout=30).status_code == 200
                assert httpx2.get(f"{served.url}/v1/tables", cookies=cookies, timeout=30).status_code == 200
                waits.append(time.monotonic() - started)
            started = time.monotonic()
            answer = sign_in("ann", PASSWORD, cookies)
            assert (answer.status_code, time.monotonic() - started < MAX_WAITING * 0.25) == (303, True)
            answers = [each.result() for each in wrong]
        assert sorted(waits)[2] < 0.7
    statuses = [each.status_code for each in answers]
    assert set(statuses) == {401, 503}
    assert MAX_WAITING <= statuses.count(401) < 30
    busy = next(each for each in answers if each.status_code == 503)
    assert int(busy.headers["retry-after"]) > 0
    assert "Many sign-ins are being checked now" in busy.text
