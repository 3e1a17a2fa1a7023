"""Tasks with code, jobs and runs."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.handlers.pages.tasks.person import MAIN, SAVE, Person

PROGRAM = "print('counted')\n"


def write_code(me: Person) -> None:
    me.begin()
    me.new("repo", "Count words")
    me.press(MAIN)
    me.press("text=Write main.py")
    if me.scripts:
        me.page.click(".cm-content")
        me.page.keyboard.insert_text(PROGRAM)
    else:
        me.fill("textarea[data-code]", PROGRAM)
    me.press("button.primary:has-text('Commit')")
    assert "Committed as" in me.say() and me.page.inner_text("#L1") == PROGRAM.strip()


def write_a_chain(me: Person) -> None:
    me.begin()
    me.new("job", "Weekly report")
    me.press("a:text-is('An empty job')")
    me.fill("[name=title]", "Weekly report")
    me.press(MAIN)
    me.fill("#chains", "fetch -> !report")
    if not me.scripts:
        me.press("button[value=check]")
    names = me.page.locator("#checked .chain svg.lying .name")
    expect(names).to_have_text(["fetch", "report"])
    me.press(SAVE)
    assert me.read("code/jobs/weekly_report/config/chains") == "fetch -> !report"


def run_with_a_file(me: Person) -> None:
    me.owner.image("count", "ECHO=six words", "COPY=.")
    me.owner.job("count", "count", name="Count the words", config__options__input="yes")
    file = me.owner.scratch / "words.txt"
    file.write_text("one two three four five six\n")
    me.begin()
    me.press("main a:has-text('Count the words')")
    me.choose(".run [name=input]", file)
    me.press(".run button.primary")
    expect(me.page.locator("h1")).to_contain_text("Succeeded")
    expect(me.page.locator(".log")).to_contain_text("six words")


def answer_a_hold(me: Person) -> None:
    me.owner.image("first", "WRITE=draft.txt=draft")
    me.owner.image("then", "COPY=.")
    me.owner.job("held", "first -> !then")
    me.owner.trigger("held")
    me.begin()
    me.press("li.hold a.button")
    run = me.page.url.partition("?")[0].rpartition("/")[2]
    me.press(".hold a.edit:has-text('draft.txt')")
    me.fill("#text", "mended")
    me.press(SAVE)
    me.press("button:has-text('Continue')")
    me.owner.read(f"jobs/held/runs/{run}/log?follow=1")
    (hold,) = me.owner.read(f"jobs/held/runs/{run}/steps")["holds"]
    assert hold["outcome"] == "continued"


def see_why_a_run_failed(me: Person) -> None:
    me.owner.image("bad", "STDERR=no such column", "EXIT=3")
    me.owner.job("broken", "bad", name="The margins")
    me.owner.trigger("broken")
    me.begin()
    assert "no such column" in me.page.inner_text("li.bad:has-text('The margins')")
    me.press("li.bad:has-text('The margins') a:has-text('Why')")
    assert "Why it failed" in me.say()
    me.window.open("/notices")
    assert "no such column" in me.say()


def run_on_mondays(me: Person) -> None:
    me.owner.job("mondays", name="On Mondays")
    me.begin()
    me.press("main a:has-text('On Mondays')")
    me.press(".tabs a:has-text('Edit')")
    me.pick("[name='when.every']", "Mon")
    me.fill("[name='when.at']", "06:00")
    me.fill("[name='when.zone']", "Europe/Berlin")
    if not me.scripts:
        me.press("button[value=check]")
    expect(me.page.locator("#when .next li")).to_have_count(5)
    me.press(SAVE)
    assert me.read("code/jobs/mondays/config/schedule")["schedule"] == "TZ=Europe/Berlin 0 6 * * Mon"
