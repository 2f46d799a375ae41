"""What is recorded of simulated rounds, half of them with a mistake of procedure, without times, ids and sentences."""

import json
from collections.abc import Iterator
from typing import Any, Final

from datasets.simulator.script import NO_MISTAKE, Options, script
from datasets.simulator.staging.mistakes import MISTAKES
from engine.books.registry import BOOKS
from service.rounds.served import RoundOut
from tests.conftest import ROOT
from tests.service.rounds.followed import followed

GOLDEN: Final = ROOT / "tests" / "golden" / "rounds.jsonl"
"""The rounds of ``few``; ``python -m tests.service.rounds.golden_rounds`` writes them."""
ROUNDS: Final = 3
"""How many rounds of each session are golden."""
WAY_OF: Final = {"uk-poster": "crown-6.1"}
"""The House Way of a book that prints none."""


def few() -> list[tuple[str, int]]:
    """Sessions by book and number that together have every kind of mistake."""
    return [(sorted(BOOKS)[number % len(BOOKS)], number) for number in range((len(MISTAKES) + 1) // 2)]


def session(book: str, number: int) -> list[str]:
    """The rounds of a session as lines of JSON; every second round has a mistake, of another kind each time."""
    kinds = tuple(MISTAKES)
    one, other = (kinds[(2 * number + each) % len(kinds)] for each in (0, 1))
    options = Options(
        rulebook=book,
        house_way=WAY_OF.get(book),
        rounds=ROUNDS,
        in_turn=(one, NO_MISTAKE, other, NO_MISTAKE),
        player_bank_rate=0.2,
        disturbance_rate=0.1,
    )
    made = script(1000 + number, options)
    done = [[str(each.kind) for each in truth.mistakes] for truth in made.rounds]
    told = [RoundOut.from_report(report).model_dump(mode="json") for report in followed(made)]
    head = {"book": book, "session": number, "mistakes": done, "rounds": len(told)}
    lines = [head, *({"book": book, "session": number, "number": n} | _facts(each) for n, each in enumerate(told, 1))]
    return [json.dumps(each, ensure_ascii=False, sort_keys=True) for each in lines]


def _facts(told: dict[str, Any]) -> dict[str, Any]:
    throw = told["throw"]
    return {
        "status": told["status"],
        "hands": {hand["place"]: dict(_hand(hand)) for hand in told["hands"]},
        "dice": [[die["role"], die["value"], die["cocked"], die["status"], *_codes(die)] for die in told["dice"]],
        "throw": throw and {key: throw[key] for key in ("total", "first_box", "cut", "rule", "rulings", "status")},
        "findings": sorted({f"{found['code']} {found['rule'] or ''}".strip() for found in told["findings"]}),
        "remedies": sorted(
            {f"{option['effect']} {option['rule']}" for found in told["findings"] for option in found["options"]}
        ),
        "asked": sorted(told["asked"]),
        "exposed": told["exposed"],
        "moment": told["moment"],
    }


def _hand(hand: dict[str, Any]) -> Iterator[tuple[str, object]]:
    """What is recorded of a hand, without empty fields."""
    yield "set", f"{' '.join(hand['low'])} / {' '.join(hand['high'])}"
    yield "status", hand["status"]
    if codes := _codes(hand):
        yield "doubts", codes
    if (way := hand["house_way"]) is not None:
        yield "verdict", way["verdict"]
        yield "rule", way["rule"]
        if (expected := way["expected"]) is not None:
            yield "expected", f"{' '.join(expected['low'])} / {' '.join(expected['high'])}"
        if way["choices"]:
            yield "choices", len(way["choices"])


def _codes(of: dict[str, Any]) -> list[str]:
    return sorted(f"{each['code']} {each['about']}".strip() for each in of["doubts"] or () if each)


def golden() -> str:
    """What ``GOLDEN`` should hold."""
    return "".join(line + "\n" for book, number in few() for line in session(book, number))


if __name__ == "__main__":
    GOLDEN.write_text(golden(), encoding="utf-8")
