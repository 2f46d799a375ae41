"""The tables of the record, as the newest migration leaves them."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, String, Table, Text

from service.record.store.database import metadata

# SQLite numbers its rows by a column only if it is called INTEGER; it holds 64 bits either way.
_NUMBER = BigInteger().with_variant(Integer, "sqlite")

entries = Table(
    "record_entries",
    metadata,
    Column("seq", _NUMBER, primary_key=True, autoincrement=False),
    Column("at", String(27), nullable=False),
    Column("monotonic_ns", _NUMBER, nullable=False),
    Column("kind", String(40), nullable=False),
    Column("table", String(40), nullable=False),
    Column("round", String(64)),
    Column("subject", String(200)),
    Column("supersedes", _NUMBER),
    Column("body", Text, nullable=False),
    Column("previous", String(64), nullable=False),
    Column("hash", String(64), nullable=False),
    Index("ix_record_entries_round", "round", "seq"),
    Index("ix_record_entries_kind", "kind", "seq"),
)
checkpoints = Table(
    "record_checkpoints",
    metadata,
    Column("seq", _NUMBER, ForeignKey("record_entries.seq"), primary_key=True, autoincrement=False),
    Column("signature", String(128), nullable=False),
)
pictures = Table(
    "record_pictures",
    metadata,
    Column("seq", _NUMBER, ForeignKey("record_entries.seq"), primary_key=True, autoincrement=False),
    Column("sha256", String(64), primary_key=True),
    Column("bytes", _NUMBER, nullable=False),
    Column("media_type", String(40), nullable=False),
    Index("ix_record_pictures_sha256", "sha256"),
)
replies = Table(
    "record_replies",
    metadata,
    Column("scope", String(200), primary_key=True),
    Column("key", String(200), primary_key=True),
    Column("request", String(64), nullable=False),
    Column("seq", _NUMBER, ForeignKey("record_entries.seq"), nullable=False),
    Column("answer", Text, nullable=False),
)
