"""Events are sent to the listeners who may see their items, in one process."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from handlers.events.hub import EventHub, EventSources
from handlers.events.listener import Listener
from handlers.processes.web import tree_and_pages
from handlers.processes.world import LiveWorld, build
from handlers.services.happenings import Happening, decode, encode, publish
from handlers.settings.sources import load
from handlers.trees import ROOT
from tests.handlers.events.quiet import KeptWire, Peer
from tests.kit.wire.event_clients import heard_at_last
from vfs.access import Caller, Grant, Verb
from vfs.body import TextBody
from vfs.call import Call
from vfs.errors import TooMany, Unauthenticated, Unavailable
from vfs.path import Path as TreePath
from vfs.ports.people import Account
from vfs.serve import admit, serve

TREE = tree_and_pages(ROOT)[0]


class HubWorld:
    """A world of one process and its hub."""

    def __init__(self, live_world: LiveWorld) -> None:
        self.live_world, self.world = live_world, live_world.world
        self.sources = EventSources(self.world, live_world.change_signal.subscribe, partial(admit, TREE))
        self.hub = EventHub(self.sources, 3, 2)
        self.alive = True

    def listen(self, name: str, pattern: str = "/*") -> Talk:
        return Talk(self, Caller(name), pattern)

    def identify(self, caller: Caller) -> Caller:
        if not self.alive:
            raise Unauthenticated("it was revoked")
        return caller

    def act(self, verb: Verb, path: str, text: str = "", who: str = "alice") -> None:
        body = TextBody(text)
        serve(TREE, Call(verb, TreePath.parse(f"/v1/{path}"), Caller(who), self.world, body))


class Talk:
    """A listener and what it was sent."""

    def __init__(self, hub_world: HubWorld, caller: Caller, pattern: str) -> None:
        key = str(caller).encode()
        self.one: Listener = hub_world.hub.enter(key, caller, lambda: hub_world.identify(caller))
        self.wire = KeptWire()
        self.peer = Peer(self.wire)
        self.one.begin(self.wire)
        self.one.receive(self.peer.frame("40"))
        subscribe = json.dumps(["subscribe_events", {"subscription": pattern}])
        self.one.receive(self.peer.frame(f"42{subscribe}"))
        self.peer.read()
        self.said: list[Any] = []

    def events(self, number: int) -> list[Any]:
        """Return the events, after a moment without a further one."""
        assert heard_at_last(lambda: len(self.look()) >= number), self.said
        time.sleep(0.2)
        assert len(self.look()) == number
        return [json.loads(text[2:])[1] for text in self.said]

    def look(self) -> list[Any]:
        self.said += self.peer.read()
        return self.said


@pytest.fixture
def hub_world(tmp_path: Path) -> Iterator[HubWorld]:
    """A world with alice, bob and a plot of alice's."""
    live_world = build(load({}, data=str(tmp_path)))
    for name in ("alice", "bob"):
        live_world.world.people.users.add(name, "-", Account.REGULAR, None, public=True)
    live_world.world.items.create("plot", "alice", "terns")
    hub_world = HubWorld(live_world)
    yield hub_world
    hub_world.hub.stop()
    live_world.close()


def test_rights_that_are_taken_away_between_two_events(hub_world: HubWorld) -> None:
    alice, bob = hub_world.listen("alice"), hub_world.listen("bob", "/u/alice")
    plot = hub_world.world.items.find("plot", "alice", "terns", "alice")
    assert plot is not None
    hub_world.act(Verb.WRITE, "vis/plots/terns/name", "Terns")
    alice.events(1)
    hub_world.world.grants.give(plot.item.id, Grant("@bob", "r", "@bob~r"))
    hub_world.act(Verb.WRITE, "vis/plots/terns/name", "Gulls")
    alice.events(2)
    hub_world.world.grants.take(plot.item.id, "@bob")
    hub_world.act(Verb.WRITE, "vis/plots/terns/name", "Auks")
    assert [one["seq"] for one in alice.events(3)] == [1, 2, 3]
    (event,) = bob.events(1)
    assert (event["seq"], event["event_type"], event["target_fqnp"]) == (1, "name_update", "/u/alice/p/terns")


def test_own_marks_orders_and_odd_happenings_are_sent_to_nobody(hub_world: HubWorld) -> None:
    alice = hub_world.listen("alice")
    hub_world.act(Verb.CREATE, "vis/plots/terns/tags/fav")
    hub_world.act(Verb.WRITE, "vis/plots/terns/notifications", "important")
    publish(hub_world.world, Happening("content", "data_update", "alice", 987654))
    hub_world.live_world.change_signal.publish("no happening")
    hub_world.act(Verb.REMOVE, "vis/plots/terns/name")
    # What could not be read leaves a gap.
    assert [(one["event_type"], one["seq"]) for one in alice.events(1)] == [("name_update", 2)]


def test_a_gap_tells_that_some_were_lost(hub_world: HubWorld) -> None:
    alice = hub_world.listen("alice")
    hub_world.act(Verb.WRITE, "vis/plots/terns/name", "Terns")
    alice.events(1)
    hub_world.live_world.change_signal._pass_on(None)
    hub_world.act(Verb.WRITE, "vis/plots/terns/name", "Gulls")
    assert [one["seq"] for one in alice.events(2)] == [1, 3]


def test_connections_are_counted(hub_world: HubWorld) -> None:
    first, _ = hub_world.listen("alice"), hub_world.listen("alice")
    with pytest.raises(TooMany):
        hub_world.listen("alice")
    hub_world.listen("bob")
    with pytest.raises(Unavailable):
        hub_world.listen("bob")
    first.one.end()
    first.one.end()
    hub_world.listen("bob")
    hub_world.hub.stop()
    assert first.wire.is_closed is False, "it had ended"
    with pytest.raises(Unavailable):
        hub_world.listen("alice")


def test_a_dead_credential_ends_its_connections(hub_world: HubWorld) -> None:
    one, other = hub_world.listen("alice"), hub_world.listen("alice")
    hub_world.alive = False
    hub_world.act(Verb.WRITE, "vis/plots/terns/name", "Terns")
    assert heard_at_last(lambda: one.wire.is_closed and other.wire.is_closed)
    (close,) = one.look()
    assert (close.code, close.reason) == (1008, "it was revoked")
    hub_world.alive = True
    assert hub_world.listen("alice").wire.is_closed is False


def test_a_deep_reply_is_reported_at_its_thread(hub_world: HubWorld) -> None:
    alice, path = hub_world.listen("alice"), "vis/plots/terns/threads"
    for depth in range(30):
        path += f"/@alice~{'x' * 60}" if not depth else f"/comments/@alice~{'x' * 60}"
        hub_world.act(Verb.CREATE, path, "deep @bob")
    events = alice.events(30)
    assert events[0]["target_fqnp"] == f"/u/alice/p/terns/c/@alice~{'x' * 60}"
    assert events[1]["target_fqnp"].count("/c/") == 2
    assert events[-1]["target_fqnp"] == events[0]["target_fqnp"]


def test_an_account_that_is_not_seen_has_no_name(hub_world: HubWorld) -> None:
    hub_world.world.people.users.change("bob", public=False)
    hub_world.world.people.users.add("carol", "-", Account.REGULAR, None, public=True)
    plot = hub_world.world.items.find("plot", "alice", "terns", "alice")
    assert plot is not None
    for name in ("bob", "carol"):
        hub_world.world.grants.give(plot.item.id, Grant(f"@{name}", "rw", f"@{name}~rw"))
    talks = [hub_world.listen(name) for name in ("alice", "bob", "carol")]
    hub_world.act(Verb.WRITE, "users/alice/vis/plots/terns/name", "Auks", who="bob")
    actors = [talk.events(1)[0]["actor"] for talk in talks]
    assert actors[1:] == ["bob", ""]


def test_happenings_are_lines() -> None:
    happening = Happening("a", "b", "alice", 7, "name\nof", to=("bob",), moment="now")
    line = encode(happening)
    assert "\n" not in line
    assert decode(line)[:5] == happening[:5]
