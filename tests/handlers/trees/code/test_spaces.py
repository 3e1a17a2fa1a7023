"""Spaces: what they take, how much of it, for whom, and what happens when two write at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path as Folder
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chains.files.names import DEEPEST, LONGEST_NAME
from chains.spaces import paths
from handlers.http.conditions import expectation
from handlers.http.response import tags
from handlers.processes.world import build
from handlers.services.world import World
from handlers.settings.settings import Settings
from handlers.settings.sources import load
from storage.database.database import Database
from tests.handlers.trees.tree_world import TREE, TreeWorld
from vfs.access import Caller, Verb, Via
from vfs.body import NoBody, TextBody
from vfs.call import Call, Outcome, Reply
from vfs.errors import Conflict, Denied, Gone, Invalid, NotFound, Outdated
from vfs.path import Path
from vfs.ports.blobs import Ref
from vfs.ports.people import Account
from vfs.serve import serve

SPACE = "/v1/code/spaces/field"
FILES = f"{SPACE}/content"
THREADS = 6


@pytest.fixture
def alice(tree_world: TreeWorld) -> Caller:
    """Alice, who has a space."""
    alice = tree_world.token("alice")
    tree_world.call(Verb.CREATE, SPACE, alice)
    return alice


def put(
    tree_world: TreeWorld, caller: Caller, path: str, body: bytes = b"x", media: str = "text/csv"
) -> Reply:
    return tree_world.call(Verb.CREATE, f"{FILES}/{path}", caller, body, media)


def test_a_path_that_nothing_may_have_is_refused_before_its_bytes_are_read(
    tree_world: TreeWorld, alice: Caller
) -> None:
    with pytest.raises(Invalid, match="at most 64 levels"):
        put(tree_world, alice, "/".join("d" * (DEEPEST + 1)))
    with pytest.raises(Invalid, match="255 bytes"):
        put(tree_world, alice, "%C3%A9" * (LONGEST_NAME // 2 + 1))
    with pytest.raises(Conflict, match="content is a folder"):
        put(tree_world, alice, "")
    assert put(tree_world, alice, "/".join("d" * DEEPEST)).outcome is Outcome.CREATED
    with pytest.raises(Invalid, match="levels"):
        tree_world.call(Verb.RENAME, f"{FILES}/d", alice, {"to": "e/d"})


@given(st.text(max_size=40))
def test_a_clean_path_stays_as_it_is(path: str) -> None:
    try:
        found = paths.clean(path)
    except Invalid:
        return
    assert paths.clean(found) == found
    assert not {"", ".", ".."} & set(found.split("/")) or found == ""


def test_rows_tell_what_a_listing_of_files_needs(tree_world: TreeWorld, alice: Caller) -> None:
    put(tree_world, alice, "d/b.csv", b"12")
    put(tree_world, alice, "a.csv", b"1")
    file, folder = tree_world.read(FILES, alice)
    assert (file.name, file.type) == ("a.csv", "file")
    assert (file.extra["size"], file.extra["content_type"]) == (1, "text/csv")
    assert (folder.name, folder.type, folder.extra) == ("d", "dir", None)
    assert tree_world.call(Verb.READ, f"{FILES}/d", alice).folder


def test_a_journal_that_lost_its_beginning_says_so(tree_world: TreeWorld, alice: Caller) -> None:
    tree_world.spaces.kept = 3
    for number in range(5):
        put(tree_world, alice, f"{number}")

    def page(since: int) -> Any:
        return tree_world.call(Verb.READ, f"{SPACE}/changes", alice, query={"since": str(since)}).value.value  # type: ignore[union-attr]

    assert [row["seq"] for row in page(0)["changes"]] == [3, 4, 5]
    assert (page(0)["truncated"], page(2)["truncated"], page(5)["truncated"]) == (True, False, False)
    assert [row["seq"] for row in page(2)["changes"]] == [3, 4, 5]
    with pytest.raises(Gone, match=r"begins with 3 now.*\?since=5") as refusal:
        page(1)
    assert refusal.value.members == {"oldest_seq": 3, "latest_seq": 5}


def test_the_credential_of_a_run_is_kept_to_its_claim(tree_world: TreeWorld, alice: Caller) -> None:
    put(tree_world, alice, "a.csv")
    reader = tree_world.token("alice", "reader", via=Via.RUN, claim="space_ro")
    writer = tree_world.token("alice", "writer", via=Via.RUN, claim="space_rw")
    other = tree_world.token("alice", "other", via=Via.RUN, claim="repo_rw")
    assert tree_world.call(Verb.READ, f"{FILES}/a.csv", reader).value
    for verb, path in ((Verb.CREATE, "b"), (Verb.WRITE, "a.csv"), (Verb.REMOVE, "a.csv")):
        with pytest.raises(Denied):
            tree_world.call(verb, f"{FILES}/{path}", reader, "x")
    assert put(tree_world, writer, "b").outcome is Outcome.CREATED
    with pytest.raises(NotFound):
        tree_world.call(Verb.READ, f"{FILES}/a.csv", other)
    with pytest.raises(Denied):
        tree_world.call(Verb.REMOVE, SPACE, writer)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def world(request: pytest.FixtureRequest, tmp_path: Folder) -> Iterator[World]:
    """A world as a web process has it, with a space of alice's."""
    chosen = {"data": str(tmp_path), "synchronous": "normal"}
    if request.param == "postgresql":
        postgres = request.getfixturevalue("postgres")
        chosen["database_url"] = postgres.copy_of("tests.handlers.trees", migrate)
    settings: Settings = load({}, **chosen)
    live_world = build(settings)
    live_world.world.people.users.add("alice", "", Account.REGULAR, None, public=False)
    ask(live_world.world, Verb.CREATE, SPACE)
    yield live_world.world
    live_world.close()
    if request.param == "postgresql":
        postgres.drop(chosen["database_url"])


def migrate(url: str) -> None:
    database = Database(url)
    database.migrate()
    database.close()


def ask(world: World, verb: Verb, path: str, body: str | None = None, **headers: str) -> Reply:
    """A call as the edge makes it, with the preconditions that headers ask for."""
    given = {f"HTTP_{name.upper()}": value for name, value in headers.items()}
    expect = expectation(given, tags)
    sent = NoBody() if body is None else TextBody(body)
    call = Call(verb, Path.parse(path), Caller("alice", Via.TOKEN), world, sent, expect=expect)
    with world.session():
        return serve(TREE, call)


def at_once(world: World, path: str, word: str, **headers: str) -> list[str]:
    """Let several callers write at once; return the text of each that succeeded, or `refused`."""
    barrier = threading.Barrier(THREADS)

    def write(number: int) -> str:
        barrier.wait()
        try:
            ask(world, Verb.CREATE, path, f"{word} {number}", **headers)
        except Outdated:
            return "refused"
        return f"{word} {number}"

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(write, range(THREADS)))


def test_one_of_several_conditional_writers_wins(world: World) -> None:
    won = at_once(world, f"{FILES}/a/b.txt", "new", if_none_match="*")
    assert won.count("refused") == THREADS - 1
    ref = ask(world, Verb.READ, f"{FILES}/a/b.txt").value
    assert isinstance(ref, Ref)
    with world.blobs.open(ref) as file:
        assert file.read().decode() in won
    again = at_once(world, f"{FILES}/a/b.txt", "other", if_match=f'"{ref.digest}"')
    assert again.count("refused") == THREADS - 1


def test_writers_at_once_make_a_folder_once(world: World) -> None:
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(lambda number: ask(world, Verb.CREATE, f"{FILES}/a/b/{number}", "x"), range(THREADS)))
    page = ask(world, Verb.READ, f"{SPACE}/changes").value.value  # type: ignore[union-attr]
    assert [row["seq"] for row in page["changes"]] == list(range(1, THREADS + 3))
    assert [row["path"] for row in page["changes"] if row["type"] == "dir"] == ["a", "a/b"]


def test_a_space_that_is_removed_takes_its_files_along(world: World) -> None:
    ask(world, Verb.CREATE, f"{FILES}/a/b", "x")
    ask(world, Verb.REMOVE, SPACE)
    with pytest.raises(NotFound):
        ask(world, Verb.READ, f"{FILES}/a/b")
    ask(world, Verb.CREATE, SPACE)
    assert ask(world, Verb.READ, FILES).value.value == []  # type: ignore[union-attr]
