"""Attacks on the table service: `python -m benchmarks.attack [KIND ...] [--checkout FOLDER]`.

Each kind is a module of `benchmarks.attacks`. It starts the sample with `houseway run` in a separate process, attacks
it, and reports what was refused, the peak memory of the service, and the latencies of a signed-in page and of
`/healthz` during the attack. Default: all kinds. `--checkout` attacks the service of another checkout.
"""

from __future__ import annotations

import inspect
import pkgutil
from importlib import import_module
from pathlib import Path
from typing import Final

from benchmarks import attacks
from benchmarks.attacks.common import ROOT, Figures
from benchmarks.measure import parser_of, report

_SHARED: Final = "common"


def kinds() -> list[str]:
    """Return the names of all kinds of attack."""
    return sorted(each.name for each in pkgutil.iter_modules(attacks.__path__) if each.name != _SHARED)


def run(kind: str, checkout: Path = ROOT) -> Figures:
    """Run one kind of attack."""
    attack = import_module(f"{attacks.__name__}.{kind}").run
    found: Figures = attack(checkout) if "checkout" in inspect.signature(attack).parameters else attack()
    return found


def main() -> None:
    options = parser_of(__doc__)
    options.add_argument("kinds", nargs="*", choices=[*kinds(), []], metavar="KIND", help=", ".join(kinds()))
    options.add_argument("--checkout", type=Path, default=ROOT, help="whose service is attacked")
    asked = options.parse_args()
    for kind in asked.kinds or kinds():
        found = {f"{kind}: {name}": value for name, value in run(kind, asked.checkout).items()}
        report(found, as_json=asked.as_json)


if __name__ == "__main__":
    main()
