"""Settings of accounts: registration, operators, and quotas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from handlers.settings.quantities import Unit
from handlers.settings.setting_field import setting
from vfs.ports.quotas import QuotaName


@dataclass(frozen=True)
class PeopleSettings:
    """One part of the settings (handlers.settings.settings.Settings)."""

    registration: str = setting(
        "",
        "`open`, `invited` or `closed`: whether strangers may make accounts (`invited`: by a user's one-time "
        "link alone); without it, callers through a proxy or uses another name than this host's own may not",
        unset="open for callers on this host, closed for all others",
        choices=("", "open", "invited", "closed"),
    )
    setup_from: str = setting(
        "local",
        "from where the first account may be made at the address that `curlew serve` prints while there is "
        "none: `local` (this host, with nothing between), `anywhere` or `nowhere`",
        choices=("local", "anywhere", "nowhere"),
    )
    operators: str = setting(
        "",
        "the accounts, with spaces between, that have the page `/operator` of all accounts, runs, builds, "
        "mails and refusals; nobody can register such a name: `curlew user add` makes it",
        unset="the account that was made at the printed setup address",
    )
    registrations: int = setting(
        20,
        "accounts that one address may ask for in an hour; ten times as many if addresses cannot be told "
        "apart, fifty times for callers on this host where `registration` is not set",
        least=1,
    )
    signin_attempts: int = setting(
        10, "failed sign-ins a minute to one account from one address; more are refused with 429", least=1
    )
    signin_attempts_address: int = setting(
        50, "failed sign-ins a minute from one address, to all accounts together", least=1
    )
    signin_attempts_account: int = setting(
        100,
        "failed sign-ins a minute to one account, from all addresses together; beyond it, each "
        "address has one",
        least=1,
    )
    links: bool = setting(True, "whether links without an account can be created and opened")
    password_time: int = setting(2, "argon2id: rounds")
    password_memory: int = setting(19_456, "argon2id: KiB", unit=Unit.KIB)


@dataclass(frozen=True)
class QuotaSettings:
    """One part of the settings (handlers.settings.settings.Settings)."""

    trash_days: int = setting(
        30,
        "how long deleted items and files stay in the trash of their owner, who can restore them; with 0 "
        "they are deleted permanently at once",
        unit=Unit.DAYS,
    )
    quota_storage: int = setting(
        20 << 30,
        "storage of an account: files of its resources, assets, spaces, outputs and logs of runs, repos",
        least=0,
        unit=Unit.BYTES,
    )
    quota_items: int = setting(10_000, "resources and groups that an account may have", least=0)
    quota_repos: int = setting(500, "repos that an account may have", least=0)
    quota_runs: int = setting(
        500, "runs that the jobs of an account may have at once, including runs that wait", least=0
    )
    quota_builds: int = setting(
        100, "builds that the repos of an account may have, queued or running", least=0
    )
    quota_push: int = setting(2 << 30, "size of a push", least=0, unit=Unit.BYTES)
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
        1000, "tokens that an account may have, including those of connected applications", least=0
    )
    quota_sessions: int = setting(
        1000, "sessions of an account; the next sign-in ends the oldest one", least=1
    )
    quota_keys: int = setting(100, "public keys for SSH that an account may have", least=0)
    quota_tags: int = setting(
        100_000, "tags and levels of notifications that an account may have put on resources", least=0
    )
    quota_variables: int = setting(
        200_000, "variables that the resources of an account may have, with the files of each", least=0
    )
    quota_comments: int = setting(100_000, "comments that an account may have written", least=0)

    @property
    def quota_limits(self) -> Mapping[QuotaName, int]:
        """The limits of accounts without individual ones, by quota."""
        return {name: getattr(self, f"quota_{name}") for name in QuotaName}
