"""Rules of The Star's older page that software has no part in, and why."""

from __future__ import annotations

from engine.books.contents import Outside

OUTSIDE = (
    Outside(
        "Only gives a word its meaning; what is decided with it stands in the rules that use it.",
        "1.1 Act, 1.1 bank, 1.1 chung, 1.1 co-banking, 1.1 commission, 1.1 dice cup, 1.1 House, 1.1 House way, "
        "1.1 laja, 1.1 player/banker, 1.1 ranking, 1.1 round of play, 1.1 shuffle, 1.1 tile(s), "
        "1.1 traditional cuts, 1.1 void",
    ),
    Outside(
        "Names an office or a body; the rules that turn on it name it themselves.",
        "1.1 casino supervisor, 1.1 dealer, 1.1 game supervisor, 1.1 inspector",
    ),
    Outside(
        "Furniture and print on the layout cloth; which boxes a table has is part of its configuration.",
        "2.1, Diagram A",
    ),
    Outside(
        "An object that must be at hand; what it is used for is decided in other rules.",
        "2.4.1, 2.4.3, 2.4.4, 2.5",
    ),
    Outside("A heading without words of its own; the House Way is Appendix 2.", "4"),
    Outside("How an acceptance or a value is shown on the table; both are decided by other rules.", "6.2, 7.9"),
    Outside("What the dealer says aloud; what is announced is found under 8.3.1.", "8.3.2"),
    Outside("Handling of the cup and of tiles by the dealer; nothing is decided by it.", "8.3.3, 12.2"),
    Outside("The dealer's duty to ask, and to see where chips lie; who decides follows from 9.7.", "9.8, 9.9"),
    Outside(
        "Signs and notices; the limits in force are part of a table's configuration.",
        "10.1",
    ),
    Outside("A gesture of the dealer; the result it shows is decided by 9.1.1.3.", "12.12"),
    Outside("Exempts the casino's own people from 16.1; no wager depends on it.", "16.2"),
    Outside("Law enforcement; for persons to decide.", "16.3.3, 16.3.4"),
    Outside("Conduct of staff, onlookers and players towards each other.", "16.6, 16.7, 16.10"),
    Outside("Running of the floor: when a table is closed or a seat given up.", "16.8, 16.9"),
    Outside("A copy of the document itself; its text is not part of this software.", "16.13"),
    Outside(
        "Says the exceptions of section 7 over again; where the two differ the list decides (ruling 8).",
        "Appendix 2: format",
    ),
)
