"""Settings of accounts: who may make one, who operates, and how often a sign-in may fail."""

from __future__ import annotations

from dataclasses import dataclass

from handlers.settings.quantities import Unit
from handlers.settings.setting_field import setting


@dataclass(frozen=True)
class PeopleSettings:
    """One part of the settings (handlers.settings.settings.Settings)."""

    registration: str = setting(
        "",
        "`open` or `closed`: whether strangers may make accounts; without it, whoever comes through a proxy "
        "or uses another name than this host's own may not",
        unset="open for callers on this host, closed for all others",
        choices=("", "open", "closed"),
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
        unset="nobody",
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
    password_time: int = setting(2, "argon2id: rounds")
    password_memory: int = setting(19_456, "argon2id: KiB", unit=Unit.KIB)
