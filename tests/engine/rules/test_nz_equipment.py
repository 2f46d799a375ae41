"""New Zealand, sections 1, 3, 4 and 8 and rules 10.15 to 10.17: what the game is played with, and its checks."""

import pytest

from engine.books.registry import rulebook
from engine.errors import DiceError, TableError
from engine.round import Before, Setup, Table
from engine.vocabulary.cuts import Cut
from engine.vocabulary.dice import COCKED, Cup, Face
from engine.vocabulary.facts import Bank
from tests.engine.round.golden import FULL, event
from tests.engine.rules.nz_uk import check_event, check_refusal
from tests.engine.rules.tables import opened, rows

NZ = rulebook("nz-1998")
UNCHECKED = Before()
SWAPPED = FULL.replace("6-6,6-6,1-1,1-1", "1-1,1-1,6-6,6-6")
CHECKED = f"tiles-checked tiles={FULL} by=game_supervisor"


def test_only_approved_cuts_are_made() -> None:
    """nz-1998 1.0 Approved Cut: named in Appendix 5 *and* approved for the casino."""
    lines = ("house-banks", "shuffled", "stacked", "bets-closed", "dice-shaken by=dealer")
    log = opened("nz-1998", *lines, table=Table(cuts=frozenset({Cut.YAT_DONG_DONG, Cut.CHINA_BANK})))
    check_refusal(log.refusal(event("cut-named cut=China_Bank by=supervisor")), "nz-1998 1.0 Approved Cut", "allowed")
    check_refusal(log.refusal(event("cut-named cut=Cup_Say by=supervisor")), "nz-1998 1.0 Approved Cut", "refused")


@pytest.mark.parametrize("face", [0, 7, -1])
def test_a_die_shows_dots(face: int) -> None:
    """nz-1998 3.3(b)(ii): a face is marked by 1 to 6 dots."""
    with pytest.raises(DiceError, match=r"\(nz-1998 3\.3\(b\)\(ii\)\)"):
        NZ.dice.read(Cup((face, 1, 1)), Bank.HOUSE)


@pytest.mark.parametrize("dice", [(1, 2), (1, 2, 3, 4), ()])
def test_three_dice_find_the_box(dice: tuple[Face, ...]) -> None:
    """nz-1998 3.3(b): a set of three, and no other die lies with them."""
    with pytest.raises(DiceError, match=r"\(nz-1998 3\.3\(b\)\)"):
        NZ.dice.read(Cup(dice), Bank.HOUSE)
    with pytest.raises(DiceError, match=r"no cut die.*\(nz-1998 3\.3\(b\)\)"):
        NZ.dice.read(Cup((1, 2, 3), cut=COCKED), Bank.HOUSE)


@pytest.mark.parametrize("value", range(-6, 7))
def test_two_buttons(value: int) -> None:
    """nz-1998 3.3(d): one marked +4 and the other -4."""
    if value in {-4, 0, 4}:
        NZ.dice.check_button(value, Bank.PLAYER)
        return
    with pytest.raises(DiceError, match=r"there are -4, \+4"):
        NZ.dice.check_button(value, Bank.PLAYER)


def test_eight_boxes() -> None:
    """nz-1998 3.2(a): neither more nor fewer."""
    for boxes in (7, 9):
        with pytest.raises(TableError, match=r"8 to 8 \(nz-1998 3\.2\(a\)\)"):
            Setup(NZ, Table(boxes=boxes))
    assert Setup(NZ, Table()).boxes == 8


@pytest.mark.parametrize(
    ("lines", "tried", "verdict"),
    [
        pytest.param([], "shuffled", "refused", id="not-checked"),
        pytest.param([], f"tiles-checked tiles={FULL} by=dealer", "refused", id="not-by-the-supervisor"),
        pytest.param([], f"tiles-checked tiles={SWAPPED} by=game_supervisor", "refused", id="not-in-rank-order"),
        pytest.param([], CHECKED, "allowed", id="by-the-supervisor"),
        pytest.param([], f"tiles-checked tiles={FULL} by=casino_operator", "allowed", id="by-one-above"),
        pytest.param([CHECKED], "shuffled", "refused", id="shown-until-a-player-comes"),
        pytest.param([CHECKED, "player-seated box=2 player=Ann"], "shuffled", "allowed", id="a-player-took-a-place"),
    ],
)
def test_opening_of_the_table(lines: list[str], tried: str, verdict: str) -> None:
    """nz-1998 8.0: checked tile by tile, shown in order of rank, checked by the supervisor, shown until a player."""
    log = opened("nz-1998", *lines, before=UNCHECKED)
    check_refusal(log.refusal(event(tried)), "nz-1998 8.0", verdict)


@pytest.mark.parametrize(
    ("lines", "tried", "rule", "verdict"),
    [
        # The operator directs it, after any round; the new tiles are checked and shown as in section 8.
        pytest.param([], "tiles-replaced ordered_by=casino_operator", "nz-1998 10.16", "allowed", id="operator"),
        pytest.param([], "tiles-replaced ordered_by=game_supervisor", "nz-1998 10.16", "refused", id="supervisor"),
        pytest.param(
            ["tiles-replaced ordered_by=casino_operator"], "shuffled", "nz-1998 10.16", "refused 8.0", id="unchecked"
        ),
        pytest.param(
            ["tiles-replaced ordered_by=casino_operator"], CHECKED, "nz-1998 10.16", "allowed", id="checked-again"
        ),
        # Between rounds the set may be laid out and checked again at any time, with every tile there.
        pytest.param([], CHECKED, "nz-1998 10.17", "allowed", id="before-it-leaves"),
        pytest.param(
            [],
            CHECKED.replace(",2-1", ""),
            "nz-1998 10.17",
            "refused 3.3(a)",
            id="one-missing-as-it-leaves",
        ),
        pytest.param([], CHECKED.replace("6-6,6-6", "6-6,6-6,6-6"), "nz-1998 3.3(a)", "refused", id="a-33rd-tile"),
    ],
)
def test_a_set_is_changed_or_taken_away(lines: list[str], tried: str, rule: str, verdict: str) -> None:
    before = Before(commencement=False, check_due=False, seats={2: "Ann"})
    log = opened("nz-1998", *lines, before=before)
    check_refusal(log.refusal(event(tried)), rule, verdict)


@pytest.mark.parametrize(
    ("rule", "bank", "before", "tried", "verdict"),
    rows("""
nz-1998 9.1  | house | shuffled | stacked                                   | refused
nz-1998 9.1  | house | stacked  | stacked                                   | allowed
nz-1998 9.1  | house | laja-done | stacked                                  | refused
nz-1998 10.16 | house | stacked | tiles-replaced ordered_by=casino_operator | refused 9.1
nz-1998 12.7 | house | laja-done | shuffled ordered_by=game_supervisor      | allowed
nz-1998 12.7 | house | laja-done | shuffled ordered_by=dealer               | refused
nz-1998 12.7 | house | laja-done | shuffled                                 | refused
"""),
)
def test_before_the_cut(rule: str, bank: str, before: str, tried: str, verdict: str) -> None:
    check_event(rule, bank, before, tried, verdict)
