"""When something goes wrong: what each rulebook says must or may be done, by whom, when, and what becomes of wagers.

The kinds of irregularity are the same for all books, so that a camera or a supervisor can name one without knowing the
book. A book declares, for each kind, its options in the order they are considered, or that it is silent. What may be
done depends on how far the round has come: the milestones reached, which the round's log knows.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from engine.errors import IrregularityError
from engine.game.tiles import FULL_SET, Tile
from engine.vocabulary.facts import Milestone
from engine.vocabulary.sources import read_under

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from engine.vocabulary.facts import Bank
    from engine.vocabulary.sources import Cite, Source

E = TypeVar("E", bound=Enum)
_BOXES = 8


class Irregularity(Enum):
    """Something that went wrong at the table; the value tells it in words."""

    DAMAGED_TILE = "a tile is found damaged or marked"
    MISSING_TILE = "a tile of the set is missing"
    FOREIGN_TILE = "a tile lies on the table that is not part of the set"
    DUPLICATE_FACE = "a face lies on the table more often than the set holds it"
    TILE_TRACKING = "someone is suspected of tracking tiles through the shuffle"
    EXPOSED_STACKING = "a tile is exposed while the tiles are stacked"
    EXPOSED_LAJA = "more than two tiles are exposed during a laja"
    COCKED_DIE = "a die does not lie flat in the dice cup"
    DICE_NOT_TUMBLED = "the dice did not tumble when the cup was shaken"
    DICE_FAULT = "the dice are not those that the book asks for"
    TILE_EXPOSED = "one tile of a hand is exposed when it is dealt"
    DEALER_EXPOSES = "the dealer exposes two or more tiles of a hand"
    BANKER_EXPOSES = "the player-banker exposes tiles of their own hand"
    PLAYER_EXPOSES = "a player exposes their tiles before all hands are set"
    WRONG_DEAL = "the dealer distributes the tiles wrongly"
    UNUSED_TILES_SEEN = "tiles that are not in play are looked at or handled"
    NOT_HOUSE_WAY = "a hand is not set the House Way"
    LOW_LAID_HIGH = "a player lays the lower hand as the high hand"
    HANDLED_AFTER_SET = "a player handles their tiles after the hand is set"
    HOUSE_WAY_TOUCHED = "a player touches tiles that the dealer sets the House Way"
    HANDLED_BY_ANOTHER = "tiles are handled by a player who does not control the box"
    HAND_DISTURBED = "the dealer knocks down or mixes up a player's tiles when opening the hand"
    HANDS_MIXED = "tiles of two hands are mixed"
    ABSENT_PLAYER = "a player is not there to set their tiles, or does not set them"
    OUT_OF_VIEW = "a player takes tiles out of the dealer's view"
    TILES_EXCHANGED = "players exchange tiles"
    COMMUNICATING = "players are believed to tell each other what tiles they hold"
    SPYING = "a player is suspected of viewing another's tiles or collecting information on them"
    CONCEDED = "a player concedes a hand, by mistake or not"
    BELOW_MINIMUM = "a wager is below the minimum"
    ABOVE_MAXIMUM = "a wager is above the maximum"
    NOT_PAYABLE = "a wager cannot be paid exactly in chips"
    LATE_WAGER = "a wager is placed, changed or withdrawn after betting has closed"
    ORAL_WAGER = "a wager is only called out"
    INVALID_WAGER = "a wager is invalid because of who made it"
    WRONGLY_SETTLED = "a wager was paid or collected wrongly"
    BANK_NOT_COVERED = "the player-banker cannot or will not cover the wagers"
    PROHIBITED_DEVICE = "a person uses a prohibited device"
    FRAUD = "a fraudulent act is committed"
    DISRUPTION = "the game is disrupted from outside"
    RULE_BROKEN = "a player breaks a rule of the book"
    DISPUTE = "there is a dispute, or something that the book does not cover"


class Whose(Enum):
    """Whose hand it happened to."""

    HOUSE = "the House hand"
    CO_BANK = "the co-bank's hand"
    PLAYER_BANKER = "the player-banker's hand"
    PLAYER = "the player's hand"


def code(member: Enum) -> str:
    """The stable word for an irregularity, a milestone or a hand.

    >>> code(Irregularity.WRONG_DEAL), code(Milestone.BANK_PUT_AWAY), code(Whose.CO_BANK)
    ('wrong-deal', 'bank-put-away', 'co-bank')
    """
    return member.name.lower().replace("_", "-")


def by_code(members: type[E], word: str) -> E:
    """The irregularity, milestone or hand of this word.

    Raises:
        IrregularityError: there is none; the message lists those known.
    """
    known = {code(member): member for member in members}
    if word in known:
        return known[word]
    near = get_close_matches(word, known, n=1)
    meant = f" (did you mean {near[0]}?)" if near else ""
    raise IrregularityError(f"no {members.__name__.lower()} is called {word!r}{meant}; known: {', '.join(known)}")


class Duty(Enum):
    """Whether the book commands or permits."""

    MUST = "must"
    MAY = "may"


MUST, MAY = Duty.MUST, Duty.MAY


class Effect(Enum):
    """What becomes of wagers and tiles."""

    NONE = "no wager is touched"
    MIXED_AGAIN = "the tiles are mixed again; no wager is decided by it"
    AS_SET_NOW = "wagers are settled on the hand as it is then set"
    RESULTS_STAND = "results stand as they are"
    HAND_VOID = "the hand is void: wagers on it neither win nor lose, and go back"
    ROUND_VOID = "the round is void: all its wagers go back"
    NOT_ACCEPTED = "it does not count: wagers are as they were"
    WAGER_STANDS = "the wager is valid as it lies"
    WAGER_RETURNED = "the wager is not accepted, or is void, and goes back"
    WAGER_CAPPED = "the wager wins or loses up to the maximum"
    EXCESS_VOID = "the part that can be paid exactly is valid, the rest is void and goes back"
    PAID_UP = "the wager is paid to the next highest amount that chips can make"
    WAGER_LOST = "the wager is lost"
    WAGER_FORFEITED = "the wager is forfeited"
    WINNINGS_WITHHELD = "winnings are held back until it is decided"
    NO_WINNINGS = "the wager goes back without winnings"
    PUT_RIGHT = "what was paid or taken wrongly is put right"
    BANK_CHANGES = "the bank is held another way; wagers stay"
    BOX_OUT = "a box takes no wagers in later rounds; wagers of this round are not touched"
    BOX_BACK = "a box that was out of play takes wagers again"
    AS_DECIDED = "what becomes of wagers is part of the decision"


_IMPLIES = {
    Milestone.STACKED: (Milestone.SHUFFLED,),
    Milestone.CUT_NAMED: (Milestone.STACKED,),
    Milestone.DICE_SHOWN: (Milestone.STACKED,),
    Milestone.TILES_DELIVERED: (Milestone.BETS_CLOSED, Milestone.CUT_NAMED, Milestone.DICE_SHOWN),
    Milestone.TILES_HANDLED: (Milestone.TILES_DELIVERED,),
    Milestone.TILES_VIEWED: (Milestone.TILES_HANDLED,),
    # Whoever set a hand has handled its tiles and looked at them.
    Milestone.HANDS_SET: (Milestone.TILES_VIEWED,),
    Milestone.BANK_EXPOSED: (Milestone.HANDS_SET, Milestone.TILES_VIEWED),
    Milestone.FIRST_HAND_EXPOSED: (Milestone.BANK_EXPOSED,),
    Milestone.SETTLED: (Milestone.FIRST_HAND_EXPOSED,),
    Milestone.BANK_PUT_AWAY: (Milestone.FIRST_HAND_EXPOSED,),
    Milestone.ROUND_OVER: (Milestone.SETTLED, Milestone.BANK_PUT_AWAY),
}
"""What must have happened before, in every book; whoever knows the last event alone must not be told less."""


def so_far(
    reached: Iterable[Milestone],
    book: Mapping[Milestone, tuple[Milestone, ...]] = MappingProxyType({}),
    whose: Whose | None = None,
) -> frozenset[Milestone]:
    """These milestones and all that must have come before them.

    Args:
        reached: milestones of the round.
        book: what must have come before in one book, beside what must in all.
        whose: whose hand is asked about. Whoever banks sets last (crown-6.1 10.3.2(i); nz-1998 11.2(d)), so that all
            others are set does not say that he has looked at his own tiles.

    >>> len(so_far([Milestone.STACKED]))
    2
    """
    banks = whose in {Whose.PLAYER_BANKER, Whose.CO_BANK}
    known: set[Milestone] = set()
    asked = list(reached)
    while asked:
        one = asked.pop()
        if one not in known:
            known.add(one)
            before = (*_IMPLIES.get(one, ()), *book.get(one, ()))
            asked.extend((Milestone.TILES_HANDLED,) if banks and one is Milestone.HANDS_SET else before)
    return frozenset(known)


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that a book commands or permits.

    Attributes:
        duty: whether it must or may be done.
        by: who does it or decides it, by the book's own title.
        action: what to do; ``{hand}`` stands for the hand.
        effect: what becomes of wagers.
        cite: the rule that says so.
        also: other rules that belong to it.
        rulings: numbers of our rulings under which it is read.
        whose: the hands it speaks of; empty where that makes no difference.
        where: a condition that neither hand nor milestones tell.
        after: only once this has happened.
        before: only until this has happened.
    """

    duty: Duty
    by: str
    action: str
    effect: Effect
    cite: Cite
    also: tuple[Cite, ...] = ()
    rulings: tuple[int, ...] = ()
    whose: frozenset[Whose] = frozenset()
    where: str = ""
    after: Milestone | None = None
    before: Milestone | None = None

    def concerns(self, whose: Whose | None) -> bool:
        """Whether it speaks of this hand; all do while nobody knows whose it is."""
        return whose is None or not self.whose or whose in self.whose

    def open_at(self, reached: Collection[Milestone]) -> bool:
        """Whether it is open in a round that has reached these milestones."""
        return (self.after is None or self.after in reached) and (self.before is None or self.before not in reached)

    def words(self, whose: Whose | None, *, moment_known: bool) -> str:
        """What to do, with its citation; until when, or both sides of the event where the moment is not known."""
        hand = whose.value if whose else " or ".join(each.value for each in Whose if each in self.whose) or "the hand"
        said = (f"where {self.where}: " if self.where else "") + self.action.format(hand=hand)
        if moment_known and self.before:
            said += f" now: this is allowed until {self.before.value}"
        else:
            said += f" once {self.after.value}" if self.after else ""
            said += f", unless {self.before.value}" if self.before else ""
        return f"{said[0].upper()}{said[1:]} ({self.cited})."

    @property
    def cited(self) -> str:
        """The rules, and the rulings they are read under."""
        return ", ".join(filter(None, (self.cite, *(cite.section for cite in self.also), read_under(self.rulings))))


def until(
    event: Milestone,
    duty: Duty,
    by: str,
    cite: Cite,
    *whose: Whose,
    stands: Cite | None = None,
    also: tuple[Cite, ...] = (),
    rulings: tuple[int, ...] = (),
) -> tuple[Option, Option]:
    """A hand not set the House Way: set right until an event, standing as laid from then on.

    Args:
        event: the event that ends it.
        duty: whether it must or may be set right before.
        by: who sets it right.
        cite: the rule that says so.
        whose: the hands this holds for.
        stands: the rule under which it stands, where that is another one.
        also: other rules that belong to it.
        rulings: numbers of our rulings under which it is read.
    """
    hands = frozenset(whose)
    right = Option(duty, by, "set {hand} right", Effect.AS_SET_NOW, cite, also, rulings, hands, before=event)
    left = "leave it: {hand} stands as laid"
    return right, Option(MUST, by, left, Effect.RESULTS_STAND, stands or cite, also, rulings, hands, after=event)


def as_the_star_does(by: str, cite: Cite) -> tuple[Option, Option]:
    """A missing, foreign or duplicate tile in a book that is silent on it: as rule 15.17 of The Star 2024 (ruling 36).

    Args:
        by: who decides.
        cite: the book's rule on what it does not cover.
    """
    # Wagers lie from the shuffle on; before it there is no round to declare void.
    began, over = Milestone.SHUFFLED, Milestone.SETTLED
    void = "declare the round void and return all wagers of it"
    stand = "let the results of completed rounds stand, and check the set for more"
    return (
        Option(MAY, by, void, Effect.ROUND_VOID, cite, rulings=(36,), after=began, before=over),
        Option(MAY, by, stand, Effect.RESULTS_STAND, cite, rulings=(36,)),
    )


@dataclass(frozen=True, slots=True)
class Finding:
    """What a book says about one irregularity at one moment.

    Attributes:
        rulebook: the book's id.
        irregularity: what happened.
        whose: whose hand, where known and of any account.
        reached: all milestones reached; None where nobody knows how far the round has come.
        silent: the book says nothing about this; the options are what remains.
        options: what must or may be done, in order; never empty.
        seen: what was seen, such as the name of the tile that is missing.
    """

    rulebook: str
    irregularity: Irregularity
    whose: Whose | None
    reached: frozenset[Milestone] | None
    silent: bool
    options: tuple[Option, ...]
    seen: str = ""

    @property
    def happened(self) -> str:
        """What happened, in words."""
        about = ", ".join(filter(None, (self.whose.value if self.whose else "", self.seen)))
        return f"{self.irregularity.value}{f' ({about})' if about else ''}"

    @property
    def remedy(self) -> str:
        """What to do now, in sentences; who does it is named where the book is silent."""
        if self.silent:
            opening = f"{self.rulebook} does not say what to do when {self.happened}: the supervisor decides."
            return " ".join([opening, *(f"{option.by}: {self.words(option)}" for option in self.options)])
        return " ".join(map(self.words, self.options))

    def words(self, option: Option) -> str:
        """One of the options in words."""
        return option.words(self.whose, moment_known=self.reached is not None)


@dataclass(frozen=True, slots=True)
class BoxRemoved:
    """A throw that takes a box out of play.

    Attributes:
        total: of the three dice.
        counted: the box counted to, 1 to 8.
        box: the box out of play; None where it was the bank's, and the dice are shaken again.
        cite: the rule that says so.
    """

    total: int
    counted: int
    box: int | None
    cite: Cite

    @property
    def words(self) -> str:
        """The throw in words."""
        if self.box is None:
            return f"{self.total} counts to box {self.counted}, the bank's own: shake the dice again ({self.cite})."
        return f"{self.total} counts to box {self.box}: it is out of play from the next round on ({self.cite})."


@dataclass(frozen=True, slots=True)
class BoxRemoval:
    """How a book chooses the box that goes out of play when players communicate: by the three box dice.

    Attributes:
        cite: the rule of the count.
        again: the rule for a total that indicates the bank's box.
        banks: who must hold the bank.
    """

    cite: Cite
    again: Cite
    banks: frozenset[Bank]

    def throw(self, dice: Sequence[int], bank: Bank, bank_box: int = 1) -> BoxRemoved:
        """Count the total counter-clockwise from box 1, which is 1, 9 and 17.

        Args:
            dice: the three box dice, 1 to 6 each.
            bank: who holds the bank.
            bank_box: the box that the bank's tiles are dealt to; the House's is box 1.

        Raises:
            IrregularityError: not three dice, no such box, or no box is taken out while this bank is held.
        """
        if bank not in self.banks:
            allowed = " or ".join(sorted(each.value for each in self.banks))
            raise IrregularityError(
                f"no box is taken out of play while the bank is {bank.value}: only for {allowed}", self.cite
            )
        if len(dice) != 3 or not all(1 <= die <= 6 for die in dice):
            raise IrregularityError(f"{list(dice)} are not three dice of 1 to 6: read the box dice again", self.cite)
        if not 1 <= bank_box <= _BOXES:
            raise IrregularityError(f"there is no box {bank_box}: the bank's box is one of 1 to {_BOXES}", self.cite)
        total = sum(dice)
        counted = (total - 1) % _BOXES + 1
        if counted == bank_box:
            return BoxRemoved(total, counted, None, self.again)
        return BoxRemoved(total, counted, counted, self.cite)


@dataclass(frozen=True, eq=False)
class Irregularities:
    """What one book says when something goes wrong.

    Attributes:
        source: the book.
        said: its options for each kind that it speaks of, in the order they are considered.
        silent: the kinds that it says nothing of; with options where a ruling of ours or a general power helps, empty
            where only its rule on disputes remains.
        removal: how it takes a box out of play; None where it never does.
        implies: what must have happened before a milestone in this book, beside what must in all: what closes betting,
            and whether dice or cut come first.
    """

    source: Source
    said: Mapping[Irregularity, tuple[Option, ...]]
    silent: Mapping[Irregularity, tuple[Option, ...]]
    removal: BoxRemoval | None = None
    implies: Mapping[Milestone, tuple[Milestone, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a book that forgets a kind or has it twice."""
        twice = self.said.keys() & self.silent.keys()
        forgotten = set(Irregularity) - self.said.keys() - self.silent.keys()
        if twice or forgotten or not self.said.get(Irregularity.DISPUTE):
            wrong = ", ".join(sorted(map(code, twice | forgotten))) or code(Irregularity.DISPUTE)
            raise IrregularityError(f"{self.source.rulebook}: declare each kind once, said or silent; look at {wrong}")

    def finding(
        self,
        irregularity: Irregularity,
        whose: Whose | None = None,
        reached: Iterable[Milestone] | None = None,
        *,
        seen: str = "",
    ) -> Finding:
        """What must or may be done about it.

        Args:
            irregularity: what happened.
            whose: whose hand it was; None where that is not known, and all options are given.
            reached: milestones of the round so far, which bring those before them; None where not known.
            seen: what was seen, in words.
        """
        known = None if reached is None else so_far(reached, self.implies, whose)
        options = tuple(
            option
            for option in (self.said.get(irregularity) or self.silent[irregularity])
            if option.concerns(whose) and (known is None or option.open_at(known))
        )
        return Finding(
            rulebook=self.source.rulebook,
            irregularity=irregularity,
            whose=whose,
            reached=known,
            silent=irregularity in self.silent or not options,
            options=options or self.said[Irregularity.DISPUTE],
            seen=seen,
        )

    def check_set(
        self, seen: Iterable[Tile | None], *, displayed: bool, reached: Iterable[Milestone] | None = None
    ) -> tuple[Finding, ...]:
        """What is wrong with the tiles on the table, and what the book says about it.

        Args:
            seen: every tile that was named; None for one that bears none of the 21 faces.
            displayed: the whole set lies open, as it is checked before and after gaming; else tiles may be hidden.
            reached: milestones of the round so far.
        """
        known = None if reached is None else so_far(reached, self.implies)
        return tuple(
            self.finding(kind, None, known, seen=words) for kind, words in set_faults(seen, displayed=displayed)
        )

    def check_throw(self, leaning: Sequence[bool], reached: Iterable[Milestone] | None = None) -> Finding | None:
        """What the book says about a throw; None where every die lies flat.

        Args:
            leaning: for each die, whether it fails to lie flat.
            reached: milestones of the round so far.
        """
        if not any(leaning):
            return None
        count = f"{sum(leaning)} of {len(leaning)} dice"
        return self.finding(Irregularity.COCKED_DIE, None, reached, seen=count)

    def remove_box(self, dice: Sequence[int], bank: Bank, bank_box: int = 1) -> BoxRemoved:
        """Choose the box that goes out of play; see `BoxRemoval.throw`.

        Raises:
            IrregularityError: the book takes no box out of play, or not with this bank, or these are not three dice.
        """
        if self.removal is None:
            raise IrregularityError(f"{self.source.rulebook} takes no box out of play by dice")
        return self.removal.throw(dice, bank, bank_box)


def set_faults(seen: Iterable[Tile | None], *, displayed: bool) -> tuple[tuple[Irregularity, str], ...]:
    """Where the tiles seen are not one set of 32: the kind of fault and what was seen.

    Args:
        seen: every tile that was named; None for one that bears none of the 21 faces.
        displayed: the whole set lies open, so that a tile not seen is missing.

    >>> set_faults([Tile.TEEN] * 3, displayed=False)[0][1]
    '6-6 (Teen): 3 seen, the set holds 2'
    """
    faces, full = Counter(seen), Counter(FULL_SET)
    foreign = faces.pop(None, 0)
    faults = [(Irregularity.FOREIGN_TILE, f"{foreign} with none of the 21 faces")] if foreign else []
    for tile in Tile:
        words = f"{tile.label}: {faces[tile]} seen, the set holds {full[tile]}"
        if faces[tile] > full[tile]:
            faults.append((Irregularity.DUPLICATE_FACE, words))
        elif displayed and faces[tile] < full[tile]:
            faults.append((Irregularity.MISSING_TILE, words))
    return tuple(faults)
