"""The sentences of the record's state, in English."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.codes import RecordCode
from service.words.wording import sentence

if TYPE_CHECKING:
    from collections.abc import Mapping
    from enum import StrEnum

RECORD: Final[Mapping[StrEnum, tuple[str, ...]]] = {
    RecordCode.WELL: (sentence("what is recorded is durable"),),
    RecordCode.NOT_OPEN: (sentence("the record has not been opened yet"),),
    RecordCode.CLOSED: (sentence("the record is closed"),),
    RecordCode.DISK_FULL: (sentence("the disk is full: make room, or export the record and let exported pictures go"),),
    RecordCode.DISK_FULL_OF_PICTURES: (
        sentence("the disk is full, and no picture has been exported that could go: run `houseway record export`"),
    ),
    RecordCode.NO_ROOM: (
        sentence(
            "the pictures fill all the room that record.max_mb gives (%(used_mb)s MB), and no picture has been "
            "exported that could go: run `houseway record export`"
        ),
    ),
    RecordCode.FILE_LIMIT: (
        sentence("a file of the record may not grow further (limit of this process or disk): raise the limit"),
    ),
    RecordCode.READ_ONLY: (
        sentence("the record may not be written to (read-only disk or permissions): make it writable for this service"),
    ),
    RecordCode.DISK_ERROR: (
        sentence("the disk fails to read or write the record: see that it is not full, and that it is sound"),
    ),
    RecordCode.DAMAGED: (
        sentence(
            "the record's database is damaged: stop the service, keep the damaged file for the auditor, and put back a "
            "copy that `houseway record verify` proves"
        ),
    ),
    RecordCode.LOCKED: (sentence("another program keeps the record's database locked: end it"),),
    RecordCode.UNREACHABLE: (
        sentence("the record's database does not answer: see that it runs and can be reached (%(why)s)"),
    ),
    RecordCode.REFUSED: (sentence("the record's database refuses: %(why)s"),),
    RecordCode.OTHER_WRITER: (
        sentence("another table service writes to %(folder)s: end it, or give this one its own"),
    ),
    RecordCode.CHANGED: (
        sentence("the record was changed by another hand (%(why)s): `houseway record verify` says where"),
    ),
    RecordCode.KEY_MISSING: (
        sentence("%(file)s: the key that signs this record is missing; put it back, or begin a new record"),
    ),
    RecordCode.KEY_OF_ANOTHER_RECORD: (
        sentence("%(file)s: this record was begun with another key; put that one back"),
    ),
    RecordCode.KEY_UNREADABLE: (sentence("%(file)s: no key can be read from it (%(why)s)"),),
    RecordCode.PUBLIC_KEY_UNREADABLE: (sentence("%(file)s: no public key can be read from it (%(why)s)"),),
    RecordCode.KEY_EXPOSED: (sentence("%(file)s: others may read this key; chmod 600 it, and ask who has it"),),
    RecordCode.KEY_OF_ANOTHER_KIND: (sentence("%(file)s: this is no Ed25519 key"),),
    RecordCode.NOT_AN_ENTRY: (sentence("this line is no entry"),),
    RecordCode.FIRST_ENTRY_MISSING: (sentence("its first entry is missing"),),
    RecordCode.ENTRY_OUT_OF_PLACE: (
        sentence("entry %(entry)s should stand here; entries were removed, added or moved"),
    ),
    RecordCode.ENTRY_NOT_AS_APPENDED: (sentence("it is not written as it was appended"),),
    RecordCode.BODY_NOT_AS_APPENDED: (sentence("its body is not written as it was appended"),),
    RecordCode.NOT_LINKED: (sentence("it does not carry the hash of the entry before it"),),
    RecordCode.HASH_WRONG: (sentence("its contents do not have its hash"),),
    RecordCode.END_NOT_SIGNED: (sentence("entry %(entry)s is not signed with the record's key"),),
    RecordCode.NOT_SIGNED: (sentence("it is not signed"),),
    RecordCode.SIGNED_WITH_ANOTHER_KEY: (sentence("its signature was not made with the record's key"),),
    RecordCode.PICTURE_MISSING: (sentence("its picture %(picture)s is missing"),),
    RecordCode.PICTURE_UNREADABLE: (sentence("its picture %(picture)s cannot be read (%(why)s)"),),
    RecordCode.PICTURE_CHANGED: (sentence("its picture %(picture)s was changed"),),
    RecordCode.NOT_A_PICTURE_NAME: (sentence("%(picture)s is no name of a picture"),),
}
