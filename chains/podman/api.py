"""Podman's service and its API of containers (libpod): create, start, inspect, list, remove.

Only this module imports `podman`.
"""

from __future__ import annotations

import json
import queue
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal
from urllib.parse import quote

from podman.api.client import APIClient
from podman.api.uds import UDSAdapter, UDSConnection, UDSConnectionPool, UDSSocket
from podman.errors import PodmanError
from requests.exceptions import RequestException

from chains.engine.port import EngineAway, EngineError

Verb = Literal["get", "post", "delete"]
REMOVE_SECONDS = 10.0
RECORDED_SECONDS = 2.0
ANSWER_SECONDS = 120.0
ASKED_AGAIN = 0.02
IDLE_CLIENTS = 32
START_TRIES = 10
JSON_BODY = {"Content-Type": "application/json"}
ENDED = ("stopped", "exited")


@dataclass(frozen=True, slots=True)
class ApiResponse:
    """A response of Podman's service: the HTTP status and the decoded JSON body (else text)."""

    status: int
    body: Any

    @property
    def failed(self) -> bool:
        """Whether the request failed."""
        return self.status >= 400

    @property
    def reason(self) -> str:
        """The service's message about a failure."""
        return str(self.body.get("message", self.body)) if isinstance(self.body, dict) else str(self.body)


class NoResponse(EngineAway):
    """The service did not answer. The request may have been carried out nevertheless."""


class Podman:
    """Podman's service on a unix socket, over keep-alive connections, each used by one thread at a time.

    `breaks` counts its broken connections. `away`: whether it did not answer the last request.
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
        body: Mapping[str, Any] | bytes | None = None,
        once: bool = False,
    ) -> ApiResponse:
        """Send a request. Unless `once`, repeat it for `patience` seconds after the service first broke off.

        The service is restarted when it dies or hangs. Raises NoResponse if it stays away.
        """
        data = body if body is None or isinstance(body, bytes) else json.dumps(body)
        until = time.monotonic() + ANSWER_SECONDS if once else None
        while True:
            try:
                with self._client() as api:
                    response = getattr(api, verb)(
                        path, params=query, data=data, headers=JSON_BODY, timeout=ANSWER_SECONDS
                    )
                    self.away = False
                    return ApiResponse(response.status_code, _decode(response.text))
            except (RequestException, PodmanError, OSError) as error:
                self.breaks += 1
                self.close()
                until = until or time.monotonic() + self._patience
                self.away = time.monotonic() >= until
                if once or self.away:
                    raise NoResponse(f"Podman does not answer on its socket: {error}") from error
                time.sleep(ASKED_AGAIN)

    def send(self, path: str, data: IO[bytes], media: str) -> ApiResponse:
        """POST a file, once. Raises EngineError if the service is away or breaks off."""
        headers = {"Content-Type": media}
        try:
            with self._client() as api:
                response = api.post(path, data=data, headers=headers, timeout=ANSWER_SECONDS)
                return ApiResponse(response.status_code, _decode(response.text))
        except (RequestException, PodmanError, OSError) as error:
            raise EngineAway(f"Podman broke off: {error}") from error

    def close(self) -> None:
        """Close the idle connections."""
        with suppress(queue.Empty):
            while True:
                self._idle.get_nowait().close()

    @contextmanager
    def _client(self) -> Iterator[APIClient]:
        """Yield a connection for one thread. It is reused after success, else closed."""
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
    """The library's own method leaves the socket open when connecting fails."""

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


def _decode(text: str) -> Any:
    try:
        return json.loads(text) if text else {}
    except ValueError:
        return text


class ContainerApi:
    """The containers of a service, by id or by our name. Refusals raise EngineError with its message."""

    def __init__(self, service: Podman) -> None:
        self._service = service

    def create(self, body: Mapping[str, Any]) -> None:
        """Create a container. `body` contains a unique name."""
        answer = self._service.call("post", "/containers/create", body=body)
        # Sent twice after a broken connection. The name is only ours, so this is the requested container.
        if answer.failed and "already in use" not in answer.reason:
            raise EngineError(answer.reason)

    def add_secret(self, name: str, value: str) -> None:
        """Store a secret value until it is dropped. `name` is unique."""
        answer = self._service.call("post", "/secrets/create", query={"name": name}, body=value.encode())
        # Sent twice after a broken connection, as with `create`.
        if answer.failed and "in use" not in answer.reason:
            raise EngineError(answer.reason)

    def drop_secret(self, name: str) -> None:
        """Remove a secret. It need not exist."""
        answer = self._service.call("delete", f"/secrets/{name}")
        if answer.failed and answer.status != 404:
            raise EngineError(answer.reason)

    def list_secrets(self) -> list[str]:
        """Return the names of all secrets."""
        answer = self._require_success(self._service.call("get", "/secrets/json"))
        return [str(secret["Spec"]["Name"]) for secret in answer.body or ()]

    def initialise(self, container: str) -> None:
        """Set up everything but the command.

        Not repeated: a second conmon beside a working one would leave the container without any.
        """
        self._require_success(self._service.call("post", f"/containers/{container}/init", once=True))

    def start(self, container: str, begun: Callable[[], bool]) -> None:
        """Let the command run. Raises NoResponse if the service broke off although it has `begun`.

        The request is repeated only while the command has not begun: else it could run a second time.
        """
        for _ in range(START_TRIES):
            try:
                self._require_success(self._service.call("post", f"/containers/{container}/start", once=True))
                return
            except NoResponse:
                # Check again after `inspect`, when the service is back and answers.
                if begun() or (self.inspect(container) and begun()):
                    raise
        raise EngineError("Podman's service broke the connection at each attempt to start the container")

    def inspect(self, container: str) -> dict[str, Any]:
        """Return Podman's inspection of a container."""
        answer = self._require_success(self._service.call("get", f"/containers/{container}/json"))
        return dict(answer.body)

    def list_labelled(self, label: str, value: str) -> Iterator[tuple[str, Mapping[str, str]]]:
        """Yield the ids and labels of all containers with a label."""
        for container in self._list(filters=json.dumps({"label": [f"{label}={value}"]})):
            yield str(container["Id"]), container["Labels"]

    def list_ids(self) -> list[str]:
        """Return the ids of all containers, including those of other programs."""
        return [str(container["Id"]) for container in self._list()]

    def exit_code(self, container: str) -> int | None:
        """Return the exit code that Podman has recorded, or None if it records none in time.

        A code counts only if the state says that the container has ended. Podman may write it a little later.
        """
        until = time.monotonic() + RECORDED_SECONDS
        while True:
            try:
                state = self.inspect(container)["State"]
            except EngineError:
                return None
            if state.get("Status") in ENDED and state["ExitCode"] >= 0:
                return int(state["ExitCode"])
            if time.monotonic() > until:
                return None
            time.sleep(0.02)

    def remove(self, container: str) -> None:
        """Remove a container, running or not. Retry while Podman's own cleanup is in the way."""
        until = time.monotonic() + REMOVE_SECONDS
        query = {"force": "true", "timeout": "0", "v": "true"}
        pause = 0.02
        while True:
            answer = self._service.call("delete", f"/containers/{container}", query=query)
            if not answer.failed or answer.status == 404:
                return
            if time.monotonic() > until:
                raise EngineError(f"the container {container[:12]} cannot be removed: {answer.reason}")
            time.sleep(pause)
            pause = min(2 * pause, 0.5)

    def _list(self, **query: str) -> list[dict[str, Any]]:
        answer = self._require_success(
            self._service.call("get", "/containers/json", query={"all": "true", **query})
        )
        return list(answer.body)

    def _require_success(self, answer: ApiResponse) -> ApiResponse:
        if answer.failed:
            raise EngineError(answer.reason)
        return answer
