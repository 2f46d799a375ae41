"""Every rule of The Star's older page by its printed number, in our own few words.

Rules that say what rules of 2024 say are taken from there: ``9.5 to 9.10 = 9.8 to 9.13``. Words end with a colon where
a rule says nothing but what its parts say. Definitions of rule 1.1 go by the word defined, the unnumbered points of
Appendix 2 by "point". The page prints no Appendix 1.
"""

from __future__ import annotations

import re

from engine.books.contents import Contents
from engine.books.star_2024.contents import CONTENTS as STAR_2024_CONTENTS
from engine.books.star_classic.outside import OUTSIDE
from engine.vocabulary.sources import STAR_CLASSIC


def _by_points(number: str) -> str:
    """The points of Appendix 2 as they are cited here; 2024 numbers some of them and prints others as lines."""
    return re.sub(r"^(Appendix 2: \w+)(?:\.| line )", r"\1 point ", number)


CONTENTS = Contents.read(
    STAR_CLASSIC,
    """
1 | Definitions:
  1.1 | Words defined:
    1.1 Act | the Casino Control Act 1992
    1.1 bank | the hand that all others wager against
    1.1 casino promotional token or voucher | one free wager, forfeited after the round
    1.1 casino supervisor | a manager, games supervisors included
    1.1 chung | the marker of who banks
    1.1 co-banking | a player and the house bank in equal partnership
    1.1 commission | what is deducted from a player/banker's winnings
    1.1 dealer | who deals the game
    1.1 dice cup | the cup the dice are shaken in
    1.1 game supervisor | supervises the game
    1.1 House | the casino operator
    1.1 House way | how the dealer sets a hand
    1.1 inspector | appointed by law
    1.1 laja | a further mix of the tiles
    1.1 match | high hand against high hand, low against low
    1.1 player/banker | a player who takes the bank
    1.1 ranking | the order of the tiles
    1.1 round of play | from the cut to the settlement
    1.1 shuffle | a random mix, face down
    1.1 stand off | the wager neither wins nor loses
    1.1 tile(s) | a domino, or a set of them
    1.1 traditional cuts | the approved cuts
    1.1 void | without result
2 | Table layout and equipment:
  2.1 | Places for the players, and the dealer
  2.2 | Marked as diagram A shows, with the casino's name
  2.3 | Three dice, one to six, opposite sides adding up to seven
  2.4 | Equipment:
    2.4.1 to 2.4.4 = 2.5.2 to 2.5.5
  2.5 | A drop box
3 | The tiles:
  3.1 | Thirty-two tiles
  3.2 | Ranking:
    3.2.1 to 3.2.2 =
  3.3 | Checked tile by tile before and after gaming and when replaced
    3.3.1 | displayed until a player comes
    3.3.2 | displayed in rank order and checked by a supervisor
  3.4 to 3.5 =
4 | House Way: a heading without words
5 | A computer may check the setting
6 | The bank:
  6.1 | Offered counter-clockwise from area one
  6.2 | Accepted by the chung
  6.3 | Only by who controls an area
  6.4 | Only by who played the round before
  6.5 to 6.6 = 6.7 to 6.8
  6.7 | A supervisor may approve a co-bank of half the wagers
  6.8 to 6.9 = 6.9 to 6.10
7 | The shuffle and cut:
  7.1 to 7.3 =
  7.4 | Cuts are those of Appendix 3
  7.5 | Other cuts with approval
  7.6 | House bank: the supervisor chooses the cut
  7.7 | Player-bank and co-bank: the player does, else the supervisor
  7.8 | The player/banker may move the delivery by -4 to +4
  7.9 | shown on a button
8 | The dice:
  8.1 | After the cut; who shakes the cup, and how it is uncovered
  8.2 | A die that does not lie flat: shaken again
  8.3 | After the total is called the dealer:
    8.3.1 | counts counter-clockwise from the chung as 1, 9 or 17
    8.3.2 | announces the first area
    8.3.3 | shakes again afterwards and puts the cup away
9 | Wagers:
  9.1 | The permissible wagers:
    9.1.1 | a player's against the bank:
      9.1.1.1 to 9.1.1.3 = 9.2.1 to 9.2.3
    9.1.2 | the banker's:
      9.1.2.1 to 9.1.2.3 = 9.3.1 to 9.3.3
  9.2 | In chips, promotional tokens or vouchers
  9.3 | After the shuffle and before the cut
  9.4 | House bank and co-bank: nothing is touched after the cut
  9.5 to 9.10 = 9.8 to 9.13
  9.11 | but on none that nobody controls
  9.12 to 9.13 = 9.15 to 9.16
10 | Minimum and maximum:
  10.1 | Displayed on a sign
  10.2 | Player-bank: no maximum
  10.3 | House bank: a wager outside the limits not rejected in time is valid
  10.4 | A supervisor may alter limits; a higher minimum after 20 minutes' notice
  10.5 | A player may be allowed more than the maximum, shown by a sign
11 | Methods of play:
  11.1 | The bank is held by:
    11.1.1 to 11.1.2 =
    11.1.3 | player and house, half each up to the maximum
12 | General conditions:
  12.1 to 12.2 =
  12.3 | Tiles of areas without wagers are taken back unseen
  12.4 to 12.5 =
  12.6 | A player/banker may ask for the House Way, and confirms it
  12.7 to 12.9 = 12.11 to 12.13
  12.10 | No talk before the chung is off the bank's tiles
  12.11 to 12.16 = 12.14 to 12.19
13 | Procedures:
  13.1 =
  13.2 | Player/banker:
    13.2.1 | chung and tiles on their area
    13.2.2 | wagers not covered: a co-bank
    13.2.3 to 13.2.9 =
  13.3 | Co-bank:
    13.3.1 | asked for when the bank is offered; funds for half the wagers
    13.3.2 | an equal amount from the float
    13.3.3 | the tiles in front of the float
    13.3.4 | set the House Way, last
    13.3.5 to 13.3.6 = 13.2.5 to 13.2.6
    13.3.7 | winning wagers paid from it
    13.3.8 | stand-off: tiles away, wager stays
    13.3.9 | what is left is halved
    13.3.10 | wagers returned; commission on the player's half
    13.3.11 | a shortfall is taken from the co-bank wager, the rest halved
14 | Settlement:
  14.1 | One to one, less 5 %
  14.2 | 5 % of a player/banker's winnings, after:
    14.2.1 | payment of the players
    14.2.2 | the house's share of a co-bank
    14.2.3 | return of their wager
  14.3 | Commission not payable in chips: the nearest lower amount
15 | Irregularities:
  15.1 to 15.6 =
  15.7 | House hands set wrongly stand once a player's hand is exposed
  15.8 | Players believed to tell: an area may be removed
  15.9 to 15.12 = 15.9.2 to 15.9.5
  15.13 to 15.17 = 15.11 to 15.15
  15.18 | An absent player's tiles: set the House Way
16 | General provisions:
  16.1 to 16.2 = 16.2 to 16.3
  16.3 | Against 16.1 a supervisor may:
    16.3.1 to 16.3.4 = 16.4.1 to 16.4.4
  16.4 to 16.10 = 16.5 to 16.11
  16.11 | Disputes: first to a game supervisor
  16.12 | then to an inspector
  16.13 | A copy of the rules on request
Appendix 2 to Appendix 3 =
Diagram A | a layout
""",
    outside=OUTSIDE,
    like=STAR_2024_CONTENTS,
    renumber=_by_points,
)
