"""The Star 2024: twenty cuts by name and options (Appendix 3), the cut die (Appendix 4), and who decides (8.4)."""

from __future__ import annotations

from engine.books.crown.cuts import BY_DIE, ORDERS
from engine.books.star_2024.banking import BANKING
from engine.vocabulary.citations import STAR_2024
from engine.vocabulary.cuts import Choice, Chooser, Cut, Cuts, Leave, NamedCut
from engine.vocabulary.delivery_order import DEPTH, END, LEVEL, SIDE
from engine.vocabulary.facts import Bank, Fact

_LIST = STAR_2024.at("Appendix 3")

NAMED = (
    NamedCut(Cut.YAT_DONG_DONG, "Yat Dong Dong", "One Stack", _LIST, (SIDE,), ORDERS[Cut.YAT_DONG_DONG]),
    NamedCut(Cut.CUP_SAY, "Cup Say", "Tiger", _LIST, (SIDE, LEVEL), ORDERS[Cut.CUP_SAY]),
    NamedCut(Cut.CHEE_YEE, "Chee Yee", "Chop the Ears", _LIST, (LEVEL,), ORDERS[Cut.CHEE_YEE]),
    NamedCut(Cut.DAI_PIN, "Dai Pin", "Big Slice", _LIST, (SIDE,), ORDERS[Cut.DAI_PIN]),
    NamedCut(Cut.JUNG_QUAT, "Jung Quat", "From the Heart", _LIST, (LEVEL,), ORDERS[Cut.JUNG_QUAT]),
    NamedCut(
        Cut.LONG_TAU_FONG_MAY,
        "Long Tau/Fong May",
        "Dragon Head/Phoenix Tail",
        _LIST,
        (SIDE,),
        ORDERS[Cut.LONG_TAU_FONG_MAY],
        drawn_elsewhere=(END,),
    ),
    NamedCut(Cut.WUI_FUNG_BANK, "Wui Fung Bank", "Hong Kong Bank", _LIST, (), ORDERS[Cut.WUI_FUNG_BANK]),
    NamedCut(Cut.FOOT_SAY, "Foot Say", "Four Across", _LIST, (), ORDERS[Cut.FOOT_SAY]),
    NamedCut(Cut.SYDNEY_HARBOUR_BRIDGE, "Sydney Harbour Bridge", "Sydney Harbour Bridge", _LIST),
    NamedCut(Cut.GHAN_DONG_PING_SAY, "Ghan Dong Ping Say", "Kangaroo Jump", _LIST, (SIDE,)),
    NamedCut(Cut.PONG_YUN, "Pong Yun", "Buddhas Signal", _LIST, (SIDE,)),
    NamedCut(Cut.BO_BO_GO_SING, "Bo Bo Go Sing", "Boy Walks Up Stairs", _LIST, (SIDE,)),
    NamedCut(Cut.GHAN_DONG_CUP_SAY, "Ghan Dong Cup Say", "Striped Tiger", _LIST, (SIDE,)),
    NamedCut(Cut.YAT_KAI_SUM_MAY, "Yat Kai Sum May", "Chicken Three Ways", _LIST),
    NamedCut(Cut.ARN_LOK_PENG_SAR, "Arn Lok Peng Sar", "Flying Dragon", _LIST, (SIDE,)),
    NamedCut(Cut.SYDNEY_TOWER, "Sydney Tower", "Sydney Tower", _LIST),
    NamedCut(Cut.CHINA_BANK, "China Bank", "China Bank", _LIST),
    NamedCut(Cut.CHONG_WAN_SUP_LOK, "Chong Wan Sup Lok", "Sixteen Across", _LIST),
    NamedCut(Cut.SEUNG_GWAI_PAK_MOON, "Seung Gwai Pak Moon", "Ghost Closing the Door", _LIST),
    NamedCut(Cut.GUM_UN_QUE, "Gum Un Que", "Double Bridge", _LIST, (SIDE, DEPTH)),
)

CUTS = Cuts(
    named=NAMED,
    cite=_LIST,
    choice={
        Bank.HOUSE: Choice((Chooser.CUT_DIE,), STAR_2024.at("8.4.4")),
        Bank.PLAYER: Choice((Chooser.BANKER, Chooser.CUT_DIE), STAR_2024.at("8.4.3")),
    },
    banking=BANKING,
    by_die=Fact(
        BY_DIE,
        STAR_2024.at("Appendix 4"),
    ),
    others=Fact(
        # Under a House bank it replaces the cut die's (ruling 43).
        Leave("casino supervisor", frozenset(Bank) - {Bank.CO_BANK}, besides="if the regulator approved it before"),
        STAR_2024.at("8.4.5"),
    ),
)
