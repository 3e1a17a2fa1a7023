"""`curlew fs`, on a separate embedded database."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from handlers.commands.files import files
from handlers.filesystem.tree_fs import CurlewFS
from handlers.processes.world import open_world
from handlers.settings.sources import load
from handlers.trees import ADVICE, ROOT
from vfs.access import Caller, Grant, Via
from vfs.ports.people import Account
from vfs.tree import Tree

CONTENT = "/v1/users/alice/code/spaces/field/content"


class Desk:
    """Runs commands on one data folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, *words: str) -> Result:
        """Return the result of a command with any exit code."""
        return CliRunner().invoke(files, [*words, "--data", str(self.folder)], env={"CURLEW_DATA": None})

    def done(self, *words: str) -> str:
        """Return the output of a command that succeeded."""
        result = self.run(*words)
        assert result.exit_code == 0, result.output
        return result.stdout

    def refused(self, *words: str, code: int = 1) -> str:
        """Return the message of a refused command, which printed nothing on stdout."""
        result = self.run(*words)
        assert (result.exit_code, result.stdout) == (code, ""), result.output
        return result.stderr


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Alice with a space of two files; bob may read it."""
    folder = tmp_path / "data"
    with open_world(load({}, data=str(folder), synchronous="normal")) as world:
        for name in ("alice", "bob"):
            world.people.users.add(name, "", Account.REGULAR, None, public=False)
        tree = CurlewFS(Tree(ROOT, ADVICE), world, Caller("alice", Via.TOKEN))
        tree.makedir("/v1/code/spaces/field")
        tree.makedirs(f"{CONTENT}/notes")
        tree.writetext(f"{CONTENT}/notes/a.txt", "one\n")
        tree.writebytes(f"{CONTENT}/b.bin", b"\xff\x00")
        found = world.items.find("space", "alice", "field", "alice")
        assert found is not None
        world.grants.give(found.item.id, Grant("@bob", "r", "@bob~r"))
    return Desk(folder)


def test_a_folder_is_listed(desk: Desk) -> None:
    assert desk.done("ls", CONTENT, "--as", "bob") == "b.bin\nnotes/\n"
    assert desk.done("ls", "--as", "alice", f"{CONTENT}/b.bin") == "b.bin\n"
    assert "users/\n" in desk.done("ls", "--as", "alice")
    heads, file, folder = desk.done("ls", "-l", CONTENT, "--as", "bob").splitlines()
    assert heads.split() == ["letters", "size", "last_modified", "name"]
    assert (file.split()[:2], file.split()[-1]) == (["r--", "2"], "b.bin")
    assert folder.endswith("Z  notes/")


def test_files_are_written_to_stdout_as_they_are(desk: Desk) -> None:
    result = desk.run("cat", "--as", "bob", f"{CONTENT}/b.bin", f"{CONTENT}/notes/a.txt")
    assert (result.exit_code, result.stdout_bytes) == (0, b"\xff\x00one\n")


def test_a_file_is_copied_either_way(desk: Desk, tmp_path: Path) -> None:
    desk.done("cp", "--as", "bob", f"{CONTENT}/b.bin", str(tmp_path))
    assert (tmp_path / "b.bin").read_bytes() == b"\xff\x00"
    desk.done("cp", "--as", "alice", str(tmp_path / "b.bin"), f"{CONTENT}/notes/")
    desk.done("cp", "--as", "alice", f"{CONTENT}/notes/b.bin", f"{CONTENT}/c.bin")
    assert desk.done("ls", "--as", "bob", f"{CONTENT}/notes") == "a.txt\nb.bin\n"
    assert desk.run("cat", "--as", "bob", f"{CONTENT}/c.bin").stdout_bytes == b"\xff\x00"


def test_a_folder_is_copied_with_all_in_it(desk: Desk, tmp_path: Path) -> None:
    assert "add -r" in desk.refused("cp", "--as", "bob", CONTENT, str(tmp_path / "copy"))
    desk.done("cp", "-r", "--as", "bob", CONTENT, str(tmp_path / "copy"))
    assert (tmp_path / "copy" / "notes" / "a.txt").read_text() == "one\n"
    desk.done("cp", "-r", "--as", "alice", str(tmp_path / "copy"), CONTENT)
    assert desk.done("cat", "--as", "bob", f"{CONTENT}/copy/notes/a.txt") == "one\n"
    said = desk.refused("cp", "-r", "--as", "alice", CONTENT, f"{CONTENT}/notes")
    assert "into itself" in said


def test_a_refused_file_is_named_and_the_others_are_copied(desk: Desk, tmp_path: Path) -> None:
    desk.done("cp", "-r", "--as", "alice", "/v1/code/spaces/field", str(tmp_path / "field"))
    (tmp_path / "field" / "content" / "new.txt").write_text("new")
    said = desk.refused("cp", "-r", "--as", "alice", str(tmp_path / "field"), "/v1/code/spaces")
    assert "field/shortname: " in said
    assert "could not be copied" in said
    assert desk.done("cat", "--as", "alice", f"{CONTENT}/new.txt") == "new"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("ls", "--as", "bob", "/v1/users/alice/code/jobs/none"), "not found"),
        (("ls", "--as", "nobody"), "no user nobody"),
        (("cat", "--as", "bob", f"{CONTENT}/none"), "not found"),
        (("cat", "--as", "bob", CONTENT), "should be a file"),
        (("cp", "--as", "bob", f"{CONTENT}/b.bin", f"{CONTENT}/c.bin"), "needs write access (w)"),
        (("cp", "--as", "bob", "/nowhere/at/all", f"{CONTENT}/c.bin"), "not found"),
    ],
)
def test_a_refusal_is_one_sentence(desk: Desk, words: tuple[str, ...], said: str) -> None:
    message = desk.refused(*words)
    assert said in message
    assert message.startswith("curlew: ") and message.count("\n") == 1


def test_a_locked_user_sees_nothing(desk: Desk) -> None:
    with open_world(load({}, data=str(desk.folder))) as world:
        world.people.users.change("bob", locked=True)
    assert "locked" in desk.refused("ls", "--as", "bob")
