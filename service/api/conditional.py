"""Conditional requests (RFC 9110) and long polls."""

from __future__ import annotations

import hashlib
import time
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

from fastapi import Header, Response

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from pydantic import BaseModel

    from service.record.waiting import ChangeNotifier

News = TypeVar("News")
Value = TypeVar("Value")

IfNoneMatch = Annotated[
    str | None, Header(max_length=1000, description="ETags of cached responses; 304 if one is current")
]
NOT_MODIFIED: Final[dict[int | str, dict[str, Any]]] = {304: {"description": "Not Modified"}}
JPEG: Final[dict[int | str, dict[str, Any]]] = {
    200: {"content": {"image/jpeg": {"schema": {"type": "string", "format": "binary"}}}}
}
TEXT: Final[dict[int | str, dict[str, Any]]] = {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}
JPEG_OR_CLIP: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "a picture, or a clip: a ZIP of JPEGs, stored without compression",
        "content": {
            media_type: {"schema": {"type": "string", "format": "binary"}}
            for media_type in ("image/jpeg", "application/zip")
        },
    }
}


def conditional(
    if_none_match: str | None,
    etag: str,
    body: Callable[[], bytes],
    media_type: str,
    cache_control: str = "private, no-cache",
) -> Response:
    """A response with its ETag, or 304 if the client has it."""
    headers = {"ETag": etag, "Cache-Control": cache_control}
    if matches(if_none_match, etag):
        return Response(status_code=304, headers=headers)
    return Response(body(), media_type=media_type, headers=headers)


def model_response(
    model: BaseModel, if_none_match: str | None = None, passing: Mapping[str, Any] | None = None
) -> Response:
    """A model as JSON with its ETag, or 304.

    Args:
        model: the answer.
        if_none_match: as the client sent it.
        passing: fields, as pydantic excludes them, whose change alone is no news; the ETag is then a weak one.
    """
    if passing is None:
        return hashed_response(model.model_dump_json(), "application/json", if_none_match)
    etag = _hash(model.model_dump_json(exclude=dict(passing)).encode())
    return conditional(if_none_match, f"W/{etag}", lambda: model.model_dump_json().encode(), "application/json")


def hashed_response(text: str, media_type: str, if_none_match: str | None = None) -> Response:
    """A text with its hash as the ETag, or 304."""
    body = text.encode()
    return conditional(if_none_match, _hash(body), lambda: body, media_type)


def _hash(body: bytes) -> str:
    return f'"{hashlib.sha256(body).hexdigest()[:32]}"'


class Newest:
    """Caches the answer computed from the latest value."""

    def __init__(self) -> None:
        self._made: tuple[object, str] | None = None

    def answer(self, value: Value, make: Callable[[Value], str]) -> str:
        """The answer computed from a value; only the latest is cached."""
        made = self._made
        if made is None or made[0] is not value:
            self._made = made = value, make(value)
        return made[1]


def matches(if_none_match: str | None, etag: str) -> bool:
    """Whether ``If-None-Match`` names this ETag (RFC 9110: weak comparison, ``*`` matches anything)."""
    if if_none_match is None:
        return False
    known = {part.strip().removeprefix("W/") for part in if_none_match.split(",")}
    return "*" in known or etag.removeprefix("W/") in known


async def long_poll(
    notifier: ChangeNotifier, wait_s: float, poll: Callable[[int], Awaitable[tuple[News, bool]]]
) -> News:
    """Poll after every change, until there is news or the time is up.

    Args:
        notifier: notifies of changes.
        wait_s: maximum time to wait, seconds.
        poll: called with the number of changes so far; returns the answer, and whether it is news.
    """
    ends = time.monotonic() + wait_s
    while True:
        changes = notifier.count
        found, news = await poll(changes)
        left = ends - time.monotonic()
        if news or left <= 0 or notifier.closed:
            return found
        await notifier.wait_beyond(changes, left)
