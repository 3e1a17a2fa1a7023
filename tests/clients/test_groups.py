"""The published clients over groups: who is in some, what is shared with them, and what is listed there."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import novem
import pytest
from novem.exceptions import Novem403, Novem404
from novem.group.org_group import OrgGroup

from tests.clients.conftest import Person
from tests.kit.server import Server, environment

CLI = "from novem.cli import run_cli; run_cli()"
Listing = Callable[..., str]


@pytest.fixture
def listing(tmp_path: Path) -> Listing:
    """Runs the Python client's command line as a person; what it prints."""

    def run(who: Person, *words: str) -> str:
        env = environment(HOME=str(tmp_path), NOVEM_TOKEN=who.token, NOVEM_API_ROOT=who.server.root)
        done = subprocess.run(
            [sys.executable, "-c", CLI, *words], env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


@pytest.fixture
def organisation(server: Server) -> Person:
    """An organisation account with its organisation and the group `sales`."""
    name = "acme"
    account = {"username": name, "password": server.password(name), "email": f"{name}@birds.example"}
    server.ask("POST", "register", {**account, "account_type": "organisation"})
    wanted = {"username": name, "password": server.password(name), "token_name": "made-by-hand"}
    server.tokens[name] = server.ask("POST", "token", wanted)["token"]
    acme = Person(server, name, server.tokens[name])
    acme.ask("PUT", "admin/orgs/acme")
    acme.ask("PUT", "admin/orgs/acme/groups/sales")
    return acme


def joined(founder: Person, member: Person, role: str = "members") -> str:
    """A user group of the founder's, with a member; its reference."""
    ref = f"@{founder.name}~team"
    founder.ask("PUT", "admin/groups/team")
    founder.ask("PUT", f"admin/groups/team/roles/{role}/{member.name}")
    member.ask("POST", f"admin/invites/{ref}/accept", b"yes")
    return ref


def test_groups_are_listed_by_reference(alice: Person, bob: Person, listing: Listing) -> None:
    ref = joined(alice, bob)
    assert ref in listing(bob, "-G")
    assert [row["name"] for row in bob.ask("GET", "/groups/")] == [ref]


def test_a_group_lists_what_is_shared_with_it(alice: Person, bob: Person, listing: Listing) -> None:
    ref = joined(alice, bob)
    plot = novem.Plot("birds", summary="seen at dawn", **alice.connection)
    plot.shared = f"{ref}~r"
    plot.tags += "fav"
    other = novem.Plot("gulls", **bob.connection)
    other.shared += ref
    assert listing(bob, "-G", ref, "-p", "-l").split() == ["birds", "gulls"]
    shown = listing(alice, "-G", ref, "-p")
    assert f"{alice.server.origin}/p/{plot.shortname}" in shown
    assert re.search(r"\*\S* +birds", shown)
    assert listing(bob, "-G", ref, "-d", "-l") == ""
    assert listing(alice, "-G", "@nobody~team", "-p", "-l") == ""


def test_shares_with_groups_are_spelled_as_they_were_put(alice: Person, bob: Person) -> None:
    ref = joined(alice, bob, "admins")
    doc = novem.Doc("report", **bob.connection)
    doc.content = "# Quarter one"
    doc.shared = [f"{ref}~rd", "public~r"]
    assert doc.shared.get() == sorted([f"{ref}~rd", "public~r"])
    doc.shared -= "public~r"
    assert doc.shared == [f"{ref}~rd"]
    theirs = novem.Doc("report", user=bob.name, create=False, **alice.connection)
    assert theirs.content == "# Quarter one"
    assert theirs.shared == [f"{ref}~rd"]
    doc.shared = []
    with pytest.raises(Novem404):
        _ = theirs.content


def test_an_org_group_is_shared_with_by_its_members(bob: Person, organisation: Person) -> None:
    group = OrgGroup("sales", organisation.name, create=False, permissions="rx", **organisation.connection)
    job = novem.Job("nightly", **bob.connection)
    with pytest.raises(Novem404):
        job.shared += group
    with pytest.raises(Novem403):
        job.shared += f"+{organisation.name}"
    own = novem.Job("weekly", **organisation.connection)
    own.shared = group
    assert own.shared == [f"+{organisation.name}~sales~rx"]
