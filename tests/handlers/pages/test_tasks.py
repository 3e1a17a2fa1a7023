"""What people come for, each in at most so many clicks from home: with scripts and without, light and dark.

Typing is no click, and neither are the keys that lead into a box.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, expect

from tests.handlers.pages.painter import ROWS, Painter
from tests.handlers.pages.web_user import Library, Owner, WebUser
from tests.kit.server import Server


class ClickCounter:
    """Somebody at home, whose clicks are counted."""

    def __init__(self, web_user: WebUser, owner: Owner, friend: Owner, *, scripts: bool) -> None:
        self.web_user, self.page = web_user, web_user.page
        self.owner, self.friend, self.scripts = owner, friend, scripts
        self.clicks = 0

    def press(self, what: str) -> None:
        """Click on what leads to a page."""
        self.clicks += 1
        self.web_user.press(what)

    def click(self, what: str) -> None:
        """Click on what stays on its page."""
        self.clicks += 1
        self.page.click(what)

    def choose(self, what: str, file: Path) -> None:
        """Open the dialog of a file's box, and take a file."""
        self.clicks += 1
        self.page.set_input_files(what, file)

    def fill(self, what: str, text: str) -> None:
        """Type into a box."""
        self.page.fill(what, text)

    def vis(self, path: str) -> str:
        """A file of the own visuals, as it is stored."""
        return str(self.owner.server.ask("GET", f"vis/{path}", who=self.owner.name))


def see_why_a_run_failed(counter: ClickCounter) -> None:
    assert "no such column" in counter.page.inner_text("li.bad")
    counter.press("li.bad a:has-text('Why')")
    assert "Why it failed" in counter.web_user.text()


def answer_a_hold(counter: ClickCounter) -> None:
    counter.press("li.hold a.button")
    run = counter.page.url.partition("?")[0].rpartition("/")[2]
    counter.press(".hold a.edit:has-text('draft.txt')")
    counter.fill("#text", "mended")
    counter.press(".savebar button.primary")
    counter.press("button:has-text('Continue')")
    counter.owner.read(f"jobs/held/runs/{run}/log?follow=1")
    (hold,) = counter.owner.read(f"jobs/held/runs/{run}/steps")["holds"]
    assert hold["outcome"] == "continued"


def plot_a_file(counter: ClickCounter) -> None:
    (counter.owner.scratch / "rows.csv").write_text("month,east\nJan,3\nFeb,5\n")
    counter.click("[popovertarget=new]")
    counter.press("#new a[href='/new/plot']")
    counter.fill("[name=title]", "Of a file")
    counter.choose("[name=file]", counter.owner.scratch / "rows.csv")
    with counter.page.expect_response("**/of_a_file/files/plot*") as drawn:
        counter.press("main button.primary")
    assert drawn.value.status == 200


def change_a_chart(counter: ClickCounter) -> None:
    counter.press("main a:has-text('Sales of a spring')")
    counter.press("main a[href$='/edit']")
    counter.click("label:has(input[name=type][value=line])")
    counter.press(".savebar .primary")
    assert counter.vis("plots/sales/config/type") == "line"


def write_with_a_chart(counter: ClickCounter) -> None:
    counter.click("[popovertarget=new]")
    counter.press("#new a[href='/new/document']")
    counter.fill("[name=title]", "Weekly")
    counter.press("main button.primary")
    counter.fill("textarea[name='text.content']", "# Weekly\n\n/p/sales\n")
    counter.press(".savebar .primary")
    assert counter.vis("docs/weekly/content") == "# Weekly\n\n/p/sales\n"


def share_with_a_group(counter: ClickCounter) -> None:
    counter.press("main a:has-text('Nightly')")
    (counter.click if counter.scripts else counter.press)(".title a.button:has-text('Share')")
    counter.fill("[name=to][list]", f"@{counter.owner.name}~crew")
    counter.press("form:has([list]) button.primary")
    assert "may read" in counter.page.inner_text("[role=status]")
    assert counter.owner.read(f"jobs/nightly/shared/@{counter.owner.name}~crew~r") is not None


def see_what_is_shared(counter: ClickCounter) -> None:
    assert "Theirs" in counter.page.inner_text("section[aria-labelledby=shared]")
    counter.click("[popovertarget=me]")
    counter.press("#me a[href='/shared']")
    assert "Theirs" in counter.page.inner_text(".rows")


def comment_and_tell(counter: ClickCounter) -> None:
    counter.press("main a:has-text('Theirs')")
    counter.fill("textarea[name=text]", f"@{counter.friend.name} what of June?")
    counter.press("main button:has-text('Comment')")
    told = counter.owner.server.ask("GET", "admin/notifications", who=counter.friend.name)
    assert any("Theirs" in row["text"] or "theirs" in row["text"] for row in told)


def change_a_schedule(counter: ClickCounter) -> None:
    counter.press("main a:has-text('Nightly')")
    counter.press("main a[href$='/edit']")
    counter.fill("input[name='text.config/schedule']", "30 6 * * Mon")
    if not counter.scripts:
        counter.press("button[value=check]")
    expect(counter.page.locator("#when .next li")).to_have_count(5)
    expect(counter.page.locator("#when .next li").first).to_contain_text("06:30")
    counter.press(".savebar .primary")
    assert counter.owner.read("jobs/nightly/config/schedule")["schedule"] == "30 6 * * Mon"


def make_a_token(counter: ClickCounter) -> None:
    counter.click("[popovertarget=me]")
    counter.press("#me a[href='/settings/tokens']")
    counter.fill("[name=token_name]", "laptop")
    counter.fill("[name=password]", counter.owner.server.password(counter.owner.name))
    counter.press("button[value=make]")
    assert len(counter.page.inner_text(".secret code")) > 20


def invite_into_a_group(counter: ClickCounter) -> None:
    counter.click("[popovertarget=me]")
    counter.press(f"#me a[href='/u/{counter.owner.name}']")
    counter.press("main a:has-text('crew')")
    counter.fill("[name=user]", f"@{counter.friend.name}")
    counter.press("button:has-text('Invite')")
    assert f"@{counter.friend.name}" in counter.page.inner_text(".roster")


def find_by_name(counter: ClickCounter) -> None:
    if counter.scripts:
        counter.page.keyboard.press("/")
    else:
        for _ in range(3):
            counter.page.keyboard.press("Tab")
    counter.page.keyboard.type("spring")
    with counter.page.expect_navigation():
        counter.page.keyboard.press("Enter")
    assert counter.page.locator(".rows mark").all_inner_texts() == ["spring"]


class Task(NamedTuple):
    """What somebody wants, and in how many clicks at most."""

    wish: str
    most: int
    do: Callable[[ClickCounter], None]


TASKS = (
    Task("why did the last run fail", 1, see_why_a_run_failed),
    Task("answer a hold, one file edited and saved", 4, answer_a_hold),
    Task("new plot from a CSV", 4, plot_a_file),
    Task("change a chart's type", 4, change_a_chart),
    Task("write a document with a chart", 4, write_with_a_chart),
    Task("share with a group", 4, share_with_a_group),
    Task("see what others share with me", 2, see_what_is_shared),
    Task("comment and tell somebody", 2, comment_and_tell),
    Task("change a schedule, see the next times", 4, change_a_schedule),
    Task("make a token", 3, make_a_token),
    Task("invite into a group", 4, invite_into_a_group),
    Task("find by name", 0, find_by_name),
)


LOOKS = {
    f"{'' if scripts else 'no '}scripts, {scheme}": (scripts, scheme)
    for scripts in (True, False)
    for scheme in ("light", "dark")
}


@pytest.fixture(scope="module", params=LOOKS.values(), ids=LOOKS)
def counter(
    request: pytest.FixtureRequest,
    server: Server,
    library: Library,
    browser: Browser,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[ClickCounter]:
    """Somebody who is signed in, has a bit of everything, and a friend."""
    scratch = tmp_path_factory.mktemp("tasks")
    owner, friend = Owner(server, scratch, library), Owner(server, scratch)
    settle(owner, friend)
    scripts, scheme = request.param
    web_user = WebUser(browser, server, java_script_enabled=scripts, color_scheme=scheme)
    web_user.sign_in(owner.name)
    yield ClickCounter(web_user, owner, friend, scripts=scripts)
    web_user.close()


def settle(owner: Owner, friend: Owner) -> None:
    """Make what the tasks are about."""
    owner.image("first", "WRITE=draft.txt=draft")
    owner.image("then", "COPY=.")
    owner.image("bad", "STDERR=no such column", "EXIT=3")
    owner.job("nightly", "first", name="Nightly", config__schedule="0 3 * * *")
    owner.job("broken", "bad")
    owner.job("held", "first -> !then")
    for job in ("broken", "held"):
        owner.trigger(job)
    Painter(owner).make("plots/sales", data=ROWS, name="Sales of a spring")
    Painter(friend).make("docs/theirs", content="# Theirs", name="Theirs")
    Painter(friend).share("docs/theirs", f"@{owner.name}~r")
    owner.server.ask("PUT", "admin/groups/crew", who=owner.name)


@pytest.mark.parametrize("task", TASKS, ids=[re.sub(r"\W+", "-", task.wish) for task in TASKS])
def test_it_is_done_in_few_clicks(counter: ClickCounter, task: Task) -> None:
    counter.web_user.open("/")
    counter.clicks = 0
    task.do(counter)
    assert counter.clicks <= task.most
