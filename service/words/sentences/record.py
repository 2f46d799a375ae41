"""The sentences of the record's state, in English."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.codes import RecordCode
from service.words.wording import sentence

if TYPE_CHECKING:
    from collections.abc import Mapping
    from enum import StrEnum

RECORD: Final[Mapping[StrEnum, tuple[str, ...]]] = {
    RecordCode.WELL: (sentence("entries are saved on the disk"),),
    RecordCode.NOT_OPEN: (sentence("the record has not been opened yet"),),
    RecordCode.CLOSED: (sentence("the record is closed"),),
    RecordCode.DISK_FULL: (
        sentence("the disk is full: make room, or export the record and let exported pictures be removed"),
    ),
    RecordCode.DISK_FULL_OF_PICTURES: (
        sentence("the disk is full, and there are no exported pictures to remove: run `houseway record export`"),
    ),
    RecordCode.NO_ROOM: (
        sentence(
            "the pictures fill all the space that record.max_mb allows (%(used_mb)s MB), and there are no exported "
            "pictures to remove: run `houseway record export`"
        ),
    ),
    RecordCode.FILE_LIMIT: (
        sentence("a file of the record has reached the size limit of this process or disk: raise the limit"),
    ),
    RecordCode.READ_ONLY: (
        sentence("the record cannot be written (read-only disk or permissions): make it writable for this service"),
    ),
    RecordCode.DISK_ERROR: (
        sentence("the disk cannot read or write the record (%(why)s): check that it is not full or damaged"),
        sentence("the disk cannot read or write the record: check that it is not full or damaged"),
    ),
    RecordCode.DAMAGED: (
        sentence(
            "the record's database is damaged: stop the service, keep the damaged file for the auditor, and restore "
            "a copy that passes `houseway record verify`"
        ),
    ),
    RecordCode.LOCKED: (sentence("another program keeps the record's database locked: stop it"),),
    RecordCode.UNREACHABLE: (
        sentence(
            "the record's database has not answered since %(since)s (UTC): check that it runs and can be reached "
            "(%(why)s)"
        ),
        sentence("the record's database does not answer: check that it runs and can be reached (%(why)s)"),
    ),
    RecordCode.REFUSED: (sentence("the record's database refuses: %(why)s"),),
    RecordCode.OTHER_WRITER: (
        sentence("another table service writes to %(folder)s: stop it, or give this one its own folder"),
    ),
    RecordCode.CHANGED: (
        sentence("something else has changed the record (%(why)s): `houseway record verify` shows where"),
    ),
    RecordCode.KEY_MISSING: (
        sentence("%(file)s: the key that signs this record is missing; put it back, or begin a new record"),
    ),
    RecordCode.KEY_OF_ANOTHER_RECORD: (
        sentence("%(file)s: this record was started with another key; put that key back"),
    ),
    RecordCode.KEY_UNREADABLE: (sentence("%(file)s: no key can be read from this file (%(why)s)"),),
    RecordCode.PUBLIC_KEY_UNREADABLE: (sentence("%(file)s: no public key can be read from this file (%(why)s)"),),
    RecordCode.KEY_EXPOSED: (
        sentence("%(file)s: other users can read this key: run chmod 600 on it, and find out who may have copied it"),
    ),
    RecordCode.KEY_OF_ANOTHER_KIND: (sentence("%(file)s: this is not an Ed25519 key"),),
    RecordCode.NO_SUCH_KEY: (sentence("entry %(entry)s does not name the key that signs what follows"),),
    RecordCode.LEASED: (
        sentence(
            "another service writes to this database (%(holder)s, since %(since)s): stop it, or give this "
            "one its own database; this one takes over when the other has ended"
        ),
    ),
    RecordCode.LEASE_LOST: (
        sentence(
            "this service may no longer write to the database: the connection that held the right to it is lost, or "
            "another service has taken over (%(holder)s, since %(since)s)"
        ),
    ),
    RecordCode.NOT_AN_ENTRY: (sentence("this line is not an entry"),),
    RecordCode.FIRST_ENTRY_MISSING: (sentence("its first entry is missing"),),
    RecordCode.ENTRY_OUT_OF_PLACE: (sentence("entry %(entry)s should be here; entries were removed, added or moved"),),
    RecordCode.ENTRY_NOT_AS_APPENDED: (sentence("it is not in the form in which it was recorded"),),
    RecordCode.BODY_NOT_AS_APPENDED: (sentence("its contents are not in the form in which they were recorded"),),
    RecordCode.NOT_LINKED: (sentence("it does not contain the hash of the entry before it"),),
    RecordCode.HASH_WRONG: (sentence("its contents do not match its hash"),),
    RecordCode.END_NOT_SIGNED: (sentence("entry %(entry)s is not signed with the record's key"),),
    RecordCode.ENTRY_REPLACED: (sentence("it is not the entry that this service has recorded or checked before"),),
    RecordCode.NOT_SIGNED: (sentence("it is not signed"),),
    RecordCode.SIGNED_WITH_ANOTHER_KEY: (sentence("its signature was not made with the record's key"),),
    RecordCode.PICTURE_MISSING: (
        sentence("its picture %(picture)s is missing, and the record does not say that it was removed"),
    ),
    RecordCode.PICTURE_UNREADABLE: (sentence("its picture %(picture)s cannot be read (%(why)s)"),),
    RecordCode.PICTURE_CHANGED: (sentence("its picture %(picture)s was changed"),),
    RecordCode.NOT_A_PICTURE_NAME: (sentence("%(picture)s is not the name of a picture"),),
    RecordCode.DATABASE_GONE: (
        sentence("%(file)s is gone: put the record's database back, or see `houseway record begin-anew --help`"),
        sentence("the record's database file is gone: put it back"),
    ),
    RecordCode.DATABASE_REPLACED: (
        sentence("%(file)s was moved, removed or replaced while the service was running: find out by whom"),
    ),
    RecordCode.KEY_WITHOUT_RECORD: (
        sentence(
            "%(file)s belongs to a record, but there is no record in the database: put the record back; if it is "
            "lost, `houseway record begin-anew --reason ...` begins another one with a new key"
        ),
    ),
    RecordCode.EVIDENCE_FOLDER_GONE: (
        sentence(
            "the folder of pictures %(folder)s is gone: put it back (is its disk mounted?); if it is lost, "
            "`houseway record accept --reason ...` puts that on record"
        ),
    ),
    RecordCode.AT_ENTRY: (sentence("entry %(entry)s: %(why)s"),),
    RecordCode.HEAD_GONE: (
        sentence(
            "entry %(last)s is missing: the end of the record was cut off, or an older copy was put in its "
            "place (if a person restored it, run `houseway record restored`)"
        ),
    ),
    RecordCode.RECORD_EXCHANGED: (
        sentence("this is not the record that was here before, %(known)s, as %(file)s says: was its folder exchanged?"),
        sentence("this is not the record that was here before"),
    ),
    RecordCode.FOUND_BEFORE: (
        sentence("a check before the last start found something that nobody has accepted: `houseway record verify`"),
    ),
    RecordCode.INTEGRITY_WELL: (
        sentence("the record is as it was recorded so far; the first check of all of it has reached entry %(entry)s"),
    ),
    RecordCode.INTEGRITY_WELL_SINCE: (
        sentence("the whole record is as it was recorded; it was last checked from end to end at %(at)s (UTC)"),
    ),
    RecordCode.ACCOUNT_CHANGED: (sentence("the account %(name)s was changed in the database, not by the service"),),
    RecordCode.ACCOUNT_NOT_RECORDED: (
        sentence("the account %(name)s was put into the database, not added by the service"),
    ),
    RecordCode.ACCOUNT_GONE: (sentence("the account %(name)s was removed from the database"),),
    RecordCode.API_KEY_CHANGED: (sentence("the key %(name)s was changed in the database, not by the service"),),
    RecordCode.API_KEY_NOT_RECORDED: (
        sentence("the key %(name)s was put into the database, not added by the service"),
    ),
    RecordCode.API_KEY_GONE: (sentence("the key %(name)s was removed from the database"),),
    RecordCode.SECOND_FACTORS_CHANGED: (
        sentence("second factors of the account %(name)s were changed in the database, not by the service"),
    ),
    RecordCode.SECOND_FACTORS_NOT_RECORDED: (
        sentence("a second factor of the account %(name)s was put into the database, not added by the service"),
    ),
    RecordCode.SECOND_FACTORS_GONE: (
        sentence("the second factors of the account %(name)s were removed from the database"),
    ),
    RecordCode.RECOVERY_CODES_CHANGED: (
        sentence("recovery codes of the account %(name)s were changed in the database, not by the service"),
    ),
    RecordCode.RECOVERY_CODES_NOT_RECORDED: (
        sentence("recovery codes of the account %(name)s were put into the database, not made by the service"),
    ),
    RecordCode.RECOVERY_CODES_GONE: (
        sentence("the recovery codes of the account %(name)s were removed from the database"),
    ),
    RecordCode.REPLY_CHANGED: (sentence("the answer kept for a repeated request was changed"),),
    RecordCode.REPLY_NOT_RECORDED: (sentence("an answer for a repeated request was put into the database"),),
    RecordCode.REPLY_GONE: (sentence("the answer kept for a repeated request was removed"),),
    RecordCode.REPLIES_CHANGED: (
        sentence("the answers to repeated requests before entry %(before)s are not those that this entry accepted"),
    ),
    RecordCode.PICTURE_LIST_CHANGED: (sentence("the list of its pictures in the database was changed"),),
    RecordCode.ROWS_WITHOUT_ENTRY: (sentence("%(count)s rows of %(table)s belong to no entry"),),
    RecordCode.ALARMS_CHANGED: (
        sentence("the list of alarms in the database is not what the record says (first at entry %(first)s)"),
    ),
    RecordCode.GUARDS_CHANGED: (
        sentence("the triggers that keep the record append-only were removed or changed: %(names)s"),
    ),
}
