"""How somebody wants the pages: in which language, and how bright."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from service.access.roles import Permission
from service.api.permissions import requires
from service.web.looks import THEME_COOKIE, THEMES, remembered
from service.words import languages

router = APIRouter(include_in_schema=False)

_WATCH = requires(Permission.WATCH)

Next = Annotated[str, Query(max_length=500, alias="next")]


@router.get("/language/{language}", dependencies=[_WATCH])
def choose_language(request: Request, language: str, then: Next = "/") -> Response:
    """Remember the language that somebody chose."""
    return remembered(request, languages.COOKIE, language if language in languages.LANGUAGES else None, then)


@router.get("/theme/{theme}", dependencies=[_WATCH])
def choose_theme(request: Request, theme: str, then: Next = "/") -> Response:
    """Remember how bright the page is to be; ``device`` leaves it to the device."""
    return remembered(request, THEME_COOKIE, theme if theme in (*THEMES, "device") else None, then)
