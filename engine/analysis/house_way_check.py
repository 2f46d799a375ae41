"""A House Way checked before a table uses it: declarations, and every one of its rules on every deal.

Faults are what must be put right, notes what the owner should know.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from itertools import chain, combinations
from typing import TYPE_CHECKING

from engine.analysis.edge import HANDS
from engine.analysis.way_finding import WayFinding, declarations, fault, note, ways_of, wrong
from engine.game.setting import all_deals
from engine.house_way.rules import HouseWay, Rule, all_alike
from engine.house_way.terms import dominates

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from engine.game.setting import Deal, Setting
    from engine.game.tiles import Kind
    from engine.house_way.rules import Settings, Step

EXCEPTIONS_BELOW = HANDS // 20
"""Deals of 35,960: a rule that has effect on fewer is taken for an exception (no printed rule lies near the line)."""


@dataclass(frozen=True, slots=True)
class Use:
    """How often a rule has effect, in deals of 35,960.

    Attributes:
        refuses: deals on which it refused a setting.
        decides: deals on which it was the last to do so.
    """

    rule: Rule
    refuses: int
    decides: int


@dataclass(frozen=True, slots=True)
class WayCheck:
    """What was found, and how often each rule has effect: nothing of that where one is no rule."""

    way: HouseWay
    findings: tuple[WayFinding, ...]
    uses: tuple[Use, ...]

    @property
    def faults(self) -> tuple[WayFinding, ...]:
        """What must be put right."""
        return tuple(finding for finding in self.findings if finding.fault)

    @property
    def notes(self) -> tuple[WayFinding, ...]:
        """What the owner should know."""
        return tuple(finding for finding in self.findings if not finding.fault)


def check(way: HouseWay, taken: Collection[str] = ()) -> WayCheck:
    """Check a House Way, which must bear none of the ids taken.

    Its declarations are checked, and all of its rules on all 8,130 deals by face.
    """
    findings = list(declarations(way, taken))
    uses: tuple[Use, ...] = ()
    if all(isinstance(each, Rule) for each in way.rules):
        played = _play(way)
        uses = played.uses
        for search in (_broken, _undecided, _ineffective, _contradictions, _dominated, _refusals, _by_face):
            findings += search(played)
    return WayCheck(way, tuple(sorted(findings, key=lambda finding: not finding.fault)), uses)


# What the rules do


@dataclass(slots=True)
class _Watched:
    """A rule that cannot stop the check: its failures are kept, and count as no opinion."""

    rule: Rule
    failed: dict[Deal, str] = field(default_factory=dict)
    invented: list[Deal] = field(default_factory=list)

    def __call__(self, deal: Deal, settings: Settings) -> Settings | None:
        try:
            allowed = self.rule.allow(deal, settings)
            if allowed is None:
                return None
            kept = tuple(setting for setting in settings if setting in allowed)
            foreign = len(allowed) != len(kept)
        except Exception as error:  # noqa: BLE001 - whatever a rule under check raises is a finding
            self.failed[deal] = f"{type(error).__name__}: {error}"
            return None
        if foreign:
            self.invented.append(deal)
            return None
        return kept


@dataclass(frozen=True, slots=True)
class _Played:
    """All rules applied to all deals: the steps that refused a setting, and what each rule allows and refuses alone."""

    way: HouseWay
    watched: tuple[_Watched, ...]
    steps: dict[Deal, tuple[Step, ...]]
    alone: dict[Rule, dict[Deal, Settings]]

    @property
    def uses(self) -> tuple[Use, ...]:
        """How often each rule has effect."""
        refuses, decides = Counter[Rule](), Counter[Rule]()
        for deal, steps in self.steps.items():
            for step in steps:
                refuses[step.rule] += deal.ways
        for deal, step in self.decided():
            decides[step.rule] += deal.ways
        return tuple(Use(rule, refuses[rule], decides[rule]) for rule in self.alone)

    def left(self, deal: Deal) -> Settings:
        """The settings that the rules leave."""
        steps = self.steps[deal]
        return steps[-1].allowed if steps else deal.settings

    def decided(self) -> Iterator[tuple[Deal, Step]]:
        """Every deal that has its setting, with the step that decided."""
        for deal, steps in self.steps.items():
            if steps and steps[-1].allowed and all_alike(steps[-1].allowed):
                yield deal, steps[-1]


def _play(way: HouseWay) -> _Played:
    watched = tuple(_Watched(rule) for rule in way.rules)
    rules = tuple(replace(one.rule, allow=one) for one in watched)
    printed = dict(zip(rules, way.rules, strict=True))
    playing = replace(way, rules=rules)
    steps = {
        deal: tuple(replace(step, rule=printed[step.rule]) for step in playing.steps(deal)) for deal in all_deals()
    }
    return _Played(way, watched, steps, {rule: _alone(rule) for rule in way.rules})


def _alone(rule: Rule) -> dict[Deal, Settings]:
    """What a rule allows where none was applied before it."""
    watched = _Watched(rule)
    allowed = {deal: watched(deal, deal.settings) for deal in all_deals()}
    return {deal: kept for deal, kept in allowed.items() if kept is not None and len(kept) < len(deal.settings)}


def _broken(played: _Played) -> Iterator[WayFinding]:
    """Rules that fail, allow settings that are not open, or refuse every setting."""
    for one in played.watched:
        if one.failed:
            examples = [f"{deal}: {fault}" for deal, fault in one.failed.items()]
            yield fault("fails", f"{one.rule.name} fails on {{deals}}: correct it", one.failed, examples, one.rule)
        if one.invented:
            words = (
                f"{one.rule.name} allows settings that were not open to it on {{deals}}: choose among those it is given"
            )
            yield fault("illegal", words, one.invented, map(str, one.invented), one.rule)
    refused: dict[Rule, list[tuple[Deal, Step]]] = defaultdict(list)
    for deal, steps in played.steps.items():
        if steps and not steps[-1].allowed:
            refused[steps[-1].rule].append((deal, steps[-1]))
    for rule, cases in refused.items():
        words = (
            f"{rule.cite} ({rule.name}) refuses every setting still open on {{deals}}: ask it before the rule that "
            f"refused what it asks for, or let it say nothing where none fits"
        )
        examples = [f"{deal}: open were {_choices(step.open)}" for deal, step in cases]
        yield fault("refuses all", words, [deal for deal, _ in cases], examples, rule)


def _undecided(played: _Played) -> Iterator[WayFinding]:
    """Deals with settings left that differ, by the rules that spoke before."""
    groups: dict[tuple[Rule, ...], list[Deal]] = defaultdict(list)
    for deal, steps in played.steps.items():
        if not steps or (steps[-1].allowed and not all_alike(steps[-1].allowed)):
            groups[tuple(step.rule for step in steps)].append(deal)
    for rules, deals in sorted(groups.items(), key=lambda group: -ways_of(group[1])):
        names = [f"{rule.cite} ({rule.name})" for rule in rules]
        listed = " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
        spoke = f"after {listed}" if rules else "no rule speaks"
        words = f"{{deals}} are not decided, {spoke}: add a rule that decides them"
        examples = [f"{deal}: {_choices(played.left(deal))}" for deal in deals]
        yield fault("undecided", words, deals, examples, *rules)


def _ineffective(played: _Played) -> Iterator[WayFinding]:
    """Rules that never refuse anything, and those that never decide."""
    deciding = dict(played.decided())
    for use in played.uses:
        rule, alone = use.rule, played.alone[use.rule]
        if use.refuses and not use.decides:
            words = f"{rule.cite} ({rule.name}) refuses settings on {use.refuses:,} deals, but never decides one"
            yield note("never decides", words, rule)
        if use.refuses:
            continue
        if not alone:
            words = f"{rule.cite} ({rule.name}) refuses no setting of any deal: it never fires"
            yield wrong("never fires", words, rule)
            continue
        against = [deal for deal, kept in alone.items() if deal in deciding and not set(kept) & set(played.left(deal))]
        if against:
            words = (
                f"{rule.cite} ({rule.name}) never fires: other rules are asked before it and set {{deals}} as it "
                f"does not allow; ask it before them"
            )
            examples = [
                f"{deal} is set {played.left(deal)[0]} by {deciding[deal].rule.cite}, not {_choices(alone[deal])}"
                for deal in against
            ]
            yield fault("never fires", words, against, examples, rule)
        else:
            words = (
                f"{rule.cite} ({rule.name}) never fires: what it says of {{deals}} other rules bring about without it"
            )
            yield replace(fault("redundant", words, alone, [], rule), fault=False)


def _contradictions(played: _Played) -> Iterator[WayFinding]:
    """Exceptions of which one refuses all that the other wants, neither being an exception to the other."""
    scopes = {rule: set(alone) for rule, alone in played.alone.items()}
    refusing: dict[Rule, list[tuple[Deal, Step]]] = defaultdict(list)
    for deal, steps in played.steps.items():
        for step in steps:
            scopes[step.rule].add(deal)
            refusing[step.rule].append((deal, step))
    exceptions = [rule for rule, scope in scopes.items() if 0 < ways_of(scope) < EXCEPTIONS_BELOW]
    for one, other in combinations(exceptions, 2):
        if scopes[one] < scopes[other]:
            continue  # an exception to the other exception, and applied before it
        watched = _Watched(other)
        cases = [
            (deal, step, wanted)
            for deal, step in refusing[one]
            if deal in scopes[other] and (wanted := watched(deal, step.open)) and not set(wanted) & set(step.allowed)
        ]
        if cases:
            words = (
                f"{one.cite} ({one.name}) and {other.cite} ({other.name}) ask for different settings of {{deals}}, and "
                f"only their order decides: say in the text which goes first, or keep their tiles apart"
            )
            examples = [
                f"{deal}: {_choices(step.allowed)} by {one.cite}, {_choices(wanted)} by {other.cite}"
                for deal, step, wanted in cases
            ]
            yield fault("contradiction", words, [deal for deal, _, _ in cases], examples, one, other)


def _dominated(played: _Played) -> Iterator[WayFinding]:
    """Settings that another one beats in one hand and beats or equals in the other, by the rule that chose them."""
    chosen: dict[Rule, list[tuple[Deal, Setting, Setting]]] = defaultdict(list)
    for deal, step in played.decided():
        setting = step.allowed[0]
        better = max((other for other in deal.settings if dominates(other, setting)), key=_ranks, default=None)
        if better is not None:
            chosen[step.rule].append((deal, setting, better))
    for rule, cases in chosen.items():
        words = (
            f"{rule.cite} ({rule.name}) sets {{deals}} as another setting beats in one hand and beats or equals in the "
            f"other: it can only lose by it"
        )
        examples = [
            f"{deal} is set {setting} ({setting.describe()}), where {better} is better ({better.describe()})"
            for deal, setting, better in cases
        ]
        yield fault("dominated", words, [deal for deal, *_ in cases], examples, rule)


def _ranks(setting: Setting) -> tuple[int, int]:
    return setting.ranks


def _refusals(played: _Played) -> Iterator[WayFinding]:
    """Rules whose reason for a refusal cannot be written out."""
    faulty: dict[Rule, dict[Deal, str]] = defaultdict(dict)
    for deal, last in played.decided():
        for step in played.steps[deal]:
            for refused in step.refused if step.rule.refusal else ():
                try:
                    step.rule.reason(refused, last.allowed[0])
                except Exception as error:  # noqa: BLE001 - whatever it raises is a finding
                    faulty[step.rule][deal] = f"{type(error).__name__}: {error}"
    for rule, failed in faulty.items():
        words = f"the refusal of {rule.name} cannot be written out on {{deals}}: it may name {{refused}} and {{chosen}}"
        yield fault("refusal", words, failed, [f"{deal}: {fault}" for deal, fault in failed.items()], rule)


def _by_face(played: _Played) -> Iterator[WayFinding]:
    """Deals of the same ranks that are set differently by their faces, which rank alike."""
    by_kinds: dict[tuple[Kind, ...], list[Deal]] = defaultdict(list)
    for deal, _ in played.decided():
        by_kinds[deal.kinds].append(deal)
    uneven = [deals for deals in by_kinds.values() if len({played.left(deal)[0].ranks for deal in deals}) > 1]
    if uneven:
        words = "{deals} have deals of the same ranks set otherwise, though faces of one rank are worth the same"
        examples = ["; ".join(f"{deal} is set {played.left(deal)[0]}" for deal in deals) for deals in uneven]
        yield replace(fault("faces", words, chain.from_iterable(uneven), examples), fault=False)


# Words


def _choices(settings: Iterable[Setting]) -> str:
    return " or ".join(map(str, settings))
