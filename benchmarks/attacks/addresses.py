"""Webhooks that lead into the house's own network, or to this machine itself: what each hostile address gave.

A listener on this machine counts who gets through; `python -m benchmarks.attacks.addresses` prints the whole table.
That a name gains nothing by leading elsewhere the second time (DNS rebinding) is a test in `tests/service/notify`.
"""

from __future__ import annotations

import asyncio
import base64
import os
import socket
import statistics
import time
from threading import Thread
from typing import Final

from service.config.subscriber_settings import WebhookConfig
from service.notify.delivery import NotTakenError
from service.notify.notices import Notice
from service.notify.webhooks import WebhookChannel

HOSTILE: Final = (
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "0.0.0.0",  # noqa: S104  that it is refused is measured
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b:1::7f00:1]",
    "[2002:7f00:1::1]",
    "[2002:a00:1::1]",
    "[2001:0:5db8:d70e:0:0:80ff:fffe]",
    "[fe80::1]",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[fec0::1]",
    "[ff02::1]",
    "[2001:db8::1]",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.0.1",
    "100.64.0.1",
    "169.254.169.254",
    "192.0.0.9",
    "192.88.99.1",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "localhost",
)
_REFUSED: Final = "refused"


def run() -> dict[str, float | int | str]:
    """Send to each hostile address, over http and https; what was refused before a connection was made."""
    os.environ["ATTACK_SECRET"] = "whsec_" + base64.b64encode(b"k" * 32).decode()
    reached: list[str] = []
    refused, seconds = 0, []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        Thread(target=_count, args=(listener, reached), daemon=True).start()
        port = listener.getsockname()[1]
        for host in HOSTILE:
            for scheme in ("http", "https"):
                begun = time.perf_counter()
                told = asyncio.run(_send(f"{scheme}://{host}:{port}/"))
                seconds.append(time.perf_counter() - begun)
                refused += told is not None and told.startswith(_REFUSED)
                print(f"{scheme}://{host:<36} {told or 'taken'}")
    return {
        "addresses tried": 2 * len(HOSTILE),
        "refused before connecting": refused,
        "connections to this machine": len(reached),
        "median to refuse, ms": 1000 * statistics.median(seconds),
    }


async def _send(url: str) -> str | None:
    channel = WebhookChannel(WebhookConfig.model_validate({"name": "x", "url": url, "secret_env": "ATTACK_SECRET"}))
    try:
        async with asyncio.timeout(5):
            await channel.send(Notice(1, 1, "result", "x", "", "x", "{}"))
    except NotTakenError as error:
        code = error.finding.code.value
        return f"{_REFUSED if code.startswith('address') else 'not reached'}: {error}"
    except TimeoutError:
        return "no answer"
    finally:
        await channel.close()
    return None


def _count(listener: socket.socket, reached: list[str]) -> None:
    while True:
        try:
            connection, address = listener.accept()
        except OSError:
            return
        reached.append(str(address))
        connection.close()


if __name__ == "__main__":
    print(run())
