"""Events of a picture: its version at once, a new one after each write, none after the right has ended."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice

import orjson
import pytest

from handlers.services.viewer import Hints
from handlers.words.sse import FIRST, HEARTBEAT
from tests.handlers.service_world import TREE, ServiceWorld
from vfs.access import Caller, Grant, Verb, Via
from vfs.call import Call, Stream, Unsupervised
from vfs.errors import Denied, NotFound
from vfs.path import Path
from vfs.serve import serve

PLOT = "/v1/users/alice/vis/plots/sales"


@dataclass
class Supervised(Unsupervised):
    """Supervision that allows `left` checks."""

    left: int = 1 << 30
    begun: list[bool] = field(default_factory=list)

    def begin(self, *, spare: bool = False) -> None:
        self.begun.append(spare)

    def is_allowed(self) -> bool:
        self.left -= 1
        return self.left >= 0


@pytest.fixture
def plot(service_world: ServiceWorld) -> ServiceWorld:
    """A service world where alice has the plot `sales`."""
    service_world.call("alice", Verb.CREATE, PLOT)
    service_world.write("alice", f"{PLOT}/data", "a,b\nx,1\n")
    return service_world


def news(service_world: ServiceWorld, user: str = "alice", since: str = "", left: int = 1 << 30) -> Stream:
    call = Call(
        Verb.READ,
        Path.parse(f"{PLOT}/files/plot.svg"),
        Caller(user, Via.TOKEN),
        service_world.world,
        hints=Hints(events=True, since=since),
        ongoing=Supervised(left),
    )
    value = serve(TREE, call).value
    assert isinstance(value, Stream)
    return value


def version_in(event: bytes) -> str:
    name, _, data = event.partition(b"\ndata: ")
    version = str(orjson.loads(data)["version"])
    assert name == f"id: {version}".encode()
    return version


@contextmanager
def writing(service_world: ServiceWorld, rest: str, text: str) -> Iterator[None]:
    """Somebody else who writes meanwhile."""
    thread = threading.Thread(target=service_world.write, args=("alice", f"{PLOT}/{rest}", text))
    thread.start()
    yield
    thread.join()


def test_the_present_version_comes_first(plot: ServiceWorld) -> None:
    stream = news(plot)
    first, second = islice(stream.pieces, 2)
    assert (first, stream.media) == (FIRST, "text/event-stream")
    assert version_in(second) == stream.tag


def test_a_client_with_the_present_version_does_not_get_it_again(plot: ServiceWorld) -> None:
    assert list(islice(news(plot, since=news(plot).tag or "").pieces, 2)) == [FIRST, HEARTBEAT]


@pytest.mark.parametrize("rest", ["data", "config/title", "name", "summary"])
def test_a_write_sends_an_event_at_once(plot: ServiceWorld, rest: str) -> None:
    pieces = iter(news(plot).pieces)
    next(pieces)
    before = version_in(next(pieces))
    with writing(plot, rest, "other"):
        event = next(piece for piece in pieces if piece != HEARTBEAT)
    assert version_in(event) == news(plot).tag != before


def test_a_write_that_changes_nothing_of_the_picture_is_no_news(plot: ServiceWorld) -> None:
    before = news(plot).tag
    plot.write("alice", f"{PLOT}/description", "more")
    assert news(plot).tag == before


def test_all_who_see_the_picture_get_its_events(plot: ServiceWorld) -> None:
    found = plot.world.items.find("plot", "alice", "sales", "alice")
    assert found is not None
    with pytest.raises(NotFound):
        news(plot, "bob")
    plot.world.grants.give(found.item.id, Grant("@bob", "w", "@bob~w"))
    with pytest.raises(Denied):
        news(plot, "bob")
    plot.world.grants.give(found.item.id, Grant("@bob", "x", "@bob~x"))
    assert news(plot, "bob").tag == news(plot).tag


def test_it_ends_when_the_picture_may_not_be_seen_any_more(plot: ServiceWorld) -> None:
    assert list(news(plot, left=0).pieces) == [FIRST]


def test_it_uses_spare_room_for_watchers(plot: ServiceWorld) -> None:
    ongoing = Supervised()
    call = Call(
        Verb.READ,
        Path.parse(f"{PLOT}/files/plot.svg"),
        Caller("alice", Via.TOKEN),
        plot.world,
        hints=Hints(events=True),
        ongoing=ongoing,
    )
    serve(TREE, call)
    assert ongoing.begun == [True]
