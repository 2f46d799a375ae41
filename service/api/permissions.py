"""The permission of each route, declared with the route and checked before it runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, cast

from fastapi import Depends, Request
from fastapi.routing import iter_route_contexts

from service.access.access import Caller
from service.access.roles import OF_ALL_PITS, Permission
from service.api.problems import ProblemError
from service.words.wording import Words, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastapi import FastAPI
    from fastapi.routing import RouteContext

CSRF_HEADER = "X-CSRF-Token"
CSRF_FIELD = "csrf_token"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class Requirement:
    """The permission that a route requires, None for public routes; as a dependency, it checks the caller."""

    permission: Permission | None

    async def __call__(self, request: Request) -> None:
        """Refuse callers without the permission, and changes by session that did not come from our pages."""
        if self.permission is None:
            return
        caller = caller_of(request)
        if caller.pits and self.permission in OF_ALL_PITS:
            detail = words("This concerns the whole floor, but your account is limited to some pits.")
            raise ProblemError("not_allowed_for_pits", detail)
        if not caller.may(self.permission):
            detail = words(
                "The role %(role)s may not do this (%(permission)s); an administrator can give another role.",
                role=Words("'%(role)s'", {"role": Words(caller.role.value, {})}),
                permission=self.permission.value,
            )
            raise ProblemError("not_allowed_for_role", detail)
        if caller.session is not None and request.method not in SAFE_METHODS:
            token = request.headers.get(CSRF_HEADER, "")
            if not token and request.headers.get("content-type", "").partition(";")[0].strip().lower() == _FORM:
                token = str((await request.form()).get(CSRF_FIELD, ""))
            if not caller.sent_by_own_page(token):
                detail = words(
                    "This change did not come from a signed-in page of this service (%(header)s): load the page "
                    "again. Programs use a key instead of a cookie.",
                    header=CSRF_HEADER,
                )
                raise ProblemError("not_from_our_page", detail)


def requires(permission: Permission) -> Any:  # noqa: ANN401  FastAPI's own type of dependencies
    """Declare what a route requires: ``dependencies=[requires(Permission.WATCH)]``."""
    return Depends(Requirement(permission))


PUBLIC = Depends(Requirement(None))
"""Declares that a route is public."""


def caller_of(request: Request) -> Caller:
    """The authenticated sender of a request."""
    return cast("Caller", request.state.caller)


def _person_of(request: Request) -> Caller:
    caller = caller_of(request)
    if caller.session is None:
        raise ProblemError("only_for_persons", words("This is for people who are signed in, not for keys."))
    return caller


def signed_by(by: str, caller: Caller) -> str:
    """In whose name a decision is recorded: a person signs only for themselves, a machine may name a person."""
    if caller.session is None:
        return f"{by} ({caller.name})" if by else caller.name
    if by not in {"", caller.name}:
        raise ProblemError("another_person", f"You are signed in as {caller.name!r}; omit 'by', or sign in as {by!r}.")
    return caller.name


CallerDep = Annotated[Caller, Depends(caller_of)]
PersonDep = Annotated[Caller, Depends(_person_of)]


def declared(context: RouteContext) -> Requirement | None:
    """The requirement that a route declares, if any."""
    found = (depends.dependency for depends in getattr(context.original_route, "dependencies", ()))
    return next((each for each in found if isinstance(each, Requirement)), None)


def routes_of(app: FastAPI) -> Iterator[RouteContext]:
    """All routes of an application except mounted ones."""
    return (context for context in iter_route_contexts(app.routes) if context.methods)


def public_paths(app: FastAPI) -> frozenset[str]:
    """Paths of the public routes."""
    return frozenset(
        context.path
        for context in routes_of(app)
        if context.path is not None and (need := declared(context)) is not None and need.permission is None
    )
