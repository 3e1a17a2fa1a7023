"""The `curlew` command."""

from __future__ import annotations

from pkgutil import resolve_name

import click

from handlers.commands.options import EXIT_CODES

COMMANDS = {
    "app": "apps:app",
    "backup": "backups:backup",
    "completion": "printed:completion",
    "config": "config:config",
    "docs": "printed:docs",
    "doctor": "doctor:doctor",
    "export": "leaving:export_user",
    "fs": "files:files",
    "hooks": "inventory:hooks",
    "job": "inventory:job",
    "key": "running.keys:key",
    "links": "inventory:links",
    "log": "log:log",
    "mail-in": "serving:mail_in",
    "metrics": "serving:metrics",
    "migrate": "serving:migrate",
    "org": "inventory:org",
    "quota": "quotas:quota",
    "render": "serving:render",
    "repo": "inventory:repo",
    "restore": "backups:restore",
    "run": "running.runs:run",
    "runner": "serving:runner",
    "scheduler": "serving:scheduler",
    "serve": "serving:serve",
    "ssh-key": "ssh:ssh_key",
    "ssh-serve": "ssh:ssh_serve",
    "token": "people:token",
    "top": "running.top:top",
    "tree": "printed:tree",
    "user": "leaving:user",
    "web": "serving:web",
    "worker": "serving:worker",
}
"""Where each command is declared, below `handlers.commands`; a group, where the last is that adds to it."""


class CommandTable(click.Group):
    """A group that loads a command when it is named: to load all of them takes a second of each command."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in the order of the table."""
        return [*COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of a name; None where there is none."""
        if cmd_name not in COMMANDS:
            return None
        found = resolve_name(f"handlers.commands.{COMMANDS[cmd_name]}")
        assert isinstance(found, click.Command)
        return found


@click.group(cls=CommandTable, context_settings={"help_option_names": ["-h", "--help"]}, epilog=EXIT_CODES)
@click.version_option(package_name="curlew")
def main() -> None:
    """Curlew: a server on which everything is a file over HTTP."""


if __name__ == "__main__":
    main()
