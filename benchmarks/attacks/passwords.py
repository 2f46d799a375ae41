"""Two hundred wrong passwords at once from twenty addresses, and one user with the right password."""

import http.client
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Final
from urllib.parse import urlencode

from benchmarks.attacks.common import Figures, Service, Watch, checks, service

AT_ONCE: Final = 200
ADDRESSES: Final = 20
RIGHT: Final = 8
_FORM: Final = {"Content-Type": "application/x-www-form-urlencoded", "Origin": "http://localhost"}


def sign_in(target: Service, address: str, name: str, password: str, cookie: str = "") -> tuple[int, float, str]:
    """Sign in from an address; return status, seconds and cookies."""
    connection = http.client.HTTPConnection(*target.address, timeout=60, source_address=(address, 0))
    started = time.perf_counter()
    sent = urlencode({"name": name, "password": password})
    try:
        connection.request("POST", "/sign-in", sent, {**_FORM, "Host": "localhost", "Cookie": cookie})
        answer = connection.getresponse()
        answer.read()
        given = "; ".join(value.partition(";")[0] for value in answer.headers.get_all("Set-Cookie", []))
        return answer.status, time.perf_counter() - started, given
    except (OSError, http.client.HTTPException):
        return 0, time.perf_counter() - started, ""
    finally:
        connection.close()


def run() -> Figures:
    """Guess with many names at once, then for one account, whose owner signs in with a known and with a new browser."""
    with service() as target:
        known = sign_in(target, "127.0.2.1", target.account, target.password)[2]
        with Watch(target) as watch, ThreadPoolExecutor(AT_ONCE) as crowd:
            time.sleep(2)
            asked = [
                crowd.submit(sign_in, target, f"127.0.1.{1 + each % ADDRESSES}", f"name{each}", "a wrong password")
                for each in range(AT_ONCE)
            ]
            guesses = [each.result() for each in asked]
            time.sleep(2)
        # The attacker guesses from one address; the owner signs in from another.
        for each in range(40):
            sign_in(target, "127.0.3.1", target.account, f"wrong again {each}")
        there = [sign_in(target, "127.0.2.1", target.account, target.password, known) for _ in range(RIGHT)]
        elsewhere = sign_in(target, "127.0.2.2", target.account, target.password)[0]
        said = Counter(status for status, _, _ in guesses)
        return {
            "wrong passwords at once": AT_ONCE,
            **{f"answered {status or 'not at all'}": count for status, count in sorted(said.items())},
            "last answered after_s": round(max(spent for _, spent, _ in guesses), 2),
            "right passwords in the known browser": RIGHT,
            "right passwords refused": sum(status != 303 for status, _, _ in there),
            "right password in a new browser": elsewhere,
            "longest sign-in_s": round(max(spent for _, spent, _ in there), 2),
            "checks that fail": checks(target),
            **watch.figures(),
        }
