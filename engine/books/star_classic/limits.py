"""The Star, older rules: altering limits (10.4)."""

from __future__ import annotations

from engine.vocabulary.facts import Fact
from engine.vocabulary.limits import LimitRules
from engine.vocabulary.sources import STAR_CLASSIC

LIMITS = LimitRules(raised=STAR_CLASSIC.at("10.4"), by=Fact("casino supervisor", STAR_CLASSIC.at("10.4")))
