"""Mistakes in a House Way file: each named with line and column, all at once; and files that mean harm."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.books.house_ways import get
from engine.errors import RulebookFileError
from engine.house_way.written.conditions import condition_of
from engine.house_way.written.phrases import PhraseError
from engine.house_way.written.refusals import written_refusal
from engine.house_way.written.sheet import WayFileError
from engine.house_way.written.steps import step_of
from engine.house_way.written.vocabulary import Vocabulary
from tests.conftest import ROOT
from tests.engine.house_way.files import HEAD, LAST, mistakes

RULE = HEAD + '[[rule]]\nnumber = "1"\n'
"""Seven lines; the next text starts in line 8."""


@pytest.mark.parametrize(
    ("text", "where", "words"),
    [
        # TOML itself
        ("[house_way\n", "line 1, column 11", "cannot be read from here on (expected ']'"),
        (RULE + "set = ", "line 8, column 7", "cannot be read from here on"),
        (RULE + 'set = "best low"\nset = "best low"', "line 9, column 17", "this key or table is written twice"),
        # Keys
        (LAST, "line 1, column 1", "house_way is missing: begin with [house_way]"),
        (HEAD, "line 1, column 1", "rule is missing: write one rule or more"),
        (HEAD.replace("title", "titel") + LAST, "line 1, column 1", "title is missing: what the document is called"),
        (HEAD.replace("title", "titel") + LAST, "line 3, column 1", '"titel" is no key here (did you mean title?)'),
        (HEAD + 'rules = "x"\n' + LAST, "line 6, column 1", '"rules" is no key here (did you mean rulebook?)'),
        (HEAD + '[[rule]]\nset = "best low"', "line 6, column 1", "number is missing"),
        (RULE, "line 6, column 1", "set is missing: say what is set"),
        (RULE + 'set = "best low"\nwiht = "9"', "line 9, column 1", '"wiht" is no key here (did you mean with?)'),
        (RULE + "set = 7", "line 8, column 7", "this must be a text in quotes or a list of such"),
        (RULE + 'set = ["best low", 7]', "line 8, column 20", "this must be a text in quotes"),
        (RULE + "set = []", "line 8, column 7", "set is an empty list"),
        (RULE + 'set = " "', "line 8, column 8", "this text is empty"),
        (HEAD + '[[rule]]\nnumber = 7.1\nset = "best low"', "line 7, column 10", "this must be a text in quotes"),
        (RULE + 'set = "best low"\nrulings = ["5"]', "line 9, column 11", "must be a list of whole numbers"),
        (RULE + 'set = "best low"\ndealers_choice = "yes"', "line 9, column 19", "must be true or false"),
        (HEAD + "rule = 1", "line 6, column 1", '"rule" is no key here'),
        ("rule = 1\n" + HEAD, "line 1, column 8", "rule must be written as entries: write [[rule]] above each"),
        (RULE + 'set = "best low"\nexception = 1', "line 9, column 13", "write [[rule.exception]] above each"),
        (HEAD.replace("test-2026", "Test 2026") + LAST, "line 2, column 7", "an id is made of small letters"),
        (HEAD.replace("crown-6.1", "crown-7") + LAST, "line 5, column 13", 'no rulebook is called "crown-7"; known'),
        (
            HEAD + 'sha256 = "abc"\n' + LAST,
            "line 6, column 11",
            "is not 64 digits 0-9 and letters a-f: copy what sha256sum FILE",
        ),
        # Phrases
        (RULE + 'set = "kep the pair"', "line 8, column 8", '"kep" is not something that can be set'),
        (RULE + 'set = "keep the pairr"', "line 8, column 17", "\"pairr\" is not 'pair' (did you mean pair?)"),
        (RULE + 'set = "high 8 up"', "line 8, column 15", "\"up\" is not 'in high', 'in low' or 'apart'"),
        (RULE + 'set = "low 9 in high"', "line 8, column 8", "there is no such tile: 4, 6, 7, 8 and 10 have a high"),
        (RULE + 'set = "9 and 7"', "line 8, column 8", "9 and 7: the low hand comes first"),
        (RULE + 'set = "7 and 9 or 8"', "line 8, column 19", '"8" is not two counts, low and high'),
        (RULE + 'set = "best low maybe"', "line 8, column 17", '"maybe" is too much here'),
        (RULE + 'set = "high is"', "line 8, column 15", "points from 0 to 9, a pair"),
        (RULE + 'set = "high is gnog"', "line 8, column 16", "(did you mean gong?)"),
        (RULE + 'set = "most points in lw"', "line 8, column 23", "(did you mean low?)"),
        (RULE + 'set = ["best low",\n  "besst high"]', "line 9, column 4", "(did you mean best?)"),
        (RULE + 'set = """\nbest low and\n  teen up"""', "line 10, column 8", "\"up\" is not 'in high'"),
        (RULE + 'set = "b\\u0065st lwo"', "line 8, column 18", "(did you mean low?)"),
        (RULE + 'tiles = "6, 7, 8"\nset = "best low"', "line 8, column 10", "these are 3 tiles, not 4"),
        (RULE + 'tiles = "6, 7, elven, 9"\nset = "best low"', "line 8, column 16", "(did you mean eleven?)"),
        (RULE + 'pair = "9"\nwith = "9"\nset = "best low"', "line 9, column 9", "these are 1 tiles, not 2"),
        (RULE + 'with = "9, 9"\nset = "best low"', "line 8, column 9", "with names the two tiles beside a pair"),
        (RULE + 'pair = "9"\ntiles = "9, 9, 7, 6"\nset = "best low"', "line 8, column 9", "do not go together"),
        (RULE + 'if = "low at least 3"\nset = "best low"', "line 8, column 11", "say whether the low hand 'is' so"),
        (RULE + 'if = "raining"\nset = "best low"', "line 8, column 7", '"raining" is not a condition'),
        (RULE + 'if = "7 and 9"\nset = "best low"', "line 8, column 14", "'can be set' or 'cannot be set' is missing"),
        (RULE + 'unless = "has 4,4,4,4,4"\nset = "best low"', "line 8, column 11", "these are 5 tiles, more than four"),
        (RULE + 'set = "best low"\nrefusal = "not {x}"', "line 9, column 16", '"{x}" is not known; what may stand in'),
        (RULE + 'set = "best low"\nrefusal = "{low.__class__}"', "line 9, column 12", "is not known"),
        (RULE + 'same_as = "crown-6.1 no_rule"', "line 8, column 12", "is no rule of a printed House Way"),
        # Kinds, which may only use those above them: none can refer to itself
        (HEAD + '[[kind]]\nname = "7"\n' + LAST, "line 7, column 9", "a name is one word or more"),
        (HEAD + '[[kind]]\nname = "good"\n' + LAST, "line 6, column 1", "a kind says what its tiles or what its hand"),
        (HEAD + '[[kind]]\nname = "gong"\nhand = "9"\n' + LAST, "line 7, column 9", "says something already"),
        (HEAD + '[[kind]]\nname = "good"\nhand = "good"\n' + LAST, "line 8, column 9", '"good" is not points'),
        (
            HEAD + '[[kind]]\nname = "good"\nhand = "fine"\n[[kind]]\nname = "fine"\nhand = "good"\n' + LAST,
            "line 8, column 9",
            '"fine" is not points',
        ),
        # Examples
        (HEAD + LAST + '[[example]]\nrule = "99"', "line 14, column 1", "set is missing: the setting that is wanted"),
        (HEAD + LAST + '[[example]]\nset = "6-6 6-3"', "line 15, column 8", "'6-6 6-3' is not a setting"),
        (HEAD + LAST + '[[example]]\nset = "6-7 6-3 / 6-6 6-6"', "line 15, column 8", "'6-7' is not a tile"),
        (HEAD + LAST + '[[example]]\nset = "6-6 6-3 / 5-4 2-1"', "line 15, column 8", "low hand 6-6 6-3"),
        (
            HEAD + LAST + '[[example]]\nset = "6-6 2-1 / 6-3 5-4"\nrule = "7"',
            "line 16, column 9",
            'no rule has the number "7"',
        ),
        (
            HEAD + LAST + '[[example]]\nset = ["6-6 2-1 / 6-3 5-4", "5-4 2-1 / 6-6 6-2"]',
            "line 15, column 7",
            "these settings are not of the same four tiles",
        ),
    ],
)
def test_a_mistake_is_named_with_line_and_column(text: str, where: str, words: str) -> None:
    found = mistakes(text)
    assert any(each.startswith(f"{where}: ") and words in each for each in found), found


def test_all_mistakes_are_found_at_once_in_their_order() -> None:
    found = mistakes(RULE + 'set = "kep"\nif = "raining"\npiar = "9"\n[[rule]]\nset = "best low"\n')
    assert [each.partition(":")[0] for each in found] == [
        "line 8, column 8",
        "line 9, column 7",
        "line 10, column 1",
        "line 11, column 1",
    ]


def test_the_error_names_the_first_and_counts_the_others(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(RULE + 'set = "kep"\nif = "raining"\n')
    with pytest.raises(
        WayFileError, match=r'own\.toml: line 8, column 8: "kep" is not .*; and 1 more, houseway house-way check'
    ):
        get(path)


def test_a_byte_order_mark_and_windows_line_ends_are_read_over() -> None:
    assert mistakes(b"\xef\xbb\xbf" + (HEAD + LAST).replace("\n", "\r\n").encode()) == []
    (found,) = mistakes(b"\xef\xbb\xbf" + (RULE + 'set = "kep"').replace("\n", "\r\n").encode())
    assert found.startswith("line 8, column 8: ")


# Files that mean harm


def rule(key: str) -> bytes:
    return (RULE + key).encode()


@pytest.mark.parametrize(
    ("data", "where", "words"),
    [
        pytest.param(
            b"\xff\xfe",
            "line 1, column 1",
            "cannot be read: save the file as text in the encoding UTF-8",
            id="not-utf-8",
        ),
        pytest.param(
            HEAD.encode() + b'x = "\xe9"',
            "line 6, column 6",
            "cannot be read: save the file as text in the encoding UTF-8",
            id="latin-1",
        ),
        pytest.param(b"x = " + b"[" * 1_900, "line 1, column 1", "too deeply", id="deep-arrays"),
        pytest.param(b"x = " + b"{a=" * 600, "line 1, column 1", "too deeply", id="deep-tables"),
        pytest.param(b"x = [\n" * 5 + b"[\n" * 9_000, "line ", "", id="deep-arrays-over-lines"),
        pytest.param(b"a." * 1_100 + b"b = 1", "line 1, column 2001", "longer than 2,000", id="long-line"),
        pytest.param(b"[" + b"a." * 900 + b"a]", "line 1, column 1", "is no key here", id="long-key"),
        pytest.param(HEAD.encode() + b"# \x1b[2J", "line 6, column", "invalid character", id="escape-in-a-comment"),
        pytest.param(rule('set = "\x1b[2J"'), "line 8, column", "llegal character", id="escape"),
        pytest.param(rule('set = "\\u001b[2J"'), "line 8, column 8", "U+001B is not shown", id="escaped"),
        pytest.param(rule('text = "\u202eabc"'), "line 8, column 9", "U+202E is not shown", id="right-to-left"),
        pytest.param(rule('text = "a\\u2028b"'), "line 8, column 10", "U+2028 is not shown", id="separator"),
        pytest.param(rule('text = "' + "a" * 1_500 + '"'), "line 8, column 9", "longer than 1,000", id="long-text"),
        pytest.param(rule("if = [" + '"no pair",' * 99 + "]"), "line 8, column 6", "more than 60", id="long-list"),
        pytest.param(HEAD.encode() + b"[[rule]]\n" * 400, "line 6, column 1", "more than 300 are", id="many-rules"),
        pytest.param(rule("set = 1" + "0" * 1_900), "line 8, column 7", "must be a text", id="long-number"),
        pytest.param(b"", "line 1, column 1", "house_way is missing", id="empty"),
        pytest.param(b"\x00", "line 1, column 1", "cannot be read from here on", id="zero"),
    ],
)
def test_a_hostile_file_is_refused(data: bytes, where: str, words: str) -> None:
    found = mistakes(data)
    assert any(each.startswith(where) and words in each for each in found), found
    assert all(each.isprintable() for each in found)


def test_only_plain_files_of_some_size_are_read(tmp_path: Path) -> None:
    large, pipe, folder = tmp_path / "large.toml", tmp_path / "pipe.toml", tmp_path / "folder.toml"
    large.write_bytes(b"#" * 64 * 1024 + b"\n")
    os.mkfifo(pipe)
    folder.mkdir()
    for path, words in (
        (large, "is larger than 64 KiB"),
        (pipe, "is no plain file"),
        (folder, "is no plain file"),
        (tmp_path / "none\x1b.toml", r"none\?\.toml: there is no such file"),
    ):
        with pytest.raises(RulebookFileError, match=words):
            get(path)


def test_the_largest_file_is_read() -> None:
    rule = '[[rule]]\nnumber = "1"\ntiles = "any, any, any, any"\nset = "best low"\n'
    assert mistakes(HEAD + rule * 300) == []


WORDS = [
    "keep", "split", "the", "pair", "pairs", "high", "low", "is", "at", "least", "most", "can", "cannot", "be",
    "set", "in", "on", "apart", "highest", "two", "tiles", "tile", "points", "both", "best", "never", "worse",
    "hands", "and", "or", "else", "if", "possible", "no", "one", "has", "are", "with", "any", "teen", "day", "nine",
    "8", "high", "10", "0", "9", "gong", "wong", ",", "/", "better", "less", "unless", "closest", "together", "é",
    "{", "}", "%", "\x1b",
]  # fmt: skip


@given(st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join))
def test_any_words_are_read_or_refused_at_a_place_of_theirs(text: str) -> None:
    known = Vocabulary()
    for reading in (partial(step_of, known=known), partial(condition_of, known=known), written_refusal):
        error = refused(reading, text)
        assert error is None or (0 <= error.at <= len(text) and error.words.isprintable())


def refused(reading: Callable[[str], object], text: str) -> PhraseError | None:
    try:
        reading(text)
    except PhraseError as error:
        return error
    return None


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_damaged_file_is_read_or_refused(data: st.DataObject) -> None:
    text = (ROOT / "engine" / "books" / "nz" / "house_way.toml").read_bytes()
    at = data.draw(st.integers(0, len(text)))
    damaged = text[:at] + data.draw(st.binary(max_size=6)) + text[at + data.draw(st.integers(0, 40)) :]
    assert all(each.startswith("line ") and each.isprintable() for each in mistakes(damaged))
