"""Migrations: from nothing, again, side by side, and never backwards."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from storage.database.copies import KEPT, copy_database
from storage.database.database import Database
from storage.migrations import release
from storage.migrations.dialect import execute
from storage.tree.items import StoredItems
from storage.tree.leaves import StoredLeaves
from storage.tree.shortnames import Shortnames
from tests.kit.suites.kernel import StillClock
from tests.kit.world import StoredGround
from vfs.access import Role
from vfs.errors import Conflict, Unavailable
from vfs.ports.groups import GroupKind, TieKind
from vfs.ports.people import Account

API = "/v1"
MIGRATE = """
import sys
from storage.database.database import Database
from storage.migrations.dialect import execute
sys.stdin.readline()
database = Database(sys.argv[1])
database.migrate()
database.close()
"""


def applied(database: Database) -> list[str]:
    return [name for (name,) in database.rows("SELECT name FROM schema_migration ORDER BY name")]


def test_from_nothing_and_again(database_url: str) -> None:
    database = Database(database_url)
    database.migrate()
    first = applied(database)
    assert first[0] == "0001_ground"
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
    database.run("DELETE FROM schema_migration WHERE name = ?", last)
    assert database.lacking() == [last]
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


def test_how_long_former_runs_took_is_written_down(database: Database) -> None:
    module = import_module("storage.migrations.0011_retention")
    run = (
        "INSERT INTO run (job, id, shortname, status, trigger, source, caller, created_on, started_on,"
        " completed_on, lines, discarded, spaces) VALUES (1, ?, ?, 'success', 'api', '', 'bob', '2026', ?, ?,"
        " 0, ?, '')"
    )
    spans = [
        ("2026-11-21T07:44:16.123Z", "2026-11-21T07:44:17.456Z"),
        ("2026-11-21T23:59:59.900Z", "2026-11-22T01:00:00.400Z"),
        (None, "2026-11-22T01:00:00.400Z"),
        ("2026-11-21T07:44:16.123Z", None),
    ]
    for number, span in enumerate(spans):
        database.run(run, f"r{number}", f"s{number}", *span, False)
    updates = [statement for statement in module.STATEMENTS if statement.startswith("UPDATE")]
    with database.atomic():
        execute(database._pool, updates, took=module.TOOK[database.dialect])
    told = [row[0] for row in database.rows("SELECT duration FROM run ORDER BY id")]
    assert told == ["1.33", "3600.50", None, None]


def test_who_pushed_a_former_build_is_the_owner_of_its_repo(database: Database) -> None:
    module = import_module("storage.migrations.0012_pushers")
    database.run("DROP TABLE build_line")
    database.run("DROP INDEX build_queue")
    database.run("ALTER TABLE build DROP COLUMN pusher")
    item = "INSERT INTO item (kind, owner, name, shortname, created_on, last_modified) VALUES"
    database.run(f"{item} ('repo', 'alice', 'upper', 'abcde', '2026', '2026')")
    for repo in (database.rows("SELECT id FROM item WHERE name = 'upper'")[0][0], 999_999):
        database.run(
            "INSERT INTO build (repo, labels, ref, revision, status, error, created_on)"
            " VALUES (?, '[]', 'r', 'c', 'ready', '', '2026')",
            repo,
        )
    with database.atomic():
        module.up(None, database._pool)
    assert database.rows("SELECT pusher FROM build ORDER BY id") == [("alice",), ("",)]


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


def test_texts_of_former_times_have_digests(database: Database) -> None:
    clock = StillClock()
    item = StoredItems(database, clock, Shortnames(database)).create("doc", "alice", "report").id
    leaves = StoredLeaves(database, clock)
    leaves.put(item, "content", "words", "alice")
    known = leaves.digests_of([item], ["content"], "config")
    database.run("UPDATE leaf SET text_digest = NULL")
    assert leaves.digests_of([item], ["content"], "config") == known


def test_notices_of_former_times_are_given_what_they_are_about(stored: StoredGround) -> None:
    module = import_module("storage.migrations.0044_notice_subjects")
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
        module.convert(stored.database._pool)
    person = stored.users.find("alice")
    assert person is not None
    told = [(one.kind, one.item, one.path, one.text, one.comment) for one in notices.of("bob")]
    assert told[::-1] == [
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


def test_what_former_texts_name_is_noted(stored: StoredGround) -> None:
    texts = {"content": "/p/north /u/bob/p/south ref: Ab3dE", "mapping": "A => /p/west", "config/plan": ""}
    for owner in ("alice", "bob"):
        for number in range(20):
            item = stored.items.create("doc", owner, f"n{number}").id
            for rel, text in texts.items():
                stored.leaves.put(item, rel, text, owner)
    rows = "SELECT item, rel, letter, owner, name FROM item_reference ORDER BY item, rel, letter, owner, name"
    known = stored.database.rows(rows)
    assert len(known) == 160
    stored.database.run("DROP TABLE item_reference")
    stored.database.run("DELETE FROM schema_migration WHERE name = '0049_item_references'")
    stored.database.migrate()
    assert stored.database.rows(rows) == known


def test_words_that_were_there_stand_beside_the_orders(database: Database) -> None:
    module = import_module("storage.migrations.0059_sought_words")
    ground = StoredGround(database, "mem://")
    for name, title in (("short", "Vögel"), ("long", " ".join(f"seabird{number}" for number in range(30)))):
        item = ground.items.create("doc", "alice", name)
        ground.leaves.put(item.id, "name", title, "alice")
    told = database.rows("SELECT id, sought FROM item ORDER BY id")
    for index in ("item_changed", "item_label"):
        database.run(f"DROP INDEX {index}")
        database.run(f"CREATE INDEX {index} ON item (id)")
    database.run("ALTER TABLE item DROP COLUMN sought")
    with database.atomic():
        module.up(None, database._pool)
    found = database.rows("SELECT id, sought FROM item ORDER BY id")
    assert [(item, set(words.split())) for item, words in found] == [
        (item, set(words.split())) for item, words in told
    ]
    assert {"vogel", "short", "alice"} in [set(words.split()) for _, words in found] and "" in dict(
        found
    ).values()
