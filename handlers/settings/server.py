"""Settings of the server: its folders, addresses and log, limits for clients, and git over SSH."""

from __future__ import annotations

from dataclasses import dataclass

from handlers.settings.quantities import Unit
from handlers.settings.setting_field import setting


@dataclass(frozen=True)
class ClientSettings:
    """One part of the settings (handlers.settings.settings.Settings)."""

    connections: int = setting(
        4096,
        "connections of each web process; beyond it, those that have sent no whole request are closed",
        least=16,
    )
    connections_address: int = setting(
        1024, "connections from one address to each web process, except from `proxies`", least=1
    )
    listeners: int = setting(
        2000, "connections to each web process that listen to events at `/ws/`; more get 503", least=0
    )
    listeners_account: int = setting(100, "of these, connections of one account; more get 429", least=1)
    requests: int = setting(
        2048, "requests in each web process, answered or waiting for a thread; more get 503", least=16
    )
    requests_account: int = setting(
        1024,
        "of these, requests that wait for a thread with one credential, or from one address without a "
        "credential; more get 429",
        least=1,
    )
    head_seconds: float = setting(
        20.0, "time for the head of a request to arrive", least=1, unit=Unit.SECONDS
    )
    body_seconds: float = setting(
        60.0,
        "time for a body of at most 256 KiB to arrive; a longer body gets one second more for each 4 KiB",
        least=1,
        unit=Unit.SECONDS,
    )
    answer_seconds: float = setting(
        60.0, "time in which a client must receive some of its response", least=1, unit=Unit.SECONDS
    )
    buffers: int = setting(
        128 << 20,
        "memory of each web process for requests and responses of slow clients",
        least=1 << 20,
        unit=Unit.BYTES,
    )


@dataclass(frozen=True)
class SshSettings:
    """One part of the settings (handlers.settings.settings.Settings)."""

    ssh_host: str = setting(
        "",
        "the host, or `<host>:<port>`, at which this machine's OpenSSH takes git",
        unset="no git over SSH",
    )
    ssh_user: str = setting("git", "the account of this machine that git signs in to")
    ssh_sessions: int = setting(
        16, "clones and pushes over SSH at once, of 130 MiB each; a quarter of them of one account", least=4
    )
    ssh_silence: float = setting(
        600.0, "time in which git or its client must send something over SSH", least=1, unit=Unit.SECONDS
    )


DATA = "./var"


@dataclass(frozen=True)
class ServerSettings:
    """One part of the settings (handlers.settings.settings.Settings)."""

    data: str = setting(DATA, "the data folder")
    config: str = setting("", "the settings file, as `--config` names it", unset="<data>/curlew.toml")
    runner_folder: str = setting(
        "",
        "the folder of the runner's own files (Podman, runs, lock); it must be root's if the web "
        "has another account",
        unset="the data folder",
    )
    bind: str = setting("127.0.0.1:8000", "where the web server listens")
    metrics: str = setting(
        "",
        "where `curlew metrics` shows figures to Prometheus at `/metrics`, such as `127.0.0.1:9464`; every "
        "client that reaches it reads them",
        unset="nowhere, and nothing is counted",
    )
    base_url: str = setting(
        "", "the public address, if there is a proxy in front", unset="http://<Host of the request>"
    )
    proxies: str = setting(
        "",
        "addresses of the proxies in front, separated by blanks; their X-Forwarded-For is trusted",
    )
    cors_origins: str = setting("", "origins whose pages may call the API, separated by blanks")
    database_url: str = setting("", "`sqlite:///…` or `postgresql://…`", unset="sqlite:///<data>/curlew.db")
    blobs_url: str = setting(
        "",
        "where bytes are stored: a folder (`osfs:///srv/curlew/blobs`), a bucket of an S3-compatible store "
        "(`s3://<bucket>/<prefix>?endpoint=<URL>&region=<name>`), or another URL that PyFilesystem2 opens",
        unset="osfs://<data>/blobs",
    )
    key_file: str = setting(
        "", "the key that encrypts `config/env` and hooks", unset="<data>/key, made at first start"
    )
    disk_reserve: int = setting(
        64 << 20,
        "space on the disk of the data folder that is reserved, and released when the disk is full, so that "
        "people can sign in and delete; at most an eighth of a small disk",
        least=0,
        unit=Unit.BYTES,
    )
    synchronous: str = setting(
        "full",
        "SQLite: `full` syncs each write before it is acknowledged, `normal` may lose the last "
        "writes when the power fails",
        choices=("full", "normal"),
    )
    workers: int = setting(2, "web processes")
    threads: int = setting(256, "threads of each web process; an open trigger needs one")
    pool: int = setting(16, "database connections of each process")
    graceful_timeout: int = setting(
        30, "how long open requests may take when the web server stops", unit=Unit.SECONDS
    )
    security_log: str = setting(
        "",
        "where the security log goes: a file, which may be moved away at any time, `stderr` or `none`",
        unset="<data>/security.log",
    )
    security_contact: str = setting(
        "",
        "where to report vulnerabilities: a mail address or a URI, shown at `/.well-known/security.txt`",
        unset="none is named",
    )
    retention_days: int = setting(
        30,
        "how long logs and outputs of runs are kept; after that they answer 410, and the rest of "
        "the run stays",
        unit=Unit.DAYS,
    )
    version_days: int = setting(
        90,
        "how long former contents of files are kept after they were replaced or removed",
        unit=Unit.DAYS,
    )
    versions: int = setting(100, "how many former contents of a file are kept, the newest ones", least=0)
    default_plan: str = setting(
        "enterprise",
        "the plan of a new organisation, and the one shown for an account: `free`, `premium` or `enterprise`",
        choices=("free", "premium", "enterprise"),
    )
    legacy_jobs: bool = setting(False, "keeps the job keys of older clients; nothing executes them")
