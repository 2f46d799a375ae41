"""Settlement of a described round, or of a recorded round with given wagers."""

from dataclasses import dataclass, replace

from fastapi import APIRouter, Response

from calibration.table.places import Place
from engine.books.book import Rulebook
from engine.books.registry import rulebook
from engine.errors import EngineError
from engine.game.hands import Hand
from engine.game.tiles import Tile
from engine.settlement.played import BankHolder, Laid, PlayedRound
from engine.settlement.result import FLOAT
from engine.settlement.settle import check_wagers, settle
from engine.settlement.wagers import TableTerms
from engine.vocabulary.dice import Cup
from engine.vocabulary.facts import Bank
from service.access.roles import Permission
from service.api.deps import AskedTableDep, IdempotencyKey, RoundId, RoundTableDep
from service.api.local_table import LocalTable
from service.api.permissions import CallerDep, requires
from service.api.problems import ProblemError, problems
from service.rounds.bank import known_bank
from service.rounds.judge.round_settlement import (
    BankDiffersError,
    RoundLogOut,
    RoundSettlementOut,
    WagersIn,
    banks_place,
)
from service.rounds.judge.settlement_io import RoundIn, SettlementOut, void_rule
from service.rounds.outcomes import outcome_now
from service.rounds.reports import HandReport, RoundReport
from service.words.findings import english

router = APIRouter(prefix="/v1", tags=["settlement"])


@dataclass(frozen=True, slots=True)
class MistakeCost:
    """What a House hand set wrongly cost in a settled round, in the smallest unit of money.

    Attributes:
        laid: what the House won, or lost if it is negative.
        right: the same if its hand had been set by the House Way.
    """

    laid: int
    right: int


def mistake_cost(newest: RoundReport, settled: RoundReport, sent: WagersIn, table: LocalTable) -> MistakeCost | None:
    """Settle a round twice: as its House hand lay, and as the House Way sets it.

    None unless the cost is certain: the House banks, its hand is known to lie wrongly and was not corrected, the dealer
    may not choose, the round is not void, and nothing that was settled has changed since.

    Args:
        newest: its newest revision.
        settled: the revision whose settlement is recorded.
        sent: the wagers of that settlement.
        table: of the round.
    """
    house = newest.house
    way = None if house is None else house.house_way
    if house is None or way is None or way.verdict != "wrong" or way.expected is None or way.choices:
        return None
    outcome = outcome_now(newest, house)
    corrected = outcome is not None and outcome.outcome == "corrected"
    if corrected or sent.void or _facts_settled(newest) != _facts_settled(settled):
        return None
    right = {"low": way.expected.low, "high": way.expected.high}
    hands = tuple(each.model_copy(update=right) if each is house else each for each in newest.hands)
    try:
        as_laid, by_the_way = (
            _played(each, sent, table) for each in (newest, newest.model_copy(update={"hands": hands}))
        )
        if as_laid.bank.method is not Bank.HOUSE:
            return None
        laid, set_right = (settle(each).balances.get(FLOAT, 0) for each in (as_laid, by_the_way))
    except (EngineError, ProblemError):
        return None
    return MistakeCost(laid, set_right)


def _facts_settled(found: RoundReport) -> tuple[object, ...]:
    """What a settlement depends on beside the wagers."""
    hands = {each.place: (each.low, each.high) for each in found.hands}
    return hands, [(die.role, die.value) for die in found.dice], found.bank


@router.post("/settlement", dependencies=[requires(Permission.ASK)], responses=problems(400, 404, 408, 413, 422))
def settle_described(described: RoundIn, table: AskedTableDep) -> SettlementOut:
    """Settle a round described in the request; nothing is recorded."""
    return SettlementOut.of(described.played(table.rules.way, table.rules.today))


@router.post(
    "/rounds/{round_id}/settlement",
    dependencies=[requires(Permission.SETTLE)],
    response_model=RoundSettlementOut,
    responses=problems(400, 404, 408, 409, 413, 422, 503),
)
def settle_round(
    round_id: RoundId,
    sent: WagersIn,
    table: RoundTableDep,
    caller: CallerDep,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Settle a recorded round with the given wagers; only verified or confirmed hands are settled.

    The bank's method and box are those of the round, as seen or entered; send the names and wager of players in the
    bank. The answer includes the round as a log of events that the rulebook allows.

    The settlement is recorded before it is returned. With an Idempotency-Key, a repeated request is recorded once and
    answered alike, even if the round has been revised.
    """
    wagers = sent.model_dump(mode="json")
    answer = table.ledger.settled_before(round_id, wagers, idempotency_key, caller.name)
    if answer is None:
        found = table.ledger.newest(round_id)
        worked_out = _settled(found, sent, table).model_dump_json()
        answer = table.ledger.settle(found, wagers, worked_out, idempotency_key, caller.name)
    return Response(answer, media_type="application/json")


def _played(found: RoundReport, sent: WagersIn, table: LocalTable) -> PlayedRound:
    try:
        method, box = sent.bank.held(found.bank)
    except BankDiffersError as error:
        raise ProblemError(error.code, str(error)) from error
    places = {Place.parse(hand.place): hand for hand in found.hands}
    bank = banks_place(method, box, set(places))
    known = {place: _laid(hand) for place, hand in places.items() if hand.status != "uncertain"}
    rules = table.rules.known_of_round(found)
    asked = sent.rulebook or rules.rulebook
    book = rules.book
    if book is None or book.id != asked:
        book = rulebook(asked, on=table.rules.day_of(found.opened_at))
    variant = sent.variant or book.variant
    played = PlayedRound(
        book=book,
        bank=BankHolder(method, known.get(bank), sent.bank.players, box, sent.bank.wager),
        hands={place.box: hand for place, hand in known.items() if place.box is not None and place != bank},
        wagers=tuple(wager.under(book) for wager in sent.wagers),
        terms=_terms(found, sent),
        house_way=rules.house_way,
        void=sent.void,
        voided_by=void_rule(book, sent),
        dice=_dice(found, sent, variant),
        variant=variant,
    )
    # Before the hands: what the rulebook refuses stays refused when they are read.
    check_wagers(played)
    # The banker's own Bonus depends on the bank's hand.
    live = {one.box for one in sent.wagers if one.wager().on_tiles and not (one.void or sent.void)}
    by_box = {place.box: hand for place, hand in places.items()}
    for each in sorted(live - {box}):
        if each not in by_box:
            _check_box(each, found, book)
        _check_verified(f"box{each}", by_box.get(each))
    if live:
        _check_verified(str(bank), places.get(bank))
    return played


def _check_box(box: int, found: RoundReport, book: Rulebook) -> None:
    """Refuse a box that the table does not have: its hand will never be read."""
    if found.order is not None and box not in (*found.order.numbers, book.dealers_place):
        raise ProblemError("not_allowed", f"This table has no box {box}: its boxes are 1 to {found.order.boxes}.")


def _dice(found: RoundReport, sent: WagersIn, variant: str | None) -> Cup | None:
    """The dice that decide Big/Small: the round's if all are verified, which those sent may not contradict."""
    sure = all(die.status != "uncertain" and not die.cocked and die.role is not None for die in found.dice)
    box = sorted(die.value for die in found.dice if die.role == "box" and die.value is not None)
    cut = next((die.value for die in found.dice if die.role == "cut"), None)
    if not sure or len(box) + (cut is not None) < len(found.dice) or not box:
        return None if sent.dice is None else sent.dice.cup()
    if sent.dice is None:
        decides = any(wager.bet in {"big", "small"} for wager in sent.wagers)
        # Which of Crown Pai Gow's dice is the third one is not seen.
        return Cup(tuple(box), cut) if decides and variant is None else None
    third = () if sent.dice.big_small is None else (sent.dice.big_small,)
    if sorted((*sent.dice.box, *third)) != box or (None not in (sent.dice.cut, cut) and sent.dice.cut != cut):
        raise ProblemError(
            "dice_differ",
            f"In this round the box dice show {', '.join(map(str, box))}"
            f"{'' if cut is None else f', the cut die {cut}'}: leave dice out.",
        )
    return sent.dice.cup()


def _settled(found: RoundReport, sent: WagersIn, table: LocalTable) -> RoundSettlementOut:
    played = _played(found, sent, table)
    fields = SettlementOut.fields_of(played)
    button = known_bank(found.bank).button or 0
    seen = () if found.log is None else found.log.observed.seen
    log = RoundLogOut.of(played, seen, button)
    return RoundSettlementOut(round=found.id, revision=found.revision, round_log=log, **fields)


def _terms(found: RoundReport, sent: WagersIn) -> TableTerms:
    """The terms in the request, with the box numbering of the round."""
    terms, order = sent.table.terms(), found.order
    if order is None:
        return terms
    if sent.table.box1_at_dealers_right not in (None, order.box1_at_dealers_right):
        raise ProblemError(
            "box_numbering_differs",
            "The table's layout has box 1 at the dealer's "
            f"{'right' if order.box1_at_dealers_right else 'left'}: omit box1_at_dealers_right.",
        )
    return replace(terms, box1_at_dealers_right=order.box1_at_dealers_right)


def _check_verified(place: str, hand: HandReport | None) -> None:
    if hand is None:
        raise ProblemError("hand_not_read", f"No hand has been read at {place}, so its wager cannot be settled yet.")
    if hand.status == "uncertain":
        why = "; ".join(english(hand.doubts)) or "the tiles are not all certain"
        raise ProblemError(
            "hand_not_verified", f"The hand at {place} is not verified ({why}); a person must check it first."
        )


def _laid(hand: HandReport) -> Laid:
    low, high = (Hand.of(Tile.parse(face) for face in pair) for pair in (hand.low, hand.high))
    return Laid(low, high)
