"""Links of accounts with people at a provider, on both databases."""

from __future__ import annotations

import pytest

from storage.people.departures import StoredDepartures
from storage.people.users import StoredProviderLinks
from tests.kit.suites.kernel import add_user
from tests.kit.world import StoredWorld
from vfs.errors import Conflict

ACME, OTHER = "https://login.acme.example", "https://login.other.example"


@pytest.fixture
def links(stored: StoredWorld) -> StoredProviderLinks:
    for name in ("ann", "bob"):
        add_user(stored, name)
    return StoredProviderLinks(stored.database, stored.clock)


def test_a_link_is_found_by_its_person_and_by_its_account(links: StoredProviderLinks) -> None:
    links.add(ACME, "7", "ann", "ann@acme.example")
    found = links.find(ACME, "7")
    assert found is not None and found == links.of(ACME, "ann")
    assert (found.account, found.shown, found.used_on) == ("ann", "ann@acme.example", None)
    links.use(ACME, "7", "Ann")
    used = links.find(ACME, "7")
    assert used is not None and used.shown == "Ann" and used.used_on is not None
    assert links.find(OTHER, "7") is None
    assert links.find(ACME, "8") is None


def test_a_person_and_an_account_have_one_link_at_each_provider(links: StoredProviderLinks) -> None:
    links.add(ACME, "7", "ann", "")
    for subject, user in (("7", "bob"), ("8", "ann"), ("7", "ann"), ("9", "nobody")):
        with pytest.raises(Conflict):
            links.add(ACME, subject, user, "")
    links.add(OTHER, "7", "bob", "")
    assert links.remove(ACME, "ann")
    assert not links.remove(ACME, "ann")
    links.add(ACME, "8", "ann", "")


def test_an_account_that_leaves_has_no_link(links: StoredProviderLinks, stored: StoredWorld) -> None:
    links.add(ACME, "7", "ann", "")
    StoredDepartures(stored.database).forget("ann", stored.clock)
    assert links.find(ACME, "7") is None
