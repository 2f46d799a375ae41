"""Ten thousand generated requests to a service, and ten thousand generated answers of a table to its hub's client.

Requests follow the OpenAPI description, each with every kind of value that it allows or forbids (Schemathesis). Answers
are right ones in which one value is another, or any bytes. Reported: answers 5xx, answers that are not as described,
what else than "the table is away" left the client, and the memory before and at most.
"""

import asyncio
import os
import random
import time
from collections import Counter
from contextlib import suppress
from typing import Any, Final

from benchmarks.attacks.common import Figures, Service, checks, keys_of, service
from benchmarks.memory import MostMemory, held_mb
from service.access.roles import UserRole
from tests.service.hub.test_table_client import ASKED, ODD, PAGE, REPORT, ask, with_odd

REQUESTS: Final = 10_000
ANSWERS: Final = 10_000
LONGEST_S: Final = 500.0
"""On a slow machine fewer requests are sent, to each operation for the same time."""
_KEYS: Final = 40
"""The number of requests a minute is limited for each key; all together may send more than this machine can answer."""
_NEVER_ENDING: Final = "/v1/events"


class _TimeOverError(Exception):
    """The time for requests to an operation is over."""


def run() -> Figures:
    """Send the requests, and give the answers."""
    with service() as attacked:
        found = _requests(attacked)
    return found | asyncio.run(_answers())


def _requests(attacked: Service) -> Figures:
    import schemathesis  # noqa: PLC0415 - takes seconds
    from hypothesis import HealthCheck, Phase, given, settings  # noqa: PLC0415
    from schemathesis.core.result import Ok  # noqa: PLC0415

    keys = keys_of(attacked, _KEYS, UserRole.ADMIN)
    described = schemathesis.openapi.from_url(
        f"{attacked.url}/openapi.json", headers={"Authorization": f"Bearer {keys[0]}"}
    )
    operations = [
        operation.ok()
        for operation in described.exclude(path=_NEVER_ENDING).get_all_operations()
        if isinstance(operation, Ok)
    ]
    statuses: Counter[int] = Counter()
    failed: list[str] = []
    mb = [held_mb(attacked.pid)]
    sent = 0
    with MostMemory(attacked.pid) as memory:
        started = time.monotonic()
        for operation in operations:
            until = time.monotonic() + LONGEST_S / len(operations)
            each = -(-(REQUESTS - sent) // (len(operations) - operations.index(operation)))

            @given(case=operation.as_strategy())
            @settings(
                max_examples=each,
                derandomize=True,
                deadline=None,
                database=None,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            def answered(case: Any) -> None:  # noqa: ANN401  of Schemathesis
                nonlocal sent
                if time.monotonic() > until:  # noqa: B023  called in this turn only
                    raise _TimeOverError
                sent += 1
                if sent % (REQUESTS // 10) == 0:
                    mb.append(held_mb(attacked.pid))
                try:
                    answer = case.call(headers={"Authorization": f"Bearer {keys[sent % _KEYS]}"}, timeout=30)
                except Exception as error:  # noqa: BLE001  counted
                    failed.append(f"{case.method} {case.path}: {error!r}"[:200])
                    return
                statuses[answer.status_code] += 1
                if answer.status_code >= 500 and len(failed) < 20:
                    failed.append(f"{case.method} {answer.request.url}: {answer.status_code} {answer.text[:300]}")

            with suppress(_TimeOverError):
                answered()
        spent_s = time.monotonic() - started
    return {
        "requests": sent,
        "requests: seconds": round(spent_s),
        "requests: answers": ", ".join(f"{status}: {count}" for status, count in sorted(statuses.items())),
        "requests: failed": "; ".join(failed) or "none",
        "requests: memory_mb": " ".join(f"{each:.0f}" for each in mb),
        "requests: peak_mb": round(memory.mb),
        "requests: failing checks afterwards": checks(attacked),
    }


async def _answers() -> Figures:
    chance = random.Random(1)  # noqa: S311  no secret
    kinds = tuple(ASKED)
    found: Counter[str] = Counter()
    mb = []
    for number in range(ANSWERS):
        if chance.random() < 0.7:
            body = with_odd(chance.choice((PAGE, REPORT)), chance.randrange(400), chance.choice(ODD)).encode()
            status, date = chance.choice((200, 200, 200, 404, 409)), chance.choice(("Thu, 99 Foo 2026", "x", "-1"))
            head = f"{status} X\r\nDate: {date}"
        else:
            body, head = chance.randbytes(chance.randrange(4_000)), f"{chance.randrange(200, 600)} X"
        try:
            answer = await asyncio.wait_for(ask(ASKED[kinds[number % len(kinds)]], body, head), 60)
            found["away" if isinstance(answer, Exception) else "a value"] += 1
        except Exception as error:  # noqa: BLE001  counted
            found[type(error).__name__] += 1
        if number % (ANSWERS // 10) == 0:
            mb.append(held_mb(os.getpid()))
    return {
        "answers": ANSWERS,
        "answers: became": ", ".join(f"{name}: {count}" for name, count in found.items()),
        "answers: memory_mb": " ".join(f"{each:.0f}" for each in mb),
    }
