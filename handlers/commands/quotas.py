"""`curlew quota`: the use of accounts' quotas, and their own limits, while a server runs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

import click

from handlers.commands.operators import as_json, find_user
from handlers.commands.options import needs_data
from handlers.processes.world import open_world
from handlers.settings.quantities import Unit, parse_quantity, rounded_size
from handlers.settings.settings import Settings
from handlers.trees.account.quota import facts_of
from handlers.words.tables import table
from vfs.errors import Invalid
from vfs.ports.quotas import BYTES, Quota, QuotaName

HEADS = ("quota", "use", "limit", "own")
COUNT = re.compile(r"[0-9]{1,18}")
SERVERS = "default"


@click.group()
def quota() -> None:
    """Show the use of accounts' quotas, and set individual limits.

    Tables round sizes in bytes (`1.18M`; K is 1024); `--json` has the exact numbers.
    """


@quota.command("list")
@needs_data
@as_json
def list_quotas(settings: Settings, as_json: bool) -> None:
    """List what every account uses, as use/limit; `*` marks an individual limit."""
    with open_world(settings) as world:
        found = {user.name: world.service.quotas.of(user.name) for user in world.people.users.all()}
    if as_json:
        listed = [{"account": name, "quotas": _facts(quotas)} for name, quotas in found.items()]
        click.echo(json.dumps(listed, indent=2))
        return
    rows = [[name, *map(_cell, quotas)] for name, quotas in found.items()]
    click.echo(table(["account", *(name.value for name in QuotaName)], rows), nl=False)


@quota.command("show")
@needs_data
@click.argument("name")
@as_json
def show_quota(settings: Settings, name: str, as_json: bool) -> None:
    """Show the quotas of one account."""
    with open_world(settings) as world:
        name = find_user(world, name).name
        _print(world.service.quotas.of(name), as_json=as_json)


@quota.command("set")
@needs_data
@click.argument("name")
@click.argument("limits", metavar="QUOTA=LIMIT...", nargs=-1, required=True)
@as_json
def set_quota(settings: Settings, name: str, limits: Sequence[str], as_json: bool) -> None:
    """Give an account individual limits, as in `storage=50G runs=20`.

    Bytes may end in K, M, G or T; `default` restores the limit of the server's settings. Data above a new
    limit stays, and nothing more is accepted until there is space.
    """
    wanted = _parse(limits)
    with open_world(settings) as world:
        name = find_user(world, name).name
        world.service.quotas.set(name, wanted)
        _print(world.service.quotas.of(name), as_json=as_json)


@quota.command("recount")
@needs_data
def recount(settings: Settings) -> None:
    """Recount the storage of every account.

    Every write updates the count. This command is for repos that are older than the quotas, and for use after
    a restored backup.
    """
    with open_world(settings) as world:
        repos = world.service.quotas.recount()
        for repo in repos:
            world.service.quotas.note_packs(repo, world.code.repositories.size(repo))
    click.echo(f"counted everything that is kept, and measured {len(repos)} repos", err=True)


def _parse(limits: Sequence[str]) -> Mapping[QuotaName, int | None]:
    wanted: dict[QuotaName, int | None] = {}
    for said in limits:
        word, _, limit = said.partition("=")
        if word not in set(QuotaName):
            raise Invalid(f'there is no quota "{word}"; there are {", ".join(QuotaName)}, as in storage=50G')
        wanted[QuotaName(word)] = None if limit == SERVERS else _number(QuotaName(word), limit)
    return wanted


def _number(name: QuotaName, limit: str) -> int:
    try:
        return int(parse_quantity(limit, Unit.BYTES) if name in BYTES else _count(limit))
    except ValueError:
        example = "50G" if name in BYTES else "20"
        raise Invalid(
            f'"{limit}" is no limit of {name}: say a number such as {name}={example}, or default'
        ) from None


def _count(limit: str) -> int:
    if not COUNT.fullmatch(limit):
        raise ValueError("not a number")
    return int(limit)


def _facts(quotas: Sequence[Quota]) -> list[dict[str, str | int | bool | None]]:
    return [facts_of(quota) for quota in quotas]


def _print(quotas: Sequence[Quota], *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(_facts(quotas), indent=2))
    else:
        rows = [[one.name.value, _use(one), _words(one, one.limit), one.own] for one in quotas]
        click.echo(table(HEADS, rows), nl=False)


def _words(quota: Quota, number: int) -> str:
    """Return a use or limit for the table."""
    return rounded_size(number) if quota.name in BYTES else str(number)


def _use(quota: Quota) -> str:
    """Return the use for the table; pushes have only a limit."""
    return "" if quota.name is QuotaName.PUSH else _words(quota, quota.use)


def _cell(quota: Quota) -> str:
    use = _use(quota)
    return f"{use}{'/' if use else ''}{_words(quota, quota.limit)}{'*' if quota.own else ''}"
