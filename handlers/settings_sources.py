"""Sources of the settings: the settings file, the environment and the command line, every name checked."""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from chains.files.keeper import meddler
from handlers.settings import DATA, Settings, SettingsError

PREFIX = "CURLEW_"
SYSTEM = Path("/etc/curlew/curlew.toml")
HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")


def load(environ: Mapping[str, str], system: Path = SYSTEM, **chosen: str | None) -> Settings:
    """Load the settings: defaults, then the settings file, the environment, the command line.

    The file is the one that `config` names; else `<data>/curlew.toml`; else the `system`'s, when it is about
    that data folder. Raises SettingsError on an unknown name, a value of the wrong type or outside its
    choices, and for root on a file that others can change.
    """
    said = {name: word for name, word in chosen.items() if word is not None}
    env = {
        name[len(PREFIX) :].lower(): word
        for name, word in environ.items()
        if name.startswith(PREFIX) and name[len(PREFIX) :].lower() in _types()
    }
    given = {**env, **said}
    file, found = _file(given, system)
    merged: dict[str, Any] = {**found, **given, "config": str(file) if file else ""}
    settings = Settings(**{name: _convert(name, word) for name, word in merged.items()})
    _check(settings)
    return settings


def _file(given: Mapping[str, str], system: Path) -> tuple[Path | None, dict[str, Any]]:
    """The settings file, if there is one, and what it says."""
    if given.get("config"):
        file = Path(given["config"]).absolute()
        if not file.is_file():
            raise SettingsError(f"there is no settings file {file}; --config names another")
        return file, _from_file(file)
    data = Path(given.get("data") or DATA)
    own = data.absolute() / "curlew.toml"
    if own.is_file():
        return own, {**_from_file(own), "data": str(data)}
    if os.access(system, os.R_OK) and ("data" in given or not data.exists()):
        found = _from_file(system)
        if "data" in found and ("data" not in given or Path(found["data"]).resolve() == data.resolve()):
            return system, found
    return None, {}


def _types() -> dict[str, str]:
    return {field.name: str(field.type) for field in fields(Settings)}


def _from_file(path: Path) -> dict[str, Any]:
    if why := meddler(path):
        raise SettingsError(
            f"{path} can be changed by others than root ({why}), so root does not obey it: lay it into a "
            f"folder of root's (chown root:root, chmod go-w) and name it by --config, as {SYSTEM}"
        )
    try:
        said = tomllib.loads(path.read_text())
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} is not TOML: {error}") from None
    for name in said:
        if name not in _types():
            near = difflib.get_close_matches(name, _types(), 1)
            raise SettingsError(
                f'{path}: there is no setting "{name}"' + (f'; did you mean "{near[0]}"?' if near else "")
            )
    return said


def _convert(name: str, word: Any) -> Any:
    kind = _types()[name]
    try:
        if kind == "bool":
            if str(word).lower() not in ("true", "false", "1", "0", "yes", "no"):
                raise ValueError("neither true nor false")
            return str(word).lower() in ("true", "1", "yes")
        return {"int": int, "float": float, "str": str}[kind](word)
    except ValueError as error:
        raise SettingsError(f'the setting {name} cannot be "{word}": {error}') from None


def _check(settings: Settings) -> None:
    for one in fields(settings):
        value, words, least = getattr(settings, one.name), one.metadata["choices"], one.metadata["least"]
        if words and value not in words:
            raise SettingsError(f"the setting {one.name} is one of {', '.join(filter(None, words))}")
        if least is not None and value < least:
            raise SettingsError(f"the setting {one.name} is a limit, of {least} at least")
    for host in settings.build_hosts.split():
        if not HOST.fullmatch(host):
            raise SettingsError(
                f'the setting build_hosts is names of hosts, blanks between: "{host}" is none'
            )
    _, _, port = settings.bind.rpartition(":")
    if not port.isdigit() or int(port) > 65535:
        raise SettingsError(f'the setting bind is HOST:PORT, not "{settings.bind}"')
