"""The sentences of what the floor does not take from a table, in English."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.codes import FloorCode
from service.words.wording import sentence

if TYPE_CHECKING:
    from collections.abc import Mapping
    from enum import StrEnum

FLOOR: Final[Mapping[StrEnum, tuple[str, ...]]] = {
    FloorCode.OTHER_RECORD: (
        sentence(
            "the table has the record %(record)s, but the floor trusts %(known)s: if a new record was "
            "begun, an administrator accepts it with `houseway floor trust`"
        ),
    ),
    FloorCode.OTHER_KEY: (sentence("its first entry does not name the key that the floor trusts, %(known)s"),),
    FloorCode.ENTRY_REPLACED: (
        sentence(
            "it is not the entry that the floor has under this number, and the table's record does not say that it was "
            "restored"
        ),
    ),
    FloorCode.NOT_RESTORED: (sentence("it should say that the record was restored, as the table announced"),),
    FloorCode.COMMON_NOT_HELD: (
        sentence("the table says that its record was restored up to an entry that the floor does not have"),
    ),
    FloorCode.CHECKPOINT_NOT_HELD: (
        sentence(
            "the table shows a checkpoint of entry %(last)s with the hash %(found)s, but its record has "
            "another entry there: an administrator decides, with `houseway floor trust`"
        ),
    ),
    FloorCode.COSIGNED_NOT_HELD: (
        sentence("the floor co-signed this entry, but its database has another one or none in its place"),
    ),
    FloorCode.COSIGNATURE_FALSE: (sentence("the co-signature of this entry was not made with the floor's key"),),
    FloorCode.NOT_STORED: (sentence("the floor's database rejects it (%(why)s)"),),
    FloorCode.POSITION_MISSING: (
        sentence("position %(position)s should be here; entries were removed from the floor's database"),
    ),
    FloorCode.NOT_TRUSTED: (
        sentence("the record %(record)s with the key %(key)s was never accepted in the floor's own record"),
    ),
    FloorCode.KNOWN_OTHERWISE: (
        sentence("the newest entry of this table is not the one that the floor's database names"),
    ),
    FloorCode.SHOWN_OTHERWISE: (
        sentence(
            "%(rounds)s rounds and %(alarms)s alarms are not shown as in its entries: `houseway floor "
            "rebuild` derives them again"
        ),
    ),
    FloorCode.NOT_REACHED: (sentence("the table's computer does not answer (%(why)s)"),),
    FloorCode.NOT_ALLOWED: (
        sentence("the table does not accept the floor's key (%(why)s): it needs one with the role floor"),
    ),
    FloorCode.NOT_ANSWERED: (sentence("the table's answer cannot be used (%(why)s)"),),
}
