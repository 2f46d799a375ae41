"""Findings about records: of a table, at a hub, in the export of an audit, and on reading a round again."""

from __future__ import annotations

from functools import partial
from typing import Final

from service.words.codes import AuditCode, HubCode, RecordCode
from service.words.declared.declaration import doubt, note
from service.words.wording import sentence

_fault: Final = partial(doubt, about="record", cause="not_recorded", group="table")
_record: Final = partial(note, about="record")
_hub: Final = partial(note, about="table")
_audit: Final = partial(note, about="audit")

RECORD_FINDINGS: Final = (
    _record(RecordCode.WELL, sentence("entries are saved on the disk")),
    _fault(RecordCode.NOT_OPEN, sentence("the record has not been opened yet")),
    _fault(RecordCode.CLOSED, sentence("the record is closed")),
    _fault(
        RecordCode.DISK_FULL,
        sentence("the disk is full: make room, or export the record and let exported pictures be removed"),
    ),
    _fault(
        RecordCode.DISK_FULL_OF_PICTURES,
        sentence("the disk is full, and there are no exported pictures to remove: run `houseway record export`"),
    ),
    _fault(
        RecordCode.NO_ROOM,
        sentence(
            "the pictures fill all the space that record.max_mb allows (%(used_mb)s MB), and there are no exported "
            "pictures to remove: run `houseway record export`"
        ),
    ),
    _fault(
        RecordCode.FILE_LIMIT,
        sentence("a file of the record has reached the size limit of this process or disk: raise the limit"),
    ),
    _fault(
        RecordCode.READ_ONLY,
        sentence("the record cannot be written (read-only disk or permissions): make it writable for this service"),
    ),
    _fault(
        RecordCode.DISK_ERROR,
        sentence("the disk cannot read or write the record (%(why)s): check that it is not full or damaged"),
        sentence("the disk cannot read or write the record: check that it is not full or damaged"),
    ),
    _fault(
        RecordCode.DAMAGED,
        sentence(
            "the record's database is damaged: stop the service, keep the damaged file for the auditor, and restore "
            "a copy that passes `houseway record verify`"
        ),
    ),
    _fault(
        RecordCode.BEING_READ,
        sentence("rounds and alarms are still being read from the record: try again in a minute"),
    ),
    _fault(RecordCode.LOCKED, sentence("another program keeps the record's database locked: stop it")),
    _fault(
        RecordCode.UNREACHABLE,
        sentence(
            "the record's database has not answered since %(since)s (UTC): check that it runs and can be reached "
            "(%(why)s)"
        ),
        sentence("the record's database does not answer: check that it runs and can be reached (%(why)s)"),
    ),
    _fault(RecordCode.REFUSED, sentence("the record's database refuses: %(why)s")),
    _fault(
        RecordCode.OTHER_WRITER,
        sentence(
            "another service (process %(process)s) writes to %(folder)s: stop it, or give this one its own folder"
        ),
    ),
    _fault(
        RecordCode.CHANGED,
        sentence("something else has changed the record (%(why)s): `houseway record verify` shows where"),
    ),
    _fault(
        RecordCode.DATABASE_MISSING,
        sentence("%(file)s is gone: put the record's database back, or see `houseway record accept --help`"),
        sentence("the record's database file is gone: put it back"),
    ),
    _fault(
        RecordCode.DATABASE_REPLACED,
        sentence("%(file)s was moved, removed or replaced while the service was running: find out by whom"),
    ),
    _fault(
        RecordCode.OTHER_VERSION,
        sentence(
            "another version of Houseway made the record in %(database)s (schema %(found)s; this one needs "
            "%(needed)s): run that version, or name a new folder or database under [record]"
        ),
    ),
    _fault(
        RecordCode.TABLES_MISSING,
        sentence(
            "the record in %(database)s is incomplete (missing or empty tables: %(missing)s): restore a copy that "
            "passes `houseway record verify`, or name a new folder or database under [record]"
        ),
    ),
    _fault(
        RecordCode.KEY_WITHOUT_RECORD,
        sentence(
            "%(file)s belongs to a record, but there is no record in the database: put the record back; if "
            "it is lost, `houseway record accept --lost --reason ...` starts a new one with a new key"
        ),
    ),
    _fault(
        RecordCode.EVIDENCE_FOLDER_MISSING,
        sentence(
            "the folder of pictures %(folder)s is gone: put it back (is its disk mounted?); if it is lost, "
            "`houseway record accept --reason ...` puts that on record"
        ),
    ),
    # The file of its key
    _fault(
        RecordCode.KEY_MISSING,
        sentence("%(file)s: the key that signs this record is missing; put it back, or start a new record"),
    ),
    _fault(
        RecordCode.KEY_OF_ANOTHER_RECORD,
        sentence("%(file)s: this record was started with another key; put that key back"),
    ),
    _fault(RecordCode.KEY_UNREADABLE, sentence("%(file)s: no key can be read from this file (%(why)s)")),
    _fault(RecordCode.PUBLIC_KEY_UNREADABLE, sentence("%(file)s: no public key can be read from this file (%(why)s)")),
    _fault(
        RecordCode.KEY_EXPOSED,
        sentence("%(file)s: other users can read this key: run chmod 600 on it, and find out who may have copied it"),
    ),
    _fault(RecordCode.KEY_OF_ANOTHER_KIND, sentence("%(file)s: this is not an Ed25519 key")),
    _fault(RecordCode.NO_SUCH_KEY, sentence("entry %(entry)s does not name the key that signs the entries after it")),
    # A database that several services can reach
    _fault(
        RecordCode.LEASED,
        sentence(
            "another service writes to this database (%(holder)s, since %(since)s): stop it, or give this "
            "one its own database; this one takes over when the other has ended"
        ),
    ),
    _fault(
        RecordCode.LEASE_LOST,
        sentence(
            "this service may no longer write to the database: the connection that held the right to it is lost, or "
            "another service has taken over (%(holder)s, since %(since)s)"
        ),
    ),
    _fault(
        RecordCode.SESSION_SHARED,
        sentence(
            "a connection pooler lends sessions of the database for single transactions, so nothing would keep a "
            "second service from writing: connect to PostgreSQL itself, or set pool_mode = session"
        ),
    ),
    # An entry that is not as it was appended
    _fault(RecordCode.NOT_AN_ENTRY, sentence("this line is not an entry")),
    _fault(RecordCode.FIRST_ENTRY_MISSING, sentence("its first entry is missing")),
    _fault(
        RecordCode.ENTRY_OUT_OF_PLACE, sentence("entry %(entry)s should be here; entries were removed, added or moved")
    ),
    _fault(RecordCode.ENTRY_NOT_AS_APPENDED, sentence("it is not in the form in which it was recorded")),
    _fault(RecordCode.BODY_NOT_AS_APPENDED, sentence("its contents are not in the form in which they were recorded")),
    _fault(RecordCode.NOT_LINKED, sentence("it does not contain the hash of the entry before it")),
    _fault(RecordCode.HASH_WRONG, sentence("its contents do not match its hash")),
    _fault(RecordCode.END_NOT_SIGNED, sentence("entry %(entry)s is not signed with the record's key")),
    _fault(RecordCode.ENTRY_REPLACED, sentence("it is not the entry that this service has recorded or checked before")),
    _fault(RecordCode.NOT_SIGNED, sentence("it is not signed")),
    _fault(RecordCode.SIGNED_WITH_ANOTHER_KEY, sentence("its signature was not made with the record's key")),
    _fault(
        RecordCode.PICTURE_MISSING,
        sentence("its picture %(picture)s is missing, and the record does not say that it was removed"),
    ),
    _fault(RecordCode.PICTURE_UNREADABLE, sentence("its picture %(picture)s cannot be read (%(why)s)")),
    _fault(RecordCode.PICTURE_CHANGED, sentence("its picture %(picture)s was changed")),
    _fault(RecordCode.NOT_A_PICTURE_NAME, sentence("%(picture)s is not the name of a picture")),
    # What the service's own checks find
    _fault(RecordCode.AT_ENTRY, sentence("entry %(entry)s: %(why)s")),
    _fault(
        RecordCode.END_MISSING,
        sentence(
            "entry %(last)s is missing: the end of the record was cut off, or an older copy was put in its "
            "place (if a person restored it, run `houseway record accept --restored`)"
        ),
    ),
    _fault(
        RecordCode.RECORD_EXCHANGED,
        sentence("this is not the record that was here before, %(known)s, as %(file)s says: was its folder exchanged?"),
        sentence("this is not the record that was here before"),
    ),
    _fault(
        RecordCode.FOUND_BEFORE,
        sentence("a check before the last start found something that nobody has accepted: `houseway record verify`"),
    ),
    _record(
        RecordCode.INTEGRITY_WELL,
        sentence("no change found in the record so far; the first full check has reached entry %(entry)s"),
    ),
    _record(
        RecordCode.INTEGRITY_WELL_SINCE,
        sentence("the record is unchanged; the last full check ended at %(at)s (UTC)"),
    ),
    # Rows beside the chain
    _fault(
        RecordCode.ACCOUNT_CHANGED, sentence("the account %(name)s was changed in the database, not by the service")
    ),
    _fault(
        RecordCode.ACCOUNT_NOT_RECORDED,
        sentence("the account %(name)s was put into the database, not added by the service"),
    ),
    _fault(RecordCode.ACCOUNT_REMOVED, sentence("the account %(name)s was removed from the database")),
    _fault(RecordCode.API_KEY_CHANGED, sentence("the key %(name)s was changed in the database, not by the service")),
    _fault(
        RecordCode.API_KEY_NOT_RECORDED,
        sentence("the key %(name)s was put into the database, not added by the service"),
    ),
    _fault(RecordCode.API_KEY_REMOVED, sentence("the key %(name)s was removed from the database")),
    _fault(
        RecordCode.SECOND_FACTORS_CHANGED,
        sentence("second factors of the account %(name)s were changed in the database, not by the service"),
    ),
    _fault(
        RecordCode.SECOND_FACTORS_NOT_RECORDED,
        sentence("a second factor of the account %(name)s was put into the database, not added by the service"),
    ),
    _fault(
        RecordCode.SECOND_FACTORS_REMOVED,
        sentence("the second factors of the account %(name)s were removed from the database"),
    ),
    _fault(
        RecordCode.RECOVERY_CODES_CHANGED,
        sentence("recovery codes of the account %(name)s were changed in the database, not by the service"),
    ),
    _fault(
        RecordCode.RECOVERY_CODES_NOT_RECORDED,
        sentence("recovery codes of the account %(name)s were put into the database, not made by the service"),
    ),
    _fault(
        RecordCode.RECOVERY_CODES_REMOVED,
        sentence("the recovery codes of the account %(name)s were removed from the database"),
    ),
    _fault(RecordCode.REPLY_CHANGED, sentence("the answer kept for a repeated request was changed")),
    _fault(RecordCode.REPLY_NOT_RECORDED, sentence("an answer for a repeated request was put into the database")),
    _fault(RecordCode.REPLY_REMOVED, sentence("the answer kept for a repeated request was removed")),
    _fault(RecordCode.PICTURE_LIST_CHANGED, sentence("the list of its pictures in the database was changed")),
    _fault(RecordCode.ROWS_WITHOUT_ENTRY, sentence("%(count)s rows of %(table)s belong to no entry")),
    _fault(
        RecordCode.PROJECTIONS_DIFFER,
        sentence(
            "%(rounds)s rounds and %(alarms)s alarms differ from the entries: `houseway record verify --rebuild` "
            "derives them again"
        ),
    ),
    _fault(
        RecordCode.GUARDS_CHANGED,
        sentence("the triggers that keep the record append-only were removed or changed: %(names)s"),
    ),
    # Not taken
    _hub(
        HubCode.OTHER_RECORD,
        sentence(
            "the table has the record %(record)s, but this service trusts %(known)s: if a new record was "
            "started, an administrator accepts it with `houseway floor trust`"
        ),
    ),
    _hub(HubCode.OTHER_KEY, sentence("its first entry does not name the key that this service trusts, %(known)s")),
    _hub(
        HubCode.ENTRY_REPLACED,
        sentence(
            "it is not the entry that this service has under this number, and the table's record does not say that it "
            "was restored"
        ),
    ),
    _hub(HubCode.NOT_RESTORED, sentence("it should say that the record was restored, as the table announced")),
    _hub(
        HubCode.COMMON_ENTRY_MISSING,
        sentence("the table says that its record was restored up to an entry that this service does not have"),
    ),
    _hub(
        HubCode.CHECKPOINT_CONTRADICTED,
        sentence(
            "the table shows a checkpoint of entry %(last)s with the hash %(found)s, but its record has "
            "another entry there: an administrator decides, with `houseway floor trust`"
        ),
    ),
    _hub(HubCode.NOT_STORED, sentence("this service's database rejects it (%(why)s)")),
    # Not as it was taken
    _hub(
        HubCode.NOT_TRUSTED,
        sentence("the record %(record)s with the key %(key)s was never accepted in this service's own record"),
    ),
    _hub(
        HubCode.NEWEST_ENTRY_DIFFERS,
        sentence("the newest entry of this table is not the one that this service's database names"),
    ),
    _hub(
        HubCode.COSIGNED_ENTRY_MISSING,
        sentence("this service co-signed this entry, but its database has another one or none in its place"),
    ),
    _hub(HubCode.COSIGNATURE_INVALID, sentence("the co-signature of this entry was not made with this service's key")),
    # Not to be had
    _hub(HubCode.NOT_REACHED, sentence("the table's computer does not answer (%(why)s)")),
    _hub(
        HubCode.NOT_ALLOWED,
        sentence("the table does not accept this service's key (%(why)s): it needs one with the role floor"),
    ),
    _hub(HubCode.NOT_ANSWERED, sentence("the table's answer cannot be used (%(why)s)")),
    _audit(AuditCode.OTHER_KEY, sentence("the export names another public key than the one given")),
    _audit(AuditCode.ENTRY_CHANGED, sentence("entry %(entry)s is not as it was signed with the record's key")),
    _audit(AuditCode.ENTRY_UNREADABLE, sentence("entry %(entry)s does not have the fields of its kind")),
    _audit(AuditCode.CUT_OFF, sentence("the export does not end with its own last line; a part of it is missing")),
    _audit(
        AuditCode.PLAN_MISSING, sentence("the plan of the draw in entry %(entry)s, or the plan after it, is missing")
    ),
    _audit(AuditCode.NOT_DRAWN, sentence("the plan in entry %(entry)s was never used for a draw")),
    _audit(
        AuditCode.SEED_EXCHANGED, sentence("the seed of the draw in entry %(entry)s is not the one its plan promised")
    ),
    _audit(
        AuditCode.POPULATION_CHANGED,
        sentence("the hands and throws listed for the draw in entry %(entry)s are not those it was drawn from"),
    ),
    _audit(AuditCode.DRAW_FORGED, sentence("the draw in entry %(entry)s does not match its seed, hands and throws")),
    _audit(
        AuditCode.READING_MISSING,
        sentence("the round of the answer in entry %(entry)s is missing, or is a different one"),
    ),
    _audit(AuditCode.ITEM_SKIPPED, sentence("the answer in entry %(entry)s is not about what was to be asked next")),
    _audit(
        AuditCode.ANSWER_NOT_LINKED,
        sentence("the answer in entry %(entry)s does not carry the hash of the answer before it"),
    ),
    _audit(
        AuditCode.AGREEMENT_FALSE, sentence("entry %(entry)s is wrong about whether the answer agrees with the reading")
    ),
    _audit(
        AuditCode.VERDICT_OUT_OF_PLACE,
        sentence("the verdict in entry %(entry)s is not on a difference, or that difference already had a verdict"),
    ),
    _audit(AuditCode.FIGURES_FALSE, sentence("the figures in the export do not match its entries")),
    _audit(AuditCode.NOT_IN_RECORD, sentence("entry %(entry)s is not in the record, or is different there")),
    _audit(AuditCode.LEFT_OUT, sentence("entry %(entry)s of the record is missing from the export")),
    _audit(AuditCode.RECORD_BROKEN, sentence("the record itself is broken at entry %(entry)s: %(why)s")),
)
