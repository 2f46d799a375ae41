"""Where keys and values stand in a TOML file: the same keys as ``tomllib`` reads, each at its place."""

import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.house_way.written.places import Path, Places

TOML = """\
# a comment with [brackets] and "quotes"
top = "one"   # behind
'quoted key'.inner = 'two'
[table]
"odd key" = \"\"\"
three\\u0021
  fo\\
     ur\"\"\"
number = 1_000
date = 2026-02-01T10:00:00Z
list = ["a", # comment ]
  'b', [ "c" ], { d = "e", f.g = '''h'i''' } ]
[[entry]]
name = "first"
[[entry.part]]
name = "inner"
[[entry.part]]
[[entry]]
name = ""
[entry.deep.er]
last = \"\"\"\"quoted\"\"\"\"
"""


def leaves(value: object, path: Path = ()) -> Iterator[tuple[Path, object]]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from leaves(each, (*path, key))
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from leaves(each, (*path, number))
    else:
        yield path, value


def check(text: str) -> dict[str, Any]:
    data, places, lines = tomllib.loads(text), Places(text), text.split("\n")
    for path, value in leaves(data):
        at = places.value(path)
        if isinstance(value, str):
            for number, character in enumerate(value):
                place = places.value(path, number)
                written = lines[place.line - 1][place.column - 1 :] + "\n"
                assert written[0] in {character, "\\"}, (path, number, place)
        else:
            assert lines[at.line - 1][at.column - 1 :].startswith(str(value)[:1]), (path, at)
    return data


def test_every_value_and_character_of_a_file_of_all_forms() -> None:
    data = check(TOML)
    assert data["table"]["odd key"] == "three!\n  four"
    assert data["entry"][1]["deep"]["er"]["last"] == '"quoted"'


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (("top",), "line 2, column 1"),
        (("quoted key", "inner"), "line 3, column 1"),
        (("table", "list"), "line 11, column 1"),
        (("entry", 0), "line 13, column 1"),
        (("entry", 0, "part", 1), "line 17, column 1"),
        (("entry", 1, "name"), "line 19, column 1"),
        (("entry", 1, "missing"), "line 18, column 1"),
        (("table", "list", 3, "f", "g"), "line 12, column 28"),
        (("nowhere", "at all"), "line 1, column 1"),
    ],
)
def test_where_keys_stand(path: Path, place: str) -> None:
    assert str(Places(TOML).key(path)) == place


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=12)


@given(st.lists(st.tuples(TEXTS, st.sampled_from(['"', "'", '"""', "'''"])), max_size=6))
def test_any_strings(values: list[tuple[str, str]]) -> None:
    lines = []
    for number, (text, quote) in enumerate(values):
        inside = text.replace("\\", "\\\\").replace('"', '\\"') if quote[0] == '"' else text.replace("'", "")
        lines.append(f"key{number} = {quote}{inside}{quote}  # {number}")
    check("\n".join(lines))
