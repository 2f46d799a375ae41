"""Asks a real service for every example of the API description: `python -m tests.service.api.api_examples` writes
them."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from service.api.api_description import FILE
from service.record.store.entries import Picture
from service.table.monitor.set_watch import APART_S, SHOTS, SetWatch
from tests.service.api.test_http import jpeg, play, show
from tests.service.api.test_record import DOUBTFUL, play_with
from tests.service.stand_ins import HOUSE_WRONG, FakeReader, app_of, config, signed_in
from tests.service.table.audit.tables import AuditedTable
from tests.service.table.monitor.test_set_watch import CALIBRATION, displayed
from tests.vision.enrolment.test_display_check import faces

if TYPE_CHECKING:
    from fastapi import FastAPI
    from fastapi.testclient import TestClient

    from service.table.monitor.set_watch import SetRequest

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


class Displayed(SetWatch):
    """A set that lies at the display whenever something is asked of it."""

    shown = 0

    def ask(self, asked: SetRequest) -> None:
        """Have it done at once."""
        super().ask(asked)
        for _ in range(SHOTS):
            self.shown += 1
            displayed(self, faces(), self.shown, self.shown * (APART_S + 0.01))


def prepared() -> FastAPI:
    """A table with a round ``r1`` that is sure and a round ``r2`` that waits for a person."""
    tiles = Displayed(CALIBRATION, Path(tempfile.mkdtemp()) / "tiles.json")
    settings = config(max_wait_s=0.0)
    app = app_of(settings, reader=FakeReader(), watch=False, tiles=tiles)
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


def main() -> None:
    """Write the file."""
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
            example = {"request": REQUESTS.get(operation), "response": answer(client, app, operation)}
            found[operation] = {name: value for name, value in example.items() if value is not None}
    FILE.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
