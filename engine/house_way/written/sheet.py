"""A House Way file as keys and values with positions; missing, misspelt or malformed entries are collected.

Input is untrusted: size, line length, depth, and terminal control characters are checked first.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final, NoReturn

from engine.errors import RulebookFileError
from engine.house_way.rules import Place
from engine.house_way.written.phrases import PhraseError, displayable, printable
from engine.house_way.written.places import Places
from engine.messages import Listed, Verbatim, message

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path as File
    from typing import TypeVar

    from engine.house_way.written.places import Path

    T = TypeVar("T")

LARGEST: Final = 64 * 1024
"""Bytes of a file; the longest printed House Way takes a fifth of it."""
MOST_LISTED: Final = 60
LONGEST_LINE: Final = 2_000
LONGEST_TEXT: Final = 1_000

_TEXT: Final = message("this must be a text in quotes")
_TEXT_OR_LIST: Final = message("this must be a text in quotes or a list of such")
_AT = re.compile(r"(.*) \(at line (\d+), column (\d+)\)", re.DOTALL)
_CONTROL_CATEGORIES = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Unicode categories of characters that are invisible or change how others are displayed."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake at one position in a file, with advice."""

    place: Place
    words: str

    def __str__(self) -> str:
        return f"{self.place}: {self.words}"


class WayFileError(RulebookFileError):
    """A House Way file with mistakes; the message shows the first one.

    Attributes:
        file: its name.
        mistakes: all of them, in file order.
    """

    def __init__(self, file: str, mistakes: tuple[Mistake, ...]) -> None:
        """Name the file, the first mistake, and how many more there are."""
        file = printable(file)
        more = len(mistakes) - 1
        others = f"; and {more} more, houseway house-way check {file} names them all" if more else ""
        super().__init__(f"{file}: {mistakes[0]}{others}")
        self.file = file
        self.mistakes = mistakes


def text_of(file: File) -> bytes:
    """Content of a file; of one that is too large, enough to be refused.

    Raises:
        RulebookFileError: missing, not a regular file, or unreadable.
    """
    name = printable(str(file))
    if not file.exists():
        raise RulebookFileError(f"{name}: there is no such file; give the path of a .toml file with a House Way")
    if not file.is_file():
        raise RulebookFileError(f"{name}: is no plain file; give the path of a .toml file with a House Way")
    try:
        with file.open("rb") as opened:
            data = opened.read(LARGEST + 1)
    except OSError as error:
        raise RulebookFileError(f"{name}: cannot be read: {error.strerror}") from error
    return data


def check_size(data: bytes, name: str) -> None:
    """Refuse a file that is too large to be a House Way; RulebookFileError."""
    if len(data) > LARGEST:
        raise RulebookFileError(
            message(
                "{file}: is larger than {most} KiB, which no House Way is", file=printable(name), most=LARGEST // 1024
            )
        )


class Sheet:
    """A file's data, the positions of all entries, and the mistakes found so far.

    Raises:
        WayFileError: not valid TOML.
    """

    def __init__(self, data: bytes, file: str) -> None:
        self.file = file
        self.mistakes: list[Mistake] = []
        text = self._decoded(data)
        for number, line in enumerate(text.split("\n"), 1):
            if len(line) > LONGEST_LINE:
                self._stop(
                    Place(number, LONGEST_LINE + 1),
                    message("this line is longer than {most} characters", most=LONGEST_LINE),
                )
        try:
            self.data: dict[str, Any] = tomllib.loads(text)
            self.places = Places(text)
        except RecursionError:
            self._stop(
                Place(1, 1),
                message(
                    "lists stand within each other too deeply: write each rule under its own {table}", table="[[rule]]"
                ),
            )
        except ValueError as error:
            self._no_toml(str(error), text)

    def _decoded(self, data: bytes) -> str:
        try:
            return data.decode("utf-8-sig").replace("\r\n", "\n")
        except UnicodeDecodeError as error:
            before = data[: error.start].decode("utf-8", "replace")
            line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
            self._stop(
                Place(line, column),
                message("this character cannot be read: save the file as text in the encoding UTF-8"),
            )

    def _no_toml(self, error: str, text: str) -> None:
        match = _AT.fullmatch(error)
        last = text.rstrip("\n")
        end = Place(last.count("\n") + 1, len(last) - last.rfind("\n"))
        place = Place(int(match[2]), int(match[3])) if match else end
        words = match[1] if match else error.replace(" (at end of document)", ", at the end of the file")
        if "overwrite" in words or "twice" in words:
            self._stop(place, message("this key or table is written twice: leave one out"))
        self._stop(
            place,
            message(
                "the file cannot be read from here on ({fault}): write {key} on one line, with both quotes, below a "
                "line such as {table}",
                fault=printable(words[:1].lower() + words[1:]),
                key='key = "value"',
                table="[[rule]]",
            ),
        )

    def _stop(self, place: Place, words: str) -> NoReturn:
        raise WayFileError(self.file, (Mistake(place, words),))

    def mistake(self, place: Place, words: str) -> None:
        self.mistakes.append(Mistake(place, words))

    def raise_mistakes(self) -> None:
        """Raise `WayFileError` if mistakes were recorded."""
        if self.mistakes:
            raise WayFileError(self.file, tuple(sorted(self.mistakes, key=lambda each: each.place)))

    def read(self, text: Text, reading: Callable[[str], T]) -> T | None:
        """Parse a phrase; None, and a recorded mistake, if that fails."""
        try:
            return reading(text.text)
        except PhraseError as error:
            self.mistake(self.places.value(text.path, error.at), error.words)
            return None

    def top(self) -> Entry:
        return Entry(self, (), self.data)


class Text:
    """A text of the file and its position."""

    def __init__(self, text: str, path: Path) -> None:
        self.text = text
        self.path = path

    def __str__(self) -> str:
        """The text on one line."""
        return " ".join(self.text.split())


class Entry:
    """One table of the file; `finish` reports the keys that were not read."""

    def __init__(self, sheet: Sheet, path: Path, data: dict[str, Any]) -> None:
        self.sheet = sheet
        self.path = path
        self._data = data
        self._known: list[str] = []

    @property
    def place(self) -> Place:
        return self.sheet.places.key(self.path)

    def written(self) -> dict[str, Any]:
        """What is written there, without the days between which it is in force."""
        return {key: value for key, value in self._data.items() if key not in {"from", "until"}}

    def has(self, key: str) -> bool:
        return key in self._data

    def wrong(self, key: str, words: str) -> None:
        """Record a mistake in a value."""
        self.sheet.mistake(self.sheet.places.value((*self.path, key)), words)

    def needs(self, key: str, why: str) -> None:
        """Record a missing key."""
        if key not in self._data:
            self.sheet.mistake(self.place, message("{key} is missing: {why}", key=key, why=why))

    def text(self, key: str) -> Text | None:
        found = self.texts(key, lists=False)
        return found[0] if found else None

    def texts(self, key: str, *, lists: bool = True) -> tuple[Text, ...]:
        """A text, or a list of texts."""
        self._known.append(key)
        if key not in self._data:
            return ()
        given, path = self._data[key], (*self.path, key)
        if isinstance(given, list) and lists:
            if not given:
                self.wrong(key, message("{key} is an empty list: write something, or leave it out", key=key))
            if len(given) > MOST_LISTED:
                self.wrong(key, message("this list has more than {most} entries", most=MOST_LISTED))
                return ()
            found = [self._text(each, (*path, number)) for number, each in enumerate(given)]
            return tuple(filter(None, found))
        text = self._text(given, path, or_list=lists)
        return (text,) if text else ()

    def _text(self, given: object, path: Path, *, or_list: bool = False) -> Text | None:
        places = self.sheet.places
        if isinstance(given, int) and not isinstance(given, bool) and path[-1] == "number":
            given = str(given)
        if not isinstance(given, str):
            self.sheet.mistake(places.value(path), _TEXT_OR_LIST if or_list else _TEXT)
        elif not given.strip():
            self.sheet.mistake(places.value(path), message("this text is empty"))
        elif len(given) > LONGEST_TEXT:
            self.sheet.mistake(
                places.value(path), message("this text is longer than {most} characters", most=LONGEST_TEXT)
            )
        elif (bad := next((at for at, each in enumerate(given) if _is_terminal_control(each)), None)) is not None:
            name = f"U+{ord(given[bad]):04X}"
            self.sheet.mistake(
                places.value(path, bad), message("the character {code} is not shown: take it out", code=name)
            )
        else:
            return Text(given, path)
        return None

    def flag(self, key: str) -> bool:
        """True or false; false if missing."""
        self._known.append(key)
        given = self._data.get(key, False)
        if not isinstance(given, bool):
            self.wrong(
                key, message("{key} must be {values}, without quotes", key=key, values=Listed(("true", "false"), "or"))
            )
        return given is True

    def day(self, key: str) -> date | None:
        self._known.append(key)
        given = self._data.get(key)
        if given is None or type(given) is date:
            return given
        self.wrong(
            key,
            message("{key} must be a day, without quotes, such as {example}", key=key, example=f"{key} = 2027-02-01"),
        )
        return None

    def numbers(self, key: str) -> tuple[int, ...]:
        """A list of whole numbers."""
        self._known.append(key)
        given = self._data.get(key, [])
        if not isinstance(given, list) or not all(type(each) is int and each > 0 for each in given):
            self.wrong(
                key, message("{key} must be a list of whole numbers, such as {example}", key=key, example="[5, 7]")
            )
            return ()
        return tuple(given)

    def entries(self, key: str) -> tuple[Entry, ...]:
        """A list of tables, each ``[[key]]``."""
        self._known.append(key)
        given = self._data.get(key, [])
        if not isinstance(given, list) or not all(isinstance(each, dict) for each in given):
            self.wrong(
                key,
                message(
                    "{key} must be written as entries: write {table} above each",
                    key=key,
                    table=f"[[{'.'.join(self._named(key))}]]",
                ),
            )
            return ()
        return tuple(Entry(self.sheet, (*self.path, key, number), each) for number, each in enumerate(given))

    def _named(self, key: str) -> tuple[str, ...]:
        return (*(part for part in self.path if isinstance(part, str)), key)

    def entry(self, key: str) -> Entry | None:
        """One table, ``[key]``."""
        self._known.append(key)
        given = self._data.get(key)
        if given is None:
            return None
        if not isinstance(given, dict):
            self.wrong(key, message("{key} has keys of its own: write {table} above them", key=key, table=f"[{key}]"))
            return None
        return Entry(self.sheet, (*self.path, key), given)

    def finish(self) -> None:
        """Record a mistake for each unknown key."""
        for key in self._data:
            if key not in self._known:
                near = get_close_matches(key, self._known, n=1)
                words = (
                    message(
                        "{key} is no key here (did you mean {meant}?)", key=displayable(key), meant=Verbatim(near[0])
                    )
                    if near
                    else message(
                        "{key} is no key here; known: {known}",
                        key=displayable(key),
                        known=Verbatim(", ".join(self._known)),
                    )
                )
                self.sheet.mistake(self.sheet.places.key((*self.path, key)), words)


def _is_terminal_control(character: str) -> bool:
    return character not in "\n\t" and unicodedata.category(character) in _CONTROL_CATEGORIES
