"""Text from outside on its way to a terminal or a record: names that can be read, nothing that moves a cursor."""

from __future__ import annotations

from engine.vocabulary.names import hidden_in

_KEPT = frozenset("\n\t")


def plain_name(text: str) -> str:
    """A name as it may be written: without characters that show nothing by themselves or turn the line.

    Raises:
        ValueError: it holds a line break, a control code, a right-to-left mark or the like.
    """
    hidden = hidden_in(text)
    if hidden is not None:
        raise ValueError(f"a name holds U+{ord(hidden):04X}, which is invisible: leave it out")
    return text


def printed(text: str) -> str:
    """Text as a terminal may have it: what shows nothing by itself is written as its code, but line breaks and tabs."""
    return "".join(each if each in _KEPT or hidden_in(each) is None else f"<U+{ord(each):04X}>" for each in text)
