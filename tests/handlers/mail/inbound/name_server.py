"""A name server on this machine, over a zone in a dictionary."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset

Zone = Mapping[tuple[str, str], Sequence[str]]


class NameServer:
    """A name server on this machine, which counts its queries."""

    def __init__(self, zone: Zone) -> None:
        self.zone = zone
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.questions = 0

    def serve(self) -> None:
        while True:
            packet, peer = self.socket.recvfrom(4_096)
            if packet == b"end":
                return
            self.questions += 1
            query = dns.message.from_wire(packet)
            self.socket.sendto(answer_to(query, self.zone).to_wire(), peer)


def answer_to(query: dns.message.Message, zone: Zone) -> dns.message.Message:
    """Return the answer of a zone to a query: a failure for `away.test`, without caching for `brief.test`."""
    question, answer = query.question[0], dns.message.make_response(query)
    name, kind = question.name.to_text(omit_final_dot=True).lower(), dns.rdatatype.to_text(question.rdtype)
    answer.flags |= dns.flags.RA
    if name == "away.test":
        answer.set_rcode(dns.rcode.SERVFAIL)
    elif (name, kind) in zone:
        seconds = 0 if name == "brief.test" else 300
        answer.answer.append(dns.rrset.from_text(question.name, seconds, "IN", kind, *zone[name, kind]))
    elif not any(known == name for known, _ in zone):
        answer.set_rcode(dns.rcode.NXDOMAIN)
    return answer


@contextmanager
def name_server(zone: Zone) -> Iterator[NameServer]:
    server = NameServer(zone)
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.socket.sendto(b"end", ("127.0.0.1", server.port))
        thread.join()
        server.socket.close()
