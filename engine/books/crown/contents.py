"""Every rule of Crown Melbourne's document by its printed number, in our own few words.

Words end with a colon where a rule says nothing but what its parts say. Definitions of rule 1.1 go by the word defined,
the cuts of Appendix 2 by their Chinese names ("Di Chut" is from the bottom).
"""

from __future__ import annotations

from engine.books.contents import Contents
from engine.books.crown.contents_13_to_15 import BONANZA_CROWN_PAI_GOW_AND_TOURNAMENTS
from engine.books.crown.outside import OUTSIDE
from engine.vocabulary.sources import CROWN

CONTENTS = Contents.read(
    CROWN,
    f"""
1 | Definitions:
  1.1 | Words defined:
    1.1 Bank | the hand that all others wager against
    1.1 Big/Small | what the side wager on the three dice wins and loses with
    1.1 Box Dice | three dice of one colour that find the first box
    1.1 Chung | the marker of who banks
    1.1 Co-banking | a player and the house bank in halves
    1.1 Crown | the casino operator
    1.1 Cut Die | one die of another colour that finds the cut
    1.1 Dealer | who deals the game
    1.1 Dice cup | the covered cup the dice are shaken in
    1.1 Distinctive Marker | objects that mark a seat or a player
    1.1 House | Crown
    1.1 House Banking | the house holds the bank
    1.1 House Way | how the dealer sets a hand
    1.1 Laja | a further mix of the tiles
    1.1 Matching | high hand against high hand, low against low
    1.1 Player-Banker | a player who takes the bank
    1.1 Ranking | the order of the tiles
    1.1 Shuffle | a random mix, face down
    1.1 Side Wager | a bet beside the main one
    1.1 Stand-off | the wager neither wins nor loses
    1.1 TG Area Manager | supervises an area
    1.1 TG Assistant Casino Manager | manages the table games
    1.1 TG Higher Duties Dealer | supervises the game from day to day
    1.1 The Tile(s) | a domino, or the set of 32
    1.1 Tournament | a competition under rule 15
    1.1 Tournament Director | who manages a tournament
    1.1 Tournament Player | who plays in one
    1.1 Tournament Terms and Conditions | those approved under rule 15
    1.1 Traditional Cuts | the cuts a player-banker may ask for
    1.1 VCGLR | the regulator
    1.1 Void | without result
  1.2 | A supervisor may do whatever a dealer may
  1.3 | "The game" is the one at a particular table
  1.4 | Bet and wager:
    1.4.1 | a bet is what is wagered on
    1.4.2 | a wager is the money
2 | Equipment:
  2.1 | Places for at most eight players, and the dealer
  2.2 | How the layout is marked:
    2.2.1 | at most eight areas for wagers
    2.2.2 | further features that do not contradict the diagrams
  2.3 | The 32 tiles of Appendix 1
  2.4 | Four dice:
    2.4.1 | their make and size
    2.4.2 | marked one to six, opposite sides adding up to seven
    2.4.3 | three of one colour (box dice), one of another (cut die)
  2.5 | Further equipment:
    2.5.1 | a dice cup
    2.5.2 | distinctive markers
    2.5.3 | a chung
3 | The tiles:
  3.1 | Checked tile by tile before and after gaming
    3.1.1 | displayed in rank order and checked by a supervisor
    3.1.2 | displayed until a player comes
  3.2 | Damaged or marked tiles are replaced
  3.3 | Checked again before the set leaves the table
  3.4 | Ranking in pairs and singly, as Appendix 1 shows
    3.4.1 | below Day High Nine a hand counts its last digit
  3.5 | Gee Jun tiles rank last and count three or six
4 | The dice:
  4.1 | Four dice find the cut and the first box
    4.1.1 | the box dice decide Big/Small
  4.2 | Who shakes the cup, and how it is uncovered
  4.3 | A die that does not lie flat: shaken again
  4.4 | What the dealer announces: total, cut, Big/Small
    4.4.1 | settles Big/Small
    4.4.2 | counts counter-clockwise, the chung's box being 1, 9 or 17
    4.4.3 | announces the first box
  4.5 | Where the cup is put afterwards
5 | The shuffle and cut:
  5.1 | The dealer shuffles before each round
  5.2 | Eight stacks of four
  5.3 | Who may allow a player a laja
  5.4 | Tiles are cut as Appendix 2 describes
    5.4.1 | house bank: the dice decide cut and first box, by Table 2
    5.4.2 | player-bank and co-bank: the player may choose the cut
    5.4.3 | other cuts at the manager's discretion
  5.5 | The supervisor may have the tiles shuffled again at any time
6 | Pai Gow cuts:
  Table 1 | the eight traditional cuts and their orientations
  Table 2 | the cut of each face of the cut die, the first box of each total
7 | House Way:
  7.1 | Two ranking pairs are two hands
  7.2 | Pairs never split
  7.3 | Combinations that are split
  7.4 | Wongs, Gongs and High Nines:
    7.4.1 | set where nothing higher can be, even at the low hand's expense
    7.4.2 | High Nine before Gong before Wong
    7.4.3 | Teen rather than Day on the high hand
  7.5 | Exceptions:
    7.5.1 | Wong first when the fourth tile is an eleven
    7.5.2 | two high tiles are kept apart
    7.5.3 | Gong before High Nine when the fourth tile is a four
    7.5.4 | hands as close together as possible, unless a higher value can be had
      7.5.4(a) | exceptions:
        7.5.4(a)(i) | both tens, eleven, and a seven or eight
        7.5.4(a)(ii) | High 8, High 10, eleven and a seven
        7.5.4(a)(iii) | High 6, five, Gee Jun and Teen or Day
        7.5.4(a)(iv) | both fours, five and six
        7.5.4(a)(v) | High 6, five, Gee Jun and a seven
        7.5.4(a)(vi) | both sixes, Teen or Day, and a four or five
        7.5.4(a)(vii) | both tens, a six, and Teen or Day
    7.5.5 | high tile on a high hand of eight or nine
      7.5.5(a) | exception:
        7.5.5(a)(i) | both eights, nine and High 10
    7.5.6 | high tile on the low hand when the high hand is seven or less
      7.5.6(a) | exceptions:
        7.5.6(a)(i) | both eights, High 6 and a seven
        7.5.6(a)(ii) | both eights, a seven and High 4
        7.5.6(a)(iii) | both tens, High 6 and a seven
        7.5.6(a)(iv) | both eights, High 4 and a six
        7.5.6(a)(v) | both fours, High 10 and eleven
    7.5.7 | a computer may check the setting
8 | Placement of wagers:
  8.1 | In chips only
  8.2 | In the areas for wagers
  8.3 | Before the dealer closes betting
    8.3.1 | house bank: closed before the dice are tumbled
    8.3.2 | player-bank: closed before the cut is named
  8.4 | Nothing is placed, changed or withdrawn afterwards
  8.5 | Wagers declared aloud
  8.6 | The player-banker wagers, and has the funds the method asks for
  8.7 | At most five players on an area
  8.8 | Who decides about the tiles of a shared area:
    8.8.1 | the highest wager
    8.8.2 | equal wagers, Diagram A: the one nearest the dealer
    8.8.3 | equal wagers, Diagram B: the one furthest to the dealer's right
    8.8.4 | equal wagers: who decided in the round before
  8.9 | The dealer finds out who decides before the round
    8.9.1 | and sees that their wager lies in its place
  8.10 | On the player-banker's area there is no other wager
  8.11 | A player may wager on several areas
    8.11.1 | but views one set of tiles; the others are played blind
    8.11.2 | set the House Way where nobody else has wagered
  8.12 | A copy goes to the bank
    8.12.1 | of equal totals only the highest tile is compared
  8.13 | A player's wager loses:
    8.13.1 | when both hands of the bank are higher
    8.13.2 | when the bank's high hand is higher and the player's low hand is zero
    8.13.3 | when the hands are identical
  8.14 | A player's wager wins:
    8.14.1 | when both hands of the player are higher
    8.14.2 | on the higher tile of hands of equal value
  8.15 | Stand-off: only one hand of the bank is higher
    8.15.1 | how it is shown
  8.16 | Side wagers:
    8.16.1 | only with a valid Pai Gow wager
    8.16.2 | who may place one first
    8.16.3 | and who afterwards
9 | Permissible wagers:
  9.1 | Notices to be displayed
  9.2 | Wagers outside the limits:
    9.2.1 | below the minimum: settled, and the player told
    9.2.2 | above the maximum: settled to the maximum
    9.2.3 | not payable in chips: paid to the next highest amount
  9.3 | Personal limits, denoted by a marker
    9.3.1 | with a new maximum, alone on the area
  9.4 | When a player banks only minimums apply
  9.5 | No maximum under a player-bank
10 | Dealing the game:
  10.1 | Dealing the tiles:
    10.1.1 | four tiles face down to every area, wagered on or not
    10.1.2 | tiles of areas without wagers are taken back unseen
    10.1.3 | the dealer never looks at unused tiles during the round
    10.1.4 | players may look at them after all payouts
  10.2 | Setting the tiles:
    10.2.1 | tiles stay in view; no exchange, no talk about hands
    10.2.2 | players set their own high and low hand
    10.2.3 | a player or player-banker may ask for the House Way
      10.2.3(a) | stacked, and set when that area is settled
    10.2.4 | tiles laid down are set and not handled again
    10.2.5 | only who controls the area handles its tiles
    10.2.6 | sharing player-bankers decide together
    10.2.7 | nothing is exposed before all hands are set; the bank's first
    10.2.8 | low hand upright, high hand across
    10.2.9 | losing wagers are removed, winning ones paid
    10.2.10 | conceding a wager
  10.3 | Banking methods:
    10.3.1 | House banking:
      10.3.1(a) | the chung on the area at the dealer's right
      10.3.1(b) | the house tiles moved to the float
      10.3.1(c) | after all hands are set or asked to be set:
        10.3.1(c)(i) | the house hand is opened and set
        10.3.1(c)(ii) | players' hands opened and matched counter-clockwise
      10.3.1(d) | losing wagers into the float
      10.3.1(e) | winning wagers paid counter-clockwise
      10.3.1(f) | stand-off: tiles away, wager stays
    10.3.2 | Player-Banker:
      10.3.2(a) | the bank offered counter-clockwise
      10.3.2(b) | only to who played the round before
      10.3.2(c) | who has the funds
      10.3.2(d) | and who controls an area
      10.3.2(e) | the chung and the bank's tiles on their area
      10.3.2(f) | two rounds a bank, one bank, or up to three, an area
      10.3.2(g) | players may share the bank at one seat
      10.3.2(h) | wagers not covered: another method of banking
      10.3.2(i) | the player-banker sets last and may expose
      10.3.2(j) | the bank's hands shown at the float
      10.3.2(k) | players' hands opened and matched counter-clockwise from the chung
      10.3.2(l) | losing wagers into the losing wager area
      10.3.2(m) | winning wagers paid from it; the rest to the player-banker, less commission
      10.3.2(n) | a shortfall is taken from the player-banker's wager
      10.3.2(o) | stand-off: tiles away, wager stays
    10.3.3 | Co-banking:
      10.3.3(a) | asked for when the bank is offered; funds for half the wagers
      10.3.3(b) | an equal amount from the float
      10.3.3(c) | the tiles in front of the float
      10.3.3(d) | set the House Way, last
      10.3.3(e) | players' hands opened and matched counter-clockwise from the chung
      10.3.3(f) | losing wagers into the losing wager area
      10.3.3(g) | winning wagers paid from it
      10.3.3(h) | what is left is halved; commission on the player's half
      10.3.3(i) | a shortfall is taken from the co-bank wager, the rest halved
      10.3.3(j) | stand-off: tiles away, wager stays
11 | Settlement:
  11.1 | One to one, less a commission of at most 5 %
  11.2 | A lower commission is stated on a sign
  11.3 | Commission not payable in chips: the next lowest amount
  11.4 | Big/Small pays one to one
12 | Irregularities:
  12.1 | A tile exposed while stacking: a laja, if the supervisor asks for one
  12.2 | The dealer exposes two tiles or more:
    12.2.1 | of a player: their option to void the hand, before looking
      12.2.1(a) | a voided hand: tiles away, wager returned
    12.2.2 | of the player-banker: their option, before looking
      12.2.2(a) | a voided bank: the round is void
  12.3 | House tiles exposed: play on
  12.4 | A player-banker exposes their own: play on
  12.5 | A hand set against the House Way: corrected until the bank's tiles are put away
  12.6 | Players believed to tell each other their tiles: an area may be removed
    12.6.1 | the manager is told and decides
    12.6.2 | the dice find the area
    12.6.3 | thrown again when they find the house
    12.6.4 | the manager decides when it comes back
    12.6.5 | or closes the table
  12.7 | Tiles dealt to the wrong places: the round is void
    12.7.1 | results stand when found after the dealer's hand is exposed
  12.8 | Players suspected of telling: told to set before others look
{BONANZA_CROWN_PAI_GOW_AND_TOURNAMENTS}16 | General provisions:
  16.1 | No devices that record or analyse play
  16.2 | A player who breaks the rules; the manager may:
    16.2.1 | void their wagers
    16.2.2 | exclude them from the game
    16.2.3 | withhold winnings
    16.2.4 | detain them for the police
  16.3 | Fraud: the manager may void the outcome
  16.4 | Disruption beyond Crown's control: the supervisor may void it
  16.5 | Wagers of a voided outcome are refunded
  16.6 | Staff do not advise players
  16.7 | Onlookers do not influence them
  16.8 | A table is closed with three hands' notice
  16.9 | Three rounds without a wager may cost the seat
  16.10 | Disputes: the area manager's decision is final
  16.11 | Right to consult an inspector
  16.12 | Complaints to the regulator
  16.13 | No side bets between players
  16.14 | A copy of the rules on request
Appendix 1 | Ranking:
  Appendix 1: Pairs | sixteen pairs, Gee Jun first
  Appendix 1: Wongs, Gongs and High Nines | Teen before Day in each
  Appendix 1: Individual | sixteen ranks, Teen first, Gee Jun last
Appendix 2 | The cuts and the order of delivery:
  Appendix 2: Yat Dong Dong | one stack
  Appendix 2: Cup Say | tiger's head
  Appendix 2: Cup Say Di Chut | tiger's head, from the bottom
  Appendix 2: Chee Yee | chop the ears
  Appendix 2: Chee Yee Di Chut | chop the ears, from the bottom
  Appendix 2: Dai Pin | big slice
  Appendix 2: Jung Quat | from the heart
  Appendix 2: Jung Quat Di Chut | from the heart, from the bottom
  Appendix 2: Long Tau | dragon's head
  Appendix 2: Fong May | phoenix tail
  Appendix 2: Wui Fung Bank | Hong Kong bank
  Appendix 2: Foot Say | four across
Diagram A | a layout
Diagram B | another layout
""",
    outside=OUTSIDE,
)
