"""Quotas: what an account keeps is counted with every write, exactly, and bounded."""

from __future__ import annotations

import random
from collections.abc import Callable
from importlib import import_module

import pytest

from chains.runs.records import Order, Result
from chains.runs.states import Event
from storage.bytes.metered_blobs import MeteredBlobs
from storage.database.database import Database
from storage.runs.builds import StoredBuilds
from storage.tree.leaves import StoredLeaves
from storage.tree.quotas import ROW, StoredQuotas
from tests.kit.suites.chains import at_once
from tests.storage.tree.quota_ground import COUNTS, LIMITS, QuotaGround
from vfs.errors import QuotaReached, TooLarge, VfsError
from vfs.ports.blobs import Ref
from vfs.ports.items import Item
from vfs.ports.quotas import QuotaName

KEPT = "SELECT item, bytes FROM item_use ORDER BY item"
TEXTS = ("", "a", "é" * 50, "long " * 400)


@pytest.fixture
def house(database: Database, tmp_path: object) -> QuotaGround:
    return QuotaGround(database, f"osfs://{tmp_path}/blobs")


def ref(size: int) -> Ref:
    return Ref(f"{size:064x}", size, "text/plain")


def deeds(house: QuotaGround, dice: random.Random) -> list[Callable[[], object]]:
    """Writes of every kind, on things that are there or not."""
    owner, other = dice.sample(("alice", "bob"), 2)
    name, rel, text = dice.choice("abc"), dice.choice(("x", "x/y", "z")), dice.choice(TEXTS)
    doc, space, job = (find(house, kind, owner, name) for kind in ("doc", "space", "job"))
    place = dice.choice(("f", "d", "d/f", "d/e/f", "g"))
    run = house.database.value("SELECT max(key) FROM run") or 0
    comments = house.comments.on(doc.id, 0)
    return [
        lambda: house.leaves.put(doc.id, rel, dice.choice((text, ref(len(text)))), owner),
        lambda: house.leaves.clear(doc.id, rel),
        lambda: house.leaves.move(doc.id, rel, "w"),
        lambda: house.items.copy(doc, other, f"copy{dice.randrange(9)}", ["x", "z"]),
        lambda: house.items.rename(doc, dice.choice("abcd")),
        lambda: house.items.remove(doc),
        lambda: house.items.remove(space),
        lambda: house.spaces.put(space.id, place, ref(dice.randrange(5000))),
        lambda: house.spaces.make(space.id, place),
        lambda: house.spaces.move(space.id, place, dice.choice(("h", "f", "d"))),
        lambda: house.spaces.remove(space.id, place, recursive=True),
        lambda: house.spaces.fill(space.id, {"m/n": ref(7), "o": ref(8)}),
        lambda: house.spaces.copy(space.id, find(house, "space", other, f"new{dice.randrange(9)}").id),
        lambda: house.comments.add(doc.id, None, other, f"s{dice.randrange(3)}", text),
        lambda: [house.comments.write(one, text) for one in comments],
        lambda: [house.comments.remove(one) for one in comments],
        lambda: submit(house, job),
        lambda: house.runs.states.record(run, lines=[("2026-11-22T10:00:00Z", "info", text)]),
        lambda: house.runs.states.event(run, Event.SUCCEED, Result(ref(len(text)), "out")),
        lambda: house.runs.retention.expire("2030", 1),
    ]


def submit(house: QuotaGround, job: Item) -> object:
    number = (house.database.value("SELECT max(key) FROM run") or 0) + 1
    return house.runs.queue.submit(Order(job.id, f"r{number}", "api", "api", job.owner, None, None))


def find(house: QuotaGround, kind: str, owner: str, name: str) -> Item:
    found = house.items.find(kind, owner, name, owner)
    return found.item if found is not None else house.items.create(kind, owner, name)


@pytest.mark.parametrize("seed", range(2))
def test_what_is_counted_is_what_is_there(house: QuotaGround, seed: int) -> None:
    dice, done = random.Random(seed), 0
    for _ in range(160):
        try:
            dice.choice(deeds(house, dice))()
            done += 1
        except VfsError:
            continue
    counted = house.database.rows(KEPT)
    house.quotas.recount()
    assert house.database.rows(KEPT) == counted
    assert done > 80
    assert sum(size for _, size in counted) == house.use("alice") + house.use("bob") > 5000


def test_the_database_that_was_there_is_counted_at_once(house: QuotaGround) -> None:
    dice = random.Random(5)
    for _ in range(60):
        try:
            dice.choice(deeds(house, dice))()
        except VfsError:
            continue
    counted = house.database.rows(KEPT)
    module = import_module("storage.migrations.0021_quotas")
    octets = module.OCTETS[house.database.dialect]
    weights = {one.table: one.weight.format(r="r", octets=octets.format("r.text")) for one in module.COUNTED}
    house.database.run("DELETE FROM item_use")
    house.database.run(module.FILL.format(**weights))
    assert house.database.rows(KEPT) == counted


def test_bytes_beyond_the_quota_are_refused_and_what_is_deleted_is_given_back(house: QuotaGround) -> None:
    doc, space = find(house, "doc", "alice", "d"), find(house, "space", "alice", "s")
    house.leaves.put(doc.id, "content", "12345", "alice")
    house.bound(storage=2 * ROW + 10)
    with pytest.raises(TooLarge, match="quota of storage"):
        house.leaves.put(doc.id, "other", "x" * (ROW + 11), "bob")
    house.leaves.put(doc.id, "other", "1234567890", "bob")
    with pytest.raises(TooLarge):
        house.spaces.put(space.id, "g", ref(1))
    house.leaves.clear(doc.id, "other")
    house.spaces.put(space.id, "f", ref(10))
    for write in (
        lambda: house.spaces.put(space.id, "f", ref(ROW + 11)),
        lambda: house.spaces.fill(find(house, "space", "alice", "t").id, {"a": ref(1), "b": ref(1)}),
        lambda: house.spaces.copy(space.id, find(house, "space", "alice", "u").id),
        lambda: house.leaves.put(doc.id, "content", "x" * (ROW + 16), "alice"),
        lambda: house.comments.add(find(house, "doc", "bob", "e").id, None, "alice", "s", "x" * ROW),
    ):
        before = house.use()
        with pytest.raises(TooLarge):
            write()
        assert house.use() == before
    house.leaves.put(doc.id, "content", "1", "alice")
    house.items.remove(space)
    assert house.quotas.one("alice", QuotaName.STORAGE).room > 2 * ROW
    house.comments.add(doc.id, None, "bob", "s", "x" * 9000)
    house.leaves.put(doc.id, "config/enabled", "x" * 9000, None)
    with pytest.raises(TooLarge):
        house.items.copy(doc, "alice", "copy", ["content"])
    assert house.items.find("doc", "alice", "copy", "alice") is None
    house.items.copy(doc, "bob", "copy", ["content"])


@pytest.mark.parametrize("own", [True, False])
def test_what_does_not_grow_is_written_beyond_the_quota_and_the_last_byte_fits(
    house: QuotaGround, own: bool
) -> None:
    doc = find(house, "doc", "alice", "d")
    house.leaves.put(doc.id, "content", "12345", "alice")
    house.leaves.put(doc.id, "picture", ref(7), "alice")
    for room, size, is_kept in ((1, 6, True), (0, 6, True), (0, 7, False), (-3, 6, True), (-3, 2, True)):
        bound(house, room, own=own)
        before = house.use()
        if is_kept:
            assert not house.leaves.put(doc.id, "content", "x" * size, "bob")
        else:
            with pytest.raises(TooLarge, match="account alice"):
                house.leaves.put(doc.id, "content", "x" * size, "bob")
            assert house.use() == before
    bound(house, -1, own=own)
    assert not house.leaves.put(doc.id, "picture", ref(7), "alice")
    assert not house.leaves.put(doc.id, "picture", "\u00e9" * 3, "alice")
    with pytest.raises(TooLarge):
        house.leaves.put(doc.id, "picture", "\u00e9" * 9, "alice")
    with pytest.raises(TooLarge):
        house.leaves.put(doc.id, "other", "", "alice")


def bound(house: QuotaGround, room: int, *, own: bool) -> None:
    """Give alice some room beyond what she keeps, by a limit of her own or that of everybody."""
    if own:
        house.bound(storage=room)
    else:
        limits = {**LIMITS, QuotaName.STORAGE: house.use() + room}
        house.leaves = StoredLeaves(house.database, house.clock, StoredQuotas(house.database, limits, COUNTS))


def test_there_are_no_more_items_repos_and_runs_than_may_be(house: QuotaGround) -> None:
    job = find(house, "job", "alice", "j")
    house.bound(items=house.use(name=QuotaName.ITEMS) + 2, repos=1, runs=1)
    find(house, "repo", "alice", "r")
    with pytest.raises(QuotaReached, match="1 repos; remove some first") as refused:
        find(house, "repo", "alice", "r2")
    assert refused.value.members == {"quota": "repos"}
    find(house, "doc", "alice", "d")
    with pytest.raises(QuotaReached):
        find(house, "doc", "alice", "e")
    submit(house, job)
    with pytest.raises(QuotaReached, match="wait until one has ended") as refused:
        house.quotas.admit_more("alice", QuotaName.RUNS)
    assert refused.value.members == {"quota": "runs", "retry_after": 10}
    house.runs.states.event(1, Event.CANCEL)
    house.quotas.admit_more("bob", QuotaName.RUNS, 99)


def test_builds_at_once_are_those_that_have_not_ended(house: QuotaGround) -> None:
    repo, builds = find(house, "repo", "alice", "r"), StoredBuilds(house.database, house.bell, house.clock)
    first = builds.queue(repo.id, ["main"], "refs/heads/main", "c1", "bob")
    builds.queue(repo.id, ["v1"], "refs/tags/v1", "c1", "bob")
    assert (house.use(name=QuotaName.BUILDS), house.use("bob", QuotaName.BUILDS)) == (2, 0)
    builds.take("runner")
    builds.finish(first, "image")
    assert house.use(name=QuotaName.BUILDS) == 1


def test_limits_are_set_listed_and_given_back(house: QuotaGround) -> None:
    house.quotas.set("alice", {QuotaName.STORAGE: 5, QuotaName.RUNS: 3})
    house.quotas.set("alice", {QuotaName.RUNS: None, QuotaName.STORAGE: 6})
    found = {quota.name: quota for quota in house.quotas.of("alice")}
    assert list(found) == list(QuotaName)
    assert (found[QuotaName.STORAGE].limit, found[QuotaName.STORAGE].own) == (6, True)
    assert (found[QuotaName.RUNS].limit, found[QuotaName.RUNS].own) == (1 << 40, False)


def test_groups_and_packs_count_for_the_account(house: QuotaGround) -> None:
    group = house.items.create("user_group", "@alice", "birds")
    house.leaves.put(group.id, "profile/name", "12345", "bob")
    repo = find(house, "repo", "alice", "r")
    house.quotas.note_packs(repo.id, 4000)
    assert house.use() == ROW + 5 + 4000
    assert house.quotas.recount() == [repo.id]
    assert house.use() == ROW + 5 + 4000
    house.items.remove(repo)
    assert house.use() == ROW + 5


def test_writers_at_once_go_beyond_by_what_they_bring_at_most(house: QuotaGround) -> None:
    docs = [find(house, "doc", "alice", f"d{number}").id for number in range(6)]
    house.bound(storage=3 * (ROW + 1000))
    answers = at_once(*[lambda d=d: house.leaves.put(d, "x", "x" * 1000, "alice") for d in docs])  # type: ignore[misc]
    stored = sum(answer is True for answer in answers)
    assert all(answer is True or isinstance(answer, TooLarge) for answer in answers)
    assert stored >= 3
    assert house.use() == stored * (ROW + 1000)
    if house.database.dialect == "sqlite":
        assert stored <= 6


def test_what_comes_in_an_hour_is_bounded_whatever_becomes_of_it(house: QuotaGround) -> None:
    blobs = MeteredBlobs(house.blobs, house.quotas, house.clock)
    doc, other = find(house, "doc", "alice", "d").id, find(house, "doc", "bob", "d").id
    house.quotas.set("alice", {QuotaName.STORAGE: 5})
    half = bytes(1 << 20)
    blobs.add([half], "text/plain", doc)
    with pytest.raises(QuotaReached, match="in an hour") as refused:
        blobs.add((half for _ in range(1024)), "text/plain", doc)
    assert 0 < refused.value.members["retry_after"] <= 3601
    for item in (other, None, 99):
        assert blobs.add([half], "text/plain", item).size == 1 << 20
    house.clock.forward(3601)
    with blobs.open(blobs.add([b"123"], "text/plain", doc)) as file:
        assert file.read() == b"123"
