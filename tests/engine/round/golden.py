"""Complete rounds worked from the texts, one for each book and banking method: an event a line, its rule beside it.

The bank holds 8 and a Teen Wong. Ann has two pairs and wins, Bob's high pair stands off, Cho loses both hands.
"""

from engine.round.event import Event
from engine.round.serialization import read_event
from engine.vocabulary.facts import Bank

_LISTS = {"tiles", "order", "boxes", "box_dice", "players", "low", "high", "dice"}
FULL = (
    "6-6,6-6,1-1,1-1,4-4,4-4,3-1,3-1,5-5,5-5,3-3,3-3,2-2,2-2,6-5,6-5,6-4,6-4,6-1,6-1,5-1,5-1,"
    "6-3,5-4,6-2,5-3,5-2,4-3,4-1,3-2,4-2,2-1"
)


def event(line: str) -> Event:
    """An event written as ``wager-placed box=2 player=Ann amount=5000``; an underscore stands for a space."""
    kind, *parts = line.split()
    data: dict[str, object] = {"kind": kind}
    for part in parts:
        name, text = part.split("=", 1)
        data[name] = _value(name, text.replace("_", " "))
    return read_event(data)


def _value(name: str, text: str) -> object:
    if name == "results":
        return [_result(one) for one in text.split(";") if one]
    if name == "bank" and "/" in text:
        return dict(zip(("handed", "commission", "returned"), map(int, text.split("/")), strict=True))
    if name in _LISTS:
        return [_plain(one) for one in text.split(",") if one]
    return _plain(text)


def _plain(text: str) -> object:
    if text in {"yes", "no"}:
        return text == "yes"
    return int(text) if text.lstrip("-").isdigit() else text


def _result(text: str) -> dict[str, object]:
    """Box, player, outcome, paid before commission, commission, lost; and the bet where it is a side wager."""
    box, player, outcome, *sums = text.split("/")
    paid, commission, lost, *bet = sums
    return {
        "box": int(box),
        "player": player,
        "outcome": None if outcome == "void" else outcome,
        "paid": int(paid),
        "commission": int(commission),
        "lost": int(lost),
        **({"bet": bet[0]} if bet else {}),
    }


WAGERS = """
wager-placed box=2 player=Ann amount=5000 | {wager}
wager-placed box=4 player=Bob amount=3000 | {wager}
wager-placed box=5 player=Cho amount=2000 | {wager}
"""
ANN = """
hand-exposed box=2 low=5-5,5-5 high=1-1,1-1 | {expose}
hand-matched box=2 outcome=win | {match}
"""
BOB = """
hand-exposed box=4 low=2-2,6-4 high=3-3,3-3 | {expose}
hand-matched box=4 outcome=push | {match}
tiles-put-away box=4 | {push}
"""
CHO = """
hand-exposed box=5 low=4-1,6-4 high=6-2,6-5 | {expose}
hand-matched box=5 outcome=lose | {match}
tiles-put-away box=5 | {lose}
"""
BANK = "bank-exposed low=6-5,6-1 high=6-6,6-3"
# Ann's 5000 wins 5000, less a commission of 5 % (C 11.3, N 6.11, S 14.1, O 14.1, point 15): 250.
# Bob's stands off (C 8.15, N 6.1(c), S 9.2.3, O 9.1.1.3, point 17): nothing moves. Cho's 2000 is lost.
PAID_FROM_1 = "settled results=2/Ann/win/5000/250/0;4/Bob/push/0/0/0;5/Cho/lose/0/0/2000"
PAID_FROM_3 = "settled results=4/Bob/push/0/0/0;5/Cho/lose/0/0/2000;2/Ann/win/5000/250/0"
# The losing wagers, 2000, pay 2000 of Ann's 5000; the other 3000 comes out of the bank's wager (C 10.3.2(n), N 11.2(j),
# S 13.2.8, O 13.2.8, point 24). Nothing is left to be handed over, so no commission is due.
BANK_OF_10000 = "bank=0/0/7000"
BANK_OF_10500 = "bank=0/0/7500"
# In a co-bank (C 10.3.3(i), N 11.3(l), O 13.3.11) 3000 out of the player's 5000 and the House's 5000 leaves 7000,
# half of it his.
CO_BANK_OF_5000 = "bank=0/0/3500"
HOUSE_EMPTY = "empty-retrieved boxes=3,6,7,8"
BANKER_EMPTY = "empty-retrieved boxes=1,6,7,8"


def _house(**rules: str) -> str:
    return (ANN + BOB + CHO).format(**rules)


def _banker(**rules: str) -> str:
    """From the chung at box 3: Bob, Cho, Ann."""
    return (BOB + CHO + ANN).format(**rules)


CROWN_HOUSE = f"""
tiles-checked tiles={FULL} by=TG_Higher_Duties_Dealer | 3.1.1
player-seated box=2 player=Ann | 3.1.2
bank-offered box=2 player=Ann | 10.3.2(a)
bank-declined box=2 player=Ann | 10.3.2(d)
house-banks | 10.3.1(a)
shuffled | 5.1
stacked | 5.2
{WAGERS.format(wager="8.3")}
bets-closed | 8.3.1
dice-shaken by=dealer | 4.2
dice-shown box_dice=2,4 cocked=yes | 4.3
dice-shaken by=dealer | 4.3
dice-shown box_dice=2,4,5 cut_die=4 first_box=3 | 4.4.2
cut-named cut=Big_Slice by=cut_die | 5.4.1
tiles-delivered order=3,4,5,6,7,8,1,2 | 10.1.1
{HOUSE_EMPTY} | 10.1.2
bank-moved | 10.3.1(b)
tiles-handled box=2 by=Ann | 10.2.2
hand-set box=2 by=Ann | 10.2.4
hand-set box=4 by=Bob | 10.2.4
house-way-requested box=5 by=Cho | 10.2.3
{BANK} | 10.3.1(c)(i)
{_house(expose="10.3.1(c)(ii)", match="10.3.1(c)(ii)", push="10.3.1(f)", lose="10.3.1(d)")}
{PAID_FROM_1} | 10.3.1(e)
tiles-put-away box=2 | 10.3.1(e)
bank-put-away | 10.3.1(e)
"""

CROWN_PLAYER = f"""
tiles-checked tiles={FULL} by=TG_Area_Manager | 3.1.1
player-seated box=2 player=Ann | 3.1.2
player-seated box=3 player=Dan | 3.1.2
bank-offered box=2 player=Ann | 10.3.2(a)
bank-declined box=2 player=Ann | 10.3.2(d)
bank-offered box=3 player=Dan | 10.3.2(a)
bank-accepted box=3 players=Dan method=player funds=50000 | 10.3.2(c)
shuffled | 5.1
stacked | 5.2
{WAGERS.format(wager="8.3")}
bank-wagered amount=10000 | 8.6
bets-closed | 8.3.2
cut-named cut=Four_Across by=banker | 5.4.2
dice-shaken by=Dan | 4.2
dice-shown box_dice=2,4,5 cut_die=1 first_box=5 | 4.4.2
tiles-delivered order=5,6,7,8,1,2,3,4 | 10.1.1
{BANKER_EMPTY} | 10.1.2
hand-set box=2 by=Ann | 10.2.4
hand-set box=4 by=Bob | 10.2.4
hand-set box=5 by=Cho | 10.2.4
bank-set by=Dan | 10.3.2(i)
{BANK} | 10.3.2(i)
bank-moved | 10.3.2(j)
{_banker(expose="10.3.2(k)", match="10.3.2(k)", push="10.3.2(o)", lose="10.3.2(l)")}
{PAID_FROM_3} {BANK_OF_10000} | 10.3.2(m)
tiles-put-away box=2 | 10.3.2(m)
bank-put-away | 10.3.2(m)
"""

CROWN_CO_BANK = f"""
tiles-checked tiles={FULL} by=TG_Higher_Duties_Dealer | 3.1.1
player-seated box=3 player=Dan | 3.1.2
bank-offered box=3 player=Dan | 10.3.2(a)
bank-accepted box=3 players=Dan method=co-bank funds=5000 | 10.3.3(a)
shuffled | 5.1
stacked | 5.2
{WAGERS.format(wager="8.3")}
bank-wagered amount=5000 | 10.3.3(b)
bets-closed | 8.3.2
cut-named cut=One_Stack by=supervisor | 5.4.2
dice-shaken by=dealer | 4.2
dice-shown box_dice=2,4,5 cut_die=1 first_box=5 | 4.4.2
tiles-delivered order=5,6,7,8,1,2,3,4 | 10.1.1
{BANKER_EMPTY} | 10.1.2
bank-moved | 10.3.3(c)
hand-set box=2 by=Ann | 10.2.4
hand-set box=4 by=Bob | 10.2.4
hand-set box=5 by=Cho | 10.2.4
bank-set by=dealer | 10.3.3(d)
{BANK} | 10.2.7
{_banker(expose="10.3.3(e)", match="10.3.3(e)", push="10.3.3(j)", lose="10.3.3(f)")}
{PAID_FROM_3} {CO_BANK_OF_5000} | 10.3.3(g)
tiles-put-away box=2 | 10.3.3(g)
bank-put-away | 10.3.3(g)
"""

NZ_HOUSE = f"""
tiles-checked tiles={FULL} by=game_supervisor | 8.0
player-seated box=2 player=Ann | 8.0
house-banks | 5.2
shuffled | 9.1
stacked | 9.1
laja-done by=dealer asked_by=Ann | 9.2
{WAGERS.format(wager="6.3")}
bets-closed | 9.4
dice-shaken by=dealer | 9.4
cut-named cut=Yat_Dong_Dong by=supervisor | 9.5
dice-shown box_dice=2,4,5 first_box=3 | 9.9
tiles-delivered order=3,4,5,6,7,8,1,2 | 10.1
{HOUSE_EMPTY} | 10.3
bank-moved | 11.1
hand-set box=2 by=Ann | 10.5
house-way-requested box=4 by=Bob | 10.4
hand-set box=5 by=Cho | 10.5
hand-set box=4 by=dealer | 10.4
bank-set by=dealer | 11.1
{BANK} | 11.1
house-way-confirmed by=game_supervisor | 11.1
{_house(expose="11.1", match="10.11", push="11.1", lose="11.1")}
{PAID_FROM_1} | 11.1
tiles-viewed box=3 by=Bob | 10.12
tiles-put-away box=2 | 11.1
bank-put-away | 11.1
"""

_NZ_FIRST = f"""
tiles-checked tiles={FULL} by=game_supervisor | 8.0
player-seated box=3 player=Dan | 8.0
house-banks | 5.2
shuffled | 9.1
stacked | 9.1
wager-placed box=3 player=Dan amount=500 | 6.3
wager-placed box=2 player=Ann amount=500 | 6.3
bets-closed | 9.4
dice-shaken by=dealer | 9.4
cut-named cut=Yat_Dong_Dong by=supervisor | 9.5
dice-shown box_dice=2,4,5 first_box=3 | 9.9
tiles-delivered order=3,4,5,6,7,8,1,2 | 10.1
empty-retrieved boxes=4,5,6,7,8 | 10.3
hand-conceded box=2 player=Ann | 10.13
hand-conceded box=3 player=Dan | 10.13
settled results=2/Ann/lose/0/0/500;3/Dan/lose/0/0/500 | 11.1
bank-put-away | 11.1
bank-offered box=2 player=Ann | 5.2
bank-declined box=2 player=Ann | 5.2
bank-offered box=3 player=Dan | 5.2
"""

NZ_PLAYER = f"""
{_NZ_FIRST}
bank-accepted box=3 players=Dan method=player funds=10000 | 5.3
shuffled | 9.1
stacked | 9.1
{WAGERS.format(wager="6.3")}
bank-wagered amount=10000 | 11.2
bets-closed | 9.4
dice-shaken by=dealer | 9.4
dice-shaken by=Dan | 9.4
cut-named cut=China_Bank by=banker | 9.5
button-placed value=4 | 9.6
dice-shown box_dice=2,4,5 first_box=1 | 9.9
tiles-delivered order=1,2,3,4,5,6,7,8 | 10.1
{BANKER_EMPTY} | 10.3
hand-set box=2 by=Ann | 10.5
hand-set box=4 by=Bob | 10.5
hand-set box=5 by=Cho | 10.5
house-way-requested box=3 by=Dan | 10.4
bank-set by=dealer | 10.4
bank-confirmed by=Dan | 10.4
bank-moved | 11.2
{BANK} | 11.2
{_banker(expose="11.2", match="10.11", push="11.2", lose="11.2")}
{PAID_FROM_3} {BANK_OF_10000} | 11.2
tiles-put-away box=2 | 11.2
bank-put-away | 11.2
"""

NZ_CO_BANK = f"""
{_NZ_FIRST}
bank-accepted box=3 players=Dan method=co-bank funds=5000 | 5.3
shuffled | 9.1
stacked | 9.1
{WAGERS.format(wager="6.3")}
bank-wagered amount=5000 | 11.3
bets-closed | 9.4
dice-shaken by=dealer | 9.4
cut-named cut=China_Bank by=banker | 9.5
dice-shown box_dice=2,4,5 first_box=5 | 9.9
tiles-delivered order=5,6,7,8,1,2,3,4 | 10.1
{BANKER_EMPTY} | 10.3
bank-moved | 11.3
hand-set box=2 by=Ann | 10.5
hand-set box=4 by=Bob | 10.5
hand-set box=5 by=Cho | 10.5
bank-peeked tiles=6-5,6-1 | 11.3
bank-set by=dealer | 11.3
{BANK} | 10.10
{_banker(expose="11.3", match="10.11", push="11.3", lose="11.3")}
{PAID_FROM_3} {CO_BANK_OF_5000} | 11.3
tiles-put-away box=2 | 11.3
bank-put-away | 11.3
"""

STAR_2024_HOUSE = f"""
tiles-checked tiles={FULL} by=casino_supervisor | 3.3.1
player-seated box=2 player=Ann | 3.3.2
bank-offered box=2 player=Ann | 6.1
bank-declined box=2 player=Ann | 6.1
house-banks | 6.9
shuffled | 7.1
stacked | 7.2
laja-done by=Bob asked_by=Bob approved_by=Gaming_Supervisor | 7.3
laja-done by=dealer asked_by=dealer | 7.3.2
{WAGERS.format(wager="9.6")}
dice-shaken by=dealer | 8.1
dice-shown box_dice=2,4,5 cut_die=4 first_box=3 | 8.4.1
cut-named cut=Dai_Pin by=cut_die | 8.4.4
tiles-delivered order=3,4,5,6,7,8,1,2 | 12.1
{HOUSE_EMPTY} | 12.3
bank-moved | 13.1.1
hand-set box=2 by=Ann | 12.5
hand-set box=5 by=Cho | 12.5
house-way-requested box=4 by=Bob | 12.7
hand-set box=4 by=dealer | 12.8
tiles-handled box=4 by=Bob | 12.10
hand-set box=4 by=Bob | 12.10
bank-set by=dealer | 13.1.2
{BANK} | 13.1.3
house-way-confirmed by=casino_supervisor | 13.1.5
{_house(expose="13.1.6", match="12.14", push="13.1.9", lose="13.1.7")}
{PAID_FROM_1} | 13.1.8
tiles-put-away box=2 | 13.1.8
bank-put-away | 13.1.8
"""

STAR_2024_PLAYER = f"""
tiles-checked tiles={FULL} by=casino_supervisor | 3.3.1
player-seated box=3 player=Dan | 3.3.2
bank-offered box=3 player=Dan | 6.1
bank-accepted box=3 players=Dan method=player funds=50000 | 6.3
shuffled | 7.1
stacked | 7.2
{WAGERS.format(wager="9.6")}
bank-wagered amount=10000 | 9.15
button-placed value=-3 | 8.2
dice-shaken by=Dan | 8.1
dice-shown box_dice=2,4,5 cut_die=4 first_box=2 | 8.4.1
bank-wagered amount=10500 | 9.8
wager-changed box=5 player=Cho amount=2500 consent=yes | 9.8
wager-changed box=5 player=Cho amount=2000 consent=yes | 9.8
cut-named cut=Sydney_Tower by=banker | 8.4.3
tiles-delivered order=2,3,4,5,6,7,8,1 | 12.1
{BANKER_EMPTY} | 12.3
hand-set box=2 by=Ann | 12.5
hand-set box=4 by=Bob | 12.5
hand-set box=5 by=Cho | 12.5
house-way-requested box=3 by=Dan | 12.6
bank-set by=dealer | 12.9
bank-moved | 13.2.4
{BANK} | 13.2.4
bank-confirmed by=Dan | 12.9
{_banker(expose="13.2.5", match="12.14", push="13.2.9", lose="13.2.6")}
{PAID_FROM_3} {BANK_OF_10500} | 13.2.7
tiles-put-away box=2 | 13.2.7
bank-put-away | 13.2.7
"""

CLASSIC_HOUSE = f"""
tiles-checked tiles={FULL} by=game_supervisor | 3.3.2
player-seated box=2 player=Ann | 3.3.1
bank-offered box=2 player=Ann | 6.1
bank-declined box=2 player=Ann | 6.3
house-banks | 6.8
shuffled | 7.1
stacked | 7.2
{WAGERS.format(wager="9.3")}
cut-named cut=Foot_Say by=supervisor | 7.6
dice-shaken by=dealer | 8.1
dice-shown box_dice=2,4,5 first_box=3 | 8.3.1
tiles-delivered order=3,4,5,6,7,8,1,2 | 12.1
{HOUSE_EMPTY} | 12.3
bank-moved | 13.1.1
hand-set box=2 by=Ann | 12.5
hand-set box=4 by=Bob | 12.5
hand-set box=5 by=Cho | 12.5
bank-set by=dealer | 13.1.2
{BANK} | 13.1.3
house-way-confirmed by=game_supervisor | 13.1.5
{_house(expose="13.1.6", match="12.11", push="13.1.9", lose="13.1.7")}
{PAID_FROM_1} | 13.1.8
tiles-put-away box=2 | 13.1.8
bank-put-away | 13.1.8
"""

CLASSIC_PLAYER = f"""
tiles-checked tiles={FULL} by=game_supervisor | 3.3.2
player-seated box=3 player=Dan | 3.3.1
bank-offered box=3 player=Dan | 6.1
bank-accepted box=3 players=Dan method=player funds=50000 | 6.2
shuffled | 7.1
stacked | 7.2
{WAGERS.format(wager="9.3")}
bank-wagered amount=10000 | 9.12
cut-named cut=Foot_Say by=banker | 7.7
button-placed value=4 | 7.8
dice-shaken by=Dan | 8.1
dice-shown box_dice=2,4,5 first_box=1 | 8.3.1
tiles-delivered order=1,2,3,4,5,6,7,8 | 12.1
{BANKER_EMPTY} | 12.3
hand-set box=2 by=Ann | 12.5
hand-set box=4 by=Bob | 12.5
hand-set box=5 by=Cho | 12.5
bank-set by=Dan | 13.2.3
{BANK} | 13.2.3
bank-moved | 13.2.4
{_banker(expose="13.2.5", match="12.11", push="13.2.9", lose="13.2.6")}
{PAID_FROM_3} {BANK_OF_10000} | 13.2.7
tiles-put-away box=2 | 13.2.7
bank-put-away | 13.2.7
"""

CLASSIC_CO_BANK = f"""
tiles-checked tiles={FULL} by=game_supervisor | 3.3.2
player-seated box=3 player=Dan | 3.3.1
bank-offered box=3 player=Dan | 6.1
bank-accepted box=3 players=Dan method=co-bank funds=5000 approved_by=casino_supervisor | 6.7
shuffled | 7.1
stacked | 7.2
{WAGERS.format(wager="9.3")}
bank-wagered amount=5000 | 13.3.2
cut-named cut=Foot_Say by=banker | 7.7
dice-shaken by=dealer | 8.1
dice-shown box_dice=2,4,5 first_box=5 | 8.3.1
tiles-delivered order=5,6,7,8,1,2,3,4 | 12.1
{BANKER_EMPTY} | 12.3
bank-moved | 13.3.3
hand-set box=2 by=Ann | 12.5
hand-set box=4 by=Bob | 12.5
hand-set box=5 by=Cho | 12.5
bank-set by=dealer | 13.3.4
{BANK} | 13.3.5
{_banker(expose="13.3.5", match="12.11", push="13.3.8", lose="13.3.6")}
{PAID_FROM_3} {CO_BANK_OF_5000} | 13.3.7
tiles-put-away box=2 | 13.3.7
bank-put-away | 13.3.7
"""

UK_HOUSE = f"""
player-seated box=2 player=Ann | point 24
bank-offered box=2 player=Ann | point 24
bank-declined box=2 player=Ann | point 24
house-banks | point 13
{WAGERS.format(wager="point 2")}
shuffled | point 3
stacked | point 3
dice-shaken by=dealer | point 3
dice-shown box_dice=2,4,5 first_box=2 | point 3
tiles-delivered order=2,3,4,5,6,7,8,1 | point 4
hand-set box=2 by=Ann | point 5
hand-set box=4 by=Bob | point 5
hand-set box=5 by=Cho | point 5
tiles-handled box=5 by=Cho | point 19
hand-set box=5 by=Cho | point 19
{BANK} | point 13
{_house(expose="point 14", match="point 14", push="point 17", lose="point 16")}
{PAID_FROM_1} | point 15
tiles-put-away box=2 | point 19
bank-put-away | point 19
"""

UK_PLAYER = f"""
player-seated box=3 player=Dan | point 24
bank-offered box=3 player=Dan | point 24
bank-accepted box=3 players=Dan method=player funds=50000 | point 24
shuffled | point 3
stacked | point 3
{WAGERS.format(wager="point 2")}
house-wagered amount=1000 | point 28
bank-wagered amount=11000 | point 24
cut-named cut=Tiger by=banker accepted_by=management | point 25
dice-shaken by=Dan | point 25
dice-shown box_dice=2,4,5 first_box=5 | point 25
tiles-delivered order=5,6,7,8,1,2,3,4 | point 4
hand-set box=2 by=Ann | point 5
hand-set box=4 by=Bob | point 5
hand-set box=5 by=Cho | point 5
hand-set box=8 by=dealer | point 13
bank-set by=Dan | point 5
{BANK} | point 13
hand-exposed box=8 low=3-2,5-1 high=5-3,4-3 | point 14
hand-matched box=8 outcome=lose | point 16
{_banker(expose="point 14", match="point 14", push="point 17", lose="point 16")}
settled results=4/Bob/push/0/0/0;5/Cho/lose/0/0/2000;2/Ann/win/5000/250/0;8/house/lose/0/0/1000 bank=0/0/9000 | point 15
tiles-put-away box=2 | point 19
tiles-put-away box=8 | point 19
bank-put-away | point 19
"""

GOLDEN = {
    ("crown-6.1", Bank.HOUSE): CROWN_HOUSE,
    ("crown-6.1", Bank.PLAYER): CROWN_PLAYER,
    ("crown-6.1", Bank.CO_BANK): CROWN_CO_BANK,
    ("nz-1998", Bank.HOUSE): NZ_HOUSE,
    ("nz-1998", Bank.PLAYER): NZ_PLAYER,
    ("nz-1998", Bank.CO_BANK): NZ_CO_BANK,
    ("star-2024", Bank.HOUSE): STAR_2024_HOUSE,
    ("star-2024", Bank.PLAYER): STAR_2024_PLAYER,
    ("star-classic", Bank.HOUSE): CLASSIC_HOUSE,
    ("star-classic", Bank.PLAYER): CLASSIC_PLAYER,
    ("star-classic", Bank.CO_BANK): CLASSIC_CO_BANK,
    ("uk-poster", Bank.HOUSE): UK_HOUSE,
    ("uk-poster", Bank.PLAYER): UK_PLAYER,
}


def rows(text: str) -> list[tuple[str, str]]:
    """Events and rules of a round as written here."""
    lines = [line for line in text.splitlines() if line.strip()]
    return [(line.split(" | ")[0], line.split(" | ")[1]) for line in lines]
