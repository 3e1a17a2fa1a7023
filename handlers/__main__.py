"""The `curlew` command."""

from __future__ import annotations

import click

from handlers.commands.apps import app
from handlers.commands.backups.backup import backup, restore
from handlers.commands.completion import completion
from handlers.commands.config import config
from handlers.commands.docs import docs
from handlers.commands.doctor import doctor
from handlers.commands.files import files
from handlers.commands.inventory import job, repo
from handlers.commands.leaving.export import export_user
from handlers.commands.leaving.removal import remove_user
from handlers.commands.log import log
from handlers.commands.options import EXIT_CODES
from handlers.commands.orgs import org
from handlers.commands.people import token, user
from handlers.commands.quotas import quota
from handlers.commands.running.keys import key
from handlers.commands.running.runs import run
from handlers.commands.running.top import top
from handlers.commands.serving import mail_in, metrics, migrate, render, runner, serve, web
from handlers.commands.ssh import ssh_key, ssh_serve
from handlers.commands.stepping.workers import scheduler, worker
from handlers.commands.tree import tree


@click.group(context_settings={"help_option_names": ["-h", "--help"]}, epilog=EXIT_CODES)
@click.version_option(package_name="curlew")
def main() -> None:
    """Curlew: a server on which everything is a file over HTTP."""


COMMANDS = (
    *(serve, web, runner, render, mail_in, metrics, migrate, doctor, config, log),
    *(worker, scheduler),
    *(backup, restore, export_user),
    *(user, token, app, org, quota, job, repo, files, run, key, top),
    *(ssh_key, ssh_serve),
    *(docs, tree, completion),
)

for command in COMMANDS:
    main.add_command(command)

user.add_command(remove_user)

if __name__ == "__main__":
    main()
