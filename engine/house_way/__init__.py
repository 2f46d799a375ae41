"""Building blocks of a House Way, imported by a casino's own file.

The House Ways themselves are found by the id of their rulebook in :mod:`engine.books.house_ways`.
"""

from __future__ import annotations

from engine.house_way.rules import Decision, Definition, HouseWay, Moment, Rule, Verdict, rule
from engine.vocabulary.citations import Source
from engine.vocabulary.facts import Whose

__all__ = ["Decision", "Definition", "HouseWay", "Moment", "Rule", "Source", "Verdict", "Whose", "rule"]
