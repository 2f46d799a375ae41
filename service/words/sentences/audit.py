"""What does not hold in the export of an audit, in English."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.codes import AuditCode
from service.words.wording import sentence

if TYPE_CHECKING:
    from collections.abc import Mapping
    from enum import StrEnum

AUDIT: Final[Mapping[StrEnum, tuple[str, ...]]] = {
    AuditCode.OTHER_KEY: (sentence("the export names another public key than the one given"),),
    AuditCode.ENTRY_CHANGED: (sentence("entry %(entry)s is not as it was signed with the record's key"),),
    AuditCode.ENTRY_UNREADABLE: (sentence("entry %(entry)s does not have the fields of its kind"),),
    AuditCode.CUT_OFF: (sentence("the export does not end with its own last line; a part of it is missing"),),
    AuditCode.PLAN_MISSING: (sentence("the plan of the draw in entry %(entry)s, or the plan after it, is missing"),),
    AuditCode.NOT_DRAWN: (sentence("the plan in entry %(entry)s was never used for a draw"),),
    AuditCode.SEED_EXCHANGED: (sentence("the seed of the draw in entry %(entry)s is not the one its plan promised"),),
    AuditCode.POPULATION_CHANGED: (
        sentence("the hands and throws listed for the draw in entry %(entry)s are not those it was drawn from"),
    ),
    AuditCode.DRAW_FORGED: (sentence("the draw in entry %(entry)s does not match its seed, hands and throws"),),
    AuditCode.READING_MISSING: (
        sentence("the round of the answer in entry %(entry)s is missing, or is a different one"),
    ),
    AuditCode.ITEM_SKIPPED: (sentence("the answer in entry %(entry)s is not about what was to be asked next"),),
    AuditCode.ANSWER_NOT_LINKED: (
        sentence("the answer in entry %(entry)s does not carry the hash of the answer before it"),
    ),
    AuditCode.AGREEMENT_FALSE: (sentence("entry %(entry)s is wrong about whether the answer agrees with the reading"),),
    AuditCode.VERDICT_OUT_OF_PLACE: (
        sentence("the verdict in entry %(entry)s is not on a difference, or that difference already had a verdict"),
    ),
    AuditCode.FIGURES_FALSE: (sentence("the figures in the export do not match its entries"),),
    AuditCode.NOT_IN_RECORD: (sentence("entry %(entry)s is not in the record, or is different there"),),
    AuditCode.LEFT_OUT: (sentence("entry %(entry)s of the record is missing from the export"),),
    AuditCode.RECORD_BROKEN: (sentence("the record itself is broken at entry %(entry)s: %(why)s"),),
}
