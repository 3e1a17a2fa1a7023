"""The service on its socket limits its requests, and every caller gets an answer."""

import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

import pytest

from handlers.rendering.connection import HEAD, LARGEST_HEAD, short_address, write_message
from handlers.rendering.port import Renderer, RendererBusy, RenderFailed, Rendering, RenderOrder
from handlers.rendering.socket_service import RemoteRenderer, RenderServer, ServerLimits, longest_wait
from tests.kit.fake_renderer import FakeRenderer
from tests.kit.suites.rendering import order

QUICK = ServerLimits(connections=3, size=4096, order_seconds=0.3, answer_seconds=0.3)
SECONDS = 20.0


class BlockedRenderer:
    """A renderer that waits until it may render."""

    def __init__(self) -> None:
        self.may, self.began = Event(), Event()

    def render(self, order: RenderOrder) -> Rendering:
        self.began.set()
        self.may.wait(SECONDS)
        return FakeRenderer().render(order)


@contextmanager
def serving(path: Path, renderer: Renderer, limits: ServerLimits = QUICK) -> Iterator[RemoteRenderer]:
    with RenderServer(path, renderer, limits) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield RemoteRenderer(path, SECONDS)
        finally:
            server.shutdown()
            thread.join(SECONDS)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The path of a socket that is longer than the address of a socket may be."""
    return tmp_path / ("deep" * 30) / "render" / "socket"


def connect(path: Path) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(SECONDS)
    with short_address(path) as address:
        connection.connect(address)
    return connection


def close_one(listener: socket.socket) -> None:
    listener.accept()[0].close()


def is_closed(connection: socket.socket) -> bool:
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize(
    "sent",
    [b"", b"\0\0", HEAD.pack(100, 0) + b"{", HEAD.pack(2, 5) + b"{}"],
    ids=["nothing", "half a size", "half a head", "no body"],
)
def test_a_client_that_sends_half_an_order_is_disconnected(path: Path, sent: bytes) -> None:
    with serving(path, FakeRenderer()) as remote, connect(path) as connection:
        connection.sendall(sent)
        began = time.monotonic()
        assert is_closed(connection)
        assert time.monotonic() - began < 5
        assert remote.render(order()).body


def test_a_client_that_sends_byte_by_byte_gains_no_time(path: Path) -> None:
    with serving(path, FakeRenderer()), connect(path) as connection:
        connection.sendall(HEAD.pack(1000, 0))
        began = time.monotonic()
        with suppress(BrokenPipeError, ConnectionResetError):
            while time.monotonic() - began < SECONDS:
                connection.sendall(b" ")
                time.sleep(0.01)
        assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    "sent",
    [
        HEAD.pack(LARGEST_HEAD + 1, 0),
        HEAD.pack(2, 0) + b"[]",
        HEAD.pack(2, 0) + b"{]",
        HEAD.pack(11, 0) + b'{"kind": 1}',
        HEAD.pack(4000, 0) + b"[" * 4000,
    ],
    ids=["an enormous head", "a list", "no JSON", "half an order", "a deep one"],
)
def test_a_connection_without_an_order_is_closed_at_once(path: Path, sent: bytes) -> None:
    with serving(path, FakeRenderer()) as remote, connect(path) as connection:
        connection.sendall(sent)
        assert is_closed(connection)
        assert remote.render(order()).body


def test_orders_larger_together_than_may_be_are_refused(path: Path) -> None:
    with serving(path, FakeRenderer()) as remote:
        with pytest.raises(RendererBusy):
            remote.render(RenderOrder("plot", "svg", {"data": "x" * 5000}))
        assert remote.render(order()).body


def test_an_order_that_no_message_holds_is_not_sent(path: Path) -> None:
    with pytest.raises(RenderFailed, match="bytes"):
        RemoteRenderer(path).render(RenderOrder("plot", "svg", {"data": "\0" * (LARGEST_HEAD // 6 + 1)}))


def test_no_more_connections_are_served_than_may_be(path: Path) -> None:
    blocked = BlockedRenderer()
    with serving(path, blocked) as remote, ThreadPoolExecutor(QUICK.connections) as threads:
        made = []
        for width in (300, 400, 500):
            blocked.began.clear()
            made.append(threads.submit(remote.render, order(width=width)))
            assert blocked.began.wait(SECONDS)
        with pytest.raises(RendererBusy):
            remote.count_orders()
        blocked.may.set()
        assert all(one.result(SECONDS).body for one in made)


def test_a_client_that_disconnects_during_its_order_harms_no_other(path: Path) -> None:
    blocked = BlockedRenderer()
    with serving(path, blocked) as remote:
        with connect(path) as connection:
            write_message(connection.makefile("wb"), order().fields)
            assert blocked.began.wait(SECONDS)
            assert remote.count_orders() == 1
        blocked.may.set()
        assert remote.render(order()).body
        until = time.monotonic() + SECONDS
        while remote.count_orders():
            assert time.monotonic() < until


def test_a_client_with_an_answer_is_no_longer_counted(path: Path) -> None:
    with serving(path, FakeRenderer(), ServerLimits()) as remote:
        counted = {remote.count_orders() for _ in range(200)}
        for _ in range(50):
            remote.render(order())
            counted.add(remote.count_orders())
    assert counted == {0}


def test_nobody_waits_longer_than_the_longest_render_may_take(path: Path) -> None:
    assert longest_wait(30) == 120
    blocked = BlockedRenderer()
    with serving(path, blocked):
        with pytest.raises(RendererBusy, match="no answer came within"):
            RemoteRenderer(path, 0.2).render(order())
        blocked.may.set()


def test_a_service_that_ends_while_a_caller_waits_is_busy(path: Path) -> None:
    listener = socket.socket(socket.AF_UNIX)
    path.parent.mkdir(parents=True)
    with listener, short_address(path) as address:
        listener.bind(address)
        listener.listen()
        Thread(target=close_one, args=(listener,), daemon=True).start()
        with pytest.raises(RendererBusy, match="does not answer"):
            RemoteRenderer(path).render(order())
    began = time.monotonic()
    with pytest.raises(RendererBusy, match="does not answer"):
        RemoteRenderer(path).render(order())
    assert time.monotonic() - began < 5


def test_a_socket_that_was_left_behind_is_replaced(path: Path) -> None:
    path.parent.mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as left, short_address(path) as address:
        left.bind(address)
    with serving(path, FakeRenderer()) as remote:
        assert remote.render(order()).body
        assert path.stat().st_mode & 0o777 == 0o600
    assert not path.exists()
