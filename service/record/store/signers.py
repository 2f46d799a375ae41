"""The private key that a record is to be signed with: in its file, or in a token (PKCS#11)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.record.store.files import sync_folder
from service.record.store.key_file import begin_key, key_of
from service.record.store.record_settings import KEY, KEY_NEXT, PUBLIC_KEY
from service.record.store.signing import Signer, save_public_key

if TYPE_CHECKING:
    from service.record.store.record_settings import RecordSettings, TokenKey
    from service.record.store.signing import AnySigner, PublicKey


def new_record_signer(settings: RecordSettings) -> AnySigner:
    """The key that a new record begins with; made if there is none. KeyFileError, OSError."""
    if settings.token is not None:
        return _of_token(settings.token)
    return begin_key(settings.folder)


def signer_of(settings: RecordSettings, public: PublicKey) -> AnySigner:
    """The private half of a key; KeyFileError if it is not where the settings say, OSError."""
    if settings.token is not None and (found := _of_token(settings.token)).public.hex == public.hex:
        return found
    following = settings.folder / KEY_NEXT
    if following.exists() and Signer.load(following).public.hex == public.hex:
        # The change to this key was recorded, and the power went before its file was in place.
        put_in_place(settings)
    return key_of(settings.folder, public.hex)


def put_in_place(settings: RecordSettings) -> None:
    """Have the key that comes next take the place of the one before; OSError."""
    (settings.folder / KEY_NEXT).replace(settings.folder / KEY)
    (settings.folder / PUBLIC_KEY).unlink(missing_ok=True)
    save_public_key(settings.folder / PUBLIC_KEY, Signer.load(settings.folder / KEY).public)
    sync_folder(settings.folder)


def _of_token(key: TokenKey) -> AnySigner:
    from service.record.store.token import TokenSigner  # noqa: PLC0415  its library is not installed everywhere

    return TokenSigner.open(key)
