"""Step policy: limits, network, grace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from chains.engine.port import Limits, Network


@dataclass(frozen=True, slots=True)
class StepPolicy:
    """Limits and network of a step, seconds between SIGTERM and SIGKILL, bytes of a run's log.

    `api_root` is the address at which the API answers inside a container (decisions 24b).
    """

    limits: Limits = field(default_factory=Limits)
    network: Network = Network.OUTBOUND
    stop_grace: float = 5.0
    log: int = 10 << 20
    api_root: str | None = None

    def reach(self, env: Mapping[str, str]) -> Network:
        """The network of a step with the variables `env`: one with a credential reaches the API at least."""
        credential = self.api_root and env.get("SVC_API_ROOT") == self.api_root and "SVC_TOKEN" in env
        return Network.API if credential and self.network is Network.NONE else self.network
