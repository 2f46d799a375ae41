"""Text of people and settings on pages: a script in a name, a reason or a note is shown and never runs."""

import re

from service.access.roles import UserRole
from service.api.permissions import declared, routes_of
from tests.service.api.test_http import play, show
from tests.service.stand_ins import FakeReader, app_of, config, person, with_table
from tests.service.web.test_deciding import DOUBTFUL

SCRIPT = "<script>alert(1)</script>"
QUOTED = '" onmouseover="alert(1)'
FILLED = {"table": "test", "round_id": "r1", "name": "ann", "language": "en", "theme": "dark", "entry": "1"}


def test_no_text_of_a_person_runs_on_any_page() -> None:
    app = app_of(with_table(config(), title=f"{SCRIPT}{QUOTED}"), reader=FakeReader(), watch=False)
    show(app)
    with person(app, UserRole.ADMIN) as client:
        play(app, DOUBTFUL, "r1")
        told = {"action": "confirm", "reason": f"{SCRIPT} {QUOTED}", "revision": 1}
        answer = client.post("/v1/rounds/r1/review", json=told)
        assert answer.status_code == 200, answer.text
        shown = 0
        for route in routes_of(app):
            if (need := declared(route)) is None or need.permission is None or "GET" not in (route.methods or ()):
                continue
            path = re.sub(r"\{(\w+)(:path)?\}", lambda found: FILLED.get(found[1], "x"), route.path or "")
            if path.startswith(("/v1", "/readyz")):
                continue
            page = client.get(path, headers={"Accept": "text/html"})
            if page.headers.get("content-type", "").startswith("text/html"):
                assert SCRIPT not in page.text, path
                assert QUOTED not in page.text, path
                shown += "alert(1)" in page.text
        assert shown > 5
