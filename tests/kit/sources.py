"""The source files of the house and of its tests, as the shape tests read them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
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


def sources(*folders: str) -> list[Source]:
    """The Python files below these folders."""
    paths = sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return [Source(str(path.relative_to(ROOT))) for path in paths]
