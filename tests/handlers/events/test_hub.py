"""What happens is handed out to who may hear of it, in one process."""

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
from handlers.services.happenings import Happening, decode, encode, tell
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


class Ground:
    """A world of one process and its hub."""

    def __init__(self, live_world: LiveWorld) -> None:
        self.live_world, self.world = live_world, live_world.world
        self.sources = EventSources(self.world, live_world.change_signal.hear, partial(admit, TREE))
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

    def __init__(self, ground: Ground, caller: Caller, pattern: str) -> None:
        key = str(caller).encode()
        self.one: Listener = ground.hub.enter(key, caller, lambda: ground.identify(caller))
        self.wire = KeptWire()
        self.peer = Peer(self.wire)
        self.one.begin(self.wire)
        self.one.receive(self.peer.frame("40"))
        subscribe = json.dumps(["subscribe_events", {"subscription": pattern}])
        self.one.receive(self.peer.frame(f"42{subscribe}"))
        self.peer.read()
        self.said: list[Any] = []

    def events(self, number: int) -> list[Any]:
        """So many events, and no further one for a moment."""
        assert heard_at_last(lambda: len(self.look()) >= number), self.said
        time.sleep(0.2)
        assert len(self.look()) == number
        return [json.loads(text[2:])[1] for text in self.said]

    def look(self) -> list[Any]:
        self.said += self.peer.read()
        return self.said


@pytest.fixture
def ground(tmp_path: Path) -> Iterator[Ground]:
    """A world with alice, bob and a plot of alice's."""
    live_world = build(load({}, data=str(tmp_path)))
    for name in ("alice", "bob"):
        live_world.world.people.users.add(name, "-", Account.REGULAR, None, public=True)
    live_world.world.items.create("plot", "alice", "terns")
    ground = Ground(live_world)
    yield ground
    ground.hub.stop()
    live_world.close()


def test_rights_that_are_taken_away_between_two_events(ground: Ground) -> None:
    alice, bob = ground.listen("alice"), ground.listen("bob", "/u/alice")
    plot = ground.world.items.find("plot", "alice", "terns", "alice")
    assert plot is not None
    ground.act(Verb.WRITE, "vis/plots/terns/name", "Terns")
    alice.events(1)
    ground.world.grants.give(plot.item.id, Grant("@bob", "r", "@bob~r"))
    ground.act(Verb.WRITE, "vis/plots/terns/name", "Gulls")
    alice.events(2)
    ground.world.grants.take(plot.item.id, "@bob")
    ground.act(Verb.WRITE, "vis/plots/terns/name", "Auks")
    assert [one["seq"] for one in alice.events(3)] == [1, 2, 3]
    (told,) = bob.events(1)
    assert (told["seq"], told["event_type"], told["target_fqnp"]) == (1, "name_update", "/u/alice/p/terns")


def test_own_marks_orders_and_odd_happenings_are_told_to_nobody(ground: Ground) -> None:
    alice = ground.listen("alice")
    ground.act(Verb.CREATE, "vis/plots/terns/tags/fav")
    ground.act(Verb.WRITE, "vis/plots/terns/notifications", "important")
    tell(ground.world, Happening("content", "data_update", "alice", 987654))
    ground.live_world.change_signal.tell("no happening")
    ground.act(Verb.REMOVE, "vis/plots/terns/name")
    # What could not be read leaves a gap.
    assert [(one["event_type"], one["seq"]) for one in alice.events(1)] == [("name_update", 2)]


def test_a_gap_tells_that_some_were_lost(ground: Ground) -> None:
    alice = ground.listen("alice")
    ground.act(Verb.WRITE, "vis/plots/terns/name", "Terns")
    alice.events(1)
    ground.live_world.change_signal._pass_on(None)
    ground.act(Verb.WRITE, "vis/plots/terns/name", "Gulls")
    assert [one["seq"] for one in alice.events(2)] == [1, 3]


def test_connections_are_counted(ground: Ground) -> None:
    first, _ = ground.listen("alice"), ground.listen("alice")
    with pytest.raises(TooMany):
        ground.listen("alice")
    ground.listen("bob")
    with pytest.raises(Unavailable):
        ground.listen("bob")
    first.one.end()
    first.one.end()
    ground.listen("bob")
    ground.hub.stop()
    assert first.wire.is_closed is False, "it had ended"
    with pytest.raises(Unavailable):
        ground.listen("alice")


def test_a_dead_credential_ends_its_connections(ground: Ground) -> None:
    one, other = ground.listen("alice"), ground.listen("alice")
    ground.alive = False
    ground.act(Verb.WRITE, "vis/plots/terns/name", "Terns")
    assert heard_at_last(lambda: one.wire.is_closed and other.wire.is_closed)
    (close,) = one.look()
    assert (close.code, close.reason) == (1008, "it was revoked")
    ground.alive = True
    assert ground.listen("alice").wire.is_closed is False


def test_a_deep_answer_is_told_at_its_thread(ground: Ground) -> None:
    alice, path = ground.listen("alice"), "vis/plots/terns/threads"
    for depth in range(30):
        path += f"/@alice~{'x' * 60}" if not depth else f"/comments/@alice~{'x' * 60}"
        ground.act(Verb.CREATE, path, "deep @bob")
    events = alice.events(30)
    assert events[0]["target_fqnp"] == f"/u/alice/p/terns/c/@alice~{'x' * 60}"
    assert events[1]["target_fqnp"].count("/c/") == 2
    assert events[-1]["target_fqnp"] == events[0]["target_fqnp"]


def test_an_account_that_is_not_seen_has_no_name(ground: Ground) -> None:
    ground.world.people.users.change("bob", public=False)
    ground.world.people.users.add("carol", "-", Account.REGULAR, None, public=True)
    plot = ground.world.items.find("plot", "alice", "terns", "alice")
    assert plot is not None
    for name in ("bob", "carol"):
        ground.world.grants.give(plot.item.id, Grant(f"@{name}", "rw", f"@{name}~rw"))
    talks = [ground.listen(name) for name in ("alice", "bob", "carol")]
    ground.act(Verb.WRITE, "users/alice/vis/plots/terns/name", "Auks", who="bob")
    actors = [talk.events(1)[0]["actor"] for talk in talks]
    assert actors[1:] == ["bob", ""]


def test_happenings_are_lines() -> None:
    happening = Happening("a", "b", "alice", 7, "name\nof", to=("bob",), moment="now")
    line = encode(happening)
    assert "\n" not in line
    assert decode(line)[:5] == happening[:5]
