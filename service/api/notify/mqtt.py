"""MQTT: publishes notices and the table's state to a broker.

Notices are sent one at a time with quality of service 1 and wait in the record while the broker is unavailable.
``PREFIX/TABLE/health`` and ``PREFIX/SERVICE/availability`` are retained; the broker itself publishes ``offline`` in the
latter if the service disappears.
"""

from __future__ import annotations

import asyncio
import json
import ssl
from typing import TYPE_CHECKING, Final

from paho.mqtt.client import Client, MQTTMessageInfo
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode

from service.record.health import Check
from service.system.settings_file import ConfigError
from service.words.codes import ServiceCode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from paho.mqtt.client import ConnectFlags, DisconnectFlags
    from paho.mqtt.properties import Properties
    from paho.mqtt.reasoncodes import ReasonCode

    from service.api.notify.notices import Notice
    from service.record.health import Watched
    from service.system.subscriber_settings import MqttConfig, NoticeKind
    from vision.findings import Param

CHECK: Final = "mqtt"
_TOPICS: Final[dict[NoticeKind, str]] = {
    "result": "results",
    "house_hand_wrong": "alarms/house_hand_wrong",
    "needs_review": "alarms/needs_review",
    "health": "alarms/health",
    "procedure": "alarms/procedure",
    "epoch": "epochs",
}
_LOOK_AGAIN_S = 2.0
"""Longest wait for a change before the state is read again: it includes the age of the last picture."""
_LONGEST_PAUSE_S = 60
"""Longest pause between attempts to connect."""
_GOODBYE_S = 2.0
"""Longest wait for the broker to acknowledge that the service is offline."""


class MqttChannel:
    """One connection to a broker, maintained by a thread of the library; ConfigError if password or certificate fail.

    Args:
        config: the broker's settings.
        name: of the service, which identifies it at the broker.
        live: notifies of changes, and receives the check of the connection.
        healths: the checks to publish, by the name of their table or service.
    """

    def __init__(
        self, config: MqttConfig, name: str, live: Watched, healths: Mapping[str, Callable[[], tuple[Check, ...]]]
    ) -> None:
        self._config = config
        self._base = f"{config.prefix}/{name}"
        self._healths = healths
        self._broker = f"{config.host} port {config.port}"
        self._live = live
        self._loop: asyncio.AbstractEventLoop | None = None
        self._connected = asyncio.Event()
        self._refused = False
        self._connections = 0
        self._acknowledged = asyncio.Event()
        self._taken: set[int] = set()
        client = Client(
            CallbackAPIVersion.VERSION2, client_id=config.client_id or f"houseway-{name}", clean_session=False
        )
        if config.username is not None:
            client.username_pw_set(config.username.get_secret_value(), config.password())
        if config.tls:
            try:
                client.tls_set_context(ssl.create_default_context(cafile=config.ca_file))
            except OSError as error:
                raise ConfigError(f"mqtt.ca_file {config.ca_file}: cannot be used: {error}") from None
        client.will_set(f"{self._base}/availability", "offline", qos=1, retain=True)
        client.reconnect_delay_set(1, _LONGEST_PAUSE_S)
        client.on_connect = self._on_connect
        client.on_connect_fail = self._on_connect_fail
        client.on_disconnect = self._on_disconnect
        client.on_publish = self._on_publish
        self._client = client

    async def send(self, notice: Notice) -> None:
        """Publish a notice; return once the broker has acknowledged it, however long that takes."""
        self._connect()
        await self._connected.wait()
        self._taken.clear()
        # After a break the library sends it again automatically; only its acknowledgement counts.
        base = f"{self._config.prefix}/{notice.table}" if notice.table else self._base
        sent = self._client.publish(f"{base}/{_TOPICS[notice.kind]}", notice.body, qos=1)
        while sent.mid not in self._taken:
            self._acknowledged.clear()
            await self._acknowledged.wait()

    async def run(self) -> None:
        """Publish every change of the tables' states until cancelled, or until the service stops."""
        self._connect()
        published: dict[str, tuple[str, int]] = {}
        while True:
            heard = self._live.changes.count
            await self._connected.wait()
            # A restarted broker may have lost its retained messages.
            for name, health in self._healths.items():
                now = (_state(health()), self._connections)
                if now != published.get(name):
                    self._client.publish(f"{self._config.prefix}/{name}/health", now[0], qos=1, retain=True)
                    published[name] = now
            await self._live.changes.wait_beyond(heard, _LOOK_AGAIN_S)
            if self._live.changes.closed:
                return

    async def close(self) -> None:
        """Publish ``offline`` and disconnect."""
        if self._loop is None:
            return
        self._loop = None
        if self._client.is_connected():
            goodbye = self._client.publish(f"{self._base}/availability", "offline", qos=1, retain=True)
            await asyncio.to_thread(_wait_for, goodbye)
        self._client.disconnect()
        await asyncio.to_thread(self._client.loop_stop)

    def _connect(self) -> None:
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            self._show(ServiceCode.BROKER_CONNECTING, ok=True, host=self._config.host, port=self._config.port)
            self._client.connect_async(self._config.host, self._config.port, keepalive=self._config.keepalive_s)
            self._client.loop_start()

    # The callbacks run in the library's thread; they change state only in the event loop.

    def _on_connect(
        self, client: Client, _: object, __: ConnectFlags, reason: ReasonCode, ___: Properties | None
    ) -> None:
        self._refused = reason.is_failure
        if self._refused:
            self._show(ServiceCode.BROKER_REFUSES, ok=False, why=str(reason))
            return
        client.publish(f"{self._base}/availability", "online", qos=1, retain=True)
        self._show(ServiceCode.BROKER_CONNECTED, ok=True, host=self._config.host, port=self._config.port)
        self._call(self._be_connected)

    def _on_disconnect(
        self, _: Client, __: object, ___: DisconnectFlags, reason: ReasonCode, ____: Properties | None
    ) -> None:
        self._call(self._connected.clear)
        if reason.is_failure and not self._refused:
            self._show(ServiceCode.BROKER_CONNECTION_LOST, ok=False, why=str(reason))

    def _on_publish(self, _: Client, __: object, mid: int, ___: ReasonCode, ____: Properties) -> None:
        self._call(self._be_taken, mid)

    def _on_connect_fail(self, _: Client, __: object) -> None:
        self._show(ServiceCode.BROKER_UNREACHABLE, ok=False, host=self._config.host, port=self._config.port)

    def _call(self, callback: Callable[..., None], *args: int) -> None:
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(callback, *args)

    def _be_connected(self) -> None:
        self._connections += 1
        self._connected.set()

    def _be_taken(self, mid: int) -> None:
        self._taken.add(mid)
        self._acknowledged.set()

    def _show(self, code: ServiceCode, *, ok: bool, **params: Param) -> None:
        self._live.check(Check.of(CHECK, code, ok=ok, **params))


def _state(health: tuple[Check, ...]) -> str:
    # The broker need not know about its own check.
    checks = [check for check in health if check.name != CHECK]
    states = [{"name": check.name, "ok": check.ok, "message": check.message} for check in checks]
    return json.dumps({"healthy": all(check.ok for check in checks), "checks": states})


def _wait_for(sent: MQTTMessageInfo) -> None:
    if sent.rc == MQTTErrorCode.MQTT_ERR_SUCCESS:
        sent.wait_for_publish(_GOODBYE_S)
