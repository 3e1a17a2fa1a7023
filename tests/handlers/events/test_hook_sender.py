"""A hook sends to the address that was checked, to no private one, and for a limited time."""

from __future__ import annotations

import json
import re
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from handlers.rules.hook_addresses import HookAddress, HookReach, parse_address
from handlers.services.outgoing_hooks import send_hook
from tests.kit.outside.receiver import receiving
from tests.kit.server import ROOT
from tests.kit.wire.certificate import make_certificate
from vfs.errors import Invalid

NOTHING, LOOPBACK = HookReach.parse(""), HookReach.parse("127.0.0.0/8")
APART = ("unshare", "--net", "--mount", "--propagation", "private")


def test_a_name_that_changes_its_address_leads_nowhere_else() -> None:
    done = subprocess.run(
        [*APART, sys.executable, "-m", "tests.handlers.events.rebinding"],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)
    assert results.pop("arrived") == 0
    assert (results.pop("allowed"), results.pop("arrived then")) == (200, 1)
    # It was looked up once: what was checked is what was connected to.
    assert results["rebound.example"][2] == 1
    assert "private" not in results.pop("rebound.example")[1]
    assert len(results) == 5
    for status, said, _ in results.values():
        assert status is None
        assert "private address" in said


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "127.1", "0x7f000001", "2130706433", "0", "localhost", "10.0.0.1", "192.168.0.1",
        "169.254.169.254", "100.64.0.1", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::127.0.0.1]", "[fe80::1]",
        "[fd00::1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[ff02::1]",
        "[::ffff:0:127.0.0.1]", "[fec0::1]",
    ],
)  # fmt: skip
def test_a_private_address_is_not_connected_to(host: str) -> None:
    with receiving() as receiver:
        # As it was written while the operator allowed it.
        to = HookAddress("https", host.strip("[]"), receiver.server_port, "/", f"{host}:443")
        answer = send_hook(to, NOTHING, {}, b"{}")
        assert answer.status is None
        assert "private address" in answer.said
        assert receiver.taken == []


@pytest.mark.parametrize(
    "url",
    [
        "ftp://x.example/", "x.example", "https://", "https://user:pass@x.example/", "https://x.example/#a",
        "https://x.example/a b", "https://x.example/\u00e4", "https://x.example:99999/", "http://x.example/",
        "https://x.example:25/", "https://127.0.0.1/", "https://[::1]/", "https://x.example/\r\nHost: y",
        f"https://x.example/{'a' * 2_000}", "https://[::1", "file:///etc/passwd", "https://127.0.0.1:8000/",
    ],
)  # fmt: skip
def test_an_address_that_a_hook_cannot_have_is_refused_when_written(url: str) -> None:
    with pytest.raises(Invalid):
        parse_address(url, NOTHING)


@given(st.text(max_size=60), st.sampled_from(["", "https://", "https://x.example", "https://[::1]"]))
def test_whatever_is_written_is_an_address_or_refused(text: str, start: str) -> None:
    try:
        found = parse_address(start + text, NOTHING)
    except Invalid:
        return
    assert found.scheme == "https"
    assert found.target.isascii() and found.target.isprintable() and " " not in found.target
    assert found.port == 443 or found.port >= 1_024


def test_networks_and_hosts_that_the_operator_allows_are_reached_and_no_others() -> None:
    with receiving() as receiver:
        url = f"http://localhost:{receiver.server_port}/"
        for words, status in (("localhost", 200), ("127.0.0.0/8 ::1/128", 200), ("10.0.0.0/8", None)):
            reach = HookReach.parse(words)
            assert send_hook(parse_address(url, reach), reach, {}, b"{}").status == status
    with pytest.raises(ValueError, match="host bits"):
        HookReach.parse("10.0.0.1/8")


def test_a_redirect_is_not_followed() -> None:
    with receiving() as receiver:
        answer = send_hook(parse_address(f"{receiver.url}/307", LOOPBACK), LOOPBACK, {}, b"{}")
        assert answer.status == 307 and not answer.is_taken
        assert "not followed" in answer.said
        assert [one.path for one in receiver.taken] == ["/307"]


def test_the_certificate_is_checked(tmp_path: Path) -> None:
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    make_certificate(certificate, key, "127.0.0.1")
    with receiving() as receiver:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        receiver.socket = context.wrap_socket(receiver.socket, server_side=True)
        url = f"https://127.0.0.1:{receiver.server_port}/"
        answer = send_hook(parse_address(url, LOOPBACK), LOOPBACK, {}, b"{}")
        assert answer.status is None
        assert "certificate is not valid" in answer.said
        assert receiver.taken == []


@contextmanager
def dripping(piece: bytes) -> Iterator[int]:
    """Run a receiver that sends a piece of an answer every 50 ms without end; yield its port."""
    with socket.create_server(("127.0.0.1", 0)) as door:

        def drip() -> None:
            connection, _ = door.accept()
            with connection:
                try:
                    while True:
                        connection.sendall(piece)
                        time.sleep(0.05)
                except OSError:
                    return

        threading.Thread(target=drip, daemon=True).start()
        yield door.getsockname()[1]


@given(st.binary(max_size=30).filter(lambda line: b"\n" not in line))
@settings(max_examples=20, deadline=None)
@example(b"\0")
@example(b"\x1b]0;mine\x07SSH-2.0\x9b2J")
def test_the_quoted_part_of_an_answer_can_be_stored_and_shown(line: bytes) -> None:
    with dripping(line + b"\r\n") as port:
        to = parse_address(f"http://127.0.0.1:{port}/", LOOPBACK)
        answer = send_hook(to, LOOPBACK, {}, b"{}", seconds=2)
        assert answer.said.startswith("no answer:")
        assert not re.search("[\0-\x1f\x7f-\x9f]", answer.said)


@pytest.mark.parametrize("piece", [b"", b"H", b"HTTP/1.1 100 Continue\r\n\r\n"])
def test_an_answer_that_never_ends_is_given_up(piece: bytes) -> None:
    with dripping(piece) as port:
        start = time.monotonic()
        to = parse_address(f"http://127.0.0.1:{port}/", LOOPBACK)
        answer = send_hook(to, LOOPBACK, {}, b"{}", seconds=0.5)
        assert answer.said == "it did not answer in time"
        assert time.monotonic() - start < 5
