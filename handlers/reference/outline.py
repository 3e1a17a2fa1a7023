"""What the whole tree offers: every path with its verbs, who may use each, and one line of help."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from handlers.http.listings import METHODS
from handlers.render.tables import table
from vfs.access import Verb
from vfs.nodes import Link
from vfs.rules import Rule
from vfs.tree import Spot, Tree


@dataclass(frozen=True, slots=True)
class Told:
    """What is said of one path; `verbs` are pairs of a method and the name of its rule."""

    path: str
    verbs: tuple[tuple[str, str], ...]
    about: str


def told(tree: Tree) -> Iterator[Told]:
    """Every path of the tree, in the order of its declaration."""
    for spot in tree.spots():
        if isinstance(spot.node, Link):
            yield Told(spot.template, (), f"{spot.node.about} = {spot.node.to}".removeprefix(" = "))
        else:
            yield Told(spot.template, tuple(_verbs(spot)), spot.node.about)


def markdown(tree: Tree) -> str:
    """The outline as a table of markdown: a row a path, each verb with who may use it."""
    rows = [f"| `{row.path}` | {_by_rule(row.verbs)} | {row.about} |" for row in told(tree)]
    return "\n".join(["| path | verbs (who) | what |", "|---|---|---|", *rows]) + "\n"


def golden(tree: Tree) -> str:
    """The outline for reviews: a line a path, which changes with that path alone."""
    return "".join(f"{row.path}  {_by_rule(row.verbs)}  {row.about}".rstrip() + "\n" for row in told(tree))


def lines(tree: Tree) -> str:
    """The outline for terminals, in aligned columns."""
    rows = [
        (
            row.path,
            " ".join(method for method, _ in row.verbs),
            "; ".join(sorted({rule for _, rule in row.verbs})),
            row.about,
        )
        for row in told(tree)
    ]
    return table(("path", "verbs", "who", "what"), rows)


def _by_rule(verbs: Iterable[tuple[str, str]]) -> str:
    """`GET (r); POST PUT DELETE (w)`: each rule once."""
    methods: dict[str, list[str]] = {}
    for method, rule in verbs:
        methods.setdefault(rule, []).append(method)
    return "; ".join(f"{' '.join(names)} ({rule})" for rule, names in methods.items())


def _verbs(spot: Spot) -> Iterator[tuple[str, str]]:
    both: dict[Verb, Rule] = {**spot.birth, **spot.rules}
    for verb in Verb:
        if verb in both:
            yield METHODS[verb], both[verb].name.replace("|", "or").replace("&", "and")
