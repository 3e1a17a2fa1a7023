"""A body that is long on its way: others read and write meanwhile, even with one connection for all."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path as Folder

import pytest

from handlers.processes.world import LiveWorld, build
from handlers.settings.settings import Settings
from handlers.trees import ADVICE, ROOT
from tests.handlers.small_kernel import incoming
from vfs.access import Caller, Verb, Via
from vfs.body import Body, NoBody, TextBody
from vfs.call import Call, Reply
from vfs.errors import Invalid, NotFound, TooLarge
from vfs.path import Path
from vfs.ports.people import Account
from vfs.serve import serve
from vfs.tree import Tree

TREE = Tree(ROOT, ADVICE)
SECONDS = 120
DOCUMENT = "/v1/users/alice/vis/docs/report"


class Slow(io.BytesIO):
    """A stream whose second half comes when it is let go."""

    def __init__(self, content: bytes) -> None:
        super().__init__(content)
        self.waits, self.let_go = threading.Event(), threading.Event()

    def read(self, size: int | None = -1) -> bytes:
        if self.tell():
            self.waits.set()
            assert self.let_go.wait(SECONDS)
        return super().read(3)


class Gone(io.BytesIO):
    """A stream whose peer goes away after what it holds."""

    def read(self, size: int | None = -1) -> bytes:
        piece = super().read(size)
        if not piece:
            raise ConnectionResetError(104, "gone")
        return piece


@pytest.fixture
def live_world(database_url: str, tmp_path: Folder) -> Iterator[LiveWorld]:
    live_world = build(Settings(data=str(tmp_path), database_url=database_url, pool=1))
    live_world.world.people.users.add("alice", "-", Account.REGULAR, None, public=False)
    yield live_world
    live_world.close()


def ask(live_world: LiveWorld, verb: Verb, path: str, body: Body | None = None) -> Reply:
    """What alice is answered."""
    world = live_world.world
    with world.session():
        caller = Caller("alice", Via.TOKEN)
        return serve(TREE, Call(verb, Path.parse(path), caller, world, body or NoBody()))


def test_others_write_while_a_body_is_on_its_way(live_world: LiveWorld) -> None:
    ask(live_world, Verb.CREATE, DOCUMENT)
    stream = Slow(b"slowly")
    with ThreadPoolExecutor(1) as pool:
        late = pool.submit(
            ask, live_world, Verb.WRITE, f"{DOCUMENT}/name", incoming(b"slowly", stream=stream)
        )
        try:
            assert stream.waits.wait(SECONDS)
            ask(live_world, Verb.WRITE, f"{DOCUMENT}/summary", TextBody("quickly"))
            assert ask(live_world, Verb.READ, f"{DOCUMENT}/summary").value == "quickly"
        finally:
            stream.let_go.set()
        late.result(SECONDS)
    assert ask(live_world, Verb.READ, f"{DOCUMENT}/name").value == "slowly"


class Counted(io.BytesIO):
    """A stream that knows how much was asked of it."""

    taken = 0

    def read(self, size: int | None = -1) -> bytes:
        piece = super().read(size)
        self.taken += len(piece)
        return piece


@pytest.mark.parametrize("chunked", [True, False])
@pytest.mark.parametrize("largest", [0, 3, 5, 200_000])
def test_what_has_arrived_is_read_without_waiting(chunked: bool, largest: int) -> None:
    whole = b"hello" * 30_000 if largest > 5 else b"hello"
    stream = Counted(whole)
    body = incoming(whole, chunked=chunked, stream=stream)
    body.arrive(largest, nullcontext)
    fits = len(whole) <= largest
    assert stream.taken == (len(whole) if fits or chunked else 0)
    if fits:
        assert body.text(largest) == whole.decode()
        assert stream.taken == len(whole)
    else:
        with pytest.raises(TooLarge):
            body.text(largest)


def test_what_was_cut_short_does_not_arrive(live_world: LiveWorld) -> None:
    with pytest.raises(Invalid, match="cut short: 3 of 5 bytes"):
        incoming(b"abc", length=5).arrive(100, nullcontext)
    ask(live_world, Verb.CREATE, DOCUMENT)
    for verb in (Verb.CREATE, Verb.REMOVE):
        with pytest.raises(Invalid, match="cut short"):
            ask(
                live_world,
                verb,
                DOCUMENT if verb is Verb.REMOVE else f"{DOCUMENT}2",
                incoming(b"abc", length=5),
            )
    with live_world.database.session():
        assert [one.item.name for one in live_world.world.items.visible("doc", "alice", "alice")] == [
            "report"
        ]
    broken = incoming(b"abc", chunked=True, stream=Gone(b"abc"))
    with pytest.raises(Invalid, match="cut short"):
        broken.arrive(100, nullcontext)


def test_what_is_removed_while_a_body_is_on_its_way_is_absent(live_world: LiveWorld) -> None:
    """One of several who remove something at once has done it."""
    ask(live_world, Verb.CREATE, DOCUMENT)
    for verb, path in ((Verb.REMOVE, DOCUMENT), (Verb.WRITE, f"{DOCUMENT}/name")):
        stream = Slow(b"slowly")
        with ThreadPoolExecutor(1) as pool:
            late = pool.submit(ask, live_world, verb, path, incoming(b"slowly", stream=stream))
            try:
                assert stream.waits.wait(SECONDS)
                ask(live_world, Verb.REMOVE, DOCUMENT)
            finally:
                stream.let_go.set()
            with pytest.raises(NotFound, match=f"there is no {path},"):
                late.result(SECONDS)
        ask(live_world, Verb.CREATE, DOCUMENT)
