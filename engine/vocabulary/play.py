"""The course of a round: what is done in which order, by whom, and until when.

What differs between the books is declared in a `Play` for each; the rules over it stand in `engine.round`. What the
dice and the buttons do is declared in a `Dice`, the cuts and who decides between them in a `Cuts`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.vocabulary.citations import Cite
    from engine.vocabulary.facts import Bank, Fact, Milestone


class Means(Enum):
    """What a wager is made of."""

    CHIPS = "chips"
    TOKEN = "token"  # noqa: S105  no password
    VOUCHER = "voucher"


class Claim(Enum):
    """By what a player claims the decisions on a box that several wager on."""

    SEATED = "seated at the box"
    HIGHEST = "the highest wager"
    POSITION = "the wager nearest to the dealer, or furthest to the dealer's right"
    PREVIOUS = "control in the round before"


class SeveralBoxes(Enum):
    """What becomes of a player's tiles on the boxes beyond the one he plays."""

    BLIND = "another player there decides; where there is none the hand is played blind and set by the dealer"
    HOUSE_WAY = "the dealer sets them the House Way"
    BESIDE_OTHERS = "he may only wager where another player decides"
    ONCE_IN_CONTROL = "once he decides on one, he may only wager where another player decides"
    FREE = "he plays them all"


class Shaker(Enum):
    """Who shakes the dice cup."""

    DEALER = "dealer"
    BANKER = "banker"


class SetWhen(Enum):
    """When the dealer sets the hand of a player who asked for the House Way."""

    BEFORE_BANK = "once the other players have set theirs, before the bank's hand"
    AT_SETTLEMENT = "when the box is settled"


class Lie(Enum):
    """How the two tiles of a hand lie, as the dealer sees them."""

    VERTICAL = "vertical"
    HORIZONTAL = "horizontal"

    @property
    def other(self) -> Lie:
        """How the other hand lies."""
        return Lie.HORIZONTAL if self is Lie.VERTICAL else Lie.VERTICAL


@dataclass(frozen=True, slots=True)
class Cutting:
    """When the cut is decided; by whom is said by `engine.vocabulary.cuts`.

    Attributes:
        after_dice: whether it is named once the dice are exposed (true), before (false), or either (None).
        needed: whether tiles may be delivered only once it is named.
    """

    after_dice: bool | None
    needed: bool = True


@dataclass(frozen=True, slots=True)
class LajaRule:
    """The extra mix of the tiles that may be asked for.

    Attributes:
        leave: whose leave it takes; None where asking is enough.
        by_players: whether players may perform it themselves.
        most: how many may be performed in a round; None for no limit.
        banker_only: with a player in the bank, only he asks.
        exposed: at whose request the dealer performs one when a tile was exposed while the tiles were stacked.
        then_bank: after a player's own laja only the bank may perform one more, and may ask for no shuffle.
    """

    leave: Fact[str] | None = None
    by_players: bool = False
    most: Fact[int] | None = None
    banker_only: bool = False
    exposed: Fact[str] | None = None
    then_bank: Cite | None = None


@dataclass(frozen=True, slots=True)
class ClosingNotice:
    """What notice players have before a table at which they are present closes.

    Attributes:
        by: whose decision it is.
        rounds: how many rounds are played after the notice; 0 where it is counted in minutes.
        minutes: for how long a sign has said so; 0 where it is counted in rounds.
    """

    by: str
    rounds: int = 0
    minutes: int = 0


@dataclass(frozen=True)
class Play:
    """What a book lays down about the course of a round. None means that the book has no such rule.

    Attributes:
        ranks: titles that may give leave, the lowest first; titles on one line hold the same powers.
        boxes: the players' boxes are 1 to this (ruling 32).
        fewer_boxes: the rule by which a table may have fewer.
        players_a_box: the most players on a box (ruling 32).
        tile_set: the rule of the 32 tiles.
        check: the rule that the tiles are checked and shown in rank order before play, and by whom.
        stay_shown: the rule that they stay so until a player takes a place.
        replace: whose leave a change of tiles takes.
        check_at_end: the rule that they are checked again at the end of gaming.
        check_before_removal: the rule that a set is checked again before it is taken off the table.
        shuffle: the rule that the tiles are shuffled before a round.
        stack: the rule that they are stacked in eight fours.
        reshuffle: whose order another shuffle takes.
        laja: the extra mix that may be asked for.
        chips: the rule that wagers are whole chips.
        means: what wagers may be made of.
        wagers_after: what must have happened before wagers are placed.
        announced: the rule that the dealer calls the end of betting; None where it ends by what is done.
        close: by who banks, what closes betting (ruling 30).
        no_change: the rule that no wager is touched after that.
        consent: with whom in the bank his consent still lets wagers be changed, until the tiles are delivered.
        control: by what the decisions on a box are claimed, in order (ruling 32).
        cede: the rule by which the seated player may leave them to another.
        several: what holds for a player on several boxes.
        house_way_boxes: the rule for places at which the dealer always sets the House Way.
        cut: by who banks, when the cut is decided.
        shakers: by who banks, who may shake the cup.
        dealer_first: the rule that the dealer shakes before the banker does.
        shake_after: by who banks, what must have happened before the dice tumble.
        cut_after_shake: the rule that they tumble before the cut is decided.
        deliver: the rule that every box is dealt four tiles, counter-clockwise from the first.
        retrieve: the rule that the tiles of boxes without wagers are taken back.
        to_float: by who banks, the rule that brings the bank's tiles before the float.
        set_own: the rule that players set their own tiles, and only whoever controls the box.
        set_final: the rule that a hand once set is not handled again; None where nothing forbids it.
        touch_set: the rule by which a player who touches a hand that the dealer set must set it himself.
        request: when the dealer sets a player's hand on request.
        banker_request: the rule by which a player-banker may ask for the House Way.
        low_hand: how a low hand lies unless the table has it otherwise; the high hand lies the other way (ruling 39).
        bank_last: by who banks, the rule that the bank's hand is set after all others.
        opened_as_set: by who banks, the rule that the bank's tiles are opened and set in one.
        confirm_own: the rule that a player-banker confirms the hand that the dealer set for him.
        confirm_house: whose confirmation the House's hand takes before the players' are exposed.
        concede: the rule by which a player alone on his box may concede.
        alone: the rule by which the only player against the House may lay his tiles open.
        peek: the rule by which a co-banker may see two of the bank's tiles before they are set.
        bank_first: the rule that no tiles are exposed before all hands are set, and then the bank's first.
        expose: by who banks, the rule of the order of exposing; None for a book without one.
        at_once: by who banks, the rule that a losing hand is put away before the next is exposed.
        matched: the rule that each hand is matched with the bank's and its outcome declared.
        settle: by who banks, the rule that pays the winning wagers and puts the tiles away.
        unused: the rule that tiles out of play are seen only when all is paid.
        unused_dealer: the rule that the dealer sees them only when the round is over, where it is one of its own.
        conceded_seen: who may look at a conceded hand.
        abstain: after how many rounds without a wager a seated player may be required to give up the seat.
        closing: the notice that players have before the table closes.
    """

    ranks: tuple[tuple[str, ...], ...]
    boxes: Fact[int]
    players_a_box: Fact[int]
    tile_set: Cite
    shuffle: Cite
    stack: Cite
    chips: Cite
    close: Mapping[Bank, Fact[Milestone]]
    no_change: Cite
    control: Fact[tuple[Claim, ...]]
    several: Fact[SeveralBoxes]
    cut: Mapping[Bank, Fact[Cutting]]
    shakers: Mapping[Bank, Fact[frozenset[Shaker]]]
    deliver: Cite
    set_own: Cite
    low_hand: Fact[Lie]
    bank_last: Mapping[Bank, Cite]
    bank_first: Cite
    matched: Cite
    settle: Mapping[Bank, Cite]
    fewer_boxes: Cite | None = None
    check: Fact[str] | None = None
    stay_shown: Cite | None = None
    replace: Fact[str] | None = None
    check_at_end: Cite | None = None
    check_before_removal: Cite | None = None
    reshuffle: Fact[str] | None = None
    laja: Fact[LajaRule] | None = None
    means: Fact[frozenset[Means]] | None = None
    wagers_after: Fact[Milestone] | None = None
    announced: Cite | None = None
    consent: Fact[Bank] | None = None
    cede: Cite | None = None
    house_way_boxes: Cite | None = None
    dealer_first: Cite | None = None
    shake_after: Mapping[Bank, Fact[Milestone]] = field(default_factory=dict)
    cut_after_shake: Cite | None = None
    retrieve: Cite | None = None
    to_float: Mapping[Bank, Cite] = field(default_factory=dict)
    set_final: Cite | None = None
    touch_set: Cite | None = None
    request: Fact[SetWhen] | None = None
    banker_request: Cite | None = None
    opened_as_set: Mapping[Bank, Cite] = field(default_factory=dict)
    confirm_own: Cite | None = None
    confirm_house: Fact[str] | None = None
    concede: Cite | None = None
    alone: Cite | None = None
    peek: Cite | None = None
    expose: Mapping[Bank, Cite] = field(default_factory=dict)
    at_once: Mapping[Bank, Cite] = field(default_factory=dict)
    unused: Cite | None = None
    unused_dealer: Cite | None = None
    conceded_seen: Fact[str] | None = None
    abstain: Fact[int] | None = None
    closing: Fact[ClosingNotice] | None = None
