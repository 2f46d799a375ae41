"""A House Way applied to every deal: the settings left by its rules, the effect of each rule alone, and failures."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from engine.game.setting import all_deals
from engine.house_way.failing import Failing, failing
from engine.house_way.rules import Rule
from engine.house_way.time_limit import TookTooLongError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.game.setting import Deal
    from engine.house_way.rules import HouseWay, Settings, Step
    from engine.house_way.time_limit import TimeLimit


@dataclass(frozen=True, slots=True)
class Use:
    """How often a rule has effect, in deals of 35,960.

    Attributes:
        refuses: deals on which it refused a setting, or left the choice to the dealer.
        decides: deals on which it was the last to do so.
    """

    rule: Rule
    refuses: int
    decides: int


@dataclass(slots=True)
class Watched:
    """A rule that cannot stop the check: its failures are recorded, and count as no opinion.

    A rule that does not return in time is stopped and not called again.
    """

    rule: Rule
    limit: TimeLimit
    failed: dict[Deal, Failing] = field(default_factory=dict)
    invented: list[Deal] = field(default_factory=list)
    endless: Deal | None = None
    _known: dict[object, Failing] = field(default_factory=dict)

    def __call__(self, deal: Deal, settings: Settings) -> Settings | None:
        """Return the settings that the rule allows; None if it has no opinion or fails."""
        if self.endless is not None:
            return None
        try:
            self.limit.start()
            allowed = self.rule.allow(deal, settings)
            if allowed is None:
                return None
            kept = tuple(setting for setting in settings if setting in allowed)
            foreign = len(allowed) != len(kept)
        except TookTooLongError:
            self.endless = deal
            return None
        except Exception as error:  # noqa: BLE001 - whatever a rule under check raises is a finding
            self.failed[deal] = self._failure(error)
            return None
        finally:
            self.limit.running = False
        if foreign:
            self.invented.append(deal)
            return None
        return kept

    def _failure(self, error: Exception) -> Failing:
        """How the rule failed; computed once for all deals with the same failure."""
        at = error.__traceback__.tb_next if error.__traceback__ is not None else None
        alike = (type(error), str(error), None if at is None else at.tb_lineno)
        if alike not in self._known:
            code = getattr(self.rule.allow, "__code__", None)
            self._known[alike] = failing(error, "" if code is None else code.co_filename)
        return self._known[alike]


@dataclass(frozen=True, slots=True)
class Played:
    """All rules applied to all deals: the steps that refused a setting, and each rule's own effect."""

    way: HouseWay
    limit: TimeLimit
    watched: tuple[Watched, ...]
    steps: dict[Deal, tuple[Step, ...]]
    alone: dict[Rule, dict[Deal, Settings]]

    @property
    def uses(self) -> tuple[Use, ...]:
        refuses, decides = Counter[Rule](), Counter[Rule]()
        for deal, steps in self.steps.items():
            for step in steps:
                refuses[step.rule] += deal.ways
        for deal, step in self.decided():
            decides[step.rule] += deal.ways
        return tuple(Use(rule, refuses[rule], decides[rule]) for rule in self.alone)

    def left(self, deal: Deal) -> Settings:
        steps = self.steps[deal]
        return steps[-1].allowed if steps else deal.settings

    def ranks(self, deal: Deal) -> frozenset[tuple[int, int]]:
        """Ranks of both hands of every remaining setting."""
        return frozenset(setting.ranks for setting in self.left(deal))

    def decided(self) -> Iterator[tuple[Deal, Step]]:
        for deal, steps in self.steps.items():
            if steps and steps[-1].decides:
                yield deal, steps[-1]


def play(way: HouseWay, limit: TimeLimit) -> Played:
    """Apply all rules to all deals, with a time limit per call."""
    watched = tuple(Watched(rule, limit) for rule in way.rules)
    rules = tuple(replace(one.rule, allow=one) for one in watched)
    printed = dict(zip(rules, way.rules, strict=True))
    playing = replace(way, rules=rules)
    steps = {
        deal: tuple(replace(step, rule=printed[step.rule]) for step in playing.steps(deal)) for deal in all_deals()
    }
    return Played(way, limit, watched, steps, {one.rule: _alone(one) for one in watched})


def _alone(watched: Watched) -> dict[Deal, Settings]:
    """What a rule allows when it is the first to apply."""
    alone = replace(watched, failed={}, invented=[])
    allowed = {deal: alone(deal, deal.settings) for deal in all_deals()}
    watched.endless = watched.endless or alone.endless
    chosen = watched.rule.dealers_choice
    return {
        deal: kept for deal, kept in allowed.items() if kept is not None and (chosen or len(kept) < len(deal.settings))
    }
