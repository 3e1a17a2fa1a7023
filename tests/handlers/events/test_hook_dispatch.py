"""Events reach the hooks of who may see them, once, signed, and again until they are taken."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import orjson
import pytest
from jsonschema import Draft202012Validator, FormatChecker

from handlers.events.hook_dispatch import HookDispatch
from handlers.processes.background import background
from handlers.processes.world import build
from handlers.reference.pages import HOOK_SCHEMA
from handlers.services.happenings import Happening, publish
from handlers.services.outgoing_hooks import (
    BOTH_VALID,
    LARGEST,
    HookAnswer,
    call_hook,
    in_form,
    payload,
    send_hook,
)
from storage.people.hooks import NOTE_LOSS
from tests.handlers.events.hook_stage import PLOT, TREE, HookStage
from tests.handlers.service_world import ServiceWorld
from tests.kit.outside.receiver import Receiver, receiving
from tests.kit.wire.event_clients import heard_at_last
from vfs.access import Grant, Verb
from vfs.call import Call
from vfs.errors import Conflict
from vfs.ports.hooks import MOST_HOOKS, MOST_WAITING
from vfs.serve import admit

HOOK = "/v1/admin/hooks/chat"


@pytest.fixture
def stage(service_world: ServiceWorld) -> HookStage:
    return HookStage(service_world)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


def test_an_event_is_sent_once_and_signed(stage: HookStage, receiver: Receiver) -> None:
    secret = stage.hook("alice", receiver.url, "/u/alice/p")
    stage.act("alice", Verb.CREATE, PLOT)
    stage.act("alice", Verb.CREATE, "/v1/vis/docs/notes")
    stage.dispatch().round()
    stage.dispatch().round()
    (one,) = receiver.taken
    assert one.is_signed(secret)
    assert not one.is_signed("whsec_" + "A" * 44)
    assert one.payload["type"] == "created"
    assert one.payload["data"]["url"] == "https://curlew.example/u/alice/p/sales"
    assert one.payload["data"]["actor"] == "alice"
    assert stage.log("alice") == [("created", "delivered", 1)]


def test_a_kind_of_event_is_chosen_by_its_pattern(stage: HookStage, receiver: Receiver) -> None:
    stage.hook("alice", receiver.url, "/u/alice/p/sales/e/data_update\n/u/alice/d/*\n")
    stage.act("alice", Verb.CREATE, PLOT)
    stage.act("alice", Verb.WRITE, f"{PLOT}/data", "a,1")
    stage.act("alice", Verb.CREATE, "/v1/vis/docs/notes")
    stage.dispatch().round()
    assert [one.payload["type"] for one in receiver.taken] == ["data_update", "created"]


def test_answers_to_one_s_comments_are_sent_to_one_s_hooks(stage: HookStage, receiver: Receiver) -> None:
    for user in ("alice", "bob"):
        stage.hook(user, receiver.url, "/u/*/p/*/e/comment_reply:me\n")
    stage.act("alice", Verb.CREATE, PLOT)
    stage.act("alice", Verb.CREATE, f"{PLOT}/shared/@bob~r")
    stage.act("alice", Verb.CREATE, f"{PLOT}/threads/why", "why?")
    answer = "/v1/users/alice/vis/plots/sales/threads/@alice~why/comments/so"
    stage.act("bob", Verb.CREATE, answer, "so")
    stage.dispatch().round()
    assert [one.payload["type"] for one in receiver.taken] == ["comment_reply"]
    assert stage.log("alice") == [("comment_reply", "delivered", 1)]
    assert stage.log("bob") == []


def test_rights_are_those_at_the_moment_of_sending(stage: HookStage, receiver: Receiver) -> None:
    stage.act("alice", Verb.CREATE, PLOT)
    stage.hook("bob", receiver.url, "/u/alice\n")
    item = stage.service.world.items.find("plot", "alice", "sales", "alice")
    assert item is not None
    stage.act("alice", Verb.WRITE, f"{PLOT}/data", "a,1")
    stage.dispatch().round()
    assert receiver.taken == []
    stage.service.world.grants.give(item.item.id, Grant("@bob", "r", "@bob~r"))
    stage.act("alice", Verb.WRITE, f"{PLOT}/data", "a,2")
    receiver.answer = lambda one: 503
    stage.dispatch().round()
    assert [one.payload["type"] for one in receiver.taken] == ["data_update"]
    # The second attempt comes after the share has ended.
    stage.act("alice", Verb.REMOVE, f"{PLOT}/shared/@bob~r")
    stage.service.clock.forward(60)
    stage.dispatch().round()
    assert len(receiver.taken) == 1
    assert stage.hooks.tally() == {}


def test_messages_are_as_the_schema_in_the_manual_says(stage: HookStage, receiver: Receiver) -> None:
    check = Draft202012Validator(HOOK_SCHEMA, format_checker=FormatChecker())
    stage.hook("alice", receiver.url, "/u/alice")
    stage.act("alice", Verb.CREATE, PLOT)
    stage.act("alice", Verb.WRITE, f"{PLOT}/data", "a,1")
    stage.act("alice", Verb.REMOVE, PLOT)
    call_hook(stage.service.world, "alice", "chat", "alert_started", {"text": "low", "value": 9})
    stage.dispatch().round()
    # An item that is removed before its events are sent has the event `removed` only.
    assert [one.payload["type"] for one in receiver.taken] == ["alert_started", "removed"]
    for one in receiver.taken:
        check.validate(one.payload)
    event = receiver.taken[1].payload
    for field in ("actor", "url", "text"):
        lacking = {**event, "data": {name: said for name, said in event["data"].items() if name != field}}
        assert not check.is_valid(lacking)
    assert not check.is_valid({**event, "type": "Run Failed"})


def test_a_change_that_is_undone_sends_nothing(stage: HookStage, receiver: Receiver) -> None:
    stage.hook("alice", receiver.url, "/u/alice")

    def change_and_fail() -> None:
        with stage.service.world.atomic():
            stage.act("alice", Verb.CREATE, PLOT)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        change_and_fail()
    with stage.service.world.atomic(), suppress(ZeroDivisionError):
        change_and_fail()
    stage.dispatch().round()
    assert receiver.taken == []


def test_an_event_outlives_the_process_that_caused_it(stage: HookStage, receiver: Receiver) -> None:
    """Nothing of the process is left but what it committed; another one sends."""
    stage.hook("alice", receiver.url, "/u/alice")
    stage.act("alice", Verb.CREATE, PLOT)
    other = build(stage.service.world.service.settings, stage.service.clock)
    try:
        HookDispatch(other.world, partial(admit, TREE), start=lambda act: act()).round()
    finally:
        other.close()
    assert [one.payload["type"] for one in receiver.taken] == ["created"]


def test_a_message_taken_by_a_process_that_died_is_sent_again_with_its_id(
    stage: HookStage, receiver: Receiver
) -> None:
    stage.hook("alice", receiver.url, "/u/alice")
    stage.act("alice", Verb.CREATE, PLOT)

    def send_and_die() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stage.dispatch(start=lambda act: send_and_die()).round()
    stage.dispatch().round()
    assert receiver.taken == []
    stage.service.clock.forward(301)
    stage.dispatch().round()
    assert len(receiver.taken) == 1


def test_one_of_several_processes_sends_an_event(stage: HookStage, receiver: Receiver) -> None:
    stage.hook("alice", receiver.url, "/u/alice")
    others = [build(stage.service.world.service.settings, stage.service.clock) for _ in range(2)]
    dispatches = [HookDispatch(one.world, partial(admit, TREE)) for one in others]
    try:
        with background(dispatches[0]), background(dispatches[1]):
            stage.act("alice", Verb.CREATE, PLOT)
            for number in range(30):
                stage.act("alice", Verb.WRITE, f"{PLOT}/data", f"a,{number}")
            assert heard_at_last(lambda: len(receiver.taken) >= 31 and not stage.hooks.tally())
    finally:
        for one in others:
            one.close()
    assert len({one.headers["webhook-id"] for one in receiver.taken}) == len(receiver.taken) == 31


def test_a_receiver_that_hangs_holds_up_its_own_account_only(stage: HookStage, receiver: Receiver) -> None:
    let_go = threading.Event()
    receiver.answer = lambda one: 200 if one.path == "/quick" or let_go.wait(20) else 500
    stage.hook("alice", f"{receiver.url}/slow", "/u/alice/e/created")
    stage.hook("bob", f"{receiver.url}/quick", "/u/bob/e/created")
    with background(HookDispatch(stage.service.world, partial(admit, TREE))):
        for user in ("alice", "bob"):
            for number in range(3):
                stage.act(user, Verb.CREATE, f"/v1/vis/plots/p{number}")
        assert heard_at_last(lambda: len(stage.log("bob")) == 3)
        assert [one.path for one in receiver.taken].count("/slow") == 1
        let_go.set()
        assert heard_at_last(lambda: len(stage.log("alice")) == 3)


@pytest.mark.parametrize(
    ("status", "outcome", "state"), [(410, "failed", "paused"), (302, "waits", "active")]
)
def test_answers_that_are_no_success(
    stage: HookStage, receiver: Receiver, status: int, outcome: str, state: str
) -> None:
    stage.hook("alice", f"{receiver.url}/{status}", "/u/alice")
    stage.act("alice", Verb.CREATE, PLOT)
    stage.dispatch().round()
    assert [one.path for one in receiver.taken] == [f"/{status}"]
    assert stage.log("alice") == [("created", outcome, 1)]
    assert stage.act("alice", Verb.READ, f"{HOOK}/state") == state


def test_after_three_days_it_is_paused_and_its_owner_notified_once(
    stage: HookStage, receiver: Receiver
) -> None:
    receiver.answer = lambda one: 500
    start = stage.service.clock.now()
    stage.hook("alice", receiver.url, "/u/alice")
    stage.act("alice", Verb.CREATE, PLOT)
    stage.act("alice", Verb.WRITE, f"{PLOT}/data", "a,1")
    dispatch = stage.dispatch()
    while (wait := dispatch.round()) is not None:
        stage.service.clock.forward(wait)
    assert timedelta(days=2) < stage.service.clock.now() - start < timedelta(days=4)
    assert stage.act("alice", Verb.READ, f"{HOOK}/state") == "paused"
    assert stage.service.inbox("alice") == ["hook"]
    (notice,) = stage.service.shown_notices("alice")
    assert notice.path == "/v1/admin/hooks/chat"
    assert "500" in notice.text
    # Nothing is stored for it meanwhile; what waited is sent when it is resumed.
    stage.act("alice", Verb.CREATE, "/v1/vis/plots/other")
    waiting = sum(stage.hooks.tally().values())
    receiver.answer = lambda one: 200
    before = len(receiver.taken)
    stage.act("alice", Verb.WRITE, f"{HOOK}/state", "active")
    stage.dispatch().round()
    assert len(receiver.taken) - before == waiting <= 1


def test_owners_are_notified_once_of_events_that_were_dropped(stage: HookStage, receiver: Receiver) -> None:
    for user in ("alice", "bob"):
        stage.hook(user, receiver.url, f"/u/{user}/e/created")
    stage.service.live_world.database.run(NOTE_LOSS)
    stage.act("bob", Verb.CREATE, PLOT)
    stage.dispatch().round()
    stage.dispatch().round()
    assert [one.payload["data"]["actor"] for one in receiver.taken] == ["bob"]
    for user in ("alice", "bob"):
        (notice,) = stage.service.shown_notices(user)
        assert notice.path == "/v1/admin/hooks"
        assert "10,000" in notice.text


def test_too_many_waiting_messages_pause_it(stage: HookStage, receiver: Receiver) -> None:
    stage.hook("alice", receiver.url, "")
    with stage.service.world.atomic():
        sent = [
            call_hook(stage.service.world, "alice", "chat", "alert_started", {"text": "low"})
            for _ in range(MOST_WAITING + 2)
        ]
    assert sent == [True] * MOST_WAITING + [False] * 2
    assert stage.service.inbox("alice") == ["hook"]


def test_a_service_sends_its_own_message(stage: HookStage, receiver: Receiver) -> None:
    secret = stage.hook("alice", receiver.url, "")
    data = {"text": "Sales are below 10.", "url": "https://curlew.example/u/alice/p/sales", "value": 9}
    assert call_hook(stage.service.world, "alice", "chat", "alert_started", data)
    assert not call_hook(stage.service.world, "bob", "chat", "alert_started", data)
    with pytest.raises(ValueError, match="at most"):
        payload("alert_started", "", {"text": "x" * LARGEST})
    stage.dispatch().round()
    (one,) = receiver.taken
    assert one.is_signed(secret)
    assert (one.payload["type"], one.payload["data"]) == ("alert_started", data)


def test_a_locked_account_sends_nothing(stage: HookStage, receiver: Receiver) -> None:
    stage.hook("alice", receiver.url, "/u/alice")
    stage.act("alice", Verb.CREATE, PLOT)
    assert call_hook(stage.service.world, "alice", "chat", "alert_started", {"text": "low"})
    stage.service.world.people.users.change("alice", locked=True)
    stage.dispatch().round()
    assert receiver.taken == []


def test_a_hook_that_is_removed_meanwhile_delays_no_other(stage: HookStage, receiver: Receiver) -> None:
    stage.hook("alice", receiver.url, "/u/alice/p", name="ended")
    stage.hook("alice", receiver.url, "/u/alice/p")
    stage.act("alice", Verb.CREATE, PLOT)

    def look(call: Call) -> object:
        """Remove the hook while rights are checked, as another process can."""
        if stage.hooks.find("alice", "ended") is not None:
            stage.act("alice", Verb.REMOVE, "/v1/admin/hooks/ended")
        return admit(TREE, call)

    HookDispatch(stage.service.world, look, start=lambda act: act()).round()
    assert stage.log("alice") == [("created", "delivered", 1)]


def test_a_hook_is_removed_while_its_message_is_on_the_way(stage: HookStage, receiver: Receiver) -> None:
    stage.hook("alice", receiver.url, "/u/alice/p")
    stage.act("alice", Verb.CREATE, PLOT)

    def send(*words: Any) -> HookAnswer:
        stage.act("alice", Verb.REMOVE, HOOK)
        return send_hook(*words)

    stage.dispatch(send=send).round()
    assert len(receiver.taken) == 1
    assert stage.hooks.everyone() == []


def test_chats_get_one_text_that_calls_nobody() -> None:
    sent = payload("alert_started", "", {"text": "<!channel> @all & more", "url": "https://x.example/"})
    slack, discord = (orjson.loads(in_form(form, sent)) for form in ("slack", "discord"))
    assert slack == {"text": "&lt;!channel&gt; @\u200ball &amp; more\nhttps://x.example/"}
    assert discord["allowed_mentions"] == {"parse": []}
    assert discord["content"].startswith("<!channel> @\u200ball")
    assert in_form("standard", sent) == sent
    long = payload("alert_started", "", {"text": "x" * 9_000, "url": "https://x.example/"})
    assert len(orjson.loads(in_form("discord", long))["content"]) <= 2_000


def test_both_secrets_are_valid_for_a_day(stage: HookStage, receiver: Receiver) -> None:
    former = stage.hook("alice", receiver.url, "/u/alice")
    secret = str(stage.act("alice", Verb.WRITE, f"{HOOK}/secret", "new")["secret"])
    stage.act("alice", Verb.CREATE, PLOT)
    stage.dispatch().round()
    stage.service.clock.forward(BOTH_VALID.total_seconds())
    stage.act("alice", Verb.WRITE, f"{PLOT}/data", "a,1")
    stage.dispatch().round()
    first, second = receiver.taken
    assert first.is_signed(former) and first.is_signed(secret)
    assert second.is_signed(secret) and not second.is_signed(former)
    row = stage.service.live_world.database.row("SELECT sealed FROM hook")
    assert row is not None and secret not in row[0] and receiver.url not in row[0]


def test_the_hooks_of_an_account_are_limited(stage: HookStage) -> None:
    for number in range(MOST_HOOKS):
        stage.act("alice", Verb.CREATE, f"/v1/admin/hooks/h{number}")
    with pytest.raises(Conflict, match="maximum"):
        stage.act("alice", Verb.CREATE, "/v1/admin/hooks/more")


def test_a_test_tells_what_happened(stage: HookStage, receiver: Receiver) -> None:
    secret = stage.hook("alice", f"{receiver.url}/503", "")
    result = stage.act("alice", Verb.WRITE, f"{HOOK}/test")
    assert (result["outcome"], result["answer"]) == ("failed", "503")
    stage.act("alice", Verb.WRITE, f"{HOOK}/state", "paused")
    stage.act("alice", Verb.WRITE, f"{HOOK}/url", receiver.url)
    assert stage.act("alice", Verb.WRITE, f"{HOOK}/test")["outcome"] == "delivered"
    assert receiver.taken[-1].is_signed(secret)
    assert stage.log("alice") == [("test", "failed", 1), ("test", "delivered", 1)]
    assert stage.service.inbox("alice") == []


def test_the_operator_switches_hooks_off(stage: HookStage, receiver: Receiver) -> None:
    stage.hook("alice", receiver.url, "/u/alice")
    world = stage.service.world
    off = replace(
        world, service=replace(world.service, settings=replace(world.service.settings, hooks_out=False))
    )
    stage.service.world = off
    stage.act("alice", Verb.CREATE, PLOT)
    with off.atomic():
        publish(off, Happening("run", "run_failed", "alice", 1))
    assert not call_hook(off, "alice", "chat", "alert_started", {})
    stage.hooks.enqueue(1, "alert_started", "msg_1", b"{}")
    stage.dispatch().round()
    assert receiver.taken == []
    assert stage.hooks.events(10) == []
