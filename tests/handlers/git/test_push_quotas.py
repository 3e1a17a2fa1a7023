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
    assert remote(said)[0] == "the account of this repo may keep no more: its quota of storage is full."
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
    work.git("tag", "v1")
    code, said = ask(work, "push", server.url("alice/narrow"), "main", "v1")
    assert code != 0
    assert remote(said)[0] == ("this push would queue 2 builds, and the account may have 1 more at once.")
    assert server.repositories.refs(NARROW) == []
    for words in (["main"], ["main:other"], [":other", "v1"]):
        assert ask(work, "push", server.url("alice/narrow"), *words)[0] == 0
    assert [ref.name for ref in server.repositories.refs(NARROW)] == ["main", "v1"]
