"""Pushes beyond a quota are refused by git itself, in words that its user reads, and leave nothing."""

from __future__ import annotations

import random

import pytest

from tests.handlers.git.test_smart_http import Server, ask, remote, server, work
from tests.kit.git import Work

__all__ = ["server", "work"]

FULL, NARROW = 3, 4


@pytest.fixture
def noise() -> bytes:
    return random.Random(7).randbytes(300_000)


def test_a_push_to_a_full_account_is_refused_whole(server: Server, work: Work, noise: bytes) -> None:
    work.commit({"noise": noise})
    before = server.repositories.size(FULL)
    code, said = ask(work, "push", server.url("alice/full"), "main")
    assert code != 0
    assert remote(said)[0] == "the account of this repo cannot store more: its storage quota is full."
    assert server.repositories.refs(FULL) == []
    assert server.repositories.size(FULL) == before


def test_a_push_that_is_larger_than_one_may_be_is_refused_while_it_comes(
    server: Server, work: Work, noise: bytes
) -> None:
    work.commit({"noise": noise})
    code, said = ask(work, "push", server.url("alice/narrow"), "main")
    assert code != 0
    assert "HTTP 413" in said
    assert server.repositories.refs(NARROW) == []


def test_a_push_queues_no_more_builds_than_there_may_be(server: Server, work: Work) -> None:
    work.commit({"a": "1"})
    work.git("tag", "-a", "-m", "one", "v1")
    work.commit({"a": "2"})
    code, said = ask(work, "push", server.url("alice/narrow"), "main", "v1")
    assert code != 0
    assert remote(said)[0] == ("this push would queue 2 builds, and the account may have 1 more at once.")
    assert server.repositories.refs(NARROW) == []
    for words in (["main"], ["main:other"], [":other", "v1", "v1^{}:refs/heads/one"]):
        assert ask(work, "push", server.url("alice/narrow"), *words)[0] == 0
    assert [ref.name for ref in server.repositories.refs(NARROW)] == ["main", "one", "v1"]


# A small push asks for the list of references, sends its body, and is asked for once more by the hook.
@pytest.mark.parametrize("times", [0, 1, 2])
def test_a_push_whose_right_has_ended_meanwhile_changes_nothing(
    server: Server, work: Work, times: int
) -> None:
    work.commit({"a": "1"})
    (server.folder / "patience").write_text(str(times))
    code, said = ask(work, "push", server.url("alice/count"), "main")
    assert code != 0
    # Git shows the words of a refusal with the first answer and of the hook, of others the status alone.
    assert "HTTP 403" in said if times == 1 else remote(said)[0] == "You may no longer push to @alice/count."
    assert server.repositories.refs(2) == []
    assert list(server.repositories.folder.glob(".push-*")) == []
    (server.folder / "patience").write_text("3")
    assert ask(work, "push", server.url("alice/count"), "main")[0] == 0


def test_a_push_changes_no_more_references_than_it_may(server: Server, work: Work) -> None:
    sha = work.commit({"a": "1"})
    names = "".join(f"create refs/heads/b{number} {sha}\n" for number in range(40))
    work.git("update-ref", "--stdin", stdin=names.encode())
    code, said = ask(work, "push", server.url("alice/narrow"), "refs/heads/b*:refs/heads/b*")
    assert code != 0
    assert "HTTP 413" in said
    assert server.repositories.refs(NARROW) == []
