"""Names of the pages' cookies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.config.settings import accounts_table

if TYPE_CHECKING:
    from service.config.settings import Config


def cookie_of(config: Config) -> str:
    """Name of the page's cookie: browsers share cookies among the ports of a machine, so each table has its own.

    Tables that share their accounts share it, so that who signs in at one is signed in at all.
    """
    of = config.accounts.of
    return f"houseway_{(config if of is None else accounts_table(of)).table.name}"


def step_cookie_of(cookie: str) -> str:
    """Name of the cookie of a browser in which somebody has signed in by half."""
    return f"{cookie}_step"


def browser_cookie_of(cookie: str, account: str = "") -> str:
    """Name of the cookie by which an account knows a browser; without an account, what all such names begin with."""
    return f"{cookie}_browser_{account}"
