"""Whoever may sign in on the floor may at its tables, also while the line is cut; and what ends there ends here."""

from __future__ import annotations

import json
import sqlite3
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import httpx2
import pyotp
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.access import secrets
from service.access.accounts import AccountError, Accounts
from service.access.roles import UserRole
from service.access.roster import FloorTrust, Roster, SignedRoster
from service.access.second_factor.passkeys import NewPasskey, Site
from service.config.account_settings import AccountsConfig
from service.config.private_addresses import is_private_address
from service.floor import rosters
from service.floor.settings import PitConfig
from service.floor.store.schema import SCHEMA
from service.record.changes import Attribution
from service.record.store.chain import timestamp
from service.record.store.record import Record
from service.record.store.signing import Signer
from service.record.verify import verify_database
from tests.service.databases import new_database
from tests.service.floor.floors import floor_config
from tests.service.floor.serving import ServedFloor, serving_floor, serving_table, table_config
from tests.service.http.test_http import play
from tests.service.stand_ins import HOUSE_WRONG, key_for, new_folder, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.service.serving import Served

pytestmark = pytest.mark.usefixtures("_cheap_hashes")
WHY = Attribution("test", "test")
PASSWORD = "several plain words"  # noqa: S105  of nobody
HTML = {"Accept": "text/html"}


@dataclass(slots=True)
class Casino:
    """A floor with a table in each of two pits."""

    floor: ServedFloor
    west: Served
    east: Served

    @property
    def accounts(self) -> Accounts:
        """Of the floor."""
        found: Accounts = self.floor.parts.access.accounts
        return found

    def add(self, name: str, role: UserRole = UserRole.SUPERVISOR, *pits: str) -> None:
        """Add an account of the floor with a password of its own."""
        self.accounts.add(name, role, PASSWORD, WHY, pits=pits)

    def told(self) -> None:
        """Wait until both tables know who may sign in now."""
        giving = self.floor.parts.rosters

        def are() -> bool:
            members = giving._members
            tables = {table.name: table.pit for table in self.floor.parts.config.tables}
            fresh = giving._from[:1] == (self.accounts.all_accounts(),)
            return fresh and all(giving.tables[name].content == members[pit][1] for name, pit in tables.items())

        self.accounts.read_again()
        wait_until(are, 30)


_BROWSERS: list[httpx2.Client] = []


@pytest.fixture(autouse=True)
def _browsers() -> Iterator[None]:
    yield
    while _BROWSERS:
        _BROWSERS.pop().close()


def sign_in(table: Served, name: str, password: str = PASSWORD) -> httpx2.Client:
    """A browser in which somebody has tried to sign in."""
    client = httpx2.Client(base_url=table.url, headers=HTML, timeout=30)
    _BROWSERS.append(client)
    client.post("/sign-in", data={"name": name, "password": password})
    return client


def is_in(client: httpx2.Client) -> bool:
    return client.get("/account").status_code == 200


def own(table: Served) -> Accounts:
    found: Accounts = table.app.state.parts.access.accounts
    return found


def public_key(casino: Casino) -> str:
    found = casino.floor.parts.record.public_key
    assert found is not None
    return found.hex


def newest(table: Served) -> dict[str, Any]:
    (entry,) = table.app.state.parts.record.last(("roster",))
    found: dict[str, Any] = entry.data
    return found


@pytest.fixture(scope="module")
def casino(postgresql: str, _cheap_hashes: None) -> Iterator[Casino]:
    url, folder = new_database(postgresql, SCHEMA), new_folder() / "floor"
    with Record(floor_config(url, {"none": {"url": "http://localhost:1"}}, folder).record_settings) as record:
        assert record.public_key is not None
        key = record.public_key.hex
    with ExitStack() as work, patch.object(rosters, "_LOOK_S", 0.1):
        tables = {}
        for name in ("west", "east"):
            made = table_config(name).model_copy(update={"accounts": AccountsConfig(floor_key=key)})
            tables[name] = work.enter_context(serving_table(made))
        told = {name: {**each, "pit": name} for name, (_, each) in tables.items()}
        pits = (PitConfig(name="west"), PitConfig(name="east"))
        config = floor_config(url, told, folder).model_copy(update={"pits": pits})
        floor = work.enter_context(serving_floor(config))
        yield Casino(floor, tables["west"][0], tables["east"][0])


def test_a_floors_account_signs_in_where_its_pits_are(casino: Casino) -> None:
    casino.add("ann", UserRole.SUPERVISOR, "west")
    casino.add("boss", UserRole.ADMIN)
    casino.accounts.add("new", UserRole.VIEWER, PASSWORD, WHY, initial=True)  # has chosen no password yet
    key, text = casino.accounts.add_key("till", UserRole.INTEGRATOR, 1, WHY, ["west"])
    casino.told()
    for name, west, east in (("ann", True, False), ("boss", True, True), ("new", False, False)):
        assert is_in(sign_in(casino.west, name)) is west, name
        assert is_in(sign_in(casino.east, name)) is east, name
    assert not is_in(sign_in(casino.west, "ann", "another plain password"))
    asked = {"Authorization": f"Bearer {text}"}
    assert httpx2.get(f"{casino.west.url}/v1/results", headers=asked).status_code == 200
    assert httpx2.get(f"{casino.east.url}/v1/results", headers=asked).status_code == 401
    entry = newest(casino.west)
    assert (entry["act"], entry["key"]) == ("roster taken", public_key(casino))
    assert "$argon2id" not in json.dumps(entry)
    assert key.digest not in json.dumps(entry)
    casino.accounts.revoke_key("till", WHY)
    wait_until(lambda: httpx2.get(f"{casino.west.url}/v1/results", headers=asked).status_code == 401)
    assert own(casino.west).refused() == ()  # the record answers for every row


def test_what_ends_on_the_floor_ends_at_the_table_with_its_pages(casino: Casino) -> None:
    casino.add("cat", UserRole.SUPERVISOR)
    casino.told()
    page = sign_in(casino.west, "cat")
    assert is_in(page)
    casino.accounts.set_role("cat", UserRole.VIEWER, WHY)
    casino.told()
    assert [one.role for one in own(casino.west).all_accounts() if one.name == "cat"] == [UserRole.VIEWER]
    assert is_in(page)
    casino.accounts.end_sessions("cat", WHY)
    casino.told()
    wait_until(lambda: not is_in(page))
    page = sign_in(casino.west, "cat")
    assert is_in(page)
    casino.accounts.disable("cat", WHY)
    casino.told()
    assert not is_in(page)
    assert not is_in(sign_in(casino.west, "cat"))
    assert {"name": "cat", "role": "viewer"} in newest(casino.west)["removed"]
    casino.accounts.enable("cat", WHY)
    casino.told()
    assert not is_in(page)  # what ended is not begun again
    assert is_in(sign_in(casino.west, "cat"))


def test_a_second_factor_holds_at_the_table(casino: Casino) -> None:
    casino.add("dan")
    casino.add("eve")
    factors = casino.floor.parts.access.factors
    secret = pyotp.random_base32(32)
    factors.add_app("dan", secret, pyotp.TOTP(secret).now(), "phone", WHY)
    site = Site("floor.example", "https://floor.example")
    factors.add_passkey("eve", NewPasskey("Y3JlZA", "a2V5", 1), site, "key", WHY)
    casino.told()
    dan = sign_in(casino.west, "dan")
    assert not is_in(dan)
    code = pyotp.TOTP(secret).now()
    dan.post("/sign-in/second-step", data={"code": code})
    assert is_in(dan)
    again = sign_in(casino.west, "dan")
    again.post("/sign-in/second-step", data={"code": code})
    assert not is_in(again)  # each code counts once at a table
    # A roster that says the same of him does not forget that.
    casino.add("fay")
    casino.told()
    again.post("/sign-in", data={"name": "dan", "password": PASSWORD})
    again.post("/sign-in/second-step", data={"code": code})
    assert not is_in(again)
    eve = sign_in(casino.west, "eve")
    assert not is_in(eve)
    assert "floor.example" in eve.get("/sign-in/second-step").text
    with closing(sqlite3.connect(database(casino.west), isolation_level=None)) as rows:
        kept = [row[0] for row in rows.execute("SELECT secret FROM second_factors WHERE account = 'dan'")]
    assert len(kept) == 1
    assert secret not in kept[0]  # sealed with the table's own key
    factors.remove_all("dan", WHY)
    casino.told()
    assert is_in(sign_in(casino.west, "dan"))


def database(table: Served) -> str:
    return str(table.app.state.parts.record.settings.folder / "record.db")


def test_a_decision_at_the_table_has_the_persons_name(casino: Casino) -> None:
    casino.add("gus")
    casino.told()
    play(casino.west.app, HOUSE_WRONG, round_id="r1")
    page = sign_in(casino.west, "gus")
    token = page.get("/account").text.split('name="csrf_token" value="')[1].split('"')[0]
    alarms = page.get("/v1/alarms", headers={"Accept": "application/json"}).json()["alarms"]
    named = next(each["id"] for each in alarms if each["id"] is not None)
    said = {"alarms": [named], "reason": "seen"}
    done = page.post("/v1/alarms/acknowledgement", json=said, headers={"X-CSRF-Token": token, "Accept": "*/*"})
    assert done.status_code == 200, done.text
    (entry,) = casino.west.app.state.parts.record.last(("acknowledgement",))
    assert entry.data["by"] == "gus"


def test_what_the_floor_gave_is_changed_there_alone(casino: Casino) -> None:
    casino.add("hal")
    casino.told()
    accounts = own(casino.west)
    changes: tuple[Callable[[], object], ...] = (
        lambda: accounts.set_role("hal", UserRole.ADMIN, WHY),
        lambda: accounts.disable("hal", WHY),
        lambda: accounts.set_password("hal", "another plain password", WHY),
        lambda: accounts.end_sessions("hal", WHY),
        lambda: accounts.change_account("hal", {"act": "x"}, WHY, lambda _: None),
    )
    for change in changes:
        with pytest.raises(AccountError, match="belongs to the floor"):
            change()
    page = sign_in(casino.west, "hal")
    text = page.get("/account").text
    assert "Your account belongs to the floor." in text
    assert "/account/password" not in text


def test_an_account_of_the_table_itself_comes_first(casino: Casino) -> None:
    mine = "local words of the table"
    own(casino.east).add("ian", UserRole.ADMIN, mine, WHY)
    casino.add("ian", UserRole.VIEWER)
    casino.told()
    assert is_in(sign_in(casino.east, "ian", mine))
    assert not is_in(sign_in(casino.east, "ian"))
    assert is_in(sign_in(casino.west, "ian"))
    assert newest(casino.east)["not_taken"] == ["ian"]
    assert casino.floor.parts.rosters.tables["east"].not_taken == ("ian",)
    # Where an account of the table is added later, it takes the name over.
    own(casino.west).add("ian", UserRole.VIEWER, mine, WHY)
    assert not is_in(sign_in(casino.west, "ian"))
    assert is_in(sign_in(casino.west, "ian", mine))


def test_while_the_line_is_cut_people_sign_in_and_what_was_revoked_ends_at_the_next_contact(casino: Casino) -> None:
    casino.add("jan")
    casino.add("kim")
    casino.told()
    states = casino.floor.parts.collector.states.tables
    with cut(casino, "east"):
        play(casino.east.app, HOUSE_WRONG, round_id="r2")  # what the floor waits for is answered, and it asks again
        wait_until(lambda: states["east"].away is not None, 30)
        casino.accounts.disable("kim", WHY)
        page = sign_in(casino.east, "kim")
        assert is_in(page)
        assert is_in(sign_in(casino.east, "jan"))
        wait_until(lambda: not is_in(sign_in(casino.west, "kim")))
    wait_until(lambda: not is_in(page), 30)
    assert not is_in(sign_in(casino.east, "kim"))
    assert is_in(sign_in(casino.east, "jan"))


def cut(casino: Casino, table: str) -> Any:  # noqa: ANN401
    """Have the floor reach nothing at a table's address."""
    client = casino.floor.parts.collector.clients[table]
    return patch.object(client._client, "_base_url", httpx2.URL("http://127.0.0.1:1"))


def roster(table: Served, **more: Any) -> Roster:  # noqa: ANN401
    record = table.app.state.parts.record
    told = {"floor": "f" * 32, "table": record.id, "number": 2**52, "at": timestamp(), "accounts": (), "keys": ()}
    return Roster.model_validate(told | more)


def put(table: Served, given: SignedRoster, role: UserRole = UserRole.FLOOR) -> httpx2.Response:
    body = {"roster": given.text, "signature": given.signature}
    return httpx2.put(f"{table.url}/v1/floor/roster", json=body, headers=key_for(table.app, role), timeout=30)


def test_forged_old_and_foreign_rosters_are_refused(casino: Casino) -> None:
    casino.add("lea")
    casino.told()
    sign = casino.floor.parts.record.sign
    before = newest(casino.west)
    evil = {
        "name": "mal",
        "role": "admin",
        "password": secrets.hash_password(PASSWORD),
        "sessions_since": timestamp(),
    }
    forged = SignedRoster.of(roster(casino.west, accounts=[evil]), Signer(Ed25519PrivateKey.generate()).sign_bytes)
    right = SignedRoster.of(roster(casino.west, number=before["number"]), sign)
    bent = SignedRoster(right.text.replace('"accounts":[]', f'"accounts":[{json.dumps(evil)}]'), right.signature)
    for given, status, code in (
        (forged, 422, "roster_not_signed"),
        (bent, 422, "roster_not_signed"),
        (SignedRoster(right.text, "00" * 64), 422, "roster_not_signed"),
        (SignedRoster("{}", sign(b"houseway roster\n{}").hex()), 422, "roster_not_signed"),
        (SignedRoster.of(roster(casino.east), sign), 422, "roster_of_another_table"),
        (SignedRoster.of(roster(casino.west, number=before["number"] - 1), sign), 409, "roster_older"),
        (right, 409, "roster_older"),
        (SignedRoster.of(roster(casino.west, at=days_ago(8)), sign), 409, "roster_older"),
    ):
        answer = put(casino.west, given)
        assert (answer.status_code, answer.json().get("code")) == (status, code), answer.text
    assert put(casino.west, right, UserRole.SUPERVISOR).status_code == 403
    assert newest(casino.west) == before
    assert not is_in(sign_in(casino.west, "mal"))
    # The signature under something else of the floor's record is none under a roster.
    text = right.text
    assert put(casino.west, SignedRoster(text, sign(text.encode()).hex())).status_code == 422


def days_ago(days: float) -> str:
    return timestamp(datetime.now(UTC) - timedelta(days=days))


def test_a_roster_that_was_captured_is_not_taken_again(casino: Casino) -> None:
    """Whoever kept one in which somebody may still sign in cannot bring that back."""
    sent: list[SignedRoster] = []
    plain = type(casino.floor.parts.collector.clients["west"]).give_roster

    async def captured(client: Any, text: str, signature: str) -> Any:  # noqa: ANN401
        if client is casino.floor.parts.collector.clients["west"]:
            sent.append(SignedRoster(text, signature))
        return await plain(client, text, signature)

    with patch.object(type(casino.floor.parts.collector.clients["west"]), "give_roster", captured):
        casino.add("ned")
        casino.told()
        assert is_in(sign_in(casino.west, "ned"))
        wait_until(lambda: any('"ned"' in each.text for each in sent))
        with_ned = next(each for each in sent if '"ned"' in each.text)
        assert put(casino.west, with_ned).status_code == 200  # the answer was lost: once more is the same
        casino.accounts.disable("ned", WHY)
        casino.told()
    assert put(casino.west, with_ned).json()["code"] == "roster_older"
    assert not is_in(sign_in(casino.west, "ned"))


def test_a_row_that_somebody_changed_lets_nobody_in(casino: Casino) -> None:
    casino.add("ora", UserRole.VIEWER)
    casino.told()
    record = casino.east.app.state.parts.record
    assert verify_database(record, None).holds
    with closing(sqlite3.connect(database(casino.east), isolation_level=None)) as rows:
        rows.execute("UPDATE accounts SET role = 'admin' WHERE name = 'ora'")
    own(casino.east).read_again()
    assert own(casino.east).refused() == ("ora",)
    assert not is_in(sign_in(casino.east, "ora"))
    proof = verify_database(record, None)
    assert not proof.holds
    assert any("ora" in str(fault.words) for fault in proof.faults)
    with closing(sqlite3.connect(database(casino.east), isolation_level=None)) as rows:
        rows.execute("UPDATE accounts SET role = 'viewer' WHERE name = 'ora'")
    own(casino.east).read_again()
    assert is_in(sign_in(casino.east, "ora"))


def test_after_some_days_without_the_floor_its_accounts_do_not_hold(casino: Casino) -> None:
    casino.add("pia")
    casino.told()
    accounts = own(casino.west)
    page = sign_in(casino.west, "pia")
    assert is_in(page)
    assert "No contact with the floor" not in page.get("/sign-in").text
    later = FloorTrust(public_key(casino), 1e-9)
    with patch.object(accounts, "floor", later):
        assert not is_in(page)
        refused = httpx2.post(f"{casino.west.url}/sign-in", data={"name": "pia", "password": PASSWORD}, headers=HTML)
        assert refused.status_code == 401
        assert "No contact with the floor since" in refused.text
        accounts.add("emergency", UserRole.ADMIN, "local words of the table", WHY)
        assert is_in(sign_in(casino.west, "emergency", "local words of the table"))
    with patch.object(accounts, "floor", FloorTrust("0" * 64, 7.0)):  # another floor is named now
        assert not is_in(page)
    assert is_in(page)


def test_a_table_that_names_no_floor_honours_none(casino: Casino) -> None:
    with serving_table(table_config("alone")) as (alone, _):
        answer = put(alone, SignedRoster.of(roster(alone), casino.floor.parts.record.sign))
        assert (answer.status_code, answer.json()["code"]) == (404, "no_floor")


def test_a_roster_is_never_sent_in_the_clear_to_another_machine() -> None:
    assert not is_private_address("http://pit4-t1.example:8000")
    assert not is_private_address("http://10.0.0.7")
    assert is_private_address("https://pit4-t1.example")
    assert is_private_address("http://localhost:8000")
    assert is_private_address("http://[::1]:8000")


def test_the_pages_say_where_the_floors_accounts_hold(casino: Casino) -> None:
    casino.told()
    with casino.floor.client() as admin:
        text = admin.get("/tables/west", headers=HTML).text
        assert "also work at this table" in text
    page = httpx2.get(f"{casino.west.url}/accounts", headers={**HTML, **key_for(casino.west.app)})
    assert "Accounts and keys of the floor work here until" in page.text
    changes = httpx2.get(f"{casino.west.url}/changes", headers={**HTML, **key_for(casino.west.app)})
    assert "accounts of the floor" in changes.text


def test_a_key_that_is_none_and_a_lent_accounts_floor_are_refused() -> None:
    with pytest.raises(ValueError, match="pattern"):
        AccountsConfig(floor_key="abc")
    with pytest.raises(ValueError, match="whose accounts these are"):
        AccountsConfig.model_validate({"floor_key": "0" * 64, "of": "other.toml"}, context={"folder": new_folder()})
