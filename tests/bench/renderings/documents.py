"""Rows w: documents as PDF against the bare library, long ones, and what readers feel."""

from __future__ import annotations

import io
import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path

from PIL import Image

from handlers.render.documents.markup.blocks import Document
from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.document_html import DocumentLook, page_html
from handlers.render.documents.pages.media import SCHEME, PaperMedium
from handlers.render.documents.pages.parts import part_requests
from handlers.render.documents.pdf.paper import VARIANT, document_pdf, typesetter
from handlers.render.plots.forms.drawing import Look, draw
from handlers.rendering.port import RenderOrder
from handlers.rendering.render_process import PoolLimits, RenderProcess
from handlers.words.document_parts import DocumentParts, VisPart
from handlers.words.plot import Plot
from tests.bench.figures import Figure, in_turn
from tests.bench.load import load
from tests.bench.renderings.renders import drawing_for
from tests.bench.web import cpu
from tests.kit.command import Service, serving
from tests.kit.processes import processor_seconds

PURE_ROWS = ("w1",)
LONG_ROWS = ("w3", "w4")
WEB_ROWS = ("w5", "w6")
ROWS = (*PURE_ROWS, *LONG_ROWS, *WEB_ROWS)
CHAPTERS, SECTIONS, LONG = 10, 50, 100
RENDERS = 8
ANSWERS = 40_000
LOOK = DocumentLook(name="harbour", origin="ann/harbour")
PLOT = Plot("month,north,south\n" + "".join(f"m{at},{at * 7 % 31},{at * 5 % 23}\n" for at in range(12)), {})
WORDS = (
    "The harbour took in more timber than in any year before, and the price of cod held through the winter "
    "months; nobody on the quay had expected that, and the *pilots* least of all. "
)
fresh = count()


def measure(rows: set[str], rounds: int, scratch: Path) -> Iterator[Figure]:
    """The rows that are asked for."""
    if "w1" in rows:
        yield against_library(rounds)
    if rows & set(LONG_ROWS):
        yield from (figure for figure in long_document() if figure.row in rows)
    if rows & set(WEB_ROWS):
        with ExitStack() as stack:
            service = stack.enter_context(serving("web", scratch / "documents", WORKERS="1"))
            stack.enter_context(drawing_for(service, processes=2))
            yield from (figure for figure in for_readers(service, rounds) if figure.row in rows)


def section(number: int, changed: object = "", chart: str = "") -> str:
    """Two pages: a heading, four paragraphs, a list and a table, perhaps with a chart."""
    table = "".join(f"| Cod {row} | {row * number} | {row * 3}.5 |\n" for row in range(8))
    listing = "".join(f"- point {row} of some words that say a thing\n" for row in range(6))
    show = f"{{{{ vis ref: {chart}, height: 4cm }}}}\n\n" if chart else ""
    text = "\n\n".join(WORDS * 4 + f"It was {at}. {changed}" for at in range(4))
    return (
        f"# Section {number}\n\n{text}\n\n{show}| Goods | Tons | Price |\n|---|--:|--:|\n{table}\n{listing}"
    )


def sections(number: int, changed: object = "", chart: str = "") -> str:
    """This number of sections, each on separate pages; the one in the middle with some more words."""
    pages = (section(at, changed if at == number // 2 else "", chart) for at in range(number))
    return "---\ntitle: Harbour\ntoc: true\n---\n" + "\n\n{{ page /}}\n\n".join(pages)


def against_library(rounds: int) -> Figure:
    """Twenty pages with ten charts, by everything that prints documents and by the library alone."""
    document = read_document(sections(CHAPTERS, chart="/u/ann/p/birds"))
    parts = drawn(document)
    medium = PaperMedium()
    html = page_html(document, parts, medium, LOOK).whole
    pages = document_pdf(document, parts, LOOK).pages
    library = typesetter()

    def bare() -> None:
        fetcher = library.fetcher(medium.files)
        source = library.html(string=html, url_fetcher=fetcher, base_url=SCHEME)
        source.write_pdf(pdf_variant=VARIANT)

    ours, floor = in_turn(
        rounds,
        partial(processor, lambda: document_pdf(document, parts, LOOK)),
        partial(processor, bare),
    )
    what = f"a PDF of {pages} pages with {CHAPTERS} charts : WeasyPrint on the same HTML, processor time"
    return Figure("w1", what, ours, floor, bound=1.05)


def drawn(document: Document) -> DocumentParts:
    """The charts of a document."""
    requests = part_requests(document, LOOK.kind).visuals
    look = Look(width=requests[0].width, height=requests[0].height or None)
    titled = (replace(PLOT, config={"title": f"Birds {at}"}) for at in count())
    pictures = {one.key: draw(plot, look).svg for one, plot in zip(requests, titled, strict=False)}
    return DocumentParts({key: VisPart({"light": svg}, "Birds of the quay") for key, svg in pictures.items()})


def long_document() -> Iterator[Figure]:
    """Two hundred pages in a confined process, as the rendering service has it."""
    limits = PoolLimits(seconds=600)
    process = RenderProcess(limits)
    try:
        began = processor_seconds(process.pid)
        process.render(RenderOrder("doc", "pdf", {"content": sections(LONG)}))
        seconds = processor_seconds(process.pid) - began
        yield Figure(
            "w3", "a PDF of 200 pages, processor time", seconds, unit="s", bound=PoolLimits().seconds
        )
        resident = process.resident / (1 << 20)
        most = limits.memory / 2 / (1 << 20)
        yield Figure("w4", "memory of the process that made it", resident, unit="MiB", bound=most)
    finally:
        process.end()


def processor(act: Callable[[], object]) -> float:
    """Milliseconds of this process's time that it takes."""
    began = time.process_time()
    act()
    return (time.process_time() - began) * 1000


def for_readers(service: Service, rounds: int) -> Iterator[Figure]:
    """A kept PDF against a file of its size; small files while documents are rendered, and while none is."""
    token = service.user("alice")
    service.want("PUT", "/v1/vis/docs/harbour", token)
    service.want("POST", "/v1/vis/docs/harbour/content", token, sections(CHAPTERS).encode())
    pdf = "/v1/vis/docs/harbour/files/doc.pdf"
    body = service.want("GET", pdf, token)
    static = "/v1/vis/docs/harbour/assets/same.png"
    service.want("POST", static, token, noise(len(body)), "image/png")
    kept, file = (service.request("GET", path, token) for path in (pdf, static))
    ours, floor = in_turn(
        rounds, *(partial(cpu, service.pid, service.port, one, 200) for one in (kept, file))
    )
    yield Figure("w5", "GET of a kept PDF : an asset of that size, processor time", ours, floor, "us", 1.6)
    yield beside_renders(service, token, rounds)


def noise(size: int) -> bytes:
    """A picture of about this number of bytes."""
    made = io.BytesIO()
    Image.frombytes("L", (256, size // 256), random.Random(size).randbytes(size // 256 * 256)).save(
        made, "PNG"
    )
    return made.getvalue()


def beside_renders(service: Service, token: str, rounds: int) -> Figure:
    """Small files while eight documents are rendered, against while none is."""
    small = service.request("GET", "/v1/vis/docs/harbour/config/title", token)
    names = [f"/v1/vis/docs/busy{at}" for at in range(RENDERS)]
    for name in names:
        service.want("PUT", name, token)

    def alone() -> float:
        return load(service.port, small, ANSWERS, 2).seconds / ANSWERS * 1e6

    def beside() -> float:
        for name in names:
            service.want("POST", f"{name}/content", token, sections(CHAPTERS, next(fresh)).encode())
        with ThreadPoolExecutor(RENDERS) as threads:
            futures = [threads.submit(load, service.port, render(name), 1, 1) for name in names]
            took = alone()
            for one in futures:
                one.result()
        return took

    def render(name: str) -> bytes:
        return service.request("GET", f"{name}/files/doc.pdf", token)

    ours, floor = in_turn(rounds, beside, alone)
    what = f"GET of a small file beside {RENDERS} renders of documents : beside none"
    return Figure("w6", what, ours, floor, "us", 1.5)
