"""A small typed client of a Houseway table service, in one file to copy; needs httpx2 and pydantic.

Run as a program it writes every result to a file, each once, whichever side is killed and started again:

    HOUSEWAY_KEY=... python houseway_client.py http://localhost:8000 results.jsonl

Results come in the order recorded. A higher revision of a round replaces a lower one.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import httpx2
from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from collections.abc import Iterator

WAIT_S = 30.0
FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0


class _Model(BaseModel):
    # A newer service may send more fields.
    model_config = ConfigDict(frozen=True, extra="ignore")


class Setting(_Model):
    """A low and a high hand, by faces such as ``6-5``."""

    low: tuple[str, str]
    high: tuple[str, str]


class HouseWay(_Model):
    """Whether a hand is set the House Way, and what the rulebook allows if not."""

    verdict: Literal["correct", "wrong", "needs_review"]
    expected: Setting | None
    rule: str | None
    explanation: str
    remedy: str | None


class Hand(_Model):
    """A hand; ``house_way`` is None if a player set it."""

    place: str
    low: tuple[str, str]
    high: tuple[str, str]
    status: Literal["verified", "confirmed", "uncertain"]
    reasons: tuple[str, ...]
    house_way: HouseWay | None


class Die(_Model):
    """A die; ``value`` is None if unreadable."""

    value: int | None
    role: Literal["box", "cut"] | None
    colour: str
    status: Literal["verified", "confirmed", "uncertain"]


class Round(_Model):
    """One revision of a round."""

    id: str
    table: str
    number: int
    revision: int
    state: Literal["open", "closed"]
    status: Literal["verified", "confirmed", "needs_review"]
    opened_at: datetime
    closed_at: datetime | None
    hands: tuple[Hand, ...]
    dice: tuple[Die, ...]


class Result(_Model):
    """One result, with the cursor that continues after it."""

    cursor: str
    seq: int
    at: datetime
    kind: Literal["round", "review"]
    hash: str
    round: Round


class HousewayError(Exception):
    """The service refuses and a retry will not help; the message is the service's."""


class ForeignCursorError(HousewayError):
    """The record is not the one of the cursor, or it lost entries: find out before going on."""


class RecordRestoredError(ForeignCursorError):
    """The record was restored from a copy, or lost its end: what we have of later entries is no longer in it.

    Keep that, tell a person, and go on from ``go_on``.

    Attributes:
        epoch: the epoch in which the record goes on.
        go_on: the cursor of the last entry that is surely common.
    """

    def __init__(self, detail: str, epoch: str, go_on: str) -> None:
        super().__init__(detail)
        self.epoch = epoch
        self.go_on = go_on


class Houseway:
    """A table service.

    Args:
        url: where it is.
        key: an integrator's key, as `houseway key add NAME --role integrator` prints it.
        checkpoint: the last one that was kept, if any; shown to the service if it does not know a cursor of ours.

    Attributes:
        checkpoint: the newest one that the service sent: keep it, for it proves what the record was.
    """

    def __init__(self, url: str, key: str, checkpoint: str | None = None) -> None:
        self.checkpoint = checkpoint
        headers = {"Authorization": f"Bearer {key}"}
        self._http = httpx2.Client(base_url=url, headers=headers, timeout=WAIT_S + 30)

    def __enter__(self) -> Self:
        """Send nothing yet."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connection."""
        self._http.close()

    def results(self, since: str | None = None) -> Iterator[Result]:
        """Endless iterator over results after a cursor; waits for new ones and while the service is unavailable.

        Args:
            since: ``cursor`` of the last result that was handled; None for all.

        Raises:
            RecordRestoredError: the record lacks what we have; it says from where to go on.
            HousewayError: the service refuses for good, such as a key that has expired.
        """
        while True:
            query: dict[str, Any] = {"wait": WAIT_S} if since is None else {"wait": WAIT_S, "since": since}
            try:
                page = self._send("GET", "/v1/results", params=query)
            except RecordRestoredError:
                raise
            except ForeignCursorError:
                if self.checkpoint is None or self.extends(self.checkpoint):
                    raise  # it is another record
                continue  # asked once more, it says from where to go on
            self.checkpoint = page["checkpoint"]
            for each in page["results"]:
                result = Result.model_validate(each)
                yield result
                since = result.cursor
            since = page["next"]

    def extends(self, checkpoint: str) -> bool:
        """Whether the record extends a checkpoint that it signed; if not, it was restored, which clients learn."""
        return bool(self._send("POST", "/v1/record/seen", json={"checkpoint": checkpoint})["extended"])

    def round(self, round_id: str) -> Round:
        """The newest revision of a round."""
        return Round.model_validate(self._send("GET", f"/v1/rounds/{round_id}"))

    def settle(self, round_id: str, wagers: dict[str, Any], key: str) -> dict[str, Any]:
        """Settle a round with these wagers; the same ``key`` takes effect once, however often this is called."""
        return self._send("POST", f"/v1/rounds/{round_id}/settlement", json=wagers, headers={"Idempotency-Key": key})

    def _send(self, method: str, path: str, **request: Any) -> dict[str, Any]:  # noqa: ANN401  as httpx2 takes it
        """Send a request until it is answered, with growing pauses while the service is away, busy or starting."""
        pause_s = FIRST_PAUSE_S
        while True:
            try:
                answer = self._http.request(method, path, **request)
            except httpx2.TransportError:
                least_s = 0.0
            else:
                if answer.is_success:
                    content: dict[str, Any] = answer.json()
                    return content
                if answer.status_code not in {408, 429} and answer.status_code < 500:
                    raise _refusal(answer)
                least_s = float(answer.headers.get("Retry-After", "0"))
            time.sleep(max(least_s, pause_s * random.uniform(0.5, 1.0)))  # noqa: S311  so that clients spread out
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)


def _refusal(answer: httpx2.Response) -> HousewayError:
    try:
        problem = answer.json()
        detail, code = str(problem["detail"]), str(problem["code"])
    except (ValueError, KeyError):
        detail, code = f"{answer.request.url} answered {answer.status_code}", ""
    if code == "record_restored":
        return RecordRestoredError(detail, str(problem["epoch"]), str(problem["go_on"]))
    return ForeignCursorError(detail) if code == "foreign_cursor" else HousewayError(detail)


class Journal:
    """Results in a file, one a line with its cursor; an incomplete line does not count, and none is written twice.

    The cursor is part of the line, so a result and the knowledge that it was handled cannot come apart. In a database,
    write both in one transaction.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        self.cursor: str | None = None
        self._known: set[str] = set()
        self._file = path.open("a+b")
        self._file.seek(0)
        end = 0
        for line in self._file:
            if not line.endswith(b"\n"):
                break
            end += len(line)
            cursor: str = json.loads(line)["cursor"]
            self.cursor = cursor
            self._known.add(cursor)
        # A line cut off in the middle is fetched again.
        self._file.truncate(end)
        self._file.seek(end)

    def __enter__(self) -> Self:
        """The file is open already."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self._file.close()

    def add(self, result: Result) -> None:
        """Write a result durably. An existing one is left unchanged."""
        if result.cursor in self._known:
            return
        self._known.add(result.cursor)
        self._file.write(result.model_dump_json().encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self.cursor = result.cursor


def main() -> None:
    """Write every result of a service to a file, and the newest checkpoint to another beside it."""
    parser = argparse.ArgumentParser(
        description="Write every result of a service to a file.", epilog="HOUSEWAY_KEY: a key of the service."
    )
    parser.add_argument("address", help="of the service, such as http://localhost:8000")
    parser.add_argument("file", help="file to append the results to; created if missing")
    options = parser.parse_args()
    key = os.environ.get("HOUSEWAY_KEY") or parser.error("set HOUSEWAY_KEY to a key of the service: houseway key add")
    kept = Path(f"{options.file}.checkpoint")
    checkpoint = kept.read_text() if kept.exists() else None
    with Journal(Path(options.file)) as journal, Houseway(options.address, key, checkpoint) as houseway:
        since = journal.cursor
        while True:
            try:
                for result in houseway.results(since):
                    journal.add(result)
                    if houseway.checkpoint not in {None, checkpoint}:
                        checkpoint = houseway.checkpoint
                        kept.write_text(checkpoint or "")
            except RecordRestoredError as error:
                print(error, file=sys.stderr)
                since = error.go_on


if __name__ == "__main__":
    main()
