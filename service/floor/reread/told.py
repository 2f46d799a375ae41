"""What a run reads again with. Every worker of it must have the very same, or its results would be a mixture."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self, TypeAlias

from engine.books.house_ways import get, way_under
from engine.books.registry import rulebook
from service import __version__
from service.ops.code import code_state
from service.rounds.reports import FrozenModel
from vision.networks.model_card import NETWORKS, card_path, check_unaltered, read_card
from vision.networks.runtime import default_weights

if TYPE_CHECKING:
    from engine.books.book import Rulebook
    from engine.house_way import HouseWay

Depth: TypeAlias = Literal["rules", "pictures"]
"""``rules``: of the tiles and dice as they are recorded. ``pictures``: these too are read again."""


class NotTheSameError(ValueError):
    """This computer does not have what the run was begun with; the message says what."""


class ReadAgainWith(FrozenModel):
    """What a run reads again with.

    Attributes:
        depth: how deep.
        rulebook: in place of the recorded one.
        rulebook_version: of it; that in force when the run was begun if left out.
        house_way: in place of the recorded one: an id, or the name of a file that each worker is given.
        versions: of all that decides: program, rulebook, House Way, models.
    """

    depth: Depth
    rulebook: str | None = None
    rulebook_version: str | None = None
    house_way: str | None = None
    versions: dict[str, str]


@dataclass(frozen=True, slots=True)
class Chosen:
    """Rulebook and House Way of a run, where they are others than the recorded ones; None where they are not.

    Attributes:
        named: the House Way as it was named: an id or a file.
    """

    book: Rulebook | None = None
    way: HouseWay | None = None
    named: str | None = None

    @classmethod
    def of(cls, book: str | None, version: str | None, house_way: str | None) -> Self:
        """Find them; EngineError if there is none of this name, or the file cannot be used.

        Args:
            book: id of the rulebook.
            version: of it; that in force today if left out.
            house_way: id or file, played under that book, or under the recorded one of each round.
        """
        if book is None:
            return cls(None, None if house_way is None else get(house_way), house_way)
        found = rulebook(book, version=version)
        return cls(found, way_under(found, house_way), house_way)


def here(depth: Depth, chosen: Chosen, models: Path | None) -> ReadAgainWith:
    """What this computer would read again with; ModelError if a model is missing or is not what its card says."""
    versions = {"houseway": __version__, "code": f"sha256:{code_state().sha256}"}
    if chosen.book is not None:
        versions["rulebook"] = f"{chosen.book.id} {chosen.book.version}"
    if chosen.way is not None:
        versions["house_way"] = f"{chosen.way.rulebook} sha256:{chosen.way.source.sha256}"
    if depth == "pictures":
        folder = models or default_weights()
        versions |= {name: f"sha256:{_checked(folder / f'{name}.onnx')}" for name in NETWORKS}
    return ReadAgainWith(
        depth=depth,
        rulebook=None if chosen.book is None else chosen.book.id,
        rulebook_version=None if chosen.book is None else chosen.book.version,
        house_way=None if chosen.named is None else Path(chosen.named).name,
        versions=versions,
    )


def check_same(asked: ReadAgainWith, found: ReadAgainWith) -> None:
    """Make sure that this computer has what a run was begun with; NotTheSameError."""
    names = sorted(asked.versions.keys() | found.versions.keys())
    differing = [name for name in names if asked.versions.get(name) != found.versions.get(name)]
    if differing:
        said = "; ".join(
            f"{name}: the run has {asked.versions.get(name, 'none')}, this computer {found.versions.get(name, 'none')}"
            for name in differing
        )
        raise NotTheSameError(f"this computer would not read as the run was begun: {said}")


def _checked(path: Path) -> str:
    """SHA-256 of a model that is what its card says."""
    return check_unaltered(path, read_card(card_path(path)))
