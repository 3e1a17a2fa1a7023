"""The source files of the house and of its tests, as the shape tests read them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("vfs", "chains", "storage", "handlers")


@dataclass(frozen=True)
class Source:
    """One Python file, named by its path from the repository's root."""

    name: str

    @cached_property
    def text(self) -> str:
        """What the file holds."""
        return (ROOT / self.name).read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        """The file, parsed."""
        return ast.parse(self.text, self.name)

    def __str__(self) -> str:
        return self.name

    def imports(self) -> Iterator[str]:
        """The dotted names that are imported, wherever in the file."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield node.module or "."

    def names(self) -> Iterator[str]:
        """The same, with each name that is imported from a module behind it."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield from (f"{node.module}.{alias.name}" for alias in node.names)

    def classes(self) -> list[str]:
        """The names of its classes."""
        return [node.name for node in ast.walk(self.tree) if isinstance(node, ast.ClassDef)]

    def functions(self) -> Iterator[tuple[str, int]]:
        """Each function with its number of lines, decorators left out."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1

    def constants(self) -> Iterator[tuple[int, object]]:
        """Line and value of each literal that is not a docstring."""
        documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        docstrings = {
            id(node.body[0].value)
            for node in ast.walk(self.tree)
            if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Constant) and id(node) not in docstrings:
                yield node.lineno, node.value


@cache
def _source(name: str) -> Source:
    return Source(name)


@cache
def sources(*folders: str) -> tuple[Source, ...]:
    """The Python files below these folders, each read and parsed once."""
    paths = sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return tuple(_source(str(path.relative_to(ROOT))) for path in paths)


def offenders(found: Mapping[str, object] | Iterable[tuple[str, object]]) -> str:
    """What breaks a rule, a line each; empty when nothing does."""
    return "\n".join(f"{where}: {what}" for where, what in dict(found).items() if what)


def imports_between(files: Iterable[Source]) -> dict[str, set[str]]:
    """The modules among these files that each imports, by dotted name."""
    modules = {_dotted(source.name): source for source in files}
    graph: dict[str, set[str]] = {}
    for module, source in modules.items():
        named = [_longest(name, modules) for name in source.names()]
        graph[module] = {name for name in named if name and name != module}
    return graph


def _dotted(name: str) -> str:
    return name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _longest(name: str, modules: Mapping[str, Source]) -> str:
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name
