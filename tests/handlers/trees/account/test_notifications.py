"""The caller's inbox: listed newest first, read, emptied by its owner alone."""

from __future__ import annotations

import pytest

from tests.handlers.trees.town import Town
from vfs.access import PUBLIC, Verb, Via
from vfs.errors import Denied, NotFound, Unauthenticated, Unsupported

INBOX = "/v1/admin/notifications"
JOB = "/v1/users/alice/code/jobs/nightly"


def test_the_inbox_lists_the_newest_first(town: Town) -> None:
    caller = town.token("alice")
    first = town.notices.add("alice", "failed", f"{JOB}/runs/1", "it failed")
    town.clock.forward(60)
    second = town.notices.add("alice", "success", f"{JOB}/runs/2", "it went well", level="important")
    town.notices.add("bob", "failed", f"{JOB}/runs/1", "it failed")
    rows = town.read(INBOX, caller)
    assert [(row.name, row.type, row.verbs, row.permissions) for row in rows] == [
        (f"20260102-030505-{second.id}", "file", (Verb.READ, Verb.REMOVE), ("r", "d")),
        (f"20260102-030405-{first.id}", "file", (Verb.READ, Verb.REMOVE), ("r", "d")),
    ]
    assert rows[0].created_on == second.created_on
    told = {"kind": "success", "level": "important", "subject": f"{JOB}/runs/2", "text": "it went well"}
    assert rows[0].extra == told


def test_a_notice_has_a_text_and_more(town: Town) -> None:
    caller = town.token("alice")
    notice = town.notices.add("alice", "failed", f"{JOB}/runs/1", "it failed")
    path = f"{INBOX}/20260102-030405-{notice.id}"
    assert town.text(path, caller) == "it failed\n"
    assert town.read(path, caller) == {
        "name": f"20260102-030405-{notice.id}",
        "created_on": notice.created_on,
        "kind": "failed",
        "level": "info",
        "subject": f"{JOB}/runs/1",
        "text": "it failed",
    }


def test_a_notice_is_removed_and_not_written(town: Town) -> None:
    caller = town.token("alice")
    notice = town.notices.add("alice", "failed", JOB, "it failed")
    path = f"{INBOX}/20260102-030405-{notice.id}"
    with pytest.raises(Unsupported):
        town.call(Verb.WRITE, path, caller, "no")
    town.call(Verb.REMOVE, path, caller)
    assert town.read(INBOX, caller) == []
    with pytest.raises(NotFound):
        town.call(Verb.REMOVE, path, caller)


@pytest.mark.parametrize("name", ["20260102-030405-{}", "20260102-030406-{0}", "{}", "x"])
def test_a_notice_of_another_or_by_another_name_is_absent(town: Town, name: str) -> None:
    notice = town.notices.add("alice", "failed", JOB, "it failed")
    user = "bob" if name.startswith("20260102-030405") else "alice"
    with pytest.raises(NotFound):
        town.call(Verb.READ, f"{INBOX}/{name.format(notice.id)}", town.token(user))


def test_the_inbox_is_no_business_of_runs_or_strangers(town: Town) -> None:
    with pytest.raises(Unauthenticated):
        town.call(Verb.READ, INBOX, PUBLIC)
    with pytest.raises(Denied):
        town.call(Verb.READ, INBOX, town.token("alice", via=Via.RUN, claim="global", run=1))


def test_the_target_of_a_direct_share_is_told_once(town: Town) -> None:
    town.users.change("bob", public=True)
    caller = town.token("alice")
    town.call(Verb.CREATE, "/v1/vis/docs/report", caller)
    town.call(Verb.CREATE, "/v1/vis/docs/report/shared/@bob~r", caller)
    town.call(Verb.CREATE, "/v1/users/alice/vis/docs/report/shared/@bob~rw", caller)
    (notice,) = town.notices.of("bob")
    assert (notice.kind, notice.path) == ("shared", "/v1/users/alice/vis/docs/report")
    assert notice.text == "@alice shared the doc report with you: r (read)."
    town.call(Verb.REMOVE, "/v1/vis/docs/report/shared/@bob", caller)
    town.call(Verb.CREATE, "/v1/users/alice/vis/docs/report/shared/@bob~rw", caller)
    (renewed,) = town.notices.of("bob")
    assert "rw (read, write)" in renewed.text
