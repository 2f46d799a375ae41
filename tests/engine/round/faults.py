"""What goes wrong in random rounds: remedies as the texts have them, read apart from the engine.

A row is the irregularity, the remedy, its rule, and who decides it ("player" and "banker" stand for them).
"""

from engine.vocabulary.irregularities import Irregularity
from engine.vocabulary.remedy import Effect

Row = tuple[Irregularity, Effect, str, str]

_MIX, _VOID, _SET, _HAND = Effect.MIXED_AGAIN, Effect.ROUND_VOID, Effect.AS_SET_NOW, Effect.HAND_VOID
_TRACKING, _WRONG = Irregularity.TILE_TRACKING, Irregularity.WRONG_DEAL
_EXPOSED, _NOT_HW = Irregularity.DEALER_EXPOSES, Irregularity.NOT_HOUSE_WAY
HIGHER, AREA, ASSISTANT = "TG Higher Duties Dealer", "TG Area Manager", "TG Assistant Casino Manager"
GAME, CASINO = "game supervisor", "casino supervisor"

MIXED: dict[str, Row] = {
    "crown-6.1": (_TRACKING, _MIX, "crown-6.1 5.5", HIGHER),
    "nz-1998": (_TRACKING, _MIX, "nz-1998 12.7", GAME),
    "star-2024": (_TRACKING, _MIX, "star-2024 15.4", CASINO),
    "star-classic": (_TRACKING, _MIX, "star-classic 15.4", GAME),
}
"""At any time."""

HAND_VOID: dict[str, Row] = {
    "crown-6.1": (_EXPOSED, _HAND, "crown-6.1 12.2.1", "player"),
    "nz-1998": (_EXPOSED, _HAND, "nz-1998 12.3(a)", "player"),
    "star-2024": (_EXPOSED, _HAND, "star-2024 15.3.1", "player"),
    "star-classic": (_EXPOSED, _HAND, "star-classic 15.3.1", "player"),
    "uk-poster": (Irregularity.TILES_EXCHANGED, _HAND, "uk-poster point 20", "management"),
}
"""Before its player has looked at the other tiles; under the poster at any time."""

ROUND_VOID: dict[str, tuple[Row, str]] = {
    "crown-6.1": ((_WRONG, _VOID, "crown-6.1 12.7", "dealer"), "bank-open"),
    "nz-1998": ((_WRONG, _VOID, "nz-1998 12.13", "dealer"), ""),
    "star-2024": ((_WRONG, _VOID, "star-2024 15.12", "dealer"), "handled"),
    "star-classic": ((_WRONG, _VOID, "star-classic 15.14", "dealer"), "handled"),
    "uk-poster": ((_WRONG, _VOID, "uk-poster point 22", "dealer"), ""),
}
"""Until this has happened."""

BANK_CORRECTED: dict[str, tuple[Row, str]] = {
    "crown-6.1": ((_NOT_HW, _SET, "crown-6.1 12.5", HIGHER), "bank-away"),
    "nz-1998": ((_NOT_HW, _SET, "nz-1998 12.8(a)", "dealer"), "first-open"),
    "star-2024": ((_NOT_HW, _SET, "star-2024 15.7", "dealer"), "first-open"),
    "star-classic": ((_NOT_HW, _SET, "star-classic 15.7", "dealer"), "first-open"),
}
"""Until this has happened."""

BOX_OUT: dict[str, tuple[Row, Row]] = {
    "crown-6.1": (
        (Irregularity.COMMUNICATING, Effect.BOX_OUT, "crown-6.1 12.6", AREA),
        (Irregularity.COMMUNICATING, Effect.BOX_BACK, "crown-6.1 12.6.4", ASSISTANT),
    ),
    "nz-1998": (
        (Irregularity.COMMUNICATING, Effect.BOX_OUT, "nz-1998 12.9", "casino operator"),
        (Irregularity.COMMUNICATING, Effect.BOX_BACK, "nz-1998 12.11", "casino operator"),
    ),
    "star-2024": (
        (Irregularity.COMMUNICATING, Effect.BOX_OUT, "star-2024 15.9.2", CASINO),
        (Irregularity.COMMUNICATING, Effect.BOX_BACK, "star-2024 15.9.5", CASINO),
    ),
    "star-classic": (
        (Irregularity.COMMUNICATING, Effect.BOX_OUT, "star-classic 15.9", CASINO),
        (Irregularity.COMMUNICATING, Effect.BOX_BACK, "star-classic 15.12", CASINO),
    ),
}
"""With the House in the bank: out by dice, and back."""
