"""Positions of keys and values in a TOML file; ``tomllib`` reads values but does not keep positions.

The text is known to be valid TOML, so nothing is checked here.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.house_way.rules import Place

if TYPE_CHECKING:
    from collections.abc import Sequence

Path = tuple[str | int, ...]
"""Keys, and indices of array entries from 0: ``("rule", 3, "set")``."""

_BLANK = re.compile(r"[ \t]*")
_BLANK_AND_COMMENTS = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_PLAIN = re.compile(r"[^,\]}#\n]*")
_ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", '"': '"', "\\": "\\"}
_SIMPLE_STRING = re.compile(r"""(?!""\"|''')(?:"[^"\\]*"|'[^']*')""")
"""Nearly every string: in one pair of quotes and without a backslash."""
_FOLDED = re.compile(r"\\[ \t]*\n[ \t\n]*")


@dataclass(frozen=True, slots=True)
class Spot:
    """Positions of one entry, as offsets into the text.

    Attributes:
        key: of its key or table header; for an array entry, of the value.
        value: of its value.
        characters: of each character of a string.
    """

    key: int
    value: int
    characters: Sequence[int] = ()


class Places:
    """Positions of all keys and values of a valid TOML text with line-feed endings."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._lines = [0, *(match.end() for match in re.finditer("\n", text))]
        self._entries: dict[Path, int] = {}
        self._spots: dict[Path, Spot] = {(): Spot(0, 0)}
        self._read()

    def place(self, offset: int) -> Place:
        """Line and column of an offset."""
        line = bisect_right(self._lines, offset)
        return Place(line, offset - self._lines[line - 1] + 1)

    def key(self, path: Path) -> Place:
        """Position of a key; if missing, of the table it belongs to."""
        while path not in self._spots:
            path = path[:-1]
        return self.place(self._spots[path].key)

    def value(self, path: Path, character: int = 0) -> Place:
        """Position of a value, or of one character of a string; past the last character, its end."""
        if path not in self._spots:
            return self.key(path)
        spot = self._spots[path]
        if not spot.characters:
            return self.place(spot.value)
        if character < len(spot.characters):
            return self.place(spot.characters[character])
        return self.place(spot.characters[-1] + 1)

    # Reading

    def _skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self._text, self._at)
        self._at = match.end() if match else self._at

    def _next_is(self, text: str) -> bool:
        return self._text.startswith(text, self._at)

    def _read(self) -> None:
        table: Path = ()
        while True:
            self._skip(_BLANK_AND_COMMENTS)
            if self._at >= len(self._text):
                return
            if self._next_is("["):
                table = self._header()
            else:
                self._pair(table)

    def _header(self) -> Path:
        start = self._at
        listed = self._next_is("[[")
        self._at += 2 if listed else 1
        *above, last = self._key()
        self._at += 2 if listed else 1
        path: Path = ()
        for part in above:
            path = self._entered((*path, part))
        path = (*path, last)
        if listed:
            self._spots.setdefault(path, Spot(start, start))
            self._entries[path] = self._entries.get(path, 0) + 1
        path = self._entered(path)
        self._spots[path] = Spot(start, start)
        return path

    def _entered(self, path: Path) -> Path:
        """The newest entry if the path is an array of tables."""
        return (*path, self._entries[path] - 1) if path in self._entries else path

    def _key(self) -> list[str]:
        """The parts of a dotted key; the reader stops after it."""
        parts = []
        while True:
            self._skip(_BLANK)
            if self._text[self._at] in "\"'":
                parts.append("".join(character for character, _ in self._characters()))
            else:
                start = self._at
                self._skip(_BARE_KEY)
                parts.append(self._text[start : self._at])
            self._skip(_BLANK)
            if not self._next_is("."):
                return parts
            self._at += 1

    def _pair(self, table: Path) -> None:
        start = self._at
        path: Path = (*table, *self._key())
        for length in range(len(table) + 1, len(path)):
            self._spots.setdefault(path[:length], Spot(start, start))
        self._at += 1
        self._skip(_BLANK)
        self._value(path, start)

    def _value(self, path: Path, key: int) -> None:
        value = self._at
        self._spots[path] = Spot(key, value)
        if self._next_is('"') or self._next_is("'"):
            self._spots[path] = Spot(key, value, self._string())
        elif self._next_is("["):
            self._array(path)
        elif self._next_is("{"):
            self._inline_table(path)
        else:
            self._skip(_PLAIN)

    def _array(self, path: Path) -> None:
        self._at += 1
        number = 0
        while True:
            self._skip(_BLANK_AND_COMMENTS)
            if self._next_is("]"):
                break
            if self._next_is(","):
                self._at += 1
                continue
            self._value((*path, number), self._at)
            number += 1
        self._at += 1

    def _inline_table(self, path: Path) -> None:
        self._at += 1
        while True:
            self._skip(_BLANK)
            if self._next_is("}"):
                break
            if self._next_is(","):
                self._at += 1
                continue
            self._pair(path)
        self._at += 1

    def _string(self) -> Sequence[int]:
        """The offset of each character of a string."""
        if simple := _SIMPLE_STRING.match(self._text, self._at):
            offsets = range(self._at + 1, simple.end() - 1)
            self._at = simple.end()
            return offsets
        return [offset for _, offset in self._characters()]

    def _characters(self) -> list[tuple[str, int]]:
        """The characters of a string, each with its offset."""
        quote = self._text[self._at]
        long = self._next_is(quote * 3)
        self._at += 3 if long else 1
        if long and self._next_is("\n"):
            self._at += 1
        found: list[tuple[str, int]] = []
        while True:
            if self._next_is(quote * 3 if long else quote):
                break
            if quote == '"' and self._next_is("\\"):
                found += self._escaped()
            else:
                found.append((self._text[self._at], self._at))
                self._at += 1
        self._at += 3 if long else 1
        while long and self._next_is(quote):  # up to two quotes may precede the closing three
            found.append((quote, self._at))
            self._at += 1
        return found

    def _escaped(self) -> list[tuple[str, int]]:
        start = self._at
        if folded := _FOLDED.match(self._text, start):
            self._at = folded.end()
            return []
        letter = self._text[start + 1]
        digits = {"u": 4, "U": 8}.get(letter, 0)
        self._at += 2 + digits
        character = chr(int(self._text[start + 2 : self._at], 16)) if digits else _ESCAPES[letter]
        return [(character, start)]
