"""Settings of Dask that steps depend on; set before anything of it runs."""

from __future__ import annotations

from typing import Any

import dask.config

from chains.engine.port import EngineError

LONGEST_TTL = 10
"""Seconds after which a worker that says nothing counts as lost."""

KEPT_LETTERS = 100
"""Letters of a topic that a scheduler keeps, which nobody asks it for."""

SETTINGS: dict[str, Any] = {
    # A step is never begun twice: a worker that is lost takes its steps with it.
    "distributed.scheduler.allowed-failures": 0,
    "distributed.scheduler.worker-ttl": f"{LONGEST_TTL}s",
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.worker-saturation": "inf",
    # A permit is such a call: no step waits for a handshake of TLS.
    "distributed.scheduler.reuse-broadcast-comm": True,
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.admin.low-level-log-length": KEPT_LETTERS,
    # Dask opens a port for HTTP in any case, without TLS or passwords: nothing is to be found there.
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.comm.require-encryption": True,
    "distributed.comm.retry.count": 0,
    "distributed.comm.timeouts.connect": "5s",
    # The least that Dask takes is 11 s.
    "distributed.comm.timeouts.tcp": "12s",
    # Steps have limits of their own, in their containers.
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
    "distributed.worker.profile.enabled": False,
    "distributed.worker.lifetime.restart": False,
}

TLS = "tls://"
PORT = 8786
UNSEEN = "127.0.0.1:0"
"""Where that port is: on this host alone, wherever there is room."""


def require_tls(address: str) -> None:
    """Raise EngineError for a scheduler's address without TLS: nothing is sent there."""
    if not address.startswith(TLS):
        raise EngineError(
            f"the scheduler {address or '(none)'} is not asked over TLS, and whoever reaches it could run "
            f"programs on all workers as root: let dask_scheduler begin with {TLS}"
        )


def place_of(address: str) -> tuple[str, int]:
    """Host and port of an address with TLS; Dask's own port where none is said."""
    host, _, port = address.removeprefix(TLS).rpartition(":")
    return (host.strip("[]"), int(port)) if host else (port, PORT)


def set_up() -> None:
    """Have all that Dask does in this process follow the settings here."""
    dask.config.set(SETTINGS)
