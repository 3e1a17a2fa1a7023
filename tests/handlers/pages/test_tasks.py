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
from tests.handlers.pages.visitor import Library, Owner, Visitor
from tests.kit.server import Server


class Hand:
    """Somebody at home, whose clicks are counted."""

    def __init__(self, visitor: Visitor, owner: Owner, friend: Owner, *, scripts: bool) -> None:
        self.visitor, self.page = visitor, visitor.page
        self.owner, self.friend, self.scripts = owner, friend, scripts
        self.clicks = 0

    def press(self, what: str) -> None:
        """Click on what leads to a page."""
        self.clicks += 1
        self.visitor.press(what)

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


def see_why_a_run_failed(hand: Hand) -> None:
    assert "no such column" in hand.page.inner_text("li.bad")
    hand.press("li.bad a:has-text('Why')")
    assert "Why it failed" in hand.visitor.text()


def answer_a_hold(hand: Hand) -> None:
    hand.press("li.hold a.button")
    run = hand.page.url.partition("?")[0].rpartition("/")[2]
    hand.press(".hold a.edit:has-text('draft.txt')")
    hand.fill("#text", "mended")
    hand.press(".savebar button.primary")
    hand.press("button:has-text('Continue')")
    hand.owner.read(f"jobs/held/runs/{run}/log?follow=1")
    (hold,) = hand.owner.read(f"jobs/held/runs/{run}/steps")["holds"]
    assert hold["outcome"] == "continued"


def plot_a_file(hand: Hand) -> None:
    (hand.owner.scratch / "rows.csv").write_text("month,east\nJan,3\nFeb,5\n")
    hand.click("[popovertarget=new]")
    hand.press("#new a[href='/new/plot']")
    hand.fill("[name=title]", "Of a file")
    hand.choose("[name=file]", hand.owner.scratch / "rows.csv")
    with hand.page.expect_response("**/of_a_file/files/plot*") as drawn:
        hand.press("main button.primary")
    assert drawn.value.status == 200


def change_a_chart(hand: Hand) -> None:
    hand.press("main a:has-text('Sales of a spring')")
    hand.press("main a[href$='/edit']")
    hand.click("label:has(input[name=type][value=line])")
    hand.press(".savebar .primary")
    assert hand.vis("plots/sales/config/type") == "line"


def write_with_a_chart(hand: Hand) -> None:
    hand.click("[popovertarget=new]")
    hand.press("#new a[href='/new/document']")
    hand.fill("[name=title]", "Weekly")
    hand.press("main button.primary")
    hand.fill("textarea[name='text.content']", "# Weekly\n\n/p/sales\n")
    hand.press(".savebar .primary")
    assert hand.vis("docs/weekly/content") == "# Weekly\n\n/p/sales\n"


def share_with_a_group(hand: Hand) -> None:
    hand.press("main a:has-text('Nightly')")
    (hand.click if hand.scripts else hand.press)(".title a.button:has-text('Share')")
    hand.fill("[name=to][list]", f"@{hand.owner.name}~crew")
    hand.press("form:has([list]) button.primary")
    assert "may read" in hand.page.inner_text("[role=status]")
    assert hand.owner.read(f"jobs/nightly/shared/@{hand.owner.name}~crew~r") is not None


def see_what_is_shared(hand: Hand) -> None:
    assert "Theirs" in hand.page.inner_text("section[aria-labelledby=shared]")
    hand.click("[popovertarget=me]")
    hand.press("#me a[href='/shared']")
    assert "Theirs" in hand.page.inner_text(".rows")


def comment_and_tell(hand: Hand) -> None:
    hand.press("main a:has-text('Theirs')")
    hand.fill("textarea[name=text]", f"@{hand.friend.name} what of June?")
    hand.press("main button:has-text('Comment')")
    told = hand.owner.server.ask("GET", "admin/notifications", who=hand.friend.name)
    assert any("Theirs" in row["text"] or "theirs" in row["text"] for row in told)


def change_a_schedule(hand: Hand) -> None:
    hand.press("main a:has-text('Nightly')")
    hand.press("main a[href$='/edit']")
    hand.fill("input[name='text.config/schedule']", "30 6 * * Mon")
    if not hand.scripts:
        hand.press("button[value=check]")
    expect(hand.page.locator("#when .next li")).to_have_count(5)
    expect(hand.page.locator("#when .next li").first).to_contain_text("06:30")
    hand.press(".savebar .primary")
    assert hand.owner.read("jobs/nightly/config/schedule")["schedule"] == "30 6 * * Mon"


def make_a_token(hand: Hand) -> None:
    hand.click("[popovertarget=me]")
    hand.press("#me a[href='/settings/tokens']")
    hand.fill("[name=token_name]", "laptop")
    hand.fill("[name=password]", hand.owner.server.password(hand.owner.name))
    hand.press("button[value=make]")
    assert len(hand.page.inner_text(".secret code")) > 20


def invite_into_a_group(hand: Hand) -> None:
    hand.click("[popovertarget=me]")
    hand.press(f"#me a[href='/u/{hand.owner.name}']")
    hand.press("main a:has-text('crew')")
    hand.fill("[name=user]", f"@{hand.friend.name}")
    hand.press("button:has-text('Invite')")
    assert f"@{hand.friend.name}" in hand.page.inner_text(".roster")


def find_by_name(hand: Hand) -> None:
    if hand.scripts:
        hand.page.keyboard.press("/")
    else:
        for _ in range(3):
            hand.page.keyboard.press("Tab")
    hand.page.keyboard.type("spring")
    with hand.page.expect_navigation():
        hand.page.keyboard.press("Enter")
    assert hand.page.locator(".rows mark").all_inner_texts() == ["spring"]


class Task(NamedTuple):
    """What somebody wants, and in how many clicks at most."""

    wish: str
    most: int
    do: Callable[[Hand], None]


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
def hand(
    request: pytest.FixtureRequest,
    server: Server,
    library: Library,
    browser: Browser,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Hand]:
    """Somebody who is signed in, has a bit of everything, and a friend."""
    scratch = tmp_path_factory.mktemp("tasks")
    owner, friend = Owner(server, scratch, library), Owner(server, scratch)
    settle(owner, friend)
    scripts, scheme = request.param
    visitor = Visitor(browser, server, java_script_enabled=scripts, color_scheme=scheme)
    visitor.sign_in(owner.name)
    yield Hand(visitor, owner, friend, scripts=scripts)
    visitor.close()


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
def test_it_is_done_in_few_clicks(hand: Hand, task: Task) -> None:
    hand.visitor.open("/")
    hand.clicks = 0
    task.do(hand)
    assert hand.clicks <= task.most
