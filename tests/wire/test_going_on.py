"""Runs that go on from a step of a failed run: what is kept, for how long, and who pays for it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from tests.kit.client import Answer
from tests.kit.service import Application
from tests.wire.test_rerun import FORM, JOB, Desk, form
from vfs.ports.quotas import QuotaName

LARGE = {"large.bin": bytes(range(256)) * 80}


class FailingDesk(Desk):
    """alice's job that hands its input on, and fails in its last step."""

    def __init__(self, service: Application) -> None:
        super().__init__(service)
        self.last("EXIT=1")
        assert self.ask("POST", f"{JOB}/config/chains", b"step -> last").status == 200

    def last(self, *script: str) -> None:
        """What the last step does."""
        self.service.arrange("image", ["alice/last", *script], [])

    def fail(self, files: dict[str, bytes] | None = None) -> str:
        """The path of a run that failed."""
        answer = self.ask("POST", f"{JOB}/data", form(files or LARGE), FORM)
        assert answer.status == 422, answer.body
        return answer.headers["location"]

    def go_on(self, run: str) -> Answer:
        body = b'{"from": "last", "images": "latest"}'
        return self.ask("POST", f"{run}/rerun", body, "application/json")

    def use(self) -> int:
        return self.service.world.service.quotas.one("alice", QuotaName.STORAGE).use


@pytest.fixture
def desk(service: Application) -> FailingDesk:
    return FailingDesk(service)


@pytest.fixture
def limits(service: Application) -> Iterator[dict[str, int]]:
    """Settings for one test."""
    given: dict[str, int] = {}
    settings: Any = service.world.service.settings
    before = {name: getattr(settings, name) for name in ("kept_input", "kept_outputs")}

    class Limits(dict[str, int]):
        def __setitem__(self, name: str, value: int) -> None:
            object.__setattr__(settings, name, value)

    yield Limits(given)
    for name, value in before.items():
        object.__setattr__(settings, name, value)


def test_outputs_count_for_the_owner_as_long_as_the_log(desk: FailingDesk) -> None:
    desk.fail({"a": b""})
    before = desk.use()
    desk.fail()
    assert 40_000 <= desk.use() - before < 45_000  # the input, and what the first step left
    desk.service.world.code.runs.retention.expire("9", 10)
    assert desk.use() < before


def test_what_is_kept_outlives_sweeps_while_it_is_needed(desk: FailingDesk) -> None:
    run = desk.fail()
    desk.last("COPY=")
    assert desk.service.sweep.run(timedelta(0)).blobs >= 0
    assert desk.go_on(run).status == 200
    desk.last("SLEEP=1", "EXIT=1")
    again = desk.ask(
        "POST", f"{run}/rerun", b'{"from": "last", "images": "latest"}', "application/json",
        Prefer="respond-async",
    ).headers["location"]  # fmt: skip
    assert desk.service.world.code.runs.retention.expire("9", 10)
    desk.service.sweep.run(timedelta(0))
    assert desk.go_on(run).status == 410
    while desk.ask("GET", f"{again}/status").body == b"processing":
        pass
    desk.last("COPY=")
    assert desk.go_on(again).status == 200
    assert desk.service.world.code.runs.retention.expire("9", 10)
    assert desk.service.sweep.run(timedelta(0)).blobs
    assert desk.service.world.code.runs.retention.held_files() == []


def test_what_is_larger_than_the_setting_is_not_kept(desk: FailingDesk, limits: dict[str, int]) -> None:
    limits["kept_outputs"] = 1000
    run = desk.fail()
    assert b"step: its output is not kept" in desk.ask("GET", f"{run}/log").body
    assert "rerun_from" not in desk.json(f"{run}/steps")
    answer = desk.go_on(run)
    assert (answer.status, b"the output of step was not kept" in answer.body) == (410, True)
    small = desk.fail({"a": b"1"})
    desk.last("COPY=")
    assert desk.go_on(small).status == 200


def test_an_owner_without_room_keeps_nothing(desk: FailingDesk) -> None:
    desk.service.world.service.quotas.set("alice", {QuotaName.STORAGE: desk.use() + 15_000})
    run = desk.fail()
    assert b"its output is not kept" in desk.ask("GET", f"{run}/log").body
    desk.service.world.service.quotas.set("alice", {QuotaName.STORAGE: None})


def test_an_input_that_nothing_reads_any_more_need_not_be_kept(
    desk: FailingDesk, limits: dict[str, int]
) -> None:
    limits["kept_input"] = 1000
    run = desk.fail()
    desk.last("COPY=")
    answer = desk.go_on(run)
    assert (answer.status, answer.body) == (200, LARGE["large.bin"])
    again = answer.headers["location"]
    for refused in (f"{run}/rerun", f"{again}/rerun"):
        assert desk.ask("POST", refused).status == 410  # an input that is not there is no empty one
    answer = desk.ask("POST", f"{run}/rerun", b'{"from": "step"}', "application/json")
    assert (answer.status, b"kept_input" in answer.body) == (410, True)


def test_an_older_image_needs_a_pusher_who_may_still_push(desk: FailingDesk) -> None:
    desk.service.user("bob")
    desk.service.push("alice/last", {"Containerfile": "FROM scratch\nENV EXIT=1"}, by="bob")
    run = desk.fail()
    desk.last("COPY=")
    same = (f"{run}/rerun", b'{"from": "last"}', "application/json")
    answer = desk.ask("POST", *same)
    assert (answer.status, b'\\"images\\": \\"latest\\"' in answer.body) == (409, True)
    desk.service.arrange("share", ["repo", "alice/last", "@bob", "rw"], [])
    assert desk.ask("POST", *same).status == 422  # as it failed before
    assert desk.ask("DELETE", "/v1/code/repos/last/shared/@bob~rw").status == 200
    assert desk.go_on(run).status == 200
