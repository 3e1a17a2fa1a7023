"""Records of names: one suite for pinned records and for the answers of a name server."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from dns.resolver import LRUCache

from handlers.mail.inbound.name_records import AskedRecords, NameRecords
from handlers.settings.settings import SettingsError
from tests.handlers.mail.inbound.name_server import name_server
from tests.kit.pinned_records import PinnedRecords

ZONE = {
    ("good.test", "TXT"): ['"v=spf1 " "-all"', '"other"'],
    ("good.test", "MX"): ["10 mx.good.test."],
    ("mx.good.test", "A"): ["192.0.2.1", "192.0.2.2"],
    ("mx.good.test", "AAAA"): ["2001:db8::1"],
    ("1.2.0.192.in-addr.arpa", "PTR"): ["mx.good.test."],
}
PINNED = {
    ("good.test", "TXT"): [b"v=spf1 -all", b"other"],
    ("good.test", "MX"): [(10, "mx.good.test")],
    ("mx.good.test", "A"): ["192.0.2.1", "192.0.2.2"],
    ("mx.good.test", "AAAA"): ["2001:db8::1"],
    ("1.2.0.192.in-addr.arpa", "PTR"): ["mx.good.test"],
}


@pytest.fixture(params=["pinned", "asked"])
def names(request: pytest.FixtureRequest) -> Iterator[NameRecords]:
    if request.param == "pinned":
        yield PinnedRecords(PINNED, frozenset({"away.test"}))
    else:
        with name_server(ZONE) as server:
            yield AskedRecords(f"127.0.0.1:{server.port}")


def test_records_are_given_by_kind(names: NameRecords) -> None:
    for (name, kind), found in PINNED.items():
        assert sorted(names.records(name.upper(), kind)) == sorted(found)


def test_a_missing_name_has_no_records(names: NameRecords) -> None:
    assert not names.records("absent.test", "TXT")
    assert not names.records("good.test", "PTR")


def test_silence_is_an_error(names: NameRecords) -> None:
    with pytest.raises(OSError, match="there is no response"):
        names.records("away.test", "TXT")


def test_answers_are_kept_while_they_are_valid_and_malformed_names_are_not_looked_up() -> None:
    with name_server({**ZONE, ("brief.test", "TXT"): ['"a"']}) as server:
        names = AskedRecords(f"127.0.0.1:{server.port}")
        for _ in range(3):
            assert names.records("good.test", "TXT")
        assert server.questions == 1
        for _ in range(3):
            assert names.records("brief.test", "TXT")
        assert server.questions == 4
        assert not names.records(f"{'a' * 64}.test", "TXT") and not names.records("a..test", "TXT")
        assert server.questions == 4


def test_no_answer_is_kept_for_more_than_five_minutes() -> None:
    """A server that sends no time for a missing name would otherwise be cached without an end."""
    with name_server(ZONE) as server:
        names = AskedRecords(f"127.0.0.1:{server.port}")
        assert not names.records("absent.test", "TXT") and not names.records("good.test", "PTR")
        assert names._resolver is not None and isinstance(names._resolver.cache, LRUCache)
        ends = [node.value.expiration for node in names._resolver.cache.data.values()]
        assert len(ends) == 2 and max(ends) <= time.time() + 300


def test_a_malformed_name_server_is_refused() -> None:
    with pytest.raises(SettingsError, match="name_server"):
        AskedRecords("nonsense:53")
