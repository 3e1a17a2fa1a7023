"""Fence around the steps of one Curlew: the firewall's rules on its bridges, and their isolation."""

from __future__ import annotations

from chains.host import firewall
from chains.host.bridges import Bridge


class Fence:
    """The fence of the bridges `outer` and `inner`; `trouble` says why it does not hold, if so."""

    def __init__(self, outer: Bridge, inner: Bridge) -> None:
        self._bridges = (outer, inner)
        self.trouble: str | None = None

    @property
    def missing(self) -> str | None:
        """Sentence on rules that are gone, None when they stand."""
        return None if all(map(firewall.stands, self._bridges)) else "the firewall's rules are gone"

    def put_up(self) -> str | None:
        """Set the rules; the reason when the host cannot."""
        troubles = [firewall.raise_fence(bridge) for bridge in self._bridges]
        return next(filter(None, troubles), None)

    def take_down(self) -> None:
        """Remove the rules."""
        for bridge in self._bridges:
            firewall.lower_fence(bridge)

    def isolate(self) -> None:
        """Keep steps that share a bridge apart; for each one with a network, before its code runs."""
        try:
            for bridge in self._bridges:
                firewall.isolate(bridge)
        except OSError as error:
            self.trouble = f"steps with a network can reach each other: {error}"
