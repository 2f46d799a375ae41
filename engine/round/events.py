"""Events of a round: one frozen class per kind, grouped by the part of the round.

``by`` and similar fields hold a player, `DEALER` or a title. Boxes are the numbers on the felt, from 1; money is in
whole numbers of the smallest unit. Events carry no time: the record does.
"""

from dataclasses import dataclass

from engine.game.ranking import Outcome
from engine.game.tiles import Tile
from engine.round.event import AtBox, DoneBy, Event, HandledBy, PlayerAtBox, TilePair
from engine.round.wager_results import Banked, WagerResult
from engine.settlement.wagers import MAIN
from engine.vocabulary.cuts import Chooser
from engine.vocabulary.facts import Bank
from engine.vocabulary.irregularities import Irregularity
from engine.vocabulary.play import Means
from engine.vocabulary.remedy import Effect


class TableVacated(Event):
    """All players have left; play then starts afresh."""


@dataclass(frozen=True)
class TilesReplaced(Event):
    """A tile, or the entire set, was replaced, and somebody notified of it where the book asks for that."""

    ordered_by: str
    whole_set: bool = False
    notified: str | None = None


class ClosingAnnounced(DoneBy):
    """Players were informed, by word or by a sign, that the table closes."""


@dataclass(frozen=True)
class TableClosed(Event):
    """Gaming at the table has ended, and the tiles are removed; a sign announced it for this many minutes before."""

    by: str | None = None
    minutes: int = 0


@dataclass(frozen=True)
class LimitsChanged(DoneBy):
    """The sign's limits were changed (None for none); `announced` by a sign for twenty minutes or not."""

    minimum: int | None = None
    maximum: int | None = None
    announced: bool = False


@dataclass(frozen=True)
class TilesChecked(Event):
    """All tiles were checked one by one and lie face up, in this order."""

    tiles: tuple[Tile, ...]
    by: str


class PlayerSeated(PlayerAtBox):
    """A player took the seat at a box."""


@dataclass(frozen=True)
class PlayerLeft(Event):
    """A player left the table."""

    player: str


class BankOffered(PlayerAtBox):
    """The bank was offered to a player for a box."""


class BankDeclined(PlayerAtBox):
    """The player who was offered the bank, or held it so far, does not take it."""


@dataclass(frozen=True)
class BankAccepted(AtBox):
    """A player takes or continues the bank, with funds checked by the dealer; the chung is placed at the box.

    If the bank is shared, the player it was offered to comes first. Co-banking may need approval.
    """

    players: tuple[str, ...]
    method: Bank
    funds: int
    approved_by: str | None = None


class HouseBanks(Event):
    """The House takes the bank."""


@dataclass(frozen=True)
class BankWagered(Event):
    """The player in the bank placed his own wager, or raised it to this amount."""

    amount: int


@dataclass(frozen=True)
class BankFellBack(Event):
    """The player in the bank does not cover the wagers, and the round is banked another way."""

    method: Bank


@dataclass(frozen=True)
class HouseWagered(Event):
    """The dealer bets against the player-banker, at his request; a higher total than the book's may be authorised."""

    amount: int
    authorised_by: str | None = None


@dataclass(frozen=True)
class WagerPlaced(PlayerAtBox):
    """A player placed a wager of a kind of bet: on the game itself, or a side wager that the table offers.

    Attributes:
        spot: position in the box, 1 nearest to the dealer (or furthest to the dealer's right, by the layout).
        consent: whether the player-banker agreed to it after the close.
    """

    amount: int
    means: Means = Means.CHIPS
    spot: int | None = None
    consent: bool = False
    bet: str = MAIN


@dataclass(frozen=True)
class WagerChanged(PlayerAtBox):
    """A player's wager was changed to this amount."""

    amount: int
    consent: bool = False
    bet: str = MAIN


@dataclass(frozen=True)
class WagerWithdrawn(PlayerAtBox):
    """A player took his wager back."""

    consent: bool = False
    bet: str = MAIN


class BigSmallDeclined(PlayerAtBox):
    """A player with first right to wager on Big or Small on a box declines."""


class ControlCeded(PlayerAtBox):
    """The seated player leaves the decisions to the player with the highest wager."""


class BoxChosen(PlayerAtBox):
    """A player on several boxes chooses the one he plays himself."""


class BetsClosed(Event):
    """The dealer called "no more bets"."""


@dataclass(frozen=True)
class Shuffled(Event):
    """The tiles were shuffled face down; a reshuffle is ordered by somebody."""

    ordered_by: str | None = None


class Stacked(Event):
    """The tiles stand in eight stacks of four."""


@dataclass(frozen=True)
class LajaDone(DoneBy):
    """The tiles were mixed once more at a player's request, or because one of them was exposed."""

    asked_by: str
    approved_by: str | None = None


@dataclass(frozen=True)
class CutNamed(Event):
    """The cut was decided; one that is not on the book's list was accepted by somebody."""

    cut: str
    by: Chooser
    accepted_by: str | None = None


@dataclass(frozen=True)
class ButtonPlaced(Event):
    """The banker adjusts the delivery by this value."""

    value: int


class DiceShaken(DoneBy):
    """Somebody shook the cup."""


@dataclass(frozen=True)
class DiceShown(Event):
    """The cover was lifted; the dice show these upper faces (of a cocked throw, those that can be read).

    A cocked throw has no first box. `big_small_die` is the third die of Crown Pai Gow, where Big/Small is offered.
    """

    box_dice: tuple[int, ...]
    first_box: int | None = None
    cut_die: int | None = None
    cocked: bool = False
    big_small_die: int | None = None


@dataclass(frozen=True)
class TilesDelivered(Event):
    """Every place has four tiles, dealt in this order of places."""

    order: tuple[int, ...]


@dataclass(frozen=True)
class EmptyRetrieved(Event):
    """The tiles of the boxes without wagers were taken back unseen."""

    boxes: tuple[int, ...]


class BankMoved(Event):
    """The bank's tiles lie before the float."""


class TilesHandled(HandledBy):
    """Somebody took up a box's tiles."""


class HouseWayRequested(HandledBy):
    """A player, or the banker for his own box, requested that the dealer set the hand."""


class HandSet(HandledBy):
    """A hand lies set, face down."""


@dataclass(frozen=True)
class HandConceded(PlayerAtBox):
    """A player conceded his wager; the tiles are taken away unseen, or shown first if a Bonus lies on them."""

    tiles: tuple[Tile, ...] = ()


class TieSurrendered(PlayerAtBox):
    """A player surrendered half of his Tie wager."""


@dataclass(frozen=True)
class TilesLaidOpen(PlayerAtBox):
    """The only player against the House laid his tiles face up."""

    tiles: tuple[Tile, ...]


@dataclass(frozen=True)
class BankPeeked(Event):
    """The co-banker exposed two of the bank's tiles before they were set."""

    tiles: tuple[Tile, ...]


class BankSet(DoneBy):
    """The bank's hand is set."""


class BankConfirmed(DoneBy):
    """A banker confirmed the hand that the dealer set for him."""


@dataclass(frozen=True)
class BankExposed(Event):
    """The bank's hand is open, as set (the log also accepts a low hand that outranks the high one)."""

    low: TilePair
    high: TilePair


class HouseWayConfirmed(DoneBy):
    """The House's hand was confirmed to be set the House Way."""


@dataclass(frozen=True)
class HandExposed(AtBox):
    """A player's hand is open, as set."""

    low: TilePair
    high: TilePair


@dataclass(frozen=True)
class HandMatched(AtBox):
    """A player's hand was matched with the bank's: Jung, Che or Jowl."""

    outcome: Outcome


@dataclass(frozen=True)
class BigSmallSettled(Event):
    """The wagers on Big and Small were paid or taken, according to the dice."""

    results: tuple[WagerResult, ...]


@dataclass(frozen=True)
class Settled(Event):
    """Every wager on the tiles was paid or taken, in this order; `bank` is None if the House banks."""

    results: tuple[WagerResult, ...]
    bank: Banked | None = None


class TilesPutAway(AtBox):
    """A player's tiles lie in the designated area."""


class BankPutAway(Event):
    """The bank's tiles lie in the designated area."""


class TilesViewed(HandledBy):
    """Somebody looked at tiles that are out of play."""


@dataclass(frozen=True)
class IrregularityDecided(Event):
    """An irregularity and the decision on it, under a rule as cited (``crown-6.1 12.7``).

    It concerns the hand of `box` (the chung's for the bank's) or the wagers of `player`. `decision` says what happens
    to wagers if the rule leaves that open (`Effect.AS_DECIDED`). `low` and `high` are an open hand after correction.
    `dice` are the box dice that chose a box to go out of play.
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
