"""Permissions over HTTP: every route carries the gate, and every role tries representative ones."""

import asyncio
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from argon2 import PasswordHasher
from fastapi import APIRouter, FastAPI, Request
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from service.access import accounts as accounts_module
from service.access import credentials
from service.access.access import Caller
from service.access.accounts import Accounts
from service.access.roles import MAY, OF_ALL_PITS, Permission, UserRole
from service.api.authentication import Authentication
from service.api.permissions import CSRF_HEADER, Requirement, declared, routes_of
from service.api.problems import ProblemError
from service.api.routes.event_stream import events
from service.api.scope import Scope
from service.record.changes import Attribution
from service.record.store.record import Record
from service.system.service_settings import LimitsConfig
from service.table.monitor import calibrating
from service.web.routes import game
from tests.service.api.test_http import play, problem_of
from tests.service.stand_ins import HOUSE_WRONG, FakeReader, app_of, config, hand, key_for, reading, signed_in

PASSWORD = "several plain words"  # noqa: S105  made up
WHY = Attribution("the tests", "to be tested")
COOKIE = "houseway_test"
OPEN_TO_ALL = {
    ("GET", "/healthz"),
    ("GET", "/set-up"),
    *((method, f"/sign-in{step}") for method in ("GET", "POST") for step in ("", "/second-step", "/passkey")),
    *(("GET", f"/sign-in/oidc{step}") for step in ("", "/callback", "/sign-out")),
    ("GET", "/worker.js"),  # a script without anything private
    *(("GET", f"/shared/{what}") for what in ("picture", "round")),  # answered only with a sealed link
}
ONLY_PERSONS = {
    "/sign-out",
    "/account",
    "/account/password",
    "/account/sign-out-everywhere",
    "/account/sessions/x/end",
    "/account/telephones/x/remove",
    "/account/used",
    "/account/second-factor/app",
    "/account/second-factor/app/confirm",
    "/account/second-factor/passkey",
    "/account/second-factor/passkey/options",
    "/account/second-factor/recovery-codes",
    "/account/second-factor/x/remove",
    "/tables/test/audit/answer",
    "/tables/test/audit/verdict",
    "/handover",
}


def _made() -> FastAPI:
    return app_of(config(), reader=FakeReader(), watch=False)


def _routes() -> list[tuple[str, str, Permission | None]]:
    """Method, an address, and what is declared, of every route of the application."""
    app, found = _made(), []
    for context in routes_of(app):
        need = declared(context)
        assert need is not None, f"{context.path} does not declare what it needs"
        path = re.sub(
            r"\{[^}]+\}", lambda match: {"{table}": "test", "{sha256}": "0" * 64}.get(match[0], "x"), context.path or ""
        )
        found += [(method, path, need.permission) for method in sorted(context.methods or ())]
    app.state.parts.record.close()
    return found


REPRESENTATIVE = {
    ("GET", "/"): Permission.WATCH,
    ("GET", "/metrics"): Permission.METRICS,
    ("GET", "/v1/tables"): Permission.WATCH,
    ("GET", "/v1/rounds"): Permission.RESULTS,
    ("GET", "/v1/changes"): Permission.CHANGES,
    ("GET", f"/v1/evidence/{'0' * 64}"): Permission.EVIDENCE,
    ("POST", "/v1/house-way"): Permission.ASK,
    ("POST", "/v1/rounds/x/review"): Permission.REVIEW,
    ("POST", "/v1/alarms/acknowledgement"): Permission.ACKNOWLEDGE,
    ("POST", "/tables/test/setup/places"): Permission.CALIBRATE,
    ("POST", "/tables/test/audit/answer"): Permission.AUDIT,
    ("POST", "/account/password"): Permission.OWN_ACCOUNT,
    ("POST", "/accounts"): Permission.ACCOUNTS,
    ("POST", "/keys/x/revoke"): Permission.ACCOUNTS,
}
GUARDED = [
    pytest.param(method, path, need, id=f"{method} {path[:40]}") for (method, path), need in REPRESENTATIVE.items()
]


@dataclass(frozen=True)
class House:
    """A service with an account and a key of each role."""

    app: FastAPI
    client: TestClient
    keys: dict[UserRole, dict[str, str]]
    bad_keys: dict[str, str]
    sessions: dict[UserRole, tuple[dict[str, str], str]] = field(default_factory=dict)

    def lasting_session(self, role: UserRole) -> tuple[dict[str, str], str]:
        """The same, for tests that do not end it; a new one if another test did."""
        cookie = self.sessions[role][0]["Cookie"] if role in self.sessions else ""
        if self.app.state.parts.access.by_session(cookie.partition("=")[2]) is None:
            self.sessions[role] = self.session(role)
        return self.sessions[role]

    def session(self, role: UserRole) -> tuple[dict[str, str], str]:
        """Header of a new session of a role, and its CSRF token."""
        access = self.app.state.parts.access
        secret = access.sessions.start(role.value)
        caller = access.by_session(secret)
        return {"Cookie": f"{COOKIE}={secret}"}, caller.csrf_token


@pytest.fixture(scope="module", autouse=True)
def _no_waiting() -> Iterator[None]:
    """How slow hashes are is tested elsewhere, here many are made; nobody waits for a camera or for figures."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(game, "_ANSWERED_S", 0.01)
        patch.setattr(calibrating, "_WAIT_S", 0.01)
        patch.setattr(credentials, "_HASHER", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
        yield


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    app = _made()
    play(app)
    accounts = app.state.parts.access.accounts
    for role in UserRole:
        accounts.add(role.value, role, PASSWORD, WHY)
    keys = {role: key_for(app, role) for role in UserRole}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(accounts_module, "timestamp", lambda _at=None: "2000-01-01T00:00:00.000000Z")
        bad = {"expired": accounts.add_key("expired", UserRole.ADMIN, 1, WHY)}
    bad["revoked"] = accounts.add_key("revoked", UserRole.ADMIN, 1, WHY)
    accounts.revoke_key("revoked", WHY)
    accounts.reload()
    app.state.parts.only.live.close()  # the event stream ends at once, and no long poll is held
    client = TestClient(app, base_url="http://localhost", follow_redirects=False, raise_server_exceptions=False)
    yield House(app, client, keys, {name: text for name, (_, text) in bad.items()})
    app.state.parts.record.close()


def test_every_route_carries_the_one_gate() -> None:
    """Nobody without credentials passes the middleware, and no route runs before its gate was asked."""
    app = _made()
    assert [str(each.cls) for each in app.user_middleware].count(str(Authentication)) == 1
    for context in routes_of(app):
        need = declared(context)
        assert need is not None, f"{context.path} does not declare what it needs"
        route = context.original_route
        assert isinstance(route, APIRoute), context.path
        (gate,) = [each.call for each in route.dependant.dependencies if isinstance(each.call, Requirement)]
        assert gate == need, context.path
    app.state.parts.record.close()


def test_what_is_open_to_everybody() -> None:
    app = _made()
    described = {(method.upper(), path) for path, methods in app.openapi()["paths"].items() for method in methods}
    routes = _routes()
    assert len(described) > 12
    assert len(routes) >= len(described) + 10
    assert {(method, path) for method, path, permission in routes if permission is None} == OPEN_TO_ALL
    assert {(method, path): permission for method, path, permission in routes}.items() >= REPRESENTATIVE.items()


def test_who_is_bound_to_a_pit_does_nothing_that_concerns_the_whole_floor() -> None:
    app = _made()
    caller = replace(_administrator(app), pits=("1",))
    request = Request({"type": "http", "method": "GET", "headers": [], "state": {"caller": caller}})
    for permission in Permission:
        gate = Requirement(permission)
        if permission in OF_ALL_PITS:
            with pytest.raises(ProblemError) as refused:
                asyncio.run(gate(request))
            assert refused.value.code == "not_allowed_for_pits"
        else:
            asyncio.run(gate(request))
    app.state.parts.record.close()


def _administrator(app: FastAPI) -> Caller:
    access = app.state.parts.access
    _, key = access.accounts.add_key("all", UserRole.ADMIN, 1, WHY)
    caller = access.by_key(key)
    assert isinstance(caller, Caller)
    return caller


def test_a_route_without_a_declaration_is_found_and_not_open() -> None:
    app = _made()
    router = APIRouter()

    @router.get("/v1/forgotten")
    def forgotten() -> str:
        return "secret"

    app.include_router(router)
    (context,) = (each for each in routes_of(app) if each.path == "/v1/forgotten")
    assert declared(context) is None
    with TestClient(app, base_url="http://localhost") as client:
        assert client.get("/v1/forgotten").status_code == 401


@pytest.mark.parametrize(("method", "path", "permission"), GUARDED)
def test_no_route_opens_without_valid_credentials(house: House, method: str, path: str, permission: Permission) -> None:
    good = house.keys[UserRole.ADMIN]["Authorization"]
    session, _ = house.lasting_session(UserRole.ADMIN)
    wrong: dict[str, Any] = {
        "missing": {},
        "wrong": {"Authorization": good[:-1] + ("A" if good[-1] != "A" else "B")},
        "longer": {"Authorization": good + "x"},
        "other scheme": {"Authorization": good.replace("Bearer", "Basic")},
        "no scheme": {"Authorization": good.removeprefix("Bearer ")},
        "not text": {b"Authorization": b"Bearer \xff\xfc"},
        "expired": {"Authorization": f"Bearer {house.bad_keys['expired']}"},
        "revoked": {"Authorization": f"Bearer {house.bad_keys['revoked']}"},
        "forged session": {"Cookie": f"{COOKIE}=forged"},
        "empty session": {"Cookie": f"{COOKIE}="},
        "session as key": {"Authorization": f"Bearer {session['Cookie'].partition('=')[2]}"},
        "a bad key beside a good session": {"Authorization": "Bearer x", **session},
    }
    for name, headers in wrong.items():
        answer = house.client.request(method, path, headers=headers)
        said = problem_of(answer)
        assert (said["status"], said["code"]) == (401, "not_signed_in"), (name, permission)
        assert answer.headers["www-authenticate"].startswith("Bearer")


@pytest.mark.parametrize(("method", "path", "permission"), GUARDED)
@pytest.mark.parametrize("role", list(UserRole))
def test_every_route_lets_in_the_roles_that_may_and_no_other(
    house: House, role: UserRole, method: str, path: str, permission: Permission
) -> None:
    cookie, token = house.session(role) if path in ONLY_PERSONS else house.lasting_session(role)
    for headers in (house.keys[role], {**cookie, CSRF_HEADER: token}):
        answer = house.client.request(method, path, headers=headers)
        if permission not in MAY[role]:
            assert (answer.status_code, problem_of(answer)["code"]) == (403, "not_allowed_for_role")
        elif path in ONLY_PERSONS and (method, path) != ("GET", "/handover") and headers is house.keys[role]:
            assert problem_of(answer)["code"] == "only_for_persons"
        else:
            assert answer.status_code not in {401, 403}, answer.text


@pytest.mark.parametrize(("method", "path", "permission"), [each for each in GUARDED if each.values[0] == "POST"])
def test_a_session_changes_nothing_without_its_page(
    house: House, method: str, path: str, permission: Permission
) -> None:
    cookie, token = house.lasting_session(UserRole.ADMIN)
    _, other = house.lasting_session(UserRole.VIEWER)
    tokens: list[dict[Any, Any]] = [{}, {CSRF_HEADER: other}, {CSRF_HEADER: ""}, {CSRF_HEADER: "x" * 64}]
    for headers in tokens:
        said = problem_of(house.client.request(method, path, headers={**cookie, **headers}))
        assert (said["status"], said["code"]) == (403, "not_from_our_page"), permission
    for foreign in (
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.example"},
        {"Origin": "http://localhost:8001"},
        {"Origin": "null"},
    ):
        said = problem_of(house.client.request(method, path, headers={**cookie, CSRF_HEADER: token, **foreign}))
        assert (said["status"], said["code"]) == (403, "not_from_our_page")


@pytest.mark.parametrize("kind", ["key", "session"])
def test_a_stream_ends_with_the_right_to_see_it(kind: str) -> None:
    app = _made()
    parts = app.state.parts
    parts.access.accounts.add("ann", UserRole.VIEWER, PASSWORD, WHY)
    _, text = parts.access.accounts.add_key("till", UserRole.VIEWER, 1, WHY)
    access = parts.access
    caller = access.by_key(text) if kind == "key" else access.by_session(access.sessions.start("ann"))

    async def read() -> list[str | None]:
        told = []
        async for event in events(Scope(parts), lambda: access.still_allowed(caller)):
            told.append(event.event)
            if event.event == "change":
                play(app)
            elif event.event == "result":
                if kind == "key":
                    access.accounts.revoke_key("till", WHY)
                else:
                    access.accounts.disable("ann", WHY)
                play(app, HOUSE_WRONG)
        return told

    assert asyncio.run(read()) == [None, "change", "result"]


def test_what_is_not_there_is_not_told_to_strangers(house: House) -> None:
    for path in ("/v1/nothing", "/healthz/", "/docs", "/static/../config.py"):
        assert house.client.get(path).status_code == 401 or path.startswith("/static")
        assert house.client.get(path, headers=house.keys[UserRole.VIEWER]).status_code in {404, 307}


def test_health_and_static_files_are_open(house: House) -> None:
    assert house.client.get("/healthz").status_code == 200
    assert house.client.get("/static/page.css").status_code == 200
    with (
        pytest.raises(WebSocketDisconnect),
        house.client.websocket_connect("/v1/events", headers=house.keys[UserRole.ADMIN]),
    ):
        pass


@pytest.mark.parametrize(
    ("host", "status"),
    [("localhost:8000", 200), ("127.0.0.1:8000", 200), ("[::1]:8000", 200), ("LOCALHOST", 200)]
    + [(host, 421) for host in ("evil.example", "localhost.evil.example", "192.0.2.1:8000", "")],
)
def test_a_service_for_its_own_machine_answers_to_its_names_only(house: House, host: str, status: int) -> None:
    answer = house.client.get("/v1/tables", headers={**house.keys[UserRole.VIEWER], "Host": host})
    assert answer.status_code == status


def test_behind_a_proxy_any_name_will_do() -> None:
    app = app_of(config(trusted_proxies=("127.0.0.1",)), reader=FakeReader(), watch=False)
    with signed_in(app, base_url="https://table.example") as client:
        assert client.get("/v1/tables").status_code == 200
        # A name that smuggles in the path of an open page opens nothing.
        for host in ("x/sign-in?", "x/healthz?", "x/static/?", "/sign-in#"):
            answer = client.get("/v1/tables", headers={"Host": host, "Authorization": ""})
            assert (answer.status_code, host) == (401, host)


class TestSigningIn:
    @pytest.fixture
    def client(self, house: House) -> Iterator[TestClient]:
        yield house.client
        house.client.cookies.clear()

    def test_name_and_password(self, client: TestClient) -> None:
        page = client.get("/", headers={"Accept": "text/html"})
        assert (page.status_code, page.headers["location"]) == (303, "/sign-in")
        assert "Name" in client.get("/sign-in").text
        answer = client.post("/sign-in", data={"name": " Auditor ", "password": PASSWORD, "next": "/changes"})
        assert (answer.status_code, answer.headers["location"]) == (303, "/changes")
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=lax" in cookie
        assert "secure" not in cookie
        assert client.get("/changes").status_code == 200
        assert client.get("/v1/tables").status_code == 200

    def test_over_tls_the_cookie_stays_there(self, house: House) -> None:
        with_tls = TestClient(house.app, base_url="https://localhost", follow_redirects=False)
        answer = with_tls.post("/sign-in", data={"name": "viewer", "password": PASSWORD})
        assert "; secure" in answer.headers["set-cookie"].lower()

    @pytest.mark.parametrize(
        ("name", "password"), [("viewer", "wrong"), ("nobody", PASSWORD), ("viewer", ""), ("", "")]
    )
    def test_wrong_ones_are_told_alike(self, client: TestClient, name: str, password: str) -> None:
        answer = client.post("/sign-in", data={"name": name, "password": password})
        if name and password:
            assert answer.status_code == 401
            assert "Wrong name or password" in answer.text
        assert "set-cookie" not in answer.headers

    @pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example", "/\\evil.example", "evil", "/\n"])
    def test_it_goes_on_inside_only(self, client: TestClient, elsewhere: str) -> None:
        answer = client.post("/sign-in", data={"name": "viewer", "password": PASSWORD, "next": elsewhere})
        assert answer.headers["location"] == "/"

    def test_no_other_site_signs_anybody_in(self, client: TestClient) -> None:
        sent = {"name": "viewer", "password": PASSWORD}
        assert client.post("/sign-in", data=sent, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
        assert client.post("/sign-in", data=sent, headers={"Origin": "http://evil.example"}).status_code == 403
        assert client.post("/sign-in", data=sent, headers={"Origin": "http://localhost"}).status_code == 303

    def test_signing_out_ends_the_session(self, house: House) -> None:
        cookie, token = house.session(UserRole.VIEWER)
        answer = house.client.post("/sign-out", data={"csrf_token": token}, headers=cookie)
        assert answer.headers["location"] == "/sign-in"
        assert house.client.get("/v1/tables", headers=cookie).status_code == 401

    def test_signing_out_everywhere(self, house: House) -> None:
        (one, token), (other, _) = house.session(UserRole.VIEWER), house.session(UserRole.VIEWER)
        house.client.post("/account/sign-out-everywhere", data={"csrf_token": token}, headers=one)
        assert [house.client.get("/account", headers=each).status_code for each in (one, other)] == [401, 401]

    def test_a_page_that_may_not_be_seen_is_a_page(self, house: House) -> None:
        cookie, _ = house.session(UserRole.VIEWER)
        page = house.client.get("/accounts", headers={**cookie, "Accept": "text/html"})
        assert page.status_code == 403
        assert "text/html" in page.headers["content-type"]
        wrong = house.client.post(
            "/sign-in", data={"name": "x" * 200, "password": "x"}, headers={"Accept": "text/html"}
        )
        assert (wrong.status_code, "This is not possible" in wrong.text) == (422, True)
        assert "The role &#39;viewer&#39; may not do this" in page.text
        stranger = house.client.get("/accounts", headers={"Accept": "text/html"})
        assert stranger.headers["location"] == "/sign-in?next=/accounts"


class TestFirstUse:
    def test_the_link_signs_in_once_before_a_password_is_chosen(self) -> None:
        app = _made()
        access = app.state.parts.access
        first = access.prepare_first_sign_in()
        with TestClient(app, base_url="http://localhost", follow_redirects=False) as client:
            for code in ("", "x", first.code + "x", "\u00fc"):
                assert client.get("/set-up", params={"code": code}).status_code == 401
            answer = client.get("/set-up", params={"code": first.code})
            assert (answer.status_code, answer.headers["location"]) == (303, "/")
            page = client.get("/tables/test").text
            assert "Choose a password" in page
            assert client.get("/set-up", params={"code": first.code}).status_code == 401

            again = access.prepare_first_sign_in()
            assert (again.account, again.password) == ("admin", None)
            (token,) = re.findall(r'name="csrf-token" content="([0-9a-f]+)"', page)
            chosen = {"password": PASSWORD, "again": PASSWORD, "csrf_token": token}
            differing = client.post("/account/password", data={**chosen, "again": "other words again"})
            assert (differing.status_code, "not the same" in differing.text) == (422, True)
            assert client.post("/account/password", data={**chosen, "password": "x", "again": "x"}).status_code == 422
            assert client.post("/account/password", data=chosen).headers["location"] == "/account"
            assert "Choose a password" not in client.get("/account").text

            assert access.prepare_first_sign_in() is None
            assert client.get("/set-up", params={"code": again.code}).status_code == 401
            assert client.post("/sign-in", data={"name": "admin", "password": first.password}).status_code == 401
            assert client.post("/sign-in", data={"name": "admin", "password": PASSWORD}).status_code == 303

    def test_the_printed_password_signs_in(self) -> None:
        app = _made()
        first = app.state.parts.access.prepare_first_sign_in()
        with TestClient(app, base_url="http://localhost", follow_redirects=False) as client:
            assert client.post("/sign-in", data={"name": first.account, "password": first.password}).status_code == 303


class TestAdministration:
    @pytest.fixture
    def app(self) -> FastAPI:
        return _made()

    @pytest.fixture
    def client(self, app: FastAPI) -> Iterator[TestClient]:
        with signed_in(app) as client:
            yield client

    def test_accounts(self, client: TestClient) -> None:
        page = client.post("/accounts", data={"name": "ann", "role": "viewer", "reason": "new"})
        (password,) = re.findall(r"<code>([^<]+)</code>", page.text)
        assert password not in client.get("/accounts").text
        signed = client.post("/sign-in", data={"name": "ann", "password": password}, follow_redirects=False)
        assert signed.status_code == 303
        client.cookies.clear()
        assert "supervisor" in client.post("/accounts/ann/role", data={"role": "supervisor", "reason": "trained"}).text
        page = client.post("/accounts/ann/password", data={"reason": "forgot"})
        assert page.status_code == 200, page.text
        (new,) = re.findall(r"<code>([^<]+)</code>", page.text)
        assert new != password
        assert "disabled" in client.post("/accounts/ann/disable", data={"reason": "left"}).text
        assert client.post("/sign-in", data={"name": "ann", "password": new}).status_code == 401
        client.post("/accounts/ann/enable", data={"reason": "is back"})
        said = client.get("/v1/changes").json()
        mine = [(each["act"], each["reason"]) for each in said["changes"] if each["subject"] == "ann"]
        assert mine == [
            ("added", "new"),
            ("role changed", "trained"),
            ("password changed", "forgot"),
            ("disabled", "left"),
            ("enabled", "is back"),
        ]
        assert all(each["by"].startswith("key test") for each in said["changes"] if each["subject"] == "ann")
        assert client.get("/v1/changes", params={"since": said["next"]}).json() == {"changes": [], "next": said["next"]}
        assert password not in client.get("/v1/changes").text

    def test_keys(self, app: FastAPI, client: TestClient) -> None:
        asked = {"name": "till 3", "role": "integrator", "days": "30", "reason": "settles"}
        (text,) = re.findall(r"<code>([^<]+)</code>", client.post("/keys", data=asked).text)
        with TestClient(app, base_url="http://localhost", headers={"Authorization": f"Bearer {text}"}) as till:
            assert till.get("/v1/results").status_code == 200
            key_id = text.split("_")[1]
            assert text not in client.get("/accounts").text
            assert "revoked" in client.post(f"/keys/{key_id}/revoke", data={"reason": "lost"}).text
            assert till.get("/v1/results").status_code == 401

    def test_a_key_that_a_command_just_made_is_let_in(self, app: FastAPI, client: TestClient) -> None:
        other = Record(app.state.parts.record.settings, claim=False)
        for name in ("first", "second"):
            assert client.get("/v1/results").status_code == 200  # the accounts were read a moment ago
            _, text = Accounts(other).add_key(name, UserRole.INTEGRATOR, 1, WHY)
            with TestClient(app, base_url="http://localhost", headers={"Authorization": f"Bearer {text}"}) as fresh:
                assert fresh.get("/v1/results").status_code == 200
        other.close()

    @pytest.mark.parametrize(
        ("path", "sent"),
        [
            ("/accounts", {"name": "admin ", "role": "viewer", "reason": " "}),
            ("/accounts", {"name": "Not A Name", "role": "viewer", "reason": "x"}),
            ("/accounts/nobody/role", {"role": "viewer", "reason": "x"}),
            ("/keys", {"name": "!", "role": "viewer", "days": "1", "reason": "x"}),
            ("/keys/none/revoke", {"reason": "x"}),
        ],
    )
    def test_what_is_refused_says_why(self, client: TestClient, path: str, sent: dict[str, str]) -> None:
        answer = client.post(path, data=sent)
        assert answer.status_code == 422
        assert "Not changed: " in answer.text

    def test_names_are_escaped(self, client: TestClient) -> None:
        client.post("/accounts", data={"name": "ann", "role": "viewer", "reason": "<script>alert(1)</script>"})
        assert "<script>alert" not in client.get("/accounts").text


class TestReviews:
    SENT = {"action": "confirm", "reason": "Looked at the table", "revision": 1}  # noqa: RUF012
    DOUBTFUL = reading(hand("house", "6-3 5-3", "6-6 6-1", "uncertain", ("glare",)))

    @pytest.mark.parametrize(("by", "status"), [({}, 200), ({"by": "supervisor"}, 200), ({"by": "Somebody"}, 422)])
    def test_nobody_decides_in_anothers_name(self, house: House, by: dict[str, str], status: int) -> None:
        round_id = f"r-{by.get('by', 'none')}"
        play(house.app, self.DOUBTFUL, round_id)
        cookie, token = house.session(UserRole.SUPERVISOR)
        sent = {**self.SENT, **by}
        answer = house.client.post(f"/v1/rounds/{round_id}/review", json=sent, headers={**cookie, CSRF_HEADER: token})
        assert answer.status_code == status
        if status == 200:
            assert answer.json()["hands"][0]["review"]["by"] == "supervisor"

    def test_a_machine_speaks_for_a_person(self, house: House) -> None:
        play(house.app, self.DOUBTFUL, "r-machine")
        sent = {**self.SENT, "by": "A. Supervisor"}
        answer = house.client.post("/v1/rounds/r-machine/review", json=sent, headers=house.keys[UserRole.SUPERVISOR])
        assert re.fullmatch(r"A\. Supervisor \(key test [0-9a-f]+\)", answer.json()["hands"][0]["review"]["by"])


class TestLimits:
    def _app(self, **limits: float) -> FastAPI:
        unlimited = {"requests_per_minute": 0, "strangers_per_minute": 0, "sign_ins_per_minute": 0}
        settings = config().model_copy(update={"limits": LimitsConfig.model_validate({**unlimited, **limits})})
        return app_of(settings, reader=FakeReader(), watch=False)

    def test_each_key_has_its_own(self) -> None:
        app = self._app(requests_per_minute=1, burst=3)
        with signed_in(app, UserRole.VIEWER) as one, signed_in(app, UserRole.VIEWER) as other:
            assert [one.get("/v1/tables").status_code for _ in range(4)] == [200, 200, 200, 429]
            assert other.get("/v1/tables").status_code == 200
            answer = one.get("/v1/tables")
            assert problem_of(answer)["code"] == "too_many_requests"
            assert 0 < int(answer.headers["retry-after"]) <= 60
            assert one.get("/healthz").status_code == 200
            page = one.get("/", headers={"Accept": "text/html"})
            assert (page.status_code, "Too many requests" in page.text) == (429, True)
            assert "text/html" in page.headers["content-type"]
            assert "retry-after" in page.headers

    def test_strangers_are_counted_by_address(self) -> None:
        app = self._app(strangers_per_minute=1, strangers_burst=2)
        here, there = (
            TestClient(app, base_url="http://localhost", client=(address, 1)) for address in ("192.0.2.1", "192.0.2.2")
        )
        statuses = [here.get("/v1/tables", headers={"Authorization": "Bearer guess"}).status_code for _ in range(3)]
        assert statuses == [401, 401, 429]
        assert there.get("/v1/tables").status_code == 401
        assert here.get("/v1/tables", headers=key_for(app)).status_code == 200

    def test_health_and_static_files_are_counted_too(self) -> None:
        app = self._app(strangers_per_minute=1, strangers_burst=2)
        here = TestClient(app, base_url="http://localhost")
        for path in ("/healthz", "/static/page.css"):
            app.state.parts.access.anybody.take("testclient")
            statuses = [here.get(path).status_code for _ in range(25)]
            assert statuses == sorted(statuses)
            assert {*statuses} <= {200, 429}
            assert statuses[-1] == 429
        with signed_in(app) as known:
            assert [known.get("/static/page.css").status_code for _ in range(25)] == [200] * 25

    def _signing_in(self, **limits: float) -> tuple[FastAPI, Callable[..., TestClient]]:
        app = self._app(**{"guesses_per_hour": 0, **limits})
        app.state.parts.access.accounts.add("ann", UserRole.VIEWER, PASSWORD, WHY)

        def client(address: str) -> TestClient:
            return TestClient(app, base_url="http://localhost", client=(address, 1), follow_redirects=False)

        return app, client

    def _try(self, client: TestClient, password: str, name: str = "ann") -> int:
        return client.post("/sign-in", data={"name": name, "password": password}).status_code

    def test_guessing_passwords_from_one_address(self) -> None:
        _, client = self._signing_in(sign_ins_per_minute=1, sign_in_burst=2)
        here = client("192.0.2.1")
        # Right ones do not count.
        assert [self._try(here, PASSWORD) for _ in range(3)] == [303] * 3
        here.cookies.clear()
        wrong = [here.post("/sign-in", data={"name": name, "password": "wrong"}) for name in ("ann", "bob", "ann")]
        assert [each.status_code for each in wrong] == [401, 401, 429]
        assert "Try again in" in wrong[-1].text
        assert int(wrong[-1].headers["retry-after"]) > 0
        assert self._try(client("192.0.2.9"), PASSWORD) == 303

    def test_an_ipv6_network_is_one_address(self) -> None:
        _, client = self._signing_in(sign_ins_per_minute=1, sign_in_burst=2)
        said = [self._try(client(f"2001:db8::{n}"), "wrong") for n in range(1, 4)]
        assert said == [401, 401, 429]
        assert self._try(client("2001:db8:0:1::1"), "wrong") == 401

    def test_who_guesses_elsewhere_keeps_nobody_out(self) -> None:
        """Neither the browser where the account has signed in, nor, while few addresses guess, any other."""
        _, client = self._signing_in(guesses_per_hour=1, guesses_burst=6, sign_in_burst=2)
        known = client("192.0.2.1")
        assert self._try(known, PASSWORD) == 303
        known.cookies.delete(COOKIE)
        one = client("192.0.2.66")
        assert [self._try(one, "wrong") for _ in range(4)] == [401, 401, 429, 429]
        assert self._try(client("192.0.2.5"), PASSWORD) == 303
        assert self._try(one, PASSWORD) == 429  # no right one there either
        # Many addresses use up what unknown browsers may guess: then only known ones get in.
        many = [self._try(client(f"198.51.100.{n}"), "wrong") for n in range(6)]
        assert many == [401] * 4 + [429] * 2
        assert self._try(client("192.0.2.7"), PASSWORD) == 429
        assert [self._try(known, PASSWORD) for _ in range(8)] == [303] * 8
        # Even from the very address that guesses.
        there = client("192.0.2.66")
        there.cookies.update(known.cookies)
        there.cookies.delete(COOKIE)
        assert self._try(there, PASSWORD) == 303
        # A known browser may not guess without end either.
        assert [self._try(there, "wrong") for _ in range(3)] == [401, 401, 429]

    def test_a_browser_is_known_to_the_account_that_signed_in_there(self) -> None:
        app, client = self._signing_in(guesses_per_hour=1, guesses_burst=1, sign_in_burst=1)
        accounts = app.state.parts.access.accounts
        accounts.add("bob", UserRole.VIEWER, PASSWORD, WHY)
        browser = client("192.0.2.1")
        assert self._try(browser, PASSWORD) == 303
        (cookie,) = [each for each in browser.cookies.jar if "browser" in each.name]
        assert (cookie.name, cookie.expires is not None) == (f"{COOKIE}_browser_ann", True)
        for number, name in enumerate(("ann", "bob")):
            assert self._try(client(f"192.0.2.{66 + number}"), "wrong", name) == 401
            assert self._try(client("192.0.2.68"), "wrong", name) == 429

        def with_cookie(name: str, value: str) -> TestClient:
            made = client("192.0.2.70")
            made.cookies.set(f"{COOKIE}_browser_{name}", value)
            return made

        value = cookie.value or ""
        assert self._try(with_cookie("ann", value), PASSWORD) == 303
        for forged in ("", ".", value + "0", "x" + value):
            assert self._try(with_cookie("ann", forged), PASSWORD) == 429, forged
        assert self._try(with_cookie("bob", value), PASSWORD) == 429
        accounts.set_password("ann", "other plain words again", WHY)
        assert self._try(with_cookie("ann", value), "other plain words again") == 429

    def test_strangers_at_the_same_address_do_not_keep_a_known_browser_out(self) -> None:
        _, client = self._signing_in(strangers_per_minute=1, strangers_burst=2)
        known = client("192.0.2.1")
        assert self._try(known, PASSWORD) == 303
        known.cookies.delete(COOKIE)
        assert [client("192.0.2.1").get("/sign-in").status_code for _ in range(3)] == [200, 429, 429]
        assert known.get("/sign-in").status_code == 200
        assert self._try(known, PASSWORD) == 303


def test_the_description_says_who_may() -> None:
    schema = _made().openapi()
    assert schema["components"]["securitySchemes"].keys() == {"key", "session"}
    assert schema["components"]["securitySchemes"]["session"]["name"] == COOKIE
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            if path == "/healthz":
                assert operation["security"] == []
                continue
            assert {"401", "403", "429"} <= operation["responses"].keys(), (method, path)
            assert [next(iter(each)) for each in operation["security"]] == ["key", "session"]
    review = schema["paths"]["/v1/rounds/{round_id}/review"]["post"]
    assert review["security"][0]["key"] == ["supervisor", "floor", "admin"]
