"""Requests that are sent again under their Idempotency-Key: done once, and answered alike for ever."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from service.record.store.chain import canonical_json
from service.record.store.entries import Reply

if TYPE_CHECKING:
    from service.record.store.database_reader import DatabaseReader


class KeyReusedError(ValueError):
    """An Idempotency-Key came again with another request."""


def digest(sent: object) -> str:
    """What tells one request from another."""
    return hashlib.sha256(canonical_json(sent).encode()).hexdigest()


def answered_before(record: DatabaseReader, scope: str, key: str | None, request: str) -> str | None:
    """What the same request was answered before; KeyReusedError if the key came with another one."""
    before = None if key is None else record.reply(scope, key)
    if before is None:
        return None
    if before.request != request:
        raise KeyReusedError("This Idempotency-Key was used for another request before: a new request needs a new key.")
    return before.answer


def reply_to(scope: str, key: str | None, request: str, answer: str) -> Reply | None:
    """Return the reply to store with the entry; None without an Idempotency-Key."""
    return None if key is None else Reply(scope, key, request, answer)
