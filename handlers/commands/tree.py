"""`curlew tree`: every path of the API with its verbs, their rules and one line of help."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import click

from handlers.listings import METHODS
from handlers.render.tables import table
from handlers.trees import ROOT
from vfs.access import NOBODY, Rule, Verb
from vfs.nodes import Link
from vfs.tree import Spot, Tree


@dataclass(frozen=True, slots=True)
class Told:
    """What the table says of one path."""

    path: str
    verbs: tuple[tuple[str, str], ...]
    about: str


def told(tree: Tree) -> Iterator[Told]:
    """Every path of the tree that somebody can use, in the order of its declaration."""
    for spot in tree.spots():
        if isinstance(spot.node, Link):
            yield Told(spot.template, (), f"{spot.node.about} = {spot.node.to}".removeprefix(" = "))
        elif set(spot.rules.values()) != {NOBODY}:
            yield Told(spot.template, tuple(_verbs(spot)), spot.node.about)


def markdown(tree: Tree) -> str:
    """The table of the API as it stands in the README: a row a path, each verb with who may use it."""
    rows = [
        f"| `{row.path}` | {', '.join(f'{method} ({rule})' for method, rule in row.verbs)} | {row.about} |"
        for row in told(tree)
    ]
    return "\n".join(["| path | verbs (who) | what |", "|---|---|---|", *rows]) + "\n"


def _verbs(spot: Spot) -> Iterator[tuple[str, str]]:
    both: dict[Verb, Rule] = {**spot.birth, **spot.rules}
    for verb in Verb:
        if verb in both:
            yield METHODS[verb], both[verb].name.replace("|", "or").replace("&", "and")


@click.command()
@click.option("--markdown", "as_markdown", is_flag=True, help="The table of the README.")
def tree(as_markdown: bool) -> None:
    """Print every path with its verbs, their rules and one line of help."""
    whole = Tree(ROOT)
    if as_markdown:
        click.echo(markdown(whole), nl=False)
        return
    rows = [
        (
            row.path,
            " ".join(method for method, _ in row.verbs),
            "; ".join(sorted({rule for _, rule in row.verbs})),
            row.about,
        )
        for row in told(whole)
    ]
    click.echo(table(("path", "verbs", "who", "what"), rows), nl=False)
