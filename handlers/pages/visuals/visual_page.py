"""VisualPage: the properties of a kind of visuals for its pages; common values, commands and downloads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from handlers.pages.items.item_head import item_head
from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from handlers.pages.result import Page
from handlers.pages.templates import SIGNED
from handlers.rendering.port import KeptRendering, KeptRenderings
from handlers.rules.kinds import ResourceKind
from handlers.rules.render_options import FORM_OPTIONS, NO_DEFAULTS, FormOptions, Options, options_of
from handlers.services.renderings import FAILURE, key_of
from handlers.services.snapshots import FOLDER
from handlers.words.plot import MARKED, plain_words
from vfs.access import Verb
from vfs.errors import NotFound, Unavailable

LOOKS, READS, WRITES = "looks", "reads", "writes"
"""Rights of a caller, as the template values name them."""


class CurlLine(NamedTuple):
    """A command line for callers with a right.

    It is formatted with `name` of the visual, the addresses of its `folder` and of its `files` without their
    suffixes, and the commands that read (`curl`) and write a text (`sent`).
    """

    what: str
    line: str
    needs: str = WRITES


class Offer(NamedTuple):
    """A form that is offered: its title, its options, and whether it contains the data themselves."""

    form: str
    title: str
    options: Mapping[str, str]
    is_data: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class VisualPage:
    """The page of a kind of visuals.

    `words`: the settings that it shows. `source`: the file whose permissions show who may write. `downloads`:
    the forms on offer. `defaults` and `known`: the defaults of their options, and the known options, as for
    the rendered files of the kind. `commands`: command lines. `first`: those that fill an empty visual.
    `show`: returns the page of one.
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
    """Return these pages by the letters of their kinds."""
    return {page.kind.letter: page for page in pages}


def visual_facts(page: VisualPage, at: ItemPath, request: PageRequest) -> dict[str, Any]:
    """Return the template values. Raises NotFound or Unauthenticated if the caller sees no such item."""
    entry = request.entry(at.api)
    reads = "r" in entry.permissions
    # Not the whole folder: beside data of many megabytes each look-up is expensive, and it has many texts.
    config = {key: request.peek(at.api / ("config", key), "").strip() for key in page.words if reads}
    name = request.peek(at.api / "name", "").strip()
    summary = request.peek(at.api / "summary", "").strip()
    config |= {key: plain_words(text) for key, text in config.items() if key in MARKED}
    title = config.get("subject") or name or config.get("title") or at.name
    writes = request.may(Verb.WRITE, at.api / page.source)
    lead = config.get("subtitle") or summary
    return {
        "head": item_head(request, at, title=title, lead=lead, writes=writes, entry=entry),
        "at": at,
        "entry": entry,
        "reads": reads,
        "looks": reads or "x" in entry.permissions,
        "writes": writes,
        "config": config,
        "title": title,
        "name": name or at.name,
        "summary": summary,
        "about": request.peek(at.api / "description", {"html": ""})["html"],
        "address": request.peek(at.api / "url", ""),
        "snapshots": request.peek(at.api / FOLDER, ()) if at.kind.snapshots is not None else (),
    }


def version_of(at: ItemPath, request: PageRequest, form: str = "svg") -> str:
    """Return the version of the picture, "" if it is not known yet: the page does not need it."""
    try:
        return request.version(at.file_path(form))
    except (NotFound, Unavailable):
        return ""


def commands_of(
    page: VisualPage, at: ItemPath, request: PageRequest, facts: dict[str, Any]
) -> list[CurlLine]:
    """Return the command lines for the page's actions; for an empty visual, those that fill it."""
    curl = SIGNED if request.caller.name is not None else "curl"
    words = {
        "name": at.name,
        "folder": f"{request.origin}{at.api}",
        "files": f"{request.origin}{at.file_path('')}".removesuffix("."),
        "curl": curl,
        "sent": f"{curl} -H 'Content-Type: text/plain'",
    }
    lines = page.first if facts["empty"] and facts["writes"] else page.commands
    return [CurlLine(one.what, one.line.format_map(words)) for one in lines if facts[one.needs]]


MODES = ("light", "dark")
HEAD = 1024
HEIGHT = re.compile(rb'<svg\b[^<>]*? height="(\d{1,5})')


@dataclass(frozen=True, slots=True)
class KeptForms:
    """Cached forms of a version, found by their options as in a query."""

    kept: KeptRenderings
    page: VisualPage
    version: str

    def size(self, form: str, options: Mapping[str, str]) -> int | None:
        """Return the bytes of a form; None if it was not rendered yet."""
        found = self._find(form, options)
        return found.size if found is not None else None

    def height(self, options: Mapping[str, str]) -> int:
        """Return the picture's height in pixels with these options, in either mode; 0 if not drawn yet."""
        drawn = (self._find("svg", {**options, "mode": mode}) for mode in MODES)
        found = next((one for one in drawn if one is not None), None)
        if found is None:
            return 0
        try:
            with found.open() as file:
                said = HEIGHT.search(file.read(HEAD))
        except Unavailable:
            return 0
        return int(said[1]) if said else 0

    def _find(self, form: str, options: Mapping[str, str]) -> KeptRendering | None:
        page = self.page
        chosen = options_of(form, options, page.defaults, page.known)
        key = key_of(page.kind.name, form, chosen, self.version)
        found = self.kept.get(key)
        return found if found is not None and found.media != FAILURE else None


@dataclass(frozen=True, slots=True)
class Download:
    """A form by its address; `name` is that of the saved file, `size` is known for cached ones."""

    form: str
    title: str
    address: str
    name: str
    size: int | None


def form_facts(
    page: VisualPage, at: ItemPath, request: PageRequest, facts: dict[str, Any], form: str
) -> dict[str, Any]:
    """Return the template values on the forms of a visual: its version, cached forms, downloads and commands.

    `form` is the one that the page shows, and `facts` are the other values, with `empty`.
    """
    version = version_of(at, request, form) if facts[LOOKS] else ""
    kept = KeptForms(request.world.visuals.kept, page, version)
    offered = _downloads(page, at, kept, reads=facts[READS]) if facts[LOOKS] and not facts["empty"] else []
    commands = commands_of(page, at, request, facts)
    return {"version": version, "kept": kept, "downloads": offered, "commands": commands}


def _downloads(page: VisualPage, at: ItemPath, kept: KeptForms, *, reads: bool) -> list[Download]:
    """Return the forms of a visual that the caller may see; those with its data only if it `reads` it."""
    return [
        Download(
            offer.form,
            offer.title,
            at.file(offer.form, **offer.options),
            f"{at.name}.{offer.form}",
            kept.size(offer.form, offer.options),
        )
        for offer in page.downloads
        if reads or not offer.is_data
    ]
