"""Rules of The Star's rules of 2024 that software has no part in, and why."""

from __future__ import annotations

from engine.books.contents import Outside

OUTSIDE = (
    Outside(
        "Only gives a word its meaning; what is decided with it stands in the rules that use it.",
        "1.1 bank, 1.1 box dice, 1.1 Cashless, 1.1 chung, 1.1 commission, 1.1 cut die, 1.1 dice cup, 1.1 float tray, "
        "1.1 House, 1.1 House way, 1.1 House Way playing area, 1.1 Invalid wager, 1.1 laja, 1.1 player/banker, "
        "1.1 Player Card, 1.1 promotional prize(s), 1.1 ranking, 1.1 round of play, 1.1 shuffle, 1.1 tile(s), "
        "1.1 traditional cuts, 1.1 void",
    ),
    Outside(
        "Names an office or a body; the rules that turn on it name it themselves.",
        "1.1 Assistant Gaming Manager, 1.1 casino supervisor, 1.1 dealer, 1.1 Gaming Manager, 1.1 Gaming Supervisor, "
        "1.1 inspector, 1.1 NICC",
    ),
    Outside(
        "Furniture and print on the layout cloth; which boxes a table has is part of its configuration.",
        "2.1, Diagram A, Diagram B",
    ),
    Outside(
        "An object that must be at hand; what it is used for is decided in other rules.",
        "2.5.2, 2.5.4 to 2.5.6, 2.6",
    ),
    Outside("What the dealer says aloud; what is announced is found under 8.4.1 and 8.4.3.", "8.4.2"),
    Outside("Handling of the cup and of tiles by the dealer; nothing is decided by it.", "8.4.7, 12.2, 12.3.1"),
    Outside(
        "Whether a player holds a card, and whose, is checked by persons and other systems; what becomes of a wager "
        "that is invalid for it stands in 15.21.",
        "9.1, 16.1.1, 16.1.2",
    ),
    Outside("The dealer's duty to ask, and to see where chips lie; who decides follows from 9.10.", "9.11, 9.12"),
    Outside(
        "Signs and notices; the limits in force are part of a table's configuration.",
        "10.1, 10.6.3",
    ),
    Outside("Markers that show whose minimum still holds; which one does is said by 10.6.1.", "10.6.1.1 to 10.6.1.3"),
    Outside("Whose responsibility a wager's size is; what becomes of it is said by 10.2 and 10.3.", "10.5"),
    Outside("How a player shows a request; the request itself is that of 12.6.", "12.7"),
    Outside("A gesture of the dealer; the result it shows is decided by 9.3.", "12.15"),
    Outside("Exempts the casino's own people from 16.2; no wager depends on it.", "16.3"),
    Outside("Law enforcement; for persons to decide.", "16.4.3, 16.4.4"),
    Outside("Conduct of staff, onlookers and players towards each other.", "16.7, 16.8, 16.11"),
    Outside("Running of the floor: when a table is closed or a seat given up.", "16.9, 16.10"),
    Outside("A copy of the document itself; its text is not part of this software.", "16.15"),
    Outside("Promotions beside the game: prizes, their terms, their winners. No wager depends on them.", "17"),
    Outside(
        "Says the exceptions of section 7 over again; where the two differ the list decides (ruling 8).",
        "Appendix 2: format",
    ),
)
