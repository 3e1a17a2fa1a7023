"""Step policy and runner settings: limits, network, grace; numbers at once, seconds."""

from __future__ import annotations

import os
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


@dataclass(frozen=True, slots=True)
class RunnerSettings:
    """Numbers of runs, steps and builds at once; seconds of the lease and between two renewals.

    `spare`: slots for steps of accounts that have none running. `accounts`: beyond `slots`, one run each of
    so many accounts is at work, so that its steps have their turns among those of all others.
    `drain`: seconds in which runs may end by themselves when the runner is stopped; then they are stopped and
    end as interrupted. `recheck`: how often it looks at the books unasked. `live`: how late a log line may be
    in the book. `fences`: other runners may end the runs of one that cannot renew its lease.
    """

    slots: int = max(4, 2 * (os.cpu_count() or 1))
    spare: int = 1
    accounts: int = 64
    builds: int = 1
    lease: float = 10.0
    heartbeat: float = 3.0
    drain: float = 10.0
    recheck: float = 5.0
    patience: float = 5.0
    sweep: float = 3600.0
    live: float = 0.05
    fences: bool = False
    policy: StepPolicy = field(default_factory=StepPolicy)
