"""Settings of the server itself: where it lies, listens and logs, and its processes."""

from __future__ import annotations

from dataclasses import dataclass

from handlers.settings.quantities import Unit
from handlers.settings.setting_field import setting

DATA = "./var"


@dataclass(frozen=True)
class ServerSettings:
    """One part of the settings (handlers.settings.settings.Settings)."""

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
    proxies: str = setting(
        "",
        "addresses of the servers in front, blanks between",
        unset="addresses whose X-Forwarded-For is believed",
    )
    cors_origins: str = setting("", "origins whose pages may call the API, blanks between")
    database_url: str = setting("", "`sqlite:///…` or `postgresql://…`", unset="sqlite:///<data>/curlew.db")
    blobs_url: str = setting(
        "", "where bytes lie: any URL that PyFilesystem2 opens", unset="osfs://<data>/blobs"
    )
    key_file: str = setting("", "the key that seals `config/env`", unset="<data>/key, made at first start")
    disk_reserve: int = setting(
        64 << 20,
        "room on the data folder's disk that is given up when it is full, so that people can sign in and "
        "delete; an eighth of a small disk at most",
        least=0,
        unit=Unit.BYTES,
    )
    synchronous: str = setting(
        "full",
        "SQLite: `full` syncs each acknowledged write, `normal` may lose the last ones when the power fails",
        choices=("full", "normal"),
    )
    workers: int = setting(2, "web processes")
    threads: int = setting(256, "threads of each; an open trigger takes one")
    pool: int = setting(16, "database connections of each process")
    graceful_timeout: int = setting(
        30, "how long open requests may go on when the web stops", unit=Unit.SECONDS
    )
    logged_reads: int = setting(
        1, "of so many reads that were answered well, one is written into the access log", least=1
    )
    security_log: str = setting(
        "",
        "where the security log goes: a file, which may be moved away at any time, `stderr` or `none`",
        unset="<data>/security.log",
    )
    security_contact: str = setting(
        "",
        "where flaws are reported, a mail address or a URI, told at `/.well-known/security.txt`",
        unset="none is named",
    )
    retention_days: int = setting(
        30,
        "how long logs and outputs of runs are kept; then they answer 410, and the rest of a run stays",
        unit=Unit.DAYS,
    )
    default_plan: str = setting(
        "enterprise",
        "the plan of a new organisation, and the one shown for an account: `free`, `premium` or `enterprise`",
        choices=("free", "premium", "enterprise"),
    )
    legacy_jobs: bool = setting(False, "keeps job keys of former times; nothing executes them")
