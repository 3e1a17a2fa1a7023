"""Builds fetch from the hosts of apt's packages, from nowhere else, and see no credential of the way."""

from __future__ import annotations

import base64
import http.server
import os
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from chains.engine.port import BuildOrder, EngineError
from chains.package_proxy.apt_relay import PackageHosts, relay, serving
from chains.package_proxy.client_config import FILE, apt_configuration
from tests.kit.podman import Bench, builder_on

PORT = 31420
SECRET = "proxy-s3cret"
GIVEN = "Basic " + base64.b64encode(f"op:{SECRET}".encode()).decode()


@dataclass
class Far:
    """A server that stands for the outside, and what it was asked."""

    port: int = 0
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)


@pytest.fixture
def far() -> Iterator[Far]:
    """A host of packages, and a proxy that asks for a password: it answers itself, whatever is asked for."""
    found = Far()

    class Answers(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.requests.append((f"{self.command} {self.path}", dict(self.headers.items())))
            if self.path.startswith("http://") and self.headers.get("Proxy-Authorization") != GIVEN:
                self.send_response(407)
                self.send_header("Proxy-Authenticate", 'Basic realm="the operators"')
                self.end_headers()
                return
            if self.path.endswith("/gone"):
                self.send_error(404, "proxy.internal has no such page")
                return
            self.send_response(302 if self.path.endswith("/away") else 200)
            self.send_header("Location", "http://169.254.169.254/latest")
            self.send_header("X-Served-By", "cache.internal")
            self.end_headers()
            with suppress(OSError):
                while self.path.endswith("/endless"):
                    self.wfile.write(bytes(1 << 16))
                self.wfile.write(b"a package\n" if self.command == "GET" else b"")

        def do_HEAD(self) -> None:
            self.do_GET()

        def do_CONNECT(self) -> None:
            found.requests.append((f"{self.command} {self.path}", dict(self.headers.items())))
            self.send_response(200 if self.headers.get("Proxy-Authorization") == GIVEN else 407)
            self.end_headers()
            self.wfile.write(self.rfile.read(4).upper())

        def log_message(self, format: str, *args: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        server.daemon_threads = True
        found.port = server.server_port
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield found
        server.shutdown()


@contextmanager
def relaying(
    far: Far, names: tuple[str, ...] = ("localhost",), variables: dict[str, str] | None = None
) -> Iterator[None]:
    """A relay beside this process to that server, which is let pass for a public one."""
    ports = {"http": far.port, "https": far.port}
    with serving(
        PackageHosts(frozenset(names), variables or {}, lambda address: True, ports), os.getpid(), PORT
    ):
        yield


def said(request: str, more: bytes = b"") -> str:
    """What the relay answers."""
    with socket.create_connection(("127.0.0.1", PORT), timeout=10) as connection:
        connection.sendall(request.encode("latin-1"))
        answer = b""
        with suppress(ConnectionResetError):
            while piece := connection.recv(1 << 16):
                answer += piece
                if more and b"\r\n\r\n" in answer:
                    connection.sendall(more)
                    more = b""
    return answer.decode("latin-1")


def test_a_request_and_its_answer_pass_without_private_headers(far: Far) -> None:
    with relaying(far):
        answer = said(
            f"GET http://LOCALHOST:{far.port}/d/x?y HTTP/1.1\r\nHost: evil\r\nRange: bytes=0-\r\n"
            "Proxy-Authorization: Basic eA==\r\nCookie: a=b\r\nConnection: keep-alive\r\n\r\n"
        )
        assert answer.startswith("HTTP/1.0 200 OK\r\n")
        assert answer.endswith("\r\n\r\na package\n")
        assert "internal" not in answer
        ((line, headers),) = far.requests
        assert line == "GET /d/x?y"
        assert headers == {"Range": "bytes=0-", "Host": "LOCALHOST", "Connection": "close"}
        head = said(f"HEAD http://localhost:{far.port} HTTP/1.1\r\n\r\n")
        assert head.startswith("HTTP/1.0 200 OK")
        assert head.endswith("\r\n\r\n")


def test_a_redirect_is_passed_on_and_not_followed(far: Far) -> None:
    with relaying(far):
        answer = said(f"GET http://localhost:{far.port}/away HTTP/1.1\r\n\r\n")
        assert "Location: http://169.254.169.254/latest\r\n" in answer
        assert "403 Not among" in said("GET http://169.254.169.254/latest HTTP/1.1\r\n\r\n")
    assert len(far.requests) == 1


@pytest.mark.parametrize(
    "request_line",
    [
        "GET http://127.0.0.1:%d/ HTTP/1.1",
        "GET http://localhost:22/ HTTP/1.1",
        "GET http://localhost.:%d/ HTTP/1.1",
        "GET http://localhost@127.0.0.1:%d/ HTTP/1.1",
        "GET http://127.0.0.1:%d@localhost/ HTTP/1.1",
        "GET http://localhost%%00:%d/ HTTP/1.1",
        "GET http://xlocalhost:%d/ HTTP/1.1",
        "GET http://localhost:%d\\@127.0.0.1/ HTTP/1.1",
        "GET http://[::1]:%d/ HTTP/1.1",
        "GET https://localhost:%d/ HTTP/1.1",
        "GET file:///etc/passwd HTTP/1.1",
        "GET //localhost:%d/ HTTP/1.1",
        "GET / HTTP/1.1\r\nHost: localhost:%d",
        "GET http://localhost:%d/\xff HTTP/1.1",
        "GET http://localhost:99999999/ HTTP/1.1",
        "CONNECT localhost:22 HTTP/1.1",
        "CONNECT 127.0.0.1:%d HTTP/1.1",
        "CONNECT http://localhost:%d/ HTTP/1.1",
        "CONNECT localhost HTTP/1.1",
        "POST http://localhost:%d/ HTTP/1.1",
        "GET http://localhost:%d/ HTTP/1.1\r\n" + "a: b\r\n" * 9000,
        "GET http://localhost:%d/" + "x" * 100_000 + " HTTP/1.1",
        "\x16\x03\x01",
    ],
)
def test_any_other_request_is_refused(far: Far, request_line: str) -> None:
    with relaying(far):
        answer = said(f"{request_line.replace('%d', str(far.port)).replace('%%', '%')}\r\n\r\n")
        assert re.search(r"\b(403|400|405|414|431|501)\b", answer) or answer == ""
        assert far.requests == []


def test_a_header_is_no_way_to_a_second_request(far: Far) -> None:
    with relaying(far):
        said(
            f"GET http://localhost:{far.port}/a HTTP/1.1\r\nUser-Agent: a\r\n GET /b HTTP/1.1\r\n"
            "Content-Length: 30\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /c HTTP/1.1\r\n\r\n"
        )
        said(f"GET http://localhost:{far.port}/a HTTP/1.1\r\nUser-Agent: a\rX-Evil: b\r\n\r\n")
        for line, headers in far.requests:
            assert line == "GET /a"
            assert headers.keys() <= {"User-Agent", "Host", "Connection"}


def test_a_tunnel_carries_bytes_both_ways(far: Far) -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        far.port = door.getsockname()[1]

        def echo() -> None:
            connection, _ = door.accept()
            with connection:
                connection.sendall(connection.recv(4).upper())

        threading.Thread(target=echo, daemon=True).start()
        with relaying(far):
            answer = said(f"CONNECT localhost:{far.port} HTTP/1.1\r\n\r\n", b"ping")
    assert answer == "HTTP/1.0 200 Connection established\r\n\r\nPING"


def test_the_operators_proxy_is_used_and_its_password_stays_outside(far: Far) -> None:
    proxy = f"http://op:{SECRET}@127.0.0.1:{far.port}"
    with relaying(far, ("deb.debian.org",), {"http_proxy": proxy, "HTTPS_PROXY": proxy}):
        answer = said(f"GET http://deb.debian.org:{far.port}/x HTTP/1.1\r\n\r\n")
        gone = said(f"GET http://deb.debian.org:{far.port}/gone HTTP/1.1\r\n\r\n")
        tunnel = said(f"CONNECT deb.debian.org:{far.port} HTTP/1.1\r\n\r\n", b"ping")
    assert answer.endswith("a package\n")
    assert "404 Not Found" in gone
    assert "internal" not in gone
    assert tunnel.endswith("established\r\n\r\nPING")
    assert [line for line, _ in far.requests] == [
        "GET http://deb.debian.org/x",
        "GET http://deb.debian.org/gone",
        f"CONNECT deb.debian.org:{far.port}",
    ]
    assert SECRET not in answer + tunnel
    assert GIVEN not in answer + tunnel


@pytest.mark.parametrize(
    "proxy", ["http://op:wrong@127.0.0.1:%d", "http://127.0.0.1:1", "https://x:%d", "http://x:y"]
)
def test_a_proxy_that_refuses_is_not_spoken_of(far: Far, proxy: str) -> None:
    address = proxy.replace("%d", str(far.port))
    with relaying(far, ("deb.debian.org",), {"http_proxy": address, "https_proxy": address}):
        for line in (f"GET http://deb.debian.org:{far.port}/x", f"CONNECT deb.debian.org:{far.port}"):
            answer = said(f"{line} HTTP/1.1\r\n\r\n")
            assert " 502 " in answer
            assert "wrong" not in answer
            assert "operators" not in answer


def test_the_relay_refuses_a_named_host_inside_the_network(far: Far) -> None:
    ports = {"http": far.port, "https": far.port}
    with serving(PackageHosts(frozenset({"localhost"}), {}, ports=ports), os.getpid(), PORT):
        assert " 502 " in said(f"GET http://localhost:{far.port}/ HTTP/1.1\r\n\r\n")
        assert " 502 " in said(f"CONNECT localhost:{far.port} HTTP/1.1\r\n\r\n")
    assert far.requests == []


def test_a_relay_ends_with_its_build(far: Far) -> None:
    with socket.create_connection(("127.0.0.1", far.port)) as idle, relaying(far):
        fetching = socket.create_connection(("127.0.0.1", PORT), timeout=5)
        fetching.sendall(f"GET http://localhost:{far.port}/endless HTTP/1.1\r\n\r\n".encode())
        assert fetching.recv(9)
        silent = socket.create_connection(("127.0.0.1", PORT), timeout=5)
        time.sleep(0.2)
        assert idle.getpeername()
    with fetching, silent, suppress(ConnectionResetError):
        assert silent.recv(1) == b""
        while fetching.recv(1 << 20):
            pass


def test_a_build_fetches_no_more_than_it_may(far: Far) -> None:
    ports = {"http": far.port, "https": far.port}
    hosts = PackageHosts(frozenset({"localhost"}), {}, lambda address: True, ports, most=1 << 20)
    with serving(hosts, os.getpid(), PORT):
        assert len(said(f"GET http://localhost:{far.port}/endless HTTP/1.1\r\n\r\n")) < 2 << 20
        assert said(f"GET http://localhost:{far.port}/x HTTP/1.1\r\n\r\n").endswith("\r\n\r\n")


def test_apt_is_configured_for_those_hosts_only() -> None:
    text = apt_configuration({"deb.debian.org"})
    assert text.splitlines() == [
        f'Acquire::{scheme}::Proxy::deb.debian.org "http://127.0.0.1:3142";' for scheme in ("http", "https")
    ]
    with (
        pytest.raises(EngineError, match="relay to package hosts"),
        serving(PackageHosts(frozenset(), {}), 1 << 30),
    ):
        pass


def own_files(bench: Bench, image: str) -> list[str]:
    """The content of the topmost layer of an image, as it is on the host."""
    found = bench.host.program.run("image", "inspect", "--format", "{{.GraphDriver.Data.UpperDir}}", image)
    top = Path(found.stdout.strip())
    return sorted(str(file.relative_to(top)) for file in top.rglob("*"))


@pytest.mark.podman
def test_a_build_without_a_network_fetches_by_the_relay_alone(podman_bench: Bench, far: Far) -> None:
    proxy = f"http://op:{SECRET}@127.0.0.1:{far.port}"
    apt = relay(PackageHosts(frozenset({"deb.debian.org"}), {"http_proxy": proxy, "https_proxy": proxy}))
    builder = builder_on(podman_bench.host, proxies=[apt])
    context = podman_bench.folder("context")
    asking = "printf 'GET %s HTTP/1.0\\r\\n\\r\\n' {} | nc -w 5 127.0.0.1 3142"
    near = f"http://127.0.0.1:{far.port}/"
    (context / "Dockerfile").write_text(
        f"FROM localhost/busybox\nRUN cat {FILE}; env; tr '\\0' '\\n' < /proc/self/environ; "
        f"{asking.format('http://deb.debian.org/debian/x')}; {asking.format(near)}; "
        f"nc -w 2 127.0.0.1 {far.port} </dev/null || echo refused; echo tried\n"
    )
    lines: list[str] = []
    image = builder.build(BuildOrder(61, context, "Dockerfile", "x", {}), lines.append)
    log = "\n".join(lines)
    assert {"a package", "refused", "tried"} <= set(lines), log
    assert "HTTP/1.0 403 Not among the hosts that builds may fetch from (build_hosts)" in log
    assert 'Acquire::http::Proxy::deb.debian.org "http://127.0.0.1:3142";' in lines
    assert SECRET not in log
    assert GIVEN.split()[1] not in log
    assert [line for line, _ in far.requests] == ["GET http://deb.debian.org/debian/x"]
    assert FILE.lstrip("/") not in own_files(podman_bench, image.id)
