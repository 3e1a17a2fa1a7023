"""The pages of repositories: files, commits and builds by permission, and none of their code runs here."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from handlers.pages.repos.commits_page import files_of
from tests.handlers.pages.web_user import Owner, WebUser
from tests.kit.server import Server

FILES = {
    "Containerfile": "FROM scratch",
    "README.md": "# Split\n\nReads *orders*. <script>alert(1)</script> <img src=x onerror=alert(2)>"
    "\n[main](./src/main.py#L2) [out](../../x) [docs](/docs) [mail](mailto:a@b.c) [else](//e.org/x)",
    "src/main.py": "import sys\nprint('<b>bold</b>')\n",
    "src/evil.html": "<script>document.title = 'taken'</script>",
    "شبكة.txt": "مرحبا\n",
}


@pytest.fixture
def repo(owner: Owner) -> str:
    """A repository with a commit, by the address of its page."""
    owner.push("split", FILES)
    return f"/u/{owner.name}/r/split"


def test_files_are_shown_at_a_label_with_their_readme(web_user: WebUser, owner: Owner, repo: str) -> None:
    web_user.open("/login")
    web_user.sign_in(owner.name)
    assert web_user.open(repo) == 200
    said = web_user.text()
    assert "ready" in said
    assert f"/git/{owner.name}/split.git" in said
    assert web_user.page.inner_text(".readme em") == "orders"
    assert web_user.page.locator(".readme script, .readme [onerror]").count() == 0
    links = [one.get_attribute("href") for one in web_user.page.locator(".readme a").all()]
    assert links == [f"{repo}/at/main/src/main.py#L2", "../../x", "/docs", "mailto:a@b.c", "//e.org/x"]
    short = owner.read("repos/split/shortname")
    web_user.open(f"/r/{short}")
    assert web_user.page.url.endswith(repo)
    assert web_user.open("/r/nosuch") == 404
    web_user.press(".files-table a:has-text('src')") if web_user.open(repo) == 200 else None
    assert web_user.page.url.endswith(f"{repo}/at/main/src")
    web_user.press(".files-table a:has-text('main.py')")
    assert web_user.page.inner_text("#L2") == "print('<b>bold</b>')"
    assert web_user.page.locator("main b").count() == 0
    web_user.open(f"{repo}/at/latest/src/evil.html")
    assert "taken" not in web_user.page.title()
    assert "<script>" in web_user.page.inner_text(".source")
    web_user.open(repo)
    web_user.press(".files-table a >> text=شبكة.txt")
    assert "مرحبا" in web_user.text()
    assert web_user.open(f"{repo}/at/nosuch") == 404
    assert web_user.open(f"{repo}/at/main/absent") == 404


def test_commits_show_their_changes(web_user: WebUser, owner: Owner, repo: str) -> None:
    folder = owner.scratch / f"{owner.name}-split"
    (folder / "src" / "main.py").write_text("import sys\nprint('plain')\n")
    git = ("git", "-C", str(folder), "-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    subprocess.run([*git, "commit", "-qam", "Say it plainly\n\nFor <all>."], check=True)
    place = owner.server.origin.replace("//", f"//{owner.name}:{owner.server.tokens[owner.name]}@")
    subprocess.run([*git, "push", "-q", f"{place}/git/{owner.name}/split.git", "HEAD:main"], check=True)
    web_user.open("/login")
    web_user.sign_in(owner.name)
    web_user.open(repo)
    rows = [" ".join(one.split()) for one in web_user.page.locator(".files-table tbody tr").all_inner_texts()]
    assert "src Say it plainly" in rows[0] and "Change" in rows[1]
    web_user.press(".files-table .told a:has-text('Say it plainly')")
    assert "For <all>." in web_user.text()
    web_user.open(f"{repo}/commits")
    assert web_user.page.locator(".commits li").count() == 2
    web_user.press(".commits .what > a >> text=Say it plainly")
    assert "For <all>." in web_user.text()
    assert web_user.page.inner_text(".d-added") == "+print('plain')"
    assert web_user.page.inner_text(".d-removed") == "-print('<b>bold</b>')"
    web_user.press("text=Files at this commit")
    assert "/at/" in web_user.page.url
    assert web_user.open(f"{repo}/commits/{'0' * 40}") == 404


def test_builds_have_their_logs_and_are_repeated(web_user: WebUser, owner: Owner, repo: str) -> None:
    web_user.open("/login")
    web_user.sign_in(owner.name)
    web_user.open(f"{repo}/builds")
    assert "FROM scratch" in web_user.page.inner_text("ol.log")
    web_user.press("button >> text=Build again")
    assert web_user.page.locator("#renewed tbody tr").count() == 2
    assert "The build has started" in web_user.text()
    for _ in range(100):
        if owner.server.ask("GET", "code/repos/split/status", who=owner.name) == "ready":
            break
        web_user.page.wait_for_timeout(100)
    web_user.open(f"{repo}/builds")
    web_user.press("#renewed tbody a >> text=Log")
    assert "build=" in web_user.page.url
    assert "FROM scratch" in web_user.page.inner_text("ol.log")


def test_who_sees_what(web_user: WebUser, owner: Owner, server: Server, repo: str) -> None:
    people = {letters: Owner(server, Path()) for letters in ("rw", "r", "x", "")}
    for letters, person in people.items():
        if letters:
            owner.put(f"repos/split/shared/@{person.name}~{letters}")
    for letters, person in people.items():
        web_user.open("/login")
        web_user.sign_in(person.name)
        assert web_user.open(repo) == (200 if letters else 404)
        said = web_user.text()
        assert ("git push curlew main" in said) == (letters == "rw")
        assert ("main.py" in said or "src" in said) == ("r" in letters)
        tabs = [web_user.page.locator(".tabs a").all_inner_texts()]
        for page in ("/settings", "/comments"):
            web_user.open(f"{repo}{page}")
            tabs.append(web_user.page.locator(".tabs a").all_inner_texts())
        read = ["Commits", "Builds", "Activity"] if "r" in letters else []
        assert tabs == [["Files", *read, "Settings"] if letters else []] * 3
        web_user.open(repo)
        if letters == "x":
            assert "You can use this repo, but not read it" in said
        assert web_user.open(f"{repo}/builds") == {"": 404, "x": 403}.get(letters, 200)
        assert web_user.page.locator("button >> text=Build again").count() == (letters == "rw")
        assert web_user.open(f"{repo}/commits") == {"": 404, "x": 403}.get(letters, 200)
        web_user.context.clear_cookies()
    web_user.open(repo)
    assert "/login" in web_user.page.url


def test_an_empty_repo_says_how_to_push(web_user: WebUser, owner: Owner) -> None:
    owner.put("repos/fresh")
    web_user.open("/login")
    web_user.sign_in(owner.name)
    web_user.open(f"/u/{owner.name}/r/fresh")
    assert "This repo is empty." in web_user.text()
    web_user.open(f"/u/{owner.name}/r/fresh/builds")
    assert "No builds yet." in web_user.text()
    web_user.open(f"/u/{owner.name}/r/fresh/commits")
    assert "No commits yet." in web_user.text()


def test_a_patch_is_read_as_files_and_lines() -> None:
    patch = (
        "diff --git a/a b/a\nindex 1..2 100644\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n diff\n"
        "\\ No newline at end of file\n"
        "diff --git a/n b/n\nnew file mode 100644\n"
        "diff --git a/old b/new\nsimilarity index 90%\nrename from old\nrename to new\n"
        "diff --git a/p.png b/p.png\ndeleted file mode 100644\nBinary files a/p.png and /dev/null differ\n"
    )
    one, new, moved, gone = files_of(patch)
    assert (one.name, one.change, one.added, one.removed) == ("a", "changed", 1, 1)
    assert [line.word for line in one.lines] == ["hunk", "removed", "added", "same", "note"]
    assert (new.name, new.change, new.lines) == ("n", "added", [])
    assert (moved.name, moved.change) == ("old → new", "renamed")
    assert (gone.change, gone.lines[0].word) == ("removed", "note")
    assert files_of("no patch at all") == []
