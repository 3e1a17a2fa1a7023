"""Step policy and runner settings: limits, network, grace period, slots and intervals in seconds."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from chains.engine.port import Limits, Network
from chains.plan.model import StepConfig


@dataclass(frozen=True, slots=True)
class StepPolicy:
    """Limits and network of a step, seconds between SIGTERM and SIGKILL, and bytes of a run's log.

    `api_root` is the address of the API inside a container (decisions 24b). `most`: the largest memory, cpus
    and seconds that the configuration of a step may set (None: those of `limits`).
    """

    limits: Limits = field(default_factory=Limits)
    network: Network = Network.OUTBOUND
    stop_grace: float = 5.0
    log: int = 10 << 20
    api_root: str | None = None
    most: Limits | None = None

    def limits_of(self, config: StepConfig) -> Limits:
        """Return the limits of a step. What its configuration may not set any more is reduced."""
        limits, most = self.limits, self.most or self.limits
        return replace(
            limits,
            memory=min(config.memory, most.memory) if config.memory is not None else limits.memory,
            cpus=min(config.cpus, most.cpus) if config.cpus is not None else limits.cpus,
            seconds=min(config.timeout, most.seconds) if config.timeout is not None else limits.seconds,
        )

    def reach(self, env: Mapping[str, str]) -> Network:
        """Return the network of a step with the variables `env`: at least API if it has a credential."""
        credential = self.api_root and env.get("SVC_API_ROOT") == self.api_root and "SVC_TOKEN" in env
        return Network.API if credential and self.network is Network.NONE else self.network


@dataclass(frozen=True, slots=True)
class RunnerSettings:
    """Maximum numbers of concurrent runs, steps and builds; lease and heartbeat interval in seconds.

    `spare`: slots for steps of accounts that have none running. `accounts`: beyond `slots`, one more run each
    of at most this many accounts is worked on, so that its steps get their turns. `drain`: seconds that runs
    may take to end after the runner is stopped; then they are stopped and end as interrupted. `recheck`:
    seconds between checks of the run store without a signal. `live`: largest delay of log lines in seconds.
    `fences`: other runners may end the runs of a runner that cannot renew its lease.
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
