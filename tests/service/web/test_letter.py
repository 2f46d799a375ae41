"""The morning letter: what it says of a day, that it is sent once, and the conversation with a mail server."""

import asyncio
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from io import BytesIO
from pathlib import Path

import pytest
from fastapi import FastAPI
from pydantic import ValidationError
from pypdf import PdfReader

from service.api.notify.delivery import NotTakenError, RetryPolicy
from service.api.notify.mail import MailChannel
from service.record.health import Check
from service.system.subscriber_settings import LetterConfig
from service.web.letter import MorningLetter, letter_of, letter_pdf, summary
from tests.service.cli.test_run import certificate_of_this_machine
from tests.service.stand_ins import (
    EMPTY,
    HOUSE_RIGHT,
    HOUSE_WRONG,
    FakeReader,
    app_of,
    config,
    report_round,
    revisions,
    signed_in,
    wait_until,
)

DAY = date(2026, 11, 25)
NEXT_MORNING = datetime(2026, 11, 26, 0, 10, tzinfo=UTC)


@pytest.fixture
def app() -> FastAPI:
    """Four rounds of a day: three wrong hands, of which D-1042 set two that were corrected, and one that was left."""
    made = app_of(config(), reader=FakeReader(), watch=False)
    table = made.state.parts.only
    put_right = (HOUSE_WRONG, HOUSE_WRONG, HOUSE_RIGHT, EMPTY)
    played = (
        ("D-1042", put_right),
        ("D-1042", put_right),
        ("D-7 & co", (HOUSE_WRONG, EMPTY)),
        (None, (HOUSE_RIGHT, EMPTY)),
    )
    for number, (dealer, laid) in enumerate(played):
        table.ledger.dealers.name(dealer, "till")
        at = datetime(DAY.year, DAY.month, DAY.day, 10 + number, tzinfo=UTC)
        for each in revisions(f"r{number}", at, *laid):
            table.ledger.revise(report_round(each, table="test", rules=table.rules, versions={}))
    return made


def test_it_says_how_the_day_went(app: FastAPI) -> None:
    parts = app.state.parts
    letter = letter_of(parts, DAY, ["test"])
    first, dealers, *_ = summary(letter, "en").splitlines()
    seconds = max(letter.corrected_s)
    assert first == f"4 rounds, 3 hands set wrongly, 2 of them corrected within {seconds:.0f} s"
    assert dealers == "Dealer D-1042: 2 times by rule crown-6.1 7.4.2"
    text = "\n".join(page.extract_text() for page in PdfReader(BytesIO(letter_pdf(letter, parts, "en"))).pages)
    for said in ("25 November 2026", first, "D-7 & co", "To practise: rule crown", "Set the House Way"):
        assert said in text.replace("\N{NON-BREAKING HYPHEN}", "-")


def test_a_quiet_day_and_one_on_which_everything_was_corrected(app: FastAPI) -> None:
    parts = app.state.parts
    assert summary(letter_of(parts, DAY + timedelta(days=1), ["test"]), "en") == "0 rounds, 0 hands set wrongly"
    letter = letter_of(parts, DAY, ["test"])
    happened = letter.happened.of_tables["test"]
    two = tuple(each for each in happened.wrong if each.lay.outcome is not None)
    letter.happened.of_tables["test"] = type(happened)(
        **{name: getattr(happened, name) for name in happened.__slots__} | {"wrong": two}
    )
    assert ", 2 hands set wrongly, all corrected within " in summary(letter, "en")


def test_it_is_a_file_on_the_page_of_the_day(app: FastAPI) -> None:
    with signed_in(app) as client:
        page = client.get(f"/shifts?day={DAY}").text
        assert f"/letter.pdf?day={DAY}" in page
        answer = client.get(f"/letter.pdf?day={DAY}")
    assert answer.headers["content-type"] == "application/pdf"
    assert answer.content.startswith(b"%PDF")


@dataclass(slots=True)
class MailServer:
    """A mail server on this machine: the lines it received, and its answer to the end of a message."""

    port: int = 0
    tls: ssl.SSLContext | None = None
    silent: bool = False
    answer: str = "250 taken"
    lines: list[str] = field(default_factory=list)
    messages: list[bytes] = field(default_factory=list)

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._talk(reader, writer)
        finally:
            writer.close()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.silent:
            await reader.read()
            return
        writer.write(b"220 here\r\n")
        while line := (await reader.readline()).decode().strip():
            self.lines.append(line)
            verb = line.upper().split()[0]
            if verb == "EHLO":
                told = "STARTTLS" if self.tls is not None and "STARTTLS" not in self.lines else "AUTH PLAIN"
                writer.write(f"250-here\r\n250 {told}\r\n".encode())
            elif verb == "STARTTLS" and self.tls is not None:
                writer.write(b"220 go on\r\n")
                await writer.start_tls(self.tls)
            elif verb == "AUTH":
                writer.write(b"235 known\r\n")
            elif verb == "DATA":
                writer.write(b"354 go on\r\n")
                self.messages.append(await reader.readuntil(b"\r\n.\r\n"))
                writer.write(f"{self.answer}\r\n".encode())
            elif verb == "RCPT" and "nobody" in line:
                writer.write(b"550 no such mailbox\r\n")
            else:
                writer.write(b"221 bye\r\n" if verb == "QUIT" else b"250 ok\r\n")


@contextmanager
def mail_server(server: MailServer) -> Iterator[MailServer]:
    loop = asyncio.new_event_loop()
    listening = loop.run_until_complete(asyncio.start_server(server.talk, "localhost", 0, family=socket.AF_INET))
    server.port = listening.sockets[0].getsockname()[1]
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        listening.close()
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0.01))
        loop.close()


def settings(server: MailServer, **more: object) -> LetterConfig:
    return LetterConfig.model_validate(
        {
            "host": "localhost",
            "port": server.port,
            "tls": "none",
            "sender": "h@c.example",
            "to": ["m@c.example"],
            **more,
        }
    )


def a_message() -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "h@c.example", "m@c.example", "4 rounds"
    message.set_content("4 rounds\n")
    return message


def test_it_speaks_tls_and_signs_in_before_it_says_anything(tmp_path: Path) -> None:
    certificate, key = certificate_of_this_machine(tmp_path)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    (tmp_path / "password").write_text("s3cret\n")
    with mail_server(MailServer(tls=tls)) as server:
        more = {"tls": "starttls", "username": "h", "password_file": tmp_path / "password"}
        asyncio.run(MailChannel(settings(server, **more, ca_file=certificate)).send(a_message()))
        verbs = [line.upper().split()[0] for line in server.lines]
        assert verbs == ["EHLO", "STARTTLS", "EHLO", "AUTH", "MAIL", "RCPT", "DATA", "QUIT"]
        assert b"Subject: 4 rounds" in server.messages[0]
        server.lines.clear()
        with pytest.raises(NotTakenError, match="CERTIFICATE_VERIFY_FAILED"):
            asyncio.run(MailChannel(settings(server, **more)).send(a_message()))
        assert "AUTH" not in {line.split()[0] for line in server.lines}


@pytest.mark.parametrize(
    ("change", "more", "why"),
    [
        ({"answer": "452 too full"}, {}, "452 too full"),
        ({}, {"to": ["nobody@c.example"]}, "550 no such mailbox"),
        ({"silent": True}, {}, "no answer within 0 s"),
    ],
)
def test_what_the_server_does_not_take_is_said(change: dict[str, object], more: dict[str, object], why: str) -> None:
    with mail_server(MailServer(**change)) as server, pytest.raises(NotTakenError, match=why):  # type: ignore[arg-type]
        asyncio.run(
            MailChannel(settings(server, **more), deadline_s=0.4 if "silent" in change else 30).send(a_message())
        )


def test_of_two_recipients_one_that_is_refused_does_not_keep_the_letter_from_the_other() -> None:
    with mail_server(MailServer()) as server:
        asyncio.run(MailChannel(settings(server, to=["m@c.example", "nobody@c.example"])).send(a_message()))
        assert len(server.messages) == 1


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"username": "h", "password_env": "P"}, "must not cross the network in the clear"),
        ({"password_env": "P"}, "a password needs a username"),
        ({"username": "h", "tls": "tls"}, "password_file or password_env"),
        ({"to": []}, "at least 1 item"),
        ({"to": ["m@c.example\r\nBcc: x@y"]}, "pattern"),
    ],
)
def test_settings_that_are_refused(change: dict[str, object], why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        settings(MailServer(port=25), **change)


class Seen:
    """Receives checks."""

    def __init__(self) -> None:
        self.checks: list[Check] = []

    def check(self, check: Check) -> None:
        self.checks.append(check)


def letters(app: FastAPI, server: MailServer, now: Callable[[], datetime]) -> tuple[MorningLetter, Seen]:
    seen, retry = Seen(), RetryPolicy(2**62, 0.001, 0.002)
    sender = settings(server)
    return MorningLetter(app.state.parts, sender, MailChannel(sender), seen, now, retry), seen  # type: ignore[arg-type]


def run_until(letter: MorningLetter, done: Callable[[], bool]) -> None:
    async def both() -> None:
        task = asyncio.create_task(letter.run())
        await asyncio.to_thread(wait_until, done, 30)
        task.cancel()

    asyncio.run(both())


def test_it_is_sent_once_after_the_day_also_after_a_restart(app: FastAPI) -> None:
    record = app.state.parts.record
    with mail_server(MailServer(answer="452 too full")) as server:
        letter, seen = letters(app, server, lambda: NEXT_MORNING)
        run_until(letter, lambda: any(not each.ok for each in seen.checks))
        assert len(server.messages) >= 3
        server.answer = "250 taken"
        server.messages.clear()
        run_until(letter, lambda: bool(record.last(("letter",))))
        assert len(server.messages) == 1
        sent = message_from_bytes(server.messages[0], policy=policy.SMTP)
        assert isinstance(sent, EmailMessage)
        assert sent["Subject"].startswith("Test table, 2026-11-25: 4 rounds, 3 hands set wrongly")
        body = sent.get_body()
        assert body is not None
        assert "Dealer D-1042: 2 times" in body.get_content()
        assert [part.get_filename() for part in sent.iter_attachments()] == ["houseway-2026-11-25.pdf"]
        again, seen = letters(app, server, lambda: NEXT_MORNING + timedelta(hours=23))
        run_until(again, lambda: bool(seen.checks))
        assert len(server.messages) == 1
    (entry,) = record.last(("letter",))
    assert entry.data == {"day": "2026-11-25", "to": ["m@c.example"], "sent": sent["Message-ID"]}


@pytest.mark.parametrize(
    ("now", "sent", "due"),
    [
        ("2026-11-26T00:09", None, "2026-11-24"),  # ten minutes for rounds that are still played
        ("2026-11-26T00:10", None, "2026-11-25"),
        ("2026-11-26T00:10", "2026-11-25", None),
        ("2026-11-28T12:00", "2026-11-25", "2026-11-26"),  # each day has its own
        ("2026-12-28T12:00", "2026-11-25", "2026-12-21"),  # but a week of them is enough
    ],
)
def test_which_day_is_due(app: FastAPI, now: str, sent: str | None, due: str | None) -> None:
    letter, _ = letters(app, MailServer(port=25), lambda: datetime.fromisoformat(now).replace(tzinfo=UTC))
    if sent is not None:
        letter.note(date.fromisoformat(sent), "<1@c.example>")
    assert letter.due() == (None if due is None else date.fromisoformat(due))
