"""A second reading of the House Ways, written from the texts in another manner and sharing nothing with the rules.

Hands here are lists of short names (T D H8 H4 H10 H6 L4 E L10 H7 L6 N L8 L7 F G); each way is one long chain of
questions, as a dealer would ask them. It answers in names only, so faces of one rank are alike.
"""

from collections.abc import Callable
from itertools import combinations

ORDER = ["T", "D", "H8", "H4", "H10", "H6", "L4", "E", "L10", "H7", "L6", "N", "L8", "L7", "F", "G"]
PIPS = {
    "T": 12, "D": 2, "H8": 8, "H4": 4, "H10": 10, "H6": 6, "L4": 4, "E": 11,
    "L10": 10, "H7": 7, "L6": 6, "N": 9, "L8": 8, "L7": 7, "F": 5, "G": 3,
}  # fmt: skip
GROUP = {name: {"E": 11, "N": 9, "F": 5, "G": 0, "T": 12, "D": 12}.get(name, PIPS[name]) for name in ORDER}

Two = tuple[str, str]
Lay = tuple[Two, Two]


def count(two: Two) -> int:
    if "G" in two:
        other = PIPS[two[0] if two[1] == "G" else two[1]]
        return max((other + 3) % 10, (other + 6) % 10)
    return (PIPS[two[0]] + PIPS[two[1]]) % 10


def special(two: Two) -> str:
    top, bottom = sorted(two, key=ORDER.index)
    if top == bottom:
        return "pair"
    if top in "TD" and bottom == "N":
        return "wong"
    if top in "TD" and bottom in ("H8", "L8"):
        return "gong"
    if top in "TD" and bottom in ("H7", "L7"):
        return "high nine"
    return ""


def strength(two: Two) -> tuple[int, int]:
    """Greater is better; equal is a copy."""
    top = min(two, key=ORDER.index)
    named = {"pair": 13, "wong": 12, "gong": 11, "high nine": 10}.get(special(two))
    if named == 13 and top == "G":
        return 13, 99
    return (count(two) if named is None else named), -ORDER.index(top)


def lays(four: list[str]) -> list[Lay]:
    found = []
    for i, j in ((0, 1), (0, 2), (0, 3)):
        one = (four[i], four[j])
        other = tuple(four[k] for k in range(4) if k not in (i, j))
        assert len(other) == 2
        low, high = sorted((one, other), key=strength)
        found.append((low, high))
    return found


def has(four: list[str], *wanted: str) -> bool:
    """Each wanted word fits a tile of its own: a name, or 4 5 6 7 8 9 10 11 and T/D for any such tile."""
    if not wanted:
        return True
    head, *rest = wanted
    for place, name in enumerate(four):
        fits = name == head or (head == "T/D" and name in "TD") or (head.isdigit() and GROUP[name] == int(head))
        if fits and has(four[:place] + four[place + 1 :], *rest):
            return True
    return False


def pair_is_split(pair: str, rest: list[str], *, book: str) -> bool:
    def any_of(*rows: tuple[str, str]) -> bool:
        return any(has(rest, *row) for row in rows)

    if pair == "G":
        six = "H6" if book == "star" else "6"
        return any_of((six, "6"), (six, "5"), (six, "4"))
    if pair in "TD":
        nine = [("9", other) for other in "87654"] + ([("9", "11")] if book == "nz" else [])
        eight = [("8", other) for other in "87654"]
        seven = [("7", other) for other in "7654"]
        six_rows = [("6", other) for other in "654"] if book == "nz" else []
        return any_of(*nine, *eight, *seven, *six_rows)
    if pair == "N":
        return any_of(("T", "D"), ("T/D", "10"), ("10", "10"))
    if pair in ("H8", "L8"):
        return any_of(("T", "D"), ("T/D", "11"), ("T/D", "10"), ("10", "11"), ("10", "10"), ("11", "9"))
    if pair in ("H7", "L7"):
        rows = [("T", "D"), ("T/D", "11"), ("T/D", "10")]
        rows += [("10", "11")] if book in ("crown", "nz") else []
        rows += [("10", "10")] if book == "nz" else []
        return any_of(*rows)
    return False


def set_pairs(four: list[str], *, book: str) -> Lay | None:
    """Rules on pairs, alike in shape in every book."""
    pairs = [name for name in dict.fromkeys(four) if four.count(name) == 2]
    if not pairs:
        return None
    keep = len(pairs) == 2 or not pair_is_split(pairs[0], [name for name in four if name != pairs[0]], book=book)
    for low, high in lays(four):
        if ("pair" in (special(low), special(high))) == keep:
            return low, high
    raise AssertionError(four)


CROWN_LIST: list[tuple[tuple[str, ...], set[tuple[int, int]], tuple[str, str] | None]] = [
    (("H10", "L10", "11", "7"), {(0, 8), (0, 9)}, None),
    (("H10", "L10", "11", "8"), {(0, 8), (0, 9)}, None),
    (("H8", "H10", "11", "7"), {(7, 9)}, None),
    (("H6", "5", "G", "T/D"), {(7, 9)}, None),
    (("H4", "L4", "5", "6"), {(0, 9)}, None),
    (("H6", "5", "G", "7"), {(2, 9)}, None),
    (("H6", "L6", "T/D", "4"), {(0, 8), (1, 8)}, None),
    (("H6", "L6", "T/D", "5"), {(0, 8), (1, 8)}, None),
    (("H10", "L10", "6", "T/D"), {(0, 8)}, None),
    (("H8", "L8", "9", "H10"), {(7, 8)}, ("low", "H8")),
    (("H8", "L8", "H6", "7"), {(4, 5)}, ("high", "H8")),
    (("H8", "L8", "7", "H4"), {(2, 5)}, ("high", "H8")),
    (("H10", "L10", "H6", "7"), {(6, 7)}, ("high", "H10")),
    (("H8", "L8", "H4", "6"), {(2, 4)}, ("high", "H8")),
    (("H4", "L4", "H10", "11"), {(4, 5)}, ("high", "H4")),
]
STAR_LIST = [
    *CROWN_LIST,
    (("H6", "5", "G", "8"), {(3, 9)}, None),
    (("H6", "5", "G", "10"), {(5, 9)}, None),
    (("H6", "5", "G", "11"), {(6, 9)}, None),
    (("H6", "L6", "5", "G"), {(1, 9)}, None),
    (("H6", "5", "G", "9"), {(4, 9)}, None),
    (("H4", "L4", "5", "G"), {(7, 9)}, ("high", "H4")),
]


def prefer(four: list[str], options: list[Lay]) -> Lay:
    """Settings of equal counts: first six ranks apart, then the high tile, then not the worse one."""
    first_six = set(ORDER[:6])
    apart = [lay for lay in options if not any(set(two) <= first_six for two in lay)]
    options = apart or options
    top = min(four, key=ORDER.index)
    side = 1 if count(options[0][1]) >= 8 else 0
    options = [lay for lay in options if top in lay[side]] or options
    return max(options, key=lambda lay: (strength(lay[0]), strength(lay[1])))


def set_special(four: list[str]) -> Lay | None:
    """Wongs, Gongs and High Nines at Crown and The Star."""
    found = [lay for lay in lays(four) if special(lay[1]) in ("wong", "gong", "high nine")]
    if not found:
        return None
    if "T" in four and "D" in four:
        return max((lay for lay in found if "T" in lay[1]), key=lambda lay: strength(lay[0]))
    order = ["high nine", "gong", "wong"]
    if has(four, "9", "8", "11") or has(four, "9", "7", "11"):
        order = ["wong"]
    if has(four, "8", "7", "4"):
        order = ["gong"]
    for name in order:
        options = [lay for lay in found if special(lay[1]) == name]
        if options:
            return max(options, key=lambda lay: strength(lay[0]))
    raise AssertionError(four)


def by_highest_sum(four: list[str]) -> list[Lay]:
    def key(lay: Lay) -> tuple[int, int]:
        low, high = count(lay[0]), count(lay[1])
        return low + high, -abs(high - low)

    best = max(key(lay) for lay in lays(four))
    return [lay for lay in lays(four) if key(lay) == best]


def crown_or_star(four: list[str], *, book: str) -> Lay:
    lay = set_pairs(four, book=book) or set_special(four)
    if lay is not None:
        return lay
    for wanted, counts, where in STAR_LIST if book == "star" else CROWN_LIST:
        if has(four, *wanted):
            options = [lay for lay in lays(four) if (count(lay[0]), count(lay[1])) in counts]
            if where is not None:
                options = [lay for lay in options if where[1] in lay[where[0] == "high"]]
            return prefer(four, options)
    return prefer(four, by_highest_sum(four))


def crown(four: list[str]) -> Lay:
    return crown_or_star(four, book="crown")


def star(four: list[str]) -> Lay:
    return crown_or_star(four, book="star")


def star_format(four: list[str]) -> Lay:
    """The Star, with the "format outlined below" instead of the list (ruling 8)."""
    lay = set_pairs(four, book="star") or set_special(four)
    if lay is not None:
        return lay
    everything = lays(four)
    if has(four, "H8", "H10", "11", "7"):
        return next(lay for lay in everything if (count(lay[0]), count(lay[1])) == (7, 9))
    closest = by_highest_sum(four)
    low = count(closest[0][0])
    if low == 1:
        best = max(count(lay[1]) for lay in everything)
        if best >= 8:
            return prefer(four, [lay for lay in everything if count(lay[1]) == best])
    if low == 2:
        with_teen = [lay for lay in everything if count(lay[1]) == 8 and not {"T", "D"}.isdisjoint(lay[1])]
        if with_teen:
            return prefer(four, with_teen)
    if any(set(two) == {"F", "G"} for lay in closest for two in lay):
        high_6 = ORDER.index("H6")
        nines = [
            lay for lay in everything if count(lay[1]) == 9 and ORDER.index(min(lay[1], key=ORDER.index)) <= high_6
        ]
        if nines:
            return prefer(four, nines)
    return prefer(four, closest)


def harmony(two: Two) -> bool:
    if special(two) or count(two) > 3:
        return True
    return count(two) == 3 and any(name in ("T", "D", "H8", "H4") for name in two)


def nz(four: list[str]) -> Lay:  # noqa: PLR0911 - one long chain of questions, as the text asks them
    lay = set_pairs(four, book="nz")
    if lay is not None:
        return lay
    top, second, *rest = sorted(four, key=ORDER.index)
    everything = lays(four)
    found = [lay for lay in everything if special(lay[1]) in ("wong", "gong", "high nine")]
    if found:
        good = [lay for lay in found if harmony(lay[0])]
        order = ["high nine", "gong", "wong"] if good else ["wong", "gong", "high nine"]
        options = good or found
        name = next(name for name in order if any(special(lay[1]) == name for lay in options))
        return nz_tiles(top, second, rest, [lay for lay in options if special(lay[1]) == name], strengthen=False)
    most_low = max(count(lay[0]) for lay in everything)
    if has(four, "6", "7", "11"):
        options, strengthen = [lay for lay in everything if count(lay[0]) == most_low], False
        return nz_tiles(top, second, rest, options, strengthen=strengthen)
    pairs_of_counts = [(count(low), count(high)) for low, high in everything]
    if (8, 8) in pairs_of_counts and (7, 9) in pairs_of_counts and "L10" not in four:
        options = [lay for lay in everything if (count(lay[0]), count(lay[1])) == (7, 9)]
        return nz_tiles(top, second, rest, options, strengthen=False)
    good = [lay for lay in everything if harmony(lay[0])]
    if good:
        best = max(count(lay[0]) for lay in good)
        return nz_tiles(top, second, rest, [lay for lay in good if count(lay[0]) == best], strengthen=False)
    most_high = max(count(lay[1]) for lay in everything)
    if most_high >= 8:
        options = [lay for lay in everything if count(lay[1]) == most_high]
        return nz_tiles(top, second, rest, options, strengthen=True)
    return nz_tiles(top, second, rest, [lay for lay in everything if count(lay[0]) == most_low], strengthen=False)


def nz_tiles(top: str, second: str, rest: list[str], options: list[Lay], *, strengthen: bool) -> Lay:
    """Section 5 of the New Zealand House Way."""

    def keep(wanted: Callable[[Lay], bool]) -> None:
        options[:] = [lay for lay in options if wanted(lay)] or options

    if (top, second) == ("T", "D") and all({"T", "D"} not in map(set, lay) for lay in options):
        side = 0 if has(rest, "4", "5") or has(rest, "10", "11") else 1
        keep(lambda lay: "T" in lay[side])
    if strengthen:
        keep(lambda lay: top in lay[1])
    keep(lambda lay: all({top, second} != set(two) for two in lay))
    keep(lambda lay: top in lay[0 if count(lay[0]) <= 7 else 1])
    assert len({(strength(low), strength(high)) for low, high in options}) == 1, options
    return options[0]


def all_kinds() -> list[list[str]]:
    """The 3,620 kinds of hand."""
    tiles = [name for name in ORDER for _ in range(2)]
    return [list(four) for four in dict.fromkeys(combinations(tiles, 4))]
