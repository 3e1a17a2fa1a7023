"""`curlew docs`: the manual in a terminal, with the same text as `/docs` of a server."""

from __future__ import annotations

import click

from handlers.reference.manual import ABOUT, contents_lines, manual
from handlers.trees import ROOT
from vfs.tree import Tree


@click.command()
@click.argument("name", required=False, type=click.Choice(list(ABOUT)), metavar="[NAME]")
def docs(name: str | None) -> None:
    """Print the chapter NAME of the manual; without a name, list the chapters."""
    chapters = manual(Tree(ROOT))
    click.echo(chapters[name].terminal if name else contents_lines(chapters), nl=False)
