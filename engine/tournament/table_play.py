"""Play at a tournament table: chips, compulsory and secret wagers, elimination, advancing, places.

The Tournament Director breaks ties that the terms leave open.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from engine.errors import TournamentError
from engine.settlement.money import whole

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from engine.tournament.requirements import Format, TournamentRules, TournamentStage


@dataclass(frozen=True, slots=True)
class Stake:
    """A player's wager on a hand.

    Attributes:
        amount: total in the smallest unit; 0 for none.
        secret: whether it was made secretly.
    """

    amount: int
    secret: bool = False


@dataclass(frozen=True)
class TournamentTable:
    """A tournament table in a stage; immutable.

    Attributes:
        played: number of hands.
        secrets: number of secret wagers by player.
        out: for each player without chips, the hand in which he lost the last of them.
        side_wagers: whether stakes may include side wagers.
    """

    stage: TournamentStage
    chips: Mapping[str, int]
    played: int
    secrets: Mapping[str, int]
    out: Mapping[str, int]
    side_wagers: bool = False

    @property
    def playing(self) -> tuple[str, ...]:
        return tuple(player for player in self.chips if player not in self.out)


@dataclass(frozen=True, slots=True)
class Standing:
    """A place and its holders.

    Attributes:
        rank: 1 for the first; the next place after two players on it is 3.
    """

    rank: int
    players: tuple[str, ...]
    chips: int


@dataclass(frozen=True, slots=True)
class Progress:
    """Who advances from a table.

    Attributes:
        tied: players among whom the last `spots` places are undecided.
        spots: number of tied players who advance; 0 if nobody is tied.
    """

    through: tuple[str, ...]
    tied: tuple[str, ...]
    spots: int
    out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Awards:
    """Prizes by player. Money is in the smallest unit.

    Attributes:
        tied: groups of players with the prizes they share and the terms do not divide.
    """

    prizes: tuple[tuple[str, int], ...]
    tied: tuple[tuple[tuple[str, ...], tuple[int, ...]], ...]


def check_entries(players: Sequence[str], declared: Format, rules: TournamentRules) -> None:
    """Reject (`TournamentError`) a field of players that is too small, too large, or has duplicates."""
    if twice := next((player for player, times in Counter(players).items() if times > 1), None):
        raise TournamentError(f"{twice} entered twice; name each player once", rules.players)
    if not declared.fewest <= len(players) <= declared.most:
        raise TournamentError(
            f"{len(players)} players entered; from {declared.fewest} to {declared.most} may", rules.players
        )


def seat(
    players: Iterable[str],
    stage: int,
    declared: Format,
    rules: TournamentRules,
    carried: Mapping[str, int] | None = None,
) -> TournamentTable:
    """A table at the start of a stage, 0 for the first: everybody with the starting bank or the chips carried over.

    `carried` are the chips from the previous stage, required for a later stage that does not start afresh.

    Raises:
        TournamentError: nobody sits there, there is no such stage, or a player has no chips.
    """
    declared.check(rules)
    seated = tuple(players)
    if not 0 <= stage < len(declared.stages):
        raise TournamentError(f"there is no stage {stage}; the format has {len(declared.stages)}", rules.stages)
    if not seated or len(set(seated)) < len(seated):
        raise TournamentError(f"a table needs players, each once, not {', '.join(seated) or 'nobody'}", rules.stages)
    now = declared.stages[stage]
    if stage == 0 or now.afresh:
        return TournamentTable(now, dict.fromkeys(seated, declared.bank), 0, {}, {}, declared.side_wagers)
    brought = carried or {}
    if without := next((player for player in seated if brought.get(player, 0) < 1), None):
        raise TournamentError(f"{without} brings no chips to {now.name}, which is not begun afresh", rules.progression)
    return TournamentTable(now, {player: brought[player] for player in seated}, 0, {}, {}, declared.side_wagers)


def play(
    table: TournamentTable, stakes: Mapping[str, Stake], net: Mapping[str, int], rules: TournamentRules
) -> TournamentTable:
    """Return the table after one more hand; players without a stake wager nothing, and a loss is a negative net.

    Raises:
        TournamentError: no hand is left, or a player is not at the table (any more), wagers too little, too much or
            secretly too often, or has an impossible result; the table does not change.
    """
    stage = table.stage
    if table.played >= stage.hands:
        raise TournamentError(f"{stage.name} is over: its {stage.hands} hands are played", rules.stages)
    for player in (*stakes, *net):
        if player not in table.playing:
            raise TournamentError(f"{player} is not, or no more, at this table", rules.eliminated)
    for player in table.playing:
        _check_stake(table, player, stakes.get(player, Stake(0)), net.get(player, 0), rules)
    chips = {player: held + net.get(player, 0) for player, held in table.chips.items()}
    secrets = {player: table.secrets.get(player, 0) + stake.secret for player, stake in stakes.items()}
    hand = table.played + 1
    lost_all = {player: hand for player in table.playing if chips[player] == 0}
    return replace(table, chips=chips, played=hand, secrets={**table.secrets, **secrets}, out={**table.out, **lost_all})


def buy_back(
    table: TournamentTable, player: str, chips: int, declared: Format, rules: TournamentRules
) -> TournamentTable:
    """Return the table after an eliminated player bought new chips; when and for how much is up to the terms.

    Raises:
        TournamentError: the format has no buy-back, the player is not eliminated here, or no hand is left.
        WagerError: the chips are not a positive whole number.
    """
    if not declared.buy_back:
        raise TournamentError(f"{player} buys back, which the format does not allow", rules.buy_back)
    if player not in table.out:
        raise TournamentError(f"{player} is not eliminated at this table, and buys nothing back", rules.buy_back)
    if table.played >= table.stage.hands:
        raise TournamentError(f"{player} buys back, but no hand is left", rules.buy_back)
    whole(chips, f"what {player} buys back", rules.buy_back)
    out = {each: hand for each, hand in table.out.items() if each != player}
    return replace(table, chips={**table.chips, player: chips}, out=out)


def _check_stake(table: TournamentTable, player: str, stake: Stake, net: int, rules: TournamentRules) -> None:
    held, stage = table.chips[player], table.stage
    whole(stake.amount, f"{player}'s wager", rules.least, least=0)
    if stake.amount > held:
        raise TournamentError(f"{player} wagers {stake.amount} and has {held}", rules.same_bank)
    if stage.least is not None and stake.amount < min(stage.least, held):
        raise TournamentError(
            f"{player} wagers {stake.amount}; {min(stage.least, held)} is compulsory in {stage.name}", rules.least
        )
    made = table.secrets.get(player, 0)
    if stake.secret and made >= stage.secret:
        raise TournamentError(
            f"{player} has made {made} secret wagers; {stage.name} allows {stage.secret}", rules.secret
        )
    if net < -stake.amount:
        raise TournamentError(f"{player} loses {-net} of a wager of {stake.amount}", rules.same_bank)
    _check_result(player, stake.amount, net, rules, side_wagers=table.side_wagers)


def _check_result(player: str, stake: int, net: int, rules: TournamentRules, *, side_wagers: bool) -> None:
    """A wager is lost entirely, stands off, or is paid one to one less commission; nothing in between is possible.

    With side wagers, the only check is that nothing is won without a wager.
    """
    if net in {0, -stake} or (side_wagers and stake):
        return
    least = stake - int(stake * rules.pays.value)
    if not (stake and least <= net <= stake):
        may = f"{-stake}, 0 or {least} to {stake}" if stake else "nothing without a wager"
        raise TournamentError(f"{player} has {net:+d} of a wager of {stake}; a hand gives {may}", rules.pays)


def standing(table: TournamentTable, *, later_is_better: bool = False) -> tuple[Standing, ...]:
    """The places at a table, by chips.

    Players without chips share a place, unless the terms rank by elimination time.
    """

    def worth(player: str) -> tuple[int, int]:
        return table.chips[player], table.out.get(player, 0) if later_is_better else 0

    places: list[Standing] = []
    ranked = sorted(table.chips, key=lambda player: (*(-part for part in worth(player)), player))
    for (chips, _), players in groupby(ranked, key=worth):
        above = sum(len(place.players) for place in places)
        places.append(Standing(above + 1, tuple(players), chips))
    return tuple(places)


def progress(table: TournamentTable, *, later_is_better: bool = False) -> Progress:
    """Who currently advances from a table; only players with chips, and a tie for the last spots stays open."""
    spots = table.stage.through or 0
    through: list[str] = []
    for place in standing(table, later_is_better=later_is_better):
        alive = [player for player in place.players if player not in table.out]
        left = spots - len(through)
        if alive and left and len(alive) > left:
            out = (player for player in table.chips if player not in (*through, *alive))
            return Progress(tuple(through), tuple(alive), left, tuple(out))
        through += alive[:left]
    return Progress(tuple(through), (), 0, tuple(player for player in table.chips if player not in through))


def may_end(table: TournamentTable, *, buy_back: bool = False) -> bool:
    """Whether play here may end before the last hand: who advances is certain whatever the remaining hands bring.

    crown-6.1 15.4.8(d)(i); while an eliminated player may still buy back it is never certain.
    """
    if table.played >= table.stage.hands:
        return True
    return not buy_back and table.stage.through is not None and len(table.playing) <= table.stage.through


def award(places: Iterable[Standing], prizes: Sequence[int], barred: Collection[str] = ()) -> Awards:
    """Prizes by player, given prizes by place: crown-6.1 15.4.2(a)(v), 15.4.6(a), 15.4.7(b).

    Barred players, such as employees, may win no prize; the next eligible player moves up.
    """
    given: list[tuple[str, int]] = []
    tied = []
    left = list(prizes)
    for place in places:
        eligible = tuple(player for player in place.players if player not in barred)
        held, left = left[: len(eligible)], left[len(eligible) :]
        if len(held) == len(eligible) and len(set(held)) <= 1:
            given += zip(eligible, held, strict=True)
        elif held:
            tied.append((eligible, tuple(held)))
    return Awards(tuple(given), tuple(tied))
