"""The API for people who write programs: what can be asked, with what, and what comes back."""

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from service.access.roles import Permission
from service.api.permissions import requires
from service.api.problems import PROBLEMS
from service.web.api_page import groups_of, shapes_of
from service.web.templating import PageDep

router = APIRouter(include_in_schema=False)


@router.get("/api", dependencies=[requires(Permission.WATCH)])
def read_api(page: PageDep) -> HTMLResponse:
    """The description of the API, from the document that programs get."""
    document = page.request.app.openapi()
    return page.answer("api.html", groups=groups_of(document), shapes=shapes_of(document), codes=PROBLEMS)
