"""What signing in asks of people: a password of one's own, a page that is used, a second factor; without scripts."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, get_args
from unittest.mock import patch

import pyotp
import pytest
from argon2 import PasswordHasher
from fastapi import FastAPI
from fastapi.testclient import TestClient

from service.access import credentials
from service.access import second_factors as codes
from service.access.access import Access
from service.access.account_store import factor_table, recovery_code_table, session_table
from service.access.roles import UserRole
from service.access.second_factors import KEY_FILE, Sealer, SealError
from service.access.sign_in_steps import CODES_AT_ONCE
from service.record.changes import Attribution
from service.record.integrity.verify import verify_database
from service.record.store.entries import timestamp
from service.system.account_settings import AccountsConfig, Role
from service.system.service_settings import LimitsConfig
from tests.service.stand_ins import FakeReader, app_of, config

PASSWORD = "several plain words"  # noqa: S105  made up
OTHER = "quite some other words"
WHY = Attribution("the boss", "new on the floor")
PAGE = {"Accept": "text/html"}


@pytest.fixture(autouse=True)
def _quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(credentials, "_HASHER", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))


@contextmanager
def serving(**accounts: Any) -> Iterator[FastAPI]:  # noqa: ANN401  as the settings say it
    unlimited = LimitsConfig(requests_per_minute=0, strangers_per_minute=0)
    settings = config().model_copy(update={"limits": unlimited, "accounts": AccountsConfig(**accounts)})
    app = app_of(settings, reader=FakeReader(), watch=False)
    yield app
    app.state.parts.record.close()


def browser(app: FastAPI, address: str = "192.0.2.1") -> TestClient:
    headers = {**PAGE, "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}
    return TestClient(app, base_url="http://localhost", follow_redirects=False, headers=headers, client=(address, 1))


def sign_in(client: TestClient, name: str, password: str = PASSWORD, **more: str) -> Any:  # noqa: ANN401  the answer
    return client.post("/sign-in", data={"name": name, "password": password, **more})


def post(client: TestClient, path: str, **fields: str) -> Any:  # noqa: ANN401  the answer
    """Send a form of the account page, with its token."""
    (token, *_) = re.findall(r'name="csrf_token" value="([0-9a-f]+)"', client.get("/account").text)
    return client.post(path, data={"csrf_token": token, **fields})


class TestMadePasswords:
    def test_it_must_be_changed_before_anything_else(self) -> None:
        with serving() as app:
            app.state.parts.access.accounts.add("ann", UserRole.SUPERVISOR, PASSWORD, WHY, initial=True)
            client = browser(app)
            assert sign_in(client, "ann").headers["location"] == "/"
            for path in ("/", "/rounds", "/account/second-factor/app", "/tables/test/game", "/nothing"):
                answer = client.get(path)
                assert (answer.status_code, answer.headers["location"]) == (303, "/account"), path
            refused = client.get("/v1/tables", headers={"Accept": "application/json"})
            assert (refused.status_code, refused.json()["code"]) == (403, "account_not_ready")
            assert post(client, "/account/second-factor/app").status_code == 403
            page = client.get("/account").text
            assert "An administrator made your password" in page
            assert "Where you are signed in" not in page
            same = post(client, "/account/password", password=PASSWORD, again=PASSWORD)
            assert (same.status_code, "choose another one" in same.text) == (422, True)
            weak = post(client, "/account/password", password="passwordpassword", again="passwordpassword")  # noqa: S106
            assert (weak.status_code, "easily guessed" in weak.text) == (422, True)
            assert post(client, "/account/password", password=OTHER, again=OTHER).headers["location"] == "/"
            assert client.get("/tables/test").status_code == 200

    def test_keys_go_on(self) -> None:
        with serving() as app:
            accounts = app.state.parts.access.accounts
            accounts.add("ann", UserRole.ADMIN, PASSWORD, WHY, initial=True)
            _, text = accounts.add_key("till", UserRole.VIEWER, 1, WHY)
            answer = browser(app).get("/v1/tables", headers={"Authorization": f"Bearer {text}"})
            assert answer.status_code == 200

    def test_it_expires_unused_and_only_who_knows_it_is_told(self) -> None:
        with serving(password_days=1) as app:
            accounts = app.state.parts.access.accounts
            with patch.object(accounts, "_until", lambda: "2020-01-01T00:00:00.000000Z"):
                accounts.add("boss", UserRole.ADMIN, PASSWORD, WHY, initial=True)
            assert accounts.configured
            accounts.reload()
            assert accounts.configured  # the table starts as before; another password is made on the machine
            client = browser(app)
            told = sign_in(client, "boss")
            assert (told.status_code, "was not used in time" in told.text) == (401, True)
            assert "Wrong name or password" in sign_in(client, "boss", "wrong").text
            accounts.set_password("boss", OTHER, WHY, initial=True)
            assert sign_in(client, "boss", OTHER).status_code == 303

    def test_the_first_start_goes_on_as_it_was(self) -> None:
        with serving() as app:
            first = app.state.parts.access.prepare_first_sign_in()
            client = browser(app)
            assert sign_in(client, first.account, first.password).headers["location"] == "/"
            assert client.get("/tables/test").status_code == 200


class TestSessions:
    def test_signing_in_again_ends_the_old_session_of_that_browser(self) -> None:
        with serving() as app:
            access: Access = app.state.parts.access
            access.accounts.add("ann", UserRole.VIEWER, PASSWORD, WHY)
            client, elsewhere = browser(app), browser(app, "192.0.2.2")
            sign_in(elsewhere, "ann")
            sign_in(client, "ann")
            old = client.cookies["houseway_test"]
            sign_in(client, "ann")
            assert access.by_session(old) is None
            assert len(access.sessions.of("ann")) == 2
            sign_in(client, "ann", alone="true")
            assert len(access.sessions.of("ann")) == 1
            assert elsewhere.get("/account").headers["location"].startswith("/sign-in")

    def test_the_account_page_lists_them_and_ends_each(self) -> None:
        with serving() as app:
            access: Access = app.state.parts.access
            access.accounts.add("ann", UserRole.VIEWER, PASSWORD, WHY)
            access.accounts.add("bob", UserRole.VIEWER, PASSWORD, WHY)
            client, elsewhere, other = browser(app), browser(app, "192.0.2.2"), browser(app, "192.0.2.3")
            for each, name in ((client, "ann"), (elsewhere, "ann"), (other, "bob")):
                sign_in(each, name)
            page = client.get("/account").text
            assert "Firefox, Linux" in page
            assert page.count("this browser") == 1
            assert ("192.0.2.2" in page, "192.0.2.3" in page) == (True, False)
            (bobs,) = access.sessions.of("bob")
            assert post(client, f"/account/sessions/{bobs}/end").status_code == 303
            assert other.get("/account").status_code == 200  # another's is not ended
            ids = dict.fromkeys(re.findall(r"/account/sessions/([0-9a-f]+)/end", page))
            there = next(each for each in ids if not access.sessions.is_at(client.cookies["houseway_test"], each))
            assert post(client, f"/account/sessions/{there}/end").headers["location"] == "/account"
            assert elsewhere.get("/account").status_code == 303
            (here,) = access.sessions.of("ann")
            assert post(client, f"/account/sessions/{here}/end").headers["location"] == "/sign-in"

    @pytest.mark.parametrize(("role", "ends"), [(UserRole.SUPERVISOR, True), (UserRole.VIEWER, False)])
    def test_a_page_that_nobody_uses_is_signed_out(self, role: UserRole, *, ends: bool) -> None:
        with serving(idle_hours=1) as app:
            access: Access = app.state.parts.access
            access.accounts.add("ann", role, PASSWORD, WHY)
            client = browser(app)
            sign_in(client, "ann")
            sessions = access.sessions

            def last_used(ago: timedelta) -> None:
                (name,) = sessions._known
                at = timestamp(datetime.now(UTC) - ago)
                sessions._known[name] = type(sessions._known[name])(**{**_fields(sessions._known[name]), "used_at": at})

            last_used(timedelta(minutes=50))
            # What an open page asks by itself is not use.
            assert client.get("/tables/test/status", headers={"Accept": "*/*"}).status_code == 200
            last_used(timedelta(minutes=55))
            assert client.get("/v1/tables", headers={"Accept": "*/*"}).status_code == 200
            (one,) = sessions.of("ann").values()
            assert datetime.fromisoformat(one.used_at) < datetime.now(UTC) - timedelta(minutes=50)
            assert post(client, "/account/used").status_code == 204
            (one,) = sessions.of("ann").values()
            assert datetime.fromisoformat(one.used_at) > datetime.now(UTC) - timedelta(minutes=1)
            with app.state.parts.record.database.connect() as connection:
                (row,) = connection.execute(session_table.select())
            assert row.used_at == one.used_at
            last_used(timedelta(minutes=61))
            assert (client.get("/account").status_code == 303) == ends


def _fields(session: object) -> dict[str, Any]:
    return {name: getattr(session, name) for name in type(session).__slots__}  # type: ignore[attr-defined]


class App:
    """An authenticator app."""

    def __init__(self, secret: str) -> None:
        self.totp = pyotp.TOTP(secret)

    def code(self, steps: int = 0) -> str:
        return self.totp.generate_otp(int(time.time()) // 30 + steps)


def with_app(app: FastAPI, client: TestClient, name: str = "ann") -> tuple[App, list[str]]:
    """Add an authenticator app on the page; returns it with the recovery codes."""
    page = post(client, "/account/second-factor/app", current=PASSWORD, name="my phone")
    assert "<svg" in page.text
    phone = App(re.findall(r"<code>([A-Z2-7 ]+)</code>", page.text)[0].replace(" ", ""))
    wrong = post(client, "/account/second-factor/app/confirm", code="000000")
    assert (wrong.status_code, "not right" in wrong.text) == (422, True)
    done = post(client, "/account/second-factor/app/confirm", code=phone.code(-1))
    recovery = re.findall(r"<code>([a-z0-9-]{19})</code>", done.text)
    assert len(recovery) == codes.RECOVERY_CODES
    assert app.state.parts.access.factors.of(name)[0].name == "my phone"
    return phone, recovery


@pytest.fixture
def app() -> Iterator[FastAPI]:
    with serving() as made:
        made.state.parts.access.accounts.add("ann", UserRole.ADMIN, PASSWORD, WHY)
        yield made


@pytest.fixture
def client(app: FastAPI) -> TestClient:
    made = browser(app)
    sign_in(made, "ann")
    return made


class TestAuthenticatorApp:
    def test_signing_in_takes_two_steps(self, app: FastAPI, client: TestClient) -> None:
        phone, _ = with_app(app, client)
        other = browser(app)
        first = sign_in(other, "ann", next="/changes")
        assert (first.status_code, first.headers["location"]) == (303, "/sign-in/second-step")
        assert "houseway_test" not in other.cookies
        assert other.get("/changes").status_code == 303
        assert "authenticator app" in other.get("/sign-in/second-step").text
        assert other.post("/sign-in/second-step", data={"code": "123"}).status_code == 401
        code = phone.code()
        done = other.post("/sign-in/second-step", data={"code": f" {code[:3]} {code[3:]} "})
        assert (done.status_code, done.headers["location"]) == (303, "/changes")
        assert other.get("/changes").status_code == 200
        page = other.get("/changes").text
        assert "second factor added (authenticator app)" in page

    def test_adding_one_ends_all_sessions_that_began_without_it(self, app: FastAPI, client: TestClient) -> None:
        elsewhere = browser(app, "192.0.2.2")
        sign_in(elsewhere, "ann")
        assert elsewhere.get("/account").status_code == 200
        assert "signs you out in all other browsers" in client.get("/account").text
        before = client.cookies["houseway_test"]
        with_app(app, client)
        assert elsewhere.get("/account").status_code == 303
        assert client.get("/account").status_code == 200
        assert client.cookies["houseway_test"] != before
        assert len(app.state.parts.access.sessions.of("ann")) == 1

    def test_a_code_counts_once_in_whatever_browser(self, app: FastAPI, client: TestClient) -> None:
        phone, _ = with_app(app, client)
        code = phone.code()
        for number, status in enumerate((303, 401)):
            other = browser(app, f"192.0.2.{10 + number}")
            sign_in(other, "ann")
            assert other.post("/sign-in/second-step", data={"code": code}).status_code == status

    @pytest.mark.parametrize(("steps", "right"), [(-2, False), (-1, True), (0, True), (1, True), (2, False)])
    def test_clocks_may_differ_by_one_step(self, steps: int, *, right: bool) -> None:
        secret, now = codes.new_totp_secret(), 1_800_000_015.0
        code = pyotp.TOTP(secret).generate_otp(int(now) // 30 + steps)
        assert (codes.totp_step(secret, code, now) == int(now // 30) + steps) == right
        assert (codes.totp_step(secret, code, now) is not None) == right

    def test_guessing_is_limited_for_who_has_the_password(self, app: FastAPI, client: TestClient) -> None:
        phone, _ = with_app(app, client)
        statuses = []
        for number in range(CODES_AT_ONCE + 2):
            other = browser(app, f"192.0.2.{20 + number}")
            sign_in(other, "ann")
            statuses.append(other.post("/sign-in/second-step", data={"code": "000000"}).status_code)
        assert statuses == [401] * CODES_AT_ONCE + [429] * 2
        refused = other.post("/sign-in/second-step", data={"code": phone.code()})
        assert (refused.status_code, int(refused.headers["retry-after"]) > 60) == (429, True)
        assert client.get("/account").status_code == 200

    def test_without_the_password_there_is_no_second_step(self, app: FastAPI, client: TestClient) -> None:
        phone, recovery = with_app(app, client)
        other = browser(app)
        assert other.get("/sign-in/second-step").headers["location"] == "/sign-in"
        for code in (phone.code(), recovery[0]):
            assert other.post("/sign-in/second-step", data={"code": code}).status_code == 401
            other.cookies.set("houseway_test_step", "forged")
        sign_in(other, "ann")
        app.state.parts.access.accounts.set_password("ann", OTHER, WHY)
        refused = other.post("/sign-in/second-step", data={"code": phone.code()})
        assert (refused.status_code, "Start again" in refused.text) == (401, True)

    def test_recovery_codes_hold_once_each(self, app: FastAPI, client: TestClient) -> None:
        _, recovery = with_app(app, client)
        for code, status in ((recovery[0].upper(), 303), (recovery[0], 401), (recovery[1].replace("-", " "), 303)):
            other = browser(app)
            sign_in(other, "ann")
            assert other.post("/sign-in/second-step", data={"code": code}).status_code == status
        assert "8 recovery codes left" in client.get("/account").text
        page = post(client, "/account/second-factor/recovery-codes", current=PASSWORD).text
        fresh = re.findall(r"<code>([a-z0-9-]{19})</code>", page)
        assert not set(fresh) & set(recovery)
        other = browser(app)
        sign_in(other, "ann")
        assert other.post("/sign-in/second-step", data={"code": recovery[2]}).status_code == 401
        assert other.post("/sign-in/second-step", data={"code": fresh[2]}).status_code == 303

    def test_what_is_added_or_removed_needs_the_password(self, app: FastAPI, client: TestClient) -> None:
        (factor,) = app.state.parts.access.factors.of("ann") if with_app(app, client) else ()
        for path in (f"{factor.id}/remove", "app", "recovery-codes", "passkey/options"):
            assert post(client, f"/account/second-factor/{path}", current="wrong").status_code == 422
        assert post(client, "/account/second-factor/none/remove", current=PASSWORD).status_code == 422
        assert post(client, f"/account/second-factor/{factor.id}/remove", current=PASSWORD).status_code == 303
        assert app.state.parts.access.factors.of("ann") == ()
        assert app.state.parts.access.accounts.recovery_codes_of("ann") == 0
        assert sign_in(browser(app), "ann").headers["location"] == "/"

    def test_an_administrator_removes_them_on_record_and_no_secret_is_told(
        self, app: FastAPI, client: TestClient, caplog: pytest.LogCaptureFixture
    ) -> None:
        phone, recovery = with_app(app, client)
        accounts = app.state.parts.access.accounts
        accounts.add("boss", UserRole.ADMIN, PASSWORD, WHY)
        boss = browser(app)
        sign_in(boss, "boss")
        assert "second factor" in boss.get("/accounts").text
        assert post(boss, "/accounts/boss/second-factors/remove", reason="x").status_code == 422
        assert post(boss, "/accounts/ann/second-factors/remove", reason="lost her phone").status_code == 303
        assert client.get("/account").status_code == 303  # all her pages are signed out
        assert sign_in(browser(app), "ann").headers["location"] == "/"
        record = app.state.parts.record
        last = record.last(("account",))[0]
        assert (last.data["act"], last.data["by"], last.data["reason"]) == (
            "all second factors removed",
            "boss",
            "lost her phone",
        )
        everything = "".join(entry.body for entry in record.all_entries()) + caplog.text
        for secret in (phone.totp.secret, *recovery, phone.code()):
            assert secret not in everything
        assert verify_database(record, record.evidence.folder).holds

    def test_a_copy_of_the_database_alone_does_not_tell_the_secret(self, app: FastAPI, client: TestClient) -> None:
        phone, recovery = with_app(app, client)
        record = app.state.parts.record
        with record.database.connect() as connection:
            rows = [
                *map(str, connection.execute(factor_table.select())),
                *map(str, connection.execute(recovery_code_table.select())),
            ]
        assert not any(phone.totp.secret in row or code in row for row in rows for code in recovery)
        key = record.settings.folder / KEY_FILE
        assert key.stat().st_mode & 0o777 == 0o600
        key.unlink()  # without the key the app is of no use, and a recovery code still lets her in
        other = browser(app)
        sign_in(other, "ann")
        assert other.post("/sign-in/second-step", data={"code": phone.code()}).status_code == 401
        assert other.post("/sign-in/second-step", data={"code": recovery[0]}).status_code == 303

    def test_it_outlives_the_service(self, app: FastAPI, client: TestClient) -> None:
        phone, _ = with_app(app, client)
        settings = app.state.parts.config
        app.state.parts.record.close()
        again = app_of(settings, reader=FakeReader(), watch=False)
        other = browser(again)
        assert sign_in(other, "ann").headers["location"] == "/sign-in/second-step"
        used = phone.code(-1)  # that of the enrolment
        assert other.post("/sign-in/second-step", data={"code": used}).status_code == 401
        assert other.post("/sign-in/second-step", data={"code": phone.code()}).status_code == 303
        again.state.parts.record.close()


def test_a_role_that_must_have_one_is_led_there() -> None:
    with serving(second_factor=("admin", "technician")) as app:
        accounts = app.state.parts.access.accounts
        accounts.add("ann", UserRole.ADMIN, PASSWORD, WHY, initial=True)
        accounts.add("bob", UserRole.SUPERVISOR, PASSWORD, WHY)
        client, other = browser(app), browser(app)
        sign_in(client, "ann")
        post(client, "/account/password", password=OTHER, again=OTHER)
        assert client.get("/accounts").headers["location"] == "/account"
        assert "Your role needs a second factor" in client.get("/account").text
        page = post(client, "/account/second-factor/app", current=OTHER)
        phone = App(re.findall(r"<code>([A-Z2-7 ]+)</code>", page.text)[0].replace(" ", ""))
        assert post(client, "/account/second-factor/app/confirm", code=phone.code()).status_code == 200
        assert client.get("/accounts").status_code == 200
        sign_in(other, "bob")
        assert other.get("/tables/test").status_code == 200


def test_the_settings_name_the_roles_that_there_are() -> None:
    assert get_args(Role) == tuple(UserRole)


class TestSealing:
    def test_it_opens_with_its_key_for_whom_it_was_sealed(self, tmp_path: Path) -> None:
        sealer = Sealer(tmp_path / "key")
        sealed = sealer.seal("secret", "ann 1")
        assert sealer.open(sealed, "ann 1") == "secret"
        assert "secret" not in sealed
        with pytest.raises(SealError, match="cannot be decrypted"):
            sealer.open(sealed, "bob 1")
        other = Sealer(tmp_path / "other")
        other.seal("x", "y")
        with pytest.raises(SealError, match="cannot be decrypted"):
            other.open(sealed, "ann 1")
        (tmp_path / "key").write_bytes(b"short")
        with pytest.raises(SealError, match="cannot be decrypted"):
            sealer.open(sealed, "ann 1")
        with pytest.raises(SealError, match="cannot be used"):
            Sealer(tmp_path / "none").open(sealed, "ann 1")
