"""One rule of a file, or one of its exceptions: when it applies and what it sets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from engine.house_way.written.conditions import condition_of
from engine.house_way.written.phrases import Phrase
from engine.house_way.written.refusals import refusal_of_steps, written_refusal
from engine.house_way.written.steps import step_of
from engine.house_way.written.vocabulary import made_of, one_of, one_pair_of, so_many_tiles
from engine.messages import message

if TYPE_CHECKING:
    from engine.game.setting import Deal
    from engine.house_way.rules import Reason, Settings
    from engine.house_way.terms import Group
    from engine.house_way.written.conditions import Condition
    from engine.house_way.written.sheet import Entry, Text
    from engine.house_way.written.steps import SetStep
    from engine.house_way.written.vocabulary import Deals, Vocabulary


@dataclass(frozen=True, slots=True)
class Case:
    """A condition and the setting that applies.

    Attributes:
        deals: the deals it applies to; None for all.
        conditions: further conditions.
        unless: conditions under which it does not apply.
        steps: the required setting.
        text: the entire case as written.
    """

    deals: Deals | None
    conditions: tuple[Condition, ...]
    unless: tuple[Condition, ...]
    steps: tuple[SetStep, ...]
    text: str

    def fits(self, deal: Deal, settings: Settings) -> bool:
        """Whether it applies to these tiles and open settings."""
        if self.deals is not None and deal.key not in self.deals:
            return False
        for condition in self.conditions:  # loops for speed: every rule does this for every hand
            if not condition(deal, settings):
                return False
        return not any(condition(deal, settings) for condition in self.unless)

    def narrow(self, deal: Deal, settings: Settings) -> Settings | None:
        """The settings that its steps leave; None if all steps are passed over."""
        left: Settings | None = None
        for step in self.steps:
            narrowed = step.narrow(deal, settings if left is None else left)
            left = left if narrowed is None else narrowed
            if left == ():
                return ()
        return left


@dataclass(frozen=True, slots=True)
class WrittenRule:
    """What a rule allows, as called by `Rule.allow`.

    Attributes:
        case: when it applies and what it sets.
        exceptions: what is set instead if they apply.
        left_to: exceptions that are separate rules: if one applies, this rule has no opinion.
    """

    case: Case
    exceptions: tuple[Case, ...] = ()
    left_to: tuple[Case, ...] = ()

    def __call__(self, deal: Deal, settings: Settings) -> Settings | None:
        """Which of the open settings are allowed; None if the rule has no opinion."""
        if not self.case.fits(deal, settings):
            return None
        for own in self.left_to:
            if own.fits(deal, settings):
                return None
        for exception in self.exceptions:
            if exception.fits(deal, settings):
                return exception.narrow(deal, settings)
        return self.case.narrow(deal, settings)


@dataclass(frozen=True, slots=True)
class WrittenException:
    """What a separate exception allows; it is applied immediately before the rule it excepts."""

    case: Case
    rule: Case

    def __call__(self, deal: Deal, settings: Settings) -> Settings | None:
        """Which of the open settings are allowed; None if it has no opinion."""
        fits = self.rule.fits(deal, settings) and self.case.fits(deal, settings)
        return self.case.narrow(deal, settings) if fits else None


def case_of(entry: Entry, known: Vocabulary) -> Case:
    """Parse the condition and the setting; mistakes are recorded in the entry's sheet."""
    read = entry.sheet.read
    tiles, pair, beside = entry.texts("tiles"), entry.text("pair"), entry.texts("with")
    conditions, unless, steps = entry.texts("if"), entry.texts("unless"), entry.texts("set")
    entry.needs("set", message("say what is set, such as {example}", example='set = "keep the pair"'))
    deals = [read(each, lambda text: made_of(*_tiles_of(text, known, 4))) for each in tiles]
    if tiles and pair:
        entry.wrong(
            "pair",
            message(
                "{pair} and {tiles} do not go together: {tiles} already names all four", pair="pair", tiles="tiles"
            ),
        )
    if beside and not pair:
        entry.wrong(
            "with",
            message("{beside} names the two tiles beside a pair: write {pair} too", beside="with", pair='pair = "..."'),
        )
    if pair:
        pairs = read(pair, lambda text: _pairs_of(text, known))
        couples = [read(each, lambda text: _tiles_of(text, known, 2)) for each in beside]
        if pairs:
            deals.append(one_pair_of(pairs, tuple(filter(None, couples))))
    condition, step = partial(condition_of, known=known), partial(step_of, known=known)
    return Case(
        frozenset().union(*filter(None, deals)) if deals else None,
        tuple(filter(None, [read(each, condition) for each in conditions])),
        tuple(filter(None, [read(each, condition) for each in unless])),
        tuple(filter(None, [read(each, step) for each in steps])),
        _in_words(pair, beside, tiles, conditions, unless, steps),
    )


def _tiles_of(text: str, known: Vocabulary, number: int) -> tuple[Group, ...]:
    phrase = Phrase(text)
    found = so_many_tiles(phrase, known, number)
    phrase.end(
        message(
            "a comma or {join} stands between tiles, {either} or a slash between what one tile may be",
            join="'and'",
            either="'or'",
        )
    )
    return found


def _pairs_of(text: str, known: Vocabulary) -> Group:
    phrase = Phrase(text)
    found = one_of(phrase, known, commas=True)
    phrase.end(message("pairs are written such as: {example}", example="fours, fives or elevens"))
    return found


def _in_words(
    pair: Text | None,
    beside: tuple[Text, ...],
    tiles: tuple[Text, ...],
    conditions: tuple[Text, ...],
    unless: tuple[Text, ...],
    steps: tuple[Text, ...],
) -> str:
    """The text for a supervisor, if the owner wrote none."""
    tied = "; or ".join(map(str, beside))
    when = [
        f"pair of {pair}{f' with {tied}' if tied else ''}" if pair else "",
        "; or ".join(map(str, tiles)),
        *(f"if {each}" for each in conditions),
        *(f"unless {each}" for each in unless),
    ]
    situation = ", ".join(filter(None, when))
    done = "; ".join(map(str, steps))
    words = f"{situation}: {done}." if situation else f"{done}."
    return words[:1].upper() + words[1:]


def reason_of(entry: Entry, case: Case, exceptions: tuple[Case, ...] = ()) -> Reason:
    """The reason for refusing a setting: the owner's text, or generated from the steps."""
    written = entry.text("refusal")
    if written is not None:
        return entry.sheet.read(written, written_refusal) or str(written)
    steps = (*case.steps, *(step for each in exceptions for step in each.steps))
    return refusal_of_steps(steps, own_setting=entry.has("tiles") and not exceptions)
