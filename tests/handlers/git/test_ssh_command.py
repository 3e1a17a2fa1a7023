"""Commands that come over SSH: git's own are read as git writes them, and all else is refused."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from handlers.git.smart_http import RECEIVE, UPLOAD
from handlers.git.ssh_git import parse_command
from vfs.errors import Denied, Invalid

NAMES = st.from_regex(r"[a-z0-9][a-z0-9_-]{0,30}", fullmatch=True)


@given(
    st.sampled_from((UPLOAD, RECEIVE)),
    NAMES,
    NAMES,
    st.sampled_from(("", "/")),
    st.sampled_from(("", ".git", ".git/", "/")),
    st.sampled_from(("'", "")),
    st.booleans(),
)
def test_what_git_asks_for_is_read(
    program: str, user: str, repo: str, before: str, after: str, quote: str, spaced: bool
) -> None:
    word = program.replace("-", " ", 1) if spaced else program
    request = parse_command(f"{word} {quote}{before}{user}/{repo}{after}{quote}")
    assert (request.program, request.name, request.advertise) == (program, f"{user}/{repo}", False)


@given(st.text(max_size=80), st.sampled_from(("", "git-upload-pack ", "git-receive-pack '", "git-")))
@example("'a/b.git' 'c/d.git'", "git-upload-pack ")
@example("'a/b.git'\n", "git-upload-pack ")
@example("'a/b.git", "git-upload-pack ")
@example("a/b.git'", "git-upload-pack ")
@example("'a/../b.git'", "git-upload-pack ")
@example("'-a/b'", "git-upload-pack ")
@example("--help 'a/b'", "git-upload-pack ")
def test_what_is_read_says_the_same_again(text: str, before: str) -> None:
    try:
        request = parse_command(before + text)
    except (Denied, Invalid):
        return
    rest = (before + text).partition("pack ")[2].strip("'").strip("/").removesuffix(".git")
    assert rest == request.name


@pytest.mark.parametrize(
    "command", ["ls", "", "git-upload-archive 'a/b'", "git gc a/b", "git-shell a/b", "x" * 2000]
)
def test_other_programs_are_refused(command: str) -> None:
    with pytest.raises(Denied):
        parse_command(command)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "'a'",
        "'a/b/c'",
        "'../a'",
        "'A/b'",
        "'a/b'; id",
        "'a/b' x",
        "'a/b'\n",
        '"a/b"',
        "'~a/b'",
        "'a/b''c'",
    ],
)
def test_paths_that_are_no_repo_s_are_refused(path: str) -> None:
    with pytest.raises(Invalid):
        parse_command(f"git-upload-pack {path}")
