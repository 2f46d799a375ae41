"""The tables of the record, for queries; :mod:`service.record.store.migrations` says what their columns are."""

from sqlalchemy import column, table

from service.record.store.chain import Entry
from service.record.store.entries import Reply

entries = table("record_entries", *map(column, Entry.__slots__))
checkpoints = table("record_checkpoints", *map(column, ("seq", "signature")))
pictures = table("record_pictures", *map(column, ("seq", "sha256", "bytes", "media_type")))
replies = table("record_replies", *map(column, ("seq", *Reply.__slots__)))
