"""Random rounds: a small mutable picture of a table that proposes events, and keeps the marks of the order table."""

from collections import Counter
from math import ceil
from random import Random
from typing import Any

from engine.books.registry import BOOKS
from engine.game.hands import Hand
from engine.game.ranking import Outcome
from engine.game.setting import Deal, Setting
from engine.game.tiles import FULL_SET, Tile
from engine.round.event import DEALER, HOUSE, Event
from engine.round.events import (
    BankAccepted,
    BankConfirmed,
    BankDeclined,
    BankExposed,
    BankFellBack,
    BankMoved,
    BankOffered,
    BankPeeked,
    BankPutAway,
    BankSet,
    BankWagered,
    BetsClosed,
    BigSmallDeclined,
    BigSmallSettled,
    BoxChosen,
    ButtonPlaced,
    ClosingAnnounced,
    ControlCeded,
    CutNamed,
    DiceShaken,
    DiceShown,
    EmptyRetrieved,
    HandConceded,
    HandExposed,
    HandMatched,
    HandSet,
    HouseBanks,
    HouseWagered,
    HouseWayConfirmed,
    HouseWayRequested,
    IrregularityDecided,
    LajaDone,
    LimitsChanged,
    PlayerLeft,
    PlayerSeated,
    Settled,
    Shuffled,
    Stacked,
    TableClosed,
    TableVacated,
    TieSurrendered,
    TilesChecked,
    TilesDelivered,
    TilesHandled,
    TilesLaidOpen,
    TilesPutAway,
    TilesReplaced,
    TilesViewed,
    WagerChanged,
    WagerPlaced,
    WagerWithdrawn,
)
from engine.settlement.wagers import MAIN
from engine.vocabulary.cuts import Chooser
from engine.vocabulary.facts import Bank
from engine.vocabulary.play import Means
from engine.vocabulary.remedy import Effect
from tests.engine.round import faults
from tests.engine.round.order import BONANZA, PARSED
from tests.engine.two_hands import match

PLAYERS = ("Ann", "Bob", "Cho", "Dan", "Eve", "Fay")
TITLE = {
    "crown-6.1": "TG Assistant Casino Manager",
    "nz-1998": "casino operator",
    "star-2024": "casino supervisor",
    "star-classic": "casino supervisor",
    "uk-poster": "management",
}
CUT_OF_DIE = {  # Crown's Table 2 and The Star's Appendix 4
    1: "Dragon's Head/Phoenix Tail",
    2: "Jung Quat",
    3: "Tiger's Head",
    4: "Dai Pin",
    5: "Hong Kong Bank",
    6: "Chop the Ears",
}
HALF = {Bank.PLAYER: 2, Bank.CO_BANK: 1}
"""Halves of the players' wagers that a banker covers."""

SIDE = {  # kinds that do not bring a round on, and how often they are chosen beside those that do
    "table-vacated": 0,
    "tiles-replaced": 0.02,
    "table-closed": 0.02,
    "closing-announced": 0.02,
    "limits-changed": 0.02,
    "player-seated": 0.6,
    "player-left": 0.02,
    "bank-fell-back": 0.2,
    "house-wagered": 0.5,
    "laja-done": 0.1,
    "wager-placed": 1.2,
    "wager-changed": 0.2,
    "wager-withdrawn": 0.1,
    "big-small-declined": 0.1,
    "control-ceded": 0.05,
    "box-chosen": 0.05,
    "bank-wagered": 0.3,
    "button-placed": 0.5,
    "tiles-handled": 0.3,
    "house-way-requested": 0.5,
    "hand-conceded": 0.05,
    "tiles-laid-open": 0.3,
    "bank-peeked": 0.5,
    "tiles-viewed": 0.15,
    "irregularity-decided": 0.05,
}


class Walk:
    """A table under one book, its player in the bank wherever that method can be had."""

    def __init__(self, book: str, bank: Bank, rng: Random, *, bonanza: bool = False) -> None:
        self.book, self.wish, self.rng, self.bonanza = book, bank, rng, bonanza
        self.boxes = 7 if book == "uk-poster" else 8
        self.house_box = 8 if book == "uk-poster" else 1
        self.rounds_a_bank = 1 if book == "uk-poster" else 2
        self.seats: dict[int, str] = {}
        self.commencement, self.check_due = True, True
        self.start = 1
        self.tenure: tuple[int, str, int] | None = None  # box, player, rounds played
        self.played: dict[str, set[int]] = {}
        self.controlled: dict[int, str] = {}
        self.chung: int | None = None
        self.rotation: set[str] = set()
        self.notice: int | None = None
        self.out: set[int] = set()
        self.out_later: set[int] = set()
        self.begin()

    def begin(self) -> None:
        self.out |= self.out_later
        self.out_later = set()
        self.gone_home = False
        self.shown = self.shuffled = self.stacked = self.closed = self.cut = self.seen = False
        self.offers: list[tuple[int, str]] = []
        self.open_offer = self.released = False
        self.bank: Bank | None = None
        self.bank_box = self.funds = self.bank_wager = 0
        self.bankers: tuple[str, ...] = ()
        self.offered_at: int | None = None
        self.wagers: dict[int, dict[str, int]] = {}
        self.sides: dict[tuple[int, str, str], int] = {}
        self.given_up: set[tuple[int, str]] = set()
        self.left_to_others: set[tuple[int, str]] = set()
        self.dice_settled = False
        self.stays: frozenset[int] = frozenset()
        self.turns: list[tuple[int, str]] = []
        self.ceded: set[int] = set()
        self.chosen: dict[str, int] = {}
        self.lajas = 0
        self.control: dict[int, str] = {}
        self.settled = self.bank_away = self.over = self.void = False
        self.unmixed()

    def unmixed(self) -> None:
        """The tiles are to be mixed, stacked, cut and dealt."""
        deck = list(FULL_SET)
        self.rng.shuffle(deck)
        self.deck = {place: tuple(deck[4 * place - 4 : 4 * place]) for place in range(1, 9)}
        self.shuffled = self.stacked = self.cut = self.seen = False
        self.button, self.cut_die, self.shaken = 0, 0, False
        self.dealer_shook = self.handled = False
        self.first_box: int | None = None
        self.delivered = self.moved = self.bank_set = self.dealer_set = self.asked_bank = False
        self.confirmed = self.bank_open = self.house_confirmed = self.peeked = False
        self.retrieved: set[int] = set()
        self.lay: dict[int, str] = {}
        self.laid_open: set[int] = set()
        self.outcomes: dict[int, Outcome] = {}
        self.away: set[int] = set()

    # What the rows of the order table ask for

    def legal(self) -> list[str]:
        """The kinds of which the order table lets an event happen now."""
        if self.over:
            return [] if self.void or self.gone_home else ["tiles-viewed", "irregularity-decided"]
        marks = self.marks
        rows = (BONANZA if self.bonanza else PARSED)[self.book, self.bank or Bank.HOUSE]
        return [kind for kind, needs, bars in rows if needs <= marks and bars.isdisjoint(marks)]

    def look(self) -> None:
        """Read the marks again."""
        house_first = self.book == "nz-1998" and self.commencement
        tenure = self.tenure is not None and not self.released and not house_first
        queue = [] if house_first or self.bank else self.queue()  # asked for only while nobody holds the bank
        unset = self.unset()
        closing = not self.closed and self.short()
        lays = self.lay.values()
        dice = any(bet in {"big", "small"} for *_, bet in self.sides)
        facts: dict[str, Any] = {
            "noticed": self.notice is not None,
            "begun": self.shuffled or self.bank or self.offers or self.wagers or self.sides or self.shown,
            "shown": self.shown,
            "running": self.shuffled or self.closed or self.bank or self.offers or self.wagers or self.sides,
            "due": self.check_due and self.book != "uk-poster",
            "alone": self.shown
            and not (self.seats or self.wagers or self.sides or self.bankers or self.closed)
            and self.book != "uk-poster",
            "house-first": house_first,
            "tenure": tenure,
            "queue": queue,
            "offer": queue or (not self.bank and self.others()),
            "open-offer": self.open_offer,
            "asked": self.open_offer or tenure,
            "bank": self.bank,
            "player-banks": self.bank in HALF,
            "short": self.short(),
            "short-at-close": closing,
            "house-box-taken": self.house_box in self.wagers,
            "house-bet": self.book == "uk-poster" and self.house_box in self.wagers,
            "shuffled": self.shuffled,
            "stacked": self.stacked,
            "closed": self.closed,
            "wagers": self.wagers or self.sides,
            "laja": self.lajas,
            "cut": self.cut,
            "by-die-seen": self.seen and self.bank is Bank.HOUSE and self.book in {"crown-6.1", "star-2024"},
            "button": self.button,
            "shaken": self.shaken,
            "seen": self.seen,
            "tumbled": self.shaken or self.seen,
            "thrown": self.first_box,
            "delivered": self.delivered,
            "consent-over": self.handled or self.bank_open or self.settled or self.bank_away,  # ruling 42
            "empties": self.delivered and self.empty() != self.retrieved,
            "moved": self.moved,
            "unset": unset,
            "all-set": self.delivered and not unset,
            "single": self.bank is Bank.HOUSE
            and len({player for lying in self.wagers.values() for player in lying}) == 1,
            "peeked": self.peeked,
            "bank-set": self.bank_set,
            "dealer-set-bank": self.dealer_set and self.bank is Bank.PLAYER,
            "to-confirm": self.dealer_set and self.bank is Bank.PLAYER and not self.confirmed,
            "confirmed": self.confirmed,
            "bank-open": self.bank_open,
            "house-confirmed": self.house_confirmed,
            "closed-hands": any(lay in CLOSED for lay in lays),
            "open": "exposed" in lays,
            "loser": any(
                end is not Outcome.WIN and box not in self.away | self.stays for box, end in self.outcomes.items()
            ),
            "waiting": any(self.waits(box) for box in self.lay),
            "settled": self.settled,
            "bank-away": self.bank_away,
            "dice-wagers": dice,
            "own-bonus-closed": not self.bank_open and any(box == self.bank_box for box, *_ in self.sides),
            "dice-settled": self.dice_settled,
            "dice-due": dice and not self.dice_settled,
        }
        self.marks = {mark for mark, holds in facts.items() if holds}

    def ring(self, start: int) -> list[int]:
        return [(start - 1 + step) % 8 + 1 for step in range(8)]

    def queue(self) -> list[tuple[int, str]]:
        """Whom the bank is still to be offered to, in order."""
        start = self.start if self.tenure is None else self.tenure[0] % 8 + 1
        ring = self.ring(1 if self.commencement else start)
        after = ring.index(self.offers[-1][0]) + 1 if self.offers else 0
        return [(box, who) for box in ring[after:] if (who := self.candidate(box)) is not None]

    def candidate(self, box: int) -> str | None:
        if box in self.out:
            return None
        if self.commencement:
            return self.seats.get(box)
        who = self.controlled.get(box)
        if self.book == "uk-poster":
            who = self.seats.get(box, who)
            if who in self.rotation and box >= self.start:
                return None
        return None if self.tenure is not None and (box, who) == self.tenure[:2] else who

    def others(self) -> list[tuple[int, str]]:
        """Star 2024, 6.2, 6.4 and 6.5: those on the box just declined who control none, if it is their furthest."""
        if self.book != "star-2024" or not self.offers or self.commencement:
            return []
        box = self.offers[-1][0]
        return [
            (box, who)
            for who, boxes in self.played.items()
            if box in boxes
            and who not in self.controlled.values()
            and (box, who) not in self.offers
            and box == max(boxes, key=lambda at: (at - (self.chung or 1)) % 8)
        ]

    def total(self) -> int:
        return sum(sum(lying.values()) for lying in self.wagers.values())

    def short(self) -> bool:
        short = self.bank in HALF and 2 * self.bank_wager < HALF[self.bank] * self.total()
        return short or (self.bank in HALF and not self.bank_wager)  # a banker places a wager (C 8.6, S 9.15)

    def empty(self) -> set[int]:
        dealt = self.lay.keys() if self.delivered else self.wagers.keys()
        return set(range(1, 9)) - dealt - {self.bank_box}

    def unset(self) -> list[int]:
        """Hands to be set before the bank's; at Crown the dealer sets requested ones only at settlement (10.2.3)."""
        left = [box for box, lay in self.lay.items() if lay in {"dealt", "handled", "asked"}]
        if self.book == "crown-6.1":
            return [box for box in left if box in self.control and self.lay[box] != "asked"]
        return left

    def by_players(self) -> list[int]:
        return [box for box in self.unset() if box in self.control and self.lay[box] != "asked"]

    def waits(self, box: int) -> bool:
        if self.lay[box] != "matched" or box in self.away:
            return False
        return self.settled or (self.outcomes[box] is not Outcome.WIN and box not in self.stays)

    def turn(self, box: int) -> int:
        return (box - self.bank_box) % 8

    def who_controls(self) -> dict[int, str]:
        """The seated player first (not at Crown), then the highest wager; each one box, the poster excepted."""
        ranked = {box: who for box in self.wagers if (who := self._ranked(box))}
        if self.book == "uk-poster":
            return {box: who[0] for box, who in ranked.items()}
        control: dict[int, str] = {}
        for player in dict.fromkeys(who[0] for who in ranked.values()):
            mine = [box for box, who in self.turns if who == player and ranked[box][0] == player]
            control[self.chosen[player] if self.chosen.get(player) in mine else mine[0]] = player
        if self.book != "nz-1998":
            for box in sorted(ranked.keys() - control.keys()):
                heirs = [player for player in ranked[box] if player not in control.values()]
                if heirs:
                    control[box] = heirs[0]
        return control

    def _ranked(self, box: int) -> list[str]:
        """Who wagers on a box, the best claim to its tiles first."""
        lying = self.wagers[box]
        by_wager = sorted((player for player in lying if player != HOUSE), key=lambda player: -lying[player])
        seated = self.seats.get(box)
        if self.book in {"crown-6.1", "uk-poster"} or seated not in by_wager:
            return by_wager
        by_wager.remove(seated)
        return [*by_wager, seated] if box in self.ceded else [seated, *by_wager]

    # Events that are right if the order table allows their kind; None where there is none just now

    def propose(self, kind: str) -> Event | None:
        event: Event | None = getattr(self, "_" + kind.replace("-", "_"))()
        return event

    def _table_vacated(self) -> Event:
        return TableVacated()

    def _tiles_replaced(self) -> Event:
        return TilesReplaced(TITLE[self.book])

    def _tiles_checked(self) -> Event:
        return TilesChecked(FULL_SET, TITLE[self.book])

    def _table_closed(self) -> Event | None:
        """Players have three rounds' notice at Crown (16.8), and a sign for twenty minutes at The Star (16.9; 16.8)."""
        present = self.seats or self.played
        notified = self.book != "crown-6.1" or (self.notice is not None and self.notice >= 3)
        return TableClosed(TITLE[self.book], 20) if notified or not present else None

    def _closing_announced(self) -> Event:
        return ClosingAnnounced(TITLE[self.book])

    def _limits_changed(self) -> Event:
        return LimitsChanged(TITLE[self.book], self.rng.choice((None, 1)), None, announced=True)

    def _player_seated(self) -> Event | None:
        free = [box for box in range(1, self.boxes + 1) if box not in self.seats]
        standing = [player for player in PLAYERS if player not in self.seats.values()]
        return PlayerSeated(self.rng.choice(free), self.rng.choice(standing)) if standing and free else None

    def _player_left(self) -> Event:
        return PlayerLeft("an onlooker")

    def _bank_offered(self) -> Event:
        queue = self.queue() or self.others() or [(2, "Ann")]
        return BankOffered(*queue[0])

    def _asked(self) -> tuple[int, str]:
        if self.open_offer:
            return self.offers[-1]
        return (2, "Ann") if self.tenure is None else self.tenure[:2]

    def _bank_declined(self) -> Event | None:
        takes = self.wish is not Bank.HOUSE and self.rng.random() < 0.8 and self._bank_accepted() is not None
        return None if takes else BankDeclined(*self._asked())

    def _bank_accepted(self) -> Event | None:
        box, player = self._asked()
        busy = box in self.wagers or any(player in lying for lying in self.wagers.values())
        if busy or self.wish is Bank.HOUSE:
            return None
        return BankAccepted(box, (player,), self.wish, 10**6, TITLE[self.book])

    def _house_banks(self) -> Event:
        return HouseBanks()

    def _bank_wagered(self) -> Event:
        need = ceil(self.total() * HALF.get(self.bank, 2) / 2) if self.bank else 1
        return BankWagered(max(need, self.bank_wager, 1) + self.rng.choice((0, 0, 500)))

    def _bank_fell_back(self) -> Event | None:
        if self.book == "uk-poster" and self.house_box in self.wagers:
            return None  # the dealer's bet lies where the House's tiles would go
        if any(box in {self.bank_box, self.house_box} for box, *_ in self.sides):
            return None
        return None if self.house_box in self.wagers else BankFellBack(Bank.HOUSE)

    def _house_wagered(self) -> Event:
        return HouseWagered(self.rng.randrange(1, 500))

    def _shuffled(self) -> Event | None:
        if self.shuffled and self.rng.random() > 0.02:
            return None
        return Shuffled(TITLE[self.book])

    def _stacked(self) -> Event:
        return Stacked()

    def _laja_done(self) -> Event:
        return LajaDone(DEALER, self.bankers[0] if self.bankers else "Bob", TITLE[self.book])

    def _amount_left(self) -> int:
        """What may be added to the wagers: after the close only what the banker covers."""
        return max(self.bank_wager - self.total(), 0) if self.closed else 9000

    def _side_placed(self) -> Event | None:
        """Beside somebody's wager on the game, or the banker's Bonus on his own tiles (Crown 13.6.1)."""
        mains = [(box, player) for box, lying in self.wagers.items() for player in lying]
        if self.bank is None:
            mains = [at for at in mains if at[0] != self.house_box]  # it may have to be withdrawn
        bets = ["bonus", "big", "small"]
        if self.bank in {Bank.HOUSE, Bank.CO_BANK}:
            bets.append("tie")  # 13.6.4: none while a player banks
        if self.bankers and self.rng.random() < 0.2:
            mains, bets = [(self.bank_box, self.bankers[0])], ["bonus"]
        if not mains:
            return None
        at, bet = self.rng.choice(mains), self.rng.choice(bets)
        return None if (*at, bet) in self.sides else WagerPlaced(*at, self.rng.randrange(1, 900), bet=bet)

    def _side_of(self) -> tuple[int, str, str] | None:
        return self.rng.choice(sorted(self.sides)) if self.sides else None

    def _big_small_settled(self) -> Event:
        """Too early, or once more; in its time the log's own is taken."""
        return BigSmallSettled(())

    def _tie_surrendered(self) -> Event | None:
        ties = [(box, player) for box, player, bet in self.sides if bet == "tie" and self.lay.get(box) in CLOSED]
        ties = [tie for tie in ties if tie not in self.given_up]
        return TieSurrendered(*self.rng.choice(ties)) if ties else None

    def _wager_placed(self) -> Event | None:  # noqa: PLR0911  one return for each reason against it
        if self.bonanza and self.rng.random() < 0.4:
            return self._side_placed()
        left = self._amount_left()
        player, box = self.rng.choice(PLAYERS), self.rng.randrange(1, self.boxes + 1)
        if box in self.out or box in self.retrieved or self.lay.get(box) in {"conceded", "void"}:
            return None
        if player in self.bankers or box == self.bank_box or left < 1 or player in self.wagers.get(box, ()):
            return None
        if self.bank is None and box == self.house_box and self.rng.random() < 0.9:
            return None  # else somebody must withdraw before the House can bank
        lying = self.wagers.get(box, {})
        if len(lying) >= {"crown-6.1": 5, "uk-poster": 1}.get(self.book, 3):
            return None
        control = self.who_controls() if self.book.startswith("star") and self.turns else {}
        lies = any(player in others for others in self.wagers.values())
        bound = lies if self.book == "star-classic" else player in control.values()  # 9.11; 9.14
        if bound and box not in control:
            return None
        amount = self.rng.randrange(1, left + 1)
        if amount in lying.values():
            return None  # whose wager lies nearer is not drawn here
        return WagerPlaced(box, player, amount, Means.CHIPS, None, self.closed)

    def _any_wager(self) -> tuple[int, str] | None:
        gone = {box for box, lay in self.lay.items() if lay in {"conceded", "void"}}
        lying = [(box, player) for box, who in self.wagers.items() for player in who if player != HOUSE]
        lying = [at for at in lying if at[0] not in gone]
        return self.rng.choice(lying) if lying else None

    def _wager_changed(self) -> Event | None:
        if self.bonanza and (side := self._side_of()) is not None and self.rng.random() < 0.5:
            return WagerChanged(*side[:2], self.rng.randrange(1, 900), bet=side[2])
        if (at := self._any_wager()) is None:
            return None
        box, player = at
        amount = self.wagers[box][player] + self.rng.randrange(1, self._amount_left() + 1) if self._amount_left() else 1
        if amount in self.wagers[box].values() and amount != self.wagers[box][player]:
            return None
        return WagerChanged(box, player, amount, self.closed)

    def _wager_withdrawn(self) -> Event | None:
        in_the_way = self.bank is None and self.house_box in self.wagers  # the House cannot bank before they are gone
        sides = [side for side in self.sides if not in_the_way or side[0] == self.house_box]
        if sides and self.rng.random() < 0.5:
            box, player, bet = self.rng.choice(sides)
            return WagerWithdrawn(box, player, bet=bet)
        at = (self.house_box, next(iter(self.wagers[self.house_box]))) if in_the_way else self._any_wager()
        if at is None or any(box == at[0] for box, *_ in sides):
            return None
        return WagerWithdrawn(*at, self.closed)

    def _big_small_declined(self) -> Event | None:
        """A player with a wager on the game, or on a box where one lies, may (C 8.16.1 to 8.16.3)."""
        lying = {(box, player) for box, who in self.wagers.items() for player in who}
        lying |= {(box, player) for box, player, bet in self.sides if bet in {"bonus", "tie"} and box in self.wagers}
        placed = {(box, player) for box, player, bet in self.sides if bet in {"big", "small"}}
        free = sorted(lying - placed - self.left_to_others)
        return BigSmallDeclined(*self.rng.choice(free)) if free else None

    def _control_ceded(self) -> Event | None:
        boxes = [box for box, player in self.seats.items() if player in self.wagers.get(box, ())]
        return ControlCeded(box := self.rng.choice(boxes), self.seats[box]) if boxes else None

    def _box_chosen(self) -> Event | None:
        times = Counter(player for lying in self.wagers.values() for player in lying)
        boxes = [(box, who) for box, lying in self.wagers.items() for who in lying if times[who] > 1]
        return BoxChosen(*self.rng.choice(boxes)) if boxes else None

    def _bets_closed(self) -> Event:
        return BetsClosed()

    def _cut_named(self) -> Event:
        if self.book in {"crown-6.1", "star-2024"} and self.bank is Bank.HOUSE:
            return CutNamed(CUT_OF_DIE.get(self.cut_die, "Dai Pin"), Chooser.CUT_DIE)
        by = Chooser.BANKER if self.bank in HALF else Chooser.SUPERVISOR
        return CutNamed("One Stack", by, "management" if self.book == "uk-poster" else None)

    def _button_placed(self) -> Event:
        return ButtonPlaced(self.rng.choice((-4, 4)))

    def _dice_shaken(self) -> Event:
        banker = bool(self.bankers) and self.rng.random() < 0.5
        if self.book == "uk-poster":
            banker = bool(self.bankers)
        if self.book == "nz-1998" and not self.dealer_shook:
            banker = False
        return DiceShaken(self.bankers[0] if banker else DEALER)

    def _dice_shown(self) -> Event:
        if self.rng.random() < 0.05:
            return DiceShown((3, 4), cocked=True)
        dice = self.rng.randrange(1, 7), self.rng.randrange(1, 7), self.rng.randrange(1, 7)
        cut = self.rng.randrange(1, 7) if self.book in {"crown-6.1", "star-2024"} else None
        places = self.ring(self.bank_box)
        return DiceShown(dice, places[(sum(dice) + self.button - 1) % 8], cut)

    def _tiles_delivered(self) -> Event:
        return TilesDelivered(tuple(self.ring(self.first_box or 1)))

    def _empty_retrieved(self) -> Event:
        return EmptyRetrieved(tuple(self.empty() - self.retrieved))

    def _bank_moved(self) -> Event:
        return BankMoved()

    def _tiles_handled(self) -> Event | None:
        free = {"dealt", "handled"} | ({"set"} if self.book == "uk-poster" else set())
        free |= {"dealer"} if self.book == "star-2024" and self.rng.random() < 0.1 else set()
        boxes = [box for box, lay in self.lay.items() if lay in free and box in self.control]
        return TilesHandled(box := self.rng.choice(boxes), self.control[box]) if boxes else None

    def _house_way_requested(self) -> Event | None:
        if self.bank is Bank.PLAYER and not self.asked_bank and not self.bank_set and self.rng.random() < 0.3:
            return HouseWayRequested(self.bank_box, self.bankers[0])
        boxes = [box for box, lay in self.lay.items() if lay in {"dealt", "handled"} and box in self.control]
        return HouseWayRequested(box := self.rng.choice(boxes), self.control[box]) if boxes else None

    def _hand_set(self) -> Event:
        if boxes := self.by_players():
            return HandSet(box := self.rng.choice(boxes), self.control[box])
        return HandSet(self.rng.choice(self.unset() or [2]), DEALER)

    def _hand_conceded(self) -> Event | None:
        boxes = [box for box, lay in self.lay.items() if lay in CLOSED and len(self.wagers[box]) == 1]
        boxes = [
            box for box in boxes if not any(at == box and who not in self.wagers[box] for at, who, _ in self.sides)
        ]
        if not boxes:
            return None
        box = self.rng.choice(boxes)
        player = next(iter(self.wagers[box]))
        shown = self.deck[box] if (box, player, "bonus") in self.sides else ()  # ruling 41
        return HandConceded(box, player, shown)

    def _tiles_laid_open(self) -> Event | None:
        boxes = [box for box, lay in self.lay.items() if lay in CLOSED and box in self.control]
        boxes = [box for box in boxes if box not in self.laid_open]
        return TilesLaidOpen(box := boxes[0], self.control[box], self.deck[box]) if boxes else None

    def _bank_peeked(self) -> Event:
        return BankPeeked(self.deck[self.bank_box or 1][:2])

    def _bank_set(self) -> Event:
        own = self.bank is Bank.PLAYER and not self.asked_bank
        return BankSet(self.bankers[0] if own else DEALER)

    def _bank_confirmed(self) -> Event:
        return BankConfirmed(self.bankers[0] if self.bankers else "Ann")

    def _hands(self, box: int) -> tuple[tuple[Tile, Tile], tuple[Tile, Tile]]:
        one, two, three, four = self.deck[box]
        return (one, two), (three, four)

    def _bank_exposed(self) -> Event:
        return BankExposed(*self._hands(self.bank_box or 1))

    def _house_way_confirmed(self) -> Event:
        return HouseWayConfirmed(TITLE[self.book])

    def _hand_exposed(self) -> Event:
        boxes = sorted((box for box, lay in self.lay.items() if lay in CLOSED), key=self.turn)
        if self.book == "uk-poster":
            self.rng.shuffle(boxes)
        box = boxes[0] if boxes else 2
        return HandExposed(box, *self._hands(box))

    def _hand_matched(self) -> Event:
        box = next((box for box, lay in self.lay.items() if lay == "exposed"), 2)
        return HandMatched(box, match(self._setting(box), self._setting(self.bank_box or 1)))

    def _setting(self, box: int) -> Setting:
        low, high = self._hands(box)
        return Setting.of(Hand.of(low), Hand.of(high))

    def _settled(self) -> Event:
        """Too early, or once more; in its time the log's own is taken."""
        return Settled(())

    def _tiles_put_away(self) -> Event:
        boxes = [box for box in self.lay if self.waits(box)] or [2]
        return TilesPutAway(self.rng.choice(boxes))

    def _bank_put_away(self) -> Event:
        return BankPutAway()

    def _tiles_viewed(self) -> Event | None:
        return TilesViewed(min(self.retrieved), "Bob") if self.retrieved and self.settled else None

    def _irregularity_decided(self) -> Event | None:
        which = self.rng.choice(("mixed", "hand", "round", "bank", "box"))
        event: Event | None = getattr(self, f"_{which}_irregular")()
        return event

    def _mixed_irregular(self) -> Event | None:
        row = faults.MIXED.get(self.book)
        return None if row is None or self.settled else IrregularityDecided(*row)

    def _hand_irregular(self) -> Event | None:
        free = {"dealt"} if self.book != "uk-poster" else CLOSED | {"exposed", "matched"}
        boxes = [box for box, lay in self.lay.items() if lay in free]
        if not boxes or (self.book != "uk-poster" and not self.unset()):
            return None
        box = self.rng.choice(boxes)
        kind, remedy, rule, by = faults.HAND_VOID[self.book]
        who = self.control.get(box, "Ann" if "Ann" not in self.bankers else "Bob") if by == "player" else by
        return IrregularityDecided(kind, remedy, rule, who, box=box)

    def _round_irregular(self) -> Event | None:
        row, until = faults.ROUND_VOID[self.book]
        over = {
            "bank-open": self.bank_open or self.settled,
            "handled": self.handled or self.bank_open or self.settled,
            "": False,
        }[until]
        return None if over or self.rng.random() < 0.8 else IrregularityDecided(*row)

    def _bank_irregular(self) -> Event | None:
        row, until = faults.BANK_CORRECTED.get(self.book, (None, ""))
        opened = any(lay in {"exposed", "matched"} for lay in self.lay.values())
        late = {"bank-away": self.bank_away, "first-open": opened or self.settled, "": True}[until]
        dealers = self.bank is not Bank.PLAYER or self.dealer_set
        if row is None or late or not self.bank_open or not dealers:
            return None
        way, deal = BOOKS[self.book].house_way(), Deal.of(self.deck[self.bank_box])
        if way.judge(deal, self._setting(self.bank_box)).correct:
            return None
        right = way.decide(deal).setting
        return IrregularityDecided(*row, box=self.bank_box, low=right.low.tiles, high=right.high.tiles)

    def _box_irregular(self) -> Event | None:
        row, back = faults.BOX_OUT.get(self.book, (None, None))
        if row is None or back is None:
            return None
        if self.out:
            return IrregularityDecided(*back, box=min(self.out))
        if self.bank is not Bank.HOUSE or self.out_later or self.wagers.keys() | {1} != set(range(1, 9)):
            return None  # all boxes are in play
        dice = tuple(self.rng.randrange(1, 7) for _ in range(3))
        box = (sum(dice) - 1) % 8 + 1
        return None if box == 1 else IrregularityDecided(*row, box=box, dice=dice)

    # What an event changes in the picture

    def happen(self, event: Event) -> None:  # noqa: C901, PLR0912, PLR0915  one branch for each kind
        match event:
            case TilesReplaced():
                self.check_due, self.shown = True, False
            case TilesChecked():
                self.check_due, self.shown = False, True
            case ClosingAnnounced():
                self.notice = 0
            case BigSmallDeclined(box, player):
                self.left_to_others.add((box, player))
            case TableClosed():
                self.over = self.gone_home = True
            case PlayerSeated(box, player):
                self.seats[box] = player
            case BankOffered(box, player):
                self.offers.append((box, player))
                self.open_offer = True
            case BankDeclined():
                self.released |= not self.open_offer
                self.open_offer = False
            case BankAccepted(box, players, method, funds):
                self.bank, self.bank_box, self.bankers, self.funds = method, box, players, funds
                self.open_offer, self.offered_at = False, box
            case HouseBanks():
                self.bank, self.bank_box = Bank.HOUSE, self.house_box
            case BankWagered(amount):
                self.bank_wager = amount
            case BankFellBack():
                self.bank, self.bank_box, self.bankers, self.bank_wager = Bank.HOUSE, self.house_box, (), 0
                self.button = 0
            case HouseWagered(amount):
                self.wagers[8] = {HOUSE: amount}
            case Shuffled():
                self.shuffled, self.stacked = True, False
            case Stacked():
                self.stacked = True
            case LajaDone():
                self.lajas += 1
            case WagerPlaced(box, player, amount) if event.bet != MAIN:
                self.sides[box, player, event.bet] = amount
            case WagerChanged(box, player, amount) if event.bet != MAIN:
                self.sides[box, player, event.bet] = amount
            case WagerWithdrawn(box, player) if event.bet != MAIN:
                del self.sides[box, player, event.bet]
            case BigSmallSettled():
                self.dice_settled = True
            case TieSurrendered(box, player):
                self.given_up.add((box, player))
            case WagerPlaced(box, player, amount):
                self.wagers[box] = {**self.wagers.get(box, {}), player: amount}
                self.turns.append((box, player))
                self.with_consent()
            case WagerChanged(box, player, amount):
                self.wagers[box][player] = amount
                self.with_consent()
            case WagerWithdrawn(box, player):
                del self.wagers[box][player]
                self.turns.remove((box, player))
                if not self.wagers[box]:
                    del self.wagers[box]
                self.with_consent()
            case ControlCeded(box):
                self.ceded.add(box)
            case BoxChosen(box, player):
                self.chosen[player] = box
            case BetsClosed():
                self.closed = True
            case CutNamed():
                self.cut = True
                self.closed |= self.book == "star-classic"
            case ButtonPlaced(value):
                self.button = value
            case DiceShaken(by):
                self.shaken = True
                self.dealer_shook |= by == DEALER
            case DiceShown():
                self.shaken, self.seen, self.dealer_shook = False, True, False
                self.first_box, self.cut_die = event.first_box, event.cut_die or 0
                self.closed |= self.book == "star-2024"
            case TilesDelivered():
                self.delivered = self.closed = True
                self.control = self.who_controls()
                self.lay = dict.fromkeys(self.wagers, "dealt")
            case EmptyRetrieved(boxes):
                self.retrieved |= set(boxes)
            case BankMoved():
                self.moved = True
            case TilesHandled(box):
                self.handled = True
                self.lay[box] = "handled"
            case HouseWayRequested(box):
                if box == self.bank_box:
                    self.asked_bank = True
                else:
                    self.lay[box] = "asked"
            case HandSet(box, by):
                self.handled |= by != DEALER
                self.lay[box] = "dealer" if by == DEALER else "set"
            case HandConceded(box):
                self.lay[box] = "conceded"
                self.outcomes[box] = Outcome.LOSE
                self.away.add(box)
            case TilesLaidOpen(box):
                self.handled = True
                self.laid_open.add(box)
                if self.lay[box] == "dealt":
                    self.lay[box] = "handled"
            case BankPeeked():
                self.peeked = True
            case BankSet(by):
                self.bank_set, self.dealer_set = True, by == DEALER
            case BankConfirmed():
                self.confirmed = True
            case BankExposed():
                self.bank_open = True
            case HouseWayConfirmed():
                self.house_confirmed = True
            case HandExposed(box):
                self.lay[box] = "exposed"
            case HandMatched(box, outcome):
                self.lay[box] = "matched"
                self.outcomes[box] = outcome
            case Settled():
                self.settled = True
            case TilesPutAway(box):
                self.away.add(box)
            case BankPutAway():
                self.bank_away = True
            case IrregularityDecided():
                self.put_right(event)
        self.over |= self.settled and self.bank_away and self.away >= self.lay.keys()

    def with_consent(self) -> None:
        """After the deal a box is in play while a wager lies there (The Star under a player's bank)."""
        if self.delivered:
            self.lay = {box: self.lay.get(box, "dealt") for box in self.wagers}
            self.control = self.who_controls()

    def put_right(self, event: IrregularityDecided) -> None:
        """What a remedy changes in the picture."""
        match event.remedy:
            case Effect.ROUND_VOID:
                self.over = self.void = True
            case Effect.MIXED_AGAIN:
                for box in [box for box, lay in self.lay.items() if lay == "void"]:
                    self.turns = [turn for turn in self.turns if turn[0] != box]
                    del self.wagers[box]
                voided = {box for box, *_ in self.sides if box not in self.wagers and box != self.bank_box}
                self.sides = {
                    side: amount
                    for side, amount in self.sides.items()
                    if side[0] not in voided and not (self.dice_settled and side[2] in {"big", "small"})
                }
                self.given_up, self.stays = set(), frozenset()
                self.unmixed()
                self.control = self.who_controls() if self.closed else {}
            case Effect.HAND_VOID:
                self.lay[event.box or 0] = "void"
                self.away.add(event.box or 0)
                self.outcomes.pop(event.box or 0, None)
                self.settled = False
            case Effect.AS_SET_NOW:
                self.deck[self.bank_box] = (*(event.low or ()), *(event.high or ()))
                again = [box for box, lay in self.lay.items() if lay == "matched"]
                self.settled &= not again
                for box in again:
                    self.lay[box] = "exposed"
                    del self.outcomes[box]
            case Effect.BOX_OUT:
                self.out_later.add(event.box or 0)
            case Effect.BOX_BACK:
                self.out.discard(event.box or 0)

    def next_round(self) -> None:
        """Carry over what the next round begins with."""
        if self.gone_home:
            self.seats, self.tenure, self.played, self.controlled, self.rotation = {}, None, {}, {}, set()
            self.commencement, self.check_due, self.start, self.chung = True, True, 1, None
            self.notice = None
            self.begin()
            return
        if self.void:
            if self.released:
                self.tenure = None
            self.begin()
            return
        self.notice = None if self.notice is None else self.notice + 1
        self.played = {}
        for box, lying in self.wagers.items():
            for player in lying:
                self.played.setdefault(player, set()).add(box)
        self.controlled = dict(self.control)
        self.chung = self.bank_box
        if self.bankers:
            player, box = self.bankers[0], self.bank_box
            self.played.setdefault(player, set()).add(box)
            self.controlled[box] = player
            goes_on = self.tenure is not None and not self.released
            rounds = self.tenure[2] + 1 if goes_on and self.tenure is not None else 1
            self.rotation = {player} if self.commencement or box < self.start else self.rotation | {player}
            self.tenure = None if rounds == self.rounds_a_bank else (box, player, rounds)
            self.start = box % 8 + 1
        else:
            self.tenure = None
            if self.offered_at is None:
                self.start, self.rotation = 2 if self.book == "star-2024" else 1, set()
            else:  # a player took the bank and could not cover it: the offer goes on from there
                self.rotation = set() if self.commencement or self.offered_at < self.start else self.rotation
                self.start = self.offered_at % 8 + 1
        self.commencement = False
        self.begin()


CLOSED = {"dealt", "handled", "asked", "set", "dealer"}
