"""Rules 13 to 15 of Crown Melbourne's document: Bonanza Pai Gow, Crown Pai Gow, tournaments; see `contents`."""

from __future__ import annotations

BONANZA_CROWN_PAI_GOW_AND_TOURNAMENTS = """\
13 | Bonanza Pai Gow:
  13.1 | Pai Gow's rules hold unless these differ
  13.2 | Further definitions:
    13.2.1 | Bonus wager
    13.2.2 | tie
    13.2.3 | Tie wager
    13.2.4 | surrender
  13.3 | Wagers:
    13.3.1 | Bonus and Tie placed before the tiles are dealt
    13.3.2 | independent of each other:
      13.3.2(a) | Pai Gow
      13.3.2(b) | Bonus
      13.3.2(c) | Tie
      13.3.2(d) | any combination
    13.3.3 | a main wager may be asked for beside a Bonus
  13.4 | The Bonus wager:
    13.4.1 | wins with one of the eight hands of its table
      13.4.1(a) | without a main wager the top hands must be set so:
        13.4.1(a)(i) | two pairs: the higher one high
        13.4.1(a)(ii) | both sixes high, four and seven low
    Table 3 | Bonus option A
    Table 4 | Bonus option B
    Table 5 | Bonus option C
    Table 6 | Bonus option D
    Table 7 | Bonus option E
    13.4.2 | paid whatever the dealer holds
    13.4.3 | below the five highest: any two tiles that make a pair or Wong
      13.4.3(a) | pair and Wong: only the higher line
    13.4.4 | with a main wager: paid however the hands are set
  13.5 | The Tie:
    13.5.1 | when it wins:
      13.5.1(a) | option A: when the hands tie
      13.5.1(b) | option B: Lucky Duck, two pair, or a tie
    Table 8 | Tie option A
    Table 9 | Tie option B
    13.5.2 | one setting decides main wager and Tie
      13.5.2(a) | players set their own tiles
      13.5.2(b) | or ask for the House Way
    13.5.3 | Surrender:
      13.5.3(a) | when offered:
        13.5.3(a)(i) | after the deal
        13.5.3(a)(ii) | marked on the wager
        13.5.3(a)(iii) | collected in the final settlement
        13.5.3(a)(iv) | each player on an area chooses for themselves
  13.6 | Player-Banker:
    13.6.1 | may place a Bonus wager
    13.6.2 | the house pays Bonus wagers
    13.6.3 | banker and co-banker place no Tie wager
    13.6.4 | under a player-bank nobody does
    13.6.5 | under a co-bank players may
  13.7 | Whose wager decides about the tiles, in order:
    13.7.1 | Pai Gow
    13.7.2 | the Tie
    13.7.3 | the Bonus
  13.8 | Dealing:
    13.8.1 | only Bonus wagers: the dealer still deals a hand to themselves
  13.9 | Settlement:
    13.9.1 | area by area:
      13.9.1(a) | losing wagers removed
      13.9.1(b) | winning and surrendered ones stay
      13.9.1(c) | then paid: Bonus, Tie or surrender, Pai Gow
14 | Crown Pai Gow:
  14.1 | Pai Gow's rules hold unless these differ
  14.2 | Further definitions:
    14.2.1 | Dice:
      14.2.1(a) | box die
      14.2.1(b) | cut die
      14.2.1(c) | Big/Small die
  14.3 | The dice:
    14.3.1 | two dice, a third for Big/Small
    14.3.2 | a die that does not lie flat: shaken again; what is announced
      14.3.2(a) | the cut
      14.3.2(b) | the box die
      14.3.2(c) | the first box
        14.3.2(c)(i) | counted from a player-banker's box
      14.3.2(d) | Big/Small
  14.4 | Dealing:
    14.4.1 | four tiles to every area, the rest beside the float
    14.4.2 | tiles of areas without wagers are taken back unseen
15 | Tournaments:
  15.1 | Crown may hold them, with an equal chance for all
  15.2 | For each tournament Crown must:
    15.2.1 | write Terms and Conditions
    15.2.2 | beforehand:
      15.2.2(a) | make them available
      15.2.2(b) | tell the regulator
    15.2.3 | appoint a director
      15.2.3(a) | who may appoint deputies
    15.2.4 | designate tables
    15.2.5 | and use them for nothing else
  15.3 | Before play:
    15.3.1 | the director briefs the players
    15.3.2 | practice hands
  15.4 | What the Terms and Conditions must hold:
    15.4.1 | Details:
      15.4.1(a) | information on:
        15.4.1(a)(i) | when
        15.4.1(a)(ii) | entry fee, buy-in, re-buy, add-on
        15.4.1(a)(iii) | fewest and most players
        15.4.1(a)(iv) | where
      15.4.1(b) | starting times may be altered
      15.4.1(c) | the regulator is told of changes
    15.4.2 | Conditions of entry:
      15.4.2(a) | who is eligible:
        15.4.2(a)(i) | taking part accepts the terms
        15.4.2(a)(ii) | only those entitled to gamble
        15.4.2(a)(iii) | right of refusal
        15.4.2(a)(iv) | criteria of selection
        15.4.2(a)(v) | employees at charity and media events
      15.4.2(b) | on the terms themselves:
        15.4.2(b)(i) | players abide by them
        15.4.2(b)(ii) | how they are made available
        15.4.2(b)(iii) | whether they are signed
      15.4.2(c) | method of entry
      15.4.2(d) | terms of entry and withdrawal
    15.4.3 | Format:
      15.4.3(a) | structure:
        15.4.3(a)(i) | rounds or sessions
        15.4.3(a)(ii) | active tables
        15.4.3(a)(iii) | progression
        15.4.3(a)(iv) | buying back
        15.4.3(a)(v) | repechage and secondary rounds
      15.4.3(b) | the same starting bank of chips for all
      15.4.3(c) | what becomes of the chips
    15.4.4 | Wagers:
      15.4.4(a) | type of chips
      15.4.4(b) | least or compulsory wager
      15.4.4(c) | secret wagers
    15.4.5 | Elimination:
      15.4.5(a) | its criteria
    15.4.6 | Winners:
      15.4.6(a) | how they are found
    15.4.7 | Prize pool:
      15.4.7(a) | its size
      15.4.7(b) | its distribution
    15.4.8 | Conduct of play:
      15.4.8(a) | when a player may:
        15.4.8(a)(i) | be penalised
        15.4.8(a)(ii) | be disqualified
        15.4.8(a)(iii) | name a substitute
        15.4.8(a)(iv) | be refunded
      15.4.8(b) | consequences of:
        15.4.8(b)(i) | coming late
        15.4.8(b)(ii) | absence
        15.4.8(b)(iii) | use of a telephone
        15.4.8(b)(iv) | naming a substitute
        15.4.8(b)(v) | disqualification
        15.4.8(b)(vi) | retirement
      15.4.8(c) | the rules of the game prevail
      15.4.8(d) | play at a table may end early:
        15.4.8(d)(i) | when those who go on are known
        15.4.8(d)(ii) | when chips become cash and all agree
      15.4.8(e) | privacy
      15.4.8(f) | use of names and pictures
      15.4.8(g) | conducted by the director under the terms
      15.4.8(h) | the director's decision is final
      15.4.8(i) | liability
      15.4.8(j) | complaints
"""
