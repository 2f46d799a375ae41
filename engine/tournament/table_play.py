"""The play of a tournament's table: chips, compulsory and secret wagers, who is out, who goes on, who is placed where.

A tie that the terms do not break is left to the Tournament Director.
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
    """What a player wagers on a hand.

    Attributes:
        amount: in all, in the smallest unit; 0 for none.
        secret: whether it was made secretly.
    """

    amount: int
    secret: bool = False


@dataclass(frozen=True)
class TournamentTable:
    """A tournament table in a stage; every hand gives a new one.

    Attributes:
        played: how many hands.
        secrets: how many secret wagers each player made.
        out: in which hand each player without chips lost the last of them.
        side_wagers: whether stakes may hold side wagers.
    """

    stage: TournamentStage
    chips: Mapping[str, int]
    played: int
    secrets: Mapping[str, int]
    out: Mapping[str, int]
    side_wagers: bool = False

    @property
    def playing(self) -> tuple[str, ...]:
        """The players who are not out."""
        return tuple(player for player in self.chips if player not in self.out)


@dataclass(frozen=True, slots=True)
class Standing:
    """A place and who holds it.

    Attributes:
        rank: 1 for the first; the next place after two players on it is 3.
    """

    rank: int
    players: tuple[str, ...]
    chips: int


@dataclass(frozen=True, slots=True)
class Progress:
    """Who goes on from a table.

    Attributes:
        tied: those among whom the last `spots` places are undecided.
        spots: how many of the tied go on; 0 if nobody is tied.
    """

    through: tuple[str, ...]
    tied: tuple[str, ...]
    spots: int
    out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Awards:
    """Who wins what. Money is in the smallest unit.

    Attributes:
        tied: groups of players, and the prizes that they hold together and no rule of the terms divides.
    """

    prizes: tuple[tuple[str, int], ...]
    tied: tuple[tuple[tuple[str, ...], tuple[int, ...]], ...]


def check_entries(players: Sequence[str], declared: Format, rules: TournamentRules) -> None:
    """Refuse (`TournamentError`) a field of players that is too small, too big, or has somebody twice."""
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
    """A table at the beginning of a stage, 0 for the first: all with the starting bank, or with what they bring.

    `carried` are the chips from the stage before; they are needed where a later stage is not begun afresh.

    Raises:
        TournamentError: nobody sits there, there is no such stage, or a player brings no chips.
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
    """The table after one more hand; who has no stake wagers nothing, and who lost has a net below zero.

    Raises:
        TournamentError: no hand is left, somebody is not or no more at the table, wagers too little, too much or too
            often in secret, or has a result that no hand gives; the table stays as it was.
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
    """The table after an eliminated player bought chips anew; when and for how much is for the terms to say.

    Raises:
        TournamentError: the format knows no buying back, the player is not eliminated here, or no hand is left.
        WagerError: the chips are no whole number above 0.
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
    """A wager is lost whole, stands off, or is paid one to one less commission: no dealing gives anything between.

    With side wagers among it nothing is said but that nothing is won without a wager.
    """
    if net in {0, -stake} or (side_wagers and stake):
        return
    least = stake - int(stake * rules.pays.value)
    if not (stake and least <= net <= stake):
        may = f"{-stake}, 0 or {least} to {stake}" if stake else "nothing without a wager"
        raise TournamentError(f"{player} has {net:+d} of a wager of {stake}; a hand gives {may}", rules.pays)


def standing(table: TournamentTable, *, later_is_better: bool = False) -> tuple[Standing, ...]:
    """The places at a table, by chips.

    Players without chips share a place, unless the terms place a player eliminated later above one eliminated before.
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
    """Who goes on from a table as it stands; nobody without chips does, and a tie for the last spots is left open."""
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
    """Whether play here may end before the last hand: those who go on are known, whatever the hands left bring.

    crown-6.1 15.4.8(d)(i); where an eliminated player may still buy back they are never known.
    """
    if table.played >= table.stage.hands:
        return True
    return not buy_back and table.stage.through is not None and len(table.playing) <= table.stage.through


def award(places: Iterable[Standing], prizes: Sequence[int], barred: Collection[str] = ()) -> Awards:
    """Who wins what, prizes being by place: crown-6.1 15.4.2(a)(v), 15.4.6(a), 15.4.7(b).

    Barred players may win no prize, such as employees; the next eligible one stands in their stead.
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
