"""The course of a round: the order of actions, who performs them, and their deadlines.

Differences between the books are declared in a `Play` for each; the rules are enforced in `engine.round`. Dice and
buttons are declared in a `Dice`, cuts and their choosers in a `Cuts`.
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
    """Form of a wager."""

    CHIPS = "chips"
    TOKEN = "token"  # noqa: S105  no password
    VOUCHER = "voucher"


class Claim(Enum):
    """Basis of a player's claim to decide on a shared box."""

    SEATED = "seated at the box"
    HIGHEST = "the highest wager"
    POSITION = "the wager nearest to the dealer, or furthest to the dealer's right"
    PREVIOUS = "control in the round before"


class SeveralBoxes(Enum):
    """What happens to a player's tiles on boxes other than the one he plays."""

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
    """When the dealer sets the hand of a player who requested the House Way."""

    BEFORE_BANK = "once the other players have set theirs, before the bank's hand"
    AT_SETTLEMENT = "when the box is settled"


class Lie(Enum):
    """Orientation of a hand's two tiles, as seen by the dealer."""

    VERTICAL = "vertical"
    HORIZONTAL = "horizontal"

    @property
    def other(self) -> Lie:
        return Lie.HORIZONTAL if self is Lie.VERTICAL else Lie.VERTICAL


@dataclass(frozen=True, slots=True)
class Cutting:
    """When the cut is decided; by whom is in `engine.vocabulary.cuts`.

    Attributes:
        after_dice: whether it is named after the dice are exposed (true), before (false), or either (None).
        needed: whether tiles may be delivered only after it is named.
    """

    after_dice: bool | None
    needed: bool = True


@dataclass(frozen=True, slots=True)
class LajaRule:
    """The extra mix of the tiles that may be requested.

    Attributes:
        leave: whose permission it requires; None if a request is enough.
        by_players: whether players may perform it themselves.
        most: maximum number in a round; None for no limit.
        banker_only: under a player-banker, only he may request it.
        exposed: who may request one from the dealer if a tile was exposed during stacking.
        then_bank: after a player's own laja only the bank may perform one more, and may not request a shuffle.
    """

    leave: Fact[str] | None = None
    by_players: bool = False
    most: Fact[int] | None = None
    banker_only: bool = False
    exposed: Fact[str] | None = None
    then_bank: Cite | None = None


@dataclass(frozen=True, slots=True)
class ClosingNotice:
    """Notice given to present players before a table closes.

    Attributes:
        by: who decides.
        rounds: number of rounds played after the notice; 0 if it is counted in minutes.
        minutes: how long a sign must have announced it; 0 if it is counted in rounds.
    """

    by: str
    rounds: int = 0
    minutes: int = 0


@dataclass(frozen=True)
class Play:
    """A book's rules on the course of a round. None means that the book has no such rule.

    Attributes:
        ranks: titles that may give permission, the lowest first; titles on one level have the same powers.
        boxes: number of players' boxes (ruling 32).
        fewer_boxes: the rule by which a table may have fewer.
        players_a_box: maximum number of players on a box (ruling 32).
        tile_set: the rule of the 32 tiles.
        check: the rule that the tiles are checked and displayed in rank order before play, and by whom.
        stay_shown: the rule that they stay displayed until a player takes a place.
        replace: whose permission a change of tiles requires.
        replace_notice: the title that is notified of it, if no permission is required.
        check_at_end: the rule that they are checked again at the end of gaming.
        check_before_removal: the rule that a set is checked again before it is taken off the table.
        shuffle: the rule that the tiles are shuffled before a round.
        stack: the rule that they are stacked in eight stacks of four.
        reshuffle: who may order another shuffle.
        laja: the extra mix that may be requested.
        chips: the rule that wagers are whole chips.
        wagers_after: milestones required before wagers are placed.
        announced: the rule that the dealer calls the end of betting; None if an action ends it.
        close: by banking method, the milestones that close betting (ruling 30).
        no_change: the rule that no wager is touched after that.
        consent: the bank under which its holder may allow wagers to change until a player handles tiles (ruling 42).
        control: claims to decide on a box, in order of precedence (ruling 32).
        cede: the rule by which the seated player may leave them to another.
        several: rules for a player on several boxes.
        house_way_boxes: the rule for places where the dealer always sets the House Way.
        cut: by banking method, when the cut is decided.
        shakers: by banking method, who may shake the cup.
        dealer_first: the rule that the dealer shakes before the banker does.
        shake_after: by banking method, milestones required before the dice are shaken.
        cut_after_shake: the rule that they are shaken before the cut is decided.
        deliver: the rule that every box is dealt four tiles, counter-clockwise from the first.
        collective: the rule by which the tiles of adjacent empty boxes may be placed together.
        consecutive: whether these must also follow one another in the delivery.
        retrieve: the rule that the tiles of boxes without wagers are taken back.
        to_float: by banking method, the rule that moves the bank's tiles before the float.
        set_own: the rule that players set their own tiles, and only the player who controls the box.
        set_final: the rule that a set hand is not handled again; None if nothing forbids it.
        touch_set: the rule by which a player who touches a hand set by the dealer must set it himself.
        request: when the dealer sets a player's hand on request.
        banker_request: the rule by which a player-banker may request the House Way.
        low_hand: how a low hand lies unless the table differs; the high hand lies the other way (ruling 39).
        bank_last: by banking method, the rule that the bank's hand is set after all others.
        opened_as_set: by banking method, the rule that the bank's tiles are opened and set in one step.
        confirm_own: the rule that a player-banker confirms the hand set for him by the dealer.
        confirm_house: who must confirm the House's hand before the players' hands are exposed.
        concede: the rule by which a player alone on his box may concede.
        alone: the rule by which the only player against the House may lay his tiles open.
        peek: the rule by which a co-banker may see two of the bank's tiles before they are set.
        bank_first: by banking method, the rule that no tiles are exposed before all hands are set, and then the bank's
            first.
        expose: by banking method, the rule for the order of exposing; None for a book without one.
        at_once: by banking method, the rule that a losing hand is put away before the next is exposed.
        stood_off: by banking method, the rule that the tiles of a stand-off are removed, where lost hands go at once.
        paid_last: by banking method, the rule that winning wagers are paid, and their tiles picked up, only after all
            hands are exposed.
        matched: by banking method, the rule that each hand is compared with the bank's and its outcome declared.
        settle: by banking method, the rule that pays the winning wagers and puts the tiles away.
        unused: the rule that unused tiles are viewed only after all payments.
        unused_dealer: the rule that the dealer views them only when the round is over, if it is a separate rule.
        conceded_seen: who may view a conceded hand.
        abstain: number of rounds without a wager after which a seated player may be required to give up the seat.
        closing: the notice given to players before the table closes.
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
    bank_first: Mapping[Bank, Cite]
    matched: Mapping[Bank, Cite]
    settle: Mapping[Bank, Cite]
    fewer_boxes: Cite | None = None
    check: Fact[str] | None = None
    stay_shown: Cite | None = None
    replace: Fact[str] | None = None
    replace_notice: Fact[str] | None = None
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
    collective: Cite | None = None
    consecutive: bool = False
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
    stood_off: Mapping[Bank, Cite] = field(default_factory=dict)
    paid_last: Mapping[Bank, Cite] = field(default_factory=dict)
    unused: Cite | None = None
    unused_dealer: Cite | None = None
    conceded_seen: Fact[str] | None = None
    abstain: Fact[int] | None = None
    closing: Fact[ClosingNotice] | None = None
