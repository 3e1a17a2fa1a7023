"""What git refuses of a push, over HTTP: old defects, and copies that are shallow."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.handlers.git.test_smart_http import COUNT, DOCKERFILE, Server, ask, server, work
from tests.kit.git import Work

__all__ = ["server", "work"]


def with_identity(server: Server, work: Work, author: bytes) -> str:
    """A commit whose author line is as given."""
    tree = work.git("rev-parse", "main^{tree}")
    text = b"tree %s\nauthor %s\ncommitter A <a@b> 1 +0000\n\nold\n" % (tree.encode(), author)
    return work.git("hash-object", "-t", "commit", "-w", "--stdin", "--literally", stdin=text)


def test_a_defect_that_the_operator_lets_through_is_pushed(server: Server, work: Work) -> None:
    work.commit(DOCKERFILE)
    commit = with_identity(server, work, b"A 1 +0000")
    code, said = ask(work, "push", server.url("alice/count"), f"{commit}:refs/heads/old")
    assert code == 0, said
    assert server.repositories.commit(COUNT, commit) is not None


@pytest.mark.parametrize(
    ("author", "named", "advice"),
    [
        (
            b"A<a@b> 1 +0000",
            "missingSpaceBeforeEmail",
            "setting push_tolerates, here missingSpaceBeforeEmail",
        ),
        (b"A <a@b> x +0000", "badDate", "setting push_tolerates, here badDate"),
        (b"A <a\0b> 1 +0000", "nulInHeader", "nothing lets nulInHeader through here"),
    ],
)
def test_a_defect_that_is_refused_says_what_to_do(
    server: Server, work: Work, author: bytes, named: str, advice: str
) -> None:
    work.commit(DOCKERFILE)
    commit = with_identity(server, work, author)
    code, said = ask(work, "push", server.url("alice/count"), f"{commit}:refs/heads/old")
    assert code
    assert f": {named}: " in said
    assert advice in " ".join(line.removeprefix("remote: ").strip() for line in said.splitlines())
    assert server.repositories.refs(COUNT) == []


def test_the_first_push_of_a_shallow_clone_says_what_to_do(
    server: Server, work: Work, tmp_path: Path
) -> None:
    for number in range(3):
        work.commit({"file": str(number)})
    shallow = Work(tmp_path / "shallow")
    shallow.git("fetch", "-q", "--depth=1", f"file://{work.folder}", "main:deep")
    code, said = ask(shallow, "push", server.url("alice/count"), "deep:main")
    assert code
    assert "git fetch --unshallow" in said
    shallow.git("fetch", "-q", "--unshallow", f"file://{work.folder}", "main")
    assert ask(shallow, "push", server.url("alice/count"), "deep:main")[0] == 0
