"""VisualPage: all that pages have to know of a kind of visuals, as a value that the kind declares."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from handlers.pages.job_parts import SIGNED, Command
from handlers.pages.request import PageRequest
from handlers.pages.result import Page
from handlers.pages.visuals.visual_path import VisualPath
from handlers.rules.kinds import ResourceKind
from handlers.rules.render_options import FORM_OPTIONS, NO_DEFAULTS, FormOptions, Options

TEXT = "-H 'Content-Type: text/plain'"


class Offer(NamedTuple):
    """A form that is offered: what it is called, its options, and whether it holds the data themselves."""

    form: str
    title: str
    options: Mapping[str, str]
    is_data: bool = False


@dataclass(frozen=True, slots=True)
class Onlooker:
    """The one for whom lines of curl are written: the page's visual, and what they may do with it.

    `root` is the address of the service, `config` are the words of the settings that the page tells.
    """

    root: str
    at: VisualPath
    signed: bool
    looks: bool
    reads: bool
    writes: bool
    config: Mapping[str, str]

    @property
    def curl(self) -> str:
        """The program with what signs in; without a token where nobody is signed in."""
        return SIGNED if self.signed else "curl"

    @property
    def folder(self) -> str:
        """The address of the visual's folder."""
        return f"{self.root}{self.at.api}"

    @property
    def files(self) -> str:
        """The address of its renders, without their ends."""
        return f"{self.root}{self.at.file_path('')}".removesuffix(".")


@dataclass(frozen=True, slots=True, kw_only=True)
class VisualPage:
    """The page of a kind of visuals.

    `words`: the settings that it shows. `source`: the file that shows who may write. `downloads`: the forms
    on offer. `defaults` and `known`: the defaults of their options, and the options that there are, as for
    the rendered files of the kind. `commands`: curl commands for an onlooker. `first`: those that give an
    empty visual its content. `show`: makes the page of one.
    """

    kind: ResourceKind
    words: tuple[str, ...]
    source: str
    downloads: tuple[Offer, ...]
    commands: Callable[[Onlooker], list[Command]]
    first: Callable[[Onlooker], list[Command]]
    show: Callable[[VisualPage, VisualPath, PageRequest], Page]
    defaults: Options = field(default_factory=lambda: NO_DEFAULTS)
    known: FormOptions = field(default_factory=lambda: FORM_OPTIONS)


VisualPages = Mapping[str, VisualPage]
"""Pages by the letters of their kinds."""


def pages_by_letter(pages: Iterable[VisualPage]) -> VisualPages:
    """These pages by the letters of their kinds."""
    return {page.kind.letter: page for page in pages}
