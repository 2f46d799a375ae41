"""New Zealand 1998: twenty cuts by name and options (Appendix 5), and who decides which is made (9.5)."""

from __future__ import annotations

from engine.books.crown.cuts import ORDERS
from engine.books.nz.banking import BANKING
from engine.vocabulary.citations import NZ
from engine.vocabulary.cuts import Choice, Chooser, Cut, Cuts, NamedCut
from engine.vocabulary.delivery_order import DEPTH, END, LEVEL, SIDE
from engine.vocabulary.facts import Bank

_LIST = NZ.at("Appendix 5")

NAMED = (
    NamedCut(Cut.YAT_DONG_DONG, "Yat Dong Dong", "1 Stack", _LIST, (SIDE,), ORDERS[Cut.YAT_DONG_DONG]),
    NamedCut(Cut.CUP_SAY, "Cup Say", "Tiger", _LIST, (LEVEL, SIDE), ORDERS[Cut.CUP_SAY]),
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
    NamedCut(Cut.FOOT_SAY, "Foot Say", "4 Across", _LIST, (), ORDERS[Cut.FOOT_SAY]),
    NamedCut(Cut.SEUNG_GWAI_PAK_MOON, "Seung Gwai Pak Moon", "Ghost Closing the Door", _LIST),
    NamedCut(Cut.PONG_YUN, "Pong Yun", "Buddha's Signal", _LIST, (SIDE,)),
    NamedCut(Cut.CHINA_BANK, "China Bank", "China Bank", _LIST),
    NamedCut(Cut.HARBOUR_BRIDGE, "Harbour Bridge", "Harbour Bridge", _LIST),
    NamedCut(Cut.BO_BO_GO_SING, "Bo Bo Go Sing", "Boy Walks Up Stairs", _LIST, (SIDE,)),
    NamedCut(Cut.GUM_UN_QUE, "Gum Un Que", "Double Bridge", _LIST, (SIDE, DEPTH)),
    NamedCut(Cut.GHAN_DONG_PING_SAY, "Ghan Dong Ping Say", "Kangaroo Jump", _LIST, (SIDE,)),
    NamedCut(Cut.CHONG_WAN_SUP_LOK, "Chong Wan Sup Lok", "16 Across", _LIST, (LEVEL,)),
    NamedCut(Cut.YAT_KAI_SUM_MAY, "Yat Kai Sum May", "Chicken 3 Ways", _LIST, (SIDE,)),
    NamedCut(Cut.GHAN_DONG_CUP_SAY, "Ghan Dong Cup Say", "Striped Tiger", _LIST, (SIDE,)),
    NamedCut(Cut.ARN_LOK_PENG_SAR, "Arn Lok Peng Sar", "Flying Dragon", _LIST, (SIDE, END)),
    NamedCut(Cut.GIRL_ON_THE_RIGHT_AND_LEFT, "Girl on the Right and Left", "Girl on the Right and Left", _LIST),
)

_SUPERVISOR = "game supervisor"
_USUAL = NAMED[0]
_BANKER_ELSE_USUAL = Choice((Chooser.BANKER, Chooser.SUPERVISOR), NZ.at("9.5"), _SUPERVISOR, _USUAL)

CUTS = Cuts(
    named=NAMED,
    cite=_LIST,
    choice={
        Bank.HOUSE: Choice((Chooser.SUPERVISOR,), NZ.at("9.5"), _SUPERVISOR, _USUAL),
        Bank.PLAYER: _BANKER_ELSE_USUAL,
        Bank.CO_BANK: _BANKER_ELSE_USUAL,
    },
    banking=BANKING,
    approved=NZ.at("1.0 Approved Cut"),
)
