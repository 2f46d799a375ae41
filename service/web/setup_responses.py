"""Responses of the set-up and calibration pages: camera pictures, and the page shown while the service restarts."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np
from fastapi.responses import Response

from service.api.parts import cookie_of
from service.table.monitor.calibrating import CalibrationRefusedError
from service.table.setup.set_up import SettingsRefusedError

if TYPE_CHECKING:
    from fastapi.responses import HTMLResponse

    from service.record.changes import Attribution
    from service.system.settings import Config
    from service.system.settings_edit import Changes
    from service.web.templating import TablePage
    from vision.capture.images import Image


_QUALITY: Final = 88
_SHOWN_PX: Final = 1600


def jpeg(image: Image) -> Response:
    """A picture of this moment, (height, width, 3) uint8 BGR."""
    return Response(encoded(image), media_type="image/jpeg", headers={"Cache-Control": "no-store"})


def inline(image: Image) -> str:
    """A picture no wider than the page needs, as an address that holds it."""
    height, width = image.shape[:2]
    size = (_SHOWN_PX, round(height * _SHOWN_PX / width))
    shown = cv2.resize(image, size, interpolation=cv2.INTER_AREA) if width > _SHOWN_PX else image
    return f"data:image/jpeg;base64,{base64.b64encode(encoded(np.asarray(shown, np.uint8))).decode()}"


def encoded(image: Image) -> bytes:
    """A picture as a JPEG."""
    _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
    return data.tobytes()


def save_settings(
    page: TablePage, changes: Changes, because: Attribution, address: str | None = None, then: str = "setup"
) -> HTMLResponse:
    """Save settings, and go on with a page of the table; SettingsRefusedError, RecordUnavailableError."""
    return _restarting(page, page.table.setting_up.save(changes, because, address), then)


def name_calibration(page: TablePage, because: Attribution) -> HTMLResponse:
    """Name the first calibration in the settings, which were read without one; CalibrationRefusedError."""
    path = page.table.calibrating.path
    try:
        name = "" if path is None else path.name
        return save_settings(
            page, {page.table.setting_up.own_place().table: {"calibration": name}}, because, then="setup/places"
        )
    except SettingsRefusedError as error:
        raise CalibrationRefusedError(error.words) from None


def _restarting(page: TablePage, config: Config, then: str) -> HTMLResponse:
    """The page that continues automatically after the restart; people stay signed in.

    Args:
        page: that was sent.
        config: the new settings, in which the table may have another name.
        then: the page of the table to go on with.
    """
    table = page.table.setting_up.own_place().table_in(config)
    answer = page.answer("setup_wait.html", then=f"/tables/{table.name}/{then}".rstrip("/"))
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
