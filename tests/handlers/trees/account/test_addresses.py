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
from tests.handlers.trees.town import Town
from vfs.access import PUBLIC, Caller, Verb, Via
from vfs.errors import Conflict, Denied, Invalid, NotFound, QuotaReached, TooMany, Unauthenticated, Unmet
from vfs.ports.people import Limit

HOME = "/v1/admin/profile/emails"
NEW = "ann@mud.example"


def pass_second(town: Town) -> None:
    """Let all mails leave, then move the clock, as mails sort by the times of their names."""
    left = Event()
    assert town.service.later.add(left.set)
    assert left.wait(20)  # one sends, in turn: what was asked for before has left
    town.clock.forward(1)


def mails(town: Town) -> list[tuple[str, str]]:
    """The mails that have left, each with its address and its text."""
    pass_second(town)
    read = [email.message_from_bytes(file.read_bytes()) for file in sorted(town.outbox.glob("*.eml"))]
    return [(one["To"], one.get_payload(decode=True).decode()) for one in read]  # type: ignore[union-attr]


def challenge(town: Town) -> dict[str, str]:
    """The uid and the code of the newest mail."""
    found = re.search("-d '(.*)'", mails(town)[-1][1])
    assert found is not None
    sent: dict[str, str] = json.loads(found[1])
    return sent


def put(town: Town, address: str = NEW, caller: Caller | None = None) -> Any:
    pass_second(town)
    return town.call(Verb.CREATE, f"{HOME}/{address}", caller or mine(town)).value


def mine(town: Town, via: Via = Via.TOKEN) -> Caller:
    """Alice, with a new credential."""
    return town.token("alice", f"t{len(town.tokens.of('alice'))}", via=via)


def verified(town: Town, address: str = NEW) -> None:
    """Alice has the address, verified."""
    put(town, address)
    verify(town)


def verify(town: Town) -> None:
    """The code of the newest mail comes back."""
    sent = challenge(town)
    pass_second(town)
    town.write("/v1/admin/challenge", PUBLIC, sent)


@pytest.fixture(autouse=True)
def _alice(town: Town) -> None:
    if town.users.find("alice") is None:
        town.citizen("alice")
    town.users.change("alice", verified=True)


def test_an_address_is_verified_by_its_code(town: Town) -> None:
    caller = mine(town)
    assert "on its way" in put(town)
    assert town.text(f"{HOME}/{NEW}/status", caller) == "pending"
    assert mails(town)[-1][0] == NEW
    verify(town)
    for leaf, told in (("address", NEW), ("status", "verified"), ("primary", "no")):
        assert town.text(f"{HOME}/{NEW.upper()}/{leaf}", caller) == told
    assert [row["message"] for row in town.read(f"{HOME}/{NEW}/log", caller)] == ["added", "verified"]
    assert town.text(f"{HOME}/{NEW}/log", caller).endswith("  verified\n")
    to, said = mails(town)[-1]
    assert to == "alice@birds.example"
    assert NEW in said
    assert town.users.with_address(NEW).name == "alice"  # type: ignore[union-attr]
    assert put(town, caller=caller) == f"{NEW} is verified\n"
    assert [row.name for row in town.read(HOME, caller)] == ["alice@birds.example", NEW]


def test_an_address_of_another_is_answered_as_any_other_until_its_code_comes(town: Town) -> None:
    town.users.change("bob", verified=True)
    said = [put(town, address).replace(address, "") for address in ("bob@birds.example", NEW)]
    assert said[0] == said[1]
    put(town, "bob@birds.example")
    with pytest.raises(Conflict, match="another account"):
        town.write("/v1/admin/challenge", PUBLIC, challenge(town))
    assert town.users.with_address("bob@birds.example").name == "bob"  # type: ignore[union-attr]


def test_the_newest_code_of_an_address_counts(town: Town) -> None:
    put(town)
    first = challenge(town)
    put(town)
    with pytest.raises(NotFound):
        town.write("/v1/admin/challenge", PUBLIC, first)
    town.call(Verb.REMOVE, f"{HOME}/{NEW}", mine(town))
    with pytest.raises(NotFound):
        town.write("/v1/admin/challenge", PUBLIC, challenge(town))


def test_the_primary_address_is_changed_by_hand_and_the_old_one_is_told(town: Town) -> None:
    verified(town)
    path, session = f"{HOME}/{NEW}/primary", mine(town, Via.SESSION)
    with pytest.raises(Denied, match="sign in with your password"):
        town.write(path, mine(town), "yes")
    with pytest.raises(Invalid, match="takes its place"):
        town.write(path, session, "no")
    pass_second(town)
    town.write(path, session, "yes")
    assert town.text("/v1/admin/profile/email", session) == NEW
    to, said = mails(town)[-1]
    assert to == "alice@birds.example"
    assert f"from alice@birds.example to {NEW}" in said
    before = len(mails(town))
    town.write(path, session, "yes")
    assert len(mails(town)) == before


def test_an_address_that_is_not_verified_never_is_primary(town: Town) -> None:
    put(town)
    with pytest.raises(Unmet, match="not verified"):
        town.write(f"{HOME}/{NEW}/primary", mine(town, Via.SESSION), "yes")


def test_the_primary_address_is_not_removed_and_a_removed_one_is_told(town: Town) -> None:
    verified(town)
    caller = mine(town)
    with pytest.raises(Conflict, match="another one primary"):
        town.call(Verb.REMOVE, f"{HOME}/alice@birds.example", caller)
    pass_second(town)
    town.call(Verb.REMOVE, f"{HOME}/{NEW}", caller)
    assert mails(town)[-1][0] == NEW
    assert town.users.with_address(NEW) is None
    with pytest.raises(NotFound):
        town.read(f"{HOME}/{NEW}", caller)


def test_addresses_and_mails_to_them_are_bounded(town: Town) -> None:
    caller = mine(town)
    for number in range(9):
        put(town, f"a{number}@mud.example", caller)
    with pytest.raises(QuotaReached, match="at most 10"):
        put(town, caller=caller)
    while not town.rates.wait_for(of_alice := Limit("challenges of alice", CHALLENGES, HOUR)):
        town.rates.take([of_alice])
    with pytest.raises(TooMany, match="within an hour"):
        put(town, "a0@mud.example", caller)


@pytest.mark.parametrize("name", ["nobody", "a@b@c", "ann@-mud.example", f"{'a' * 243}@mud.example"])
def test_what_is_no_address_is_refused(town: Town, name: str) -> None:
    with pytest.raises(Invalid):
        put(town, name)


def test_the_addresses_are_the_account_s_alone(town: Town) -> None:
    verified(town)
    with pytest.raises(NotFound):
        town.read(f"{HOME}/{NEW}", town.token("bob"))
    with pytest.raises(Unauthenticated):
        town.read(HOME, PUBLIC)
    run = town.token("alice", "run", via=Via.RUN, claim="global", run=1)
    for verb in (Verb.CREATE, Verb.REMOVE):
        with pytest.raises((Denied, NotFound)):
            town.call(verb, f"{HOME}/{NEW}", run)
