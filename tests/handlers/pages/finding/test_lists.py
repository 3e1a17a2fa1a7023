"""Search, lists, shared items, and home: their content by permission, and examples to begin with."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from playwright.sync_api import WebSocket

from tests.handlers.pages.web_user import Owner, WebUser
from tests.handlers.pages.wire import Wire

_numbers = itertools.count(1)


class Pair:
    """Two people, the second with a group."""

    def __init__(self, owner: Owner) -> None:
        self.owner, self.other = owner, Owner(owner.server, owner.scratch)
        self.word = f"word{next(_numbers)}x"

    def make(self, path: str, title: str = "", who: Owner | None = None, **files: str) -> None:
        owner = who or self.owner
        owner.server.ask("PUT", path, who=owner.name)
        for name, text in {"name": title, **files}.items():
            if text:
                at = f"{path}/{name.replace('__', '/')}"
                owner.server.ask("POST", at, text.encode(), owner.name)


@pytest.fixture
def pair(owner: Owner) -> Pair:
    """The owner, and somebody else."""
    return Pair(owner)


def test_hits_are_marked_and_narrowed(web_user: WebUser, pair: Pair) -> None:
    pair.make("vis/plots/one", f"<b>{pair.word}</b> North")
    pair.make("vis/docs/two", "Other", summary=f"About {pair.word}")
    web_user.sign_in(pair.owner.name)
    web_user.open("/")
    web_user.page.fill("#q", pair.word)
    with web_user.page.expect_navigation():
        web_user.page.press("#q", "Enter")
    assert web_user.page.locator("mark").all_inner_texts() == [pair.word] * 2
    assert web_user.page.locator(".rows li").count() == 2
    assert _facets(web_user) == ["Kinds", "All kinds 2", "Plots 1", "Documents 1"]
    web_user.press(".facets a:has-text('Plots')")
    assert f"<b>{pair.word}</b> North" in web_user.text()
    assert web_user.page.locator(".rows li").count() == 1
    web_user.press(".chosen .tag a >> nth=1")
    assert web_user.page.locator(".rows li").count() == 2
    web_user.open(f"/search?q={pair.word}nothing")
    assert "No results." in web_user.text()


def _facets(web_user: WebUser) -> list[str]:
    """The ways to narrow a search, under their headings."""
    texts = web_user.page.locator(".facets h2, .facets a").all_inner_texts()
    return [" ".join(one.split()) for one in texts]


def test_a_search_is_narrowed_by_owners_and_tags_with_their_numbers(web_user: WebUser, pair: Pair) -> None:
    me, other = pair.owner.name, pair.other.name
    for number in range(3):
        pair.make(f"vis/docs/mine{number}", f"{pair.word} {number}")
    pair.make("vis/docs/theirs", f"{pair.word} theirs", pair.other)
    pair.make("vis/docs/closed", f"{pair.word} closed", pair.other)
    ask = pair.owner.server.ask
    ask("PUT", f"vis/docs/theirs/shared/@{me}~r", who=other)
    for item, tag, who in (("mine0", "+spring", me), ("mine1", "+spring", me), ("theirs", "=board", other),
                           ("theirs", "+hidden", other)):  # fmt: skip
        ask("PUT", f"users/{me if item != 'theirs' else other}/vis/docs/{item}/tags/{tag}", who=who)
    web_user.sign_in(me)
    web_user.open(f"/search?q={pair.word}")
    assert _facets(web_user) == [
        *("Kinds", "All kinds 4", "Documents 4", "Owners", "You 3", f"@{other} 1"),
        *("Tags", "spring 2", "board 1"),
    ]
    web_user.press(".facets a:has-text('You')")
    assert _facets(web_user) == ["Kinds", "All kinds 3", "Documents 3", "Tags", "spring 2"]
    web_user.press(".facets a:has-text('spring')")
    assert _facets(web_user) == ["Kinds", "All kinds 2", "Documents 2"]
    assert web_user.page.locator(".rows li").count() == 2
    theirs = ask("GET", f"search?q={pair.word}&counts=yes&kind=doc", who=other)
    assert theirs["owners"] == {other: 2} and theirs["tags"] == {"+hidden": 1, "=board": 1}
    assert ask("GET", f"search?q={pair.word}&counts=yes&kind=plot", who=other)["owners"] == {}


def test_a_wrong_search_is_refused_and_keeps_its_words(pair: Pair) -> None:
    wire = Wire(pair.owner)
    answer = wire.ask("GET", "/search?q=abc&sort=size")
    assert answer.status == 400
    assert "sort=size: send one of changed, created, name" in answer.body
    assert 'value="abc"' in answer.body
    assert wire.ask("GET", f"/search?q={'x' * 201}").status == 400


def test_each_kind_has_its_list(web_user: WebUser, pair: Pair) -> None:
    pair.make("vis/plots/bars", "Bars of the week", data="a,b\nx,1\n")
    pair.make("code/jobs/nightly", "Nightly")
    pair.make("code/repos/tool")
    web_user.sign_in(pair.owner.name)
    web_user.open("/plots?whose=mine")  # others may have made public ones
    assert web_user.page.locator(".cards li").count() == 1
    web_user.press("text=Bars of the week")
    assert web_user.page.url.endswith("/p/bars")
    web_user.open("/jobs?whose=mine")
    assert "Never run" in web_user.text()
    for path in ("grids", "documents", "mails", "spaces", "repos"):
        assert web_user.open(f"/{path}") == 200
    web_user.open("/documents?whose=mine")  # others may have made public ones
    assert "No document matches." in web_user.text()


def test_pages_continue_by_key(web_user: WebUser, pair: Pair) -> None:
    for number in range(52):
        pair.make(f"code/spaces/s{number}")
    web_user.sign_in(pair.owner.name)
    web_user.open("/spaces?whose=mine&sort=created")
    assert web_user.page.locator(".rows li").count() == 50
    web_user.press("a[rel=next]")
    assert [one.split("\n")[0] for one in web_user.page.locator(".rows li .what a").all_inner_texts()] == [
        "s1",
        "s0",
    ]
    web_user.press("text=First page")
    assert web_user.page.locator(".rows li").count() == 50


def test_shared_items_show_the_permissions_of_their_shares(web_user: WebUser, pair: Pair) -> None:
    pair.make("vis/docs/theirs", "Theirs", pair.other)
    share = f"vis/docs/theirs/shared/@{pair.owner.name}~rw"
    pair.other.server.ask("PUT", share, who=pair.other.name)
    web_user.sign_in(pair.owner.name)
    web_user.open("/shared")
    assert "shared with you · you may edit" in web_user.text()
    web_user.open("/")
    assert f"@{pair.other.name}, you may edit" in web_user.text()


def test_a_private_item_is_found_by_its_owner_alone(pair: Pair) -> None:
    pair.make("vis/docs/secret", f"Secret {pair.word}")
    theirs = Wire(pair.other)
    for path in (f"/search?q={pair.word}", "/documents", "/"):
        assert f"Secret {pair.word}" not in theirs.ask("GET", path).body
        assert f"Secret {pair.word}" not in theirs.ask("GET", path, cookie="").body
    pair.owner.server.ask("PUT", "vis/docs/secret/shared/public~r", who=pair.owner.name)
    assert pair.word in theirs.ask("GET", f"/search?q={pair.word}", cookie="").body
    assert f"Secret {pair.word}" in theirs.ask("GET", "/", cookie="").body


def test_an_empty_home_makes_examples_that_can_be_deleted(web_user: WebUser, pair: Pair) -> None:
    web_user.sign_in(pair.owner.name)
    web_user.open("/")
    assert "You have nothing here yet." in web_user.text()
    for word, page in (("plot", "p/example-counts"), ("grid", "g/example-board"),
                       ("document", "d/example-report"), ("mail", "m/example-letter"),
                       ("job", "j/example-count"), ("space", "s/example-folder")):  # fmt: skip
        wire = Wire(pair.owner)
        sent = f"token={wire.token('/menu')}&do=example&example={word}"
        answer = wire.ask("POST", "/", sent)
        assert answer.headers["Location"].startswith(f"/u/{pair.owner.name}/{page}?done=example")
        assert web_user.open(f"/u/{pair.owner.name}/{page}") == 200
    web_user.open("/")
    assert "Recently changed" in web_user.text() and "You have nothing here yet." not in web_user.text()
    ask = pair.owner.server.ask
    assert ask("GET", "code/jobs/example-count/config/chains", who=pair.owner.name) == "example-words"
    (branch, latest) = ask("GET", "code/repos/example-words/labels", who=pair.owner.name)
    assert (branch["label"], latest["commit"]) == ("latest", branch["commit"])
    assert len(ask("GET", "code/repos/example-words/builds", who=pair.owner.name)) == 1
    for path in ("code/jobs/example-count", "code/repos/example-words", "code/spaces/example-folder",
                 "vis/mails/example-letter", "vis/docs/example-report", "vis/grids/example-board",
                 "vis/plots/example-counts"):  # fmt: skip
        pair.owner.server.ask("DELETE", path, who=pair.owner.name)
    web_user.open("/")
    assert "You have nothing here yet." in web_user.text()


def test_all_examples_are_made_with_one_click_and_none_twice(web_user: WebUser, pair: Pair) -> None:
    web_user.sign_in(pair.owner.name)
    web_user.open("/")
    web_user.press("button:text-is('Create all')")
    said = web_user.text()
    assert "The examples are created." in said and "You have nothing here yet." not in said
    ask = pair.owner.server.ask
    query = f"search?whose=mine&owner={pair.owner.name}"
    assert len(ask("GET", query, who=pair.owner.name)["found"]) == 7
    wire = Wire(pair.owner)
    wire.ask("POST", "/", f"token={wire.token('/menu')}&do=example&example=all")
    assert len(ask("GET", query, who=pair.owner.name)["found"]) == 7


def test_an_example_is_made_with_one_click(web_user: WebUser, pair: Pair) -> None:
    web_user.sign_in(pair.owner.name)
    web_user.open("/")
    web_user.press("text=Create the plot")
    assert web_user.page.url.partition("?")[0].endswith("/p/example-counts")
    assert "The example is created." in web_user.text()


def test_an_invitation_is_declined_at_home(web_user: WebUser, pair: Pair) -> None:
    group, ask = f"home-{next(_numbers)}", pair.other.server.ask
    ask("PUT", f"admin/groups/{group}", who=pair.other.name)
    ask("PUT", f"admin/groups/{group}/roles/members/{pair.owner.name}", who=pair.other.name)
    web_user.sign_in(pair.owner.name)
    ref = f"@{pair.other.name}~{group}"
    assert f"You are invited to {ref}" in web_user.text()
    web_user.press(f"text=Decline {ref}")
    assert "You declined the invitation." in web_user.text()
    assert ref not in [row["name"] for row in ask("GET", "groups", who=pair.owner.name)]


def test_comments_can_be_answered_from_home(pair: Pair) -> None:
    pair.make("vis/docs/asked", "Asked")
    owner, ask = pair.owner.name, pair.owner.server.ask
    ask("PUT", f"vis/docs/asked/shared/@{pair.other.name}~r", who=owner)
    ask("PUT", f"users/{owner}/vis/docs/asked/threads/one", b"Why is it so?", pair.other.name)
    page = Wire(pair.owner).ask("GET", "/")
    assert page.status == 200 and "Why is it so?" in page.body and ">Reply<" in page.body


def test_a_list_of_jobs_shows_their_schedules(pair: Pair) -> None:
    pair.make("code/jobs/timed", config__schedule="0 8 * * *")
    pair.make("code/jobs/resting", config__schedule="0 9 * * *", config__enabled="false")
    page = Wire(pair.owner).ask("GET", "/jobs?whose=mine")
    assert page.status == 200
    assert "at 08:00 every day, UTC" in page.body and "09:00" not in page.body


def test_runs_that_wait_or_failed_lead_to_their_pages(web_user: WebUser, pair: Pair, scripts: bool) -> None:
    owner = pair.owner
    owner.image("fetch", "ECHO=fetching")
    owner.image("bad", "STDERR=no such column", "EXIT=3")
    owner.job("held", "a <- fetch\nb <- fetch\na -> !b")
    owner.job("broken", "bad")
    pair.make("vis/plots/table")
    owner.job("fed", "fetch", config__results="none.csv => /p/table")
    _, broken, fed = owner.trigger("broken"), owner.trigger("broken"), owner.trigger("fed")
    web_user.sign_in(owner.name)
    web_user.open("/")
    assert web_user.page.locator("li.bad code").count() == 2
    assert "failed 2 times" in web_user.text()
    assert "could not write its results" in web_user.text() and "No result was written" in web_user.text()
    assert web_user.page.locator(f"li.bad a[href$='/fed/{fed}']").count() == 2
    held = owner.trigger("held")
    if scripts:
        web_user.page.wait_for_selector("li.hold")
    else:
        web_user.open("/")
    assert web_user.page.inner_text("h1") == "One run waits for you"
    assert web_user.page.inner_text(".tools .count") == "4"
    web_user.press("li.hold a.button")
    assert web_user.page.url.endswith(f"/j/held/{held}")
    web_user.open("/")
    web_user.press(f"li.bad a[href$='/broken/{broken}'] >> nth=0")
    assert web_user.page.url.endswith(f"/j/broken/{broken}")
    web_user.open("/jobs?whose=mine")
    assert web_user.page.locator("svg.bars").first.get_attribute("aria-label")


def test_home_hears_of_what_happens(window: Callable[..., WebUser], pair: Pair) -> None:
    web_user = window()
    pair.make("vis/plots/first", "First")
    web_user.sign_in(pair.owner.name)
    sent: list[str] = []
    heard: list[str] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framesent", lambda frame: sent.append(str(frame)))
        socket.on("framereceived", lambda frame: heard.append(str(frame)))

    web_user.page.on("websocket", listen)
    web_user.open("/")
    while not any("subscribe_events" in frame for frame in sent):
        web_user.page.wait_for_timeout(20)
    pair.make("vis/plots/second", pair.word)
    web_user.page.wait_for_selector(f"#home a:has-text('{pair.word}')")
    assert any(frame.startswith('42["event"') and "/p/second" in frame for frame in heard)
