"""Rules of the New Zealand division that software has no part in, and why."""

from __future__ import annotations

from engine.books.contents import Outside

OUTSIDE = (
    Outside(
        "Only gives a word its meaning; what is decided with it stands in the rules that use it.",
        "1.0 Bank, 1.0 Banker, 1.0 Banker Wager Area, 1.0 Box, 1.0 Chung, 1.0 Co-Banker, 1.0 Cut, 1.0 House, "
        "1.0 House Way, 1.0 Laja, 1.0 Losing Wager Area, 1.0 Player/Banker, 1.0 Round, 1.0 Shuffle, 1.0 Tile, "
        "1.0 Total",
    ),
    Outside(
        "Furniture and print on the layout cloth; which boxes a table has is part of its configuration.",
        "3.1, 3.2(b), Appendix 1",
    ),
    Outside("How tiles are made; the camera sees their faces and cannot compare their backs.", "3.3(a)(ii)"),
    Outside("How large the faces of the dice are; a throw is read by their dots.", "3.3(b)(i)"),
    Outside("Conduct towards tiles; what follows if one is found marked or damaged stands in 10.15.", "10.8(a)"),
    Outside(
        "An object that must be at hand; what it is used for is decided in other rules.",
        "3.3(c), 3.3(e), 3.3(f)",
    ),
    Outside("The dealer's duty to ask, and to see where chips lie; who decides follows from 7.1(a).", "7.1(b), 7.1(c)"),
    Outside("How a value is shown on the table; the value itself is that of 9.6.", "9.7"),
    Outside("How the dealer carries tiles to empty boxes; nothing is decided by it.", "10.2"),
    Outside("Where the wager is laid; that it covers the others is decided by 11.2(b).", "11.2(c)"),
)
