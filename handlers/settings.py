"""Settings: the environment and the settings file as one frozen value, every name checked."""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from chains.files.keeper import meddler

T = TypeVar("T")
PREFIX = "CURLEW_"
DATA = "./var"
SYSTEM = Path("/etc/curlew/curlew.toml")


class SettingsError(Exception):
    """A setting that is unknown or malformed; `str()` says which, why and what would do."""


def setting(
    default: T, about: str, *, unset: str = "", choices: tuple[str, ...] = (), least: int | None = None
) -> T:
    """A field of Settings with its line of the manual; `unset` says what an empty default stands for."""
    return field(
        default=default, metadata={"about": about, "unset": unset, "choices": choices, "least": least}
    )


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings; each field is the variable `CURLEW_<FIELD>` and the key `<field>` of curlew.toml.

    Sizes are bytes, times seconds. An empty text means what its `unset` says.
    """

    data: str = setting(DATA, "the data folder")
    config: str = setting("", "the settings file, as `--config` names it", unset="<data>/curlew.toml")
    runner_folder: str = setting(
        "",
        "where the runner's own files lie (Podman, runs, lock): root's, where the web is another account",
        unset="the data folder",
    )
    bind: str = setting("127.0.0.1:8000", "where the web listens")
    base_url: str = setting(
        "", "the public address, when another server stands in front", unset="http://<Host of the request>"
    )
    database_url: str = setting("", "`sqlite:///…` or `postgresql://…`", unset="sqlite:///<data>/curlew.db")
    blobs_url: str = setting(
        "", "where bytes lie: any URL that PyFilesystem2 opens", unset="osfs://<data>/blobs"
    )
    key_file: str = setting("", "the key that seals `config/env`", unset="<data>/key, made at first start")
    synchronous: str = setting(
        "full",
        "SQLite: `full` syncs each acknowledged write, `normal` may lose the last ones when the power fails",
        choices=("full", "normal"),
    )
    registration: str = setting(
        "",
        "`open` or `closed`: whether strangers may make accounts; unless it is said, whoever comes through "
        "a proxy or by another name than this host's own may not",
        unset="open for callers on this very host, closed for all others",
        choices=("", "open", "closed"),
    )
    signin_attempts: int = setting(
        10, "failed sign-ins a minute to one account from one address; the next are refused with 429", least=1
    )
    signin_attempts_address: int = setting(
        50, "failed sign-ins a minute from one address, to whichever accounts", least=1
    )
    signin_attempts_account: int = setting(
        100,
        "failed sign-ins a minute to one account, from wherever: beyond it each address has one left",
        least=1,
    )
    registrations: int = setting(
        20,
        "accounts asked for in an hour from one address; "
        "ten times as many where addresses cannot be told apart",
        least=1,
    )
    mails_mailbox: int = setting(
        5, "challenges mailed to one mailbox in an hour, and as many tellings of changed passwords", least=1
    )
    mails_account: int = setting(
        60, "notices mailed to one user in an hour; further ones stand in the inbox alone", least=1
    )
    workers: int = setting(2, "web processes")
    threads: int = setting(256, "threads of each; an open trigger takes one")
    pool: int = setting(16, "database connections of each process")
    slots: int = setting(4, "runs at a time")
    stop_grace: float = setting(5.0, "time between SIGTERM and SIGKILL of a step that is stopped")
    graceful_timeout: int = setting(30, "how long open requests may go on when the web stops")
    network: str = setting(
        "outbound",
        "`outbound` or `none`: what steps reach; private addresses and this host never, "
        "but for the API at `SVC_API_ROOT` in steps with `SVC_TOKEN`",
        choices=("none", "outbound"),
    )
    memory: int = setting(1 << 30, "memory of a step")
    cpus: float = setting(1.0, "processors of a step")
    pids: int = setting(256, "processes of a step")
    step_seconds: float = setting(3600.0, "time of a step")
    output_limit: int = setting(1 << 30, "what a step may leave in `/output`")
    log_limit: int = setting(10 << 20, "what a run may log")
    input_limit: int = setting(1 << 30, "what a trigger may bring")
    input_parts: int = setting(10_000, "files that a trigger may bring")
    runtime: str = setting("", "the OCI runtime: `crun`, `runc`", unset="found by trying")
    base_image: str = setting(
        "",
        "the image under a repository without a Dockerfile, such as `docker.io/library/python:3-slim`",
        unset="localhost/python:3-slim, made from this host's Python",
    )
    userns: bool = setting(
        True, "whether steps run under user ids that nobody on the host has, where the host can"
    )
    build_memory: int = setting(2 << 30, "memory of an image build")
    build_cpus: float = setting(2.0, "processors of an image build")
    build_pids: int = setting(1024, "processes and threads of an image build")
    build_seconds: float = setting(900.0, "time of an image build")
    build_disk: int = setting(4 << 30, "disk of an image build, its repository's cache included")
    build_cache: int = setting(
        20 << 30, "what the caches of all repositories may take together; the least used go first"
    )
    build_registries: str = setting(
        "",
        "public registries that recipes may pull from, blanks between, or `any`; with `network` alone",
        unset="none: the base image and images of this server",
    )
    build_hosts: str = setting(
        "",
        "hosts that builds fetch apt's packages from, blanks between, or `none`; "
        "by the proxy of the runner's environment where there is one",
        unset="the public ones of Debian and Ubuntu, where builds have a network",
    )
    space_quota: int = setting(10 << 30, "what the files of a space may take together")
    space_file_limit: int = setting(1 << 30, "what one file of a space may take")
    legacy_jobs: bool = setting(False, "keeps job keys of former times; nothing executes them")
    default_plan: str = setting(
        "enterprise",
        "the plan of a new organisation, and the one shown for an account: `free`, `premium` or `enterprise`",
        choices=("free", "premium", "enterprise"),
    )
    retention_days: int = setting(
        30, "how long logs and outputs of runs are kept; then they answer 410, and the rest of a run stays"
    )
    cors_origins: str = setting("", "origins whose pages may call the API, blanks between")
    proxies: str = setting(
        "",
        "addresses of the servers in front, blanks between",
        unset="addresses whose X-Forwarded-For is believed",
    )
    smtp: str = setting("", "the relay for mails, `smtp://` or `smtps://`", unset="mails go to <data>/outbox")
    mail_from: str = setting("curlew@localhost", "sender of the service's own mails")
    mail_domain: str = setting(
        "", "groups of organisations get mail at `<group>@<org>.<this>`", unset="no group has a mail address"
    )
    security_contact: str = setting(
        "",
        "where flaws are reported, a mail address or a URI, told at `/.well-known/security.txt`",
        unset="none is named",
    )
    password_time: int = setting(2, "argon2id: rounds")
    password_memory: int = setting(19_456, "argon2id: KiB")

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
