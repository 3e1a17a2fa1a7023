"""PodmanEngine: steps in containers of Podman, driven through its socket; the one module that imports
`podman`.
"""

from __future__ import annotations

import json
import queue
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal

from podman import PodmanClient
from podman.errors import PodmanError
from requests.exceptions import RequestException

from chains import cgroup
from chains.confinement import INSTANCE_LABEL, RUN_LABEL, Confinement, differences, refusal, request
from chains.engine import EngineError, Exit, Handle, Line, Network, StepSpec
from chains.folders import give
from chains.watch import Traces, Watch

Verb = Literal["get", "post", "delete"]

ANSWER_SECONDS = 120.0
REMOVE_SECONDS = 10.0
AWAY_SECONDS = 15.0
IDLE_CLIENTS = 32
JSON_BODY = {"Content-Type": "application/json"}


@dataclass(frozen=True, slots=True)
class Answer:
    """What Podman's service said: an HTTP status and a decoded JSON body (text when it is none)."""

    status: int
    body: Any

    @property
    def failed(self) -> bool:
        """Whether the service refused or could not."""
        return self.status >= 400

    @property
    def reason(self) -> str:
        """The service's own words for a failure."""
        return str(self.body.get("message", self.body)) if isinstance(self.body, dict) else str(self.body)


class Podman:
    """Podman's service on a unix socket, spoken to over kept-alive connections, each used by one thread at a
    time.
    """

    def __init__(self, socket: Path) -> None:
        self._url = f"http+unix://{socket}"
        self._idle: queue.LifoQueue[PodmanClient] = queue.LifoQueue(IDLE_CLIENTS)

    def call(
        self,
        verb: Verb,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> Answer:
        """Ask once, and once more when a kept connection turned out dead; ask only what may be asked twice.

        Raises EngineError when the service is away.
        """
        data = None if body is None else json.dumps(body)
        for attempt in (1, 2):
            client = self._client()
            try:
                response = getattr(client.api, verb)(
                    path, params=query, data=data, headers=JSON_BODY, timeout=ANSWER_SECONDS
                )
                answer = Answer(response.status_code, _decoded(response.text))
            except (RequestException, PodmanError, OSError) as error:
                client.close()
                if attempt == 2:
                    raise EngineError(f"Podman does not answer on its socket: {error}") from error
                self._forget_idle()
            else:
                self._keep(client)
                return answer
        raise AssertionError("unreachable")

    @contextmanager
    def stream(
        self, path: str, *, query: Mapping[str, Any], data: IO[bytes], media: str, silence: float
    ) -> Iterator[Iterator[bytes]]:
        """POST `data` and hand out the lines of the answer as they come; `silence` is the longest wait for
        one, in seconds.

        Raises EngineError when the service is away, refuses, or falls silent.
        """
        client = self._client()
        try:
            response = client.api.post(
                path, params=query, data=data, headers={"Content-Type": media}, stream=True, timeout=silence
            )
            if response.status_code >= 400:
                raise EngineError(Answer(response.status_code, _decoded(response.text)).reason)
            yield response.iter_lines(chunk_size=None)
        except (RequestException, PodmanError, OSError) as error:
            raise EngineError(f"Podman broke off: {error}") from error
        finally:
            client.close()

    def close(self) -> None:
        """Close the idle connections."""
        self._forget_idle()

    def _client(self) -> PodmanClient:
        try:
            return self._idle.get_nowait()
        except queue.Empty:
            return PodmanClient(base_url=self._url, timeout=ANSWER_SECONDS)

    def _keep(self, client: PodmanClient) -> None:
        try:
            self._idle.put_nowait(client)
        except queue.Full:
            client.close()

    def _forget_idle(self) -> None:
        with suppress(queue.Empty):
            while True:
                self._idle.get_nowait().close()


def _decoded(text: str) -> Any:
    try:
        return json.loads(text) if text else {}
    except ValueError:
        return text


class PodmanEngine:
    """Engine over Podman. Only `prepare`, `start`, `remove` and `sweep` need its service; `wait` and `stop`
    go on without.

    `instance` marks this Curlew's containers. `fence` is called with every prepared network step, before its
    code may run.
    """

    def __init__(
        self, podman: Podman, confinement: Confinement, exits: Path, instance: str, fence: Callable[[], None]
    ) -> None:
        self._podman = podman
        self._confinement = confinement
        self._exits = exits
        self._instance = instance
        self._fence = fence
        self._watches: dict[str, Watch] = {}

    def prepare(self, spec: StepSpec) -> Handle:
        """Create and initialise the container, and compare it with what was wanted (Engine.prepare)."""
        name = f"curlew-{uuid.uuid4().hex}"
        try:
            self._create(spec, name)
            return self._initialise(spec, name)
        except EngineError:
            self._discard(name)
            raise
        except OSError as error:
            self._discard(name)
            raise EngineError(f"step {spec.step} ended before it began: {error}") from error

    def start(self, handle: Handle) -> None:
        """Let the step's own command run (Engine.start)."""
        self._watch(handle).start(lambda: self._begin(handle))

    def wait(self, handle: Handle, tell: Callable[[Line], None]) -> Exit:
        """Tell the lines and answer the end (Engine.wait)."""
        return self._watch(handle).wait(tell, lambda: self._recorded_exit(handle.id))

    def stop(self, handle: Handle, grace: float) -> None:
        """SIGTERM now, SIGKILL after `grace` seconds (Engine.stop)."""
        if watch := self._watches.get(handle.id):
            watch.stop(grace)

    def remove(self, handle: Handle) -> None:
        """Make the container disappear (Engine.remove)."""
        if watch := self._watches.get(handle.id):
            watch.kill()
        self._delete(handle.id)
        if watch := self._watches.pop(handle.id, None):
            watch.close()

    def sweep(self, keep: Callable[[str], bool]) -> list[str]:
        """Remove the containers of runs that `keep` refuses (Engine.sweep)."""
        filters = json.dumps({"label": [f"{INSTANCE_LABEL}={self._instance}"]})
        answer = self._podman.call("get", "/containers/json", query={"all": "true", "filters": filters})
        if answer.failed:
            raise EngineError(f"Podman does not list its containers: {answer.reason}")
        swept = set()
        for container in answer.body:
            run = container["Labels"].get(RUN_LABEL, "")
            if not keep(run):
                self._delete(container["Id"])
                swept.add(run)
        return sorted(swept)

    def close(self) -> None:
        """Close the connections to Podman's service."""
        self._podman.close()

    def _create(self, spec: StepSpec, name: str) -> None:
        body = request(spec, self._confinement, name, self._instance)
        answer = self._podman.call("post", "/containers/create", body=body)
        # Asked twice after a broken connection: nobody else uses the name, so it is the wanted container.
        if answer.failed and "already in use" not in answer.reason:
            raise EngineError(refusal(spec, answer.reason))

    def _discard(self, name: str) -> None:
        with suppress(EngineError):
            self._delete(name)

    def _initialise(self, spec: StepSpec, name: str) -> Handle:
        answer = self._podman.call("post", f"/containers/{name}/init")
        if answer.failed:
            raise EngineError(f"the container of step {spec.step} cannot be initialised: {answer.reason}")
        inspected = self._podman.call("get", f"/containers/{name}/json").body
        self._compare(spec, inspected)
        if spec.network is Network.OUTBOUND:
            self._fence()
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
        config = json.loads(Path(inspected["OCIConfigPath"]).read_bytes())
        try:
            found = differences(spec, self._confinement, inspected, config)
        except (LookupError, TypeError, AttributeError) as error:
            raise EngineError(f"Podman describes its container in an unknown form: {error!r}") from error
        pid, root = inspected["State"]["Pid"], self._confinement.first_id or 0
        found += cgroup.differences(pid, spec.limits.memory, spec.limits.pids, root)
        if found:
            raise EngineError(
                f"the container of step {spec.step} is not confined as it must be: {'; '.join(found)}"
            )

    def _begin(self, handle: Handle) -> None:
        for mount in handle.spec.mounts:
            give(mount.source, self._confinement.owner, writable=mount.writable)
        answer = self._podman.call("post", f"/containers/{handle.id}/start")
        if answer.failed:
            raise EngineError(f"the container of step {handle.spec.step} cannot be started: {answer.reason}")

    def _watch(self, handle: Handle) -> Watch:
        try:
            return self._watches[handle.id]
        except KeyError:
            raise EngineError(f"the container of step {handle.spec.step} was removed") from None

    def _recorded_exit(self, identity: str) -> int | None:
        """The exit code in Podman's own book, or None: a code counts only with the state `exited`."""
        until = time.monotonic() + AWAY_SECONDS
        while time.monotonic() < until:
            try:
                answer = self._podman.call("get", f"/containers/{identity}/json")
            except EngineError:
                time.sleep(0.2)
                continue
            state = {} if answer.failed else answer.body["State"]
            known = state.get("Status") == "exited" and state["ExitCode"] >= 0
            return int(state["ExitCode"]) if known else None
        return None

    def _delete(self, identity: str) -> None:
        """Remove a container, again when Podman's own tidying up was in the way."""
        until = time.monotonic() + REMOVE_SECONDS
        pause = 0.02
        while True:
            query = {"force": "true", "timeout": "0", "v": "true"}
            answer = self._podman.call("delete", f"/containers/{identity}", query=query)
            if not answer.failed or answer.status == 404:
                return
            if time.monotonic() > until:
                raise EngineError(f"the container {identity[:12]} cannot be removed: {answer.reason}")
            time.sleep(pause)
            pause = min(2 * pause, 0.5)
