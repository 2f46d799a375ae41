"""Where each rule of a document is implemented and tested, found in the sources themselves.

A rule is named by its citation: ``CROWN.at("7.4.1")`` (or ``at("7.4.1")`` behind ``at = CROWN.at``), or by its written
form in any text, a docstring included, such as ``crown-6.1 8.12 to 8.14``. In back quotes, as here, it is an example
and names nothing. A row of a test may also give id and number as two entries: ``("crown-6.1", "12.5", ...)``. A
citation names the rule itself, not its parts; a range names all from the first to the last.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import engine
from engine.books.registry import BOOKS
from engine.errors import UnknownRuleError
from engine.vocabulary import sources
from engine.vocabulary.sources import SOURCES, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.books.book import Rulebook
    from engine.books.contents import Printed

ROOT = Path(engine.__file__).parents[1]
"""The folder of the sources; Houseway is installed in place (decision 0009)."""

_CODE = ("engine", "vision", "service")
_TESTS = ("tests",)
_LISTS = {"contents.py", "outside.py"}
_BY_CONSTANT = {name: value.rulebook for name, value in vars(sources).items() if isinstance(value, Source)}
_WRITTEN = re.compile(rf"(?<![\w`-])({'|'.join(map(re.escape, SOURCES))}) (?=\d|[A-Z]|preamble|point \d)")
_LIKE_A_NUMBER = re.compile(r"\d+(\.\d+|\([a-z])|(Table|Appendix|point) \d")


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where in the sources a rule is named.

    Attributes:
        path: the file, from the root.
        name: the function, method, class or constant there; empty for the module's own text.
        line: counted from 1.
    """

    path: str
    name: str
    line: int


@dataclass(frozen=True, slots=True)
class Named:
    """One citation as it stands in the sources.

    Attributes:
        book: the rulebook's id.
        numbers: the rules that it names.
        place: where it stands.
    """

    book: str
    numbers: tuple[str, ...]
    place: Place


class State(Enum):
    """What there is of a rule."""

    IMPLEMENTED = "implemented"
    OUTSIDE = "outside"
    PARTS = "says only what its parts say"
    OPEN = "in neither list"


@dataclass(frozen=True, slots=True)
class Row:
    """One rule and what there is of it.

    Attributes:
        rule: as the document prints it.
        code: where it is implemented.
        tests: where it is tested.
        why: the reason where software has no part in it, else empty.
    """

    rule: Printed
    code: tuple[Place, ...]
    tests: tuple[Place, ...]
    why: str

    @property
    def state(self) -> State:
        """Implemented, outside, said by its parts, or none of them."""
        if self.code:
            return State.IMPLEMENTED
        if self.why:
            return State.OUTSIDE
        return State.PARTS if self.rule.leads_in else State.OPEN


@dataclass(frozen=True, eq=False)
class Coverage:
    """All rules of one document and what there is of each."""

    book: Rulebook
    rows: tuple[Row, ...]

    def of(self, state: State) -> tuple[Row, ...]:
        """The rules in this state, in the document's order."""
        return tuple(row for row in self.rows if row.state is state)

    @property
    def untested(self) -> tuple[Row, ...]:
        """Rules that are implemented and that no test names; those that only lead in are shown by their parts."""
        return tuple(row for row in self.of(State.IMPLEMENTED) if not row.tests and not row.rule.leads_in)

    @property
    def contradictions(self) -> tuple[Row, ...]:
        """Rules declared to be outside that the code names all the same."""
        return tuple(row for row in self.rows if row.code and row.why)


def coverage(book: Rulebook, root: Path = ROOT) -> Coverage:
    """What there is of every rule of a document in the sources below `root`.

    Raises:
        UnknownRuleError: the sources cite a rule that the document does not print, or in a way that cannot be read.
    """
    code, tests = _places(root, _CODE), _places(root, _TESTS)
    return Coverage(
        book,
        tuple(
            Row(
                rule,
                code.get((book.id, rule.number), ()),
                tests.get((book.id, rule.number), ()),
                book.contents.reasons.get(rule.number, ""),
            )
            for rule in book.contents.rules
        ),
    )


@cache
def _places(root: Path, folders: tuple[str, ...]) -> dict[tuple[str, str], tuple[Place, ...]]:
    """By rulebook and number, every place where a rule is named, each function or constant once."""
    found: dict[tuple[str, str], dict[tuple[str, str], Place]] = {}
    for folder in folders:
        for path in sorted((root / folder).rglob("*.py")):
            if path.name in _LISTS and path.is_relative_to(root / "engine" / "rulebooks"):
                continue
            for named in citations(path.read_text(), str(path.relative_to(root)), in_rows=folders == _TESTS):
                for number in named.numbers:
                    places = found.setdefault((named.book, number), {})
                    places.setdefault((named.place.path, named.place.name), named.place)
    return {key: tuple(places.values()) for key, places in found.items()}


def citations(text: str, path: str, *, in_rows: bool = False) -> Iterator[Named]:
    """Every citation in a source file.

    Args:
        text: the file.
        path: its path, for the place.
        in_rows: whether an id and a number in one row are a citation too, as in tests.

    Raises:
        UnknownRuleError: one names what its document does not print, or is not written out.
    """
    yield from _Reader(path, in_rows=in_rows).read(ast.parse(text))


class _Reader:
    """Reads the citations of one file; remembers its short names for documents."""

    def __init__(self, path: str, *, in_rows: bool) -> None:
        self.path = path
        self.in_rows = in_rows
        self.sources: dict[str, str] = {}
        self.shortened: dict[str, str] = {}

    def read(self, tree: ast.Module) -> Iterator[Named]:
        for node in ast.walk(tree):
            self._remember(node)
        yield from self._below(tree, "")

    def _remember(self, node: ast.AST) -> None:
        """Short names: ``from engine.vocabulary.sources import CROWN as C``, ``SOURCE = CROWN``, ``at = CROWN.at``."""
        if isinstance(node, ast.ImportFrom) and node.module == "engine.vocabulary.sources":
            for each in node.names:
                if each.name in _BY_CONSTANT:
                    self.sources[each.asname or each.name] = _BY_CONSTANT[each.name]
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name, value = node.targets[0].id, node.value
            if book := self._document(value):
                self.sources[name] = book
            elif isinstance(value, ast.Attribute) and value.attr == "at" and (book := self._document(value.value)):
                self.shortened[name] = book

    def _document(self, node: ast.expr) -> str | None:
        """The rulebook's id, where the expression is a document or the id itself."""
        if isinstance(node, ast.Constant):
            return node.value if node.value in SOURCES else None
        return self.sources.get(node.id) if isinstance(node, ast.Name) else None

    def _below(self, node: ast.AST, name: str) -> Iterator[Named]:
        above = ""
        for child in ast.iter_child_nodes(node):
            here = _name_of(child, name)
            if isinstance(child, ast.Expr):
                here = here or above  # a constant's docstring stands below it
            yield from self._here(child, here)
            yield from self._below(child, here)
            above = here

    def _here(self, node: ast.AST, name: str) -> Iterator[Named]:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from self._written(node, node.value, name)
        elif isinstance(node, ast.Call):
            if book := self._cites(node):
                yield self._cited(node, book, name)
            elif self.in_rows:
                yield from self._row(node, node.args, name)
        elif self.in_rows and isinstance(node, ast.Tuple | ast.List):
            yield from self._row(node, node.elts, name)

    def _cites(self, call: ast.Call) -> str | None:
        """The document of ``CROWN.at(...)``, ``at(...)`` or ``Cite("crown-6.1", ...)``."""
        if isinstance(call.func, ast.Attribute) and call.func.attr == "at":
            return self._document(call.func.value)
        if isinstance(call.func, ast.Name) and call.func.id == "Cite":
            return self._document(call.args[0])
        return self.shortened.get(call.func.id) if isinstance(call.func, ast.Name) else None

    def _cited(self, call: ast.Call, book: str, name: str) -> Named:
        section = call.args[-1]
        if not isinstance(section, ast.Constant) or not isinstance(section.value, str):
            raise UnknownRuleError(
                f"{self.path}, line {call.lineno}: a citation of {book} that is put together at run time cannot be "
                "read here; write its number out"
            )
        return self._named(book, section.value, call, name)

    def _written(self, node: ast.expr, text: str, name: str) -> Iterator[Named]:
        for match in _WRITTEN.finditer(text):
            book, rest = match[1], text[match.end() :]
            numbers, _ = BOOKS[book].contents.leading(" ".join(rest.split()))
            if numbers:
                yield Named(book, numbers, self._place(node, name))
            elif like := _LIKE_A_NUMBER.match(rest):
                self._named(book, like[0], node, name)

    def _row(self, node: ast.expr, cells: list[ast.expr], name: str) -> Iterator[Named]:
        texts = [cell.value for cell in cells if isinstance(cell, ast.Constant) and isinstance(cell.value, str)]
        for book in SOURCES.keys() & set(texts):
            for text in texts:
                numbers, rest = BOOKS[book].contents.leading(text)
                if numbers and not rest:
                    yield Named(book, numbers, self._place(node, name))

    def _named(self, book: str, section: str, node: ast.expr, name: str) -> Named:
        try:
            numbers = BOOKS[book].contents.named(section)
        except UnknownRuleError as error:
            raise UnknownRuleError(f"{self.path}, line {node.lineno}: {error}") from error
        return Named(book, numbers, self._place(node, name))

    def _place(self, node: ast.expr, name: str) -> Place:
        return Place(self.path, name.rstrip("."), node.lineno)


def _name_of(node: ast.AST, above: str) -> str:
    """What code in this node goes by: class, method, function or constant; the name of a class ends with a dot."""
    if above and not above.endswith("."):
        return above
    if isinstance(node, ast.ClassDef):
        return f"{above}{node.name}."
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return above + node.name
    target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
    return target.id if isinstance(target, ast.Name) and not above else above
