"""The page of a job: its content by permission, and running the job by its form."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

from tests.handlers.pages.web_user import Owner, WebUser
from tests.kit.server import Server


def test_it_shows_the_chain_the_runs_and_the_commands(web_user: WebUser, owner: Owner) -> None:
    owner.image("fetch", "WRITE=a.txt=a")
    page = owner.job(
        "daily",
        "a <- fetch\nb <- fetch\na -> !b",
        name="The daily <b>report</b>",
        summary="What happened",
        description="Runs *every* day",
        config__schedule="0 8 * * 1-5",
    )
    runs = [owner.trigger("daily") for _ in range(2)]
    web_user.open(page)
    web_user.sign_in(owner.name)
    assert web_user.page.inner_text("h1") == "The daily <b>report</b>"
    said = web_user.text()
    assert "What happened" in said
    assert "At 08:00 on Monday through Friday" in said
    assert web_user.page.inner_html(".prose").strip() == "<p>Runs <em>every</em> day</p>"
    chain = web_user.page.locator(".chain svg.lying")
    assert chain.get_attribute("aria-label") == "The chain: a to b"
    assert chain.locator(".box .name").all_text_contents() == ["a", "b"]
    assert chain.locator(".hold.h-planned").count() == 1
    links = web_user.page.locator(".runs a")
    assert [links.nth(i).get_attribute("href") for i in range(2)] == [
        f"/u/{owner.name}/j/daily/{run}" for run in reversed(runs)
    ]
    assert f"{owner.server.origin}/v1/users/{owner.name}/code/jobs/daily/data" in web_user.page.content()


def test_an_empty_job_says_what_to_do(web_user: WebUser, owner: Owner) -> None:
    web_user.open(owner.job("empty"))
    web_user.sign_in(owner.name)
    assert "This job has no chain yet." in web_user.text()
    assert "No runs yet." in web_user.text()
    assert web_user.page.is_disabled(".run form button")


def test_absent_and_invisible_are_one_page(web_user: WebUser, owner: Owner, server: Server) -> None:
    owner.job("letters")
    other = Owner(server, Path())
    web_user.sign_in(other.name)
    seen = []
    for name in ("letters", "unwritten"):
        status = web_user.open(f"/u/{owner.name}/j/{name}")
        seen.append((status, re.sub(r"[0-9a-f]{64}", "token", web_user.page.content()).replace(name, "*")))
    assert seen[0] == seen[1]
    assert seen[0][0] == 404


def test_the_short_id_leads_to_the_page(web_user: WebUser, owner: Owner) -> None:
    owner.image("fetch", "WRITE=a.txt=a")
    page = owner.job("daily", "fetch")
    run, short = owner.trigger("daily"), owner.read("jobs/daily/shortname")
    web_user.open(f"/j/{short}")
    assert "/login" in web_user.page.url
    web_user.sign_in(owner.name)
    assert web_user.page.url == page
    web_user.open(f"/j/{short}/{run}")
    assert web_user.page.url == f"{page}/{run}"
    owner.server.ask("PUT", "vis/docs/report", who=owner.name)
    other = owner.server.ask("GET", "vis/docs/report/shortname", who=owner.name)
    for wrong in (other, "nosuchid"):
        assert web_user.open(f"/j/{wrong}") == 404


def test_a_reader_sees_no_run_control(web_user: WebUser, owner: Owner, server: Server) -> None:
    owner.image("fetch", "WRITE=a.txt=a")
    page = owner.job("daily", "fetch")
    run = owner.trigger("daily")
    reader = Owner(server, Path())
    owner.put(f"jobs/daily/shared/@{reader.name}~r")
    web_user.sign_in(reader.name)
    web_user.open(page)
    assert web_user.page.locator("main aside form").count() == 0
    assert web_user.page.locator(".runs a").count() == 1
    web_user.open(f"{page}/{run}")
    assert web_user.page.locator("main form").count() == 0
    assert "Succeeded" in web_user.page.inner_text("h1")


def test_a_user_who_may_only_run_it_sees_neither_chain_nor_runs(
    web_user: WebUser, owner: Owner, server: Server
) -> None:
    owner.image("slow", "SLEEP=60")
    page = owner.job("daily", "slow")
    user = Owner(server, Path())
    owner.put(f"jobs/daily/shared/@{user.name}~x")
    web_user.sign_in(user.name)
    web_user.open(page)
    assert "You may not read this job's chain and runs" in web_user.text()
    assert "slow" not in web_user.text()
    web_user.press("main button >> text=Run")
    run = web_user.page.url.rsplit("/", 1)[1]
    assert "You started it, so you get its result" in web_user.text()
    web_user.confirm("Cancel the run")
    stats = owner.stats("daily", run)
    assert (stats["created_by"], stats["source"]) == (user.name, "webpage")
    assert stats["status"] in ("canceling", "canceled")


def test_a_public_job_is_shown_to_everybody_but_for_its_runs(web_user: WebUser, owner: Owner) -> None:
    owner.image("fetch", "WRITE=a.txt=a")
    page = owner.job("daily", "fetch", summary="What happened")
    run = owner.trigger("daily")
    owner.put("jobs/daily/shared/public~r")
    assert web_user.open(page) == 200
    assert "What happened" in web_user.text()
    assert run not in web_user.page.content()
    web_user.open(f"{page}/{run}")
    assert "/login" in web_user.page.url


def test_the_form_has_the_inputs_of_the_job(web_user: WebUser, owner: Owner) -> None:
    owner.image("same", "COPY=")
    page = owner.job("ask", "same")
    web_user.open(page)
    web_user.sign_in(owner.name)
    assert web_user.page.locator("aside form textarea").count() == 0
    web_user.page.click("aside summary >> text=Add files")
    assert web_user.page.locator("aside input[type=file]").get_attribute("required") is None
    for name, word in (("input", "optional"), ("stdin", "yes"), ("argv", "optional")):
        owner.write(f"jobs/ask/config/options/{name}", word)
    owner.write("jobs/ask/config/options/stdin_description", "A line or two")
    web_user.open(page)
    assert web_user.page.locator("aside input[type=file]").get_attribute("required") is None
    assert web_user.page.locator("textarea[name=stdin]").get_attribute("required") == ""
    assert web_user.page.locator("textarea[name=argv]").get_attribute("required") is None
    assert "A line or two" in web_user.text()
    owner.write("jobs/ask/config/options/input", "yes")
    web_user.open(page)
    assert web_user.page.locator("aside input[type=file]").get_attribute("required") == ""


def test_a_run_by_the_form_gets_files_and_typed_arguments(
    web_user: WebUser, owner: Owner, tmp_path: Path
) -> None:
    owner.image("same", "COPY=!")
    page = owner.job("ask", "same", config__options__input="yes", config__options__argv="optional")
    chosen = tmp_path / "müller & söhne.txt"
    chosen.write_text("hello")
    web_user.open(page)
    web_user.sign_in(owner.name)
    web_user.page.set_input_files("input[type=file]", chosen)
    web_user.page.fill("textarea[name=argv]", "--fast\n\nall of it")
    web_user.press("main button >> text=Run")
    assert web_user.page.url.startswith(page + "/")
    run = web_user.page.url.rsplit("/", 1)[1]
    stats = _ended(owner, "ask", run)
    assert (stats["status"], stats["trigger"], stats["source"]) == ("success", "api", "webpage")
    output = owner.read(f"jobs/ask/runs/{run}/files")["output"]
    assert sorted(one["name"] for one in output["files"]) == ["input.json", "müller & söhne.txt"]
    web_user.open(f"{page}/{run}")
    assert "müller & söhne.txt" in web_user.text()
    assert "in a browser" in web_user.text()


def test_a_run_without_inputs_gets_an_empty_document(web_user: WebUser, owner: Owner) -> None:
    owner.image("same", "COPY=")
    web_user.open(owner.job("ask", "same", config__options__input="optional"))
    web_user.sign_in(owner.name)
    web_user.press("main button >> text=Run")
    run = web_user.page.url.rsplit("/", 1)[1]
    assert _ended(owner, "ask", run)["status"] == "success"
    assert owner.read(f"jobs/ask/runs/{run}/output") == {}


def test_a_missing_file_that_is_required_is_an_error(window: Callable[..., WebUser], owner: Owner) -> None:
    web_user = window(java_script_enabled=True)
    owner.image("same", "COPY=!")
    web_user.open(owner.job("ask", "same", config__options__input="yes"))
    web_user.sign_in(owner.name)
    web_user.page.locator("input[type=file]").evaluate("one => one.removeAttribute('required')")
    web_user.press("main button >> text=Run")
    assert "this job needs a file" in web_user.page.inner_text("[role=alert]")
    assert owner.read("jobs/ask/runs") == []


def test_a_run_that_was_rejected_is_shown(web_user: WebUser, owner: Owner, server: Server) -> None:
    other = Owner(server, owner.scratch)
    other.push("theirs", {"Containerfile": "FROM scratch"})
    web_user.open(owner.job("ask", f"@{other.name}/theirs"))
    web_user.sign_in(owner.name)
    web_user.press("main button >> text=Run")
    assert "Rejected" in web_user.page.inner_text("h1")
    assert "Why it did not start" in web_user.text()


def _ended(owner: Owner, job: str, run: str) -> dict[str, object]:
    """Follow the log of a run until it ends; return the facts of the run."""
    owner.read(f"jobs/{job}/runs/{run}/log?follow=1")
    return owner.stats(job, run)


def test_only_its_owner_sees_who_can_read_its_secrets(
    window: Callable[..., WebUser], owner: Owner, server: Server
) -> None:
    owner.image("fetch", "WRITE=a.txt=a")
    page = owner.job("daily", "fetch")
    reader = Owner(server, Path())
    owner.put(f"jobs/daily/shared/@{reader.name}~rx")
    mine, theirs = window(), window()
    for web_user, name in ((mine, owner.name), (theirs, reader.name)):
        web_user.open(page)
        web_user.sign_in(name)
    assert "secrets" not in mine.text()
    server.ask("PUT", "code/jobs/daily/config/env/KEY", b"hunter2", owner.name)
    for web_user in (mine, theirs):
        assert web_user.open(page) == 200
    text = mine.page.inner_text("section[aria-labelledby=readers]")
    assert "can read config/env and the spaces by code" in text
    assert "secrets" not in theirs.text()


def test_triggers_are_made_seen_and_ended(web_user: WebUser, owner: Owner) -> None:
    owner.image("read", "COPY=")
    owner.put("spaces/orders")
    page = owner.job("daily", "read")
    web_user.open(page)
    web_user.sign_in(owner.name)
    part = web_user.page.locator("[aria-labelledby=triggers]")

    def add(line: str) -> None:
        if not part.locator("input[name=trigger]:not([type=hidden])").is_visible():
            part.locator("summary").click()
        part.locator("input[name=trigger]:not([type=hidden])").fill(line)
        part.get_by_role("button", name="Add", exact=True).click()

    add("changed /s/orders/../secret")
    expect(part).to_contain_text("line 1, column 9: write changed /s/<space>/<folder>/*.csv")
    add("changed /s/orders/*.csv")
    expect(part).to_contain_text("It has not fired yet.")
    owner.put("spaces/orders/content/a.csv")
    run_link = part.locator("form.bar p a")
    for _ in range(100):
        web_user.open(page)
        if run_link.count() and run_link.inner_text() == "succeeded":
            break
    assert "by an event · changed /s/orders/a.csv" in web_user.text()
    part.get_by_role("button", name="Pause").click()
    expect(part).to_contain_text("paused")
    assert str(owner.read("jobs/daily/config/enabled")).strip() == "false"
    part.get_by_role("button", name="Resume").click()
    part.get_by_role("button", name="Remove changed").click()
    expect(part.locator("p code")).to_have_count(0)
    assert owner.read("jobs/daily/config/triggers")["lines"] == []
    web_user.press("[role=status] button")
    expect(part.locator("p code")).to_have_text(["changed /s/orders/*.csv"])
