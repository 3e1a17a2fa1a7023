"""Versions: former texts of a file compared with a model, on both databases."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from storage.tree.leaves import StoredLeaves
from storage.tree.quotas import ROW
from storage.tree.versions import StoredVersions
from storage.upkeep.sweep import Sweep
from tests.kit.world import StoredWorld
from tests.storage.tree.quota_world import QuotaWorld
from vfs.errors import TooLarge
from vfs.ports.blobs import Ref
from vfs.ports.clock import stamp
from vfs.ports.items import Item
from vfs.ports.leaves import Kept, digest_of
from vfs.ports.quotas import QuotaName

DAYS, MOST = 90, 4
TEN = timedelta(minutes=10)
RELS = ("content", "vars/x/value", "vars/y/value")


@dataclass
class Content:
    """A content of a file, as the model knows it."""

    text: str
    author: str
    kept: Kept
    since: datetime


@dataclass
class Past:
    """A former content, as the model knows it."""

    content: Content
    until: datetime


@dataclass
class Model:
    """The present and former contents of files by their paths, with no database."""

    now: datetime
    present: dict[str, Content] = field(default_factory=dict)
    past: dict[str, list[Past]] = field(default_factory=dict)

    def write(self, rel: str, text: str, author: str, kept: Kept) -> None:
        before = self.present.get(rel)
        since = self.now
        if before is not None and before.text == text:
            since = before.since
            if kept is Kept.AUTOSAVE and (before.kept is Kept.YES or before.author != author):
                kept = Kept.YES
        elif before is not None:
            goes_on = before.kept is Kept.AUTOSAVE and before.author == author
            if goes_on and self.now - before.since < TEN:
                since = before.since
            elif before.kept is not Kept.NEVER:
                self.past.setdefault(rel, []).append(Past(before, self.now))
        self.present[rel] = Content(text, author, kept, since)

    def remove(self, rel: str) -> None:
        for path in [path for path in self.present if path == rel or path.startswith(f"{rel}/")]:
            before = self.present.pop(path)
            if before.kept is not Kept.NEVER:
                self.past.setdefault(path, []).append(Past(before, self.now))

    def move(self, old: str, new: str) -> None:
        for path in [path for path in self.present if path.startswith(f"{old}/")]:
            there = new + path[len(old) :]
            self.present[there] = self.present.pop(path)
            self.past[there] = sorted(self.past.get(there, []) + self.past.pop(path, []), key=number)

    def sweep(self) -> None:
        for rel, versions in self.past.items():
            young = [one for one in versions if self.now - one.until <= timedelta(days=DAYS)]
            self.past[rel] = young[max(len(young) - MOST, 0) :]

    def at(self, rel: str, moment: datetime) -> str | None:
        present = self.present.get(rel)
        if present is not None and present.since <= moment:
            return present.text
        there = [one for one in self.past.get(rel, []) if one.content.since <= moment < one.until]
        return there[-1].content.text if there else None


def number(past: Past) -> datetime:
    return past.until


MOVES = some.lists(
    some.one_of(
        some.tuples(
            some.just("write"), some.sampled_from(RELS), some.sampled_from(("a", "b", "ü" * 9)),
            some.sampled_from(("ann", "ann", "bob")),
            some.sampled_from((Kept.AUTOSAVE, Kept.AUTOSAVE, Kept.YES, Kept.NEVER)),
        ),
        some.tuples(some.just("remove"), some.sampled_from((*RELS, "vars/x"))),
        some.tuples(some.just("move"), some.sampled_from((("vars/x", "vars/y"), ("vars/y", "vars/x")))),
        some.tuples(some.just("forget"), some.sampled_from(RELS)),
        some.tuples(some.just("wait"), some.sampled_from((1, 300, 700, 86_400, 20 * 86_400, 89 * 86_400))),
        some.tuples(some.just("sweep")),
    ),
    max_size=30,
)  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(moves=MOVES)
def test_versions_are_those_of_the_model(stored: StoredWorld, moves: list[tuple[object, ...]]) -> None:
    with stored.database.atomic():
        world = Walk(stored)
        for move in moves:
            world.do(*move)
            world.check()
        world.end()


class Walk:
    """A store and a model that the same is done to."""

    def __init__(self, stored: StoredWorld) -> None:
        self.stored, self.leaves = stored, stored.leaves
        self.versions = StoredVersions(stored.database)
        name = f"n{stored.database.value('SELECT count(*) FROM shortname')}"
        self.item = stored.items.create("doc", "ann", name)
        self.model = Model(stored.clock.now())
        self.moments: list[datetime] = []

    def do(self, what: str, *how: object) -> None:
        self.stored.clock.forward(0.001)
        self.model.now = self.stored.clock.now()
        getattr(self, what)(*how)
        self.moments = [*self.moments[-7:], self.stored.clock.now()]

    def write(self, rel: str, text: str, author: str, kept: Kept) -> None:
        self.model.write(rel, text, author, kept)
        self.leaves.put(self.item.id, rel, text, author, kept=kept)

    def remove(self, rel: str) -> None:
        self.model.remove(rel)
        self.leaves.clear(self.item.id, rel)

    def move(self, way: tuple[str, str]) -> None:
        old, new = way
        if not any(path.startswith(f"{new}/") for path in self.model.present):
            self.model.move(old, new)
            self.leaves.move(self.item.id, old, new)

    def forget(self, rel: str) -> None:
        assert self.versions.forget(self.item.id, rel) == len(self.model.past.pop(rel, []))

    def wait(self, seconds: int) -> None:
        self.stored.clock.forward(seconds)

    def sweep(self) -> None:
        self.model.sweep()
        self.versions.sweep(self.model.now, DAYS, MOST)

    def check(self) -> None:
        for rel in RELS:
            past = self.model.past.get(rel, [])
            found = self.versions.of(self.item.id, rel)
            assert [(one.since, one.until, one.author, one.size) for one in found] == [
                (
                    stamp(one.content.since),
                    stamp(one.until),
                    one.content.author,
                    len(one.content.text.encode()),
                )
                for one in reversed(past)
            ]
            for one in found:
                text = self.versions.with_digest(self.item.id, rel, one.digest[:32])
                assert isinstance(text, str)
                assert digest_of(text) == one.digest
            for moment in self.moments:
                there = self.versions.at_time(self.item.id, rel, stamp(moment))
                assert there == self.model.at(rel, moment)
        texts = {one.content.text for past in self.model.past.values() for one in past}
        stored = self.stored.database.rows(
            "SELECT text FROM version_text WHERE item = :item", item=self.item.id
        )
        assert sorted(text for (text,) in stored) == sorted(texts), "each text is stored once"

    def end(self) -> None:
        count = "SELECT (SELECT count(*) FROM leaf_version) + (SELECT count(*) FROM version_text)"
        self.stored.items.remove(self.item)
        assert self.stored.database.value(count) == 0, "an item takes its versions with it"


def write(leaves: StoredLeaves, item: Item, *texts: str | Ref, rel: str = "content") -> None:
    for text in texts:
        leaves.put(item.id, rel, text, "alice", kept=Kept.YES)


def test_autosaves_within_ten_minutes_by_one_author_are_one_version(stored: StoredWorld) -> None:
    item = stored.items.create("doc", "alice", "report").id
    stored.leaves.put(item, "content", "0", "alice", kept=Kept.YES)
    stamps = []
    for number, author in enumerate(("alice", "alice", "alice", "alice", "bob", "alice"), 1):
        stamps.append(stored.clock.forward(290))
        stored.leaves.put(item, "content", str(number), author, kept=Kept.AUTOSAVE)
    versions = stored.leaves.versions
    kept = [one.since for one in versions.of(item, "content")]
    assert kept == [stamps[4], stamps[3], stamps[0], versions.of(item, "content")[-1].since]
    assert [versions.at_time(item, "content", one) for one in stamps] == ["3", "3", "3", "4", "5", "6"]


def test_bytes_stay_while_a_version_names_them(stored: StoredWorld) -> None:
    item = stored.items.create("doc", "alice", "report")
    old, new = (stored.blobs.add([text], "image/png") for text in (b"old", b"new"))
    write(stored.leaves, item, old, new, rel="assets/a.png")
    versions = stored.leaves.versions
    clock = stored.clock
    sweep = Sweep(
        stored.database, stored.blobs, stored.tokens, clock, elapsed=lambda: clock.now().timestamp()
    )
    clock.forward(2 * 3600)
    assert sweep.run().blobs == 0
    assert versions.with_digest(item.id, "assets/a.png", old.digest) == old
    clock.forward(91 * 86_400)
    assert StoredVersions(stored.database).sweep(clock.now(), DAYS, MOST) == 1
    assert sweep.run().blobs == 1


def test_former_contents_count_for_the_owner_and_make_room(stored: StoredWorld) -> None:
    world = QuotaWorld(stored.database, "mem://")
    item, other = (world.items.create("doc", "alice", name) for name in ("report", "other"))
    before = world.use()
    write(world.leaves, item, "x" * 1000, "y" * 1000, "z" * 1000)
    assert world.use() == before + 3 * (1000 + ROW)
    world.leaves.clear(item.id, "content")
    assert world.use() == before + 3 * (1000 + ROW), "what was removed counts until it ends"
    counted = world.use()
    world.quotas.recount()
    assert world.use() == counted
    world.quotas.set("alice", {QuotaName.STORAGE: counted})
    write(world.leaves, item, "new" * 300)
    assert [one.size for one in world.leaves.versions.of(item.id, "content")] == [1000, 1000]
    full = world.use()
    try:
        write(world.leaves, other, "x" * 2000)
    except TooLarge:
        assert world.use() == full, "a file makes no room among the versions of another resource"
    else:
        raise AssertionError("it was stored beyond the quota")
    try:
        write(world.leaves, item, "x" * 9000)
    except TooLarge:
        assert len(world.leaves.versions.of(item.id, "content")) == 2, "a refused write ends nothing"
    else:
        raise AssertionError("it was stored beyond the quota")


def test_an_item_with_the_name_of_a_former_one_sees_nothing_of_it(stored: StoredWorld) -> None:
    former = stored.items.create("doc", "alice", "report")
    write(stored.leaves, former, "secret", "public")
    stored.items.remove(former)
    item = stored.items.create("doc", "alice", "report")
    write(stored.leaves, item, "one", "two")
    assert [one.size for one in stored.leaves.versions.of(item.id, "content")] == [3]


def test_a_copy_and_what_the_service_writes_have_no_versions(stored: StoredWorld) -> None:
    item = stored.items.create("doc", "alice", "report")
    write(stored.leaves, item, "one", "two")
    stored.leaves.put(item.id, "state", "1", None, kept=Kept.YES)
    stored.leaves.put(item.id, "state", "2", None, kept=Kept.YES)
    copy = stored.items.copy(item, "alice", "copy", ["content"])
    assert [
        *stored.leaves.versions.of(item.id, "state"),
        *stored.leaves.versions.of(copy.id, "content"),
    ] == []
    write(stored.leaves, copy, "three")
    assert [one.size for one in stored.leaves.versions.of(copy.id, "content")] == [3]
