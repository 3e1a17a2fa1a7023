"""`curlew completion`: a script that completes commands, options and chapters in a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

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
