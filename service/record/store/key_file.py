"""The file of a record's key: made with the record, under its own name only once the first entry is durable.

So an existing key has signed a record; if that record is missing, no new one replaces it automatically.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.record.store.files import sync_folder
from service.record.store.memory import MEMORY
from service.record.store.record_settings import KEY, KEY_NEXT, PUBLIC_KEY
from service.record.store.signing import KeyFileError, Signer, save_public_key
from service.words.codes import RecordCode

if TYPE_CHECKING:
    from pathlib import Path

    from service.record.store.record_settings import RecordSettings

_NEW: Final = f"{KEY}.new"


def left_of_record(settings: RecordSettings) -> Path | None:
    """A file that only a record leaves: its key, the public half, what its check found; beside its folder the mark."""
    left = (*(settings.folder / name for name in (KEY, PUBLIC_KEY, MEMORY)), settings.mark_file)
    return next((file for file in left if file.exists()), None)


def begin_key(folder: Path) -> Signer:
    """Return the key for a new record; a key left by a crash is reused."""
    new = folder / _NEW
    return Signer.load(new) if new.exists() else Signer.make(new)


def take_up_key(folder: Path) -> None:
    """Give the key its name: the first entry that it signed is durable."""
    (folder / _NEW).rename(folder / KEY)
    sync_folder(folder)


def put_in_place(folder: Path) -> None:
    """Have the key that comes next take the place of the one before; OSError."""
    (folder / KEY_NEXT).replace(folder / KEY)
    (folder / PUBLIC_KEY).unlink(missing_ok=True)
    save_public_key(folder / PUBLIC_KEY, Signer.load(folder / KEY).public)
    sync_folder(folder)


def key_of(folder: Path, public: str) -> Signer:
    """The key of a record that is there; KeyFileError if it is missing, cannot be read or is another record's."""
    key, new, following = folder / KEY, folder / _NEW, folder / KEY_NEXT
    if following.exists() and Signer.load(following).public.hex == public:
        put_in_place(folder)  # the change to this key was recorded, and the power went before its file was in place
    if not key.exists() and new.exists() and Signer.load(new).public.hex == public:
        take_up_key(folder)  # the power went between the first entry and this
    if not key.exists():
        raise KeyFileError.of(RecordCode.KEY_MISSING, file=str(key))
    signer = Signer.load(key)
    if signer.public.hex != public:
        raise KeyFileError.of(RecordCode.KEY_OF_ANOTHER_RECORD, file=str(key))
    return signer
