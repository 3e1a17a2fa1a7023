"""Settings of hooks, by which accounts have their events sent to addresses outside."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

from handlers.settings.setting_field import setting


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
