"""What the books forbid, each with the rule that says so; a refused event leaves the log as it was."""

from dataclasses import fields

import pytest

from engine.errors import IllegalEventError
from engine.round import State
from engine.vocabulary.facts import Bank
from tests.engine.round.golden import FULL, event
from tests.engine.round.test_golden_rounds import played

WON, PUSHED, LOST = "2/Ann/win/5000/250/0", "4/Bob/push/0/0/0", "5/Cho/lose/0/0/2000"
VOID = "irregularity-decided irregularity=disruption remedy=round-void rule=crown-6.1_16.4"

# book, bank | the golden round up to this event | the event that is tried there | the rule that refuses it
TABLE = f"""
crown-6.1 house | shuffled | tiles-checked tiles={FULL},6-6 by=TG_Area_Manager | 2.3
crown-6.1 house | shuffled | tiles-checked tiles={FULL.removesuffix("2-1")}6-3 by=TG_Area_Manager | 2.3
crown-6.1 house | shuffled | tiles-checked tiles={FULL.removesuffix(",2-1")} by=TG_Area_Manager | 2.3
crown-6.1 house | tiles-checked | tiles-checked tiles={",".join(reversed(FULL.split(",")))} by=TG_Area_Manager | 3.1.1
crown-6.1 house | tiles-checked | tiles-checked tiles={FULL} by=the_dealer | 3.1.1
crown-6.1 house | player-seated | shuffled | 3.1.2
crown-6.1 house | stacked | tiles-replaced ordered_by=TG_Area_Manager | 5.1
crown-6.1 house | wager-placed | shuffled | 5.5
crown-6.1 house | bets-closed | wager-placed box=0 player=Eve amount=100 | 2.2.1
crown-6.1 house | bets-closed | wager-placed box=6 player=Eve amount=-100 | 8.1
crown-6.1 house | bets-closed | wager-placed box=6 player=dealer amount=100 | 1.1
crown-6.1 house | bets-closed | control-ceded box=2 player=Ann | 8.8
crown-6.1 house | bets-closed | bank-accepted box=2 players=Ann method=player funds=9000 | 10.3
crown-6.1 house | bets-closed | bank-wagered amount=5000 | 10.3
crown-6.1 house | dice-shaken | wager-placed box=6 player=Eve amount=100 consent=yes | 8.4
crown-6.1 house | dice-shaken | button-placed value=1 | 2.5
crown-6.1 house | dice-shown box_dice=2,4,5 | dice-shown box_dice=2,4,7 cut_die=4 first_box=3 | 2.4.2
crown-6.1 house | dice-shown box_dice=2,4,5 | dice-shown box_dice=2,4 cut_die=4 first_box=3 | 2.4.3
crown-6.1 house | dice-shown box_dice=2,4,5 | dice-shown box_dice=2,4,5 cut_die=4 first_box=9 | 4.4.2
crown-6.1 house | cut-named | cut-named cut=China_Bank by=cut_die | Table 1
crown-6.1 player | dice-shown | dice-shown box_dice=2,4,5 cut_die=1 first_box=3 | 4.4.2
crown-6.1 player | cut-named | cut-named cut=China_Bank by=banker | 5.4.3
crown-6.1 player | cut-named | cut-named cut=China_Bank by=banker accepted_by=TG_Area_Manager | 5.4.3
crown-6.1 co-bank | cut-named | cut-named cut=China_Bank by=supervisor | 5.4.3
nz-1998 house | dice-shown | dice-shown box_dice=2,4,5 first_box=1 | 9.9
nz-1998 player | dice-shown | dice-shown box_dice=2,4,5 first_box=5 | 9.9
nz-1998 house | cut-named | cut-named cut=Sydney_Tower by=supervisor | Appendix 5
star-2024 house | dice-shown | dice-shown box_dice=2,4,5 cut_die=4 first_box=2 | 8.4.1
star-2024 house | cut-named | cut-named cut=Jung_Quat by=cut_die | Appendix 4
uk-poster house | dice-shown | cut-named cut=Tiger by=supervisor | point 3
uk-poster player | cut-named | cut-named cut=Tiger by=supervisor | point 25
crown-6.1 house | cut-named | dice-shaken by=dealer | 4.4.2
crown-6.1 house | tiles-delivered | hand-set box=2 by=Ann | 10.1.1
crown-6.1 house | tiles-delivered | tiles-delivered order=3,4,5 | 10.1.1
crown-6.1 house | empty-retrieved | empty-retrieved boxes=3,6,7 | 10.1.2
crown-6.1 house | empty-retrieved | empty-retrieved boxes=2,3,6,7,8 | 10.1.2
crown-6.1 house | bank-moved | tiles-handled box=3 by=Ann | 10.1.4
crown-6.1 house | bank-moved | tiles-viewed box=3 by=Ann | 10.1.4
crown-6.1 house | bank-moved | tiles-handled box=2 by=Bob | 10.2.5
crown-6.1 house | bank-moved | tiles-handled box=1 by=Bob | 10.3.1(c)
crown-6.1 house | hand-set box=4 | tiles-handled box=2 by=Ann | 10.2.4
crown-6.1 house | hand-set box=4 | hand-set box=4 by=dealer | 10.2.3
crown-6.1 house | hand-set box=4 | tiles-laid-open box=4 player=Bob tiles=6-6,6-6,1-1,1-1 | 10.2.7
crown-6.1 house | bank-exposed | hand-set box=5 by=dealer | 10.2.5
crown-6.1 house | bank-exposed | bank-exposed low=6-3,6-1 high=6-6,6-3 | 2.3
crown-6.1 house | hand-exposed box=2 | tiles-handled box=4 by=Bob | 10.2.7
crown-6.1 house | hand-exposed box=2 | hand-exposed box=2 low=5-5,5-5 high=6-3,1-1 | 2.3
crown-6.1 house | hand-exposed box=2 | hand-exposed box=2 low=5-5 high=1-1,1-1 | 10.1.1
crown-6.1 house | hand-exposed box=2 | house-way-confirmed by=TG_Area_Manager | 10.2.7
crown-6.1 house | hand-matched box=2 | hand-matched box=4 outcome=win | 10.3.1(c)(ii)
crown-6.1 house | hand-exposed box=4 | settled results= | 10.3.1(e)
crown-6.1 house | settled | settled results={WON};{PUSHED} | 10.3.1(e)
crown-6.1 house | settled | settled results={WON};4/Bob/win/3000/150/0;{LOST} | 8.15
crown-6.1 house | settled | settled results={WON};4/Bob/push/30/0/0;{LOST} | 8.15
crown-6.1 house | settled | settled results=2/Ann/win/-5000/0/0;{PUSHED};{LOST} | 8.14.1
crown-6.1 house | settled | settled results=2/Ann/win/5000/249/0;{PUSHED};{LOST} | 11.1
crown-6.1 house | settled | settled results={WON};{PUSHED};5/Cho/lose/0/0/1900 | 8.13.1
crown-6.1 house | settled | settled results={WON};{PUSHED};{LOST} bank=0/0/0 | 10.3.1(e)
crown-6.1 player | settled | settled results={PUSHED};{LOST};{WON} | 10.3.2(m)
crown-6.1 player | settled | settled results={PUSHED};{LOST};{WON} bank=0/0/7001 | 10.3.2(m)
nz-1998 co-bank | settled | settled results={PUSHED};{LOST};{WON} bank=0/0/2000 | 11.3(k)
crown-6.1 house | settled | bank-put-away | 10.3.1(e)
crown-6.1 house | settled | {VOID} decided_by=Ann | 16.4
crown-6.1 house | house-banks | house-wagered amount=100 | 1.1
crown-6.1 house | house-banks | bank-offered box=2 player=Ann | 10.3.2(d)
crown-6.1 house | bank-declined | house-banks | 10.3.2(d)
crown-6.1 house | bank-offered | house-banks | 10.3.2(d)
crown-6.1 house | bank-offered | bank-declined box=2 player=Ann | 10.3.2(d)
crown-6.1 player | bank-offered box=2 | bank-offered box=2 player=Dan | 10.3.2(d)
crown-6.1 player | bank-accepted | bank-accepted box=3 players=Dan,Ann method=player funds=50000 | 10.3.2(g)
crown-6.1 player | bank-accepted | bank-accepted box=3 players=Dan method=house funds=50000 | 10.3
crown-6.1 player | bank-accepted | bank-accepted box=3 players=Dan method=player funds=-1 | 8.1
crown-6.1 player | shuffled | bank-offered box=2 player=Ann | 10.3
crown-6.1 player | bets-closed | wager-placed box=6 player=Dan amount=100 | 1.1
crown-6.1 player | bets-closed | bank-wagered amount=50001 | 10.3.2(c)
crown-6.1 player | bank-wagered | bank-fell-back method=player | 10.3.2(h)
crown-6.1 player | cut-named | dice-shown box_dice=2,4,5 cut_die=1 first_box=5 | 4.3
crown-6.1 player | cut-named | cut-named cut=Four_Across by=cut_die | 5.4.2
crown-6.1 player | bank-set | bank-set by=Ann | 10.3.2(i)
crown-6.1 player | bank-set | bank-moved | 10.3.2(j)
crown-6.1 player | bank-set | tiles-handled box=3 by=Ann | 10.3.2(i)
crown-6.1 player | hand-exposed box=4 | hand-exposed box=2 low=5-5,5-5 high=1-1,1-1 | 10.3.2(k)
crown-6.1 player | hand-matched box=4 | hand-matched box=2 outcome=win | 10.3.2(k)
crown-6.1 co-bank | hand-matched box=4 | hand-matched box=2 outcome=win | 10.3.3(e)
crown-6.1 co-bank | bank-set | house-way-requested box=3 by=Dan | 10.3.3(d)
nz-1998 house | house-banks | bank-offered box=2 player=Ann | 5.2
nz-1998 house | shuffled | wager-placed box=2 player=Ann amount=5000 | 6.3
nz-1998 house | wager-placed box=2 | laja-done by=dealer asked_by=Bob | 9.3
nz-1998 house | laja-done | laja-done by=Ann asked_by=Ann | 9.2
nz-1998 house | bets-closed | cut-named cut=Yat_Dong_Dong by=supervisor | 9.4
nz-1998 house | dice-shaken | cut-named cut=Yat_Dong_Dong by=supervisor | 9.4
nz-1998 house | dice-shaken | wager-placed box=6 player=Eve amount=100 | 6.9
nz-1998 house | cut-named | dice-shown box_dice=2,4,5 first_box=3 | 9.5
nz-1998 house | dice-shown | dice-shown box_dice=2,4,5 cut_die=2 first_box=3 | 3.3(b)
nz-1998 house | bank-exposed | bank-peeked tiles=6-5,6-1 | 11.3(e)
nz-1998 house | house-way-confirmed | hand-exposed box=2 low=5-5,5-5 high=1-1,1-1 | 11.1(e)
nz-1998 house | tiles-put-away box=5 | settled results={WON};{PUSHED};{LOST} | 11.1(g)
nz-1998 player | bank-accepted | bank-accepted box=3 players=Dan method=player funds=0 | 6.3
nz-1998 player | dice-shown | button-placed value=-4 | 9.6
nz-1998 player | hand-exposed box=4 | bank-confirmed by=Dan | 10.4(c)
nz-1998 co-bank | bank-peeked | bank-peeked tiles=6-5,6-1,6-6 | 10.1
nz-1998 co-bank | bank-exposed | bank-exposed low=6-5,5-1 high=6-6,6-3 | 3.3(a)
star-2024 house | cut-named | wager-placed box=6 player=Eve amount=100 | 9.7
star-2024 house | cut-named | cut-named cut=Dai_Pin by=banker | 8.4.4
star-2024 house | house-way-confirmed | hand-exposed box=2 low=5-5,5-5 high=1-1,1-1 | 13.1.5
star-2024 player | bank-wagered amount=10000 | dice-shown box_dice=2,4,5 cut_die=4 first_box=2 | 8.3
star-2024 player | bank-wagered amount=10500 | wager-changed box=5 player=Cho amount=2500 consent=yes | 13.2.2
star-2024 player | bank-wagered amount=10500 | wager-changed box=5 player=Cho amount=1500 | 9.8
star-2024 player | bank-exposed | hand-exposed box=4 low=5-5,5-5 high=1-1,1-1 | 13.2.5
star-2024 player | bank-confirmed | tiles-handled box=4 by=Bob | 13.2.5
star-2024 player | tiles-delivered | bank-wagered amount=10000 | 9.7
star-2024 player | hand-set box=4 | wager-withdrawn box=5 player=Cho consent=yes | 9.8
star-2024 player | hand-set box=2 | wager-placed box=6 player=Eve amount=500 consent=yes | 12.3
star-classic house | dice-shaken | wager-placed box=6 player=Eve amount=100 | 9.4
star-classic player | cut-named | button-placed value=2 | 7.8
star-classic player | bank-exposed | hand-exposed box=4 low=5-5,5-5 high=1-1,1-1 | 13.2.5
star-classic co-bank | bank-exposed | hand-exposed box=4 low=5-5,5-5 high=1-1,1-1 | 13.3.5
star-classic co-bank | dice-shaken | wager-changed box=2 player=Ann amount=100 consent=yes | 9.4
uk-poster house | dice-shown | bets-closed | point 2
uk-poster house | hand-set box=2 | wager-placed box=6 player=Eve amount=100 | point 2
uk-poster house | dice-shown | wager-placed box=8 player=Eve amount=100 | point 3
uk-poster house | dice-shown | box-chosen box=2 player=Ann | point 5
uk-poster house | hand-set box=2 | house-way-requested box=2 by=Ann | point 5
uk-poster house | hand-set box=2 | hand-conceded box=2 player=Ann | point 14
uk-poster house | dice-shaken | laja-done by=dealer asked_by=Ann | point 3
uk-poster house | dice-shaken | shuffled ordered_by=management | point 3
uk-poster house | hand-set box=2 | bank-moved | point 4
uk-poster player | bank-accepted | bank-accepted box=3 players=Dan method=co-bank funds=9000 | point 24
uk-poster player | bank-accepted | bank-accepted box=3 players=Dan,Ann method=player funds=9000 | point 24
uk-poster player | dice-shaken | house-wagered amount=100 | point 28
"""


def _rows() -> list[tuple[str, ...]]:
    return [tuple(part.strip() for part in line.split("|")) for line in TABLE.strip().splitlines()]


def _fields(state: State) -> dict[str, object]:
    """Where the round stands; what settlement makes of it may be kept beside."""
    return {field.name: getattr(state, field.name) for field in fields(state) if field.compare}


@pytest.mark.parametrize(("where", "before", "tried", "rule"), _rows(), ids=lambda value: value[:60])
def test_refused_with_its_rule(where: str, before: str, tried: str, rule: str) -> None:
    book, bank = where.split()
    log = played(book, Bank(bank), before).current
    events, state, seen = log.events, log.state, _fields(log.state)
    with pytest.raises(IllegalEventError) as caught:
        log.append(event(tried))
    refusal = caught.value.refusal
    assert f"{refusal.cite.rulebook} {refusal.cite.section}" == f"{book} {rule}", str(caught.value)
    assert caught.value.kind == tried.split(maxsplit=1)[0]
    assert log.events is events
    assert log.state is state
    assert _fields(state) == seen
