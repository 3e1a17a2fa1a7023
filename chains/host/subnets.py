"""The addresses of one Curlew's bridges: chosen once, remembered, reserved against other Curlews."""

from __future__ import annotations

import os
from contextlib import suppress
from ipaddress import IPv4Network
from pathlib import Path

from chains.host.bridges import ROUTES, Bridge, bridge_pair, candidate_pairs, foreign_networks

RESERVATIONS = Path("/run/curlew-subnets")
"""A link for each reserved subnet that names the Curlew which has it; forgotten at a reboot."""


def choose_bridges(
    folder: Path, instance: str, routes: Path = ROUTES, reservations: Path = RESERVATIONS
) -> tuple[Bridge, Bridge]:
    """The bridges of the Curlew `instance`, never those of another Curlew that starts at the same moment.

    Those that `folder` remembers stay until another network of the host has their addresses.
    """
    memory = folder / "subnet"
    former = _read_subnet(memory)
    free = candidate_pairs(instance, tuple(foreign_networks(instance, routes)), former)
    for chosen in free:
        pair = chosen[0].subnet.supernet()
        if _reserve(reservations / str(pair.network_address), instance):
            if pair != former:
                memory.write_text(f"{pair}\n")
            return chosen
    return bridge_pair(instance, former) if former else next(candidate_pairs(instance))


def release(instance: str, reservations: Path = RESERVATIONS) -> None:
    """Give up whatever a Curlew has reserved."""
    for link in reservations.glob("*"):
        with suppress(OSError):
            if os.readlink(link) == instance:
                link.unlink()


def _reserve(link: Path, instance: str) -> bool:
    """Whether the subnet is the Curlew's from here on, or was before; a link is made whole or not at all."""
    try:
        link.parent.mkdir(exist_ok=True)
        with suppress(FileExistsError):
            link.symlink_to(instance)
        return os.readlink(link) == instance
    except OSError:
        return True  # where none can be reserved, nobody else does either


def _read_subnet(memory: Path) -> IPv4Network | None:
    with suppress(OSError, ValueError):
        return IPv4Network(memory.read_text().strip())
    return None
