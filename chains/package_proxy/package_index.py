"""An index of Python packages on the loopback of one build.

The host's credentials, certificates and addresses stay outside, and nobody else can connect.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager

from chains.package_proxy.loopback import BuildProxy, LoopbackHandler, serving_beside
from chains.package_proxy.package_sources import PackageSources, PackageUnavailable, normal

PORT = 3141
PIP, UV = "/etc/pip.conf", "/etc/uv/uv.toml"
PAGE = re.compile(r"/simple/([A-Za-z0-9._-]{1,200})/?")
FILE = re.compile(r"/file/(\d{1,9})/[^/]{1,1000}?(\.metadata)?")


def index(sources: Callable[[], PackageSources]) -> BuildProxy:
    """Return an index with new sources for each build, so that numbers do not show other builds' packages."""
    address = f"http://127.0.0.1:{PORT}/simple/"
    files = {
        PIP: f"[global]\nindex-url = {address}\n",
        UV: f'index = [{{url = "{address}", default = true}}]\n',
    }
    return BuildProxy(lambda pid: serving(sources(), pid), files)


def serving(sources: PackageSources, pid: int, port: int = PORT) -> AbstractContextManager[None]:
    """Serve `sources` on the loopback of the process `pid` in the context. Raise EngineError."""
    return serving_beside(pid, port, IndexHandler, sources, "package index")


class IndexHandler(LoopbackHandler[PackageSources]):
    """A handler that answers pip's requests from package sources."""

    def answer(self) -> None:
        """Answer with a page of a project, or with a file."""
        try:
            if found := PAGE.fullmatch(self.path):
                self._page(normal(found[1]))
            elif found := FILE.fullmatch(self.path):
                self._file(found[1], metadata=bool(found[2]))
            else:
                self.send_error(404)
        except PackageUnavailable:
            self.send_error(404)

    def _page(self, project: str) -> None:
        page = self.server.served.page(project)
        if page is None:
            raise PackageUnavailable(project)
        data = page.encode()
        self._begin("text/html; charset=utf-8", len(data))
        self.wfile.write(data)

    def _file(self, number: str, *, metadata: bool) -> None:
        answer, size = self.server.served.file(number, metadata=metadata)
        with answer:
            self._begin("application/octet-stream", size)
            shutil.copyfileobj(answer, self.wfile, 1 << 18)

    def _begin(self, media: str, size: int | None) -> None:
        self.send_response(200)
        self.send_header("Content-Type", media)
        if size is not None:
            self.send_header("Content-Length", str(size))
        self.end_headers()
