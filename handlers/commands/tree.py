"""`curlew tree`: every path of the API with its verbs, their rules and one line of help."""

from __future__ import annotations

import click

from handlers.reference.outline import lines, markdown
from handlers.trees import ROOT
from vfs.tree import Tree


@click.command()
@click.option("--markdown", "as_markdown", is_flag=True, help="As a table of markdown.")
def tree(as_markdown: bool) -> None:
    """Print every path with its verbs and their rules."""
    whole = Tree(ROOT)
    click.echo(markdown(whole) if as_markdown else lines(whole), nl=False)
