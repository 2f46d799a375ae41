"""Whatever a table answers becomes a value, or "the table is away, because ...": nothing else leaves its client."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.hub.checking import extend
from service.hub.table_client import Diverged, TableAwayError, TableClient
from service.record.store.entries import Entry
from service.record.store.stored_logs import UNKNOWN
from tests.service.hub.feeds import RecordedFeed
from tests.service.raw_answers import answering, sent

FEED = RecordedFeed().rounds(2)
PAGE: dict[str, Any] = FEED.page(0, 50)
REPORT: dict[str, Any] = {
    "tables": [
        {
            "unanswered": {"health": 1},
            "local": {
                "status": {"code": "verifying", "level": "well"},
                "rulebook": "crown-6.1",
                "variant": "crown-pai-gow",
                "checks": [{"name": "disk", "ok": False, "message": "full"}],
            },
        }
    ]
}
ODD = ("1e999", "-1e999", "NaN", "1" * 400, '"2026-01-01T00:00:00"', '"' + "x" * 5_000 + '"', "null", "[]", "{}", "-1")


async def ask(asked: Callable[[TableClient], Awaitable[object]], body: bytes, head: str = "200 OK") -> object:
    """What the client makes of an answer."""
    async with answering(sent(f"{head}\r\nContent-Length: {len(body)}", body)) as url:
        table = TableClient(url, "key", None, asyncio.Semaphore(1))
        try:
            return await asked(table)
        except TableAwayError as error:
            return error
        finally:
            await table.close()


async def entries(table: TableClient) -> object:
    async with table.entries(None) as found:
        return found if isinstance(found, Diverged) else extend(UNKNOWN, found.entries, FEED.trusted)


ASKED: dict[str, Callable[[TableClient], Awaitable[object]]] = {
    "entries": entries,
    "report": lambda table: table.report(),
    "equipment": lambda table: table.equipment(),
    "version": lambda table: table.version(),
    "picture": lambda table: table.picture("0" * 64),
    "compare": lambda table: table.compare("note"),
    "cosigned": lambda table: table.send_cosigned("note"),
    "act": lambda table: table.act("/v1/x", {}, "k"),
}


def with_odd(value: object, at: int, odd: str) -> str:
    """JSON of a value in which the leaf of this number is another text."""
    text, count = json.dumps(value), 0
    leaves: list[tuple[int, int]] = []
    decoder, position = json.JSONDecoder(), 0
    while position < len(text):
        if text[position] in "{}[],: ":
            position += 1
            continue
        _, end = decoder.raw_decode(text, position)
        if not text[end:].startswith(":"):
            leaves.append((position, end))
        position = end
        count += 1
    begin, end = leaves[at % len(leaves)]
    return text[:begin] + odd + text[end:]


@pytest.mark.parametrize("asked", ASKED)
@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from((PAGE, REPORT)), st.integers(0, 400), st.sampled_from(ODD), st.sampled_from((200, 200, 404, 409))
)
def test_a_right_answer_with_one_odd_value(asked: str, value: object, at: int, odd: str, status: int) -> None:
    body = with_odd(value, at, odd).encode()
    asyncio.run(ask(ASKED[asked], body, f"{status} X\r\nDate: Thu, 99 Foo 2026"))


HEADERS = st.dictionaries(
    st.sampled_from(("Date", "Content-Encoding", "Transfer-Encoding", "Location", "Content-Type")),
    st.text(st.characters(codec="latin-1", exclude_characters="\r\n"), max_size=30),
    max_size=3,
)


@pytest.mark.parametrize("asked", ASKED)
@settings(max_examples=40, deadline=None)
@given(st.binary(max_size=400), st.integers(200, 599), HEADERS)
def test_any_answer(asked: str, body: bytes, status: int, headers: dict[str, str]) -> None:
    head = "\r\n".join([f"{status} X", *(f"{name}: {value}" for name, value in headers.items())])
    asyncio.run(ask(ASKED[asked], body, head))


def test_the_right_answers_are_read() -> None:
    found: Any = asyncio.run(ask(entries, json.dumps(PAGE).encode()))
    assert found.refusal is None
    assert len(found.extension.entries) == len(FEED.entries)
    report: Any = asyncio.run(ask(ASKED["report"], json.dumps(REPORT).encode()))
    assert (report.level, report.status, report.unanswered) == ("well", "verifying", {"health": 1})
    assert (report.rulebook, report.variant) == ("crown-6.1", "crown-pai-gow")
    assert [(each.name, each.message) for each in report.failing] == [("disk", "full")]


@pytest.mark.parametrize(
    "at", ["2026-01-01T00:00:00.000000", "2026-13-01T00:00:00.000000Z", "0000-01-01T00:00:00.000000Z"]
)
def test_an_entry_at_no_moment_is_refused(at: str) -> None:
    entry = FEED.entries[0][0]
    line = json.dumps({**json.loads(entry.line()), "at": at}, sort_keys=True, separators=(",", ":"))
    with pytest.raises(ValueError, match="entry"):
        Entry.of_line(line)


def test_a_refused_answer_is_named_without_the_address_of_the_request() -> None:
    head = "200 OK\r\n" + "\r\n".join(f"X-{number}: x" for number in range(1000))
    away = asyncio.run(ask(entries, b"{}", head))
    assert isinstance(away, TableAwayError)
    assert "Too many headers received" in str(away)
    assert "http" not in str(away)
