"""The places of a round that a person must look at."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from service.record.projections.causes import causes_of_round, places_to_review
from service.rounds.judge.rules_in_force import TableRules
from service.rounds.reports import RoundMoment
from tests.service.stand_ins import hand, reading, report_round, revisions
from vision.findings import Code, Finding


@pytest.mark.parametrize(
    ("place", "moment", "places"),
    [
        ("house", None, ()),
        ("house", "no-hand-exposed", ()),
        ("house", "first-hand-exposed", ()),
        ("house", "bank-put-away", ("house",)),
        ("box2", "bank-put-away", ()),
    ],
)
def test_a_doubt_about_the_house_hand_waits_for_pictures_only_until_its_tiles_are_put_away(
    place: str, moment: RoundMoment | None, places: tuple[str, ...]
) -> None:
    doubtful = replace(hand(place, "6-1 5-3", "6-6 6-3", "uncertain"), doubts=(Finding(Code.GLARE),))
    (seen,) = revisions("r1", datetime.now(UTC), reading(doubtful))
    played = seen.model_copy(update={"moment": moment})
    report = report_round(played, table="test", rules=TableRules.of("crown-6.1"), versions={})
    assert report.places_in_doubt == (place,)
    assert places_to_review(report) == places
    assert [each.kind for each in causes_of_round(report)] == ["needs_review"] * len(places)
