"""Settings of subscribers: webhooks, the MQTT broker, and who gets the morning letter."""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeAlias, get_args

from pydantic import AfterValidator, Field, IPvAnyNetwork, SecretStr, field_validator, model_validator

from service.system.section import ClearAddress, File, Host, Name, SecretFile, Section, Variable, needs_one_of
from service.system.settings_file import ConfigError, read_secret
from vision.addresses import secret_parts

if TYPE_CHECKING:
    from collections.abc import Iterable

_LONGEST_URL = 2000

AlarmKind: TypeAlias = Literal["house_hand_wrong", "needs_review", "health", "procedure"]
NoticeKind: TypeAlias = Literal["result", AlarmKind, "epoch"]


class SubscriberConfig(Section):
    """What a subscriber is sent, in the order recorded; the same event always has the same id.

    Attributes:
        kinds: ``result`` (every revision of every round), and the alarms ``house_hand_wrong``, ``needs_review``,
            ``health`` and ``procedure``. That the record goes on in a new ``epoch`` is always sent.
        start: where a new subscriber starts: ``now``, or with the ``oldest`` entry of the record.
    """

    kinds: Annotated[tuple[NoticeKind, ...], Field(min_length=1)] = get_args(NoticeKind)
    start: Literal["now", "oldest"] = "now"


class WebhookConfig(SubscriberConfig):
    """An address that results and alarms are sent to by HTTP POST.

    Attributes:
        name: name of the webhook; what has been delivered is remembered under this name, so do not change it.
        url: ``https://...``; ``http://`` only to an address in ``networks``; only its host is ever shown.
        secret_file: file with the secret, ``whsec_`` and base64; while secrets are changed, one a line, newest first.
        secret_env: environment variable with the secret, instead of a file.
        networks: private networks that the URL may lead to, such as ``10.20.0.0/16``; without them only public Internet
            addresses are used.
        attempts: after this many attempts an event counts as undelivered, and the next one is sent.
        first_pause_s: pause after the first failure, seconds; about doubled after each further one.
        longest_pause_s: longest pause between two attempts, seconds.
    """

    name: Name
    url: ClearAddress
    secret_file: SecretFile | None = None
    secret_env: Variable | None = None
    networks: tuple[IPvAnyNetwork, ...] = ()
    attempts: Annotated[int, Field(ge=1, le=1000)] = 30
    first_pause_s: Annotated[float, Field(gt=0.0, le=3600.0)] = 2.0
    longest_pause_s: Annotated[float, Field(gt=0.0, le=86_400.0)] = 3600.0

    @field_validator("url")
    @classmethod
    def _is_of_the_web(cls, url: ClearAddress) -> ClearAddress:
        if not re.fullmatch(r"https?://[^/\s@?#]+(/\S*)?", text := url.get_secret_value()) or len(text) > _LONGEST_URL:
            raise ValueError("https://HOST/PATH is needed, or http:// to a private address, without a user before HOST")
        return url

    @model_validator(mode="after")
    def _has_one_secret(self) -> Self:
        needs_one_of(self, "secret_file", "secret_env")
        return self

    def secret_text(self) -> str:
        """What its file or variable says; ConfigError if that cannot be read."""
        return read_secret(f"webhook {self.name!r}", self.secret_file, self.secret_env)

    def secrets(self) -> tuple[bytes, ...]:
        """The secrets it is signed with; ConfigError if there are none or they are none."""
        where = f"webhook {self.name!r}"
        found = self.secret_text().split()
        try:
            keys = tuple(base64.b64decode(each.removeprefix("whsec_"), validate=True) for each in found)
        except binascii.Error:
            keys = ()
        if not keys or not all(24 <= len(key) <= 64 for key in keys):
            raise ConfigError(
                f"{where}: a secret is whsec_ and 24 to 64 bytes as base64; make one with: echo "
                "whsec_$(openssl rand -base64 32)"
            )
        return keys


def _named_once(webhooks: tuple[WebhookConfig, ...]) -> tuple[WebhookConfig, ...]:
    if len({webhook.name for webhook in webhooks}) < len(webhooks):
        raise ValueError("two webhooks have the same name")
    return webhooks


class MqttConfig(SubscriberConfig):
    """An MQTT broker that results and alarms are sent to.

    Attributes:
        host: name or address of the broker.
        port: port of the broker; 1883 by default, or 8883 with TLS.
        username: who signs in, if somebody must; never shown: some brokers take a token as the name.
        password_file: file with the password.
        password_env: environment variable with the password, instead of a file.
        tls: whether the connection is encrypted.
        ca_file: certificates to trust instead of the system's.
        client_id: name of this service at the broker; ``houseway-TABLE`` by default.
        prefix: first part of every topic.
        keepalive_s: seconds between signs of life; after one and a half times as long the broker reports the service
            as gone.
    """

    host: Host
    port: Annotated[int, Field(ge=1, le=65_535)] = 1883
    username: Annotated[SecretStr, Field(max_length=200)] | None = None
    password_file: SecretFile | None = None
    password_env: Variable | None = None
    tls: bool = False
    ca_file: File | None = None
    client_id: Annotated[str, Field(max_length=100)] = ""
    prefix: Annotated[str, Field(max_length=100, pattern=r"^[^+#/\x00]+(/[^+#/\x00]+)*$")] = "houseway"
    keepalive_s: Annotated[int, Field(ge=5, le=600)] = 20

    @model_validator(mode="before")
    @classmethod
    def _tls_has_a_port_of_its_own(cls, values: Any) -> Any:  # noqa: ANN401  whatever the file says
        if isinstance(values, dict) and values.get("tls") is True:
            return {"port": 8883, **values}
        return values

    @model_validator(mode="after")
    def _password_goes_with_a_name(self) -> Self:
        if self.password_file is not None and self.password_env is not None:
            raise ValueError("name either password_file or password_env")
        if self.username is None and (self.password_file or self.password_env):
            raise ValueError("a password needs a username")
        return self

    def password(self) -> str | None:
        """The password, if there is one; ConfigError if it cannot be read."""
        if self.password_file is None and self.password_env is None:
            return None
        return read_secret("mqtt", self.password_file, self.password_env)


MailAddress = Annotated[str, Field(max_length=254, pattern=r"^[^@\s<>,;\"]+@[^@\s<>,;\"]+$")]


class LetterConfig(Section):
    """The morning letter: the figures of each gaming day by e-mail, once after it has ended.

    Attributes:
        host: name or address of the mail server (SMTP).
        port: port of the mail server; 587 by default, 465 with ``tls = "tls"``, 25 with ``tls = "none"``.
        tls: ``starttls`` encrypts before anything is sent, ``tls`` from the first byte on, ``none`` never.
        ca_file: certificates to trust instead of the system's.
        username: who signs in, if the server wants that.
        password_file: file with the password.
        password_env: environment variable with the password, instead of a file.
        sender: address from which it comes.
        to: addresses of those who get it.
    """

    host: Host
    port: Annotated[int, Field(ge=1, le=65_535)] = 587
    tls: Literal["starttls", "tls", "none"] = "starttls"
    ca_file: File | None = None
    username: Annotated[str, Field(max_length=200)] | None = None
    password_file: SecretFile | None = None
    password_env: Variable | None = None
    sender: MailAddress
    to: Annotated[tuple[MailAddress, ...], Field(min_length=1, max_length=50)]

    @model_validator(mode="before")
    @classmethod
    def _each_kind_has_its_port(cls, values: Any) -> Any:  # noqa: ANN401  whatever the file says
        ports = {"tls": 465, "none": 25}
        if isinstance(values, dict) and values.get("tls") in ports:
            return {"port": ports[values["tls"]], **values}
        return values

    @model_validator(mode="after")
    def _signs_in_with_a_password_in_private(self) -> Self:
        if self.username is not None:
            needs_one_of(self, "password_file", "password_env")
        elif self.password_file or self.password_env:
            raise ValueError("a password needs a username")
        if self.username is not None and self.tls == "none":
            raise ValueError('a password must not cross the network in the clear: set tls = "starttls" or "tls"')
        return self

    def password(self) -> str | None:
        """The password, if there is one; ConfigError if it cannot be read."""
        return None if self.username is None else read_secret("letter", self.password_file, self.password_env)


Webhooks: TypeAlias = Annotated[tuple[WebhookConfig, ...], Field(max_length=50), AfterValidator(_named_once)]
"""Webhooks, each with a name of its own."""


def subscriber_secrets(
    webhooks: Iterable[WebhookConfig], mqtt: MqttConfig | None, letter: LetterConfig | None
) -> set[str]:
    """Every secret in the settings of subscribers; ConfigError if one cannot be read."""
    secrets: set[str] = set()
    for webhook in webhooks:
        secrets |= {*secret_parts(webhook.url.get_secret_value()), *webhook.secret_text().split()}
    if mqtt is not None and mqtt.username is not None:
        # A name without a password is a token; beside one it may be any word, and is only kept out of sight.
        secrets.add(mqtt.password() or mqtt.username.get_secret_value())
    if letter is not None and (password := letter.password()) is not None:
        secrets.add(password)
    return secrets
