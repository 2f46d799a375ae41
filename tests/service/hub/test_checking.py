"""What is taken from a table: entries that follow, as they were signed, and nothing else."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service.hub.checking import AnnouncedEpoch, Checked, ReceivedEntry, due_of, extend, first_contact, last_common
from service.record.store.entries import Entry, canonical_json
from service.record.store.signing import Signer
from service.record.store.stored_logs import UNKNOWN, Due, Known
from service.words.codes import HubCode, RecordCode
from tests.service.hub.feeds import RecordedFeed, bent, lines


def taken(checked: Checked) -> list[str]:
    return [] if checked.extension is None else [each.entry.line() for each in checked.extension.entries]


def known_of(feed: RecordedFeed, seq: int | None = None) -> Known:
    found = extend(UNKNOWN, feed.given(0, seq or len(feed.entries)), feed.trusted)
    assert found.refusal is None
    assert found.extension is not None
    return found.extension.after


def test_a_whole_record_is_taken_from_the_first_contact_on() -> None:
    feed = RecordedFeed().rounds(5)
    feed.rotate()
    feed.rounds(3)
    found = extend(UNKNOWN, feed.given(), feed.trusted)
    assert taken(found) == lines(feed.given())
    assert found.refusal is None
    assert found.extension is not None
    assert found.extension.after == Known(
        feed.record, feed.signer.public.hex, 10, feed.head.hash, f"1-{feed.entries[0][0].hash[:16]}"
    )


@pytest.mark.parametrize("cuts", [(1,), (2, 5), (3, 4, 6, 7)])
def test_in_pieces_as_in_one(cuts: tuple[int, ...]) -> None:
    feed = RecordedFeed().rounds(4)
    feed.rotate()
    feed.rounds(4)
    known, got = UNKNOWN, list[str]()
    for begin, end in zip((0, *cuts), (*cuts, len(feed.entries)), strict=True):
        found = extend(known, feed.given(begin, end - begin), feed.trusted)
        assert found.extension is not None
        assert found.extension.follows == (known.seq, known.hash)
        known, got = found.extension.after, got + taken(found)
    assert got == lines(feed.given())
    assert known == known_of(feed)


def test_what_is_known_already_is_passed_over() -> None:
    feed = RecordedFeed().rounds(6)
    known = known_of(feed, 4)
    assert taken(extend(known, feed.given(), feed.trusted)) == lines(feed.given(4))
    assert extend(known, feed.given(0, 4), feed.trusted) == Checked()
    assert extend(known, feed.given(0, 2), feed.trusted) == Checked()


def _field(name: str, value: object) -> Callable[[ReceivedEntry], ReceivedEntry]:
    """Put something else into an entry; its line stays canonical JSON, its hash and signature stay."""

    def change(each: ReceivedEntry) -> ReceivedEntry:
        return replace(each, line=canonical_json({**json.loads(each.line), name: value}))

    return change


FORGED: dict[str, tuple[Callable[[ReceivedEntry], ReceivedEntry], RecordCode]] = {
    "another body, with its hash": (lambda each: bent(each, body={"number": 99}), RecordCode.SIGNED_WITH_ANOTHER_KEY),
    "another body": (_field("body", {"number": 99}), RecordCode.HASH_WRONG),
    "another moment": (_field("at", "2026-01-01T00:00:05.000001Z"), RecordCode.HASH_WRONG),
    "another number": (_field("seq", 7), RecordCode.ENTRY_OUT_OF_PLACE),
    "another link": (_field("previous", "ab" * 32), RecordCode.NOT_LINKED),
    "no signature": (lambda each: replace(each, signature=None), RecordCode.NOT_SIGNED),
    "an invalid signature": (lambda each: replace(each, signature="zz"), RecordCode.SIGNED_WITH_ANOTHER_KEY),
    "another signature": (lambda each: replace(each, signature="00" * 64), RecordCode.SIGNED_WITH_ANOTHER_KEY),
    "no JSON": (lambda each: replace(each, line=each.line[:-1]), RecordCode.NOT_AN_ENTRY),
    "not canonical": (lambda each: replace(each, line=" " + each.line), RecordCode.ENTRY_NOT_AS_APPENDED),
    "a field more": (_field("more", 1), RecordCode.NOT_AN_ENTRY),
    "no number": (_field("seq", "5"), RecordCode.NOT_AN_ENTRY),
    "half a number": (_field("seq", 5.0), RecordCode.NOT_AN_ENTRY),
    "a truth for a number": (_field("monotonic_ns", value=True), RecordCode.NOT_AN_ENTRY),
    "a number that no database holds": (_field("monotonic_ns", 2**63), RecordCode.NOT_AN_ENTRY),
    "a text that no database holds": (_field("subject", "a\0b"), RecordCode.NOT_AN_ENTRY),
    "half a letter": (_field("round", "\ud800"), RecordCode.NOT_AN_ENTRY),
    "an invalid time": (_field("at", "yesterday"), RecordCode.NOT_AN_ENTRY),
    "no kind": (_field("kind", None), RecordCode.NOT_AN_ENTRY),
    "a body that is a list": (_field("body", [1]), RecordCode.NOT_AN_ENTRY),
    "a text without end": (_field("subject", "x" * 100_000), RecordCode.NOT_AN_ENTRY),
    "nothing": (lambda each: replace(each, line=""), RecordCode.NOT_AN_ENTRY),
    "deep": (lambda each: replace(each, line="[" * 100_000), RecordCode.NOT_AN_ENTRY),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_entry_is_refused_and_those_before_it_are_taken(name: str) -> None:
    change, code = FORGED[name]
    feed = RecordedFeed().rounds(6)
    sent = [change(each) if number == 4 else each for number, each in enumerate(feed.given())]
    found = extend(UNKNOWN, sent, feed.trusted)
    assert taken(found) == lines(feed.given(0, 4))
    assert found.refusal is not None
    assert (found.refusal.fault.finding.code, found.refusal.fault.entry) == (code, 5)
    assert found.refusal.line == sent[4].line.encode(errors="replace")


def test_entries_in_another_order_are_refused() -> None:
    feed = RecordedFeed().rounds(6)
    sent = feed.given()
    sent[3], sent[4] = sent[4], sent[3]
    found = extend(UNKNOWN, sent, feed.trusted)
    assert taken(found) == lines(feed.given(0, 3))
    assert found.refusal is not None
    assert found.refusal.fault.finding.code is RecordCode.ENTRY_OUT_OF_PLACE


def test_an_entry_left_out_is_refused() -> None:
    feed = RecordedFeed().rounds(6)
    sent = feed.given()
    del sent[2]
    found = extend(UNKNOWN, sent, feed.trusted)
    assert (taken(found), found.refusal and found.refusal.fault.entry) == (lines(feed.given(0, 2)), 3)


def test_the_key_before_signs_nothing_after_a_change() -> None:
    feed = RecordedFeed().rounds(2)
    before = feed.rotate()
    feed.signer = before
    feed.append()
    found = extend(UNKNOWN, feed.given(), feed.trusted)
    assert taken(found) == lines(feed.given(0, 4))
    assert found.refusal is not None
    assert found.refusal.fault.finding.code is RecordCode.SIGNED_WITH_ANOTHER_KEY


def test_a_change_of_the_key_that_is_not_signed_with_the_one_before_is_refused() -> None:
    feed = RecordedFeed().rounds(2)
    known = known_of(feed)
    feed.signer = Signer(Ed25519PrivateKey.generate())
    feed.append("signing_key", {"public_key": feed.signer.public.hex})
    found = extend(known, feed.given(3), feed.trusted)
    assert (found.extension, found.refusal and found.refusal.fault.finding.code) == (
        None,
        RecordCode.SIGNED_WITH_ANOTHER_KEY,
    )
    # A person may accept it, from this entry on and no other.
    key = feed.signer.public.hex
    accepted = replace(feed.trusted, accepted={4: key})
    assert taken(extend(known, feed.given(3), accepted)) == lines(feed.given(3))
    for other in ({5: key}, {4: feed.first_key}, {}):
        assert extend(known, feed.given(3), replace(accepted, accepted=other)).extension is None
    assert extend(known, feed.given(3), replace(accepted, record="0" * 32)).extension is None


def test_a_key_that_is_none_is_refused() -> None:
    feed = RecordedFeed().rounds(2)
    feed.append("signing_key", {"public_key": [1]})
    found = extend(UNKNOWN, feed.given(), feed.trusted)
    assert found.refusal is not None
    assert (found.refusal.fault.entry, found.refusal.fault.finding.code) == (4, RecordCode.NO_SUCH_KEY)


class TestFirstContact:
    def test_it_names_record_and_key(self) -> None:
        feed = RecordedFeed()
        assert first_contact(feed.given()[0]) == (feed.record, feed.first_key)

    @pytest.mark.parametrize(
        "change",
        [_field("kind", "round"), _field("seq", 2), _field("body", {}), lambda each: replace(each, line="x")],
    )
    def test_what_is_no_beginning(self, change: Callable[[ReceivedEntry], ReceivedEntry]) -> None:
        assert first_contact(change(RecordedFeed().given()[0])) is None

    def test_a_record_with_a_name_that_is_none(self) -> None:
        assert first_contact(RecordedFeed(record="x" * 32).given()[0]) is None

    def test_another_record_is_refused(self) -> None:
        feed, other = RecordedFeed().rounds(2), RecordedFeed().rounds(2)
        found = extend(UNKNOWN, other.given(), feed.trusted)
        assert (found.extension, found.refusal and found.refusal.fault.finding.code) == (None, HubCode.OTHER_RECORD)

    def test_another_key_is_refused(self) -> None:
        feed = RecordedFeed()
        other = RecordedFeed(record=feed.record).rounds(2)
        found = extend(UNKNOWN, other.given(), feed.trusted)
        assert (found.extension, found.refusal and found.refusal.fault.finding.code) == (None, HubCode.OTHER_KEY)

    def test_a_record_that_does_not_begin_as_one(self) -> None:
        feed = RecordedFeed(entries=[])
        feed.entries.clear()
        feed.append("round")
        found = extend(UNKNOWN, feed.given(), feed.trusted)
        assert found.refusal is not None
        assert found.refusal.fault.finding.code is RecordCode.FIRST_ENTRY_MISSING


class TestRestored:
    def test_another_entry_in_the_place_of_a_known_one_is_refused(self) -> None:
        feed = RecordedFeed().rounds(6)
        other = feed.copy()
        del other.entries[4:]
        other.append(body={"number": 99})
        found = extend(known_of(feed, 5), other.given(), feed.trusted)
        assert (found.extension, found.refusal and found.refusal.fault.finding.code) == (
            None,
            HubCode.ENTRY_REPLACED,
        )

    def test_where_it_parts(self) -> None:
        feed = RecordedFeed().rounds(9)
        restored = feed.restored(6, common=4).rounds(2)
        held = {entry.seq: entry.hash for entry, _ in feed.entries}
        assert last_common(restored.given(4), held) == 6
        assert last_common(restored.given(4, 2), held) is None
        assert last_common([ReceivedEntry("x", None)], held) is None

    def test_it_is_taken_from_there_on(self) -> None:
        feed = RecordedFeed().rounds(9)
        restored = feed.restored(6, common=4).rounds(2)
        due = due_of(restored.announced, 6)
        assert due is not None
        assert due.seq == 7
        known = replace(known_of(feed, 6), due=due, epoch=due.epoch)
        found = extend(known, restored.given(6), feed.trusted, lost=True)
        assert (taken(found), found.refusal) == (lines(restored.given(6)), None)
        assert found.extension is not None
        assert (found.extension.follows, found.extension.lost) == ((6, feed.entries[5][0].hash), True)
        assert (found.extension.after.due, found.extension.after.epoch) == (None, due.epoch)

    def test_entries_between_belong_to_the_new_epoch_which_must_come(self) -> None:
        """A table that did not know that it was restored goes on, and says so only when it is shown a checkpoint."""
        feed = RecordedFeed().rounds(9)
        restored = feed.copy()
        del restored.entries[6:]
        restored.clock = restored.clock.resolution
        restored.rounds(3)
        restored = restored.restored(9, common=6).rounds(1)
        due = due_of(restored.announced, 6)
        assert due == Due(10, restored.entries[9][0].hash[:16], 6)
        known = replace(known_of(feed, 6), due=due, epoch=due.epoch)
        first = extend(known, restored.given(6, 2), feed.trusted, lost=True)
        assert first.extension is not None
        assert (first.extension.after.due, first.extension.after.epoch) == (due, due.epoch)
        rest = extend(first.extension.after, restored.given(8), feed.trusted)
        assert (taken(rest), rest.refusal) == (lines(restored.given(8)), None)

    def test_one_that_never_says_so_is_refused(self) -> None:
        feed = RecordedFeed().rounds(9)
        other = feed.copy()
        del other.entries[6:]
        other.clock = other.clock.resolution
        other.rounds(3)
        due = Due(8, other.entries[7][0].hash[:16], 6)
        found = extend(replace(known_of(feed, 6), due=due), other.given(6), feed.trusted, lost=True)
        assert taken(found) == lines(other.given(6, 1))
        assert found.refusal is not None
        assert (found.refusal.fault.entry, found.refusal.fault.finding.code) == (8, HubCode.NOT_RESTORED)

    @pytest.mark.parametrize(
        ("epochs", "common", "seq"),
        [
            ([(1, 0)], 6, None),
            ([(1, 0), (7, 6)], 6, 7),
            ([(1, 0), (7, 4)], 6, 7),
            ([(1, 0), (9, 7)], 6, None),
            ([(1, 0), (5, 3)], 6, None),
            ([(1, 0), (8, 6), (12, 9)], 6, 8),
            ([(1, 0), (3, 0)], 0, 3),
            ([(1, 0)], 0, None),
        ],
    )
    def test_which_entry_must_say_so(self, epochs: list[tuple[int, int]], common: int, seq: int | None) -> None:
        due = due_of([AnnouncedEpoch(first, "ab" * 8, since) for first, since in epochs], common)
        assert (due and due.seq) == seq


_FEED = RecordedFeed().rounds(8)
_FEED.rotate()
_FEED.rounds(4)
_OTHER = RecordedFeed().rounds(8)
_MANGLED = st.text(max_size=40) | st.sampled_from(lines(_FEED.given())).flatmap(
    lambda line: st.tuples(st.integers(0, len(line) - 1), st.characters(codec="utf-8")).map(
        lambda cut: line[: cut[0]] + cut[1] + line[cut[0] + 1 :]
    )
)
_ANY = st.sampled_from([*_FEED.given(), *_OTHER.given(), bent(_FEED.given()[3], body={"number": 1})]) | st.builds(
    ReceivedEntry, _MANGLED, st.none() | st.text("0123456789abcdef", max_size=128)
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.lists(_ANY | st.sampled_from(_FEED.given()), max_size=8), max_size=6))
def test_whatever_comes_only_the_record_is_taken_and_in_its_order(pages: list[list[ReceivedEntry]]) -> None:
    """However entries are repeated, omitted, exchanged, forged or mixed: a prefix of the record is accepted."""
    known, got = UNKNOWN, list[str]()
    for page in pages:
        found = extend(known, page, _FEED.trusted)
        if found.extension is not None:
            assert found.extension.follows == (known.seq, known.hash)
            known, got = found.extension.after, got + taken(found)
    whole = lines(_FEED.given())
    assert got == whole[: len(got)]
    assert known.seq == len(got)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_the_record_is_taken_whole_however_it_is_cut_and_repeated(data: st.DataObject) -> None:
    known, got = UNKNOWN, list[str]()
    while known.seq < len(_FEED.entries):
        begin = data.draw(st.integers(0, known.seq))
        size = data.draw(st.integers(known.seq - begin + 1, known.seq - begin + 5))
        found = extend(known, _FEED.given(begin, size), _FEED.trusted)
        assert found.refusal is None
        assert found.extension is not None
        known, got = found.extension.after, got + taken(found)
    assert got == lines(_FEED.given())
    assert [Entry.of_line(line).seq for line in got] == list(range(1, len(got) + 1))
