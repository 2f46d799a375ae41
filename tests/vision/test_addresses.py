"""What is shown of an address opens nothing."""

import pytest

from vision.addresses import shown_address


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("rtsp://10.0.0.7/a@b", "rtsp://10.0.0.7/..."),
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
    assert shown in {"rtsp://...", "rtsp://host", "rtsp://host/..."}
