"""Cells of grids: their plots, looked up with the rights of owner and last writer, drawn at their sizes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from time import monotonic
from uuid import uuid4

from chains.language.layout import walk
from chains.language.mapping import Binding, PlotRef
from handlers.rendering.interface import (
    TERMINAL_FORMS,
    CellOrder,
    CellWords,
    CharacterCells,
    DrawnGrid,
    GridLook,
    PixelCells,
    fill_cells,
    grid_look,
    read_grid,
)
from handlers.rules.render_options import Options
from handlers.services.renderings import (
    AT_ONCE,
    Content,
    LeavesRecipe,
    WantedRender,
    digest_of_leaves,
    language_option,
    renderings_of,
    time_left,
)
from handlers.services.rights import place_of, readers_behind, usable_items
from handlers.services.viewer import Viewer
from handlers.services.world import World
from vfs.access import Access
from vfs.errors import Unavailable
from vfs.ports.items import Item

MOST_PLOTS = 64
"""Cells of a grid that show a plot; each further cell shows an error message."""
MOST_BYTES = 32 << 20
"""Bytes of all plots of a grid together."""
MOST_TURNS = 3
MAPPING = "mapping"
FILES = ("layout", "name", "summary")
WORDS = ("config/title", "config/subtitle", "config/type", "name")
LONGEST_TITLE = 600
TOO_MANY = f"A grid shows {MOST_PLOTS} plots, and this would be one more."
TOO_LATE = "The plots before this one took too long to be drawn. Read the grid once more."
TOO_LARGE = "The plots of this grid are too large to be drawn together."


@dataclass(frozen=True, slots=True)
class GridPlots:
    """A grid at one moment: its texts, and the plots of its cells with their versions, by label.

    `people` are the grid's owner and the last writer of its mapping. `missing` maps labels to the reason why
    they show no plot: these people may not both see it. The reason is the same for missing and hidden plots.
    """

    grid: DrawnGrid
    people: Collection[str]
    texts: Mapping[str, str]
    numbers: Mapping[int, str]
    plots: Mapping[str, Item]
    versions: Mapping[str, str]
    missing: Mapping[str, str]

    @property
    def version(self) -> str:
        """The version of everything that the grid shows."""
        cells = {
            f"cell/{label}": version for label, version in (*self.versions.items(), *self.missing.items())
        }
        return digest_of_leaves({**self.texts, **cells})

    @property
    def reasons(self) -> Mapping[int, str]:
        """The reasons why cells show no plot, by the cells' numbers."""
        known = {
            number: self.missing[label] for number, label in self.numbers.items() if label in self.missing
        }
        return known | dict.fromkeys(islice(self.numbers, MOST_PLOTS, None), TOO_MANY)

    @property
    def shown(self) -> Sequence[int]:
        """The numbers of the cells that show plots."""
        return [number for number in islice(self.numbers, MOST_PLOTS) if self.numbers[number] in self.plots]


@dataclass(frozen=True, slots=True)
class GridRecipe:
    """Recipe of grids: layout and mapping, and the plots in the cells, which are separate renders.

    After `seconds`, a call draws no further plot; the next call continues with the kept renders.
    """

    plots: LeavesRecipe
    kind: str = "grid"
    seconds: float = 30.0

    def version(self, viewer: Viewer, item: Item, options: Options) -> str:
        """Return the version of the grid's texts and of each plot in it, with five statements for any size.

        Two more statements if another user than its owner wrote the mapping last.
        """
        return self.grid_plots(viewer.world, item).version

    def content(self, viewer: Viewer, item: Item, form: str, options: Options) -> Content:
        """Return the texts of the grid and the renders of its plots, each at its cell's size."""
        look = grid_look("txt" if "cols" in options else "svg", options)
        # A text without colours shows values by signs, so removing colours afterwards would not do.
        text_form = (form if form in TERMINAL_FORMS else "ansi") if "cols" in options else ""
        until = monotonic() + min(self.seconds, time_left())
        for _ in range(MOST_TURNS):
            before = self.grid_plots(viewer.world, item)
            drawing = _CellDrawing(viewer, self.plots, before, look, text_form, until, dict(before.reasons))
            drawing.language = language_option(options)
            texts, parts = drawing.fill()
            if monotonic() > until:
                break
            if self.grid_plots(viewer.world, item).version == before.version:
                return Content(before.version, texts, parts)
        # Incomplete, or changed during each attempt: use a version that no other call finds.
        return Content(uuid4().hex, texts, parts, whole=monotonic() <= until)

    def named_plots(self, world: World, item: Item) -> Mapping[str, Item]:
        """Return the plots of a grid, by their labels and references as shown to users."""
        shown = self.grid_plots(world, item)
        refs = {label: reference_text(shown.grid.bindings[label].ref, item.owner) for label in shown.plots}
        return {f"{label}: {refs[label]}": plot for label, plot in shown.plots.items()}

    def grid_plots(self, world: World, item: Item) -> GridPlots:
        """Return the plots of a grid that the people behind its mapping may see now."""
        mapping = world.leaves.get(item.id, MAPPING)
        texts = {**world.leaves.texts_of([item.id], FILES).get(item.id, {})}
        if mapping is not None:
            texts[MAPPING] = mapping.text or ""
        grid = read_grid(texts.get("layout", ""), texts.get(MAPPING, ""))
        numbers = dict(_bound_cells(grid))
        labels = dict.fromkeys(islice(numbers.values(), MOST_PLOTS))
        people = readers_behind(world, item, mapping.author if mapping is not None else None)
        plots = _look_up(world, item.owner, people, {label: grid.bindings[label].ref for label in labels})
        digests = world.leaves.digests_of(
            [plot.id for plot in plots.values()], self.plots.files, self.plots.folder
        )
        versions = {label: digest_of_leaves(digests.get(plot.id)) for label, plot in plots.items()}
        names = {label: reference_text(grid.bindings[label].ref, item.owner) for label in labels}
        missing = {
            label: f"{name} is no plot that may be shown here."
            for label, name in names.items()
            if label not in plots
        }
        return GridPlots(grid, people, texts, numbers, plots, versions, missing)


def reference_text(ref: PlotRef, owner: str) -> str:
    """Return a reference as it is shown to users."""
    return ref.name if ref.short else place_of("plot", ref.owner or owner, ref.name)


def unseen_plots(world: World, owner: str, bound: Mapping[str, Binding], person: str) -> list[str]:
    """Return the references of plots that a grid binds and a person does not see."""
    refs = {label: binding.ref for label, binding in islice(bound.items(), MOST_PLOTS)}
    seen = _look_up(world, owner, {person}, refs)
    return list(dict.fromkeys(reference_text(ref, owner) for label, ref in refs.items() if label not in seen))


def unseen_references(viewer: Viewer, person: str) -> list[str]:
    """Return the pages of plots that a grid binds and a person does not see."""
    texts = viewer.world.leaves.texts_of([viewer.item.id], ("layout", MAPPING)).get(viewer.item.id, {})
    grid = read_grid(texts.get("layout", ""), texts.get(MAPPING, ""))
    return unseen_plots(viewer.world, viewer.item.owner, grid.bindings, person)


def _bound_cells(grid: DrawnGrid) -> Iterator[tuple[int, str]]:
    """Yield numbers and labels of the cells whose label is bound, in reading order."""
    cells = (box for box in walk(grid.box) if not box.children)
    for number, cell in enumerate(cells):
        if cell.instruction is not None and cell.instruction.label in grid.bindings:
            yield number, cell.instruction.label


def _look_up(
    world: World, owner: str, people: Collection[str], refs: Mapping[str, PlotRef]
) -> Mapping[str, Item]:
    """Return the plots that a grid refers to and all of the people may see, by label."""
    base = world.service.settings.base_url.rstrip("/")
    here = {label: ref for label, ref in refs.items() if not base or ref.origin in ("", base)}
    names = {(ref.owner or owner, ref.name) for ref in here.values() if not ref.short}
    short = {ref.name for ref in here.values() if ref.short}
    found = usable_items(world, people, "plot", names, short, Access.EXECUTE) if here else ()
    named = {(item.owner, item.name): item for item in found}
    by_shortname = {item.shortname: item for item in found}
    plots = {
        label: by_shortname.get(ref.name) if ref.short else named.get((ref.owner or owner, ref.name))
        for label, ref in here.items()
    }
    return {label: plot for label, plot in plots.items() if plot is not None}


@dataclass(slots=True)
class _CellDrawing:
    """One drawing of a grid's plots, as pictures or as texts."""

    viewer: Viewer
    recipe: LeavesRecipe
    plots: GridPlots
    look: GridLook
    text_form: str
    until: float
    reasons: dict[int, str]
    language: Options = field(default_factory=dict)
    size: int = 0

    def fill(self) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """Return the texts and the parts of the order to draw the grid."""
        medium = CharacterCells(self.look) if self.text_form else PixelCells(self.look)
        parts = fill_cells(self.plots.grid, medium, self.plots.shown, self.draw, self.words())
        texts = {
            **self.plots.texts,
            **{f"reason/{number}": reason for number, reason in self.reasons.items()},
            **{f"need/{number}": str(need) for number, need in parts.needs.items()},
        }
        return texts, {str(number): part for number, part in parts.contents.items()}

    def words(self) -> Mapping[int, CellWords]:
        """Return the titles and types of the plots, by the numbers of their cells; one statement."""
        if self.text_form:
            return {}
        ids = list({plot.id for plot in self.plots.plots.values()})
        texts = self.viewer.world.leaves.texts_of(ids, WORDS)
        known: dict[int, CellWords] = {}
        for number in self.plots.shown:
            said = texts.get(self.plots.plots[self.plots.numbers[number]].id, {})
            title, subtitle, type_, name = (
                " ".join(said.get(rel, "").split())[:LONGEST_TITLE] for rel in WORDS
            )
            known[number] = CellWords(title or name, subtitle, type_)
        return known

    def draw(self, orders: Sequence[CellOrder]) -> Mapping[int, str]:
        """Return the plots by cell number, kept or drawn now, within the grid's limits of size and time."""
        drawn: dict[int, str] = {}
        for start in range(0, len(orders), AT_ONCE):
            some = orders[start : start + AT_ONCE]
            if monotonic() > self.until:
                self.reasons |= {order.number: TOO_LATE for order in some}
                continue
            try:
                made = renderings_of(self.viewer, self.recipe, [self.render(order) for order in some])
            except Unavailable:
                if monotonic() <= self.until:
                    raise
                self.reasons |= {order.number: TOO_LATE for order in some}
                continue
            for order, (_, kept) in zip(some, made, strict=True):
                if self.size + kept.size > MOST_BYTES:
                    self.reasons[order.number] = TOO_LARGE
                    continue
                with kept.open() as file:
                    drawn[order.number] = file.read().decode()
                self.size += kept.size
        return drawn

    def render(self, order: CellOrder) -> WantedRender:
        """Return the render to request for the plot of a cell."""
        plot, version = self.plots.plots[order.label], self.plots.versions[order.label]
        return WantedRender(plot, self.text_form or "svg", self.options(order), version)

    def options(self, order: CellOrder) -> Options:
        """Return the options of a cell's plot. The grid draws the background, as its cells have corners."""
        said = self.plots.grid.options(order.label)
        shown: Options = {
            "include_header": said.include_header,
            "include_caption": said.include_caption,
            **self.language,
        }
        mode = said.mode or self.look.mode
        if self.text_form:
            return {**shown, "mode": mode, "cols": order.width, "rows": order.height or 200}
        size = {"width": order.width, "height": order.height or 0}
        look = {
            "type_width": order.look.type_width,
            "head": order.look.head,
            "centred": order.look.centred,
            "least": self.look.least,
            "trim": not order.look.centred,
        }
        return {**shown, **size, **look, "mode": mode, "transparent_background": True, "fonts": False}
