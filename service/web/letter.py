"""The morning letter: how a gaming day went, by e-mail and as PDF, with a card to practise the rule broken most often.

It is sent once after the day has ended; an entry of the record says so, so that a restart does not send it again.
"""

from __future__ import annotations

import asyncio
import hashlib
import html
import logging
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from typing import TYPE_CHECKING, Final

from service.api.notify.delivery import NotTakenError, RetryPolicy
from service.api.problems import ProblemError
from service.record.health import Check
from service.record.shifts.happened import AllHappened, happened_at
from service.record.shifts.shift_figures import Shift, shift_on, shifts_of
from service.record.store.entries import Draft, RecordUnavailableError
from service.web.incident import print_pdf
from service.web.mistake_costs import costs_of
from service.web.templating import environment
from service.words.codes import ServiceCode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from engine.house_way import Decision
    from service.api.notify.mail import MailChannel
    from service.api.parts import Parts
    from service.record.health import SubscriberChecks
    from service.rounds.outcomes import LaidHand
    from service.system.subscriber_settings import LetterConfig
    from service.web.mistake_costs import MistakeCosts
    from vision.findings import Param

_log = logging.getLogger(__name__)

_CHECK: Final = "letter"
_AFTER: Final = timedelta(minutes=10)
"""After the end of a day: rounds that are then still played are settled, and remote tables are collected."""
_LONGEST_ARREARS: Final = timedelta(days=6)
_DAY: Final = timedelta(days=1)
_LOOK_AGAIN_S: Final = 60.0
_SHOWN_AFTER: Final = 3
_RETRY: Final = RetryPolicy(attempts=2**62, first_s=5.0, longest_s=1800.0)
_PRACTISED: Final = 3


@dataclass(frozen=True, slots=True)
class Mistake:
    """A hand that was set wrongly, with the name of its table."""

    table: str
    lay: LaidHand

    @property
    def rule(self) -> str | None:
        return None if self.lay.hand.house_way is None else self.lay.hand.house_way.rule

    @property
    def corrected_s(self) -> float | None:
        """Seconds until it was corrected; None if nothing says that it was."""
        outcome = self.lay.outcome
        if outcome is None or outcome.outcome != "corrected":
            return None
        return max((outcome.at - self.lay.since).total_seconds(), 0.0)


@dataclass(frozen=True, slots=True)
class Letter:
    """How a gaming day went at some tables; ``cost``: what its mistakes cost, None if it is known of none."""

    day: Shift
    happened: AllHappened
    cost: MistakeCosts | None

    @property
    def mistakes(self) -> tuple[Mistake, ...]:
        """The hands set wrongly, by table, the oldest first."""
        of_tables = self.happened.of_tables.items()
        return tuple(Mistake(table, each.lay) for table, happened in of_tables for each in happened.wrong)

    @property
    def corrected_s(self) -> tuple[float, ...]:
        """After how many seconds each corrected hand was corrected."""
        return tuple(seconds for each in self.mistakes if (seconds := each.corrected_s) is not None)

    @property
    def repeated(self) -> tuple[tuple[str, str, int], ...]:
        """Dealers who set hands wrongly by the same rule more than once, with the rule and the number of hands."""
        broken = Counter((each.lay.played.dealer, each.rule) for each in self.mistakes)
        return tuple(
            (dealer, rule, times) for (dealer, rule), times in broken.most_common() if dealer and rule and times > 1
        )

    @property
    def practised(self) -> Mistake | None:
        """A hand set against the rule that was broken most often."""
        broken = Counter(each.rule for each in self.mistakes if each.rule is not None)
        return next((each for rule, _ in broken.most_common(1) for each in self.mistakes if each.rule == rule), None)


def letter_of(parts: Parts, day: date, tables: Sequence[str]) -> Letter:
    """Gather what the letter of a gaming day says about some tables; RecordUnavailableError."""
    page = parts.config.page
    spans = shifts_of(day, page.zone, page.shifts)
    whole = Shift("", day, spans[0].starts, spans[0].started, spans[-1].ended)
    happened = happened_at(parts.projector, tables, whole)
    return Letter(whole, happened, costs_of(parts, tables, whole.started, whole.ended))


def summary(letter: Letter, language: str) -> str:
    """The letter in a few lines of plain text."""
    text = environment(language).get_template("letter_summary.html").render(letter=letter)
    return html.unescape(text).strip()


def letter_pdf(letter: Letter, parts: Parts, language: str) -> bytes:
    """The letter as a PDF file; ProblemError if packages are missing that print PDF files."""
    config, practised = parts.config, letter.practised
    printed = (
        environment(language)
        .get_template("letter.html")
        .render(
            letter=letter,
            lines=summary(letter, language).splitlines(),
            title=config.service.title,
            titles={table.name: table.title for table in config.tables},
            zone=config.page.zone,
            rules_of=parts.rules_of,
            low_of=parts.low_lies,
            practice=() if practised is None else tuple(_practice(practised, parts)),
        )
    )
    return print_pdf(printed, {}).pdf


def _practice(mistake: Mistake, parts: Parts) -> Iterator[Decision]:
    """Other deals that the same rule decides, spread over all of them."""
    way = parts.rules_of(mistake.lay.played).house_way
    decided = [each for each in way.decisions.values() if each.rule.cite == mistake.rule]
    for place in range(min(_PRACTISED, len(decided))):
        yield decided[len(decided) * (2 * place + 1) // (2 * _PRACTISED)]


def message_of(letter: Letter, parts: Parts, config: LetterConfig) -> EmailMessage:
    """The letter as an e-mail; its id is that of every repetition, by which a receiver knows it again."""
    language, day = parts.config.page.language, letter.day.day.isoformat()
    text = summary(letter, language)
    message = EmailMessage()
    message["Subject"] = f"{parts.title}, {day}: {text.splitlines()[0]}"
    message["From"], message["To"] = config.sender, ", ".join(config.to)
    message["Date"] = format_datetime(letter.day.ended + _AFTER)
    unique = hashlib.sha256(f"{parts.record.id} {day}".encode()).hexdigest()[:32]
    message["Message-ID"] = f"<{unique}@{config.sender.rpartition('@')[2]}>"
    message.set_content(f"{text}\n")
    try:
        pdf = letter_pdf(letter, parts, language)
    except ProblemError as error:
        _log.warning("the letter is sent without its PDF file: %s", error)
    else:
        message.add_attachment(pdf, maintype="application", subtype="pdf", filename=f"houseway-{day}.pdf")
    return message


@dataclass(slots=True)
class MorningLetter:
    """Sends the letter of each gaming day once."""

    parts: Parts
    config: LetterConfig
    channel: MailChannel
    checks: SubscriberChecks
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    retry: RetryPolicy = _RETRY

    async def run(self) -> None:
        """Send letters until cancelled."""
        attempts = 0
        while True:
            pause = _LOOK_AGAIN_S
            try:
                day = await asyncio.to_thread(self.due)
                if day is not None:
                    await self._send(day)
                    pause = 0.0
                attempts = 0
                self._show(ServiceCode.CHANNEL_WELL, ok=True)
            except NotTakenError as error:
                attempts += 1
                pause = self.retry.pause_s(attempts)
                _log.warning("the letter was not sent: %s", error)
                if attempts >= _SHOWN_AFTER:
                    self._show(ServiceCode.CHANNEL_REFUSES, ok=False, why=(error.finding,), attempts=attempts)
            except RecordUnavailableError as error:
                self._show(ServiceCode.CHANNEL_WAITS_FOR_RECORD, ok=False, why=(error.finding,))
            except Exception as error:  # noqa: BLE001  no fault may end the letters
                _log.exception("the letter failed; trying again")
                self._show(ServiceCode.CHANNEL_FAULT, ok=False, why=str(error))
            await asyncio.sleep(pause)

    def due(self) -> date | None:
        """The next day to send the letter of; None if every letter was sent. RecordUnavailableError."""
        if self.parts.record.state.is_standby:
            return None
        page = self.parts.config.page
        ended = shift_on(self.now() - _AFTER, page.zone, page.shifts).day - _DAY
        sent = next(iter(self.parts.record.last(("letter",))), None)
        if sent is None:
            return ended
        following = date.fromisoformat(sent.data["day"]) + _DAY
        return max(following, ended - _LONGEST_ARREARS) if following <= ended else None

    async def _send(self, day: date) -> None:
        tables = [table.name for table in self.parts.config.tables]
        letter = await asyncio.to_thread(letter_of, self.parts, day, tables)
        message = await asyncio.to_thread(message_of, letter, self.parts, self.config)
        await self.channel.send(message)
        await asyncio.to_thread(self.note, day, message["Message-ID"])

    def note(self, day: date, sent: str) -> None:
        """Record that the letter of a day was sent, under this id; RecordUnavailableError."""
        body = {"day": day.isoformat(), "to": list(self.config.to), "sent": sent}
        self.parts.record.append(Draft("letter", body, subject=day.isoformat()))

    def _show(self, code: ServiceCode, *, ok: bool, **params: Param) -> None:
        self.checks.check(Check.of(_CHECK, code, ok=ok, **params))
