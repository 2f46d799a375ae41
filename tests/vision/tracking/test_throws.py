"""Dice over time: what makes a throw count, and what puts it in doubt."""

from dataclasses import replace

import pytest

from tests.vision.tracking.laid_tables import HOUSE, THROWN, Table, backs, die, discards, hand
from vision.findings import Code, Finding
from vision.tracking.table_watch import Seen
from vision.tracking.throws import Throw


def _after_a_round() -> Table:
    """A table whose round is over, the dice put under the cup."""
    table = Table()
    table.see([], 4, THROWN)
    table.see(hand("house", HOUSE), 5, THROWN)
    table.see(discards(4), 8, THROWN)
    table.see(discards(4), 8)
    return table


def came_to_rest(seen: Seen, *, verified: bool | None = None) -> Throw:
    assert seen.throw is not None
    assert verified in {None, seen.throw.verified}
    return seen.throw


def test_dice_left_of_the_throw_before_are_no_throw() -> None:
    """The dealer picks them up one by one."""
    table = Table()
    table.see([], 4, THROWN)
    table.see(hand("house", HOUSE), 5, THROWN)
    table.see(discards(4), 8, THROWN)
    assert table.see(discards(4), 8, THROWN[:2]).throw is None
    assert table.see(discards(4), 8, THROWN[:1]).throw is None


def test_dice_of_which_an_arm_hides_some_are_no_other_throw() -> None:
    """In rare pictures those out of sight are forgotten before the next one."""
    table = Table(step_s=1.0)
    before = came_to_rest(table.see([], 4, THROWN), verified=True)
    table.see([], 2, THROWN[1:])
    assert came_to_rest(table.see([], 3, THROWN)).since_s == before.since_s


@pytest.mark.parametrize(("off_px", "other", "lie"), [(0.0, None, True), (6.0, None, False), (0.0, 6, False)])
def test_dice_that_were_hidden_lie_as_thrown_only_at_exactly_their_places(
    off_px: float, other: int | None, *, lie: bool
) -> None:
    table = Table(step_s=1.0)
    table.see([], 4, THROWN)
    table.see([], 1)
    again = [
        replace(
            each,
            value=other or each.value,
            polygon=tuple((x + off_px, y) for x, y in each.polygon),  # type: ignore[arg-type]
        )
        for each in THROWN
    ]
    table.see([], 3, again)
    assert table.watch.dice_lie is lie


def test_unfit_pictures_leave_a_verified_throw_verified() -> None:
    table = Table()
    thrown = [die(value, 40.0 * value) for value in (2, 3, 5)]
    before = came_to_rest(table.see([], 5, thrown), verified=True)
    other = [replace(die(6, 300.0 + 40.0 * n), status="uncertain") for n in range(3)]
    assert table.see([], 12, other, wrong="drifted").throw == before
    assert table.see([], 12, other).throw != before


class TestThrows:
    def test_dice_count_once_they_lie_still(self) -> None:
        table = Table()
        assert table.see([], 2).throw is None
        throw = came_to_rest(table.see([], 3, THROWN), verified=True)
        assert [each.value for each in throw.dice] == [3, 5, 1, 2]

    @pytest.mark.parametrize(
        ("pictures", "roles"),
        [
            pytest.param("????tttttttttttt", "box box box cut", id="not known while the cup was lifted"),
            pytest.param("t???????????????", None, id="known in one picture"),
            pytest.param("t?t?t?t?t?t?t?t?", None, id="known in every other picture"),
            pytest.param("txtxtxtxtxtxtxtx", None, id="read in two ways"),
        ],
    )
    def test_doubtful_roles_make_no_value_doubtful(self, pictures: str, roles: str | None) -> None:
        table = Table()
        looks = {"t": THROWN, "?": [replace(each, role=None) for each in THROWN]}
        looks["x"] = [replace(each, role="box" if each.role == "cut" else "cut") for each in THROWN]
        for picture in pictures:
            seen = table.see([], 1, looks[picture])
        throw = came_to_rest(seen, verified=True)
        assert [each.value for each in throw.dice] == [3, 5, 1, 2]
        assert [each.role for each in throw.dice] == ([None] * 4 if roles is None else roles.split())

    @pytest.mark.parametrize(
        ("doubt", "other", "verified"),
        [
            pytest.param(Code.VALUE_LOW_CONFIDENCE, None, True, id="unsure of the value in every other picture"),
            pytest.param(Code.VALUE_LOW_CONFIDENCE, 6, False, id="another value in every other picture"),
            pytest.param(Code.DIE_MAY_LEAN, None, False, id="may lean in every other picture"),
        ],
    )
    def test_a_picture_unsure_of_a_value_does_not_outvote_others(
        self, doubt: Code, other: int | None, *, verified: bool
    ) -> None:
        table = Table()
        unsure = [
            replace(each, status="uncertain", value=other or each.value, doubts=(Finding(doubt),)) for each in THROWN
        ]
        for picture in "tututututututu":
            seen = table.see([], 1, THROWN if picture == "t" else unsure)
        came_to_rest(seen, verified=verified)

    def test_untouched_dice_that_show_other_values_are_doubted(self) -> None:
        table = Table()
        came_to_rest(table.see([], 5, THROWN), verified=True)
        table.see([], 6)
        came_to_rest(table.see([], 8, [die(6, 0), *THROWN[1:]]), verified=False)

    def test_a_leaning_die_is_found_and_the_next_throw_counts(self) -> None:
        table = Table()
        throw = came_to_rest(table.see([], 8, [*THROWN[:2], die(1, 120, cocked=True), THROWN[3]]), verified=False)
        assert "cocked_die" in {finding.code for finding in table.watch.seen.findings}
        assert [doubt.code for doubt in throw.dice[2].doubts if "lean" in doubt.code] == [Code.DIE_LEANS]
        table.see([], 6)
        came_to_rest(table.see([], 4, [die(4, 10), die(4, 75), die(6, 140), die(2, 200, "cut")]), verified=True)

    def test_stacked_dice_are_not_verified(self) -> None:
        came_to_rest(Table().see([], 8, [die(3, 0), die(5, 8), die(1, 120)]), verified=False)

    def test_dice_that_a_cup_hides_in_part_are_no_whole_throw(self) -> None:
        table = Table()
        table.see(backs("house"), 3, dice=THROWN[2:])
        seen = table.see(backs("house"), 8, dice=THROWN[2:])
        came_to_rest(seen, verified=False)
        seen = table.see(backs("house"), 8, dice=THROWN)
        assert len(came_to_rest(seen, verified=True).dice) == 4

    def test_the_dice_of_the_round_before_are_no_throw(self) -> None:
        table = Table()
        table.see([], 4, THROWN)
        table.see(hand("house", HOUSE), 5, THROWN)
        assert table.see(discards(4), 6, THROWN).throw is None or table.watch.seen.over
        table.see(discards(4), 2, THROWN)
        table.see(discards(4), 8)
        one_misread = [die(4, 0), *THROWN[1:]]
        for dice in (THROWN, one_misread):
            assert table.see(discards(4), 8, dice).throw is None

    def test_dice_where_older_dice_lay_are_a_throw_if_they_differ(self) -> None:
        table = _after_a_round()
        throw = came_to_rest(table.see(discards(4), 8, [die(6, 0), die(4, 60), die(1, 120, cocked=True), THROWN[3]]))
        assert [(each.value, each.cocked) for each in throw.dice] == [(6, False), (4, False), (1, True), (2, False)]

    @pytest.mark.parametrize(("values", "known"), [((6, 2, 4), True), ((6, 5, 4), False)])
    def test_dice_where_a_die_leaned_are_a_throw_if_all_differ(self, values: tuple[int, ...], *, known: bool) -> None:
        table = Table()
        leaning = replace(die(1, 120), surely_cocked=True, status="uncertain", doubts=(Finding(Code.DIE_LEANS),))
        before = [die(3, 0), die(5, 60), leaning]
        table.see([], 8, before)
        table.see(hand("house", HOUSE), 5, before)
        table.see(discards(4), 8, before)
        table.see(discards(4), 8)
        seen = table.see(discards(4), 8, [die(value, 60.0 * n) for n, value in enumerate(values)])
        assert (seen.throw is not None) is known

    def test_a_leaning_die_and_another_value_show_a_new_throw(self) -> None:
        table = _after_a_round()
        leaning = die(1, 120, cocked=True)
        # Of a flat die the light may say now this, now that.
        assert table.see(discards(4), 8, [*THROWN[:2], leaning, THROWN[3]]).throw is None
        table.see(discards(4), 8)
        came_to_rest(table.see(discards(4), 8, [die(6, 0), THROWN[1], leaning, THROWN[3]]))
        assert "cocked_die" in {finding.code for finding in table.watch.seen.findings}

    def test_a_die_that_may_lean_is_not_verified_and_alarms_nobody(self) -> None:
        table = Table()
        seems = replace(die(6, 0, cocked=True), surely_cocked=False)
        seen = table.see([], 10, [seems, *THROWN[1:]])
        assert seen.throw is not None
        assert [(each.cocked, each.status) for each in seen.throw.dice][:2] == [
            (False, "uncertain"),
            (False, "verified"),
        ]
        assert not seen.findings
        table = Table()
        table.see([], 1, [die(6, 0), *THROWN[1:]])
        seen = table.see([], 8, [die(6, 0, cocked=True), *THROWN[1:]])
        came_to_rest(seen, verified=False)
        assert not seen.findings
        seen = Table().see([], 10, [die(6, 0, cocked=True), *THROWN[1:]])
        assert [finding.code for finding in seen.findings] == ["cocked_die"]
