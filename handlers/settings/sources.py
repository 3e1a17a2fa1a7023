"""Sources of the settings: the settings file, the environment and the command line, every name checked."""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from chains.builds.repositories import TOLERABLE, canonical
from chains.files.keeper import meddler
from chains.host.allowed_hosts import EXAMPLE
from chains.host.allowed_hosts import parse as parse_allowed
from handlers.settings.mails import read_reach
from handlers.settings.quantities import Unit, parse_quantity
from handlers.settings.server import DATA
from handlers.settings.settings import Settings, SettingsError

PREFIX = "CURLEW_"
SYSTEM = Path("/etc/curlew/curlew.toml")
HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")
SSH_HOST = re.compile(rf"(?:{HOST.pattern}|\[[0-9a-fA-F:.]+\])(?::[0-9]{{1,5}})?")
SSH_USER = re.compile(r"[a-z_][a-z0-9_-]{0,31}")
BETWEEN_PROCESSES = frozenset(
    {
        "READY_FD",
        "PROGRESS_FD",
        "PARENT_PID",
        "CAUSE",
        "PUSHER",
        "REPO",
        "REPO_NAME",
        "ROOM",
        "BUILDS",
        "PUSH",
        "FOLLOW",
        "SERVER",
        "TOKEN",
    },
)
"""Variables that are not settings: processes set them for each other, users for `curlew run`."""
DEFAULT = "default"
REGISTRY = re.compile(r"https?://[a-z0-9.-]+(:[0-9]{1,5})?(/[a-z0-9]+([._-][a-z0-9]+)*)+")
SHARED = {
    "blobs_url": "the store of bytes that all hosts reach, as s3://bucket or osfs:///srv/curlew/blobs",
    "repos_folder": "the folder of repositories that all hosts mount, as /srv/curlew/repos",
    "key_file": "the same key for all, as /etc/curlew/key",
}
"""Settings that must not point into a folder of one host, with the reason."""


@dataclass(frozen=True, slots=True)
class SourcedSettings:
    """Settings with the source of each: `default`, the file, the variable or the option."""

    settings: Settings
    sources: Mapping[str, str]


def load(environ: Mapping[str, str], system: Path = SYSTEM, **chosen: str | None) -> Settings:
    """Load the settings: defaults, then the settings file, the environment, the command line.

    The file is the one in `config`; else `<data>/curlew.toml`; else the `system`'s, if it is for that data
    folder. Raises SettingsError for an unknown name, a value of the wrong type or outside its choices, and
    for root if others can change the file.
    """
    return load_with_sources(environ, system, **chosen).settings


def load_with_sources(
    environ: Mapping[str, str], system: Path = SYSTEM, **chosen: str | None
) -> SourcedSettings:
    """Load the settings as `load` does, with their sources."""
    said = {name: word for name, word in chosen.items() if word is not None}
    env = _from_environment(environ)
    given = {**env, **said}
    file, found = _file(given, system)
    sources = {
        **dict.fromkeys(_types(), DEFAULT),
        **{name: str(file) for name in found},
        **{name: f"{PREFIX}{name.upper()}" for name in env},
        **{name: f"--{name}" for name in said},
    }
    merged: dict[str, Any] = {**found, **given, "config": str(file) if file else ""}
    settings = Settings(**{name: _convert(name, word, sources[name]) for name, word in merged.items()})
    _check(settings)
    return SourcedSettings(settings, sources)


def _file(given: Mapping[str, str], system: Path) -> tuple[Path | None, dict[str, Any]]:
    """Return the settings file, if there is one, and its settings; /dev/null is an empty one."""
    if given.get("config"):
        file = Path(given["config"]).absolute()
        if str(file) == os.devnull:
            return file, {}
        if not file.is_file():
            raise SettingsError(f"there is no settings file {file}; --config names another")
        return file, _from_file(file)
    data = Path(given.get("data") or DATA)
    own = data.absolute() / "curlew.toml"
    if own.is_file():
        return own, {name: word for name, word in _from_file(own).items() if name != "data"}
    if os.access(system, os.R_OK) and ("data" in given or not data.exists()):
        found = _from_file(system)
        if "data" in found and ("data" not in given or Path(found["data"]).resolve() == data.resolve()):
            return system, found
    return None, {}


@cache
def _types() -> Mapping[str, str]:
    return {field.name: str(field.type) for field in fields(Settings)}


@cache
def _units() -> Mapping[str, Unit | None]:
    return {field.name: field.metadata["unit"] for field in fields(Settings)}


def _from_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the settings in variables. Raises SettingsError for a variable that is not a setting."""
    said = {
        name: word
        for name, word in environ.items()
        if name.startswith(PREFIX) and name.removeprefix(PREFIX) not in BETWEEN_PROCESSES
    }
    for name in said:
        if name != name.upper() or name.removeprefix(PREFIX).lower() not in _types():
            known = [f"{PREFIX}{each.upper()}" for each in _types()]
            raise SettingsError(
                f"the environment has {name}, and there is no such setting{_nearest(name.upper(), known)}"
            )
    return {name.removeprefix(PREFIX).lower(): word for name, word in said.items()}


def _nearest(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), 1)
    return f"; did you mean {near[0]}?" if near else "; curlew config show lists the settings"


def _from_file(path: Path) -> dict[str, Any]:
    if why := meddler(path):
        raise SettingsError(
            f"{path} can be changed by accounts other than root ({why}), so root does not use it: move it to "
            f"a folder of root (chown root:root, chmod go-w) and name it with --config, as {SYSTEM}"
        )
    try:
        said = tomllib.loads(path.read_text())
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} is not TOML: {error}") from None
    for name in said:
        if name not in _types():
            raise SettingsError(f'{path}: there is no setting "{name}"{_nearest(name, _types())}')
    return said


def _convert(name: str, word: Any, source: str) -> Any:
    try:
        return _value(_types()[name], _units()[name], word)
    except ValueError as error:
        place = "" if source.lower().endswith(name) else f" in {source}"
        raise SettingsError(f'the setting {name} cannot be "{word}"{place}: {error}') from None


def _value(kind: str, unit: Unit | None, word: Any) -> bool | int | float | str:
    """Return a setting's value of this type from a word of a file or variable. Raises ValueError."""
    said = str(word)
    if kind == "str":
        return said
    if kind == "bool":
        if said.lower() not in ("true", "false", "1", "0", "yes", "no"):
            raise ValueError("say true or false")
        return said.lower() in ("true", "1", "yes")
    number = parse_quantity(said, unit) if unit else _number(said)
    if kind == "float":
        return float(number)
    if number != int(number):
        raise ValueError(f"say a whole number{f' of {unit.plural}' if unit else ''}")
    return int(number)


def _number(said: str) -> float:
    if not re.fullmatch(r"-?[0-9]{1,18}(\.[0-9]{1,9})?", said.strip()):
        raise ValueError("say a number")
    return float(said) if "." in said else int(said)


def _check_reach(settings: Settings) -> None:
    for host in settings.build_hosts.split():
        if not HOST.fullmatch(host):
            raise SettingsError(
                f'the setting build_hosts is host names separated by blanks: "{host}" is not a host name'
            )
    try:
        parse_allowed(settings.network_allow)
    except ValueError as error:
        raise SettingsError(f"the setting network_allow: {error}; write a line such as {EXAMPLE}") from None
    try:
        read_reach(settings.hooks_out_hosts)
    except ValueError as error:
        raise SettingsError(f"the setting hooks_out_hosts: {error}; write hosts, or 10.0.0.0/8") from None


def _check(settings: Settings) -> None:
    for one in fields(settings):
        value, words, least = getattr(settings, one.name), one.metadata["choices"], one.metadata["least"]
        if words and value not in words:
            raise SettingsError(f"the setting {one.name} is one of {', '.join(filter(None, words))}")
        if least is not None and value < least:
            raise SettingsError(f"the setting {one.name} is a limit, of {least} at least")
    _check_reach(settings)
    for defect in settings.push_tolerates.split():
        if canonical(defect) is None:
            raise SettingsError(
                f'the setting push_tolerates cannot be "{defect}": it is some of {" ".join(TOLERABLE)}'
            )
    if trouble := settings.dask_trouble or settings.sign_in_trouble:
        raise SettingsError(trouble)
    _check_ssh(settings)
    _check_hosts(settings)
    _check_address("bind", settings.bind, "127.0.0.1:8000")
    if settings.metrics:
        _check_address("metrics", settings.metrics, "127.0.0.1:9464")


def _check_hosts(settings: Settings) -> None:
    if settings.registry_url and not REGISTRY.fullmatch(settings.registry_url):
        raise SettingsError(
            "the setting registry_url is https://HOST[:PORT]/PATH in small letters, such as "
            f'https://registry.example.org/curlew, not "{settings.registry_url}"'
        )
    if not settings.has_several_hosts:
        return
    if not settings.database.startswith("postgresql:"):
        raise SettingsError(
            'hosts = "several" needs a database that they share: database_url = "postgresql://…"'
        )
    for name, why in SHARED.items():
        if not getattr(settings, name):
            raise SettingsError(f'hosts = "several" needs the setting {name}: {why}')


def _check_address(name: str, said: str, example: str) -> None:
    _, colon, port = said.rpartition(":")
    if not colon or not port.isdigit() or int(port) > 65535:
        raise SettingsError(f'the setting {name} is HOST:PORT, such as {example}, not "{said}"')


def _check_ssh(settings: Settings) -> None:
    if settings.ssh_host and not SSH_HOST.fullmatch(settings.ssh_host):
        raise SettingsError(
            f'the setting ssh_host is HOST or HOST:PORT, such as git.example.org, not "{settings.ssh_host}"'
        )
    if not SSH_USER.fullmatch(settings.ssh_user):
        raise SettingsError(f'the setting ssh_user is an account of this machine, not "{settings.ssh_user}"')
