"""The first tasks of those who use the page: few actions, and nothing that axe objects to on what they see."""

from collections.abc import Callable
from pathlib import Path

import pytest
from fastapi import FastAPI
from playwright.sync_api import Page

from benchmarks.first_tasks import Album, Person, manager, owner, supervisor
from service.access.roles import UserRole
from tests.service.stand_ins import HOUSE_WRONG
from tests.service.web.program import Program
from tests.service.web.test_page_tasks_in_browser import COUNTED, TELEPHONE, seen, sign_in


@pytest.mark.parametrize(
    ("task", "actions"),
    [
        pytest.param(supervisor, 3, id="supervisor"),
        pytest.param(manager, 5, id="manager"),
        pytest.param(owner, 9, id="owner"),  # a busy computer asks for presses again
    ],
)
def test_a_first_task_takes_few_actions(
    app: tuple[FastAPI, str], page: Page, tmp_path: Path, task: Callable[[Person], None], actions: int
) -> None:
    made, url = app
    page.set_default_timeout(COUNTED)
    seen(made, HOUSE_WRONG, "r1")
    sign_in(page, made, url, UserRole.ADMIN)
    page.goto(f"{url}/")
    album = Album(tmp_path, sizes=[TELEPHONE], languages=["en", "zh-Hant"])
    person = Person(page, Program(url, "", {}), album.keep)
    task(person)
    assert album.found == []
    assert person.actions <= actions
