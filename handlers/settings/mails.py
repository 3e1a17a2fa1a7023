"""Settings of what is sent: mails and their limits, and hooks to addresses outside."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

from handlers.settings.setting_field import setting


@dataclass(frozen=True)
class MailSettings:
    """One part of the settings (handlers.settings.settings.Settings)."""

    smtp: str = setting("", "the relay for mails, `smtp://` or `smtps://`", unset="mails go to <data>/outbox")
    mail_from: str = setting("curlew@localhost", "sender of the service's own mails")
    mail_bounces: str = setting(
        "",
        "the address to which relays report mails that cannot be delivered",
        unset="the address of mail_from",
    )
    dkim_key: str = setting(
        "", "file of the RSA key that signs mails (DKIM), in PEM", unset="mails leave unsigned"
    )
    dkim_selector: str = setting(
        "", "the name of the key in the DNS: `<dkim_selector>._domainkey.<dkim_domain>`"
    )
    dkim_domain: str = setting("", "the domain that signs mails", unset="that of mail_from")
    mail_domain: str = setting(
        "",
        "groups of organisations get mail at `<group>@<org>.<mail_domain>`",
        unset="no group has a mail address",
    )
    mail_in: str = setting("127.0.0.1:8024", "where `curlew mail-in` takes mails to groups")
    mail_in_protocol: str = setting("lmtp", "the protocol that it speaks there", choices=("lmtp", "smtp"))
    name_server: str = setting(
        "",
        "the name server, `ADDRESS[:PORT]`, with which the senders of mails are checked",
        unset="this machine's own",
    )
    mails_mailbox: int = setting(
        5, "codes mailed to one mailbox in an hour, and as many notices of a changed password", least=1
    )
    mails_account: int = setting(
        60, "notices mailed to one user in an hour; more are only in the inbox", least=1
    )
    mails_sendings: int = setting(
        60,
        "mails that one account may send in an hour, including tests, each to any number of people",
        least=1,
    )
    mails_inbound: int = setting(
        60, "mails of one account that run jobs in an hour; more are kept and run nothing", least=1
    )

    @property
    def sends_mail(self) -> bool:
        """Whether mails leave this server, by a relay; without one they stay in the folder `outbox`."""
        return bool(self.smtp)


@dataclass(frozen=True)
class HookSettings:
    """One part of the settings (handlers.settings.settings.Settings)."""

    hooks_out: bool = setting(True, "whether hooks of accounts send their events to addresses outside")
    hooks_out_hosts: str = setting(
        "",
        "hosts and networks (`10.0.0.0/8`) to which hooks may send although they are private, on any port "
        "and without TLS, separated by blanks",
        unset="hooks send to public addresses only",
    )


Networks = tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...]


def read_reach(words: str) -> tuple[frozenset[str], Networks]:
    """Return the hosts and the networks of `hooks_out_hosts`. Raises ValueError for a malformed network."""
    hosts, networks = set[str](), []
    for word in words.lower().split():
        if "/" in word or ":" in word or re.fullmatch(r"[0-9.]+", word):
            networks.append(ipaddress.ip_network(word))
        else:
            hosts.add(word)
    return frozenset(hosts), tuple(networks)
