"""Every rule of The Star's rules of 2024 by its printed number, in our own few words.

Words end with a colon where a rule says nothing but what its parts say. Definitions of rule 1.1 go by the word defined.
The parts of 9.3 are printed as 9.2.1 to 9.2.3, and those of 9.4 as 9.3.1 to 9.3.3 (ruling 37): they stand here under
the rule they belong to, with the number they bear. Lines without a number go by "line".
"""

from __future__ import annotations

from engine.books.contents import Contents
from engine.books.star_2024.outside import OUTSIDE
from engine.vocabulary.sources import STAR_2024

CONTENTS = Contents.read(
    STAR_2024,
    """
1 | Definitions:
  1.1 | Words defined:
    1.1 Assistant Gaming Manager | manages a pit
    1.1 bank | the hand that all others wager against
    1.1 box dice | three dice of one colour that find the first box
    1.1 Cashless | a table where chips are bought at a terminal
    1.1 casino promotional token | a token wagered as a chip, won in chips
    1.1 casino supervisor | a manager, gaming supervisors included
    1.1 chung | the marker of who banks
    1.1 commission | what is deducted from a player/banker's winnings
    1.1 cut die | one die of another colour that finds the cut
    1.1 dealer | who deals the game
    1.1 dice cup | the cup the dice are shaken in
    1.1 float tray | where the house's chips lie
    1.1 Gaming Manager | supervises the gaming floor
    1.1 Gaming Supervisor | supervises the game
    1.1 House | the casino operator
    1.1 House way | how the dealer sets a hand
    1.1 House Way playing area | an area whose tiles only the dealer sets
    1.1 Invalid wager | by an ineligible player or against the rules: void
    1.1 inspector | appointed by law
    1.1 laja | a further mix of the tiles
    1.1 match | high hand against high hand, low against low
    1.1 NICC | the regulator
    1.1 player/banker | a player who takes the bank
    1.1 Player Card | a card that a patron plays with
    1.1 promotional prize(s) | prizes given by draw
    1.1 ranking | the order of the tiles
    1.1 round of play | from the cut to the settlement
    1.1 shuffle | a random mix, face down
    1.1 stand off | the wager neither wins nor loses
    1.1 tile(s) | a domino, or the set of 32
    1.1 traditional cuts | the approved cuts
    1.1 void | without result
2 | Table layout and equipment:
  2.1 | Places for the players, and the dealer
  2.2 | Marked as diagram A or B shows
  2.3 | Three box dice, one to six, opposite sides adding up to seven
  2.4 | A cut die of another colour, for the house bank
  2.5 | Equipment:
    2.5.1 | four dice
    2.5.2 | a dice cup
    2.5.3 | buttons from -4 to +4
    2.5.4 | an "OFF" button
    2.5.5 | a chung
    2.5.6 | a float tray
  2.6 | A drop box for cash
    2.6.1 | not on a cashless table
3 | The tiles:
  3.1 | Thirty-two tiles
  3.2 | Ranking, as Appendix 1 shows:
    3.2.1 | below Day High Nine a hand counts its last digit
    3.2.2 | Gee Jun tiles rank last and count three or six
  3.3 | Checked tile by tile before and after gaming and when replaced
    3.3.1 | displayed in rank order and checked by a supervisor
    3.3.2 | displayed until a player comes
  3.4 | Damaged or marked tiles are replaced
  3.5 | Tiles may be changed
4 | House Way:
  4.1 | outlined in Appendix 2
5 | Computer:
  5.1 | a computer may check the setting
6 | The bank:
  6.1 | Offered counter-clockwise, to who controls the area
  6.2 | Declined: may be offered to others on the area
  6.3 | Accepted from the area last played
  6.4 | Who controls an area banks from that area alone
  6.5 | Who controls none banks from the area furthest from the chung
  6.6 | Only who played the round before
  6.7 | Two rounds a bank, up to three banks an area
  6.8 | Players may share the bank at one seat
  6.9 | If nobody takes it the house banks
  6.10 | House bank: chung on area one, no wagers there
7 | The shuffle:
  7.1 | Shuffled face down before each round
  7.2 | Eight stacks of four
  7.3 | A supervisor may approve a player's laja:
    7.3.1 | no further shuffle by the bank afterwards
    7.3.2 | the bank may perform its own before the cut
8 | The dice and cut:
  8.1 | Who shakes the cup, and how it is uncovered
  8.2 | The player/banker may move the delivery by -4 to +4
  8.3 | A die that does not lie flat: shaken again
  8.4 | After the total is called:
    8.4.1 | counted counter-clockwise from the chung as 1, 9 or 17
    8.4.2 | first area and cut announced
    8.4.3 | a player/banker may name a cut of Appendix 3, else the cut die
    8.4.4 | house bank: the cut die, by Appendix 4
    8.4.5 | other cuts with approval
    8.4.6 | delivered by total, adjustment and cut
    8.4.7 | shaken again afterwards and put away
9 | Wagers:
  9.1 | A valid Player Card at the commencement of play
  9.2 | The permissible wagers are those of this rule
  9.3 | A player's wager against the bank:
    9.2.1 | wins:
      9.2.1.1 | when both hands are higher
      9.2.1.2 | on the higher tile of hands of equal value
    9.2.2 | loses:
      9.2.2.1 | when both hands of the bank are higher
      9.2.2.2 | when high or low hands are both zero
      9.2.2.3 | when the hands are identical
      9.2.2.4 | equal value and equal high tile
    9.2.3 | stand-off: only one hand is higher
  9.4 | The player/banker's wager:
    9.3.1 | wins:
      9.3.1.1 | when both hands are higher
      9.3.1.2 | when high or low hands are both zero
      9.3.1.3 | when the hands are identical
      9.3.1.4 | equal value and equal high tile
    9.3.2 | loses:
      9.3.2.1 | when both hands of the player are higher
      9.3.2.2 | on the player's higher tile
    9.3.3 | stand-off: only one hand is higher
  9.5 | In chips or promotional tokens
  9.6 | After the shuffle and before the dice are exposed
  9.7 | House bank: nothing is touched afterwards
  9.8 | Player-bank: only with the player/banker's consent
  9.9 | At most three players on an area
  9.10 | Who decides about the tiles of a shared area:
    9.10.1 | the seated player
    9.10.2 | at their discretion the highest wager
    9.10.3 | nobody seated: the highest wager
    9.10.4 | equal wagers: the one nearest the dealer
  9.11 | The dealer finds out before the round
  9.12 | and sees that their wager lies in its place
  9.13 | A player may wager on several areas and control one
  9.14 | Who controls an area wagers on no area that nobody controls
  9.15 | The player/banker wagers and has the funds
  9.16 | On the player/banker's area there is no other wager
10 | Minimum and maximum:
  10.1 | Displayed on a sign
  10.2 | Player-bank: no maximum; a low wager not rejected in time is valid
  10.3 | House bank: a low wager not rejected in time is valid; a high one settles to the maximum
  10.4 | Results of earlier rounds stand
  10.5 | Players answer for their wagers' size
  10.6 | A supervisor may alter limits; a higher minimum after 20 minutes' notice
    10.6.1 | or at once, those already playing keeping theirs
      10.6.1.1 | shown by a marker
      10.6.1.2 | removed when the player leaves
      10.6.1.3 | at the box where they are
    10.6.2 | theirs too rises after 20 minutes' notice
    10.6.3 | signs show both minimums
    10.6.4 | new players play to the new minimum
  10.7 | A player may be allowed more than the maximum, shown by a sign
11 | Methods of play:
  11.1 | The bank is held by:
    11.1.1 | the house
    11.1.2 | a player/banker covering all wagers
12 | General conditions:
  12.1 | Four tiles face down to every area
  12.2 | Groups to consecutive empty areas may be put together
  12.3 | Tiles of areas without wagers are taken back unseen
    12.3.1 | diagram B: tiles of House Way areas turned
  12.4 | Players set their own high and low hand
  12.5 | Tiles returned are set and not handled again
  12.6 | A player or player/banker may ask for the House Way
  12.7 | how a player shows it
  12.8 | A player's is set after the others and before the bank's
    12.8.1 | diagram B: the dealer sets the House Way areas
  12.9 | A player/banker's is set after all others, confirmed by them
  12.10 | Who touches tiles so set answers for them
  12.11 | Only who controls the area handles its tiles
  12.12 | Sharing player/bankers decide together
  12.13 | Tiles stay in view; no exchange, no talk about hands
  12.14 | The dealer declares Jung, Che or Jowl
  12.15 | How a stand-off is shown
  12.16 | Unused tiles may be viewed after all payouts
  12.17 | Conceding a wager
  12.18 | A supervisor may view a conceded hand
  12.19 | A single player against the house may play face up
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
    13.2.2 | they make up what is not covered, or the house banks
    13.2.3 | they set last and may expose
    13.2.4 | shown at the float
    13.2.5 | players' hands matched counter-clockwise from the chung
    13.2.6 | losing wagers into the losing wager area
    13.2.7 | winning wagers paid from it; the rest to them, less commission
    13.2.8 | a shortfall is taken from their wager
    13.2.9 | stand-off: tiles away, wager stays
14 | Settlement:
  14.1 | One to one, less 5 %
  14.2 | 5 % of a player/banker's winnings, after:
    14.2.1 | payment of the players
    14.2.2 | return of their wager
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
  15.7 | House or player/banker hands set wrongly stand once a player's hand is exposed
  15.8 | A player's requested hand: corrected until the bank's tiles are put away
  15.9 | Diagram A:
    15.9.1 | players believed to tell: an area may be removed
    15.9.2 | a supervisor decides, an inspector is told
    15.9.3 | the dice find the area
    15.9.4 | thrown again when they find the house
    15.9.5 | a supervisor decides when it comes back
  15.10 | Diagram B:
    15.10.1 | a player handles House Way tiles: the dealer sets them
    15.10.2 | a House Way area set wrongly: corrected until the bank's tiles are put away
  15.11 | Tiles dealt wrongly, found before they are handled: reconstructed
  15.12 | if that cannot be: the round is void
  15.13 | Found after they are handled: played to the end
  15.14 | Players suspected of looking or telling; a supervisor may:
    15.14.1 | have them set first
    15.14.2 | keep them from one table
    15.14.3 | ask for English only
  15.15 | The dealer knocks down a hand: set the House Way
  15.16 | An absent or refusing player's tiles: set the House Way
  15.17 | A missing or foreign tile:
    15.17.1 | earlier rounds stand
    15.17.2 | this round is void, money returned
    15.17.3 | the set is checked
  15.18 | Over- or underpayment is no breach when:
    15.18.1 | not intended
    15.18.2 | put right or tried in reasonable time
  15.19 | Intended ones: The Star must
    15.19.1 | put them right
    15.19.2 | try to identify the patron
  15.20 | What that asks of The Star:
    15.20.1 | reasonable attempts:
      15.20.1.1 | to reimburse
      15.20.1.2 | to ask for money back
    15.20.2 | credit, and the monthly report over $1,000
  15.21 | Invalid wagers:
    15.21.1 | before the round: returned
    15.21.2 | during it: returned, no winnings
    15.21.3 | of earlier rounds: results stand
16 | General provisions:
  16.1 | A Player Card of one's own, else wagers are invalid
    16.1.1 | whatever agency is claimed
    16.1.2 | whoever's money it is
  16.2 | No devices that record or analyse play
  16.3 | but by the casino's staff and inspectors on duty
  16.4 | Against 16.2 a supervisor may:
    16.4.1 | void wagers
    16.4.2 | exclude from the game
    16.4.3 | exclude from the casino
    16.4.4 | have them detained
  16.5 | A supervisor may invalidate an outcome:
    16.5.1 | on disruption
    16.5.2 | on fraud
  16.6 | Its wagers may be refunded, a cheat's forfeited
  16.7 | Staff do not advise players
  16.8 | Nobody influences a player
  16.9 | A table is closed after 20 minutes' notice
  16.10 | Three rounds without a wager may cost the seat
  16.11 | No side bets between players
  16.12 | A supervisor may refuse a wager before the dice are exposed
  16.13 | Disputes: first to a gaming supervisor
  16.14 | the operator's decision is final; complaints to an inspector
  16.15 | A copy of the rules on request
17 | Player rewards and promotional prizes:
  17.1 | May be offered
  17.2 | Scrutineer of draws over $10,000
  17.3 | Monetary alternative
  17.4 | Not in cash; how paid
  17.5 | Never:
    17.5.1 | tobacco
    17.5.2 | firearms
    17.5.3 | weapons
    17.5.4 | more than 20 litres of liquor
    17.5.5 | what regulations prescribe
  17.6 | Terms and conditions made available
  17.7 | What they hold:
    17.7.1 | manner of award
    17.7.2 | when and where
    17.7.3 | eligibility
    17.7.4 | compulsory wager
    17.7.5 | nature and reservations
    17.7.6 | closing date
    17.7.7 | place and time
    17.7.8 | method of claiming
    17.7.9 | how the winner is told
    17.7.10 | how results are published
    17.7.11 | details of the prizes
      17.7.11.1 | machinery:
        17.7.11.1(i) | make
        17.7.11.1(ii) | model
        17.7.11.1(iii) | accessories
      17.7.11.2 | vehicles:
        17.7.11.2(i) | make
        17.7.11.2(ii) | model
        17.7.11.2(iii) | accessories
        17.7.11.2(iv) | on-road costs
      17.7.11.3 | travel:
        17.7.11.3(i) | number of persons
        17.7.11.3(ii) | what is included
        17.7.11.3(iii) | when
        17.7.11.3(iv) | spending money
      17.7.11.4 | real estate:
        17.7.11.4(i) | dwelling
        17.7.11.4(ii) | plans
        17.7.11.4(iii) | contract
        17.7.11.4(iv) | easement
        17.7.11.4(v) | address
        17.7.11.4(vi) | what is included
  17.8 | Winners told within two days:
    17.8.1 | face to face
    17.8.2 | by mail
    17.8.3 | by telephone
    17.8.4 | by email
  17.9 | Reasons for refusal:
    17.9.1 | records of denied claims
  17.10 | Disputes on promotions
  17.11 | A compromised draw
  17.12 | Details to the regulator
    17.12.1 | amendments too
Appendix 1 | Ranking:
  Appendix 1: Pairs | sixteen pairs, Gee Jun first
  Appendix 1: Wongs, Gongs and High Nines | Teen before Day; any 9, 8 or 7 serves
Appendix 2 | House Way:
  Appendix 2: 1 | two ranking pairs are two hands
  Appendix 2: 2 | pairs never split
  Appendix 2: 3 | pairs split, and with what
  Appendix 2: 4 | Wongs, Gongs and High Nines:
    Appendix 2: 4.1 | played where nothing higher can be
    Appendix 2: 4.2 | High Nine before Gong before Wong
    Appendix 2: 4.3 | Teen rather than Day on the high hand
  Appendix 2: 5 | Exceptions to them:
    Appendix 2: 5.1 | Gong before High Nine when the fourth tile is a four
    Appendix 2: 5.2 | Wong first when the fourth tile is an eleven
  Appendix 2: 6 | General play:
    Appendix 2: 6.1 | hands as close together as possible, unless a higher value can be had
    Appendix 2: 6.2 | high hand of seven or less: high tile low
    Appendix 2: 6.3 | high hand of eight or better: high tile high
    Appendix 2: 6.4 | the two highest tiles kept apart
  Appendix 2: 7 | Exceptions to general play:
    Appendix 2: 7 line 1 | both tens, a six, and Teen or Day
    Appendix 2: 7 line 2 | both tens, eleven, and a seven or eight
    Appendix 2: 7 line 3 | High 8, High 10, eleven and a seven
    Appendix 2: 7 line 4 | High 6, five, Gee Jun and Teen or Day
    Appendix 2: 7 line 5 | High 6, five, Gee Jun and a seven
    Appendix 2: 7 line 6 | High 6, five, Gee Jun and an eight
    Appendix 2: 7 line 7 | High 6, five, Gee Jun and a ten
    Appendix 2: 7 line 8 | High 6, five, Gee Jun and eleven
    Appendix 2: 7 line 9 | both sixes, five and Gee Jun
    Appendix 2: 7 line 10 | High 6, five, Gee Jun and nine
    Appendix 2: 7 line 11 | both fours, five and a six
    Appendix 2: 7 line 12 | both sixes, Teen or Day, and a four or five
    Appendix 2: 7 line 13 | both fours, five and Gee Jun
    Appendix 2: 7 line 14 | both eights, High 6 and a seven
    Appendix 2: 7 line 15 | both eights, High 4 and a seven
    Appendix 2: 7 line 16 | both eights, High 4 and a six
    Appendix 2: 7 line 17 | both tens, High 6 and a seven
    Appendix 2: 7 line 18 | both fours, High 10 and eleven
    Appendix 2: 7 line 19 | both eights, High 10 and nine
  Appendix 2: format | the same said as a format:
    Appendix 2: format line 1 | one low, and eight or nine can be had high
    Appendix 2: format line 2 | two low, and eight can be had with Teen or Day
    Appendix 2: format line 3 | two of the first six ranks in one hand
    Appendix 2: format line 4 | eight with five and Gee Jun, and a better High 6 can be had
    Appendix 2: format line 5 | High 8, High 10, eleven and a seven
Appendix 3 | the named cuts and their options
Appendix 4 | the cut of each face of the cut die
Diagram A | a layout
Diagram B | a layout with House Way playing areas
""",
    outside=OUTSIDE,
)
