"""A candidate put in use by a person: recorded, taken back, and refused where it is worse."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from calibration.files.seal import replace_file
from service.record.store.entries import CHANGES, Draft, RecordUnavailableError
from service.system.settings import Config
from service.table.doctor import program_checks
from service.table.learning.adoption import PUT_BACK, PUT_IN_USE, adopt, objections, revert
from service.table.learning.shadow_reading import ShadowReport, report_path
from service.table.learning.tile_model import ModelChoice, own_tiles
from tests.service.table.learning.tables import BECAUSE, WEIGHTS, alike, record_of, table, worse
from vision.learning.comparison import Figures
from vision.learning.errors import LearningError
from vision.networks.classifier import TILE_MODEL
from vision.networks.model_card import ModelError, sha256_of
from vision.reader import Reader

READ = Figures(crops=500, right=490, sure=480, wrong=2, surely_wrong=0)


def _reported(settings: Config, candidate: Path, **told: object) -> None:
    """Write the report of shadow reading after a good day, with ``told`` replaced."""
    new, old = sha256_of(candidate / TILE_MODEL), sha256_of(WEIGHTS / TILE_MODEL)
    day = {"candidate": new, "used": old, "started_at": datetime(2026, 3, 1, tzinfo=UTC), "watched_s": 25 * 3600.0}
    report = ShadowReport.model_validate({**day, "candidate_figures": READ, "used_figures": READ, **told})
    replace_file(
        report_path(settings.models_folder, settings.table.name, new, old),
        json.dumps(report.model_dump(mode="json")).encode(),
    )


def test_a_candidate_is_put_in_use_and_back_again(tmp_path: Path) -> None:
    settings, candidate = table(shadow_hours=0), alike(tmp_path / "new")
    record = record_of(settings)
    assert own_tiles(settings.models_folder) is None
    taken = adopt(settings, record, candidate, WEIGHTS, BECAUSE)
    in_use = own_tiles(settings.models_folder)
    assert in_use is not None
    assert sha256_of(in_use / TILE_MODEL) == taken.sha256 == sha256_of(candidate / TILE_MODEL)
    read_by = Reader.load(tiles=in_use).versions
    assert read_by["tiles"] == f"sha256:{taken.sha256}"
    assert read_by["detector"] == Reader.load().versions["detector"]
    assert taken.sha256[:8] in str(program_checks.models(own=settings.models_folder).message)
    assert revert(settings, record, BECAUSE) is None
    assert own_tiles(settings.models_folder) is None
    noted = [entry.data for entry in record.after(0, kinds=CHANGES)]
    assert [(each["act"], each["by"], each["reason"]) for each in noted] == [
        (PUT_IN_USE, "A. Person", "to be tested"),
        (PUT_BACK, "A. Person", "to be tested"),
    ]
    assert (noted[0]["before"], noted[0]["now"]) == (noted[1]["now"], noted[1]["before"]) == (None, taken.sha256)
    record.close()


def test_back_goes_to_the_model_before(tmp_path: Path) -> None:
    settings = table(shadow_hours=0)
    record = record_of(settings)
    first = adopt(settings, record, alike(tmp_path / "one"), WEIGHTS, BECAUSE)
    adopt(settings, record, alike(tmp_path / "two", 2e-6), WEIGHTS, BECAUSE)
    assert revert(settings, record, BECAUSE) == first
    assert [each.sha256 for each in ModelChoice(settings.models_folder).adoptions()] == [first.sha256]
    revert(settings, record, BECAUSE)
    with pytest.raises(LearningError, match="the shipped model is in use"):
        revert(settings, record, BECAUSE)
    record.close()


def test_a_worse_candidate_is_not_taken(tmp_path: Path) -> None:
    settings = table(shadow_hours=0)
    record = record_of(settings)
    with pytest.raises(LearningError, match="worse on the shipped crops"):
        adopt(settings, record, worse(tmp_path / "new"), WEIGHTS, BECAUSE)
    assert own_tiles(settings.models_folder) is None
    assert record.after(0, kinds=CHANGES) == ()
    record.close()


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({"watched_s": 3600.0}, "1.0 of 24 hours"),
        ({"candidate_figures": Figures(150, 150, 150, 0, 0)}, "150 of at least 200 tiles"),
        ({"only_used": 30, "only_candidate": 5}, "worse in shadow reading: of 500 tiles 30 were correct"),
        ({"candidate_figures": Figures(500, 490, 480, 2, 1)}, "1 are confidently wrong instead of 0"),
        ({"only_used": 5, "only_candidate": 3}, None),
        ({}, None),
    ],
)
def test_a_day_beside_the_model_in_use_is_needed(tmp_path: Path, told: dict[str, object], why: str | None) -> None:
    settings, candidate = table(), alike(tmp_path / "new")
    assert objections(settings, candidate, WEIGHTS) == (
        "it has not read beside the model in use: set models.shadow to its folder for 24 hours",
    )
    _reported(settings, candidate, **told)
    found = objections(settings, candidate, WEIGHTS)
    assert len(found) == (why is not None)
    assert why is None or why in found[0]


def test_what_was_not_refined_here_is_refused(tmp_path: Path) -> None:
    settings = table(shadow_hours=0)
    assert "it is no candidate" in objections(settings, WEIGHTS, WEIGHTS)[0]
    altered = alike(tmp_path / "altered")
    (altered / TILE_MODEL).write_bytes((altered / TILE_MODEL).read_bytes() + b" ")
    with pytest.raises(ModelError, match="was altered"):
        objections(settings, altered, WEIGHTS)
    with pytest.raises(ModelError, match="is missing"):
        objections(settings, tmp_path / "nowhere", WEIGHTS)


def test_a_candidate_of_another_shipped_model_is_refused(tmp_path: Path) -> None:
    from dataclasses import replace  # noqa: PLC0415

    from vision.networks.model_card import card_path, read_card  # noqa: PLC0415

    candidate = alike(tmp_path / "new")
    path = card_path(candidate / TILE_MODEL)
    card = read_card(path)
    replace(card, training={**card.training, "began_with": "0" * 64}).write(path)
    assert "another shipped model" in objections(table(shadow_hours=0), candidate, WEIGHTS)[0]


def test_what_cannot_be_recorded_is_not_put_in_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = table(shadow_hours=0)
    record = record_of(settings)

    def refuse(draft: Draft) -> None:
        del draft
        raise RecordUnavailableError(record.state.finding) from None

    monkeypatch.setattr(record, "append", refuse)
    with pytest.raises(RecordUnavailableError):
        adopt(settings, record, alike(tmp_path / "new"), WEIGHTS, BECAUSE)
    assert own_tiles(settings.models_folder) is None
    record.close()


def test_a_kill_while_a_model_is_copied_leaves_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = table(shadow_hours=0)
    record = record_of(settings)
    candidate = alike(tmp_path / "new")

    def killed(path: Path, data: bytes) -> None:
        del path, data
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("service.table.learning.tile_model.write_durably", killed)
        with pytest.raises(KeyboardInterrupt):
            adopt(settings, record, candidate, WEIGHTS, BECAUSE)
    assert own_tiles(settings.models_folder) is None
    assert list(settings.models_folder.iterdir()) == []
    assert adopt(settings, record, candidate, WEIGHTS, BECAUSE).sha256 == sha256_of(candidate / TILE_MODEL)
    record.close()


def test_a_model_in_use_that_is_gone_is_told(tmp_path: Path) -> None:
    settings = table(shadow_hours=0)
    record = record_of(settings)
    adopt(settings, record, alike(tmp_path / "new"), WEIGHTS, BECAUSE)
    in_use = own_tiles(settings.models_folder)
    assert in_use is not None
    (in_use / TILE_MODEL).unlink()
    with pytest.raises(LearningError, match="houseway models take --previous"):
        own_tiles(settings.models_folder)
    assert program_checks.models(own=settings.models_folder).level == "fail"
    revert(settings, record, BECAUSE)
    assert own_tiles(settings.models_folder) is None
    record.close()
