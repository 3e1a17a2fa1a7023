"""Settings: the environment and the settings file as one frozen value, every name checked."""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from chains.files.keeper import meddler

PREFIX = "CURLEW_"
DATA = "./var"
SYSTEM = Path("/etc/curlew/curlew.toml")


class SettingsError(Exception):
    """A setting that is unknown or malformed; `str()` says which, why and what would do."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings; each field is the variable `CURLEW_<FIELD>` and the key `<field>` of curlew.toml.

    Sizes are bytes, times seconds. An empty text means: the default that the comment beside it names.
    """

    data: str = DATA
    config: str = ""  # <data>/curlew.toml
    runner_folder: str = ""  # the data folder
    bind: str = "127.0.0.1:8000"
    base_url: str = ""  # http://<Host of the request>
    database_url: str = ""  # sqlite:///<data>/curlew.db
    blobs_url: str = ""  # osfs://<data>/blobs
    key_file: str = ""  # <data>/key, made at first start
    synchronous: str = "full"
    registration: str = ""  # open for callers on this very host, closed for all others
    signin_attempts: int = 10
    signin_attempts_address: int = 50
    signin_attempts_account: int = 100
    registrations: int = 20
    mails_mailbox: int = 5
    mails_account: int = 60
    workers: int = 2
    threads: int = 256
    pool: int = 16
    slots: int = 4
    stop_grace: float = 5.0
    graceful_timeout: int = 30
    network: str = "outbound"
    memory: int = 1 << 30
    cpus: float = 1.0
    pids: int = 256
    step_seconds: float = 3600.0
    output_limit: int = 1 << 30
    log_limit: int = 10 << 20
    input_limit: int = 1 << 30
    input_parts: int = 10_000
    runtime: str = ""  # found by trying
    base_image: str = ""  # localhost/python:3-slim, made from this host's Python
    userns: bool = True
    build_memory: int = 2 << 30
    build_cpus: float = 2.0
    build_pids: int = 1024
    build_seconds: float = 900.0
    build_disk: int = 4 << 30
    build_cache: int = 20 << 30
    build_registries: str = ""  # none: the base image and images of this server
    build_hosts: str = ""  # the public ones of Debian and Ubuntu, where builds have a network
    space_quota: int = 10 << 30
    space_file_limit: int = 1 << 30
    legacy_jobs: bool = False
    default_plan: str = "enterprise"
    retention_days: int = 30
    cors_origins: str = ""
    proxies: str = ""  # addresses whose X-Forwarded-For is believed
    smtp: str = ""  # mails go to <data>/outbox
    mail_from: str = "curlew@localhost"
    mail_domain: str = ""  # no group has a mail address
    security_contact: str = ""  # none is named
    password_time: int = 2
    password_memory: int = 19_456

    @property
    def folder(self) -> Path:
        """The data folder, absolute."""
        return Path(self.data).resolve()

    @property
    def runner_place(self) -> Path:
        """The folder of the runner's own files (its Podman, its runs, its lock), absolute."""
        return Path(self.runner_folder).absolute() if self.runner_folder else self.folder

    @property
    def database(self) -> str:
        """The URL of the database."""
        return self.database_url or f"sqlite:///{self.folder}/curlew.db"

    @property
    def blobs(self) -> str:
        """The `fs` URL of the blobs."""
        return self.blobs_url or f"osfs://{self.folder}/blobs"

    @property
    def key(self) -> Path:
        """The file of the sealing key."""
        return Path(self.key_file) if self.key_file else self.folder / "key"

    @property
    def address(self) -> tuple[str, int]:
        """Host and port of the bind."""
        host, _, port = self.bind.rpartition(":")
        return host.strip("[]"), int(port)


CHOICES = {
    "synchronous": ("full", "normal"),
    "registration": ("", "open", "closed"),
    "network": ("none", "outbound"),
    "default_plan": ("free", "premium", "enterprise"),
}
COUNTS = (
    *("signin_attempts", "signin_attempts_address", "signin_attempts_account"),
    *("registrations", "mails_mailbox", "mails_account"),
)
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
    for name, words in CHOICES.items():
        if getattr(settings, name) not in words:
            raise SettingsError(f"the setting {name} is one of {', '.join(filter(None, words))}")
    for name in COUNTS:
        if getattr(settings, name) < 1:
            raise SettingsError(f"the setting {name} is a limit, of 1 at least")
    for host in settings.build_hosts.split():
        if not HOST.fullmatch(host):
            raise SettingsError(
                f'the setting build_hosts is names of hosts, blanks between: "{host}" is none'
            )
    _, _, port = settings.bind.rpartition(":")
    if not port.isdigit() or int(port) > 65535:
        raise SettingsError(f'the setting bind is HOST:PORT, not "{settings.bind}"')
