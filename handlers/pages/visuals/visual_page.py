"""VisualPage: all that pages have to know of a kind of visuals, as a value that the kind declares."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from handlers.pages.result import Page
from handlers.rules.kinds import ResourceKind
from handlers.rules.render_options import FORM_OPTIONS, NO_DEFAULTS, FormOptions, Options

LOOKS, READS, WRITES = "looks", "reads", "writes"
"""Rights of a caller, as the facts of a page name them."""


class CurlLine(NamedTuple):
    """A line for a terminal, for callers with a right.

    It is formatted with `name` of the visual, the addresses of its `folder` and of its `files` without their
    ends, and the programs that read (`curl`) and write a text (`sent`).
    """

    what: str
    line: str
    needs: str = WRITES


class Offer(NamedTuple):
    """A form that is offered: what it is called, its options, and whether it holds the data themselves."""

    form: str
    title: str
    options: Mapping[str, str]
    is_data: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class VisualPage:
    """The page of a kind of visuals.

    `words`: the settings that it shows. `source`: the file that shows who may write. `downloads`: the forms
    on offer. `defaults` and `known`: the defaults of their options, and the options that there are, as for
    the rendered files of the kind. `commands`: lines for a terminal. `first`: those that give an
    empty visual its content. `show`: makes the page of one.
    """

    kind: ResourceKind
    words: tuple[str, ...]
    source: str
    downloads: tuple[Offer, ...]
    commands: tuple[CurlLine, ...]
    first: tuple[CurlLine, ...]
    show: Callable[[VisualPage, ItemPath, PageRequest], Page]
    defaults: Options = field(default_factory=lambda: NO_DEFAULTS)
    known: FormOptions = field(default_factory=lambda: FORM_OPTIONS)


VisualPages = Mapping[str, VisualPage]
"""Pages by the letters of their kinds."""


def pages_by_letter(pages: Iterable[VisualPage]) -> VisualPages:
    """These pages by the letters of their kinds."""
    return {page.kind.letter: page for page in pages}
