"""Bare repositories: what is read in them."""

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chains.builds.repositories import LABEL, GitRef, label, labels, ref_bytes, ref_text
from storage.git.repositories import GitRepositories
from tests.kit.git import Work

ITEM = 7
NOBODY = "f" * 40


def test_a_new_repository_is_empty(repositories: GitRepositories) -> None:
    repositories.create(ITEM)
    repositories.create(ITEM)
    assert repositories.path(ITEM).name == "7.git"
    assert repositories.refs(ITEM) == []
    assert repositories.head(ITEM) is None
    assert repositories.settle_head(ITEM) is None
    assert repositories.commits(ITEM) == []
    assert 0 < repositories.size(ITEM) < 10_000


def test_a_repository_that_is_not_there_reads_as_empty(repositories: GitRepositories) -> None:
    assert repositories.refs(8) == []
    assert repositories.commits(8) == []
    assert repositories.commit(8, NOBODY) is None
    assert repositories.entries(8, NOBODY, "") is None
    assert repositories.file(8, NOBODY, "a") is None
    assert repositories.size(8) == 0


def test_removing_takes_everything_away(repositories: GitRepositories, work: Work) -> None:
    work.commit({"a": "1"})
    work.push("main")
    repositories.remove(ITEM)
    repositories.remove(ITEM)
    assert not repositories.path(ITEM).exists()
    assert {path.name for path in repositories.folder.iterdir()} == {"gitconfig", "hooks"}
    repositories.create(ITEM)
    assert repositories.refs(ITEM) == []


def test_refs_are_branches_and_tags_with_their_commits(repositories: GitRepositories, work: Work) -> None:
    first = work.commit({"a": "1"})
    work.git("tag", "-a", "-m", "one", "v1")
    work.git("tag", "-a", "-m", "tag of a tag", "v1-signed", "v1")
    second = work.commit({"a": "2"})
    work.git("branch", "feature/x")
    work.git("tag", "content", work.git("rev-parse", "HEAD:a"))
    work.push("--all")
    work.push("--tags")
    assert repositories.refs(ITEM) == [
        GitRef("feature/x", "branch", second),
        GitRef("main", "branch", second, default=True),
        GitRef("v1", "tag", first),
        GitRef("v1-signed", "tag", first),
    ]


def test_head_follows_the_first_pushed_branch_when_there_is_no_main(
    repositories: GitRepositories, work: Work
) -> None:
    work.commit({"a": "1"})
    work.git("branch", "-m", "trunk")
    work.git("branch", "another")
    work.push("trunk", "another")
    assert repositories.head(ITEM) is None
    assert repositories.settle_head(ITEM, ["trunk", "another"]) == "trunk"
    assert repositories.head(ITEM) == "trunk"


def test_head_moves_on_when_its_branch_is_deleted(repositories: GitRepositories, work: Work) -> None:
    work.commit({"a": "1"})
    work.push("main", "main:other")
    assert repositories.settle_head(ITEM, ["other"]) == "main"
    work.push(":main")
    assert repositories.head(ITEM) is None
    assert repositories.settle_head(ITEM) == "other"


NAMES = st.binary(min_size=1, max_size=60).filter(lambda name: b"\0" not in name and name != b"main")


@given(st.lists(NAMES, min_size=1, max_size=3))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_names_of_branches_are_bytes(repositories: GitRepositories, work: Work, names: list[bytes]) -> None:
    sha = work.commit({"a": "1"})
    work.push("main:main")
    run, folder = repositories.git.run, repositories.path(ITEM)
    taken = [name for name in names if run(folder, "update-ref", b"refs/heads/" + name, sha) is not None]
    run(folder, "update-ref", "-d", "refs/heads/main")
    found = [ref_bytes(ref.name) for ref in repositories.refs(ITEM)]
    assert set(found) == set(taken)
    for name in taken:
        wanted = repositories.settle_head(ITEM, [ref_text(name)])
        assert wanted == repositories.head(ITEM)
        assert ref_bytes(wanted or "") in taken
        assert run(folder, "symbolic-ref", "HEAD") == b"refs/heads/" + ref_bytes(wanted or "") + b"\n"
    for name in taken:
        run(folder, "update-ref", "-d", b"refs/heads/" + name)
    assert repositories.settle_head(ITEM) is None
    assert run(folder, "symbolic-ref", "HEAD") == b"refs/heads/main\n"


def test_commits_are_listed_newest_first_over_all_refs(repositories: GitRepositories, work: Work) -> None:
    first = work.commit({"a": "1"}, date="2026-01-01T00:00:00+0000")
    second = work.commit({"a": "2"}, date="2026-01-02T00:00:00+0200")
    work.git("checkout", "-q", "-b", "side", first)
    third = work.commit({"b": "3"}, date="2026-01-03T00:00:00+0000")
    work.push("--all")
    found = repositories.commits(ITEM)
    assert [mark.sha for mark in found] == [third, second, first]
    assert found[1].date == "2026-01-01T22:00:00.000Z"
    assert (found[0].author, found[0].subject) == ("Ada Lovelace", "Change")
    assert [mark.sha for mark in repositories.commits(ITEM, 1)] == [third]
    work.commit({"c": "4"}, "Ü" * 5_000, date="2026-01-04T00:00:00+0000")
    work.push("--all")
    newest = repositories.commits(ITEM, 1)[0]
    assert (len(newest.subject), newest.subject[:3]) == (200, "ÜÜÜ")


def test_a_commit_tells_its_author_date_message_and_parents(
    repositories: GitRepositories, work: Work
) -> None:
    first = work.commit({"a": "1"})
    second = work.commit({"a": "2"}, "Grüße\n\nzwei Zeilen")
    work.git("tag", "-a", "-m", "one", "v1")
    work.push("main", "v1")
    commit = repositories.commit(ITEM, second)
    assert commit is not None
    assert commit.message == "Grüße\n\nzwei Zeilen"
    assert commit.author == "Ada Lovelace <ada@example.org>"
    assert commit.date == "2026-11-21T07:44:16.000Z"
    assert commit.parents == (first,)


def test_a_difference_is_against_the_first_parent(repositories: GitRepositories, work: Work) -> None:
    first = work.commit({"a": "1\n", "grün": "x\n"})
    second = work.commit({"a": "2\n"})
    work.push("main")
    born, changed = (repositories.commit(ITEM, sha) for sha in (first, second))
    assert born is not None
    assert changed is not None
    assert "+++ b/grün\n" in repositories.difference(ITEM, born, 10_000).patch
    difference = repositories.difference(ITEM, changed, 10_000)
    assert "-1\n+2\n" in difference.patch
    assert "grün" not in difference.patch
    assert not difference.cut
    cut = repositories.difference(ITEM, changed, 10)
    assert (cut.patch, cut.cut) == ("diff --git", True)


def test_only_a_full_sha_of_a_commit_is_a_commit(repositories: GitRepositories, work: Work) -> None:
    sha = work.commit({"a": "1"})
    work.git("tag", "-a", "-m", "one", "v1")
    work.push("main", "v1")
    tag, blob = work.git("rev-parse", "v1"), work.git("rev-parse", "HEAD:a")
    for word in (tag, blob, NOBODY, sha[:12], "main", "HEAD", "--all", ""):
        assert repositories.commit(ITEM, word) is None


def test_a_commit_of_an_impossible_year_has_a_date(repositories: GitRepositories, work: Work) -> None:
    sha = work.commit({"a": "1"}, date="@99999999999999 +0000")
    work.push("main")
    commit = repositories.commit(ITEM, sha)
    assert commit is not None
    assert commit.date == "9999-12-31T23:59:59.000Z"


def test_a_tree_is_browsed(repositories: GitRepositories, work: Work) -> None:
    (work.folder / "here").symlink_to("sub/ä b.txt")
    sha = work.commit({"main.py": "print(1)\n", "sub/ä b.txt": "text"})
    work.push("main")
    root = repositories.entries(ITEM, sha, "")
    assert root is not None
    assert [(entry.name, entry.type, entry.size) for entry in root] == [
        ("here", "link", 12),
        ("main.py", "file", 9),
        ("sub", "dir", 0),
    ]
    below = repositories.entries(ITEM, sha, "sub")
    assert below is not None
    assert [entry.name for entry in below] == ["ä b.txt"]
    file = repositories.file(ITEM, sha, "sub/ä b.txt")
    assert file is not None
    assert file.size == 4
    with file.open() as stream:
        assert stream.read() == b"text"


@pytest.mark.parametrize(
    "path", ["absent", "main.py/x", "..", "sub/../main.py", "/main.py", "sub//x", "./sub"]
)
def test_an_invalid_path_is_absent(repositories: GitRepositories, work: Work, path: str) -> None:
    sha = work.commit({"main.py": "1", "sub/x": "2"})
    work.push("main")
    assert repositories.entries(ITEM, sha, path) is None
    assert repositories.file(ITEM, sha, path) is None


def test_a_folder_is_no_file_and_no_link_is_followed(repositories: GitRepositories, work: Work) -> None:
    (work.folder / "here").symlink_to("sub")
    sha = work.commit({"sub/x": "2"})
    work.push("main")
    assert repositories.file(ITEM, sha, "sub") is None
    assert repositories.file(ITEM, sha, "here/x") is None
    assert repositories.entries(ITEM, sha, "here") is None
    assert repositories.entries(ITEM, sha, "sub/x") is None


def test_links_and_submodules_tell_where_they_lead(repositories: GitRepositories, work: Work) -> None:
    (work.folder / "here").symlink_to(os.fsdecode(b"caf\xe9"))
    inner = work.commit({"x": "2"})
    work.git("update-index", "--add", "--cacheinfo", f"160000,{inner},module")
    work.git("commit", "-q", "-m", "with a module")
    sha = work.git("rev-parse", "HEAD")
    work.push("main")
    entries = repositories.entries(ITEM, sha, "")
    assert entries is not None
    assert {entry.name: entry.type for entry in entries} == {"here": "link", "module": "link", "x": "file"}
    for name, content in (("here", b"caf\xe9"), ("module", inner.encode()), ("x", b"2")):
        found = repositories.file(ITEM, sha, name)
        assert found is not None
        assert (found.link, found.size) == (name != "x", len(content))
        with found.open() as stream:
            assert stream.read() == content


def test_names_of_entries_are_bytes(repositories: GitRepositories, work: Work) -> None:
    names = [os.fsdecode(name) for name in (b"caf\xe9", b"caf\xe8", b"a\\b", b"new\nline")]
    sha = work.commit(dict.fromkeys(names, "1"))
    work.push("main")
    entries = repositories.entries(ITEM, sha, "")
    assert entries is not None
    assert {entry.name for entry in entries} == set(names)
    assert all(repositories.file(ITEM, sha, name) is not None for name in names)


def test_a_large_file_is_streamed_and_may_be_left_early(repositories: GitRepositories, work: Work) -> None:
    content = os.urandom(1 << 20) * 3
    sha = work.commit({"big": content})
    work.push("main")
    file = repositories.file(ITEM, sha, "big")
    assert file is not None
    with file.open() as stream:
        assert stream.read(1000) == content[:1000]
    with file.open() as stream:
        assert stream.read() == content


def test_labels_are_refs_with_dashes_and_latest() -> None:
    one, two, three, four = ("1" * 40, "2" * 40, "3" * 40, "4" * 40)
    refs = [
        GitRef("main", "branch", one),
        GitRef("a/b", "branch", two),
        GitRef("a-b", "tag", three),
        GitRef("v1.0", "tag", three),
        GitRef("latest", "branch", four),
        GitRef("wrong+name", "tag", four),
        GitRef("main", "tag", four),
    ]
    named = {label: (ref.full, ref.commit) for label, ref in labels(refs, "main").items()}
    assert named == {
        "main": ("refs/tags/main", four),
        "a-b": ("refs/tags/a-b", three),
        "v1.0": ("refs/tags/v1.0", three),
        "latest": ("refs/heads/main", one),
    }
    assert "latest" not in labels(refs, None)


@given(st.text(min_size=1))
def test_a_label_is_always_spelled_like_a_tag(name: str) -> None:
    word = label(name)
    assert word is None or LABEL.fullmatch(word)
    if LABEL.fullmatch(name):
        assert word == name
