"""A round to be settled, as a file or a request describes it, and the settlement as both are answered.

One shape for ``houseway settle`` and for HTTP; `docs/settlement.md` explains it. Tiles are written ``6-5``, a hand as
four tiles (to be set the House Way) or as ``low / high`` (as it lay); money is in the smallest unit.
"""

import datetime as dt
import json
import re
import tomllib
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, ValidationError, WithJsonSchema

from calibration.files.json_file import read_bounded
from engine.books.book import Rulebook
from engine.books.registry import rulebook
from engine.errors import DealError, EngineError, UnknownRuleError
from engine.game.setting import Deal
from engine.house_way import HouseWay
from engine.settlement.played import BankHolder, Laid, PlayedRound
from engine.settlement.result import BankResult, Result, Settlement
from engine.settlement.settle import settle
from engine.settlement.wagers import BIG_SMALL, BONUS, MAIN, TIE, Offered, TableTerms, Wager
from engine.vocabulary.citations import Cite
from engine.vocabulary.dice import Cup
from engine.vocabulary.facts import Bank
from service.rounds.reports import FrozenModel
from service.words.validation import fault_message
from service.words.wording import plain_name

# Passed on as it came: the engine refuses what is no whole number, and only there the rulebook that says so is known.
Money = Annotated[Any, WithJsonSchema({"type": "integer", "examples": [2500], "description": "in the smallest unit"})]
Name = Annotated[str, Field(max_length=80), AfterValidator(plain_name)]
Box = Annotated[int, Field(strict=True)]
Pips = Annotated[int, Field(strict=True)]

Shape = TypeVar("Shape", bound=BaseModel)

_RATE = re.compile(r"\s*(\d{1,3})(?:\.(\d{1,6}))?\s*(%)?\s*|\s*(\d{1,6})\s*/\s*([1-9]\d{0,5})\s*")


class DescribedFileError(ValueError):
    """A file that does not describe what it should; the message says where and what to write."""


def load(path: Path, shape: type[Shape]) -> Shape:
    """Read a file: JSON if its name ends so, else TOML.

    Raises:
        DescribedFileError: the file is missing, is neither, or a key is unknown, missing or wrong.
    """
    written_in = "JSON" if path.suffix == ".json" else "TOML"
    try:
        text = read_bounded(path).decode("utf-8-sig")  # editors may add a byte order mark
        raw = json.loads(text, object_pairs_hook=_once) if written_in == "JSON" else tomllib.loads(text)
        return shape.model_validate(raw)
    except FileNotFoundError:
        raise DescribedFileError(f"{path}: there is no such file") from None
    except OSError as error:
        raise DescribedFileError(f"{path}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise DescribedFileError(f"{path}: cannot be read: {error}") from None
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
        raise DescribedFileError(f"{path}: {'; '.join(map(_explain, faults))}") from None
    except (ValueError, RecursionError) as error:
        raise DescribedFileError(f"{path}: not {written_in}: {' '.join(str(error).split())}") from None


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """A JSON object whose keys are there once; two banks, say, are a mistake and not a choice."""
    keys = [key for key, _ in pairs]
    if twice := next((key for key in keys if keys.count(key) > 1), None):
        raise ValueError(f"{twice!r} is written twice")
    return dict(pairs)


def _explain(fault: Any) -> str:  # noqa: ANN401  pydantic's own shape
    where = ".".join(str(part) for part in fault["loc"] if part != "[key]")
    return f"{where}: {fault_message(fault)}" if where else fault_message(fault)


def _why(text: str) -> str:
    if not text.strip():
        raise ValueError("write why it is void, or leave the key out")
    return text


Why = Annotated[str, Field(max_length=200), AfterValidator(_why)]


Rule = Annotated[str, Field(max_length=60, examples=["12.7"])] | None


def one_bank(given: object) -> object:
    """Refuse a list of banks in plain words."""
    if isinstance(given, list):
        raise ValueError("a list of banks; a round has only one bank")  # noqa: TRY004  pydantic's
    return given


def _rate(text: str) -> str:
    if _RATE.fullmatch(text) is None:
        raise ValueError(f"{text!r} is not a rate; write '5 %' or '1/20'")
    return text


Rate = Annotated[str, Field(max_length=20, examples=["5 %"]), AfterValidator(_rate)]


class OfferedIn(FrozenModel):
    """A side wager that the table offers."""

    minimum: Money = None
    maximum: Money = None

    def offered(self) -> Offered:
        """As the engine takes it."""
        return Offered(**dict(self))


class BonusIn(OfferedIn):
    """The Bonus wager."""

    option: Annotated[str, Field(max_length=40, examples=["bonus-a"])]
    with_main: bool = Field(default=False, description="a notice asks for a main wager beside it")


class TieIn(OfferedIn):
    """The Tie wager."""

    option: Annotated[str, Field(max_length=40, examples=["tie-b"])]
    surrender: bool = Field(default=False, description="players may give up half of it")


class TableIn(FrozenModel):
    """What the table sets for itself.

    Attributes:
        total_authorised: whether wagers above the maximum were authorised for the box together.
    """

    smallest_chip: Money = 1
    minimum: Money = None
    maximum: Money = None
    box_maximum: Money = Field(default=None, description="for all wagers on a box together")
    limits_per_box: bool = Field(
        default=False, description="whether minimum and maximum hold for the wagers of a box together"
    )
    commission: Rate | None = Field(default=None, description="the book's own if omitted")
    total_authorised: bool = False
    boxes: Box | None = Field(default=None, description="players' boxes, where the table has fewer than the book's")
    box1_at_dealers_right: bool | None = Field(
        default=None,
        description="whether the felt numbers its boxes from the dealer's right; if omitted, as the table's layout "
        "says, and true for a round that is described whole",
    )
    bonus: BonusIn | None = Field(default=None, description="offered if given")
    tie: TieIn | None = Field(default=None, description="offered if given")
    big_small: OfferedIn | None = Field(default=None, description="offered if given")

    def terms(self) -> TableTerms:
        """As the engine takes them."""
        rate = None if self.commission is None else _fraction(self.commission)
        given = {BONUS: self.bonus, TIE: self.tie, BIG_SMALL: self.big_small}
        return TableTerms(
            self.smallest_chip,
            self.minimum,
            self.maximum,
            self.box_maximum,
            rate,
            self.total_authorised,
            self.boxes,
            self.box1_at_dealers_right is not False,
            {name: one.offered() for name, one in given.items() if one is not None},
            self.limits_per_box,
        )


class DiceIn(FrozenModel):
    """What the dice show, 1 to 6.

    Attributes:
        cut: the cut die.
    """

    box: Annotated[tuple[Pips, ...], Field(max_length=3, description="the box dice, in any order")]
    cut: Pips | None = None
    big_small: Pips | None = Field(default=None, description="Crown Pai Gow's third die")

    def cup(self) -> Cup:
        """As the engine takes them."""
        return Cup(self.box, self.cut, self.big_small)


class SettledBankIn(FrozenModel):
    """Who holds the bank."""

    method: Bank = Field(description="how the bank is held")
    players: tuple[Name, ...] = Field(default=(), max_length=8, description="none where the House banks")
    box: Box | None = Field(default=None, description="the chung's; the House's own if omitted")
    wager: Money = Field(default=0, description="the banker's own stake on the bank, in the smallest unit")


class DealtBankIn(SettledBankIn):
    """Who holds the bank, and its hand.

    Attributes:
        hand: its four tiles, as ``low / high`` if they are set; null where no hand was dealt.
    """

    hand: Annotated[str, Field(max_length=60, examples=["6-1 5-1 / 6-6 6-3"])] | None = None


class WagerIn(FrozenModel):
    """One wager.

    Attributes:
        conceded: whether the player gave the hand up.
    """

    box: Box
    player: Name
    stake: Money
    bet: Annotated[str, Field(max_length=40)] = MAIN
    conceded: bool = False
    void: Why = Field(default="", description="why it is void")
    void_rule: Rule = Field(default=None, description="the rule that it is void under, as printed")
    minimum: Money = Field(default=None, description="this player's own")
    maximum: Money = Field(default=None, description="this player's own")
    token: bool = Field(default=False, description="a promotional token")
    surrendered: bool = Field(default=False, description="half of a Tie wager was given up")

    def wager(self) -> Wager:
        """As the engine takes it."""
        return Wager(**{name: value for name, value in self if name != "void_rule"})

    def under(self, book: Rulebook) -> Wager:
        """The same, with the rule that it is void under; `UnknownRuleError` if the book has no such rule."""
        return replace(self.wager(), voided_by=_void_rule(book, self.void, self.void_rule))


class WageredIn(FrozenModel):
    """What was wagered in a round, and what holds for it."""

    wagers: Annotated[tuple[WagerIn, ...], Field(max_length=200, description="every wager on the table")]
    table: TableIn = Field(default=TableIn(), description="what the table sets for itself")
    void: Why = Field(default="", description="why the entire round is void")
    void_rule: Rule = Field(default=None, description="the rule that it is void under, as printed")
    dice: DiceIn | None = Field(default=None, description="needed where a wager lies on Big or Small")
    variant: Annotated[str, Field(max_length=40, examples=["crown-pai-gow"])] | None = Field(
        default=None, description="the variant played, where it has rules of its own"
    )


class RoundIn(WageredIn):
    """A round, described whole.

    Attributes:
        bank: who holds the bank, and its hand.
    """

    rulebook: Annotated[str, Field(max_length=100, examples=["crown-6.1"])]
    bank: Annotated[DealtBankIn, BeforeValidator(one_bank)]
    house_way: Annotated[str, Field(max_length=100)] | None = Field(
        default=None, description="the table's own House Way, where the rulebook prints none"
    )
    date: dt.date | None = Field(
        default=None,
        description="the day on which the round started, for the version of the rulebook; today if omitted",
    )
    hands: dict[Annotated[str, Field(pattern="^[0-9]{1,3}$")], Annotated[str, Field(max_length=60)]] = Field(
        default={}, max_length=20, description="by box", examples=[{"2": "6-6 6-3 5-4 2-1"}]
    )
    decimals: Annotated[int, Field(ge=0, le=4, strict=True)] = Field(
        default=2, description="how many digits of an amount are printed behind the point"
    )

    def played(self, house_way: Callable[[str, dt.date], HouseWay], today: dt.date) -> PlayedRound:
        """As the engine takes it.

        Args:
            house_way: finds a House Way by its name, in its version of a day.
            today: at the casino; used if the round has no date.

        Raises:
            EngineError: the rulebook or House Way is unknown, or a hand is invalid.
        """
        day = self.date or today
        book, bank = rulebook(self.rulebook, on=day), self.bank
        hand = None if bank.hand is None else _hand(bank.hand, "bank.hand")
        twice = [box for box in self.hands if sum(int(box) == int(other) for other in self.hands) > 1]
        if twice:
            raise DealError(f"the hands {' and '.join(map(repr, twice))} belong to one box: write the box once")
        return PlayedRound(
            book=book,
            bank=BankHolder(bank.method, hand, bank.players, bank.box, bank.wager),
            hands={int(box): _hand(text, f"hands.{box}") for box, text in self.hands.items()},
            wagers=tuple(wager.under(book) for wager in self.wagers),
            terms=self.table.terms(),
            house_way=None if self.house_way is None else book.playing(house_way(self.house_way, day)),
            void=self.void,
            voided_by=void_rule(book, self),
            dice=None if self.dice is None else self.dice.cup(),
            variant=self.variant,
        )


def void_rule(book: Rulebook, sent: WageredIn) -> Cite | None:
    """The rule that a round is void under; `UnknownRuleError` if the book has no such rule."""
    return _void_rule(book, sent.void, sent.void_rule)


def _void_rule(book: Rulebook, void: str, rule: str | None) -> Cite | None:
    if rule is None:
        return None
    if not void:
        raise UnknownRuleError(f"a rule for what is void, {rule!r}, but no reason: also write why it is void")
    if rule not in book.contents.numbers:
        raise UnknownRuleError(f"{book.id} prints no rule {rule!r}; houseway rulebook {book.id} lists them")
    return book.source.at(rule)


def _fraction(rate: str) -> Fraction:
    if "/" in rate:
        numerator, denominator = rate.split("/")
        return Fraction(int(numerator), int(denominator))
    share = Fraction(rate.replace("%", "").strip())
    return share / 100 if "%" in rate else share


def _hand(text: str, key: str) -> Deal | Laid:
    try:
        return Laid.parse(text) if "/" in text else Deal.parse(text)
    except EngineError as error:
        raise type(error)(f"{key}: {error.reason}", error.rule) from None


def _values(shape: type[BaseModel], *sources: object, **others: object) -> dict[str, Any]:
    """The fields of an answer by name: those given, and the others from the sources that have them."""
    found = {name: getattr(source, name) for name in shape.model_fields for source in sources if hasattr(source, name)}
    return {**found, **others}


class WagerOut(FrozenModel):
    """How one wager ended.

    Attributes:
        stake: what was wagered, in the smallest unit.
        call: what the dealer calls.
        outcome: for the player; null where nothing was played for.
        in_play: how much of the stake was played for.
        winnings: what it won before commission.
        paid: what the player was paid.
        collected: what was taken from the player.
    """

    box: int
    player: str
    bet: str
    stake: int
    call: Literal["Jung", "Che", "Jowl", "won", "lost", "surrendered", "void"]
    outcome: Literal["win", "lose", "push"] | None
    rule: str
    reasons: tuple[str, ...]
    in_play: int
    winnings: int
    commission: int
    paid: int
    collected: int
    returned: int

    @classmethod
    def of(cls, result: Result) -> Self:
        """Write a result down."""
        outcome = None if result.outcome is None else result.outcome.value
        return cls(**_values(cls, result.wager, result, outcome=outcome, rule=result.cite))


class BankOut(FrozenModel):
    """How the bank fared.

    Attributes:
        method: how the bank is held.
        taken: from wagers that lost.
        paid: to wagers that won.
        remainder: of the bank's money that no wager met.
        shortfall: that the bank could not pay.
        house_share: of a bank that the House holds a part of.
        handed: to the players who hold the bank.
        net: what the bank won or lost.
        side_taken: from side wagers.
        side_paid: to side wagers.
    """

    method: Bank
    players: tuple[str, ...]
    taken: int
    paid: int
    remainder: int
    shortfall: int
    house_share: int
    commission: int
    handed: int
    returned: int
    net: int
    side_taken: int
    side_paid: int

    @classmethod
    def of(cls, holder: BankHolder, result: BankResult) -> Self:
        """Write a bank's result down."""
        return cls(**_values(cls, holder, result))


class PostingOut(FrozenModel):
    """One side of a movement of chips.

    Attributes:
        account: whose chips they are.
        amount: chips that came (above 0) or went, in the smallest unit.
        why: what for.
    """

    account: str
    amount: int
    why: str
    rule: str


class ReadingOut(FrozenModel):
    """The money of a round under one reading of the rules."""

    wagers: tuple[WagerOut, ...] = Field(description="how each wager ended")
    bank: BankOut = Field(description="how the bank fared")
    postings: tuple[PostingOut, ...]
    balances: dict[str, int]

    @staticmethod
    def parts(settled: Settlement, holder: BankHolder) -> dict[str, Any]:
        return {
            "wagers": tuple(WagerOut.of(result) for result in settled.results),
            "bank": BankOut.of(holder, settled.bank),
            "postings": tuple(
                PostingOut(account=str(one.account), amount=one.amount, why=one.why, rule=one.cite)
                for one in settled.postings
            ),
            "balances": {str(account): amount for account, amount in settled.balances.items()},
        }


class SettlementOut(ReadingOut):
    """A round, settled; `literal` is the same round by the literal words of the book, where those differ."""

    rulebook: str
    rulebook_version: str = Field(default="", description="the version in force when the round started")
    order: tuple[int, ...] = Field(description="boxes in the order in which they are settled")
    order_rule: str = Field(description="citation of the rule that says so")
    notes: tuple[str, ...] = Field(description="what a person should know")
    literal_reading_differs: bool = Field(description="whether the literal words of the book give other money")
    literal: ReadingOut | None = Field(description="the money by the literal words; null where they give the same")

    @classmethod
    def of(cls, played: PlayedRound) -> Self:
        """Settle a round and write it down.

        Raises:
            EngineError: the rulebook does not let it be settled as described.
        """
        return cls(**cls.fields_of(played))

    @staticmethod
    def fields_of(played: PlayedRound) -> dict[str, Any]:
        settled = settle(played)
        literal = settled.literal
        return {
            **ReadingOut.parts(settled, played.bank),
            "rulebook": played.book.id,
            "rulebook_version": played.book.version,
            "order": settled.boxes,
            "order_rule": settled.order,
            "notes": settled.notes,
            "literal_reading_differs": settled.literal_reading_differs,
            "literal": None if literal is None else ReadingOut(**ReadingOut.parts(literal, played.bank)),
        }
