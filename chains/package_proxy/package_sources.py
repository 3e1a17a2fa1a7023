"""An index of Python packages on the loopback of one build, and the operator's sources that it reads."""

from __future__ import annotations

import html
import os
import re
import shutil
import socket
import ssl
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from chains.package_proxy.client_config import PackageConfiguration
from chains.package_proxy.loopback import BuildProxy, LoopbackHandler, serving_beside
from chains.package_proxy.outbound import WEB, opener, without_credentials
from chains.package_proxy.package_store import PackageBytes, PackageStore
from chains.public_hosts import SECONDS, is_public

LARGEST_PAGE = 32 << 20
MOST_LINKS = 200_000
FILES = (".whl", ".tar.gz", ".zip", ".tar.bz2")
ALSO_AT = {("https", "pypi.org"): ("https", "files.pythonhosted.org")}
"""The other host with the files of the public index."""

METADATA = ("data-core-metadata", "data-dist-info-metadata")
"""Attributes that show that a file's metadata is available separately (PEP 658, PEP 714)."""
KEPT = ("data-requires-python", "data-yanked", *METADATA)


class PackageUnavailable(Exception):
    """A package or a page is not available."""


@dataclass(frozen=True, slots=True)
class PackageSource:
    """An index or a page of links: its address without credentials, and the header that authorises there.

    In an `index`, each project has its own page.
    """

    address: str
    secret: str | None
    index: bool

    @classmethod
    def of(cls, address: str, *, index: bool) -> PackageSource:
        """Return the source at an address of pip's configuration. A path is a folder of the host."""
        bare, secret = without_credentials(address if "://" in address else Path(address).absolute().as_uri())
        return cls(bare.rstrip("/"), secret, index)

    @property
    def folder(self) -> Path | None:
        """The folder of the host if the source is one, else None."""
        parts = urllib.parse.urlsplit(self.address)
        return Path(urllib.parse.unquote(parts.path)) if parts.scheme == "file" else None

    @property
    def origin(self) -> tuple[str, str]:
        """The scheme and the host."""
        parts = urllib.parse.urlsplit(self.address)
        return parts.scheme, parts.netloc

    @property
    def doors(self) -> set[tuple[str, int]]:
        """The hosts and ports of the source and its files, public or not."""
        parts = urllib.parse.urlsplit(self.address)
        port = parts.port or WEB.get(parts.scheme, 0)
        # A server often redirects requests without encryption to the same host with it.
        ports = {port, WEB["https"]} if port == WEB["http"] else {port}
        also = {(host, WEB[scheme]) for scheme, host in filter(None, [ALSO_AT.get(self.origin)])}
        return {((parts.hostname or ""), port) for port in ports} | also


@dataclass(frozen=True, slots=True)
class PackageLink:
    """A file that a source offers: its address, the source with the link, and its SHA-256 digest or ""."""

    target: str
    source: PackageSource
    digest: str = ""


class PackageSources:
    """Pages of projects with numbers as links, and the files behind these numbers.

    A build may ask for any name, so only links of a source are fetched: at the source's host, at a public
    address, or in the source's folder. All methods may be called from several threads.
    """

    def __init__(
        self,
        configured: PackageConfiguration,
        variables: Mapping[str, str],
        store: PackageStore | None = None,
    ) -> None:
        self._store = store
        self._sources = [PackageSource.of(address, index=True) for address in configured.indexes]
        self._sources += [PackageSource.of(address, index=False) for address in configured.links]
        self._proxied = configured.proxy or variables.get("https_proxy") or variables.get("HTTPS_PROXY")
        self._trusted = configured.trusted
        self._openers = {trust: self._opener(configured, variables, trust) for trust in (False, True)}
        self._links: dict[str, PackageLink] = {}
        self._numbers: dict[PackageLink, str] = {}
        self._lock = threading.Lock()

    def page(self, project: str) -> str | None:
        """Return the page of a project from all sources as HTML (PEP 503), or None if no source has it."""
        lines = [line for source in self._sources for line in self._lines(source, project)]
        return "<!DOCTYPE html>\n" + "\n".join(lines) if lines else None

    def file(self, number: str, *, metadata: bool = False) -> tuple[PackageBytes, int | None]:
        """Return the file behind a link, or its metadata, and its size if known.

        A file with a digest is stored and not fetched again. Raises PackageUnavailable.
        """
        link = self._links.get(number)
        if link is None:
            raise PackageUnavailable("there is no such link")
        digest = "" if metadata else link.digest
        if self._store and (kept := self._store.get(digest)):
            return kept, os.fstat(kept.fileno()).st_size
        target = f"{link.target}.metadata" if metadata else link.target
        same = urllib.parse.urlsplit(target)[:2] == link.source.origin
        answer = self._open(target, link.source, link.source.secret if same else None)
        size = answer.headers.get("Content-Length", "")
        stream = self._store.keep(digest, answer) if self._store else answer
        return stream, int(size) if size.isdigit() else None

    def _lines(self, source: PackageSource, project: str) -> Iterator[str]:
        folder = source.folder
        if folder is not None and not source.index:
            for file in sorted(folder.glob("*")) if folder.is_dir() else [folder]:
                if _names(file.name, project):
                    yield self._line(PackageLink(file.as_uri(), source), "", {})
            return
        address = f"{source.address}/{project}/" if source.index else source.address
        try:
            page = f"{address}index.html" if folder is not None else address
            with self._open(page, source, source.secret) as answer:
                where, text = answer.url, answer.read(LARGEST_PAGE).decode("utf-8", "replace")
        except PackageUnavailable:
            return
        anchors = _Anchors()
        anchors.feed(text)
        for href, kept in anchors.found:
            target, _, mark = urllib.parse.urljoin(where, href).partition("#")
            if source.index or _names(_file_name(target), project):
                yield self._line(PackageLink(target, source, mark.removeprefix("sha256=")), mark, kept)

    def _line(self, link: PackageLink, mark: str, kept: Mapping[str, str]) -> str:
        name = _file_name(link.target)
        more = "".join(f' {key}="{html.escape(word)}"' for key, word in kept.items())
        href = f"/file/{self._number(link)}/{urllib.parse.quote(name)}" + (f"#{mark}" if mark else "")
        return f'<a href="{html.escape(href)}"{more}>{html.escape(name)}</a><br>'

    def _number(self, link: PackageLink) -> str:
        with self._lock:
            if len(self._numbers) >= MOST_LINKS:
                self._numbers.clear()
                self._links.clear()
            number = self._numbers.setdefault(link, str(len(self._numbers)))
            self._links[number] = link
            return number

    def _open(self, target: str, source: PackageSource, secret: str | None) -> Any:
        self._require_allowed(target, source)
        headers = {"Accept": "text/html, */*;q=0.1", "User-Agent": "pip"}
        request = urllib.request.Request(target, headers=headers)
        if secret:
            request.add_unredirected_header("Authorization", secret)
        opener = self._openers[urllib.parse.urlsplit(target).hostname in self._trusted]
        try:
            return opener.open(request, timeout=SECONDS)
        except urllib.error.HTTPError as error:
            error.close()
            raise PackageUnavailable("the source refuses") from None
        except (OSError, ValueError) as error:
            raise PackageUnavailable("the source does not answer") from error

    def _require_allowed(self, target: str, source: PackageSource) -> None:
        """Raise PackageUnavailable if a build may not fetch the target of a source's link."""
        parts = urllib.parse.urlsplit(target)
        allowed = False
        if parts.scheme == "file" and source.folder is not None:
            allowed = _below(Path(urllib.parse.unquote(parts.path)), source.folder)
        elif parts.scheme in WEB:
            near = (source.origin, ALSO_AT.get(source.origin))
            allowed = (parts.scheme, parts.netloc) in near or self._public(parts.hostname or "")
        if not allowed:
            raise PackageUnavailable("a link leads to a place where no package can be")

    def _public(self, host: str) -> bool:
        """Return whether a host is outside the operator's own network."""
        try:
            return is_public(host)
        except ValueError:
            pass
        if self._proxied:
            return "." in host.rstrip(".")
        try:
            found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            return False
        return bool(found) and all(is_public(str(entry[4][0])) for entry in found)

    def _opener(
        self, configured: PackageConfiguration, variables: Mapping[str, str], trusting: bool
    ) -> urllib.request.OpenerDirector:
        context = _context(configured, trusting)
        proxies = {
            name.lower().removesuffix("_proxy"): word
            for name, word in variables.items()
            if name.lower() in ("http_proxy", "https_proxy") and word
        }
        if configured.proxy:
            address = configured.proxy if "://" in configured.proxy else f"http://{configured.proxy}"
            proxies = {"http": address, "https": address}
        near = {door for source in self._sources for door in source.doors}
        return opener(proxies, context, near, self._public)


def _context(configured: PackageConfiguration, trusting: bool) -> ssl.SSLContext:
    """Return the TLS context for a host. A trusted host needs no certificate authorities."""
    if trusting:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    else:
        authorities = configured.authorities
        context = ssl.create_default_context(cafile=str(authorities) if authorities else None)
    if configured.client:
        context.load_cert_chain(configured.client)
    return context


class _Anchors(HTMLParser):
    """The links of a page, with their attributes such as the required Python version."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a" and (href := dict(attrs).get("href")):
            self.found.append((href, {key: word or "" for key, word in attrs if key in KEPT}))


def normal(project: str) -> str:
    """Return a project's name in the form of indexes (PEP 503)."""
    return re.sub(r"[-_.]+", "-", project).lower()


def _names(file: str, project: str) -> bool:
    """Return whether a file belongs to a project."""
    return file.endswith(FILES) and normal(re.split(r"-\d", file)[0]) == project


def _file_name(target: str) -> str:
    return urllib.parse.unquote(urllib.parse.urlsplit(target).path.rstrip("/").rpartition("/")[2])


def _below(file: Path, folder: Path) -> bool:
    """Return whether a file is in a source's folder or next to it, where the files of an index often are."""
    real, top = file.resolve(), folder.resolve()
    beside = top.parent if top.parent != Path("/") else top
    return real.is_relative_to(beside)


PORT = 3141
PIP, UV = "/etc/pip.conf", "/etc/uv/uv.toml"
PAGE_PATH = re.compile(r"/simple/([A-Za-z0-9._-]{1,200})/?")
FILE_PATH = re.compile(r"/file/(\d{1,9})/[^/]{1,1000}?(\.metadata)?")


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
            if found := PAGE_PATH.fullmatch(self.path):
                self._page(normal(found[1]))
            elif found := FILE_PATH.fullmatch(self.path):
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
