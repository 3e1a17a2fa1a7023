"""Code in the browser: files that are written and committed there, conflicts with pushes, and new jobs."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.request import Request

import pytest
from playwright.sync_api import FilePayload, expect

from handlers.pages.examples import WORDS, job_templates
from tests.handlers.pages.web_user import Owner, WebUser, answered
from tests.handlers.pages.wire import Wire
from tests.kit.git import Work
from tests.kit.server import Server

AREAS = re.compile(r'<textarea [^>]*name="(text\.[^"]*)"[^>]*>\n(.*?)</textarea>', re.DOTALL)
SCHEDULE = re.compile(r'<input name="schedule" type="text" value="([^"]*)"')
ROWS: FilePayload = {"name": "rows.csv", "mimeType": "text/csv", "buffer": b"a,b\n"}
PROGRAM = """\
from pathlib import Path

Path('/output/said.txt').write_text('written in a browser')
print('it ran')
"""


@pytest.fixture
def here(web_user: WebUser, owner: Owner) -> WebUser:
    """A window with a session of the owner."""
    web_user.open("/login")
    web_user.sign_in(owner.name)
    return web_user


def write(web_user: WebUser, text: str) -> None:
    """Write into the editor of code, or its textarea where no script runs."""
    if web_user.page.locator(".cm-content").count():
        web_user.page.click(".cm-content")
        web_user.page.keyboard.press("Control+a")
        web_user.page.keyboard.insert_text(text)
    else:
        web_user.page.fill("textarea[data-code]", text)


def read(owner: Owner, repo: str, path: str, label: str = "latest") -> str:
    """A file of a repo at a label."""
    rows = {row["label"]: row["commit"] for row in owner.read(f"repos/{repo}/labels")}
    return str(owner.read(f"repos/{repo}/commits/{rows[label]}/files/{path}"))


def work_of(owner: Owner, repo: str) -> Work:
    """A clone of a repo, from which the owner pushes."""
    work = Work(owner.scratch / "clone")
    place = owner.server.origin.replace("//", f"//{owner.name}:{owner.server.tokens[owner.name]}@")
    work.run("remote", "add", "here", f"{place}/git/{owner.name}/{repo}.git")
    assert work.run("pull", "-q", "here", "main").returncode == 0
    return work


def test_a_repo_is_begun_changed_and_emptied_without_git(here: WebUser, owner: Owner) -> None:
    owner.put("repos/words")
    page = f"/u/{owner.name}/r/words"
    here.open(page)
    here.press("text=Write main.py")
    write(here, "print('ü')\n")
    here.page.fill("[name=message]", "Say it")
    here.press("button.primary:has-text('Commit')")
    assert "/at/main/main.py" in here.page.url
    assert "Committed as" in here.text()
    assert here.page.inner_text("#L1") == "print('ü')"
    assert here.page.locator("#renewed").count() == 1
    assert read(owner, "words", "main.py") == "print('ü')\n"
    here.press("a:has-text('Edit'):near(#L1, 400)")
    here.page.fill("[name=path]", "src/main.py")
    write(here, "print('two')\n")
    here.page.check("[name=to][value=new]")
    here.page.fill("[name='new branch']", "feature/two")
    here.press("button.primary:has-text('Commit')")
    assert "/at/feature-two/src/main.py" in here.page.url
    assert "on the new branch feature/two" in here.text()
    assert read(owner, "words", "src/main.py", "feature-two") == "print('two')\n"
    assert read(owner, "words", "main.py") == "print('ü')\n"
    here.open(page)
    if not here.page.locator("[name=file]").is_visible():
        here.page.click("summary:has-text('Add files')")
    here.page.set_input_files("[name=file]", ROWS)
    here.press("button:has-text('Upload')")
    assert read(owner, "words", "rows.csv") == "a,b\n"
    here.page.check("[name='f:rows.csv']")
    here.page.fill("[name=to]", "data/all.csv")
    here.press("button:has-text('Rename or move')")
    assert read(owner, "words", "data/all.csv") == "a,b\n"
    here.page.check("[name='f:data']")
    here.page.click("summary:has-text('Delete…')")
    here.press("button:has-text('Yes, delete')")
    assert here.page.locator(".files-table a:has-text('data')").count() == 0


def test_a_push_during_editing_is_shown_and_nothing_typed_is_lost(here: WebUser, owner: Owner) -> None:
    owner.push("split", {"main.py": "one\ntwo\nthree\n", "other.py": "x\n", "Containerfile": "FROM scratch"})
    work, page = work_of(owner, "split"), f"/u/{owner.name}/r/split"
    here.open(f"{page}/edit/main/main.py")
    work.commit({"main.py": "one\nTWO by git\nthree\n"})
    assert work.run("push", "-q", "here", "HEAD:main").returncode == 0
    write(here, "one\ntwo of mine\nthree\n")
    here.page.fill("[name=message]", "A message that stays")
    here.press("button.primary:has-text('Commit')")
    said = here.text()
    assert "changed this meanwhile" in said
    assert "TWO by git" in said and "two of mine" in said
    here.press("button:has-text('Keep editing mine')")
    assert here.page.input_value("textarea[name='text.file']") == "one\ntwo of mine\nthree\n"
    assert here.page.input_value("[name=message]") == "A message that stays"
    here.press("button.primary:has-text('Commit')")
    assert read(owner, "split", "main.py") == "one\ntwo of mine\nthree\n"
    # What a push left alone is committed on top of it.
    here.open(f"{page}/edit/main/other.py")
    assert work.run("pull", "-q", "here", "main").returncode == 0
    work.commit({"main.py": "pushed once more\n"})
    assert work.run("push", "-q", "here", "HEAD:main").returncode == 0
    write(here, "y\n")
    here.press("button.primary:has-text('Commit')")
    assert "Committed as" in here.text()
    assert read(owner, "split", "main.py") == "pushed once more\n"
    assert read(owner, "split", "other.py") == "y\n"


def test_a_refusal_keeps_the_typed_text(here: WebUser, owner: Owner) -> None:
    owner.push("split", {"main.py": "one\n", "Containerfile": "FROM scratch"})
    here.open(f"/u/{owner.name}/r/split/edit/main/main.py")
    write(here, "typed\n")
    here.page.fill("[name=path]", "a/.git/b")
    here.press("button.primary:has-text('Commit')")
    assert 'git keeps the name ".git" for itself' in here.text()
    assert here.page.input_value("textarea[name='text.file']") == "typed\n"
    assert here.page.input_value("[name=path]") == "a/.git/b"
    assert read(owner, "split", "main.py") == "one\n"


def test_a_reader_is_offered_no_form(web_user: WebUser, owner: Owner, server: Server) -> None:
    reader = Owner(server, Path())
    owner.push("split", {"main.py": "one\n", "Containerfile": "FROM scratch"})
    owner.put(f"repos/split/shared/@{reader.name}~r")
    web_user.open("/login")
    web_user.sign_in(reader.name)
    page = f"/u/{owner.name}/r/split"
    web_user.open(f"{page}/at/main/main.py")
    assert web_user.page.locator(".choosing, .drop, main a:has-text('Edit')").count() == 0
    assert web_user.open(f"{page}/edit/main/main.py") == 403


def test_python_that_is_written_in_the_browser_runs(
    window: Callable[..., WebUser], podman_served: Server, browser: object, scripts: bool, tmp_path: Path
) -> None:
    me = Owner(podman_served, tmp_path)
    web_user = WebUser(browser, podman_served, java_script_enabled=scripts)  # type: ignore[arg-type]
    web_user.open("/login")
    web_user.sign_in(me.name)
    web_user.open("/new/job")
    web_user.page.fill("[name=title]", "First of all")
    write(web_user, PROGRAM)
    web_user.press("button:has-text('Create and run')")
    if not scripts:
        for _ in range(120):
            if web_user.page.locator("button:has-text('Run it now')").count():
                break
            web_user.page.wait_for_timeout(1000)
            web_user.page.reload()
        web_user.press("button:has-text('Run it now')")
    web_user.page.wait_for_url("**/j/first_of_all/*-*", timeout=120_000)
    expect(web_user.page.locator("#standing")).to_have_attribute("data-status", "success", timeout=60_000)
    web_user.page.reload()
    assert "it ran" in web_user.text()
    assert "said.txt" in web_user.text()
    web_user.close()


def test_commits_over_http_keep_the_rules_of_a_push(owner: Owner, server: Server) -> None:
    reader, writer = Owner(server, Path()), Owner(server, Path())
    owner.push("split", {"main.py": "one\n", "Containerfile": "FROM scratch"})
    owner.put(f"repos/split/shared/@{reader.name}~r")
    owner.put(f"repos/split/shared/@{writer.name}~rw")
    there = f"users/{owner.name}/code/repos/split"
    seen = server.ask("GET", f"{there}/branches", who=writer.name)[0]["commit"]

    def commit(who: Owner, **sent: object) -> tuple[int, dict[str, Any]]:
        request = Request(f"{server.root}{there}/commit", json.dumps(sent).encode(), method="POST")
        request.add_header("Authorization", f"Bearer {server.tokens[who.name]}")
        request.add_header("Content-Type", "application/json")
        request.add_header("Accept", "application/json")
        with answered(request) as answer:
            return answer.status, json.loads(answer.read())

    text = {"path": "main.py", "text": "two\n"}
    assert commit(reader, changes=[text])[0] == 403
    status, made = commit(writer, changes=[text], parent=seen)
    assert status == 201
    assert server.ask("GET", f"{there}/commits/{made['commit']}/author", who=writer.name) == (
        f"{writer.name} <{writer.name}>"
    )
    status, refused = commit(owner, changes=[{**text, "text": "three\n"}], parent=seen)
    assert (status, refused["changed"], refused["commit"]) == (412, ["main.py"], made["commit"])
    assert commit(owner, changes=[text])[0] == 409
    assert commit(owner, changes=[{"path": "../x", "text": ""}])[0] == 400
    assert commit(owner, changes=[{"path": "a", "to": "b", "remove": True}])[0] == 400
    assert commit(owner, changes=[{"path": "b", "text": "b"}], branch="new", start=seen)[0] == 201
    owner.write("repos/split/config/type", "code")
    assert commit(owner, changes=[{"path": "b", "text": "b"}])[0] == 201


@pytest.mark.parametrize("word", [*WORDS, "repo"])
def test_each_template_makes_a_job_whose_chain_is_understood(owner: Owner, wire: Wire, word: str) -> None:
    page, name = wire.ask("GET", f"/new/job?from={word}").body, f"made_{word}"
    fields = {html.unescape(key): html.unescape(text) for key, text in AREAS.findall(page)}
    schedule = SCHEDULE.search(page)
    sent = {**fields, "title": f"Made {word}", "from": word, "schedule": schedule[1] if schedule else ""}
    if word == "repo":
        owner.put("repos/ready")
        sent["repo"] = "ready"
    answer = wire.post("/new/job", token=wire.token("/new/job"), **sent)
    assert (answer.status, answer.headers["Location"].partition("?")[0]) == (303, f"/u/{owner.name}/j/{name}")
    chain = owner.read(f"jobs/{name}/config/chains?check")
    assert (chain["mistakes"], [step["found"] for step in chain["steps"] if not step["found"]]) == ([], [])
    if word != "repo":
        for path, text in job_templates()[word].files.items():
            assert not text or read(owner, name, path) == text
    again = wire.post("/new/job", token=wire.token("/new/job"), **{**sent, "title": "Made  " + word})
    assert again.status == 409
    assert owner.read("jobs")[-1]["name"] == name


def test_a_refusal_leaves_neither_a_repo_nor_a_job(owner: Owner, wire: Wire) -> None:
    page = "/new/job?from=report"
    sent = {"token": wire.token(page), "title": "Lost", "from": "report", "text.main.py": "typed = 1\n"}
    answer = wire.post(page, **sent, schedule="every day")
    assert answer.status == 400
    assert 'value="every day"' in answer.body
    assert "typed = 1" in answer.body
    empty = wire.post(page, **{**sent, "text.main.py": " "})
    assert empty.status == 400
    assert "there is no program yet" in empty.body
    assert (owner.read("repos"), owner.read("jobs")) == ([], [])
