"""Guessing codes of an authenticator app with a stolen password, and passwords that people choose.

How many codes can be tried in a day is counted with a clock that is moved, at the limiter that the service uses. The
passwords are those of the common ones that zxcvbn lists that are long enough, and patterns of this house's names.
"""

from __future__ import annotations

import statistics
import time
from itertools import product
from typing import Final

from zxcvbn.frequency_lists import FREQUENCY_LISTS

from service.access.credentials import SHORTEST_PASSWORD, WeakPasswordError, check_password
from service.access.rate_limits import RateLimiter
from service.access.sign_in_steps import CODES_AT_ONCE, CODES_PER_S

DAY_S: Final = 86_400
RIGHT_AT_ONCE: Final = 3
"""Of a million codes: this step's, and those beside it."""
NAMES: Final = ("pit4", "table2", "grand", "palace", "grandpalace", "pit4table2")


def run() -> dict[str, float | int | str]:
    """Tries that fit into a day, and what they are worth; passwords refused, and how long that takes."""
    now = [0.0]
    limiter = RateLimiter(CODES_PER_S, CODES_AT_ONCE, clock=lambda: now[0])
    tried = 0
    while now[0] < DAY_S:
        if not (wait_s := limiter.take("ann")):
            tried += 1
        now[0] += wait_s
    common = [each for each in FREQUENCY_LISTS["passwords"] if len(each) >= SHORTEST_PASSWORD]
    house = [
        f"{name}{between}{digits}"
        for name, between, digits in product(NAMES, ("", "-", " ", "!"), ("123456789", "2026", "20262026", "888888"))
    ]
    told = [_refused(each) for each in (*common, *(each for each in house if len(each) >= SHORTEST_PASSWORD))]
    return {
        "codes that can be tried in a day": tried,
        "chance that one of them is right": tried * RIGHT_AT_ONCE / 1e6,
        "days to an even chance": round(0.69 * 1e6 / RIGHT_AT_ONCE / tried),
        "common passwords and house names tried": len(told),
        "refused": sum(refused for refused, _ in told),
        "median to judge one, ms": 1000 * statistics.median(seconds for _, seconds in told),
        "longest, ms": 1000 * max(seconds for _, seconds in told),
    }


def _refused(password: str) -> tuple[bool, float]:
    begun = time.perf_counter()
    try:
        check_password(password, "ann", NAMES)
    except WeakPasswordError:
        return True, time.perf_counter() - begun
    print(f"taken: {password}")
    return False, time.perf_counter() - begun


if __name__ == "__main__":
    print(run())
