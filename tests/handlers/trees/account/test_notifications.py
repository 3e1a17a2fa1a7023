"""The caller's inbox: listed newest first, read, emptied by its owner alone."""

from __future__ import annotations

import pytest

from tests.handlers.trees.tree_world import TreeWorld
from vfs.access import PUBLIC, Grant, Role, Verb, Via
from vfs.errors import Denied, Invalid, NotFound, Unauthenticated, Unsupported
from vfs.ports.notices import NoticeSubject

INBOX = "/v1/admin/notifications"
DISMISS = "/v1/admin/dismiss"
JOB = "/v1/users/alice/code/jobs/nightly"


@pytest.fixture(autouse=True)
def job(tree_world: TreeWorld) -> None:
    """The job of alice that the notices are about."""
    tree_world.call(Verb.CREATE, JOB, tree_world.token("alice", "maker"))


def test_the_inbox_lists_the_newest_first(tree_world: TreeWorld) -> None:
    caller = tree_world.token("alice")
    first = tree_world.notices.add("alice", "failed", f"{JOB}/runs/1", "it failed")
    tree_world.clock.forward(60)
    second = tree_world.notices.add("alice", "success", f"{JOB}/runs/2", "it went well", level="important")
    tree_world.notices.add("bob", "failed", f"{JOB}/runs/1", "it failed")
    rows = tree_world.read(INBOX, caller)
    assert [(row.name, row.type, row.verbs, row.permissions) for row in rows] == [
        (f"20260102-030505-{second.id}", "file", (Verb.READ, Verb.REMOVE), ("r", "d")),
        (f"20260102-030405-{first.id}", "file", (Verb.READ, Verb.REMOVE), ("r", "d")),
    ]
    assert rows[0].created_on == second.created_on
    expected = {"kind": "success", "level": "important", "subject": f"{JOB}/runs/2", "text": "it went well"}
    assert rows[0].extra == expected


def test_a_notice_has_a_text_and_more(tree_world: TreeWorld) -> None:
    caller = tree_world.token("alice")
    notice = tree_world.notices.add("alice", "failed", f"{JOB}/runs/1", "it failed")
    path = f"{INBOX}/20260102-030405-{notice.id}"
    assert tree_world.text(path, caller) == "it failed\n"
    assert tree_world.read(path, caller) == {
        "name": f"20260102-030405-{notice.id}",
        "created_on": notice.created_on,
        "kind": "failed",
        "level": "info",
        "subject": f"{JOB}/runs/1",
        "text": "it failed",
    }


def test_a_notice_is_removed_and_not_written(tree_world: TreeWorld) -> None:
    caller = tree_world.token("alice")
    notice = tree_world.notices.add("alice", "failed", JOB, "it failed")
    path = f"{INBOX}/20260102-030405-{notice.id}"
    with pytest.raises(Unsupported):
        tree_world.call(Verb.WRITE, path, caller, "no")
    tree_world.call(Verb.REMOVE, path, caller)
    assert tree_world.read(INBOX, caller) == []
    with pytest.raises(NotFound):
        tree_world.call(Verb.REMOVE, path, caller)


@pytest.mark.parametrize("name", ["20260102-030405-{}", "20260102-030406-{0}", "{}", "x"])
def test_a_notice_of_another_or_by_another_name_is_absent(tree_world: TreeWorld, name: str) -> None:
    notice = tree_world.notices.add("alice", "failed", JOB, "it failed")
    user = "bob" if name.startswith("20260102-030405") else "alice"
    with pytest.raises(NotFound):
        tree_world.call(Verb.READ, f"{INBOX}/{name.format(notice.id)}", tree_world.token(user))


def test_holds_that_wait_come_first(tree_world: TreeWorld) -> None:
    caller = tree_world.token("alice")
    for kind, run in (("failed", 1), ("waiting", 2), ("waiting", 3), ("success", 4)):
        tree_world.notices.add("alice", kind, f"{JOB}/runs/{run}", "said")
    rows = [(row.extra["kind"], row.extra["subject"][-1]) for row in tree_world.read(INBOX, caller)]
    assert rows == [("waiting", "3"), ("waiting", "2"), ("success", "4"), ("failed", "1")]


def test_rights_to_the_subject_of_a_notice_are_checked_when_it_is_shown(tree_world: TreeWorld) -> None:
    caller, needed = tree_world.token("bob"), {"shared": "r", "failed": "r", "waiting": "x", "joined": ""}
    (item,) = [found.item for found in tree_world.items.visible("job", "alice", "alice")]
    tree_world.call(Verb.CREATE, "/v1/admin/groups/crew", tree_world.token("alice", "founder"))
    tree_world.join("@alice~crew", "bob", Role.MEMBERS)
    group = tree_world.groups.find("@alice~crew", "bob")
    assert group is not None
    for kind in needed:
        about = group.group.item if kind == "joined" else item
        tree_world.notices.add("bob", kind, "", "said", about=NoticeSubject(about.id))
    notice = next(one for one in tree_world.notices.of("bob") if one.kind == "failed")
    for letters, kinds in (("", "joined"), ("x", "waiting joined shared"), ("r", "joined failed shared")):
        if letters:
            tree_world.grants.give(item.id, Grant("@bob", letters, f"@bob~{letters}"))
        assert [row.extra["kind"] for row in tree_world.read(INBOX, caller)] == kinds.split()
    path = f"{INBOX}/20260102-030405-{notice.id}"
    assert tree_world.text(path, caller) == "said\n"
    tree_world.grants.take(item.id, "@bob")
    with pytest.raises(NotFound):
        tree_world.call(Verb.REMOVE, path, caller)
    assert tree_world.write(DISMISS, caller, "all") == "dismissed 1 notice\n"
    assert [one.kind for one in tree_world.notices.of("bob")] == ["waiting", "failed"]
    tree_world.members.drop("@alice~crew", "bob", Role.MEMBERS, pending=False)
    tree_world.notices.add("bob", "joined", "", "said", about=NoticeSubject(group.group.item.id))
    assert tree_world.read(INBOX, caller) == []


@pytest.mark.parametrize(
    "sent,left",
    [
        ("all", []),
        ("{0}\n\n {2} \n20260102-030405-999999", ["nightlybird", "nightly"]),
        (f"{JOB}/runs/1/", ["nightlybird", "2", "nightly"]),
        (JOB, ["nightlybird"]),
        ("/v1/users/alice", []),
        ("/v1/users/carol", ["nightlybird", "2", "nightly", "1"]),
    ],
)
def test_notices_are_dismissed_together(tree_world: TreeWorld, sent: str, left: list[str]) -> None:
    caller = tree_world.token("alice")
    tree_world.call(Verb.CREATE, f"{JOB}bird", tree_world.token("alice", "other"))
    subjects = (f"{JOB}/runs/1", JOB, f"{JOB}/runs/2", f"{JOB}bird")
    added = [tree_world.notices.add("alice", "failed", subject, "said") for subject in subjects]
    kept = tree_world.notices.add("bob", "failed", JOB, "another's")
    names = [f"20260102-030405-{notice.id}" for notice in added]
    count = len(added) - len(left)
    said = tree_world.write(DISMISS, caller, sent.format(*names))
    assert said == f"dismissed {count} notice{'' if count == 1 else 's'}\n"
    assert [row.extra["subject"].rpartition("/")[2] for row in tree_world.read(INBOX, caller)] == left
    assert list(tree_world.notices.of("bob")) == [kept]


def test_notices_newer_than_the_last_one_seen_stay(tree_world: TreeWorld) -> None:
    caller = tree_world.token("alice")
    added = [tree_world.notices.add("alice", "failed", f"{JOB}/runs/{number}", "said") for number in range(3)]
    said = tree_world.write(DISMISS, caller, f"all 20260102-030405-{added[1].id}\n")
    assert said == "dismissed 2 notices\n"
    assert list(tree_world.notices.of("alice")) == added[2:]


@pytest.mark.parametrize(
    "sent", ["", "\n", "everything", "all\nall of it", "all 20260102-030405-1\nall", f"{JOB}\nx"]
)
def test_a_line_that_names_no_notice_dismisses_nothing(tree_world: TreeWorld, sent: str) -> None:
    tree_world.notices.add("alice", "failed", JOB, "said")
    with pytest.raises(Invalid, match="a line for each notice"):
        tree_world.call(Verb.WRITE, DISMISS, tree_world.token("alice"), sent)
    assert len(tree_world.notices.of("alice")) == 1


def test_runs_and_strangers_do_not_reach_the_inbox(tree_world: TreeWorld) -> None:
    with pytest.raises(Unauthenticated):
        tree_world.call(Verb.READ, INBOX, PUBLIC)
    with pytest.raises(Denied):
        tree_world.call(Verb.READ, INBOX, tree_world.token("alice", via=Via.RUN, claim="global", run=1))
    with pytest.raises(Denied):
        tree_world.call(
            Verb.WRITE, DISMISS, tree_world.token("alice", "run", via=Via.RUN, claim="global", run=1), "all"
        )


def test_the_target_of_a_direct_share_gets_one_notice(tree_world: TreeWorld) -> None:
    tree_world.users.change("bob", public=True)
    caller = tree_world.token("alice")
    tree_world.call(Verb.CREATE, "/v1/vis/docs/report", caller)
    tree_world.call(Verb.CREATE, "/v1/vis/docs/report/shared/@bob~r", caller)
    tree_world.call(Verb.CREATE, "/v1/users/alice/vis/docs/report/shared/@bob~rw", caller)
    reader = tree_world.token("bob")
    (row,) = tree_world.read(INBOX, reader)
    assert (row.extra["kind"], row.extra["subject"]) == ("shared", "/v1/users/alice/vis/docs/report")
    assert row.extra["text"] == "@alice shared the doc report with you: rw (read, write)."
    tree_world.call(Verb.REMOVE, "/v1/vis/docs/report/shared/@bob", caller)
    tree_world.call(Verb.CREATE, "/v1/users/alice/vis/docs/report/shared/@bob~rw", caller)
    tree_world.call(Verb.RENAME, "/v1/vis/docs/report", caller, {"name": "paper"})
    (renewed,) = tree_world.read(INBOX, reader)
    assert renewed.extra["text"] == "@alice shared the doc paper with you: rw (read, write)."
    assert renewed.extra["subject"] == "/v1/users/alice/vis/docs/paper"
