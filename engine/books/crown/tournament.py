"""Crown Melbourne 6.1: tournaments (15), required Terms and Conditions."""

from __future__ import annotations

from engine.books.crown.settlement import SETTLEMENT
from engine.tournament.requirements import Aspect, Demand, TournamentRules
from engine.vocabulary.citations import CROWN
from engine.vocabulary.facts import Fact

at = CROWN.at

DEMANDS = (
    Demand(at("15.4.1(a)(i)"), "when it takes place"),
    Demand(
        at("15.4.1(a)(ii)"), "entry fee, buy-in, re-buy and add-on", unless="nothing is paid", aspect=Aspect.PAID_ENTRY
    ),
    Demand(at("15.4.1(a)(iii)"), "the fewest and the most players"),
    Demand(at("15.4.1(a)(iv)"), "where it takes place"),
    Demand(
        at("15.4.1(b)"), "that the Tournament Director may move the start of a round or session with reasonable notice"
    ),
    Demand(at("15.4.1(c)"), "that the regulator is told of changed details before the tournament"),
    Demand(at("15.4.2(a)(i)"), "that taking part accepts the terms"),
    Demand(at("15.4.2(a)(ii)"), "that only persons entitled to be and to gamble in the casino may enter"),
    Demand(at("15.4.2(a)(iii)"), "that any application may be refused", unless="no such right is reserved"),
    Demand(at("15.4.2(a)(iv)"), "the criteria by which players are selected", unless="none are applied"),
    Demand(
        at("15.4.2(a)(v)"),
        "that employees may take part with approval, and win no prize",
        unless="it is no charitable or media event",
        aspect=Aspect.SPECIAL_EVENT,
    ),
    Demand(at("15.4.2(b)(i)"), "that players abide by the terms or risk disqualification"),
    Demand(at("15.4.2(b)(ii)"), "how the terms are made available"),
    Demand(at("15.4.2(b)(iii)"), "that players sign a copy", unless="the Tournament Director does not require it"),
    Demand(at("15.4.2(c)"), "how one enters"),
    Demand(at("15.4.2(d)"), "the terms of entry, with the time for withdrawing or naming a substitute"),
    Demand(at("15.4.3(a)(i)"), "how many rounds or sessions there are and how long, or how that is found"),
    Demand(at("15.4.3(a)(ii)"), "how many tables are active in each, or how that is found"),
    Demand(
        at("15.4.3(a)(iii)"), "how players go on from one to the next", unless="there is only one", aspect=Aspect.STAGES
    ),
    Demand(
        at("15.4.3(a)(iv)"),
        "how and when an eliminated player may buy back",
        unless="nobody may",
        aspect=Aspect.BUY_BACK,
    ),
    Demand(
        at("15.4.3(a)(v)"),
        "how one qualifies for a secondary round, or that the Tournament Director may decide on one",
        unless="none is offered",
    ),
    Demand(at("15.4.3(b)"), "that all start with the same bank of chips, told beforehand"),
    Demand(at("15.4.3(c)"), "what becomes of the chips at the end", unless="it does not arise"),
    Demand(at("15.4.4(a)"), "the chips used, other than cash chips"),
    Demand(
        at("15.4.4(b)"), "the least or compulsory wager of a hand", unless="there is none", aspect=Aspect.LEAST_WAGER
    ),
    Demand(
        at("15.4.4(c)"),
        "how many secret wagers are allowed and how one is made",
        unless="none are",
        aspect=Aspect.SECRET_WAGERS,
    ),
    Demand(at("15.4.5(a)"), "how players are eliminated"),
    Demand(at("15.4.6(a)"), "how the winners are found"),
    Demand(at("15.4.7(a)"), "the prize pool or how it is worked out"),
    Demand(at("15.4.7(b)"), "how it is distributed"),
    Demand(at("15.4.8(a)(i)"), "when a player may be penalised, and how"),
    Demand(at("15.4.8(a)(ii)"), "when a player may be disqualified"),
    Demand(at("15.4.8(a)(iii)"), "when a player may name a substitute"),
    Demand(at("15.4.8(a)(iv)"), "when an entry fee or buy-in is refunded"),
    Demand(at("15.4.8(b)(i)"), "what follows from coming late or not at all"),
    Demand(at("15.4.8(b)(ii)"), "what follows from absence"),
    Demand(at("15.4.8(b)(iii)"), "what follows from using a telephone or the like in play"),
    Demand(at("15.4.8(b)(iv)"), "what follows from naming a substitute"),
    Demand(at("15.4.8(b)(v)"), "what follows from disqualification, also for the player's chips"),
    Demand(at("15.4.8(b)(vi)"), "what follows from retiring"),
    Demand(at("15.4.8(c)"), "that it is run by the terms and the rules, and that the rules prevail"),
    Demand(at("15.4.8(d)(i)"), "that play at a table may end early once those who go on are known"),
    Demand(
        at("15.4.8(d)(ii)"),
        "that it may end early where chips become cash and all at the table agree",
        unless="chips do not become cash",
        aspect=Aspect.CHIPS_FOR_CASH,
    ),
    Demand(at("15.4.8(e)"), "that personal information is handled by the casino's privacy policy"),
    Demand(at("15.4.8(f)"), "that names and pictures may be used with the entrant's permission"),
    Demand(at("15.4.8(g)"), "that the Tournament Director conducts it under the terms and the rules"),
    Demand(at("15.4.8(h)"), "that the Tournament Director's decision of a dispute is final"),
    Demand(at("15.4.8(i)"), "that, as far as law permits, nobody is liable for losses from those decisions"),
    Demand(at("15.4.8(j)"), "that a patron's complaint is investigated by the regulator"),
)
"""In the order of rule 15.4."""

TOURNAMENT = TournamentRules(
    documented=at("15.2.1"),
    demands=DEMANDS,
    players=at("15.4.1(a)(iii)"),
    stages=at("15.4.3(a)(i)"),
    progression=at("15.4.3(a)(iii)"),
    same_bank=at("15.4.3(b)"),
    least=at("15.4.4(b)"),
    secret=at("15.4.4(c)"),
    buy_back=at("15.4.3(a)(iv)"),
    eliminated=at("15.4.5(a)"),
    winners=at("15.4.6(a)"),
    prizes=at("15.4.7(b)"),
    barred=Fact("employees win no prize; the next eligible player takes the place", at("15.4.2(a)(v)")),
    may_end=at("15.4.8(d)(i)"),
    director=Fact("the Tournament Director decides, finally", at("15.4.8(h)")),
    pays=SETTLEMENT.commission.rate,
)
