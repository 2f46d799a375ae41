"""What a table sends to a witness: the number that the witness knows, the entries since, and the new checkpoint.

The form is that of C2SP ``tlog-witness``, ``add-checkpoint``, with a chain's own proof in place of a tree's: each entry
as an export has it, for a hash of the chain covers the whole entry and the hash before it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.record.checkpoints.note import NoteError, read_note
from service.record.store.chain import BrokenEntryError, Entry

if TYPE_CHECKING:
    from service.record.checkpoints.note import Note

MOST_ENTRIES = 500
MOST_BYTES = 32_000_000


class SubmissionError(ValueError):
    """This is no submission; the message says why."""


@dataclass(frozen=True, slots=True)
class Submission:
    """What is sent.

    Attributes:
        old: number of the entry that the witness signed for last; 0 if it never did.
        entries: those behind it, up to the checkpoint's; none if the witness knows nothing yet.
        note: the checkpoint.
    """

    old: int
    entries: tuple[Entry, ...]
    note: Note

    @property
    def text(self) -> str:
        """The body of the request."""
        return "".join((f"old {self.old}\n", *(f"{entry.line()}\n" for entry in self.entries), "\n", self.note.text))

    @classmethod
    def of_text(cls, text: str) -> Submission:
        """Read the body of a request; SubmissionError if it is none."""
        head, _, note = text.partition("\n\n")
        lines = head.split("\n")
        old = re.fullmatch(r"old (0|[1-9][0-9]{0,17})", lines[0])
        if old is None:
            raise SubmissionError(
                "the first line is 'old' and the number of the entry that the witness signed for last"
            )
        if len(lines) - 1 > MOST_ENTRIES:
            raise SubmissionError(f"at most {MOST_ENTRIES} entries at once")
        try:
            return cls(int(old[1]), tuple(map(Entry.of_line, lines[1:])), read_note(note))
        except (BrokenEntryError, NoteError) as error:
            raise SubmissionError(str(error)) from None
