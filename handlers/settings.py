"""Settings: one frozen value, each field with its default and its line of the manual."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from handlers.quantities import Unit
from handlers.server_settings import ServerSettings
from handlers.setting_field import setting


class SettingsError(Exception):
    """A setting that is unknown or malformed; `str()` says which, why and what would do."""


@dataclass(frozen=True, slots=True)
class Settings(ServerSettings):
    """The settings; each field is the variable `CURLEW_<FIELD>` and the key `<field>` of curlew.toml.

    A size or a time is a number of its unit, or said as `1G` and `30d`. An empty text means what its `unset`
    says.
    """

    slots: int = setting(4, "steps at a time", least=1)
    spare_slots: int = setting(
        1, "steps beyond these, of accounts that have none running: others' long steps keep them less"
    )
    stop_grace: float = setting(
        5.0, "time between SIGTERM and SIGKILL of a step that is stopped", unit=Unit.SECONDS
    )
    graceful_timeout: int = setting(
        30, "how long open requests may go on when the web stops", unit=Unit.SECONDS
    )
    logged_reads: int = setting(
        1, "of so many reads that were answered well, one is written into the access log", least=1
    )
    network: str = setting(
        "outbound",
        "`outbound` or `none`: what steps reach; private addresses and this host never, "
        "but for the API at `SVC_API_ROOT` in steps with `SVC_TOKEN`",
        choices=("none", "outbound"),
    )
    memory: int = setting(1 << 30, "memory of a step", unit=Unit.BYTES)
    cpus: float = setting(1.0, "processors of a step")
    pids: int = setting(256, "processes of a step")
    step_seconds: float = setting(3600.0, "time of a step", unit=Unit.SECONDS)
    output_limit: int = setting(1 << 30, "what a step may leave in `/output`", unit=Unit.BYTES)
    log_limit: int = setting(10 << 20, "what a run may log", unit=Unit.BYTES)
    input_limit: int = setting(1 << 30, "what a trigger may bring", unit=Unit.BYTES)
    kept_input: int = setting(
        64 << 20,
        "what a trigger may have brought to be kept beside the run's output, so that the run can be repeated",
        least=0,
        unit=Unit.BYTES,
    )
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
    build_memory: int = setting(2 << 30, "memory of an image build", unit=Unit.BYTES)
    build_cpus: float = setting(2.0, "processors of an image build")
    build_pids: int = setting(1024, "processes and threads of an image build")
    build_seconds: float = setting(900.0, "time of an image build", unit=Unit.SECONDS)
    build_disk: int = setting(
        4 << 30, "disk of an image build, its repository's cache included", unit=Unit.BYTES
    )
    build_cache: int = setting(
        20 << 30,
        "what the caches of all repositories may take together; the least used go first",
        unit=Unit.BYTES,
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
    space_quota: int = setting(10 << 30, "what the files of a space may take together", unit=Unit.BYTES)
    space_file_limit: int = setting(1 << 30, "what one file of a space may take", unit=Unit.BYTES)
    quota_storage: int = setting(
        20 << 30,
        "what an account may keep: files of its resources, assets, spaces, outputs and logs of runs, repos",
        least=0,
        unit=Unit.BYTES,
    )
    quota_items: int = setting(10_000, "resources and groups that an account may have", least=0)
    quota_repos: int = setting(500, "repos that an account may have", least=0)
    quota_runs: int = setting(
        500, "runs that an account's jobs may have under way, those that wait included", least=0
    )
    quota_builds: int = setting(100, "builds that an account's repos may have queued and at work", least=0)
    quota_push: int = setting(2 << 30, "what one push may bring", least=0, unit=Unit.BYTES)
    quota_groups: int = setting(1000, "groups that an account may have", least=0)
    quota_members: int = setting(
        100_000, "members and invited users that the groups of an account may have together", least=0
    )
    quota_invites: int = setting(
        1000, "invitations to groups that an account may have waiting for an answer", least=0
    )
    quota_shares: int = setting(50_000, "shares that the resources of an account may have", least=0)
    quota_ties: int = setting(
        10_000, "users whom an account may have asked to connect, follow and ignore", least=0
    )
    quota_tokens: int = setting(
        1000, "tokens that an account may have, those of connected applications included", least=0
    )
    quota_sessions: int = setting(
        1000, "sessions of an account; the next sign-in ends the oldest one", least=1
    )
    quota_tags: int = setting(
        100_000, "tags and levels of notifications that an account may have put on resources", least=0
    )
    quota_variables: int = setting(
        200_000, "variables that the resources of an account may have, with the files of each", least=0
    )
    quota_comments: int = setting(100_000, "comments that an account may have written", least=0)
    push_commands: int = setting(10_000, "branches and tags that one push may change", least=1)
    push_tolerates: str = setting(
        "",
        "old defects of commits that may be pushed, by git's names (git help fsck), blanks between, such as "
        "`badDate missingSpaceBeforeEmail`",
        unset="badTimezone, missingSpaceBeforeDate and zeroPaddedFilemode alone",
    )
    render_processes: int = setting(2, "renders at a time, each in a confined process", least=1)
    render_waiting: int = setting(
        64, "renders that may wait for one of them; the next are refused with 503", least=0
    )
    render_seconds: float = setting(30.0, "time of a render", least=1, unit=Unit.SECONDS)
    render_memory: int = setting(
        1 << 30, "memory of a render; 700 MiB at least, whatever is said", least=1, unit=Unit.BYTES
    )
    renders_size: int = setting(
        1 << 30,
        "what kept renders may take together; the ones used longest ago go first",
        least=0,
        unit=Unit.BYTES,
    )
    legacy_jobs: bool = setting(False, "keeps job keys of former times; nothing executes them")
    default_plan: str = setting(
        "enterprise",
        "the plan of a new organisation, and the one shown for an account: `free`, `premium` or `enterprise`",
        choices=("free", "premium", "enterprise"),
    )
    retention_days: int = setting(
        30,
        "how long logs and outputs of runs are kept; then they answer 410, and the rest of a run stays",
        unit=Unit.DAYS,
    )
    cors_origins: str = setting("", "origins whose pages may call the API, blanks between")
    proxies: str = setting(
        "",
        "addresses of the servers in front, blanks between",
        unset="addresses whose X-Forwarded-For is believed",
    )
    smtp: str = setting("", "the relay for mails, `smtp://` or `smtps://`", unset="mails go to <data>/outbox")
    mail_from: str = setting("curlew@localhost", "sender of the service's own mails")
    mail_bounces: str = setting(
        "", "where relays tell of mails that cannot be delivered", unset="the address of mail_from"
    )
    dkim_key: str = setting(
        "", "file of the RSA key that signs mails (DKIM), in PEM", unset="mails leave unsigned"
    )
    dkim_selector: str = setting("", "the key's name in the DNS, `<this>._domainkey.<dkim_domain>`")
    dkim_domain: str = setting("", "the domain that signs mails", unset="that of mail_from")
    mail_domain: str = setting(
        "", "groups of organisations get mail at `<group>@<org>.<this>`", unset="no group has a mail address"
    )
    mail_in: str = setting("127.0.0.1:8024", "where `curlew mail-in` takes mails to groups")
    mail_in_protocol: str = setting("lmtp", "the protocol that it speaks there", choices=("lmtp", "smtp"))
    name_server: str = setting(
        "",
        "the name server, `ADDRESS[:PORT]`, that is asked whether senders of mails are who they say",
        unset="this machine's own",
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
    password_time: int = setting(2, "argon2id: rounds")
    password_memory: int = setting(19_456, "argon2id: KiB", unit=Unit.KIB)

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
