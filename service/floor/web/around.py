"""What is around every page of the floor."""

from typing import Annotated

from fastapi import Depends, Request

from service.floor.parts import FloorDep, FloorParts
from service.web.templating import PageOf


class FloorPage(PageOf[FloorParts]):
    """A page of the floor."""


def around_floor(page: PageOf[FloorParts]) -> dict[str, object]:
    """What is around every page of the floor, for whoever is signed in; ``frame`` is the template that shows it."""
    return {"frame": "floor.html", "floor": page.parts.config.floor}


async def _page(request: Request, parts: FloorDep) -> FloorPage:
    return FloorPage(request, parts)


FloorPageDep = Annotated[FloorPage, Depends(_page)]
