"""The pages of users, groups and organisations: visibility, invitations, roles."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from contextlib import nullcontext

import pytest

from tests.handlers.pages.web_user import Owner, WebUser
from tests.kit.server import Server

_numbers = itertools.count(1)


class People:
    """Two users with a group of the first one."""

    def __init__(self, server: Server, owner: Owner, other: Owner) -> None:
        self.server, self.owner, self.other = server, owner, other
        self.group = f"crew-{next(_numbers)}"
        self.ref = f"@{owner.name}~{self.group}"
        self.page = f"/u/{owner.name}/grp/{self.group}"
        self.ask("PUT", f"admin/groups/{self.group}")

    def ask(self, method: str, path: str, body: bytes | None = None, who: str = "") -> object:
        return self.server.ask(method, path, body, who or self.owner.name)

    def invite(self, role: str = "members") -> None:
        self.ask("PUT", f"admin/groups/{self.group}/roles/{role}/{self.other.name}")

    def join(self, role: str = "members") -> None:
        self.invite(role)
        self.ask("POST", f"admin/invites/{self.ref}/accept", b"yes", self.other.name)

    def role(self) -> object:
        return self.ask("GET", f"groups/{self.ref}/role", who=self.other.name)


@pytest.fixture
def people(server: Server, owner: Owner, tmp_path: object) -> People:
    """A group, its founder, and somebody else."""
    return People(server, owner, Owner(server, owner.scratch))


def test_a_user_s_page_shows_what_its_options_allow(web_user: WebUser, people: People) -> None:
    name = people.owner.name
    people.ask("POST", "admin/profile/name", b"Ada Lovelace")
    people.ask("POST", "admin/profile/description", b"I *count*.")
    web_user.sign_in(people.other.name)
    web_user.open(f"/u/{name}")
    assert web_user.page.inner_text("h1") == f"@{name}"
    for option in ("show_name", "show_description"):
        people.ask("POST", f"admin/profile/options/{option}", b"yes")
    web_user.open(f"/u/{name}")
    assert web_user.page.inner_text("h1") == f"Ada Lovelace @{name}"
    assert web_user.page.inner_text(".prose em") == "count"


def test_a_user_s_page_lists_the_items_that_the_caller_may_see(web_user: WebUser, people: People) -> None:
    for job in ("open", "secret"):
        people.owner.put(f"jobs/{job}")
    people.owner.put(f"jobs/open/shared/@{people.other.name}~r")
    web_user.sign_in(people.other.name)
    web_user.open(f"/u/{people.owner.name}")
    assert "secret" not in web_user.text()
    web_user.press("text=open")
    assert web_user.page.url.endswith(f"/u/{people.owner.name}/j/open")


def test_a_hidden_user_has_the_same_page_as_a_missing_one(web_user: WebUser, people: People) -> None:
    people.ask("POST", "admin/profile/public", b"no")
    web_user.sign_in(people.other.name)
    seen = []
    for name in (people.owner.name, "nobody"):
        status = web_user.open(f"/u/{name}")
        seen.append((status, web_user.text().replace(name, "*")))
    assert seen[0] == seen[1]
    assert seen[0][0] == 404


@pytest.mark.parametrize("word, role", [("Accept", "members"), ("Decline", None)])
def test_an_invitation_is_answered_on_the_page_of_the_user(
    web_user: WebUser, people: People, word: str, role: str | None
) -> None:
    people.invite()
    web_user.sign_in(people.other.name)
    web_user.open(f"/u/{people.other.name}")
    assert people.ref in web_user.text()
    web_user.press(f"text={word} {people.ref}") if role else web_user.confirm(word)
    assert web_user.page.locator("#invitations").count() == 0
    invited = people.ask("GET", f"admin/groups/{people.group}/roles/members")
    assert [row["name"] for row in invited] == ([people.other.name] if role else [])  # type: ignore[attr-defined]


def test_leaving_after_being_removed_is_an_error_on_the_page(web_user: WebUser, people: People) -> None:
    people.invite()
    web_user.sign_in(people.other.name)
    web_user.open(f"/u/{people.other.name}")
    web_user.press(f"text=Accept {people.ref}")
    web_user.open(people.page)
    people.ask("DELETE", f"admin/groups/{people.group}/roles/members/{people.other.name}")
    web_user.confirm("Leave")
    assert "You are no longer a member of" in web_user.text()


def test_the_first_page_lists_invitations(web_user: WebUser, people: People) -> None:
    people.invite()
    web_user.sign_in(people.other.name)
    web_user.open(people.page)
    assert "You are invited as a member" in web_user.text()
    web_user.open("/")
    assert "You are invited to" in web_user.text()
    web_user.open(people.page)
    web_user.press("text=Accept")
    assert people.role() == "members"


def test_notices_are_shown_and_dismissed_in_groups(web_user: WebUser, people: People) -> None:
    other = people.other.name
    for job in ("counts", "sums"):
        people.owner.put(f"jobs/{job}")
        people.owner.put(f"jobs/{job}/shared/@{other}~rx")
    people.owner.write("jobs/counts/name", "Counts of *all*")
    for number in range(3):
        people.owner.put(f"jobs/counts/threads/topic-{number}")
    web_user.sign_in(other)
    assert web_user.open("/notices") == 200
    assert web_user.page.locator(".notices > li").count() >= 2
    assert "Counts of *all*" in web_user.text()
    assert web_user.page.locator(f".notices .told > a[href='/u/{people.owner.name}/j/sums']").count() == 1
    web_user.press(".notices > li:first-child form button")
    assert web_user.page.inner_text("[role=status]") == "The notices are dismissed."
    web_user.press("text=Dismiss all")
    assert "No notices." in web_user.text()
    assert people.ask("GET", "admin/notifications", who=other) == []


def test_a_founder_invites_moves_and_removes_on_the_group_s_page(
    web_user: WebUser, people: People, scripts: bool
) -> None:
    other = people.other.name
    web_user.sign_in(people.owner.name)
    web_user.open(people.page)
    web_user.page.fill("input[name=user]", f"@{other}")
    web_user.page.select_option(".invite select", "admins")
    web_user.press("button:has-text('Invite')")
    assert "invited" in web_user.page.inner_text(f".roster li:has-text('@{other}')")
    people.ask("POST", f"admin/invites/{people.ref}/accept", b"yes", other)
    web_user.open(people.page)
    with web_user.page.expect_navigation() if scripts else nullcontext():
        web_user.page.select_option(f"#to-{other}", "superusers")
    if not scripts:
        web_user.press(f"button:has-text('Save the role of {other}')")
    assert people.role() == "superusers"
    web_user.press(".saved button")
    assert people.role() == "admins"
    web_user.confirm(f"Remove {other}")
    assert f"@{other}" not in web_user.page.inner_text(".roster")


def test_a_member_sees_no_controls_except_to_leave(web_user: WebUser, people: People) -> None:
    people.join()
    web_user.sign_in(people.other.name)
    web_user.open(people.page)
    assert "you are a member" in web_user.text()
    assert web_user.page.locator(".invite, .roster select").count() == 0
    assert web_user.page.locator(".roster summary").count() == 1
    web_user.confirm("Leave")
    assert web_user.open(people.page) == 404


def test_a_refusal_by_a_group_is_shown_on_its_page(web_user: WebUser, people: People) -> None:
    web_user.sign_in(people.owner.name)
    web_user.open(people.page)
    web_user.page.fill("input[name=user]", "nobody-of-that-name")
    web_user.press("button:has-text('Invite')")
    assert web_user.page.locator("[role=alert]").count() == 1
    assert web_user.page.inner_text("h1").startswith(people.group)
    web_user.page.fill("input[name=user]", "ann@birds.example")
    web_user.press("button:has-text('Invite')")
    assert "is an e-mail address" in web_user.text()


def test_a_group_s_page_lists_the_items_shared_with_it(web_user: WebUser, people: People) -> None:
    people.join()
    people.owner.put("jobs/counts")
    people.owner.put(f"jobs/counts/shared/{people.ref}~rx")
    people.ask("POST", "code/jobs/counts/name", b"Counts of waders")
    web_user.sign_in(people.other.name)
    web_user.open(people.page)
    assert f"@{people.owner.name} · you may" in web_user.text()
    web_user.press("text=Counts of waders")
    assert web_user.page.url.endswith(f"/u/{people.owner.name}/j/counts")


def test_an_organisation_shows_its_colours_or_the_standard_one(
    window: Callable[..., WebUser], server: Server, owner: Owner
) -> None:
    org = f"birds-{next(_numbers)}"
    server.add(org, account_type="organisation")
    server.ask("PUT", f"admin/orgs/{org}", who=org)
    server.ask("PUT", f"admin/orgs/{org}/groups/waders", who=org)
    web_user = window()
    web_user.sign_in(org)
    web_user.open(f"/o/{org}")
    band = web_user.page.locator(".band rect").first
    assert band.get_attribute("fill") is None
    assert band.evaluate("one => getComputedStyle(one).fill") == "rgb(11, 90, 110)"
    server.ask("POST", f"admin/orgs/{org}/profile/options/primary_color", b"#A0b1C2", org)
    web_user.open(f"/o/{org}")
    assert web_user.page.locator(".band rect").first.evaluate("one => getComputedStyle(one).fill") == (
        "rgb(160, 177, 194)"
    )
    web_user.press(".group-cards a")
    assert web_user.page.url.endswith(f"/o/{org}/g/waders")
    assert "you are a founder" in web_user.text()


def test_an_invitation_is_taken_back_and_that_undone(web_user: WebUser, people: People) -> None:
    people.invite("admins")
    web_user.sign_in(people.owner.name)
    web_user.open(people.page)
    web_user.press("text=Withdraw")
    assert "The invitation is withdrawn." in web_user.text()
    web_user.press(".saved button")
    assert "invited" in web_user.page.inner_text(f".roster li:has-text('@{people.other.name}')")


def test_a_group_is_made_named_and_removed_by_its_name(web_user: WebUser, owner: Owner) -> None:
    page, name = web_user.page, f"made-{next(_numbers)}"
    web_user.sign_in(owner.name)
    web_user.open(f"/u/{owner.name}")
    web_user.press("main a:has-text('Create a group')")
    page.fill("#f-name", "Not A Name")
    page.fill("#f-title", "The waders")
    web_user.press("main form.part button")
    assert page.locator("#w-name").count() == 1
    assert page.input_value("#f-title") == "The waders"
    page.fill("#f-name", name)
    web_user.press("main form.part button")
    assert page.inner_text("h1") == "The waders"
    assert page.url.split("?")[0].endswith(f"/u/{owner.name}/grp/{name}")
    web_user.press(".title .row a")
    page.fill("#f-name", "The waders of all")
    page.fill("#f-description", "We *count*.")
    page.check("input[name='options/public']")
    web_user.press("button[value=save]")
    assert "Saved." in web_user.text()
    assert page.is_checked("input[name='options/public']")
    web_user.open(f"/u/{owner.name}/grp/{name}")
    assert page.inner_text("h1") == "The waders of all"
    assert page.inner_text(".prose em") == "count"
    web_user.open(f"/u/{owner.name}/grp/{name}/settings")
    page.click(".danger-zone summary")
    page.fill(".danger-zone input[name=name]", name)
    web_user.press(".danger-zone button")
    assert web_user.open(f"/u/{owner.name}/grp/{name}") == 404


def test_settings_are_for_admins_and_absent_to_strangers(
    window: Callable[..., WebUser], people: People
) -> None:
    people.join()
    web_user = window()
    web_user.sign_in(people.other.name)
    assert web_user.open(f"{people.page}/settings") == 403
    assert "ask one of them" in web_user.text()
    stranger = window()
    stranger.sign_in(Owner(people.server, people.owner.scratch).name)
    seen = [stranger.open(f"{page}/settings") for page in (people.page, "/u/nobody/grp/x")]
    assert seen == [404, 404]
    nobody = window()
    nobody.open(f"{people.page}/settings")
    assert "/login" in nobody.page.url


def test_an_organisation_makes_groups_and_counts_its_runs(
    web_user: WebUser, server: Server, owner: Owner
) -> None:
    org = f"firm-{next(_numbers)}-{id(web_user)}"
    server.add(org, account_type="organisation")
    web_user.sign_in(org)
    web_user.open(f"/u/{org}")
    web_user.press("button[value=organisation]")
    web_user.page.fill("input[name=group]", "sales")
    web_user.press("button:text-is('Create group')")
    assert web_user.page.url.split("?")[0].endswith(f"/o/{org}/g/sales")
    assert web_user.open(f"/o/{org}/settings") == 200
    web_user.page.check("input[name='use options/primary_color']")
    web_user.press("button[value=save]")
    assert server.ask("GET", f"admin/orgs/{org}/profile/options/primary_color", who=org).strip() == "#0b5a6e"
