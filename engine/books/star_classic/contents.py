"""Every rule of The Star's older page by its printed number, in our own few words.

Words end with a colon where a rule says nothing but what its parts say. Definitions of rule 1.1 go by the word defined,
the unnumbered points of Appendix 2 by "point". The page prints no Appendix 1.
"""

from __future__ import annotations

from engine.books.contents import Contents
from engine.books.star_classic.outside import OUTSIDE
from engine.vocabulary.sources import STAR_CLASSIC

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
    2.4.1 | a dice cup
    2.4.2 | buttons from -4 to +4
    2.4.3 | an "OFF" button
    2.4.4 | a chung
  2.5 | A drop box
3 | The tiles:
  3.1 | Thirty-two tiles
  3.2 | Ranking:
    3.2.1 | below Day High Nine a hand counts its last digit
    3.2.2 | Gee Jun tiles rank last and count three or six
  3.3 | Checked tile by tile before and after gaming and when replaced
    3.3.1 | displayed until a player comes
    3.3.2 | displayed in rank order and checked by a supervisor
  3.4 | Damaged or marked tiles are replaced
  3.5 | Tiles may be changed
4 | House Way: a heading without words
5 | A computer may check the setting
6 | The bank:
  6.1 | Offered counter-clockwise from area one
  6.2 | Accepted by the chung
  6.3 | Only by who controls an area
  6.4 | Only by who played the round before
  6.5 | Two rounds a bank, up to three banks an area
  6.6 | Players may share the bank at one seat
  6.7 | A supervisor may approve a co-bank of half the wagers
  6.8 | If nobody takes it the house banks
  6.9 | House bank: chung on area one, no wagers there
7 | The shuffle and cut:
  7.1 | Shuffled face down before each round
  7.2 | Eight stacks of four
  7.3 | A supervisor may approve a player's laja:
    7.3.1 | no further shuffle by the bank afterwards
    7.3.2 | the bank may perform its own before the cut
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
      9.1.1.1 | wins:
        9.1.1.1.1 | when both hands are higher
        9.1.1.1.2 | on the higher tile of hands of equal value
      9.1.1.2 | loses:
        9.1.1.2.1 | when both hands of the bank are higher
        9.1.1.2.2 | when high or low hands are both zero
        9.1.1.2.3 | when the hands are identical
        9.1.1.2.4 | equal value and equal high tile
      9.1.1.3 | stand-off: only one hand is higher
    9.1.2 | the banker's:
      9.1.2.1 | wins:
        9.1.2.1.1 | when both hands are higher
        9.1.2.1.2 | when high or low hands are both zero
        9.1.2.1.3 | when the hands are identical
        9.1.2.1.4 | equal value and equal high tile
      9.1.2.2 | loses:
        9.1.2.2.1 | when both hands of the player are higher
        9.1.2.2.2 | on the player's higher tile
      9.1.2.3 | stand-off: only one hand is higher
  9.2 | In chips, promotional tokens or vouchers
  9.3 | After the shuffle and before the cut
  9.4 | House bank and co-bank: nothing is touched after the cut
  9.5 | Player-bank: only with the player/banker's consent
  9.6 | At most three players on an area
  9.7 | Who decides about the tiles of a shared area:
    9.7.1 | the seated player
    9.7.2 | at their discretion the highest wager
    9.7.3 | nobody seated: the highest wager
    9.7.4 | equal wagers: the one nearest the dealer
  9.8 | The dealer finds out before the round
  9.9 | and sees that their wager lies in its place
  9.10 | A player may wager on several areas and control one
  9.11 | but on none that nobody controls
  9.12 | The player/banker wagers and has the funds
  9.13 | On the player/banker's area there is no other wager
10 | Minimum and maximum:
  10.1 | Displayed on a sign
  10.2 | Player-bank: no maximum
  10.3 | House bank: a wager outside the limits not rejected in time is valid
  10.4 | A supervisor may alter limits; a higher minimum after 20 minutes' notice
  10.5 | A player may be allowed more than the maximum, shown by a sign
11 | Methods of play:
  11.1 | The bank is held by:
    11.1.1 | the house
    11.1.2 | a player/banker covering all wagers
    11.1.3 | player and house, half each up to the maximum
12 | General conditions:
  12.1 | Four tiles face down to every area
  12.2 | Groups to consecutive empty areas may be put together
  12.3 | Tiles of areas without wagers are taken back unseen
  12.4 | Players set their own high and low hand
  12.5 | Tiles returned are set and not handled again
  12.6 | A player/banker may ask for the House Way, and confirms it
  12.7 | Only who controls the area handles its tiles
  12.8 | Sharing player/bankers decide together
  12.9 | Tiles stay in view; no exchange, no talk about hands
  12.10 | No talk before the chung is off the bank's tiles
  12.11 | The dealer declares Jung, Che or Jowl
  12.12 | How a stand-off is shown
  12.13 | Unused tiles may be viewed after all payouts
  12.14 | Conceding a wager
  12.15 | A supervisor may view a conceded hand
  12.16 | A single player against the house may play face up
13 | Procedures:
  13.1 | House bank:
    13.1.1 | chung and tiles on area one, then to the float
    13.1.2 | the house hand is set last
    13.1.3 | and exposed first
    13.1.4 | low hand upright, high hand across
    13.1.5 | the supervisor confirms the House Way
    13.1.6 | players' hands matched counter-clockwise from area one
    13.1.7 | losing wagers into the float
    13.1.8 | winning wagers paid counter-clockwise
    13.1.9 | stand-off: tiles away, wager stays
  13.2 | Player/banker:
    13.2.1 | chung and tiles on their area
    13.2.2 | wagers not covered: a co-bank
    13.2.3 | they set last and may expose
    13.2.4 | shown at the float
    13.2.5 | players' hands matched counter-clockwise from the chung
    13.2.6 | losing wagers into the losing wager area
    13.2.7 | winning wagers paid from it; the rest to them, less commission
    13.2.8 | a shortfall is taken from their wager
    13.2.9 | stand-off: tiles away, wager stays
  13.3 | Co-bank:
    13.3.1 | asked for when the bank is offered; funds for half the wagers
    13.3.2 | an equal amount from the float
    13.3.3 | the tiles in front of the float
    13.3.4 | set the House Way, last
    13.3.5 | players' hands matched counter-clockwise from the chung
    13.3.6 | losing wagers into the losing wager area
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
  15.1 | A tile exposed while stacking: a laja
  15.2 | More than two exposed in a laja: shuffled again
  15.3 | The dealer exposes two tiles or more:
    15.3.1 | of a player: they may void the hand, before looking
    15.3.2 | of the player/banker: they may, and tiles are shuffled again
  15.4 | A supervisor may have the tiles shuffled again
  15.5 | House tiles exposed: the hands are played
  15.6 | A player/banker exposes their own: play on
  15.7 | House hands set wrongly stand once a player's hand is exposed
  15.8 | Players believed to tell: an area may be removed
  15.9 | a supervisor decides, an inspector is told
  15.10 | the dice find the area
  15.11 | thrown again when they find the house
  15.12 | a supervisor decides when it comes back
  15.13 | Tiles dealt wrongly, found before they are handled: reconstructed
  15.14 | if that cannot be: the round is void
  15.15 | Found after they are handled: played to the end
  15.16 | Players suspected of looking or telling; a supervisor may:
    15.16.1 | have them set first
    15.16.2 | keep them from one table
    15.16.3 | ask for English only
  15.17 | The dealer knocks down a hand: set the House Way
  15.18 | An absent player's tiles: set the House Way
16 | General provisions:
  16.1 | No devices that record or analyse play
  16.2 | but by the casino's staff and inspectors on duty
  16.3 | Against 16.1 a supervisor may:
    16.3.1 | void wagers
    16.3.2 | exclude from the game
    16.3.3 | exclude from the casino
    16.3.4 | have them detained
  16.4 | A supervisor may invalidate an outcome:
    16.4.1 | on disruption
    16.4.2 | on fraud
  16.5 | Its wagers may be refunded, a cheat's forfeited
  16.6 | Staff do not advise players
  16.7 | Nobody influences a player
  16.8 | A table is closed after 20 minutes' notice
  16.9 | Three rounds without a wager may cost the seat
  16.10 | No side bets between players
  16.11 | Disputes: first to a game supervisor
  16.12 | then to an inspector
  16.13 | A copy of the rules on request
Appendix 2 | House Way:
  Appendix 2: 1 | two ranking pairs are two hands
  Appendix 2: 2 | pairs never split
  Appendix 2: 3 | pairs split, and with what
  Appendix 2: 4 | Wongs, Gongs and High Nines:
    Appendix 2: 4 point 1 | played where nothing higher can be
    Appendix 2: 4 point 2 | High Nine before Gong before Wong
    Appendix 2: 4 point 3 | Teen rather than Day on the high hand
  Appendix 2: 5 | Exceptions to them:
    Appendix 2: 5 point 1 | Gong before High Nine when the fourth tile is a four
    Appendix 2: 5 point 2 | Wong first when the fourth tile is an eleven
  Appendix 2: 6 | General play:
    Appendix 2: 6 point 1 | hands as close together as possible, unless a higher value can be had
    Appendix 2: 6 point 2 | high hand of seven or less: high tile low
    Appendix 2: 6 point 3 | high hand of eight or better: high tile high
    Appendix 2: 6 point 4 | the two highest tiles kept apart
  Appendix 2: 7 | Exceptions to general play:
    Appendix 2: 7 point 1 | both tens, a six, and Teen or Day
    Appendix 2: 7 point 2 | both tens, eleven, and a seven or eight
    Appendix 2: 7 point 3 | High 8, High 10, eleven and a seven
    Appendix 2: 7 point 4 | High 6, five, Gee Jun and Teen or Day
    Appendix 2: 7 point 5 | High 6, five, Gee Jun and a seven
    Appendix 2: 7 point 6 | High 6, five, Gee Jun and an eight
    Appendix 2: 7 point 7 | High 6, five, Gee Jun and a ten
    Appendix 2: 7 point 8 | High 6, five, Gee Jun and eleven
    Appendix 2: 7 point 9 | both sixes, five and Gee Jun
    Appendix 2: 7 point 10 | High 6, five, Gee Jun and nine
    Appendix 2: 7 point 11 | both fours, five and a six
    Appendix 2: 7 point 12 | both sixes, Teen or Day, and a four or five
    Appendix 2: 7 point 13 | both fours, five and Gee Jun
    Appendix 2: 7 point 14 | both eights, High 6 and a seven
    Appendix 2: 7 point 15 | both eights, High 4 and a seven
    Appendix 2: 7 point 16 | both eights, High 4 and a six
    Appendix 2: 7 point 17 | both tens, High 6 and a seven
    Appendix 2: 7 point 18 | both fours, High 10 and eleven
    Appendix 2: 7 point 19 | both eights, High 10 and nine
  Appendix 2: format | the same said as a format:
    Appendix 2: format point 1 | one low, and eight or nine can be had high
    Appendix 2: format point 2 | two low, and eight can be had with Teen or Day
    Appendix 2: format point 3 | two of the first six ranks in one hand
    Appendix 2: format point 4 | eight with five and Gee Jun, and a better High 6 can be had
    Appendix 2: format point 5 | High 8, High 10, eleven and a seven
Appendix 3 | the named cuts and their options
Diagram A | a layout
""",
    outside=OUTSIDE,
)
