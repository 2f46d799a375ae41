"""The difference of two House Ways in words: a summary of at most ten lines, then every kind of hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.cli.common import choice_notes, commission_notes, per_cent

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from engine.analysis.difference import Difference, Parting, SetDifferently
    from engine.house_way import HouseWay

_LARGEST: Final = 3
"""Kinds of hand in the summary."""


def difference_text(one: HouseWay, other: HouseWay, found: Difference, commission: Fraction) -> str:
    """What changes if the second House Way takes the place of the first, at a commission on winnings."""
    parts = [_summary(one, other, found, commission)]
    told = [*commission_notes(commission, one.rulebook, other.rulebook), *choice_notes(one, other)]
    if told:
        parts.append("\n".join(f"note: {note}" for note in told))
    if found.hands:
        parts.append(
            "In detail, by the two rules that decide. What the House keeps is its share of one unit wagered on such a "
            f"hand,\nagainst players who set {one.rulebook}; a minus means that it pays."
        )
    return "\n\n".join([*parts, *(_parting(one, other, parting) for parting in found.partings)])


def _summary(one: HouseWay, other: HouseWay, found: Difference, commission: Fraction) -> str:
    if not found.hands:
        return f"{one.rulebook} and {other.rulebook} set all 35,960 deals the same way."
    first, second, alone = found.first_edge, found.second_edge, found.house_alone_edge
    both = {f"both sides set {each.rulebook}": edge for each, edge in ((one, first), (other, second))}
    changed = f"the House alone changes to {other.rulebook}"
    width = max(map(len, (*both, changed)))
    kinds = [hands for parting in found.partings for hands in parting.by_kind]
    largest = sorted(kinds, key=lambda hands: -abs(_weight(hands)))[:_LARGEST]
    differing = f"{found.kinds} kinds of hand, {len(found.hands)} by face"
    return "\n".join(
        [
            f"{one.rulebook} and {other.rulebook} set {found.deals:,} of 35,960 deals differently: {differing}.",
            f"House edge at {per_cent(commission)} commission:",
            *(f"  {words:{width}}  {_share(edge, 6)}" for words, edge in both.items()),
            f"  {changed:{width}}  {_share(alone, 6)}: {_gain(alone - first, 6)}",
            "The kinds of hand that matter most:" if len(kinds) > 1 else "The kind of hand:",
            *(f"  {_dealt(hands)}: {_gain(hands[0].gain, 2)} each time" for hands in largest),
        ]
    )


def _parting(one: HouseWay, other: HouseWay, parting: Parting) -> str:
    kinds = parting.by_kind
    size = f"{parting.deals:,} deals, {len(kinds)} kind{'' if len(kinds) == 1 else 's'}"
    lines = [
        f"{parting.first.cite} against {parting.second.cite}: {size}, in all {_gain(parting.weight, 6)}",
        f"    {one.rulebook}: {parting.first.text}",
        f"    {other.rulebook}: {parting.second.text}",
    ]
    return "\n".join([*lines, *(_kind(one, other, hands) for hands in kinds)])


def _kind(one: HouseWay, other: HouseWay, hands: tuple[SetDifferently, ...]) -> str:
    hand = hands[0]
    width = max(len(one.rulebook), len(other.rulebook)) + 1
    return (
        f"  {_dealt(hands)}, such as {hand.deal}; {_gain(hand.gain, 2)}\n"
        f"    {one.rulebook + ':':{width}} {hand.first.words}; the House keeps {_share(hand.kept_by_first, 2)}\n"
        f"    {other.rulebook + ':':{width}} {hand.second.words}; the House keeps {_share(hand.kept_by_second, 2)}"
    )


def _dealt(hands: Sequence[SetDifferently]) -> str:
    names = ", ".join(kind.label for kind in hands[0].deal.kinds)
    return f"{names}: dealt {sum(each.deal.ways for each in hands)} of 35,960"


def _weight(hands: Sequence[SetDifferently]) -> Fraction:
    """What a kind of hand, as often as it is dealt, adds to the edge."""
    return sum(hand.weight for hand in hands[1:]) + hands[0].weight


def _gain(gain: Fraction, digits: int) -> str:
    """A gain of the House, or its loss, in words and without a sign.

    >>> from fractions import Fraction
    >>> _gain(Fraction(-166, 10_000), 2), _gain(Fraction(39, 1000), 2), _gain(Fraction(0), 2)
    ('the House loses 1.66 %', 'the House gains 3.90 %', 'the House gains nothing')
    """
    if not gain:
        return "the House gains nothing"
    return f"the House {'loses' if gain < 0 else 'gains'} {_share(abs(gain), digits)}"


def _share(share: Fraction, digits: int) -> str:
    return f"{float(share) * 100:.{digits}f} %"
