"""Coverage: where each rule of a document is implemented and tested, found by the citations in the sources.

A citation is ``CROWN.at("7.4.1")``, ``at("7.4.1")`` after ``at = CROWN.at``, or the id and the numbers in any text,
docstrings included, such as ``crown-6.1 8.12 to 8.14``. In the file of a House Way it is the number of a rule, and any
comment. Text in double back quotes, as here, is an example and does not
count. A row of a test may also hold id and number as two entries: ``("crown-6.1", "12.5", ...)``. A citation covers the
rule itself and not its parts; a range covers all rules from the first to the last.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import engine
from engine.books.registry import BOOKS
from engine.errors import UnknownRuleError
from engine.house_way.written.places import Places
from engine.observed.departures import CAUSES
from engine.vocabulary import citations as documents
from engine.vocabulary.citations import SOURCES, Cite, Source
from engine.vocabulary.irregularities import Irregularity
from engine.vocabulary.remedy import Duty, Effect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.books.book import Rulebook
    from engine.books.contents import Printed

ROOT = Path(engine.__file__).parents[1]
"""The folder of the sources; Houseway is installed in place."""

_CODE = ("engine", "vision", "service")
_TESTS = ("tests",)

_BOOK_OF_CONSTANT = {name: value.rulebook for name, value in vars(documents).items() if isinstance(value, Source)}
_ID_AND_NUMBER = re.compile(rf"(?<![\w`-])({'|'.join(map(re.escape, SOURCES))}) (?=\d|[A-Z]|preamble|point \d)")
_LOOKS_LIKE_A_NUMBER = re.compile(r"\d+(\.\d+|\([a-z])|(Table|Appendix|point) \d")


@dataclass(frozen=True, slots=True, order=True)
class CitedAt:
    """Place of a citation: file below the root, and function, class or constant; no name for a module's docstring."""

    path: str
    name: str
    line: int


@dataclass(frozen=True, slots=True)
class Citation:
    """A citation of one rule, by its rulebook's id and its printed number."""

    book: str
    number: str
    place: CitedAt


class RuleState(Enum):
    """Coverage of a rule."""

    IMPLEMENTED = "implemented"
    OUTSIDE = "outside"
    PARTS = "covered by its parts"
    OPEN = "neither implemented nor outside"


class Decider(Enum):
    """What decides a rule; the value describes it."""

    CAMERA = "camera"  # what is seen at a table is compared with it
    LOG = "log"  # a round's log, and its settlement, accept only what it allows
    COMMAND = "command"  # a command or request answers by it
    PERSON = "person"  # a person decides or sees to it
    NOBODY = "nobody"  # it leaves nothing to decide in play


@dataclass(frozen=True, slots=True)
class RuleRow:
    """Coverage of one rule by code and tests; `why` software has no part in it, if it is declared outside."""

    rule: Printed
    code: tuple[CitedAt, ...]
    tests: tuple[CitedAt, ...]
    why: str
    deciders: tuple[Decider, ...] = ()

    @property
    def state(self) -> RuleState:
        if self.code:
            return RuleState.IMPLEMENTED
        if self.why:
            return RuleState.OUTSIDE
        return RuleState.PARTS if self.rule.leads_in else RuleState.OPEN


@dataclass(frozen=True, eq=False)
class Coverage:
    """Coverage of all rules of one document."""

    book: Rulebook
    rows: tuple[RuleRow, ...]

    def of(self, state: RuleState) -> tuple[RuleRow, ...]:
        """Return the rules in this state, in the document's order."""
        return tuple(row for row in self.rows if row.state is state)

    @property
    def untested(self) -> tuple[RuleRow, ...]:
        """Implemented rules that no test cites, except rules covered by their parts."""
        return tuple(row for row in self.of(RuleState.IMPLEMENTED) if not row.tests and not row.rule.leads_in)

    @property
    def contradictions(self) -> tuple[RuleRow, ...]:
        """Rules that are declared outside, but cited by code."""
        return tuple(row for row in self.rows if row.code and row.why)


def coverage(book: Rulebook, root: Path = ROOT) -> Coverage:
    """Determine the coverage of every rule of a document by the sources below `root`.

    Raises:
        UnknownRuleError: the sources cite a rule that the document does not print, or in a form that cannot be read.
    """
    code, tests, reasons = _places(root, _CODE), _places(root, _TESTS), book.contents.reasons
    seen, decided = rules_seen(book, root), _decided_by_persons(book)
    rows = []
    for rule in book.contents.rules:
        key, outside = (book.id, rule.number), reasons.get(rule.number)
        who = {each for place in code.get(key, ()) for each in _deciders_at(place.path)}
        who |= {Decider.CAMERA} if rule.number in seen else set()
        who |= {Decider.PERSON} if rule.number in decided else set()
        if outside is not None:
            who.add(Decider[outside.decides.upper()])
        why = "" if outside is None else outside.why
        ordered = tuple(each for each in Decider if each in who)
        rows.append(RuleRow(rule, code.get(key, ()), tests.get(key, ()), why, ordered))
    return Coverage(book, tuple(rows))


_DECIDE: Final[tuple[tuple[str, tuple[Decider, ...]], ...]] = (
    (r"engine/books/\w+/house_way\.|engine/house_way/", (Decider.CAMERA, Decider.COMMAND)),
    (r"engine/books/(\w+/irregularities|common_remedies)\.|engine/vocabulary/(irregularities|remedy|box_removal)\.",
     (Decider.LOG, Decider.COMMAND)),
    (r"engine/(books/\w+/tournament\.|tournament/|analysis/)", (Decider.COMMAND,)),
    (r"engine/(books/\w+/(settlement|side_wagers|cuts|dice)\.|settlement/|game/|vocabulary/(cuts|dice|delivery_order)\.)",
     (Decider.LOG, Decider.COMMAND)),
    (r"engine/observed/(?!round_log)|vision/|service/(rounds|table)/", (Decider.CAMERA,)),
    (r"engine/", (Decider.LOG,)),
    (r"service/", (Decider.COMMAND,)),
)  # fmt: skip
"""What code decides with a rule that it cites, by its path; the first that matches."""


def _deciders_at(path: str) -> tuple[Decider, ...]:
    return next((deciders for pattern, deciders in _DECIDE if re.match(pattern, path)), ())


_PARTS: Final = ("play", "dice", "cuts", "banking")
"""The parts of a rulebook whose facts the check of an observed round compares."""


_NOT_COMPARED: Final = frozenset({("banking", "house_box")})
"""Of these, those that only say where to look: nobody sees whether a wager lies at the House's box."""
_ONLY_BESIDE: Final = {("play", "several"): ("play", "alone"), ("cuts", "choice"): ("cuts", "by_die")}
"""Those that are read only where the book has another fact too."""
_DISPUTE: Final = Irregularity.DISPUTE


def rules_seen(book: Rulebook, root: Path = ROOT) -> frozenset[str]:
    """Numbers of the rules that an observed round is compared with: facts that ``engine/observed`` looks up."""
    found: set[str] = set()
    for part, name in _looked_up(root) - _NOT_COMPARED:
        of, beside = _ONLY_BESIDE.get((part, name), (part, name))
        if getattr(getattr(book, of), beside, None) is not None and hasattr(getattr(book, part), name):
            found |= {number for cite in _cites(getattr(getattr(book, part), name)) for number in _named(book, cite)}
    # Persons decide on the remedy for a departure that no rule names.
    for cause in {cause for causes in CAUSES.values() for cause in causes if cause.irregularity is not _DISPUTE}:
        kind, rules = cause.irregularity, book.irregularities
        for option in (*rules.said.get(kind, ()), *rules.silent.get(kind, ())):
            if not option.concerns(cause.whose):
                continue
            found |= {number for cite in (option.cite, *option.also) for number in _named(book, cite)}
    return frozenset(found)


@cache
def _looked_up(root: Path) -> frozenset[tuple[str, str]]:
    """Attributes of the parts of a rulebook that the check of an observed round reads, as ``play.expose``."""
    found = set()
    for path in sorted((root / "engine" / "observed").glob("*.py")):
        if path.name == "round_log.py":  # it writes a log, and compares nothing
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Attribute):
                continue
            of = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
            if of in _PARTS:
                found.add((of, node.attr))
    return frozenset(found)


def _decided_by_persons(book: Rulebook) -> frozenset[str]:
    """Numbers of the rules under which a person chooses: what may be done, or is left to a decision."""
    declared = (*book.irregularities.said.values(), *book.irregularities.silent.values())
    chosen = (each for options in declared for each in options
              if each.duty is Duty.MAY or each.effect is Effect.AS_DECIDED)  # fmt: skip
    return frozenset(number for each in chosen for number in _named(book, each.cite))


def _cites(value: object) -> Iterator[Cite]:
    """All citations in a value of a rulebook."""
    if isinstance(value, Cite):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _cites(each)
    elif isinstance(value, tuple | frozenset):
        for each in value:
            yield from _cites(each)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            if field.name != "banking":  # of cuts and dice: who banks, which they share
                yield from _cites(getattr(value, field.name))


def _named(book: Rulebook, cite: Cite) -> tuple[str, ...]:
    return book.contents.leading(cite.section)[0] if cite.rulebook == book.id else ()


@cache
def _places(root: Path, folders: tuple[str, ...]) -> dict[tuple[str, str], tuple[CitedAt, ...]]:
    """Return the places that cite a rule, by rulebook and number; only the first of each function or constant."""
    found: dict[tuple[str, str], dict[tuple[str, str], CitedAt]] = {}
    for path in (path for folder in folders for path in sorted((root / folder).rglob("*"))):
        if path.suffix == ".py":
            cites = citations(path.read_text(), str(path.relative_to(root)), in_rows=folders == _TESTS)
        elif path.name == "house_way.toml":
            cites = citations_of_way(path.read_text(), str(path.relative_to(root)))
        elif path.suffix == ".csv":
            cites = _of_lines(path.read_text(), str(path.relative_to(root)))
        else:
            continue
        for cited in cites:
            places = found.setdefault((cited.book, cited.number), {})
            places.setdefault((cited.place.path, cited.place.name), cited.place)
    return {key: tuple(places.values()) for key, places in found.items()}


def citations(text: str, path: str, *, in_rows: bool = False) -> Iterator[Citation]:
    """Yield all citations in a source file; with `in_rows` an id and a number in one row count too, as in tests.

    Raises:
        UnknownRuleError: a citation names a rule that its document does not print, or is not a literal.
    """
    yield from _Finder(ast.parse(text), path, in_rows=in_rows).below()


def citations_of_way(text: str, path: str) -> Iterator[Citation]:
    """Yield all citations in the file of a House Way: numbers of rules, kinds and exceptions, and those in comments.

    Raises:
        UnknownRuleError: a number that its document does not print.
    """
    data, places = tomllib.loads(text), Places(text)
    book = data["house_way"]["id"]
    for key in ("kind", "rule"):
        for at, entry in enumerate(data.get(key, ())):
            within: list[tuple[tuple[str | int, ...], dict[str, Any]]] = [((key, at), entry)]
            within += [((key, at, "exception", n), each) for n, each in enumerate(entry.get("exception", ()))]
            name = entry.get("name") or entry.get("same_as", "").rpartition(" ")[2]
            for where, each in within:
                line = places.key((*where, "number")).line
                for number in _numbers(book, each["number"], path, line) if "number" in each else ():
                    yield Citation(book, number, CitedAt(path, name, line))
    yield from _of_lines(text, path, starting_with="#")


def _of_lines(text: str, path: str, *, starting_with: str = "") -> Iterator[Citation]:
    for at, line in enumerate(text.splitlines(), 1):
        if line.startswith(starting_with):
            for book, numbers in _in_text(line, path, at):
                for number in numbers:
                    yield Citation(book, number, CitedAt(path, "", at))


class _Finder:
    """Finds the citations of one file, including aliases of documents and of their ``at``."""

    def __init__(self, tree: ast.Module, path: str, *, in_rows: bool) -> None:
        self._tree = tree
        self._path = path
        self._in_rows = in_rows
        self._documents: dict[str, str] = {}
        self._at: dict[str, str] = {}
        for node in ast.walk(tree):
            self._learn_names(node)

    def _learn_names(self, node: ast.AST) -> None:
        """Learn aliases such as ``import CROWN as C`` from the citations, ``SOURCE = CROWN`` and ``at = CROWN.at``."""
        if isinstance(node, ast.ImportFrom) and node.module == "engine.vocabulary.citations":
            for each in node.names:
                if each.name in _BOOK_OF_CONSTANT:
                    self._documents[each.asname or each.name] = _BOOK_OF_CONSTANT[each.name]
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name, value = node.targets[0].id, node.value
            if book := self._document(value):
                self._documents[name] = book
            elif isinstance(value, ast.Attribute) and value.attr == "at" and (book := self._document(value.value)):
                self._at[name] = book

    def _document(self, node: ast.expr) -> str | None:
        """Return the rulebook's id, if the expression is a document or an id."""
        if isinstance(node, ast.Constant):
            return node.value if node.value in SOURCES else None
        return self._documents.get(node.id) if isinstance(node, ast.Name) else None

    def below(self, node: ast.AST | None = None, name: str = "") -> Iterator[Citation]:
        before = ""
        for child in ast.iter_child_nodes(node or self._tree):
            here = _name_of(child, name)
            if isinstance(child, ast.Expr):
                here = here or before  # the docstring of a constant follows it
            place = CitedAt(self._path, here.rstrip("."), getattr(child, "lineno", 0))
            for book, numbers in self._cited(child):
                for number in numbers:
                    yield Citation(book, number, place)
            yield from self.below(child, here)
            before = here

    def _cited(self, node: ast.AST) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield rulebook and numbers of each citation in this node, without its children."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _in_text(node.value, self._path, node.lineno)
        elif isinstance(node, ast.Call) and (book := self._book_of_call(node)):
            section = node.args[-1]
            if not isinstance(section, ast.Constant) or not isinstance(section.value, str):
                raise UnknownRuleError(
                    f"{self._path}, line {node.lineno}: a citation of {book} is computed at run time; write its number "
                    "as a literal"
                )
            yield book, _numbers(book, section.value, self._path, node.lineno)
        elif self._in_rows and isinstance(node, ast.Call | ast.Tuple | ast.List):
            yield from _in_row(node.args if isinstance(node, ast.Call) else node.elts)

    def _book_of_call(self, call: ast.Call) -> str | None:
        """Return the rulebook's id in ``CROWN.at(...)``, ``at(...)`` or ``Cite("crown-6.1", ...)``."""
        if isinstance(call.func, ast.Attribute) and call.func.attr == "at":
            return self._document(call.func.value)
        if not isinstance(call.func, ast.Name):
            return None
        return self._document(call.args[0]) if call.func.id == "Cite" else self._at.get(call.func.id)


def _in_text(text: str, path: str, line: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    for match in _ID_AND_NUMBER.finditer(text):
        book, rest = match[1], text[match.end() :]
        numbers, _ = BOOKS[book].contents.leading(" ".join(rest.split()))
        if numbers:
            yield book, numbers
        elif unknown := _LOOKS_LIKE_A_NUMBER.match(rest):
            _numbers(book, unknown[0], path, line)


def _numbers(book: str, section: str, path: str, line: int) -> tuple[str, ...]:
    try:
        return BOOKS[book].contents.named(section)
    except UnknownRuleError as error:
        raise UnknownRuleError(f"{path}, line {line}: {error}") from error


def _in_row(cells: list[ast.expr]) -> Iterator[tuple[str, tuple[str, ...]]]:
    texts = [cell.value for cell in cells if isinstance(cell, ast.Constant) and isinstance(cell.value, str)]
    for book in SOURCES.keys() & set(texts):
        for text in texts:
            numbers, rest = BOOKS[book].contents.leading(text)
            if numbers and not rest:
                yield book, numbers


def _name_of(node: ast.AST, within: str) -> str:
    """Return the outermost function, method or constant around this node; the name of a class ends with a dot."""
    if within and not within.endswith("."):
        return within
    if isinstance(node, ast.ClassDef):
        return f"{within}{node.name}."
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return within + node.name
    target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
    return target.id if isinstance(target, ast.Name) and not within else within
