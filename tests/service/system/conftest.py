import pytest

from service.system.settings import SECRETS


@pytest.fixture(autouse=True)
def _no_secrets_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in SECRETS.values():
        monkeypatch.delenv(variable, raising=False)
        monkeypatch.delenv(f"{variable}_FILE", raising=False)
