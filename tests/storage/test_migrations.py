"""Migrations: from nothing, again, side by side, and never backwards."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from storage.database.columns import Cells
from storage.database.copies import KEPT, copy_database
from storage.database.database import Database
from storage.migrations import WHOLE, release
from storage.migrations.former_notices import convert
from storage.migrations.former_tables import columns_of
from storage.migrations.tables import TABLES
from storage.tree.items import StoredItems
from storage.tree.leaves import StoredLeaves
from storage.tree.shortnames import Shortnames
from tests.kit.schema import make_older, schema_of
from tests.kit.suites.kernel import StillClock
from tests.kit.world import StoredWorld, sqlite_in
from tests.storage.tree.counted_rows import actions
from tests.storage.tree.quota_world import QuotaWorld
from vfs.access import Role
from vfs.errors import Conflict, Unavailable, VfsError
from vfs.ports.clock import stamp
from vfs.ports.groups import GroupKind, TieKind
from vfs.ports.leaves import digest_of
from vfs.ports.people import Account

API = "/v1"
MIGRATE = """
import sys
from storage.database.database import Database
sys.stdin.readline()
database = Database(sys.argv[1])
database.migrate()
database.close()
"""


def every_row(database: Database) -> dict[str, list[Cells]]:
    """All rows of all tables, except what is known of migrations and what these fill again."""
    columns = {
        table: ", ".join(sorted({*columns_of(database._pool, table)} - {"kept", "since"})) for table in TABLES
    }
    assert {table for table, names in columns.items() if not names} == {"activity"}
    return {
        table: sorted(database.rows(f"SELECT {names} FROM {table}"), key=repr)
        for table, names in columns.items()
        if names
    }


def applied(database: Database) -> list[str]:
    return [name for (name,) in database.rows("SELECT name FROM schema_migration ORDER BY name")]


def test_from_nothing_and_again(database_url: str) -> None:
    database = Database(database_url)
    database.migrate()
    first = applied(database)
    assert first[0] == WHOLE
    database.migrate()
    assert applied(database) == first
    assert database.rows("SELECT version FROM schema_writer") == [(release(),)]
    database.close()


def test_what_an_older_release_wrote_is_copied_before_it_changes(database_url: str, tmp_path: Path) -> None:
    database = Database(database_url)
    assert database.lacking() == []
    database.migrate()
    assert database.lacking() == []
    last = applied(database)[-1]
    make_older(database)
    assert (database.lacking()[0], database.lacking()[-1]) == (WHOLE, last)
    for number in range(KEPT + 1):
        copy = copy_database(database_url, tmp_path / "copies", str(number))
    assert len(kept := sorted((tmp_path / "copies").iterdir())) == KEPT
    assert (kept[-1], copy.stat().st_mode & 0o077) == (copy, 0)
    if database.dialect == "sqlite":
        found = Database(f"sqlite:///{copy}")
        assert applied(found) == applied(database)
        found.close()
    else:
        listed = ["pg_restore", "--list", str(copy)]
        assert "schema_migration" in subprocess.run(listed, capture_output=True, text=True, check=True).stdout
    database.close()


def test_a_database_that_cannot_be_copied_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="cannot be copied to"):
        copy_database(f"sqlite:///{tmp_path}/none/at-all.db", tmp_path / "copies", "1")
    with pytest.raises(Unavailable, match="pg_dump could not"):
        copy_database("postgresql://me:secret@127.0.0.1:1/none", tmp_path / "copies", "1")
    assert list((tmp_path / "copies").iterdir()) == []


def test_several_processes_at_once(database_url: str) -> None:
    started = [
        subprocess.Popen(
            [sys.executable, "-c", MIGRATE, database_url], stdin=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(3)
    ]
    ends = [process.communicate(b"go\n") for process in started]
    assert [process.returncode for process in started] == [0, 0, 0], ends
    database = Database(database_url)
    assert len(set(applied(database))) == len(applied(database))
    database.close()


def test_a_newer_schema_is_refused_by_the_version_that_wrote_it(database: Database) -> None:
    database.run("INSERT INTO schema_migration (name, applied) VALUES ('9999_future', '2030-01-01')")
    database.run("UPDATE schema_writer SET version = '9.1.0'")
    before = applied(database)
    refusal = r"written by Curlew 9\.1\.0 .*9999_future.*Install Curlew 9\.1\.0"
    with pytest.raises(Conflict, match=refusal) as caught:
        database.migrate()
    assert caught.value.detail.endswith(".")
    assert applied(database) == before


def test_texts_of_former_times_have_digests_and_versions_but_secrets_have_none(database: Database) -> None:
    clock = StillClock()
    item = StoredItems(database, clock, Shortnames(database)).create("job", "alice", "report").id
    leaves = StoredLeaves(database, clock)
    for rel in ("description", "config/env/KEY", "config/plan", "hooks/ci/secret"):
        leaves.put(item, rel, "words", "alice")
    leaves.put(item, "writers", "bob", None)
    known = leaves.digests_of([item], ["description"], "config")
    database.run("UPDATE leaf SET text_digest = NULL")
    make_older(database)
    database.migrate()
    assert leaves.digests_of([item], ["description"], "config") == known
    assert database.rows("SELECT rel FROM leaf WHERE kept > 0") == [("description",)]
    leaves.put(item, "description", "other words", "bob")
    assert leaves.versions.at_time(item, "description", stamp(clock.now())) == "other words"
    assert leaves.versions.with_digest(item, "description", digest_of("words")) == "words"


def test_notices_of_former_times_are_given_what_they_are_about(stored: StoredWorld) -> None:
    notices, users = stored.notices, f"{API}/users/alice"
    for name in ("alice", "bob"):
        stored.users.add(name, "", Account.REGULAR, None, public=True)
    doc, job = (stored.items.create(kind, "alice", name) for kind, name in (("doc", "n1"), ("job", "k1")))
    topic = stored.threads.add(doc.id, None, "bob", "one", "present text")
    answer = stored.threads.add(doc.id, topic, "alice", "two", "present answer")
    crew = stored.groups.create(GroupKind.USER_GROUP, "alice", "crew", "alice")
    stored.members.put(crew.ref, "bob", Role.ADMINS, pending=True, by="alice")
    stored.ties.put(TieKind.CONNECTION, "alice", "bob", pending=True)
    stored.clock.forward(60)
    advice, thread = ": POST yes or no to its accept.", f"{users}/vis/docs/n1/threads/@bob~one"
    invites, said = f"{API}/admin/invites", "@alice shared the doc n1 with you: r (read)."
    former = (
        ("shared", f"{users}/vis/docs/n1", said, "@alice"),
        ("commented", thread, "@bob on the doc n1: former text", "@bob"),
        ("answered", f"{thread}/comments/@alice~two", "@alice on the doc n1: former", ""),
        ("failed", f"{users}/code/jobs/k1/runs/r1", "The run r1 of /u/alice/j/k1 failed.", "x"),
        ("invite", f"{invites}/{crew.ref}", f"@alice invited you to {crew.ref} as a member{advice}", ""),
        ("invite", f"{invites}/@alice", f"@alice asks to be connected with you{advice}", ""),
        ("joined", f"{API}/admin/groups/{crew.ref}", "@bob is a member of it now.", "@bob"),
        ("connected", users, "@alice is connected with you now.", "@alice"),
        ("shared", f"{users}/vis/docs/gone", said, "@alice"),
        ("commented", f"{users}/vis/docs/n1/threads/@bob~gone", "@bob on the doc n1: gone", "@bob"),
        ("invite", f"{invites}/+gone", "@alice invited you to +gone as a member: POST", ""),
        ("invite", f"{invites}/@bob", f"@bob asks to be connected with you{advice}", ""),
        ("odd", "/elsewhere", "odd", ""),
    )
    for kind, path, text, source in former:
        notices.add("bob", kind, path, text, source=source)
    with stored.atomic():
        convert(stored.database._pool)
    person = stored.users.find("alice")
    assert person is not None
    found = [(one.kind, one.item, one.path, one.text, one.comment) for one in notices.of("bob")]
    assert found[::-1] == [
        ("shared", doc.id, "", "@alice shared the {thing} with you: {letters}.", None),
        ("commented", doc.id, "threads/@bob~one", "@bob on the {thing}: {comment}", "present text"),
        (
            "answered", doc.id, "threads/@bob~one/comments/@alice~two", "@alice on the {thing}: {comment}",
            answer.text,
        ),
        ("failed", job.id, "runs/r1", "The run r1 of {page} failed.", None),
        ("invite", crew.item.id, "", "@alice invited you to {group} as {role}.", None),
        ("invite", person.item, "", "@alice asks to be connected with you.", None),
        ("joined", crew.item.id, "", "@bob is a member of it now.", None),
        ("connected", person.item, "", "@alice is connected with you now.", None),
    ]  # fmt: skip


def test_what_former_texts_say_is_noted(stored: StoredWorld) -> None:
    texts = {"content": "/p/north /u/bob/p/south ref: Ab3dE", "mapping": "A => /p/west", "config/plan": ""}
    titles = ("Vögel", " ".join(f"seabird{number}" for number in range(30)))
    for owner in ("alice", "bob"):
        for number in range(20):
            item = stored.items.create("doc", owner, f"n{number}").id
            stored.leaves.put(item, "name", titles[number % 2], owner)
            for rel, text in texts.items():
                stored.leaves.put(item, rel, text, owner)
    known = every_row(stored.database)
    assert len(known["item_reference"]) == 160
    for table in ("item_reference", "search_word"):
        stored.database.run(f"DROP TABLE {table}")
    for index in ("item_changed", "item_label"):
        stored.database.run(f"DROP INDEX {index}")
    for column in ("sought", "label"):
        stored.database.run(f"ALTER TABLE item DROP COLUMN {column}")
    make_older(stored.database)
    stored.database.migrate()
    now = every_row(stored.database)
    words = [[set(str(cell).split()) for cell in row] for row in known.pop("item")]
    assert [[set(str(cell).split()) for cell in row] for row in now.pop("item")] == words
    assert now == known
    assert any("vogel" in word for row in words for word in row)


@given(some.randoms(use_true_random=False))
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_row_is_copied_and_counted_as_it_was(dice: random.Random) -> None:
    check_copy(QuotaWorld(sqlite_in(), "mem://"), dice)


def test_every_row_is_copied_and_counted_as_it_was_in_every_database(database: Database) -> None:
    check_copy(QuotaWorld(database, "mem://"), random.Random(11))


def check_copy(live_world: QuotaWorld, dice: random.Random) -> None:
    """Have much done, count the schema as an older one, and compare all rows and the schema."""
    for _ in range(80):
        try:
            dice.choice(actions(live_world, dice))()
        except VfsError:
            continue
    last = live_world.items.create("doc", "alice", "last")
    live_world.items.remove(last)
    live_world.database.run("DELETE FROM row_count WHERE number = 0")
    rows, schema = every_row(live_world.database), schema_of(live_world.database)
    make_older(live_world.database)
    live_world.database.migrate()
    assert every_row(live_world.database) == rows
    assert schema_of(live_world.database) == schema
    # The number of an item that is gone is not given again.
    assert live_world.items.create("doc", "alice", "another").id == last.id + 1
    live_world.database.close()
