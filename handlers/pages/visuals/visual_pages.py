"""The pages of plots and grids, and the way to those of documents and mails."""

from __future__ import annotations

from typing import Any

from handlers.pages.job_parts import Command
from handlers.pages.request import PageRequest
from handlers.pages.result import Page
from handlers.pages.visuals.data_sample import NO_DATA, DataSample, sample_data
from handlers.pages.visuals.document_pages import show_document
from handlers.pages.visuals.downloads import downloads
from handlers.pages.visuals.kept_forms import KeptForms
from handlers.pages.visuals.mail_pages import show_mail
from handlers.pages.visuals.pictures import picture_set
from handlers.pages.visuals.shown_plots import plots_in
from handlers.pages.visuals.visual_commands import first_data, first_layout, visual_commands
from handlers.pages.visuals.visual_facts import version_of, visual_facts
from handlers.pages.visuals.visual_path import KINDS, VisualPath
from handlers.render.plots.vocabulary import CUSTOM
from handlers.rules.addresses import API
from handlers.services.access import item_access
from vfs.errors import NotFound

WITHOUT_HEADER = {"h": "f", "c": "t"}
WHOLE = {"h": "t", "c": "t"}


def show(at: VisualPath, request: PageRequest) -> Page:
    """The page. Raises NotFound or Unauthenticated for whoever sees no such thing."""
    if at.kind == "doc":
        return show_document(at, request)
    if at.kind == "mail":
        return show_mail(at, request)
    facts = visual_facts(at, request)
    facts |= _plot(at, request, facts) if at.kind == "plot" else _grid(at, request, facts)
    whole = {**facts, "commands": _commands(at, request, facts)}
    return Page("visual.html", whole, frames=facts["framed"])


def show_short(letter: str, short: str, request: PageRequest) -> Page:
    """The page at the address that a plot, grid, document or mail calls its own. Raises as `show` does."""
    world, caller = request.world, request.caller
    found = world.items.by_shortname(short, caller.name)
    if found is None or found.item.kind != KINDS[letter] or not item_access(world, found, caller):
        # Refused as what is not there, in the words of the address that was asked for.
        request.call(None, API / ("i", short))
        raise NotFound(f"{short} is not the short id of a {KINDS[letter]}")
    return show(VisualPath(found.item.kind, found.item.owner, found.item.name), request)


def _plot(at: VisualPath, request: PageRequest, facts: dict[str, Any]) -> dict[str, Any]:
    data = sample_data(request.peek(at.api / "data", "")) if facts["reads"] else NO_DATA
    kind = facts["config"].get("type") or "bar"
    alt = _words(facts, f"{kind} plot, {_extent(data)}" if data.rows else "plot")
    empty = facts["reads"] and not data.rows
    return {
        "kind": kind if facts["reads"] else "",
        "sample": data,
        "cells": [],
        "empty": empty,
        "framed": kind == CUSTOM,
        **_picture(at, request, facts, alt, empty=empty),
    }


def _grid(at: VisualPath, request: PageRequest, facts: dict[str, Any]) -> dict[str, Any]:
    cells = plots_in(at, request) if facts["looks"] else []
    alt = _words(facts, "grid" + (f" of {', '.join(cell.title for cell in cells)}" if cells else ""))
    empty = facts["reads"] and not request.peek(at.api / "layout", "").strip()
    return {
        "kind": "",
        "sample": NO_DATA,
        "cells": cells,
        "empty": empty,
        "framed": False,
        **_picture(at, request, facts, alt, empty=empty),
    }


def _picture(
    at: VisualPath, request: PageRequest, facts: dict[str, Any], alt: str, *, empty: bool
) -> dict[str, Any]:
    """The pictures and downloads; whoever reads the words of a plot finds them on the page instead."""
    if not facts["looks"]:
        return {"version": "", "picture": None, "downloads": []}
    version = version_of(at, request)
    kept = KeptForms(request.world.visuals.kept, at.kind, version)
    words = WITHOUT_HEADER if facts["reads"] else WHOLE
    return {
        "version": version,
        "picture": None if empty else picture_set(at, version, alt, kept.height, words),
        "downloads": [] if empty else downloads(at, kept, reads=facts["reads"]),
    }


def _words(facts: dict[str, Any], otherwise: str) -> str:
    """The text for those who do not see the picture."""
    return f"{facts['title']}: {facts['summary'] or otherwise}"


def _extent(data: DataSample) -> str:
    return f"{data.height:,} row{'s' * (data.height != 1)} of {data.width} column{'s' * (data.width != 1)}"


def _commands(at: VisualPath, request: PageRequest, facts: dict[str, Any]) -> list[Command]:
    root = request.origin
    if facts["empty"] and facts["writes"]:
        return [first_data(root, at)] if at.kind == "plot" else first_layout(root, at)
    return visual_commands(
        root,
        at,
        signed=request.caller.name is not None,
        looks=facts["looks"],
        reads=facts["reads"],
        writes=facts["writes"],
    )
