"""The telephones of a person's account, which are notified of alarms; and what makes the page an installed app."""

from typing import Annotated

from fastapi import APIRouter, Path
from fastapi.responses import RedirectResponse, Response
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from service.access.roles import Permission
from service.api.parts import telephone_cookie_of
from service.api.permissions import PUBLIC, PersonDep, requires
from service.api.problems import ProblemError
from service.web.rendering import WEB
from service.web.routes.sign_in import site_of
from service.web.templating import PageDep
from service.words.languages import translations
from service.words.wording import sentence, words

router = APIRouter(include_in_schema=False)

_MAY = requires(Permission.ACKNOWLEDGE)
_KEPT_S = 365 * 24 * 3600
_WORKS = sentence("Notifications are on.")


class Keys(BaseModel):
    """The keys of a subscription, base64url."""

    p256dh: Annotated[str, Field(max_length=100)]
    auth: Annotated[str, Field(max_length=40)]


class Subscription(BaseModel):
    """A browser's push subscription, as it writes it."""

    endpoint: Annotated[str, Field(max_length=2000)]
    keys: Keys


@router.get("/worker.js", dependencies=[PUBLIC])
def read_worker() -> Response:
    """The script that shows notifications; at the root, since a browser lets it act for pages below its path only."""
    return Response((WEB / "static" / "worker.js").read_bytes(), media_type="text/javascript")


@router.get("/account/telephones/key", dependencies=[_MAY])
def read_key(page: PageDep) -> dict[str, str]:
    """The public key that a browser subscribes with."""
    return {"key": page.parts.push.public_key()}


@router.post("/account/telephones", dependencies=[_MAY])
async def add_telephone(page: PageDep, person: PersonDep, sent: Subscription) -> Response:
    """Turn on notifications from now on, if a first message reaches its push service."""
    push, telephones = page.parts.push, page.parts.access.telephones
    keys = {"endpoint": sent.endpoint, "p256dh": sent.keys.p256dh, "auth": sent.keys.auth}
    if not push.accepts(**keys):
        raise ProblemError("not_valid", words("This is not a push subscription of a browser."))
    agent = page.request.headers.get("user-agent", "")
    telephone = telephones.new(person.id, **keys, site=site_of(page).host, language=page.language, browser=agent)
    text = translations(page.language).gettext(_WORKS)
    message = {"tag": "added", "title": page.parts.title, "body": text, "url": "/account#telephones"}
    if await push.send(telephone, message) != "taken":
        raise ProblemError(
            "not_ready",
            words("The browser's push service cannot be reached from here: this needs the Internet (port 443)."),
        )
    await run_in_threadpool(telephones.add, telephone)
    added = Response(status_code=204)
    secure, name = page.request.url.scheme == "https", telephone_cookie_of(page.parts.cookie)
    added.set_cookie(name, telephone.id, max_age=_KEPT_S, httponly=True, samesite="lax", secure=secure)
    return added


@router.post("/account/telephones/{telephone_id}/remove", dependencies=[_MAY])
def remove_telephone(page: PageDep, person: PersonDep, telephone_id: Annotated[str, Path(max_length=40)]) -> Response:
    """Turn off a telephone any more."""
    page.parts.access.telephones.remove(telephone_id, person.id)
    return RedirectResponse("/account#telephones", status_code=303)
