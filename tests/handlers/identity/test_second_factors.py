"""Codes of second factors: when they are accepted, how often, and what somebody learns who tries them."""

from __future__ import annotations

import base64
import hashlib
import hmac
import struct
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.identity.browser_tickets import SECONDS
from handlers.identity.passwords import Passwords, Throttle
from handlers.identity.proofs import FRESH, Proofs, Sender
from handlers.identity.second_factors import MOST_WRONG, CodeNeeded, SecondFactors, plain_secret
from handlers.security.log_lines import RequestNotes
from tests.handlers.proofs import proofs_of
from tests.handlers.small_kernel import Stage
from vfs.access import Caller, Via
from vfs.errors import Conflict, Invalid, TooMany, Unauthenticated, VfsError
from vfs.ports.people import Account

PASSWORD, SECRET = "eleven birds on the mud", "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


def code_at(moment: float, secret: str = SECRET) -> str:
    """The code of RFC 6238 at a time, computed without the library."""
    counter = struct.pack(">Q", int(moment) // 30)
    mac = hmac.digest(base64.b32decode(secret), counter, hashlib.sha1)
    at = mac[-1] & 15
    return f"{(struct.unpack('>I', mac[at : at + 4])[0] & 0x7FFFFFFF) % 10**6:06}"


class Doors:
    """Accounts ann, with an app since ten minutes ago, and bob without."""

    def __init__(self) -> None:
        self.stage = stage = Stage()
        passwords = Passwords(stage.users, Throttle(stage.rates), memory=64, passes=1)
        self.second: SecondFactors
        self.proofs: Proofs
        self.second, self.proofs = proofs_of(stage, passwords)
        for name in ("ann", "bob"):
            digest = passwords.digest(PASSWORD)
            stage.users.add(name, digest, Account.REGULAR, f"{name}@birds.example", public=False)
            stage.users.change(name, verified=True)
        self.second.add_app("ann", "phone", SECRET, self.code(), None)
        self.codes = self.second.renew_codes("ann")
        self.pass_(600)

    def pass_(self, seconds: float) -> None:
        self.stage.clock.forward(seconds)

    def code(self, away: float = 0) -> str:
        return code_at(self.stage.clock.now().timestamp() + away)

    def open(self, name: str, code: str, password: str = PASSWORD, source: str = "10.0.0.1") -> str:
        return self.proofs.by_password(name, password, code, Sender(source, "", RequestNotes()))

    def outcome(self, *words: str, **more: str) -> str:
        try:
            return self.open(*words, **more)
        except VfsError as error:
            return type(error).__name__


@pytest.fixture
def doors() -> Doors:
    return Doors()


@pytest.mark.parametrize("name", ["ann", "@Ann", "ann@birds.example", "ANN@birds.example"])
def test_every_way_to_write_the_name_needs_the_code(doors: Doors, name: str) -> None:
    assert doors.outcome(name, "") == "CodeNeeded"
    assert doors.outcome(name, "", password="wrong") == "Unauthenticated"
    assert doors.outcome(name, doors.code(), password="wrong") == "Unauthenticated"
    assert doors.outcome(name, doors.code()) == "ann"
    assert doors.outcome("bob", "") == doors.outcome("bob", "123456") == "bob"


@given(away=st.integers(-150, 150))
@settings(max_examples=60, deadline=None)
def test_a_code_is_good_a_step_early_and_a_step_late(away: int) -> None:
    doors = Doors()
    now = int(doors.stage.clock.now().timestamp())
    near = abs((now + away) // 30 - now // 30) <= 1
    assert doors.outcome("ann", doors.code(away)) == ("ann" if near else "CodeNeeded")


@given(order=st.permutations([-30, 0, 30]))
@settings(max_examples=6, deadline=None)
def test_no_code_is_taken_twice_nor_after_a_later_one(order: list[int]) -> None:
    doors, latest = Doors(), -99
    for away in [*order, *order]:
        assert doors.outcome("ann", doors.code(away)) == ("ann" if away > latest else "CodeNeeded")
        latest = max(latest, away)


def test_the_code_that_turned_it_on_is_spent(doors: Doors) -> None:
    doors.second.add_app("bob", "phone", SECRET, doors.code(), None)
    assert doors.outcome("bob", doors.code()) == "CodeNeeded"
    assert doors.outcome("bob", doors.code(30)) == "bob"
    with pytest.raises(Conflict):
        doors.second.add_app("bob", "tablet", SECRET, doors.code(30), None)
    with pytest.raises(Invalid):
        doors.second.add_app("bob", "tablet", SECRET, doors.code(90), None)


def test_of_many_with_one_code_at_once_one_comes_in(doors: Doors) -> None:
    code = doors.code()
    with ThreadPoolExecutor(4) as pool:
        opened = list(pool.map(lambda n: doors.outcome("ann", code, source=f"10.0.{n}.1"), range(8)))
    assert sorted(opened) == [*["CodeNeeded"] * 7, "ann"]


@pytest.mark.parametrize("spell", [str, str.upper, lambda code: code.replace("-", " "), " {} ".format])
def test_a_recovery_code_opens_once_in_every_spelling(doors: Doors, spell: object) -> None:
    assert callable(spell)
    assert len(set(doors.codes)) == 10
    assert doors.outcome("ann", spell(doors.codes[3])) == "ann"
    assert doors.outcome("ann", doors.codes[3]) == "CodeNeeded"
    assert doors.stage.factors.codes_left("ann") == 9
    kept = "".join(map(str, doors.stage.database.rows("SELECT account, digest FROM recovery_code")))
    assert not any(code in kept or code.replace("-", "") in kept for code in doors.codes)


@given(code=st.text(max_size=70))
@settings(max_examples=80, deadline=None)
def test_no_other_text_is_a_code(code: str) -> None:
    doors = Doors()
    assert doors.outcome("ann", code) == "CodeNeeded"


def test_a_right_password_without_its_code_is_counted(doors: Doors) -> None:
    tried = [doors.outcome("ann", code) for code in ["", "000000"] * 6]
    assert tried == ["CodeNeeded"] * 10 + ["TooMany"] * 2
    assert doors.outcome("ann", doors.code()) == "TooMany"
    doors.pass_(61)
    assert doors.outcome("ann", doors.code()) == "ann"


def test_many_addresses_do_not_find_a_code(doors: Doors) -> None:
    tried = [doors.outcome("ann", f"{n:06}", source=f"10.{n}.0.1") for n in range(MOST_WRONG + 5)]
    assert tried == ["CodeNeeded"] * MOST_WRONG + ["TooMany"] * 5
    doors.pass_(61)
    assert doors.outcome("ann", doors.code(), source="10.99.0.1") == "TooMany"
    assert doors.outcome("ann", doors.codes[0], source="10.99.0.1") == "ann"
    doors.pass_(3600)
    assert doors.outcome("ann", doors.code(), source="10.99.0.1") == "ann"


def test_a_locked_account_tells_nothing(doors: Doors) -> None:
    doors.stage.users.change("ann", locked=True)
    for code in ("", doors.code(), doors.codes[0]):
        assert doors.outcome("ann", code) == "Unauthenticated"
    doors.stage.users.change("ann", locked=False)
    assert doors.outcome("ann", doors.codes[0]) == "ann"


def test_a_ticket_stands_for_the_password_in_its_browser_for_five_minutes(doors: Doors) -> None:
    sender = Sender("10.0.0.1", "", RequestNotes())
    ticket = doors.proofs.ticket("ann", "mine")
    for forged, browser in ((ticket, "other"), (ticket[:-2] + "AA", "mine"), ("", "mine")):
        with pytest.raises(Unauthenticated, match="sign in again"):
            doors.proofs.by_ticket(forged, browser, doors.code(), sender)
    for wrong in ("", "000000"):
        with pytest.raises(CodeNeeded):
            doors.proofs.by_ticket(ticket, "mine", wrong, sender)
    assert doors.proofs.by_ticket(ticket, "mine", doors.code(), sender) == "ann"
    with pytest.raises(CodeNeeded):
        doors.proofs.by_ticket(ticket, "mine", doors.code(), sender)
    doors.pass_(SECONDS)
    with pytest.raises(Unauthenticated, match="sign in again"):
        doors.proofs.by_ticket(ticket, "mine", doors.code(), sender)
    again = doors.proofs.ticket("ann", "mine")
    doors.stage.users.change("ann", password="another")
    with pytest.raises(Unauthenticated, match="sign in again"):
        doors.proofs.by_ticket(again, "mine", doors.code(), sender)


def test_wrong_codes_with_a_ticket_are_counted_too(doors: Doors) -> None:
    sender, ticket = Sender("10.0.0.1", "", RequestNotes()), doors.proofs.ticket("ann", "mine")
    for _ in range(10):
        with pytest.raises(CodeNeeded):
            doors.proofs.by_ticket(ticket, "mine", "000000", sender)
    with pytest.raises(TooMany):
        doors.proofs.by_ticket(ticket, "mine", doors.code(), sender)


def test_only_a_new_session_that_showed_every_factor_is_fresh(doors: Doors) -> None:
    tokens, factors = doors.stage.tokens, doors.stage.factors

    def caller(via: Via, user: str = "bob") -> Caller:
        made = tokens.mint(user, f"t{len(tokens.of(user))}", f"{via}{len(tokens.of(user))}", via=via)
        return Caller(user, via, None, made.id)

    first, other = caller(Via.SESSION), caller(Via.SESSION)
    assert not doors.proofs.is_fresh(caller(Via.TOKEN))
    assert not doors.proofs.is_fresh(Caller("bob", Via.PASSWORD))
    assert doors.proofs.is_fresh(first) and doors.proofs.is_fresh(other)
    doors.pass_(1)
    doors.second.add_app("bob", "phone", SECRET, doors.code(), first.token)
    assert doors.proofs.is_fresh(first) and not doors.proofs.is_fresh(other)
    doors.pass_(1)
    later = caller(Via.SESSION)
    assert doors.proofs.is_fresh(later)
    doors.pass_(FRESH.total_seconds())
    assert not doors.proofs.is_fresh(first) and not doors.proofs.is_fresh(later)
    assert factors.of("bob")[0].added_by == first.token


@pytest.mark.parametrize("sent", ["", "JBSWY3DP", "0189", "ä" * 32, "A" * 400, "\ud800", "A" * 25 + "!"])
def test_a_weak_or_invalid_secret_is_refused(sent: str) -> None:
    with pytest.raises(Invalid):
        plain_secret(sent)
    assert plain_secret(SECRET.lower()[:8] + " " + SECRET[8:]) == SECRET
