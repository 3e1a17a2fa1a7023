"""Builds install packages of the operator's sources without seeing the operator's credentials."""

from __future__ import annotations

import base64
import http.server
import os
import socket
import threading
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import ClassVar

import pytest

from chains.engine.port import BuildOrder, EngineError
from chains.package_proxy.client_config import PackageConfiguration
from chains.package_proxy.loopback import WAITING
from chains.package_proxy.package_sources import (
    PackageSource,
    PackageSources,
    PackageUnavailable,
    index,
    serving,
)
from tests.kit.podman import Bench, builder_on

PASSWORD = "pip-s3cret"
PORT = 31410
METADATA = b"Metadata-Version: 2.1\nName: curlew-probe\nVersion: 1.0\n"


def wheel(folder: Path) -> Path:
    """A package that says that it is there."""
    info = "curlew_probe-1.0.dist-info"
    path = folder / "curlew_probe-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("curlew_probe.py", "WORD = 'installed'\n")
        file.writestr(f"{info}/METADATA", METADATA)
        file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{info}/RECORD", "")
    return path


class Upstream(http.server.BaseHTTPRequestHandler):
    """An operator's index that asks for a password, with links to odd places."""

    package = b""
    requests: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        wanted = "Basic " + base64.b64encode(f"pipuser:{PASSWORD}".encode()).decode()
        if self.headers.get("Authorization") != wanted:
            self.send_error(401)
        elif self.path == "/simple/curlew-probe/":
            mark = f"sha256={sha256(self.package).hexdigest()}"
            self.page(
                f'<a href="/f/curlew_probe-1.0-py3-none-any.whl#{mark}" data-requires-python="&gt;=3" '
                f'data-core-metadata="sha256={sha256(METADATA).hexdigest()}">x</a>'
            )
        elif self.path == "/simple/odd/":
            targets = (
                "file:///etc/passwd",
                "http://127.0.0.1:1/a.whl",
                "http://169.254.169.254/a.whl",
                "/leave",
            )
            self.page("".join(f'<a href="{target}">x</a>' for target in targets))
        elif self.path == "/leave":
            self.send_response(302)
            self.send_header("Location", "http://127.0.0.1:1/secret")
            self.end_headers()
        elif self.path.startswith("/f/"):
            self.requests.append(self.path)
            self.page(METADATA if self.path.endswith(".metadata") else self.package)
        else:
            self.send_error(404)

    def page(self, body: str | bytes) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body.encode() if isinstance(body, str) else body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def upstream(tmp_path: Path) -> Iterator[str]:
    """The address of that index, with the password in it."""
    Upstream.package = wheel(tmp_path).read_bytes()
    Upstream.requests.clear()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Upstream) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://pipuser:{PASSWORD}@127.0.0.1:{server.server_port}/simple"
        server.shutdown()


def sources(*indexes: str, links: tuple[str, ...] = ()) -> PackageSources:
    """Sources of an operator."""
    return PackageSources(PackageConfiguration(indexes, links, chosen=True), {})


def got(path: str) -> str:
    """What the index beside this process answers."""
    with urllib.request.urlopen(f"http://127.0.0.1:{PORT}{path}", timeout=10) as answer:
        text: str = answer.read().decode("latin-1")
        return text


def test_pages_name_files_by_numbers_and_keep_hashes(upstream: str) -> None:
    with serving(sources(upstream), os.getpid(), PORT):
        page = got("/simple/Curlew.Probe/")
        assert page.startswith("<!DOCTYPE html>")
        assert 'href="/file/0/curlew_probe-1.0-py3-none-any.whl#sha256=' in page
        assert 'data-requires-python="&gt;=3"' in page
        assert PASSWORD not in page
        assert 'data-core-metadata="sha256=' in page
        assert got("/file/0/curlew_probe-1.0-py3-none-any.whl").startswith("PK")
        assert got("/file/0/curlew_probe-1.0-py3-none-any.whl.metadata") == METADATA.decode()
        for path in ("/simple/none/", "/file/9/x.whl", "/", "/simple/../x/", "/file/0/", f"/{'x' * 2000}"):
            with pytest.raises(urllib.error.HTTPError) as refused:
                got(path)
            assert refused.value.code == 404
            refused.value.close()


def test_links_lead_to_the_source_itself_or_to_public_addresses(upstream: str) -> None:
    found = sources(upstream)
    page = found.page("odd")
    assert page is not None
    assert page.count("/file/") == 4
    for number in range(4):
        with pytest.raises(PackageUnavailable):
            found.file(str(number))


def test_the_public_index_may_keep_its_files_where_this_network_maps_them() -> None:
    doors = PackageSource.of("https://pypi.org/simple/", index=True).doors
    assert doors == {("pypi.org", 443), ("files.pythonhosted.org", 443)}
    assert PackageSource.of("https://packages.example/simple", index=True).doors == {
        ("packages.example", 443)
    }


def test_folders_are_sources_and_nothing_beyond_them(tmp_path: Path) -> None:
    top = tmp_path / "top"
    (top / "simple/curlew-probe").mkdir(parents=True)
    (top / "files").mkdir()
    name = wheel(top / "files").name
    (tmp_path / "secret").write_text("secret")
    (top / "files/escape.whl").symlink_to(tmp_path / "secret")
    (top / "simple/curlew-probe/index.html").write_text(
        f'<a href="../../files/{name}">a</a><a href="../../files/escape.whl">b</a>'
        f'<a href="file://{tmp_path}/secret">c</a>'
    )
    found = sources((top / "simple").as_uri(), links=(str(top / "files"),))
    page = found.page("curlew-probe")
    assert page is not None
    assert page.count(name) == 4
    answer, size = found.file("0")
    assert answer.read() == (top / "files" / name).read_bytes()
    assert size == (top / "files" / name).stat().st_size
    for number in "12":
        with pytest.raises(PackageUnavailable):
            found.file(number)


def test_a_trusted_host_a_proxy_and_authorities_are_the_operators(upstream: str, tmp_path: Path) -> None:
    port = upstream.rpartition(":")[2].partition("/")[0]
    given = PackageConfiguration(
        ("http://packages.example/simple",),
        proxy=f"127.0.0.1:{port}",
        trusted=frozenset({"packages.example"}),
    )
    assert PackageSources(given, {"http_proxy": "http://nowhere.example"}).page("curlew-probe") is None
    with pytest.raises(OSError, match="No such file"):
        PackageSources(PackageConfiguration(client=tmp_path / "none"), {})


@pytest.mark.parametrize(
    ("host", "public"),
    [("127.0.0.1", False), ("10.1.2.3", False), ("169.254.169.254", False), ("::1", False), ("9.9.9.9", True),
     ("localhost", False), ("no-such-host.invalid", False)],
)  # fmt: skip
def test_an_address_of_the_hosts_own_networks_is_not_public(host: str, public: bool) -> None:
    assert sources()._public(host) is public


def test_credentials_are_no_part_of_an_address() -> None:
    source = PackageSource.of("https://a%40b:p%3Aq@host:8443/simple/", index=True)
    assert source.address == "https://host:8443/simple"
    assert source.secret == "Basic " + base64.b64encode(b"a@b:p:q").decode()
    assert PackageSource.of("/wheels", index=False).folder == Path("/wheels")


def test_an_index_is_read_by_get_only_and_by_a_limited_number_at_once(upstream: str) -> None:
    with serving(sources(upstream), os.getpid(), PORT):
        for method, status in (("HEAD", 405), ("CONNECT", 405), ("POST", 501)):
            with pytest.raises(urllib.error.HTTPError, match=str(status)) as refused:
                urllib.request.urlopen(
                    urllib.request.Request(f"http://127.0.0.1:{PORT}/simple/x/", method=method), timeout=10
                )
            refused.value.close()
        with ExitStack() as stack:
            seats = [
                stack.enter_context(socket.create_connection(("127.0.0.1", PORT), timeout=10))
                for _ in range(WAITING + 1)
            ]
            assert seats[-1].recv(1) == b""


def test_a_process_that_is_gone_has_no_index() -> None:
    with pytest.raises(EngineError, match="package index"), serving(sources(), 1 << 30, PORT):
        pass


@pytest.mark.podman
def test_a_build_without_a_network_installs_from_a_source_with_a_password(
    podman_bench: Bench, upstream: str
) -> None:
    builder = builder_on(podman_bench.host, proxies=[index(partial(sources, upstream))])
    context = podman_bench.folder("context")
    port = upstream.rpartition(":")[2].partition("/")[0]
    (context / "Dockerfile").write_text(
        "FROM python:3-slim\nRUN cat /etc/pip.conf; env; pip install curlew-probe\n"
        f"RUN wget -T 2 -qO- http://127.0.0.1:{port}/simple/curlew-probe/ || echo refused\n"
        'RUN python3 -c "import curlew_probe; print(curlew_probe.WORD)"\n'
    )
    lines: list[str] = []
    builder.build(BuildOrder(41, context, "Dockerfile", "x", {}), lines.append)
    assert "installed" in lines
    assert "refused" in lines
    said = "\n".join(lines)
    assert PASSWORD not in said
    assert "pipuser" not in said
