"""The editor of a job: checked while typing, fixed by a button, saved all together or not at all."""

from __future__ import annotations

from pathlib import Path

from tests.handlers.pages.web_user import Owner, WebUser
from tests.kit.server import Server


def chain_of(owner: Owner, job: str) -> str:
    """The stored chain."""
    return str(owner.server.ask("GET", f"code/jobs/{job}/config/chains", who=owner.name))


def test_a_chain_is_written_checked_fixed_and_saved(web_user: WebUser, owner: Owner, scripts: bool) -> None:
    owner.push("split", {"Containerfile": "FROM scratch"})
    page = owner.job("weekly")
    web_user.sign_in(owner.name)
    web_user.open(f"{page}/edit")
    web_user.page.fill("#chains", "# weekly\nsplit -> hold(report)")
    if not scripts:
        web_user.press("button >> text=Check")
    wrong = web_user.page.locator("#wrong-chain")
    wrong.wait_for()
    assert "Line 2, column 10" in wrong.inner_text()
    assert "^^^^" in wrong.inner_text()
    assert web_user.page.locator("[data-numbers] li.bad").all_text_contents() == ["2"]
    web_user.press("#wrong-chain button")
    assert web_user.page.input_value("#chains") == "# weekly\nsplit -> !report"
    assert web_user.page.locator("#checked .chain svg.lying .name").all_text_contents() == ["split", "report"]
    assert "there is no repo" in web_user.page.inner_text(".lacking")
    assert chain_of(owner, "weekly") == ""
    web_user.press(".savebar button.primary")
    assert "Saved." in web_user.text()
    assert chain_of(owner, "weekly") == "# weekly\nsplit -> !report"


def test_a_schedule_is_shown_in_words_with_its_next_times(
    web_user: WebUser, owner: Owner, scripts: bool
) -> None:
    page = owner.job("weekly", config__schedule="30 6 * * 1")
    web_user.sign_in(owner.name)
    web_user.open(f"{page}/edit")
    assert "At 06:30 on Monday" in web_user.page.inner_text("#when")
    web_user.page.fill("input[name='text.config/schedule']", "0 7 * * 2")
    if not scripts:
        web_user.press("button >> text=Check")
    web_user.page.wait_for_selector("#when:has-text('At 07:00 on Tuesday')")
    assert web_user.page.locator("#when li").count() == 5
    web_user.page.uncheck("input[name='text.config/enabled']")
    web_user.press(".savebar button.primary")
    schedule = owner.read("jobs/weekly/config/schedule")
    assert (schedule["schedule"], schedule["enabled"]) == ("0 7 * * 2", False)


def test_alerts_are_chosen_and_shown(web_user: WebUser, owner: Owner) -> None:
    page = owner.job("weekly")
    web_user.sign_in(owner.name)
    web_user.open(f"{page}/edit")
    panel = web_user.page.locator("details:has(input[name='text.config/alerts/slow'])")
    assert "late and slow runs" in panel.inner_text()
    panel.locator("summary").click()
    web_user.page.uncheck("input[name='text.config/alerts/slow']")
    web_user.page.select_option("select[name='text.config/alerts/to']", "notices, mail")
    web_user.press(".savebar button.primary")
    alerts = {name: owner.read(f"jobs/weekly/config/alerts/{name}") for name in ("late", "slow", "to")}
    assert alerts == {"late": "true", "slow": "false", "to": "notices, mail"}
    assert (
        "late runs"
        in web_user.page.locator("details:has(input[name='text.config/alerts/slow'])").inner_text()
    )


def test_all_or_nothing_is_saved_and_all_that_was_typed_is_kept(web_user: WebUser, owner: Owner) -> None:
    page = owner.job("weekly", "fetch", config__schedule="30 6 * * 1")
    web_user.sign_in(owner.name)
    web_user.open(f"{page}/edit")
    web_user.page.fill("#chains", "fetch -> draw")
    web_user.page.fill("input[name='text.config/schedule']", "61 6 * * 1")
    web_user.press(".savebar button.primary")
    assert web_user.page.locator("[role=alert]").count() == 1
    assert web_user.page.locator("label:has(input[name='text.config/schedule']) .wrong").count() == 1
    assert web_user.page.locator("#when .wrong").count() == 0
    assert web_user.page.get_attribute("input[name='text.config/schedule']", "aria-invalid") == "true"
    assert web_user.page.input_value("#chains") == "fetch -> draw"
    assert web_user.page.input_value("input[name='text.config/schedule']") == "61 6 * * 1"
    assert chain_of(owner, "weekly") == "fetch"
    web_user.page.fill("input[name='text.config/schedule']", "")
    web_user.press(".savebar button.primary")
    assert chain_of(owner, "weekly") == "fetch -> draw"
    assert owner.read("jobs/weekly/config/schedule")["schedule"] == ""


def test_a_change_saved_by_somebody_else_is_merged_or_chosen(web_user: WebUser, owner: Owner) -> None:
    page = owner.job("weekly", "# mine\n# as it was\nfetch")
    web_user.sign_in(owner.name)
    web_user.open(f"{page}/edit")
    web_user.page.fill("#chains", "# mine\n# as it was\nfetch -> mine")
    web_user.page.uncheck("input[name='text.config/enabled']")
    owner.write("jobs/weekly/config/chains", "# theirs\n# as it was\nfetch")
    web_user.press(".savebar button.primary")
    assert "changed this meanwhile" in web_user.page.inner_text("h1")
    assert chain_of(owner, "weekly") == "# theirs\n# as it was\nfetch"
    web_user.press("button >> text=Keep both changes")
    assert chain_of(owner, "weekly") == "# theirs\n# as it was\nfetch -> mine"
    assert owner.read("jobs/weekly/config/schedule")["enabled"] is False
    web_user.page.fill("#chains", "fetch -> mine")
    owner.write("jobs/weekly/config/chains", "fetch -> theirs")
    web_user.press(".savebar button.primary")
    assert "You changed the same lines" in web_user.text()
    web_user.press("button >> text=Keep editing mine")
    assert web_user.page.input_value("#chains") == "fetch -> mine"
    web_user.press(".savebar button.primary")
    assert chain_of(owner, "weekly") == "fetch -> mine"


def test_secrets_are_set_replaced_and_removed_and_never_shown(web_user: WebUser, owner: Owner) -> None:
    page = owner.job("weekly", "fetch", config__env__OLD_KEY="first-secret")
    web_user.sign_in(owner.name)
    web_user.open(f"{page}/edit")
    web_user.page.click("summary >> text=Secrets and settings")
    web_user.page.fill("input[name='new name']", "SHOP_KEY")
    web_user.page.fill("input[name='new value']", "second-secret")
    web_user.press(".savebar button.primary")
    assert [row["name"] for row in owner.read("jobs/weekly/config/env")] == ["OLD_KEY", "SHOP_KEY"]
    assert "secret" not in web_user.page.content().replace("Secrets", "").replace("secrets", "")
    web_user.page.click("summary >> text=Secrets and settings")
    web_user.page.check("input[name='remove OLD_KEY']")
    web_user.page.fill("input[name='new name']", "not a name")
    web_user.press(".savebar button.primary")
    assert web_user.page.get_attribute("input[name='new name']", "aria-invalid") == "true"
    assert len(owner.read("jobs/weekly/config/env")) == 2


def test_spaces_access_and_inputs_are_chosen(web_user: WebUser, owner: Owner) -> None:
    owner.put("spaces/raw")
    page = owner.job("weekly", "fetch")
    web_user.sign_in(owner.name)
    web_user.open(f"{page}/edit")
    for title in ("Spaces", "Results", "Permissions of its runs", "Inputs"):
        web_user.page.click(f"form.editor summary:has(strong:text-is('{title}'))")
    web_user.page.fill("textarea[name='text.config/spaces']", f"raw => /u/{owner.name}/s/raw")
    web_user.page.fill("textarea[name='text.config/results']", "chart.csv => /s/raw")
    web_user.page.check("input[name='text.config/access'][value=vis_rw]")
    web_user.page.select_option("select[name='text.config/options/input']", "yes")
    web_user.page.fill("input[name='text.config/options/input_description']", "The orders")
    web_user.press(".savebar button.primary")
    assert owner.read("jobs/weekly/config/access")["claim"] == "vis_rw"
    stored = str(owner.server.ask("GET", "code/jobs/weekly/config/results", who=owner.name))
    assert "chart.csv => /s/raw" in stored
    assert "raw =>" in str(owner.server.ask("GET", "code/jobs/weekly/config/spaces", who=owner.name))
    assert owner.server.ask("GET", "code/jobs/weekly/config/options/input", who=owner.name) == "yes"


def test_attempts_and_limits_of_steps_are_set_refused_and_cleared(web_user: WebUser, owner: Owner) -> None:
    page, steps = owner.job("patient", "fetch -> draw"), "jobs/patient/config/steps"
    web_user.sign_in(owner.name)

    def fill(**files: str) -> None:
        web_user.open(f"{page}/edit")
        web_user.page.click("summary >> text=Attempts and limits")
        for name, text in files.items():
            web_user.page.fill(f"input[name='text.config/steps/{name.replace('__', '/')}']", text)
        web_user.press(".savebar button.primary")

    fill(fetch__retries="3", fetch__backoff="1 minute", fetch__cpus="0.5")
    assert [owner.read(f"{steps}/fetch/{name}") for name in ("retries", "backoff", "cpus")] == [
        "3", "1m", "0.5",
    ]  # fmt: skip
    fill(fetch__retries="", draw__memory="64G")
    wrong = "input[name='text.config/steps/draw/memory']"
    assert web_user.page.get_attribute(wrong, "aria-invalid") == "true"
    assert web_user.page.input_value(wrong) == "64G"
    assert owner.read(f"{steps}/fetch/retries") == "3"
    fill(fetch__retries="")
    assert owner.read(f"{steps}/fetch/retries") == "0"


def test_permissions_decide_what_can_be_edited(web_user: WebUser, owner: Owner, server: Server) -> None:
    page = owner.job("weekly", "fetch", config__env__KEY="x")
    people = {letters: Owner(server, Path()) for letters in ("rw", "r", "x", "")}
    for letters, person in people.items():
        if letters:
            owner.put(f"jobs/weekly/shared/@{person.name}~{letters}")
    for letters, person in people.items():
        web_user.open("/login")
        web_user.sign_in(person.name)
        assert web_user.open(f"{page}/edit") == {"rw": 200, "": 404}.get(letters, 403)
        if letters == "rw":
            assert web_user.page.get_attribute("#chains", "readonly") == ""
            assert web_user.page.locator("input[name='new name']").count() == 0
            web_user.page.fill("input[name='text.config/schedule']", "0 8 * * *")
            web_user.press(".savebar button.primary")
            assert owner.read("jobs/weekly/config/schedule")["schedule"] == "0 8 * * *"
        web_user.context.clear_cookies()


def test_the_job_is_paused_and_resumed(web_user: WebUser, owner: Owner) -> None:
    page = owner.job("weekly", "fetch", config__schedule="30 6 * * 1")
    web_user.sign_in(owner.name)
    web_user.open(page)
    web_user.press("button >> text=Pause")
    assert owner.read("jobs/weekly/config/schedule")["enabled"] is False
    assert "paused" in web_user.text()
    web_user.press("button >> text=Undo")
    assert owner.read("jobs/weekly/config/schedule")["enabled"] is True
