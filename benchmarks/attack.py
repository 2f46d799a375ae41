"""Attacks on the table service: `python -m benchmarks.attack [KIND ...] [--checkout FOLDER]`.

Each kind is a module of `benchmarks.attacks`. It starts the sample with `houseway run` in a process of its own, attacks
it, and tells what was refused, the most memory that the service took, and how long a signed-in page and `/healthz`
waited meanwhile. Without a kind all are run. `--checkout` attacks the service of another checkout, to compare two.
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
    """Names of all kinds of attack."""
    return sorted(each.name for each in pkgutil.iter_modules(attacks.__path__) if each.name != _SHARED)


def run(kind: str, checkout: Path = ROOT) -> Figures:
    """What one kind of attack did."""
    attack = import_module(f"{attacks.__name__}.{kind}").run
    found: Figures = attack(checkout) if "checkout" in inspect.signature(attack).parameters else attack()
    return found


def main() -> None:
    """Run the kinds that are named, or all."""
    options = parser_of(__doc__)
    options.add_argument("kinds", nargs="*", choices=[*kinds(), []], metavar="KIND", help=", ".join(kinds()))
    options.add_argument("--checkout", type=Path, default=ROOT, help="whose service is attacked")
    asked = options.parse_args()
    for kind in asked.kinds or kinds():
        found = {f"{kind}: {name}": value for name, value in run(kind, asked.checkout).items()}
        report(found, as_json=asked.as_json)


if __name__ == "__main__":
    main()
