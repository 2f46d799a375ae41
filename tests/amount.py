"""How much is played by chance: what each run can afford, or as much as before a release (``HOUSEWAY_THOROUGH=1``)."""

import os

THOROUGH = os.environ.get("HOUSEWAY_THOROUGH", "") not in {"", "0"}


def amount(usual: int, thorough: int) -> int:
    return thorough if THOROUGH else usual
