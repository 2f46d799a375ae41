"""Signing in with the identity provider: to its page and back, and out of it."""

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from service.access.sign_in_steps import SignOnError
from service.api.authentication import SIGN_IN
from service.api.parts import step_cookie_of
from service.api.permissions import PUBLIC
from service.api.problems import ProblemError
from service.web.looks import inside
from service.web.routes.sign_in import capitalised, sign_in_page, signed_in, site_of, visit_of, with_step
from service.web.templating import Page, PageDep
from service.words.wording import words

if TYPE_CHECKING:
    from service.access.single_sign_on import SingleSignOn

router = APIRouter(include_in_schema=False)

_BACK = "/sign-in/oidc/callback"


@router.get("/sign-in/oidc", dependencies=[PUBLIC])
async def begin(page: PageDep, next: Annotated[str, Query(max_length=200)] = "/") -> Response:  # noqa: A002
    """Lead to the identity provider's page."""
    try:
        secret, at = await _of(page).start(site_of(page).origin + _BACK, visit_of(page), inside(next))
    except SignOnError as error:
        return await run_in_threadpool(sign_in_page, page, next, capitalised(error), 503)
    return with_step(page, RedirectResponse(at, status_code=303), secret)


@router.get(_BACK, dependencies=[PUBLIC])
async def come_back(request: Request, page: PageDep) -> Response:
    """Take whoever comes back from there."""
    single = _of(page)
    secret = request.cookies.get(step_cookie_of(page.parts.cookie), "")
    try:
        found = await single.finish(secret, dict(request.query_params))
    except SignOnError as error:
        return await run_in_threadpool(sign_in_page, page, "/", capitalised(error), 401)
    return await run_in_threadpool(signed_in, page, found.session, found.path)


@router.get("/sign-in/oidc/sign-out", dependencies=[PUBLIC])
async def leave(page: PageDep) -> Response:
    """Lead to where one signs out of the identity provider too."""
    try:
        at = await _of(page).provider.sign_out_page(site_of(page).origin + SIGN_IN)
    except SignOnError as error:
        return await run_in_threadpool(sign_in_page, page, "/", capitalised(error), 503)
    return RedirectResponse(at or SIGN_IN, status_code=303)


def _of(page: Page) -> "SingleSignOn":
    if (single := page.parts.access.single_sign_on) is None:
        raise ProblemError("not_found", words("There is nothing at this path."))
    return single
