"""`curlew config`: the current settings, and the source of each."""

from __future__ import annotations

import json
import re
from dataclasses import fields

import click

from handlers.commands.options import needs_sources
from handlers.settings.quantities import quantity_text
from handlers.settings.settings import Settings
from handlers.settings.sources import DEFAULT, SourcedSettings

USER = re.compile(r"://[^/@:]*:")
FIELD = re.compile(r"([?&]([A-Za-z_]+)=)[^&]*")
SECRET = re.compile(r"password|secret|token|key", re.IGNORECASE)
"""Names of passwords in the query of an address."""

HIDDEN = "***"


@click.group()
def config() -> None:
    """Show the current settings."""


@config.command("show")
@needs_sources
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--sources", is_flag=True, help="Print the source of each: the file, a variable, an option.")
@click.option("--changed", is_flag=True, help="Only those that differ from their default.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document instead of lines.")
def show(found: SourcedSettings, names: tuple[str, ...], sources: bool, changed: bool, as_json: bool) -> None:
    """Print the settings as lines of a settings file; passwords in addresses are left out."""
    known = [field.name for field in fields(Settings)]
    for name in names:
        if name not in known:
            raise click.BadParameter(f'there is no setting "{name}"', param_hint="NAME")
    chosen = [name for name in names or known if not changed or found.sources[name] != DEFAULT]
    if as_json:
        rows = [
            {"name": name, "value": plain_value(found.settings, name), "source": found.sources[name]}
            for name in chosen
        ]
        click.echo(json.dumps(rows, indent=2))
        return
    for name in chosen:
        line = f"{name} = {setting_text(found.settings, name)}"
        click.echo(f"{line:<40}  # {found.sources[name]}" if sources else line)


def plain_value(settings: Settings, name: str) -> str | int | float | bool:
    """Return the value of a setting, without a password or secret."""
    value: str | int | float | bool = getattr(settings, name)
    if value and name.endswith("_secret"):
        return HIDDEN
    return _hide_passwords(value) if isinstance(value, str) else value


def _hide_passwords(value: str) -> str:
    """Return an address without the passwords of its user and of its query."""
    before, at, host = value.rpartition("@")
    if at and (user := USER.search(before)):
        value = f"{before[: user.end()]}{HIDDEN}@{host}"
    return FIELD.sub(lambda found: f"{found[1]}{HIDDEN}" if SECRET.search(found[2]) else found[0], value)


def setting_text(settings: Settings, name: str) -> str:
    """Return the value of a setting as TOML, with sizes and times like `1G` and `30d`."""
    value = plain_value(settings, name)
    unit = next(field.metadata["unit"] for field in fields(Settings) if field.name == name)
    if unit is not None and not isinstance(value, str):
        return f'"{quantity_text(value, unit)}"'
    return json.dumps(value, ensure_ascii=False)
