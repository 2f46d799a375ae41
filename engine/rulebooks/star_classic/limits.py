"""The Star, older rules: altering limits (10.4)."""

from __future__ import annotations

from engine.facts import Fact
from engine.limits import LimitRules
from engine.sources import STAR_CLASSIC

LIMITS = LimitRules(raised=STAR_CLASSIC.at("10.4"), by=Fact("casino supervisor", STAR_CLASSIC.at("10.4")))
