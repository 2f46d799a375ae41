"""Names of the pages' cookies."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from service.system.settings import Config


def cookie_of(config: Config) -> str:
    """Name of the page's cookie: browsers share cookies among the ports of a machine, so each service has its own."""
    return f"houseway_{config.service.name}"


def step_cookie_of(cookie: str) -> str:
    """Name of the cookie of a browser in which somebody has signed in by half."""
    return f"{cookie}_step"


def browser_cookie_of(cookie: str, account: str = "") -> str:
    """Name of the cookie by which an account knows a browser; without an account, what all such names begin with."""
    return f"{cookie}_browser_{account}"
