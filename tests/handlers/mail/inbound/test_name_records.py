"""Records of names, by one suite for what is pinned and for what a name server answers."""

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


def test_what_is_not_there_has_no_records(names: NameRecords) -> None:
    assert not names.records("absent.test", "TXT")
    assert not names.records("good.test", "PTR")


def test_silence_is_an_error(names: NameRecords) -> None:
    with pytest.raises(OSError, match="there is no response"):
        names.records("away.test", "TXT")


def test_answers_are_kept_while_they_are_valid_and_no_names_are_asked_that_are_none() -> None:
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
    """That of a server without a time for what is not there would be kept for ever."""
    with name_server(ZONE) as server:
        names = AskedRecords(f"127.0.0.1:{server.port}")
        assert not names.records("absent.test", "TXT") and not names.records("good.test", "PTR")
        assert names._resolver is not None and isinstance(names._resolver.cache, LRUCache)
        ends = [node.value.expiration for node in names._resolver.cache.data.values()]
        assert len(ends) == 2 and max(ends) <= time.time() + 300


def test_a_name_server_that_is_none_is_refused() -> None:
    with pytest.raises(SettingsError, match="name_server"):
        AskedRecords("nonsense:53")
