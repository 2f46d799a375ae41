"""What checking who asks costs a request: `python -m benchmarks.access [--count N] [--keys N]`.

The same small answer through the gate with a key and with a page's session, beside one open to all, by turns in one
process without a network; and signing in, which is slow on purpose.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI

from benchmarks.measure import parser_of, report, summary, timed_ms
from service.access.access import Access
from service.access.credentials import new_password
from service.access.roles import Permission, UserRole
from service.access.sessions import Visit
from service.config.service_settings import LimitsConfig
from service.http.authentication import Authentication
from service.http.permissions import PUBLIC, requires
from service.record.changes import Attribution
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings
from service.web.templating import problem_page

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

WHY = Attribution("the benchmark", "to be measured")


def application(access: Access) -> Callable[..., Awaitable[None]]:
    """Two routes of one answer, one of them guarded."""
    app = FastAPI(openapi_url=None)

    @app.get("/open", dependencies=[PUBLIC])
    @app.get("/guarded", dependencies=[requires(Permission.WATCH)])
    async def answer() -> str:
        return "ok"

    return Authentication(
        app, access=access, cookie="houseway_b", public_paths=frozenset({"/open"}), local_only=True, page=problem_page
    )


async def ask(app: Callable[..., Awaitable[None]], path: str, headers: dict[str, str]) -> float:
    """Milliseconds until the answer is there."""
    said: list[Any] = []
    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "query_string": b"",
        "client": ("192.0.2.1", 1),
        "headers": [(name.encode(), value.encode()) for name, value in {"host": "localhost", **headers}.items()],
    }

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:  # noqa: ANN401  as ASGI has it
        said.append(message)

    start = time.perf_counter()
    await app(scope, receive, send)
    spent = (time.perf_counter() - start) * 1e3
    if said[0]["status"] != 200:
        raise SystemExit(f"{path} was answered {said[0]['status']}")
    return spent


async def measure(access: Access, count: int, secret: str, key: str) -> dict[str, list[float]]:
    """Return the milliseconds of each way of asking."""
    app = application(access)
    ways = {
        "open to all": ("/open", {}),
        "with a key": ("/guarded", {"authorization": f"Bearer {key}"}),
        "with a page's session": ("/guarded", {"cookie": f"houseway_b={secret}"}),
    }
    spent: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(count):
        for way, (path, headers) in ways.items():
            spent[way].append(await ask(app, path, headers))
    return spent


def main() -> None:
    """Measure each way of asking, and signing in."""
    options = parser_of(__doc__)
    options.add_argument("--count", type=int, default=3000)
    options.add_argument("--keys", type=int, default=500)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        record = Record(RecordSettings(Path(folder) / "state"))
        access = Access(record, LimitsConfig(requests_per_minute=1e6, burst=100_000), session_hours=1)
        password = new_password()
        access.accounts.add("ann", UserRole.VIEWER, password, WHY)
        keys = [
            access.accounts.add_key(f"key {number}", UserRole.INTEGRATOR, 1, WHY)[1] for number in range(asked.keys)
        ]
        here = Visit("192.0.2.1")
        sign_ins = [timed_ms(lambda: asyncio.run(access.sign_in("ann", password, here))) for _ in range(15)]
        secret = asyncio.run(access.sign_in("ann", password, here))
        if not isinstance(secret, str):
            raise SystemExit("nobody signed in")
        # The open answer is limited by address: as a stranger's, without a limit here.
        access.strangers = access.callers
        spent = asyncio.run(measure(access, asked.count, secret, keys[-1]))
        report(
            {"keys": asked.keys, **{way: summary(times) for way, times in {**spent, "signing in": sign_ins}.items()}},
            as_json=asked.as_json,
        )
        record.close()


if __name__ == "__main__":
    main()
