"""A key that is limited to a pit, at the port of a table of another pit or of none.

Accounts and keys go with the record, so they may have been made while its service still had pits.
"""

import re
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from service.access.accounts import Accounts
from service.access.roles import UserRole
from service.api.permissions import declared, routes_of
from service.record.changes import Attribution
from service.system.remote_settings import PitConfig
from tests.service.api.test_http import play, show
from tests.service.stand_ins import FakeReader, app_of, config

WHY = Attribution("test", "test")
HIDDEN = "round-of-the-table"
FILLED = {
    "table": "test",
    "round_id": HIDDEN,
    "entry": "1",
    "alarm": "0",
    "language": "en",
    "theme": "dark",
    "sha256": 64 * "0",
    "digest": 64 * "0",
    "name": "ann",
    "file": "settings.toml",
}


@pytest.fixture(params=[None, "east"], ids=["a table without a pit", "a table of another pit"])
def table(request: pytest.FixtureRequest) -> Iterator[TestClient]:
    """The service of one table that has played a round."""
    settings = config()
    if request.param is not None:
        tables = tuple(each.model_copy(update={"pit": request.param}) for each in settings.tables)
        pits = (PitConfig(name="east", title="East"), PitConfig(name="west", title="West"))
        settings = settings.model_copy(update={"tables": tables, "pits": pits})
    app = app_of(settings, reader=FakeReader(), watch=False)
    show(app)
    play(app, round_id=HIDDEN)
    with TestClient(app, base_url="http://localhost") as client:
        yield client


def test_nothing_of_the_table_is_shown(table: TestClient) -> None:
    accounts = Accounts(table.app.state.parts.record, pits=("west",))  # type: ignore[attr-defined]
    opened = [
        context.path or ""
        for context in routes_of(table.app)  # type: ignore[arg-type]
        if (need := declared(context)) is not None and need.permission is not None and "GET" in (context.methods or ())
    ]
    assert {"/v1/results", "/v1/rounds/{round_id}", "/v1/tables", "/v1/record/entries"} <= set(opened)
    answers_without_limit = 0
    for role in (UserRole.SUPERVISOR, UserRole.AUDITOR):  # the widest that read rounds
        headers = [
            {"Authorization": f"Bearer {accounts.add_key(f'{role.value} {len(pits)}', role, 1, WHY, pits)[1]}"}
            for pits in ((), ("west",))
        ]
        table.app.state.parts.access.accounts.reload()  # type: ignore[attr-defined]
        for path in opened:
            if path in {"/v1/events", "/readyz"}:  # of the one no end is seen, of the other 503 is the answer
                continue
            asked = re.sub(r"\{(\w+)(:path)?\}", lambda found: FILLED.get(found[1], "x"), path)
            whole, limited = (table.get(asked, headers=header, follow_redirects=False) for header in headers)
            assert limited.status_code < 500, (role, asked, limited.text)
            assert HIDDEN in asked or HIDDEN not in limited.text, (role, asked, limited.text[:2000])
            answers_without_limit += HIDDEN in whole.text
    assert answers_without_limit > 5  # else nothing hidden was asked for
