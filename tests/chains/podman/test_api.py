"""Containers as Podman's API has them, over a service that answers by script."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

import pytest

from chains.engine.port import EngineError
from chains.podman.api import START_TRIES, ApiResponse, ContainerApi, NoResponse, Verb


class Scripted:
    """A service that gives its answers one after the other and repeats the last one; None breaks off."""

    def __init__(self, *answers: ApiResponse | None) -> None:
        self._answers = list(answers)
        self.requests: list[tuple[str, str]] = []
        self.once: list[bool] = []

    def call(
        self,
        verb: Verb,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | bytes | None = None,
        once: bool = False,
    ) -> ApiResponse:
        self.requests.append((verb, path))
        self.once.append(once)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if answer is None:
            raise NoResponse("broke off")
        return answer


def state(status: str, code: int) -> ApiResponse:
    return ApiResponse(200, {"State": {"Status": status, "ExitCode": code}})


BUSY = ApiResponse(500, {"message": "device or resource busy"})
DONE = ApiResponse(204, {})
START = ("post", "/containers/c/start")
GONE = ApiResponse(404, {"message": "no such container"})


@pytest.mark.parametrize("ended", ["exited", "stopped"])
def test_a_code_counts_when_the_container_has_ended(ended: str) -> None:
    service = Scripted(state("running", 0), state("stopping", 0), state(ended, -1), state(ended, 7))
    assert ContainerApi(service).exit_code("c") == 7
    assert len(service.requests) == 4


def test_a_container_that_never_ends_in_the_book_has_no_code() -> None:
    assert ContainerApi(Scripted(state("running", 0))).exit_code("c") is None


def test_a_container_that_is_gone_has_no_code() -> None:
    assert ContainerApi(Scripted(GONE)).exit_code("c") is None


def test_removal_is_requested_again_until_the_container_is_gone() -> None:
    service = Scripted(BUSY, BUSY, GONE)
    ContainerApi(service).remove("c")
    assert service.requests == [("delete", "/containers/c")] * 3


def test_a_name_in_use_after_a_second_try_is_our_own_container() -> None:
    ContainerApi(Scripted(ApiResponse(500, {"message": 'the name "x" is already in use by …'}))).create({})
    with pytest.raises(EngineError, match="resource busy"):
        ContainerApi(Scripted(BUSY)).create({})


def test_a_secret_is_kept_once_and_dropped_whether_it_is_there_or_not() -> None:
    service = Scripted(DONE, ApiResponse(500, {"message": "x: secret name in use"}), DONE, GONE, BUSY)
    containers = ContainerApi(service)
    containers.add_secret("x", "value")
    containers.add_secret("x", "value")
    containers.drop_secret("x")
    containers.drop_secret("x")
    for refused in (lambda: containers.add_secret("x", "value"), lambda: containers.drop_secret("x")):
        with pytest.raises(EngineError, match="resource busy"):
            refused()
    assert service.requests[0] == ("post", "/secrets/create")
    assert service.requests[2] == ("delete", "/secrets/x")


def test_no_secrets_are_listed_as_nothing() -> None:
    assert ContainerApi(Scripted(ApiResponse(200, None))).list_secrets() == []


def test_words_that_are_no_json_are_passed_on() -> None:
    with pytest.raises(EngineError, match="plain words"):
        ContainerApi(Scripted(ApiResponse(500, "plain words"))).start("c", lambda: False)


def test_a_container_is_initialised_by_one_request_alone() -> None:
    service = Scripted(ApiResponse(200, {}))
    containers = ContainerApi(service)
    containers.create({"name": "one"})
    containers.initialise("one")
    containers.start("one", lambda: False)
    assert service.once == [False, True, True]


@pytest.mark.parametrize(("begun", "starts"), [(True, 1), (False, 2)])
def test_what_may_run_already_is_started_again_only_when_it_has_not_begun(begun: bool, starts: int) -> None:
    service = Scripted(None, state("created", 0), DONE)
    with pytest.raises(NoResponse) if begun else nullcontext():
        ContainerApi(service).start("c", lambda: begun)
    assert service.requests.count(START) == starts


def test_a_service_that_breaks_off_whenever_it_starts_one_is_given_up() -> None:
    service = Scripted(*(answer for _ in range(START_TRIES) for answer in (None, state("created", 0))))
    with pytest.raises(EngineError, match="broke the connection at each attempt"):
        ContainerApi(service).start("c", lambda: False)
    assert service.requests.count(START) == START_TRIES
