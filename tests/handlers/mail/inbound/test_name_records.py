"""Records of names, by one suite for what is pinned and for what a name server answers."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import dns.flags
import dns.message
import dns.rcode
import dns.rrset
import pytest

from handlers.mail.inbound.name_records import AskedRecords, NameRecords, PinnedRecords
from handlers.settings import SettingsError

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


class NameServer:
    """A name server on this machine, which counts what it is asked."""

    def __init__(self) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.questions = 0

    def serve(self) -> None:
        while True:
            asked, peer = self.socket.recvfrom(4_096)
            if asked == b"end":
                return
            self.questions += 1
            query = dns.message.from_wire(asked)
            self.socket.sendto(answer_to(query).to_wire(), peer)


def answer_to(query: dns.message.Message) -> dns.message.Message:
    """What the zone says to a question."""
    question, answer = query.question[0], dns.message.make_response(query)
    name, kind = question.name.to_text(omit_final_dot=True).lower(), dns.rdatatype.to_text(question.rdtype)
    answer.flags |= dns.flags.RA
    if name == "away.test":
        answer.set_rcode(dns.rcode.SERVFAIL)
    elif (name, kind) in ZONE:
        answer.answer.append(dns.rrset.from_text(question.name, 300, "IN", kind, *ZONE[name, kind]))
    elif not any(known == name for known, _ in ZONE):
        answer.set_rcode(dns.rcode.NXDOMAIN)
    return answer


@contextmanager
def name_server() -> Iterator[NameServer]:
    server = NameServer()
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.socket.sendto(b"end", ("127.0.0.1", server.port))
        thread.join()
        server.socket.close()


@pytest.fixture(params=["pinned", "asked"])
def names(request: pytest.FixtureRequest) -> Iterator[NameRecords]:
    if request.param == "pinned":
        yield PinnedRecords(PINNED, frozenset({"away.test"}))
    else:
        with name_server() as server:
            yield AskedRecords(f"127.0.0.1:{server.port}")


def test_records_are_given_by_kind(names: NameRecords) -> None:
    for (name, kind), found in PINNED.items():
        assert sorted(names.records(name.upper(), kind)) == sorted(found)


def test_what_is_not_there_has_no_records(names: NameRecords) -> None:
    assert not names.records("absent.test", "TXT")
    assert not names.records("good.test", "PTR")


def test_silence_is_an_error(names: NameRecords) -> None:
    with pytest.raises(OSError, match="nobody answers"):
        names.records("away.test", "TXT")


def test_answers_are_kept_for_a_while_and_no_names_are_asked_that_are_none() -> None:
    now = [0.0]
    with name_server() as server:
        names = AskedRecords(f"127.0.0.1:{server.port}", lambda: now[0])
        for _ in range(3):
            names.records("good.test", "TXT")
        assert server.questions == 1
        now[0] = 301.0
        names.records("good.test", "TXT")
        assert server.questions == 2
        assert not names.records(f"{'a' * 64}.test", "TXT") and not names.records("a..test", "TXT")
        assert server.questions == 2


def test_a_name_server_that_is_none_is_refused() -> None:
    with pytest.raises(SettingsError, match="name_server"):
        AskedRecords("nonsense:53")
