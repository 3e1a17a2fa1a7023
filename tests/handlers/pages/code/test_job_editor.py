"""The editor of a job: checked while it is written, fixed by a button, saved all together or not at all."""

from __future__ import annotations

from pathlib import Path

from tests.handlers.pages.visitor import Owner, Visitor
from tests.kit.server import Server


def chain_of(owner: Owner, job: str) -> str:
    """The stored chain."""
    return str(owner.server.ask("GET", f"code/jobs/{job}/config/chains", who=owner.name))


def test_a_chain_is_written_checked_fixed_and_saved(visitor: Visitor, owner: Owner, scripts: bool) -> None:
    owner.push("split", {"Containerfile": "FROM scratch"})
    page = owner.job("weekly")
    visitor.sign_in(owner.name)
    visitor.open(f"{page}/edit")
    visitor.page.fill("#chains", "# weekly\nsplit -> hold(report)")
    if not scripts:
        visitor.press("button >> text=Check")
    wrong = visitor.page.locator("#wrong-chain")
    wrong.wait_for()
    assert "Line 2, column 10" in wrong.inner_text()
    assert "^^^^" in wrong.inner_text()
    assert visitor.page.locator("[data-numbers] li.bad").all_text_contents() == ["2"]
    visitor.press("#wrong-chain button")
    assert visitor.page.input_value("#chains") == "# weekly\nsplit -> !report"
    assert visitor.page.locator("#checked .chain svg.lying .name").all_text_contents() == ["split", "report"]
    assert "there is no repo" in visitor.page.inner_text(".lacking")
    assert chain_of(owner, "weekly") == ""
    visitor.press(".savebar button.primary")
    assert "Saved." in visitor.text()
    assert chain_of(owner, "weekly") == "# weekly\nsplit -> !report"


def test_the_schedule_is_told_with_its_next_times(visitor: Visitor, owner: Owner, scripts: bool) -> None:
    page = owner.job("weekly", config__schedule="30 6 * * 1")
    visitor.sign_in(owner.name)
    visitor.open(f"{page}/edit")
    assert "At 06:30 on Monday" in visitor.page.inner_text("#when")
    visitor.page.fill("input[name='text.config/schedule']", "0 7 * * 2")
    if not scripts:
        visitor.press("button >> text=Check")
    visitor.page.wait_for_selector("#when:has-text('At 07:00 on Tuesday')")
    assert visitor.page.locator("#when li").count() == 5
    visitor.page.uncheck("input[name='text.config/enabled']")
    visitor.press(".savebar button.primary")
    told = owner.read("jobs/weekly/config/schedule")
    assert (told["schedule"], told["enabled"]) == ("0 7 * * 2", False)


def test_all_or_nothing_is_saved_and_all_that_was_typed_is_kept(visitor: Visitor, owner: Owner) -> None:
    page = owner.job("weekly", "fetch", config__schedule="30 6 * * 1")
    visitor.sign_in(owner.name)
    visitor.open(f"{page}/edit")
    visitor.page.fill("#chains", "fetch -> draw")
    visitor.page.fill("input[name='text.config/schedule']", "61 6 * * 1")
    visitor.press(".savebar button.primary")
    assert visitor.page.locator("[role=alert]").count() == 1
    assert visitor.page.locator("label:has(input[name='text.config/schedule']) .wrong").count() == 1
    assert visitor.page.locator("#when .wrong").count() == 0
    assert visitor.page.get_attribute("input[name='text.config/schedule']", "aria-invalid") == "true"
    assert visitor.page.input_value("#chains") == "fetch -> draw"
    assert visitor.page.input_value("input[name='text.config/schedule']") == "61 6 * * 1"
    assert chain_of(owner, "weekly") == "fetch"
    visitor.page.fill("input[name='text.config/schedule']", "")
    visitor.press(".savebar button.primary")
    assert chain_of(owner, "weekly") == "fetch -> draw"
    assert owner.read("jobs/weekly/config/schedule")["schedule"] == ""


def test_what_somebody_else_saved_meanwhile_is_merged_or_chosen(visitor: Visitor, owner: Owner) -> None:
    page = owner.job("weekly", "# mine\n# as it was\nfetch")
    visitor.sign_in(owner.name)
    visitor.open(f"{page}/edit")
    visitor.page.fill("#chains", "# mine\n# as it was\nfetch -> mine")
    visitor.page.uncheck("input[name='text.config/enabled']")
    owner.write("jobs/weekly/config/chains", "# theirs\n# as it was\nfetch")
    visitor.press(".savebar button.primary")
    assert "changed this meanwhile" in visitor.page.inner_text("h1")
    assert chain_of(owner, "weekly") == "# theirs\n# as it was\nfetch"
    visitor.press("button >> text=Keep both changes")
    assert chain_of(owner, "weekly") == "# theirs\n# as it was\nfetch -> mine"
    assert owner.read("jobs/weekly/config/schedule")["enabled"] is False
    visitor.page.fill("#chains", "fetch -> mine")
    owner.write("jobs/weekly/config/chains", "fetch -> theirs")
    visitor.press(".savebar button.primary")
    assert "You changed the same lines" in visitor.text()
    visitor.press("button >> text=Go on editing mine")
    assert visitor.page.input_value("#chains") == "fetch -> mine"
    visitor.press(".savebar button.primary")
    assert chain_of(owner, "weekly") == "fetch -> mine"


def test_secrets_are_set_replaced_and_removed_and_never_shown(visitor: Visitor, owner: Owner) -> None:
    page = owner.job("weekly", "fetch", config__env__OLD_KEY="first-secret")
    visitor.sign_in(owner.name)
    visitor.open(f"{page}/edit")
    visitor.page.click("summary >> text=Secrets and settings")
    visitor.page.fill("input[name='new name']", "SHOP_KEY")
    visitor.page.fill("input[name='new value']", "second-secret")
    visitor.press(".savebar button.primary")
    assert [row["name"] for row in owner.read("jobs/weekly/config/env")] == ["OLD_KEY", "SHOP_KEY"]
    assert "secret" not in visitor.page.content().replace("Secrets", "").replace("secrets", "")
    visitor.page.click("summary >> text=Secrets and settings")
    visitor.page.check("input[name='remove OLD_KEY']")
    visitor.page.fill("input[name='new name']", "not a name")
    visitor.press(".savebar button.primary")
    assert visitor.page.get_attribute("input[name='new name']", "aria-invalid") == "true"
    assert len(owner.read("jobs/weekly/config/env")) == 2


def test_spaces_access_and_inputs_are_chosen(visitor: Visitor, owner: Owner) -> None:
    owner.put("spaces/raw")
    page = owner.job("weekly", "fetch")
    visitor.sign_in(owner.name)
    visitor.open(f"{page}/edit")
    for title in ("Spaces", "Results", "What it may do here", "Inputs"):
        visitor.page.click(f"form.editor summary:has(strong:text-is('{title}'))")
    visitor.page.fill("textarea[name='text.config/spaces']", f"raw => /u/{owner.name}/s/raw")
    visitor.page.fill("textarea[name='text.config/results']", "chart.csv => /s/raw")
    visitor.page.check("input[name='text.config/access'][value=vis_rw]")
    visitor.page.select_option("select[name='text.config/options/input']", "yes")
    visitor.page.fill("input[name='text.config/options/input_description']", "The orders")
    visitor.press(".savebar button.primary")
    assert owner.read("jobs/weekly/config/access")["claim"] == "vis_rw"
    stored = str(owner.server.ask("GET", "code/jobs/weekly/config/results", who=owner.name))
    assert "chart.csv => /s/raw" in stored
    assert "raw =>" in str(owner.server.ask("GET", "code/jobs/weekly/config/spaces", who=owner.name))
    assert owner.server.ask("GET", "code/jobs/weekly/config/options/input", who=owner.name) == "yes"


def test_who_may_edit_what(visitor: Visitor, owner: Owner, server: Server) -> None:
    page = owner.job("weekly", "fetch", config__env__KEY="x")
    people = {letters: Owner(server, Path()) for letters in ("rw", "r", "x", "")}
    for letters, person in people.items():
        if letters:
            owner.put(f"jobs/weekly/shared/@{person.name}~{letters}")
    for letters, person in people.items():
        visitor.open("/login")
        visitor.sign_in(person.name)
        assert visitor.open(f"{page}/edit") == {"rw": 200, "": 404}.get(letters, 403)
        if letters == "rw":
            assert visitor.page.get_attribute("#chains", "readonly") == ""
            assert visitor.page.locator("input[name='new name']").count() == 0
            visitor.page.fill("input[name='text.config/schedule']", "0 8 * * *")
            visitor.press(".savebar button.primary")
            assert owner.read("jobs/weekly/config/schedule")["schedule"] == "0 8 * * *"
        visitor.context.clear_cookies()


def test_the_job_is_paused_and_goes_on(visitor: Visitor, owner: Owner) -> None:
    page = owner.job("weekly", "fetch", config__schedule="30 6 * * 1")
    visitor.sign_in(owner.name)
    visitor.open(page)
    visitor.press("button >> text=Pause")
    assert owner.read("jobs/weekly/config/schedule")["enabled"] is False
    assert "paused" in visitor.text()
    visitor.press("button >> text=Undo")
    assert owner.read("jobs/weekly/config/schedule")["enabled"] is True
