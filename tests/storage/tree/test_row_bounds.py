"""Every kind of row has a bound: declared for each table, counted as it comes and goes, never gone beyond."""

from __future__ import annotations

import random
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

import storage
from storage.database.database import Database
from storage.tree.items import StoredItems
from storage.tree.leaves import StoredLeaves
from storage.tree.quotas import ROW
from storage.tree.shortnames import Shortnames
from tests.kit.suites.chains import at_once
from tests.kit.world import StoredGround, sqlite_in
from tests.storage.tree.counted_rows import MAKERS, UNMAKERS, deeds, doc, found, group
from tests.storage.tree.quota_ground import QuotaGround
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
COUNTED = import_module("storage.migrations.0036_row_counts")
REFUSED = [name for name in MADE if name is not QuotaName.SESSIONS]
USES = "SELECT item, owner, bytes FROM item_use ORDER BY item"
OWNERS_PAY = {
    dialect: f"""
UPDATE item_use SET bytes = coalesce((
        SELECT sum({weight.format(r="l")}) FROM leaf l WHERE l.item = item_use.item), 0)
    + coalesce((SELECT sum(256 + {octets.format(r="c")}) FROM comment c
        JOIN account a ON a.name = c.author WHERE a.item = item_use.item), 0)"""
    for dialect, weight, octets in ((d, COUNTED.WEIGHT[d], COUNTED.OCTETS[d]) for d in COUNTED.OCTETS)
}
FORMERLY = """
UPDATE item_use SET owner = 'bob' WHERE item IN (
    SELECT item FROM people_group WHERE owner IN ('corp', 'bob') AND kind <> 'user_group')"""


KEYS = COUNTED.CountedRows("keys", "ssh_key", "{r}.account")


def counted_rows(dialect: str) -> list[Any]:
    """What counts, as all migrations together have it."""
    return [*COUNTED.counted_rows(dialect), KEYS]


@pytest.fixture
def house(database: Database, tmp_path: Path) -> QuotaGround:
    return QuotaGround(database, f"osfs://{tmp_path}/blobs")


UNBOUNDED = {"sqlite_sequence", "activity"}
"""A row for each table that numbers its rows, and a table that a migration replaces."""


def test_every_table_has_a_declared_bound(database: Database) -> None:
    tables = {name for (name,) in database.rows(TABLES[database.dialect])}
    assert tables == set(ROW_BOUNDS), "say what bounds its rows in tests/storage/tree/row_bounds.py"
    assert [table for table, bound in ROW_BOUNDS.items() if not (bound.quotas or bound.why)] == []
    assert {name for bound in ROW_BOUNDS.values() for name in bound.quotas} == set(QuotaName) - {
        QuotaName.PUSH
    }


def test_whatever_inserts_rows_inserts_them_into_tables_with_a_bound() -> None:
    sources = [path.read_text() for path in Path(storage.__path__[0]).rglob("*.py")]
    inserted = {table for source in sources for table in INSERT.findall(source)} - UNBOUNDED
    assert len(inserted) > 30
    assert inserted - set(ROW_BOUNDS) == set()


def test_what_is_counted_is_declared(database: Database) -> None:
    counted = counted_rows(database.dialect)
    assert sorted(one.name for one in counted) == sorted(MADE)
    assert [one.name for one in counted if one.name not in ROW_BOUNDS[one.table].quotas] == []


def prepare(house: QuotaGround, name: QuotaName, room: int) -> None:
    """Give alice room for so many more of a kind."""
    for owner in ("alice", "bob"):
        doc(house, owner)
        group(house, owner)
    house.bound(**{name: house.use(name=name) + room})


def test_there_is_a_maker_of_every_kind() -> None:
    assert list(MAKERS) == list(MADE)
    assert list(UNMAKERS) == REFUSED


@pytest.mark.parametrize("name", REFUSED)
def test_one_more_than_may_be_is_refused_and_nothing_is_left_of_it(
    house: QuotaGround, name: QuotaName
) -> None:
    prepare(house, name, 2)
    for number in range(2):
        MAKERS[name](house, number)
    before = house.database.rows(COUNTS), house.use("bob", name)
    with pytest.raises(QuotaReached, match="account alice has as many as it may") as refused:
        MAKERS[name](house, 2)
    assert refused.value.members == {"quota": name.value}
    assert "first" in refused.value.detail
    assert (house.database.rows(COUNTS), house.use("bob", name)) == before
    UNMAKERS[name](house, 0)
    MAKERS[name](house, 2)
    with pytest.raises(QuotaReached):
        MAKERS[name](house, 4)
    house.quotas.set("alice", {name: None})
    MAKERS[name](house, 4)


@pytest.mark.parametrize("name", REFUSED)
def test_writers_at_once_never_go_beyond(house: QuotaGround, name: QuotaName) -> None:
    prepare(house, name, 3)
    before = house.use(name=name)
    answers = at_once(*[lambda n=n: MAKERS[name](house, n) for n in range(8)])  # type: ignore[misc]
    assert house.use(name=name) <= before + 3
    assert sum(not isinstance(answer, Exception) for answer in answers) == house.use(name=name) - before
    assert all(isinstance(answer, VfsError) for answer in answers if isinstance(answer, Exception))


def test_beyond_the_quota_the_oldest_session_ends_and_signing_in_is_not_refused(house: QuotaGround) -> None:
    house.tokens.mint("alice", "cli", "of a token")
    house.tokens.mint("alice", "run", "of a run", via=Via.RUN, run=1)
    house.tokens.mint("bob", "s", "of bob", via=Via.SESSION)
    for limit in (3, 1, 0):
        house.bound(sessions=limit)
        for number in range(6):
            house.tokens.mint("alice", f"s{limit}{number}", f"{limit} {number}", via=Via.SESSION)
        found = [house.tokens.by_digest(f"{limit} {number}") for number in range(6)]
        left = max(limit, 1)
        assert [one is not None and one.revoked_on is None for one in found] == (
            [False] * (6 - left) + [True] * left
        )
        assert house.use(name=QuotaName.SESSIONS) == left
    others = [house.tokens.by_digest(f"of {what}") for what in ("a token", "a run", "bob")]
    assert [one is not None and one.revoked_on for one in others] == [None] * 3


def test_an_organisation_counts_for_who_founded_it_and_never_for_who_bears_its_name(
    house: QuotaGround,
) -> None:
    house.users.add("corp", "", Account.ORGANISATION, None, public=False)
    house.quotas.set("bob", {QuotaName.ITEMS: 0, QuotaName.GROUPS: 0, QuotaName.MEMBERS: 0})
    before = house.use("corp", QuotaName.ITEMS)
    house.groups.create(GroupKind.ORG, "corp", "bob", "corp")
    made = house.groups.create(GroupKind.ORG_GROUP, "bob", "crows", "corp")
    house.members.put(made.ref, "alice", Role.MEMBERS, pending=True, by="corp")
    house.leaves.put(made.item.id, "profile/name", "12345", "corp")
    assert house.use("corp", QuotaName.ITEMS) == before + 2
    assert [house.use("corp", name) for name in (QuotaName.GROUPS, QuotaName.MEMBERS)] == [2, 3]
    assert [house.use("bob", name) for name in (QuotaName.GROUPS, QuotaName.MEMBERS)] == [0, 0]
    assert house.use("corp") > 256
    assert house.use("bob") == 0
    house.quotas.set("corp", {QuotaName.GROUPS: 2})
    with pytest.raises(QuotaReached, match="account corp"):
        house.groups.create(GroupKind.ORG_GROUP, "bob", "rooks", "corp")
    house.groups.remove(found(house.groups.find("+bob", None)).group)
    assert [house.use("corp", name) for name in (QuotaName.GROUPS, QuotaName.MEMBERS)] == [0, 0]
    assert house.use("corp", QuotaName.ITEMS) == before


def test_a_copy_counts_what_it_brings(house: QuotaGround) -> None:
    house.leaves.put(doc(house), "vars/a", "", "alice")
    house.leaves.put(doc(house), "vars/a/value", "1", "alice")
    house.leaves.put(doc(house), tag_rel("+mine", "alice"), "", "alice")
    source = found(house.items.at(doc(house), "alice"))
    house.bound(variables=3)
    with pytest.raises(QuotaReached):
        house.items.copy(source.item, "alice", "copy", ["vars", "tags"])
    assert house.items.find("doc", "alice", "copy", "alice") is None
    house.bound(variables=4, tags=2)
    house.items.copy(source.item, "alice", "copy", ["vars", "tags"])
    assert [house.use(name=name) for name in (QuotaName.VARIABLES, QuotaName.TAGS)] == [4, 2]


def test_what_nobody_wrote_and_what_changes_nothing_is_not_held_to_a_quota(house: QuotaGround) -> None:
    house.leaves.put(doc(house), "vars/a", "1", "alice")
    house.bound(variables=0, tags=0)
    assert not house.leaves.put(doc(house), "vars/a", "2", "alice")
    assert house.leaves.put(doc(house), "vars/b", "2", None)
    assert house.leaves.put(doc(house), "content", "2", "alice")
    with pytest.raises(QuotaReached):
        house.leaves.put(doc(house), "notifications/@alice", "info", "alice")
    house.leaves.put(doc(house), "notifications/@bob", "info", "bob")


def do_some(house: QuotaGround, dice: random.Random, most: int) -> int:
    """The number of deeds that were done, of so many."""
    done = 0
    for _ in range(most):
        try:
            dice.choice(deeds(house, dice))()
            done += 1
        except VfsError:
            continue
    return done


def recounted(house: QuotaGround) -> list[tuple[object, ...]]:
    """The counts, made anew of what is there."""
    counts = house.database.rows(COUNTS)
    with house.database.atomic():
        house.database.run("DELETE FROM row_count")
        for one in counted_rows(house.database.dialect):
            words = {"account": one.account.format(r="r"), "which": one.which.format(r="r")}
            house.database.run(COUNTED.FILL.format(name=one.name, table=one.table, **words))
        anew = house.database.rows(COUNTS)
    assert counts == anew
    kept = house.database.rows(KEPT)
    house.quotas.recount()
    assert house.database.rows(KEPT) == kept
    return anew


@given(some.randoms(use_true_random=False), some.integers(1, 40))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_counts_are_of_what_is_there(dice: random.Random, most: int) -> None:
    house = QuotaGround(sqlite_in(), "mem://")
    do_some(house, dice, most)
    recounted(house)
    house.database.close()


def test_counts_are_of_what_is_there_in_every_database(house: QuotaGround) -> None:
    dice, done, seen = random.Random(7), 0, set[object]()
    for _ in range(8):
        done += do_some(house, dice, 50)
        seen |= {name for _, name, _ in recounted(house)}
    assert done > 200
    assert seen == set(MADE)


def test_what_was_there_is_counted_and_charged_at_once(house: QuotaGround) -> None:
    do_some(house, random.Random(3), 100)
    house.users.add("corp", "", Account.ORGANISATION, None, public=False)
    house.groups.create(GroupKind.ORG, "corp", "bob", "corp")
    house.groups.create(GroupKind.ORG_GROUP, "bob", "crows", "corp")
    house.leaves.put(doc(house, "bob"), "notifications/@alice", "important", "alice")
    before = recounted(house), house.database.rows(USES)
    assert house.database.run(FORMERLY) == 2
    house.database.run(COUNTED.CHARGE.format(founder=COUNTED.FOUNDER.format(r="g")))
    assert house.database.run(OWNERS_PAY[house.database.dialect]) > 0
    assert house.database.rows(USES) != before[1]
    house.database.run(next(COUNTED._charge_marks(house.database.dialect)))
    assert (recounted(house), house.database.rows(USES)) == before


def test_whoever_marks_what_is_anothers_pays_for_the_bytes_too(house: QuotaGround) -> None:
    theirs, level = doc(house, "bob"), "notifications/@alice"
    house.quotas.set("bob", {QuotaName.STORAGE: 0})
    before = house.use("bob")
    house.leaves.put(theirs, tag_rel("fav", "alice"), "", "alice")
    house.leaves.put(theirs, level, "info", "alice")
    assert (house.use(), house.use("bob")) == (2 * ROW + 4, before)
    house.bound(storage=0)
    assert not house.leaves.put(theirs, level, "ignore", "alice")
    assert house.use() == 2 * ROW + 6
    for size in (6, 4):
        with pytest.raises(TooLarge, match="account alice"):
            house.leaves.put(theirs, tag_rel("like", "alice"), "", "alice")
        assert house.use() == 2 * ROW + size
        house.leaves.clear(theirs, level)
        house.leaves.put(theirs, level, "info", "alice")
    house.items.remove(found(house.items.at(theirs, "bob")).item)
    assert (house.use(), house.use("bob")) == (0, before)


def test_keepers_without_quotas_bound_nothing(stored: StoredGround) -> None:
    stored.users.add("alice", "", Account.REGULAR, None, public=False)
    stored.database.run("INSERT INTO quota (account, name, value) VALUES ('alice', 'tags', 0)")
    item = StoredItems(stored.database, stored.clock, Shortnames(stored.database)).create("doc", "alice", "d")
    assert StoredLeaves(stored.database, stored.clock).put(item.id, tag_rel("fav", "alice"), "", "alice")
