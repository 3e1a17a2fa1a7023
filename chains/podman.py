"""PodmanEngine: steps in containers of Podman, driven through its socket;
the one module that imports `podman`.
"""

from __future__ import annotations

import json
import queue
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

from podman.api.client import APIClient
from podman.api.uds import UDSAdapter, UDSConnection, UDSConnectionPool, UDSSocket
from podman.errors import PodmanError
from requests.exceptions import RequestException

from chains import cgroup
from chains.commandline import shown
from chains.confinement import INSTANCE_LABEL, RUN_LABEL, Confinement, differences, refusal, request
from chains.engine import EngineAway, EngineError, Exit, Handle, Line, Network, StepSpec
from chains.folders import give
from chains.leftovers import reap, runs
from chains.libpod import Answer, Containers, Unheard, Verb
from chains.watch import Traces, Watch

ANSWER_SECONDS = 120.0
ASKED_AGAIN = 0.02
PREPARED_WITHIN = 60.0
IDLE_CLIENTS = 32
JSON_BODY = {"Content-Type": "application/json"}


class Podman:
    """Podman's service on a unix socket, over kept-alive connections, each used by one thread at a time.

    `breaks` counts how often it broke off; `away` is whether it stayed away when it was last asked.
    """

    def __init__(self, socket: Path, patience: float = 20.0) -> None:
        self._url = f"http+unix://{quote(str(socket), safe='')}"
        self._patience = patience
        self.breaks = 0
        self.away = False
        self._idle: queue.LifoQueue[APIClient] = queue.LifoQueue(IDLE_CLIENTS)

    def call(
        self,
        verb: Verb,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        once: bool = False,
    ) -> Answer:
        """Ask, and ask again for `patience` seconds while the service is away (it is started again when it
        dies), unless what is asked may be done only `once`. Raises Unheard when it stays away.
        """
        data = None if body is None else json.dumps(body)
        until = time.monotonic() + (ANSWER_SECONDS if once else self._patience)
        while True:
            try:
                with self._client() as api:
                    response = getattr(api, verb)(
                        path, params=query, data=data, headers=JSON_BODY, timeout=ANSWER_SECONDS
                    )
                    self.away = False
                    return Answer(response.status_code, _decoded(response.text))
            except (RequestException, PodmanError, OSError) as error:
                self.breaks += 1
                self.close()
                self.away = time.monotonic() >= until
                if once or self.away:
                    raise Unheard(f"Podman does not answer on its socket: {error}") from error
                time.sleep(ASKED_AGAIN)

    @contextmanager
    def stream(
        self, path: str, *, query: Mapping[str, Any], data: IO[bytes], media: str, silence: float
    ) -> Iterator[Iterator[bytes]]:
        """POST `data` and hand out the lines of the answer as they come, each within `silence` seconds.

        Raises EngineError when the service is away, refuses, or falls silent.
        """
        try:
            with self._client() as api:
                response = api.post(
                    path,
                    params=query,
                    data=data,
                    headers={"Content-Type": media},
                    stream=True,
                    timeout=silence,
                )
                if response.status_code >= 400:
                    raise EngineError(Answer(response.status_code, _decoded(response.text)).reason)
                yield response.iter_lines(chunk_size=None)
        except (RequestException, PodmanError, OSError) as error:
            raise EngineAway(f"Podman broke off: {error}") from error

    def close(self) -> None:
        """Close the idle connections."""
        with suppress(queue.Empty):
            while True:
                self._idle.get_nowait().close()

    @contextmanager
    def _client(self) -> Iterator[APIClient]:
        """A connection for one thread; kept for the next when all went well, else closed."""
        try:
            client = self._idle.get_nowait()
        except queue.Empty:
            client = APIClient(base_url=self._url, timeout=ANSWER_SECONDS)
            client.mount("http://", _Adapter(self._url, timeout=ANSWER_SECONDS))
        try:
            yield client
            self._idle.put_nowait(client)
        except BaseException as error:
            client.close()
            if not isinstance(error, queue.Full):
                raise


class _Connection(UDSConnection):
    """The library's own leaves the socket of a vain attempt open."""

    def connect(self) -> None:
        with ExitStack() as vain:
            door = vain.enter_context(UDSSocket(self.uds))
            door.settimeout(self.timeout)
            door.connect()
            self.sock = door
            vain.pop_all()


class _Pool(UDSConnectionPool):
    ConnectionCls = _Connection


class _Adapter(UDSAdapter):
    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
        super().init_poolmanager(*arguments, **options)
        assert self.poolmanager is not None
        self.poolmanager.pool_classes_by_scheme = {"http": _Pool}


def _decoded(text: str) -> Any:
    try:
        return json.loads(text) if text else {}
    except ValueError:
        return text


class PodmanEngine:
    """Engine over Podman. Only `prepare`, `start`, `remove` and `sweep` need its service; the rest goes on
    without.

    `exits` is the folder in which conmon leaves exit codes, `instance` marks this Curlew's containers, and
    `fence` is called for every prepared step with a network, before its code may run. `shell` is what calls
    the Podman that has the images from a command line.
    """

    def __init__(
        self,
        podman: Podman,
        confinement: Confinement,
        exits: Path,
        instance: str,
        fence: Callable[[], None],
        shell: str = "podman",
    ) -> None:
        self._podman = podman
        self._shell = shell
        self._containers = Containers(podman)
        self._confinement = confinement
        self._exits = exits
        self._instance = instance
        self._fence = fence
        self._watches: dict[str, Watch] = {}

    def command(self, spec: StepSpec) -> str:
        """As Engine.command."""
        return shown(spec, self._confinement, self._shell)

    def prepare(self, spec: StepSpec) -> Handle:
        """Create and initialise the container, and compare it with what was wanted (Engine.prepare)."""
        until = time.monotonic() + PREPARED_WITHIN
        while True:
            breaks = self._podman.breaks
            try:
                return self._prepared(spec, f"curlew-{uuid.uuid4().hex}")
            except (EngineError, OSError) as error:
                # What is half made when the service dies confuses the next one; nothing has run yet.
                if self._podman.breaks == breaks or self._podman.away or time.monotonic() > until:
                    kind = EngineAway if isinstance(error, EngineAway) else EngineError
                    raise kind(refusal(spec, str(error))) from error
                with suppress(EngineError):
                    reap(self._exits, self._containers.all)

    def start(self, handle: Handle) -> None:
        """Let the step's own command run (Engine.start)."""
        self._watch(handle).start(lambda: self._begin(handle))

    def wait(self, handle: Handle, tell: Callable[[Line], None]) -> Exit:
        """Tell the lines and answer the end (Engine.wait)."""
        return self._watch(handle).wait(tell, lambda: self._containers.exit_code(handle.id))

    def stop(self, handle: Handle, grace: float) -> None:
        """SIGTERM now, SIGKILL after `grace` seconds (Engine.stop)."""
        if watch := self._watches.get(handle.id):
            watch.stop(grace)

    def remove(self, handle: Handle) -> None:
        """Make the container disappear (Engine.remove)."""
        self._remove(handle.id)

    def sweep(self, keep: Callable[[str], bool]) -> list[str]:
        """Remove the containers of runs that `keep` refuses (Engine.sweep), and what Podman has forgotten."""
        swept = set()
        for container, labels in self._containers.labelled(INSTANCE_LABEL, self._instance):
            run = labels.get(RUN_LABEL, "")
            if not keep(run):
                self._remove(container)
                swept.add(run)
        reap(self._exits, self._containers.all)
        return sorted(swept)

    def close(self) -> None:
        """Let go of everything; containers that still run go on unwatched."""
        self._podman.close()
        while self._watches:
            self._watches.popitem()[1].close()

    def _remove(self, container: str) -> None:
        if watch := self._watches.get(container):
            watch.kill()
            watch.await_code()
        self._containers.remove(container)
        if watch := self._watches.pop(container, None):
            watch.close()

    def _prepared(self, spec: StepSpec, name: str) -> Handle:
        try:
            self._containers.create(request(spec, self._confinement, name, self._instance))
            self._containers.initialise(name)
            inspected = self._containers.inspect(name)
            self._compare(spec, inspected)
            if spec.network is not Network.NONE:
                self._fence()
            return self._watched(spec, inspected)
        except (EngineError, OSError):
            with suppress(EngineError):
                self._containers.remove(name)
            raise

    def _watched(self, spec: StepSpec, inspected: Mapping[str, Any]) -> Handle:
        identity, state = str(inspected["Id"]), inspected["State"]
        traces = Traces(
            pid=state["Pid"],
            conmon=state["ConmonPid"],
            log=Path(inspected["HostConfig"]["LogConfig"]["Path"]),
            exit_file=self._exits / identity,
            cgroup=cgroup.Cgroup.of(state["Pid"]),
        )
        self._watches[identity] = Watch(traces, spec.limits, spec.output)
        return Handle(identity, spec)

    def _compare(self, spec: StepSpec, inspected: Mapping[str, Any]) -> None:
        """Raise EngineError when the container, or what the kernel says of it, is not as wanted."""
        try:
            config = json.loads(Path(inspected["OCIConfigPath"]).read_bytes())
            found = differences(spec, self._confinement, inspected, config)
            pid, root = inspected["State"]["Pid"], self._confinement.first_id or 0
            found += cgroup.differences(pid, spec.limits.memory, spec.limits.pids, root)
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            raise EngineError(f"Podman describes it in a form that is not known here: {error!r}") from error
        if found:
            raise EngineError(f"it is not confined as it must be: {'; '.join(found)}")

    def _begin(self, handle: Handle) -> None:
        for mount in handle.spec.mounts:
            give(mount.source, self._confinement.owner, writable=mount.writable)
        self._containers.start(handle.id, lambda: self._has_begun(handle))

    def _has_begun(self, handle: Handle) -> bool:
        """Whether the command was let run, as soon as that is so, or no runtime is at it any more."""
        watch = self._watch(handle)
        while not watch.begun and runs(f"start\0{handle.id}", lambda: watch.begun):
            pass
        return watch.begun

    def _watch(self, handle: Handle) -> Watch:
        try:
            return self._watches[handle.id]
        except KeyError:
            raise EngineError(f"the container of step {handle.spec.step} was removed") from None
