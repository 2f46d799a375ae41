"""Checks of a House Way before a table uses it: its declarations, and every rule on every deal.

Faults must be corrected; notes inform the owner.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import chain, combinations
from typing import TYPE_CHECKING

from engine.analysis.edge import HANDS
from engine.analysis.way_finding import WayFinding, declarations, fault, note, number_of, ways_of, wrong
from engine.analysis.way_played import Played, Use, play
from engine.game.hands import Described
from engine.house_way.rules import HouseWay, Rule
from engine.house_way.terms import dominates
from engine.house_way.time_limit import TimeLimit, TookTooLongError
from engine.messages import Listed, Message, message

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from engine.game.setting import Deal, Setting
    from engine.game.tiles import Kind
    from engine.house_way.failing import Failing
    from engine.house_way.rules import Step

EXCEPTIONS_BELOW = HANDS // 20
"""Deals of 35,960: a rule that affects fewer counts as an exception (no printed rule is close to this limit)."""
_ENDS_WITHIN_S = 1.0
"""No rule needs a thousandth of this for one deal."""


@dataclass(frozen=True, slots=True)
class WayCheck:
    """The findings, and how often each rule has effect; ``uses`` is empty if a rule is invalid.

    Attributes:
        later: the same of each later version.
    """

    way: HouseWay
    findings: tuple[WayFinding, ...]
    uses: tuple[Use, ...]
    later: tuple[WayCheck, ...] = ()

    @property
    def faults(self) -> tuple[WayFinding, ...]:
        """Findings that must be corrected."""
        return tuple(finding for finding in self.findings if finding.fault)

    @property
    def notes(self) -> tuple[WayFinding, ...]:
        """Findings that the owner should know."""
        return tuple(finding for finding in self.findings if not finding.fault)


def check(way: HouseWay, taken: Collection[str] = ()) -> WayCheck:
    """Check a House Way's declarations, and all of its rules on all 8,130 deals by face, in each of its versions.

    Its ids must not be among those ``taken``. Findings of later versions are listed too, if earlier ones lack them.
    """
    found, later = _check(way, taken), tuple(_check(each, taken) for each in way.later)
    findings = {(each.code, each.words): each for each in found.findings}
    for version in later:
        for each in version.findings:
            if (each.code, each.words) not in findings:
                dated = replace(each, words=message("from {day} on: {what}", day=version.way.in_force, what=each.words))
                findings[each.code, each.words] = dated
    return replace(found, findings=_faults_first(findings.values()), later=later)


def _check(way: HouseWay, taken: Collection[str]) -> WayCheck:
    findings = list(declarations(way, taken))
    uses: tuple[Use, ...] = ()
    if all(isinstance(each, Rule) for each in way.rules):
        with TimeLimit(_ENDS_WITHIN_S) as limit:
            played = play(way, limit)
            uses = played.uses
            # Other findings only follow from undefined names, so those are reported first.
            unknown = list(_unknown_names(played))
            findings += unknown
            for search in () if unknown else _SEARCHES:
                findings += search(played)
    return WayCheck(way, _faults_first(findings), uses)


def _faults_first(findings: Iterable[WayFinding]) -> tuple[WayFinding, ...]:
    return tuple(sorted(findings, key=lambda finding: not finding.fault))


def _unknown_names(played: Played) -> Iterator[WayFinding]:
    """Undefined names in a program."""
    deals: dict[tuple[Rule, Failing], list[Deal]] = defaultdict(list)
    for one in played.watched:
        for deal, failed in one.failed.items():
            if failed.unknown is not None:
                deals[one.rule, failed].append(deal)
    for (rule, failed), found in deals.items():
        words = message(
            "{name} fails on {deals} with {error}: correct the name",
            name=rule.name,
            deals=number_of(found),
            error=failed.words,
        )
        yield replace(fault("unknown name", words, found, (), rule), at=failed.place)


def _broken(played: Played) -> Iterator[WayFinding]:
    """Rules that fail, allow settings that are not open, or refuse every setting."""
    for one in played.watched:
        if one.endless is not None:
            words = message(
                "{name} does not end on {deal}: it was stopped, and is not asked again; correct it",
                name=one.rule.name,
                deal=one.endless,
            )
            yield wrong("never ends", words, one.rule)
        if one.failed:
            words = message("{name} fails on {deals}: correct it", name=one.rule.name, deals=number_of(one.failed))
            examples = [_of_deal(deal, str(fault)) for deal, fault in one.failed.items()]
            yield fault("fails", words, one.failed, examples, one.rule)
        if one.invented:
            words = message(
                "{name} allows settings that were not open to it on {deals}: choose among those it is given",
                name=one.rule.name,
                deals=number_of(one.invented),
            )
            examples = [Message("{deal}", {"deal": deal}) for deal in one.invented]
            yield fault("illegal", words, one.invented, examples, one.rule)
    refused: dict[Rule, list[tuple[Deal, Step]]] = defaultdict(list)
    for deal, steps in played.steps.items():
        if steps and not steps[-1].allowed:
            refused[steps[-1].rule].append((deal, steps[-1]))
    for rule, cases in refused.items():
        deals = [deal for deal, _ in cases]
        words = message(
            "{rule} refuses every setting still open on {deals}: ask it before the rule that refused what it asks for, "
            "or let it say nothing where none fits",
            rule=_called(rule),
            deals=number_of(deals),
        )
        examples = [
            message("{deal}: open were {settings}", deal=deal, settings=_choices(step.open)) for deal, step in cases
        ]
        yield fault("refuses all", words, deals, examples, rule)


def _undecided(played: Played) -> Iterator[WayFinding]:
    """Deals left with several different settings, grouped by the rules that applied before."""
    groups: dict[tuple[Rule, ...], list[Deal]] = defaultdict(list)
    for deal, steps in played.steps.items():
        if not steps or (steps[-1].allowed and not steps[-1].decides):
            groups[tuple(step.rule for step in steps)].append(deal)
    for rules, deals in sorted(groups.items(), key=lambda group: -ways_of(group[1])):
        number, listed = number_of(deals), Listed(map(_called, rules), "and")
        words = (
            message("{deals} are not decided, after {rules}: add a rule that decides them", deals=number, rules=listed)
            if rules
            else message("{deals} are not decided, no rule speaks: add a rule that decides them", deals=number)
        )
        examples = [_of_deal(deal, _choices(played.left(deal))) for deal in deals]
        yield fault("undecided", words, deals, examples, *rules)


def _ineffective(played: Played) -> Iterator[WayFinding]:
    """Rules that never refuse anything, and those that never decide."""
    deciding = dict(played.decided())
    for use in played.uses:
        rule, alone = use.rule, played.alone[use.rule]
        if use.refuses and not use.decides:
            words = message(
                "{rule} refuses settings on {count} deals, but never decides one",
                rule=_called(rule),
                count=use.refuses,
            )
            yield note("never decides", words, rule)
        if use.refuses:
            continue
        if not alone:
            words = message("{rule} refuses no setting of any deal: it never fires", rule=_called(rule))
            yield wrong("never fires", words, rule)
            continue
        against = [deal for deal, kept in alone.items() if deal in deciding and not set(kept) & set(played.left(deal))]
        if against:
            words = message(
                "{rule} never fires: other rules are asked before it and set {deals} as it does not allow; ask it "
                "before them",
                rule=_called(rule),
                deals=number_of(against),
            )
            examples = [
                message(
                    "{deal} is set {setting} by {rule}, not {wanted}",
                    deal=deal,
                    setting=played.left(deal)[0],
                    rule=deciding[deal].rule.cite,
                    wanted=_choices(alone[deal]),
                )
                for deal in against
            ]
            yield fault("never fires", words, against, examples, rule)
        else:
            words = message(
                "{rule} never fires: what it says of {deals} other rules bring about without it",
                rule=_called(rule),
                deals=number_of(alone),
            )
            yield replace(fault("redundant", words, alone, [], rule), fault=False)


def _contradictions(played: Played) -> Iterator[WayFinding]:
    """Pairs of exceptions where one refuses all that the other wants and neither is an exception to the other."""
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
        watched = next(replace(each, failed={}, invented=[]) for each in played.watched if each.rule is other)
        cases = [
            (deal, step, wanted)
            for deal, step in refusing[one]
            if deal in scopes[other] and (wanted := watched(deal, step.open)) and not set(wanted) & set(step.allowed)
        ]
        if cases:
            deals = [deal for deal, _, _ in cases]
            words = message(
                "{one} and {other} ask for different settings of {deals}, and only their order decides: say in the "
                "text which goes first, or keep their tiles apart",
                one=_called(one),
                other=_called(other),
                deals=number_of(deals),
            )
            examples = [
                message(
                    "{deal}: {settings} by {one}, {wanted} by {other}",
                    deal=deal,
                    settings=_choices(step.allowed),
                    one=one.cite,
                    wanted=_choices(wanted),
                    other=other.cite,
                )
                for deal, step, wanted in cases
            ]
            yield fault("contradiction", words, deals, examples, one, other)


def _dominated(played: Played) -> Iterator[WayFinding]:
    """Dominated settings (another beats one hand and beats or equals the other), by the rule that chose them."""
    chosen: dict[Rule, list[tuple[Deal, Setting, Setting]]] = defaultdict(list)
    for deal, step in played.decided():
        for setting in {each.ranks: each for each in reversed(step.allowed)}.values():
            better = max((other for other in deal.settings if dominates(other, setting)), key=_ranks, default=None)
            if better is not None:
                chosen[step.rule].append((deal, setting, better))
    for rule, cases in chosen.items():
        deals = dict.fromkeys(deal for deal, *_ in cases)
        words = message(
            "{rule} sets {deals} as another setting beats in one hand and beats or equals in the other: it can only "
            "lose by it",
            rule=_called(rule),
            deals=number_of(deals),
        )
        examples = [
            message(
                "{deal} is set {setting} ({described}), where {better} is better ({better_described})",
                deal=deal,
                setting=setting,
                described=_described(setting),
                better=better,
                better_described=_described(better),
            )
            for deal, setting, better in cases
        ]
        yield fault("dominated", words, deals, examples, rule)


def _ranks(setting: Setting) -> tuple[int, int]:
    return setting.ranks


def _refusals(played: Played) -> Iterator[WayFinding]:
    """Rules whose refusal reason cannot be formatted."""
    faulty: dict[Rule, dict[Deal, str | Message]] = defaultdict(dict)
    endless: set[Rule] = set()
    for deal, last in played.decided():
        for step in played.steps[deal]:
            for refused in step.refused if step.rule.refusal and step.rule not in endless else ():
                try:
                    played.limit.start()
                    step.rule.reason(refused, last.allowed[0])
                except TookTooLongError:
                    faulty[step.rule][deal] = message("does not end")
                    endless.add(step.rule)
                except Exception as error:  # noqa: BLE001 - whatever it raises is a finding
                    faulty[step.rule][deal] = f"{type(error).__name__}: {error}"
                finally:
                    played.limit.running = False
    for rule, failed in faulty.items():
        words = message(
            "the refusal of {name} cannot be written out on {deals}: it may name {known}",
            name=rule.name,
            deals=number_of(failed),
            known=Listed(("{refused}", "{chosen}"), "and"),
        )
        yield fault("refusal", words, failed, [_of_deal(deal, fault) for deal, fault in failed.items()], rule)


def _by_face(played: Played) -> Iterator[WayFinding]:
    """Deals of equal rank that are set differently by their faces."""
    by_kinds: dict[tuple[Kind, ...], list[Deal]] = defaultdict(list)
    for deal, _ in played.decided():
        by_kinds[deal.kinds].append(deal)
    uneven = [deals for deals in by_kinds.values() if len({played.ranks(deal) for deal in deals}) > 1]
    if uneven:
        concerned = tuple(chain.from_iterable(uneven))
        words = message(
            "{deals} have deals of the same ranks set otherwise, though faces of one rank are worth the same",
            deals=number_of(concerned),
        )
        examples = [
            Message("{deals}", {"deals": Listed((_set(deal, played.left(deal)[0]) for deal in deals), ";")})
            for deals in uneven
        ]
        yield replace(fault("faces", words, concerned, examples), fault=False)


def _left_to_the_dealer(played: Played) -> Iterator[WayFinding]:
    """Deals on which the dealer may choose."""
    groups: dict[Rule, list[Deal]] = defaultdict(list)
    for deal, step in played.decided():
        if len(played.ranks(deal)) > 1:
            groups[step.rule].append(deal)
    for rule, deals in groups.items():
        words = message(
            "{rule} leaves {deals} to the dealer's choice: each of the settings left is right",
            rule=_called(rule),
            deals=number_of(deals),
        )
        examples = [_of_deal(deal, _choices(played.left(deal))) for deal in deals]
        yield replace(fault("dealer's choice", words, deals, examples, rule), fault=False)


def _as_expected(played: Played) -> Iterator[WayFinding]:
    """Examples whose result differs from the one the owner expects."""
    for example in played.way.examples:
        deal = example.settings[0].deal
        wanted = _choices(example.settings)
        steps, left = played.steps[deal], played.left(deal)
        if not (steps and steps[-1].decides):
            words = message(
                "{deal} should be set {wanted}, but the rules do not decide it; open are {settings}",
                deal=deal,
                wanted=wanted,
                settings=_choices(left) if left else message("none"),
            )
        elif played.ranks(deal) != {setting.ranks for setting in example.settings}:
            words = message(
                "{deal} should be set {wanted}, but {rule} sets it {settings}",
                deal=deal,
                wanted=wanted,
                rule=_called(steps[-1].rule),
                settings=_choices(left),
            )
        elif example.section and steps[-1].rule.cite.section != example.section:
            words = message(
                "{deal} is set as it should be, but by {rule}, not by {section}",
                deal=deal,
                rule=_called(steps[-1].rule),
                section=example.section,
            )
        else:
            continue
        yield WayFinding(
            "example", fault=True, words=words, rules=tuple(s.rule for s in steps[-1:]), deals=(deal,), at=example.place
        )


_SEARCHES = (
    _broken,
    _as_expected,
    _undecided,
    _ineffective,
    _contradictions,
    _dominated,
    _refusals,
    _by_face,
    _left_to_the_dealer,
)


# Words


def _called(rule: Rule) -> Message:
    return message("{rule} ({name})", rule=rule.cite, name=rule.name)


def _of_deal(deal: Deal, what: str) -> Message:
    return message("{deal}: {what}", deal=deal, what=what)


def _set(deal: Deal, setting: Setting) -> Message:
    return message("{deal} is set {setting}", deal=deal, setting=setting)


def _described(setting: Setting) -> Message:
    return message(
        "low {low} ({low_hand}), high {high} ({high_hand})",
        low=setting.low,
        low_hand=Described(setting.low),
        high=setting.high,
        high_hand=Described(setting.high),
    )


def _choices(settings: Iterable[Setting]) -> Listed:
    return Listed(settings, "or")
