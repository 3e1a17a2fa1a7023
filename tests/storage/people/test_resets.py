"""Codes for forgotten passwords keep the promises of their port."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

from tests.kit.suites.kernel import add_user
from tests.kit.suites.kernel.resets import PasswordResetsSuite
from tests.kit.world import StoredWorld
from vfs.ports.clock import stamp


class TestPasswordResets(PasswordResetsSuite):
    pass


LATER = "2027-01-01T00:00:00.000Z"


def add(stored: StoredWorld, *codes: str) -> str:
    """Codes of alice, who has verified her address; the present time stamp."""
    now = stamp(stored.clock.now())
    for code in codes:
        stored.resets.add(code, "alice", "alice@example.org", asker="", now=now, expires_on=LATER)
    return now


def test_another_primary_address_voids_codes(stored: StoredWorld) -> None:
    add_user(stored, "alice")
    stored.users.change("alice", verified=True)
    stored.addresses.add("alice", "a@example.com")
    stored.addresses.verify("alice", "a@example.com")
    now = add(stored, "code")
    assert stored.addresses.make_primary("alice", "a@example.com")
    assert stored.addresses.make_primary("alice", "alice@example.org")
    assert stored.resets.spend("code", now) is None


def test_of_all_codes_that_are_sent_at_once_one_is_taken(stored: StoredWorld) -> None:
    add_user(stored, "alice")
    stored.users.change("alice", verified=True)
    codes = [f"code-{number}" for number in range(8)]
    now = add(stored, *codes)
    with ThreadPoolExecutor(8) as threads:
        taken = list(threads.map(lambda code: stored.resets.spend(code, now), codes * 2))
    assert [name for name in taken if name] == ["alice"]


def test_no_code_slips_through_a_change_of_the_password(stored: StoredWorld) -> None:
    """A code that is asked for while the password is changed is kept after the change, and mailed then."""
    add_user(stored, "alice")
    stored.users.change("alice", verified=True)
    kept = Event()

    def keep() -> None:
        add(stored, "code")
        kept.set()

    with ThreadPoolExecutor(1) as threads:
        with stored.atomic():
            stored.users.change("alice", password="another")
            done = threads.submit(keep)
            assert not kept.wait(0.2)
        done.result()
    assert stored.resets.find("code", stamp(stored.clock.now())) == "alice"
