"""The machinery of a House Way: sources, rules, decisions, verdicts.

A House Way is a tuple of rules applied in turn. Each rule sees the deal and the settings still open, and says which of
them it allows, or has no opinion. The rule that leaves one setting (or settings that rank alike in both hands, between
which no rule can choose) has decided; so has one that leaves the choice to the dealer. A casino's own way is a file
without programming (:mod:`engine.house_way.written`) or a Python file with a `HouseWay` called ``HOUSE_WAY``; nothing
here knows any casino.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING

from engine.errors import IllegalSettingError, UndecidedError
from engine.game.setting import Deal, Setting, all_deals
from engine.vocabulary.facts import Milestone, Whose
from engine.vocabulary.irregularities import Irregularity, Remedies
from engine.vocabulary.progress import ANYWHERE, Progress, so_far

if TYPE_CHECKING:
    from datetime import date

    from engine.game.hands import Hand
    from engine.vocabulary.citations import Cite, Source
    from engine.vocabulary.irregularities import Irregularities


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A position in a file; line and column are counted from 1."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}"


Settings = tuple[Setting, ...]
RuleFunction = Callable[[Deal, Settings], Settings | None]
Reason = str | Callable[[Setting, Setting], str]


@dataclass(frozen=True, eq=False)
class Rule:
    """One printed rule.

    Attributes:
        name: name of its function.
        cite: where it is printed.
        text: the rule in plain words (the first paragraph of the function's docstring).
        allow: the function: returns which of the open settings it allows, or None if it has no opinion.
        refusal: why a setting that it does not allow is refused: a template over ``refused`` and ``chosen``, both
            settings, or a function of the two.
        rulings: numbers of our rulings that apply.
        dealers_choice: whether the dealer may choose among the settings it leaves; later rules are not applied.
        place: where it starts in a TOML file; None for a function.
    """

    name: str
    cite: Cite
    text: str
    allow: RuleFunction
    refusal: Reason
    rulings: tuple[int, ...] = ()
    dealers_choice: bool = False
    place: Place | None = None

    def reason(self, refused: Setting, chosen: Setting) -> str:
        """Why `refused` is not set, when this rule left `chosen`; in the rule's own words."""
        why = self.refusal
        return why.format(refused=refused, chosen=chosen) if isinstance(why, str) else why(refused, chosen)


def rule(
    *, cite: Cite, refusal: Reason, rulings: tuple[int, ...] = (), dealers_choice: bool = False
) -> Callable[[RuleFunction], Rule]:
    """Make a rule of a function; its docstring is the text shown to a supervisor.

    Args:
        cite: where it is printed.
        refusal: the reason given for a setting that the rule does not allow; see `Rule`.
        rulings: numbers of our rulings that apply.
        dealers_choice: whether the dealer may choose among the settings it leaves.
    """

    def made(function: RuleFunction) -> Rule:
        text = " ".join((function.__doc__ or "").split("\n\n", maxsplit=1)[0].split())
        return Rule(function.__name__, cite, text, function, refusal, rulings, dealers_choice)

    return made


@dataclass(frozen=True, slots=True)
class Definition:
    """A term defined by a House Way.

    Attributes:
        word: the term as the rules write it.
        text: its meaning.
        cite: where it is defined.
        rulings: numbers of our rulings that apply.
        fits: whether a hand matches the term, if it is a kind of hand.
    """

    word: str
    text: str
    cite: Cite
    rulings: tuple[int, ...] = ()
    fits: Callable[[Hand], bool] | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """A deal and the settings that the owner of a House Way expects.

    Attributes:
        settings: the expected ones; several, ranking differently, if the dealer may choose.
        section: of the rule expected to decide; empty if any may.
        place: position in a file.
    """

    settings: Settings
    section: str = ""
    place: Place | None = None


class Moment(Enum):
    """How far the round has come; the remedies for a wrong setting depend on two events (ruling 33).

    ``BANK_NOT_PUT_AWAY``: the bank's tiles lie, and whether a player's hand is exposed is not known.
    """

    NO_HAND_EXPOSED = 0
    BANK_NOT_PUT_AWAY = 1
    FIRST_HAND_EXPOSED = 2
    BANK_PUT_AWAY = 3

    @property
    def milestones(self) -> tuple[Milestone, ...]:
        """The last milestone of the rules that the round has reached; several if it may be any of them."""
        return _REACHED[self]

    @property
    def reached(self) -> Progress | tuple[Milestone, ...]:
        """The last milestone if it is certain; otherwise the known progress."""
        if len(self.milestones) == 1:
            return self.milestones
        return Progress.common(Progress(so_far((each,)), frozenset()) for each in self.milestones)


_REACHED = {
    Moment.NO_HAND_EXPOSED: (Milestone.TILES_DELIVERED,),
    Moment.BANK_NOT_PUT_AWAY: (Milestone.TILES_DELIVERED, Milestone.FIRST_HAND_EXPOSED),
    Moment.FIRST_HAND_EXPOSED: (Milestone.FIRST_HAND_EXPOSED,),
    Moment.BANK_PUT_AWAY: (Milestone.BANK_PUT_AWAY,),
}


@dataclass(frozen=True, slots=True)
class Step:
    """One applied rule, and the settings it left.

    Attributes:
        open: the settings still open before.
        allowed: the settings it allows.
    """

    rule: Rule
    open: Settings
    allowed: Settings

    @property
    def decides(self) -> bool:
        """Whether the settings left are equivalent, or free for the dealer to choose."""
        return bool(self.allowed) and (self.rule.dealers_choice or all_alike(self.allowed))

    @property
    def refused(self) -> Settings:
        return tuple(setting for setting in self.open if setting not in self.allowed)


@dataclass(frozen=True, slots=True)
class Refused:
    """A setting that is not the House Way.

    Attributes:
        rule: the rule that refuses it.
    """

    setting: Setting
    rule: Rule


@dataclass(frozen=True, slots=True)
class Decision:
    """How a House Way sets a deal.

    Attributes:
        deal: the four tiles.
        setting: the setting; if the dealer may choose, the one with the best low hand.
        rule: the rule that decided.
        steps: every rule that refused a setting, in order; the last is `rule`.
        alike: other settings of equal ranks in both hands; they are the House Way too.
        refused: each other setting, with the rule that refused it.
        choices: settings of other ranks that the dealer may choose instead; they are the House Way too.
    """

    deal: Deal
    setting: Setting
    rule: Rule
    steps: tuple[Rule, ...]
    alike: Settings
    refused: tuple[Refused, ...]
    choices: Settings = ()

    def allows(self, setting: Setting) -> bool:
        """Whether `setting` is the House Way for this deal."""
        return setting == self.setting or setting in self.alike or setting in self.choices

    @property
    def words(self) -> str:
        """The setting as text, with the dealer's alternatives."""
        return " or ".join(map(str, (self.setting, *self.choices)))

    @property
    def ranks(self) -> frozenset[tuple[int, int]]:
        """Ranks of low and high hand of every setting that is the House Way."""
        return frozenset(setting.ranks for setting in (self.setting, *self.choices))


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a hand is set the House Way.

    Attributes:
        whose: whose hand it is.
        laid: how it is set.
        decision: how it should be set.
        refused_by: the rule that refuses the actual setting; None if it is correct.
        remedies: the book's remedies; None if it is correct.
    """

    whose: Whose
    laid: Setting
    decision: Decision
    refused_by: Rule | None = None
    remedies: Remedies | None = None

    @property
    def correct(self) -> bool:
        return self.refused_by is None


@dataclass(frozen=True, slots=True)
class WayFile:
    """A file with a House Way as it was read, so that another process can use the same.

    Attributes:
        name: its path, with the suffix that tells its form.
        data: its content.
    """

    name: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, eq=False)
class HouseWay:
    """A casino's House Way.

    Attributes:
        source: the rulebook; its id identifies the way.
        rules: in order of application; the one that leaves one setting decides.
        irregularities: of the book under which it is played, which gives the remedies for a wrong setting.
        side_bets: names of the side bets that the book offers, see `engine.analysis.side_bets`.
        definitions: terms defined for its rules.
        examples: hands with the owner's expected settings, compared in a check.
        place: position of its source in a TOML file.
        in_force: the first day of this version; None for the first version.
        later: its later versions, the earliest first.
        text_sha256: of its rules as a file has them; empty if it is a book's own, first version.
        file: it was read from; None if a book prints it or a module of ``engine.books.own`` declares it.
    """

    source: Source
    rules: tuple[Rule, ...]
    irregularities: Irregularities | None = None
    side_bets: tuple[str, ...] = ()
    definitions: tuple[Definition, ...] = ()
    examples: tuple[Example, ...] = ()
    place: Place | None = None
    in_force: date | None = None
    later: tuple[HouseWay, ...] = ()
    text_sha256: str = ""
    file: WayFile | None = None

    @property
    def sha256(self) -> str:
        """The hash that tells this version from others of the same id."""
        return self.text_sha256 or self.source.sha256

    def on(self, day: date) -> HouseWay:
        """The version in force on a day."""
        in_force = (each for each in self.later if each.in_force is not None and each.in_force <= day)
        return max(in_force, key=lambda each: each.in_force or day, default=self)

    @property
    def rulebook(self) -> str:
        """The id, such as ``crown-6.1``."""
        return self.source.rulebook

    @property
    def played_under(self) -> str:
        """Id of the rulebook whose remedies apply; its own if none is named."""
        return self.rulebook if self.irregularities is None else self.irregularities.source.rulebook

    def decide(self, deal: Deal) -> Decision:
        """Set four tiles the House Way.

        Raises:
            UndecidedError: the rules leave no setting, or two that differ.
        """
        left, steps = self._narrow(deal)
        chosen = _named_first(left)
        others = [setting for setting in left if setting != chosen]
        return Decision(
            deal=deal,
            setting=chosen,
            rule=steps[-1].rule,
            steps=tuple(step.rule for step in steps),
            alike=tuple(setting for setting in others if setting.ranks == chosen.ranks),
            refused=tuple(Refused(setting, step.rule) for step in steps for setting in step.refused),
            choices=tuple(setting for setting in others if setting.ranks != chosen.ranks),
        )

    def steps(self, deal: Deal) -> tuple[Step, ...]:
        """Apply the rules in turn until one decides, or all settings are refused.

        Returns:
            Each rule that refused a setting or left the choice to the dealer; empty if none did.
        """
        left = deal.settings
        taken: list[Step] = []
        for each in self.rules:
            allowed = each.allow(deal, left)
            if allowed is None or (len(allowed) == len(left) and not each.dealers_choice):
                continue
            taken.append(Step(each, left, allowed))
            left = allowed
            if not left or each.dealers_choice or all_alike(left):
                break
        return tuple(taken)

    def _narrow(self, deal: Deal) -> tuple[Settings, tuple[Step, ...]]:
        """The settings left by the rules (equivalent, or for the dealer to choose from), and the steps."""
        steps = self.steps(deal)
        left = steps[-1].allowed if steps else deal.settings
        if not left:
            at_fault = steps[-1].rule
            raise UndecidedError(f"{at_fault.cite} refuses every setting of {deal}; correct the rule {at_fault.name}")
        if not (steps and steps[-1].decides):
            choices = "; ".join(map(str, left))
            raise UndecidedError(f"{self.rulebook} does not decide {deal} between {choices}; add a rule that does")
        return left, steps

    def judge(
        self, deal: Deal, setting: Setting, *, whose: Whose = Whose.HOUSE, moment: Moment | None = None
    ) -> Verdict:
        """Check whether a hand is set the House Way, and find the book's remedies if not.

        Rules that permit a computer to do so: crown-6.1 7.5.7; star-2024 5.1; star-classic 5.

        Args:
            deal: the four tiles.
            setting: the actual setting.
            whose: whose hand the dealer set.
            moment: how far the round has come, if known.

        Raises:
            IllegalSettingError: the setting is made of other tiles.
        """
        if setting not in deal.settings:
            raise IllegalSettingError(f"{setting} is not made of the tiles {deal}")
        decision = self.decide(deal)
        if decision.allows(setting):
            return Verdict(whose, setting, decision)
        refused_by = next(refused.rule for refused in decision.refused if refused.setting == setting)
        return Verdict(whose, setting, decision, refused_by, self.remedies(whose, moment))

    def remedies(self, whose: Whose, moment: Moment | None = None) -> Remedies:
        """The book's remedies for a hand that was not set the House Way.

        Args:
            whose: whose hand.
            moment: how far the round has come; None for remedies at any time.
        """
        reached = None if moment is None else moment.reached
        if self.irregularities is None:
            return Remedies(self.rulebook, Irregularity.NOT_HOUSE_WAY, whose, ANYWHERE, silent=True, options=())
        return self.irregularities.remedies(Irregularity.NOT_HOUSE_WAY, whose, reached)

    @cached_property
    def table(self) -> dict[Deal, Setting]:
        """The setting of each of the 8,130 deals by face; if the dealer may choose, the first one."""
        return {deal: _named_first(self._narrow(deal)[0]) for deal in all_deals()}

    @cached_property
    def decisions(self) -> dict[Deal, Decision]:
        """The decision on each of the 8,130 deals by face."""
        return {deal: self.decide(deal) for deal in all_deals()}


def all_alike(settings: Settings) -> bool:
    """Whether all settings rank the same in both hands, so that no rule can distinguish them."""
    return len(settings) == 1 or len({setting.ranks for setting in settings}) == 1


def _named_first(settings: Settings) -> Setting:
    """The setting with the best hands, the low one first; among equals, the one with the higher tiles low."""
    return min(settings, key=lambda one: (-one.ranks[0], -one.ranks[1], one.low.first.index, one.low.second.index))
