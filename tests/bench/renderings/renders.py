"""Rows v: charts and grids, made by the whole service and kept, and the memory of what draws."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from threading import Thread

import resvg_py

from handlers.processes.render import pool_of
from handlers.rendering.pool import SingleFlight
from handlers.rendering.port import RenderOrder
from handlers.rendering.render_process import PoolLimits, RenderProcess
from handlers.rendering.socket_service import SOCKET, RemoteRenderer, RenderServer
from handlers.settings.settings import Settings
from tests.bench.figures import Figure, in_turn
from tests.bench.web import cpu
from tests.kit.command import Service, serving

COLD_ROWS = ("v1", "v2", "v3")
WEB_ROWS = ("v4", "v5", "v6", "v7", "v8", "v9")
ROWS = (*COLD_ROWS, *WEB_ROWS, "v10")
CHARTS = 20
CELLS = 12
FEW, MANY = 100, 1_000
TYPES = ("bar", "line", "area", "scatter", "donut", "table")
DATA = "month,north,south\n" + "".join(f"month {at},{at * 7 % 31},{at * 5 % 23}\n" for at in range(12))
fresh = count()


def drawing(rows: int, columns: int) -> str:
    """A layout of this number of cells, each 17 by 4."""
    bar = "+----------------" * columns + "+"
    said = "|  {Label12:^}   " * columns + "|"
    blank = "|                " * columns + "|"
    return "\n".join([bar, *[said, blank, blank, bar] * rows])


def measure(rows: set[str], rounds: int, scratch: Path) -> Iterator[Figure]:
    """The rows that are asked for."""
    if rows & {*COLD_ROWS, *WEB_ROWS}:
        with serving("web", scratch / "renders", WORKERS="1") as service, drawing_for(service) as renderer:
            if rows & set(COLD_ROWS):
                yield from (figure for figure in cold(renderer, rounds) if figure.row in rows)
            if rows & set(WEB_ROWS):
                yield from (figure for figure in kept(service, rounds) if figure.row in rows)
    if "v10" in rows:
        yield memory()


@contextmanager
def drawing_for(service: Service, processes: int = 1) -> Iterator[RemoteRenderer]:
    """A rendering service for a web server, warm, and who asks it as the web does."""
    pool = pool_of(Settings(data=str(service.folder), render_processes=processes))
    with RenderServer(service.folder / SOCKET, SingleFlight(pool)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        remote = RemoteRenderer(service.folder / SOCKET)
        remote.render(chart("svg"))
        yield remote
    pool.close()


def chart(form: str, type_: str = "bar", **options: int) -> RenderOrder:
    """A chart that nobody has ordered before."""
    texts = {"data": DATA, "config/type": type_, "config/title": f"Birds {next(fresh)}", "name": "birds"}
    return RenderOrder("plot", form, texts, options)


def cold(renderer: RemoteRenderer, rounds: int) -> Iterator[Figure]:
    """Charts that are made, through socket and confined process; pixels against those of the bare library."""
    drawn = renderer.render(chart("svg", fonts=0)).body.decode()
    svg, png, bare_png, ansi = in_turn(
        rounds,
        partial(each, lambda: renderer.render(chart("svg"))),
        partial(each, lambda: renderer.render(chart("png", scale=2))),
        partial(each, lambda: resvg_py.svg_to_bytes(svg_string=drawn, zoom=2.0)),
        partial(each, lambda: renderer.render(chart("ansi"))),
    )
    yield Figure("v1", "a chart as SVG, cold", svg, bound=20)
    yield Figure("v2", "a chart as PNG at scale 2, cold : its drawing by resvg alone", png, bare_png, bound=2)
    yield Figure("v3", "a chart for a terminal, cold", ansi, bound=20)


def each(act: Callable[[], object]) -> float:
    """Milliseconds of one call, from this number of calls."""
    began = time.perf_counter()
    for _ in range(CHARTS):
        act()
    return (time.perf_counter() - began) / CHARTS * 1000


def kept(service: Service, rounds: int) -> Iterator[Figure]:
    """Pictures that are kept, against texts of their size; a grid that is new, half new, and unchanged."""
    token = service.user("alice")
    for at in range(CELLS):
        service.want("PUT", f"/v1/vis/plots/birds{at}", token)
        service.want("POST", f"/v1/vis/plots/birds{at}/data", token, DATA.encode())
    for row, form, what in (
        ("v4", "svg", "SVG"),
        ("v5", "png?scale=2", "PNG at scale 2"),
        ("v6", "ansi", "ANSI"),
    ):
        picture = f"/v1/users/alice/vis/plots/birds0/files/plot.{form}"
        text = f"/v1/users/alice/vis/docs/{row}/content"
        service.want("PUT", f"/v1/vis/docs/{row}", token)
        service.want("POST", text, token, b"x" * len(service.want("GET", picture, token)))
        requests = (service.request("GET", path, token) for path in (picture, text))
        mine, floor = in_turn(
            rounds, *(partial(cpu, service.pid, service.port, one, 200) for one in requests)
        )
        what = f"GET of a kept {what}, 8 readers : a text of its size, processor time"
        yield Figure(row, what, mine, floor, "us", 1.6)
    yield from grids(service, token, rounds)


def grids(service: Service, token: str, rounds: int) -> Iterator[Figure]:
    """A grid of twelve cells: each plot new, one plot new, nothing new."""
    grid = "/v1/vis/grids/wall"
    layout = drawing(3, 4)
    labels = iter(range(CELLS))
    while "Label12" in layout:
        layout = layout.replace("Label12", f"Birds{next(labels):02}", 1)
    mapping = "".join(f"Birds{at:02} => /u/alice/p/birds{at}\n" for at in range(CELLS))
    service.want("PUT", grid, token)
    service.want("POST", f"{grid}/layout", token, layout.encode())
    service.want("POST", f"{grid}/mapping", token, mapping.encode())
    svg = partial(service.want, "GET", f"{grid}/files/grid.svg", token)

    def renewed(plots: int) -> float:
        for at in range(plots):
            title = f"Birds {next(fresh)}".encode()
            service.want("POST", f"/v1/vis/plots/birds{at}/config/title", token, title)
        began = time.perf_counter()
        svg()
        return (time.perf_counter() - began) * 1000

    svg()
    new, one, unchanged = in_turn(rounds, *(partial(renewed, plots) for plots in (CELLS, 1, 0)))
    yield Figure("v7", f"a grid of {CELLS} cells, cold", new)
    yield Figure("v8", "the same, one plot changed : cold", one, new, bound=0.5)
    yield Figure("v9", "the same, unchanged", unchanged, bound=10)


def memory() -> Figure:
    """Memory of one process that draws, of all types and several forms and sizes."""
    process = RenderProcess(PoolLimits())
    found = []
    try:
        for number in range(1, MANY + 1):
            form, type_ = ("svg", "png", "ansi")[number % 3], TYPES[number % len(TYPES)]
            process.render(chart(form, type_, width=400 + number % 400))
            if number in (FEW, MANY):
                found.append(process.resident / (1 << 20))
    finally:
        process.end()
    what = f"memory of a process that draws after {MANY:,} renders : after {FEW}"
    return Figure("v10", what, found[1], found[0], "MiB", 1.2)
