"""The order of a round as a table, written from the texts and apart from the engine.

A row reads ``needs | bars``: marks that must be on the table before an event of the kind, and marks that forbid it.
`tests.engine.round.walk.Walk` keeps the marks. A row of ``never`` stands for a kind that the book does not know.
"""

from engine.vocabulary.facts import Bank

NEVER = "never"

COMMON = {
    "table-vacated": "| begun",
    "tiles-replaced": "| shuffled",
    "tiles-checked": "| shuffled",
    "table-closed": "shown | running",  # C 3.1 and 3.3, N 10.17, S and O 3.3
    "closing-announced": "| noticed",  # C 16.8; S 16.9; O 16.8
    "limits-changed": "|",
    "player-seated": "| closed",
    "player-left": "|",
    "bank-offered": "offer | bank open-offer tenure house-first",
    "bank-declined": "asked | bank",
    "bank-accepted": "asked | bank house-first",
    "house-banks": "| bank open-offer tenure queue house-box-taken",
    "bank-wagered": "player-banks | closed",
    "bank-fell-back": "player-banks short | closed",
    "house-wagered": NEVER,
    "shuffled": "| due alone delivered",
    "stacked": "shuffled | stacked delivered",
    "laja-done": "stacked | cut delivered by-die-seen",
    "wager-placed": "shuffled | closed",
    "wager-changed": "shuffled wagers | closed",
    "wager-withdrawn": "shuffled wagers | closed",
    "control-ceded": "wagers | closed",
    "box-chosen": "wagers | closed",
    "bets-closed": NEVER,
    "button-placed": NEVER,
    "dice-shaken": "bank stacked | thrown",
    "dice-shown": "bank stacked shaken | thrown",
    "tiles-delivered": "bank stacked thrown cut | delivered",
    "empty-retrieved": "delivered empties |",
    "tiles-handled": "delivered | bank-open",
    "house-way-requested": "delivered | bank-open",
    "hand-set": "delivered unset | bank-open",
    "hand-conceded": "delivered |",
    "tiles-laid-open": "delivered single |",
    "bank-peeked": NEVER,
    "bank-confirmed": NEVER,
    "house-way-confirmed": NEVER,
    "hand-matched": "open |",
    "tiles-put-away": "waiting |",
    "bank-put-away": "settled | bank-away",
    "tiles-viewed": "delivered |",
    "irregularity-decided": "|",
    "big-small-settled": NEVER,
    "tie-surrendered": NEVER,
    "big-small-declined": NEVER,
}

HOUSE_BANK = {
    "bank-wagered": NEVER,
    "bank-fell-back": NEVER,
    "bank-moved": "delivered | moved empties",
    "bank-set": "delivered all-set moved | empties bank-set bank-open",
    "bank-exposed": "delivered all-set moved bank-set | empties bank-open",
    "hand-exposed": "bank-open moved closed-hands | open",
    "settled": "delivered | settled closed-hands open",
}
PLAYER_BANK = {
    "bank-moved": "delivered bank-set | moved empties",
    "bank-set": "delivered all-set | empties bank-set bank-open",
    "bank-exposed": "delivered all-set bank-set | empties bank-open",
    "hand-exposed": "bank-open moved closed-hands | open",
    "settled": "delivered | settled closed-hands open",
}
CO_BANK = HOUSE_BANK | {
    "bank-wagered": COMMON["bank-wagered"],
    "bank-fell-back": COMMON["bank-fell-back"],
}
_LOSER = {
    "hand-exposed": "bank-open moved closed-hands | open loser",
    "settled": "delivered | settled closed-hands open loser",
}
_CALLED = {"bets-closed": "bank stacked | closed short"}
_CROWN_CHOSEN = {
    "cut-named": "bank stacked closed | cut delivered",
    "dice-shown": "bank stacked shaken cut | thrown",
}
_NZ = {
    "dice-shaken": "bank stacked closed | thrown",
    "cut-named": "bank stacked closed tumbled | cut delivered",
    "dice-shown": "bank stacked shaken cut | thrown",
    "laja-done": "bank stacked | cut delivered laja",
    "closing-announced": NEVER,
    **_CALLED,
    **_LOSER,
}
_BUTTON = {"button-placed": "stacked cut | seen button"}
_CONSENT = {
    "bank-wagered": "player-banks | delivered",
    "wager-placed": "shuffled | consent-over",
    "wager-changed": "shuffled wagers | consent-over",
    "wager-withdrawn": "shuffled wagers | consent-over",
}
_CONFIRMED = {
    "bank-confirmed": "dealer-set-bank | confirmed",
    "hand-exposed": "bank-open moved closed-hands | open loser to-confirm",
    "settled": "delivered | settled closed-hands open loser",
}
_HOUSE_CONFIRMED = {"house-way-confirmed": "bank-open | house-confirmed"}
_STAR_CUT = {
    "cut-named": "bank stacked thrown | cut delivered",
    "dice-shown": "bank stacked shaken | thrown short-at-close",
}
_CLASSIC = {
    "cut-named": "bank stacked | cut delivered short-at-close",
    "dice-shaken": "bank stacked cut | thrown",
    "dice-shown": "bank stacked shaken cut | thrown",
}
_CROWN_ANY_TIME = {
    "wager-placed": "| closed",
    "wager-changed": "wagers | closed",
    "wager-withdrawn": "wagers | closed",
    "control-ceded": NEVER,
    "tiles-laid-open": NEVER,
    **_CALLED,
}
_UK = {
    "closing-announced": NEVER,
    "table-closed": "| running",
    "tiles-replaced": "| shuffled",
    "shuffled": "| shuffled delivered",
    "laja-done": NEVER,
    "wager-placed": "| closed",
    "wager-changed": "wagers | closed",
    "wager-withdrawn": "wagers | closed",
    "control-ceded": NEVER,
    "box-chosen": NEVER,
    "cut-named": "bank stacked | cut delivered",
    "tiles-delivered": "bank stacked thrown | delivered short-at-close",
    "bank-moved": NEVER,
    "house-way-requested": NEVER,
    "hand-conceded": NEVER,
    "tiles-laid-open": NEVER,
    "bank-exposed": "delivered all-set | bank-open",
    "hand-exposed": "bank-open closed-hands | open",
}

ORDER: dict[tuple[str, Bank], dict[str, str]] = {
    # Crown 10.3.1: the tiles are opened and set in one; 8.3.1: no bets, then the dice; 5.4.1: the die names the cut.
    ("crown-6.1", Bank.HOUSE): {
        **COMMON,
        **HOUSE_BANK,
        **_CROWN_ANY_TIME,
        "dice-shaken": "bank stacked closed | thrown",
        "cut-named": "bank stacked closed thrown | cut delivered",
        "bank-set": NEVER,
        "bank-exposed": "delivered all-set moved | empties bank-open",
    },
    # Crown 10.3.2, 8.3.2: no bets, then the banker names the cut.
    ("crown-6.1", Bank.PLAYER): {**COMMON, **PLAYER_BANK, **_CROWN_ANY_TIME, **_CROWN_CHOSEN, **_LOSER},
    ("crown-6.1", Bank.CO_BANK): {**COMMON, **CO_BANK, **_CROWN_ANY_TIME, **_CROWN_CHOSEN, **_LOSER},
    # New Zealand 9.1 to 9.8 and 11.1 to 11.3.
    ("nz-1998", Bank.HOUSE): {
        **COMMON,
        **HOUSE_BANK,
        **_NZ,
        **_HOUSE_CONFIRMED,
        "hand-exposed": "bank-open moved house-confirmed closed-hands | open loser",
    },
    ("nz-1998", Bank.PLAYER): {**COMMON, **PLAYER_BANK, **_NZ, **_BUTTON, **_CONFIRMED},
    ("nz-1998", Bank.CO_BANK): {
        **COMMON,
        **CO_BANK,
        **_NZ,
        **_BUTTON,
        "bank-peeked": "delivered all-set | bank-set bank-open peeked",
    },
    # The Star 2024, 8.1 to 8.4 and 13.1, 13.2.
    ("star-2024", Bank.HOUSE): {
        **COMMON,
        **HOUSE_BANK,
        **_STAR_CUT,
        **_HOUSE_CONFIRMED,
        "hand-exposed": "bank-open moved house-confirmed closed-hands | open",
    },
    ("star-2024", Bank.PLAYER): {
        **COMMON,
        **PLAYER_BANK,
        **_STAR_CUT,
        **_CONFIRMED,
        **_CONSENT,
        "button-placed": "stacked | seen button",
    },
    # The Star's older rules, 7.4 to 8.3 and 13.1 to 13.3.
    ("star-classic", Bank.HOUSE): {
        **COMMON,
        **HOUSE_BANK,
        **_CLASSIC,
        **_HOUSE_CONFIRMED,
        "hand-exposed": "bank-open moved house-confirmed closed-hands | open",
    },
    ("star-classic", Bank.PLAYER): {**COMMON, **PLAYER_BANK, **_CLASSIC, **_BUTTON, **_CONFIRMED, **_CONSENT},
    ("star-classic", Bank.CO_BANK): {**COMMON, **CO_BANK, **_CLASSIC, **_BUTTON, **_LOSER},
    # The poster, points 2, 3, 13, 14, 24 to 28.
    ("uk-poster", Bank.HOUSE): {**COMMON, **HOUSE_BANK, **_UK, "bank-set": NEVER, "cut-named": NEVER},
    ("uk-poster", Bank.PLAYER): {
        **COMMON,
        **PLAYER_BANK,
        **_UK,
        "house-wagered": "player-banks | closed house-bet",
        "bank-set": "delivered all-set | bank-set bank-open",
        "bank-exposed": "delivered all-set bank-set | bank-open",
    },
}


def _parsed(rows: dict[str, str]) -> list[tuple[str, frozenset[str], frozenset[str]]]:
    halves = {kind: row.split("|") for kind, row in rows.items() if row != NEVER}
    return [(kind, frozenset(needs.split()), frozenset(bars.split())) for kind, (needs, bars) in halves.items()]


_BONANZA = {
    # Crown 4.4.1: Big and Small are settled before the deal; 13.5.3: a Tie is given up after.
    "big-small-settled": "bank thrown dice-wagers | dice-settled",
    "tie-surrendered": "delivered | bank-open",
    "big-small-declined": "wagers | closed",  # 8.16.3
    "tiles-delivered": "bank stacked thrown cut | delivered dice-due",
}

BONANZA = {
    key: _parsed({**rows, **_BONANZA, "settled": rows["settled"] + " own-bonus-closed"})
    for key, rows in ORDER.items()
    if key[0] == "crown-6.1"
}
"""The same where Bonus, Tie and Big/Small are offered (Crown 13 and 8.16)."""

PARSED = {key: _parsed(rows) for key, rows in ORDER.items()}
"""For each kind that is known under a book and bank, its needs and its bars."""
