"""SchedulerLink: the connection of an engine to its scheduler.

It reconnects after a loss.
"""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from distributed import Client, Future
from distributed.comm.core import CommClosedError

from chains.dask.scheduler import SAME, Certificates, reason, require_tls, scheduler_facts, set_up, unsafe
from chains.dask.worker import MEMORY, SLOTS, perform
from chains.engine.port import EngineAway, EngineError

CONNECT_SECONDS = 5
PAUSE = 2.0
RUNNING = "running"
LOST = (CommClosedError, OSError, TimeoutError, RuntimeError, ValueError)
"""The errors of Dask if the scheduler, or a worker that is called through it, is away.

Tornado raises ValueError if the peer answers a TLS handshake in plain text.
"""

Hear = Callable[[dict[str, Any]], object]


class SchedulerLink:
    """A scheduler as a runner uses it: it takes tasks, and forwards the letters about them on `topic`.

    `hear` is called for each letter, in order, in a thread that must not be blocked. All methods may be
    called from several threads. They raise EngineAway while the scheduler is away.
    """

    def __init__(self, address: str, certificates: Certificates, topic: str, hear: Hear) -> None:
        """Raise EngineError for an address without TLS: nothing is sent there."""
        require_tls(address)
        self.address = address
        self.topic = topic
        self._certificates = certificates
        self._hear = hear
        self._lock = threading.Lock()
        self._client: Client | None = None
        self._failed: tuple[float, str] = (float("-inf"), "")
        self._seen: tuple[float, list[dict[str, float]]] = (float("-inf"), [])

    def connect(self) -> Client:
        """Return the connection; make it if there is none. Raise EngineAway if that fails now.

        If a scheduler did not answer, the next attempt is after a pause, because many steps may need it.
        """
        with self._lock:
            if self._client is not None and self._client.status == "running":
                return self._client
            self._drop()
            tried, why = self._failed
            if time.monotonic() - tried < PAUSE:
                raise EngineAway(why)
            set_up()
            try:
                with away(self.address):
                    self._client = self._open()
            except EngineError as error:
                self._failed = time.monotonic(), str(error)
                self._drop()
                raise
            return self._client

    def _open(self) -> Client:
        """Return a connection to a scheduler that is safe to use. Raise EngineError for any other."""
        client = Client(
            self.address,
            security=self._certificates.security(),
            timeout=CONNECT_SECONDS,
            set_as_default=False,
            heartbeat_interval="1s",
        )
        try:
            self._listen(client)
            _require_safe(self.address, client)
        except BaseException:
            client.close(timeout=2)
            raise
        return client

    def submit(self, key: str, sealed: str, memory: int) -> Future[None]:
        """Submit an order that was sealed for the key. A worker performs it at most once."""
        client = self.connect()
        with away(self.address):
            # The client may have reconnected to a scheduler that does not have the subscription.
            self._listen(client)
            return client.submit(
                perform,
                key,
                self.topic,
                sealed,
                key=key,
                resources={SLOTS: 1, MEMORY: memory},
                retries=0,
                pure=False,
            )

    def ask(
        self, act: Callable[..., Any], *arguments: Any, workers: Collection[str] | None = None
    ) -> dict[str, Any]:
        """Call `act` on some workers or all. Return the answers by address, without those of lost workers."""
        client = self.connect()
        with away(self.address):
            answers = client.run(
                act, *arguments, workers=None if workers is None else list(workers), on_error="ignore"
            )
        return dict(answers)

    def workers(self, fresh: float = 0) -> list[dict[str, float]]:
        """Return the resources of each worker that takes steps, at most `fresh` seconds old."""
        client = self.connect()
        asked, rows = self._seen
        if time.monotonic() - asked > fresh:
            with away(self.address):
                found = client.scheduler_info(n_workers=-1)["workers"].values()
            # A worker that is being stopped takes no more steps.
            rows = [dict(worker["resources"]) for worker in found if worker["status"] == RUNNING]
            self._seen = time.monotonic(), rows
        return rows

    def close(self) -> None:
        """Close the connection. The scheduler then drops all tasks submitted over it."""
        with self._lock:
            self._drop()

    def _listen(self, client: Client) -> None:
        client.subscribe_topic(self.topic, lambda event: self._hear(event[1]))

    def _drop(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            with suppress(Exception):
                client.close(timeout=2)


def require_scheduler(address: str, certificates: Certificates) -> None:
    """Raise EngineError if steps may not run there, or EngineAway if no scheduler answers."""
    link = SchedulerLink(address, certificates, "curlew-look", lambda said: None)
    try:
        link.connect()
    finally:
        link.close()


@contextmanager
def away(address: str) -> Iterator[None]:
    """Raise EngineAway for the errors of Dask when the scheduler is away."""
    try:
        yield
    except LOST as error:
        raise EngineAway(f"the Dask scheduler {address} does not answer: {_words(error)}") from error


def _require_safe(address: str, client: Client) -> None:
    if why := unsafe(client.run_on_scheduler(scheduler_facts)):
        raise EngineError(f"the Dask scheduler {address} is not used: {why}")


def _words(error: BaseException) -> str:
    refused = error.__cause__
    if isinstance(refused, ssl.SSLCertVerificationError):
        return f"its certificate is not one of dask_tls_ca ({reason(refused)}): {SAME}"
    return str(error) or type(error).__name__
