"""The text of docs/figures.md, from the results that ``benchmarks.figures`` keeps."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from scipy.stats import binomtest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

Results = dict[str, dict[str, Any]]
"""Each figure's command, date, commit, seconds, load and result, by its name."""

PICTURES = {
    "evaluate-frames": "photo-like whole tables, `../shared/frames`",
    "evaluate-frames2": "the same, harder, `../shared/frames2`",
    "evaluate-dice": "photographs of dice, no calibration",
    "evaluate-tiles": "photographed tiles laid on made-up ground",
    "evaluate-tiles_loose": "photographs of loose tiles, no calibration",
    "evaluate-tables": "tables of our generator, unseen",
    "evaluate-heaps": "hands pushed together in heaps, unseen",
    "evaluate-shifted": "tables beyond what was trained on",
}
RATES = {
    "tiles right": "tiles_right",
    "hands whole": "hands_whole",
    "flat dice right": "dice_right",
    "leaning dice": "cocked_found",
    "tiles verified": "coverage_tiles",
    "hands verified": "coverage_hands",
    "dice verified": "coverage_dice",
    "verified and wrong": "silent",
}
WANTED_OF_PICTURES = ("wanted", "99.5 %", "97 %", "99.5 %", "all", "", "90 %", "", "none", "150 ms")
GENERAL = "YOLOX-Nano's architecture"
ROUNDS = {
    "rounds-crown-6.1": "`crown-6.1`",
    "rounds-nz-1998": "`nz-1998`",
    "rounds-star-2024": "`star-2024`",
    "rounds-star-classic": "`star-classic`",
    "rounds-uk-poster": "`uk-poster`",
    "pictures": "rendered, read by the models",
}
HEAD_OF_ROUNDS = (
    *("rounds (clean)", "hands verified and wrong", "throws verified and wrong", "hands covered", "mistakes found"),
    *("false alarms in clean rounds", "leaning dice found", "rest to verified, 95 %"),
)
HEAD_OF_PROCEDURE = ("rulebook", "rounds (clean)", "told with its rule, of those to be seen", "false alarms", "by kind")
WANTED_OF_ROUNDS = ("wanted", "", "none of 30,000", "none", "99 %", "all", "none of 1000", "all", "1 s")


def page(results: Results, missing: Sequence[str], date: str, commit: str) -> Iterator[str]:
    """Yield the lines of the page.

    Args:
        results: what is kept.
        missing: names of figures without a result.
        date: of the page.
        commit: that was checked out then.
    """
    yield "# Figures"
    yield ""
    yield (
        f"Written by `make figures` on {date} at {commit}; do not edit. Results lie in `docs/figures`, printed by the "
        "command of their name at the end of this page, with the models in `models/weights`. Times depend on what else "
        "the machine does: its load, in processes that want to run, stands beside each command."
    )
    yield ""
    yield from _table("Pictures", ("read", *RATES, "time, median"), _picture_rows(results))
    yield from _table("Simulated rounds", ("rulebook", *HEAD_OF_ROUNDS), _round_rows(results))
    yield from _table("Rounds not dealt as the rulebook has it", HEAD_OF_PROCEDURE, _procedure_rows(results))
    yield from _table("Edges, speed and durability", ("figure", "measured", "wanted"), _other_rows(results))
    yield from _table("Commands", ("result", "command", "date", "commit", "load"), _command_rows(results))
    if missing:
        yield f"Without a result, as a folder or a program is not there or nothing was kept: {', '.join(missing)}."


def _procedure_rows(results: Results) -> Iterator[Sequence[str]]:
    """Yield what was found of the mistakes of procedure in simulated rounds, some of which a player banks."""
    total: Counter[str] = Counter()
    for name in sorted(each for each in results if each.startswith("procedure-")):
        count = Counter(results[name]["result"]["count"])
        total += count
        yield _procedure_row(f"`{name.removeprefix('procedure-')}`", count)
    if total:
        yield _procedure_row("together", total)
    yield "wanted", "", "99 %", "none", ""


def _procedure_row(name: str, count: Counter[str]) -> Sequence[str]:
    kinds = sorted(key.removeprefix("mistake ") for key in count if key.startswith("mistake "))
    made, found = (sum(count[f"{what} {kind}"] for kind in kinds) for what in ("mistake", "found"))
    by_kind = ", ".join(f"{kind} {count[f'found {kind}']} of {count[f'mistake {kind}']}" for kind in kinds)
    clean = count["rounds clean"]
    alarms = f"{count['false alarms in clean rounds']} of {clean}"
    return name, f"{count['rounds']} ({clean})", f"{found} of {made}", alarms, by_kind


def _table(title: str, head: Sequence[str], rows: Iterator[Sequence[str]]) -> Iterator[str]:
    yield f"## {title}"
    yield ""
    for row in (head, ["---"] * len(head), *rows):
        yield f"| {' | '.join(row)} |"
    yield ""


def _picture_rows(results: Results) -> Iterator[Sequence[str]]:
    for name, words in PICTURES.items():
        if name in results:
            result = results[name]["result"]
            rates = [_rate(result["rates"].get(key)) for key in RATES.values()]
            yield (f"{words} (`{name}`)", *rates, f"{result['elapsed_ms']['total']['median']:.0f} ms")
    yield WANTED_OF_PICTURES[: len(RATES) + 2]


def _rate(rate: Mapping[str, Any] | None) -> str:
    return f"{rate['count']} of {rate['of']}" if rate and rate["of"] else ""


def _at_most(wrong: int, of: int) -> str:
    """Return counts and the upper bound of their rate (Clopper-Pearson, 95 %)."""
    if not of:
        return ""
    bound = binomtest(wrong, of, alternative="less").proportion_ci(0.95).high
    return f"{wrong} of {of}, at most {bound:.1e}"


def _round_rows(results: Results) -> Iterator[Sequence[str]]:
    total: Counter[str] = Counter()
    for name, words in ROUNDS.items():
        if name in results:
            count = Counter(results[name]["result"]["count"])
            late = results[name]["result"].get("late_s", {})
            yield _round_row(words, count, f"{late['95']} s" if late else "")
            if name != "pictures":
                total += count
    yield _round_row("together, without pictures", total, "")
    yield WANTED_OF_ROUNDS


def _round_row(words: str, count: Counter[str], late: str) -> Sequence[str]:
    found, mistakes = (
        sum(number for name, number in count.items() if name.startswith(start)) for start in ("found ", "mistake ")
    )
    return (
        words,
        f"{count['rounds']} ({count['rounds clean']})",
        _at_most(count["silent errors"], count["hands told as verified"]),
        _at_most(count["silent errors of throws"], count["throws verified"]),
        f"{count['hands covered']} of {count['hands asked for']}",
        f"{found} of {mistakes}",
        f"{count['false alarms in clean rounds']} of {count['rounds clean']}",
        f"{count['cocked dice found']} of {count['rounds with a cocked die']}",
        late,
    )


def _median(entry: Mapping[str, float]) -> str:
    return f"{entry['median_ms']:.3g} ms, 99 % {entry['p99_ms']:.3g} ms"


def _camera(result: Mapping[str, Any]) -> str:
    changes = {name: entry for name, entry in result.items() if isinstance(entry, dict) and "held back, s" in entry}
    late = [entry["alarm, s"]["most"] for name, entry in changes.items() if entry["alarm, s"].get("most") is not None]
    newly = sum(entry["verified"] for name, entry in changes.items() if name != "nothing")
    without = sum(entry["verified without the watch"] for name, entry in changes.items() if name != "nothing")
    return f"{newly} verified meanwhile, {without} without the watch; alarm after {min(late)} to {max(late)} s"


def _exchanged(result: Mapping[str, Any]) -> str:
    return "; ".join(
        f"{name}: {entry['hands verified']} hands verified, "
        + ("no alarm" if entry["alarm_s"] is None else f"alarm after {entry['alarm_s']:.1f} s")
        for name, entry in result.items()
        if "alarm_s" in entry
    )


def _floor_load(result: Mapping[str, Any]) -> str:
    told = []
    for pace, words in ((1, "at real pace"), (10, "at ten times that")):
        one = result[f"500 tables x {pace}"]
        cores = "; ".join(f"{one[f'{of}_cost']['cores']:.2f}" for of in ("floor", "postgresql"))
        told.append(
            f"{words} {one['entries']['a_second']:.0f} entries a second, served after "
            f"{one['served_s']['median']:.2f} s (99 %: {one['served_s']['p99']:.2f} s), "
            f"cores of floor and PostgreSQL {cores}, "
            f"{sum(one['gigabytes_a_day'].values()) - one['gigabytes_a_day']['log']:.0f} GB a day"
        )
    return "; ".join(told)


def _floor_faults(result: Mapping[str, Any]) -> str:
    kinds = {name: found for name, found in result.items() if isinstance(found, dict)}
    done = ", ".join(f"{name} {found['times']}" for name, found in kinds.items())
    bad = ("lost", "twice", "out_of_order", "forged_taken", "feed_lost", "feed_twice", "feed_out_of_order")
    counts = "; ".join(f"{name.replace('_', ' ')} {sum(found[name] for found in kinds.values())}" for name in bad)
    return f"times: {done}; {counts}"


def _reread(result: Mapping[str, Any]) -> str:
    told = []
    for name, each in result.items():
        killed = "" if each["killed_after"] is None else f", one of them killed after {each['killed_after']}"
        rate = f"{each['rounds_a_second']:.1f} a second by {name.removesuffix('_workers')}{killed}"
        told.append(f"{rate}: {each['once']} of {each['rounds']} once")
    return "; ".join(told)


def _learnt(result: Mapping[str, Any]) -> str:
    sets = [name.removesuffix(", learnt") for name in result if name.endswith(", learnt")]
    told = []
    for each in sets:
        before, after = result[f"{each}, before"], result[f"{each}, after"]
        written = result[f"{each}, learnt"]["written"]
        counts = ", ".join(
            f"{before[key]}{f' -> {after[key]}' if written else ''} {words}"
            for key, words in (("right", "right"), ("sure", "surely"), ("surely_wrong", "surely wrong"))
        )
        told.append(f"{each}: of {before['of']} {counts}{'' if written else ', nothing to gain'}")
    left = sum(name.endswith("not learnt") for name in result)
    return "; ".join((*told, f"{left} sets of which too few tiles are read at the display"))


def _markers(result: Mapping[str, Any]) -> str:
    rates = {name: f"{each['count']} of {each['of']}" for name, each in result.items() if isinstance(each, dict)}
    asked = result["markers_found"]["of"]
    nothing = {"count": 0}  # of what was never verified or told none can be wrong, and it is not counted
    verified, wrong = result["markers_right"]["count"], result.get("silent_markers", nothing)["count"]
    banker, told = result["banker_right"]["count"], result.get("silent_banker", nothing)
    return (
        f"{rates['markers_found']} found; {verified} of {asked} verified, {wrong} verified and wrong; banker {banker} "
        f"times right, {told['count']} times wrong, else not known"
    )


def _look_alikes(result: Mapping[str, Any]) -> str:
    told = []
    for size, sharp in (("large enough", "as sharp"), ("large enough", "less sharp"), ("too small", "as sharp")):
        counts = {who: f"{who}, {size}, {sharp}" for who in ("own", "look-alikes")}
        shown = (f"{result.get(f'{key}: verified', 0)} of {result.get(key, 0)} {who}" for who, key in counts.items())
        told.append(f"print {size}, picture {sharp}: {', '.join(shown)}")
    return "; ".join((*told, f"{result.get('verified as another', 0)} as another marker"))


def _speed(result: Mapping[str, Any]) -> str:
    rows = {each["key"]: each for each in result["rows"]}
    names = {"cold": "whole", "rest": "the next one, at rest", "play": "in play"}
    told = [f"{words} {rows[key]['median']:.0f} ms" for key, words in names.items()]
    told.append(f"the detector {rows['detector']['as_yolox']:.2f} times as fast as {GENERAL}")
    if about := result.get("pi", {}).get("readings", {}).get("at rest"):
        told.append(f"a Raspberry Pi 5 at rest, approximated, {about['low_ms']:.0f} to {about['high_ms']:.0f} ms")
    return "; ".join(told)


OTHERS: dict[str, tuple[str, Callable[[Any], str], str]] = {
    "house_way": (
        "House Way by table; by rule; all deals set",
        lambda r: f"{r['by table, us a hand']:.2f} us; {r['by rule, us a hand']:.1f} us; {r['all set, s']:.2f} s",
        "1 us",
    ),
    "bench": ("a 2304 x 1296 picture", _speed, "150 ms"),
    "inspect_frame": (
        "inspecting a frame: drift, health",
        lambda r: f"{r['drift by layout']['median_ms']:.0f} ms, {r['health']['median_ms']:.0f} ms",
        "",
    ),
    "learning": (
        "tiles of strange sets before a table has learnt from two displays, and after",
        _learnt,
        "0 surely wrong",
    ),
    "markers-labelled": (
        "chung and buttons on `../shared/frames` and `frames2`, with the markers of all other pictures",
        _markers,
        "all found, none wrong",
    ),
    "markers-drawn": (
        "markers verified: the house's own, and other words of the same make",
        _look_alikes,
        "98 %, no look-alike",
    ),
    "record": ("a result durable", lambda r: _median(r["an entry, signed and durable"]), "20 ms"),
    "access": (
        "an answer open to all; with a key",
        lambda r: f"{r['open to all']['median_ms']:.2f} ms; {r['with a key']['median_ms']:.2f} ms",
        "",
    ),
    "kill_record": (
        "a writer of the record killed",
        lambda r: f"{r['killed']} times, {r['lost']} of {r['served']} served entries lost, chain {r['chain']}",
        "none lost",
    ),
    "power_cut": (
        "power cut between two calls to the disk",
        lambda r: f"{r['cuts']} times, {len(r['faults'])} faults among {r['entries looked for']} entries",
        "none",
    ),
    "simulator": (
        "drawing a simulated picture where something moves",
        lambda r: f"{r['picture, tiles or hands move']['median_ms']:.0f} ms",
        "",
    ),
    "capture": (
        "a picture from a camera in a process of its own; in this one",
        lambda r: "; ".join(f"{r[n]['cpu_ms a picture']:.1f} ms CPU" for n in ("own process", "in this process")),
        "",
    ),
    "pollers": (
        "a new result at 500 long polls; at 20 pages",
        lambda r: f"{_median(r['500 pollers'])}; {_median(r['20 pages'])}; {r['missed']} missed",
        "none missed",
    ),
    "night": (
        "a night through the whole service",
        lambda r: (
            f"{r['rounds played']} rounds, {r['results']} results, once and in order at "
            f"{r['pollers with each once, in order']} of 3 pollers; memory {r['memory by quarter, MB']} MB"
        ),
        "all 3",
    ),
    "floor_load": (
        "500 tables on one floor, [as it grows](images/floor-growth.svg)",
        _floor_load,
        "ten times real pace, median below 1 s",
    ),
    "floor_page": (
        "the page of 200 tables, the first time; again; an alarm from its table to the page",
        lambda r: (
            f"{r['page_first']['median_ms']:.0f} ms; {_median(r['page'])}; {_median(r['alarm_from_entry_to_page'])}"
        ),
        "1 s",
    ),
    "floor_faults": ("faults around a floor while results flow", _floor_faults, "none lost, twice or forged"),
    "floor_reread": ("recorded rounds read again, a picture each, by so many workers", _reread, "each once"),
    "watched_camera": ("camera moved, defocused, dimmed, covered, frozen", _camera, "none; seconds"),
    "exchanged_set": ("another maker's set in play", _exchanged, "none; seconds"),
}


def _other_rows(results: Results) -> Iterator[Sequence[str]]:
    edges = {name.removeprefix("edge-"): kept["result"] for name, kept in results.items() if name.startswith("edge-")}
    if edges:
        text = "; ".join(f"`{book}` {100 * edge['edge']:.4f} %" for book, edge in edges.items())
        yield ("edge at 5 % commission (`edge-*`)", text, "")
    for name, (words, text_of, wanted) in OTHERS.items():
        if name in results:
            yield (f"{words} (`{name}`)", text_of(results[name]["result"]), wanted)


def _command_rows(results: Results) -> Iterator[Sequence[str]]:
    seen: set[str] = set()
    for name, kept in results.items():
        family, _, book = name.partition("-")
        alike = family in {"rounds", "edge"}
        if family not in seen or not alike:
            seen.add(family)
            shown = f"`{family}-*`, one a rulebook: `{book}`" if alike else f"`{name}`"
            yield (shown, f"`{kept['command']}`", kept["date"], kept["commit"], str(kept["load"] or "not noted"))
