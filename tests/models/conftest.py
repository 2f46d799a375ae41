"""A bank that the tests of training share."""

import pytest

from models.training_bank import TrainingBank, open_bank
from tests.models.simple_bank import write_simple_bank


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> TrainingBank:
    folder = tmp_path_factory.mktemp("bank")
    write_simple_bank(folder, 24, seed=4)
    return open_bank(folder)
