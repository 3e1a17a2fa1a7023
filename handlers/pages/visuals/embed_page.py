"""Public pictures in pages of other sites: a bare page to frame, its style sheets, and oEmbed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from html import escape
from urllib.parse import urlencode
from xml.sax.saxutils import escape as escape_xml

import orjson

from handlers.http.headers import SANDBOX
from handlers.pages.items.item_path import ItemPath, item_at
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Piece
from handlers.pages.visuals.pictures import Window, picture_set
from handlers.pages.visuals.visual_page import version_of
from handlers.services.rights import item_access
from vfs.errors import Denied, Invalid, NotFound, Unauthenticated, VfsError
from vfs.path import Path

# Strings first, so that braces and names in them are not matched; an unclosed one ends with its line.
STRING_END = r"(?=\n)|\\?\Z"
PIECES = re.compile(
    rf"""
    "(?:\\.|[^"\\\n])*+(?:"|{STRING_END}) | '(?:\\.|[^'\\\n])*+(?:'|{STRING_END}) | [{{}};] | [^{{}};"']+
    """,
    re.DOTALL | re.VERBOSE,
)
ROOT = re.compile(r"(?<![\w.#:-]):root(?![\w-])|(?<![\w.#:-])html(?![\w-])", re.IGNORECASE)
BODY = re.compile(r"(?<![\w.#:@-])body(?![\w-])", re.IGNORECASE)
STRINGS = ('"', "'")


@lru_cache(16)
def shadow_css(css: str) -> str:
    """Return the sheet with `:host` instead of `html` and `:root`, and a class instead of `body`."""
    made: list[str] = []
    prelude: list[str] = []
    for found in PIECES.finditer(css):
        piece = found[0]
        if piece not in ("{", "}", ";"):
            prelude.append(piece)
            continue
        made += [_rewrite(part) for part in prelude] if piece == "{" else prelude
        made.append(piece)
        prelude.clear()
    return "".join(made + prelude)


def _rewrite(prelude: str) -> str:
    if prelude.startswith(STRINGS) or prelude.lstrip().startswith("@"):
        return prelude
    return BODY.sub(".body", ROOT.sub(":host", prelude))


EMBED, OEMBED = "embed", Path(("oembed",))
WINDOWS = (Window(480, 390), Window(0, 800))
WIDTH, HEIGHT, LEAST, MOST = 720, 480, 160, 4000
THUMBNAIL = {"width": "360", "height": "216", "mode": "light"}
OPTIONS = {"h": "t", "c": "t"}
SENT = {"json": "application/json", "xml": "text/xml; charset=utf-8"}
HIDDEN = (Denied, NotFound, Unauthenticated)


def show(at: ItemPath, request: PageRequest) -> Page:
    """Return the bare page of a picture, or one that says that nothing is public."""
    facts: dict[str, object] = {"at": at, "title": at.name, "picture": None}
    try:
        title = _title(at, request)
    except HIDDEN:
        error = NotFound(f"nothing at {at.page} is public")
        return Page("embed.html", facts, error, embedded=True)
    version = version_of(at, request)
    picture = picture_set(at, WINDOWS, version, title, lambda options: 0, OPTIONS) if version else None
    return Page("embed.html", {**facts, "title": title, "picture": picture}, embedded=True)


def tell(request: PageRequest) -> Piece:
    """Return the oEmbed answer for the address of a public picture. Raises NotFound, Invalid."""
    query = request.query
    form = query.get("format", "json")
    if form not in SENT:
        raise Invalid(f'there is no format "{form[:20]}": ask for json or xml')
    at = _meant(request, query.get("url", ""))
    try:
        title = _title(at, request)
    except HIDDEN:
        raise NotFound(f"there is no public picture at {query['url'][:200]}") from None
    reported = _about(at, title, request)
    return Piece(_xml(reported) if form == "xml" else orjson.dumps(reported), SENT[form], SANDBOX)


def discovery(at: ItemPath, origin: str) -> str:
    """Return the oEmbed address of a picture, for the head of its page."""
    return f"{origin}{OEMBED}?{urlencode({'url': f'{origin}{at.page}', 'format': 'json'})}"


def _title(at: ItemPath, request: PageRequest) -> str:
    """Return the title of a picture. Raises NotFound, Unauthenticated or Denied without access."""
    entry = request.entry(at.api)
    if not {"r", "x"} & set(entry.permissions):
        raise Denied(f"{at.page} is not public")
    said = request.peek(at.api / ("config", "title"), "") or request.peek(at.api / "name", "")
    return str(said).strip() or at.name


def _meant(request: PageRequest, address: str) -> ItemPath:
    """Return the picture at an address of this service, by its page or its short id."""
    kinds = request.world.service.kinds
    place = address.removeprefix(request.origin).partition("?")[0].partition("#")[0]
    try:
        path = Path.parse(place) if address.startswith(f"{request.origin}/") else Path()
        if len(path) == 2 and path[0] in {kind.letter for kind in kinds.values()}:
            path = _find_long(request, path[1])
    except VfsError:
        path = Path()
    found = item_at(path, kinds)
    if found is None or found[1] or not found[0].kind.pictured:
        raise NotFound(f"there is no public picture at {address[:200]}")
    return found[0]


def _find_long(request: PageRequest, short: str) -> Path:
    """Return the page of a short id if the caller sees it; otherwise no page."""
    world, caller = request.world, request.caller
    found = world.items.by_shortname(short, caller.name)
    if found is None or not item_access(world, found, caller):
        return Path()
    return ItemPath(world.service.kinds[found.item.kind], found.item.owner, found.item.name).page


def _about(at: ItemPath, title: str, request: PageRequest) -> dict[str, object]:
    width, height = _limit(request.query, "maxwidth", WIDTH), _limit(request.query, "maxheight", HEIGHT)
    source = f"{request.origin}{at.page}/{EMBED}"
    frame = (
        f'<iframe src="{escape(source)}" width="{width}" height="{height}" title="{escape(title)}" '
        'loading="lazy" frameborder="0"></iframe>'
    )
    small = at.file("png", **THUMBNAIL)
    return {
        "version": "1.0",
        "type": "rich",
        "title": title,
        "author_name": f"@{at.user}",
        "author_url": f"{request.origin}/u/{at.user}",
        "provider_name": "Curlew",
        "provider_url": request.origin,
        "html": frame,
        "width": width,
        "height": height,
        "thumbnail_url": f"{request.origin}{small}",
        "thumbnail_width": int(THUMBNAIL["width"]),
        "thumbnail_height": int(THUMBNAIL["height"]),
    }


def _limit(query: Mapping[str, str], name: str, usual: int) -> int:
    """Return a maximum length from a query. Raises Invalid."""
    said = query.get(name, "")
    if said and not (said.isascii() and said.isdigit() and len(said) < 6):
        raise Invalid(f'{name} is a number of pixels, not "{said[:20]}": send one such as 600')
    return max(min(int(said or MOST), usual), LEAST)


def _xml(reported: Mapping[str, object]) -> bytes:
    lines = "".join(f"<{name}>{escape_xml(str(value))}</{name}>" for name, value in reported.items())
    return f'<?xml version="1.0" encoding="utf-8" standalone="yes"?><oembed>{lines}</oembed>'.encode()
