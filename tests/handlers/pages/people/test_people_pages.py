"""The pages of users, groups and organisations: what is seen, invitations, roles."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from tests.handlers.pages.visitor import Owner, Visitor
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


def test_a_user_s_page_shows_what_its_options_allow(visitor: Visitor, people: People) -> None:
    name = people.owner.name
    people.ask("POST", "admin/profile/name", b"Ada Lovelace")
    people.ask("POST", "admin/profile/description", b"I *count*.")
    visitor.sign_in(people.other.name)
    visitor.open(f"/u/{name}")
    assert visitor.page.inner_text("h1") == f"@{name}"
    for option in ("show_name", "show_description"):
        people.ask("POST", f"admin/profile/options/{option}", b"yes")
    visitor.open(f"/u/{name}")
    assert visitor.page.inner_text("h1") == f"Ada Lovelace @{name}"
    assert visitor.page.inner_text(".prose em") == "count"


def test_a_user_s_page_lists_what_the_caller_may_see(visitor: Visitor, people: People) -> None:
    for job in ("open", "secret"):
        people.owner.put(f"jobs/{job}")
    people.owner.put(f"jobs/open/shared/@{people.other.name}~r")
    visitor.sign_in(people.other.name)
    visitor.open(f"/u/{people.owner.name}")
    assert "secret" not in visitor.text()
    visitor.press("text=open")
    assert visitor.page.url.endswith(f"/u/{people.owner.name}/j/open")


def test_who_is_not_seen_is_as_absent_as_nobody(visitor: Visitor, people: People) -> None:
    people.ask("POST", "admin/profile/public", b"no")
    visitor.sign_in(people.other.name)
    seen = []
    for name in (people.owner.name, "nobody"):
        status = visitor.open(f"/u/{name}")
        seen.append((status, visitor.text().replace(name, "*")))
    assert seen[0] == seen[1]
    assert seen[0][0] == 404


@pytest.mark.parametrize("word, role", [("Accept", "members"), ("Decline", None)])
def test_an_invitation_is_answered_on_one_s_own_page(
    visitor: Visitor, people: People, word: str, role: str | None
) -> None:
    people.invite()
    visitor.sign_in(people.other.name)
    visitor.open(f"/u/{people.other.name}")
    assert people.ref in visitor.text()
    visitor.press(f"text={word} {people.ref}") if role else visitor.confirm(word)
    assert visitor.page.locator("#invitations").count() == 0
    invited = people.ask("GET", f"admin/groups/{people.group}/roles/members")
    assert [row["name"] for row in invited] == ([people.other.name] if role else [])  # type: ignore[attr-defined]


def test_who_leaves_after_being_removed_is_told_so(visitor: Visitor, people: People) -> None:
    people.invite()
    visitor.sign_in(people.other.name)
    visitor.open(f"/u/{people.other.name}")
    visitor.press(f"text=Accept {people.ref}")
    visitor.open(people.page)
    people.ask("DELETE", f"admin/groups/{people.group}/roles/members/{people.other.name}")
    visitor.confirm("Leave")
    assert "any more: there is nothing to leave" in visitor.text()


def test_the_first_page_tells_of_invitations(visitor: Visitor, people: People) -> None:
    people.invite()
    visitor.sign_in(people.other.name)
    visitor.open(people.page)
    assert "You are invited as a member" in visitor.text()
    visitor.open("/")
    assert "You are invited to" in visitor.text()
    visitor.open(people.page)
    visitor.press("text=Accept")
    assert people.role() == "members"


def test_notices_are_read_and_dismissed_on_one_s_own_page(visitor: Visitor, people: People) -> None:
    people.owner.put("jobs/counts")
    people.owner.put(f"jobs/counts/shared/@{people.other.name}~r")
    visitor.sign_in(people.other.name)
    visitor.open(f"/u/{people.other.name}")
    said = f"@{people.owner.name} shared the job counts with you"
    assert said in visitor.text()
    assert visitor.page.get_attribute(".told a", "href") == f"/u/{people.owner.name}/j/counts"
    visitor.press("button:has-text('Dismiss')")
    assert said not in visitor.text()
    assert people.ask("GET", "admin/notifications", who=people.other.name) == []


def test_notices_stand_in_groups_and_are_dismissed_together(visitor: Visitor, people: People) -> None:
    other = people.other.name
    for job in ("counts", "sums"):
        people.owner.put(f"jobs/{job}")
        people.owner.put(f"jobs/{job}/shared/@{other}~rx")
    people.owner.write("jobs/counts/name", "Counts of *all*")
    for number in range(3):
        people.owner.put(f"jobs/counts/threads/topic-{number}")
    visitor.sign_in(other)
    assert visitor.open("/notices") == 200
    assert visitor.page.locator(".notices > li").count() >= 2
    assert "Counts of *all*" in visitor.text()
    visitor.press(".notices > li:first-child form button")
    assert visitor.page.inner_text("[role=status]") == "The notices are dismissed."
    visitor.press("text=Dismiss all")
    assert "Nothing new." in visitor.text()
    assert people.ask("GET", "admin/notifications", who=other) == []


def test_a_founder_invites_moves_and_removes_on_the_group_s_page(visitor: Visitor, people: People) -> None:
    other = people.other.name
    visitor.sign_in(people.owner.name)
    visitor.open(people.page)
    visitor.page.fill("input[name=user]", f"@{other}")
    visitor.page.select_option(".invite select", "admins")
    visitor.press("button:has-text('Invite')")
    assert "invited" in visitor.page.inner_text(f".roster li:has-text('@{other}')")
    people.ask("POST", f"admin/invites/{people.ref}/accept", b"yes", other)
    visitor.open(people.page)
    visitor.page.select_option(f"#to-{other}", "superusers")
    visitor.press(f"button:has-text('Save the role of {other}')")
    assert people.role() == "superusers"
    visitor.press(".saved button")
    assert people.role() == "admins"
    visitor.confirm(f"Remove {other}")
    assert f"@{other}" not in visitor.page.inner_text(".roster")


def test_a_member_sees_no_controls_but_its_own_way_out(visitor: Visitor, people: People) -> None:
    people.join()
    visitor.sign_in(people.other.name)
    visitor.open(people.page)
    assert "you are a member" in visitor.text()
    assert visitor.page.locator(".invite, .roster select").count() == 0
    assert visitor.page.locator(".roster summary").count() == 1
    visitor.confirm("Leave")
    assert visitor.open(people.page) == 404


def test_what_a_group_cannot_do_is_told_on_its_page(visitor: Visitor, people: People) -> None:
    visitor.sign_in(people.owner.name)
    visitor.open(people.page)
    visitor.page.fill("input[name=user]", "nobody-of-that-name")
    visitor.press("button:has-text('Invite')")
    assert visitor.page.locator("[role=alert]").count() == 1
    assert visitor.page.inner_text("h1").startswith(people.group)
    visitor.page.fill("input[name=user]", "ann@birds.example")
    visitor.press("button:has-text('Invite')")
    assert "is an e-mail address" in visitor.text()


def test_a_group_s_page_lists_what_is_shared_with_it(visitor: Visitor, people: People) -> None:
    people.join()
    people.owner.put("jobs/counts")
    people.owner.put(f"jobs/counts/shared/{people.ref}~rx")
    people.ask("POST", "code/jobs/counts/name", b"Counts of waders")
    visitor.sign_in(people.other.name)
    visitor.open(people.page)
    assert f"@{people.owner.name} · you may" in visitor.text()
    visitor.press("text=Counts of waders")
    assert visitor.page.url.endswith(f"/u/{people.owner.name}/j/counts")


def test_an_organisation_shows_its_colours_or_the_standard_one(
    window: Callable[..., Visitor], server: Server, owner: Owner
) -> None:
    org = f"birds-{next(_numbers)}"
    server.add(org, account_type="organisation")
    server.ask("PUT", f"admin/orgs/{org}", who=org)
    server.ask("PUT", f"admin/orgs/{org}/groups/waders", who=org)
    visitor = window()
    visitor.sign_in(org)
    visitor.open(f"/o/{org}")
    band = visitor.page.locator(".band rect").first
    assert band.get_attribute("fill") is None
    assert band.evaluate("one => getComputedStyle(one).fill") == "rgb(11, 90, 110)"
    server.ask("POST", f"admin/orgs/{org}/profile/options/primary_color", b"#A0b1C2", org)
    visitor.open(f"/o/{org}")
    assert visitor.page.locator(".band rect").first.evaluate("one => getComputedStyle(one).fill") == (
        "rgb(160, 177, 194)"
    )
    visitor.press(".group-cards a")
    assert visitor.page.url.endswith(f"/o/{org}/g/waders")
    assert "you are a founder" in visitor.text()


def test_an_invitation_is_taken_back_and_that_undone(visitor: Visitor, people: People) -> None:
    people.invite("admins")
    visitor.sign_in(people.owner.name)
    visitor.open(people.page)
    visitor.press("text=Take back")
    assert "The invitation is taken back." in visitor.text()
    visitor.press(".saved button")
    assert "invited" in visitor.page.inner_text(f".roster li:has-text('@{people.other.name}')")


def test_a_group_is_made_named_and_removed_by_its_name(visitor: Visitor, owner: Owner) -> None:
    page, name = visitor.page, f"made-{next(_numbers)}"
    visitor.sign_in(owner.name)
    visitor.open(f"/u/{owner.name}")
    visitor.press("main a:has-text('Make a group')")
    page.fill("#f-name", "Not A Name")
    page.fill("#f-title", "The waders")
    visitor.press("main form.part button")
    assert page.locator("#w-name").count() == 1
    assert page.input_value("#f-title") == "The waders"
    page.fill("#f-name", name)
    visitor.press("main form.part button")
    assert page.inner_text("h1") == "The waders"
    assert page.url.split("?")[0].endswith(f"/u/{owner.name}/grp/{name}")
    visitor.press(".title .row a")
    page.fill("#f-name", "The waders of all")
    page.fill("#f-description", "We *count*.")
    page.check("input[name='options/public']")
    visitor.press("button[value=save]")
    assert "Saved." in visitor.text()
    assert page.is_checked("input[name='options/public']")
    visitor.open(f"/u/{owner.name}/grp/{name}")
    assert page.inner_text("h1") == "The waders of all"
    assert page.inner_text(".prose em") == "count"
    visitor.open(f"/u/{owner.name}/grp/{name}/settings")
    page.click(".danger-zone summary")
    page.fill(".danger-zone input[name=name]", name)
    visitor.press(".danger-zone button")
    assert visitor.open(f"/u/{owner.name}/grp/{name}") == 404


def test_settings_are_for_admins_and_absent_to_strangers(
    window: Callable[..., Visitor], people: People
) -> None:
    people.join()
    visitor = window()
    visitor.sign_in(people.other.name)
    assert visitor.open(f"{people.page}/settings") == 403
    assert "ask one of them" in visitor.text()
    stranger = window()
    stranger.sign_in(Owner(people.server, people.owner.scratch).name)
    seen = [stranger.open(f"{page}/settings") for page in (people.page, "/u/nobody/grp/x")]
    assert seen == [404, 404]
    nobody = window()
    nobody.open(f"{people.page}/settings")
    assert "/login" in nobody.page.url


def test_an_organisation_makes_itself_groups_and_counts_its_runs(
    visitor: Visitor, server: Server, owner: Owner
) -> None:
    org = f"firm-{next(_numbers)}-{id(visitor)}"
    server.add(org, account_type="organisation")
    visitor.sign_in(org)
    visitor.open(f"/u/{org}")
    visitor.press("button[value=organisation]")
    visitor.page.fill("input[name=group]", "sales")
    visitor.press("text=Make it")
    assert visitor.page.url.split("?")[0].endswith(f"/o/{org}/g/sales")
    assert visitor.open(f"/o/{org}/settings") == 200
    visitor.page.check("input[name='use options/primary_color']")
    visitor.press("button[value=save]")
    assert server.ask("GET", f"admin/orgs/{org}/profile/options/primary_color", who=org).strip() == "#0b5a6e"
