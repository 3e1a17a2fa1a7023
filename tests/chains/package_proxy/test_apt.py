"""apt installs in a build by the relay: behind a proxy with a password, and from a host that is named."""

from __future__ import annotations

import base64
import gzip
import http.server
import subprocess
import threading
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from chains.buildbox import builder_image
from chains.engine.port import BuildOrder
from chains.package_proxy.apt_relay import PackageHosts, relay
from tests.kit.podman import Bench, builder_on

SECRET = "proxy-s3cret"
WANTED = "Basic " + base64.b64encode(f"op:{SECRET}".encode()).decode()


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[tuple[str, list[str]]]:
    """An operator's proxy behind which there is a repository of one package, and what it was asked for."""
    root = tmp_path / "probe"
    (root / "DEBIAN").mkdir(parents=True)
    control = (
        "Package: curlew-probe\nVersion: 1.0\nArchitecture: all\nMaintainer: x <x@x>\nDescription: probe\n"
    )
    (root / "DEBIAN/control").write_text(control)
    subprocess.run(
        ["dpkg-deb", "--build", str(root), str(tmp_path / "p.deb")], check=True, capture_output=True
    )
    deb = (tmp_path / "p.deb").read_bytes()
    entry = f"{control}Filename: ./p.deb\nSize: {len(deb)}\nSHA256: {sha256(deb).hexdigest()}\n\n"
    files = {"Packages.gz": gzip.compress(entry.encode()), "p.deb": deb}
    paths: list[str] = []

    class Answers(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths.append(self.path)
            data = files.get(self.path.rpartition("/")[2])
            may = self.path.startswith("/") or self.headers.get("Proxy-Authorization") == WANTED
            if data is None or not may:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://op:{SECRET}@127.0.0.1:{server.server_port}", paths
        server.shutdown()


@pytest.mark.podman
def test_apt_installs_through_the_relay_without_configuration(
    podman_bench: Bench, proxy: tuple[str, list[str]]
) -> None:
    address, paths = proxy
    port = int(address.rpartition(":")[2])
    behind = PackageHosts(frozenset({"deb.debian.org"}), {"http_proxy": address})
    # A host of the operator's own, at an address that no build may reach unless it is named.
    own = PackageHosts(frozenset({"localhost"}), {}, permits=lambda _: True, ports={"http": port, "https": 1})
    context = podman_bench.folder("context")
    for number, (hosts, host) in enumerate([(behind, "deb.debian.org"), (own, f"localhost:{port}")]):
        (context / "Dockerfile").write_text(
            "FROM python:3-slim\nRUN rm /etc/apt/sources.list.d/* && "
            f"echo 'deb [trusted=yes] http://{host}/probe ./' > /etc/apt/sources.list && "
            "apt-get update && apt-get install -y curlew-probe && dpkg -l curlew-probe\n"
        )
        lines: list[str] = []
        builder = builder_on(podman_bench.host, proxies=[relay(hosts)])
        builder.build(BuildOrder(71 + number, context, "Dockerfile", "x", {}), lines.append)
        log = "\n".join(lines)
        assert any(line.split()[:2] == ["ii", "curlew-probe"] for line in lines), log
        assert SECRET not in log
    assert any(path.startswith("http://deb.debian.org/probe/") for path in paths)
    assert any(path.startswith("/probe/") for path in paths)


@pytest.mark.podman
def test_a_builder_image_of_a_former_buildah_goes_when_a_new_one_is_made(podman_bench: Bench) -> None:
    program = podman_bench.host.program
    podman_bench.builder.workshop.ensure()
    name = builder_image.ensure(program)
    program.ensure_busybox()
    assert program.trouble("tag", "localhost/busybox:latest", "localhost/curlew-builder:old") is None
    program.drop_others(name)
    assert program.has(name)
    assert program.has("localhost/busybox:latest")
    assert not program.has("localhost/curlew-builder:old")
