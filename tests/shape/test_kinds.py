"""A kind is declared once: nothing else asks for kinds by their names, or keeps a table of them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from handlers.pages.routes import VISUAL_PAGES
from handlers.rules.kinds import VISUALS
from handlers.trees import KINDS
from tests.kit.sources import PACKAGES, ROOT, offenders, sources

NAMES = {name for kind in KINDS.values() for name in (kind.name, kind.folder)}
PERMITTED = {
    "handlers/pages/routes.py": "/docs is the manual",
    "handlers/rules/scopes.py": "claims have other names, which clients know",
    "handlers/services/hold_spaces.py": "a hold keeps a space: what a run is, and not what kinds are",
    "handlers/services/rights.py": "a name as chains and mappings write it",
    "storage/runs/activity.py": "runs are of jobs",
    "handlers/render/": "a doc is a kind of sheets there, and a grid the lines of an axis",
    "storage/migrations/": "a migration speaks of the kinds that there were",
}
"""Files and folders that may name kinds, each with the reason."""
Display = ast.Tuple | ast.List | ast.Set
IN_SQL = re.compile(r"\bkind\s*(?:=|<>|(?:NOT )?IN \()\s*'(\w+)'")
IN_TEMPLATE = re.compile(rf"""(?:[=!]=|\bin\b)\s*[(\[]?\s*["'](?:{"|".join(sorted(NAMES))})["']""")


def words(node: ast.expr | ast.pattern | None) -> Iterator[str]:
    """The names of kinds that stand in an expression or a pattern as they are."""
    if isinstance(node, ast.Constant) and node.value in NAMES:
        yield str(node.value)
    elif isinstance(node, Display):
        for one in node.elts:
            yield from words(one)
    elif isinstance(node, ast.MatchValue):
        yield from words(node.value)


def most(found: list[str], of: int) -> list[str]:
    """Names that are several, and more than half of what they stand among."""
    return found if len(found) > 1 and len(found) * 2 > of else []


def named_by(node: ast.AST) -> list[str]:
    """The kinds that one node names: it compares, matches, lists or selects them, or is a table of them."""
    match node:
        case ast.Compare():
            return [name for side in (node.left, *node.comparators) for name in words(side)]
        case ast.MatchValue():
            return [*words(node)]
        case ast.Tuple() | ast.List() | ast.Set():
            return most([*words(node)], len(node.elts))
        case ast.Dict():
            return most([name for key in node.keys for name in words(key)], len(node.keys))
        case ast.Constant(value=str(text)):
            return [name for name in IN_SQL.findall(text) if name in NAMES]
        case ast.Assign(value=ast.Dict() as table) | ast.AnnAssign(value=ast.Dict() as table):
            names = [name for key in table.keys for name in words(key)]
            return names if names and len(names) == len(table.keys) else []
    return []


def spellings(tree: ast.AST) -> set[tuple[int, str]]:
    """The lines in which kinds are named where they could be asked."""
    found = {(node, tuple(sorted(named_by(node)))) for node in ast.walk(tree)}
    return {(getattr(node, "lineno", 1), ", ".join(names)) for node, names in found if names}


def test_no_kind_is_named_in_a_condition_or_a_table() -> None:
    found = {
        source.name: sorted(spellings(source.tree))
        for source in sources(*PACKAGES)
        if not source.name.startswith(tuple(PERMITTED))
    }
    assert not offenders(found)


def test_whatever_may_name_kinds_does_so() -> None:
    named = [source.name for source in sources(*PACKAGES) if spellings(source.tree)]
    assert [where for where in PERMITTED if not any(name.startswith(where) for name in named)] == []


def test_no_template_asks_for_a_kind() -> None:
    folder = ROOT / "handlers/pages/templates"
    assert not offenders(
        {file.name: IN_TEMPLATE.findall(file.read_text()) for file in sorted(folder.glob("*.html"))}
    )


@pytest.mark.parametrize(
    "text",
    [
        'if at.kind == "plot": pass',
        'if kind not in ("user", "repo"): pass',
        'WORDS = {"plot": 1, "grid": 2, "sheet": 3}',
        'DEFAULTS = {"grid": 1}',
        'VISUALS: tuple[str, ...] = ("plot", "grid")',
        'made = {"doc", "mail"} & found',
        "USE = \"SELECT count(*) FROM item WHERE kind = 'repo'\"",
        "USE = f\"SELECT id FROM item i WHERE i.kind IN ('repo', {more})\"",
        'match path:\n    case ("vis", ("plots" | "grids") as folder): pass',
        'same = lambda one: one.kind != "doc"',
    ],
)
def test_a_kind_that_is_named_is_found(text: str) -> None:
    assert spellings(ast.parse(text))


@pytest.mark.parametrize(
    "text",
    ['items.find("repo", owner, name)', 'row = {"id": 1, "job": job, "run": run}', 'KIND = kind("plot")'],
)
def test_a_name_that_is_given_asks_nothing(text: str) -> None:
    assert not spellings(ast.parse(text))


def test_each_kind_of_visuals_has_a_page() -> None:
    drawn = {kind.name for kind in KINDS.values() if kind.family == VISUALS}
    assert {page.kind.name for page in VISUAL_PAGES} == drawn
    assert len({kind.letter for kind in KINDS.values()}) == len(KINDS)
