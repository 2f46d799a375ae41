"""``houseway webhook``: what webhooks would not take, and sending it once more."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.common import AsJson, attribution, plain_record_errors, refuse, say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.config.subscriber_settings import WebhookConfig
    from service.notify.notices import NoticeSource
    from service.notify.outbox import DeadLetter, Outbox
    from service.record.store.record_settings import RecordSettings

Settings = Annotated[Path, typer.Option("--config", help="The settings file of the table or floor (TOML).")]
Name = Annotated[str, typer.Argument(help="The webhook's name in the settings.")]


def dead(*, config: Settings, as_json: AsJson = False) -> None:
    """List the events that each webhook did not accept."""
    from service.notify.stopped import stopped_webhooks

    with plain_record_errors(), _open(config) as queues:
        letters = {name: queues.letters(name) for name in queues.webhooks}
        stopped = stopped_webhooks(queues.outbox)
    if as_json:
        listed = {
            name: [{"id": each.id, "at": each.at, "attempts": each.attempts, "error": each.error} for each in dead]
            for name, dead in letters.items()
        }
        say(json.dumps(listed))
        return
    for name, those in letters.items():
        say(f"{name}: {_undelivered(len(those))}")
        if name in stopped:
            say(f"  stopped on {stopped[name][:10]}: it answered 410 (gone); houseway webhook begin starts it again")
        for each in those:
            say(f"  {each.id}  {each.at}  tried {each.attempts} times: {each.error}")


def resend(name: Name, *, config: Settings) -> None:
    """Send undelivered events again, each with its own id.

    An event that is accepted is taken off the list. It arrives after later events. Exit status 1 if one was not
    accepted.
    """
    import asyncio

    from service.notify.delivery import NotTakenError
    from service.notify.notices import NOTICE_KINDS
    from service.notify.webhooks import WebhookChannel

    async def send(queues: _Queues) -> int:
        channel = WebhookChannel(queues.webhook(name))
        left = 0
        try:
            for letter in queues.letters(name):
                seq, part = letter.position
                behind = queues.notices.after((seq, part - 1), frozenset(NOTICE_KINDS)).notices
                notice = next(each for each in behind if each.id == letter.id)
                try:
                    await channel.send(notice)
                except NotTakenError as error:
                    left += 1
                    say(f"{letter.id}: {error}", err=True)
                else:
                    queues.forget(name, letter.id)
                    say(f"{letter.id}: accepted")
        finally:
            await channel.close()
        return left

    with plain_record_errors(), _open(config) as queues:
        left = asyncio.run(send(queues))
    if left:
        raise typer.Exit(1)


def drop(
    name: Name,
    event: Annotated[str, typer.Argument(help="The event's id, from houseway webhook dead.")],
    *,
    config: Settings,
) -> None:
    """Drop one undelivered event from the list; the record keeps its contents."""
    with plain_record_errors(), _open(config) as queues:
        if event not in {letter.id for letter in queues.letters(queues.webhook(name).name)}:
            refuse(f"{name}: there is no undelivered event {event!r}; `houseway webhook dead` lists them")
        queues.forget(name, event)


def begin(
    name: Name,
    reason: Annotated[str, typer.Option("--reason", help="Why. Recorded with the change.")],
    *,
    config: Settings,
) -> None:
    """Restart a webhook that was stopped because it answered 410 (gone).

    It resumes where it stopped; nothing is lost. A running service notices within about two seconds.
    """
    from service.notify.stopped import NotStoppedError, begin_again
    from service.record.store.record import Record

    with plain_record_errors(), Record(_settings(config)[1], claim=False) as record:
        try:
            begin_again(record, name, attribution(reason))
        except NotStoppedError as error:
            refuse(str(error))
    say(f"webhook {name} is started again")


def _undelivered(count: int) -> str:
    return "all events delivered" if not count else f"{count} undelivered event{'' if count == 1 else 's'}"


@dataclass(frozen=True, slots=True)
class _Queues:
    """The webhooks of a table or floor, by name, with what they are told and what they would not take."""

    webhooks: dict[str, WebhookConfig]
    notices: NoticeSource
    outbox: Outbox

    def webhook(self, name: str) -> WebhookConfig:
        if name not in self.webhooks:
            refuse(f"the settings name no webhook {name!r}; known: {', '.join(self.webhooks) or 'none'}")
        return self.webhooks[name]

    def letters(self, name: str) -> tuple[DeadLetter, ...]:
        from service.notify.stopped import webhook_subscriber

        return self.outbox.dead(webhook_subscriber(name))

    def forget(self, name: str, event: str) -> None:
        from service.notify.stopped import webhook_subscriber

        self.outbox.remove_dead(webhook_subscriber(name), event)


def _settings(path: Path) -> tuple[tuple[WebhookConfig, ...], RecordSettings]:
    """The webhooks of a table or floor, and where its record is."""
    from service.config.settings import load_config
    from service.floor.settings import is_floor_file, load_floor
    from service.record.store.record_settings import RecordSettings

    if is_floor_file(path):
        floor = load_floor(path)
        return floor.webhooks, floor.record_settings
    table = load_config(path)
    return table.webhooks, RecordSettings.of(table)


@contextmanager
def _open(path: Path) -> Iterator[_Queues]:
    from service.floor.notify.notices import FloorNoticeReader
    from service.floor.settings import is_floor_file
    from service.floor.store.reader import FloorReader
    from service.notify.notices import NoticeReader
    from service.notify.outbox import Outbox
    from service.record.store.database import open_database
    from service.record.store.database_reader import DatabaseReader
    from service.record.store.record_settings import DATABASE

    configured, settings = _settings(path)
    webhooks = {webhook.name: webhook for webhook in configured}
    if is_floor_file(path):
        with FloorReader(settings.database_url) as collected:
            yield _Queues(webhooks, FloorNoticeReader(collected), Outbox(collected.database))
        return
    if settings.url is None and not (settings.folder / DATABASE).exists():
        refuse(f"{settings.folder}: there is no record yet")
    with DatabaseReader(open_database(settings.database_url)) as reader:
        yield _Queues(webhooks, NoticeReader(reader), Outbox(reader.database))
