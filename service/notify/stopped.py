"""Webhooks that answered 410 (gone): which are stopped, and beginning one again."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from sqlalchemy import update

from service.notify.outbox import Outbox, deliveries
from service.record.store.entries import Draft
from service.words.wording import WordedError, words

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from service.record.changes import Attribution
    from service.record.store.record import Record

_log = logging.getLogger(__name__)

_KIND: Final = "webhook "


class NotStoppedError(WordedError):
    """A webhook cannot be begun again; the message says why."""


def webhook_subscriber(name: str) -> str:
    """What a webhook is called in the database."""
    return f"{_KIND}{name}"


def stopped_webhooks(outbox: Outbox) -> dict[str, str]:
    """The names of the webhooks that are stopped, each with when it was; RecordUnavailableError."""
    return {name.removeprefix(_KIND): at for name, at in outbox.stopped().items() if name.startswith(_KIND)}


def begin_again(record: Record, name: str, why: Attribution) -> None:
    """Send to a stopped webhook again from where it stood, and record who said so.

    NotStoppedError if it is not stopped or there is no reason; RecordUnavailableError.
    """
    if not why.reason.strip():
        raise NotStoppedError(words("give a reason: every change is recorded with one"))
    if name not in stopped_webhooks(Outbox(record.database)):
        raise NotStoppedError(words("the webhook %(name)s is not stopped", name=repr(name)))

    def change(connection: Connection) -> None:
        of_it = deliveries.c.subscriber == webhook_subscriber(name)
        connection.execute(update(deliveries).where(of_it).values(stopped_at=None, attempts=0))

    body = {"act": "begun again", "by": why.by, "reason": why.reason.strip()[:500]}
    record.append(Draft("webhook", body, subject=name), beside=change)
    _log.info("webhook %s: begun again by %s", name, why.by)
