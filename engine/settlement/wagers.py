"""A book's rules on wagers and settlement, a single wager, and a table's own terms.

`engine.settlement.wager_checks` checks wagers against these rules.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, NoReturn

from engine.errors import WagerError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from engine.settlement.money import Commission
    from engine.settlement.outcome import Matching
    from engine.vocabulary.citations import Cite
    from engine.vocabulary.facts import Bank, Fact


HOUSE = "house"
"""The name under which the dealer wagers if a book allows it (the UK poster)."""

MAIN = "pai-gow"
"""The main game; other kinds of bet have their own names."""

BONUS = "bonus"
TIE = "tie"
BIG = "big"
SMALL = "small"

BIG_SMALL = "big-small"
"""The offer that lets players wager on Big or on Small."""

OFFERS = {BONUS: BONUS, TIE: TIE, BIG: BIG_SMALL, SMALL: BIG_SMALL}
"""The side wagers and the offer of each."""


class Limit(Enum):
    """Treatment of a wager beyond the limits on the table's sign."""

    NONE = "no such limit applies"
    TO_THE_MAXIMUM = "it is paid or collected to the maximum"
    STANDS = "it stands whole"
    REFUSED = "it is refused"


class Unpayable(Enum):
    """Treatment of a wager whose winnings chips cannot pay exactly."""

    PAID_UP = "the payment goes to the next highest amount that chips can make"
    PART_VOID = "only as much of it as chips could pay exactly is valid"
    REFUSED = "it cannot have been made of this table's chips"


@dataclass(frozen=True, slots=True)
class PersonalRule:
    """Limits agreed with one player.

    Attributes:
        minimum_too: whether a personal minimum may be agreed as well.
        alone: the rule that a player with a personal maximum is the only one on his box; None if he need not be.
    """

    minimum_too: bool = True
    alone: Cite | None = None


@dataclass(frozen=True)
class WagerRules:
    """A book's rules on wagers and limits; its `Play` and `Banking` say where wagers may be placed.

    Attributes:
        over: by banking method, treatment of a wager over the maximum.
        under: by banking method, treatment of a wager under the minimum.
        box_total: the rule by which the house may limit all wagers on a box together; None otherwise.
        per_box: the rule of the sign whose minimum and maximum may hold for a box's wagers together; None if they hold
            for each wager only.
        personal: limits agreed with one player; None if the book has none.
        tokens: promotional tokens may be wagered; true if a token is forfeited even when it wins.
        unpayable: a wager whose winnings chips cannot pay exactly.
        returned: the rule by which a void wager is returned.
        void_round: the rule by which all wagers are returned if the round is void for no other stated reason.
    """

    over: Mapping[Bank, Fact[Limit]]
    under: Mapping[Bank, Fact[Limit]]
    box_total: Cite | None
    personal: Fact[PersonalRule] | None
    tokens: Fact[bool] | None
    unpayable: Fact[Unpayable]
    returned: Cite
    void_round: Cite
    per_box: Fact[str] | None = None


@dataclass(frozen=True, slots=True)
class Wager:
    """One wager on the table. Money is in the smallest unit.

    Attributes:
        box: its box, 1 to 8.
        void: why it is void; empty if it is not.
        voided_by: the rule under which it is void, if known; otherwise that of the return of void wagers.
        minimum: this player's own minimum, if one was agreed.
        surrendered: whether half of it was given up (Tie wagers).
        forfeited: the rule under which it is lost regardless of its hand; None if it is not.
        dealt: for a void wager, whether it was valid until after the deal; wagers that required it may then stay.
    """

    box: int
    player: str
    stake: int
    bet: str = MAIN
    conceded: bool = False
    void: str = ""
    minimum: int | None = None
    maximum: int | None = None
    token: bool = False
    surrendered: bool = False
    forfeited: Cite | None = None
    dealt: bool = False
    voided_by: Cite | None = None

    @property
    def where(self) -> str:
        """As in messages: ``Ann's wager on box 3``, ``Ann's Tie wager on box 3``."""
        kind = "" if self.bet not in OFFERS else f"{self.bet.title()} "
        return f"{self.player}'s {kind}wager on box {self.box}"

    def refuse(self, why: str, rule: Cite | Fact[Any]) -> NoReturn:
        raise WagerError(f"{self.where}: {why}", rule)

    @property
    def by_dice(self) -> bool:
        """Whether the dice decide it, before any tile is dealt."""
        return OFFERS.get(self.bet) == BIG_SMALL

    @property
    def on_tiles(self) -> bool:
        """Whether it needs tiles to be opened."""
        return not (self.conceded or self.surrendered or self.by_dice or self.forfeited is not None)


@dataclass(frozen=True, slots=True)
class Offered:
    """A side wager offered by a table. Money is in the smallest unit.

    Attributes:
        option: the paytable, such as ``bonus-a``; empty if the book prints only one.
        minimum: displayed minimum of this bet; None otherwise.
        with_main: a notice requires a main wager with it (Bonus).
        surrender: half of it may be surrendered (Tie).
    """

    option: str = ""
    minimum: int | None = None
    maximum: int | None = None
    with_main: bool = False
    surrender: bool = False


@dataclass(frozen=True, slots=True)
class TableTerms:
    """A table's own terms. Money is in the smallest unit.

    Attributes:
        minimum: the displayed minimum; None otherwise.
        box_maximum: for all wagers on a box together.
        limits_per_box: whether minimum and maximum hold for the main wagers of a box together (ruling 40).
        commission: the table's own rate; None for the book's.
        total_authorised: management allows a higher total of wagers than the book does (UK poster).
        boxes: number of players' boxes; None for the book's.
        box1_at_dealers_right: whether they are numbered from the dealer's right rather than from the left.
        side: the side wagers it offers: ``bonus``, ``tie``, ``big-small``.
    """

    chip: int = 1
    minimum: int | None = None
    maximum: int | None = None
    box_maximum: int | None = None
    commission: Fraction | None = None
    total_authorised: bool = False
    boxes: int | None = None
    box1_at_dealers_right: bool = True
    side: Mapping[str, Offered] = field(default_factory=dict)
    limits_per_box: bool = False


@dataclass(frozen=True, slots=True)
class WagerInPlay:
    """A wager and how much of it is in play.

    Attributes:
        in_play: the amount that can be won or lost; 0 if the wager is void.
        winnings: payment in chips at 1 to 1, before commission; 0 for a side wager, whose odds depend on its outcome.
        notes: effects of limits or chips, each with its rule.
        limited_by: the rule of the limit that leaves nothing of it in play; None otherwise.
    """

    wager: Wager
    in_play: int
    winnings: int
    notes: tuple[str, ...] = ()
    limited_by: Cite | None = None


@dataclass(frozen=True, slots=True)
class Against:
    """The bank that a wager is placed against.

    Attributes:
        box: the chung's box.
    """

    method: Bank
    box: int
    players: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BankRules:
    """Settlement of a round under one banking method.

    Attributes:
        method: the rule that allows it.
        opened: hands are opened counter-clockwise.
        taken: losing wagers are taken.
        paid: winning wagers are paid counter-clockwise.
        stand_off: the wager of a stand-off remains.
        house_way: the bank's hand is set the House Way; None if the banker sets it freely.
        remainder: the rest of the losing wager area goes to the bank.
        shortfall: amounts that the losing wager area cannot pay are taken from the bank's wager.
        commission: the rule of the banker's commission, if this banking method has its own.
    """

    method: Cite
    opened: Cite
    taken: Cite
    paid: Cite
    stand_off: Cite
    house_way: Cite | None = None
    remainder: Cite | None = None
    shortfall: Cite | None = None
    commission: Cite | None = None


@dataclass(frozen=True)
class SettlementRules:
    """A book's settlement rules, by banking method."""

    matching: Matching
    commission: Commission
    banks: Mapping[Bank, BankRules]
