"""A forgotten password, and the code by which a new one is set."""

from __future__ import annotations

import email
import re
from contextlib import suppress
from threading import Event

import pytest

from handlers.identity.credentials import digest
from handlers.trees.account.forgotten import FIRSTS, MOST_FIRST, REQUESTS
from handlers.trees.account.forgotten import STRANGERS as STRANGERS_IN_ALL
from tests.handlers.trees.tree_world import PASSWORD, TreeWorld
from vfs.access import PUBLIC, Via
from vfs.errors import Invalid, NotFound, TooMany
from vfs.ports.clock import stamp
from vfs.ports.people import Limit

NEW = "another eleven birds"


@pytest.fixture(autouse=True)
def _alice(tree_world: TreeWorld) -> None:
    if tree_world.users.find("alice") is None:
        tree_world.citizen("alice")
    tree_world.users.change("alice", verified=True)


def mails(tree_world: TreeWorld) -> list[str]:
    """The texts of the mails that left."""
    files = sorted(tree_world.outbox.glob("*.eml"))
    return [email.message_from_bytes(file.read_bytes()).get_payload(decode=True).decode() for file in files]  # type: ignore[union-attr]


def await_mails(tree_world: TreeWorld) -> None:
    """Wait until the mails that were requested are sent; return at once if no further calls are accepted."""
    left = Event()
    if tree_world.service.later.add(left.set):
        assert left.wait(20)


def ask(tree_world: TreeWorld, address: str = "alice@birds.example", source: str = "127.0.0.1") -> str:
    said = str(tree_world.write("/v1/admin/forgotten", PUBLIC, {"email": address}, source=source))
    tree_world.clock.forward(0.001)
    await_mails(tree_world)
    return said


def code(tree_world: TreeWorld, source: str = "127.0.0.1") -> str:
    ask(tree_world, source=source)
    found = re.search(r'"code": "([^"]+)"', mails(tree_world)[-1])
    assert found is not None
    return found[1]


def test_a_code_sets_a_new_password_once(tree_world: TreeWorld) -> None:
    session, token = (
        tree_world.token("alice", "session-1", via=Via.SESSION),
        tree_world.token("alice", "kept"),
    )
    sent = {"code": code(tree_world), "new_password": NEW}
    said = tree_world.write("/v1/admin/reset", PUBLIC, sent)
    assert "all sessions have ended" in said and "1 token stays valid" in said
    assert tree_world.tokens.at(session.token).revoked_on is not None  # type: ignore[arg-type,union-attr]
    assert tree_world.tokens.at(token.token).revoked_on is None  # type: ignore[arg-type,union-attr]
    assert tree_world.passwords.proves("alice", NEW, "")
    assert not tree_world.passwords.proves("alice", PASSWORD, "")
    with pytest.raises(NotFound):
        tree_world.write("/v1/admin/reset", PUBLIC, sent)
    assert any("was changed on" in text for text in mails(tree_world))
    assert len(mails(tree_world)) == 2


def test_nobody_learns_whether_there_is_an_account(tree_world: TreeWorld) -> None:
    said = ask(tree_world)
    before = len(mails(tree_world))
    assert ask(tree_world, "nobody@birds.example") == said
    tree_world.users.change("alice", verified=False)
    assert ask(tree_world) == said
    assert len(mails(tree_world)) == before


def test_a_short_password_spends_no_code(tree_world: TreeWorld) -> None:
    sent = {"code": code(tree_world), "new_password": "short"}
    with pytest.raises(Invalid, match="at least 10"):
        tree_world.write("/v1/admin/reset", PUBLIC, sent)
    tree_world.write("/v1/admin/reset", PUBLIC, {**sent, "new_password": NEW, "revoke_tokens": True})


@pytest.mark.parametrize("body", [{"email": "nowhere"}, {}, []])
def test_an_address_is_needed(tree_world: TreeWorld, body: object) -> None:
    with pytest.raises(Invalid):
        tree_world.write("/v1/admin/forgotten", PUBLIC, body)


def test_requests_are_counted(tree_world: TreeWorld) -> None:
    for number in range(10):
        ask(tree_world, f"nobody-{number}@birds.example")
    with pytest.raises(TooMany):
        ask(tree_world)
    with pytest.raises(TooMany):
        tree_world.write("/v1/admin/reset", PUBLIC, {"code": "x", "new_password": NEW})


def test_the_user_name_is_no_password(tree_world: TreeWorld) -> None:
    tree_world.citizen("long-billed-curlew")
    tree_world.users.change("long-billed-curlew", verified=True)
    ask(tree_world, "long-billed-curlew@birds.example")
    found = re.search(r'"code": "([^"]+)"', mails(tree_world)[-1])
    assert found is not None
    with pytest.raises(Invalid, match="user name"):
        tree_world.write("/v1/admin/reset", PUBLIC, {"code": found[1], "new_password": "long-billed-curlew"})
    tree_world.write("/v1/admin/reset", PUBLIC, {"code": found[1], "new_password": NEW})


STRANGERS = tuple(f"198.51.100.{number}" for number in range(20))


def set_password(tree_world: TreeWorld, code: str, source: str = "127.0.0.1") -> str:
    sent = {"code": code, "new_password": NEW}
    return str(tree_world.write("/v1/admin/reset", PUBLIC, sent, source=source))


def test_strangers_neither_void_nor_exhaust_the_codes_of_somebody(tree_world: TreeWorld) -> None:
    hers = code(tree_world, "127.0.0.61")
    for stranger in STRANGERS:
        ask(tree_world, source=stranger)
        for _ in range(3):
            with suppress(TooMany):
                ask(tree_world, source=stranger)
    assert code(tree_world, "127.0.0.62") != hers
    assert "was changed" in set_password(tree_world, hers, "127.0.0.61")


def test_a_refused_requester_has_a_valid_code(tree_world: TreeWorld) -> None:
    """This holds in each minute of a two-hour attack, even if requesters cannot be distinguished."""
    held: list[str] = []
    for minute in range(120):
        for number in range(15):
            with suppress(TooMany):
                ask(tree_world, f"nobody-{minute}-{number}@birds.example", "")
        try:
            held.append(code(tree_world, ""))
        except TooMany:
            now = stamp(tree_world.clock.now())
            assert any(tree_world.resets.find(digest(one), now) == "alice" for one in held), minute
        tree_world.clock.forward(60)
    assert 4 <= len(held) <= 20


def test_a_flood_of_made_up_addresses_is_limited(tree_world: TreeWorld) -> None:
    rates = tree_world.rates
    with tree_world.atomic():
        for _ in range(MOST_FIRST):
            assert not rates.take([Limit(FIRSTS, MOST_FIRST, 1800)])
    taken = 0
    for number in range(200):
        with suppress(TooMany):
            ask(tree_world, f"nobody-{number}@birds.example", "")
            taken += 1
    assert taken <= REQUESTS * STRANGERS_IN_ALL
    ask(tree_world, source="127.0.0.61")


def test_bad_codes_of_strangers_refuse_no_good_one(tree_world: TreeWorld) -> None:
    for source in ("", "127.0.0.1"):
        for number in range(120):
            with pytest.raises((NotFound, TooMany)):
                set_password(tree_world, f"clw_{number:043}", source)
        assert "was changed" in set_password(tree_world, code(tree_world, "127.0.0.9"), source)


def test_a_mail_goes_to_the_address_as_it_is_on_file(tree_world: TreeWorld) -> None:
    ask(tree_world, "ALICE@Birds.Example")
    (file,) = tree_world.outbox.glob("*.eml")
    assert email.message_from_bytes(file.read_bytes())["To"] == "alice@birds.example"


@pytest.mark.parametrize("tag", ["alice+x", "ALICE+y"])
def test_an_address_that_only_counts_as_the_same_takes_nothing_away(tree_world: TreeWorld, tag: str) -> None:
    for _ in range(10):
        with suppress(TooMany):
            ask(tree_world, f"{tag}@birds.example", "")
    assert code(tree_world, "")


def test_a_mail_without_room_is_not_counted(tree_world: TreeWorld) -> None:
    later, gate, over = tree_world.service.later, Event(), Event()
    assert later.add(gate.wait)
    while later.add(int):
        pass
    for _ in range(6):
        ask(tree_world, source="")
    gate.set()
    while not later.add(over.set):
        pass
    assert over.wait(20)
    assert mails(tree_world) == []
    assert code(tree_world, "")
