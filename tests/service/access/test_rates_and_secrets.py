"""Token buckets, passwords and secrets by themselves."""

import pytest
from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError
from hypothesis import given
from hypothesis import strategies as st

from service.access import credentials
from service.access.credentials import WeakPasswordError, check_password
from service.access.rate_limits import MAX_CLIENTS, RateLimiter
from service.access.roles import MAY, Permission, UserRole
from tests.conftest import ROOT

NAMES = ("pit4table2", "pit4", "table2", "grandpalace", "grand", "palace")


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@given(
    per_s=st.integers(1, 20),
    burst=st.integers(1, 30),
    pauses=st.lists(st.floats(0, 3, allow_nan=False), max_size=120),
)
def test_never_more_than_the_burst_and_what_flowed_in(per_s: int, burst: int, pauses: list[float]) -> None:
    clock = Clock()
    buckets = RateLimiter(per_s, burst, clock)
    granted = 0
    for pause in pauses:
        clock.now += pause
        wait = buckets.take("a")
        granted += wait == 0.0
        assert granted <= burst + per_s * clock.now + 1e-6
        if wait:
            clock.now += wait + 1e-9
            assert buckets.take("a") == 0.0  # what was promised holds
            granted += 1


def test_buckets_are_each_ones_own_and_can_be_given_back() -> None:
    clock = Clock()
    buckets = RateLimiter(0.5, 2, clock)
    assert [buckets.take("a") for _ in range(3)] == [0.0, 0.0, 2.0]
    assert buckets.take("b") == 0.0
    buckets.give_back("a")
    assert buckets.take("a") == 0.0
    clock.now = 1_000.0
    assert [buckets.take("a") for _ in range(3)] == [0.0, 0.0, 2.0]


def test_no_limit() -> None:
    buckets = RateLimiter(0, 1)
    assert [buckets.take("a") for _ in range(100)] == [0.0] * 100


def test_a_flood_of_names_does_not_fill_the_memory() -> None:
    buckets = RateLimiter(1, 1, Clock())
    for number in range(MAX_CLIENTS + 10):
        buckets.take(str(number))
    assert len(buckets._buckets) == MAX_CLIENTS
    assert buckets.take(str(MAX_CLIENTS)) > 0


def test_passwords_are_kept_under_argon2id() -> None:
    kept = credentials.hash_password("several plain words")
    assert kept.startswith("$argon2id$")
    assert credentials.password_matches(kept, "several plain words")
    assert not credentials.password_matches(kept, "several plain word")
    assert credentials.password_matches(
        credentials.hash_password("caf\u00e9 caf\u00e9 caf\u00e9"), "cafe\u0301 cafe\u0301 cafe\u0301"
    )
    assert not credentials.password_matches(None, "several plain words")
    assert not credentials.password_matches("no hash", "several plain words")


def test_an_unknown_account_takes_as_long() -> None:
    """The hash that nobody has is whole, so that verifying it runs to its end."""
    with pytest.raises(VerifyMismatchError):
        PasswordHasher().verify(credentials._NOBODYS, "any")
    kept = credentials.hash_password("several plain words").split("$")
    assert credentials._NOBODYS.split("$")[1:4] == kept[1:4]


@pytest.mark.parametrize(
    ("password", "says"),
    [
        pytest.param("", "12 to 200", id="empty"),
        pytest.param("elevenchars", "12 to 200", id="short"),
        pytest.param("abcdefghij" * 21, "12 to 200", id="long"),
        pytest.param("several\udcffwords", "cannot be typed", id="not-text"),
        pytest.param("ababababababab", "too few different characters", id="repeats"),
        pytest.param("supervisor-ann-1", "account's name", id="name"),
        *(
            pytest.param(each, "easily guessed", id=each)
            for each in (
                "passwordpassword",
                "123456789012",
                "correct horse battery staple",
                "CorrectHorseBatteryStaple!",
                "crown12345678",
                "Grand Palace 888888",
                "pit4table2-2026",
                "houseway2026!",
                "paigow paigow paigow",
                "table2!20262026",
                "GrandPalace-93847561",
                "qwertyuiop[]asdf",
                "SkyCity20262026",
                "iloveyou iloveyou",
                "P@ssw0rdP@ssw0rd",
                "p.a.s.s.w.o.r.d.1.2.3",
                "01.01.1990-31.12.1990",
            )
        ),
    ],
)
def test_weak_passwords(password: str, says: str) -> None:
    with pytest.raises(WeakPasswordError, match=says):
        check_password(password, "supervisor-ann", NAMES)


@pytest.mark.parametrize(
    "password",
    [
        "several plain words",
        "plum kettle orbit seven",
        "Zq7!mN2#vR9$kL",
        "tisch lampe wolke regen",
        "x" * 3 + "plum kettle orbit" * 11,
    ],
)
def test_good_passwords(password: str) -> None:
    check_password(password, "supervisor-ann", NAMES)


def test_made_secrets_differ_and_compare() -> None:
    made = {credentials.new_secret() for _ in range(100)} | {credentials.new_password() for _ in range(100)}
    assert len(made) == 200
    for password in (each for each in made if len(each) == 23):
        check_password(password, "admin")
    assert credentials.secret_matches(credentials.digest("a"), "a")
    assert not credentials.secret_matches(credentials.digest("a"), "b")
    assert credentials.csrf_token_matches("session", credentials.csrf_token("session"))
    assert not credentials.csrf_token_matches("session", credentials.csrf_token("other"))
    assert not credentials.csrf_token_matches("session", "\udcff")


def test_roles() -> None:
    """What the issue says of each; every permission is somebody's."""
    assert MAY.keys() == set(UserRole)
    assert set().union(*MAY.values()) == set(Permission)
    assert MAY[UserRole.ADMIN] == set(Permission)
    reviewers = {role for role in UserRole if Permission.REVIEW in MAY[role]}
    assert reviewers == {UserRole.SUPERVISOR, UserRole.FLOOR, UserRole.ADMIN}  # the floor: for its people
    assert {role for role in UserRole if Permission.ACCOUNTS in MAY[role]} == {UserRole.ADMIN}
    assert all(MAY[UserRole.VIEWER] < MAY[role] for role in UserRole if role is not UserRole.VIEWER)


def test_the_documented_table_of_roles_is_enforced() -> None:
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in (ROOT / "docs" / "accounts.md").read_text().splitlines()
        if line.startswith(("| role", "| `"))
    ]
    columns = [{Permission(name.strip().replace(" ", "_")) for name in cell.split(",")} for cell in rows[0][1:]]
    written = {
        UserRole(name.strip("`")): set().union(
            *(may for may, cell in zip(columns, cells, strict=True) if cell == "yes")
        )
        for name, *cells in rows[1:]
    }
    assert written == {role: set(may) for role, may in MAY.items()}
