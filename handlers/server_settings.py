"""Settings of the server itself: where it lies and listens, who may sign in how often, and its processes."""

from __future__ import annotations

from dataclasses import dataclass

from handlers.quantities import Unit
from handlers.setting_field import setting

DATA = "./var"


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The first of the settings (handlers.settings.Settings)."""

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
    mails_sendings: int = setting(
        60, "mails that one account may send in an hour, tests among them, each to any number", least=1
    )
    mails_inbound: int = setting(
        60, "mails of one account that run jobs in an hour; further ones are kept and run nothing", least=1
    )
    workers: int = setting(2, "web processes")
    threads: int = setting(256, "threads of each; an open trigger takes one")
    connections: int = setting(
        4096, "connections of each web process; then those go that have sent no whole request", least=16
    )
    connections_address: int = setting(
        1024, "connections of one address, the `proxies` aside, to each web process", least=1
    )
    requests: int = setting(
        1024, "requests that each web process has at work or waiting for a thread; the next get 503", least=16
    )
    requests_account: int = setting(
        256,
        "of these, requests with one credential, or without any from one address; the next get 429",
        least=1,
    )
    head_seconds: float = setting(
        20.0, "time for the head of a request to arrive", least=1, unit=Unit.SECONDS
    )
    body_seconds: float = setting(
        60.0,
        "time for a body up to 256 KiB to arrive; longer ones get a second more for each 4 KiB",
        least=1,
        unit=Unit.SECONDS,
    )
    answer_seconds: float = setting(
        60.0, "time in which a client has to take something of its answer", least=1, unit=Unit.SECONDS
    )
    buffers: int = setting(
        128 << 20,
        "memory of each web process for requests and answers that slow clients have under way",
        least=1 << 20,
        unit=Unit.BYTES,
    )
    pool: int = setting(16, "database connections of each process")
