"""Every rule of the poster, in our own few words.

The poster numbers nothing. Its bulleted points are counted here in the order printed, over all its pages ("point 1" to
"point 29"); what stands outside them goes by name. Software has a part in all of them.
"""

from __future__ import annotations

from engine.books.contents import Contents
from engine.vocabulary.sources import UK

CONTENTS = Contents.read(
    UK,
    """
preamble | ambiguities are decided in the player's favour until resolved
point 1 | 32 dominoes in pairs, ranked singly; colours mean nothing
point 2 | wagers before the deal, not changed afterwards
point 3 | eight stacks of four; three dice find the first box, counted anticlockwise
point 4 | four tiles to every position, all 32 dealt
point 5 | four tiles make a high and a low hand
Rankings | of hands, in order:
  point 6 | Gee Joon first
  point 7 | then pairs 2 to 12, then the mixed pairs
  point 8 | then Wongs
  point 9 | then Gongs
  point 10 | then High Nines
  point 11 | then points, the last digit of the total
  point 12 | Gee Joon tiles count three or six and rank last
point 13 | the dealer sets the House Way after all players; it is displayed near the table
point 14 | and compares hands
point 15 | both hands higher: wins 19 to 20
point 16 | both hands lower: loses
point 17 | one higher, one lower: stand-off
point 18 | the highest tile breaks ties, the rest are the bank's; zero against zero low is the bank's
point 19 | tiles stay in view, and are laid before the dealer takes and pays
point 20 | no exchange, no talk about hands
point 21 | players answer for the value of their hands
point 22 | a wrong number of tiles: misdeal
point 23 | an exposed tile is turned over, the deal goes on
point 24 | a player may bank who can cover all wagers
point 25 | the player-banker rolls the dice and may choose the cut
point 26 | 5 % commission on winnings, the player-banker's on profit
point 27 | player-banker once in a rotation
point 28 | the dealer may bet against the player-banker; how much
point 29 | a hand not set the House Way is reset as soon as possible, results reassessed
House edge | 2.39 %
Ranking chart | of pairs and single tiles
""",
)
