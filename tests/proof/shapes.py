"""Shapes of chains: what is written to config/chains, and the steps, stops and child runs it has to give."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

IMAGE = "work"
EDGES = {
    "one": ("a", ()),
    "line": ("ab", ("ab",)),
    "long": ("abc", ("ab", "bc")),
    "fork": ("abc", ("ab", "ac")),
    "join": ("abc", ("ac", "bc")),
    "diamond": ("abcd", ("ab", "ac", "bd", "cd")),
}
BEFORE, AFTER = "before", "after"


@dataclass(frozen=True)
class Node:
    """A step as it is written; with `inner` a job whose chain is a line of these stands there."""

    label: str
    before: bool = False
    after: bool = False
    fan_out: bool = False
    inner: tuple[Node, ...] = ()

    def marked(self, text: str) -> str:
        """The text with the marks around it."""
        return f"{'!' * self.before}{'.' * self.fan_out}{text}{'!' * self.after}"


@dataclass(frozen=True)
class Step:
    """A row that `steps` must show: what comes before it, and the job that it was spliced from."""

    name: str
    fan_out: bool
    predecessors: tuple[str, ...]
    job: str | None


@dataclass(frozen=True)
class Stop:
    """A possible stop: the marked step, and the row that it keeps back or whose successors it keeps."""

    step: str
    phase: str
    ordinal: int
    row: str


@dataclass(frozen=True)
class Shape:
    """Nodes in order, each after those that lead to it."""

    nodes: tuple[Node, ...]
    edges: tuple[tuple[str, str], ...]

    def text(self, inner_job: str) -> str:
        """What is written to config/chains; a job inside is called `inner_job`."""
        return _text(self.nodes, self.edges, inner_job)

    @property
    def inner(self) -> str | None:
        """What is written to the chain of the job inside; None without one."""
        line = next((node.inner for node in self.nodes if node.inner), ())
        return _text(line, _line(line), "") if line else None

    def steps(self) -> list[Step]:
        """The rows, in order."""
        ends = {node.label: _rows(node)[-1] for node in self.nodes}
        found = []
        for node in self.nodes:
            leading = tuple(ends[before] for before, after in self.edges if after == node.label)
            for place, name in enumerate(_rows(node)):
                inner = node.inner[place] if node.inner else node
                job = node.label if node.inner else None
                found.append(Step(name, inner.fan_out, leading, job))
                leading = (name,)
        return found

    def stops(self) -> list[Stop]:
        """The possible stops, in order."""
        order = {step.name: place for place, step in enumerate(self.steps())}
        found = []
        for node in self.nodes:
            rows = _rows(node)
            inner = [(row, one, row) for row, one in zip(rows, node.inner, strict=False)]
            around = [(node.label, node, rows[0], BEFORE), (node.label, node, rows[-1], AFTER)]
            for step, one, row, phase in (
                around[0],
                *((step, one, row, phase) for step, one, row in inner for phase in (BEFORE, AFTER)),
                around[1],
            ):
                if one.before if phase == BEFORE else one.after:
                    found.append(Stop(step, phase, order[row], row))
        return sorted(found, key=lambda stop: stop.ordinal)

    def ends(self) -> list[str]:
        """The rows that nothing follows."""
        return [
            _rows(node)[-1] for node in self.nodes if all(node.label != before for before, _ in self.edges)
        ]


def _rows(node: Node) -> list[str]:
    return [f"{node.label}__{one.label}" for one in node.inner] or [node.label]


def _line(nodes: tuple[Node, ...]) -> tuple[tuple[str, str], ...]:
    return tuple((one.label, two.label) for one, two in pairwise(nodes))


def _text(nodes: tuple[Node, ...], edges: tuple[tuple[str, str], ...], inner_job: str) -> str:
    if len(nodes) == 1:
        return nodes[0].marked(f"/j/{inner_job}" if nodes[0].inner else IMAGE)
    by_label = {node.label: node for node in nodes}
    bound = [f"{node.label} <- {f'/j/{inner_job}' if node.inner else IMAGE}" for node in nodes]
    drawn = [" -> ".join(by_label[label].marked(label) for label in edge) for edge in edges]
    return "\n".join(bound + drawn)


@st.composite
def shapes(draw: Any, inner_job: str) -> Shape:
    """Chains of one to four steps with marks; at most one is a job of one or two."""
    labels, pairs = EDGES[draw(st.sampled_from(sorted(EDGES)))]
    job = draw(st.sampled_from([None, None, *labels]))
    rarely = st.sampled_from([False, False, False, True])

    def node(label: str, inner: tuple[Node, ...] = ()) -> Node:
        return Node(label, draw(rarely), draw(rarely), not inner and draw(rarely), inner)

    def whole(label: str) -> Node:
        if label != job:
            return node(label)
        names = draw(st.sampled_from([(IMAGE,), ("p", "q")]))
        return node(label, tuple(node(name) for name in names))

    nodes = tuple(whole(label) for label in labels)
    if len(nodes) == 1:
        (only,) = nodes
        label = inner_job if only.inner else IMAGE
        nodes = (Node(label, only.before, only.after, only.fan_out, only.inner),)
    return Shape(nodes, tuple((pair[0], pair[1]) for pair in pairs))
