"""The pages of spaces: browse, upload, make, rename, delete, write text, and by whom."""

from __future__ import annotations

from collections.abc import Callable
from html import unescape
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import expect

from tests.handlers.pages.visitor import Owner, Visitor
from tests.handlers.pages.wire import Wire
from tests.kit.server import Server


@pytest.fixture
def space(owner: Owner) -> str:
    """A space with a few files, by the address of its page."""
    owner.put("spaces/raw")
    owner.write("spaces/raw/content/2026/week47.csv", "a,b\n1,2\n")
    owner.write("spaces/raw/content/notes.txt", "first\nsecond\n")
    return f"/u/{owner.name}/s/raw"


def stored(owner: Owner, path: str) -> str:
    """A file of the space as text."""
    request = Request(f"{owner.server.root}code/spaces/raw/content/{path}")
    request.add_header("Authorization", f"Bearer {owner.server.tokens[owner.name]}")
    with urlopen(request) as answer:
        return str(answer.read().decode())


def test_folders_are_walked_and_files_are_shown(visitor: Visitor, owner: Owner, space: str) -> None:
    visitor.sign_in(owner.name)
    visitor.open(space)
    visitor.press(".files-table a >> text=2026")
    assert visitor.page.url.endswith(f"{space}/2026")
    visitor.press(".files-table a >> text=week47.csv")
    assert visitor.page.locator(".wide-table td").all_inner_texts() == ["1", "2"]
    assert "made" in visitor.page.inner_text(".timeline")
    visitor.press(".way a >> text=raw")
    assert visitor.page.url.endswith(space)
    visitor.press(".tabs a >> text=Changes")
    assert "2026/week47.csv" in visitor.page.inner_text(".timeline")
    assert visitor.open(f"{space}/absent") == 404


def test_files_are_uploaded_with_their_folders(
    visitor: Visitor, owner: Owner, space: str, tmp_path: Path
) -> None:
    (tmp_path / "batch" / "deep").mkdir(parents=True)
    (tmp_path / "one.txt").write_text("1")
    (tmp_path / "batch" / "deep" / "two.txt").write_text("2")
    (tmp_path / "batch" / "ملف.txt").write_text("3")
    visitor.sign_in(owner.name)
    visitor.open(f"{space}/2026")
    visitor.page.set_input_files("input[name=file]", tmp_path / "one.txt")
    visitor.page.set_input_files("input[name=folder]", tmp_path / "batch")
    visitor.press("button >> text=Upload")
    assert "The files are there." in visitor.text()
    assert stored(owner, "2026/one.txt") == "1"
    assert stored(owner, "2026/batch/deep/two.txt") == "2"
    visitor.press(".files-table a >> text=batch")
    assert "ملف.txt" in visitor.text()
    visitor.press("button >> text=Upload")
    assert "choose a file first" in visitor.page.inner_text("[role=alert]")


def test_of_several_files_each_is_told_and_several_are_deleted_or_none(
    wire: Wire, owner: Owner, space: str
) -> None:
    token, names = wire.token(space), ("one.txt", "2026", "notes.txt/two.txt", "three.txt")
    sent = wire.post_file(space, dict.fromkeys(names, b"new"), "folder", token=token, do="upload")
    assert sent.status == 405
    told = unescape(sent.body)
    assert "not stored were 2 of 4 files" in told and 'stored were "one.txt", "three.txt"' in told
    assert (stored(owner, "one.txt"), stored(owner, "three.txt")) == ("new", "new")
    chosen = {"f:one.txt": "yes", "f:2026": "yes"}
    answer = wire.post(space, token=token, do="delete", **chosen, **{"f:gone": "yes"})
    assert answer.status == 412 and "nothing was deleted" in answer.body
    assert stored(owner, "one.txt") == "new"
    assert wire.post(space, token=token, do="delete", **chosen).status == 303
    assert "one.txt" not in wire.ask("GET", space).body and "three.txt" in wire.ask("GET", space).body


def test_text_is_written_saved_and_told_apart(visitor: Visitor, owner: Owner, space: str) -> None:
    visitor.sign_in(owner.name)
    visitor.open(f"{space}/notes.txt")
    visitor.press("a.button >> text=Edit")
    visitor.page.fill("#text", "first\nmine\n")
    visitor.press(".savebar button.primary")
    assert "Saved." in visitor.text()
    assert stored(owner, "notes.txt") == "first\nmine\n"
    visitor.press("a.button >> text=Edit")
    visitor.page.fill("#text", "first\nmine\nand more\n")
    owner.write("spaces/raw/content/notes.txt", "theirs\nmine\n")
    visitor.press(".savebar button.primary")
    assert "Somebody changed this meanwhile" in visitor.text()
    assert stored(owner, "notes.txt") == "theirs\nmine\n"
    visitor.press("button >> text=Keep both changes")
    assert stored(owner, "notes.txt") == "theirs\nmine\nand more\n"
    visitor.press("a.button >> text=Edit")
    visitor.page.fill("#text", "mine again\n")
    owner.server.ask("DELETE", "code/spaces/raw/content/notes.txt", who=owner.name)
    visitor.press(".savebar button.primary")
    assert "Somebody removed this meanwhile" in visitor.text()
    visitor.press("button >> text=Save mine anew")
    assert stored(owner, "notes.txt") == "mine again\n"


def test_what_was_typed_and_not_saved_is_offered_again(
    window: Callable[..., Visitor], owner: Owner, space: str
) -> None:
    visitor = window(java_script_enabled=True)
    visitor.sign_in(owner.name)
    visitor.open(f"{space}/notes.txt?edit=yes")
    visitor.page.fill("#text", "half a thought")
    expect(visitor.page.locator(".state")).to_contain_text("kept in this browser")
    visitor.page.once("dialog", lambda dialog: dialog.accept())
    visitor.open(f"{space}/notes.txt?edit=yes")
    assert visitor.page.input_value("#text") == "first\nsecond\n"
    visitor.press("button >> text=Bring it back")
    assert visitor.page.input_value("#text") == "half a thought"
    visitor.press(".savebar button.primary")
    assert stored(owner, "notes.txt") == "half a thought"
    visitor.open(f"{space}/notes.txt?edit=yes")
    assert visitor.page.locator("button >> text=Bring it back").count() == 0


def test_folders_and_files_are_made_renamed_and_deleted(visitor: Visitor, owner: Owner, space: str) -> None:
    visitor.sign_in(owner.name)
    visitor.open(space)
    visitor.page.click("summary >> text=New file or folder")
    visitor.page.fill("input[name=name]", "plans")
    visitor.press("button >> text=Make the folder")
    assert visitor.page.url.partition("?")[0].endswith(f"{space}/plans")
    visitor.page.click("summary >> text=New file or folder")
    visitor.page.fill("input[name=name]", "todo.txt")
    visitor.press("button >> text=Write the file")
    visitor.page.fill("#text", "all")
    visitor.press(".savebar button.primary")
    visitor.open(f"{space}/plans")
    visitor.page.check("input[aria-label='Choose todo.txt']")
    visitor.page.fill("input[name=to]", "done/todo.txt")
    visitor.press("button >> text=Rename or move")
    assert "todo.txt is done/todo.txt now" in visitor.text()
    assert stored(owner, "done/todo.txt") == "all"
    visitor.open(space)
    visitor.page.check("input[aria-label='Choose notes.txt']")
    visitor.page.fill("input[name=to]", "done/todo.txt")
    visitor.press("button >> text=Rename or move")
    assert "nothing was moved" in visitor.text()
    assert stored(owner, "done/todo.txt") == "all"
    visitor.press("button >> text=Yes, replace it")
    assert "notes.txt is done/todo.txt now" in visitor.text()
    assert stored(owner, "done/todo.txt") == "first\nsecond\n"
    owner.write("spaces/raw/content/notes.txt", "more")
    visitor.open(space)
    visitor.page.check("input[aria-label='Choose done']")
    visitor.page.check("input[aria-label='Choose notes.txt']")
    visitor.page.click(".choosing .asks > summary")
    visitor.press(".choosing .asks button.danger")
    assert "Deleted 2 entries" in visitor.text()
    assert "notes.txt" not in visitor.page.inner_text(".files-table")


def test_what_is_refused_keeps_what_was_typed(visitor: Visitor, owner: Owner, space: str) -> None:
    visitor.sign_in(owner.name)
    visitor.open(space)
    visitor.page.click("summary >> text=New file or folder")
    visitor.page.fill("input[name=name]", "notes.txt")
    visitor.press("button >> text=Write the file")
    assert "a file of that name is there already" in visitor.text()
    assert visitor.page.input_value("input[name=name]") == "notes.txt"
    assert stored(owner, "notes.txt") == "first\nsecond\n"
    visitor.page.fill("input[name=to]", "elsewhere")
    visitor.press("button >> text=Rename or move")
    assert "choose a file or folder first" in visitor.page.inner_text("[role=alert]")


def test_names_that_are_pages_stand_behind_at(visitor: Visitor, owner: Owner, space: str) -> None:
    owner.write("spaces/raw/content/changes/a%20b%2B.txt", "odd")
    visitor.sign_in(owner.name)
    visitor.open(space)
    visitor.press(".files-table a >> text=changes")
    assert visitor.page.url.endswith(f"{space}/at/changes")
    visitor.press(".files-table a >> text=a b+.txt")
    assert visitor.page.inner_text("#L1") == "odd"
    visitor.press("a.button >> text=Edit")
    assert visitor.page.input_value("#text") == "odd"


def test_many_files_are_paged_and_found(visitor: Visitor, owner: Owner, space: str) -> None:
    for number in range(230):
        owner.write(f"spaces/raw/content/many/{number:04}.txt", "x")
    visitor.sign_in(owner.name)
    visitor.open(f"{space}/many")
    assert visitor.page.locator(".files-table tbody tr").count() == 101
    visitor.press("a >> text=Next")
    visitor.press("a >> text=Next")
    assert "201 to 230 of 230" in visitor.text()
    assert "0229.txt" in visitor.text()
    visitor.page.fill(".filter input[name=q]", "010")
    visitor.press(".filter button")
    assert "0100.txt" in visitor.text()
    assert "0111.txt" not in visitor.text()


def test_who_sees_what(visitor: Visitor, owner: Owner, server: Server, space: str) -> None:
    people = {letters: Owner(server, Path()) for letters in ("rw", "r", "")}
    for letters, person in people.items():
        if letters:
            owner.put(f"spaces/raw/shared/@{person.name}~{letters}")
    for letters, person in people.items():
        visitor.open("/login")
        visitor.sign_in(person.name)
        assert visitor.open(space) == (200 if letters else 404)
        assert visitor.page.locator("button >> text=Upload").count() == (letters == "rw")
        assert visitor.open(f"{space}/notes.txt") == (200 if letters else 404)
        assert visitor.page.locator("main a >> text=Edit").count() == (letters == "rw")
        answer = visitor.open(f"{space}/notes.txt?edit=yes")
        assert answer == {"rw": 200, "r": 403}.get(letters, 404)
        visitor.open(f"{space}/notes.txt")
        assert ("second" in visitor.page.content()) == bool(letters)
        assert visitor.open(f"{space}/changes") == (200 if letters else 404)
        visitor.context.clear_cookies()
    visitor.open(space)
    assert "/login" in visitor.page.url


def test_nothing_of_a_space_is_served_in_this_origin(wire: Wire, owner: Owner, space: str) -> None:
    owner.write("spaces/raw/content/evil.html", "<script>alert(1)</script>\n</textarea><b>out</b>")
    page = wire.ask("GET", f"{space}/evil.html")
    assert "&lt;script&gt;alert(1)" in page.body
    assert "<b>out</b>" not in page.body
    file = wire.ask("GET", f"/v1/users/{owner.name}/code/spaces/raw/content/evil.html")
    assert "sandbox" in file.headers["Content-Security-Policy"]
