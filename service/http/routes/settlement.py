"""Settling a round: described whole in the request, or one of the table's own with the wagers sent."""

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Path, Response

from calibration.table.places import HOUSE, Place
from engine.books.registry import rulebook
from engine.game.hands import Hand
from engine.game.tiles import Tile
from engine.settlement.played import BankHolder, Laid, PlayedRound
from engine.settlement.wagers import TableTerms
from service.access.roles import Permission
from service.http.deps import Parts, PartsDep
from service.http.errors import ProblemError, problems
from service.http.permissions import CallerDep, requires
from service.http.routes.results import IdempotencyKey
from service.judge.house_way_choice import by_id
from service.judge.settlement_io import RoundIn, RoundSettlementOut, SettlementOut, WagersIn, void_rule
from service.judge.throws import box_order_of
from service.rounds.reports import HandReport, RoundReport

router = APIRouter(prefix="/v1", tags=["settlement"])


@router.post("/settlement", dependencies=[requires(Permission.ASK)], responses=problems(400, 408, 413, 422))
def settle_described(described: RoundIn, parts: PartsDep) -> SettlementOut:
    """Settle a round that is described whole; nothing is kept."""
    return SettlementOut.of(described.played(lambda name: by_id(name, parts.house_way)))


@router.post(
    "/rounds/{round_id}/settlement",
    dependencies=[requires(Permission.SETTLE)],
    response_model=RoundSettlementOut,
    responses=problems(400, 404, 408, 409, 413, 422, 503),
)
def settle_round(
    round_id: Annotated[str, Path(max_length=64)],
    sent: WagersIn,
    parts: PartsDep,
    caller: CallerDep,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Settle a round of this table with the wagers sent; only hands that nobody doubts any more are settled.

    The settlement is recorded before it is answered. With an Idempotency-Key the same request is recorded once and
    answered alike for ever, also if the round is revised meanwhile.
    """
    wagers = sent.model_dump(mode="json")
    answer = parts.ledger.settled_before(round_id, wagers, idempotency_key, caller.name)
    if answer is None:
        found = parts.ledger.newest(round_id)
        settled = SettlementOut.fields_of(_played(found, sent, parts))
        worked_out = RoundSettlementOut(round=found.id, revision=found.revision, **settled)
        answer = parts.ledger.settle(found, wagers, worked_out.model_dump_json(), idempotency_key, caller.name)
    return Response(answer, media_type="application/json")


def _played(found: RoundReport, sent: WagersIn, parts: Parts) -> PlayedRound:
    """The round with the wagers sent."""
    places = {Place.parse(hand.place): hand for hand in found.hands}
    # The banker's own Bonus hangs on the bank's hand, which lies where the House's does.
    live = {one.box for one in sent.wagers if one.wager().on_tiles and not (one.void or sent.void)}
    by_box = {place.box: hand for place, hand in places.items()}
    for box in sorted(live - {sent.bank.box}):
        _check_verified(f"box{box}", by_box.get(box))
    if live:
        _check_verified(str(HOUSE), places.get(HOUSE))
    known = {place: _laid(hand) for place, hand in places.items() if hand.status != "uncertain"}
    bank = sent.bank
    book = rulebook(sent.rulebook or parts.house_way.played_under, on=found.opened_at.date())
    return PlayedRound(
        book=book,
        bank=BankHolder(bank.method, known.get(HOUSE), bank.players, bank.box, bank.wager),
        hands={place.box: hand for place, hand in known.items() if place.box is not None},
        wagers=tuple(wager.under(book) for wager in sent.wagers),
        terms=_terms(found, sent),
        house_way=parts.house_way,
        void=sent.void,
        voided_by=void_rule(book, sent),
        dice=None if sent.dice is None else sent.dice.cup(),
        variant=sent.variant,
    )


def _terms(found: RoundReport, sent: WagersIn) -> TableTerms:
    """What the table sets for itself, its boxes where they lie."""
    terms, order = sent.table.terms(), box_order_of(found)
    if order is None:
        return terms
    if sent.table.box1_at_dealers_right not in (None, order.box1_at_dealers_right):
        raise ProblemError(
            409,
            "numbered_otherwise",
            "The table's layout has box 1 at the dealer's "
            f"{'right' if order.box1_at_dealers_right else 'left'}: leave box1_at_dealers_right out.",
        )
    return replace(terms, box1_at_dealers_right=order.box1_at_dealers_right)


def _check_verified(place: str, hand: HandReport | None) -> None:
    if hand is None:
        raise ProblemError(
            409, "hand_not_read", f"No hand has been read at {place}, so its wager cannot be settled yet."
        )
    if hand.status == "uncertain":
        why = "; ".join(hand.reasons) or "the tiles are not all certain"
        raise ProblemError(
            409, "hand_not_verified", f"The hand at {place} is not verified ({why}); a person must look at it first."
        )


def _laid(hand: HandReport) -> Laid:
    low, high = (Hand.of(Tile.parse(face) for face in pair) for pair in (hand.low, hand.high))
    return Laid(low, high)
