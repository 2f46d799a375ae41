"""The contents of a document, rule by rule: which rules are implemented, and which are out of scope.

The summaries are ours, and short; the texts themselves are not part of this repository.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from typing import TYPE_CHECKING, Literal

from engine.errors import UnknownRuleError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from engine.vocabulary.citations import Source

_JOINT = re.compile(r",? and |, |; | to ")
_INDENT = 2


@dataclass(frozen=True, slots=True)
class Printed:
    """One rule as the document prints it.

    Attributes:
        number: as printed, e.g. ``7.5.4(a)(i)``; the folder's ``contents.txt`` says what goes by another name.
        words: summary, ending with a colon if the rule only introduces its parts.
        depth: 0 for a section, one more for each step down.
        within: the number of the parent rule; empty for a section.
    """

    number: str
    words: str
    depth: int
    within: str = ""

    @property
    def leads_in(self) -> bool:
        """Whether it only introduces its parts."""
        return self.words.endswith(":")


@dataclass(frozen=True, slots=True)
class Outside:
    """Rules outside the scope of software.

    Attributes:
        why: the reason, for a regulator to read.
        rules: their numbers, as in citations; their parts are included.
        decides: ``person`` if a person sees to them, ``nobody`` if they leave nothing to decide in play.
        but: numbers among those that are in scope after all.
    """

    why: str
    rules: str
    decides: Literal["person", "nobody"]
    but: str = ""


@dataclass(frozen=True, eq=False)
class Contents:
    """All rules of one document, in its order.

    Attributes:
        source: the document.
        rules: every rule, each after its parent.
        outside: the rules out of scope.
    """

    source: Source
    rules: tuple[Printed, ...]
    outside: tuple[Outside, ...] = ()

    @classmethod
    def of_folder(
        cls, package: str, source: Source, *, like: Contents | None = None, renumber: Callable[[str], str] = str
    ) -> Contents:
        """Read ``contents.txt`` in the folder of a book and, where there is one, ``outside.toml``.

        Args:
            package: the folder's name as a package.
            source: the document.
            like: another document that some lines refer to; see `read`.
            renumber: converts its numbers to this document's; see `read`.

        Raises:
            UnknownRuleError: a line that cannot be read; see `read`.
        """
        folder = resources.files(package)
        listed = folder / "outside.toml"
        outside = tomllib.loads(listed.read_text("utf-8"))["outside"] if listed.is_file() else ()
        text = (folder / "contents.txt").read_text("utf-8")
        return cls.read(source, text, tuple(Outside(**each) for each in outside), like=like, renumber=renumber)

    @classmethod
    def read(
        cls,
        source: Source,
        text: str,
        outside: tuple[Outside, ...] = (),
        *,
        like: Contents | None = None,
        renumber: Callable[[str], str] = str,
    ) -> Contents:
        """Read the rules of a document, one per line; a part is indented by two more spaces than its parent.

        A line is ``number | words``, or ``9.5 to 9.10 = 9.8 to 9.13`` for rules that match those of another document,
        parts included; ``11.1 =`` if they have the same numbers there. Comments start with ``#``.

        Args:
            source: the document.
            text: the lines.
            outside: the rules out of scope.
            like: the other document.
            renumber: converts its numbers, after the leading part is replaced.

        Raises:
            UnknownRuleError: a line is indented without a parent, or refers to rules that the other document does not
                have, or to a different number of them.
        """
        rules: list[Printed] = []
        above: list[str] = []
        for line in text.strip("\n").splitlines():
            if line.startswith("#"):
                continue
            depth, odd = divmod(len(line) - len(line.lstrip()), _INDENT)
            if odd or depth > len(above):
                raise UnknownRuleError(f"{line!r} is indented under none of the rules above it")
            within = above[depth - 1] if depth else ""
            number, is_own, words = line.strip().partition(" | ")
            if is_own:
                above[depth:] = [number]
                rules.append(Printed(number, words, depth, within))
            else:
                rules += _as_in(like, number, depth, within, renumber)
        return cls(source, tuple(rules), outside)

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """Every number, in the document's order."""
        return tuple(rule.number for rule in self.rules)

    @cached_property
    def parts(self) -> dict[str, tuple[str, ...]]:
        """The direct parts of each rule that has any."""
        found: dict[str, list[str]] = {}
        for rule in self.rules:
            if rule.within:
                found.setdefault(rule.within, []).append(rule.number)
        return {number: tuple(parts) for number, parts in found.items()}

    @cached_property
    def reasons(self) -> dict[str, Outside]:
        """The entry of each out-of-scope rule, parts included.

        Raises:
            UnknownRuleError: the document has no such number.
        """
        found: dict[str, Outside] = {}
        for each in self.outside:
            but = set(self.with_parts(self.named(each.but))) if each.but else set()
            found |= {number: each for number in self.with_parts(self.named(each.rules)) if number not in but}
        return found

    def with_parts(self, numbers: Iterable[str]) -> Iterator[str]:
        """Each of these rules, followed by all of its parts."""
        for number in numbers:
            yield number
            yield from self.with_parts(self.parts.get(number, ()))

    def named(self, section: str) -> tuple[str, ...]:
        """The rules named by a citation's section, such as ``13.4, Table 3`` or ``8.12 to 8.16``.

        A range runs over every rule from the first to the last, with their parts; a single number names itself alone.

        Raises:
            UnknownRuleError: part of it is not a rule of the document.
        """
        numbers, rest = self.leading(section)
        if rest or not numbers:
            raise UnknownRuleError(
                f"{self.source.rulebook} has no rule {(rest or section)!r}; name one of its contents, such as "
                f"{self.numbers[-1]}"
            )
        return numbers

    def leading(self, text: str) -> tuple[tuple[str, ...], str]:
        """The rules named at the start of a text, and the remaining text."""
        found: list[str] = []
        joint, rest = "", text
        while (first := self._first(rest, found)) is not None:
            number, length = first
            found += self._range(found.pop(), number) if joint == " to " else [number]
            rest = rest[length:]
            match = _JOINT.match(rest)
            if match is None or self._first(rest[match.end() :], found) is None:
                break
            joint, rest = match[0], rest[match.end() :]
        return tuple(found), rest

    def _first(self, text: str, before: list[str]) -> tuple[str, int] | None:
        """The longest number at the start of the text, and the length of its spelling there.

        Within an appendix its name need not be repeated: ``Appendix 4: 2.1 and 2.2``.
        """
        appendix = before[-1].partition(": ")[0] + ": " if before and ": " in before[-1] else ""
        for prefix in (appendix, "") if appendix else ("",):
            for number in self._longest_first:
                if len(number) > len(prefix) and _starts_with(prefix + text, number):
                    return number, len(number) - len(prefix)
        return None

    @cached_property
    def _longest_first(self) -> tuple[str, ...]:
        return tuple(sorted(self.numbers, key=len, reverse=True))

    def _range(self, first: str, last: str) -> tuple[str, ...]:
        start, end = self.numbers.index(first), self.numbers.index(last)
        inside = self.numbers[start:end]
        return (*inside, *self.with_parts((last,)))


def _as_in(
    like: Contents | None, line: str, depth: int, within: str, renumber: Callable[[str], str]
) -> Iterator[Printed]:
    """The rules of a line such as ``9.5 to 9.10 = 9.8 to 9.13``, with their parts, under the numbers on its left."""
    numbers, taken, theirs = line.partition(" =")
    first, _, last = numbers.partition(" to ")
    their_first, _, their_last = (theirs.strip() or numbers).partition(" to ")
    their_last = their_last or their_first
    known = {} if like is None else {rule.number: rule for rule in like.rules}
    if like is None or not taken or not {their_first, their_last} <= known.keys():
        raise UnknownRuleError(f"{line!r} is neither number and words nor rules of another document")
    siblings = [rule.number for rule in like.rules if rule.within == known[their_first].within]
    roots = siblings[siblings.index(their_first) :]
    roots = roots[: roots.index(their_last) + 1] if their_last in roots else []
    if not roots or _counted_on(first, len(roots) - 1) != (last or first):
        raise UnknownRuleError(f"{line!r} has not as many rules on its left as on its right")
    for place, their_root in enumerate(roots):
        root = _counted_on(first, place)
        for number in like.with_parts((their_root,)):
            rule = known[number]
            own, inside = (renumber(root + each.removeprefix(their_root)) for each in (number, rule.within))
            is_root = number == their_root
            yield Printed(own, rule.words, depth + rule.depth - known[their_root].depth, within if is_root else inside)


def _counted_on(number: str, more: int) -> str:
    """The number of the rule ``more`` rules later: ``9.7`` is two after ``9.5``."""
    counted = re.search(r"\d+$", number)
    return number if counted is None or not more else f"{number[: counted.start()]}{int(counted[0]) + more}"


def _starts_with(text: str, number: str) -> bool:
    """Whether the text starts with exactly this number, not a longer one."""
    return text.startswith(number) and not re.match(r"[\w(]|[.-]\w", text[len(number) :])
