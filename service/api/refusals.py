"""What several routes of the floor answer in the same way."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from service.api.desk import CutError, NotDoneError, TakenError
from service.api.errors import ProblemError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def refusals() -> Iterator[None]:
    """Answer with a problem where the desk refuses."""
    try:
        yield
    except TakenError as error:
        raise ProblemError(409, "taken", error.words) from None
    except CutError as error:
        raise ProblemError(503, "table_unreachable", error.words, headers={"Retry-After": "5"}) from None
    except NotDoneError as error:
        raise ProblemError(error.status, error.code, error.words) from None
