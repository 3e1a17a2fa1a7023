"""Containers as Podman's own API (libpod) has them: made, started, inspected, listed, removed."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from chains.engine.port import EngineAway, EngineError

Verb = Literal["get", "post", "delete"]
REMOVE_SECONDS = 10.0
RECORDED_SECONDS = 2.0
START_TRIES = 10
ENDED = ("stopped", "exited")


@dataclass(frozen=True, slots=True)
class ApiResponse:
    """Response of Podman's service: an HTTP status and a decoded JSON body (text when it is none)."""

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


class NoResponse(EngineAway):
    """The service did not answer; what it was asked may be done nevertheless."""


class PodmanApi(Protocol):
    """A connection to the service; raises Unheard when it is away."""

    def call(
        self,
        verb: Verb,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | bytes | None = None,
        once: bool = False,
    ) -> ApiResponse:
        """Ask, once or more often: what is asked must bear that where it is not said to be done `once`."""
        ...


class ContainerApi:
    """The containers of a service, by id or by a name of our own; refusals are EngineErrors in its words."""

    def __init__(self, service: PodmanApi) -> None:
        self._service = service

    def create(self, body: Mapping[str, Any]) -> None:
        """Make a container; `body` holds a name that nobody else uses."""
        answer = self._service.call("post", "/containers/create", body=body)
        # Asked twice after a broken connection: the name is ours alone, so it is the wanted container.
        if answer.failed and "already in use" not in answer.reason:
            raise EngineError(answer.reason)

    def add_secret(self, name: str, value: str) -> None:
        """Keep a value until it is dropped; `name` is one that nobody else uses."""
        answer = self._service.call("post", "/secrets/create", query={"name": name}, body=value.encode())
        # Asked twice after a broken connection, as with `create`.
        if answer.failed and "in use" not in answer.reason:
            raise EngineError(answer.reason)

    def drop_secret(self, name: str) -> None:
        """Forget a secret, be it there or not."""
        answer = self._service.call("delete", f"/secrets/{name}")
        if answer.failed and answer.status != 404:
            raise EngineError(answer.reason)

    def list_secrets(self) -> list[str]:
        """The names of all secrets."""
        answer = self._require_success(self._service.call("get", "/secrets/json"))
        return [str(secret["Spec"]["Name"]) for secret in answer.body or ()]

    def initialise(self, container: str) -> None:
        """Set everything up but the command.

        Not asked twice: a second conmon beside one that is at it would leave the container without any.
        """
        self._require_success(self._service.call("post", f"/containers/{container}/init", once=True))

    def start(self, container: str, begun: Callable[[], bool]) -> None:
        """Let the command run. Raises NoResponse when it has `begun` though the service broke off.

        The service is asked again only while it has not begun: it would run a second time what has ended.
        """
        for _ in range(START_TRIES):
            try:
                self._require_success(self._service.call("post", f"/containers/{container}/start", once=True))
                return
            except NoResponse:
                # The second look is when the service is there again, and answers.
                if begun() or (self.inspect(container) and begun()):
                    raise
        raise EngineError("Podman's service broke off whenever it was to start the container")

    def inspect(self, container: str) -> dict[str, Any]:
        """Podman's inspection of it."""
        answer = self._require_success(self._service.call("get", f"/containers/{container}/json"))
        return dict(answer.body)

    def list_labelled(self, label: str, value: str) -> Iterator[tuple[str, Mapping[str, str]]]:
        """The ids and labels of all containers that carry a label."""
        for container in self._list(filters=json.dumps({"label": [f"{label}={value}"]})):
            yield str(container["Id"]), container["Labels"]

    def list_ids(self) -> list[str]:
        """The ids of all containers, no matter who made them."""
        return [str(container["Id"]) for container in self._list()]

    def exit_code(self, container: str) -> int | None:
        """The exit code in Podman's own book, or None when it stays without one.

        A code counts only with a state that says the container has ended, which Podman may be about to write.
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
        """Make it disappear, running or not; asked again when Podman's own tidying up is in the way."""
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
