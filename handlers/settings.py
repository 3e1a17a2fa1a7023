"""Settings: the environment and `<data>/curlew.toml` as one frozen value, every name checked."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

PREFIX = "CURLEW_"


class SettingsError(Exception):
    """A setting that is unknown or malformed; `str()` says which, why and what would do."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What an operator may choose; each field is the setting `CURLEW_<FIELD>` and the key `<field>` of
    curlew.toml.

    Sizes are bytes, times seconds. An empty text means: the default that the comment beside it names.
    """

    data: str = "./var"
    bind: str = "127.0.0.1:8000"
    base_url: str = ""  # http://<Host of the request>
    database_url: str = ""  # sqlite:///<data>/curlew.db
    blobs_url: str = ""  # osfs://<data>/blobs
    key_file: str = ""  # <data>/key, made at first start
    synchronous: str = "full"
    registration: str = ""  # open on a loopback bind, closed otherwise
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
    password_time: int = 2
    password_memory: int = 19_456

    @property
    def folder(self) -> Path:
        """The data folder, absolute."""
        return Path(self.data).resolve()

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

    @property
    def open_registration(self) -> bool:
        """Whether strangers may register (decisions 14)."""
        if self.registration:
            return self.registration == "open"
        return self.address[0] in ("127.0.0.1", "::1", "localhost")


CHOICES = {
    "synchronous": ("full", "normal"),
    "registration": ("", "open", "closed"),
    "network": ("none", "outbound"),
    "default_plan": ("free", "premium", "enterprise"),
}


def load(environ: Mapping[str, str], **chosen: str | None) -> Settings:
    """Settings out of the defaults, `<data>/curlew.toml`, the environment, and what was chosen on the
    command line.

    Raises SettingsError on an unknown name, a value of the wrong type or outside its choices.
    """
    said = {name: word for name, word in chosen.items() if word is not None}
    env = {
        name[len(PREFIX) :].lower(): word
        for name, word in environ.items()
        if name.startswith(PREFIX) and name[len(PREFIX) :].lower() in _types()
    }
    data = said.get("data") or env.get("data") or Settings.__dataclass_fields__["data"].default
    merged: dict[str, Any] = {**_from_file(Path(str(data)) / "curlew.toml"), **env, **said, "data": data}
    settings = Settings(**{name: _typed(name, word) for name, word in merged.items()})
    _check(settings)
    return settings


def _types() -> dict[str, str]:
    return {field.name: str(field.type) for field in fields(Settings)}


def _from_file(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        said = tomllib.loads(path.read_text())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} is not TOML: {error}") from None
    for name in said:
        if name not in _types():
            near = difflib.get_close_matches(name, _types(), 1)
            raise SettingsError(
                f'{path}: there is no setting "{name}"' + (f'; did you mean "{near[0]}"?' if near else "")
            )
    return said


def _typed(name: str, word: Any) -> Any:
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
    _, _, port = settings.bind.rpartition(":")
    if not port.isdigit() or int(port) > 65535:
        raise SettingsError(f'the setting bind is HOST:PORT, not "{settings.bind}"')
