"""A table whose rounds are drawn from, and persons who answer."""

from datetime import datetime, timedelta

import numpy as np

from engine.game.tiles import Tile
from service.record.ledger import Evidence, Ledger
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings
from service.rounds.judge.rules_in_force import TableRules
from service.rounds.reports import DICE
from service.table.audit.audit_log import AuditLog, AuditOutcome, Item, Seen, SeenHand, SeenThrow
from service.table.audit.auditor import Answering, Auditor
from service.table.evidence_keeper import encoded
from tests.service.stand_ins import EMPTY, RIGHT, START, die, hand, new_folder, reading, report_round, revisions
from vision.reading import Reading

RULES = TableRules.of("crown-6.1")
DAY = timedelta(days=1)
HANDS = {"house": "6-3 5-3 6-6 6-1", "box2": "6-2 4-3 5-5 4-2"}
SURE = (hand("house", *RIGHT), hand("box2", "6-2 4-3", "5-5 4-2"))
DICE_READ = (die(3), die(5), die(1), die(2, "cut"))
PLAYED = reading(*SURE, dice=DICE_READ)
DOUBTFUL = reading(*SURE, hand("box3", "6-5 5-4", "3-1 3-2", "uncertain", ("glare",)), dice=DICE_READ)
"""The same with another hand in doubt, so that all else in it is of another kind."""
DICE_SEEN = SeenThrow(((3, "box"), (5, "box"), (1, "box"), (2, "cut")))


class AuditedTable:
    """A record with an auditor and persons who answer."""

    def __init__(self, hands: int = 6, throws: int = 3, record: Record | None = None) -> None:
        self.record = record or Record(RecordSettings(new_folder()))
        self.log = AuditLog(self.record, "test")
        self.auditor = Auditor(self.record, self.log, hands, throws)
        self.answering = Answering(self.record, self.log)
        self.ledger = Ledger(self.record, "test", RULES)
        self.played = 0

    def day(self, number: int, rounds: int, *others: Reading, detector: str = "sha256:00") -> None:
        """A day of rounds with a House hand, a box's hand and a throw, and others; drawn from when it is over."""
        at = START + number * DAY
        self.auditor.step(at)
        for said in (*(PLAYED,) * rounds, *others):
            self.play(said, detector, at)
        self.auditor.step(at + DAY)

    def play(self, said: Reading = PLAYED, detector: str = "sha256:00", at: datetime = START) -> None:
        self.played += 1
        for played in revisions(f"audited{self.played}", at + timedelta(minutes=self.played), said, EMPTY):
            report = report_round(played, table="test", rules=RULES, versions={"detector": detector})
            self.ledger.revise(report, pictures(self.played) if played.closed_at is None else ())

    def answer(self, *, count: int = 1, by: str = "ann") -> Item:
        """A person sees what lies there."""
        for _ in range(count):
            item = self.asked
            done = self.answering.answer(item.draw, item.index, truth(item), by)
        return done

    def differ(self, *, by: str = "ann") -> Item:
        """A person sees something else."""
        item = self.asked
        return self.answering.answer(item.draw, item.index, falsehood(item), by)

    @property
    def asked(self) -> Item:
        item = self.answering.question()
        assert item is not None
        return item

    @property
    def outcomes(self) -> list[AuditOutcome]:
        """The outcome of each drawn hand and throw."""
        return [item.outcome for item in self.log.history().items]


def truth(item: Item) -> Seen:
    return DICE_SEEN if item.place == DICE else _hand(HANDS[item.place])


def falsehood(item: Item) -> Seen:
    return SeenThrow(((6, "box"),)) if item.place == DICE else _hand("2-1 4-2 5-1 5-1")


def _hand(faces: str) -> SeenHand:
    first, second, third, fourth = map(Tile.parse, faces.split())
    return SeenHand((first, second, third, fourth), split=True)


def pictures(number: int) -> list[Evidence]:
    """A frame, the same drawn on, and a close-up of each place, different in each round."""
    found = []
    for step, place in enumerate((*HANDS, DICE)):
        for way, role in enumerate(("frame", "annotated", "close_up")):
            image = np.random.default_rng((number, step, way)).integers(0, 255, (48, 64, 3), np.uint8)
            found.append(Evidence(place, role, encoded(image, 80)))  # type: ignore[arg-type]
    return found
