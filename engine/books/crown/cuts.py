"""Crown Melbourne 6.1: the eight cuts (Tables 1 and 2, rule 5.4) and how they are delivered (Appendix 2).

Appendix 2's drawings are copied number by number. Details lost in the text:

- The rows of Hong Kong Bank lost their indents. They are centred here, since the tiles are taken from both sides alike
  and delivered from the centre.
- The two blocks of Dragon Head/Phoenix Tail are printed one below the other. The first is drawn on the left.
- The set-up pictures of these two are missing: which of the dealer's eight stacks stand where before
  delivery is unknown.
"""

from __future__ import annotations

from typing import Final

from engine.books.crown.banking import BANKING
from engine.vocabulary.citations import CROWN, Cite
from engine.vocabulary.cuts import Choice, Chooser, Cut, Cuts, Leave, NamedCut
from engine.vocabulary.delivery_order import END, LEVEL, SIDE, DeliveryOrder, Turn
from engine.vocabulary.facts import Bank, Fact

_TABLE_1 = CROWN.at("Table 1")


def _drawn(cite: Cite, rows: str, *turns: Turn) -> DeliveryOrder:
    return DeliveryOrder(tuple(rows.split()), cite, frozenset(turns))


ORDERS: Final[dict[Cut, tuple[DeliveryOrder, ...]]] = {
    Cut.YAT_DONG_DONG: (
        _drawn(
            CROWN.at("Appendix 2: Yat Dong Dong"),
            """
            87654321
            87654321
            87654321
            87654321
            """,
            Turn.RIGHT,
        ),
    ),
    Cut.CUP_SAY: (
        _drawn(
            CROWN.at("Appendix 2: Cup Say"),
            """
            77553311
            77553311
            88664422
            88664422
            """,
            Turn.RIGHT,
            Turn.TOP,
        ),
        _drawn(
            CROWN.at("Appendix 2: Cup Say Di Chut"),
            """
            88664422
            88664422
            77553311
            77553311
            """,
            Turn.RIGHT,
            Turn.BOTTOM,
        ),
    ),
    Cut.CHEE_YEE: (
        _drawn(
            CROWN.at("Appendix 2: Chee Yee"),
            """
            13577531
            13577531
            24688642
            24688642
            """,
            Turn.TOP,
        ),
        _drawn(
            CROWN.at("Appendix 2: Chee Yee Di Chut"),
            """
            24688642
            24688642
            13577531
            13577531
            """,
            Turn.BOTTOM,
        ),
    ),
    Cut.DAI_PIN: (
        _drawn(
            CROWN.at("Appendix 2: Dai Pin"),
            """
            22221111
            44443333
            66665555
            88887777
            """,
            Turn.RIGHT,
        ),
    ),
    Cut.JUNG_QUAT: (
        _drawn(
            CROWN.at("Appendix 2: Jung Quat"),
            """
            75311357
            75311357
            86422468
            86422468
            """,
            Turn.TOP,
        ),
        _drawn(
            CROWN.at("Appendix 2: Jung Quat Di Chut"),
            """
            86422468
            86422468
            75311357
            75311357
            """,
            Turn.BOTTOM,
        ),
    ),
    Cut.LONG_TAU_FONG_MAY: (
        DeliveryOrder(
            rows=(
                ".... 11",
                ".... 11",
                ".... 33",
                ".... 33",
                "2222 55",
                "4444 55",
                "6666 77",
                "8888 77",
            ),
            cite=CROWN.at("Appendix 2: Long Tau"),
            turns=frozenset({Turn.RIGHT, Turn.HEAD}),
            built=None,
        ),
        DeliveryOrder(
            rows=(
                ".... 22",
                ".... 22",
                ".... 44",
                ".... 44",
                "1111 66",
                "3333 66",
                "5555 88",
                "7777 88",
            ),
            cite=CROWN.at("Appendix 2: Fong May"),
            turns=frozenset({Turn.RIGHT, Turn.TAIL}),
            built=None,
        ),
    ),
    Cut.WUI_FUNG_BANK: (
        DeliveryOrder(
            rows=(
                "..11..",
                "..11..",
                "..22..",
                "..22..",
                "..33..",
                "..33..",
                ".6446.",
                ".6446.",
                "875578",
                "875578",
            ),
            cite=CROWN.at("Appendix 2: Wui Fung Bank"),
            built=None,
        ),
    ),
    Cut.FOOT_SAY: (
        DeliveryOrder(
            rows=("1111", "2222", "3333", "4444", "5555", "6666", "7777", "8888"),
            cite=CROWN.at("Appendix 2: Foot Say"),
            # The two stacks at each end, as the drawing of step one marks them, are put on the four in the middle.
            built=((3, 1), (4, 2), (5, 7), (6, 8)),
        ),
    ),
}
"""The orders of delivery as printed (crown-6.1 5.4); the other books name these cuts too but draw none."""

NAMED = (
    NamedCut(Cut.YAT_DONG_DONG, "Yat Dong Dong", "One stack", _TABLE_1, (SIDE,), ORDERS[Cut.YAT_DONG_DONG]),
    NamedCut(Cut.CUP_SAY, "Cup Say", "Tiger's Head", _TABLE_1, (LEVEL, SIDE), ORDERS[Cut.CUP_SAY]),
    NamedCut(Cut.CHEE_YEE, "Chee Yee", "Chop The Ears", _TABLE_1, (LEVEL,), ORDERS[Cut.CHEE_YEE]),
    NamedCut(Cut.DAI_PIN, "Dai Pin", "Big Slice", _TABLE_1, (SIDE,), ORDERS[Cut.DAI_PIN]),
    NamedCut(Cut.JUNG_QUAT, "Jung Quat", "From the Heart", _TABLE_1, (LEVEL,), ORDERS[Cut.JUNG_QUAT]),
    NamedCut(
        Cut.LONG_TAU_FONG_MAY,
        "Long Fong May Tau",
        "Dragon Head Phoenix Tail",
        _TABLE_1,
        # Table 1 has right or left only; Appendix 2 delivers head or tail first.
        (SIDE, END),
        ORDERS[Cut.LONG_TAU_FONG_MAY],
    ),
    NamedCut(Cut.WUI_FUNG_BANK, "Wui Fung Bank", "Hong Kong Bank", _TABLE_1, (), ORDERS[Cut.WUI_FUNG_BANK]),
    NamedCut(Cut.FOOT_SAY, "Foot Say", "Four Across", _TABLE_1, (), ORDERS[Cut.FOOT_SAY]),
)

BY_DIE = {
    1: Cut.LONG_TAU_FONG_MAY,
    2: Cut.JUNG_QUAT,
    3: Cut.CUP_SAY,
    4: Cut.DAI_PIN,
    5: Cut.WUI_FUNG_BANK,
    6: Cut.CHEE_YEE,
}
"""The cut of each face of the cut die; The Star's rules of 2024 have the same."""

_BANKER_ELSE_DEALER = Choice(
    (Chooser.BANKER, Chooser.SUPERVISOR), CROWN.at("5.4.2"), supervisor="TG Higher Duties Dealer (or above)"
)

CUTS = Cuts(
    named=NAMED,
    cite=_TABLE_1,
    choice={
        Bank.HOUSE: Choice((Chooser.CUT_DIE,), CROWN.at("5.4.1")),
        Bank.PLAYER: _BANKER_ELSE_DEALER,
        Bank.CO_BANK: _BANKER_ELSE_DEALER,
    },
    banking=BANKING,
    by_die=Fact(
        BY_DIE,
        CROWN.at("Table 2"),
        rulings=(27,),
    ),
    others=Fact(
        Leave(
            "TG Assistant Casino Manager",
            frozenset({Bank.PLAYER, Bank.CO_BANK}),
            besides="and the inspectorate and surveillance are advised",
        ),
        CROWN.at("5.4.3"),
    ),
)
