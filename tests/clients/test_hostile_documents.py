"""Documents of bad will, rendered by the whole service: each is answered, and does nothing else."""

from __future__ import annotations

import io
import re
import struct
import threading
import time
import zlib
from collections.abc import Iterator
from html.parser import HTMLParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pikepdf
import pptx
import pytest
import requests

from tests.clients.conftest import Person

MIB = 1 << 20
PATIENCE = 150
FORMS = ("html", "md", "pdf", "pptx")
XLINK = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
PARTS_OF_PAGES = {"script", "iframe", "object", "embed", "form", "input", "base", "link", "frame", "video"}


LAUGHS = "".join(f"<!ENTITY l{at + 1} '{f'&l{at};' * 10}'>" for at in range(8))
BOMB = f'<!DOCTYPE svg [<!ENTITY l0 "ha">{LAUGHS}]>'
COPY, FILLED = "<use href='#g{}'/>", "<rect fill='url(#p{})'/>"
PATTERN = "<pattern id='p{}' width='9' height='9'>{}</pattern>"


class Document:
    """A document of a person's, asked for its forms."""

    def __init__(self, person: Person, name: str) -> None:
        self.person = person
        self.place = f"{person.server.root}vis/docs/{name}"
        assert self.send("PUT", "").status_code == 201

    def send(self, method: str, rest: str, body: bytes | str = b"", media: str = "") -> requests.Response:
        headers = {
            "Authorization": f"Bearer {self.person.token}",
            "Content-Type": media or "text/plain; charset=utf-8",
        }
        sent = body.encode() if isinstance(body, str) else body
        return requests.request(method, f"{self.place}{rest}", data=sent, headers=headers, timeout=PATIENCE)

    def write(self, rest: str, text: str) -> None:
        answer = self.send("POST", f"/{rest}", text)
        assert answer.status_code < 300, answer.text[:300]

    def attach(self, name: str, body: bytes, media: str) -> requests.Response:
        return self.send("PUT", f"/assets/{name}", body, media)

    def form(self, form: str) -> requests.Response:
        return self.send("GET", f"/files/doc.{form}")

    def forms(self) -> dict[str, requests.Response]:
        """Every form, each of which is there, whole and no larger than it may be."""
        answers = {form: self.form(form) for form in FORMS}
        assert {form: answer.status_code for form, answer in answers.items()} == dict.fromkeys(FORMS, 200)
        assert all(len(answer.content) < 24 * MIB for answer in answers.values())
        with pikepdf.open(io.BytesIO(answers["pdf"].content)) as paper:
            assert len(paper.pages) > 0
        assert len(pptx.Presentation(io.BytesIO(answers["pptx"].content)).slides) > 0
        Page().feed(answers["html"].text)
        return answers

    @property
    def log(self) -> str:
        answer = self.send("GET", "/log")
        assert answer.status_code == 200
        return answer.text


class Page(HTMLParser):
    """Refuses what would run, ask, fetch or lead elsewhere by itself."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in PARTS_OF_PAGES, tag
        for name, value in attrs:
            text = (value or "").strip()
            assert not name.startswith("on") and name not in ("style", "srcdoc", "formaction", "ping"), name
            assert not (tag == "meta" and name == "http-equiv" and "refresh" in text.lower())
            if name in ("src", "srcset", "background", "poster", "data"):
                assert text.startswith("data:image/"), text[:80]
            if name == "href":
                assert re.match(r"https?://|mailto:|tel:|#|/(?!/)", text), text[:80]


class Listener(ThreadingHTTPServer):
    """A web server that remembers what it was asked for, and leads to itself."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Asked)
        self.asked: list[str] = []
        self.url = f"http://127.0.0.1:{self.server_port}"


class Asked(BaseHTTPRequestHandler):
    """Remembers a request and answers that it is elsewhere."""

    def do_GET(self) -> None:
        assert isinstance(self.server, Listener)
        self.server.asked.append(self.path)
        self.send_response(302)
        self.send_header("Location", "/again")
        self.end_headers()


@pytest.fixture(scope="module")
def listener() -> Iterator[Listener]:
    with Listener() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def document(alice: Person) -> Document:
    return Document(alice, "hostile")


def svg(inside: str, head: str = "", size: int = 40) -> bytes:
    """A drawing."""
    return f'{head}<svg {XLINK} width="{size}" height="{size}">{inside}</svg>'.encode()


def png(width: int, height: int) -> bytes:
    """A picture of white pixels, one bit each."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    packer, row = zlib.compressobj(9), b"\0" + b"\xff" * (width // 8)
    rows = b"".join(packer.compress(row * 100) for _ in range(height // 100)) + packer.flush()
    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def test_nothing_is_fetched_for_a_document(document: Document, listener: Listener, tmp_path: Path) -> None:
    file = tmp_path / "file.svg"
    file.write_bytes(svg("<text>inmost</text>"))
    url = f"{listener.url}/secret"
    drawing = svg(
        f'<style>@import "{url}"; rect {{ fill: url({url}#a) }}</style><image href="{url}"/>'
        f'<image xlink:href="{url}"/><use href="{url}#a"/><rect width="9" height="9" filter="url({url}#f)"/>'
        f'<image href="file://{file}"/><script href="{url}"/><a href="{url}"><text>x</text></a>'
        f'<foreignObject><img src="{url}"/></foreignObject>',
        head=f'<?xml-stylesheet href="{url}"?>',
    )
    assert document.attach("drawing.svg", drawing, "image/svg+xml").status_code < 300
    assert (
        document.attach("dtd.svg", svg("", f'<!DOCTYPE svg SYSTEM "{url}">'), "image/svg+xml").status_code
        < 500
    )
    links = " ".join(f"![x]({one}) [y]({one})" for one in (url, f"file://{file}", "//127.0.0.1/x"))
    document.write(
        "content",
        f"---\ntitle: {url}\nlang: {url}\n---\n{links}\n\n![x][r] [z]: {url}\n\n[r]: {url}\n\n<{url}>\n\n"
        f"{{{{ img ref: drawing.svg, link: {url} }}}}\n{{{{ img ref: dtd.svg }}}}\n{{{{ img ref: {url} }}}}\n"
        f"{{{{ vis ref: {url}/u/x/p/y }}}}\n{{{{ author username: {url} }}}}\n$\\href{{{url}}}{{x}}$\n\n"
        f'{{{{ html }}}}<img src="{url}"><link rel=stylesheet href="{url}"><style>@import url({url})</style>'
        f'<p style="background:url({url})" background="{url}">x<svg><image href="{url}"/></svg>'
        f'<meta http-equiv=refresh content="0;url={url}"><base href="{url}"><iframe src="{url}"></iframe>'
        f'<object data="{url}"></object><video poster="{url}"></video><form action="{url}"><input></form>'
        f'<a href="{url}" ping="{url}">a</a>{{{{ /html }}}}\n',
    )
    sheet = (f'@import "{url}"; @import url({url}); @font-face {{ font-family: x; src: url({url}) }}'
             f"@namespace url({url}); body {{ background: url({url}); font-family: x }}"
             f'p {{ background-image: image-set("{url}" 1x); content: url({url}); cursor: url({url}), auto }}'
             f"@media print {{ h1 {{ list-style: \\75rl({url}) }} }} a {{ --x: url({url}); mask: var(--x) }}"
    )  # fmt: skip
    document.write("config/custom/custom.css", sheet)
    for kind in ("doc", "pres"):
        document.write("config/type", kind)
        page = document.forms()["html"].text
        assert not re.search(rf"url\(\s*[\"']?{listener.url}", page)
        assert "inmost" not in page
    assert listener.asked == []
    assert "nothing is fetched for a document" in document.log


def test_drawings_of_bad_will_are_notes_or_pictures(document: Document) -> None:
    drawings = {
        "bomb.svg": svg("<text>&l8;</text>", BOMB),
        "wide.svg": f'<?xml version="1.0" encoding="utf-16"?>{BOMB}<svg/>'.encode("utf-16"),
        "xxe.svg": svg("<text>&x;</text>", '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>'),
        "tower.svg": svg(
            '<rect id="g0"/>' + "".join(f"<g id='g{at + 1}'>{COPY.format(at) * 10}</g>" for at in range(9))
        ),
        "copies.svg": svg(f"<g id='g1'>{'<rect/>' * 9_000}</g>{COPY.format(1) * 9_000}"),
        "itself.svg": svg(f"<g id='g1'>{COPY.format(1)}</g>"),
        "patterns.svg": svg("".join(PATTERN.format(at, FILLED.format(at + 1) * 10) for at in range(9))),
        "repeats.svg": svg('<linearGradient id="a" x2="1e-9" spreadMethod="repeat"/><rect fill="url(#a)"/>'),
        "deep.svg": svg("<g>" * 5_000 + "</g>" * 5_000),
        "huge.svg": svg('<rect width="1e9" height="1e9"/>', size=10**9),
        "script.svg": svg('<script>alert(1)</script><rect onload="alert(2)" width="9" height="9"/>'),
    }
    taken = [name for name, body in drawings.items() if document.attach(name, body, "image/svg+xml").ok]
    assert "script.svg" in taken
    document.write(
        "content", "first\n\n" + "".join(f"{{{{ img ref: {name} }}}}\n" for name in taken) + "\nlast\n"
    )
    answers = document.forms()
    assert "last" in answers["md"].text and "root:" not in answers["html"].text
    assert "alert" not in answers["html"].text
    said = document.log
    assert all(name in said for name in taken if name not in ("script.svg", "huge.svg")), said


def test_pictures_and_fonts_that_unpack_without_end_are_notes(document: Document) -> None:
    bombs = {
        "wide.png": (png(30_000, 30_000), "image/png"),
        "font.woff2": (
            b"wOF2" + b"\0\1\0\0" + struct.pack(">IHHI", 64, 200, 0, 2**31) + bytes(900),
            "font/woff2",
        ),
        "torn.png": (png(64, 100)[:60], "image/png"),
        "torn.jpg": (b"\xff\xd8\xff\xe0" + bytes(900), "image/jpeg"),
        "wide.gif": (b"GIF89a" + struct.pack("<HHBBB", 65_535, 65_535, 0, 0, 0) + b"\x3b", "image/gif"),
        "zip.svg": (b"PK\3\4" + bytes(900), "image/svg+xml"),
    }
    taken = [name for name, (body, media) in bombs.items() if document.attach(name, body, media).ok]
    assert {"wide.png", "font.woff2", "wide.gif"} <= set(taken)
    document.write("content", "".join(f"{{{{ img ref: {name} }}}}\n\n![x]({name})\n\n" for name in bombs))
    document.write(
        "config/custom/custom.css", "@font-face { font-family: x; src: local(x), url(font.woff2) }"
    )
    document.forms()
    said = document.log
    assert all(name in said for name in bombs if name != "torn.png"), said
    assert "wide.png is not shown: it has too many pixels" in said and "font/woff2 is no picture" in said


COVERING = """
body, html { position: fixed; inset: 0; z-index: 99999; width: 9e9px }
p::before { content: "\\202e \\0"; position: absolute; top: 0 } p { transform: scale(1e9) }
"""


def test_sheets_that_cover_or_stretch_the_page_are_answered(document: Document) -> None:
    document.write("content", "# Head\n\n" + "a paragraph\n\n" * 9)
    document.write("config/custom/custom.css", COVERING + "}</style><script>alert(1)</script>" + "a{" * 9_000)
    page = document.forms()["html"].text
    assert "position:fixed" not in page.replace(" ", "") and page.count("</style>") == 1
    assert "nothing may cover the page" in document.log


def test_charts_of_itself_and_without_number_are_answered(alice: Person, document: Document) -> None:
    alice.ask("PUT", "vis/grids/loop")
    alice.ask("POST", "vis/grids/loop/layout", b"+---+---+\n|{A}|{B}|\n+---+---+")
    alice.ask("POST", "vis/grids/loop/mapping", f"A => /p/hostile\nB => /u/{alice.name}/p/loop".encode())
    itself = f"{{{{ vis ref: /u/{alice.name}/d/hostile }}}}\n{{{{ vis ref: /g/loop }}}}\n"
    many = "".join(
        f"{{{{ vis ref: /p/none-{number}, width: {number % 90 + 1}% }}}}\n" for number in range(10_000)
    )
    document.write("content", itself + many[: MIB - 400])
    started = time.monotonic()
    assert document.form("html").status_code == 200
    assert document.form("md").status_code == 200
    assert time.monotonic() - started < PATIENCE
    assert "sections" in document.log and "is no plot or grid" in document.log


def test_names_and_titles_do_not_turn_or_break_the_page(document: Document) -> None:
    bad = "a\u202eb\u2066c\x07\x1b[31m\ufeff\ufffe</title><script>alert(1)</script>&#0;&#xD800;"
    for rest in ("name", "summary", "config/title"):
        document.send("POST", f"/{rest}", bad)
    document.write(
        "content",
        f'---\ntitle: {bad}\nauthor: "\\x1b\\0{"x" * 999}"\nlang: \'"><script>\'\ndate: {bad}\n---\n'
        f"# {bad}\n{{{{ callout title: {bad} }}}}\n{bad}\n{{{{ /callout }}}}\n```{bad}\n{bad}\n```\n",
    )
    answers = document.forms()
    assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f]", answers["html"].text + answers["md"].text)
    assert answers["html"].text.count("</title>") == 1


@pytest.mark.parametrize("piece", ["> ", "*a **b _c "])
def test_a_mebibyte_of_marks_is_answered(document: Document, piece: str) -> None:
    document.write("content", piece * (MIB // len(piece)))
    started = time.monotonic()
    assert document.form("html").status_code == 200
    assert time.monotonic() - started < PATIENCE / 2
    assert re.search(r"left out|words|deep", document.log)
