"""Asks a real service for every example of the API description: `python -m tests.service.api.api_examples` writes
them, with stand-ins for what differs from run to run."""

import base64
import hashlib
import json
import re
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI
from fastapi.testclient import TestClient

from service.api.api_description import FILE
from service.record.store.entries import Picture, canonical_json
from service.table.monitor.set_watch import APART_S, SHOTS, SetRequest, SetWatch
from tests.service.api.test_http import jpeg, play, show
from tests.service.api.test_record import DOUBTFUL, play_with
from tests.service.stand_ins import HOUSE_WRONG, FakeReader, app_of, config, signed_in
from tests.service.table.audit.tables import AuditedTable
from tests.service.table.monitor.test_dice_watch import Thrown
from tests.service.table.monitor.test_set_watch import CALIBRATION, displayed
from tests.vision.enrolment.test_display_check import faces

TILES = ["6-6", "6-3", "6-1", "5-3"]
WAGERS: dict[str, Any] = {
    "bank": {"method": "house"},
    "wagers": [{"box": 2, "player": "Ann", "stake": 10_000}],
}
REQUESTS: dict[str, Any] = {
    "POST /v1/house-way": {
        "tiles": TILES,
        "rulebook": "crown-6.1",
        "date": "2027-02-01",
        "setting": {"low": ["6-1", "5-3"], "high": ["6-6", "6-3"]},
    },
    "POST /v1/settlement": {
        "rulebook": "crown-6.1",
        "bank": {"method": "house", "hand": "6-3 5-3 / 6-6 6-1"},
        "hands": {"2": "1-1 4-3 4-4 5-5"},
        "wagers": [{"box": 2, "player": "Ann", "stake": 10_000}],
    },
    "PUT /v1/tables/{table}/bank": {"held": "player", "box": 3, "out_of_play": [6], "adjustment": -4},
    "POST /v1/record/seen": {
        "checkpoint": "houseway-record-chain/v1/0f8fad5bd9cb469fa16570867728950e\n2\n"
        "O5Hxnge6XUgmTh2jPFuW4Nd8C6o5F0p3sX1mQe9kYbA=\n\n\N{EM DASH} ..."
    },
    "POST /v1/record/cosignature": {
        "checkpoint": "houseway-record-chain/v1/0f8fad5bd9cb469fa16570867728950e\n2\n"
        "O5Hxnge6XUgmTh2jPFuW4Nd8C6o5F0p3sX1mQe9kYbA=\n\n\N{EM DASH} ..."
    },
    "POST /v1/alarms/acknowledgement": {"alarms": ["20001.1"], "by": "A. Supervisor", "reason": "On my way"},
    "PUT /v1/tables/{table}/dealer": {"dealer": "D-1042"},
    "POST /v1/rounds/{round_id}/settlement": WAGERS,
    "POST /v1/rounds/{round_id}/review": {
        "action": "confirm",
        "by": "A. Supervisor",
        "reason": "Looked at the table",
        "revision": 1,
    },
}
REQUESTS["POST /v1/reviews/{table}/{round_id}"] = REQUESTS["POST /v1/rounds/{round_id}/review"]
"""What is sent; the other routes take no JSON."""
for _act, _reason in (("check", "opening"), ("enrolment", "a new set"), ("confirmation", "one tile is dirty")):
    REQUESTS[f"POST /v1/tables/{{table}}/tiles/{_act}"] = {"reason": _reason}
REQUESTS["POST /v1/tables/{table}/dice/enrolment"] = {"reason": "new dice", "cut_value": 4}


class Displayed(SetWatch):
    """A set that lies at the display whenever something is asked of it."""

    shown = 0

    def ask(self, asked: SetRequest) -> None:
        super().ask(asked)
        for _ in range(SHOTS):
            self.shown += 1
            displayed(self, faces(), self.shown, self.shown * (APART_S + 0.01))


def prepared() -> FastAPI:
    """A table with a round ``r1`` that is sure and a round ``r2`` that waits for a person."""
    folder = Path(tempfile.mkdtemp())
    tiles, dice = Displayed(CALIBRATION, folder / "tiles.json"), Thrown(CALIBRATION, folder / "dice.json")
    settings = config(max_wait_s=0.0)
    app = app_of(settings, reader=FakeReader(), watch=False, tiles=tiles, dice=dice)
    # The audited day comes first: nothing of the rounds after it is drawn, so what is answered is known.
    audited = AuditedTable(record=app.state.parts.record)
    audited.day(0, 4)
    audited.answer(count=3)
    app.state.parts.only.ledger.dealers.name("D-1042", "till 3")
    show(app)
    play_with(app, Picture(jpeg()))
    return app


def answer(client: TestClient, app: FastAPI, operation: str) -> Any:  # noqa: ANN401  whatever JSON says
    """What the service answers to an operation of the description; None if that is no JSON."""
    method, _, path = operation.partition(" ")
    named = path.format_map({"table": "test", "alarm": "{alarm}", "round_id": "r1", "sha256": Picture(jpeg()).sha256})
    doubtful = {
        "POST /v1/rounds/{round_id}/review": "r2",
        "GET /v1/reviews": "r4",
        "POST /v1/reviews/{table}/{round_id}": "r6",
    }
    if operation in doubtful:
        play(app, DOUBTFUL, round_id=doubtful[operation])
        named = named.replace("r1", doubtful[operation])
    app.state.parts.overview.news.notify()  # the overview is not older than the rounds
    request = REQUESTS.get(operation)
    if "/v1/alarms" in operation:
        play(app, HOUSE_WRONG, round_id="r3")
        alarms = client.get("/v1/alarms?state=all").json()["alarms"]
        newest = next(each["id"] for each in alarms if each["id"] is not None)  # not a check that just failed
        named = named.format_map({"alarm": newest})
    if operation == "POST /v1/alarms/acknowledgement":
        request = {**REQUESTS[operation], "alarms": [newest]}
    if operation in {"POST /v1/record/seen", "POST /v1/record/cosignature"}:
        request = {"checkpoint": client.get("/v1/record/checkpoint").text}
    if operation == "POST /v1/read":
        said = client.post(named, content=jpeg(), headers={"Content-Type": "image/jpeg"})
    else:
        long = operation in {"GET /v1/rounds", "GET /v1/reviews", "GET /v1/record/entries"}
        one = {"limit": 1} if long else None
        said = client.request(method, named, json=request, params=one)
    assert said.is_success, (operation, said.text)
    return said.json() if said.content and said.headers["content-type"] == "application/json" else None


def examples() -> dict[str, Any]:
    """Return the JSON request and JSON answer of every operation, as `main` writes them."""
    app = prepared()
    with signed_in(app) as client:
        operations = sorted(
            (f"{method.upper()} {path}" for path, methods in app.openapi()["paths"].items() for method in methods),
            key=lambda operation: (operation.startswith(("POST", "PUT")), operation),
        )
        found = {}
        for operation in operations:
            if operation == "GET /v1/events":
                continue  # it never ends; its example is written by hand
            example = {"request": REQUESTS.get(operation), "response": stable(answer(client, app, operation))}
            found[operation] = {name: value for name, value in example.items() if value is not None}
    return found


_TIME: Final = re.compile(r"(?!2026-01-01T)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
"""A time of the clock: the rounds of the examples are played on 1 January."""
_KEY: Final = re.compile(r"(?<=\btest )[0-9a-f]{12}\b")
_EPOCH: Final = re.compile(r"(?<=^1-)[0-9a-f]{16}$")
_CURSOR: Final = re.compile(r"(1\.(\d+)\.)[0-9a-f]{16}")
_HEX: Final = re.compile(r"(?<![0-9a-f])[0-9a-f]{10,}$")
_RECORD: Final = re.compile(r"\b[0-9a-f]{32}\b")
_BASE64: Final = re.compile(r"(?<=[\n ])[A-Za-z0-9+/]{40,}=*$", re.MULTILINE)
_DIGESTS: Final = {
    "code",
    "compared_settings",
    "dice",
    "enrolment",
    "public_key",
    "record",
    "settings",
    "signature",
    "subject",
}
_MACHINE: Final[dict[str, Any]] = {
    "celsius": None,
    "clock": {"max_error_s": None, "synchronised": False},
    "free_bytes": 64_000_000_000,
}


def stable(response: Any) -> Any:  # noqa: ANN401  whatever JSON says
    """Replace times, digests, keys, cursors and figures of the machine in an answer by fixed values of the same form.

    A fixed value depends on the field, on the number of the entry, or on the order of the times in the answer, so that
    a change of the API changes no other example. Signatures are well-formed but do not verify.
    """
    text = json.dumps(response)
    times = {time: datetime.fromisoformat(time) for time in sorted(set(_TIME.findall(text)))}
    fixed = {}
    for number, (time, at) in enumerate(times.items()):
        days = round((at - min(times.values())) / timedelta(days=1))
        fixed[time] = f"{datetime(2026, 1, 1, 1, tzinfo=UTC) + timedelta(days, number):%Y-%m-%dT%H:%M:%S.%fZ}"
    return _stable(json.loads(_TIME.sub(lambda found: fixed[found[0]], text)), "")


def _stable(value: Any, name: str) -> Any:  # noqa: ANN401  whatever JSON says
    if isinstance(value, dict):
        known = _MACHINE if "free_bytes" in value else {}
        if {"hash", "seq"} <= value.keys():
            known = {"hash": _digest(f"entry {value['seq']}", 64), "monotonic_ns": value["seq"] * 10**9}
        return {key: known[key] if key in known else _stable(each, key) for key, each in value.items()}
    if isinstance(value, list):
        return [_stable(each, name) for each in value]
    return _stable_text(value, name) if isinstance(value, str) else value


def _stable_text(text: str, name: str) -> str:
    if name == "line":  # an entry
        return canonical_json(_stable(json.loads(text), ""))
    if name == "checkpoint":
        note = _RECORD.sub(_digest("record", 32), base64.b64decode(text).decode())
        return base64.b64encode(_BASE64.sub(_of_checkpoint, note).encode()).decode()
    if name in {"cursor", "next"} and (cursor := _CURSOR.fullmatch(_decoded(text))):
        known = cursor[1] + _digest(f"entry {cursor[2]}", 16)
        return base64.urlsafe_b64encode(known.encode()).decode().rstrip("=")
    if name in _DIGESTS:
        return _HEX.sub(lambda found: _digest(name, len(found[0])), text)
    return _KEY.sub(_digest("key", 12), _EPOCH.sub(_digest("entry 1", 16), text))


def _digest(of: str, length: int) -> str:
    """Return hexadecimal digits for a digest or an id; a shorter result is the start of a longer one."""
    return hashlib.shake_256(of.encode()).hexdigest(length)[:length]


def _of_checkpoint(found: re.Match[str]) -> str:
    """The root hash or a signature of a checkpoint, in base64."""
    size = len(base64.b64decode(found[0]))
    return base64.b64encode(hashlib.shake_256(b"checkpoint").digest(size)).decode()


def _decoded(text: str) -> str:
    """Decode base64 without padding; text that is not base64 is empty."""
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode()
    except ValueError:
        return ""


def main() -> None:
    FILE.write_text(json.dumps(examples(), indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
