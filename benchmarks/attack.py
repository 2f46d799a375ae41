"""Attack a table's service or its record: `python -m benchmarks.attack [KIND ...]`. Default: all kinds.

`connections`, `headers`, `passwords` and `pictures` serve the sample with `houseway run` in a separate process, attack
it, and report the refusals, the peak memory of the service, and the latencies of a signed-in page and of `/healthz`
during the attack. `lying` is a table that lies to its hub, beside honest ones. `tampering` and `rewriting` forge a
record.
"""

from collections.abc import Callable
from typing import Final

from benchmarks.attacks import connections, generated, headers, lying, passwords, pictures, rewriting, tampering
from benchmarks.attacks.common import Figures
from benchmarks.measure import parser_of, report

KINDS: Final[dict[str, Callable[[], Figures]]] = {
    "connections": connections.run,
    "generated": generated.run,
    "headers": headers.run,
    "lying": lying.run,
    "passwords": passwords.run,
    "pictures": pictures.run,
    "rewriting": rewriting.run,
    "tampering": tampering.run,
}


def main() -> None:
    options = parser_of(__doc__)
    options.add_argument("kinds", nargs="*", choices=[*KINDS, []], metavar="KIND", help=", ".join(KINDS))
    asked = options.parse_args()
    for kind in asked.kinds or KINDS:
        report({f"{kind}: {name}": value for name, value in KINDS[kind]().items()}, as_json=asked.as_json)


if __name__ == "__main__":
    main()
