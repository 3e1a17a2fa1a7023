"""The e-mail addresses of an account: added, verified by mail, made primary and removed."""

from __future__ import annotations

import email
import json
import re
from threading import Event
from typing import Any

import pytest

from handlers.services.mailboxes import HOUR
from handlers.trees.account.addresses import CHALLENGES
from tests.handlers.trees.tree_world import TreeWorld
from vfs.access import PUBLIC, Caller, Verb, Via
from vfs.errors import Conflict, Denied, Invalid, NotFound, QuotaReached, TooMany, Unauthenticated, Unmet
from vfs.ports.people import Limit

HOME = "/v1/admin/profile/emails"
NEW = "ann@mud.example"


def pass_second(tree_world: TreeWorld) -> None:
    """Let all mails leave, then move the clock, as mails sort by the times of their names."""
    left = Event()
    assert tree_world.service.later.add(left.set)
    assert left.wait(20)  # mails are sent in order: those before this call have left
    tree_world.clock.forward(1)


def mails(tree_world: TreeWorld) -> list[tuple[str, str]]:
    """The mails that have left, each with its address and its text."""
    pass_second(tree_world)
    read = [email.message_from_bytes(file.read_bytes()) for file in sorted(tree_world.outbox.glob("*.eml"))]
    return [(one["To"], one.get_payload(decode=True).decode()) for one in read]  # type: ignore[union-attr]


def challenge(tree_world: TreeWorld) -> dict[str, str]:
    """The uid and the code of the newest mail."""
    found = re.search("-d '(.*)'", mails(tree_world)[-1][1])
    assert found is not None
    sent: dict[str, str] = json.loads(found[1])
    return sent


def put(tree_world: TreeWorld, address: str = NEW, caller: Caller | None = None) -> Any:
    pass_second(tree_world)
    return tree_world.call(Verb.CREATE, f"{HOME}/{address}", caller or mine(tree_world)).value


def mine(tree_world: TreeWorld, via: Via = Via.TOKEN) -> Caller:
    """Alice, with a new credential."""
    return tree_world.token("alice", f"t{len(tree_world.tokens.of('alice'))}", via=via)


def verified(tree_world: TreeWorld, address: str = NEW) -> None:
    """Alice has the address, verified."""
    put(tree_world, address)
    verify(tree_world)


def verify(tree_world: TreeWorld) -> None:
    """The code of the newest mail comes back."""
    sent = challenge(tree_world)
    pass_second(tree_world)
    tree_world.write("/v1/admin/challenge", PUBLIC, sent)


@pytest.fixture(autouse=True)
def _alice(tree_world: TreeWorld) -> None:
    if tree_world.users.find("alice") is None:
        tree_world.citizen("alice")
    tree_world.users.change("alice", verified=True)


def test_an_address_is_verified_by_its_code(tree_world: TreeWorld) -> None:
    caller = mine(tree_world)
    assert "on its way" in put(tree_world)
    assert tree_world.text(f"{HOME}/{NEW}/status", caller) == "pending"
    assert mails(tree_world)[-1][0] == NEW
    verify(tree_world)
    for leaf, text in (("address", NEW), ("status", "verified"), ("primary", "no")):
        assert tree_world.text(f"{HOME}/{NEW.upper()}/{leaf}", caller) == text
    assert [row["message"] for row in tree_world.read(f"{HOME}/{NEW}/log", caller)] == ["added", "verified"]
    assert tree_world.text(f"{HOME}/{NEW}/log", caller).endswith("  verified\n")
    to, said = mails(tree_world)[-1]
    assert to == "alice@birds.example"
    assert NEW in said
    assert tree_world.users.with_address(NEW).name == "alice"  # type: ignore[union-attr]
    assert put(tree_world, caller=caller) == f"{NEW} is verified\n"
    assert [row.name for row in tree_world.read(HOME, caller)] == ["alice@birds.example", NEW]


def test_an_address_of_another_is_answered_as_any_other_until_its_code_comes(tree_world: TreeWorld) -> None:
    tree_world.users.change("bob", verified=True)
    said = [put(tree_world, address).replace(address, "") for address in ("bob@birds.example", NEW)]
    assert said[0] == said[1]
    put(tree_world, "bob@birds.example")
    with pytest.raises(Conflict, match="another account"):
        tree_world.write("/v1/admin/challenge", PUBLIC, challenge(tree_world))
    assert tree_world.users.with_address("bob@birds.example").name == "bob"  # type: ignore[union-attr]


def test_the_newest_code_of_an_address_counts(tree_world: TreeWorld) -> None:
    put(tree_world)
    first = challenge(tree_world)
    put(tree_world)
    with pytest.raises(NotFound):
        tree_world.write("/v1/admin/challenge", PUBLIC, first)
    tree_world.call(Verb.REMOVE, f"{HOME}/{NEW}", mine(tree_world))
    with pytest.raises(NotFound):
        tree_world.write("/v1/admin/challenge", PUBLIC, challenge(tree_world))


def test_changing_the_primary_address_by_hand_notifies_the_old_one(tree_world: TreeWorld) -> None:
    verified(tree_world)
    path, session = f"{HOME}/{NEW}/primary", mine(tree_world, Via.SESSION)
    with pytest.raises(Denied, match="sign in with your password"):
        tree_world.write(path, mine(tree_world), "yes")
    with pytest.raises(Invalid, match="takes its place"):
        tree_world.write(path, session, "no")
    pass_second(tree_world)
    tree_world.write(path, session, "yes")
    assert tree_world.text("/v1/admin/profile/email", session) == NEW
    to, said = mails(tree_world)[-1]
    assert to == "alice@birds.example"
    assert f"from alice@birds.example to {NEW}" in said
    before = len(mails(tree_world))
    tree_world.write(path, session, "yes")
    assert len(mails(tree_world)) == before


def test_an_address_that_is_not_verified_never_is_primary(tree_world: TreeWorld) -> None:
    put(tree_world)
    with pytest.raises(Unmet, match="not verified"):
        tree_world.write(f"{HOME}/{NEW}/primary", mine(tree_world, Via.SESSION), "yes")


def test_the_primary_address_is_not_removed_and_a_removed_one_is_notified(tree_world: TreeWorld) -> None:
    verified(tree_world)
    caller = mine(tree_world)
    with pytest.raises(Conflict, match="another one primary"):
        tree_world.call(Verb.REMOVE, f"{HOME}/alice@birds.example", caller)
    pass_second(tree_world)
    tree_world.call(Verb.REMOVE, f"{HOME}/{NEW}", caller)
    assert mails(tree_world)[-1][0] == NEW
    assert tree_world.users.with_address(NEW) is None
    with pytest.raises(NotFound):
        tree_world.read(f"{HOME}/{NEW}", caller)


def test_addresses_and_mails_to_them_are_bounded(tree_world: TreeWorld) -> None:
    caller = mine(tree_world)
    for number in range(9):
        put(tree_world, f"a{number}@mud.example", caller)
    with pytest.raises(QuotaReached, match="at most 10"):
        put(tree_world, caller=caller)
    while not tree_world.rates.wait_for(of_alice := Limit("challenges of alice", CHALLENGES, HOUR)):
        tree_world.rates.take([of_alice])
    with pytest.raises(TooMany, match="within an hour"):
        put(tree_world, "a0@mud.example", caller)


@pytest.mark.parametrize("name", ["nobody", "a@b@c", "ann@-mud.example", f"{'a' * 243}@mud.example"])
def test_an_invalid_address_is_refused(tree_world: TreeWorld, name: str) -> None:
    with pytest.raises(Invalid):
        put(tree_world, name)


def test_the_addresses_are_the_account_s_alone(tree_world: TreeWorld) -> None:
    verified(tree_world)
    with pytest.raises(NotFound):
        tree_world.read(f"{HOME}/{NEW}", tree_world.token("bob"))
    with pytest.raises(Unauthenticated):
        tree_world.read(HOME, PUBLIC)
    run = tree_world.token("alice", "run", via=Via.RUN, claim="global", run=1)
    for verb in (Verb.CREATE, Verb.REMOVE):
        with pytest.raises((Denied, NotFound)):
            tree_world.call(verb, f"{HOME}/{NEW}", run)
