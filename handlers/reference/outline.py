"""The outline of a tree: every path with its verbs, the rule of each, and one line of help."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from handlers.http.listings import METHODS
from handlers.words.tables import table
from vfs.access import Verb
from vfs.nodes import Link
from vfs.route import Route
from vfs.rules import Rule
from vfs.tree import Tree

DEPTHS = {"/v1/admin": 3, "/v1/users": 5}
SMALLEST = 4


@dataclass(frozen=True, slots=True)
class OutlineRow:
    """A path of the outline; `verbs` are pairs of a method and the name of its rule."""

    path: str
    verbs: tuple[tuple[str, str], ...]
    about: str


def outline(tree: Tree) -> Iterator[OutlineRow]:
    """Yield every path of the tree, in the order of declaration."""
    for route in tree.routes():
        if isinstance(route.node, Link):
            yield OutlineRow(route.template, (), f"{route.node.about} = {route.node.to}".removeprefix(" = "))
        else:
            yield OutlineRow(route.template, tuple(_verbs(route)), route.node.about)


def markdown(tree: Tree) -> str:
    """Return the outline in markdown: a table for each part of the tree, each verb with its rule."""
    return "\n".join(_section(head, rows) for head, rows in sorted(_parts(outline(tree)).items()))


def golden(tree: Tree) -> str:
    """Return the outline for reviews, with one line for each path that changes only with this path."""
    return "".join(f"{row.path}  {_by_rule(row.verbs)}  {row.about}".rstrip() + "\n" for row in outline(tree))


def lines(tree: Tree) -> str:
    """Return the outline for terminals, in aligned columns."""
    rows = [
        (
            row.path,
            " ".join(method for method, _ in row.verbs),
            "; ".join(sorted({rule for _, rule in row.verbs})),
            row.about,
        )
        for row in outline(tree)
    ]
    return table(("path", "verbs", "who", "what"), rows)


def _section(head: str, rows: Iterable[OutlineRow]) -> str:
    cells = [f"| `{row.path}` | {_by_rule(row.verbs)} | {row.about} |" for row in rows]
    return "\n".join([f"## {head}\n", "| path | verbs (who) | what |", "|---|---|---|", *cells]) + "\n"


def _parts(rows: Iterable[OutlineRow]) -> Mapping[str, list[OutlineRow]]:
    """Return the rows by the folder above them: of resources, of the own account, or the root."""
    found: dict[str, list[OutlineRow]] = {}
    for row in rows:
        parts = row.path.split("/")
        found.setdefault("/".join(parts[: DEPTHS.get("/".join(parts[:3]), 2) + 1]), []).append(row)
    small = [head for head, part in found.items() if len(part) < SMALLEST and head.count("/") > 1]
    for head in small:
        found.setdefault(head.rpartition("/")[0], []).extend(found.pop(head))
    return found


def _by_rule(verbs: Iterable[tuple[str, str]]) -> str:
    """Return verbs with each rule once: `GET (r); POST PUT DELETE (w)`."""
    methods: dict[str, list[str]] = {}
    for method, rule in verbs:
        methods.setdefault(rule, []).append(method)
    return "; ".join(f"{' '.join(names)} ({rule})" for rule, names in methods.items())


def _verbs(route: Route) -> Iterator[tuple[str, str]]:
    both: dict[Verb, Rule] = {**route.birth, **route.rules}
    for verb in Verb:
        if verb in both:
            yield METHODS[verb], both[verb].name.replace("|", "or").replace("&", "and")
