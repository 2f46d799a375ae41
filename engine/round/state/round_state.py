"""State of a round: immutable, derived only from its opening and its events."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from engine.settlement.wagers import BIG_SMALL, MAIN, OFFERS
from engine.vocabulary.facts import Bank, Milestone
from engine.vocabulary.limits import Limits  # noqa: TC001  the written form reads the annotations
from engine.vocabulary.play import Means

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from engine.game.ranking import Outcome
    from engine.game.tiles import Tile
    from engine.round.state.house_table import Before, Setup
    from engine.round.wager_results import Banked, WagerResult
    from engine.settlement.result import Settlement
    from engine.vocabulary.banking import Banking
    from engine.vocabulary.citations import Cite
    from engine.vocabulary.cuts import Choice, Cuts
    from engine.vocabulary.dice import Cup, Dice
    from engine.vocabulary.play import Play


@dataclass(frozen=True, slots=True)
class Holding:
    """Who holds the bank of this round.

    Attributes:
        box: where the chung lies.
        offered_at: the box it was taken from; differs from the chung's if another method of banking had to be used.
    """

    method: Bank
    box: int
    players: tuple[str, ...] = ()
    funds: int = 0
    offered_at: int | None = None


@dataclass(frozen=True, slots=True)
class Lying:
    """A wager on the table.

    Attributes:
        turn: its number among the wagers of the round, in order of placement.
        surrendered: whether half of it was given up (a Tie).
        void: the rule under which it is returned; None if it is not.
        forfeited: the rule under which it is lost regardless of its hand; None if it is not.
        no_winnings: the rule under which it is returned if it wins; None if it would be paid.
    """

    player: str
    amount: int
    turn: int
    means: Means = Means.CHIPS
    spot: int | None = None
    bet: str = MAIN
    surrendered: bool = False
    void: Cite | None = None
    forfeited: Cite | None = None
    no_winnings: Cite | None = None

    @property
    def by_dice(self) -> bool:
        return OFFERS.get(self.bet) == BIG_SMALL


class HandStage(Enum):
    """Stage of the tiles of a box in play."""

    DEALT = "dealt"
    HANDLED = "taken up by the player"
    REQUESTED = "to be set by the dealer on request"
    SET = "set by the player"
    SET_BY_DEALER = "set by the dealer"
    CONCEDED = "conceded"
    VOID = "void"
    EXPOSED = "exposed"
    MATCHED = "matched"

    __hash__ = object.__hash__  # as for `Milestone`


UNSET = frozenset({HandStage.DEALT, HandStage.HANDLED, HandStage.REQUESTED})
CLOSED = frozenset({*UNSET, HandStage.SET, HandStage.SET_BY_DEALER})


@dataclass(frozen=True, kw_only=True)
class DealtRound:
    """Result of one cut, throw and delivery of the tiles.

    Attributes:
        cut: the cut.
        button: number the banker adds to the dice.
        shaken_by: those who shook the cup since the dice were last seen.
        cup: the dice of the valid throw.
        first_box: the first box by that throw.
        retrieved: the boxes whose tiles were taken back.
        bank_moved: whether the bank's tiles lie before the float.
        by_dealer: boxes whose open hands the dealer set.
        bank_requested: whether a player-banker requested the House Way.
        tiles: the tiles seen at each place; of an open hand those of the low hand, then of the high hand.
        stays: boxes of matched hands that stay open until paid, for a side wager that is not lost.
    """

    cut: str | None = None
    button: int | None = None
    shaken_by: tuple[str, ...] = ()
    cup: Cup | None = None
    first_box: int | None = None
    retrieved: frozenset[int] = frozenset()
    bank_moved: bool = False
    hands: Mapping[int, HandStage] = field(default_factory=dict)
    by_dealer: frozenset[int] = frozenset()
    bank_requested: bool = False
    bank_set_by: str | None = None
    confirmed: bool = False
    house_confirmed: bool = False
    tiles: Mapping[int, tuple[Tile, ...]] = field(default_factory=dict)
    outcomes: Mapping[int, Outcome] = field(default_factory=dict)
    stays: frozenset[int] = frozenset()
    away: frozenset[int] = frozenset()


@dataclass(frozen=True)
class State(DealtRound):
    """State of a round.

    Attributes:
        happened: the milestones reached; `HANDS_SET` stands for the players' hands.
        shown: whether the tiles were displayed and checked in this round.
        open_offer: whether the last one is unanswered.
        released: whether the holder of a bank gave it up.
        wagers: those of each box, in order of placement.
        authorised: whether the total may exceed what the dealer's bet allows.
        chosen: the box that a player on several plays himself.
        ceded: boxes whose seated player leaves the decisions to others.
        control: who decides on which box, from the close of betting.
        player_laja: whether a player performed one himself.
        bank_laja: whether the bank then performed its own.
        dice_results: of wagers decided by the dice; None until settled.
        out_later: boxes out of play from the next round.
        limits: the displayed limits in this round; None for the table's own terms.
        kept: the minimum of each player who started under a different one.
        barred: players who may not continue, with the rule.
        sets_first: players who must set their tiles before others handle theirs, with the rule.
        declined: by box, players with first right to wager on Big or Small who declined.
        notice: rounds played since notice of closing was given; None if it was not.
        closes_at_once: the rule under which it may close without notice; None otherwise.
        void: the rule under which the round is void.
        settled_as: cached settlement; not part of the state proper.
    """

    setup: Setup
    before: Before
    happened: frozenset[Milestone] = frozenset()
    commencement: bool = True
    check_due: bool = True
    shown: bool = False
    seats: Mapping[int, str] = field(default_factory=dict)
    gone: frozenset[str] = frozenset()
    offers: tuple[tuple[int, str], ...] = ()
    open_offer: bool = False
    released: bool = False
    bank: Holding | None = None
    bank_wager: int = 0
    wagers: Mapping[int, tuple[Lying, ...]] = field(default_factory=dict)
    placings: int = 0
    authorised: bool = False
    chosen: Mapping[str, int] = field(default_factory=dict)
    ceded: frozenset[int] = frozenset()
    control: Mapping[int, str] = field(default_factory=dict)
    lajas: int = 0
    player_laja: bool = False
    bank_laja: bool = False
    dice_results: tuple[WagerResult, ...] | None = None
    results: tuple[WagerResult, ...] = ()
    banked: Banked | None = None
    out: frozenset[int] = frozenset()
    out_later: frozenset[int] = frozenset()
    limits: Limits | None = None
    limits_later: Limits | None = None
    kept: Mapping[str, int] = field(default_factory=dict)
    concluded: bool = False
    barred: Mapping[str, Cite] = field(default_factory=dict)
    sets_first: Mapping[str, Cite] = field(default_factory=dict)
    declined: Mapping[int, frozenset[str]] = field(default_factory=dict)
    notice: int | None = None
    closes_at_once: Cite | None = None
    void: Cite | None = None
    settled_as: Settlement | None = field(default=None, compare=False, repr=False)

    @classmethod
    def opening(cls, setup: Setup, before: Before) -> State:
        """A round in which nothing has happened yet."""
        return cls(
            setup,
            before,
            commencement=before.commencement,
            check_due=before.check_due,
            seats=dict(before.seats),
            out=before.out,
            limits=before.limits,
            kept=before.kept,
            barred=before.barred,
            notice=before.notice,
            closes_at_once=before.closes_at_once,
        )

    def replace(self, **changes: object) -> State:
        """Return the state with these fields changed.

        Tens of thousands of rounds are replayed: this takes a fifth of the time of `dataclasses.replace`.
        """
        state = object.__new__(State)
        state.__dict__.update(self.__dict__)
        state.__dict__.update(changes)
        state.__dict__["settled_as"] = None
        return state

    def reached(self, *milestones: Milestone, **changes: object) -> State:
        """The state with these milestones reached and these fields changed."""
        return self.replace(happened=self.happened.union(milestones), **changes)

    @property
    def play(self) -> Play:
        return self.setup.play

    @property
    def bank_first(self) -> Cite:
        """The rule under this bank that its hand is exposed first; the House's while nobody holds it."""
        return self.play.bank_first[self.method or Bank.HOUSE]

    @property
    def matched(self) -> Cite:
        """The rule under this bank that hands are compared; likewise."""
        return self.play.matched[self.method or Bank.HOUSE]

    @property
    def banking(self) -> Banking:
        return self.setup.banking

    @property
    def dice(self) -> Dice:
        return self.setup.dice

    @property
    def cuts(self) -> Cuts:
        return self.setup.book.cuts

    @property
    def cut_choice(self) -> Choice:
        return self.cuts.chooser(self.held.method)

    @property
    def held(self) -> Holding:
        """Who holds the bank; only valid once that is known."""
        if self.bank is None:
            raise AssertionError
        return self.bank

    @property
    def bankers(self) -> tuple[str, ...]:
        """The players who hold the bank."""
        return () if self.bank is None else self.bank.players

    @property
    def absent(self) -> set[str]:
        """Players who left the table, or are barred."""
        return {*self.gone, *self.barred}

    def is_banks(self, box: int | None) -> bool:
        return self.bank is not None and box == self.bank.box

    @property
    def bets_on_dice(self) -> bool:
        """Whether a wager lies on Big or on Small."""
        return any(wager.by_dice for lying in self.wagers.values() for wager in lying)

    @property
    def method(self) -> Bank | None:
        """Who holds the bank; None while that is open."""
        return None if self.bank is None else self.bank.method

    @property
    def closed(self) -> bool:
        return Milestone.BETS_CLOSED in self.happened

    @property
    def over(self) -> bool:
        """Whether the round is over or void, or the table closed instead of playing it."""
        return Milestone.ROUND_OVER in self.happened or self.void is not None or self.concluded

    @property
    def total(self) -> int:
        """Total of all wagers against the bank; side wagers are against the House."""
        return sum(
            wager.amount
            for lying in self.wagers.values()
            for wager in lying
            if wager.bet == MAIN and wager.void is None
        )

    @property
    def live_boxes(self) -> list[int]:
        """Boxes other than the bank's with a wager on the tiles in play."""
        chung = None if self.bank is None else self.bank.box
        return [
            box
            for box, lying in self.wagers.items()
            if box != chung and any(wager.void is None and not wager.by_dice for wager in lying)
        ]

    def wager(self, box: int, player: str, bet: str = MAIN) -> Lying | None:
        lying = self.wagers.get(box, ())
        return next((wager for wager in lying if wager.player == player and wager.bet == bet), None)

    def players_on(self, box: int) -> set[str]:
        return {wager.player for wager in self.wagers.get(box, ())}

    def boxes_of(self, player: str) -> list[int]:
        """The player's boxes in the order of his wagers."""
        turns = {wager.turn: box for box, lying in self.wagers.items() for wager in lying if wager.player == player}
        return list(dict.fromkeys(turns[turn] for turn in sorted(turns)))

    def in_turn(self, boxes: Iterable[int]) -> list[int]:
        """Boxes in counter-clockwise order from the chung."""
        return self.setup.in_turn(boxes, self.held.box)
