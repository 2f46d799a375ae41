"""The API's description for people says what the document says."""

import re

from service.access.roles import UserRole
from service.api.problems import PROBLEMS
from tests.service.stand_ins import FakeReader, app_of, config, person


def test_it_shows_every_operation_schema_and_code() -> None:
    app = app_of(config(), reader=FakeReader(), watch=False)
    document = app.openapi()
    with person(app, UserRole.VIEWER) as client:
        page = client.get("/api").text
        assert 'href="/api"' in client.get("/").text
    named = set(re.findall(r'id="(\w+)"', page))
    operations = {one["operationId"] for methods in document["paths"].values() for one in methods.values()}
    assert operations <= named
    assert document["components"]["schemas"].keys() <= named
    assert set(re.findall(r'href="#([\w-]+)"', page)) <= set(re.findall(r'id="([\w-]+)"', page))
    assert all(f"<code>{code}</code>" in page for code in PROBLEMS)
    assert not re.findall(r'(?:src|href)="https?:', page)
