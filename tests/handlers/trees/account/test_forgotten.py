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
from tests.handlers.trees.town import PASSWORD, Town
from vfs.access import PUBLIC, Via
from vfs.errors import Invalid, NotFound, TooMany
from vfs.ports.clock import stamp
from vfs.ports.people import Limit

NEW = "another eleven birds"


@pytest.fixture(autouse=True)
def _alice(town: Town) -> None:
    if town.users.find("alice") is None:
        town.citizen("alice")
    town.users.change("alice", verified=True)


def mails(town: Town) -> list[str]:
    """The texts of the mails that left."""
    files = sorted(town.outbox.glob("*.eml"))
    return [email.message_from_bytes(file.read_bytes()).get_payload(decode=True).decode() for file in files]  # type: ignore[union-attr]


def await_mails(town: Town) -> None:
    """Wait until what was asked for has left, as one sends in turn; not where nothing more is taken."""
    left = Event()
    if town.service.later.add(left.set):
        assert left.wait(20)


def ask(town: Town, address: str = "alice@birds.example", source: str = "127.0.0.1") -> str:
    said = str(town.write("/v1/admin/forgotten", PUBLIC, {"email": address}, source=source))
    town.clock.forward(0.001)
    await_mails(town)
    return said


def code(town: Town, source: str = "127.0.0.1") -> str:
    ask(town, source=source)
    found = re.search(r'"code": "([^"]+)"', mails(town)[-1])
    assert found is not None
    return found[1]


def test_a_code_sets_a_new_password_once(town: Town) -> None:
    session, token = town.token("alice", "session-1", via=Via.SESSION), town.token("alice", "kept")
    sent = {"code": code(town), "new_password": NEW}
    said = town.write("/v1/admin/reset", PUBLIC, sent)
    assert "all sessions have ended" in said and "1 token lives on" in said
    assert town.tokens.at(session.token).revoked_on is not None  # type: ignore[arg-type,union-attr]
    assert town.tokens.at(token.token).revoked_on is None  # type: ignore[arg-type,union-attr]
    assert town.passwords.proves("alice", NEW, "")
    assert not town.passwords.proves("alice", PASSWORD, "")
    with pytest.raises(NotFound):
        town.write("/v1/admin/reset", PUBLIC, sent)
    assert any("was changed on" in text for text in mails(town))
    assert len(mails(town)) == 2


def test_a_code_lives_for_half_an_hour(town: Town) -> None:
    sent = {"code": code(town), "new_password": NEW}
    town.clock.forward(1800)
    with pytest.raises(NotFound, match="30 minutes"):
        town.write("/v1/admin/reset", PUBLIC, sent)


def test_nobody_learns_whether_there_is_an_account(town: Town) -> None:
    said = ask(town)
    before = len(mails(town))
    assert ask(town, "nobody@birds.example") == said
    town.users.change("alice", verified=False)
    assert ask(town) == said
    assert len(mails(town)) == before


def test_a_short_password_spends_no_code(town: Town) -> None:
    sent = {"code": code(town), "new_password": "short"}
    with pytest.raises(Invalid, match="at least 10"):
        town.write("/v1/admin/reset", PUBLIC, sent)
    town.write("/v1/admin/reset", PUBLIC, {**sent, "new_password": NEW, "revoke_tokens": True})


@pytest.mark.parametrize("body", [{"email": "nowhere"}, {}, []])
def test_an_address_is_needed(town: Town, body: object) -> None:
    with pytest.raises(Invalid):
        town.write("/v1/admin/forgotten", PUBLIC, body)


@pytest.mark.parametrize("wrong", ["x", "clw_" + "a" * 43])
def test_an_unknown_code_is_worth_nothing(town: Town, wrong: str) -> None:
    with pytest.raises(NotFound):
        town.write("/v1/admin/reset", PUBLIC, {"code": wrong, "new_password": NEW})


def test_asking_is_counted(town: Town) -> None:
    for number in range(10):
        ask(town, f"nobody-{number}@birds.example")
    with pytest.raises(TooMany):
        ask(town)
    with pytest.raises(TooMany):
        town.write("/v1/admin/reset", PUBLIC, {"code": "x", "new_password": NEW})


def test_the_user_name_is_no_password(town: Town) -> None:
    town.citizen("long-billed-curlew")
    town.users.change("long-billed-curlew", verified=True)
    ask(town, "long-billed-curlew@birds.example")
    found = re.search(r'"code": "([^"]+)"', mails(town)[-1])
    assert found is not None
    with pytest.raises(Invalid, match="user name"):
        town.write("/v1/admin/reset", PUBLIC, {"code": found[1], "new_password": "long-billed-curlew"})
    town.write("/v1/admin/reset", PUBLIC, {"code": found[1], "new_password": NEW})


STRANGERS = tuple(f"198.51.100.{number}" for number in range(20))


def set_password(town: Town, code: str, source: str = "127.0.0.1") -> str:
    sent = {"code": code, "new_password": NEW}
    return str(town.write("/v1/admin/reset", PUBLIC, sent, source=source))


def test_strangers_neither_void_nor_exhaust_the_codes_of_somebody(town: Town) -> None:
    hers = code(town, "127.0.0.61")
    for stranger in STRANGERS:
        ask(town, source=stranger)
        for _ in range(3):
            with suppress(TooMany):
                ask(town, source=stranger)
    assert code(town, "127.0.0.62") != hers
    assert "was changed" in set_password(town, hers, "127.0.0.61")


def test_who_is_refused_has_a_code_that_holds(town: Town) -> None:
    """Where askers cannot be told apart, too: at each moment of two hours of an attack by everybody."""
    held: list[str] = []
    for minute in range(120):
        for number in range(15):
            with suppress(TooMany):
                ask(town, f"nobody-{minute}-{number}@birds.example", "")
        try:
            held.append(code(town, ""))
        except TooMany:
            now = stamp(town.clock.now())
            assert any(town.resets.find(digest(one), now) == "alice" for one in held), minute
        town.clock.forward(60)
    assert 4 <= len(held) <= 20


def test_a_flood_of_made_up_addresses_leaves_so_many_rows(town: Town) -> None:
    rates = town.rates
    with town.atomic():
        for _ in range(MOST_FIRST):
            assert not rates.take([Limit(FIRSTS, MOST_FIRST, 1800)])
    taken = 0
    for number in range(200):
        with suppress(TooMany):
            ask(town, f"nobody-{number}@birds.example", "")
            taken += 1
    assert taken <= REQUESTS * STRANGERS_IN_ALL
    ask(town, source="127.0.0.61")


def test_the_newest_codes_of_one_place_hold(town: Town) -> None:
    codes = [code(town) for _ in range(4)]
    now = stamp(town.clock.now())
    assert [town.resets.find(digest(one), now) for one in codes] == [None, "alice", "alice", "alice"]
    set_password(town, codes[2])
    for one in codes:
        with pytest.raises(NotFound):
            set_password(town, one)


def test_bad_codes_of_strangers_refuse_no_good_one(town: Town) -> None:
    for source in ("", "127.0.0.1"):
        for number in range(120):
            with pytest.raises((NotFound, TooMany)):
                set_password(town, f"clw_{number:043}", source)
        assert "was changed" in set_password(town, code(town, "127.0.0.9"), source)


def test_a_mail_goes_to_the_address_as_it_is_on_file(town: Town) -> None:
    ask(town, "ALICE@Birds.Example")
    (file,) = town.outbox.glob("*.eml")
    assert email.message_from_bytes(file.read_bytes())["To"] == "alice@birds.example"


@pytest.mark.parametrize("tag", ["alice+x", "ALICE+y"])
def test_an_address_that_only_counts_as_the_same_takes_nothing_away(town: Town, tag: str) -> None:
    for _ in range(10):
        with suppress(TooMany):
            ask(town, f"{tag}@birds.example", "")
    assert code(town, "")


def test_a_mail_that_no_room_was_for_is_not_counted(town: Town) -> None:
    later, gate, over = town.service.later, Event(), Event()
    assert later.add(gate.wait)
    while later.add(int):
        pass
    for _ in range(6):
        ask(town, source="")
    gate.set()
    while not later.add(over.set):
        pass
    assert over.wait(20)
    assert mails(town) == []
    assert code(town, "")


@pytest.mark.parametrize("changed", ["password", "reset", "locked", "primary"])
def test_what_is_changed_voids_codes(town: Town, changed: str) -> None:
    old, session = code(town), town.token("alice", "session-9", via=Via.SESSION)
    if changed == "password":
        town.write("/v1/admin/profile/password", session, {"password": PASSWORD, "new_password": NEW})
    elif changed == "reset":
        set_password(town, code(town, "127.0.0.9"))
    elif changed == "locked":
        town.users.change("alice", locked=True)
        town.users.change("alice", locked=False)
    else:
        town.addresses.add("alice", "new@birds.example")
        town.addresses.verify("alice", "new@birds.example")
        town.write("/v1/admin/profile/emails/new@birds.example/primary", session, "yes")
        town.write("/v1/admin/profile/emails/alice@birds.example/primary", session, "yes")
    with pytest.raises(NotFound, match="void"):
        town.write("/v1/admin/reset", PUBLIC, {"code": old, "new_password": "yet another eleven birds"})
