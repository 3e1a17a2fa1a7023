"""Dask schedulers and workers as processes: the settings that steps depend on, and their certificates."""

from __future__ import annotations

import asyncio
import ssl
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import dask.config
from distributed import Scheduler, Security, Worker

from chains.engine.port import EngineAway, EngineError

SAME = "it, dask_tls_cert and dask_tls_key are of one authority on all hosts"


@dataclass(frozen=True, slots=True)
class Certificates:
    """PEM files: the authority that signed all certificates, this process's certificate, and its key."""

    authority: Path
    certificate: Path
    key: Path

    def security(self) -> Security:
        """Return the certificates for Dask. Both sides refuse a peer without one of the authority.

        Raises EngineError, with the names of the settings, for files that other hosts would refuse.
        """
        self._require_sound()
        own = {"cert": str(self.certificate), "key": str(self.key)}
        roles = {
            f"tls_{role}_{part}": file
            for role in ("client", "scheduler", "worker")
            for part, file in own.items()
        }
        return Security(tls_ca_file=str(self.authority), require_encryption=True, **roles)

    def _require_sound(self) -> None:
        """Check the certificate against itself, as a server's and as a client's."""
        near, far = self._context(ssl.PROTOCOL_TLS_SERVER), self._context(ssl.PROTOCOL_TLS_CLIENT)
        to_near, to_far = ssl.MemoryBIO(), ssl.MemoryBIO()
        server = near.wrap_bio(to_near, to_far, server_side=True)
        client = far.wrap_bio(to_far, to_near)
        try:
            for one in (client, server):
                with suppress(ssl.SSLWantReadError):
                    one.do_handshake()
            client.do_handshake()
            server.do_handshake()
        except ssl.SSLError as error:
            raise EngineError(
                f"dask_tls_ca, {self.authority}, did not sign dask_tls_cert, {self.certificate}: "
                f"{reason(error)}"
            ) from error

    def _context(self, protocol: ssl._SSLMethod) -> ssl.SSLContext:
        context = ssl.SSLContext(protocol)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.check_hostname = False
        context.verify_mode = ssl.CERT_REQUIRED
        try:
            context.load_verify_locations(self.authority)
        except OSError as error:
            raise EngineError(
                f"dask_tls_ca, {self.authority}, has no certificate in PEM: {reason(error)}"
            ) from error
        try:
            # Nobody is there to enter a password.
            context.load_cert_chain(self.certificate, self.key, password="")
        except OSError as error:
            raise EngineError(
                f"dask_tls_cert, {self.certificate}, and dask_tls_key, {self.key}, are no certificate in PEM "
                f"and its key without a password: {reason(error)}"
            ) from error
        return context


def reason(error: OSError) -> str:
    """Return in a few words why a certificate is refused."""
    found = getattr(error, "verify_message", "") or error.strerror or str(error)
    return str(found).partition(" (_ssl")[0]


LONGEST_TTL = 10
"""Seconds without a message after which a worker counts as lost."""

KEPT_LETTERS = 100
"""Letters of a topic that a scheduler keeps. Nothing reads them."""

SETTINGS: dict[str, Any] = {
    # A step never begins twice: the steps of a lost worker are lost, too.
    "distributed.scheduler.allowed-failures": 0,
    "distributed.scheduler.worker-ttl": f"{LONGEST_TTL}s",
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.worker-saturation": "inf",
    # A permit is such a call. With this, no step waits for a TLS handshake.
    "distributed.scheduler.reuse-broadcast-comm": True,
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.admin.low-level-log-length": KEPT_LETTERS,
    # Dask always opens an HTTP port, without TLS or passwords. It must serve nothing.
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.comm.require-encryption": True,
    "distributed.comm.retry.count": 0,
    "distributed.comm.timeouts.connect": "5s",
    # The minimum in Dask is 11 s.
    "distributed.comm.timeouts.tcp": "12s",
    # Steps have their own limits, in their containers.
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
"""The address of that HTTP port: on this host only, at any free port."""


def require_tls(address: str) -> None:
    """Raise EngineError for a scheduler's address without TLS, to which nothing must be sent."""
    if not address.startswith(TLS):
        raise EngineError(
            f"the scheduler {address or '(none)'} is not asked over TLS, and anyone who reaches it could run "
            f"programs on all workers as root: let dask_scheduler begin with {TLS}"
        )


def place_of(address: str) -> tuple[str, int]:
    """Return the host and port of a TLS address, with Dask's default port."""
    host, _, port = address.removeprefix(TLS).rpartition(":")
    return (host.strip("[]"), int(port)) if host else (port, PORT)


def set_up() -> None:
    """Apply the settings here to all of Dask in this process."""
    dask.config.set(SETTINGS)


STARTED_AS = "start it as  curlew scheduler"
RELEASE = f"Curlew {version('curlew')} with Dask {version('distributed')}"
"""The release that runs in this process, even after an upgrade. Only the same one reads its messages."""


def make_scheduler(address: str, certificates: Certificates) -> Scheduler:
    """Return a scheduler that listens on a TLS address. It runs in the current event loop.

    It has no dashboard, because readers of it would see the runs of all accounts.
    """
    require_tls(address)
    set_up()
    host, port = place_of(address)
    return Scheduler(
        host=host,
        port=port,
        protocol="tls",
        security=certificates.security(),
        dashboard=False,
        dashboard_address=UNSEEN,
    )


def scheduler_facts(dask_scheduler: Scheduler) -> dict[str, Any]:
    """Return a scheduler's settings, to check before it gets steps. Runs in the scheduler."""
    return {
        "allowed_failures": dask_scheduler.allowed_failures,
        "worker_ttl": dask_scheduler.worker_ttl,
        "release": RELEASE,
    }


def unsafe(facts: dict[str, Any]) -> str | None:
    """Return why a scheduler with these `scheduler_facts` must not get steps, or None if it may."""
    if facts["allowed_failures"] != 0:
        return (
            f"allowed-failures is {facts['allowed_failures']} there, and not 0: steps of workers that are "
            f"lost would be started again; {STARTED_AS}"
        )
    ttl = facts["worker_ttl"]
    if ttl is None or ttl > LONGEST_TTL:
        said = "not set" if ttl is None else f"{ttl:g} s"
        return (
            f"worker-ttl is {said} there, and {LONGEST_TTL} s at most: a worker that is cut off would be "
            f"missed too late; {STARTED_AS}"
        )
    if (release := facts.get("release", "an older release")) != RELEASE:
        return (
            f"{release} runs there, and {RELEASE} here: install the same release on all hosts, and restart "
            "curlew-scheduler, curlew-worker and curlew-runner"
        )
    return None


LOOK_SECONDS = 0.2

Served = TypeVar("Served", Worker, Scheduler)


async def leave_at_once(server: Worker | Scheduler) -> None:
    """End without waiting for anything."""


def serve(
    make: Callable[[], Served],
    stop: threading.Event,
    ready: Callable[[], object],
    leave: Callable[[Served], Awaitable[None]] = leave_at_once,
) -> None:
    """Run the server that `make` returns in an event loop until `stop` is set. Call `ready` once it runs.

    `leave` is awaited between the stop and the end.

    Raises EngineAway if it ends, as a worker does when it loses its scheduler, or if it cannot
    start, for example because the scheduler is missing or refuses it.
    """
    asyncio.run(_serve(make, stop, ready, leave))


async def _serve(
    make: Callable[[], Served],
    stop: threading.Event,
    ready: Callable[[], object],
    leave: Callable[[Served], Awaitable[None]],
) -> None:
    server = make()
    try:
        await server
    except (OSError, RuntimeError, TimeoutError) as error:
        raise EngineAway(f"it cannot start: {_cause(error)}") from error
    ready()
    ended = asyncio.create_task(server.finished())
    while not stop.is_set():
        await asyncio.wait({ended}, timeout=LOOK_SECONDS)
        if ended.done():
            raise EngineAway("the connection to the Dask scheduler was lost")
    await leave(server)
    await server.close()


def _cause(error: BaseException) -> str:
    """Return the innermost reason. Dask wraps it in errors that only report that something did not start."""
    while error.__cause__ is not None:
        error = error.__cause__
    return str(error) or type(error).__name__
