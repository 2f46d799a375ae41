"""A page of all tables."""

from typing import Annotated

from fastapi import Depends, Request

from service.api.deps import PartsDep
from service.web.templating import Page, environment


class FloorPage(Page):
    """A page of all tables."""

    def shared(self, template: str, **context: object) -> str:
        """A template that is the same for all who see the same, without what is a person's own."""
        common = {"zone": self.parts.config.page.zone, **self.scope.named}
        return environment(self.language).get_template(template).render(common | context)


async def _page(request: Request, parts: PartsDep) -> FloorPage:
    return FloorPage(request, parts)


FloorPageDep = Annotated[FloorPage, Depends(_page)]
