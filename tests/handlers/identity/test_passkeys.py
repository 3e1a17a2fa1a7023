"""Passkeys: where they are allowed, what signs in, and every answer that must not."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.identity.browser_tickets import SECONDS, BrowserTickets
from handlers.identity.passkeys import Asker, Passkeys, asker_at, trouble_at
from handlers.identity.passwords import Passwords, Throttle
from handlers.identity.proofs import People, Proofs, Sender
from handlers.identity.second_factors import SecondFactors
from handlers.security.log_lines import RequestNotes
from storage.bytes.seal import AesSeal
from tests.handlers.identity.authenticator import Authenticator, b64
from tests.handlers.small_kernel import Stage
from vfs.errors import Conflict, Invalid, VfsError
from vfs.ports.people import Account, User

ORIGIN = "https://curlew.example"
HOST = "curlew.example"
MINE, OTHERS = Asker("my browser", ORIGIN, HOST), Asker("another browser", ORIGIN, HOST)


@pytest.mark.parametrize(
    ("origin", "meant", "host"),
    [
        ("https://curlew.example", ORIGIN, HOST),
        ("https://Curlew.Example:443/", ORIGIN, HOST),
        ("https://curlew.example:8443", "https://curlew.example:8443", HOST),
        ("http://localhost:8000", "http://localhost:8000", "localhost"),
        ("http://birds.localhost:80", "http://birds.localhost", "birds.localhost"),
    ],
)
def test_browsers_allow_passkeys_at_names_with_tls_and_at_localhost(
    origin: str, meant: str, host: str
) -> None:
    assert not trouble_at(origin)
    assert asker_at(origin, "x") == Asker("x", meant, host)


@pytest.mark.parametrize(
    "origin",
    ["http://curlew.example", "http://127.0.0.1:8000", "https://[::1]", "https://192.0.2.7", "", "https://"]
    + ["http://notlocalhost", "http://localhost.evil.example", "https://[2001:db8::a]:8443"],
)
def test_browsers_allow_passkeys_nowhere_else(origin: str) -> None:
    with pytest.raises(Invalid, match="https and a name"):
        asker_at(origin, "x")


class Desk:
    """Users ann and bob, and what is asked of their passkeys."""

    def __init__(self) -> None:
        self.stage = stage = Stage()
        seal = AesSeal(b"k" * 32)
        passwords = Passwords(stage.users, Throttle(stage.rates), memory=64, passes=1)
        tickets = BrowserTickets(seal, stage.rates, stage.clock)
        self.passkeys = Passkeys(stage.factors, tickets, stage.clock, "2026")
        second = SecondFactors(stage.factors, stage.rates, stage.clock, seal)
        people = People(stage.users, stage.tokens, stage.factors)
        self.proofs = Proofs(people, passwords, second, self.passkeys, tickets, stage.clock)
        for name in ("ann", "bob"):
            stage.users.add(name, "x", Account.REGULAR, None, public=False)

    def user(self, name: str) -> User:
        found = self.stage.users.find(name)
        assert found is not None
        return found

    def register(self, one: Authenticator, user: str = "ann", name: str = "key", asker: Asker = MINE) -> None:
        options = self.passkeys.ask_to_add(self.user(user), asker)
        self.passkeys.add(self.user(user), name, json.dumps(one.make(options)), asker, None)

    def sign_in(self, answer: Any, ticket: str = "", asker: Asker = MINE, source: str = "10.0.0.1") -> str:
        text = answer if isinstance(answer, str) else json.dumps(answer)
        try:
            return self.proofs.by_passkey(text, asker, ticket, Sender(source, ORIGIN, RequestNotes()))
        except VfsError as error:
            return type(error).__name__

    def ask(self, user: str | None = None, asker: Asker = MINE) -> dict[str, Any]:
        return self.passkeys.ask_to_sign(user, asker)


REFUSED = "Unauthenticated"


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def key(desk: Desk) -> Authenticator:
    one = Authenticator(ORIGIN)
    desk.register(one)
    return one


def test_a_passkey_signs_in_its_owner(desk: Desk, key: Authenticator) -> None:
    assert desk.sign_in(key.sign(desk.ask())) == "ann"
    assert desk.sign_in(key.sign(desk.ask("ann"))) == "ann"
    assert [one["id"] for one in desk.ask("ann")["allowCredentials"]] == [b64(key.id)]
    assert desk.ask()["allowCredentials"] == [] and desk.ask()["userVerification"] == "required"


def test_a_challenge_is_answered_once_in_its_browser_and_time(desk: Desk, key: Authenticator) -> None:
    options = desk.ask()
    signed = key.sign(options)
    assert desk.sign_in(signed, asker=OTHERS) == REFUSED
    assert desk.sign_in(signed) == "ann"
    assert desk.sign_in(signed) == REFUSED
    assert desk.sign_in(key.sign(options)) == REFUSED
    late = desk.ask()
    desk.stage.clock.forward(SECONDS + 1)
    assert desk.sign_in(key.sign(late)) == REFUSED
    assert desk.sign_in(key.sign(desk.ask())) == "ann"


def test_of_many_with_one_answer_at_once_one_comes_in(desk: Desk) -> None:
    still = Authenticator(ORIGIN, counts=False)
    desk.register(still)
    signed = still.sign(desk.ask())
    with ThreadPoolExecutor(4) as pool:
        opened = list(pool.map(lambda n: desk.sign_in(signed, source=f"10.0.{n}.1"), range(8)))
    assert sorted(opened) == [*[REFUSED] * 7, "ann"]


def test_what_was_signed_for_something_else_is_refused(desk: Desk, key: Authenticator) -> None:
    made = b64(b"a challenge of somebody else")
    forged = {**desk.ask(), "challenge": made}
    to_add = {**desk.passkeys.ask_to_add(desk.user("ann"), MINE), "rpId": HOST}
    assert desk.sign_in(key.sign(forged)) == REFUSED
    assert desk.sign_in(key.sign(to_add)) == REFUSED
    assert desk.sign_in(key.sign(desk.ask(), host="evil.example")) == REFUSED
    assert desk.sign_in(key.sign(desk.ask(), userHandle=b64(b"bob"))) == REFUSED
    assert desk.sign_in(key.sign(desk.ask(), signature=b64(b"x" * 70))) == REFUSED
    key.origin = "https://evil.example"
    assert desk.sign_in(key.sign(desk.ask())) == REFUSED
    key.origin = ORIGIN
    assert desk.sign_in(key.sign(desk.ask())) == "ann"
    assert desk.sign_in(Authenticator(ORIGIN).sign(desk.ask())) == REFUSED
    other = Authenticator(ORIGIN)
    other.id, other.handle = key.id, key.handle
    assert desk.sign_in(other.sign(desk.ask())) == REFUSED


def test_a_copy_of_a_passkey_is_noticed_by_its_counter(desk: Desk, key: Authenticator) -> None:
    key.counter = 7
    assert desk.sign_in(key.sign(desk.ask())) == "ann"
    for stale in (7, 3, -1):
        key.counter = stale
        assert desk.sign_in(key.sign(desk.ask())) == REFUSED
    key.counter = 8
    assert desk.sign_in(key.sign(desk.ask())) == "ann"


def test_without_its_owner_verified_a_passkey_needs_the_password(desk: Desk) -> None:
    plain = Authenticator(ORIGIN, verifies=False)
    desk.register(plain)
    assert desk.sign_in(plain.sign(desk.ask())) == REFUSED
    assert (
        desk.sign_in(plain.sign(desk.ask("ann")), ticket=desk.proofs.ticket("bob", MINE.browser)) == REFUSED
    )
    foreign = desk.proofs.ticket("ann", OTHERS.browser)
    assert desk.sign_in(plain.sign(desk.ask("ann")), ticket=foreign) == REFUSED
    assert desk.sign_in(plain.sign(desk.ask("ann")), ticket=desk.proofs.ticket("ann", MINE.browser)) == "ann"


def test_a_locked_account_and_a_removed_passkey_open_nothing(desk: Desk, key: Authenticator) -> None:
    desk.stage.users.change("ann", locked=True)
    assert desk.sign_in(key.sign(desk.ask())) == REFUSED
    desk.stage.users.change("ann", locked=False)
    desk.stage.factors.remove("ann", "key")
    assert desk.sign_in(key.sign(desk.ask())) == REFUSED


def test_a_passkey_is_added_once_and_only_for_its_requester(desk: Desk, key: Authenticator) -> None:
    for user in ("ann", "bob"):
        with pytest.raises(Conflict):
            desk.register(key, user, "again")
    one, ann, bob = Authenticator(ORIGIN), desk.user("ann"), desk.user("bob")
    answer = json.dumps(one.make(desk.passkeys.ask_to_add(ann, MINE)))
    for user, asker in ((bob, MINE), (ann, OTHERS)):
        with pytest.raises(Invalid):
            desk.passkeys.add(user, "new", answer, asker, None)
    desk.passkeys.add(ann, "new", answer, MINE, None)
    with pytest.raises(Invalid):
        desk.passkeys.add(ann, "newer", answer, MINE, None)
    assert len(desk.passkeys.ask_to_add(ann, MINE)["excludeCredentials"]) == 2


def test_failures_are_counted_like_wrong_passwords(desk: Desk, key: Authenticator) -> None:
    tried = [desk.sign_in(key.sign(desk.ask(), signature=b64(b"x"))) for _ in range(12)]
    assert tried == [REFUSED] * 10 + ["TooMany"] * 2
    desk.stage.clock.forward(timedelta(minutes=2).total_seconds())
    assert desk.sign_in(key.sign(desk.ask())) == "ann"


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.binary(max_size=60).map(b64),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_no_answer_of_any_form_is_a_fault_or_signs_in(data: st.DataObject) -> None:
    desk = Desk()
    key, made = Authenticator(ORIGIN), Authenticator(ORIGIN)
    desk.register(key)
    add = data.draw(st.booleans())
    answer = made.make(desk.passkeys.ask_to_add(desk.user("ann"), MINE)) if add else key.sign(desk.ask())
    place = data.draw(st.sampled_from([answer, answer["response"]]))
    name = data.draw(st.sampled_from(sorted(set(place) - {"response", "userHandle"})))
    place[name] = data.draw(JUNK.filter(lambda junk: junk != place[name]))
    text = data.draw(st.sampled_from([json.dumps(answer), json.dumps(answer)[:-9], data.draw(st.text())]))
    if add:
        with pytest.raises(Invalid):
            desk.passkeys.add(desk.user("ann"), "new", text, MINE, None)
    else:
        assert desk.sign_in(text) == REFUSED
