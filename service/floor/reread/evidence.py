"""Where a worker has recorded pictures from: a folder that they were copied into, then the floor's own route."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Final, Protocol, Self

import httpx2
from pydantic import BaseModel, ConfigDict, ValidationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from service.floor.copies import Copies

_PATIENCE_S: Final = 30.0
_MOST_BYTES: Final = 256_000_000


class PictureAwayError(Exception):
    """A picture that is there cannot be had now; the message says why."""


class NotAllowedError(Exception):
    """The floor does not give out pictures to this key; the message says so."""


class Pictures(Protocol):
    """Somewhere that recorded pictures are."""

    def get(self, sha256: str) -> bytes | None:
        """A picture that is what its name says; None if there is none. PictureAwayError, OSError, NotAllowedError."""


class CopiedPictures:
    """The folder or bucket that pictures are copied into."""

    def __init__(self, copies: Copies) -> None:
        self._copies = copies

    def get(self, sha256: str) -> bytes | None:
        """See :class:`Pictures`."""
        return self._copies.get_now(sha256)


class FloorPictures:
    """What the floor answers: the picture from its folder, or from the table that has it.

    Who opened it closes it: ``with FloorPictures(url, key) as pictures``.

    Args:
        url: of the floor.
        key: one whose role may see evidence.
    """

    def __init__(self, url: str, key: str) -> None:
        self._client = httpx2.Client(
            base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=_PATIENCE_S, trust_env=False
        )

    def get(self, sha256: str) -> bytes | None:
        """See :class:`Pictures`."""
        try:
            answer = self._client.get(f"/v1/evidence/{sha256}")
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise PictureAwayError(str(error) or type(error).__name__) from error
        if answer.status_code == 404:
            return None
        if answer.status_code in {401, 403}:
            raise NotAllowedError(f"the floor gives no pictures to this key ({answer.status_code})")
        if answer.status_code != 200:
            raise PictureAwayError(f"{answer.status_code} {_code_of(answer.content)}".strip())
        if hashlib.sha256(answer.content).hexdigest() != sha256:
            raise PictureAwayError("the floor answers with another picture")
        return answer.content

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Let go of the connection."""
        self._client.close()


class AllPictures:
    """Several places, asked in their order."""

    def __init__(self, places: Sequence[Pictures]) -> None:
        self._places = places

    def get(self, sha256: str) -> bytes | None:
        """See :class:`Pictures`; what one place cannot give now another one may have."""
        away: Exception | None = None
        for place in self._places:
            try:
                found = place.get(sha256)
            except (PictureAwayError, OSError) as error:
                away = error
            else:
                if found is not None:
                    return found
        if away is not None:
            raise PictureAwayError(str(away)) from away
        return None


class _Problem(BaseModel):
    model_config = ConfigDict(extra="ignore")
    code: Any = ""


def _code_of(body: bytes) -> str:
    try:
        return str(_Problem.model_validate_json(body).code)[:100]
    except ValidationError:
        return ""
