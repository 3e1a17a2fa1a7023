"""Every kind of row has a bound: declared for each table, counted as it comes and goes, never gone beyond."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

import storage
from storage.database.database import Database
from storage.migrations.triggers import CountedRows, counted_rows
from storage.tree.items import StoredItems
from storage.tree.leaves import StoredLeaves
from storage.tree.quotas import ROW
from storage.tree.shortnames import Shortnames
from tests.kit.suites.chains import at_once
from tests.kit.world import StoredWorld, sqlite_in
from tests.storage.tree.counted_rows import MAKERS, UNMAKERS, actions, doc, found, group
from tests.storage.tree.quota_world import QuotaWorld
from tests.storage.tree.row_bounds import ROW_BOUNDS
from vfs.access import Role, Via
from vfs.errors import QuotaReached, TooLarge, VfsError
from vfs.ports.groups import GroupKind
from vfs.ports.people import Account
from vfs.ports.quotas import MADE, QuotaName
from vfs.ports.social import tag_rel

TABLES = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    "postgresql": "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'",
}
KEPT = "SELECT item, bytes FROM item_use ORDER BY item"
COUNTS = "SELECT account, name, number FROM row_count WHERE number <> 0 ORDER BY account, name"
INSERT = re.compile(r"INSERT INTO (\w+)")
REFUSED = [name for name in MADE if name is not QuotaName.SESSIONS]
FILL = """
INSERT INTO row_count (account, name, number)
SELECT account, '{name}', count(*) FROM (SELECT {account} AS account FROM {table} r WHERE {which}) counted
WHERE account IS NOT NULL GROUP BY account"""
KEYS = CountedRows("keys", "ssh_key", "{r}.account")


@pytest.fixture
def live_world(database: Database, tmp_path: Path) -> QuotaWorld:
    return QuotaWorld(database, f"osfs://{tmp_path}/blobs")


UNBOUNDED = {"sqlite_sequence", "activity"}
"""A row for each table that numbers its rows, and a table that a migration replaces."""


def test_every_table_has_a_declared_bound(database: Database) -> None:
    tables = {name for (name,) in database.rows(TABLES[database.dialect])}
    assert tables == set(ROW_BOUNDS), "say what bounds its rows in tests/storage/tree/row_bounds.py"
    assert [table for table, bound in ROW_BOUNDS.items() if not (bound.quotas or bound.why)] == []
    assert {name for bound in ROW_BOUNDS.values() for name in bound.quotas} == set(QuotaName) - {
        QuotaName.PUSH
    }


def test_all_rows_are_inserted_into_tables_with_a_bound() -> None:
    sources = [path.read_text() for path in Path(storage.__path__[0]).rglob("*.py")]
    inserted = {table for source in sources for table in INSERT.findall(source)} - UNBOUNDED
    assert len(inserted) > 30
    assert inserted - set(ROW_BOUNDS) == set()


def test_what_is_counted_is_declared(database: Database) -> None:
    counted = (*counted_rows(database.dialect), KEYS)
    assert sorted(one.name for one in counted) == sorted(MADE)
    assert [one.name for one in counted if one.name not in ROW_BOUNDS[one.table].quotas] == []


def prepare(live_world: QuotaWorld, name: QuotaName, room: int) -> None:
    """Give alice room for this number of further ones of a kind."""
    for owner in ("alice", "bob"):
        doc(live_world, owner)
        group(live_world, owner)
    live_world.bound(**{name: live_world.use(name=name) + room})


def test_there_is_a_maker_of_every_kind() -> None:
    assert list(MAKERS) == list(MADE)
    assert list(UNMAKERS) == REFUSED


@pytest.mark.parametrize("name", REFUSED)
def test_one_more_than_may_be_is_refused_and_nothing_is_left_of_it(
    live_world: QuotaWorld, name: QuotaName
) -> None:
    prepare(live_world, name, 2)
    for number in range(2):
        MAKERS[name](live_world, number)
    before = live_world.database.rows(COUNTS), live_world.use("bob", name)
    with pytest.raises(QuotaReached, match="account alice has reached its quota") as refused:
        MAKERS[name](live_world, 2)
    assert refused.value.members == {"quota": name.value}
    assert "first" in refused.value.detail
    assert (live_world.database.rows(COUNTS), live_world.use("bob", name)) == before
    UNMAKERS[name](live_world, 0)
    MAKERS[name](live_world, 2)
    with pytest.raises(QuotaReached):
        MAKERS[name](live_world, 4)
    live_world.quotas.set("alice", {name: None})
    MAKERS[name](live_world, 4)


@pytest.mark.parametrize("name", REFUSED)
def test_writers_at_once_never_go_beyond(live_world: QuotaWorld, name: QuotaName) -> None:
    prepare(live_world, name, 3)
    before = live_world.use(name=name)
    answers = at_once(*[lambda n=n: MAKERS[name](live_world, n) for n in range(8)])  # type: ignore[misc]
    assert live_world.use(name=name) <= before + 3
    assert sum(not isinstance(answer, Exception) for answer in answers) == live_world.use(name=name) - before
    assert all(isinstance(answer, VfsError) for answer in answers if isinstance(answer, Exception))


def test_beyond_the_quota_the_oldest_session_ends_and_signing_in_is_not_refused(
    live_world: QuotaWorld,
) -> None:
    live_world.tokens.mint("alice", "cli", "of a token")
    live_world.tokens.mint("alice", "run", "of a run", via=Via.RUN, run=1)
    live_world.tokens.mint("bob", "s", "of bob", via=Via.SESSION)
    for limit in (3, 1, 0):
        live_world.bound(sessions=limit)
        for number in range(6):
            live_world.tokens.mint("alice", f"s{limit}{number}", f"{limit} {number}", via=Via.SESSION)
        found = [live_world.tokens.by_digest(f"{limit} {number}") for number in range(6)]
        left = max(limit, 1)
        assert [one is not None and one.revoked_on is None for one in found] == (
            [False] * (6 - left) + [True] * left
        )
        assert live_world.use(name=QuotaName.SESSIONS) == left
    others = [live_world.tokens.by_digest(f"of {what}") for what in ("a token", "a run", "bob")]
    assert [one is not None and one.revoked_on for one in others] == [None] * 3


def test_an_organisation_counts_for_who_founded_it_and_never_for_who_bears_its_name(
    live_world: QuotaWorld,
) -> None:
    live_world.users.add("corp", "", Account.ORGANISATION, None, public=False)
    live_world.quotas.set("bob", {QuotaName.ITEMS: 0, QuotaName.GROUPS: 0, QuotaName.MEMBERS: 0})
    before = live_world.use("corp", QuotaName.ITEMS)
    live_world.groups.create(GroupKind.ORG, "corp", "bob", "corp")
    made = live_world.groups.create(GroupKind.ORG_GROUP, "bob", "crows", "corp")
    live_world.members.put(made.ref, "alice", Role.MEMBERS, pending=True, by="corp")
    live_world.leaves.put(made.item.id, "profile/name", "12345", "corp")
    assert live_world.use("corp", QuotaName.ITEMS) == before + 2
    assert [live_world.use("corp", name) for name in (QuotaName.GROUPS, QuotaName.MEMBERS)] == [2, 3]
    assert [live_world.use("bob", name) for name in (QuotaName.GROUPS, QuotaName.MEMBERS)] == [0, 0]
    assert live_world.use("corp") > 256
    assert live_world.use("bob") == 0
    live_world.quotas.set("corp", {QuotaName.GROUPS: 2})
    with pytest.raises(QuotaReached, match="account corp"):
        live_world.groups.create(GroupKind.ORG_GROUP, "bob", "rooks", "corp")
    live_world.groups.remove(found(live_world.groups.find("+bob", None)).group)
    assert [live_world.use("corp", name) for name in (QuotaName.GROUPS, QuotaName.MEMBERS)] == [0, 0]
    assert live_world.use("corp", QuotaName.ITEMS) == before


def test_a_copy_counts_what_it_brings(live_world: QuotaWorld) -> None:
    live_world.leaves.put(doc(live_world), "vars/a", "", "alice")
    live_world.leaves.put(doc(live_world), "vars/a/value", "1", "alice")
    live_world.leaves.put(doc(live_world), tag_rel("+mine", "alice"), "", "alice")
    source = found(live_world.items.at(doc(live_world), "alice"))
    live_world.bound(variables=3)
    with pytest.raises(QuotaReached):
        live_world.items.copy(source.item, "alice", "copy", ["vars", "tags"])
    assert live_world.items.find("doc", "alice", "copy", "alice") is None
    live_world.bound(variables=4, tags=2)
    live_world.items.copy(source.item, "alice", "copy", ["vars", "tags"])
    assert [live_world.use(name=name) for name in (QuotaName.VARIABLES, QuotaName.TAGS)] == [4, 2]


def test_what_nobody_wrote_and_what_changes_nothing_is_not_held_to_a_quota(live_world: QuotaWorld) -> None:
    live_world.leaves.put(doc(live_world), "vars/a", "1", "alice")
    live_world.bound(variables=0, tags=0)
    assert not live_world.leaves.put(doc(live_world), "vars/a", "2", "alice")
    assert live_world.leaves.put(doc(live_world), "vars/b", "2", None)
    assert live_world.leaves.put(doc(live_world), "content", "2", "alice")
    with pytest.raises(QuotaReached):
        live_world.leaves.put(doc(live_world), "notifications/@alice", "info", "alice")
    live_world.leaves.put(doc(live_world), "notifications/@bob", "info", "bob")


def do_some(live_world: QuotaWorld, dice: random.Random, most: int) -> int:
    """The number of actions that were done, of `most`."""
    done = 0
    for _ in range(most):
        try:
            dice.choice(actions(live_world, dice))()
            done += 1
        except VfsError:
            continue
    return done


def recounted(live_world: QuotaWorld) -> list[tuple[object, ...]]:
    """The counts, made again from what is there."""
    counts = live_world.database.rows(COUNTS)
    with live_world.database.atomic():
        live_world.database.run("DELETE FROM row_count")
        for one in (*counted_rows(live_world.database.dialect), KEYS):
            words = {"account": one.account.format(r="r"), "which": one.which.format(r="r")}
            live_world.database.run(FILL.format(name=one.name, table=one.table, **words))
        recounted = live_world.database.rows(COUNTS)
    assert counts == recounted
    kept = live_world.database.rows(KEPT)
    live_world.quotas.recount()
    assert live_world.database.rows(KEPT) == kept
    return recounted


@given(some.randoms(use_true_random=False), some.integers(1, 40))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_counts_are_of_what_is_there(dice: random.Random, most: int) -> None:
    live_world = QuotaWorld(sqlite_in(), "mem://")
    do_some(live_world, dice, most)
    recounted(live_world)
    live_world.database.close()


def test_counts_are_of_what_is_there_in_every_database(live_world: QuotaWorld) -> None:
    dice, done, seen = random.Random(7), 0, set[object]()
    for _ in range(8):
        done += do_some(live_world, dice, 50)
        seen |= {name for _, name, _ in recounted(live_world)}
    assert done > 200
    assert seen == set(MADE)


def test_tags_on_items_of_others_count_for_the_user_who_sets_them(live_world: QuotaWorld) -> None:
    theirs, level = doc(live_world, "bob"), "notifications/@alice"
    live_world.quotas.set("bob", {QuotaName.STORAGE: 0})
    before = live_world.use("bob")
    live_world.leaves.put(theirs, tag_rel("fav", "alice"), "", "alice")
    live_world.leaves.put(theirs, level, "info", "alice")
    assert (live_world.use(), live_world.use("bob")) == (2 * ROW + 4, before)
    live_world.bound(storage=0)
    assert not live_world.leaves.put(theirs, level, "ignore", "alice")
    assert live_world.use() == 2 * ROW + 6
    for size in (6, 4):
        with pytest.raises(TooLarge, match="account alice"):
            live_world.leaves.put(theirs, tag_rel("like", "alice"), "", "alice")
        assert live_world.use() == 2 * ROW + size
        live_world.leaves.clear(theirs, level)
        live_world.leaves.put(theirs, level, "info", "alice")
    live_world.items.remove(found(live_world.items.at(theirs, "bob")).item)
    assert (live_world.use(), live_world.use("bob")) == (0, before)


def test_keepers_without_quotas_bound_nothing(stored: StoredWorld) -> None:
    stored.users.add("alice", "", Account.REGULAR, None, public=False)
    stored.database.run("INSERT INTO quota (account, name, value) VALUES ('alice', 'tags', 0)")
    item = StoredItems(stored.database, stored.clock, Shortnames(stored.database)).create("doc", "alice", "d")
    assert StoredLeaves(stored.database, stored.clock).put(item.id, tag_rel("fav", "alice"), "", "alice")
