"""A House Way checked before a table uses it: declarations, and every one of its rules on every deal.

Faults are what must be put right: deals without a setting, rules without effect, exceptions against each other,
settings that only lose, declarations that a record could not cite. Notes are what the owner should know.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING

from engine.analysis.edge import HANDS
from engine.analysis.side_bets import SIDE_BETS
from engine.game.setting import all_deals
from engine.house_way.rules import HouseWay, Rule, all_alike
from engine.house_way.terms import dominates
from engine.vocabulary.sources import Cite

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from engine.game.setting import Deal, Setting
    from engine.game.tiles import Kind
    from engine.house_way.rules import Settings, Step
    from engine.vocabulary.sources import Source

EXCEPTIONS_BELOW = HANDS // 20
"""A rule that speaks on fewer deals than one in twenty is taken for an exception: in the printed ways those below this
line speak on 1,092 deals at most, and those above it on 2,020 at least."""

_EXAMPLES = 3
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that the owner of a House Way should put right, or should know.

    Attributes:
        code: what it is, in one word or two, such as ``undecided``.
        fault: whether it must be put right.
        rules: the rules concerned.
        deals: the deals by face concerned, in rank order.
        words: all of it in plain words.
        examples: single deals of it, in plain words.
    """

    code: str
    fault: bool
    words: str
    rules: tuple[Rule, ...] = ()
    deals: tuple[Deal, ...] = ()
    examples: tuple[str, ...] = ()

    @property
    def ways(self) -> int:
        """How many of the 35,960 deals are concerned."""
        return _ways(self.deals)


@dataclass(frozen=True, slots=True)
class Use:
    """How often a rule has effect, in deals of 35,960.

    Attributes:
        rule: the rule.
        refuses: deals on which it refused a setting.
        decides: deals on which it was the last to do so.
    """

    rule: Rule
    refuses: int
    decides: int


@dataclass(frozen=True, slots=True)
class Check:
    """What was found.

    Attributes:
        way: the House Way.
        findings: faults first.
        uses: how often each rule has effect, in the order asked; nothing where the rules could not be asked.
    """

    way: HouseWay
    findings: tuple[Finding, ...]
    uses: tuple[Use, ...]

    @property
    def faults(self) -> tuple[Finding, ...]:
        """What must be put right."""
        return tuple(finding for finding in self.findings if finding.fault)

    @property
    def notes(self) -> tuple[Finding, ...]:
        """What the owner should know."""
        return tuple(finding for finding in self.findings if not finding.fault)


def check(way: HouseWay, taken: Collection[str] = ()) -> Check:
    """Check a House Way: its declarations, and all of its rules on all 8,130 deals by face.

    Args:
        way: the House Way; nothing is taken for granted about it but its type.
        taken: ids that it must not bear.
    """
    findings = list(_declarations(way, taken))
    uses: tuple[Use, ...] = ()
    if all(isinstance(each, Rule) for each in way.rules):
        played = _play(way)
        uses = played.uses
        for search in (_broken, _undecided, _unheard, _contradictions, _dominated, _refusals, _by_face):
            findings += search(played)
    return Check(way, tuple(sorted(findings, key=lambda finding: not finding.fault)), uses)


# What is declared.


def _declarations(way: HouseWay, taken: Collection[str]) -> Iterator[Finding]:
    yield from _source(way.source, taken)
    names = Counter(each.name for each in way.rules if isinstance(each, Rule))
    for number, asked in enumerate(way.rules, 1):
        if not isinstance(asked, Rule):
            words = f"rule {number} is no rule but {asked!r}: put @rule(cite=..., refusal=...) before it"
            yield Finding("declaration", fault=True, words=words)
            continue
        for code, words in _declared(asked, way.rulebook):
            yield Finding(code, fault=True, words=words, rules=(asked,))
    for name, times in names.items():
        if times > 1:
            words = f"{times} rules are called {name}: give each its own name, and ask it once"
            yield Finding("name", fault=True, words=words)
    for bet in way.side_bets:
        if bet not in SIDE_BETS:
            words = f"no side bet is called {bet!r}; known: {', '.join(SIDE_BETS)}"
            yield Finding("side bet", fault=True, words=words)
    for one in way.definitions:
        if not isinstance(one.cite, Cite) or one.cite.rulebook != way.rulebook or not one.text.strip():
            words = f"{one.word!r} is defined without a citation of {way.rulebook} or without a text"
            yield Finding("definition", fault=True, words=words)
    yield from _remedies(way)


def _source(source: Source, taken: Collection[str]) -> Iterator[Finding]:
    for name, value in (("id", source.rulebook), ("title", source.title), ("revision", source.revision)):
        if not value.strip():
            words = f"the source has no {name}: write it down, records and cards print it"
            yield Finding("source", fault=True, words=words)
    if source.rulebook in taken:
        words = f"the id {source.rulebook} is another rulebook's: give this one its own"
        yield Finding("id", fault=True, words=words)
    if not source.sha256:
        words = "the source has no sha256: which text the rules were written from cannot be told later"
        yield Finding("source", fault=False, words=words)
    elif not _SHA256.fullmatch(source.sha256):
        words = "the sha256 of the source is not 64 digits 0-9 and a-f: write that of the document's text"
        yield Finding("source", fault=True, words=words)


def _declared(asked: Rule, rulebook: str) -> Iterator[tuple[str, str]]:
    """What is wrong with the declaration of one rule."""
    cite = asked.cite
    if not isinstance(cite, Cite) or not cite.section.strip():
        yield "citation", f"{asked.name} cites no section: write cite=SOURCE.at(...) with the section as printed"
    elif cite.rulebook != rulebook:
        yield "citation", f"{asked.name} cites {cite}, another document than {rulebook}"
    if not asked.text.strip():
        yield "text", f"{asked.name} has no text: write the rule in plain words as the function's docstring"
    if not asked.refusal:
        yield "refusal", f"{asked.name} gives no reason to a setting that it refuses: write refusal=..."


def _remedies(way: HouseWay) -> Iterator[Finding]:
    if way.irregularities is None:
        words = "no irregularities are named: unless a rulebook is, the supervisor decides about a hand set wrongly"
        yield Finding("remedy", fault=False, words=words)


# What the rules do.


@dataclass(slots=True)
class _Watched:
    """A rule that cannot stop the check: what it does amiss is written down, and counts as silence."""

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
        except Exception as fault:  # noqa: BLE001 - whatever a rule under check raises is what the owner is told
            self.failed[deal] = f"{type(fault).__name__}: {fault}"
            return None
        if foreign:
            self.invented.append(deal)
            return None
        return kept


@dataclass(frozen=True, slots=True)
class _Played:
    """All rules asked on all deals.

    Attributes:
        way: the House Way.
        watched: what each rule did amiss where it was asked.
        steps: by deal, the rules that refused a setting there.
        alone: by rule, what it allows of all settings of a deal, for each deal on which it then refuses one.
    """

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
    asked = tuple(replace(one.rule, allow=one) for one in watched)
    printed = dict(zip(asked, way.rules, strict=True))
    playing = replace(way, rules=asked)
    steps = {
        deal: tuple(replace(step, rule=printed[step.rule]) for step in playing.steps(deal)) for deal in all_deals()
    }
    return _Played(way, watched, steps, {rule: _alone(rule) for rule in way.rules})


def _alone(asked: Rule) -> dict[Deal, Settings]:
    """What a rule allows where no other was asked before it."""
    ask = _Watched(asked)
    allowed = {deal: ask(deal, deal.settings) for deal in all_deals()}
    return {deal: kept for deal, kept in allowed.items() if kept is not None and len(kept) < len(deal.settings)}


def _broken(played: _Played) -> Iterator[Finding]:
    """Rules that fail, allow settings that are not open, or refuse every setting."""
    for one in played.watched:
        if one.failed:
            examples = [f"{deal}: {fault}" for deal, fault in one.failed.items()]
            yield _fault("fails", f"{one.rule.name} fails on {{deals}}: correct it", one.failed, examples, one.rule)
        if one.invented:
            words = (
                f"{one.rule.name} allows settings that were not open to it on {{deals}}: choose among those it is given"
            )
            yield _fault("illegal", words, one.invented, map(str, one.invented), one.rule)
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
        yield _fault("refuses all", words, [deal for deal, _ in cases], examples, rule)


def _undecided(played: _Played) -> Iterator[Finding]:
    """Deals with settings left that differ, by the rules that spoke before."""
    groups: dict[tuple[Rule, ...], list[Deal]] = defaultdict(list)
    for deal, steps in played.steps.items():
        if not steps or (steps[-1].allowed and not all_alike(steps[-1].allowed)):
            groups[tuple(step.rule for step in steps)].append(deal)
    for rules, deals in sorted(groups.items(), key=lambda group: -_ways(group[1])):
        spoke = f"after {_listed([f'{rule.cite} ({rule.name})' for rule in rules])}" if rules else "no rule speaks"
        words = f"{{deals}} are not decided, {spoke}: add a rule that decides them"
        examples = [f"{deal}: {_choices(played.left(deal))}" for deal in deals]
        yield _fault("undecided", words, deals, examples, *rules)


def _unheard(played: _Played) -> Iterator[Finding]:
    """Rules that never refuse anything, and those that never decide."""
    deciding = dict(played.decided())
    for use in played.uses:
        rule, alone = use.rule, played.alone[use.rule]
        if use.refuses and not use.decides:
            words = f"{rule.cite} ({rule.name}) refuses settings on {use.refuses:,} deals, but never decides one"
            yield Finding("never decides", fault=False, words=words, rules=(rule,))
        if use.refuses:
            continue
        if not alone:
            words = f"{rule.cite} ({rule.name}) refuses no setting of any deal: it never fires"
            yield Finding("never fires", fault=True, words=words, rules=(rule,))
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
            yield _fault("never fires", words, against, examples, rule)
        else:
            words = (
                f"{rule.cite} ({rule.name}) never fires: what it says of {{deals}} other rules bring about without it"
            )
            yield _told("redundant", words, tuple(alone), [], (rule,), fault=False)


def _contradictions(played: _Played) -> Iterator[Finding]:
    """Exceptions of which one refuses all that the other asks for, neither being an exception to the other."""
    scopes = {rule: set(alone) for rule, alone in played.alone.items()}
    spoken: dict[Rule, list[tuple[Deal, Step]]] = defaultdict(list)
    for deal, steps in played.steps.items():
        for step in steps:
            scopes[step.rule].add(deal)
            spoken[step.rule].append((deal, step))
    exceptions = [rule for rule, scope in scopes.items() if 0 < _ways(scope) < EXCEPTIONS_BELOW]
    for one, other in combinations(exceptions, 2):
        if scopes[one] < scopes[other]:
            continue  # an exception to the other exception, and asked before it
        ask = _Watched(other)
        cases = [
            (deal, step, asked)
            for deal, step in spoken[one]
            if deal in scopes[other] and (asked := ask(deal, step.open)) and not set(asked) & set(step.allowed)
        ]
        if cases:
            words = (
                f"{one.cite} ({one.name}) and {other.cite} ({other.name}) ask for different settings of {{deals}}, and "
                f"only their order decides: say in the text which goes first, or keep their tiles apart"
            )
            examples = [
                f"{deal}: {_choices(step.allowed)} by {one.cite}, {_choices(asked)} by {other.cite}"
                for deal, step, asked in cases
            ]
            yield _fault("contradiction", words, [deal for deal, _, _ in cases], examples, one, other)


def _dominated(played: _Played) -> Iterator[Finding]:
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
        yield _fault("dominated", words, [deal for deal, *_ in cases], examples, rule)


def _ranks(setting: Setting) -> tuple[int, int]:
    return setting.ranks


def _refusals(played: _Played) -> Iterator[Finding]:
    """Rules whose reason for a refusal cannot be written out."""
    faulty: dict[Rule, dict[Deal, str]] = defaultdict(dict)
    for deal, last in played.decided():
        for step in played.steps[deal]:
            for refused in step.refused if step.rule.refusal else ():
                try:
                    step.rule.reason(refused, last.allowed[0])
                except Exception as fault:  # noqa: BLE001 - whatever it raises is what the owner is told
                    faulty[step.rule][deal] = f"{type(fault).__name__}: {fault}"
    for rule, said in faulty.items():
        words = f"the refusal of {rule.name} cannot be written out on {{deals}}: it may name {{refused}} and {{chosen}}"
        yield _fault("refusal", words, said, [f"{deal}: {fault}" for deal, fault in said.items()], rule)


def _by_face(played: _Played) -> Iterator[Finding]:
    """Deals of the same ranks that are set differently by their faces, which rank alike."""
    by_kinds: dict[tuple[Kind, ...], list[Deal]] = defaultdict(list)
    for deal, _ in played.decided():
        by_kinds[deal.kinds].append(deal)
    uneven = [deals for deals in by_kinds.values() if len({played.left(deal)[0].ranks for deal in deals}) > 1]
    if uneven:
        words = "{deals} have deals of the same ranks set otherwise, though faces of one rank are worth the same"
        examples = ["; ".join(f"{deal} is set {played.left(deal)[0]}" for deal in deals) for deals in uneven]
        yield _told("faces", words, tuple(deal for deals in uneven for deal in deals), examples, (), fault=False)


# Words.


def _fault(code: str, words: str, deals: Iterable[Deal], examples: Iterable[str], *rules: Rule) -> Finding:
    return _told(code, words, tuple(deals), list(examples), rules, fault=True)


def _told(
    code: str, words: str, deals: tuple[Deal, ...], examples: list[str], rules: tuple[Rule, ...], *, fault: bool
) -> Finding:
    counted = f"{_ways(deals):,} of {HANDS:,} deals"
    return Finding(code, fault, words.replace("{deals}", counted), rules, deals, tuple(examples[:_EXAMPLES]))


def _ways(deals: Iterable[Deal]) -> int:
    return sum(deal.ways for deal in deals)


def _choices(settings: Iterable[Setting]) -> str:
    return " or ".join(map(str, settings))


def _listed(words: list[str], joint: str = "and") -> str:
    return f" {joint} ".join(filter(None, (", ".join(words[:-1]), words[-1])))
