"""What somebody on the line, or with a table's computer in hand, may make of its entries."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.record.store.chain import Entry
from service.record.store.signing import Signer
from tests.service.floor.feeds import bent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from service.floor.collect.checking import Given


def _changed(_: str, given: list[Given]) -> list[Given]:
    """Another body under the same hash."""
    return [_with(each, each.line.replace('"body":{', '"body":{"absent2":1,', 1)) for each in given]


def _hashed_anew(_: str, given: list[Given]) -> list[Given]:
    """Another body, with a hash that fits, and the signature of the old one."""
    return [bent(each, body={"forged": True}) for each in given]


def _signed_anew(record: str, given: list[Given]) -> list[Given]:
    """Another body, signed with a key that is not the table's."""
    signer = Signer(Ed25519PrivateKey.generate())
    forged = [bent(each, body={"forged": True}) for each in given]
    entries = [Entry.of_line(each.line) for each in forged]
    return [
        replace(each, signature=signer.sign(record, entry.seq, entry.hash, entry.at).signature)
        for each, entry in zip(forged, entries, strict=True)
    ]


def _reordered(_: str, given: list[Given]) -> list[Given]:
    """The newest first."""
    return given[::-1]


def _left_out(_: str, given: list[Given]) -> list[Given]:
    """Without the first one."""
    return given[1:]


def _renumbered(_: str, given: list[Given]) -> list[Given]:
    """The last one under the number of the first."""
    return [bent(given[-1], seq=Entry.of_line(given[0].line).seq), *given[1:]] if given else given


def _unsigned(_: str, given: list[Given]) -> list[Given]:
    """Without signatures."""
    return [replace(each, signature=None) for each in given]


def _with(given: Given, line: str) -> Given:
    return replace(given, line=line)


WAYS: Final[Mapping[str, Callable[[str, list[Given]], list[Given]]]] = {
    "changed": _changed,
    "hashed anew": _hashed_anew,
    "signed anew": _signed_anew,
    "reordered": _reordered,
    "left out": _left_out,
    "renumbered": _renumbered,
    "unsigned": _unsigned,
}
