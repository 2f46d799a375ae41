"""E-mail: one message at a time to one mail server (SMTP), with a deadline."""

from __future__ import annotations

import asyncio
import logging
import smtplib
import socket
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from service.api.notify.delivery import NotTakenError
from service.system.host import tls_context
from service.system.settings_file import ConfigError
from service.words.codes import ServiceCode

if TYPE_CHECKING:
    from email.message import EmailMessage

    from service.system.subscriber_settings import LetterConfig

_log = logging.getLogger(__name__)

_STEP_S: Final = 15.0
"""Longest wait for one answer of the server."""
_DEADLINE_S: Final = 60.0


class MailChannel:
    """Sends messages to the recipients in the settings; ConfigError if password or certificate cannot be read."""

    def __init__(self, config: LetterConfig, *, deadline_s: float = _DEADLINE_S) -> None:
        self._config = config
        self._password = config.password()
        self._deadline_s = deadline_s
        try:
            self._tls = tls_context(config.ca_file)
        except OSError as error:
            raise ConfigError(f"letter: its certificates cannot be read from {config.ca_file}: {error}") from None

    async def send(self, message: EmailMessage) -> None:
        """Send a message; NotTakenError unless the server accepts it for a recipient at least."""
        opened: list[smtplib.SMTP] = []
        try:
            async with asyncio.timeout(self._deadline_s):
                await asyncio.to_thread(self._send, message, opened)
        except TimeoutError:
            raise NotTakenError.of(ServiceCode.NO_ANSWER, seconds=round(self._deadline_s)) from None
        except smtplib.SMTPRecipientsRefused as error:
            refused = "; ".join(f"{code} {_text(why)}" for code, why in error.recipients.values())
            raise NotTakenError.of(ServiceCode.NOT_REACHED, why=refused) from None
        except smtplib.SMTPResponseException as error:
            why = f"{error.smtp_code} {_text(error.smtp_error)}"
            raise NotTakenError.of(ServiceCode.NOT_REACHED, why=why) from None
        except (OSError, smtplib.SMTPException) as error:
            raise NotTakenError.of(ServiceCode.NOT_REACHED, why=f"{type(error).__name__}: {error}") from None
        finally:
            # Whoever gave up waiting ends the conversation, so that its thread does not outlive it.
            for server in opened:
                if server.sock is not None:
                    with suppress(OSError):
                        server.sock.shutdown(socket.SHUT_RDWR)

    def _send(self, message: EmailMessage, opened: list[smtplib.SMTP]) -> None:
        config, context = self._config, self._tls
        if config.tls == "tls":
            server: smtplib.SMTP = smtplib.SMTP_SSL(config.host, config.port, timeout=_STEP_S, context=context)
        else:
            server = smtplib.SMTP(config.host, config.port, timeout=_STEP_S)
        opened.append(server)
        try:
            if config.tls == "starttls":
                server.starttls(context=context)
            if config.username is not None and self._password is not None:
                server.login(config.username, self._password)
            # A repetition would reach the others twice.
            if refused := server.send_message(message, config.sender, config.to):
                _log.error("the mail server refuses %d recipients of the letter: %s", len(refused), refused)
            with suppress(OSError, smtplib.SMTPException):
                server.quit()
        finally:
            server.close()


def _text(answer: bytes | str) -> str:
    return answer.decode(errors="replace") if isinstance(answer, bytes) else answer
