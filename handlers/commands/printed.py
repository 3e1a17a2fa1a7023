"""`curlew docs`, `tree` and `completion`: texts of the program that need no server."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from handlers.reference.manual import ABOUT, contents_lines, manual
from handlers.reference.outline import lines, markdown
from handlers.trees import ROOT
from vfs.tree import Tree

PROGRAM = "curlew"
VARIABLE = "_CURLEW_COMPLETE"
SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the script that completes `curlew` in SHELL.

    For bash:  echo 'eval "$(curlew completion bash)"' >> ~/.bashrc
    """
    found = get_completion_class(shell)
    if found is None:
        raise click.UsageError(f"there is no completion for {shell}")
    click.echo(found(click.get_current_context().find_root().command, {}, PROGRAM, VARIABLE).source())


@click.command()
@click.argument("name", required=False, type=click.Choice(list(ABOUT)), metavar="[NAME]")
def docs(name: str | None) -> None:
    """Print the chapter NAME of the manual; without a name, list the chapters."""
    chapters = manual(Tree(ROOT))
    click.echo(chapters[name].terminal if name else contents_lines(chapters), nl=False)


@click.command()
@click.option("--markdown", "as_markdown", is_flag=True, help="As a table of markdown.")
def tree(as_markdown: bool) -> None:
    """Print every path with its verbs and their rules."""
    whole = Tree(ROOT)
    click.echo(markdown(whole) if as_markdown else lines(whole), nl=False)
