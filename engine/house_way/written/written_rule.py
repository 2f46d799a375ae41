"""One rule of a file, or one of its exceptions: when it is asked and what it sets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from engine.house_way.written.conditions import condition_of
from engine.house_way.written.phrases import Phrase
from engine.house_way.written.refusals import refusal_of_steps, written_refusal
from engine.house_way.written.steps import step_of
from engine.house_way.written.vocabulary import made_of, one_of, one_pair_of, so_many_tiles

if TYPE_CHECKING:
    from engine.game.setting import Deal
    from engine.house_way.rules import Reason, Settings
    from engine.house_way.terms import Group
    from engine.house_way.written.conditions import Condition
    from engine.house_way.written.sheet import Entry, Said
    from engine.house_way.written.steps import SetStep
    from engine.house_way.written.vocabulary import Deals, Vocabulary


@dataclass(frozen=True, slots=True)
class Case:
    """When something is set, and what.

    Attributes:
        deals: those that it is about; None for all.
        conditions: what must hold besides.
        unless: what must not hold.
        steps: what is set.
        said: all of it, as it is written.
    """

    deals: Deals | None
    conditions: tuple[Condition, ...]
    unless: tuple[Condition, ...]
    steps: tuple[SetStep, ...]
    said: str

    def fits(self, deal: Deal, settings: Settings) -> bool:
        """Whether it has anything to say of these tiles and the settings still open."""
        if self.deals is not None and deal.key not in self.deals:
            return False
        for condition in self.conditions:  # loops, since every rule asks this of every hand
            if not condition(deal, settings):
                return False
        return not any(condition(deal, settings) for condition in self.unless)

    def narrow(self, deal: Deal, settings: Settings) -> Settings | None:
        """The settings that its steps leave; None where all of them are passed over."""
        left: Settings | None = None
        for step in self.steps:
            narrowed = step.narrow(deal, settings if left is None else left)
            left = left if narrowed is None else narrowed
            if left == ():
                return ()
        return left


@dataclass(frozen=True, slots=True)
class WrittenRule:
    """What a rule allows, as `Rule.allow` asks it.

    Attributes:
        case: when it is asked and what it sets.
        exceptions: what is set instead where they fit.
        left_to: exceptions that are rules of their own: where they fit this one says nothing.
    """

    case: Case
    exceptions: tuple[Case, ...] = ()
    left_to: tuple[Case, ...] = ()

    def __call__(self, deal: Deal, settings: Settings) -> Settings | None:
        """The settings allowed of those still open; None where the rule has nothing to say."""
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
    """What an exception that is a rule of its own allows: it is asked where the rule that it excepts would be."""

    case: Case
    rule: Case

    def __call__(self, deal: Deal, settings: Settings) -> Settings | None:
        """The settings allowed of those still open; None where it has nothing to say."""
        fits = self.rule.fits(deal, settings) and self.case.fits(deal, settings)
        return self.case.narrow(deal, settings) if fits else None


def case_of(entry: Entry, known: Vocabulary) -> Case:
    """Read when and what; mistakes are kept by the entry's sheet."""
    read = entry.sheet.read
    tiles, pair, beside = entry.texts("tiles"), entry.text("pair"), entry.texts("with")
    conditions, unless, steps = entry.texts("if"), entry.texts("unless"), entry.texts("set")
    entry.needs("set", 'say what is set, such as set = "keep the pair"')
    deals = [read(said, lambda text: made_of(*_tiles_of(text, known, 4))) for said in tiles]
    if tiles and pair:
        entry.wrong("pair", "pair and tiles do not go together: tiles already names all four")
    if beside and not pair:
        entry.wrong("with", 'with names the two tiles beside a pair: write pair = "..." too')
    if pair:
        pairs = read(pair, lambda text: _pairs_of(text, known))
        couples = [read(said, lambda text: _tiles_of(text, known, 2)) for said in beside]
        if pairs:
            deals.append(one_pair_of(pairs, tuple(filter(None, couples))))
    condition, step = partial(condition_of, known=known), partial(step_of, known=known)
    return Case(
        frozenset().union(*filter(None, deals)) if deals else None,
        tuple(filter(None, [read(said, condition) for said in conditions])),
        tuple(filter(None, [read(said, condition) for said in unless])),
        tuple(filter(None, [read(said, step) for said in steps])),
        _in_words(pair, beside, tiles, conditions, unless, steps),
    )


def _tiles_of(text: str, known: Vocabulary, number: int) -> tuple[Group, ...]:
    phrase = Phrase(text)
    found = so_many_tiles(phrase, known, number)
    phrase.end("a comma or 'and' stands between tiles, 'or' or a slash between what one tile may be")
    return found


def _pairs_of(text: str, known: Vocabulary) -> Group:
    phrase = Phrase(text)
    found = one_of(phrase, known, commas=True)
    phrase.end("pairs are written such as: fours, fives or elevens")
    return found


def _in_words(
    pair: Said | None,
    beside: tuple[Said, ...],
    tiles: tuple[Said, ...],
    conditions: tuple[Said, ...],
    unless: tuple[Said, ...],
    steps: tuple[Said, ...],
) -> str:
    """What is read to a supervisor where the owner wrote no text."""
    tied = "; or ".join(map(str, beside))
    when = [
        f"pair of {pair}{f' with {tied}' if tied else ''}" if pair else "",
        "; or ".join(map(str, tiles)),
        *(f"if {each}" for each in conditions),
        *(f"unless {each}" for each in unless),
    ]
    said = ", ".join(filter(None, when))
    done = "; ".join(map(str, steps))
    words = f"{said}: {done}." if said else f"{done}."
    return words[:1].upper() + words[1:]


def reason_of(entry: Entry, case: Case, exceptions: tuple[Case, ...] = ()) -> Reason:
    """The reason given for a setting that is not allowed: the owner's words, or those of the steps."""
    written = entry.text("refusal")
    if written is not None:
        return entry.sheet.read(written, written_refusal) or str(written)
    steps = (*case.steps, *(step for each in exceptions for step in each.steps))
    return refusal_of_steps(steps, own_setting=entry.has("tiles") and not exceptions)
