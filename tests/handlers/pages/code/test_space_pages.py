"""The pages of spaces: browse, upload, make, rename, delete and write text, by permission."""

from __future__ import annotations

from collections.abc import Callable
from html import unescape
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import expect

from tests.handlers.pages.web_user import Owner, WebUser
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


def test_folders_are_walked_and_files_are_shown(web_user: WebUser, owner: Owner, space: str) -> None:
    web_user.sign_in(owner.name)
    web_user.open(space)
    web_user.press(".files-table a >> text=2026")
    assert web_user.page.url.endswith(f"{space}/2026")
    web_user.press(".files-table a >> text=week47.csv")
    assert web_user.page.locator(".wide-table td").all_inner_texts() == ["1", "2"]
    assert "made" in web_user.page.inner_text(".timeline")
    web_user.press(".way a >> text=raw")
    assert web_user.page.url.endswith(space)
    web_user.press(".tabs a >> text=Changes")
    assert "2026/week47.csv" in web_user.page.inner_text(".timeline")
    assert web_user.open(f"{space}/absent") == 404


def test_files_are_uploaded_with_their_folders(
    web_user: WebUser, owner: Owner, space: str, tmp_path: Path
) -> None:
    (tmp_path / "batch" / "deep").mkdir(parents=True)
    (tmp_path / "one.txt").write_text("1")
    (tmp_path / "batch" / "deep" / "two.txt").write_text("2")
    (tmp_path / "batch" / "ملف.txt").write_text("3")
    web_user.sign_in(owner.name)
    web_user.open(f"{space}/2026")
    web_user.page.set_input_files("input[name=file]", tmp_path / "one.txt")
    web_user.page.set_input_files("input[name=folder]", tmp_path / "batch")
    web_user.press("button >> text=Upload")
    assert "The files are uploaded." in web_user.text()
    assert stored(owner, "2026/one.txt") == "1"
    assert stored(owner, "2026/batch/deep/two.txt") == "2"
    web_user.press(".files-table a >> text=batch")
    assert "ملف.txt" in web_user.text()
    web_user.press("button >> text=Upload")
    assert "choose a file first" in web_user.page.inner_text("[role=alert]")


def test_each_of_several_uploads_is_reported_and_deletions_are_all_or_nothing(
    wire: Wire, owner: Owner, space: str
) -> None:
    token, names = wire.token(space), ("one.txt", "2026", "notes.txt/two.txt", "three.txt")
    sent = wire.post_file(space, dict.fromkeys(names, b"new"), "folder", token=token, do="upload")
    assert sent.status == 405
    text = unescape(sent.body)
    assert "2 of 4 files were not stored" in text and 'stored: "one.txt", "three.txt"' in text
    assert (stored(owner, "one.txt"), stored(owner, "three.txt")) == ("new", "new")
    chosen = {"f:one.txt": "yes", "f:2026": "yes"}
    answer = wire.post(space, token=token, do="delete", **chosen, **{"f:gone": "yes"})
    assert answer.status == 412 and "nothing was deleted" in answer.body
    assert stored(owner, "one.txt") == "new"
    assert wire.post(space, token=token, do="delete", **chosen).status == 303
    assert "one.txt" not in wire.ask("GET", space).body and "three.txt" in wire.ask("GET", space).body


def test_a_text_is_saved_and_conflicts_are_shown(web_user: WebUser, owner: Owner, space: str) -> None:
    web_user.sign_in(owner.name)
    web_user.open(f"{space}/notes.txt")
    web_user.press("a.button >> text=Edit")
    web_user.page.fill("#text", "first\nmine\n")
    web_user.press(".savebar button.primary")
    assert "Saved." in web_user.text()
    assert stored(owner, "notes.txt") == "first\nmine\n"
    web_user.press("a.button >> text=Edit")
    web_user.page.fill("#text", "first\nmine\nand more\n")
    owner.write("spaces/raw/content/notes.txt", "theirs\nmine\n")
    web_user.press(".savebar button.primary")
    assert "Somebody changed this meanwhile" in web_user.text()
    assert stored(owner, "notes.txt") == "theirs\nmine\n"
    web_user.press("button >> text=Keep both changes")
    assert stored(owner, "notes.txt") == "theirs\nmine\nand more\n"
    web_user.press("a.button >> text=Edit")
    web_user.page.fill("#text", "mine again\n")
    owner.server.ask("DELETE", "code/spaces/raw/content/notes.txt", who=owner.name)
    web_user.press(".savebar button.primary")
    assert "Somebody removed this meanwhile" in web_user.text()
    web_user.press("button >> text=Save mine again")
    assert stored(owner, "notes.txt") == "mine again\n"


def test_an_unsaved_text_is_offered_again(window: Callable[..., WebUser], owner: Owner, space: str) -> None:
    web_user = window(java_script_enabled=True)
    web_user.sign_in(owner.name)
    web_user.open(f"{space}/notes.txt?edit=yes")
    web_user.page.fill("#text", "half a thought")
    expect(web_user.page.locator(".state")).to_contain_text("kept in this browser")
    web_user.page.once("dialog", lambda dialog: dialog.accept())
    web_user.open(f"{space}/notes.txt?edit=yes")
    assert web_user.page.input_value("#text") == "first\nsecond\n"
    web_user.press("button >> text=Restore draft")
    assert web_user.page.input_value("#text") == "half a thought"
    web_user.press(".savebar button.primary")
    assert stored(owner, "notes.txt") == "half a thought"
    web_user.open(f"{space}/notes.txt?edit=yes")
    assert web_user.page.locator("button >> text=Restore draft").count() == 0


def test_folders_and_files_are_made_renamed_and_deleted(web_user: WebUser, owner: Owner, space: str) -> None:
    web_user.sign_in(owner.name)
    web_user.open(space)
    web_user.page.click("summary >> text=New file or folder")
    web_user.page.fill("input[name=name]", "plans")
    web_user.press("button >> text=Create folder")
    assert web_user.page.url.partition("?")[0].endswith(f"{space}/plans")
    web_user.page.click("summary >> text=New file or folder")
    web_user.page.fill("input[name=name]", "todo.txt")
    web_user.press("button >> text=Create file")
    web_user.page.fill("#text", "all")
    web_user.press(".savebar button.primary")
    web_user.open(f"{space}/plans")
    web_user.page.check("input[aria-label='Choose todo.txt']")
    web_user.page.fill("input[name=to]", "done/todo.txt")
    web_user.press("button >> text=Rename or move")
    assert "todo.txt is now done/todo.txt" in web_user.text()
    assert stored(owner, "done/todo.txt") == "all"
    web_user.open(space)
    web_user.page.check("input[aria-label='Choose notes.txt']")
    web_user.page.fill("input[name=to]", "done/todo.txt")
    web_user.press("button >> text=Rename or move")
    assert "nothing was moved" in web_user.text()
    assert stored(owner, "done/todo.txt") == "all"
    web_user.press("button >> text=Yes, replace it")
    assert "notes.txt is now done/todo.txt" in web_user.text()
    assert stored(owner, "done/todo.txt") == "first\nsecond\n"
    owner.write("spaces/raw/content/notes.txt", "more")
    web_user.open(space)
    web_user.page.check("input[aria-label='Choose done']")
    web_user.page.check("input[aria-label='Choose notes.txt']")
    web_user.page.click(".choosing .asks > summary")
    web_user.press(".choosing .asks button.danger")
    assert "Moved to trash: 2 entries" in web_user.text()
    assert "notes.txt" not in web_user.page.inner_text(".files-table")


def test_a_refusal_keeps_the_typed_text(web_user: WebUser, owner: Owner, space: str) -> None:
    web_user.sign_in(owner.name)
    web_user.open(space)
    web_user.page.click("summary >> text=New file or folder")
    web_user.page.fill("input[name=name]", "notes.txt")
    web_user.press("button >> text=Create file")
    assert "a file with that name exists already" in web_user.text()
    assert web_user.page.input_value("input[name=name]") == "notes.txt"
    assert stored(owner, "notes.txt") == "first\nsecond\n"
    web_user.page.fill("input[name=to]", "elsewhere")
    web_user.press("button >> text=Rename or move")
    assert "choose a file or folder first" in web_user.page.inner_text("[role=alert]")


def test_files_with_names_of_pages_have_addresses_behind_at(
    web_user: WebUser, owner: Owner, space: str
) -> None:
    owner.write("spaces/raw/content/changes/a%20b%2B.txt", "odd")
    web_user.sign_in(owner.name)
    web_user.open(space)
    web_user.press(".files-table a >> text=changes")
    assert web_user.page.url.endswith(f"{space}/at/changes")
    web_user.press(".files-table a >> text=a b+.txt")
    assert web_user.page.inner_text("#L1") == "odd"
    web_user.press("a.button >> text=Edit")
    assert web_user.page.input_value("#text") == "odd"


def test_many_files_are_paged_and_found(web_user: WebUser, owner: Owner, space: str) -> None:
    for number in range(230):
        owner.write(f"spaces/raw/content/many/{number:04}.txt", "x")
    web_user.sign_in(owner.name)
    web_user.open(f"{space}/many")
    assert web_user.page.locator(".files-table tbody tr").count() == 101
    web_user.press("a >> text=Next")
    web_user.press("a >> text=Next")
    assert "201 to 230 of 230" in web_user.text()
    assert "0229.txt" in web_user.text()
    web_user.page.fill(".filter input[name=q]", "010")
    web_user.press(".filter button")
    assert "0100.txt" in web_user.text()
    assert "0111.txt" not in web_user.text()


def test_who_sees_what(web_user: WebUser, owner: Owner, server: Server, space: str) -> None:
    people = {letters: Owner(server, Path()) for letters in ("rw", "r", "")}
    for letters, person in people.items():
        if letters:
            owner.put(f"spaces/raw/shared/@{person.name}~{letters}")
    for letters, person in people.items():
        web_user.open("/login")
        web_user.sign_in(person.name)
        assert web_user.open(space) == (200 if letters else 404)
        assert web_user.page.locator("button >> text=Upload").count() == (letters == "rw")
        assert web_user.open(f"{space}/notes.txt") == (200 if letters else 404)
        assert web_user.page.locator("main a >> text=Edit").count() == (letters == "rw")
        answer = web_user.open(f"{space}/notes.txt?edit=yes")
        assert answer == {"rw": 200, "r": 403}.get(letters, 404)
        web_user.open(f"{space}/notes.txt")
        assert ("second" in web_user.page.content()) == bool(letters)
        assert web_user.open(f"{space}/changes") == (200 if letters else 404)
        web_user.context.clear_cookies()
    web_user.open(space)
    assert "/login" in web_user.page.url


def test_nothing_of_a_space_is_served_in_this_origin(wire: Wire, owner: Owner, space: str) -> None:
    owner.write("spaces/raw/content/evil.html", "<script>alert(1)</script>\n</textarea><b>out</b>")
    page = wire.ask("GET", f"{space}/evil.html")
    assert "&lt;script&gt;alert(1)" in page.body
    assert "<b>out</b>" not in page.body
    file = wire.ask("GET", f"/v1/users/{owner.name}/code/spaces/raw/content/evil.html")
    assert "sandbox" in file.headers["Content-Security-Policy"]
