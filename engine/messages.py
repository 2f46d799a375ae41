"""Sentences as values: they read as English text and keep their parts, so that a page can translate them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Message(str):
    """A sentence that reads as text and keeps its parts.

    >>> made = message("its {side} hand counts {mine}", side="low", mine=3)
    >>> made, made.text
    ('its low hand counts 3', 'its {side} hand counts {mine}')

    Attributes:
        text: the sentence, with the names of its fields in braces.
        fields: their values, such as other messages, hands, numbers or words; empty if the text has none.
    """

    __slots__ = ("fields", "text")
    text: str
    fields: Mapping[str, object]

    def __new__(cls, text: str, fields: Mapping[str, object]) -> Self:
        shown = {name: written(value) for name, value in fields.items()}
        made = super().__new__(cls, text.format(**shown) if fields else text)
        made.text = text
        made.fields = fields
        return made

    def __getnewargs__(self) -> tuple[str, Mapping[str, object]]:  # type: ignore[override]  # other than those of str
        return self.text, self.fields


class Verbatim(str):
    """A word of a file or a command, which is the same in every language."""

    __slots__ = ()


class Listed(str):
    """Several values as a text, such as ``7, 8 or 9``, that keeps its parts."""

    __slots__ = ("joined", "parts")
    parts: tuple[object, ...]
    joined: Literal["and", "or", ";"]

    def __new__(cls, parts: Iterable[object], joined: Literal["and", "or", ";"]) -> Self:
        """Join values by ``and`` or ``or`` before the last and commas before the others, or by semicolons."""
        kept = tuple(parts)
        *first, last = map(written, kept) if kept else ("",)
        between, before_last = ("; ", "; ") if joined == ";" else (", ", f" {joined} ")
        made = super().__new__(cls, before_last.join([between.join(first), last] if first else [last]))
        made.parts = kept
        made.joined = joined
        return made

    def __getnewargs__(self) -> tuple[tuple[object, ...], str]:  # type: ignore[override]  # other than those of str
        return self.parts, self.joined


def message(text: str, /, **fields: object) -> Message:
    """Make a message; ``text`` must be a literal, so that it is found for the catalogues of translations."""
    return Message(text, fields)


def written(value: object) -> str:
    """A value as the English text has it: numbers with commas between the thousands."""
    return f"{value:,}" if isinstance(value, int) else str(value)
