"""Rows of parsing: chains a line, layouts and mappings of grids a byte, and how that grows."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from functools import partial

from chains.language import layout, mapping
from chains.language.chain import parse
from tests.bench.figures import Figure, in_turn

CHAIN_ROWS = ("f", "f2")
LAYOUT_ROWS = ("l1", "l2", "l3")
MAPPING_ROWS = ("m1", "m2")
ROWS = (*CHAIN_ROWS, *LAYOUT_ROWS, *MAPPING_ROWS)
SHORT, LONG = 50, 5_000
LARGEST = 1 << 20

Read = Callable[[str], object]


def measure(rows: set[str], rounds: int) -> Iterator[Figure]:
    """The rows that are asked for."""
    if rows & set(CHAIN_ROWS):
        yield from chains(rows, rounds)
    drawn = [drawing(1, 16), drawing(16, 60), drawing(499, 117)]
    bound = [bindings(20), bindings(1_250)]
    for names, what, read, texts in (
        (LAYOUT_ROWS, "layout", layout.parse, drawn),
        (MAPPING_ROWS, "mapping", mapping.parse, bound),
    ):
        if rows & set(names):
            yield from (figure for figure in grids(names, what, read, texts, rounds) if figure.row in rows)


def chains(rows: set[str], rounds: int) -> Iterator[Figure]:
    """A line of a chain, and of a long one."""
    short, long = text(SHORT), text(LONG)
    parse(short, LARGEST)
    often = LONG // SHORT
    one, other = in_turn(3 * rounds, lambda: seconds(chain, short, often), lambda: seconds(chain, long, 1))
    if "f" in rows:
        yield Figure("f", f"chain text, a line of {SHORT}", one / often / SHORT * 1e6, unit="us", bound=25)
    if "f2" in rows:
        what = f"chain text, a line of {LONG:,} : of {SHORT}"
        yield Figure("f2", what, other / LONG * 1e6, one / often / SHORT * 1e6, "us", 1.15)


def grids(names: tuple[str, ...], what: str, read: Read, texts: list[str], rounds: int) -> Iterator[Figure]:
    """A byte of the first text, and how that grows from each text to the next."""
    read(texts[0])
    sizes = [len(text.encode()) for text in texts]
    often = [max(1, 1_000_000 // size) for size in sizes]
    measures = [partial(seconds, read, text, times) for text, times in zip(texts, often, strict=True)]
    took = in_turn(2 * rounds, *measures)
    each = [time / times / size * 1e9 for time, times, size in zip(took, often, sizes, strict=True)]
    yield Figure(names[0], f"{what}, a byte of {sizes[0]:,}", each[0], unit="ns", bound=100)
    for at, name in enumerate(names[1:]):
        said = f"{what}, a byte of {sizes[at + 1]:,} : of {sizes[at]:,}"
        yield Figure(name, said, each[at + 1], each[at], "ns", 1.15)


def chain(text: str) -> object:
    """The chain of a long text."""
    return parse(text, LARGEST)


def text(lines: int) -> str:
    """A chain of so many lines: as many bindings as edges."""
    steps = lines // 2
    bindings = [f"step{number} <- @alice/repo{number % 7}:latest" for number in range(steps)]
    edges = [f"step{number} -> step{number + 1}" for number in range(steps - 1)]
    return "\n".join([*bindings, *edges, f"step0 -> step{steps - 1}"]) + "\n"


def drawing(rows: int, columns: int) -> str:
    """A layout of so many cells, each 17 by 4."""
    bar = "+----------------" * columns + "+"
    said = "|  {Label12:^}   " * columns + "|"
    blank = "|                " * columns + "|"
    return "\n".join([bar, *[said, blank, blank, bar] * rows])


def bindings(lines: int) -> str:
    """A mapping of so many lines."""
    return "".join(f"Label{at} => /u/alice/p/sales-{at}?m=d&scale=2, h=t\n" for at in range(lines))


def seconds(read: Read, text: str, times: int) -> float:
    """Processor time that it takes to read the text so often."""
    # As in a worker, what was there before is not looked through for garbage meanwhile.
    gc.collect()
    gc.freeze()
    began = time.process_time()
    for _ in range(times):
        read(text)
    took = time.process_time() - began
    gc.unfreeze()
    return took
