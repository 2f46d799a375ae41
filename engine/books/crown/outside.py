"""Rules of Crown Melbourne's document that software has no part in, and why."""

from __future__ import annotations

from engine.books.contents import Outside

OUTSIDE = (
    Outside(
        "Only gives a word its meaning; what is decided with it stands in the rules that use it.",
        "1.1 Bank, 1.1 Box Dice, 1.1 Chung, 1.1 Co-banking, 1.1 Cut Die, 1.1 Dice cup, 1.1 Distinctive Marker, "
        "1.1 House, 1.1 House Banking, 1.1 House Way, 1.1 Laja, 1.1 Player-Banker, 1.1 Ranking, 1.1 Shuffle, "
        "1.1 Side Wager, 1.1 The Tile(s), 1.1 Tournament, 1.1 Tournament Player, 1.1 Tournament Terms and Conditions, "
        "1.1 Traditional Cuts, 1.1 Void, 1.3, 1.4",
    ),
    Outside(
        "Names an office or a body; the rules that turn on it name it themselves.",
        "1.1 Crown, 1.1 Dealer, 1.1 TG Area Manager, 1.1 TG Assistant Casino Manager, 1.1 TG Higher Duties Dealer, "
        "1.1 Tournament Director, 1.1 VCGLR",
    ),
    Outside(
        "Print on the layout cloth; which boxes a table has is part of its configuration.",
        "2.2.2, Diagram A, Diagram B",
    ),
    Outside("How the dice are made; a throw is read by their dots.", "2.4.1"),
    Outside("Who of the staff stands in for the dealer; whoever does is the dealer of the log.", "1.2"),
    Outside(
        "An object that must be at hand; what it is used for is decided in other rules.",
        "2.5.1 to 2.5.3",
    ),
    Outside(
        "What the dealer says aloud; what is announced is found under other rules.",
        "4.4, 4.4.3, 14.3.2(a), 14.3.2(b), 14.3.2(d)",
        but="4.4.1, 4.4.2",
    ),
    Outside("Where the dealer puts an object or chips; nothing is decided by it.", "4.5, 8.9.1, 13.5.3(a)(ii)"),
    Outside("The dealer's duty to ask; who decides follows from 8.8.", "8.9", but="8.9.1"),
    Outside("A gesture of the dealer; the result it shows is decided by 8.15.", "8.15.1"),
    Outside(
        "How Crown organises a tournament: who is told, appointed and briefed, and which tables are set aside.",
        "15.1, 15.2.2 to 15.2.5, 15.3",
    ),
    Outside(
        "Law enforcement; for persons to decide.",
        "16.2.4",
    ),
    Outside("Conduct of staff, onlookers and players towards each other.", "16.6, 16.7, 16.13"),
    Outside("Running of the floor: when a table is closed or a seat given up.", "16.8, 16.9"),
    Outside("The right of a patron to complain to the regulator.", "16.12"),
    Outside("A copy of the document itself; its text is not part of this software.", "16.14"),
)
