"""Quotas: what an account keeps is counted with every write, exactly, and bounded."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from chains.runs.records import Order, Result
from chains.runs.states import Event
from storage.bytes.metered_blobs import MeteredBlobs
from storage.database.database import Database
from storage.runs.builds import StoredBuilds
from storage.tree.leaves import StoredLeaves
from storage.tree.quotas import ROW, StoredQuotas
from tests.kit.suites.chains import at_once
from tests.storage.tree.quota_world import COUNTS, LIMITS, QuotaWorld
from vfs.errors import QuotaReached, TooLarge, VfsError
from vfs.ports.blobs import Ref
from vfs.ports.items import Item
from vfs.ports.quotas import QuotaName

KEPT = "SELECT item, bytes FROM item_use ORDER BY item"
TEXTS = ("", "a", "é" * 50, "long " * 400)


@pytest.fixture
def live_world(database: Database, tmp_path: object) -> QuotaWorld:
    return QuotaWorld(database, f"osfs://{tmp_path}/blobs")


def ref(size: int) -> Ref:
    return Ref(f"{size:064x}", size, "text/plain")


def actions(live_world: QuotaWorld, dice: random.Random) -> list[Callable[[], object]]:
    """Writes of every kind, on things that are there or not."""
    owner, other = dice.sample(("alice", "bob"), 2)
    name, rel, text = dice.choice("abc"), dice.choice(("x", "x/y", "z")), dice.choice(TEXTS)
    doc, space, job = (find(live_world, kind, owner, name) for kind in ("doc", "space", "job"))
    place = dice.choice(("f", "d", "d/f", "d/e/f", "g"))
    run = live_world.database.value("SELECT max(key) FROM run") or 0
    comments = live_world.comments.on(doc.id, 0)
    return [
        lambda: live_world.leaves.put(doc.id, rel, dice.choice((text, ref(len(text)))), owner),
        lambda: live_world.leaves.clear(doc.id, rel),
        lambda: live_world.leaves.move(doc.id, rel, "w"),
        lambda: live_world.items.copy(doc, other, f"copy{dice.randrange(9)}", ["x", "z"]),
        lambda: live_world.items.rename(doc, dice.choice("abcd")),
        lambda: live_world.items.remove(doc),
        lambda: live_world.items.remove(space),
        lambda: live_world.spaces.put(space.id, place, ref(dice.randrange(5000))),
        lambda: live_world.spaces.make(space.id, place),
        lambda: live_world.spaces.move(space.id, place, dice.choice(("h", "f", "d"))),
        lambda: live_world.spaces.remove(space.id, place, recursive=True),
        lambda: live_world.spaces.fill(space.id, {"m/n": ref(7), "o": ref(8)}),
        lambda: live_world.spaces.copy(
            space.id, find(live_world, "space", other, f"new{dice.randrange(9)}").id
        ),
        lambda: live_world.comments.add(doc.id, None, other, f"s{dice.randrange(3)}", text),
        lambda: [live_world.comments.write(one, text) for one in comments],
        lambda: [live_world.comments.remove(one) for one in comments],
        lambda: submit(live_world, job),
        lambda: live_world.runs.states.record(run, lines=[("2026-11-22T10:00:00Z", "info", text)]),
        lambda: live_world.runs.states.event(run, Event.SUCCEED, Result(ref(len(text)), "out")),
        lambda: live_world.runs.retention.expire("2030", 1),
    ]


def submit(live_world: QuotaWorld, job: Item) -> object:
    number = (live_world.database.value("SELECT max(key) FROM run") or 0) + 1
    return live_world.runs.queue.submit(Order(job.id, f"r{number}", "api", "api", job.owner, None, None))


def find(live_world: QuotaWorld, kind: str, owner: str, name: str) -> Item:
    found = live_world.items.find(kind, owner, name, owner)
    return found.item if found is not None else live_world.items.create(kind, owner, name)


@pytest.mark.parametrize("seed", range(2))
def test_what_is_counted_is_what_is_there(live_world: QuotaWorld, seed: int) -> None:
    dice, done = random.Random(seed), 0
    for _ in range(160):
        try:
            dice.choice(actions(live_world, dice))()
            done += 1
        except VfsError:
            continue
    counted = live_world.database.rows(KEPT)
    live_world.quotas.recount()
    assert live_world.database.rows(KEPT) == counted
    assert done > 80
    assert sum(size for _, size in counted) == live_world.use("alice") + live_world.use("bob") > 5000


def test_bytes_beyond_the_quota_are_refused_and_what_is_deleted_is_given_back(live_world: QuotaWorld) -> None:
    doc, space = find(live_world, "doc", "alice", "d"), find(live_world, "space", "alice", "s")
    live_world.leaves.put(doc.id, "content", "12345", "alice")
    live_world.bound(storage=2 * ROW + 10)
    with pytest.raises(TooLarge, match="quota of storage"):
        live_world.leaves.put(doc.id, "other", "x" * (ROW + 11), "bob")
    live_world.leaves.put(doc.id, "other", "1234567890", "bob")
    with pytest.raises(TooLarge):
        live_world.spaces.put(space.id, "g", ref(1))
    live_world.leaves.clear(doc.id, "other")
    live_world.spaces.put(space.id, "f", ref(10))
    for write in (
        lambda: live_world.spaces.put(space.id, "f", ref(ROW + 11)),
        lambda: live_world.spaces.fill(
            find(live_world, "space", "alice", "t").id, {"a": ref(1), "b": ref(1)}
        ),
        lambda: live_world.spaces.copy(space.id, find(live_world, "space", "alice", "u").id),
        lambda: live_world.leaves.put(doc.id, "content", "x" * (ROW + 16), "alice"),
        lambda: live_world.comments.add(
            find(live_world, "doc", "bob", "e").id, None, "alice", "s", "x" * ROW
        ),
    ):
        before = live_world.use()
        with pytest.raises(TooLarge):
            write()
        assert live_world.use() == before
    live_world.leaves.put(doc.id, "content", "1", "alice")
    live_world.items.remove(space)
    assert live_world.quotas.one("alice", QuotaName.STORAGE).room > 2 * ROW
    live_world.comments.add(doc.id, None, "bob", "s", "x" * 9000)
    live_world.leaves.put(doc.id, "config/enabled", "x" * 9000, None)
    with pytest.raises(TooLarge):
        live_world.items.copy(doc, "alice", "copy", ["content"])
    assert live_world.items.find("doc", "alice", "copy", "alice") is None
    live_world.items.copy(doc, "bob", "copy", ["content"])


@pytest.mark.parametrize("own", [True, False])
def test_what_does_not_grow_is_written_beyond_the_quota_and_the_last_byte_fits(
    live_world: QuotaWorld, own: bool
) -> None:
    doc = find(live_world, "doc", "alice", "d")
    live_world.leaves.put(doc.id, "content", "12345", "alice")
    live_world.leaves.put(doc.id, "picture", ref(7), "alice")
    for room, size, is_kept in ((1, 6, True), (0, 6, True), (0, 7, False), (-3, 6, True), (-3, 2, True)):
        bound(live_world, room, own=own)
        before = live_world.use()
        if is_kept:
            assert not live_world.leaves.put(doc.id, "content", "x" * size, "bob")
        else:
            with pytest.raises(TooLarge, match="account alice"):
                live_world.leaves.put(doc.id, "content", "x" * size, "bob")
            assert live_world.use() == before
    bound(live_world, -1, own=own)
    assert not live_world.leaves.put(doc.id, "picture", ref(7), "alice")
    assert not live_world.leaves.put(doc.id, "picture", "\u00e9" * 3, "alice")
    with pytest.raises(TooLarge):
        live_world.leaves.put(doc.id, "picture", "\u00e9" * 9, "alice")
    with pytest.raises(TooLarge):
        live_world.leaves.put(doc.id, "other", "", "alice")


def bound(live_world: QuotaWorld, room: int, *, own: bool) -> None:
    """Give alice some room beyond what she keeps, by a limit of her own or that of everybody."""
    if own:
        live_world.bound(storage=room)
    else:
        limits = {**LIMITS, QuotaName.STORAGE: live_world.use() + room}
        live_world.leaves = StoredLeaves(
            live_world.database, live_world.clock, StoredQuotas(live_world.database, limits, COUNTS)
        )


def test_there_are_no_more_items_repos_and_runs_than_may_be(live_world: QuotaWorld) -> None:
    job = find(live_world, "job", "alice", "j")
    live_world.bound(items=live_world.use(name=QuotaName.ITEMS) + 2, repos=1, runs=1)
    find(live_world, "repo", "alice", "r")
    with pytest.raises(QuotaReached, match="1 repos; remove some first") as refused:
        find(live_world, "repo", "alice", "r2")
    assert refused.value.members == {"quota": "repos"}
    find(live_world, "doc", "alice", "d")
    with pytest.raises(QuotaReached):
        find(live_world, "doc", "alice", "e")
    submit(live_world, job)
    with pytest.raises(QuotaReached, match="wait until one has ended") as refused:
        live_world.quotas.admit_more("alice", QuotaName.RUNS)
    assert refused.value.members == {"quota": "runs", "retry_after": 10}
    live_world.runs.states.event(1, Event.CANCEL)
    live_world.quotas.admit_more("bob", QuotaName.RUNS, 99)


def test_builds_at_once_are_those_that_have_not_ended(live_world: QuotaWorld) -> None:
    repo, builds = (
        find(live_world, "repo", "alice", "r"),
        StoredBuilds(live_world.database, live_world.change_signal, live_world.clock),
    )
    first = builds.queue(repo.id, ["main"], "refs/heads/main", "c1", "bob")
    builds.queue(repo.id, ["v1"], "refs/tags/v1", "c1", "bob")
    assert (live_world.use(name=QuotaName.BUILDS), live_world.use("bob", QuotaName.BUILDS)) == (2, 0)
    builds.take("runner")
    builds.finish(first, "image")
    assert live_world.use(name=QuotaName.BUILDS) == 1


def test_limits_are_set_listed_and_given_back(live_world: QuotaWorld) -> None:
    live_world.quotas.set("alice", {QuotaName.STORAGE: 5, QuotaName.RUNS: 3})
    live_world.quotas.set("alice", {QuotaName.RUNS: None, QuotaName.STORAGE: 6})
    found = {quota.name: quota for quota in live_world.quotas.of("alice")}
    assert list(found) == list(QuotaName)
    assert (found[QuotaName.STORAGE].limit, found[QuotaName.STORAGE].own) == (6, True)
    assert (found[QuotaName.RUNS].limit, found[QuotaName.RUNS].own) == (1 << 40, False)


def test_groups_and_packs_count_for_the_account(live_world: QuotaWorld) -> None:
    group = live_world.items.create("user_group", "@alice", "birds")
    live_world.leaves.put(group.id, "profile/name", "12345", "bob")
    repo = find(live_world, "repo", "alice", "r")
    live_world.quotas.note_packs(repo.id, 4000)
    assert live_world.use() == ROW + 5 + 4000
    assert live_world.quotas.recount() == [repo.id]
    assert live_world.use() == ROW + 5 + 4000
    live_world.items.remove(repo)
    assert live_world.use() == ROW + 5


def test_writers_at_once_go_beyond_by_what_they_bring_at_most(live_world: QuotaWorld) -> None:
    docs = [find(live_world, "doc", "alice", f"d{number}").id for number in range(6)]
    live_world.bound(storage=3 * (ROW + 1000))
    answers = at_once(*[lambda d=d: live_world.leaves.put(d, "x", "x" * 1000, "alice") for d in docs])  # type: ignore[misc]
    stored = sum(answer is True for answer in answers)
    assert all(answer is True or isinstance(answer, TooLarge) for answer in answers)
    assert stored >= 3
    assert live_world.use() == stored * (ROW + 1000)
    if live_world.database.dialect == "sqlite":
        assert stored <= 6


def test_what_comes_in_an_hour_is_limited_even_if_it_is_deleted(live_world: QuotaWorld) -> None:
    blobs = MeteredBlobs(live_world.blobs, live_world.quotas, live_world.clock)
    doc, other = find(live_world, "doc", "alice", "d").id, find(live_world, "doc", "bob", "d").id
    live_world.quotas.set("alice", {QuotaName.STORAGE: 5})
    half = bytes(1 << 20)
    blobs.add([half], "text/plain", doc)
    with pytest.raises(QuotaReached, match="maximum of an hour") as refused:
        blobs.add((half for _ in range(1024)), "text/plain", doc)
    assert 0 < refused.value.members["retry_after"] <= 3601
    for item in (other, None, 99):
        assert blobs.add([half], "text/plain", item).size == 1 << 20
    live_world.clock.forward(3601)
    with blobs.open(blobs.add([b"123"], "text/plain", doc)) as file:
        assert file.read() == b"123"
