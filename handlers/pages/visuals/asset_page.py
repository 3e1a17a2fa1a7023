"""The pictures and fonts beside a document or a mail: listed, added and deleted by its writers."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import chain, count

import orjson

from handlers.http.headers import SANDBOX
from handlers.pages.acting.fields import at_field
from handlers.pages.forms import Bytes, SentForm, pieces_of
from handlers.pages.items.item_head import item_head
from handlers.pages.items.item_path import ItemPath, require_writer
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Piece, Redirect
from handlers.rules.media import HEAD, sniff
from vfs.access import Verb
from vfs.errors import Invalid

ASSETS, FILE = "assets", "asset"
JSON = "application/json"
MOST = 200
LONGEST_STEM, LONGEST_ENDING = 48, 8
OTHER_SIGNS = re.compile(r"[^a-z0-9]+")


def asset_names(request: PageRequest, at: ItemPath) -> Sequence[str]:
    """Return the names of the first assets."""
    return [row.name for row in request.peek(at.api / ASSETS, ())[:MOST]]


def show(at: ItemPath, request: PageRequest) -> Page:
    """Return the page. Raises NotFound if the caller sees no such item, Denied for readers."""
    head = item_head(request, at, writes=True, entry=require_writer(request, at))
    return Page("assets.html", {"head": head, "at": at, "assets": asset_names(request, at)})


def act(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Add the chosen file, or delete one. Raises vfs.errors."""
    if form["do"] == "delete" and form["name"]:
        request.remove(at.api / ASSETS / form["name"])
        return Redirect(f"{at.page}/edit", done="asset-deleted", values={"name": form["name"]})
    with at_field(FILE):
        return Redirect(f"{at.page}/edit", done="asset-added", values={"name": _add(at, request, form)})


def insert(at: ItemPath, request: PageRequest, form: SentForm) -> Piece:
    """Add a file that was pasted into the text, under a free name; return the text that shows it."""
    name = _add(at, request, form, taken=asset_names(request, at))
    return Piece(orjson.dumps({"name": name, "text": picture_text(name)}), JSON, SANDBOX)


def _add(at: ItemPath, request: PageRequest, form: SentForm, taken: Collection[str] = ()) -> str:
    """Write the file of a form as an asset; return the asset's name."""
    with form.unpack(request.world.service.settings.input_parts) as files:
        for name, file in files.items():
            with file.open("rb") as stored:
                media = sniff(stored.read(HEAD))
            if media is None:
                raise Invalid(
                    f'"{name[:80]}" is not a picture or a font: choose PNG, JPEG, GIF, SVG, WebP or WOFF'
                )
            kept = free_name(name_of(name), taken)
            request.call(Verb.WRITE, at.api / ASSETS / kept, Bytes(pieces_of(file), media))
            return kept
        raise Invalid("choose a file first")


def picture_text(name: str) -> str:
    """Return the text that shows an asset."""
    words = name.rpartition(".")[0].replace("-", " ") or name
    return f'{{{{ img ref: {name}, alt: "{words}" }}}}'


def free_name(name: str, taken: Collection[str]) -> str:
    """Return the name, with a number if there is such an asset."""
    stem, dot, ending = name.rpartition(".") if "." in name else (name, "", "")
    numbered = (f"{stem}-{number}{dot}{ending}" for number in count(2))
    return next(one for one in chain((name,), numbered) if one not in taken)


def name_of(file: str) -> str:
    """Return the asset name for a file name: a-z, 0-9 and -, with one suffix."""
    stem, dot, ending = file.rpartition("/")[2].lower().rpartition(".")
    stem, ending = (stem, ending) if dot else (ending, "")
    kept = OTHER_SIGNS.sub("-", stem)[:LONGEST_STEM].strip("-") or "file"
    ending = OTHER_SIGNS.sub("", ending)[:LONGEST_ENDING]
    return f"{kept}.{ending}" if ending else kept
