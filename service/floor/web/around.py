"""What is around every page of the floor."""

from typing import Annotated

from fastapi import Depends, Request

from service.floor.parts import FloorDep, FloorParts
from service.floor.sight import Sight, sight_of
from service.web.templating import PageOf, environment


class FloorPage(PageOf[FloorParts]):
    """A page of the floor."""

    @property
    def sight(self) -> Sight:
        """What whoever reads it sees."""
        return sight_of(self.request, self.parts)

    def shared(self, template: str, **context: object) -> str:
        """A template that is the same for all who see the same, without what is a person's own."""
        common = {"zone": self.parts.config.page.zone, **_of_floor(self.sight)}
        return environment(self.language).get_template(template).render(common | context)


def around_floor(page: PageOf[FloorParts]) -> dict[str, object]:
    """What is around every page of the floor, for whoever is signed in; ``frame`` is the template that shows it."""
    return {
        "frame": "floor/base.html",
        "floor": page.parts.config.service,
        **_of_floor(sight_of(page.request, page.parts)),
    }


def _of_floor(sight: Sight) -> dict[str, object]:
    return {
        "titles": {table.name: table.title for table in sight.tables},
        "pit_titles": {pit.name: pit.title for pit in sight.pits},
    }


async def _page(request: Request, parts: FloorDep) -> FloorPage:
    return FloorPage(request, parts)


FloorPageDep = Annotated[FloorPage, Depends(_page)]
