"""Every rule of the New Zealand division by its printed number, in our own few words.

Words end with a colon where a rule says nothing but what its parts say. Definitions of section 1.0 go by the word
defined; sections 2.0 and 8.0 are one paragraph each.
"""

from __future__ import annotations

from engine.books.contents import Contents
from engine.books.nz.outside import OUTSIDE
from engine.vocabulary.sources import NZ

CONTENTS = Contents.read(
    NZ,
    """
1.0 | Interpretation:
  1.0 Approved Cut | named in Appendix 5 and approved by the Authority
  1.0 Bank | the hand that all others wager against
  1.0 Banker | who holds the bank, the house included
  1.0 Banker Wager Area | where the banker's wager lies
  1.0 Box | a numbered area for wagers
  1.0 Chung | the marker of the bank's box
  1.0 Co-Banker | a player who banks in equal partnership with the house
  1.0 Cut | how 32 stacked tiles become eight groups, and their order
  1.0 Hand | four tiles, set as a high and a low hand
  1.0 House | the casino operator
  1.0 House Way | the rules of Appendix 4
  1.0 Laja | a further mix of the tiles
  1.0 Losing Wager Area | where lost wagers lie
  1.0 Match | high hand against high hand, low against low
  1.0 Player/Banker | a player who banks, alone or as co-banker
  1.0 Round | from the cut to the settlement
  1.0 Set | to divide four tiles into low and high hand
  1.0 Shuffle | a thorough mix, face down
  1.0 Tile | one of the 32
  1.0 Total | of the three dice
2.0 | Applies together with the general rules of division 1
3.0 | Table layout and equipment:
  3.1 | Places for eight players, and the dealer
  3.2 | The layout cloth:
    3.2(a) | eight numbered boxes
    3.2(b) | marked as Appendix 1 shows
  3.3 | Equipment:
    3.3(a) | 32 tiles of one size and shape
      3.3(a)(i) | faces as in Appendix 3
      3.3(a)(ii) | backs and sides alike
    3.3(b) | three dice that find the first box
      3.3(b)(i) | size of their faces
      3.3(b)(ii) | marked by dots
    3.3(c) | a dice cup
    3.3(d) | buttons +4 and -4
    3.3(e) | an "Off" button
    3.3(f) | a chung with a co-banker face
4.0 | Ranking of the tiles:
  4.1 | Pairs, Wongs, Gongs and High Nines, by Appendix 2
  4.2 | Value of a hand below Day High Nine; Gee Jun counts three or six
    4.2(a) | the points of both tiles together
    4.2(b) | up to nine: that number
    4.2(c) | from ten: its right digit
  4.3 | Single tiles rank by Appendix 3
5.0 | The bank:
  5.1 | Who may hold it:
    5.1(a) | the house
    5.1(b) | a player who covers all wagers
    5.1(c) | a player and the house, half each up to the maximum
  5.2 | The house banks first; then offered counter-clockwise from box 1
  5.3 | Only a player who:
    5.3(a) | played the round before
    5.3(b) | controls a box
    5.3(c) | has the funds
  5.4 | Two rounds, then offered on
  5.5 | Players on one box may share it
  5.6 | If nobody takes it the house banks
6.0 | Wagers:
  6.1 | A player's wager against the bank:
    6.1(a) | wins:
      6.1(a)(i) | when both hands are higher
      6.1(a)(ii) | on the higher tile of hands of equal value
    6.1(b) | loses:
      6.1(b)(i) | when both hands of the bank are higher
      6.1(b)(ii) | when high or low hands are both zero
      6.1(b)(iii) | equal value, no higher tile
    6.1(c) | push: only one hand is higher
  6.2 | The player/banker's wager:
    6.2(a) | wins:
      6.2(a)(i) | when both hands are higher
      6.2(a)(ii) | equal value and equal high tile
      6.2(a)(iii) | when high or low hands are both zero
      6.2(a)(iv) | when the hands are identical
    6.2(b) | loses:
      6.2(b)(i) | when both hands of the player are higher
      6.2(b)(ii) | on the player's higher tile
    6.2(c) | push: only one hand is higher
  6.3 | In chips, after the shuffle and before the cut
  6.4 | Wagers declared aloud
  6.5 | At most three players on a box; the player/banker alone on theirs
  6.6 | Box and player maximums
  6.7 | A player may wager on several boxes
  6.8 | Under a player/banker no maximum, only the minimum
  6.9 | After "No more bets" no player shall:
    6.9(a) | wager
    6.9(b) | touch a wager before the box is paid
  6.10 | No one touches a losing wager
  6.11 | One to one, less 5 % of the winnings
  6.12 | A wager that cannot be paid exactly is not accepted
  6.13 | If accepted, the part that cannot be paid is void
  6.14 | 5 % on what is due to a player/banker, after:
    6.14(a) | the other players' winnings
    6.14(b) | the house's share of a co-bank
    6.14(c) | the return of the original wager
7.0 | Control of boxes:
  7.1 | Several players on a box:
    7.1(a) | who decides about its tiles:
      7.1(a)(i) | the seated player
      7.1(a)(ii) | the highest wager
      7.1(a)(iii) | equal wagers: the one nearest the dealer
    7.1(b) | the dealer finds out before the round
    7.1(c) | and sees that their wager lies in its place
  7.2 | Nobody controls more than one box; the others are set the House Way
  7.3 | Players who share the bank decide together
8.0 | Opening: tiles checked, displayed in rank order until a player comes
9.0 | Shuffle and cut:
  9.1 | Shuffled and stacked before each round
  9.2 | A laja may be asked for before the cut is decided:
    9.2(a) | house bank: by a player
    9.2(b) | otherwise by the player/banker
  9.3 | One laja a round, but for irregularities
  9.4 | "No more bets" before the cut; then the dice are shaken
  9.5 | Who decides the cut
  9.6 | The player/banker may move the delivery by +4 or -4
  9.7 | shown on a button
  9.8 | A die that does not lie flat: shaken again
  9.9 | The first box, counted counter-clockwise from the chung as 1, 9 or 17
10.0 | Delivery and setting:
  10.1 | Four tiles face down to every box
  10.2 | Groups to adjacent empty boxes may be put together
  10.3 | When all are delivered:
    10.3(a) | tiles of boxes without wagers are taken back unseen
    10.3(b) | players set their tiles in two stacks
  10.4 | The dealer sets:
    10.4(a) | a player's hand on request, the House Way
    10.4(b) | a co-banker's hand the House Way
    10.4(c) | a player/banker's hand on request, confirmed by them
  10.5 | Tiles returned are set and not touched again
  10.6 | A player answers for their hand, whoever set it
  10.7 | Only who controls the box handles its tiles
  10.8 | No player or spectator shall:
    10.8(a) | mark, alter or withdraw a tile
    10.8(b) | handle one
  10.9 | Tiles stay in view; players may not:
    10.9(a) | exchange tiles
    10.9(b) | nor, unless allowed:
      10.9(b)(i) | tell about their hands
      10.9(b)(ii) | talk before the chung is off the bank's tiles
  10.10 | Nothing is exposed before all hands are set and the bank's shown
  10.11 | The dealer declares Jung, Che or Jowl
  10.12 | Unused tiles may be viewed after all payouts
  10.13 | Conceding a wager
  10.14 | A single player against the house may play face up
  10.15 | Damaged or marked tiles are replaced
  10.16 | The set may be changed after any round
  10.17 | Checked again before the set leaves the table
11.0 | Variations of play; settlement:
  11.1 | House bank:
    11.1(a) | the chung on box 1, the tiles to the float
    11.1(b) | no wagers on box 1
    11.1(c) | the house hand is set last
    11.1(d) | and exposed first
    11.1(e) | the supervisor confirms the House Way
    11.1(f) | players' hands matched counter-clockwise from box 1
    11.1(g) | losing wagers into the float
    11.1(h) | push: tiles away, wager stays
    11.1(i) | winning wagers paid counter-clockwise
  11.2 | Player/banker:
    11.2(a) | chung and tiles on their box
    11.2(b) | they cover all wagers, or another method is played
    11.2(c) | their wager in the banker wager area
    11.2(d) | their hand is set last
    11.2(e) | and exposed at the float
    11.2(f) | players' hands matched counter-clockwise from their box
    11.2(g) | losing wagers into the losing wager area
    11.2(h) | push: tiles away, wager stays
    11.2(i) | winning wagers paid from it; the rest to them, less commission
    11.2(j) | a shortfall is taken from their wager
  11.3 | Co-bank:
    11.3(a) | chung and tiles on the co-banker's box
    11.3(b) | they wager at least half of all wagers
    11.3(c) | an equal amount from the float
    11.3(d) | the tiles to the float
    11.3(e) | set the House Way, last; two tiles may be shown before
    11.3(f) | players' hands matched counter-clockwise from their box
    11.3(g) | losing wagers into the losing wager area
    11.3(h) | push: tiles away, wager stays
    11.3(i) | winning wagers paid from it
    11.3(j) | what is left is halved
    11.3(k) | wagers returned; commission on the co-banker's half
    11.3(l) | a shortfall is taken from the co-bank's wager, the rest halved
12.0 | Irregularities:
  12.1 | A tile exposed while stacking: a laja
  12.2 | More than two exposed in a laja: shuffled again
  12.3 | The dealer exposes two tiles or more:
    12.3(a) | of a player: they may void the hand, before looking
    12.3(b) | of the player/banker: they may, and the round is void
  12.4 | One exposed tile dealt: turned over, play on
  12.5 | House tiles exposed: the hand is played
  12.6 | A player/banker exposes their own: the hand is played
  12.7 | The supervisor may have the tiles shuffled again
  12.8 | A hand not set the House Way, the bank's or a player/banker's set by the dealer:
    12.8(a) | reset before the first player's hand is exposed
    12.8(b) | otherwise it stands
  12.9 | A box or player may be removed when:
    12.9(a) | all boxes are in play
    12.9(b) | the house banks, alone or with a co-banker
    12.9(c) | players are believed to tell their tiles
  12.10 | The dice find the box; thrown again when they find the bank's
  12.11 | When box or player come back
  12.12 | Players suspected of looking or telling; the casino may:
    12.12(a) | have them set first
    12.12(b) | keep them from one table
    12.12(c) | ask for English only
  12.13 | Tiles dealt to the wrong places: the round is void
  12.14 | The dealer knocks down a hand: set the House Way
  12.15 | Tiles of two hands mixed past reconstruction: both void
  12.16 | An absent player's tiles: set the House Way
Appendix 1 | the layout
Appendix 2 | Ranking:
  Appendix 2: Pairs | sixteen pairs, Gee Jun first
  Appendix 2: Wongs, Gongs and High Nines | Teen before Day; any 9, 8 or 7 serves
Appendix 3 | sixteen ranks of single tiles; Gee Jun last, three or six
Appendix 4 | House Way:
  Appendix 4: 1 | "Harmony 3":
    Appendix 4: 1(a) | three points
    Appendix 4: 1(b) | with High 4 or above
  Appendix 4: 2 | Pairs:
    Appendix 4: 2.1 | two ranking pairs are two hands
    Appendix 4: 2.2 | pairs never split
    Appendix 4: 2.3 | pairs split, and with what
  Appendix 4: 3 | Wongs, Gongs and High Nines:
    Appendix 4: 3.1 | played where no pair can be
    Appendix 4: 3.2 | High Nine, Gong, Wong, with Harmony 3 low
    Appendix 4: 3.3 | Wong, Gong, High Nine without
  Appendix 4: 4 | General rules:
    Appendix 4: 4.1 | most points low, with Harmony 3
    Appendix 4: 4.2 | else most points high, of eight or better
    Appendix 4: 4.3 | else most points low
  Appendix 4: 5 | High tiles:
    Appendix 4: 5.1 | low hand of seven or less: high tile low
    Appendix 4: 5.2 | low hand of eight or better: high tile high
    Appendix 4: 5.3 | a high hand to be strengthened: high tile high
    Appendix 4: 5.4 | Teen high and Day low, unless:
      Appendix 4: 5.4(a) | four and five remain
      Appendix 4: 5.4(b) | ten and eleven remain
  Appendix 4: 6 | Exceptions:
    Appendix 4: 6.1 | six, seven, eleven and another: most points low
    Appendix 4: 6.2 | seven and nine rather than two eights
Appendix 5 | the named cuts and their options
""",
    outside=OUTSIDE,
)
