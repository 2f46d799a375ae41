"""What a browser keeps of how the pages are to look, and the templates in a language."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import RedirectResponse

from service.words.languages import translations

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

WEB: Final = Path(__file__).resolve().parent
THEME_COOKIE: Final = "houseway_theme"
THEMES: Final = ("light", "dark", "dim")
"""What a person may choose; without a choice the device says."""
_YEAR_S: Final = 365 * 24 * 3600


def templates_in(language: str) -> Environment:
    """The templates with their words in a language; a page adds what else it needs."""
    made = Environment(
        loader=FileSystemLoader(WEB / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
        auto_reload=False,  # a new program is a new start; no file is looked at for each page
    )
    made.install_gettext_translations(translations(language), newstyle=True)  # type: ignore[attr-defined]
    return made


def remembered(request: Request, cookie: str, choice: str | None, path: str) -> Response:
    """Lead back to a page, with what somebody chose kept by the browser; None changes nothing."""
    chosen = RedirectResponse(inside(path), status_code=303)
    if choice is not None:
        secure = request.url.scheme == "https"
        chosen.set_cookie(cookie, choice, max_age=_YEAR_S, httponly=True, samesite="strict", secure=secure)
    return chosen


def inside(path: str) -> str:
    """A path of this service, wherever the address that asked to go there points."""
    parsed = urlsplit(path)
    local = path.startswith("/") and not path.startswith(("//", "/\\")) and not (parsed.scheme or parsed.netloc)
    return path if local and path.isprintable() else "/"
