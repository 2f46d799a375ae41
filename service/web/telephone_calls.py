"""Notifies telephones of alarms at the table, and of what became of them, in the words of the alarm strip."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from markupsafe import Markup
from starlette.concurrency import run_in_threadpool

from service.access.second_factors import SealError
from service.access.signed_links import PICTURE
from service.api.notify.web_push import LASTS_S
from service.api.scope import Scope
from service.record.ledger import UnknownRoundError
from service.record.projections.alarms import AlarmList
from service.record.results import report_of
from service.record.store.database_reader import record_of_log
from service.record.store.entries import RecordUnavailableError
from service.system.background import in_background, shielded
from service.web.templating import environment

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from service.access.telephones import Telephone
    from service.api.notify.web_push import Message
    from service.api.parts import Parts
    from service.record.projections.alarms import Alarm
    from service.system.subscriber_settings import AlarmKind

_log = logging.getLogger(__name__)

KINDS: Final[tuple[AlarmKind, ...]] = ("house_hand_wrong", "procedure")
"""Alarms that somebody must answer at the table at once; the others wait for a person at a screen."""
_OF_EACH: Final = 10
_LOOK_AGAIN_S: Final = 2.0
_PICTURE_LASTS: Final = timedelta(minutes=15)


class TelephoneCalls:
    """Follows the alarms of all tables."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._alarms = AlarmList(parts.projector.database)
        self._told: dict[str, tuple[str, str]] = {}
        """By tag, the id of each lasting alarm that telephones show, and its words."""

    async def run(self) -> None:
        """Follow until cancelled."""
        changes, failed = self._parts.projector.alarms, False
        while not changes.closed:
            heard = changes.count
            try:
                # Of two services with one record, the one that writes to it notifies.
                if not self._parts.record.state.is_standby:
                    calls = await shielded(asyncio.to_thread(self.calls))
                    await asyncio.gather(*(self._call(*each) for each in calls))
                failed = False
            except RecordUnavailableError as error:
                if not failed:
                    _log.warning("telephones are not notified: %s", error)
                failed = True
            except Exception:  # noqa: BLE001  no fault may end the calls
                _log.exception("telephones were not notified; going on")
            await changes.wait_beyond(heard, _LOOK_AGAIN_S)

    def calls(self) -> list[tuple[Telephone, Message]]:
        """Return the messages that are due now."""
        telephones = self._parts.access.telephones.notified()
        if not telephones:
            self._told.clear()
            return []
        known = self._alarms.named([name for name, _ in self._told.values()])
        found = {_tag(each): each for each in (*known.values(), *self._alarms.open(_OF_EACH)) if each.kind in KINDS}
        due = [alarm for tag, alarm in found.items() if self._is_due(tag, alarm)]
        calls = []
        for telephone, account in telephones:
            seen = {each.name for each in Scope(self._parts, account.pits).tables}
            calls += [(telephone, self._message(each, telephone.language)) for each in due if each.table in seen]
        return calls

    def _is_due(self, tag: str, alarm: Alarm) -> bool:
        known, words = self._told.get(tag), " ".join(self._words(alarm, "en"))
        if known is None and (
            not alarm.sounds or datetime.now(UTC) - alarm.last_raised_at > timedelta(seconds=LASTS_S)
        ):
            return False
        if alarm.sounds:
            self._told[tag] = alarm.id or "", words
        else:
            self._told.pop(tag, None)
        return known is None or known[1] != words

    def _message(self, alarm: Alarm, language: str) -> Message:
        title, body, button = self._words(alarm, language)
        number = None if alarm.round is None else alarm.round.id
        place = f"?{urlencode({'place': alarm.places[0]})}" if alarm.places else ""
        message: dict[str, Any] = {"tag": _tag(alarm), "title": title, "body": body}
        message["url"] = f"/tables/{alarm.table}/rounds/{number}{place}"
        if alarm.sounds:
            message |= {"id": alarm.id, "button": button} | self._picture(alarm)
        return message

    def _words(self, alarm: Alarm, language: str) -> tuple[str, str, str]:
        shown = environment(language).get_template("telephone.html")
        titles = {each.name: each.title for each in self._parts.config.tables}
        text = shown.render(one=alarm, zone=self._parts.config.page.zone, titles=titles)
        title, body, button = (Markup(part).striptags() for part in text.split("<hr>"))  # noqa: S704  plain text
        return title, body, button

    def _picture(self, alarm: Alarm) -> dict[str, str]:
        """Return the address of the close-up, with the tiles to exchange ringed; empty without one."""
        if alarm.round is None:
            return {}
        try:
            log = Scope(self._parts).log_of_round(alarm.table, alarm.round.id)
        except UnknownRoundError:
            return {}
        newest = record_of_log(self._parts.projector.database, log).of_rounds((alarm.round.id,))[-1]
        roles = {one.role: one.sha256 for one in report_of(newest).evidence if one.place in alarm.places}
        sha256 = roles.get("exchange", roles.get("close_up"))
        if sha256 is None:
            return {}
        try:
            link = self._parts.access.links.make(datetime.now(UTC) + _PICTURE_LASTS, PICTURE, sha256)
        except SealError as error:
            _log.warning("telephones are notified without pictures: %s", error)
            return {}
        return {"image": f"/shared/picture?{urlencode({'link': link})}"}

    async def _call(self, telephone: Telephone, message: Message) -> None:
        if await self._parts.push.send(telephone, message) == "gone":
            await run_in_threadpool(self._parts.access.telephones.remove, telephone.id)


def _tag(alarm: Alarm) -> str:
    number = "" if alarm.round is None else alarm.round.id
    return f"{alarm.table} {number} {alarm.kind} {alarm.subject}"


@asynccontextmanager
async def calling_telephones(parts: Parts) -> AsyncIterator[None]:
    """Notify telephones while the block runs."""
    try:
        async with in_background(TelephoneCalls(parts).run()):
            yield
    finally:
        await parts.push.close()
