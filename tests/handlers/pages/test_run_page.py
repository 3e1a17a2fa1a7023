"""The page of a run: watched, stopped, and its holds answered from the page alone."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from datetime import datetime
from io import BytesIO
from pathlib import Path
from urllib.request import Request
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import expect

from tests.handlers.pages.web_user import Owner, WebUser, answered
from tests.kit.server import Server

DOT = """\
import base64
dot = "R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw=="
open("/output/dot.gif", "wb").write(base64.b64decode(dot))
"""


def test_a_run_is_watched_to_its_end(window: Callable[..., WebUser], owner: Owner) -> None:
    web_user = window()
    owner.image("first", "ECHO=one")
    owner.image("slow", "ECHO=two", "SLEEP=5", "WRITE=result.txt=done")
    owner.image("last", "ECHO=three", "COPY=")
    web_user.open(owner.job("watch", "first -> slow -> last"))
    web_user.sign_in(owner.name)
    web_user.press("main button >> text=Run")
    page = web_user.page
    page.evaluate("window.same = true")
    expect(page.locator("h1")).to_contain_text("Running")
    expect(page.locator(".log")).to_contain_text("slow: two")
    expect(page.locator(".lying .box.s-success .name")).to_have_text(["first"])
    expect(page.locator("h1")).to_contain_text("Succeeded")
    expect(page.locator(".log")).to_contain_text("last: three")
    expect(page.locator(".lying .box.s-success .name")).to_have_text(["first", "slow", "last"])
    expect(page.locator("[aria-labelledby=output] .files")).to_contain_text("result.txt")
    assert page.title().startswith("Success")
    lines = page.locator(".log li span").all_inner_texts()
    assert lines == [row["message"] for row in owner.read("jobs/watch/log")]
    assert page.evaluate("window.same") is True


def test_without_scripts_the_page_of_a_run_reloads(window: Callable[..., WebUser], owner: Owner) -> None:
    web_user = window(java_script_enabled=False)
    owner.image("slow", "SLEEP=5")
    web_user.open(owner.job("watch", "slow"))
    web_user.sign_in(owner.name)
    web_user.press("main button >> text=Run")
    refresh = web_user.page.locator("head meta[http-equiv=refresh]")
    assert refresh.get_attribute("content") == "4"
    expect(web_user.page.locator("h1")).to_contain_text("Succeeded")
    assert refresh.count() == 0


def test_lines_of_a_log_have_the_time_of_their_reader(web_user: WebUser, owner: Owner, scripts: bool) -> None:
    owner.image("slow", "ECHO=one", "SLEEP=60")
    page = owner.job("watch", "slow")
    run = owner.trigger("watch", wait=0)
    owner.server.ask("POST", "admin/profile/timezone", b"Asia/Tokyo", owner.name)
    web_user.sign_in(owner.name)
    web_user.open(f"{page}/{run}")
    if scripts:
        expect(web_user.page.locator(".log")).to_contain_text("slow: one")
    began = datetime.fromisoformat(owner.read(f"jobs/watch/runs/{run}/log")[0]["log_time"])
    shown = web_user.page.inner_text(".log li:first-child time")
    assert shown == f"{began.astimezone(ZoneInfo('Asia/Tokyo')):%H:%M:%S}"
    owner.write(f"jobs/watch/runs/{run}/status", "canceled")


def test_a_run_is_canceled(web_user: WebUser, owner: Owner) -> None:
    owner.image("slow", "SLEEP=60")
    page = owner.job("watch", "slow")
    run = owner.trigger("watch", wait=0)
    web_user.sign_in(owner.name)
    web_user.open(f"{page}/{run}")
    web_user.confirm("Cancel the run")
    assert "The run is being stopped." in web_user.page.inner_text("[role=status]")
    owner.read(f"jobs/watch/runs/{run}/log?follow=1")
    web_user.open(f"{page}/{run}")
    assert "Canceled" in web_user.page.inner_text("h1")
    assert web_user.page.locator("main form button").all_inner_texts() == ["Run again"]
    assert owner.stats("watch", run)["status"] == "canceled"


def test_a_hold_is_continued_with_changed_files(web_user: WebUser, owner: Owner, tmp_path: Path) -> None:
    page, run = _held(owner, "first -> !then")
    web_user.sign_in(owner.name)
    web_user.open(f"{page}/{run}")
    assert "Waiting for an answer" in web_user.page.inner_text("h1")
    assert web_user.page.locator(".lying .hold.h-waiting").count() == 1
    names = web_user.page.locator(".hold .files-table td:not(.told) > a:not(.edit)")
    assert names.all_inner_texts() == ["draft.txt", "odd.txt"]
    web_user.press(".hold a.edit:has-text('draft.txt')")
    web_user.page.fill("#text", "\nmended\nby hand")
    web_user.press(".savebar button.primary")
    assert web_user.page.inner_text(".saved[role=status]") == "Saved."
    web_user.page.check("[name='f:odd.txt']")
    web_user.page.click(".hold .with-chosen summary")
    web_user.press(".hold button:has-text('Yes, delete')")
    assert names.all_inner_texts() == ["draft.txt"]
    more = tmp_path / "more & more.txt"
    more.write_text("added")
    web_user.page.set_input_files("input[name=file]", more)
    web_user.press("text=Upload")
    assert names.all_inner_texts() == ["draft.txt", "more & more.txt"]
    web_user.press("main button >> text=Continue")
    owner.read(f"jobs/letter/runs/{run}/log?follow=1")
    assert owner.stats("letter", run)["status"] == "success"
    (hold,) = owner.read(f"jobs/letter/runs/{run}/steps")["holds"]
    assert (hold["outcome"], hold["settled_by"]) == ("continued", owner.name)
    request = Request(f"{owner.server.root}code/jobs/letter/runs/{run}/output")
    request.add_header("Authorization", f"Bearer {owner.server.tokens[owner.name]}")
    with answered(request) as answer, zipfile.ZipFile(BytesIO(answer.read())) as archive:
        assert archive.read("draft.txt") == b"\nmended\nby handSENT\n"
        assert archive.read("more & more.txt") == b"addedSENT\n"
    web_user.open(f"{page}/{run}")
    assert f"was continued by @{owner.name}" in web_user.text()
    assert "Download all as zip" in web_user.text()


def test_a_hold_is_declined(web_user: WebUser, owner: Owner) -> None:
    page, run = _held(owner, "first! -> then")
    web_user.sign_in(owner.name)
    web_user.open(f"{page}/{run}")
    web_user.confirm("Decline")
    assert "Canceled" in web_user.page.inner_text("h1")
    assert f"was declined by @{owner.name}" in web_user.text()
    assert owner.stats("letter", run)["status"] == "canceled"


def test_a_user_who_may_only_run_a_job_sees_the_results_of_their_runs(
    web_user: WebUser, owner: Owner, server: Server
) -> None:
    owner.image("fetch", "WRITE=birds.txt=eleven")
    owner.image("bad", "ECHO=it_broke", "EXIT=3")
    page, own = owner.job("daily", "fetch"), owner.trigger("daily")
    user = Owner(server, owner.scratch)
    owner.put(f"jobs/daily/shared/@{user.name}~x")
    web_user.sign_in(user.name)
    web_user.open(page)
    web_user.press("main button >> text=Run")
    link = web_user.page.wait_for_selector("text=Download birds.txt")
    assert link is not None
    assert "Succeeded" in web_user.page.inner_text("h1")
    file = web_user.context.request.get(f"{server.origin}{link.get_attribute('href')}")
    assert file.text() == "eleven"
    broken = owner.job("broken", "bad")
    owner.put(f"jobs/broken/shared/@{user.name}~x")
    web_user.open(broken)
    web_user.press("main button >> text=Run")
    web_user.page.wait_for_selector("h1:has-text('Failed')")
    assert "the reason is in its log" in web_user.page.inner_text(".notice")
    assert "it_broke" not in web_user.page.content()
    web_user.open(f"{page}/{own}")
    assert "but not read them" in web_user.text()


def test_the_second_of_two_answers_to_a_hold_is_refused(window: Callable[..., WebUser], owner: Owner) -> None:
    page, run = _held(owner, "first -> !then")
    one, two = window(java_script_enabled=False), window(java_script_enabled=False)
    for web_user in (one, two):
        web_user.sign_in(owner.name)
        web_user.open(f"{page}/{run}")
    one.confirm("Decline")
    two.press("main button >> text=Continue")
    assert "not waiting at a hold" in two.page.inner_text("[role=alert]")
    assert "Canceled" in two.page.inner_text("h1")


def test_a_reader_sees_the_hold_but_cannot_answer(web_user: WebUser, owner: Owner, server: Server) -> None:
    page, run = _held(owner, "first -> !then")
    reader = Owner(server, owner.scratch)
    owner.put(f"jobs/letter/shared/@{reader.name}~r")
    web_user.sign_in(reader.name)
    web_user.open(f"{page}/{run}")
    assert "Somebody who may run the job has to answer" in web_user.text()
    assert "You do not have permission to see its files." in web_user.text()
    assert web_user.page.locator("main form").count() == 0


def test_a_page_follows_what_others_answer(window: Callable[..., WebUser], owner: Owner) -> None:
    page, run = _held(owner, "first -> !then")
    web_user = window()
    web_user.sign_in(owner.name)
    web_user.open(f"{page}/{run}")
    owner.write(f"jobs/letter/runs/{run}/hold", "continue")
    expect(web_user.page.locator("h1")).to_contain_text("Succeeded")
    expect(web_user.page.locator(".log")).to_contain_text("then: ended with exit code 0")


def test_typed_text_stays_when_the_page_is_updated(window: Callable[..., WebUser], owner: Owner) -> None:
    page, run = _held(owner, "first -> !then")
    web_user = window()
    web_user.sign_in(owner.name)
    web_user.open(f"{page}/{run}")
    box = web_user.page.locator(".hold [name=to]")
    box.fill("half a na")
    web_user.page.click("h1")
    for _ in range(2):
        with web_user.page.expect_response(f"**/{run}"):
            pass
    expect(box).to_have_value("half a na")
    expect(box).to_be_visible()


def test_the_log_is_shown_where_its_stream_is_refused(window: Callable[..., WebUser], owner: Owner) -> None:
    web_user = window()
    web_user.page.route("**/log", lambda route: route.fulfill(status=503))
    owner.image("slow", "ECHO=two", "SLEEP=2")
    web_user.open(owner.job("watch", "slow"))
    web_user.sign_in(owner.name)
    web_user.press("main button >> text=Run")
    expect(web_user.page.locator(".log")).to_contain_text("slow: two")
    expect(web_user.page.locator(".log")).to_contain_text("ended with exit code 0")
    expect(web_user.page.locator("h1")).to_contain_text("Succeeded")


def test_commands_are_copied(window: Callable[..., WebUser], owner: Owner) -> None:
    web_user = window(permissions=["clipboard-read", "clipboard-write"])
    web_user.sign_in(owner.name)
    web_user.page.click(".curl > summary")
    web_user.page.click("[aria-label='Copy: Create a plot']")
    expect(web_user.page.locator("[aria-label='Copy: Create a plot']")).to_have_text("Copied")
    assert "-X PUT" in web_user.page.evaluate("navigator.clipboard.readText()")


def test_a_failed_run_says_why(web_user: WebUser, owner: Owner) -> None:
    owner.image("bad", "STDERR=it_broke", "EXIT=3")
    page = owner.job("watch", "bad")
    run = owner.trigger("watch")
    web_user.sign_in(owner.name)
    web_user.open(f"{page}/{run}")
    assert "Failed" in web_user.page.inner_text("h1")
    assert "exit code 3" in web_user.page.inner_text(".notice")
    assert "it_broke" in web_user.page.inner_text(".notice pre")
    assert "podman run" not in web_user.page.inner_text(".log")
    assert "it_broke" in web_user.page.inner_text(".log")


def test_replicas_are_folded(web_user: WebUser, owner: Owner) -> None:
    owner.image("many", "WRITE=" + ";".join(f"{number:02}.txt=x" for number in range(70)))
    owner.image("each", "COPY=")
    page = owner.job("watch", "many -> .each")
    run = owner.trigger("watch", wait=60)
    web_user.sign_in(owner.name)
    web_user.open(f"{page}/{run}")
    assert web_user.page.locator(".lying .box").count() == 2
    assert "each: 70 files 70 success" in web_user.text()
    assert not web_user.page.locator(".replicas").is_visible()
    web_user.page.click("summary:has-text('each')")
    assert web_user.page.locator(".replicas li").count() == 60
    assert "And 10 more" in web_user.text()


def test_child_runs_are_linked_and_have_pages(web_user: WebUser, owner: Owner) -> None:
    owner.image("same", "COPY=")
    owner.job("inner", "same")
    page = owner.job("outer", "sub <- /j/inner\nsame -> sub")
    run = owner.trigger("outer")
    web_user.sign_in(owner.name)
    web_user.open(f"{page}/{run}")
    web_user.press(".children a")
    assert web_user.page.url != f"{page}/{run}"
    assert "Succeeded" in web_user.page.inner_text("h1")
    assert web_user.page.locator(".lying .box .name").all_text_contents() == ["sub__same"]


@pytest.mark.podman
def test_a_run_of_real_containers_is_watched(
    window: Callable[..., WebUser], podman_served: Server, tmp_path: Path
) -> None:
    owner = Owner(podman_served, tmp_path)
    owner.push(
        "slow",
        {"main.py": "import time\nfor n in range(3):\n    print('tick', n, flush=True)\n    time.sleep(1)\n"},
    )
    owner.push("last", {"main.py": f"open('/output/done.txt', 'w').write('done')\n{DOT}"})
    web_user = window()
    web_user.open(owner.job("watch", "slow -> last"))
    web_user.sign_in(owner.name, owner.server.password(owner.name))
    web_user.press("main button >> text=Run")
    expect(web_user.page.locator(".log")).to_contain_text("slow: tick 0")
    expect(web_user.page.locator("h1")).to_contain_text("Running")
    expect(web_user.page.locator("h1")).to_contain_text("Succeeded", timeout=120_000)
    expect(web_user.page.locator("[aria-labelledby=output] .files")).to_contain_text("done.txt")
    picture = web_user.page.locator("[aria-labelledby=output] img[alt='dot.gif']")
    picture.scroll_into_view_if_needed()
    expect(picture).to_have_js_property("naturalWidth", 1)


def _held(owner: Owner, chain: str) -> tuple[str, str]:
    """A run that waits: the address of its job's page, and its id."""
    owner.image("first", "WRITE=draft.txt=draft;odd.txt=odd")
    owner.image("then", "COPY=SENT")
    page = owner.job("letter", chain)
    return page, owner.trigger("letter")


def test_a_failed_run_is_continued_from_a_step(web_user: WebUser, owner: Owner) -> None:
    owner.image("fetch", "WRITE=x=1")
    owner.image("parse", "COPY=p")
    owner.image("load", "EXIT=1")
    page = owner.job("night", "fetch -> parse -> load")
    run = owner.trigger("night")
    web_user.sign_in(owner.name)
    web_user.open(f"{page}/{run}")
    steps = web_user.page.locator("select[name=from]")
    assert (steps.locator("option").all_inner_texts(), steps.input_value()) == (["parse", "load"], "load")
    web_user.press("text=Run again from here")
    assert "The job runs again from load." in web_user.page.inner_text("[role=status]")
    (new, _) = [row["name"] for row in owner.read("jobs/night/runs")]
    owner.read(f"jobs/night/runs/{new}/log?follow=1")
    rows = owner.read(f"jobs/night/runs/{new}/steps")["steps"]
    assert [step.get("output_of") for step in rows] == [run, run, None]
    web_user.open(f"{page}/{new}")
    assert web_user.page.locator(".lying .box .note").all_text_contents()[:2] == ["not repeated"] * 2
    steps.select_option("parse")
    web_user.page.check("text=with the newest images")
    web_user.press("text=Run again from here")
    last = owner.read("jobs/night/runs")[0]["name"]
    owner.read(f"jobs/night/runs/{last}/log?follow=1")
    rows = owner.read(f"jobs/night/runs/{last}/steps")["steps"]
    assert [step.get("output_of") for step in rows] == [run, None, None]
