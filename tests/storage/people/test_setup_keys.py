"""The setup key keeps the promises of its port."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from tests.kit.suites.kernel.setup_keys import LATER, NOW, SetupKeysSuite
from tests.kit.world import StoredWorld


class TestSetupKeys(SetupKeysSuite):
    pass


def test_of_all_who_send_the_key_at_once_one_is_taken(stored: StoredWorld) -> None:
    stored.setup.renew("key", LATER)
    with ThreadPoolExecutor(8) as threads:
        taken = list(threads.map(lambda _: stored.setup.spend("key", NOW), range(16)))
    assert taken.count(True) == 1


def test_a_key_that_was_spent_for_nothing_holds_on(stored: StoredWorld) -> None:
    stored.setup.renew("key", LATER)

    class Refused(Exception):
        pass

    try:
        with stored.atomic():
            assert stored.setup.spend("key", NOW)
            raise Refused
    except Refused:
        pass
    assert stored.setup.current(NOW) == "key"
