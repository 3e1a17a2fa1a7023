"""A separate network with a name server that changes its answers: `python -m … ` writes what hooks did.

Run it under `unshare --net --mount`, as root.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator

import dns.flags
import dns.message
import dns.rdatatype
import dns.rrset

from handlers.rules.hook_addresses import HookReach, parse_address
from handlers.services.outgoing_hooks import send_hook
from tests.kit.outside.receiver import receiving

PUBLIC = "9.9.9.9"
ANSWERS: dict[str, list[list[str]]] = {
    "rebound.example.": [[PUBLIC], ["127.0.0.1"]],
    "both.example.": [[PUBLIC, "127.0.0.1"]],
    "near.example.": [["127.0.0.1"]],
    "mapped.example.": [["::ffff:127.0.0.1"]],
    "loop.example.": [["::1"]],
    "translated.example.": [["64:ff9b::7f00:1"]],
}
"""The answers for each name, one for each query; the last one is repeated."""
NOTHING, LOOPBACK = HookReach.parse(""), HookReach.parse("127.0.0.0/8")


class NameServer(threading.Thread):
    """Answers questions on port 53, and counts them."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.queries = Counter[str]()
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 53))

    def run(self) -> None:
        while True:
            data, client = self._socket.recvfrom(4096)
            self._socket.sendto(self._answer(dns.message.from_wire(data)).to_wire(), client)

    def _answer(self, question: dns.message.Message) -> dns.message.Message:
        reply = dns.message.make_response(question)
        reply.flags |= dns.flags.RA
        (one,) = question.question
        name, is_four = one.name.to_text(), one.rdtype == dns.rdatatype.A
        if is_four:
            self.queries[name] += 1
        turns = ANSWERS.get(name, [[]])
        found = turns[min(max(self.queries[name], 1), len(turns)) - 1]
        some = [address for address in found if (":" not in address) == is_four]
        if some and one.rdtype in (dns.rdatatype.A, dns.rdatatype.AAAA):
            reply.answer.append(dns.rrset.from_text(one.name, 0, "IN", one.rdtype.name, *some))
        return reply


def outcomes() -> Iterator[tuple[str, object]]:
    """Yield what became of a message to each name, and how often the name was looked up."""
    with receiving() as receiver:
        port = receiver.server_port
        for name in ANSWERS:
            server.queries.clear()
            host = name.rstrip(".")
            answer = send_hook(parse_address(f"https://{host}:{port}/", NOTHING), NOTHING, {}, b"{}")
            yield host, [answer.status, answer.said, server.queries[name]]
        yield "arrived", len(receiver.taken)
        answer = send_hook(parse_address(f"http://near.example:{port}/", LOOPBACK), LOOPBACK, {}, b"{}")
        yield "allowed", answer.status
        yield "arrived then", len(receiver.taken)


if __name__ == "__main__":
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    with tempfile.NamedTemporaryFile("w") as resolver:
        resolver.write("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
        resolver.flush()
        subprocess.run(["mount", "--bind", resolver.name, "/etc/resolv.conf"], check=True)
        server = NameServer()
        server.start()
        sys.stdout.write(json.dumps(dict(outcomes())))
