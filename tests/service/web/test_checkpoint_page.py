"""The checkpoint on the page: a code that a telephone reads, and the same as text."""

import io

import segno
import zxingcpp
from PIL import Image

from service.access.roles import UserRole
from service.record.checkpoints.checkpoint_store import newest_note
from service.record.checkpoints.note import read_note
from tests.service.api.test_http import play
from tests.service.stand_ins import FakeReader, app_of, config, person, signed_in


def test_the_newest_checkpoint_is_shown_as_code_and_text() -> None:
    app = app_of(config(), reader=FakeReader(), watch=False)
    with person(app) as client:
        play(app)
        note = newest_note(app.state.parts.record)
        assert note is not None
        page = client.get("/checkpoint")
        assert page.status_code == 200
        assert note.text.split("\n")[2].replace("+", "&#43;") in page.text.replace("+", "&#43;")
        address = f"/checkpoint/{note.checkpoint.seq}.svg"
        assert address in page.text
        code = client.get(address)
        assert code.headers["content-type"] == "image/svg+xml"
        assert b"<svg" in code.content
        assert client.get("/checkpoint/99999.svg").status_code == 404
    drawn = io.BytesIO()
    segno.make(note.text, error="m", micro=False, encoding="utf-8").save(drawn, kind="png", scale=6, border=4)
    (seen,) = zxingcpp.read_barcodes(Image.open(drawn))
    assert read_note(seen.text) == note


def test_who_sees_no_results_sees_no_checkpoint() -> None:
    app = app_of(config(), reader=FakeReader(), watch=False)
    with signed_in(app, UserRole.VIEWER) as client:
        assert client.get("/checkpoint").status_code == 403
        assert client.get("/v1/record/checkpoint").status_code == 403
