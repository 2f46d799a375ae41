"""Passkeys in a real browser with an authenticator that Chromium simulates."""

import json

import pytest
from argon2 import PasswordHasher
from fastapi import FastAPI
from playwright.sync_api import CDPSession, Page, expect

from service.access import credentials
from service.access.roles import UserRole
from service.record.changes import Attribution

PASSWORD = "several plain words"  # noqa: S105  made up
WHY = Attribution("the boss", "new on the floor")


@pytest.fixture(autouse=True)
def _quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(credentials, "_HASHER", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))


def authenticator(page: Page, *, verifies: bool = True) -> tuple[CDPSession, str]:
    """Give the browser an authenticator that knows its user, or one that does not."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": verifies,
        "automaticPresenceSimulation": True,
    }
    return session, session.send("WebAuthn.addVirtualAuthenticator", {"options": options})["authenticatorId"]


def sign_in(page: Page, url: str) -> None:
    page.goto(f"{url}/sign-in")
    page.get_by_label("Name").fill("ann")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


def sign_out(page: Page, url: str) -> None:
    page.locator(".more > summary").click()  # it names the page that is shown
    page.get_by_role("banner").get_by_role("button", name="Sign out").click()
    expect(page).to_have_url(f"{url}/sign-in")


def add_passkey(page: Page, url: str) -> list[str]:
    """Add a passkey on the account page; returns the recovery codes."""
    page.goto(f"{url}/account")
    form = page.locator("#passkey")
    form.get_by_label("Name").fill("my key")
    form.get_by_label("Current password").fill(PASSWORD)
    form.get_by_role("button", name="Add a passkey").click()
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
    return page.locator(".codes code").all_text_contents()


@pytest.fixture
def url(app: tuple[FastAPI, str]) -> str:
    """Where the page is, by its name: browsers have no passkeys for a bare address."""
    made, address = app
    made.state.parts.access.accounts.add("ann", UserRole.ADMIN, PASSWORD, WHY)
    return address.replace("127.0.0.1", "localhost")


def test_a_passkey_is_a_second_factor_and_stands_in_place_of_the_password(
    page: Page,
    url: str,
) -> None:
    session, device = authenticator(page)
    sign_in(page, url)
    codes = add_passkey(page, url)
    assert len(codes) == 10
    page.get_by_role("link", name="I have saved them").click()
    expect(page.get_by_text("my key")).to_be_visible()

    # After the password
    sign_out(page, url)
    sign_in(page, url)
    expect(page.get_by_role("heading", name="Second step")).to_be_visible()
    page.get_by_role("button", name="Use a passkey").click()
    expect(page).to_have_url(f"{url}/tables/test")

    # Instead, to the requested page
    sign_out(page, url)
    page.goto(f"{url}/changes")
    page.get_by_role("button", name="Use a passkey").click()
    expect(page).to_have_url(f"{url}/changes")
    expect(page.get_by_role("cell", name="account ann second factor added (passkey)")).to_be_visible()

    # An authenticator that does not know its user is not enough: whoever finds it could use it.
    session.send("WebAuthn.setUserVerified", {"authenticatorId": device, "isUserVerified": False})
    sign_out(page, url)
    sign_in(page, url)
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_role("alert")).to_contain_text("The passkey was not used")
    expect(page).to_have_url(f"{url}/sign-in/second-step")

    # A recovery code replaces a lost device.
    page.get_by_label("Recovery code").fill(codes[3])
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page).to_have_url(f"{url}/tables/test")


ANSWER = """async (options) => {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return JSON.stringify((await navigator.credentials.get({ publicKey })).toJSON());
}"""


def test_what_a_passkey_does_not_open(app: tuple[FastAPI, str], page: Page, url: str) -> None:
    made, address = app
    access = made.state.parts.access
    authenticator(page)
    sign_in(page, url)
    add_passkey(page, url)
    page.goto(f"{url}/account")
    sign_out(page, url)

    def answer() -> str:
        told = page.request.get(f"{url}/sign-in/passkey")
        said: str = page.evaluate(ANSWER, told.json())
        return said

    def status(said: str, at: str = url) -> int:
        return page.request.post(f"{at}/sign-in/passkey", form={"credential": said}, max_redirects=0).status

    for nonsense in ("", "{}", "[]", "null", '{"id": 3}', "x" * 9000):
        page.request.get(f"{url}/sign-in/passkey")
        assert status(nonsense) in {401, 422}
    earlier = answer()
    assert status(earlier) == 303
    assert status(earlier) == 401  # its question was answered
    page.request.get(f"{url}/sign-in/passkey")
    assert status(earlier) == 401  # it answers another question
    told = json.loads(answer())
    told["response"]["signature"] = told["response"]["signature"][:-8] + "AAAAAAAA"
    assert status(json.dumps(told)) == 401
    assert page.request.get(f"{address}/sign-in/passkey").status == 422  # a bare address has no passkeys
    access.accounts.add("bob", UserRole.ADMIN, PASSWORD, WHY)
    access.accounts.disable("ann", WHY)
    assert status(answer()) == 401
    access.accounts.enable("ann", WHY)
    assert status(answer()) == 303
    access.factors.remove_all("ann", WHY)
    assert status(answer()) == 401
