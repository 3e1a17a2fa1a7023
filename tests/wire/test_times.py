"""Times of change: what changes those of an item and what does not, and those of runs and threads."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.kit.client import Answer
from tests.kit.service import Application

TEXT, DATA = "text/plain", "application/json"
ITEMS = {
    **{kind: f"/v1/users/alice/vis/{kind}/heron" for kind in ("plots", "grids", "docs", "mails")},
    **{kind: f"/v1/users/alice/code/{kind}/heron" for kind in ("jobs", "repos", "spaces")},
}
COPIED = ("plots", "grids", "docs", "mails")
Action = tuple[str, str, str, str]
# Who, how, where below the item, what.
SAID: list[Action] = [
    ("alice", "PUT", "shared/@bob~rx", ""),
    ("alice", "PUT", "shared/@bob~rwx", ""),
    ("bob", "PUT", "threads/talk", "what a bird"),
    ("bob", "POST", "threads/talk/msg", "what birds"),
    ("alice", "PUT", "threads/@bob~talk/comments/yes", "indeed"),
    ("alice", "DELETE", "threads/@bob~talk/comments/yes", ""),
    ("bob", "DELETE", "threads/talk", ""),
    ("bob", "PUT", "tags/fav", ""),
    ("alice", "PUT", "tags/+own", ""),
    ("bob", "DELETE", "tags/fav", ""),
    ("bob", "POST", "notifications", "important"),
    ("alice", "POST", "notifications", "ignore"),
    ("bob", "GET", "", ""),
    ("bob", "GET", "summary", ""),
    ("alice", "DELETE", "shared/@bob~rwx", ""),
]
MEANT: list[Action] = [
    ("alice", "POST", "summary", "a bird"),
    ("alice", "DELETE", "summary", ""),
    ("alice", "PUT", "vars/total", ""),
    ("alice", "POST", "vars/total/value", "3"),
    ("alice", "DELETE", "vars/total", ""),
    ("alice", "POST", "config/comments", "no"),
]


def ask(
    service: Application, who: str, method: str, path: str, body: str = "", media: str = TEXT, **more: str
) -> Answer:
    headers = [("Authorization", f"Bearer {service.user(who)}"), *more.items()]
    headers += [("Content-Type", media)] if body else []
    return service.call(method, path, headers, body.encode())


def facts(service: Application, path: str) -> dict[str, Any]:
    """What OPTIONS tells of a place to alice."""
    row: dict[str, Any] = json.loads(ask(service, "alice", "OPTIONS", path).body)
    return row


def rows(service: Application, path: str) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads(ask(service, "alice", "GET", path, Accept=DATA).body)
    return listed


def moved(service: Application, path: str, action: Callable[[], Answer]) -> bool:
    """Whether a action, a minute later, changed the item's time; it has to succeed."""
    before = facts(service, path)["last_modified"]
    service.arrange("later", ["1", "minutes"], [])
    answer = action()
    assert answer.status < 300, answer
    return bool(facts(service, path)["last_modified"] != before)


@pytest.mark.parametrize("kind", ITEMS)
def test_what_is_said_about_an_item_does_not_change_it(service: Application, kind: str) -> None:
    service.user("alice", "public")
    service.user("bob", "public")
    path = ITEMS[kind]
    assert ask(service, "alice", "PUT", path).status == 201
    for who, method, rest, body in SAID:
        if kind == "spaces" and not rest.startswith(("shared", "tags", "notifications", "summary")):
            continue
        where = f"{path}/{rest}".rstrip("/")
        if "shared" in rest and kind == "spaces":
            where = where.replace("rwx", "rw").replace("rx", "r")
        assert not moved(service, path, lambda a=(who, method, where, body): ask(service, *a)), where  # type: ignore[misc]
        if rest == "shared/@bob~rwx" and method == "PUT" and kind in COPIED:
            sent = f'{{"name": "mine-{kind}", "copy": true}}'
            assert not moved(service, path, lambda w=sent: ask(service, "bob", "PATCH", path, w, DATA))  # type: ignore[misc]


@pytest.mark.parametrize("kind", ITEMS)
def test_what_is_written_into_an_item_changes_it(service: Application, kind: str) -> None:
    path = ITEMS[kind]
    assert ask(service, "alice", "PUT", path).status == 201
    for who, method, rest, body in MEANT:
        if ask(service, "alice", "OPTIONS", f"{path}/{rest}").status == 200:
            assert moved(service, path, lambda a=(who, method, f"{path}/{rest}", body): ask(service, *a)), (
                rest
            )  # type: ignore[misc]
    service.arrange("later", ["1", "minutes"], [])
    before = facts(service, path)["last_modified"]
    assert ask(service, "alice", "PATCH", path, "egret").status == 200
    assert facts(service, path.replace("heron", "egret"))["last_modified"] > before


def test_files_of_a_run_have_the_times_of_the_run(service: Application) -> None:
    service.arrange("image", ["alice/count", "WRITE=a.txt=3"], [])
    job = ITEMS["jobs"]
    ask(service, "alice", "PUT", job)
    ask(service, "alice", "POST", f"{job}/config/chains", "count")
    service.arrange("later", ["1", "minutes"], [])
    assert not moved(service, job, lambda: ask(service, "alice", "POST", f"{job}/data", "{}", DATA))
    (run,) = rows(service, f"{job}/runs")
    times = (run["created_on"], run["last_modified"])
    assert times[0] > facts(service, job)["last_modified"]
    inside = rows(service, run["uri"])
    assert {(row["created_on"], row["last_modified"]) for row in inside} == {times}
    for uri in (run["uri"], *(row["uri"] for row in inside)):
        entry = facts(service, uri)
        assert (entry["created_on"], entry["last_modified"]) == times
    description = f"{run['uri']}/description"
    assert not moved(service, job, lambda: ask(service, "alice", "POST", description, "the first"))
    written = {row["name"]: row["last_modified"] for row in rows(service, run["uri"])}
    assert written.pop("description") > times[1]
    assert set(written.values()) == {times[1]}
    shown = {row["name"]: row["last_modified"] for row in rows(service, f"{run['uri']}/outputs")}
    assert shown == {"a.txt": times[1]}


def test_files_of_a_thread_have_the_times_of_its_comments(service: Application) -> None:
    path = ITEMS["plots"]
    ask(service, "alice", "PUT", path)
    where = f"{path}/threads/@alice~first"
    for level in range(3):
        service.arrange("later", ["1", "minutes"], [])
        assert not moved(service, path, lambda w=where: ask(service, "alice", "PUT", w, "a bird"))  # type: ignore[misc]
        (row,) = rows(service, where.rpartition("/")[0])
        times = (row["created_on"], row["last_modified"])
        assert times[0] > facts(service, path)["last_modified"]
        inside = rows(service, where)
        assert {one["name"] for one in inside} == {"msg", "comments"}
        assert {(one["created_on"], one["last_modified"]) for one in inside} == {times}
        for uri in (where, f"{where}/msg", f"{where}/comments"):
            entry = facts(service, uri)
            assert (entry["created_on"], entry["last_modified"]) == times
        where = f"{where}/comments/@alice~answer-{level}"


def test_files_of_a_commit_have_its_time(service: Application) -> None:
    service.push("alice/heron", {"a.txt": "1", "sub/b.txt": "2"})
    (commit,) = rows(service, f"{ITEMS['repos']}/commits")
    inside = [
        *rows(service, commit["uri"]),
        *rows(service, f"{commit['uri']}/files"),
        facts(service, f"{commit['uri']}/files/a.txt"),
        facts(service, commit["uri"]),
    ]
    times = {(row["created_on"], row["last_modified"]) for row in inside}
    assert times == {(commit["created_on"], commit["created_on"])}
