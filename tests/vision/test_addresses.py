"""Shown addresses reveal no secrets."""

import pytest

from vision.addresses import HIDDEN, secret_parts, shown_address


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("sqlite+pysqlite:////var/lib/record.db", "sqlite+pysqlite:///..."),
        ("pictures/a@2x.jpg", "pictures/a@2x.jpg"),
        ("rtsp://10.0.0.5/live?user=admin&password=hunter2", "rtsp://10.0.0.5/..."),
        ("rtsp://10.0.0.5:554/user=admin_password=hunter2_channel=1", "rtsp://10.0.0.5:554/..."),
        ("rtsps://nvr.local:7441/hunter2", "rtsps://nvr.local:7441/..."),
        ("rtsp://u:hunter2@host/", "rtsp://host"),
        ("rtsp://u:hunter2@[fe80::1]:554/live", "rtsp://[fe80::1]:554/..."),
        ("rtsp://10.0.0.5?password=hunter2", "rtsp://10.0.0.5/..."),
        ("rtsp://10.0.0.5#hunter2", "rtsp://10.0.0.5/..."),
        ("http://127.0.0.1:8161/services/T000/hunter2?token=hunter2", "http://127.0.0.1:8161/..."),
        ("pictures/a.jpg", "pictures/a.jpg"),
    ],
)
def test_host_and_port_alone_are_shown(address: str, shown: str) -> None:
    assert shown_address(address) == shown


@pytest.mark.parametrize("password", ["hunt/er2", "hunt@er2", "h@unt/er2", "h/unt@er2", "1/2er", "h?er2", "h#er2"])
@pytest.mark.parametrize("after", ["", "/", "/live", "/live?key=er2", "/a@er2"])
def test_no_part_of_an_unescaped_password_is_shown(password: str, after: str) -> None:
    shown = shown_address(f"rtsp://u:{password}@host{after}")
    assert shown in {HIDDEN, "rtsp://host", "rtsp://host/..."}


@pytest.mark.parametrize(
    "address",
    [
        "rtsp://10.0.0.7/a@b",
        "rtsp://hunter2/a@host/",
        "rtsp://u:hunter2",
        "rtsp://u:hun#ter2",
        "rtsp:/u:hunter2@host/live",
        "rtsp:u:hunter2@host",
        "u:hunter2@host:554/live",
        "rtsp://u:hunter2@ho st/",
        "hunter2@rtsp://host/",
        "rtsp://host:hunter2/live",
    ],
)
def test_nothing_is_shown_where_the_host_is_unknown(address: str) -> None:
    assert shown_address(address) == HIDDEN


@pytest.mark.parametrize("secret", ["hunt%40er2", "hunt@er2two", "hunter2"])
@pytest.mark.parametrize(
    "address",
    ["rtsp://u:{}@host/live", "https://host/services/T000/{}", "http://host/a?token={}&b=c", "rtsp://{}@host"],
)
def test_what_others_may_write_of_an_address_is_known(secret: str, address: str) -> None:
    whole = address.format(secret)
    for written in (whole, secret if "services" not in address else f"/services/T000/{secret}"):
        text = written
        for part in sorted(secret_parts(whole), key=len, reverse=True):
            text = text.replace(part, "***")
        assert "er2" not in text
