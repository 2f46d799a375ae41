"""Sign-in with an identity provider: a real one in a process of its own, which may also misbehave."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest

from service.access.account_store import Account
from service.access.accounts import AccountError
from service.access.roles import UserRole
from service.access.single_sign_on import Provider
from service.record.changes import Attribution
from service.system.account_settings import AccountsConfig, OidcGroup
from service.system.remote_settings import PitConfig
from service.system.settings import load_config
from service.system.settings_file import ConfigError
from tests.conftest import ROOT
from tests.service.hub.hubs import ServedHub, hub_config, new_url, serving_hub
from tests.service.hub.remote_tables import free_port
from tests.service.serving import serving
from tests.service.stand_ins import config, new_folder, wait_until

pytestmark = pytest.mark.usefixtures("_cheap_hashes")
WHY = Attribution("test", "test")
SECRET = "s3cret of the client & more"  # noqa: S105  of nobody
HTML = {"Accept": "text/html"}
GROUPS = (
    {"group": "bosses", "role": "admin"},
    {"group": "west-supervisors", "role": "supervisor", "pits": ["west"]},
    {"group": "east-supervisors", "role": "supervisor", "pits": ["east"]},
    {"group": "auditors", "role": "auditor"},
)


@dataclass(slots=True)
class Both:
    """A hub, and its identity provider."""

    hub: ServedHub
    issuer: str

    def account(self, name: str) -> Account | None:
        found: Account | None = self.hub.parts.access.accounts.account(name)
        return found

    @contextmanager
    def browser(self, **now: Any) -> Iterator[httpx2.Client]:  # noqa: ANN401  JSON
        """A browser, once the provider has somebody signed in."""
        right = {"spoil": "", "refuse": "", "userinfo": False, "amr": ["pwd"]}
        httpx2.post(f"{self.issuer}/control", json=right | now)
        with httpx2.Client(base_url=self.hub.url, headers=HTML, follow_redirects=True, timeout=30) as client:
            yield client


@pytest.fixture(scope="module")
def both(_cheap_hashes: None) -> Iterator[Both]:
    port = free_port()
    command = [sys.executable, "-m", "tests.service.access.identity_provider", str(port), SECRET]
    provider = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    issuer = f"http://localhost:{port}"
    secret = new_folder() / "secret"
    secret.write_text(SECRET)
    told = {
        "oidc": {
            "issuer": issuer,
            "title": "Casino sign-in",
            "client_id": "houseway-floor",
            "client_secret_file": str(secret),
            "second_factor": ["hwk"],
            "groups": GROUPS,
        },
        "second_factor": ["admin"],
    }
    accounts = AccountsConfig.model_validate(told, context={"folder": new_folder()})
    pits = (PitConfig(name="west"), PitConfig(name="east"))
    tables = {"t1": {"url": "http://localhost:1", "pit": "west"}}
    config = hub_config(new_url(), tables).model_copy(update={"accounts": accounts, "pits": pits})
    try:
        with serving_hub(config) as hub:
            wait_until(lambda: answers(issuer), 30)
            yield Both(hub, issuer)
    finally:
        provider.kill()
        provider.wait(10)


def provider_of(both: Both) -> Provider:
    single = both.hub.parts.access.single_sign_on
    assert single is not None
    return single.provider


def answers(issuer: str) -> bool:
    try:
        return httpx2.get(f"{issuer}/keys").status_code == 200
    except httpx2.HTTPError:
        return False


def sign_in(client: httpx2.Client, path: str = "/") -> httpx2.Response:
    return client.get("/sign-in/oidc", params={"next": path})


def is_in(client: httpx2.Client) -> bool:
    return client.get("/account", follow_redirects=False).status_code == 200


def test_somebody_signs_in_and_has_what_the_groups_say(both: Both) -> None:
    with both.browser(
        sub="ann-1", name="Ann@casino.example", groups=["staff", "east-supervisors", "west-supervisors"]
    ) as ann:
        assert "Sign in with Casino sign-in" in ann.get("/sign-in").text
        entered = sign_in(ann, "/alarms")
        assert (entered.status_code, entered.url.path) == (200, "/alarms")
        account = both.account("ann")
        assert account is not None
        assert (account.role, account.pits, account.origin) == (UserRole.SUPERVISOR, ("east", "west"), "oidc")
        (entry,) = both.hub.parts.record.last(("account",))
        assert (entry.data["act"], entry.data["by"], entry.data["pits"]) == (
            "added",
            "identity provider",
            ["east", "west"],
        )
        assert "It has your password" in ann.get("/account").text
        # Signed out here; there, if she wants to.
        token = ann.get("/account").text.split('name="csrf_token" value="')[1].split('"')[0]
        left = ann.post("/sign-out", data={"csrf_token": token})
        assert "Sign out of Casino sign-in too" in left.text
        assert not is_in(ann)
        over = ann.get("/sign-in/oidc/sign-out")
        assert (over.status_code, over.url.path, len(over.history)) == (200, "/sign-in", 2)


def test_groups_in_the_userinfo_count_too(both: Both) -> None:
    with both.browser(sub="uma-1", name="uma", groups=["auditors"], userinfo=True) as uma:
        assert sign_in(uma).url.path == "/"
        account = both.account("uma")
        assert account is not None
        assert account.role is UserRole.AUDITOR
    with both.browser(sub="uma-1", name="uma", groups=["auditors"], userinfo=True, spoil="userinfo") as uma:
        assert sign_in(uma).status_code == 401


def test_a_role_goes_with_its_group_at_the_next_sign_in(both: Both) -> None:
    with both.browser(sub="bob-1", name="bob", groups=["west-supervisors"]) as bob:
        sign_in(bob)
        assert is_in(bob)
        with both.browser(sub="bob-1", name="robert", groups=["auditors"]) as again:
            sign_in(again)
            account = both.account("bob")  # as he was called first
            assert account is not None
            assert (account.role, account.pits) == (UserRole.AUDITOR, ())
            assert both.account("robert") is None
        with both.browser(sub="bob-1", name="bob", groups=["staff"]) as without:
            refused = sign_in(without)
            assert (refused.status_code, "None of your groups" in refused.text) == (401, True)
            assert both.account("bob") is None
            assert not is_in(without)
        assert not is_in(bob)
        (entry,) = both.hub.parts.record.last(("account",))
        assert (entry.subject, entry.data["act"]) == ("bob", "removed")
        with both.browser(sub="bob-1", name="bob", groups=["auditors"]) as back:
            sign_in(back)
            assert is_in(back)
        assert not is_in(bob)  # what ended is not started again
    both.hub.parts.access.accounts.disable("bob", WHY)
    with both.browser(sub="bob-1", name="bob", groups=["auditors"]) as blocked:
        assert "has disabled your account" in sign_in(blocked).text


def test_an_account_of_the_same_name_is_not_taken_over(both: Both) -> None:
    both.hub.parts.access.accounts.add("dora", UserRole.ADMIN, "several plain words", WHY)
    with both.browser(sub="mallory-1", name="dora", groups=["auditors"]) as mallory:
        refused = sign_in(mallory)
        assert (refused.status_code, "does not come from the identity provider" in refused.text) == (401, True)
        assert not is_in(mallory)
    with both.browser(sub="eve-1", name="eve", groups=["auditors"]) as eve:
        sign_in(eve)
    with both.browser(sub="eve-2", name="eve", groups=["bosses"], amr=["hwk"]) as other:  # another person of that name
        assert sign_in(other).status_code == 401
    account = both.account("eve")
    assert account is not None
    assert account.role is UserRole.AUDITOR
    with both.browser(sub="x-1", name="<x>", groups=["auditors"]) as nameless:
        assert sign_in(nameless).status_code == 401


def test_a_second_factor_there_counts_if_the_settings_say_so(both: Both) -> None:
    for amr, enters in ((["pwd"], False), (["pwd", "otp"], False), (["pwd", "hwk"], True)):
        with both.browser(sub="cleo-1", name="cleo", groups=["bosses"], amr=amr) as cleo:
            answer = sign_in(cleo)
            assert is_in(cleo) is enters, amr
            assert ("needs a second factor" in answer.text) is not enters


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("nonce", "nonce"),
        ("no_nonce", "nonce"),
        ("audience", "aud"),
        ("several", "azp"),
        ("issuer", "iss"),
        ("expired", "expired"),
        ("early", "in the future"),
        ("none", "Algorithm of 'none'"),
        ("shared", "Algorithm of 'HS256'"),
        ("secret", "Algorithm of 'HS256'"),
        ("foreign", "bad_signature"),
    ],
)
def test_what_the_provider_must_not_answer_is_refused(
    both: Both, how: str, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    with both.browser(sub="fay-1", name="fay", groups=["auditors"], spoil=how) as fay:
        refused = sign_in(fay)
        assert (refused.status_code, "is not valid" in refused.text) == (401, True)
        assert not is_in(fay)
        assert both.account("fay") is None
    (said,) = (each.getMessage() for each in caplog.records if "answer is not valid" in each.getMessage())
    assert why in said


def test_an_answer_to_another_sign_in_is_refused(both: Both) -> None:
    with both.browser(sub="gus-1", name="gus", groups=["auditors"]) as gus, both.browser() as other:
        at = gus.get("/sign-in/oidc", follow_redirects=False).headers["location"]
        asked = parse_qs(urlsplit(at).query)
        assert (asked["code_challenge_method"], asked["response_type"]) == (["S256"], ["code"])
        back = httpx2.get(at).headers["location"]
        # In another browser, which has not started, or has started another one: nobody gets into another account.
        assert other.get(back).status_code == 401
        other.get("/sign-in/oidc", follow_redirects=False)
        assert other.get(back).status_code == 401
        bent = back.replace("state=", "state=x")
        assert "another sign-in" in gus.get(bent).text
        assert gus.get(back).status_code == 401  # that sign-in is over
        assert not is_in(gus)
        assert not is_in(other)
        assert gus.get("/sign-in/oidc/callback").status_code == 401
        # A code is good once, and with the verifier of its own sign-in alone.
        at = gus.get("/sign-in/oidc", follow_redirects=False).headers["location"]
        fresh = httpx2.get(at).headers["location"]
        gus.get("/sign-in/oidc", follow_redirects=False)
        assert gus.get(fresh).status_code == 401
        assert sign_in(gus, "//elsewhere.example/").url.host == "127.0.0.1"
        assert is_in(gus)


def test_what_the_provider_refuses_is_explained(both: Both) -> None:
    for error, said in (("access_denied", "refused the sign-in"), ("server_error", "reports an error (server_error)")):
        with both.browser(sub="hal-1", name="hal", groups=["auditors"], refuse=error) as hal:
            refused = sign_in(hal)
            assert (refused.status_code, said in refused.text) == (401, True)


def test_while_the_provider_is_away_accounts_of_the_hub_hold(both: Both) -> None:
    provider = provider_of(both)
    both.hub.parts.access.accounts.add("ida", UserRole.SUPERVISOR, "several plain words", WHY)
    known, provider._app = provider._app, None
    settings, provider.settings = (
        provider.settings,
        provider.settings.model_copy(update={"issuer": "http://localhost:1"}),
    )
    try:
        with both.browser() as ida:
            away = sign_in(ida)
            assert (away.status_code, "cannot be reached now" in away.text) == (503, True)
            ida.post("/sign-in", data={"name": "ida", "password": "several plain words"})
            assert is_in(ida)
    finally:
        provider.settings, provider._app = settings, known


def test_a_provider_that_calls_itself_something_else_is_not_believed(both: Both) -> None:
    provider = provider_of(both)
    known, provider._app = provider._app, None
    try:
        with both.browser(spoil="described") as client:
            assert "is not valid" in sign_in(client).text
    finally:
        provider._app = known


def test_its_accounts_have_no_password(both: Both) -> None:
    accounts = both.hub.parts.access.accounts
    with both.browser(sub="jan-1", name="jan", groups=["auditors"]) as jan:
        sign_in(jan)
        account = both.account("jan")
        assert account is not None
        assert not account.password
        for password in ("", "!", "several plain words"):
            with httpx2.Client(base_url=both.hub.url, headers=HTML) as other:
                other.post("/sign-in", data={"name": "jan", "password": password})
                assert not is_in(other)
        changes: tuple[Callable[[], None], ...] = (
            lambda: accounts.set_password("jan", "several plain words", WHY),
            lambda: accounts.set_role("jan", UserRole.ADMIN, WHY),
            lambda: accounts.set_pits("jan", ["west"], WHY),
        )
        for change in changes:
            with pytest.raises(AccountError, match="identity provider"):
                change()


def test_a_table_may_use_the_same_provider(both: Both) -> None:
    oidc = provider_of(both).settings
    accounts = AccountsConfig(oidc=oidc.model_copy(update={"groups": (OidcGroup(group="auditors", role="auditor"),)}))
    with serving(config(port=0).model_copy(update={"accounts": accounts})) as table:
        httpx2.post(f"{both.issuer}/control", json={"sub": "kim-1", "name": "kim", "groups": ["auditors"], "spoil": ""})
        with httpx2.Client(base_url=table.url, headers=HTML, follow_redirects=True, timeout=30) as kim:
            assert "Sign in with Casino sign-in" in kim.get("/sign-in").text
            assert sign_in(kim).status_code == 200
            assert is_in(kim)


SETTINGS = """
[service]
name = "main"
[record]
folder = "floor"
url = "postgresql+pg8000://houseway@localhost/houseway"
[[pits]]
name = "west"
[accounts.oidc]
issuer = "https://id.example"
client_id = "houseway"
client_secret_env = "HOUSEWAY_OIDC_SECRET"
[[accounts.oidc.groups]]
group = "supervisors"
role = "supervisor"
pits = ["west"]
[[tables]]
name = "t1"
url = "http://localhost:1"
key_env = "HOUSEWAY_KEY"
"""


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ('issuer = "https://id.example"', 'issuer = "http://id.example"', "only on this machine"),
        ('pits = ["west"]', 'pits = ["north"]', "no pit 'north'"),
        ('role = "supervisor"', 'role = "admin"', "all tables"),
        ('client_secret_env = "HOUSEWAY_OIDC_SECRET"', "", "client_secret_file or client_secret_env"),
        ('client_id = "houseway"', 'client_id = "houseway"\nclient_idd = "x"', "unknown key"),
    ],
)
def test_settings_that_cannot_be_are_refused_with_their_line(tmp_path: Path, right: str, wrong: str, said: str) -> None:
    path = tmp_path / "floor.toml"
    path.write_text(SETTINGS)
    assert load_config(path).accounts.oidc is not None
    path.write_text(SETTINGS.replace(right, wrong, 1))
    with pytest.raises(ConfigError, match=said) as refused:
        load_config(path)
    assert "floor.toml" in str(refused.value)
