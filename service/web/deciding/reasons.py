"""The usual reasons for a decision: chosen by a code, recorded in English, read in the language of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.words.wording import Words, sentence

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.words.wording import Sayable

USUAL: Final[Mapping[str, str]] = {
    "picture": sentence("Clear in the picture"),
    "table": sentence("Seen at the table"),
    "glare": sentence("Glare or shadow"),
    "hidden": sentence("Hand or sleeve in the way"),
    "dealer": sentence("The dealer was asked"),
}


def reason_of(code: str, more: str) -> str:
    """What is recorded for a usual reason, for a person's own words, or for both; empty for neither."""
    return ": ".join(each for each in (USUAL.get(code, ""), more.strip()) if each)


def reason_words(recorded: str) -> Sayable | str:
    """A recorded reason as people read it: a usual one in their language, a person's own words as they are."""
    usual, between, more = recorded.partition(": ")
    if usual not in USUAL.values():
        return recorded
    return Words("%(about)s: %(what)s", {"about": Words(usual, {}), "what": more}) if between else Words(usual, {})
