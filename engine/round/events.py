"""What can happen in a round, one frozen class for each kind of event.

Players are named by the table; `DEALER` and `HOUSE` are nobody's names. Boxes count from 1, counter-clockwise from the
dealer's right. Money is whole numbers of the smallest unit. When an event happened is the record's business.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from engine.game.ranking import Outcome  # noqa: TC001
from engine.game.tiles import Tile
from engine.settlement.wagers import MAIN

# The written form reads these classes by their annotations, so all names in them exist when the program runs.
from engine.vocabulary.cuts import Chooser  # noqa: TC001
from engine.vocabulary.facts import Bank  # noqa: TC001
from engine.vocabulary.irregularities import Irregularity  # noqa: TC001
from engine.vocabulary.play import Means
from engine.vocabulary.remedy import Effect  # noqa: TC001

DEALER = "dealer"
"""Who acts where an event is the dealer's doing."""

HOUSE = "house"
"""Whose wager it is when the dealer bets against a player-banker."""

TilePair = tuple[Tile, Tile]

KINDS: dict[str, type[Event]] = {}
"""Every class of event by its kind."""


class Event:
    """Something that happened at the table.

    Attributes:
        kind: its name in the written form: the class's, in lower case with hyphens.
    """

    __slots__ = ()
    kind: ClassVar[str]

    def __init_subclass__(cls) -> None:
        """Know the class by its kind."""
        super().__init_subclass__()
        cls.kind = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", cls.__name__).lower()
        KINDS[cls.kind] = cls


# Before the round


@dataclass(frozen=True, slots=True)
class TableVacated(Event):
    """All players have left; what comes is a new commencement of play."""


@dataclass(frozen=True, slots=True)
class TilesReplaced(Event):
    """A tile or the set was changed.

    Attributes:
        ordered_by: the title of whoever ordered it.
        whole_set: whether the whole set is taken off the table for another.
    """

    ordered_by: str
    whole_set: bool = False


@dataclass(frozen=True, slots=True)
class TableClosed(Event):
    """Gaming at the table has ended, and the tiles are taken off it."""


@dataclass(frozen=True, slots=True)
class LimitsChanged(Event):
    """The limits on the table's sign are altered.

    Attributes:
        by: the title of whoever decided it.
        minimum: the new minimum; None for none.
        maximum: the new maximum; None for none.
        announced: whether a sign has said for twenty minutes that the minimum would be raised.
    """

    by: str
    minimum: int | None = None
    maximum: int | None = None
    announced: bool = False


@dataclass(frozen=True, slots=True)
class TilesChecked(Event):
    """All tiles were checked one by one and lie face up.

    Attributes:
        tiles: as they lie.
        by: the title of whoever checked them.
    """

    tiles: tuple[Tile, ...]
    by: str


@dataclass(frozen=True, slots=True)
class PlayerSeated(Event):
    """A player took the seat at a box."""

    box: int
    player: str


@dataclass(frozen=True, slots=True)
class PlayerLeft(Event):
    """A player left the table."""

    player: str


# The bank


@dataclass(frozen=True, slots=True)
class BankOffered(Event):
    """The bank was offered to a player for a box."""

    box: int
    player: str


@dataclass(frozen=True, slots=True)
class BankDeclined(Event):
    """The player it was offered to, or who held it so far, does not take the bank."""

    box: int
    player: str


@dataclass(frozen=True, slots=True)
class BankAccepted(Event):
    """A player takes the bank, or goes on with it.

    Attributes:
        box: where the chung is put.
        players: who banks; more than one where the bank is shared, the one it was offered to first.
        method: alone or as co-banker.
        funds: what the dealer ascertained that they have for it.
        approved_by: the title of whoever gave leave, where co-banking takes it.
    """

    box: int
    players: tuple[str, ...]
    method: Bank
    funds: int
    approved_by: str | None = None


@dataclass(frozen=True, slots=True)
class HouseBanks(Event):
    """The House takes the bank."""


@dataclass(frozen=True, slots=True)
class BankWagered(Event):
    """The player in the bank placed his own wager, or raised it to this."""

    amount: int


@dataclass(frozen=True, slots=True)
class BankFellBack(Event):
    """The player in the bank does not cover the wagers, and the round is banked another way."""

    method: Bank


@dataclass(frozen=True, slots=True)
class HouseWagered(Event):
    """The dealer placed a bet against the player-banker, who asked for it.

    Attributes:
        amount: the bet.
        authorised_by: the title of whoever allows more wagers in all than the book does.
    """

    amount: int
    authorised_by: str | None = None


# Shuffle


@dataclass(frozen=True, slots=True)
class Shuffled(Event):
    """The tiles were shuffled face down.

    Attributes:
        ordered_by: the title of whoever ordered it, where it is not the round's first shuffle.
    """

    ordered_by: str | None = None


@dataclass(frozen=True, slots=True)
class Stacked(Event):
    """The tiles stand in eight stacks of four."""


@dataclass(frozen=True, slots=True)
class LajaDone(Event):
    """The tiles were mixed once more at a player's wish, or because one of them was exposed.

    Attributes:
        by: who did it: `DEALER` or a player.
        asked_by: who wished it: a player, or the title of whoever asked because a tile was exposed.
        approved_by: the title of whoever gave leave.
    """

    by: str
    asked_by: str
    approved_by: str | None = None


# Wagers


@dataclass(frozen=True, slots=True)
class WagerPlaced(Event):
    """A player placed a wager.

    Attributes:
        box: where.
        player: whose.
        amount: how much.
        means: of what.
        spot: its place in the box, 1 nearest to the dealer (or furthest to the dealer's right, by the layout).
        consent: whether the player-banker agreed to it after the close.
        bet: the kind of bet: the game itself, or a side wager that the table offers.
    """

    box: int
    player: str
    amount: int
    means: Means = Means.CHIPS
    spot: int | None = None
    consent: bool = False
    bet: str = MAIN


@dataclass(frozen=True, slots=True)
class WagerChanged(Event):
    """A player's wager is now this much."""

    box: int
    player: str
    amount: int
    consent: bool = False
    bet: str = MAIN


@dataclass(frozen=True, slots=True)
class WagerWithdrawn(Event):
    """A player took his wager back."""

    box: int
    player: str
    consent: bool = False
    bet: str = MAIN


@dataclass(frozen=True, slots=True)
class ControlCeded(Event):
    """The seated player leaves the decisions to the highest wager."""

    box: int
    player: str


@dataclass(frozen=True, slots=True)
class BoxChosen(Event):
    """A player on several boxes says which one he plays himself."""

    box: int
    player: str


@dataclass(frozen=True, slots=True)
class BetsClosed(Event):
    """The dealer called "no more bets"."""


# Cut and dice


@dataclass(frozen=True, slots=True)
class CutNamed(Event):
    """The cut is decided.

    Attributes:
        cut: its name.
        by: who or what decided it.
        accepted_by: the title of whoever accepted a cut that is not on the book's list.
    """

    cut: str
    by: Chooser
    accepted_by: str | None = None


@dataclass(frozen=True, slots=True)
class ButtonPlaced(Event):
    """The banker adjusts the delivery by this value."""

    value: int


@dataclass(frozen=True, slots=True)
class DiceShaken(Event):
    """Somebody shook the cup: `DEALER` or a player."""

    by: str


@dataclass(frozen=True, slots=True)
class DiceShown(Event):
    """The cover was taken off.

    Attributes:
        box_dice: the upper faces of the box dice; of a cocked throw those that can be read.
        cut_die: that of the cut die, where there is one.
        first_box: which box is first; None if a die is cocked.
        cocked: whether a die does not lie flat.
        big_small_die: that of the third die of Crown Pai Gow, where Big/Small is offered.
    """

    box_dice: tuple[int, ...]
    first_box: int | None = None
    cut_die: int | None = None
    cocked: bool = False
    big_small_die: int | None = None


@dataclass(frozen=True, slots=True)
class WagerResult:
    """What one wager came to.

    Attributes:
        box: where it lay.
        player: whose it was.
        outcome: how it ended; None if it was void.
        paid: what the player won, before commission; 0 unless he won.
        commission: what was taken from that.
        lost: what of the wager was taken.
        bet: the kind of bet.
    """

    box: int
    player: str
    outcome: Outcome | None
    paid: int = 0
    commission: int = 0
    lost: int = 0
    bet: str = MAIN


@dataclass(frozen=True, slots=True)
class BigSmallSettled(Event):
    """The wagers on Big and Small were paid or taken, as the dice say.

    Attributes:
        results: of each of them.
    """

    results: tuple[WagerResult, ...]


# Delivery and setting


@dataclass(frozen=True, slots=True)
class TilesDelivered(Event):
    """Every place has four tiles.

    Attributes:
        order: the places in the order in which they were dealt.
    """

    order: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class EmptyRetrieved(Event):
    """The tiles of the boxes without wagers were taken back unseen."""

    boxes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BankMoved(Event):
    """The bank's tiles lie before the float."""


@dataclass(frozen=True, slots=True)
class TilesHandled(Event):
    """Somebody took up a box's tiles."""

    box: int
    by: str


@dataclass(frozen=True, slots=True)
class HouseWayRequested(Event):
    """A player, or the banker for his own box, asked the dealer to set the hand."""

    box: int
    by: str


@dataclass(frozen=True, slots=True)
class HandSet(Event):
    """A hand lies set, face down; by its player or by `DEALER`."""

    box: int
    by: str


@dataclass(frozen=True, slots=True)
class HandConceded(Event):
    """A player gave his wager up; the tiles are taken away unseen."""

    box: int
    player: str


@dataclass(frozen=True, slots=True)
class TieSurrendered(Event):
    """A player gave up half of his Tie wager."""

    box: int
    player: str


@dataclass(frozen=True, slots=True)
class TilesLaidOpen(Event):
    """The only player against the House laid his tiles face up."""

    box: int
    player: str
    tiles: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class BankPeeked(Event):
    """The co-banker exposed two of the bank's tiles before they were set."""

    tiles: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class BankSet(Event):
    """The bank's hand is set; by a banker or by `DEALER`."""

    by: str


@dataclass(frozen=True, slots=True)
class BankConfirmed(Event):
    """A banker confirmed the hand that the dealer set for him."""

    by: str


# Exposing and matching


@dataclass(frozen=True, slots=True)
class BankExposed(Event):
    """The bank's hand is open, as laid (a low hand that outranks the high one is no matter of the log)."""

    low: TilePair
    high: TilePair


@dataclass(frozen=True, slots=True)
class HouseWayConfirmed(Event):
    """The House's hand was confirmed to lie the House Way; by the title of whoever did."""

    by: str


@dataclass(frozen=True, slots=True)
class HandExposed(Event):
    """A player's hand is open, as laid."""

    box: int
    low: TilePair
    high: TilePair


@dataclass(frozen=True, slots=True)
class HandMatched(Event):
    """A player's hand was matched with the bank's: Jung, Che or Jowl."""

    box: int
    outcome: Outcome


# Settlement


@dataclass(frozen=True, slots=True)
class Banked:
    """What the player in the bank had at the end.

    Attributes:
        handed: his part of the losing wagers left, less commission.
        commission: what was taken from that.
        returned: what he had back of his own wager.
    """

    handed: int
    commission: int
    returned: int


@dataclass(frozen=True, slots=True)
class Settled(Event):
    """Every wager on the tiles was paid or taken.

    Attributes:
        results: of each wager, in the order of payment.
        bank: what the player in the bank had; None where the House banks.
    """

    results: tuple[WagerResult, ...]
    bank: Banked | None = None


@dataclass(frozen=True, slots=True)
class TilesPutAway(Event):
    """A player's tiles lie in the designated area."""

    box: int


@dataclass(frozen=True, slots=True)
class BankPutAway(Event):
    """The bank's tiles lie in the designated area."""


@dataclass(frozen=True, slots=True)
class TilesViewed(Event):
    """Somebody looked at tiles that are out of play: a player, `DEALER`, or a title."""

    box: int
    by: str


# When something goes wrong


@dataclass(frozen=True, slots=True)
class IrregularityDecided(Event):
    """Something went wrong, and what is done about it was decided.

    Attributes:
        irregularity: what went wrong.
        remedy: what becomes of wagers and tiles by the remedy taken.
        rule: the rule by which it is taken, as cited: ``crown-6.1 12.7``.
        decided_by: a title, `DEALER` or a player.
        box: whose hand it is about; the chung's box for the bank's hand.
        player: whose wagers it is about.
        decision: what becomes of wagers, where the rule leaves that to be decided (`Effect.AS_DECIDED`).
        low: of an open hand that was set right, the low hand as it lies then.
        high: likewise the high hand.
        dice: the box dice that chose a box to go out of play.
    """

    irregularity: Irregularity
    remedy: Effect
    rule: str
    decided_by: str
    box: int | None = None
    player: str | None = None
    decision: Effect | None = None
    low: TilePair | None = None
    high: TilePair | None = None
    dice: tuple[int, ...] = ()
