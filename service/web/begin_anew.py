"""Answers that go with settings changed in the page: the service begins anew, and the page waits for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.api.parts import cookie_of
from service.table.monitor.calibrating import CalibrationRefusedError
from service.table.setup.set_up import SettingsRefusedError

if TYPE_CHECKING:
    from fastapi.responses import HTMLResponse

    from service.record.changes import Attribution
    from service.system.settings import Config
    from service.system.settings_edit import Changes
    from service.web.templating import TablePage


def save(
    page: TablePage, changes: Changes, because: Attribution, address: str | None = None, then: str = "setup"
) -> HTMLResponse:
    """Save settings, and go on with a page of the table; SettingsRefusedError, RecordUnavailableError."""
    return waiting(page, page.table.setting_up.save(changes, because, address), then)


def name_calibration(page: TablePage, because: Attribution) -> HTMLResponse:
    """Name the first calibration in the settings, which were read without one; CalibrationRefusedError."""
    path = page.table.calibrating.path
    try:
        name = "" if path is None else path.name
        return save(
            page, {page.table.setting_up.own_place().table: {"calibration": name}}, because, then="setup/places"
        )
    except SettingsRefusedError as error:
        raise CalibrationRefusedError(error.words) from None


def waiting(page: TablePage, config: Config, then: str) -> HTMLResponse:
    """A page that goes on by itself once the service has begun anew; who is signed in stays so.

    Args:
        page: that was sent.
        config: the new settings, in which the table may have another name.
        then: the page of the table to go on with.
    """
    table = page.table.setting_up.own_place().table_in(config)
    answer = page.answer("setup_wait.html", then=f"/tables/{table.name}/{then}")
    secret = page.request.cookies.get(cookie_of(page.parts.config))
    if secret is not None and cookie_of(config) != cookie_of(page.parts.config):
        answer.set_cookie(
            cookie_of(config),
            secret,
            max_age=page.parts.access.sessions.lasts_s,
            httponly=True,
            samesite="lax",
            secure=page.request.url.scheme == "https",
        )
    return answer
