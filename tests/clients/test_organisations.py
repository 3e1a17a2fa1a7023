"""The published clients over groups and organisations: made, filled, opened, answered and removed."""

from __future__ import annotations

import itertools
import subprocess
from collections.abc import Callable
from pathlib import Path

import novem_cli
import pytest
from novem.exceptions import Novem403, Novem404
from novem.group.org import Org
from novem.group.org_group import OrgGroup

from tests.clients.conftest import Person
from tests.kit.server import Server, environment

_numbers = itertools.count(1)
Novem = Callable[..., str]


@pytest.fixture
def boss(server: Server) -> Person:
    """An organisation account."""
    name = f"boss-{next(_numbers)}"
    account = {"username": name, "password": server.password(name), "email": f"{name}@birds.example"}
    server.ask("POST", "register", {**account, "account_type": "organisation"})
    wanted = {"username": name, "password": server.password(name), "token_name": "made-by-hand"}
    server.tokens[name] = server.ask("POST", "token", wanted)["token"]
    return Person(server, name, server.tokens[name])


@pytest.fixture
def novem(tmp_path: Path) -> Novem:
    """Runs the native command line as a person; what it prints. It has to end with the given exit code."""

    def run(who: Person, *words: str, code: int = 0) -> str:
        whole = (novem_cli.find_binary(), "--api-url", who.server.root, "--token", who.token, *words)
        done = subprocess.run(
            whole, env=environment(HOME=str(tmp_path)), capture_output=True, text=True, check=False
        )
        assert done.returncode == code, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    return run


def answer(who: Person, ref: str, word: bytes = b"yes") -> None:
    """Answer an invitation."""
    who.ask("POST", f"/admin/invites/{ref}/accept", word)


def test_an_organisation_is_made_opened_and_described(boss: Person, alice: Person) -> None:
    org = Org(boss.name, **boss.connection)
    assert Org(boss.name, **boss.connection).id == boss.name
    org.profile.name = "Acme Ltd"
    org.profile.description = "# Acme"
    assert org.profile.name == "Acme Ltd"
    assert org.profile.description == "# Acme"
    for option in ("is_open", "show_description", "show_members", "show_profile", "enable_subdomain"):
        assert getattr(org.profile.options, option) is False
        setattr(org.profile.options, option, True)
        assert getattr(org.profile.options, option) is True
    with pytest.raises(Novem403):
        Org("another", **boss.connection)
    with pytest.raises(Novem403):
        Org(boss.name, **alice.connection)


def test_a_member_opens_the_organisation_it_belongs_to(boss: Person, alice: Person) -> None:
    org = Org(boss.name, **boss.connection)
    org.roles.members += alice.name
    assert org.roles.members.get() == [f"I-{alice.name}"]
    answer(alice, f"+{boss.name}")
    assert org.roles.members.get() == [alice.name]
    assert Org(boss.name, **alice.connection).roles.founders.get() == [boss.name]


def test_roles_are_filled_and_emptied(boss: Person, alice: Person, bob: Person) -> None:
    group = Org(boss.name, **boss.connection).Group("sales", **boss.connection)
    group.roles.members = [alice.name, bob.name]
    assert group.roles.members.get() == sorted(f"I-{one.name}" for one in (alice, bob))
    group.roles.members = [alice.name]
    assert group.roles.members.get() == [f"I-{alice.name}"]
    answer(alice, f"+{boss.name}~sales")
    group.roles.members -= alice.name
    assert group.roles.members.get() == []
    group.roles.admins += alice.name
    answer(alice, f"+{boss.name}~sales")
    group.roles.superusers += alice.name
    assert (group.roles.admins.get(), group.roles.superusers.get()) == ([], [alice.name])


def test_what_the_rank_rules_forbid_raises(boss: Person, alice: Person, bob: Person) -> None:
    group = OrgGroup("sales", Org(boss.name, **boss.connection).id, **boss.connection)
    with pytest.raises(Novem403):
        group.roles.founders -= boss.name
    group.roles.superusers += alice.name
    answer(alice, f"+{boss.name}~sales")
    mine = OrgGroup("sales", boss.name, create=False, **alice.connection)
    mine.roles.members += bob.name
    with pytest.raises(Novem403):
        mine.roles.admins += bob.name
    with pytest.raises(Novem403):
        mine.profile.options.is_open = True
    with pytest.raises(Novem404):
        group.roles.members += "nobody-at-all"


def test_mail_options_of_a_group(boss: Person) -> None:
    group = Org(boss.name, **boss.connection).Group("sales", **boss.connection)
    options = group.profile.options
    assert (options.allow_inbound_mail, options.mail_verify_dkim, options.mail_verify_spf) == (
        False, True, True,
    )  # fmt: skip
    options.allow_inbound_mail = True
    assert options.allow_inbound_mail is True


def test_a_group_by_command(novem: Novem, alice: Person, bob: Person) -> None:
    novem(alice, "-G", "team", "-C")
    novem(alice, "-G", "team", "-C")
    novem(alice, "-G", "team", "--invite", bob.name)
    ref = f"@{alice.name}~team"
    assert novem(bob, "--invites", "-l").split() == [ref]
    novem(bob, "--invites", ref, "--accept")
    assert novem(bob, "--invites", "-l").split() == []
    assert bob.ask("GET", "/admin/groups")[0]["name"] == "team"
    novem(bob, "-G", "team", "--invite", "somebody", code=1)
    novem(bob, "-G", ref, "-D", code=1)
    novem(alice, "-G", ref, "-D")
    assert bob.ask("GET", "/admin/groups") == []


def test_an_invitation_is_declined_by_command(novem: Novem, alice: Person, bob: Person) -> None:
    novem(alice, "-G", f"@{alice.name}~team", "-C")
    novem(alice, "-G", "team", "--invite", bob.name)
    novem(bob, "--invites", f"@{alice.name}~team", "--reject")
    assert alice.ask("GET", "/admin/groups/team/roles/members") == []


def test_an_org_group_by_command(novem: Novem, boss: Person, alice: Person) -> None:
    boss.ask("PUT", f"/admin/orgs/{boss.name}")
    novem(boss, "-O", boss.name, "-G", "sales", "-C")
    novem(boss, "-O", boss.name, "-G", "sales", "-C")
    novem(boss, "-O", boss.name, "-G", "sales", "--invite", alice.name)
    novem(alice, "--invites", f"+{boss.name}~sales", "--accept")
    novem(alice, "-O", boss.name, "-G", "sales", "-D", code=1)
    novem(boss, "-O", boss.name, "-G", "sales", "-D")
    assert boss.ask("GET", f"/admin/orgs/{boss.name}/groups") == []


def test_organisations_and_what_they_hold_are_listed(novem: Novem, boss: Person, alice: Person) -> None:
    boss.ask("PUT", f"/admin/orgs/{boss.name}")
    boss.ask("PUT", f"/admin/orgs/{boss.name}/roles/members/{alice.name}")
    answer(alice, f"+{boss.name}")
    novem(boss, "-O", boss.name, "-G", "sales", "-C")
    assert boss.name in novem(alice, "-O", "-l").split()
    assert boss.name in novem(alice, "-O")
    assert "sales" in novem(boss, "-O", boss.name, "-G")
    assert alice.name in novem(boss, "-O", boss.name, "-u")


def test_all_that_one_may_see_is_listed(novem: Novem, alice: Person, bob: Person) -> None:
    alice.ask("PUT", "vis/plots/terns")
    alice.ask("PUT", f"vis/plots/terns/shared/@{bob.name}~r")
    bob.ask("PUT", "vis/plots/gulls")
    assert {f"@{alice.name}/terns", f"@{bob.name}/gulls"} <= set(novem(bob, "-p", "--all", "-l").split())
    assert f"@{bob.name}/gulls" not in novem(alice, "-p", "--all", "-l").split()
