"""apt installs in a build by the relay, from a repository behind a proxy with a password."""

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
from chains.host.rootfs import add_programs, busybox_tree
from chains.package_proxy.apt_relay import PackageHosts, relay
from tests.kit.podman import Bench, builder_on

PROGRAMS = ("/usr/bin/apt-get", "/usr/lib/apt/methods/http", "/usr/lib/apt/methods/store", "/usr/bin/dpkg")
TABLES = [Path(f"/usr/share/dpkg/{name}table") for name in ("cpu", "tuple", "os", "abi")]
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
    asked: list[str] = []

    class Answers(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            data = files.get(self.path.rpartition("/")[2])
            if self.headers.get("Proxy-Authorization") != WANTED or data is None:
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
        yield f"http://op:{SECRET}@127.0.0.1:{server.server_port}", asked
        server.shutdown()


def apt_tree(root: Path) -> None:
    """A root with apt in it."""
    busybox_tree(root)
    add_programs(root, [Path(program) for program in PROGRAMS], TABLES)
    for folder in ("var/lib/dpkg", "var/lib/apt/lists/partial", "var/cache/apt/archives/partial", "etc/apt"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    (root / "var/lib/dpkg/status").touch()
    (root / "etc/apt/sources.list").write_text("deb [trusted=yes] http://deb.debian.org/probe ./\n")


@pytest.mark.podman
def test_apt_fetches_by_the_relay_without_being_told(
    podman_bench: Bench, proxy: tuple[str, list[str]]
) -> None:
    address, asked = proxy
    host = podman_bench.host
    host.program.ensure_made("localhost/apt-probe:1", apt_tree)
    image = host.program.run(
        "image", "inspect", "--format", "{{.Id}}", "localhost/apt-probe:1"
    ).stdout.strip()
    builder = builder_on(
        host, proxies=[relay(PackageHosts(frozenset({"deb.debian.org"}), {"http_proxy": address}))]
    )
    context = podman_bench.folder("context")
    (context / "Dockerfile").write_text(
        "FROM curlew.invalid/apt:1\nRUN apt-get -o APT::Sandbox::User=root update 2>&1; cd /tmp; "
        "apt-get -o APT::Sandbox::User=root download curlew-probe 2>&1; ls /tmp; echo tried\n"
    )
    lines: list[str] = []
    order = BuildOrder(71, context, "Dockerfile", "x", {}, {"curlew.invalid/apt:1": image})
    builder.build(order, lines.append)
    told = "\n".join(lines)
    assert any(line.startswith("curlew-probe_1.0") for line in lines), told
    assert "http://deb.debian.org/probe/./p.deb" in asked or "http://deb.debian.org/probe/p.deb" in asked
    assert SECRET not in told


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
