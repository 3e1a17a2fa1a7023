"""Receivers that hang: their hooks rest, and hold up no other account."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import partial

import pytest

from handlers.events.hook_dispatch import MOST_AT_ONCE, HookDispatch
from handlers.processes.background import background
from handlers.rules.hook_addresses import HookAddress
from handlers.services.outgoing_hooks import HookAnswer
from tests.handlers.events.hook_stage import PLOT, TREE, HookStage
from tests.handlers.service_world import ServiceWorld
from tests.kit.wire.event_clients import heard_at_last
from vfs.access import Verb
from vfs.serve import admit

HOOK = "/v1/admin/hooks/chat"


@pytest.fixture
def stage(service_world: ServiceWorld) -> HookStage:
    return HookStage(service_world)


def hanging(stage: HookStage, accounts: int, messages: int) -> None:
    """Add accounts, each with a hook at a separate receiver and with messages."""
    for number in range(accounts):
        stage.service.citizen(f"slow{number}")
        stage.hook(f"slow{number}", f"https://slow{number}.example/", f"/u/slow{number}/e/created")
        for plot in range(messages):
            stage.act(f"slow{number}", Verb.CREATE, f"/v1/vis/plots/p{plot}")


def test_accounts_with_receivers_that_hang_hold_up_no_other(stage: HookStage) -> None:
    let_go, begun = threading.Event(), list[str]()

    def send(to: HookAddress, *rest: object) -> HookAnswer:
        begun.append(to.host)
        if to.host.startswith("slow"):
            let_go.wait(20)
            return HookAnswer(None, "it did not answer in time", 10_000)
        return HookAnswer(200, "200", 1)

    hanging(stage, MOST_AT_ONCE + 4, 3)
    with background(HookDispatch(stage.service.world, partial(admit, TREE), send)):
        assert heard_at_last(lambda: len(begun) == MOST_AT_ONCE + 4)
        stage.hook("bob", "https://quick.example/", "/u/bob/e/created")
        stage.act("bob", Verb.CREATE, PLOT)
        assert heard_at_last(lambda: stage.log("bob") == [("created", "delivered", 1)])
        assert len(begun) == MOST_AT_ONCE + 5
        let_go.set()
        slow = [f"slow{number}" for number in range(MOST_AT_ONCE + 4)]
        assert heard_at_last(lambda: all(stage.log(one) == [("created", "waits", 1)] for one in slow))


def test_a_hook_rests_while_its_receiver_does_not_answer(stage: HookStage) -> None:
    silent, begun = {"slow0.example"}, list[str]()

    def send(to: HookAddress, reach: object, headers: Mapping[str, str], body: bytes) -> HookAnswer:
        begun.append(headers["webhook-id"])
        return HookAnswer(None, "no answer", 1) if to.host in silent else HookAnswer(200, "200", 1)

    hanging(stage, 1, 3)
    dispatch = stage.dispatch(send=send)
    for attempts in range(1, 4):
        stage.act("slow0", Verb.CREATE, f"/v1/vis/plots/more{attempts}")
        wait = dispatch.round()
        # The same message is tried until one gets through; the others and new ones wait with it.
        assert len(begun) == attempts and len(set(begun)) == 1
        assert wait is not None and wait > 15 * 2 ** (attempts - 1)
        stage.service.clock.forward(wait)
    silent.clear()
    dispatch.round()
    assert len(set(begun)) == 6
    assert stage.hooks.tally() == {}


def test_a_rest_ends_when_its_owner_changes_the_hook(stage: HookStage) -> None:
    begun: list[str] = []

    def send(to: HookAddress, *rest: object) -> HookAnswer:
        begun.append(to.host)
        return HookAnswer(None, "no answer", 1) if to.host == "slow0.example" else HookAnswer(200, "200", 1)

    hanging(stage, 1, 3)
    dispatch = stage.dispatch(send=send)
    dispatch.round()
    stage.act("slow0", Verb.WRITE, f"{HOOK}/url", "https://well.example/")
    dispatch.round()
    assert begun == ["slow0.example", *["well.example"] * 2]
