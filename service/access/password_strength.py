"""Which passwords are refused: too short, or guessed soon by somebody who knows what people choose and this house.

zxcvbn estimates how many guesses one takes: it has lists of common passwords, words and names, and knows keyboards.
"""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING, Final

from service.words.wording import WordedError, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


SHORTEST_PASSWORD: Final = 12
LONGEST_PASSWORD: Final = 200

_LOOKED_AT: Final = 40
"""Characters of a password that are looked at: the estimate takes longer than in proportion, and these are enough."""
_GUESSES_LOG10: Final = 8.0
"""At least so many guesses, as a power of ten: what zxcvbn calls safely unguessable under a slow hash."""
_OWN_LETTERS: Final = 4
"""Letters that a password with a known name has beside it, at least."""
_WELL_KNOWN: Final = (
    "correcthorsebatterystaple",
    "thequickbrownfoxjumpsoverthelazydog",
    "maytheforcebewithyou",
    "tobeornottobethatisthequestion",
    "loremipsumdolorsitamet",
    "openthepodbaydoorshal",
    "iamthewalrus",
    "letmeinplease",
)
"""Long ones that books and films have made known, as nobody lists them."""
_TRADE: Final = (
    *("houseway", "casino", "paigow", "pai", "gow", "tiles", "dice", "dealer", "pit", "table", "floor", "house"),
    *("supervisor", "technician", "auditor", "viewer", "admin", "administrator", "surveillance", "geejoon", "dominoes"),
    *("crown", "star", "skycity", "sky", "city", "melbourne", "sydney", "perth", "auckland", "macau", "hongkong"),
)
_SIGNS: Final = str.maketrans("@$!|([{<+%", "asilcccctx")
"""Signs as letters that they stand for: zxcvbn tries all that each may be, for seconds where there are many."""
_FEW_SIGNS: Final = 2
_ONE_AT_A_TIME: Final = threading.Lock()


class WeakPasswordError(WordedError):
    """A password that is refused; the message says what is wanted."""


def names_of(*names: str) -> tuple[str, ...]:
    """What a guesser would try who knows names of a place: those and their parts."""
    return tuple(_parts(names))


def check_password(password: str, account: str, names: Iterable[str] = ()) -> None:
    """Refuse a password that is too easily guessed; WeakPasswordError says in what way.

    Args:
        password: as it was typed.
        account: name of the account that it is for.
        names: further words that somebody who guesses would know, as :func:`names_of` has them.
    """
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise WeakPasswordError(
            words(
                "a password has %(shortest)s to %(longest)s characters",
                shortest=SHORTEST_PASSWORD,
                longest=LONGEST_PASSWORD,
            )
        )
    if not password.isprintable():
        raise WeakPasswordError(words("this password has characters that cannot be typed"))
    if len(set(password)) < 5:
        raise WeakPasswordError(words("this password has too few different characters; use several words"))
    if account.lower() in password.lower() and len(password) < len(account) + SHORTEST_PASSWORD:
        raise WeakPasswordError(words("this password is little more than the account's name; use several words"))
    known = (*_WELL_KNOWN, *_TRADE, *_parts((account,)), *names)
    if _is_of_names(password, known) or _guesses_log10(password, known) < _GUESSES_LOG10:
        raise WeakPasswordError(
            words(
                "this password is easily guessed: it is a common one, or made of names, dates, repetitions or keys "
                "side by side; use four or more words that have nothing to do with each other, or let a password "
                "manager make one"
            )
        )


def _is_of_names(password: str, known: Sequence[str]) -> bool:
    """Whether names that are known, with digits and signs, are all that it is made of."""
    rest = password.lower()
    for name in sorted(known, key=len, reverse=True):
        rest = rest.replace(name, "")
    letters = sum(map(str.isalpha, rest))
    return len(rest) < len(password) and letters < _OWN_LETTERS


def _guesses_log10(password: str, known: Sequence[str]) -> float:
    """How many guesses it takes, as a power of ten: as it is typed, or without what stands between its words."""
    from zxcvbn import zxcvbn  # noqa: PLC0415  its lists are read when it is imported, and few commands need them

    bare = re.sub(r"[\W_]+", "", password)
    looked_at = {password.translate(_SIGNS)[:_LOOKED_AT]}
    if len({each for each in password if ord(each) in _SIGNS}) <= _FEW_SIGNS:
        looked_at.add(password[:_LOOKED_AT])
    if 2 * len(bare) >= len(password):
        looked_at.add(bare[:_LOOKED_AT])
    # It keeps the names that it is given in a place of its module.
    with _ONE_AT_A_TIME:
        return min(float(zxcvbn(each, user_inputs=list(known))["guesses_log10"]) for each in looked_at)


def _parts(names: Iterable[str]) -> set[str]:
    """Names as one word, and their parts; those of one or two letters say nothing."""
    found = {re.sub(r"[\W_]+", "", name.lower()) for name in names}
    found |= {part for name in names for part in re.split(r"[\W_]+", name.lower())}
    return {each for each in found if len(each) > 2}
