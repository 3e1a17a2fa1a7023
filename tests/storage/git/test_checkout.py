"""A commit as files in a folder: nothing hostile gets out of it."""

import shutil
import subprocess
from pathlib import Path

import pytest

from storage.git.repositories import GitRepositories
from tests.kit.git import Work
from vfs.errors import Invalid, NotFound, TooLarge

ITEM = 7
LINK = "120000"
FILE = "100644"
NOBODY = "f" * 40


def test_an_export_is_the_tree_of_the_commit(
    repositories: GitRepositories, work: Work, tmp_path: Path
) -> None:
    (work.folder / "here").symlink_to("sub/deep")
    (work.folder / "run.sh").touch(mode=0o755)
    sha = work.commit({"main.py": "print(1)\n", "sub/deep/x": b"\0\n" * 100_000, "empty": ""})
    work.commit({"main.py": "print(2)\n"})
    work.push("main")
    target = tmp_path / "out"
    target.mkdir()
    assert repositories.export(ITEM, sha, target) == []
    assert (target / "main.py").read_text() == "print(1)\n"
    assert (target / "here" / "x").read_bytes() == b"\0\n" * 100_000
    assert (target / "empty").read_bytes() == b""
    assert (target / "run.sh").stat().st_mode & 0o777 == 0o755
    assert (target / "main.py").stat().st_mode & 0o777 == 0o644


def test_an_export_leaves_out_what_leads_outside(
    repositories: GitRepositories, work: Work, tmp_path: Path
) -> None:
    sha = work.tree(
        (FILE, b"kept", "a/b/c/kept"),
        (LINK, b"/etc/passwd", "absolute"),
        (LINK, b"../../etc", "a/up"),
        (LINK, b"../../..", "a/b/c/top"),
        (LINK, b"a/b/c/top/..", "through"),
        (LINK, b"through", "through-twice"),
        (LINK, b"x" * 5000, "long"),
        (LINK, b"nowhere", "dangling"),
        (LINK, b"b/c/kept", "a/good"),
    )
    work.push(f"{sha}:refs/heads/main")
    target = tmp_path / "out"
    target.mkdir()
    sentences = repositories.export(ITEM, sha, target)
    left = {path.relative_to(target).as_posix() for path in target.rglob("*") if path.is_symlink()}
    assert left == {"a/b/c/top", "dangling", "a/good"}
    assert (target / "a/good").read_text() == "kept"
    assert {line.split(":")[0].removeprefix("left out ") for line in sentences} == {
        "absolute",
        "a/up",
        "through",
        "through-twice",
        "long",
    }


def test_an_export_leaves_submodules_out(repositories: GitRepositories, work: Work, tmp_path: Path) -> None:
    first = work.commit({"a": "1"})
    work.git("update-index", "--add", "--cacheinfo", f"160000,{first},module")
    work.git("commit", "-q", "-m", "module")
    sha = work.git("rev-parse", "HEAD")
    work.push("main")
    target = tmp_path / "out"
    target.mkdir()
    assert "module" in repositories.export(ITEM, sha, target)[0]
    assert [path.name for path in target.iterdir()] == ["a"]
    root = repositories.entries(ITEM, sha, "")
    assert root is not None
    assert [entry.type for entry in root] == ["file", "link"]


def test_an_absent_commit_is_not_exported(repositories: GitRepositories, work: Work, tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        repositories.export(ITEM, NOBODY, tmp_path)


def test_a_small_pack_that_describes_a_huge_tree_is_refused(
    repositories: GitRepositories, work: Work, tmp_path: Path
) -> None:
    blob = work.git("hash-object", "-w", "--stdin", stdin=b"x")
    tree = work.git("mktree", stdin=b"".join(f"100644 blob {blob}\tf{i}\n".encode() for i in range(10)))
    for _ in range(9):
        tree = work.git("mktree", stdin=b"".join(f"040000 tree {tree}\td{i}\n".encode() for i in range(10)))
    sha = work.git("commit-tree", "-m", "ten to the tenth", tree)
    work.push(f"{sha}:refs/heads/main")
    with pytest.raises(TooLarge, match="too large"):
        repositories.export(ITEM, sha, tmp_path)


def test_a_missing_blob_is_said(repositories: GitRepositories, work: Work, tmp_path: Path) -> None:
    sha = work.commit({"a": "content"})
    work.push("main")
    blob = work.git("rev-parse", "HEAD:a")
    objects = repositories.path(ITEM) / "objects"
    packed = [pack.read_bytes() for pack in objects.glob("pack/*.pack")]
    shutil.rmtree(objects / "pack")
    (objects / "pack").mkdir()
    for pack in packed:
        subprocess.run(["git", "-C", objects.parent, "unpack-objects", "-q"], input=pack, check=True)
    (objects / blob[:2] / blob[2:]).unlink()
    with pytest.raises((Invalid, NotFound)):
        repositories.export(ITEM, sha, tmp_path)


@pytest.mark.parametrize("inner", ["120000 blob", "100644 blob"], ids=["link", "file"])
def test_nothing_is_written_through_a_link_of_a_broken_tree(
    repositories: GitRepositories, work: Work, tmp_path: Path, inner: str
) -> None:
    outside, target = tmp_path / "outside", tmp_path / "out"
    outside.mkdir()
    target.mkdir()
    link = work.git("hash-object", "-w", "--stdin", stdin=str(outside).encode())
    below = work.git("mktree", stdin=f"{inner} {link}\tx\n".encode())
    both = work.git("mktree", stdin=f"120000 blob {link}\ta\n040000 tree {below}\ta\n".encode())
    sha = work.git("commit-tree", "-m", "two named a", both)
    # Past the server's configuration, which refuses such a tree.
    work.git("push", "-q", str(repositories.path(ITEM)), f"{sha}:refs/heads/main")
    with pytest.raises(Invalid, match="cannot be checked out"):
        repositories.export(ITEM, sha, target)
    assert list(outside.iterdir()) == []
