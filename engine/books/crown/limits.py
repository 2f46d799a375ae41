"""Crown Melbourne 6.1: limits are altered as the Act says that rule 9.1 repeats."""

from __future__ import annotations

from engine.vocabulary.limits import LimitRules
from engine.vocabulary.sources import CROWN

LIMITS = LimitRules(raised=CROWN.at("9.1"))
