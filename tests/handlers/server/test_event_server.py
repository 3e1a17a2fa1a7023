"""Limits of the server, in this process: connections, requests at once, memory, and the pace of bodies."""

from __future__ import annotations

import contextlib
import resource
import select
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest
from gunicorn.config import Config

from handlers.http.problems import raw_answer
from handlers.server.application import Claimant, Environ
from handlers.server.connections import ConnectionTable
from handlers.server.event_server import EventServer
from handlers.server.limits import ClientLimits, within_files
from handlers.server.refusals import BROKEN, CONNECTIONS, MEMORY, SHARE
from tests.handlers.server.test_server import PATIENCE, status
from tests.kit.wire.malformed import head

GET = head("GET", "/")
CONSTANT = head("GET", "/constant")
BURST = 600
LARGE = 50_000_000
CREDENTIAL = head("GET", "/wait", "Authorization: Bearer a")


class Application:
    """Answers at once, but for `/wait`; `/fail` fails, `/stream` comes in pieces, `/large` is."""

    constants: Mapping[str, bytes] = {"/constant": b"Content-Length: 2\r\n\r\nok"}
    refuse = staticmethod(raw_answer)

    def __init__(self) -> None:
        self.gate, self.waiting = threading.Event(), threading.Semaphore(0)
        self.begun = self.closed = 0
        self.turned_away: Counter[tuple[str, bool]] = Counter()

    def __call__(self, environ: Environ, start: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/wait":
            self.waiting.release()
            self.gate.wait(PATIENCE)
        elif environ["PATH_INFO"] == "/fail":
            raise RuntimeError("a mistake")
        elif environ["PATH_INFO"] == "/stream":
            start("200 OK", [])
            self.begun += 1
            return Pieces(self)
        elif environ["PATH_INFO"] == "/large":
            start("200 OK", [])
            return [bytes(LARGE)]
        try:
            size = len(environ["wsgi.input"].read())
        except TimeoutError:
            size = -1
        start("200 OK", [("Content-Length", str(len(str(size))))])
        return [str(size).encode()]

    def claimant(self, environ: Environ) -> Claimant:
        return Claimant(environ.get("REMOTE_ADDR", ""))

    def stop(self) -> None:
        self.gate.set()

    def count_refusal(self, word: str, answered: bool) -> None:
        self.turned_away[word, answered] += 1


class Pieces:
    """An answer in two pieces, which is to be closed."""

    def __init__(self, application: Application) -> None:
        self._application = application

    def __iter__(self) -> Iterator[bytes]:
        return iter((b"one", b"two"))

    def close(self) -> None:
        self._application.closed += 1


class Astray(Application):
    """An application that cannot tell who asks for `/astray`."""

    def claimant(self, environ: Environ) -> Claimant:
        if environ["PATH_INFO"] == "/astray":
            raise RuntimeError("a mistake")
        return super().claimant(environ)


def rest(wire: socket.socket) -> bytes:
    """The next piece on a connection; none when it was closed, whatever of ours was on its way."""
    try:
        return wire.recv(1 << 16)
    except ConnectionResetError:
        return b""


@contextmanager
def serving(
    application: Application, threads: int = 4, **limits: Any
) -> Iterator[Callable[[bytes], socket.socket]]:
    """A server, until the end; a connection on which something was sent."""
    config: Any = Config()
    for name, value in (("graceful_timeout", 60), ("threads", threads), ("http_parser", "python")):
        config.set(name, value)
    listener = socket.create_server(("127.0.0.1", 0))
    bounds, count = ClientLimits(**limits), application.count_refusal
    server = EventServer(application, config, bounds, [listener], count)
    server.start()
    address, wires = listener.getsockname(), []

    def send(data: bytes) -> socket.socket:
        wires.append(socket.create_connection(address, PATIENCE))
        wires[-1].sendall(data)
        return wires[-1]

    try:
        yield send
    finally:
        application.gate.set()
        for wire in wires:
            wire.close()
        server.stop()
        server.stop()
        assert server.is_over.wait(PATIENCE)
        server.close()


def test_the_oldest_that_sent_no_request_goes_for_one_more() -> None:
    application = Application()
    with serving(application, connections=2) as send:
        first, second = send(b"GET"), send(b"GET")
        assert status(send(GET).recv(1 << 16)) == 200
        assert rest(first) == b""
        second.sendall(GET[3:])
        assert status(second.recv(1 << 16)) == 200
    assert application.turned_away == {(CONNECTIONS, False): 1}


def test_an_address_has_its_share_of_connections_unless_it_is_a_front() -> None:
    for fronts, is_kept in ((frozenset[str](), False), (frozenset({"127.0.0.1"}), True)):
        with serving(Application(), connections_address=1, fronts=fronts) as send:
            first = send(GET[:3])
            assert status(send(GET).recv(1 << 16)) == 200
            if is_kept:
                first.sendall(GET[3:])
            assert bool(rest(first)) is is_kept


def test_where_all_are_at_work_the_next_is_turned_away() -> None:
    application = Application()
    with serving(application, connections=1) as send:
        first = send(head("GET", "/wait"))
        application.waiting.acquire(timeout=PATIENCE)
        assert status(send(b"").recv(1 << 16)) == 503
        application.gate.set()
        assert status(first.recv(1 << 16)) == 200
    assert application.turned_away == {(CONNECTIONS, True): 1}


def test_one_credential_and_one_address_have_their_share_of_waiting_requests() -> None:
    application = Application()
    with serving(application, threads=1, requests_account=1, requests=8) as send:
        first = send(CREDENTIAL)
        application.waiting.acquire(timeout=PATIENCE)
        # Either of the two may be read first; the other one is refused.
        anonymous = [send(GET), send(GET)]
        arriving = select.poll()  # select takes no descriptor above 1,023, and a long session has more
        for wire in anonymous:
            arriving.register(wire, select.POLLIN)
        ((number, _),) = arriving.poll(PATIENCE * 1000)
        (refused,) = (wire for wire in anonymous if wire.fileno() == number)
        answer = refused.recv(1 << 16)
        assert status(answer) == 429
        assert b"\r\nRetry-After: " in answer
        anonymous.remove(refused)
        application.gate.set()
        assert [status(wire.recv(1 << 16)) for wire in (first, *anonymous)] == [200] * 2
        assert status(send(GET).recv(1 << 16)) == 200
    assert application.turned_away == {(SHARE, True): 1}


def test_a_burst_of_one_sender_is_answered() -> None:
    with serving(Application(), threads=256) as send:
        wires = [send(b"") for _ in range(BURST)]
        for wire in wires:
            wire.sendall(CREDENTIAL.replace(b"/wait", b"/"))
        assert {status(wire.recv(1 << 16)) for wire in wires} == {200}


def test_what_is_constant_is_answered_while_every_thread_waits() -> None:
    application = Application()
    with serving(application, threads=1) as send:
        send(CREDENTIAL)
        application.waiting.acquire(timeout=PATIENCE)
        wire = send(CONSTANT * 2)
        answer = b""
        while answer.count(b"\r\n\r\nok") < 2:
            answer += wire.recv(1 << 16)
        assert (status(answer), b"Connection: keep-alive" in answer) == (200, True)
        last = b"".join(iter(partial(send(head("GET", "/constant", "Connection: close")).recv, 1 << 16), b""))
        assert (b"\r\nConnection: close\r\n" in last, last.endswith(b"\r\n\r\nok")) == (True, True)


@pytest.mark.parametrize(
    "sent",
    [("HEAD",), ("GET", "Accept: application/json"), ("GET", "Origin: http://x"), ("GET", "X-Request-ID: r")],
)
def test_what_asks_for_a_form_of_a_constant_is_answered_by_the_application(sent: tuple[str, ...]) -> None:
    with serving(Application()) as send:
        method, *headers = sent
        answer = send(head(method, "/constant", *headers)).recv(1 << 16)
        assert (status(answer), b"\r\n\r\nok" in answer) == (200, False)


def test_a_mistake_about_a_request_closes_its_connection_alone() -> None:
    with serving(Astray()) as send:
        assert rest(send(head("GET", "/astray"))) == b""
        assert status(send(GET).recv(1 << 16)) == 200


def test_a_client_that_reads_nothing_makes_room_where_all_are_answered() -> None:
    with serving(Astray(), connections=1, stalled=0) as send:
        reader = send(head("GET", "/large"))
        assert status(reader.recv(1 << 10)) == 200
        # The loop has the connection back once the answer is on its way, which its reader may be ahead of.
        assert any(status(send(GET).recv(1 << 16)) == 200 for _ in range(1000))
        with contextlib.suppress(ConnectionResetError):
            while reader.recv(1 << 20):
                pass


def test_a_local_socket_is_a_front() -> None:
    table = ConnectionTable(ClientLimits(connections_address=0))
    assert [table.is_full_for(address) for address in ("", "192.0.2.1")] == [False, True]


def test_the_client_that_uses_most_memory_is_closed_at_the_limit() -> None:
    begun = head("POST", "/", "Content-Length: 900", body=b"x" * 500)
    application = Application()
    with serving(application, buffers=1000) as send:
        small, large, third = send(GET[:20]), send(begun), send(begun)
        assert status(large.recv(1 << 16)) == 503
        small.sendall(GET[20:])
        third.sendall(b"x" * 400)
        assert (status(small.recv(1 << 16)), status(third.recv(1 << 16))) == (200, 200)
    assert application.turned_away == {(MEMORY, True): 1}


def test_a_long_body_that_comes_too_slowly_is_not_waited_for() -> None:
    sent = head("POST", "/", "Content-Length: 1000000", "Expect: 100-continue")
    with serving(Application(), small_body=10, silence=0.05, slowest_body=1 << 30) as send:
        wire = send(sent)
        assert wire.recv(25) == b"HTTP/1.1 100 Continue\r\n\r\n"
        answer = wire.recv(1 << 16)
        assert (status(answer), answer[-2:]) == (200, b"-1")


def test_a_mistake_beyond_the_application_is_answered_and_the_loop_goes_on() -> None:
    application = Application()
    with serving(application) as send:
        assert status(send(head("GET", "/fail")).recv(1 << 16)) == 500
        assert status(send(GET).recv(1 << 16)) == 200
    assert application.turned_away == {(BROKEN, True): 1}


def test_a_connection_that_waits_too_long_is_closed() -> None:
    with serving(Application(), head=0, idle=0, linger=0, linger_first=0) as send:
        assert rest(send(b"GET")) == b""
        wire = send(GET)
        assert status(wire.recv(1 << 16)) == 200
        assert rest(wire) == b""


def test_requests_are_answered_while_hundreds_of_connections_are_closed() -> None:
    with serving(Application(), head=0.5, look=0) as send:
        halves = {half.fileno(): half for half in (send(b"GET / HT") for _ in range(300))}
        ended = select.poll()  # not select.select: a run of the whole suite has files beyond its 1,024
        for number in halves:
            ended.register(number, select.POLLIN)
        wire, deadline = send(GET), time.monotonic() + PATIENCE
        while halves:
            assert status(wire.recv(1 << 16)) == 200
            for number, _ in ended.poll(0):
                ended.unregister(number)
                del halves[number]
            assert time.monotonic() < deadline
            wire.sendall(GET)


def test_there_are_no_more_connections_than_files() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        assert within_files(ClientLimits(connections=16)).connections == 16
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(before[0], 900), before[1]))
        most = within_files(ClientLimits(connections=1 << 40)).connections
        assert 1 <= most < 1 << 40
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 900
        resource.setrlimit(resource.RLIMIT_NOFILE, (900, before[1]))
        assert within_files(ClientLimits(connections=16)).connections == 16
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
