"""Sankey diagrams: amounts that flow from one name to another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from handlers.render.plots.charts.chart import Chart, spread_apart
from handlers.render.plots.charts.marks.canvas import Canvas
from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.data.numbers import alone
from handlers.render.plots.drawn.column_roles import ANY, ColumnRole, asking, find_roles, log_unused
from handlers.render.plots.drawn.left_out import LeftOut, count_words, quote_names, tip_of
from handlers.render.plots.forms.terminal.screen import Screen, write_bars
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.style import Style
from handlers.render.plots.look.type_metrics import cut
from handlers.render.plots.plot_type import PlotType
from handlers.render.plots.shown.description import LONGEST
from handlers.words.language import say

ROLES = (
    ColumnRole("source", ("source", "from"), ANY),
    ColumnRole("target", ("target", "to"), ANY),
    ColumnRole("value", ("value", "amount", "weight", "flow")),
)
MOST_FLOWS, SWEEPS = 150, 4
NODE, GAP, BESIDE, FAINT = 12.0, 14.0, 6.0, 0.4
"""Pixels of a node's width, between nodes of a column, and before a name; opacity of flows."""
NAMES_SHARE = 0.26
"""Largest share of the width for the names of the last column."""
ARROW = " \u2192 "
Flow = tuple[str, str, float]


def flow_roles(frame: Frame) -> Mapping[str, Column]:
    """Return the columns of sources, targets and amounts; empty if one is missing."""
    return find_roles(frame.columns, ROLES, *(role.word for role in ROLES))


def flow_frame(frame: Frame, out: LeftOut) -> Frame:
    """Return a row for each pair of names with its total; rows that form a cycle or lack data are noted."""
    found = flow_roles(frame)
    if not found:
        return frame
    log_unused(frame, list(found.values()), out)
    sums, unknown = dict[tuple[str, str], float](), 0
    columns = (found["source"].texts, found["target"].texts, found["value"].numbers)
    for source, target, value in zip(*columns, strict=True):
        if value is None or value <= 0 or not source or not target:
            unknown += 1
        else:
            sums[source, target] = sums.get((source, target), 0.0) + value
    if unknown:
        out.show(f"{count_words(unknown, 'row')} left out: no two names or no amount above 0.")
    kept = set(sorted(sums, key=lambda pair: -sums[pair])[:MOST_FLOWS])
    if len(kept) < len(sums):
        out.show(f"The {MOST_FLOWS} largest of {len(sums):,} flows are drawn.")
    flows, back = _forward([pair for pair in sums if pair in kept])
    if back:
        out.show(f"What leads back to its source is left out: {quote_names(map(ARROW.join, back))}.")
    amounts = found["value"].with_numbers(sums[pair] for pair in flows)
    names = [
        Column(found[role].name, ColumnType.TEXT, tuple(pair[at] for pair in flows))
        for at, role in enumerate(("source", "target"))
    ]
    return frame.of_columns(names[0], amounts, names[1])


def _forward(pairs: Sequence[tuple[str, str]]) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return the pairs that lead forward, and those that would form a cycle."""
    after, kept, back = dict[str, set[str]](), list[tuple[str, str]](), list[tuple[str, str]]()
    for source, target in pairs:
        reached, waiting = {target}, [target]
        while waiting:
            found = after.get(waiting.pop(), set()) - reached
            reached |= found
            waiting += found
        if source in reached:
            back.append((source, target))
        else:
            after.setdefault(source, set()).add(target)
            kept.append((source, target))
    return kept, back


def flows_of(frame: Frame) -> list[Flow]:
    """Return the flows of a frame from `flow_frame`."""
    source, value, target = frame.columns[:3]
    amounts = (number or 0.0 for number in value.numbers)
    return list(zip(source.texts, target.texts, amounts, strict=True))


def names_of(frame: Frame) -> list[str]:
    """Return the names of sources and targets in the order of their first occurrence."""
    return list(dict.fromkeys(name for source, target, _ in flows_of(frame) for name in (source, target)))


@dataclass
class FlowNode:
    """A name: its column, its amount, its position, and the pixels that flows have taken on each side."""

    name: str
    layer: int = 0
    amount: float = 0.0
    y: float = 0.0
    height: float = 0.0
    taken: dict[bool, float] = field(default_factory=lambda: {True: 0.0, False: 0.0})

    @property
    def middle(self) -> float:
        """The middle of its height."""
        return self.y + self.height / 2

    def take(self, height: float, *, out: bool) -> float:
        """Return the upper end of the next flow on a side, and reserve its height."""
        start = self.y + self.taken[out]
        self.taken[out] += height
        return start


def place_nodes(flows: Sequence[Flow], height: float) -> tuple[dict[str, FlowNode], float]:
    """Return the nodes in columns from the left, scaled to fit, and the pixels of an amount of 1."""
    nodes = {name: FlowNode(name) for source, target, _ in flows for name in (source, target)}
    for _ in nodes:
        for source, target, _value in flows:
            nodes[target].layer = max(nodes[target].layer, nodes[source].layer + 1)
    for node in nodes.values():
        sides = [sum(flow[2] for flow in flows if flow[at] == node.name) for at in (0, 1)]
        node.amount = max(sides)
    layers = [
        [node for node in nodes.values() if node.layer == at]
        for at in range(1 + max(node.layer for node in nodes.values()))
    ]
    gap = min(GAP, height * 0.4 / max(len(layer) for layer in layers))
    each = min((height - gap * (len(layer) - 1)) / sum(node.amount for node in layer) for layer in layers)
    for layer in layers:
        _stack(layer, height, gap, each)
    for sweep in range(SWEEPS):
        forward = sweep % 2 == 0
        for layer in layers if forward else reversed(layers):
            layer.sort(key=lambda node: _pull_of(node, nodes, flows, forward=forward))
            _stack(layer, height, gap, each)
    return nodes, each


def _pull_of(node: FlowNode, nodes: Mapping[str, FlowNode], flows: Iterable[Flow], *, forward: bool) -> float:
    """Return the mean position of the nodes that flow into a node (`forward`) or out of it."""
    here, there = (1, 0) if forward else (0, 1)
    pulls = [(nodes[str(flow[there])].middle, flow[2]) for flow in flows if flow[here] == node.name]
    whole = sum(amount for _, amount in pulls)
    return sum(place * amount for place, amount in pulls) / whole if whole else node.middle


def _stack(layer: Sequence[FlowNode], height: float, gap: float, each: float) -> None:
    """Place the nodes of a column below each other, in the middle of the height."""
    used = sum(node.amount for node in layer) * each + gap * (len(layer) - 1)
    y = (height - used) / 2
    for node in layer:
        node.y, node.height = y, node.amount * each
        y += node.height + gap


def draw_sankey(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """Draw flows as bands from the nodes of a column to those of later ones."""
    flows, height = flows_of(frame), box or float(style.height(0.55))
    nodes, each = place_nodes(flows, height)
    written = options.writer([node.amount for node in nodes.values()])
    last = max(node.layer for node in nodes.values())
    texts = {name: f"{name} {written(node.amount)}" for name, node in nodes.items()}
    most = style.inner * NAMES_SHARE
    room = min(most, style.widest(texts[one.name] for one in nodes.values() if one.layer == last))
    step = (style.inner - room - BESIDE - NODE) / max(1, last)
    tones = dict(zip(names_of(frame), style.part_tones(names_of(frame)), strict=True))
    canvas = Canvas(style)
    ordered = sorted(flows, key=lambda flow: (nodes[flow[0]].middle, nodes[flow[1]].middle))
    starts = {flow[:2]: nodes[flow[0]].take(flow[2] * each, out=True) for flow in ordered}
    ordered = sorted(flows, key=lambda flow: (nodes[flow[1]].middle, nodes[flow[0]].middle))
    for source, target, value in ordered:
        thick = value * each
        upper, lower = starts[source, target], nodes[target].take(thick, out=False)
        ends = nodes[source].layer * step + NODE, nodes[target].layer * step
        tip = tip_of(f"{source}{ARROW}{target}", "", options.exact(value))
        canvas.path("area", _band(ends, upper, lower, thick), fill=tones[source], opacity=FAINT, tip=tip)
    for node in nodes.values():
        tip = tip_of(node.name, "", options.exact(node.amount))
        canvas.rect(node.layer * step, node.y, NODE, max(1.0, node.height), tones[node.name], tip=tip)
    logged = _write_names(canvas, nodes, texts, (step, room, height))
    return Chart(height, svg=canvas.svg(), logged=logged, marks=height)


def _band(ends: tuple[float, float], upper: float, lower: float, thick: float) -> str:
    """Return the path of a flow between two columns."""
    (left, right), bend = ends, (ends[0] + ends[1]) / 2
    return (
        f"M{left:.2f},{upper:.2f}C{bend:.2f},{upper:.2f},{bend:.2f},{lower:.2f},{right:.2f},{lower:.2f}"
        f"V{lower + thick:.2f}C{bend:.2f},{lower + thick:.2f},{bend:.2f},{upper + thick:.2f},"
        f"{left:.2f},{upper + thick:.2f}Z"
    )


def _write_names(
    canvas: Canvas, nodes: Mapping[str, FlowNode], texts: Mapping[str, str], sizes: tuple[float, float, float]
) -> tuple[str, ...]:
    """Draw each name with its amount after its node. Return a sentence about names that do not fit."""
    style = canvas.style
    step, room, height = sizes
    last, lost = max(node.layer for node in nodes.values()), list[str]()
    for layer in range(last + 1):
        most = max(1, int(height // style.line))
        inside = sorted((node for node in nodes.values() if node.layer == layer), key=lambda one: -one.amount)
        lost += [node.name for node in inside[most:]]
        named = sorted(inside[:most], key=lambda one: one.y)
        places = spread_apart([node.middle for node in named], style.line, style.line / 2, height)
        for node, y in zip(named, places, strict=True):
            text = cut(texts[node.name], style.label, room if layer == last else step - NODE - 2 * BESIDE)
            x = layer * step + NODE + BESIDE
            canvas.text(x, y, text, halo=(style.palette.paper, 3))
    return (f"These names do not fit: {quote_names(lost)}.",) if lost else ()


def write_flows(screen: Screen, frame: Frame, options: ChartOptions) -> list[str]:
    """Return a bar for each flow, the largest first."""
    flows = sorted(flows_of(frame), key=lambda flow: -flow[2])
    names = Column("flow", ColumnType.TEXT, tuple(f"{one}{ARROW}{other}" for one, other, _ in flows))
    value = frame.columns[1].with_numbers(flow[2] for flow in flows)
    return write_bars(screen, frame.of_columns(names, value), options, stacked=False)


def _describe_flows(frame: Frame, unit: str) -> list[str]:
    """Return the number of names, and the largest flow."""
    flows = flows_of(frame)
    source, target, value = max(flows, key=lambda flow: flow[2])
    return [
        say(f"{len(flows)} flows between {len(names_of(frame))} names"),
        f"{say('largest %s') % alone(value, unit)}: {source[:LONGEST]}{ARROW}{target[:LONGEST]}",
    ]


TYPES = (
    PlotType(
        word="sankey",
        noun="Sankey diagram",
        title="Sankey",
        order=9.6,
        example="source,target,value\nSun,Heat,30\nSun,Power,20\nWind,Power,25\nPower,Homes,28\nPower,Trains,17\n",
        draw=draw_sankey,
        terminal=write_flows,
        describes=_describe_flows,
        counts=lambda frame: 1,
        names=names_of,
        reads=frozenset(("value",)),
        steps=(flow_frame,),
        asks=asking(flow_roles, "names and amounts, such as source,target,value"),
        units="one",
    ),
)
