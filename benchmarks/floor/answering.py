"""Answers for many tables on one port, as their services do, at as little cost as there can be.

What is measured is the floor; five hundred whole services on the same two cores would be measured instead. Each answer
has the form of a table's own, which a test holds against the floor and against the table's schema.
"""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs, urlsplit

import service.api
from service.record.checkpoints.note import read_note
from service.record.store.stored_logs import read_cursor

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchmarks.floor.tables import PlayedTable

_HEAD: Final = re.compile(rb"([A-Z]+) (\S+) HTTP/1\.1\r\n")
_KEY: Final = re.compile(rb"\r\nauthorization: bearer (\S+)\r\n", re.IGNORECASE)
_LENGTH: Final = re.compile(rb"\r\ncontent-length: (\d+)\r\n", re.IGNORECASE)
_WELL: Final = {"status": {"level": "well", "code": "verifying", "message": "Verifying"}, "healthy": True}


def _told() -> dict[str, Any]:
    """What a table tells of itself, as in the examples of the reference, which a real service gave."""
    examples = json.loads((Path(service.api.__file__).parent / "api_examples.json").read_text(encoding="utf-8"))
    (table,) = examples["GET /v1/tables"]["response"]["tables"]
    return {**table, "unanswered": {}, "local": {**table["local"], **_WELL}}


TOLD: Final = _told()


@dataclass(slots=True)
class Answering:
    """Tables that can be asked.

    Attributes:
        tables: by name.
        away: names of those that do not answer.
        requests: how many there were.
    """

    tables: Mapping[str, PlayedTable]
    away: set[str] = field(default_factory=set)
    requests: int = 0

    async def answer(self, method: str, target: str, key: str, body: bytes) -> tuple[int, str, bytes]:
        """Status, media type and body."""
        self.requests += 1
        parts = urlsplit(target)
        _, name, path = parts.path.split("/", 2)
        table = self.tables.get(name)
        if table is None or name in self.away:
            return _problem(503, "not_ready")
        if key != f"key-of-{name}":
            return _problem(401, "not_signed_in")
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if path == "v1/record/entries":
            return await _entries(table, asked)
        return _at_once(table, method, path, body)

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer what comes on a connection, one after the other."""
        try:
            while True:
                told = await reader.readuntil(b"\r\n\r\n")
                asked, key, length = _HEAD.match(told), _KEY.search(told), _LENGTH.search(told)
                if asked is None:
                    return
                body = b"" if length is None else await reader.readexactly(int(length[1]))
                method, target = asked[1].decode(), asked[2].decode()
                status, media_type, answer = await self.answer(
                    method, target, "" if key is None else key[1].decode(), body
                )
                now = format_datetime(datetime.now(UTC), usegmt=True)
                head = f"date: {now}\r\ncontent-type: {media_type}\r\ncontent-length: {len(answer)}\r\n\r\n"
                writer.write(f"HTTP/1.1 {status} X\r\n{head}".encode() + answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


async def _entries(table: PlayedTable, asked: Mapping[str, str]) -> tuple[int, str, bytes]:
    seq, start = read_cursor(asked["since"]) if "since" in asked else (0, "")
    if not table.holds(seq, start):
        return _problem(409, "foreign_cursor")
    table.note_taken(seq)
    if len(table.entries) <= seq and (wait_s := float(asked["wait"])) > 0:
        await table.more(wait_s)
    return 200, "application/json", table.page(seq, int(asked["limit"]))


def _at_once(table: PlayedTable, method: str, path: str, body: bytes) -> tuple[int, str, bytes]:
    match method, path:
        case "GET", "v1/tables":
            return _json({"tables": [{**TOLD, "name": table.name}]})
        case "GET", "healthz":
            return _json({"status": "alive", "version": "1.0"})
        case "POST", "v1/record/seen":
            return _seen(table, body)
    found = table.picture(path.removeprefix("v1/evidence/"))
    return _problem(404, "not_found") if found is None else (200, "image/jpeg", found)


def _seen(table: PlayedTable, body: bytes) -> tuple[int, str, bytes]:
    shown = read_note(json.loads(body)["checkpoint"]).checkpoint
    if shown.record == table.record and table.holds(shown.seq, shown.hash):
        return _json({"extended": True})
    return _problem(409, "foreign_checkpoint")


def _json(value: object, status: int = 200) -> tuple[int, str, bytes]:
    return status, "application/json", json.dumps(value).encode()


def _problem(status: int, code: str) -> tuple[int, str, bytes]:
    return _json({"code": code}, status)
