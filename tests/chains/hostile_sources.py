"""Where the host's packages come from in the tests of hostile builds: an index and a proxy with passwords."""

from __future__ import annotations

import base64
import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from chains.package_proxy.apt_relay import PackageHosts, relay
from chains.package_proxy.client_config import PackageConfiguration
from chains.package_proxy.loopback import BuildProxy
from chains.package_proxy.package_sources import PackageSources, index

FILE = "probe-1.0.tar.gz"


@contextmanager
def offering(listener: int, pip: str, proxy: str, reached: list[str]) -> Iterator[tuple[BuildProxy, ...]]:
    """What builds are offered of an operator whose passwords are `pip` and `proxy`.

    The index links and redirects to the port `listener` of this host, and to files of it; `reached` tells who
    came without a password.
    """

    class Upstream(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            by_proxy = self.path.startswith("http://")
            if not self._knows(
                proxy if by_proxy else pip, "Proxy-Authorization" if by_proxy else "Authorization"
            ):
                self.send_error(401)
            elif by_proxy:
                self._say("passed on by the proxy\n", self.path.endswith("/endless"))
            elif self.path == "/simple/probe/":
                targets = (f"/f/{FILE}", f"http://127.0.0.1:{listener}/a.whl", "file:///etc/shadow", "/leave")
                self._say("".join(f'<a href="{target}">x</a>' for target in (*targets, "/endless")))
            elif self.path == "/leave":
                self.send_response(302)
                self.send_header("Location", f"http://127.0.0.1:{listener}/secret")
                self.end_headers()
            else:
                self._say("a package", self.path == "/endless")

        do_HEAD = do_GET  # noqa: N815

        def do_CONNECT(self) -> None:
            self._knows(proxy, "Proxy-Authorization")
            self.send_error(407)

        def _knows(self, password: str, header: str) -> bool:
            wanted = "Basic " + base64.b64encode(f"user:{password}".encode()).decode()
            if self.headers.get(header) == wanted:
                return True
            reached.append(f"upstream {self.command} {self.path} without a password")
            return False

        def _say(self, text: str, endless: bool = False) -> None:
            self.send_response(200)
            self.end_headers()
            with suppress(OSError):
                self.wfile.write(text.encode() if self.command == "GET" else b"")
                while endless:
                    self.wfile.write(bytes(1 << 16))

        def log_message(self, format: str, *args: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Upstream) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        here = f"127.0.0.1:{server.server_port}"
        sources = PackageConfiguration((f"http://user:{pip}@{here}/simple",), chosen=True)
        way = f"http://user:{proxy}@{here}"
        variables = {"http_proxy": way, "https_proxy": way, "no_proxy": "localhost"}
        yield (
            index(lambda: PackageSources(sources, {})),
            relay(PackageHosts(frozenset({"deb.debian.org", "localhost"}), variables)),
        )
        server.shutdown()
