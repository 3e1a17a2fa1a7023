"""Rows q: a grid of twelve plots drawn at first, after one of them changed, and asked for unchanged."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from itertools import count
from pathlib import Path

from tests.bench.figures import Figure, in_turn
from tests.bench.parsing import drawing
from tests.bench.web import cpu
from tests.kit.command import Service, serving

ROWS = ("q1", "q2", "q3", "q4")
TYPES = ("bar", "hbar", "sbar", "line", "area", "step", "pie", "donut", "hist", "table", "value", "spark")
GRID = "/v1/vis/grids/board"
PICTURE = f"{GRID}/files/grid.svg"
WIDTH = count(1_000, 8)
"""Pixels, each time so many more that every cell is wider."""


def measure(rows: set[str], rounds: int, scratch: Path) -> Iterator[Figure]:
    """The rows that are asked for."""
    if not rows & set(ROWS):
        return
    with serving("serve", scratch / "grids", WORKERS="1") as service:
        token = service.user("alice")
        write(service, token)
        whole, plots, changed = in_turn(
            rounds,
            partial(grid, service, token),
            partial(single_plots, service, token),
            partial(changed_plot, service, token),
        )
        if "q1" in rows:
            what = "grid of 12 plots, none drawn before : the 12 plots, one after the other"
            yield Figure("q1", what, whole * 1e3, plots * 1e3, bound=1)
        if "q2" in rows:
            what = "grid of 12 plots, one changed : none drawn before"
            yield Figure("q2", what, changed * 1e3, whole * 1e3, bound=0.5)
        if "q3" in rows:
            yield unchanged(service, token, rounds)
        if "q4" in rows:
            yield pathological(service, token, rounds)


def write(service: Service, token: str) -> None:
    """Twelve plots, and the grid that shows them in three rows."""
    values = "".join(
        f"2026-{1 + at // 28:02}-{1 + at % 28:02},{at % 7 + 3},{at % 5 + 1}\n" for at in range(60)
    )
    for kind in TYPES:
        service.want("PUT", f"/v1/vis/plots/{kind}", token)
        service.want("POST", f"/v1/vis/plots/{kind}/data", token, f"day,north,south\n{values}".encode())
        service.want("POST", f"/v1/vis/plots/{kind}/config/type", token, kind.encode())
    layout = drawing(3, 4)
    for at in range(len(TYPES)):
        layout = layout.replace("{Label12:^}", f"{{L{at}}}".ljust(11), 1)
    bound = "".join(f"L{at} => /p/{kind}, h=t\n" for at, kind in enumerate(TYPES))
    service.want("PUT", GRID, token)
    service.want("POST", f"{GRID}/layout", token, layout.encode())
    service.want("POST", f"{GRID}/mapping", token, bound.encode())
    for _ in range(4):
        grid(service, token)


def seconds(service: Service, token: str, *paths: str) -> float:
    """Time until all of these are answered, one after the other."""
    began = time.perf_counter()
    for path in paths:
        service.want("GET", path, token)
    return time.perf_counter() - began


def grid(service: Service, token: str) -> float:
    """The grid at a width at which it was never drawn."""
    return seconds(service, token, f"{PICTURE}?width={next(WIDTH)}")


def single_plots(service: Service, token: str) -> float:
    """Its plots, each at about the size of a cell and at a width at which it was never drawn."""
    width = next(WIDTH) - 700
    size = f"width={width}&height=200"
    return seconds(service, token, *(f"/v1/vis/plots/{kind}/files/plot.svg?{size}" for kind in TYPES))


def changed_plot(service: Service, token: str) -> float:
    """The grid at a width at which it was drawn before one of its plots changed."""
    service.want("GET", PICTURE, token)
    service.want("POST", "/v1/vis/plots/line/config/title", token, f"Line {next(WIDTH)}".encode())
    return seconds(service, token, PICTURE)


def unchanged(service: Service, token: str, rounds: int) -> Figure:
    """The kept grid against a small file, by the processor time of the web process."""
    service.want("GET", PICTURE, token)
    kept, small = (service.request("GET", path, token) for path in (PICTURE, f"{GRID}/name"))
    ours, floor = in_turn(
        rounds, *(partial(cpu, service.pid, service.port, one, 200, 8) for one in (kept, small))
    )
    what = "grid of 12 plots, unchanged : GET of a small file, processor time"
    return Figure("q3", what, ours, floor, "us", 4)


def pathological(service: Service, token: str, rounds: int) -> Figure:
    """The largest layout of the smallest boxes, with a thousand bindings, none of which leads anywhere."""
    bar, said = "+-" * 127 + "+", "| " * 127 + "|"
    service.want("PUT", "/v1/vis/grids/maze", token)
    layout = "\n".join([bar, *[said, bar] * 127])
    service.want("POST", "/v1/vis/grids/maze/layout", token, layout.encode())
    bound = "".join(f"A{at} => /p/none-{at}\n" for at in range(1_000))
    service.want("POST", "/v1/vis/grids/maze/mapping", token, bound.encode())
    path = "/v1/vis/grids/maze/files/grid.svg"
    (took,) = in_turn(rounds, lambda: seconds(service, token, f"{path}?width={next(WIDTH)}"))
    return Figure("q4", f"grid of 16,129 empty boxes in {len(layout):,} bytes", took * 1e3, bound=2_000)
